"""Derivatives from outside: [derivatives] of a scene, lyapunov, orbit."""
import math
import os

from derived import WALLS, DerivativesCase, bounced, slope
from program import FLOOR, main

THROW = """[time]
step = 0.01
end = 1
[parameters]
g = 9.81
e = 0.5
height = 1
[system]
coordinates = ["x", "y"]
mass = [1, 2]
potential = "2*g*y"
position = [0, "height"]
velocity = [-2, 0]
[[gap]]
name = "floor"
expression = "y"
[impact]
law = "newton"
restitution = "e"
[integrator]
closure = "variational"
[derivatives]
with_respect_to = ["position", "velocity", "parameters.g", "parameters.e", "parameters.height"]
"""

BARS = """[time]
step = 0.02
end = 5
[parameters]
v = 0.1
[[bar]]
name = "A"
length = 2
elements = 5
mass = 1
modulus = 1
position = 0
velocity = "v + 0.02*sin(3*s)"
[[bar]]
name = "B"
length = 1.5
elements = 4
mass = 2
modulus = 1.5
position = 2.1
velocity = "-0.1"
[contact]
scheme = "located"
[record]
fields_every = 250
[derivatives]
with_respect_to = ["position", "velocity"]
"""


class Derivatives(DerivativesCase):
    def test_thrown_ball_against_its_closed_form(self):
        self.write("throw.toml", THROW)
        names, t, q, p, kinds = self.derivative("throw.toml", "--set", "time.end=0.6")
        self.assertEqual(names, ["x", "y", "v_x", "v_y", "parameters.g", "parameters.e", "parameters.height"])
        self.assertEqual(kinds, [])
        self.assertAlmostEqual(t[-1], 0.6, delta=1e-12)
        at = dict(y=1.0, v=0.0, g=9.81, e=0.5)
        self.assertEqual(bounced(**at, t=0.6)[2], 1)
        for column, name in ((1, "y"), (3, "v"), (4, "g"), (5, "e"), (6, "y")):
            for which in (0, 1):
                exact = slope(lambda x: bounced(**{**at, name: x}, t=0.6)[which], at[name])
                # flights and the law are exact for a ball in constant gravity: no error of the step
                found = q[-1][1][column] if which == 0 else p[-1][1][column] / 2
                self.assertAlmostEqual(found, exact, delta=1e-9 * (1 + abs(exact)), msg=name)
        self.assertEqual(q[-1][0][0], 1)
        self.assertAlmostEqual(q[-1][0][2], 0.6, delta=1e-14)

    def test_derivatives_that_a_kill_has_taken_are_made_by_resume(self):
        self.write("s.toml", THROW)
        self.run_scene("s.toml", "--out", "o")
        whole, summary = self.read("o", "derivatives.h5"), self.summary("o")
        os.remove(self.path("o", "derivatives.h5"))
        done = self.call("resume", "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("o", "derivatives.h5"), whole)
        self.assertEqual(self.summary("o"), summary)
        self.refused(self.call("resume", "o"), "finished")

    def test_bars_by_their_nodes(self):
        """Their tangent against differences of runs (Demoures 2016, integrator 1), and the symplectic form."""
        import h5py
        import numpy as np

        def final(**values):
            self.run_scene("bars.toml", "--quiet", "--overwrite", "--out", "end",
                           *(word for name, x in values.items() for word in ("--set", f"parameters.{name}={x!r}")))
            with h5py.File(self.path("end", "trajectory.h5")) as f:
                return f["fields/position"][-1], f["fields/velocity"][-1]

        self.write("bars.toml", BARS)
        names, t, q, p, kinds = self.derivative("bars.toml")
        nodes = [f"A[{i}]" for i in range(6)] + [f"B[{i}]" for i in range(5)]
        self.assertEqual(names, nodes + ["v_" + n for n in nodes])
        self.assertEqual(kinds, [])
        self.assertEqual(len(t), 2)  # the start and the end
        self.assertGreaterEqual(self.summary("out")["impacts"], 3)
        d = 4e-6  # no impact changes its step
        a, b, c, e = (final(v=0.1 + k * d) for k in (-2, -1, 1, 2))
        mass = np.array([0.2] + [0.4] * 4 + [0.2] + [0.375] + [0.75] * 3 + [0.375])
        columns = slice(11, 17)  # v moves every node of A alike
        for which, found in ((0, q[-1][:, columns].sum(axis=1)), (1, p[-1][:, columns].sum(axis=1) / mass)):
            difference = (8 * (c[which] - b[which]) - (e[which] - a[which])) / (12 * d)
            self.assertLessEqual(np.abs(found - difference).max(), 1e-9 * np.abs(difference).max())
        J = np.block([[q[-1]], [p[-1]]]) @ np.diag(np.concatenate([np.ones(11), 1 / mass]))
        omega = np.block([[np.zeros((11, 11)), np.eye(11)], [-np.eye(11), np.zeros((11, 11))]])
        self.assertLessEqual(np.abs(J.T @ omega @ J - omega).max(), 1e-11 * np.abs(J).max()**2)

    def test_bars_that_have_no_derivative(self):
        self.write("bars.toml", BARS)
        for arguments, sentence in ((["--set", "contact.scheme=redistributed"], 'need scheme = "located" in [contact]'),
                                    (["--set", 'derivatives.with_respect_to=["parameters.v"]'], "not by parameters")):
            r = self.call("run", "bars.toml", "--out", "no", *arguments)
            self.refused(r, sentence)
        for command in (["lyapunov", "bars.toml"], ["orbit", "bars.toml", "--period", "1"]):
            self.refused(self.call(*command), "this is a scene of bars")

    def test_ball_that_has_come_to_rest_forgets_its_start(self):
        self.write("throw.toml", THROW)
        names, t, q, p, kinds = self.derivative("throw.toml", "--set", "time.end=3")
        self.assertEqual(kinds, [])
        for column in (1, 3, 4, 5, 6):
            self.assertAlmostEqual(q[-1][1][column], 0, delta=1e-12)
            self.assertAlmostEqual(p[-1][1][column], 0, delta=1e-12)

    def test_start_on_a_held_gap_and_grazing_are_flagged(self):
        self.write("rest.toml", THROW.replace("height = 1", "height = 0"))
        self.assertIn("held_start", self.derivative("rest.toml").kinds)
        # A parabola that touches a ceiling at its top, and nothing else: sqrt(2 g) up to height 1.
        graze = FLOOR.replace("position = [0, 1]", "position = [0, 0.5]").replace("potential = \"9.81*y\"",
                                                                                 "potential = \"4*y\"")
        graze = graze.replace("velocity = [-2, 0]", "velocity = [0, 2]").replace("expression = \"y\"",
                                                                                 "expression = \"1 - y\"")
        self.write("graze.toml", graze + "[integrator]\nclosure = \"variational\"\n"
                   "[derivatives]\nwith_respect_to = [\"position\"]\n")
        done = self.run_scene("graze.toml", "--out", "graze")
        self.assertIn("irregular point", done.stdout)

    def test_refusals(self):
        good = FLOOR + "[derivatives]\nwith_respect_to = [\"position\"]\n"
        self.write("good.toml", good)
        self.run_scene("good.toml", "--quiet")
        for words, expected in (('["positon"]', ("'positon'", "'position'")),
                                ('["velocity", "momentum"]', ("give one",)),
                                ('["position", "position"]', ("twice",)),
                                ('["parameters.g"]', ("'parameters.g'",)),
                                ('[]', ("list of names",)), ('[3]', ("names, not",))):
            self.write("bad.toml", good.replace('["position"]', words))
            for command in ("run", "check"):
                self.refused(self.call(command, "bad.toml"), "bad.toml:", *expected)
        self.write("bad.toml", THROW.replace("parameters.height", "parameters.heigth"))
        self.refused(self.call("run", "bad.toml"), "did you mean 'parameters.height'")
        self.write("bad.toml", good.replace("[derivatives]", "[integrator]\nprinciple = \"weak\"\n[derivatives]"))
        self.refused(self.call("run", "bad.toml"), "strong")
        self.write("bad.toml", good + "evry = 3\n")
        self.refused(self.call("run", "bad.toml"), "did you mean 'every'")

    def test_exponents_of_the_circle_vanish(self):
        found = self.lyapunov("circle")
        self.assertEqual(len(found["exponents"]), 4)
        for x in found["exponents"]:
            self.assertLessEqual(abs(x["value"]), x["error"])
            self.assertLess(x["error"], 0.02)
        self.assertLess(abs(found["sum"]), 1e-12)

    def test_exponents_come_largest_first(self):
        # A saddle, and a coordinate beside it that only slows down: exponents 1, -1, 0 and -0.3.
        self.write("s.toml", """
[time]
step = 0.01
end = 200
[system]
coordinates = ["x", "y"]
mass = [1, 2]
potential = "-x^2/2"
position = [0, 0.3]
velocity = [0, 0]
[[force]]
components = ["0", "-0.6*v_y"]
""")
        for x, exact in zip(self.lyapunov("s.toml")["exponents"], (1, 0, -0.3, -1)):
            self.assertAlmostEqual(x["value"], exact, delta=1e-3)  # O(h^2), and the start over the length of the run
        # The horizontal motion of the star is free and decoupled; it is chaotic all the same.
        first = self.lyapunov("star", "--time", "100")["exponents"][0]
        self.assertGreater(first["value"], 1)

    def test_exponents_of_lost_directions_are_refused(self):
        for scene in ("slider-crank", "resting-ball"):
            self.refused(self.call("lyapunov", scene, "--time", "5"), "directions are lost")

    def test_a_stop_at_the_gap_is_grazing(self):
        # 4y, thrown up by 2 from 0.5: it stops at y = 1 as it touches, to rounding, with nothing else moving.
        self.write("s.toml", """
[time]
step = 0.0517
end = 0.9
[system]
coordinates = ["y"]
mass = [1]
potential = "4*y"
position = [0.5]
velocity = [2]
[[gap]]
name = "ceiling"
expression = "1.0 - y"
[impact]
law = "newton"
restitution = 0.8
[derivatives]
with_respect_to = ["position", "velocity"]
""")
        for closure in ("variational", "reflection", "shadow4"):
            done = self.run_scene("s.toml", "--out", closure, "--set", f"integrator.closure={closure}")
            self.assertIn("irregular point", done.stdout, closure)

    def test_exponents_of_the_table_do_not_depend_on_the_step(self):
        for closure in ("variational", "shadow4"):
            runs = [self.lyapunov("table", "--set", f"time.step={h}", "--set", f"integrator.closure={closure}", "--time",
                                  "8000") for h in (0.02, 0.01)]
            # Errors are one standard error, from few blocks: two of them are exceeded by one comparison in twenty and
            # more, three by one in some hundred.
            a, b = (run["exponents"][0] for run in runs)
            self.assertLessEqual(abs(a["value"] - b["value"]), 3 * math.hypot(a["error"], b["error"]), closure)
            for run in runs:
                first, second = run["exponents"][:2]
                self.assertGreater(first["value"], 5 * first["error"])  # chaotic
                # symplectic: pairs of opposite sign, to the rounding of QR over 1e5 steps
                for i in (0, 1):
                    self.assertAlmostEqual(run["exponents"][i]["value"], -run["exponents"][3 - i]["value"], delta=1e-9)
                self.assertLess(abs(run["sum"]), 1e-9)
                # An energy that is kept gives two exponents zero. Kicks of O(h²) per impact leave them small only.
                self.assertLessEqual(abs(second["value"]), second["error"] if closure == "shadow4" else 0.01)

    def test_ball_between_two_walls(self):
        self.write("walls.toml", WALLS + '[integrator]\nclosure = "variational"\n')
        found = self.orbit("walls.toml", "--period", "1.95")
        self.assertEqual(found["impacts"], 2)
        # 2 L m / p, whatever the speed it chose
        self.assertAlmostEqual(found["period"], 2 * 2 / found["momentum"][0], delta=1e-11)
        for m in found["multipliers"]:  # a family of orbits: both are one, and rounding splits a double root
            self.assertAlmostEqual(m["re"], 1, delta=1e-6)
            self.assertAlmostEqual(m["im"], 0, delta=1e-6)

    def test_period_one_orbit_of_the_impact_oscillator(self):
        w, d, r = 2.8, 0.05, 0.8
        T, wd = 2 * math.pi / w, math.sqrt(1 - d * d)
        D = (1 - w * w) ** 2 + (2 * d * w) ** 2
        P, Q = (1 - w * w) / D, 2 * d * w / D  # the forced part: P cos wt + Q sin wt

        def fly(t0, x0, v0, t):
            a = x0 - (P * math.cos(w * t0) + Q * math.sin(w * t0))
            b = (v0 - w * (-P * math.sin(w * t0) + Q * math.cos(w * t0)) + d * a) / wd
            s, f = t - t0, math.exp(-d * (t - t0))
            c, n = math.cos(wd * s), math.sin(wd * s)
            x = f * (a * c + b * n) + P * math.cos(w * t) + Q * math.sin(w * t)
            v = f * ((b * wd - d * a) * c - (a * wd + d * b) * n) + w * (-P * math.sin(w * t) + Q * math.cos(w * t))
            return x, v

        # x = 0 at t0, leaves with v < 0, is back after a period with −v/r: linear in v for a given t0
        def miss(t0):
            x, faster = fly(t0, 0, 0, t0 + T)[0], fly(t0, 0, -1, t0 + T)[0]
            v = -x / (faster - x)
            return v, -v + r * fly(t0, 0, -v, t0 + T)[1]

        roots = []
        for i in range(2000):
            a, b = i * T / 2000, (i + 1) * T / 2000
            fa, fb = miss(a)[1], miss(b)[1]
            if fa * fb > 0 or abs(fa) + abs(fb) > 1:
                continue
            for _ in range(100):
                m = (a + b) / 2
                if miss(a)[1] * miss(m)[1] <= 0:
                    b = m
                else:
                    a = m
            if miss(a)[0] > 0 and all(fly(a, 0, -miss(a)[0], a + k * T / 500)[0] < 0 for k in range(1, 500)):
                roots.append(a)
        self.assertGreaterEqual(len(roots), 1)
        errors = []
        for h in (100, 200, 400):
            start = fly(roots[0], 0, -miss(roots[0])[0], math.ceil(roots[0] / T) * T)
            found = self.orbit("impact-oscillator", "--period", repr(T), "--set", f"time.step=2*pi/({h}*w)",
                               "--set", f"system.position[0]={start[0] + 0.01}", "--set",
                               f"system.velocity[0]={start[1]}")
            self.assertEqual(found["impacts"], 1)
            self.assertEqual(found["stability"], "unstable")
            errors.append(math.hypot(found["position"][0] - start[0], found["momentum"][0] - start[1]))
            m = found["multipliers"]
            # -2.64630942 and -0.19323416, by differences of the closed form over one period
            self.assertAlmostEqual(min(x["re"] for x in m), -2.64630942, delta=50 / h ** 2)
            self.assertAlmostEqual(max(x["re"] for x in m), -0.19323416, delta=50 / h ** 2)
            product = m[0]["re"] * m[1]["re"] - m[0]["im"] * m[1]["im"]
            # flights contract by exp(-2 d T), the impact by r^2
            self.assertAlmostEqual(product, r * r * math.exp(-2 * d * T), delta=50 / h ** 2)
            residuals = found["residuals"]
            self.assertLess(residuals[-1], 1e-11)
            self.assertLessEqual(len(residuals), 8)
        self.assertGreater(errors[0] / errors[1], 3)  # second order
        self.assertGreater(errors[1] / errors[2], 3)

    def test_no_orbit_is_said(self):
        self.write("floor.toml", FLOOR)
        self.refused(self.call("orbit", "floor.toml", "--period", "-1"), "positive")
        self.refused(self.call("lyapunov", "floor.toml", "--discard", "2"), "share")
        self.assertEqual(self.call("orbit", "floor.toml", "--period", "0.3", "--iterations", "3").returncode, 1)


if __name__ == "__main__":
    main()
