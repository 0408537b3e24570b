"""The auditor and contacts of rules of first order: those that last, that begin and that end; and the law of the grid."""
import math

from audit_case import NEITHER, STRONG, WEAK, AuditCase
from program import main

PLANE = """[time]
step = {step}
end = 2
[system]
coordinates = ["x", "y"]
mass = {mass}
potential = "{potential}"
position = {position}
velocity = {velocity}
[[gap]]
name = "ground"
expression = "{ground}"
[[gap]]
name = "wall"
expression = "{wall}"
[impact]
law = "newton"
restitution = {restitution}
[integrator]
principle = "{principle}"
rule = "{rule}"
"""
DEFAULTS = {"step": 0.01, "mass": "[1, 1]", "potential": "9.81*y", "position": "[0, 0.5]", "velocity": "[1, 0]",
            "wall": "100 - x", "restitution": 0, "principle": "strong", "rule": "trapezoid"}

SPHERE = """[time]
step = 0.01
end = 1.5
[system]
coordinates = ["x", "y", "z"]
mass = [1, 1, 1]
potential = "9.81*z"
position = [0.6, 0, -0.8]
velocity = [0, 1.5, 0]
[[constraint]]
name = "rod"
expression = "x^2 + y^2 + z^2 - 1"
[[gap]]
name = "floor"
expression = "z + 0.9 + 0.1*x"
[[gap]]
name = "wall"
expression = "0.5 - y"
"""

ROD = """[time]
step = 0.002
end = 1.5
[system]
coordinates = ["x", "y", "th"]
lagrangian = "0.5*(v_x^2 + v_y^2) + 0.04*v_th^2 - 9.81*y"
position = [0, 0.979, 0.322]
velocity = [0.035, 0, 1.256]
[[gap]]
name = "one"
expression = "y - 0.5*sin(th)"
[[gap]]
name = "other"
expression = "y + 0.5*sin(th)"
[impact]
law = "newton"
restitution = 0.5
[integrator]
principle = "weak"
activation = "end"
"""


def plane(**settings):
    return PLANE.format(**{**DEFAULTS, **settings})


