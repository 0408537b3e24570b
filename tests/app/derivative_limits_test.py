"""Derivatives where they are one-sided, missing or not asked for rightly: each is given right, flagged, or refused."""
import math
import os

from derived import WALLS, DerivativesCase, bounced, slope
from program import FLOOR, main

BOUNCE = """[time]
step = 0.013
end = 2
[parameters]
g = 9.81
e = 1.0
[system]
coordinates = ["x", "y"]
mass = [1, 2]
potential = "2*g*y"
position = [0, 0.5]
velocity = [2, -1]
[[gap]]
name = "floor"
expression = "y"
[impact]
law = "newton"
restitution = "e"
[integrator]
closure = "variational"
[derivatives]
with_respect_to = ["position", "velocity", "parameters.g", "parameters.e"]
every = 0
"""


class Limits(DerivativesCase):
    # ---- by a restitution of exactly 1 ---------------------------------------------------------------------------

    def test_by_a_restitution_of_one(self):
        self.write("bounce.toml", BOUNCE)
        self.assertEqual(bounced(1, 2)[2], 3)
        exact = [slope(lambda e, k=k: bounced(e, 2)[k], 1) for k in (0, 1)]
        for law in ("newton", "canonical", "poisson", "sequential"):
            # The first two are exact for a ball in constant gravity, the derivative by e included. The energy of the
            # variational map varies by O(h²) with the place of an impact in its step (errata F11), and that place by
            # 1/h with everything: its derivatives are right to O(h). Measured 1.3 h and 0.4 h.
            for closure, step, tolerance in (("reflection", 0.013, 1e-9), ("shadow4", 0.013, 1e-9),
                                             ("variational", 0.013, 3 * 0.013), ("variational", 0.0013, 3 * 0.0013)):
                names, _, q, p, kinds = self.derivative("bounce.toml", "--set", f"impact.law={law}", "--set",
                                                     f"integrator.closure={closure}", "--set", f"time.step={step}")
                column = names.index("parameters.e")
                for found, value in ((q[-1][1][column], exact[0]), (p[-1][1][column] / 2, exact[1])):
                    self.assertAlmostEqual(found, value, delta=tolerance * (1 + abs(value)), msg=(law, closure))
                self.assertEqual(kinds, ["elastic_limit"])
                self.assertEqual(self.kinds_in_summary(), {"elastic_limit": 1})

    def test_by_a_restitution_of_one_in_the_balance(self):
        # The balanced branch is continuous at 1: one-sided differences of runs below it.
        self.write("bounce.toml", BOUNCE)
        balance = ("--set", "impact.dissipation=balance")
        names, _, q, p, kinds = self.derivative("bounce.toml", *balance)
        d = 1e-4
        f = [self.end("bounce.toml", *balance, "--set", f"parameters.e={1 - k * d!r}") for k in range(3)]
        column = names.index("parameters.e")
        for k, found in enumerate([*q[-1][:, column], *p[-1][:, column]]):
            value = (3 * f[0][k] - 4 * f[1][k] + f[2][k]) / (2 * d)
            self.assertAlmostEqual(found, value, delta=1e-6 * (1 + abs(value)))  # d² f'''/3 is a few 1e-8
        self.assertEqual(kinds, ["elastic_limit"])

    def test_an_elastic_law_has_no_restitution(self):
        self.write("bounce.toml", BOUNCE.replace('"newton"\nrestitution = "e"', '"elastic"'))
        names, _, q, p, kinds = self.derivative("bounce.toml")
        self.assertEqual(p[-1][1][names.index("parameters.e")], 0)
        self.assertEqual(kinds, [])
        # and without a column of e nothing is one-sided
        self.write("bounce.toml", BOUNCE.replace(', "parameters.e"', ""))
        self.assertEqual(self.derivative("bounce.toml").kinds, [])

    # ---- parameters of the grid ----------------------------------------------------------------------------------

    def test_parameters_of_step_end_and_rule_are_refused(self):
        changes = (('step = 0.013', 'step = "g/1000"', "2:8", "the step of [time]"),
                   ('end = 2', 'end = "0.2*g"', "3:7", "the end of [time]"),
                   ('closure = "variational"', 'rule = "rectangle"\ngamma = "g/10"', "21:9", "gamma of [integrator]"))
        for old, new, place, what in changes:
            self.write("bad.toml", BOUNCE.replace(old, new))
            for command in ("run", "check"):
                self.refused(self.call(command, "bad.toml"), f"bad.toml:{place}", what, "'g'", "number")
            # a parameter that is not asked for may stand there; one behind another name may not
            self.write("good.toml", BOUNCE.replace(old, new).replace('"parameters.g", ', ""))
            self.run_scene("good.toml", "--quiet", "--overwrite")
            hidden = BOUNCE.replace(old, new.replace("g", "two_g/2", 1) if "gamma" not in new else
                                    new.replace('"g/10"', '"two_g/20"'))
            self.write("bad.toml", hidden.replace("g = 9.81", 'g = 9.81\ntwo_g = "2*g"'))
            self.refused(self.call("run", "bad.toml"), what, "'g'")

    # ---- starts that directions must keep ------------------------------------------------------------------------

    def test_directions_that_violate_a_constraint_are_projected(self):
        # A pendulum of length 1 at the angle a with angular speed w: a column of x is cos(a) ∂/∂a, one of v_x
        # cos(a) ∂/∂w, for the directions in which the rod keeps its length. Those are differences of runs.
        scene = """[time]
step = 0.01
end = 1.5
[parameters]
a = 0.4
w = 1.7
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "9.81*y"
position = ["sin(a)", "-cos(a)"]
velocity = ["w*cos(a)", "w*sin(a)"]
[[constraint]]
expression = "x^2 + y^2 - 1"
[[gap]]
name = "wall"
expression = "0.5 - x"
[derivatives]
with_respect_to = ["position", "velocity"]
every = 0
"""
        self.write("rod.toml", scene)
        names, _, q, p, kinds = self.derivative("rod.toml")
        self.assertEqual(kinds, ["projected_start"])
        self.assertEqual(self.kinds_in_summary(), {"projected_start": 1})
        self.assertGreaterEqual(self.summary("out")["impacts"], 1)
        d = 1e-5
        for name, value, of in (("a", 0.4, ("x", "y")), ("w", 1.7, ("v_x", "v_y"))):
            ends = [self.end("rod.toml", "--set", f"parameters.{name}={value + s * d!r}") for s in (1, -1)]
            slopes = [(a - b) / (2 * d) for a, b in zip(*ends)]
            for label, share in zip(of, (math.cos(0.4), math.sin(0.4))):
                column = names.index(label)
                for k in range(2):
                    # d² of the difference, and the rounding of constrained runs over d
                    self.assertAlmostEqual(q[-1][k][column], share * slopes[k], delta=1e-6 * (1 + abs(slopes[k])))
                    self.assertAlmostEqual(p[-1][k][column], share * slopes[2 + k],
                                           delta=1e-6 * (1 + abs(slopes[2 + k])))
        # directions that keep it are left alone, and not flagged
        self.write("rod.toml", scene.replace('["position", "velocity"]', '["parameters.a", "parameters.w"]'))
        self.assertEqual(self.derivative("rod.toml").kinds, [])

    def test_directions_that_leave_a_held_gap_are_projected(self):
        self.write("slide.toml", FLOOR.replace("position = [0, 1]", "position = [0.3, 0]").replace(
            '"9.81*y"', '"9.81*y + x^2/2"') + '[derivatives]\nwith_respect_to = ["position", "velocity"]\nevery = 0\n')
        found = []
        for step in ("0.01", "0.005"):
            names, _, q, p, kinds = self.derivative("slide.toml", "--set", f"time.step={step}")
            self.assertEqual(kinds, ["held_start"])
            for column in (names.index("y"), names.index("v_y")):  # nothing is left of these two
                for row in (*q[-1], *p[-1]):
                    self.assertAlmostEqual(row[column], 0, delta=1e-14)
            found.append((q[-1][0][names.index("x")], q[-1][0][names.index("v_x")]))
        for x, v in found:  # an oscillator in x
            self.assertAlmostEqual(x, math.cos(1), delta=1e-4)
            self.assertAlmostEqual(v, math.sin(1), delta=1e-4)

    # ---- two ways to the same columns ----------------------------------------------------------------------------

    def test_columns_do_not_depend_on_what_else_is_asked_for(self):
        # Without parameters plain steps are differentiated by a shorter way than with them; tests/tangent holds the
        # long one to differences in long double.
        scene = """[time]
step = 0.02
end = 8
[parameters]
idle = 1.0
[system]
coordinates = ["x", "y"]
mass = [[1, 0.2], [0.2, 1.5]]
potential = "(x^2 + 1.7*y^2)/2 + x^4/4 + 0.6*x^2*y^2"
position = [0.3, 0.1]
velocity = [1.1, 1.37]
[[gap]]
name = "table"
expression = "1 - (x^2 + y^2)^2 - 0.6*x^3 + 1.8*x*y^2"
[derivatives]
with_respect_to = ["position", "momentum"]
every = 0
"""
        self.write("short.toml", scene)
        self.write("long.toml", scene.replace('"momentum"]', '"momentum", "parameters.idle"]'))
        lagrangian = ('mass = [[1, 0.2], [0.2, 1.5]]\npotential = "',
                      'lagrangian = "(v_x^2 + 0.4*v_x*v_y + 1.5*v_y^2)/2 - (')
        closed = ('0.6*x^2*y^2"', '0.6*x^2*y^2)"')
        for name in ("short", "long"):
            self.write(f"{name}-l.toml", self.read(f"{name}.toml").decode().replace(*lagrangian).replace(*closed))
        for kind in ("", "-l"):
            for rule in ("trapezoid", "midpoint", "rectangle-left", "rectangle-right", "yoshida4"):
                rows = []
                for name in ("short", "long"):
                    names, _, q, p, kinds = self.derivative(f"{name}{kind}.toml", "--set", f"integrator.rule={rule}",
                                                         "--set", "integrator.closure=variational")
                    self.assertNotIn("grazing", kinds)
                    rows.append([list(row[:4]) for row in (*q[-1], *p[-1])])
                self.assertGreaterEqual(self.summary("out")["impacts"], 3)
                size = max(abs(x) for row in rows[1] for x in row)
                for a, b in zip(*rows):
                    for x, y in zip(a, b):  # rounding of u = (q' - q)/h, 1e-14, magnified by the run
                        self.assertAlmostEqual(x, y, delta=1e-10 * size, msg=(kind, rule))

    # ---- files ---------------------------------------------------------------------------------------------------

    def test_simultaneous_impacts_are_flagged_everywhere(self):
        self.write("corner.toml", """[time]
step = 0.013
end = 1.5
[system]
coordinates = ["x", "y"]
mass = [1, 1]
position = [1, 1]
velocity = [-1, -1]
[[gap]]
name = "left"
expression = "x"
[[gap]]
name = "bottom"
expression = "y"
[derivatives]
with_respect_to = ["position"]
""")
        kinds = self.derivative("corner.toml").kinds
        self.assertIn("simultaneous", kinds)
        self.assertEqual(self.kinds_in_summary().get("simultaneous"), 1)
        done = self.run_scene("corner.toml", "--overwrite", "--out", "out")
        self.assertIn("1 irregular point (simultaneous), the first at t = 1", done.stdout)
        self.assertIn("one-sided", done.stdout)

    def test_rows_and_leftovers(self):
        import h5py
        self.write("floor.toml", FLOOR + '[derivatives]\nwith_respect_to = ["position"]\n')
        self.run_scene("floor.toml", "--quiet", "--out", "out")
        self.assertEqual(self.summary("out")["irregular_derivatives"], [])
        # a run as long as its impacts last: about a thousand rows too, each time once
        text = FLOOR.replace("end = 1\n", "impacts = 3\n") + '[derivatives]\nwith_respect_to = ["position"]\n'
        self.write("impacts.toml", text)
        for step, least in ((0.01, 200), (0.0003, 1000)):
            self.run_scene("impacts.toml", "--quiet", "--overwrite", "--out", "out", "--set", f"time.step={step}")
            with h5py.File(self.path("out", "derivatives.h5")) as f:
                t, steps = f["t"][:], f["step"][:]
                self.assertEqual(f["q"].shape, (len(t), 2, 2))
            self.assertTrue(all(a < b for a, b in zip(t, t[1:])))
            self.assertTrue(least <= len(t) <= 2001, len(t))
            self.assertEqual(len(set(b - a for a, b in zip(steps[:-1], steps[1:-1]))), 1)
            self.assertAlmostEqual(t[-1], self.summary("out")["t_end"], delta=1e-12)
        # a run without derivatives over one with them leaves none
        self.write("floor.toml", FLOOR)
        self.run_scene("floor.toml", "--quiet", "--overwrite", "--out", "out")
        self.assertFalse(os.path.exists(self.path("out", "derivatives.h5")))
        self.assertNotIn("irregular_derivatives", self.summary("out"))

    # ---- orbits that are none ------------------------------------------------------------------------------------

    def test_orbits_that_have_collapsed_are_not_found(self):
        # A damped oscillator that a wall far away never meets: all that returns is rest.
        oscillator = """[time]
step = 0.01
end = 1
[system]
coordinates = ["x"]
mass = [1]
potential = "x^2/2"
position = [0.3]
velocity = [0]
[[gap]]
name = "wall"
expression = "5 - x"
"""
        self.write("damped.toml", oscillator + '[[force]]\ncomponents = ["-0.2*v_x"]\n')
        self.no_orbit("damped.toml", "--period", "6.2", words=("rest",))
        # Without damping every point is on an orbit, none of which has an impact.
        self.write("free.toml", oscillator)
        self.no_orbit("free.toml", "--period", "6.2", words=("no impacts", "--impacts 0"))
        # the trapezoid's oscillator turns by arccos(1 − h²/2) in a step
        h = self.orbit("free.toml", "--period", "6.2", "--impacts", "0")["step"]
        self.assertAlmostEqual(math.acos(1 - h * h / 2) * 620, 2 * math.pi, delta=1e-9)
        # A ball that loses a tenth of its speed at every bounce has none but rest.
        self.write("ball.toml", FLOOR.replace('["x", "y"]', '["y"]').replace("[1, 1]", "[1]").replace(
            "[0, 1]", "[1]").replace("[-2, 0]", "[0]") + '[impact]\nlaw = "newton"\nrestitution = 0.9\n')
        self.no_orbit("ball.toml", "--period", "0.9")

    def test_another_number_of_impacts_is_not_found(self):
        self.write("walls.toml", WALLS)
        self.assertEqual(self.call("orbit", "walls.toml", "--period", "1.95", "--impacts", "2").returncode, 0)
        done = self.call("orbit", "walls.toml", "--period", "1.95", "--impacts", "3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has 2 impacts", done.stderr)

    def test_orbit_refuses_what_is_no_number_of_anything(self):
        self.write("floor.toml", FLOOR)
        for period in ("inf", "nan", "0", "-1", "-inf"):
            self.refused(self.call("orbit", "floor.toml", "--period", period), "--period must be a positive number")
        for iterations in ("0", "-3"):
            self.refused(self.call("orbit", "floor.toml", "--period", "1", "--iterations", iterations),
                         "--iterations must be at least 1")
        self.refused(self.call("orbit", "floor.toml", "--period", "1e300"), "steps")
        self.refused(self.call("orbit", "floor.toml", "--period", "1", "--impacts", "-1"), "--impacts")


if __name__ == "__main__":
    main()
