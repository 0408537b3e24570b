"""Killed, interrupted, resumed: every time readable, at the end the same bytes."""
import filecmp
import os
import random
import signal
import subprocess
import sys
import time

import h5py
import program
from program import PROGRAM, Case, main

KILLS = int(sys.argv[sys.argv.index("--kills") + 1]) if "--kills" in sys.argv else 10
SCENE = ["star", "--set", "time.end=5000", "--set", "record.every=4"]


class Resume(Case):
    @classmethod
    def setUpClass(cls):
        import tempfile
        cls.reference = tempfile.mkdtemp(prefix="ricochet-")
        start = time.time()
        subprocess.run([PROGRAM, "run", *SCENE, "--quiet", "--out", cls.reference + "/whole"], check=True)
        cls.duration = time.time() - start

    @classmethod
    def tearDownClass(cls):
        import shutil
        shutil.rmtree(cls.reference, True)

    def same_as_whole(self, dir):
        for name in ("trajectory.h5", "impacts.csv"):
            self.assertTrue(filecmp.cmp(os.path.join(self.reference, "whole", name), os.path.join(dir, name),
                                        shallow=False), name)
        import json
        both = []
        for d in (self.reference + "/whole", dir):
            with open(os.path.join(d, "summary.json")) as f:
                both.append(json.load(f))
        a, b = both
        a.pop("seconds"), b.pop("seconds")
        self.assertEqual(a, b)

    def readable(self, dir):
        """Whole lines of impacts, and a record that the program can take up."""
        path = os.path.join(dir, "impacts.csv")
        if os.path.exists(path):
            with open(path) as f:
                lines = f.read().split("\n")
            for line in lines[1:-1]:
                self.assertEqual(line.count(","), lines[0].count(","))

    def test_killed_at_random_moments(self):
        generator = random.Random(1)
        kills = 0
        while kills < KILLS:
            dir = self.path(f"run{kills}")
            run = subprocess.Popen([PROGRAM, "run", *SCENE, "--quiet", "--out", dir])
            time.sleep(generator.uniform(0.005, 0.9 * self.duration))
            run.send_signal(signal.SIGKILL)
            run.wait()
            kills += 1
            # some of them twice
            if os.path.exists(dir) and generator.random() < 0.5:
                self.readable(dir)
                run = subprocess.Popen([PROGRAM, "resume", "--quiet", dir], stderr=subprocess.DEVNULL)
                time.sleep(generator.uniform(0.005, 0.5 * self.duration))
                run.send_signal(signal.SIGKILL)
                run.wait()
            if not os.path.exists(dir) or not os.listdir(dir):
                continue  # killed before it had begun: nothing to resume
            self.readable(dir)
            done = self.call("resume", "--quiet", dir)
            if done.returncode == 2 and ("finished" in done.stderr or "no run to resume" in done.stderr):
                continue  # it was faster than the kill, or had not set up its folder yet
            self.assertEqual(done.returncode, 0, done.stderr)
            self.same_as_whole(dir)

    def killed_at_its_first_checkpoint(self):
        run = subprocess.Popen([PROGRAM, "run", *SCENE, "--quiet", "--out", self.path("o")])
        while run.poll() is None and not os.path.exists(self.path("o", "checkpoint")):
            time.sleep(0.002)
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.assertFalse(os.path.exists(self.path("o", "trajectory.h5")))

    def test_recovered(self):
        """What a killed run had recorded, readable without computing on; and it still goes on to the same bytes."""
        self.killed_at_its_first_checkpoint()
        done = self.call("recover", "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.path("o", "trajectory.h5")) as f, h5py.File(self.reference + "/whole/trajectory.h5") as g:
            n = len(f["t"])
            self.assertGreater(n, 1000)
            self.assertIn(f"{n} rows", done.stdout)
            for column in ("t", "q", "p", "energy"):
                self.assertTrue((f[column][:] == g[column][:n]).all(), column)
        self.assertEqual(self.call("resume", "o", "--quiet").returncode, 0)
        self.same_as_whole(self.path("o"))
        self.assertEqual(self.call("recover", "o").returncode, 0)  # nothing to do, nothing done
        self.same_as_whole(self.path("o"))
        self.refused(self.call("recover", "absent"), "absent")

    def test_damaged_frames_are_refused(self):
        self.killed_at_its_first_checkpoint()
        frames = self.path("o", "running", "frames")
        for size in (os.path.getsize(frames) // 2, 1000, 0):
            os.truncate(frames, size)
            for command in ("resume", "recover", "report", "audit"):
                self.refused(self.call(command, "o"), "frames ends before its last row")
        self.assertEqual(os.path.getsize(frames), 0)

    def test_interrupted(self):
        dir = self.path("o")
        for stop in (signal.SIGINT, signal.SIGTERM):
            run = subprocess.Popen([PROGRAM, *(("resume", dir) if os.path.exists(dir) else
                                               ("run", *SCENE, "--out", dir))], stdout=subprocess.PIPE, text=True)
            time.sleep(0.2 * self.duration)
            run.send_signal(stop)
            said, _ = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 130, said)
            self.assertIn("resume", said)
            self.assertEqual(self.summary("o")["status"], "interrupted")
            with h5py.File(os.path.join(dir, "trajectory.h5")) as f:
                self.assertGreater(len(f["t"]), 10)
        done = self.call("resume", dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.same_as_whole(dir)

    def test_overrides_are_remembered(self):
        # SCENE has overrides: the whole class depends on it; here the scene file itself vanishes too.
        self.write("mine.toml", program.FLOOR)
        run = subprocess.Popen([PROGRAM, "run", "mine.toml", "--set", "time.end=1e5", "--quiet", "--out", "o"],
                               cwd=self.dir)
        time.sleep(0.4)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 130)
        os.remove(self.path("mine.toml"))
        run = subprocess.Popen([PROGRAM, "resume", "o", "--quiet"], cwd=self.dir)
        time.sleep(0.4)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 130)


if __name__ == "__main__":
    main()
