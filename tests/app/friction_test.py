"""Friction with the strong principle, from scenes: closed forms, refusals, comparison with the weak principle."""
import csv
import math

from program import FLOOR, Case, main

G = 9.81
ROUGH = """[[gap]]
name = "rough"
expression = "y"
tangent = ["x"]
friction = 0.5
"""
STRONG = ("--set", "integrator.principle=strong")


class Friction(Case):
    def last(self, out):
        import h5py
        with h5py.File(self.path(out, "trajectory.h5")) as f:
            return f["t"][:], f["q"][:], f["p"][:]

    def test_block_stops_on_the_incline(self):
        a = G * (math.sin(0.4) + 0.6 * math.cos(0.4))
        self.run_scene("incline", *STRONG, "--out", "o", "--set", "time.step=0.01")
        _, q, p = self.last("o")
        self.assertAlmostEqual(q[-1][0], -9 / (2 * a), delta=1e-12)
        self.assertEqual(p[-1][0], 0)
        summary = self.summary("o")
        self.assertEqual(summary["closure"], "reflection")
        self.assertAlmostEqual(summary["energy_dissipated"], 0.6 * G * math.cos(0.4) * 9 / (2 * a), delta=1e-11)
        self.assertAlmostEqual(summary["balance_error"], 0, delta=1e-11)
        self.run_scene("incline", *STRONG, "--out", "down", "--set", "gap[0].friction=0.3", "--set", "time.step=0.01")
        up, down = (G * (math.sin(0.4) + s * 0.3 * math.cos(0.4)) for s in (1, -1))
        _, _, p = self.last("down")
        self.assertAlmostEqual(p[-1][0], down * (1 - 3 / up), delta=1e-12)

    def test_superball_by_every_law(self):
        # One bounce with grip: m R v + J omega about the point of contact is kept, v = R omega after it.
        v, w, R, J = 1, -12, 0.5, 0.125
        rolling = (R * v + J * w) / (R + J / R)
        for law in ("newton", "poisson", "stronge"):
            self.run_scene("superball", *STRONG, "--out", law, "--set", f"impact.law={law}", "--set", "time.end=0.6",
                           "--set", "gap[0].friction=5", "--set", "time.step=0.01")
            _, _, p = self.last(law)
            self.assertAlmostEqual(p[-1][0], rolling, delta=1e-13)
            self.assertAlmostEqual(p[-1][2] / J * R, rolling, delta=1e-13)
        self.run_scene("superball", *STRONG, "--out", "long", "--set", "time.end=8", "--set", "time.step=0.01")
        _, _, p = self.last("long")
        spin = [R * row[0] + row[2] for row in p]
        self.assertLess(max(spin) - min(spin), 1e-12)
        self.assertAlmostEqual(p[-1][0], R * p[-1][2] / J, delta=1e-12)
        summary = self.summary("long")
        fall = math.sqrt(2 * 1.0 / G)
        self.assertAlmostEqual(summary["accumulations"][0]["t"], fall * 1.7 / 0.3, delta=1e-8)

    def test_falling_rod(self):
        self.run_scene("falling-rod", "--out", "o")
        summary = self.summary("o")
        _, q, p = self.last("o")
        self.assertAlmostEqual(q[-1][1], 0, delta=1e-12)
        self.assertAlmostEqual(q[-1][2], math.pi / 2, delta=1e-12)
        self.assertLess(max(abs(x) for x in p[-1]), 1e-12)
        self.assertEqual({c["gap"] for c in summary["contacts"] if c["to"] is None}, {"foot", "head"})
        self.assertLess(abs(summary["balance_error"]), 1e-3)  # O(h^2)
        self.assertGreater(summary["min_gap"], -1e-11)

    def test_resume_goes_on_bit_for_bit(self):
        long = ("superball", *STRONG, "--set", "time.end=4000", "--set", "impact.restitution=1", "--set",
                "impact.law=stronge", "--set", "record.every=100")
        self.run_scene(*long, "--quiet", "--out", "whole")
        self.resume_bit_for_bit("whole", *long)

    def test_painleve_is_named(self):
        # The rod of counter-intuition: pushed with its foot ahead, 1 + 3s^2 < 3 mu s c.
        self.write("p.toml", """[time]
step = 0.001
end = 1
[system]
coordinates = ["x", "y", "a"]
mass = [1, 1, "1/3"]
potential = "9.81*y"
position = [0, "cos(0.5)", -0.5]
velocity = [5, 0, 0]
[[gap]]
name = "foot"
expression = "y - cos(a)"
tangent = ["x - sin(a)"]
friction = 2
law = "poisson"
restitution = 0
""")
        done = self.call("run", "p.toml", "--out", "o")
        self.assertEqual(done.returncode, 1, done.stderr)
        for word in ("Painlev", "foot", "-9.81", "weak"):
            self.assertIn(word, done.stderr.splitlines()[0])
        self.assertEqual(self.call("run", "p.toml", "--out", "w", "--set", "gap[0].law=newton", "--set",
                                   "integrator.principle=weak").returncode, 0)

    def test_refusals(self):
        def bad(name, text, *words):
            self.refused(self.call("run", self.write(name, text)), name + ":", *words)
        law = '[impact]\nlaw = "newton"\nrestitution = 0.5\n'
        bad("a.toml", FLOOR + ROUGH, "elastic", "newton, poisson or stronge")
        bad("b.toml", FLOOR + ROUGH + law.replace("newton", "sequential"), "sequential", "newton, poisson or stronge")
        bad("c.toml", FLOOR + ROUGH + law + '[integrator]\nclosure = "shadow4"\n', "shadow4", "variational")
        bad("d.toml", FLOOR + ROUGH + law + 'dissipation = "balance"\n', "balance")
        bad("e.toml", FLOOR + ROUGH + law + '[integrator]\nprinciple = "weak"\n' + "rule = \"yoshida4\"\n", "yoshida4")
        bad("g.toml", FLOOR + ROUGH + law + '[derivatives]\nwith_respect_to = ["position"]\n', "derivatives", "friction")
        self.assertEqual(self.call("check", self.write("f.toml", FLOOR + ROUGH + law)).returncode, 0)

    def test_law_errors_name_the_line_of_the_law(self):
        text = FLOOR + 'tangent = ["x"]\nfriction = 0.5\nlaw = "sequential"\nrestitution = 0.5\n'
        self.refused(self.call("check", self.write("a.toml", text)), "a.toml:15:7: ", "sequential")
        weak = '[integrator]\nprinciple = "weak"\n'
        self.refused(self.call("check", self.write("b.toml", text.replace("sequential", "poisson") + weak)),
                     "b.toml:15:7: ", "poisson")

    def test_slip_coordinates_must_be_finite_at_the_start(self):
        law = '[impact]\nlaw = "newton"\nrestitution = 0\n'
        for principle in ("strong", "weak"):
            for name, tangent, words in (("a.toml", "sqrt(x - 1)", "not a finite number"),
                                         ("b.toml", "x + sqrt(x)", "derivative of this slip coordinate by 'x'")):
                text = FLOOR + f'tangent = ["{tangent}"]\nfriction = 0.5\n' + law + \
                    f'[integrator]\nprinciple = "{principle}"\n'
                self.refused(self.call("run", self.write(name, text)), name + ":13:12: ", words)

    def test_friction_has_a_bound_and_holds_up_to_it(self):
        def scene(mu, principle):
            return FLOOR + f'tangent = ["x"]\nfriction = {mu}\n[impact]\nlaw = "newton"\nrestitution = 0\n' \
                f'[integrator]\nprinciple = "{principle}"\n'
        fall = math.sqrt(2 / G)
        for principle in ("strong", "weak"):
            for mu in ("1e308", "1e13", "1.1e6"):
                self.refused(self.call("run", self.write("m.toml", scene(mu, principle))), "m.toml:14:12: ", "1e+06",
                             "constraint")
            self.run_scene(self.write("m.toml", scene("1e6", principle)), "--out", principle)
            _, q, p = self.last(principle)
            self.assertLess(max(abs(x) for x in p[-1]), 1e-12)
            self.assertAlmostEqual(q[-1][0], -2 * fall, delta=1e-10 if principle == "strong" else 2 * 0.01)
            self.assertLess(abs(q[-1][1]), 1e-12 if principle == "strong" else 0.01 * G * fall)

    def test_slip_directions_must_be_orthonormal(self):
        space = """[time]
step = 0.01
end = 1
[system]
coordinates = ["x", "y", "z"]
mass = [2, 2, 2]
potential = "2*9.81*z"
position = [0, 0, 0]
velocity = [1, 0.5, 0]
[[gap]]
name = "floor"
expression = "z"
tangent = ["x", "y"]
friction = 0.4
law = "newton"
restitution = 0
"""
        def check(tangent, gap="z"):
            text = space.replace('["x", "y"]', tangent).replace('expression = "z"', f'expression = "{gap}"')
            return self.call("run", self.write("s.toml", text), "--out", "o", "--overwrite")
        for good in ('["x", "y"]', '["0.6*x + 0.8*y", "0.8*x - 0.6*y"]', '["x - 2*t", "y"]', '["x + sin(y)", "y"]'):
            self.assertEqual(check(good).returncode, 0, good)
        self.refused(check('["x", "2*y"]'), "s.toml:13:17: ", "lengths 1 and 2", "90 degrees", "ellipse")
        self.refused(check('["x", "0.6*x + 0.8*y"]'), "53.1301 degrees", "ellipse")
        self.refused(check('["x + y", "2*x + 2*y"]'), "one direction")
        self.refused(check('["x", "0.6*y + 0.8*z"]'), "s.toml:13:17: ", "36.8699 degrees", "normal")
        self.refused(check('["x", "y"]', "2*z"), "length 2", "0.5 times the coefficient")
        # The path does not depend on how the directions are turned in their plane.
        ends = []
        for tangent in ('["x", "y"]', '["0.6*x + 0.8*y", "0.8*x - 0.6*y"]'):
            self.assertEqual(check(tangent).returncode, 0)
            ends.append(self.last("o")[1][-1])
        v = math.hypot(1, 0.5)
        for q in ends:
            self.assertAlmostEqual(q[0], v / (2 * 0.4 * G), delta=1e-12)
            self.assertAlmostEqual(q[1], 0.5 * v / (2 * 0.4 * G), delta=1e-12)

    def test_law_that_gains_energy_fails_the_run(self):
        # A rod hits with its foot: by hand the impulse that ends with the approach reversed and the slip at rest
        # gains 1.05313 of 2.09167, whether found by its end conditions (weak) or followed through its slip (strong).
        rod = """[time]
step = 1e-9
end = 1e-7
[system]
coordinates = ["x", "y", "a"]
mass = [1, 1, "1/3"]
position = [0, "cos(0.68)", -0.68]
velocity = [0.1, -1.6, 2.2]
[[gap]]
name = "foot"
expression = "y - cos(a)"
tangent = ["x - sin(a)"]
friction = 0.96
law = "newton"
restitution = 1
"""
        for principle in ("strong", "weak"):
            name = self.write("r.toml", rod + f'[integrator]\nprinciple = "{principle}"\n')
            done = self.call("run", name, "--out", principle)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("1.0531", done.stderr)
            self.assertEqual(self.summary(principle)["status"], "failed")
            if principle == "weak":  # it has no other law to offer
                self.assertIn('principle = "strong"', done.stderr)
            self.run_scene(name, "--out", principle + "-allowed", "--set", "impact.allow_energy_gain=true")
            summary = self.summary(principle + "-allowed")
            self.assertEqual(summary["fallbacks"]["energy_gain"], 1)
            self.assertAlmostEqual(summary["energy"]["final"] - summary["energy"]["initial"], 1.0531280081737908,
                                   delta=1e-6)

    def test_friction_of_zero_is_none(self):
        smooth = self.write("s.toml", FLOOR)
        rough = self.write("r.toml", FLOOR.replace('expression = "y"', 'expression = "y"\ntangent = ["x"]\nfriction = 0'))
        self.run_scene(smooth, "--out", "s")
        self.run_scene(rough, "--out", "r")
        self.assertEqual(self.read("s", "impacts.csv"), self.read("r", "impacts.csv"))


