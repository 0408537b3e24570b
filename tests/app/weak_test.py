"""The weak principle from outside: friction, comparison, boundary value problems."""
import csv
import math
import os
import xml.etree.ElementTree as xml

from program import FLOOR, SCENES, Case, main

ROUGH = """[[gap]]
name = "rough"
expression = "y"
tangent = ["x"]
friction = 0.5
"""


class Weak(Case):
    def rows(self, *parts):
        with open(self.path(*parts)) as f:
            return list(csv.DictReader(f))

    def test_block_stops_on_the_incline(self):
        import h5py
        self.run_scene("incline")
        with h5py.File(self.path("out", "incline", "trajectory.h5")) as f:
            t, q, p = f["t"][:], f["q"][:], f["p"][:]
        a = 9.81 * (math.sin(0.4) + 0.6 * math.cos(0.4))
        self.assertAlmostEqual(q[-1][0], -9 / (2 * a), delta=3e-3)
        self.assertLess(abs(p[-1][0]), 1e-12)
        moving = max(t[i] for i in range(len(t)) if abs(p[i][0]) > 1e-12)
        self.assertAlmostEqual(moving, 3 / a, delta=1e-3)

    def test_disc_keeps_its_spin_about_the_contact_and_rolls(self):
        import h5py
        self.run_scene("superball", "--set", "time.end=8")
        with h5py.File(self.path("out", "superball", "trajectory.h5")) as f:
            p = f["p"][:]
        spin = [0.5 * row[0] + row[2] for row in p]
        self.assertLess(max(spin) - min(spin), 1e-12)
        self.assertAlmostEqual(p[-1][0], 0.5 * p[-1][2] / 0.125, delta=1e-9)  # v = R omega
        self.assertLess(min(row[0] for row in p), 0)                          # it came back

    def test_counter_example_4_beside_the_strong_principle(self):
        for h, error in (("0.01", 0.31), ("0.001", 0.023)):
            self.run_scene("counter-example-4", "--set", "integrator.principle=weak", "--set", f"time.step={h}", "--out", h)
            import h5py
            with h5py.File(self.path(h, "trajectory.h5")) as f:
                t, p = f["t"][:], f["p"][:]
            moving = max(t[i] for i in range(len(t)) if abs(p[i][0]) > 1e-12)
            self.assertAlmostEqual(moving - 3, error, delta=float(h) + 1e-9)
        summary = self.summary("0.01")
        self.assertEqual(len(summary["contacts"]), 1)

    def test_resume_goes_on_bit_for_bit(self):
        long = ("superball", "--set", "time.end=8000", "--set", "impact.restitution=1", "--set", "record.every=100")
        self.run_scene(*long, "--quiet", "--out", "whole")
        self.resume_bit_for_bit("whole", *long)

    def test_refusals(self):
        def bad(name, text, *words):
            self.refused(self.call("run", self.write(name, text)), *words)
        weak = '[integrator]\nprinciple = "weak"\n'
        bad("a.toml", FLOOR + ROUGH, "a.toml:", "weak", "friction")  # the strong principle wants a law with friction
        bad("b.toml", FLOOR + ROUGH.replace("friction = 0.5\n", "") + weak, "b.toml:", "friction")
        bad("c.toml", FLOOR + ROUGH.replace('tangent = ["x"]\n', "") + weak, "c.toml:", "tangent")
        bad("d.toml", FLOOR + ROUGH.replace("0.5", "-1") + weak, "d.toml:", "between 0")
        bad("e.toml", FLOOR + weak + 'rule = "yoshida4"\n', "e.toml:", "yoshida4")
        bad("f.toml", FLOOR + '[impact]\nlaw = "poisson"\nrestitution = 0.5\n' + weak, "f.toml:", "newton")
        bad("g.toml", FLOOR + '[integrator]\nactivation = "end"\n', "g.toml:", "weak")
        bad("h.toml", FLOOR + ROUGH.replace('["x"]', '["x", "y", "x"]') + weak, "h.toml:", "slip")
        self.assertEqual(self.call("check", self.write("i.toml", FLOOR + ROUGH + weak)).returncode, 0)

    def test_constraints_are_asked_of_the_start_as_by_the_strong_principle(self):
        for expression, velocity, words in (
                ("x^2 + y^2 - 2", "[0, 0]", ("is violated at the start", "-1")),
                ("x^2 + y^2 - 1", "[0, 2]", ("is not kept by the initial velocity",)),
                ("x - x", "[0, 0]", ("has no gradient at the start",))):
            text = FLOOR.replace("[-2, 0]", velocity) + f'[[constraint]]\nname = "rod"\nexpression = "{expression}"\n'
            sentences = set()
            for principle in ("weak", "strong"):
                self.write("s.toml", text + f'[integrator]\nprinciple = "{principle}"\n')
                done = self.call("run", "s.toml")
                self.refused(done, *words)
                sentences.add(done.stderr)
            self.assertEqual(len(sentences), 1, sentences)
        self.assertEqual(os.listdir(self.dir), ["s.toml"])

    def test_restitution_is_held_to_its_range(self):
        weak = '[impact]\nlaw = "newton"\nrestitution = "{}"\n[integrator]\nprinciple = "weak"\n'
        for e in ("-0.5 + 0.0001*x", "1.2 + 0.001*x", "log(x)"):
            self.write("s.toml", FLOOR + weak.format(e))
            done = self.call("run", "s.toml", "--overwrite")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("the restitution of an impact must lie in [0, 1] (floor)", done.stderr)

    def test_contacts_that_sink_are_counted(self):
        """A bead in a hoop: every step is a chord, v·r is kept, and so r⁴ = 1 + 2ht to first order in h."""
        hoop = ('[time]\nstep = 0.01\nend = {}\n[system]\ncoordinates = ["x", "y"]\nmass = [1, 1]\nposition = [1, 0]\n'
                'velocity = [0, 1]\n[[gap]]\nexpression = "1 - hypot(x, y)"\n[impact]\nlaw = "newton"\nrestitution = 0\n'
                '[integrator]\nprinciple = "{}"\n')
        self.write("weak.toml", hoop.format(50, "weak"))
        self.run_scene("weak.toml", "--out", "weak")
        summary = self.summary("weak")
        self.assertAlmostEqual(summary["min_gap"], 1 - 2**0.25, delta=2e-3)
        # deeper than hv from r⁴ = (1 + h)⁴ on, t = 2.03, until the end
        self.assertAlmostEqual(summary["fallbacks"]["sunk"], (50 - 2.03) / 0.01, delta=20)
        self.write("short.toml", hoop.format(1.9, "weak"))
        self.write("strong.toml", hoop.format(50, "strong"))
        self.write("floor.toml", FLOOR.replace("end = 1", "end = 5") + '[impact]\nlaw = "newton"\nrestitution = 0\n'
                   '[integrator]\nprinciple = "weak"\n')
        for name in ("short", "strong", "floor"):  # what lands overlaps by the way of a step and stays so
            self.run_scene(f"{name}.toml", "--out", name)
            self.assertEqual(self.summary(name)["fallbacks"].get("sunk", 0), 0, name)
        self.assertLess(self.summary("floor")["min_gap"], -1e-3)
        # Seen a step late, a contact that lands overlaps by up to one and a half.
        self.run_scene("floor.toml", "--out", "late", "--set", "integrator.activation=start", "--set", "system.position[1]=1.005")
        self.assertEqual(self.summary("late")["fallbacks"].get("sunk", 0), 0)
        # The units of a gap mean nothing, nor those of another one that acts beside it.
        self.write("two.toml", hoop.format(50, "weak").replace('["x", "y"]', '["x", "y", "z"]').replace("[1, 1]", "[1, 1, 1]")
                   .replace("[1, 0]", "[1, 0, 0]").replace("[0, 1]\n", "[0, 1, -1e-3]\n")
                   + '[[gap]]\nname = "fine"\nexpression = "1e6*z"\n')
        self.run_scene("two.toml", "--out", "two")
        self.assertAlmostEqual(self.summary("two")["fallbacks"]["sunk"], summary["fallbacks"]["sunk"], delta=2)

    def test_a_run_that_sinks_is_resumed_bit_for_bit(self):
        self.write("s.toml", '[time]\nstep = 0.001\nend = 400\n[system]\ncoordinates = ["x", "y"]\nmass = [1, 1]\n'
                   'position = [1, 0]\nvelocity = [0, 1]\n[[gap]]\nexpression = "1 - hypot(x, y)"\n[impact]\n'
                   'law = "newton"\nrestitution = 0\n[integrator]\nprinciple = "weak"\n')
        long = ("s.toml", "--set", "record.every=100")
        self.run_scene(*long, "--quiet", "--out", "whole")
        self.resume_bit_for_bit("whole", *long)


