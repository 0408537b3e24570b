"""Every bundled scene runs, shortened, and names its rule and closure."""
import csv
import math
import os
import re

from program import FLOOR, SCENES, Case, main


def kicks(impacts, gh, energy):
    """With linear gravity an impact changes the energy by m g²h²/8 at the most (docs/errata.md F11); m = 1."""
    return impacts * gh**2 / 8 / energy


# Until when, how many impacts there are at least, and what bounds the relative error of the energy.
KEPT = {
    # straight flights are exact: rounding, some ulps an impact
    "circle": (6, 3, 1e-14), "two-masses": (6, 31, 1e-14), "newton-cradle": (2, 1, 1e-14), "two-point": (2, 1, 1e-14),
    "counter-example-1": (2, 0, 1e-14), "counter-example-5": (0.02, 0, 1e-14),
    "particle": (6, 7, kicks(7, 9.81 * 0.01, 11.81)),  # at 0.4515 + 0.903 n
    "star": (6, 3, kicks(5, 9.81 * 0.005, 38.2)), "wedge": (6, 3, kicks(4, 0.005, 1.045)),
    # The rule keeps another energy, O(h²) from this one, an impact kicks it by as much: three times what was measured.
    "star-cubic": (6, 3, 2e-5), "table": (6, 3, 2.4e-5), "pendulum": (6, 3, 2.1e-3), "double-pendulum": (6, 3, 2.1e-3),
    "slider-crank": (6, 3, 2.2e-4), "hemisphere": (0.7, 0, 1e-6),  # slides, and leaves
    # the same with many frequencies; one contact may last
    "bar-wall": (6, 2, 3.6e-4), "bar-nonlinear": (6, 3, 1e-2), "three-bars": (6, 3, 2.1e-4),
    "bars-case-1": (2, 1, 7.5e-5), "bars-case-2": (2, 1, 2.5e-5), "bars-case-3": (2, 1, 1.3e-4),
    "bars-case-4": (2, 1, 1e-4), "bars-case-5": (2, 1, 5e-5), "bars-case-6": (2, 1, 4e-5),
    "beam-axial": (2, 3, 1.6e-3), "beam-demoures-5": (2, 3, 2.1e-5), "beam-demoures-10": (2, 3, 1e-5),
    "beam-drop-flat": (2, 3, 4.5e-7), "beam-sphere": (2, 3, 2e-4), "beam-spinning": (2, 0, 5e-11),
}
# The energy changes; what is left of its balance, relative to what was there at the start, is bounded instead.
CHANGED = {
    # every transfer is an exact difference of energies: rounding
    "moving-wall": (6, 3, 1e-14), "resting-ball": (2, 3, 1e-14), "counter-example-4": (6, 3, 1e-14),
    "incline": (2, 1, 1e-14), "superball": (2, 3, 1e-13), "counter-example-2": (0.9, 0, 1e-12),  # grows without limit
    # forces that depend on time or velocity, sliding: quadratures O(h²), three times what was measured
    "impact-oscillator": (6, 3, 1.5e-3), "falling-rod": (2, 3, 6e-6),
}
# counter-example 3 is the one that must be refused.
SHORT = {name: str(end) for name, (end, _, _) in (KEPT | CHANGED).items()}


