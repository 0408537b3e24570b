"""The auditor and runs whose energy comes from elsewhere, or whose rule is not the rule of every flight."""
import csv
import json
import math

from audit_case import NEITHER, NOT_JUDGED, STRONG, WEAK, AuditCase
from program import main

LIFT = """[time]
step = 0.01
end = 2
[system]
coordinates = ["y"]
mass = [1]
potential = "9.81*y"
position = [0]
velocity = [{speed}]
[[gap]]
name = "lift"
expression = "y - ({lift})"
"""

CONVEYOR = """[time]
step = 0.01
end = 1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "9.81*y"
position = [0, 0]
velocity = [0, 0]
[[gap]]
name = "belt"
expression = "y"
tangent = ["x{belt}"]
friction = 0.3
law = "newton"
restitution = 0
"""

RELATIVISTIC = """[time]
step = 0.01
end = 9
[system]
coordinates = ["x", "y"]
lagrangian = "-sqrt(1-v_x^2-v_y^2) - 0.3*y - 0.1*x^2"
position = [0.2, 0.5]
velocity = [0.5, -0.6]
[[gap]]
name = "floor"
expression = "y + 0.1*sin(x)"
"""

HILL = """[time]
step = 0.005
end = 4
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "9.81*y"
position = [0, 0.3]
velocity = [1.88, 0.094]
[[gap]]
name = "hill"
expression = "y - 0.3*cos(3*x) - 0.05*x"
[impact]
law = "newton"
restitution = 0
"""

BOWL = """[time]
step = 0.01
end = 2
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "9.81*y"
position = [0.5, 0.25]
[[gap]]
name = "bowl"
expression = "y - x^2"
"""

SPHERE = """[time]
step = 0.005
end = 3.137
[system]
coordinates = ["x", "y", "z"]
mass = [1, 1, 1]
potential = "9.81*z"
position = [0.6, 0, -0.8]
velocity = [0, 1.4, 0]
[[constraint]]
name = "rod"
expression = "x^2 + y^2 + z^2 - 1"
[[gap]]
name = "floor"
expression = "z + 0.9 + 0.1*x"
[[gap]]
name = "wall"
expression = "0.55 - y"
"""

HOOP = """[time]
step = 0.01
end = 6
[system]
coordinates = ["th"]
lagrangian = "0.5*(v_th^2 + 16*sin(th)^2) + 9.81*cos(th)"
position = [0.5]
velocity = [1]
[[gap]]
name = "stop"
expression = "1.1 - th"
[[gap]]
name = "other stop"
expression = "th + 0.2"
"""

DRIVEN = """[time]
step = 0.05
end = 300
[system]
coordinates = ["x"]
mass = [1]
potential = "x^2/2 - x*cos(2*t)"
position = [0]
velocity = [0]
[[force]]
components = ["-{damping}*v_x"]
[[gap]]
name = "wall"
expression = "x + 2"
"""

BACKLASH = """[time]
step = 0.01
end = 3
[system]
coordinates = ["a", "b"]
mass = [0.02, 0.05]
potential = "0.3*(b - 0.1)^2"
position = [0, 0]
velocity = [1, -0.3]
[[force]]
components = ["0.2*sin(3*t) - 0.01*v_a", "-0.02*v_b"]
[[gap]]
name = "front"
expression = "0.05 - a + 1.5*b"
[[gap]]
name = "back"
expression = "0.05 + a - 1.5*b"
[impact]
law = "newton"
restitution = 0.85
"""


