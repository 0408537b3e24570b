"""The loops are compiled once, friction is no property of a type, and the strong loop reads as the sum of its events.

tests/structure_test.py BINARY…: the program, a test program that checks digits in long double, and the Python module where
there is one, as CMake built them.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOOP = ROOT / "src" / "ricochet" / "principle" / "strong_loop.hpp"
BINARIES = []

ALLOWED = {"StrongLoop<double>", "StrongLoop<long double>", "WeakLoop<double>"}
# A function of a class whose name ends in Loop, or of the templates Strong and Weak that users see, which forward.
ADVANCE = re.compile(r"ricochet::principle::((?:Strong|Weak)\w*<.*?>)::advance\(")
FOLDERS = ["src", "python", "tests", "bench", "examples", "docs"]
GONE = ("Rough<", "PlainClosure", "RoughPrinciple")
SPECIAL = re.compile(r"friction|rough|slip|stick|graz|push_?off", re.I)
MOST_LINES = 30


def loops_of(symbols):
    """The classes of the loops in a listing of nm -C."""
    return {found[1] for line in symbols.splitlines() if (found := ADVANCE.search(line))}


def symbols(path):
    return subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout


def occurrences(root, folders):
    """Where names stand that are gone, this file apart."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".py", ".md", ".txt", ".toml") or path == pathlib.Path(__file__).resolve():
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for name in GONE:
                    if re.search(r"\b" + re.escape(name), line):
                        yield f"{path.relative_to(root)}:{number}: {name}"


def body_of(text, head):
    """The lines between the braces of the function that begins with `head`, comments left out."""
    start = text.index("{", text.index(head))
    depth, end = 0, start
    for end in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            break
    lines = [line.split("//")[0].rstrip() for line in text[start + 1:end].splitlines()]
    return [line for line in lines if line]


class Structure(unittest.TestCase):
    def test_the_loops_are_compiled_once(self):
        self.assertGreaterEqual(len(BINARIES), 2, "the program, a test program and, where there is one, the Python module")
        found = set()
        for path in BINARIES:
            loops = loops_of(symbols(path))
            self.assertIn("StrongLoop<double>", loops, path)
            self.assertLessEqual(loops, ALLOWED, path)
            found |= loops
        self.assertEqual({name for name in found if name.startswith("Strong")},
                         {"StrongLoop<double>", "StrongLoop<long double>"})

    def test_another_loop_would_be_found(self):
        line = "00000000004d2320 W ricochet::principle::{}::advance(double, ricochet::principle::Log<double>&)\n"
        names = ["StrongLoop<double>", "StrongLoop<float>", "Strong<ricochet::bodies::Bars<double>, ricochet::closure::Reflection>"]
        self.assertEqual(loops_of("".join(map(line.format, names))), set(names))

    def test_names_of_the_first_house_are_gone(self):
        self.assertEqual(list(occurrences(ROOT, FOLDERS)), [])

    def test_the_names_would_be_found(self):
        with tempfile.TemporaryDirectory(prefix="ricochet-") as folder:
            root = pathlib.Path(folder)
            (root / "src").mkdir()
            (root / "src" / "x.hpp").write_text("struct A : Roughly {};\nstruct B : mechanics::" + "Rough<S> {};\n")
            self.assertEqual(list(occurrences(root, ["src"])), ["src/x.hpp:2: Rough<"])

    def test_advance_fits_a_screen_and_knows_no_special_case(self):
        lines = body_of(LOOP.read_text(), "void StrongLoop<R>::advance(")
        self.assertTrue(5 < len(lines) < MOST_LINES, lines)
        self.assertEqual([line for line in lines if SPECIAL.search(line)], [])

    def test_a_special_case_would_be_found(self):
        lines = body_of("void f() {\n  // friction\n  if (a) {\n    push_off();\n  }\n\n}\nint friction;\n", "void f(")
        self.assertEqual(lines, ["  if (a) {", "    push_off();", "  }"])
        self.assertEqual([line for line in lines if SPECIAL.search(line)], ["    push_off();"])


if __name__ == "__main__":
    BINARIES = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
