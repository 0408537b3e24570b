"""`ricochet figure all`, twice: every bound holds, and every file of every figure is the same to the byte."""
import filecmp
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "app"))
from program import PROGRAM, Case, main  # noqa: E402


class LongFigures(Case):
    def test_all_of_them_twice(self):
        listed = len(re.findall(r"^  \S+ ", self.call("figure").stdout, re.M))
        for out in ("one", "two"):
            # Longer than `call` waits: minutes where the machine is shared.
            done = subprocess.run([PROGRAM, "figure", "all", "--out", out], cwd=self.dir, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        names = sorted(os.listdir(self.path("one")))
        self.assertEqual(len(names), listed)
        self.assertEqual(names, sorted(os.listdir(self.path("two"))))
        for name in names:
            files = sorted(os.listdir(self.path("one", name)))
            self.assertEqual(files, sorted([f"{name}.csv", f"{name}.png", f"{name}.svg", "numbers.json"]))
            for file in files:
                self.assertTrue(filecmp.cmp(self.path("one", name, file), self.path("two", name, file), shallow=False),
                                f"{name}/{file} differs from run to run")


if __name__ == "__main__":
    main()
