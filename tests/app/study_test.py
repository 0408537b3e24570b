"""`ricochet study energy`: its numbers against those of an independent prototype and closed forms, its files, its
refusals."""
import csv
import math
import os
import xml.etree.ElementTree as xml

from program import FLOOR, Case, main


class Study(Case):
    def study(self, *arguments):
        done = self.call("study", "energy", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def rows(self, *parts):
        with open(self.path(*parts)) as f:
            return list(csv.DictReader(f))

    def kicks(self, *parts):
        return {(r["closure"], float(r["h"])): float(r["rms_kick"]) for r in self.rows(*parts)}


class Numbers(Study):
    def test_table(self):
        done = self.study("table", "--closures", "shadow2,shadow4", "--steps", "0.025,0.05", "--ensemble", "2",
                          "--impacts", "10000", "--out", "o")
        kick = self.kicks("o", "energy.csv")
        # docs/shadow.md: the values of the prototype in which the closures were found.
        self.assertAlmostEqual(kick["shadow2", 0.05], 4.6e-7, delta=0.4e-7)
        self.assertAlmostEqual(kick["shadow4", 0.05], 1.3e-9, delta=0.2e-9)
        ratio2 = kick["shadow2", 0.05] / kick["shadow2", 0.025]
        ratio4 = kick["shadow4", 0.05] / kick["shadow4", 0.025]
        print(f"kicks {kick}, ratios {ratio2:.1f}, {ratio4:.1f}")
        self.assertTrue(14 <= ratio2 <= 18, ratio2)
        self.assertTrue(50 <= ratio4 <= 70, ratio4)
        for row in self.rows("o", "energy.csv"):
            self.assertGreaterEqual(int(row["impacts"]), 20000)
            self.assertEqual(int(row["fallbacks"]), 0)
            # Symplectic, so no drift: the mean kick is within two and a half times the width of its 95 % interval (five
            # standard deviations).
            self.assertLess(abs(float(row["drift"])), 2.5 * float(row["drift_error"]))
            self.assertAlmostEqual(float(row["growth_exponent"]), 0.5, delta=0.1)
            self.assertLess(float(row["max_energy_error"]), 1.5e-3)  # Verlet's own oscillation
        table = [line.split()[:2] for line in done.stdout.splitlines() if line.startswith("shadow")]
        self.assertEqual(table, [["shadow2", "0.05"], ["shadow2", "0.025"], ["shadow4", "0.05"], ["shadow4", "0.025"]])
        self.check_plot("o", ("shadow2", "shadow4"))

    def test_star(self):
        """Linear gravity: m g²h²(1 − 2α)/8 per impact, α uniform (errata F11), so g²h²/(8√3) in the mean."""
        self.study("star", "--closures", "variational,shadow2", "--steps", "0.005", "--ensemble", "2", "--impacts",
                   "1500", "--out", "o")
        kick = self.kicks("o", "energy.csv")
        E0 = 2 + 29 / 192 * 12.5 + 9.81 * 3.5
        expected = 9.81**2 * 0.005**2 / (8 * math.sqrt(3)) / E0
        # 3000 kicks of a bounded distribution: 1 %; steps with several impacts add a little.
        self.assertAlmostEqual(kick["variational", 0.005] / expected, 1, delta=0.05)
        self.assertLess(kick["shadow2", 0.005], 1e-10)  # rounding of the 12th-order difference

    def check_plot(self, folder, labels):
        text = self.read(folder, "energy.svg").decode()
        root = xml.fromstring(text)
        self.assertTrue(root.tag.endswith("svg"))
        for label in labels:
            self.assertIn(f">{label}</text>", text)
        # Self-contained: the name of the format is its only address.
        self.assertEqual(text.count("://"), 1)
        for word in ("<script", "href", "url(", "nan", "inf"):
            self.assertNotIn(word, text)
        self.assertGreater(text.count("<circle"), 8)


class Small(Study):
    """Quick ones: a bouncing particle."""
    small = ("--impacts", "20", "--ensemble", "1")

    def setUp(self):
        super().setUp()
        self.write("s.toml", FLOOR)

    def test_defaults(self):
        done = self.study("s.toml", *self.small)
        rows = self.rows("out", "s-energy", "energy.csv")
        self.assertEqual([(r["closure"], r["h"]) for r in rows],
                         [(c, h) for c in ("variational", "reflection", "shadow2", "shadow4", "interpolated:6")
                          for h in ("0.01", "0.005")])
        self.assertEqual(sorted(os.listdir(self.path("out", "s-energy"))), ["energy.csv", "energy.svg", "growth.csv"])
        self.assertEqual(done.stderr, "")

    def test_growth_curve_is_what_the_exponent_says(self):
        self.study("s.toml", "--impacts", "300", "--ensemble", "2", "--closures", "variational", "--steps", "0.01")
        growth = self.rows("out", "s-energy", "growth.csv")
        self.assertEqual([float(g["impacts"]) for g in growth], [1, 2, 4])
        x = [math.log(float(g["impacts"])) for g in growth]
        y = [math.log(float(g["rms_change"])) for g in growth]
        mx, my = sum(x) / 3, sum(y) / 3
        slope = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx)**2 for a in x)
        self.assertAlmostEqual(float(self.rows("out", "s-energy", "energy.csv")[0]["growth_exponent"]), slope, delta=1e-6)

    def test_twice_the_same(self):
        for out in ("a", "b"):
            self.study("s.toml", "--impacts", "50", "--ensemble", "3", "--out", out)
        for name in ("energy.csv", "growth.csv", "energy.svg"):
            self.assertEqual(self.read("a", name), self.read("b", name))

    def test_closures_that_do_not_fit(self):
        midpoint = FLOOR + '[integrator]\nrule = "midpoint"\n'
        self.write("m.toml", midpoint)
        self.refused(self.call("study", "energy", "m.toml", "--closures", "shadow4"),
                     "--closures shadow4: the closure shadow4 needs the trapezoid rule, not midpoint")
        done = self.study("m.toml", *self.small)
        self.assertIn("Left out: --closures shadow2: the closure shadow2 needs the trapezoid rule", done.stdout)
        self.assertIn("interpolated:6", done.stdout)
        self.write("d.toml", FLOOR + '[[force]]\nname = "drag"\ncomponents = ["-0.1*v_x", "-0.1*v_y"]\n')
        self.refused(self.call("study", "energy", "d.toml"), "forces or explicit time has no shadow energy")
        self.refused(self.call("study", "energy", "d.toml", "--closures", "shadow4"), "without forces")
        self.assertFalse(os.path.exists(self.path("out", "d-energy")))

    def test_scenes_without_an_answer(self):
        self.write("e.toml", FLOOR + '[impact]\nlaw = "newton"\nrestitution = 0.5\n')
        self.refused(self.call("study", "energy", "e.toml"), "e.toml:", "impacts that keep it", "restitution = 1")
        self.write("g.toml", FLOOR[:FLOOR.index("[[gap]]")])
        self.refused(self.call("study", "energy", "g.toml"), "needs a gap")
        self.refused(self.call("study", "energy", "moving-wall"), "walls that stand still")
        self.refused(self.call("study", "energy", "slider-crank"), "bilateral constraints")

    def test_the_weak_principle_has_no_closures(self):
        self.refused(self.call("study", "energy", "table", "--set", "integrator.principle=weak"), "closures", "weak")

    def test_bad_input(self):
        study = lambda *more: self.call("study", "energy", "s.toml", "--out", "o", *more)
        self.refused(study("--closures", "shadow3"), 'no closure "shadow3"', "did you mean 'shadow2'?")
        self.refused(study("--closures", "shadow4:4"), "an order belongs to interpolated")
        self.refused(study("--closures", "interpolated:5"), "4, 6, 8 or 10")
        self.refused(study("--closures", ","), "no closure")
        for steps in ("0", "-1", "x", "0.01,", "nan", "inf", "0.01x"):
            self.refused(study("--steps", steps), "is not a step")
        for option in ("--ensemble", "--impacts"):
            for value in ("0", "-3", "many", "1e99"):
                self.refused(study(option, value), option)
        self.refused(self.call("study"), "--help")
        self.refused(self.call("study", "energi", "s.toml"), "--help")
        self.refused(self.call("study", "energy", "sta"), "did you mean 'star'?")
        self.assertFalse(os.path.exists(self.path("o")))

    def test_folders(self):
        self.study("s.toml", *self.small, "--out", "o")
        before = self.read("o", "energy.csv")
        self.refused(self.call("study", "energy", "s.toml", "--out", "o"), "o already holds a study")
        self.assertEqual(self.read("o", "energy.csv"), before)
        self.study("s.toml", *self.small, "--out", "o", "--overwrite", "--closures", "shadow4")
        self.assertEqual(len(self.rows("o", "energy.csv")), 2)
        os.mkdir(self.path("f"))
        self.write("f/letter.txt", "dear")
        self.run_scene("s.toml", "--out", "r")
        for folder in ("f", "r", "s.toml"):
            for more in ((), ("--overwrite",)):
                self.refused(self.call("study", "energy", "s.toml", "--out", folder, *more), folder)
        self.assertEqual(os.listdir(self.path("f")), ["letter.txt"])

    def test_nothing_to_hit(self):
        """A run that leaves for good ends with a sentence, not never."""
        self.write("n.toml", FLOOR.replace('"9.81*y"', '"0"').replace("[-2, 0]", "[0, 1]"))
        done = self.call("study", "energy", "n.toml", "--closures", "variational", "--ensemble", "1", "--out", "o")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing was hit for 1000000 steps", done.stderr)
        self.assertEqual(self.rows("o", "energy.csv"), [])


if __name__ == "__main__":
    main()
