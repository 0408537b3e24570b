"""A kind of body that is its folder and a line in the list of kinds has scenes, records, resume, page and Python."""
import csv
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, MODULE, PACKAGE = (os.path.abspath(p) for p in sys.argv[1:4])
ROOT = pathlib.Path(__file__).resolve().parents[2]
ROTOR = """[time]
step = 0.05
end = 30
[parameters]
k = 4
[rotor]
inertia = 1
stiffness = "k"
stop = 0.5
angle = -1
"""
# Rooms in which a kind of body may be named: its own folders, and the list.
NAMED_IN = re.compile(r"(bodies/(bars|beam|particles)|(model|scene)/(bars|beams|bar_|beam_|registry|derivatives_bars)|CMakeLists|README|tangent/bars|"
                      r"observe/beam|principle/beam_run|scene/(derivatives_factory|factory))")


class Kind(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ricochet-")
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.write("r.toml", ROTOR)

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w") as f:
            f.write(text)

    def call(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=self.dir, capture_output=True, text=True, timeout=300)

    def run_scene(self, *arguments):
        done = self.call("run", "r.toml", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.load(open(os.path.join(self.dir, arguments[arguments.index("--out") + 1], "summary.json")))

    def impacts(self, out):
        with open(os.path.join(self.dir, out, "impacts.csv")) as f:
            return [float(row["t"]) for row in csv.DictReader(f)]

    # θ = −cos 2t from rest reaches ½ at 2t = 2π/3 and leaves with the spin turned round: the motion between two impacts
    # is symmetric about its turning point at −1, so the next one comes 2·(2π/3)/2 later, and so on.
    def test_times_of_impacts(self):
        summary = self.run_scene("--out", "out")
        times, first = self.impacts("out"), math.pi / 3
        self.assertGreater(len(times), 13)
        for n, t in enumerate(times):
            self.assertAlmostEqual(t, first * (1 + 2 * n), delta=1e-11)
        self.assertLess(summary["energy"]["max_relative_error"], 1e-13)
        self.assertEqual(summary["rotor"][0]["name"], "rotor")
        self.assertEqual(summary["law"], "elastic")

    # Newton's law scales the spin at the stop by e: the energy left over ½kθ² there falls by e².
    def test_restitution(self):
        self.write("r.toml", ROTOR + "restitution = 0.5\n")
        summary = self.run_scene("--out", "out", "--set", "time.impacts=1", "--set", "time.end=2")
        self.assertAlmostEqual(summary["energy"]["final"], 0.5 + 0.25 * 1.5, delta=1e-12)
        self.assertAlmostEqual(summary["energy_dissipated"], 0.75 * 1.5, delta=1e-12)

    def test_bad_input_has_a_place(self):
        for text, words in ((ROTOR.replace("inertia = 1", "inertia = -1"), ["r.toml:7:11", "positive"]),
                            (ROTOR.replace("stop = 0.5", "stpo = 0.5"), ["r.toml:9:1", "stop"]),
                            (ROTOR.replace("angle = -1", "angle = 1"), ["r.toml:6:1", "stop"]),
                            (ROTOR + "[system]\n", ["rotor", "system"])):
            self.write("r.toml", text)
            done = self.call("check", "r.toml")
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)

    def test_record_and_page(self):
        import h5py
        self.run_scene("--out", "out")
        with h5py.File(os.path.join(self.dir, "out", "trajectory.h5")) as f:
            self.assertEqual(f["q"].shape[0], f["rotor/torque"].shape[0])
            for q, torque in zip(f["q"][:, 0], f["rotor/torque"][:]):
                self.assertAlmostEqual(torque, -4 * q, delta=1e-14)
        if os.path.exists(os.path.join(PACKAGE, "ricochet", "template.html")):  # built where there is a recent node
            with open(os.path.join(self.dir, "out", "report.html")) as f:
                page = f.read()
            self.assertTrue('"name":"rotor"' in page and '"gaps":["stop"]' in page)

    def test_resume_gives_the_same_bytes(self):
        self.write("r.toml", ROTOR.replace("end = 30", "end = 6e5"))
        settings = ["--set", "record.every=0"]
        self.assertEqual(self.call("run", "r.toml", "--out", "whole", *settings).returncode, 0)
        child = subprocess.Popen([PROGRAM, "run", "r.toml", "--out", "cut", *settings], cwd=self.dir,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            time.sleep(0.01)
            if os.path.exists(os.path.join(self.dir, "cut", "checkpoint")) or child.poll() is not None:
                break
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(60), 130)
        done = self.call("resume", "cut")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.dir, "whole", "impacts.csv"), "rb") as a:
            with open(os.path.join(self.dir, "cut", "impacts.csv"), "rb") as b:
                self.assertEqual(a.read(), b.read())

    def test_derivatives_are_refused_in_one_sentence(self):
        done = self.call("lyapunov", "r.toml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("rotors", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_python(self):
        package = os.path.join(self.dir, "site", "ricochet")
        shutil.copytree(os.path.join(PACKAGE, "ricochet"), package, ignore=shutil.ignore_patterns("_core*.so"))
        shutil.copy(MODULE, package)
        code = ("import ricochet; r = ricochet.run('r.toml'); print(r.summary['impacts'], r.impacts['t'][0], "
                "r.fields['rotor/torque'][0])")
        done = subprocess.run([sys.executable, "-B", "-c", code], cwd=self.dir, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.path.join(self.dir, "site")}, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        impacts, first, torque = done.stdout.split()
        self.assertEqual(int(impacts), 14)
        self.assertAlmostEqual(float(first), math.pi / 3, delta=1e-11)
        self.assertAlmostEqual(float(torque), 4, delta=1e-14)


class Names(unittest.TestCase):
    def test_kinds_are_named_in_their_rooms_only(self):
        found = []
        for room in ("src/ricochet", "python/src", "viewer/src"):
            for path in sorted((ROOT / room).rglob("*.[chj]*")):
                name = str(path.relative_to(ROOT))
                if NAMED_IN.search(name):
                    continue
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    code = line.split("//")[0]
                    if re.search(r"\b(bars|beams)\b|\b(Bar|Beam)[A-Z]", re.sub(r'"[^"]*"', "", code)):
                        found.append(f"{name}:{number}: {line.strip()}")
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