class Compare(Case):
    def rows(self, *arguments):
        done = self.call("compare", *arguments, "--out", "o", "--overwrite")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("o", "compare.csv")) as f:
            return done.stdout, list(csv.DictReader(f))

    def test_both_principles_against_the_closed_form(self):
        a = G * (math.sin(0.4) + 0.6 * math.cos(0.4))
        lines = ["t,x"]
        for k in range(41):
            t = min(k * 0.025, 3 / a)
            lines.append(f"{k * 0.025},{-3 * t + a * t * t / 2!r}")
        self.write("exact.csv", "\n".join(lines) + "\n")
        out, rows = self.rows("incline", "--reference", "exact.csv", "--steps", "0.02,0.01,0.005")
        self.assertIn("exact.csv", out)
        for row in rows:
            self.assertEqual(row["failure"], "")
            if row["scheme"] == "weak":
                self.assertLess(float(row["error"]), float(row["step"]) ** 2 * 10)
            else:
                self.assertLess(float(row["error"]), 1e-12)
                self.assertEqual(row["order"], "")
                if row["step"] != rows[0]["step"]:
                    self.assertEqual(row["note"], "rounding")

    def test_scene_with_an_order(self):
        scene = self.write("s.toml", FLOOR + '[integrator]\nrule = "midpoint"\nclosure = "interpolated"\norder = 8\n')
        _, rows = self.rows(scene, "--steps", "0.02,0.01")
        self.assertEqual({row["failure"] for row in rows}, {""})
        self.assertEqual({row["scheme"] for row in rows},
                         {"strong interpolated", "strong variational", "strong reflection", "weak"})

    def test_orders_only_where_they_mean_something(self):
        out, rows = self.rows("pendulum", "--set", "time.end=0.3", "--steps", "0.02,0.01,0.005")
        for row in rows[2::3]:
            self.assertAlmostEqual(float(row["order"]), 2, delta=0.3)
        # Counter-example 4: the weak principle is first order, the strong one exact.
        out, rows = self.rows("counter-example-4", "--steps", "0.02,0.01,0.005,0.0025")
        for row in rows:
            if row["step"] == rows[0]["step"]:
                continue
            if row["scheme"] == "weak":
                self.assertAlmostEqual(float(row["order"]), 1, delta=0.2)
            else:
                self.assertEqual((row["order"], row["note"]), ("", "rounding"))
        # The stop on the incline falls anywhere in a step of the grid.
        out, rows = self.rows("incline", "--steps", "0.02,0.01,0.005")
        weak = [row for row in rows if row["scheme"] == "weak"]
        self.assertTrue(all(row["order"] == "" and "steady" in row["note"] for row in weak[1:]), weak)
        self.assertIn(" - ", out)
        # Every change of the falling rod is located: second order through sticking and slipping.
        _, rows = self.rows("falling-rod", "--set", "time.end=0.9", "--steps", "0.02,0.01,0.005")
        for row in rows[1:3]:
            self.assertAlmostEqual(float(row["order"]), 2, delta=0.1)

    def test_balance_of_a_run_that_dissipates(self):
        # The block loses all its kinetic energy, and the balance says so: nothing is lost track of.
        _, rows = self.rows("incline", "--steps", "0.02,0.01")
        for row in rows:
            self.assertLess(float(row["balance_error"]), 1e-12, row)
        # Without losses it is the error of the energy itself.
        _, rows = self.rows("pendulum", "--set", "time.end=0.3", "--steps", "0.02,0.01")
        self.run_scene("pendulum", "--set", "time.end=0.3", "--set", "time.step=0.02", "--out", "p")
        summary = self.summary("p")
        own = next(row for row in rows if float(row["step"]) == 0.02)
        self.assertAlmostEqual(float(own["balance_error"]) / summary["energy"]["max_relative_error"], 1, delta=1e-6)

    def test_ladders_that_are_none(self):
        for command in ("compare", "converge"):
            self.refused(self.call(command, "incline", "--steps", "0.02,0.01,0.02"), "0.02 is given twice")
            self.refused(self.call(command, "incline", "--steps", "0.02,3"), "3 is longer than the run, 1")
            self.refused(self.call(command, "incline", "--steps", "0.02,inf"), "longer than the run")
            self.refused(self.call(command, "incline", "--steps", "0.02,-1"), "positive, not -1")

    def test_bad_references(self):
        def bad(text, *words):
            self.write("r.csv", text)
            self.refused(self.call("compare", "incline", "--reference", "r.csv"), *words)
        bad("x,t\n0,0\n", "r.csv:1", "name its columns")
        bad("t,z\n0,0\n1,0\n", "r.csv:1", "'z'")
        bad("t,x\n0,0\n0.1,0\n0.3,0\n", "r.csv:4", "0, d, 2d")
        bad("t,x\n0,0\n0.1\n", "r.csv:3", "1 entries instead of 2")
        bad("t,x\n0,0\n0.1,soon\n", "r.csv:3", "'soon'")
        bad("t,x\n0,0\n5,0\n", "r.csv:3", "after the end")
        bad("t,x\n0,0\n", "two times")
        self.refused(self.call("compare", "incline", "--reference", "no.csv"), "no.csv")
        self.refused(self.call("compare", "bars-case-1"), "converge")


if __name__ == "__main__":
    main()
