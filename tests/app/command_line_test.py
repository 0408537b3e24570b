"""What the commands say."""
import os

from program import SCENES, Case, main


class Say(Case):
    def test_help_teaches(self):
        done = self.call("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("run", "check", "list", "resume", "ricochet run star", "--set", "summary.json", "130"):
            self.assertIn(word, done.stdout)
        self.assertEqual(self.call("run", "--help").returncode, 0)

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
        self.assertEqual(done.stderr, "")  # no progress line where there is no terminal

    def test_quiet(self):
        done = self.run_scene("particle", "--quiet", "--set", "time.impacts=3")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_progress_on_a_terminal(self):
        import pty
        import subprocess
        from program import PROGRAM
        leader, follower = pty.openpty()
        done = subprocess.Popen([PROGRAM, "run", "star", "--set", "time.end=200"], cwd=self.dir, stderr=follower,
                                stdout=subprocess.DEVNULL)
        self.assertEqual(done.wait(60), 0)
        os.close(follower)
        self.assertIn(b"steps", os.read(leader, 10000))


if __name__ == "__main__":
    main()
