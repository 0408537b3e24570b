"""What lies in a folder after a kill, a refusal or a failure: nothing missing that nobody brings back, nothing taken
apart, nothing of another run; and exit codes that say whose fault it was."""
import os
import shutil
import signal
import subprocess

import h5py
from program import FLOOR, PROGRAM, Case, main, sealed

BAR = """[time]
step = 0.01
end = 1
[[bar]]
name = "A"
length = 1
elements = 20
mass = 1
modulus = 1
position = 0
velocity = 0.5
"""

# the potential ends at x = 1, which is reached at t = 0.79, far from the gap
FAILING = """[time]
step = 0.01
end = 10
[system]
coordinates = ["x"]
mass = [1]
potential = "sqrt(1-x)"
position = [0]
velocity = [1]
"""
GAP = '[[gap]]\nname = "floor"\nexpression = "x+5"\n'
DERIVATIVES = '[derivatives]\nwith_respect_to = ["position"]\n'


class Folders(Case):
    def start(self, *arguments):
        run = subprocess.Popen([PROGRAM, *arguments], cwd=self.dir, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: run.poll() is None and run.kill())
        return run

    def stop_when_there(self, run, how, *parts):
        self.wait_until(lambda: os.path.exists(self.path(*parts)), parts[-1], run)
        run.send_signal(how)
        run.wait(60)

    def done(self, *arguments):
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class Fields(Folders):
    def test_they_are_there_when_the_summary_is(self):
        # ten thousand grids: a summary written first would be seen, and the run killed, long before they are
        self.write("s.toml", BAR.replace("elements = 20", "elements = 2").replace("end = 1", "end = 100") +
                   "[record]\nfields_every = 1\n")
        self.stop_when_there(self.start("run", "s.toml", "--out", "o", "--quiet"), signal.SIGKILL, "o", "summary.json")
        self.assertEqual(self.summary("o")["status"], "finished")
        self.assertIn(b"</Xdmf>", self.read("o", "fields.xdmf"))

    def test_recovered(self):
        self.run_scene(self.write("s.toml", BAR), "--out", "o", "--quiet")
        before = self.read("o", "fields.xdmf")
        os.remove(self.path("o", "fields.xdmf"))
        self.assertNotIn("resume", self.done("recover", "o"))
        self.assertEqual(self.read("o", "fields.xdmf"), before)


class Derivatives(Folders):
    def setUp(self):
        super().setUp()
        self.run_scene(self.write("s.toml", FLOOR + DERIVATIVES), "--out", "o", "--quiet")

    def test_killed_between_them_and_the_summary(self):
        whole = self.summary("o")
        less = {key: value for key, value in whole.items() if key != "irregular_derivatives"}
        self.assertNotEqual(less, whole)
        self.write("o/summary.json", sealed(less))
        self.assertIn("ricochet resume o", self.done("recover", "o"))
        self.done("resume", "o")
        self.assertEqual(self.summary("o"), whole)
        self.refused(self.call("resume", "o"), "finished")
        self.assertNotIn("resume", self.done("recover", "o"))

    def test_recover_says_that_they_are_missing(self):
        os.remove(self.path("o", "derivatives.h5"))
        said = self.done("recover", "o")
        self.assertIn("derivatives are missing", said)
        self.assertIn("ricochet resume o", said)
        self.done("resume", "o")
        self.assertTrue(os.path.exists(self.path("o", "derivatives.h5")))


class Page(Folders):
    def test_killed_before_it(self):
        """As a kill between summary.json and report.html leaves it."""
        self.run_scene(self.write("s.toml", FLOOR), "--out", "o", "--quiet")
        if not os.path.exists(self.path("o", "report.html")):
            self.skipTest("this build has no page")
        before = self.hashes("o")
        for quiet in ((), ("--quiet",)):
            os.remove(self.path("o", "report.html"))
            said = self.done("recover", "o")
            self.assertIn("its page is missing", said)
            self.assertIn("ricochet resume o", said)
            words = "" if quiet else "The run is finished, its page was missing. To look at it: o/report.html\n"
            self.assertEqual(self.done("resume", "o", *quiet), words)
            self.assertEqual(self.hashes("o"), before)
        self.refused(self.call("resume", "o"), "finished")
        self.assertNotIn("resume", self.done("recover", "o"))