class AuditWork(AuditCase):
    # ---- walls that carry ----

    def test_a_lift_does_the_work(self):
        for lift, speed, height, end in (("0.5*t", 0.5, 1.0, 0.5),
                                         ("0.5*t - 0.1*sin(2*t)", 0.3, 1 - 0.1 * math.sin(4), 0.5 - 0.2 * math.cos(4))):
            for settings in ((), ("record.every=5",), ("integrator.rule=yoshida4",), ("integrator.rule=midpoint",)):
                with self.subTest(lift=lift, settings=settings):
                    self.fly(LIFT.format(lift=lift, speed=speed), *settings)
                    numbers = self.judged(STRONG, "run")["numbers"]
                    # the lift lifts, and changes the speed
                    exact = 9.81 * height + (end ** 2 - speed ** 2) / 2
                    self.assertAlmostEqual(numbers["work of moving gaps"], exact, delta=2e-4)
        self.judged(NEITHER, self.moved(100, 1e-6))

    def test_a_lift_in_a_table(self):
        self.write("lift.toml", LIFT.format(lift="0.5*t", speed=0.5))
        rows = [(0.01 * k, 0.005 * k, 0.5) for k in range(201)]
        self.write("lift.csv", "t,y,v_y\n" + "".join(f"{t!r},{y!r},{v!r}\n" for t, y, v in rows))
        numbers = self.judged(STRONG, "lift.csv", "--scene", "lift.toml")["numbers"]
        self.assertAlmostEqual(numbers["work of moving gaps"], 9.81, delta=1e-12)
        # a lift that carries with another energy than it gives: one that hovers above a lift at rest
        self.write("rest.toml", LIFT.format(lift="0*t", speed=0.5))
        self.judged(NEITHER, "lift.csv", "--scene", "rest.toml")

    def test_a_belt_does_the_work(self):
        """v = 0.3 g t up to the belt's 2 m/s: the belt does f·2·(2/0.3g) = 4 J, half of it lost in the slip."""
        self.write("still.toml", CONVEYOR.format(belt=""))
        for principle in ("strong", "weak"):
            with self.subTest(principle=principle):
                self.fly(CONVEYOR.format(belt="-2*t"), f"integrator.principle={principle}")
                numbers = self.judged(WEAK, "run")["numbers"]
                self.assertAlmostEqual(numbers["work of moving gaps"], 4, delta=1e-9)
                self.assertAlmostEqual(numbers["energy at the end"] - numbers["energy at the start"], 2, delta=1e-9)
                # the same motion on a belt at rest: friction that drives
                findings = self.judged(NEITHER, "run", "--scene", "still.toml")
                self.assertEqual(findings["by_key"]["energy_inequality"]["grade"], "neither")

    # ---- energy that comes and goes ----

    def test_driven_and_damped_for_long(self):
        """x = A cos(2t) + B sin(2t) with A = -3/9.16, B = 0.4/9.16: 0.2·v² is lost, 2(A² + B²)·0.2 J a second."""
        self.write("other.toml", DRIVEN.format(damping="0.2001"))
        for rule in ("trapezoid", "midpoint", "yoshida4", "rectangle-left"):
            with self.subTest(rule=rule):
                self.fly(DRIVEN.format(damping="0.2"), f"integrator.rule={rule}")
                worst = self.judged(STRONG, "run")["by_key"]["energy_inequality"]["worst"][0]
                # far less is allowed than went through
                through = 300 * 0.2 * 2 * (3 ** 2 + 0.4 ** 2) / 9.16 ** 2
                self.assertLess(worst["allowed"], 0.03 * through)
                self.judged(NEITHER, "run", "--scene", "other.toml")

    # ---- rules and flights ----

    def test_rounding_of_a_lagrangian_that_is_not_quadratic(self):
        self.fly(RELATIVISTIC)
        worst = self.judged(STRONG, "run")["by_key"]["euler_lagrange"]["worst"][0]
        self.assertLess(worst["allowed"], 1e-11)
        # an order above what is allowed
        findings = self.judged(NEITHER, self.moved(300, 10 * 0.01 * worst["allowed"]))
        self.assertIn(findings["by_key"]["euler_lagrange"]["worst"][0]["step"], (299, 300))

    def test_sliding_keeps_its_energy_as_the_rule_does(self):
        largest = []
        for step in (0.005, 0.0025):
            self.fly(HILL, f"time.step={step}")
            check = self.judged(STRONG, "run")["by_key"]["energy_inequality"]
            largest.append(check["largest"])
            # not much more is allowed than is needed
            self.assertLess(check["worst"][0]["allowed"], 10 * check["worst"][0]["value"])
        self.assertAlmostEqual(math.log2(largest[0] / largest[1]), 2, delta=0.2)

    def test_reactions_with_composed_rules(self):
        for text in (BOWL, SPHERE):
            for rule in ("yoshida4", "suzuki4"):
                with self.subTest(scene=text, rule=rule):
                    self.fly(text, f"integrator.rule={rule}")
                    worst = self.judged(STRONG, "run")["by_key"]["euler_lagrange"]["worst"][0]
                    self.assertLess(worst["allowed"], 1e-10)
                    self.judged(NEITHER, self.moved(70, 1e-9))

    def test_first_order_rules_with_a_curve_of_the_whole_step(self):
        for rule in ("rectangle-left", "rectangle-right"):
            with self.subTest(rule=rule):
                self.fly(HOOP, f"integrator.rule={rule}")
                self.assertEqual(self.summary("run")["closure"], "interpolated")
                findings = self.judged(STRONG, "run")
                self.assertEqual(findings["impacts"], 3)
                # the momenta lie half a step beside the positions; beside them the energy is kept to O(h²)
                self.assertLess(findings["by_key"]["second_condition"]["largest"], 1e-6)
                # an impact 1 % too fast, before and after
                self.without_digests("run")
                with open(self.path("run", "impacts.csv")) as f:
                    rows = list(csv.reader(f))
                for i, name in enumerate(rows[0]):
                    if name.startswith(("p_minus_", "p_plus_")):
                        rows[2][i] = repr(1.01 * float(rows[2][i]))
                with open(self.path("run", "impacts.csv"), "w") as f:
                    csv.writer(f, lineterminator="\n").writerows(rows)
                self.assertEqual(self.judged(NEITHER, "run")["by_key"]["motion"]["grade"], "neither")

    def test_first_order_rules_between_samples(self):
        """Some impacts leave pieces shorter than a step beside a sample: they are pieces of the curve all the same."""
        for rule in ("rectangle-left", "rectangle-right"):
            for every in (5, 7):
                with self.subTest(rule=rule, every=every):
                    self.fly(HOOP, f"integrator.rule={rule}", f"record.every={every}")
                    findings = self.judged(STRONG, "run")
                    self.assertLess(findings["by_key"]["second_condition"]["largest"], 1e-6)
                    self.judged(NEITHER, self.moved(20, 1e-2))

    def test_a_graze_is_led_through(self):
        self.fly(BACKLASH)
        self.assertEqual(self.summary("run")["fallbacks"].get("graze"), 1)
        findings = self.judged(WEAK, "run")
        self.assertEqual(findings["by_key"]["euler_lagrange"]["grade"], "strong")
        graze = 263
        for row in (graze, graze + 1, 40, 150):
            with self.subTest(row=row):
                self.assertIn(self.audit(self.moved(row, 1e-8))["code"], (NEITHER, NOT_JUDGED))
        # a step that is told to have no graze has none
        self.without_digests("run")
        path = self.path("run", "summary.json")
        summary = self.summary("run")
        summary["fallbacks"] = {}
        with open(path, "w") as f:
            json.dump(summary, f)
        worst = self.judged(NEITHER, "run")["by_key"]["euler_lagrange"]
        self.assertEqual((worst["above_weak"], worst["worst"][0]["step"]), (1, graze))


if __name__ == "__main__":
    main()
