"""Every bundled scene runs, shortened, and names its rule and closure."""
import os

from program import SCENES, Case, main

# Steps are cut to a few hundred; counter-example 3 is the one that must be refused.
SHORT = {"counter-example-5": "0.02"}


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
                elif 'principle = "weak"' in text:
                    keys = ("title = ", "rule = ")
                for key in keys:
                    self.assertIn(key, text)
                scene = name.removesuffix(".toml")
                end = SHORT.get(scene, "2")
                if scene == "counter-example-2":
                    end = "0.9"
                done = self.call("run", scene, "--out", scene, "--set", f"time.end={end}")
                if scene == "counter-example-3":
                    self.refused(done, "second end", "redundant")
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                summary = self.summary(scene)
                self.assertEqual(summary["status"], "finished")
                self.assertLess(summary["energy"]["max_relative_error"], 0.02 if "energy" in self.kept(scene) else 1e9)
                if summary["min_gap"] is not None and not weak:  # a fixed grid penetrates by a step's way
                    self.assertGreater(summary["min_gap"], -1e-11)
                self.assertEqual(self.call("check", scene).returncode, 0)

    @staticmethod
    def kept(scene):
        changes = ("impact-oscillator", "moving-wall", "resting-ball", "counter-example-2", "counter-example-4",
                   "incline", "superball")
        return () if scene in changes else ("energy",)

    def test_counter_example_2_ends(self):
        done = self.call("run", "counter-example-2", "--out", "o", "--set", "time.end=2")
        self.assertEqual(done.returncode, 1, done.stdout)
        summary = self.summary("o")
        self.assertEqual(summary["status"], "failed")
        self.assertLess(abs(summary["t_end"] - 1), 0.02)


if __name__ == "__main__":
    main()
