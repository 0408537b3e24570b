"""The program under test, and folders that vanish."""
import csv
import hashlib
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, SCENES = (os.path.abspath(p) for p in sys.argv[1:3])
with open(PROGRAM, "rb") as f:
    SANITIZED = b"__asan_init" in f.read()

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


def without_clock(summary):
    """What two runs of one scene share: all but the seconds, and the digest of the text they stand in."""
    digests = {name: digest for name, digest in summary["digests"].items() if name != "summary.json"}
    return {**summary, "digests": digests, "seconds": None}


def fnv(data):
    """FNV-1a, as the files of a record have it."""
    h = 14695981039346656037
    for byte in data:
        h = (h ^ byte) * 1099511628211 % 2**64
    return h


def sealed(summary):
    """The text of a summary.json that somebody else has written, with its own digest at its end."""
    digests = {name: digest for name, digest in summary["digests"].items() if name != "summary.json"}
    rest = {key: value for key, value in summary.items() if key != "digests"}
    text = json.dumps({**rest, "digests": {**digests, "summary.json": "?"}}, indent=2) + "\n"
    front, _, end = text.rpartition("?")
    return f"{front}{fnv(front.encode()):016x}{end}"


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
        return subprocess.run([PROGRAM, *arguments], cwd=self.dir, capture_output=True, text=True, timeout=1800,
                              **options)

    def run_scene(self, *arguments):
        done = self.call("run", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def summary(self, *parts):
        with open(self.path(*parts, "summary.json")) as f:
            return json.load(f)

    def impacts(self, *parts):
        """The rows of impacts.csv: numbers; the texts of `gap` and of several multipliers as they are."""
        def number(text):
            try:
                return float(text)
            except ValueError:
                return text

        with open(self.path(*parts, "impacts.csv")) as f:
            return [{k: v if k == "gap" else number(v) for k, v in row.items()} for row in csv.DictReader(f)]

    def columns(self, out, *names):
        """Columns of trajectory.h5."""
        import h5py
        with h5py.File(self.path(out, "trajectory.h5")) as f:
            found = [f[name][...] for name in names]
        return found if len(found) > 1 else found[0]

    def hashes(self, *parts):
        """Of every file below a folder, by its path."""
        found = {}
        for folder, _, files in os.walk(self.path(*parts)):
            for name in files:
                path = os.path.join(folder, name)
                with open(path, "rb") as f:
                    found[os.path.relpath(path, self.dir)] = hashlib.sha256(f.read()).hexdigest()
        return found

    def start_on_terminal(self, *arguments, term="xterm"):
        """The program with its errors on a terminal: the process, and the end from which we read what it shows."""
        environment = {k: v for k, v in os.environ.items() if k != "TERM"}
        if term is not None:
            environment["TERM"] = term
        leader, follower = pty.openpty()
        run = subprocess.Popen([PROGRAM, *arguments], cwd=self.dir, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=follower)
        os.close(follower)
        self.addCleanup(os.close, leader)
        return run, leader

    def shown_on_terminal(self, *arguments, term="xterm"):
        """Everything a run that succeeds shows there."""
        run, leader = self.start_on_terminal(*arguments, term=term)
        shown = b""
        try:
            while part := os.read(leader, 10000):
                shown += part
        except OSError:  # how Linux says that nobody holds the other end any more
            pass
        self.assertEqual(run.wait(60), 0, shown)
        return shown

    def wait_until(self, condition, what, run=None, seconds=60):
        """Waits for a condition, not for a time: the limit is for a program that hangs. A `run` must not end first."""
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"waited {seconds} s for {what}")
            if run is not None and run.poll() is not None and not condition():
                self.fail(f"the run ended with {run.returncode} before {what}")
            time.sleep(0.002)

    def wait_for_its_first_checkpoint(self, run, out):
        """A run looks for a quarter of a second to have passed since its start. It spends that time stopped: a machine,
        however fast, has not come to the end of a run of a hundred milliseconds by then."""
        self.wait_until(lambda: os.path.exists(self.path(out, "running")), "its records", run)
        time.sleep(0.01)
        run.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        run.send_signal(signal.SIGCONT)
        self.wait_until(lambda: os.path.exists(self.path(out, "checkpoint")), "a checkpoint", run)

    def resume_bit_for_bit(self, whole, scene, *more):
        """Interrupts and kills a run at its first checkpoint; what `resume` makes of it is the run in the folder `whole`."""
        for how in (signal.SIGINT, signal.SIGKILL):
            out = f"{whole}-{how.name}"
            run = subprocess.Popen([PROGRAM, "run", scene, "--out", out, "--quiet", *more], cwd=self.dir,
                                   stderr=subprocess.DEVNULL)
            self.wait_for_its_first_checkpoint(run, out)
            run.send_signal(how)
            self.assertEqual(run.wait(60), -how if how == signal.SIGKILL else 130, out)
            done = self.call("resume", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            fields = ["fields.xdmf"] if os.path.exists(self.path(whole, "fields.xdmf")) else []
            for name in ("trajectory.h5", "impacts.csv", *fields):
                self.assertEqual(self.read(whole, name), self.read(out, name), f"{out} {name}")
            a, b = self.summary(whole), self.summary(out)
            a, b = without_clock(a), without_clock(b)
            self.assertEqual(a, b)

    def refused(self, done, *words):
        """Exit 2, one sentence."""
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)


def main():
    # the arguments of the program are not those of unittest
    done = unittest.main(argv=sys.argv[:1], exit=False).result
    for test, why in done.skipped:  # scripts/run-tests names them: the suite as a whole has passed
        print(f"skipped inside: {test.id().removeprefix('__main__.')}: {why}")
    sys.exit(not done.wasSuccessful())