class Compare(Case):
    def test_compare(self):
        done = self.call("compare", "resting-ball", "--steps", "0.02,0.01,0.005")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows_of("out", "compare-resting-ball", "compare.csv")
        schemes = sorted({row["scheme"] for row in rows})
        self.assertEqual(schemes, ["strong reflection", "strong variational", "weak"])
        self.assertEqual(len(rows), 9)
        for row in rows:
            self.assertEqual(row["failure"], "")
            # the impacts of the strong principle are those of the parabola; the weak one is late by up to a step
            self.assertLess(float(row["error"]), 1e-10 if row["scheme"] != "weak" else 9 * float(row["step"]))
            if row["scheme"] != "weak":
                self.assertLess(float(row["penetration"]), 1e-11)
        svg = xml.fromstring(self.read("out", "compare-resting-ball", "compare.svg"))
        self.assertTrue(svg.tag.endswith("svg"))
        self.assertIn(b"weak", self.read("out", "compare-resting-ball", "compare.svg"))

    def rows_of(self, *parts):
        with open(self.path(*parts)) as f:
            return list(csv.DictReader(f))

    def test_converge_finds_the_order(self):
        done = self.call("converge", "pendulum", "--set", "time.end=0.3", "--steps", "0.02,0.01,0.005", "--out", "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows_of("o", "converge.csv")
        self.assertAlmostEqual(float(rows[-1]["order"]), 2, delta=0.3)
        self.assertTrue(os.path.exists(self.path("o", "converge.svg")))

    def test_refusals(self):
        self.refused(self.call("compare", "resting-ball", "--steps", "0"), "positive")
        scene = self.write("n.toml", FLOOR.replace("end = 1", "impacts = 3"))
        self.refused(self.call("compare", scene), "end")
        self.write("below.toml", FLOOR.replace("[0, 1]", "[0, -1]"))
        for command in ("compare", "converge"):
            self.refused(self.call(command, "below.toml"), "ricochet: below.toml:8:12: the start violates")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_references_from_spreadsheets(self):
        """The mark of UTF-8 before, carriage returns within, an empty line behind."""
        self.write("f.toml", FLOOR.replace("end = 1", "end = 0.4"))  # free fall, exact for the trapezoid
        rows = [f"{t},{-2 * t},{1 - 9.81 * t * t / 2}" for t in (0.0, 0.1, 0.2, 0.30000000000000004, 0.4)]
        with open(self.path("r.csv"), "w", newline="", encoding="utf-8-sig") as f:
            f.write("\r\n".join(["t,x,y", *rows, "", ""]))
        done = self.call("converge", "f.toml", "--steps", "0.02,0.01", "--reference", "r.csv", "--out", "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in self.rows_of("o", "converge.csv"):
            self.assertLess(float(row["error"]), 1e-13)
        self.write("twice.csv", "t,x,x\n0,0,0\n0.4,1,1\n")
        self.refused(self.call("converge", "f.toml", "--reference", "twice.csv"), "twice.csv:1: the column 'x' is there twice")

    def test_folders_of_others_are_left_alone(self):
        command = ("converge", self.write("f.toml", FLOOR), "--steps", "0.02,0.01", "--out")
        self.run_scene("f.toml", "--out", "run")
        os.mkdir(self.path("foreign"))
        self.write("foreign/converge.csv", "my own table\n")
        for folder in ("run", "foreign"):
            before = self.hashes(folder)
            self.refused(self.call(*command, folder), folder, "another directory")
            self.assertEqual(self.hashes(folder), before)
        self.refused(self.call(*command, "f.toml"), "f.toml", "not a directory")
        self.refused(self.call(*command, ""), "empty")
        self.assertEqual(self.call(*command, "own").returncode, 0)
        self.refused(self.call(*command, "own"), "--overwrite")
        self.refused(self.call("compare", *command[1:], "own", "--overwrite"), "no table of compare")
        self.assertEqual(self.call(*command, "own", "--overwrite").returncode, 0)

    def test_chaos_has_no_order(self):
        """Errors as large as the motion may fall by one and the same power, next to none."""
        done = self.call("converge", "impact-oscillator", "--steps", "0.02,0.01,0.005", "--out", "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in self.rows_of("o", "converge.csv"):
            self.assertGreater(float(row["error"]), 0.1)
            self.assertEqual(row["order"], "")


class Boundary(Case):
    def test_figure_seven(self):
        done = self.call("solve-bvp", "two-point")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("7 weak solutions", "0.166666666667", "1.55555555556", "1.66666666667", "2.88888888889",
                     "3.33333333333", "2 strong solutions", "1.5  yes    yes", "at t = 1\n"):
            self.assertIn(word, done.stdout)
        done = self.call("solve-bvp", "two-point", "--set", "boundary.points=9")
        self.assertIn("46 weak solutions", done.stdout)

    def test_refusals(self):
        self.refused(self.call("solve-bvp", "two-point", "--set", "boundary.points=40"), "at most 16 points")
        self.refused(self.call("solve-bvp", "two-point", "--set", "boundary.start=[-1]"), "violates the gap")
        self.refused(self.call("solve-bvp", "two-point", "--set", "boundary.end=[1, 2]"), "entries")
        self.refused(self.call("solve-bvp", "particle"), "boundary")
        self.refused(self.call("solve-bvp", "two-point", "--set", "boundary.extra=1"), "extra")
        self.refused(self.call("check", "two-point", "--set", "boundary.pionts=9"), "unknown key 'pionts'")
        self.refused(self.call("run", "two-point", "--set", "boundary.pionts=9", "--out", "misspelt"), "'points'")
        self.assertFalse(os.path.exists(self.path("misspelt")))

    def test_every_command_refuses_what_solve_bvp_refuses(self):
        for override, words in (("boundary.time=[3,0]", "after its start"), ("boundary.time=[0,0]", "after its start"),
                                ("boundary.points=100", "at most 16 points"), ("boundary.start=[-1]", "violates the gap")):
            for command in ("solve-bvp", "check", "run"):
                self.refused(self.call(command, "two-point", "--set", override), words)
        self.assertFalse(os.path.exists(self.path("out", "two-point")))

    def test_numbers_that_are_none_are_refused(self):
        for override, words in (("system.potential=0/0", "potential is not a finite number"),
                                ("boundary.time=[0,1e-300]", "not a finite number")):
            done = self.call("solve-bvp", "two-point", "--set", override)
            self.refused(done, words)
            self.assertEqual(done.stdout, "")

    def test_every_strong_motion_of_a_thrown_ball(self):
        scene = self.write("ball.toml", '''[time]
step = 0.1
end = 1
[system]
coordinates = ["y"]
mass = [2]
potential = "2*9.81*y"
position = [1]
[[gap]]
name = "floor"
expression = "y"
[boundary]
start = [1]
end = [0.7]
time = [0, 1.2]
points = 5
''')
        for points in (3, 4, 5, 6, 8, 12):
            done = self.call("solve-bvp", scene, "--set", f"boundary.points={points}")
            self.assertEqual(done.returncode, 0, done.stderr)
            strong = done.stdout.split("strong solutions")[1]
            times = sorted(float(line.split("t = ")[1]) for line in strong.splitlines() if "t = " in line)
            self.assertEqual(len(times), 3, done.stdout)
            h = 1.2 / (points + 1)
            for time, exact in zip(times, (0.2296429, 0.4956373, 1.0747198)):
                self.assertAlmostEqual(time, exact, delta=1.5 * h * h)
            self.assertIn(f"{2 ** points} weak solutions", done.stdout)

    def test_more_sets_than_an_int_counts(self):
        with open(os.path.join(SCENES, "two-point.toml")) as f:
            text = f.read()
        walls = "".join(f'[[gap]]\nname = "wall {k}"\nexpression = "q + {k}"\n' for k in range(1, 3000))
        done = self.call("solve-bvp", self.write("many.toml", text + walls), "--set", "boundary.points=1000000")
        self.refused(done, "1000000 points with 3000 gaps have 2^3000000000 sets")


if __name__ == "__main__":
    main()