class Refused(Folders):
    def test_resume_without_its_impacts(self):
        self.write("s.toml", FLOOR)
        run = self.start("run", "s.toml", "--set", "time.end=1e7", "--out", "whole")
        self.stop_when_there(run, signal.SIGINT, "whole", "checkpoint")
        self.assertEqual(self.summary("whole")["status"], "interrupted")
        text = self.read("whole", "impacts.csv")
        self.assertGreater(text.count(b"\n"), 2)
        other = text.replace(b"energy_before", b"energy_bevore", 1)
        for damaged in (None, b"", text[:100], text[:-1], text[:-1] + b"?", other):
            shutil.copytree(self.path("whole"), self.path("o"))
            os.remove(self.path("o", "impacts.csv"))
            if damaged is not None:
                with open(self.path("o", "impacts.csv"), "wb") as f:
                    f.write(damaged)
            before = self.hashes("o")
            self.refused(self.call("resume", "o"), "o/impacts.csv")
            self.assertEqual(self.hashes("o"), before)
            if damaged is None:
                self.done("recover", "o")
            else:
                self.refused(self.call("recover", "o"), "o/impacts.csv")
            self.assertEqual(self.hashes("o"), before)
            shutil.rmtree(self.path("o"))
        steps = self.summary("whole")["steps"]
        run = self.start("resume", "whole", "--quiet")  # what was not damaged goes on
        mark = os.stat(self.path("whole", "checkpoint")).st_mtime_ns
        self.wait_until(lambda: os.stat(self.path("whole", "checkpoint")).st_mtime_ns != mark, "a checkpoint", run)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 130)
        self.assertGreater(self.summary("whole")["steps"], steps)


class Recover(Folders):
    def test_without_a_checkpoint(self):
        """As a kill leaves it that comes before the first checkpoint."""
        self.run_scene(self.write("s.toml", FLOOR), "--out", "o", "--quiet")
        whole = self.read("o", "trajectory.h5")
        os.remove(self.path("o", "summary.json"))
        said = self.done("recover", "o")
        self.assertIn("no checkpoint", said)
        self.assertIn("ricochet resume o", said)
        self.done("resume", "o", "--quiet")
        self.assertEqual(self.read("o", "trajectory.h5"), whole)
        self.assertNotIn("resume", self.done("recover", "o"))


class Overwritten(Folders):
    def test_nothing_of_the_old_run_stays_beside_the_new_one(self):
        self.run_scene(self.write("bar.toml", BAR), "--out", "o", "--quiet")
        for name in ("report.html", "fields.xdmf"):
            self.assertTrue(os.path.exists(self.path("o", name)))
        self.write("s.toml", FLOOR)
        run = self.start("run", "s.toml", "--set", "time.end=1e7", "--out", "o", "--overwrite")
        self.stop_when_there(run, signal.SIGKILL, "o", "checkpoint")
        self.assertEqual(sorted(os.listdir(self.path("o"))), ["checkpoint", "impacts.csv", "running"])

    def test_tables_are_replaced_as_a_whole(self):
        self.write("s.toml", FLOOR)
        command = ("converge", "s.toml", "--steps", "0.02,0.01", "--out", "o")
        self.done(*command)
        before = self.read("o", "converge.csv")
        os.link(self.path("o", "converge.csv"), self.path("kept"))  # a file truncated in place would change under it
        self.done(*command[:3], "0.04,0.02", *command[4:], "--overwrite")
        self.assertNotEqual(self.read("o", "converge.csv"), before)
        self.assertEqual(self.read("kept"), before)

    def test_what_a_kill_left_of_a_table_is_no_obstacle(self):
        self.write("s.toml", FLOOR)
        command = ("converge", "s.toml", "--steps", "0.02,0.01", "--out")
        os.mkdir(self.path("o"))
        self.write("o/converge.csv.tmp", "")
        self.done(*command, "o")
        self.write("o/converge.svg.tmp", "<svg")
        self.refused(self.call(*command, "o"), "--overwrite")
        self.done(*command, "o", "--overwrite")
        self.assertEqual(sorted(os.listdir(self.path("o"))), ["converge.csv", "converge.svg"])
        self.write("o/notes.tmp", "mine")
        self.refused(self.call(*command, "o", "--overwrite"), "o is not empty")