class AuditFirstOrder(AuditCase):
    # ---- contacts that last ----

    def test_sliding_over_a_hill(self):
        """All forces at one end of a step, the turn of the hill at both: one end pulls, their sum pushes."""
        for rule, closure in (("rectangle-left", "variational"), ("rectangle-left", "reflection"), ("rectangle-left", "auto"),
                              ("rectangle-left", "interpolated"), ("rectangle-right", "variational")):
            with self.subTest(rule=rule, closure=closure):
                self.fly(plane(ground="y + 0.2*x^2", rule=rule), f"integrator.closure={closure}")
                findings = self.judged(WEAK, "run")
                self.assertEqual(findings["by_key"]["euler_lagrange"]["grade"], "strong")
                self.assertGreater(findings["numbers"]["intervals in contact"], 100)
                for what, column in (("q", 0), ("q", 1), ("p", 0), ("p", 1)):
                    self.judged(NEITHER, self.moved(100, 1e-8, what, column))

    def test_what_lies_on_a_lift(self):
        """The lift does the work of both ends of its steps: it lifts by 0.1 sin 6, and changes the speed."""
        self.fly(plane(ground="y - 0.5 - 0.1*sin(3*t)", velocity="[1, 0.3]", rule="rectangle-left"))
        findings = self.judged(STRONG, "run")
        self.assertEqual(findings["by_key"]["euler_lagrange"]["grade"], "strong")
        exact = 0.981 * math.sin(6) + 0.045 * (math.cos(6) ** 2 - 1)
        # first order: half a step of the weight's power at most, from one end to the other
        self.assertAlmostEqual(findings["numbers"]["work of moving gaps"], exact, delta=0.01 * 9.81 * 0.3)

    def test_a_gap_does_not_hold_down(self):
        for rule in ("rectangle-left", "rectangle-right", "trapezoid"):
            with self.subTest(rule=rule):
                self.fly(plane(ground="y", position="[0, 0]", rule=rule))
                self.judged(STRONG, "run")
                self.write("rising.toml", plane(ground="y", position="[0, 0]", potential="-9.81*y", rule=rule))
                findings = self.judged(NEITHER, "run", "--scene", "rising.toml")
                self.assertEqual(findings["by_key"]["euler_lagrange"]["grade"], "neither")

    def test_impacts_on_a_constraint(self):
        """The energy of the rule is H ± ½h v·∇V, with a constraint, too."""
        for rule in ("rectangle-left", "rectangle-right"):
            with self.subTest(rule=rule):
                self.fly(SPHERE, f"integrator.rule={rule}", "integrator.closure=variational")
                self.judged(STRONG, "run")
                self.judged(NEITHER, self.moved(70, 1e-9))

    # ---- contacts that begin and end ----

    def test_nodes_that_nobody_recorded(self):
        # a plastic impact and a push off the hill at once; a hop that is slower than ah, and lost
        pushed = plane(ground="y + 0.2*x^2", mass="[1, 3]", position="[0.0801, 1.1911]", velocity="[-1.134, -0.8789]",
                       rule="rectangle-left")
        hop = plane(ground="y - 0.3*x", wall="1.5 - x", mass="[1, 3]", potential="9.81*y + 0.5*x^2", restitution=0.5,
                    step=0.002, position="[0.1397, 0.7101]", velocity="[-0.0861, -0.9788]", rule="rectangle-left")
        for scene in (pushed, hop):
            with self.subTest(scene=scene):
                self.fly(scene, "integrator.closure=reflection")
                findings = self.judged(WEAK, "run")
                self.assertEqual([n.split(" are")[0] for n in findings["notes"] if "a contact begins or ends" in n],
                                 ["1 intervals"])
                # elsewhere nothing is excused
                for row in (50, 180):
                    for what in ("q", "p"):
                        self.judged(NEITHER, self.moved(row, 1e-4, what, 1))

    # ---- the law of the grid ----

    def test_a_gap_that_opens_is_pressed_back(self):
        """Two planes push against each other: φ̇⁺ = -eφ̇⁻ also where φ̇⁻ > 0 (Leine 2009 (120))."""
        wedge = {"ground": "y + 0.5*x", "wall": "1 - x", "step": 0.002, "principle": "weak"}
        self.fly(plane(restitution=0.5, **wedge))
        leaving = self.judged(WEAK, "run")["by_key"]["leaving"]
        pressed = [w for w in leaving["worst"] if w["where"] == "wall" and w["value"] > 1e-6]
        self.assertGreater(len(pressed), 1)
        # every second step, and e²
        values = sorted((w["value"] for w in pressed), reverse=True)
        self.assertAlmostEqual(values[0] / values[1], 4, delta=1e-3)
        step = max(pressed, key=lambda w: w["value"])["step"]
        # no force acts across the wall: no more is allowed than e times the rate before
        findings = self.judged(NEITHER, self.moved(step + 1, 1e-8, "p", 0))
        self.assertEqual(findings["by_key"]["leaving"]["grade"], "neither")
        self.write("less.toml", plane(restitution=0.4, **wedge))
        findings = self.judged(NEITHER, "run", "--scene", "less.toml")
        self.assertEqual([c["key"] for c in findings["checks"] if c["grade"] == "neither"], ["leaving"])

    def test_forces_and_turn_that_cancel(self):
        """Where φ̈ passes zero: up to its node a step has h/2 of the forces all the same, and no more is allowed."""
        self.fly(plane(ground="y - 0.1*x^2", wall="1.5 - x", potential="0.5*x^2 + 0.3*y^2", principle="weak",
                       position="[0.2572, 1.0609]", velocity="[-0.0779, -0.8963]"))
        worst = self.judged(WEAK, "run")["by_key"]["leaving"]["worst"]
        held = [w for w in worst if w["value"] > 1e-6]
        self.assertGreater(len(held), 1)
        findings = self.judged(NEITHER, self.moved(held[0]["step"] + 1, -1e-8, "p", 1))
        self.assertEqual(findings["by_key"]["leaving"]["grade"], "neither")

    def test_where_the_grid_looks_for_contacts(self):
        """From the start of a step half of it is gone before its node: a fall overlaps by 3/2 of a step's way."""
        self.fly(plane(ground="y", wall="0.8 - x", step=0.03, restitution=1, principle="weak",
                       position="[-0.278, 0.8771]", velocity="[1.4098, -0.6619]"), "integrator.activation=start")
        smallest = self.judged(WEAK, "run")["numbers"]["smallest gap"]
        fastest = (0.6619 ** 2 + 2 * 9.81 * 0.8771) ** 0.5  # at y = 0, and 9.81 m/s in a second faster below
        self.assertLess(-smallest, 1.5 * 0.03 * (fastest + 9.81 * 1.5 * 0.03))
        self.assertGreater(-smallest, 0.03 * fastest)
        self.write("higher.toml", plane(ground="y - 0.1", wall="0.8 - x", step=0.03, restitution=1, principle="weak")
                   + 'activation = "start"\n')
        self.assertEqual(self.judged(NEITHER, "run", "--scene", "higher.toml")["by_key"]["admissible"]["grade"], "neither")
        # the end of a step finds no contact where the foot swings up again
        self.fly(ROD)
        self.judged(WEAK, "run")
        self.judged(NEITHER, self.moved(100, 1e-8))

    def test_power_that_cancels_at_an_impact_of_the_grid(self):
        """Of the forces' power, the part across the gap is what an impulse sees; the part along it may be its opposite."""
        self.fly(plane(ground="x^2 + y^2 - 0.25", wall="0.8 - x", potential="9.81*y + 0.5*x^2", restitution=1,
                       position="[0.1524, 0.8566]", velocity="[-0.1736, -0.871]", principle="weak", rule="rectangle-left")
                 + '[[force]]\ncomponents = ["-0.2*v_x", "-0.1*v_y"]\n')
        self.judged(WEAK, "run")


if __name__ == "__main__":
    main()
