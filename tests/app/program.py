"""The program under test, and folders that vanish."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SCENES = (os.path.abspath(p) for p in sys.argv[1:3])

FLOOR = """[time]
step = 0.01
end = 1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "9.81*y"
position = [0, 1]
velocity = [-2, 0]
[[gap]]
name = "floor"
expression = "y"
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ricochet-")
        self.addCleanup(shutil.rmtree, self.dir, True)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return name

    def read(self, *parts):
        with open(self.path(*parts), "rb") as f:
            return f.read()

    def call(self, *arguments, **options):
        """Runs the program in the test's folder."""
        return subprocess.run([PROGRAM, *arguments], cwd=self.dir, capture_output=True, text=True, timeout=300,
                              **options)

    def run_scene(self, *arguments):
        done = self.call("run", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def summary(self, *parts):
        with open(self.path(*parts, "summary.json")) as f:
            return json.load(f)

    def refused(self, done, *words):
        """Exit 2, one sentence."""
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


def main():
    # the arguments of the program are not those of unittest
    unittest.main(argv=sys.argv[:1])