class Failed(Folders):
    commands = (("run",), ("lyapunov",), ("orbit", "--period", "2"), ("compare",), ("converge",))

    def test_exit_codes(self):
        """1 for a run that failed, with its time; 2 for bad input."""
        self.write("fails.toml", FAILING + GAP)
        self.write("bad.toml", FAILING.replace("mass", "maas"))
        self.write("start.toml", FAILING + GAP.replace("x+5", "x-5"))
        self.write("mass.toml", FAILING.replace("mass = [1]", "mass = [-1]"))
        for name, *more in self.commands:
            done = self.call(name, "fails.toml", *more)
            self.assertEqual(done.returncode, 1, (name, done.stderr))
            self.assertRegex(done.stderr, r"\(t = 0\.7\d*\)|at t = 0\.7", name)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            for bad in ("bad.toml", "start.toml", "mass.toml"):
                self.refused(self.call(name, bad, *more), bad)

    def test_advice_only_where_it_may_help(self):
        advice = "if the potential is not defined behind the gaps"
        for text, expected in ((FAILING + GAP, True), (FAILING, False),
                               (FAILING + GAP + '[integrator]\nclosure = "variational"\n', False)):
            self.write("s.toml", text)
            done = self.call("run", "s.toml", "--out", "o", "--overwrite")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(advice in done.stderr, expected, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


class Named(Folders):
    def test_the_record_names_the_closure_that_was_flown(self):
        self.run_scene(self.write("s.toml", FLOOR), "--out", "o", "--quiet")
        flown = self.summary("o")["closure"]
        self.assertNotEqual(flown, "auto")
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            word = f.attrs["closure"]
        self.assertEqual(word.decode() if isinstance(word, bytes) else word, flown)

    def test_the_weak_principle_has_none(self):
        self.write("s.toml", FLOOR)
        self.assertIn(" closure", self.done("check", "s.toml"))
        self.assertNotIn("closure", self.done("check", "s.toml", "--set", "integrator.principle=weak"))

    def test_converge_of_bars(self):
        """A free bar: its centre is at 0.5 + 0.5 t."""
        self.write("s.toml", BAR)
        self.write("r.csv", "t,A\n0,0.5\n0.5,0.75\n1,1\n")
        said = self.done("converge", "s.toml", "--reference", "r.csv", "--out", "o")
        self.assertIn("at the end", said.splitlines()[0])
        self.assertNotIn("samples", said)
        rows = [line.split(",") for line in self.read("o", "converge.csv").decode().splitlines()[1:]]
        self.assertEqual([row[0] for row in rows], ["redistributed"] * 4)
        for row in rows:
            self.assertLess(float(row[2]), 1e-12)  # eight hundred roundings of numbers below 1
        self.assertIn("located", self.done("converge", "s.toml", "--set", "contact.scheme=located", "--out", "l"))
        self.write("early.csv", "t,A\n0,0.5\n0.5,0.75\n")
        done = self.call("converge", "s.toml", "--reference", "early.csv", "--out", "e")
        self.refused(done, "early.csv:3: ", "at the end")


if __name__ == "__main__":
    main()