class Scenes(Case):
    def test_every_scene(self):
        for name in sorted(os.listdir(SCENES)):
            with self.subTest(name):
                with open(os.path.join(SCENES, name)) as f:
                    text = f.read()
                self.assertTrue(text.startswith("# "), "a comment says what to look at")
                self.assertIn("ook at", text)
                keys = ("title = ", "rule = ", "closure = ")
                if "[[bar]]" in text:
                    keys = ("title = ", "scheme = ")
                if "[[beam]]" in text:
                    keys = ("title = ", "closure = ")
                weak = 'principle = "weak"' in text
                if weak:
                    keys = ("title = ", "rule = ")
                for key in keys:
                    self.assertIn(key, text)
                self.assertNotIn('closure = "auto"', text)
                scene = name.removesuffix(".toml")
                done = self.call("run", scene, "--out", scene, "--set", f"time.end={SHORT.get(scene, 1)}")
                if scene == "counter-example-3":
                    self.refused(done, "second end", "redundant")
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                summary = self.summary(scene)
                self.assertEqual(summary["status"], "finished")
                self.check_energy(scene, summary)
                if summary["min_gap"] is not None and not weak:  # a fixed grid penetrates by a step's way
                    self.assertGreater(summary["min_gap"], -1e-11)
                self.assertEqual(self.call("check", scene).returncode, 0)

    def test_every_scene_with_the_closure_its_model_allows(self):
        chosen = {}
        for name in sorted(os.listdir(SCENES)):
            scene = name.removesuffix(".toml")
            with open(os.path.join(SCENES, name)) as f:
                text = f.read()
            if "[[bar]]" in text or 'principle = "weak"' in text:
                continue  # no closures there
            if scene in ("counter-example-2", "counter-example-3"):  # these end on purpose
                continue
            with self.subTest(name):
                done = self.call("run", scene, "--out", scene, "--set", f"time.end={SHORT[scene]}", "--set",
                                 "integrator.closure=auto")
                self.assertEqual(done.returncode, 0, done.stderr)
                summary = self.summary(scene)
                self.assertEqual(summary["status"], "finished")
                chosen[scene] = summary["closure"]
                self.assertIn(f"{chosen[scene]} closure",
                              self.call("check", scene, "--set", "integrator.closure=auto").stdout)
                if scene in ("particle", "wedge", "star"):  # linear gravity: shadow4 has nothing to add to it
                    self.assertLess(summary["energy"]["max_relative_error"], 1e-13)
                elif scene == "beam-sphere":  # the scene has reflection: the variational jump walks, measured 1.4e-3
                    self.assertLess(summary["energy"]["max_relative_error"], 4.2e-3)
                else:
                    self.check_energy(scene, summary)
                if summary["min_gap"] is not None:
                    self.assertGreater(summary["min_gap"], -1e-11)
        for scene, closure in (("star", "shadow4"), ("table", "shadow4"), ("double-pendulum", "interpolated"),
                               ("impact-oscillator", "reflection"), ("slider-crank", "variational")):
            self.assertEqual(chosen[scene], closure, scene)

    def test_auto_is_the_default(self):
        self.write("s.toml", FLOOR)
        self.run_scene("s.toml", "--out", "o")
        self.assertEqual(self.summary("o")["closure"], "shadow4")

    def check_energy(self, scene, summary):
        self.assertTrue((scene in KEPT) != (scene in CHANGED), "say what this scene keeps")
        _, impacts, bound = KEPT.get(scene) or CHANGED[scene]
        self.assertGreaterEqual(summary["impacts"], impacts)
        error = summary["energy"]["max_relative_error"]
        if scene in CHANGED:
            self.assertGreater(error, 0.1, "it does not keep its energy")
            error = abs(summary["balance_error"]) / summary["energy"]["initial"]
        self.assertLessEqual(error, bound)

    def test_a_lagrangian_with_a_speed_of_light(self):
        # m = 1, c = 5, constant force g: y = 1 - c²/g (√(1 + (g t/c)²) - 1), hence every impact in closed form
        self.write("s.toml", """[time]
step = 0.005
end = 6
[system]
coordinates = ["x", "y"]
lagrangian = "-25*sqrt(1 - (v_x^2 + v_y^2)/25) - 9.81*y"
position = [0, 1]
momentum = [0, 0]
[[gap]]
expression = "y"
[[symmetry]]
name = "along"
generator = [1, 0]
""")
        first = 5 / 9.81 * math.sqrt((1 + 9.81 / 25)**2 - 1)
        for command in (("check",), ("run", "--out", "o")):
            done = self.call(*command, "s.toml", "--set", "impact.law=newton", "--set", "impact.restitution=0.5")
            self.refused(done, "--set impact.law=newton: ", "quadratic in the velocities")
        self.assertFalse(os.path.exists(self.path("o")))
        for closure in ("reflection", "variational", "interpolated", "auto"):
            for momentum in ("[0, 0]", "[1, 0]", "[20, 0]"):
                self.run_scene("s.toml", "--out", "o", "--overwrite", "--set", f"integrator.closure={closure}", "--set",
                               f"system.momentum={momentum}")
                summary = self.summary("o")
                self.assertLess(summary["momentum"]["along"]["max_error"], 1e-13)
                self.assertLess(summary["energy"]["max_relative_error"], 1e-3)
                if momentum != "[0, 0]":
                    continue
                self.assertEqual(summary["impacts"], 6)
                with open(self.path("o", "impacts.csv")) as f:
                    times = [float(row["t"]) for row in csv.DictReader(f)]
                for n, t in enumerate(times):
                    self.assertLess(abs(t - (2 * n + 1) * first), 1e-4 * (2 * n + 1), closure)
        # the kinetic part is what remains without the potential, not p·v/2
        self.write("q.toml", """[time]
step = 0.01
end = 1
[system]
coordinates = ["y"]
lagrangian = "v_y^2/2 + 0.02*v_y^4 - 9.81*y"
position = [1]
velocity = [1]
""")
        said = re.search(r"energy +(\S+) at the start, (\S+) of it kinetic", self.call("check", "q.toml").stdout)
        self.assertAlmostEqual(float(said[1]), 9.81 + 0.56, places=12)
        self.assertAlmostEqual(float(said[2]), 0.56, places=12)

    def test_counter_example_2_ends(self):
        done = self.call("run", "counter-example-2", "--out", "o", "--set", "time.end=2")
        self.assertEqual(done.returncode, 1, done.stdout)
        summary = self.summary("o")
        self.assertEqual(summary["status"], "failed")
        self.assertLess(abs(summary["t_end"] - 1), 0.02)
        self.assertIn("the motion blows up", done.stderr)
        left = float(done.stderr.split("about ")[1].split()[0])  # v = 1/(1 − t) and a = v², so v/a is what is left
        self.assertAlmostEqual(summary["t_end"] + left, 1, delta=1e-3)


if __name__ == "__main__":
    main()
