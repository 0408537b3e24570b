"""What a run leaves: the numbers of the papers, the same bytes twice, and at what price."""
import csv
import filecmp
import subprocess
import sys
import time

import h5py
from program import FLOOR, PROGRAM, SANITIZED, Case, main, without_clock


class Star(Case):
    def test_first_impacts(self):
        self.run_scene("star", "--out", "o", "--set", "time.end=3.1")
        with open(self.path("o", "impacts.csv")) as f:
            rows = list(csv.DictReader(f))
        # Computed independently of this program, for Fetecau et al. (2003), section 4.3.
        expected = [(0.755638888491, 3.778194442455, 7.384565977514, -0.795958546861, 1e-11),
                    (2.262776477297, -4.164110959624, 3.634158988474, -2.628834700072, 1e-11),
                    (3.028490579048, -17.491134193945, 6.816421397461, 1.470953543099, 1e-9)]
        self.assertEqual(len(rows), 3)
        for row, (t, theta, py, ptheta, tolerance) in zip(rows, expected):
            self.assertAlmostEqual(float(row["t"]), t, delta=tolerance)
            self.assertAlmostEqual(float(row["q_theta"]), theta, delta=tolerance)
            self.assertAlmostEqual(float(row["p_plus_y"]), py, delta=tolerance)
            self.assertAlmostEqual(float(row["p_plus_theta"]), ptheta, delta=tolerance)
            # p+ = p- + λ∇φ with ∂φ/∂y = 1, and H before and after as the columns say
            self.assertAlmostEqual(float(row["p_plus_y"]) - float(row["p_minus_y"]), float(row["multiplier"]), delta=1e-13)
            inertia = 29 / 192
            for side in ("minus", "plus"):
                p = [float(row[f"p_{side}_{k}"]) for k in ("x", "y", "theta")]
                H = (p[0]**2 + p[1]**2 + p[2]**2 / inertia) / 2 + 9.81 * float(row["q_y"])
                self.assertAlmostEqual(H, float(row["energy_before" if side == "minus" else "energy_after"]), delta=1e-12)
        self.assertEqual([row["gap"] for row in rows], ["corner 3", "corner 2", "corner 0"])

    def test_trajectory(self):
        self.run_scene("star", "--out", "o", "--set", "time.end=1")
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            self.assertEqual(f["q"].shape, (201, 3))
            self.assertEqual(f["gaps"].shape, (201, 4))
            self.assertEqual(f["momentum"].shape, (201, 1))
            for k in (0, 100, 200):
                self.assertAlmostEqual(f["t"][k], 0.005 * k, delta=1e-15)
                p, q = f["p"][k], f["q"][k]
                H = (p[0]**2 + p[1]**2 + p[2]**2 * 192 / 29) / 2 + 9.81 * q[1]
                self.assertAlmostEqual(f["energy"][k], H, delta=1e-12)
                self.assertAlmostEqual(f["momentum"][k][0], -2, delta=1e-15)

    def test_twice_the_same(self):
        for out in ("a", "b"):
            begun = int(time.time())
            self.run_scene("star", "--out", out, "--set", "time.end=50")
            # in another second, so that the time of day cannot be the same in both (HDF5 likes to write it down)
            self.wait_until(lambda: int(time.time()) > begun, "the next second")
        for name in ("trajectory.h5", "impacts.csv"):
            self.assertTrue(filecmp.cmp(self.path("a", name), self.path("b", name), shallow=False), name)
        a, b = self.summary("a"), self.summary("b")
        a, b = without_clock(a), without_clock(b)
        self.assertEqual(a, b)


class Memory(Case):
    def peak(self, impacts):
        """Of the whole program, in bytes: run, record, report and all. What starts it is small: its size counts too."""
        start = "import os, sys; _, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0); " \
            "print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)"
        done = subprocess.run([sys.executable, "-S", "-c", start, PROGRAM, "run", "circle", "--quiet", "--set",
                               "record.every=0", "--set", f"time.impacts={impacts}", "--out", str(impacts)],
                              cwd=self.dir, capture_output=True, text=True, timeout=1800)
        code, kilobytes = done.stdout.split()
        self.assertEqual(code, "0", done.stderr)
        self.assertEqual(self.summary(str(impacts))["impacts"], impacts)
        return 1024 * int(kilobytes)

    def test_does_not_grow_with_the_run(self):
        if SANITIZED:
            self.skipTest("the address sanitizer keeps what was freed")
        # 60000 impacts more, 20 MB of impacts.csv; pools of the allocator, buffers that fill later: a megabyte or two
        self.assertLess(self.peak(80000) - self.peak(20000), 5e6)


class Impacts(Case):
    def test_gaps_that_only_round_are_not_listed(self):
        """A table lands while its two supports rest; the third gap is a sum of two that are held already."""
        self.write("s.toml", """[time]
step = 0.01
end = 0.5
[system]
coordinates = ["y", "a", "b"]
mass = [1.3, 0.7, 0.9]
potential = "9.81*(1.3*y + 0.7*a + 0.9*b)"
position = [0.5, 0, 0]
[impact]
law = "newton"
restitution = 0
""" + "".join(f'[[gap]]\nname = "{name}"\nexpression = "{gap}"\n' for name, gap in (
            ("l", "y - 0.3*a - 0.1*b"), ("fa", "a"), ("fb", "b"), ("fab", "0.3*a + 0.7*b"))))
        self.run_scene("s.toml", "--out", "o")
        with open(self.path("o", "impacts.csv")) as f:
            rows = list(csv.DictReader(f))
        self.assertTrue(any("+" in row["gap"] for row in rows))
        for row in rows:
            impulses = [float(x) for x in row["multiplier"].split(";")]
            self.assertGreater(min(impulses), 1e-13 * max(impulses), row["gap"])


class Summary(Case):
    def test_keys(self):
        self.run_scene("star", "--out", "o", "--set", "time.end=5")
        s = self.summary("o")
        keys = list(s)
        self.assertEqual(keys[:13], ["status", "steps", "impacts", "t_end", "energy", "discrete_energy", "momentum",
                                     "min_gap", "fallbacks", "closure", "rule", "seconds", "version"])
        self.assertEqual((s["status"], s["steps"], s["closure"], s["rule"]),
                         ("finished", 1000, "variational", "trapezoid"))
        self.assertEqual(set(s["energy"]), {"initial", "final", "min", "max", "max_relative_error", "relative_to_initial"})
        self.assertEqual(s["fallbacks"]["reflection"], 0)
        self.assertGreater(s["min_gap"], -1e-12)

    def test_contacts_and_accumulations(self):
        self.run_scene("resting-ball", "--out", "o")
        s = self.summary("o")
        accumulations, contacts = s["accumulations"], s["contacts"]
        self.assertEqual(len(accumulations), 1)
        self.assertEqual(accumulations[0]["gap"], "floor")
        self.assertAlmostEqual(accumulations[0]["t"], 1.3545709229571927, delta=1e-8)
        self.assertEqual(len(contacts), 1)
        self.assertIsNone(contacts[0]["to"])

    def test_stroboscope_and_section(self):
        self.write("s.toml", FLOOR + '[record]\nevery = 0\nstroboscope = 0.1\nsection = "y - 0.5"\n')
        self.run_scene("s.toml", "--out", "o")
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            self.assertEqual(len(f["t"]), 0)
            self.assertEqual(len(f["stroboscope"]["t"]), 11)
            self.assertEqual(len(f["section"]["t"]), 2)
            for q in f["section"]["q"]:
                self.assertAlmostEqual(q[1], 0.5, delta=1e-13)


if __name__ == "__main__":
    main()
