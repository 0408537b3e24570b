"""Killed, interrupted, resumed: every time readable, at the end the same bytes."""
import filecmp
import json
import os
import random
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time

import h5py
import program
from program import PROGRAM, Case, main, without_clock

KILLS = 50
EVERY = 4
SECONDS = 2.0  # of a processor for the whole run. The first checkpoint comes after a quarter of a second, the next when they
# have cost a twentieth of the time: a slow disk makes them rare, so no test waits for a second one of the same process.


class Resume(Case):
    @classmethod
    def setUpClass(cls):
        cls.reference = tempfile.mkdtemp(prefix="ricochet-")
        cls.addClassCleanup(shutil.rmtree, cls.reference, True)

        def run(end, name):
            cls.scene = ["star", "--set", f"time.end={end}", "--set", f"record.every={EVERY}"]
            before = os.times().children_user
            subprocess.run([PROGRAM, "run", *cls.scene, "--quiet", "--out", f"{cls.reference}/{name}"], check=True)
            return os.times().children_user - before

        # As long as this build on this machine needs it. Other work on the machine makes runs longer, never shorter; what
        # every run costs, its page above all, does not count.
        cost = (run(2200, "longer") - run(200, "short")) / 2000
        run(max(200, round(SECONDS / cost)), "whole")
        with h5py.File(cls.reference + "/whole/trajectory.h5") as f:
            cls.whole = {column: f[column][...] for column in ("t", "q", "p", "energy")}

    def same_as_whole(self, dir):
        for name in ("trajectory.h5", "impacts.csv"):
            self.assertTrue(filecmp.cmp(os.path.join(self.reference, "whole", name), os.path.join(dir, name),
                                        shallow=False), name)
        both = []
        for d in (self.reference + "/whole", dir):
            with open(os.path.join(d, "summary.json")) as f:
                both.append(json.load(f))
        a, b = both
        a, b = without_clock(a), without_clock(b)
        self.assertEqual(a, b)

    def readable(self, dir):
        """Whole lines of impacts, and rows that a copy of the folder gives back: the first ones of the whole run."""
        path = os.path.join(dir, "impacts.csv")
        if os.path.exists(path):
            with open(path) as f:
                lines = f.read().split("\n")
            for line in lines[1:-1]:
                self.assertEqual(line.count(","), lines[0].count(","))
        shutil.copytree(dir, self.path("copy"))
        done = self.call("recover", "copy")
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.path("copy", "trajectory.h5")) as f:
            rows = len(f["t"])
            for column, right in self.whole.items():
                self.assertEqual(len(f[column]), rows)
                self.assertTrue((f[column][...] == right[:rows]).all(), column)
        self.assertIn(f"{rows} rows", done.stdout)
        shutil.rmtree(self.path("copy"))
        return rows

    def is_begun(self, dir):
        """Whether there is anything to resume; before, the folder is absent, or empty but for what is being set up."""
        return any(os.path.exists(os.path.join(dir, name)) for name in ("running", "trajectory.h5"))

    def is_finished(self, dir):
        path = os.path.join(dir, "summary.json")
        if not os.path.exists(path):
            return False
        with open(path) as f:
            return json.load(f)["status"] == "finished"

    def put_right(self, dir):
        """Of a run that was killed behind its summary `resume` does what is left; then it is finished, and refused."""
        def left():
            checkpoint, page = (os.path.exists(os.path.join(dir, name)) for name in ("checkpoint", "report.html"))
            return checkpoint or not page and os.path.exists(self.reference + "/whole/report.html")

        if left():
            done = self.call("resume", dir, "--quiet")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertFalse(left())
        self.refused(self.call("resume", dir), "finished")

    def test_killed_behind_its_summary(self):
        """Before its checkpoint is removed, before its page is made, before it ends."""
        self.killed_at_its_first_checkpoint()
        checkpoint = self.read("o", "checkpoint")
        self.assertEqual(self.call("resume", "o", "--quiet").returncode, 0)
        page = self.path("o", "report.html")
        for with_checkpoint, with_page in ((True, False), (True, True), (False, False), (False, True)):
            if with_checkpoint:
                with open(self.path("o", "checkpoint"), "wb") as f:
                    f.write(checkpoint)
            if not with_page and os.path.exists(page):
                os.remove(page)
            self.assertTrue(self.is_finished(self.path("o")))
            self.put_right(self.path("o"))
            self.same_as_whole(self.path("o"))

    def test_killed_at_random_moments(self):
        """Chains of kills: a run, and what resumes it, and what resumes that, until it comes to its end."""
        generator = random.Random(1)
        kills = resumes = rows = 0
        chain = 0
        while kills < KILLS:
            dir = self.path(f"run{chain}")
            chain += 1
            for link in range(6):  # the last one may end
                command = ("resume", dir) if self.is_begun(dir) else ("run", *self.scene, "--out", dir)
                run = subprocess.Popen([PROGRAM, *command, "--quiet"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
                try:
                    _, said = run.communicate(timeout=generator.uniform(0.002, 0.55) if link < 5 else 300)
                except subprocess.TimeoutExpired:
                    run.send_signal(signal.SIGKILL)
                    _, said = run.communicate()
                resumes += command[0] == "resume"
                if run.returncode != -signal.SIGKILL:  # it was faster than the kill, or was left to end
                    self.assertEqual((run.returncode, said), (0, ""), command)
                    break
                if self.is_finished(dir):
                    self.put_right(dir)
                    break
                kills += 1
                if self.is_begun(dir):
                    rows += self.readable(dir)
                elif os.path.exists(dir):
                    self.refused(self.call("resume", dir), "no run to resume")
                    shutil.rmtree(dir)
            self.same_as_whole(dir)
            shutil.rmtree(dir)
        self.assertGreaterEqual(resumes, kills / 2)
        # A life is 0.28 s in the mean, and each goes on where the last one was: a share of a run, not its first row.
        self.assertGreater(rows, 0.02 * kills * len(self.whole["t"]))

    def start(self, *command):
        return subprocess.Popen([PROGRAM, *command], stdout=subprocess.PIPE, text=True)

    def at_its_next_checkpoint(self, run, dir):
        """Waits for a checkpoint that was not there before: a handler for signals is in place, and rows are on disk."""
        def mark():
            try:
                status = os.stat(os.path.join(dir, "checkpoint"))
                return status.st_ino, status.st_mtime_ns
            except FileNotFoundError:
                return None

        before = self.marks.get(dir)
        self.wait_until(lambda: mark() not in (None, before), "a checkpoint", run)

        def remember():
            self.marks[dir] = mark()
        return remember

    def setUp(self):
        super().setUp()
        self.marks = {}

    def stopped_at_its_next_checkpoint(self, dir, how, *command):
        """What it said. Its folder's checkpoint is the one it left."""
        run = self.start(*command)
        remember = self.at_its_next_checkpoint(run, dir)
        run.send_signal(how)
        said, _ = run.communicate(timeout=60)
        remember()
        self.assertEqual(run.returncode, -how if how == signal.SIGKILL else 130, said)
        return said

    def killed_at_its_first_checkpoint(self):
        self.stopped_at_its_next_checkpoint(self.path("o"), signal.SIGKILL, "run", *self.scene, "--quiet", "--out",
                                            self.path("o"))
        self.assertFalse(os.path.exists(self.path("o", "trajectory.h5")))

    def test_recovered(self):
        """What a killed run had recorded, readable without computing on; and it still goes on to the same bytes."""
        self.killed_at_its_first_checkpoint()
        done = self.call("recover", "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            n = len(f["t"])
            self.assertGreater(n, 100)  # a quarter of a second
            self.assertIn(f"{n} rows", done.stdout)
            for column, right in self.whole.items():
                self.assertTrue((f[column][...] == right[:n]).all(), column)
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

    def test_missing_impacts_are_named(self):
        self.killed_at_its_first_checkpoint()
        os.remove(self.path("o", "impacts.csv"))
        for _ in range(2):
            self.refused(self.call("resume", "o"), "impacts.csv is missing")

    def test_interrupted(self):
        dir = self.path("o")
        steps = 0
        for stop in (signal.SIGINT, signal.SIGTERM):
            command = ("resume", dir) if os.path.exists(dir) else ("run", *self.scene, "--out", dir)
            said = self.stopped_at_its_next_checkpoint(dir, stop, *command)
            self.assertIn("resume", said)
            summary = self.summary("o")
            self.assertEqual(summary["status"], "interrupted")
            self.assertGreater(summary["steps"], steps)  # it went on where the first stopped
            steps = summary["steps"]
            with h5py.File(os.path.join(dir, "trajectory.h5")) as f:
                self.assertEqual(len(f["t"]), 1 + steps // EVERY)
        done = self.call("resume", dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.same_as_whole(dir)

    def test_resume_does_not_begin_again(self):
        """Interrupted after a while, then stopped at once: a run that began again would not be as far."""
        dir = self.path("o")
        run = self.start("run", *self.scene, "--out", dir)
        self.at_its_next_checkpoint(run, dir)()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        steps = self.summary("o")["steps"]
        run = self.start("resume", "--quiet", dir)
        self.wait_until(lambda: os.path.exists(self.path("o", "running", "frames")), "the folder to be taken up", run)
        run.kill()
        run.communicate()
        self.assertGreaterEqual(self.readable(dir), 1 + steps // EVERY)

    def test_overrides_are_remembered(self):
        # the scene has overrides: the whole class depends on it; here the scene file itself vanishes too.
        self.write("mine.toml", program.FLOOR)
        self.stopped_at_its_next_checkpoint(self.path("o"), signal.SIGINT, "run", self.path("mine.toml"), "--set",
                                            "time.end=1e7", "--quiet", "--out", self.path("o"))
        os.remove(self.path("mine.toml"))
        self.stopped_at_its_next_checkpoint(self.path("o"), signal.SIGINT, "resume", "--quiet", self.path("o"))
        self.assertGreater(self.summary("o")["t_end"], 1)  # the file said 1


class LastSecond(Case):
    def test_what_was_seen_a_second_before_a_kill_is_there(self):
        """The progress line says how far a run was; all of it that is older than a second must have come to disk."""
        run, leader = self.start_on_terminal("run", "star", "--out", "o", "--set", "time.end=1e7", "--set",
                                             "record.every=10")
        self.addCleanup(lambda: run.poll() is None and run.kill())
        seen, text, begun = [], b"", None
        while begun is None or time.monotonic() < begun + 2.3:
            if select.select([leader], [], [], 0.05)[0]:
                # what is read now was shown now or earlier: a late reader only asks for less
                now, text = time.monotonic(), text + os.read(leader, 10000)
                begun = begun or now
                *lines, text = text.split(b"\r\033[K")
                seen += [(now, int(n)) for line in lines for n in re.findall(rb" (\d+) steps", line)]
            self.assertIsNone(run.poll(), "it ended by itself")
        killed = time.monotonic()  # before the kill, so that a pause in between asks for less too
        run.kill()
        run.wait(60)
        old = [n for when, n in seen if when < killed - 1]
        self.assertGreater(len(old), 1, seen)
        self.assertGreater(max(old), 1000)
        done = self.call("recover", "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(len(self.columns("o", "t")), 1 + max(old) // 10, (seen, killed))


if __name__ == "__main__":
    main()
