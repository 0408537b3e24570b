"""ricochet figure: what it lists, draws, refuses; that its bounds can fail and its bytes repeat."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "app"))
from program import PROGRAM, Case, main  # noqa: E402

PAPERS = os.path.join(HERE, "..", "..", "papers")


class Figures(Case):
    def drawn(self, *arguments, **options):
        done = self.call("figure", *arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def draw(self, papers, *arguments):
        """The drawing script itself, perhaps a copy of it with other bounds."""
        command = [sys.executable, "-B", os.path.join(papers, "draw.py"), "--program", PROGRAM, *arguments]
        return subprocess.run(command, cwd=self.dir, capture_output=True, text=True)

    def test_lists(self):
        done = self.drawn()
        for words in ("fetecau2003", r"\n  4 .*1500 impacts", "ballard2001", r"\n  2 .*bounces until it rests"):
            self.assertRegex(done.stdout, words)
        self.assertEqual(os.listdir(self.dir), [])

    def test_unknown_names_the_known(self):
        self.refused(self.call("figure", "fetecau2003", "77"), "no figure '77'", "2, 3, 4, 5, 6")
        self.refused(self.call("figure", "fetecau2030"), "fetecau2003, ", "did you mean 'fetecau2003'?")
        self.refused(self.call("figure", "all", "4"), "no figures of 'all'")
        self.assertEqual(os.listdir(self.dir), [])

    def test_every_listed_figure_is_drawn_by_a_function_and_told_in_a_readme(self):
        for paper in re.findall(r"^(\w+)  ", self.drawn().stdout, re.M):
            with open(os.path.join(PAPERS, paper, "figures.py")) as file:
                functions = set(re.findall(r"^def figure_(\w+)\(", file.read(), re.M))
            with open(os.path.join(PAPERS, paper, "figures.toml")) as file:
                numbers = re.findall(r'^number = "(.+)"', file.read(), re.M)
            self.assertEqual(functions, {n.replace(".", "_").replace("-", "_") for n in numbers})
            with open(os.path.join(PAPERS, paper, "README.md")) as file:
                readme = file.read()
            for number in numbers:
                self.assertIn(f"## {'Figure ' if number[0].isdigit() else ''}{number}", readme)

    def test_fast_ones_hold_their_bounds(self):
        done = self.draw(PAPERS, "--out", self.path("f"), "--fast", "all", "all")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertGreaterEqual(len(os.listdir(self.path("f"))), 6)
        for name in os.listdir(self.path("f")):
            self.assertEqual(sorted(os.listdir(self.path("f", name))),
                             sorted([f"{name}.csv", f"{name}.png", f"{name}.svg", "numbers.json"]))
            numbers = json.loads(self.read("f", name, "numbers.json"))
            self.assertTrue(numbers["numbers"])
            self.assertTrue(all(line["holds"] and line["because"] for line in numbers["numbers"]))

    def test_bytes_repeat(self):
        name = "fetecau2003-3"
        for out in ("one", "two"):
            self.drawn("fetecau2003", "3", "--out", out)
        for ending in (f"{name}.csv", f"{name}.png", f"{name}.svg", "numbers.json"):
            self.assertEqual(self.read("one", name, ending), self.read("two", name, ending), ending)

    def test_default_place_and_renewal(self):
        self.drawn("fetecau2003", "6")
        self.write("out/figures/fetecau2003-6/old", "")
        self.drawn("fetecau2003", "6", "--keep-runs")
        inside = os.listdir(self.path("out", "figures", "fetecau2003-6"))
        self.assertNotIn("old", inside)
        self.assertIn("runs", inside)
        self.assertEqual(os.listdir(self.path("out", "figures")), ["fetecau2003-6"])  # no scratch is left

    def test_what_is_not_ours_is_left_alone(self):
        os.makedirs(self.path("out", "figures", "fetecau2003-6"))
        self.write("out/figures/fetecau2003-6/thesis.tex", "mine")
        self.refused(self.call("figure", "fetecau2003", "6"), "left alone", "--out")
        self.assertEqual(self.read("out", "figures", "fetecau2003-6", "thesis.tex"), b"mine")
        self.write("taken", "a file")
        self.refused(self.call("figure", "fetecau2003", "6", "--out", "taken"), "taken")

    def test_bounds_can_fail(self):
        papers = self.path("papers")
        shutil.copytree(PAPERS, papers, ignore=shutil.ignore_patterns("__pycache__"))
        path = os.path.join(papers, "fetecau2003", "figures.toml")
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace('"impacts at the corner"\nequals = 3', '"impacts at the corner"\nequals = 4'))
        done = self.draw(papers, "--out", "f", "fetecau2003", "6")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a bound does not hold: fetecau2003-6: impacts at the corner: 3 (exactly 4", done.stderr)

    def test_without_matplotlib(self):
        done = self.call("figure", "fetecau2003", "6", env={**os.environ, "RICOCHET_PYTHON": "/bin/false"})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("apt install python3-matplotlib", done.stderr)

    def test_alone_the_program_explains_itself(self):
        done = self.call()
        self.assertEqual(done.returncode, 0)
        self.assertLessEqual(done.stdout.rstrip().count("\n") + 1, 12)
        for word in ("list", "run star", "view out/star", "figure", "--help"):
            self.assertIn(word, done.stdout)


class Bounds(unittest.TestCase):
    """NaN never holds; a number without a bound, or a bound that cannot fail, is a mistake of ours."""

    def setUp(self):
        sys.path.insert(0, PAPERS)
        from kit import bounds
        self.check = bounds.check

    def test_rules(self):
        bound = {"name": "a", "at_most": 1.0, "at_least": 0.5, "because": "b"}
        for value, holds in ((0.5, True), (1.0, True), (0.49, False), (1.01, False), (float("nan"), False)):
            self.assertEqual(self.check("f", [bound], {"a": value})[0]["holds"], holds, value)
        self.assertFalse(self.check("f", [{"name": "a", "equals": 3, "because": "b"}], {"a": 3.0000001})[0]["holds"])
        for bounds, numbers in (([bound], {}), ([], {"a": 1}), ([{"name": "a", "because": "b"}], {"a": 1})):
            with self.assertRaises(ValueError):
                self.check("f", bounds, numbers)


if __name__ == "__main__":
    main()
