#!/usr/bin/python3
"""What bench/against says of result folders that are made up, of random systems and of bad use: no program is needed."""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import h5py  # noqa: E402
import numpy as np  # noqa: E402

import crowds  # noqa: E402
import digests  # noqa: E402
import impacts  # noqa: E402
import results  # noqa: E402
import steps  # noqa: E402
import systems  # noqa: E402
import trees  # noqa: E402

HEADER = "n,t,step,alpha,gap,multiplier,energy_before,energy_after,q_x,q_y,p_minus_x,p_minus_y,p_plus_x,p_plus_y"


class Folders(unittest.TestCase):
    """A run of 300 impacts and 1000 steps that never took place, and what becomes of it when numbers are altered."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ricochet-")
        self.addCleanup(shutil.rmtree, self.dir, True)

    def folder(self, name, p=lambda n, p: p, gap=lambda n: "floor", impacts=300, rows=1000, E=lambda k, E: E, seconds=1.0,
               steps=1000):
        place = os.path.join(self.dir, name)
        os.makedirs(place)
        with open(os.path.join(place, "impacts.csv"), "w") as f:
            print(HEADER, file=f)
            for n in range(1, impacts + 1):
                px = p(n, 1.0 + n / 1000)
                print(f"{n},{n / 10!r},{n},0.5,{gap(n)},2;1,5.0,5.0,{n / 100!r},0,{px!r},-1,{px!r},1", file=f)
        with h5py.File(os.path.join(place, "trajectory.h5"), "w") as f:
            f["t"] = np.arange(rows) * 0.1
            f["q"] = np.arange(2.0 * rows).reshape(rows, 2)
            f["p"] = np.ones((rows, 2))
            f["energy"] = np.array([E(k, 5.0) for k in range(rows)])
            f["momentum"] = np.zeros((rows, 0))
            f["scene"] = "no number"
            f["section/t"] = np.zeros(0)
        with open(os.path.join(place, "summary.json"), "w") as f:
            json.dump({"steps": steps, "seconds": seconds, "version": name}, f)
        return place

    def test_equal_numbers_are_the_same_whatever_the_clock_says(self):
        found = results.compare_folders(self.folder("a"), self.folder("b", seconds=2.0))
        self.assertEqual(found["verdict"], "same")
        self.assertEqual(found["digests"]["reference"], found["digests"]["new"])
        self.assertEqual(set(found["digests"]["new"]), {"impacts.csv", "summary.json", "trajectory.h5:t", "trajectory.h5:q",
                         "trajectory.h5:p", "trajectory.h5:energy", "trajectory.h5:momentum", "trajectory.h5:section/t"})

    def test_one_bit_is_rounding_and_its_row_is_named(self):
        found = results.compare_folders(self.folder("a"), self.folder("b", p=lambda n, p: np.nextafter(p, 2) if n >= 7 else p))
        impacts = found["tables"]["impacts.csv"]
        self.assertEqual((found["verdict"], found["files"]), ("rounding", ["impacts.csv"]))
        self.assertEqual((impacts["first row"], impacts["first name"], impacts["first t"]), (7, "p", 0.7))
        self.assertEqual(list(impacts["at rows"]), ["1", "10", "100", "300"])
        self.assertEqual(impacts["at rows"]["1"], 0)
        self.assertAlmostEqual(impacts["at rows"]["10"] * 1.01, 2.0**-52, delta=1e-18)
        self.assertNotIn("diverged at row", impacts)

    def test_chaos_is_told_from_another_method(self):
        def chaos(n, p):
            return p * (1 + min(2e-16 * 1.3**n, 0.5))

        grown = results.compare_folders(self.folder("a"), self.folder("b", p=chaos, impacts=298))
        impacts = grown["tables"]["impacts.csv"]
        self.assertEqual((grown["verdict"], impacts["rows"]), ("rounding, grows", [300, 298]))
        self.assertEqual(impacts["diverged at row"], 86)  # 2e-16 · 1.3^n exceeds 1e-6
        self.assertTrue(1e-7 < impacts["largest before"] <= results.DIVERGED)
        self.assertTrue(1 < impacts["largest jump"] < 3)
        other = results.compare_folders(self.folder("c"), self.folder("d", p=lambda n, p: p * (1 + 1e-9)))
        self.assertEqual(other["verdict"], "other")
        self.assertAlmostEqual(other["tables"]["impacts.csv"]["first difference"], 1e-9, delta=1e-12)

    def test_gaps_and_lengths_count(self):
        swapped = results.compare_folders(self.folder("a"), self.folder("b", gap=lambda n: "wall" if n == 50 else "floor"))
        self.assertEqual(swapped["tables"]["impacts.csv"]["diverged at row"], 50)
        self.assertEqual(swapped["tables"]["impacts.csv"]["first name"], "gap")
        for more in ({"impacts": 299}, {"rows": 999}):
            found = results.compare_folders(self.folder("long " + min(more)), self.folder("short " + min(more), **more))
            self.assertEqual(found["verdict"], "other", more)

    def test_what_is_no_motion_is_measured_by_itself(self):
        energy = results.compare_folders(self.folder("a"), self.folder("b", E=lambda k, E: E + 1e-15 * (k == 3)))
        self.assertEqual(energy["files"], ["trajectory.h5:energy"])
        self.assertEqual((energy["verdict"], energy["tables"]["trajectory.h5:"]["first row"]), ("rounding", 4))
        summary = results.compare_folders(self.folder("c"), self.folder("d", steps=1001))
        self.assertEqual((summary["verdict"], summary["summary"]), ("summary", [["steps", 1000, 1001]]))
        zero = results.compare_folders(self.folder("e"), self.folder("f", E=lambda k, E: E + float("nan") * (k == 3)))
        self.assertEqual(zero["verdict"], "other")

    def test_a_folder_that_is_missing(self):
        self.assertEqual(results.compare_folders(self.folder("a"), os.path.join(self.dir, "none"))["verdict"], "other")
        self.assertEqual(results.compare_folders(*[os.path.join(self.dir, "none")] * 2)["verdict"], "same")

    def test_the_report_has_a_line_for_what_differs(self):
        found = results.compare_folders(self.folder("a"), self.folder("b", p=lambda n, p: p * (1 + 1e-9)))
        said = {"settings": [], "exit": [0, 0], "messages": ["", ""], "refused": False}
        refused = {"name": "no", "settings": [], "exit": [2, 0], "messages": ["no", ""], "refused": True, "verdict": "other"}
        lines, findings = digests.report([{"name": "yes", **said, **found}, {"name": "as is", **said, "verdict": "same"}, refused])
        self.assertIn("2 scenes were flown, 1 are the same", lines[0])
        self.assertEqual(findings, ["digest of yes: other", "digest of no: other"])
        self.assertEqual(sum(line.startswith("yes ") for line in lines), 1)
        self.assertIn("no: exit codes 2, 0", lines)


class Systems(unittest.TestCase):
    def test_a_seed_and_a_number_give_one_text(self):
        texts = [systems.scene(1, number) for number in range(200)]
        self.assertEqual(texts, [systems.scene(1, number) for number in range(200)])
        self.assertEqual(len(set(texts)), 200)
        self.assertNotEqual(texts, [systems.scene(2, number) for number in range(200)])
        code = f"import sys; sys.path.insert(0, {HERE!r}); import systems; print(systems.scene(1, 7), end='')"
        other = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True,
                               env={**os.environ, "PYTHONHASHSEED": "5"})
        self.assertEqual(other.stdout, texts[7])

    def test_the_mixture(self):
        texts = [systems.scene(1, number) for number in range(200)]
        self.assertEqual(sum("friction =" in text for text in texts), 50)
        self.assertEqual(sum("restitution =" in text and "friction =" not in text for text in texts), 50)
        self.assertTrue(20 < sum("lagrangian =" in text for text in texts) < 50)
        for word in set(systems.RULES):
            self.assertTrue(any(f'rule = "{word}"' in text for text in texts), word)
        for word in ("variational", "reflection", "shadow2", "shadow4", "interpolated", "auto"):
            self.assertTrue(any(f'closure = "{word}"' in text for text in texts), word)
        counts = {text.count("[[gap]]") for text in texts}
        self.assertEqual(counts, {1, 2, 3, 4})
        self.assertEqual({text.split("coordinates = [")[1].split("]")[0].count("q") for text in texts}, set(range(1, 7)))

    def test_starts_are_admissible(self):
        for number in range(200):
            text = systems.scene(1, number)
            start = json.loads(text.split("position = ")[1].splitlines()[0])
            names = {f"q{i}": x for i, x in enumerate(start)} | {"t": 0.0}
            for part in text.split("[[gap]]")[1:]:
                formula = part.split('expression = "')[1].split('"')[0]
                self.assertGreaterEqual(systems.value(formula, names), -1e-12, text)


class Crowds(unittest.TestCase):
    """A program that spends what it is told to: the arithmetic of the report, without mechanics."""

    def spends(self, seconds):
        """In place of steps.user_seconds: `seconds(steps)` and an impact in every four steps of 0.01."""
        def user_seconds(program, scene, settings, folder):
            told = dict(setting.split("=") for setting in settings)
            count = round(float(told["time.end"]) / float(told["time.step"]))
            impacted = 0 if "slow" in scene else round(float(told["time.end"]) * 25)
            return seconds(count, impacted), count, impacted

        before, steps.user_seconds = steps.user_seconds, user_seconds
        self.addCleanup(setattr, steps, "user_seconds", before)

    def test_rows_are_divided_by_their_impacts(self):
        self.spends(lambda count, impacted: 0.5 + 3e-6 * count + 7e-6 * impacted)
        found = impacts.row_times("row.toml", 10, 40000, {"reference": "a", "new": "b"}, ".", 2)
        self.assertEqual(found["new impacts"], 9000)
        for label in ("reference", "new"):
            self.assertAlmostEqual(found[label], 4 * 3 + 7)

    def test_start_step_and_impact_of_discs_are_told_apart(self):
        self.spends(lambda count, impacted: 0.5 + 3e-6 * count + 140e-6 * impacted)
        found = impacts.disc_times(["discs.toml", "slow-discs.toml"], 100, 8.0, "b", ".", 2)
        self.assertAlmostEqual(found["start"], 0.5, delta=1e-5)
        self.assertAlmostEqual(found["step"], 3)
        self.assertAlmostEqual(found["impact"], 140)
        with self.assertRaises(RuntimeError):
            impacts.disc_times(["discs.toml", "discs.toml"], 100, 8.0, "b", ".", 2)

    def test_findings(self):
        def told(last, reference, added):
            rows = [{"masses": n, "new": new, "reference": old, "new impacts": 100}
                    for n, new, old in ((10, 2.0, reference), (300, last, 900.0))]
            discs = [{"discs": n, "start": 1, "step": 1, "impact": added, "impacts": 9} for n in (20, 100)]
            return len(impacts.report({"rows": rows, "discs": discs})[1])

        self.assertEqual(told(12.0, 2.0, 150), 0)
        self.assertEqual(told(12.1, 2.0, 150), 1)
        self.assertEqual(told(12.0, 1.9, 150), 1)
        self.assertEqual(told(12.0, 2.0, 151), 1)

    def test_scenes_begin_open(self):
        for text, gaps in ((crowds.row(30), 31), (crowds.discs(10), 4 * 10 + 45)):
            names = [name for name in json.loads(text.split("coordinates = ")[1].splitlines()[0])]
            start = json.loads(text.split("position = ")[1].splitlines()[0])
            formulas = [part.split('expression = "')[1].split('"')[0] for part in text.split("[[gap]]")[1:]]
            self.assertEqual(len(formulas), gaps)
            for formula in formulas:
                self.assertGreater(systems.value(formula, dict(zip(names, start))), 0.04, formula)


class Programs(unittest.TestCase):
    """A program made of a few lines takes the place of ricochet: it tells nothing of mechanics, but of what is compared."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ricochet-")
        self.addCleanup(shutil.rmtree, self.dir, True)

    def program(self, name, lines):
        path = os.path.join(self.dir, name)
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + lines)
        os.chmod(path, stat.S_IRWXU)
        return path

    def test_sentences_of_refusals_are_compared(self):
        programs = {"reference": self.program("a", 'echo "no, said $(basename "$2")" >&2; exit 2\n'),
                    "new": self.program("b", 'echo "no, said $(basename "$2")" >&2; exit 2\n')}
        same = digests.compare(("x", "x.toml", []), programs, self.dir)
        self.assertEqual((same["refused"], same["verdict"], same["exit"]), (True, "same", [2, 2]))
        programs["new"] = self.program("c", "echo other >&2; exit 2\n")
        self.assertEqual(digests.compare(("x", "x.toml", []), programs, self.dir)["verdict"], "message")
        programs["new"] = self.program("d", "mkdir out; exit 0\n")
        self.assertEqual(digests.compare(("x", "x.toml", []), programs, self.dir)["verdict"], "other")

    def test_a_slower_program_is_found(self):
        summary = '''mkdir out; n=10; case "$*" in *time.end=10*) n=20 ;; esac
echo "{\\"steps\\": $n, \\"impacts\\": 0}" > out/summary.json
i=0; while [ $i -lt $((n * %d)) ]; do i=$((i + 1)); done
'''
        programs = {"reference": self.program("a", summary % 10000), "new": self.program("b", summary % 30000)}
        scenes = os.path.join(self.dir, "scenes")
        os.makedirs(scenes)
        open(os.path.join(scenes, "one.toml"), "w").close()
        found = steps.measure([("one", "one", 100, 0.1, [])], scenes, programs, os.path.join(self.dir, "timed"), 3, lambda text: None)
        self.assertGreater(found[0]["ratio"], 1.5)
        lines, findings = steps.report(found)
        self.assertEqual(len(findings), 1)
        self.assertIn("slower", lines[-1])

    def test_costs_are_told(self):
        lines, findings = trees.report({"reference": {"demo": 100.0, "test": 300.0}, "new": {"demo": 104.0, "test": 330.0}})
        self.assertEqual(findings, ["build of make test: 1.100 of the reference"])
        self.assertEqual(len(lines), 4)


class BadUse(unittest.TestCase):
    def refused(self, *arguments):
        done = subprocess.run([sys.executable, "-B", os.path.join(HERE, "against.py"), *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"^against: [A-Z][^\n]*\.\n$")
        return done.stderr

    def test_one_sentence_and_exit_code_2(self):
        self.assertIn("'digest,x'", self.refused("--parts", "digest,steps,x"))
        self.refused("--parts", "")
        self.refused("--runs", "0")
        self.refused("--runs", "many")
        self.refused("--nonsense")
        self.refused("--ref-program", os.path.join(HERE, "none"))
        self.refused("--ref-program", "/bin/true", "--new-program", "/bin/true", "--scenes", "no such scene")
        self.refused("--ref-program", "/bin/true", "--new-program", "/bin/true", "--cases", "no such case")
        self.refused("--ref-program", "/bin/true", "--new-program", "/bin/true", "--json", os.path.join(HERE, "none", "x.json"))

    def test_a_commit_that_is_not_there(self):
        self.assertIn("no commit", self.refused("--reference", "no-such-commit", "--scenes", "star", "--random", "0"))


if __name__ == "__main__":
    unittest.main()
