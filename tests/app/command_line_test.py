"""What the commands say."""
import os
import re

from program import FLOOR, SCENES, Case, main


class Say(Case):
    def test_help_teaches(self):
        done = self.call("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("run", "check", "list", "resume", "ricochet run star", "--set", "summary.json", "130"):
            self.assertIn(word, done.stdout)
        self.assertEqual(self.call("run", "--help").returncode, 0)

    def test_examples_of_the_help_work(self):
        """As they stand there, one after the other; but for what serves, waits, draws everything or needs another's file."""
        self.write("mine.toml", FLOOR)  # nothing in it but what a scene must have, and a gap
        commands = re.search(r"Subcommands:\n(.*?)\n\n", self.call("--help").stdout, re.DOTALL)[1]
        names = set(re.findall(r"^  (\S+)", commands, re.MULTILINE)) - {"sweep"}  # Python's: tests/python/test_vary.py
        self.assertGreater(len(names), 14)
        tried = []
        for name in sorted(names, key=["run"].count, reverse=True):  # others look at its folder
            said = self.call(name, "--help")
            self.assertEqual(said.returncode, 0, said.stderr)
            examples = re.findall(rf"^  ricochet ({name}.*)$", said.stdout, re.MULTILINE)
            self.assertTrue(examples, name)
            for words in (re.split("  ", line)[0].split() for line in examples):
                if name in ("view", "resume") or "all" in words or "motion.csv" in words:
                    continue
                done = self.call(*words)
                self.assertEqual((done.returncode, done.stderr), (0, ""), words)
                tried.append(name)
        self.assertGreaterEqual(len(tried), 18)

    def test_version(self):
        done = self.call("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^ricochet \d+\.\d+\.\d+\n$")

    def test_list_names_every_scene(self):
        done = self.call("list")
        self.assertEqual(done.returncode, 0)
        for name in os.listdir(SCENES):
            self.assertIn(name.removesuffix(".toml"), done.stdout)

    def test_check(self):
        done = self.call("check", "star", "--set", "system.position=[0, 0.5, 0]")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("energy       8.793", "active gaps  2 of 4", "horizontal translation", "holds", "explicit",
                     "variational closure"):
            self.assertIn(word, done.stdout)
        done = self.call("check", "star", "--set", "symmetry[0].generator=[0, 1, 0]")
        self.assertIn("does not hold", done.stdout)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_bundled_by_name_into_out(self):
        done = self.run_scene("particle", "--set", "time.impacts=3")
        self.assertTrue(os.path.exists(self.path("out", "particle", "summary.json")))
        self.assertIn("3 impacts", done.stdout)
        self.assertNotIn(" steps", done.stderr)  # no progress line where there is no terminal
        self.assertNotIn("\033", done.stderr)

    def test_quiet(self):
        done = self.run_scene("particle", "--quiet", "--set", "time.impacts=3")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_progress_on_a_terminal(self):
        star = ("run", "star", "--set", "time.end=200")
        shown = self.shown_on_terminal(*star, "--out", "xterm")
        self.assertRegex(shown, rb"\r\033\[K *\d+ %  t = \S+  \d+ steps  \d+ impacts")
        self.assertRegex(shown, rb"\r\033\[K\Z")  # and leaves the line as it was
        # A terminal that cannot rewrite a line gets none: it would be lines without end.
        for term in ("dumb", "", None):
            shown = self.shown_on_terminal(*star, "--out", f"not {term}", term=term)
            for byte in (b" steps", b"\033"):
                self.assertNotIn(byte, shown, term)
        self.assertEqual(self.shown_on_terminal(*star, "--out", "quiet", "--quiet"), b"")

    def test_resume_has_the_progress_line_too(self):
        self.write("slow.toml", FLOOR.replace("end = 1", "end = 1e9"))
        run, _ = self.start_on_terminal("run", "slow.toml", "--out", "o", "--quiet")
        self.wait_until(lambda: os.path.exists(self.path("o", "checkpoint")), "its first checkpoint", run)
        run.kill()
        run.wait(60)
        run, leader = self.start_on_terminal("resume", "o")
        self.assertIn(b" steps", os.read(leader, 10000))  # waits: the first line comes at once
        run.kill()
        run.wait(60)

    def test_which_symmetries_hold(self):
        base = """[time]
step = 0.01
end = 1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
position = [0.3, 1]
velocity = [1, 2]
[[gap]]
name = "floor"
expression = "y"
[[symmetry]]
name = "up"
generator = [0, 1]
[[symmetry]]
name = "along"
generator = [1, 0]
"""
        def said(text):
            self.write("s.toml", text)
            done = self.call("check", "s.toml")
            self.assertEqual(done.returncode, 0, done.stderr)
            return re.findall(r"^symmetry +(\w+): momentum (\S+) at the start, (.*)$", done.stdout, re.M)

        up = ("up", "2", "does not hold: it crosses the gap 'floor'")
        changes = "does not hold: the Lagrangian changes along it"
        self.assertEqual(said(base), [up, ("along", "1", "holds (around the start)")])
        self.assertEqual(said(base.replace("mass = [1, 1]", 'mass = [1, 1]\npotential = "3*x^2"')),
                         [up, ("along", "1", changes)])
        self.assertEqual(said(base.replace("mass = [1, 1]", 'mass = ["1 + (x - 0.3)^2", 1]')),
                         [up, ("along", "1", changes)])
        # without the gap the first is one, with gravity along it no longer
        free = base.replace(base[base.index("[[gap]]"):base.index("[[symmetry]]")], "")
        self.assertEqual(said(free), [("up", "2", "holds (around the start)"), ("along", "1", "holds (around the start)")])
        self.assertEqual(said(free.replace("mass = [1, 1]", 'mass = [1, 1]\npotential = "9.81*y"')),
                         [("up", "2", changes), ("along", "1", "holds (around the start)")])
        # a circle about the origin keeps a rotation about it, and no other; J = -y v_x + x v_y (+ the shift)
        circle = base.replace('"y"\n[', '"4 - x^2 - y^2"\n[')
        self.assertEqual(said(circle.replace("[0, 1]", '["-y", "x"]')),
                         [("up", "-0.40000000000000002", "holds (around the start)"),
                          ("along", "1", "does not hold: it crosses the gap 'floor'")])
        self.assertIn("crosses the gap", said(circle.replace("[0, 1]", '["1-y", "x"]'))[0][2])


if __name__ == "__main__":
    main()
