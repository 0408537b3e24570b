"""What goes wrong on the way: the exit code says whose fault it was, the sentence what is left, and nothing is lost."""
import gzip
import json
import os
import resource
import shutil
import signal
import subprocess

import h5py

import program
from program import FLOOR, PROGRAM, SANITIZED, SCENES


def limit(size):
    """As a full disk: no file may grow beyond this."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Full(program.Case):
    def one_sentence(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_audit_keeps_the_findings_that_were_there(self):
        self.write("s.toml", FLOOR)
        self.run_scene("s.toml", "--out", "o")
        for option, name in (("--json", "f.json"), ("--html", "f.html")):
            self.assertEqual(self.call("audit", "o", option, name).returncode, 0)
            good = self.read(name)
            self.one_sentence(self.call("audit", "o", option, name, preexec_fn=limit(100)), 2,
                              f"cannot write {name}: File too large")
            self.assertEqual(self.read(name), good)
        self.assertEqual(sorted(os.listdir(self.dir)), ["f.html", "f.json", "o", "s.toml"])

    def test_audit_writes_where_it_is_told(self):
        self.write("s.toml", FLOOR)
        self.run_scene("s.toml", "--out", "o")
        self.write("real.json", "old")
        self.write("real.json.tmp", "precious")
        os.chmod(self.path("real.json"), 0o640)
        os.symlink("real.json", self.path("link.json"))
        self.assertEqual(self.call("audit", "o", "--json", "link.json").returncode, 0)
        self.assertTrue(os.path.islink(self.path("link.json")))
        self.assertTrue(self.read("real.json").startswith(b"{"))
        self.assertEqual(self.read("real.json.tmp"), b"precious")
        self.assertEqual(os.stat(self.path("real.json")).st_mode & 0o777, 0o640)
        done = self.call("audit", "o", "--quiet", "--json", "/dev/stdout")
        self.assertEqual(done.stdout.encode(), self.read("real.json"))
        with open(self.path("all"), "w") as f:  # behind what is said, not over it
            subprocess.run([PROGRAM, "audit", "o", "--json", "/dev/stdout"], cwd=self.dir, stdout=f, check=True)
        self.assertEqual(self.read("all"), self.call("audit", "o").stdout.encode() + self.read("real.json"))
        os.symlink("later.json", self.path("ahead.json"))  # to nothing yet
        self.assertEqual(self.call("audit", "o", "--json", "ahead.json").returncode, 0)
        self.assertTrue(os.path.islink(self.path("ahead.json")))
        self.assertEqual(self.read("later.json"), self.read("real.json"))
        self.refused(self.call("audit", "o", "--json", "absent/f.json"), "absent/f.json: No such file")
        self.refused(self.call("audit", "o", "--json", "o"), "cannot write o: Is a directory")

    def test_audit_does_not_write_over_what_it_reads(self):
        self.write("s.toml", FLOOR)
        self.run_scene("s.toml", "--out", "o")
        self.write("m.csv", "t,x,y\n0,0,1\n0.1,-0.2,0.95095\n0.2,-0.4,0.8038\n")
        before = self.hashes()
        for words in (["o", "--json", "o/trajectory.h5"], ["o", "--html", "o/impacts.csv"], ["o", "--json", "o/summary.json"],
                      ["o/trajectory.h5", "--html", "o/report.html"], ["m.csv", "--scene", "s.toml", "--json", "m.csv"],
                      ["m.csv", "--scene", "s.toml", "--json", "s.toml"]):
            self.refused(self.call("audit", *words), "the findings would replace " + words[-1])
        self.refused(self.call("audit", "o", "--json", "same", "--html", "same"), "--json and --html would both")
        self.assertEqual(self.hashes(), before)
        self.assertEqual(self.call("audit", "o", "--json", "o/audit.json").returncode, 0)
        os.symlink("o/audit.json", self.path("link"))
        self.refused(self.call("audit", "o", "--json", "o/audit.json", "--html", "link"), "--json and --html would both")

    def test_audit_writes_a_file_in_a_folder_that_is_not_ours(self):
        self.write("s.toml", FLOOR)
        self.run_scene("s.toml", "--out", "o")
        os.mkdir(self.path("theirs"))
        self.write("theirs/ours.json", "old, and longer than nothing")
        os.chmod(self.path("theirs/ours.json"), 0o666)
        os.chmod(self.path("theirs"), 0o555)
        os.chmod(self.dir, 0o755)
        nobody = (lambda: os.setuid(65534)) if os.getuid() == 0 else None  # to whom permissions apply
        try:
            done = self.call("audit", "o", "--json", "theirs/ours.json", preexec_fn=nobody)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(self.read("theirs/ours.json").startswith(b"{"))
            self.refused(self.call("audit", "o", "--json", "theirs/new.json", preexec_fn=nobody), "Permission denied")
        finally:
            os.chmod(self.path("theirs"), 0o755)

    def test_every_command_ends_with_1(self):
        self.write("s.toml", FLOOR)
        self.run_scene("s.toml", "--out", "o")
        self.one_sentence(self.call("converge", "s.toml", "--out", "c", preexec_fn=limit(50)), 1, "c/converge.csv")
        study = ("study", "energy", "s.toml", "--closures", "variational", "--impacts", "10", "--out", "st")
        self.one_sentence(self.call(*study, preexec_fn=limit(20)), 1, "st/energy.csv")
        self.one_sentence(self.call("run", "s.toml", "--out", "r", preexec_fn=limit(50)), 1, "File too large")
        if os.path.exists(self.path("o", "report.html")):
            page = self.read("o", "report.html")
            self.one_sentence(self.call("report", "o", preexec_fn=limit(50)), 1, "o/report.html", "File too large")
            self.assertEqual(self.read("o", "report.html"), page)

    def test_a_page_that_cannot_be_written_is_worth_a_sentence(self):
        self.write("s.toml", FLOOR)
        self.run_scene("s.toml", "--out", "o")
        if not os.path.exists(self.path("o", "report.html")):
            self.skipTest("this build has no page")
        size = os.path.getsize(self.path("o", "report.html")) // 2
        self.one_sentence(self.call("run", "s.toml", "--out", "p", "--quiet", preexec_fn=limit(size)), 0,
                          "No report.html: ", "File too large")

    def test_no_word_about_a_page_that_was_never_built(self):
        self.write("s.toml", FLOOR)
        os.makedirs(self.path("bin", "bin"))
        shutil.copy(PROGRAM, self.path("bin", "bin", "ricochet"))  # away from its template
        done = subprocess.run([self.path("bin", "bin", "ricochet"), "run", "s.toml", "--out", "o", "--quiet"],
                              cwd=self.dir, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Kept(program.Case):
    def test_nothing_is_removed_before_everything_can_be(self):
        self.write("s.toml", FLOOR)
        for name in ("trajectory.h5", "report.html", "checkpoint", "running"):
            out = "o-" + name
            self.run_scene("s.toml", "--out", out)
            if os.path.exists(self.path(out, name)):
                os.remove(self.path(out, name))
            os.mkdir(self.path(out, name))
            self.write(f"{out}/{name}/data", "precious")
            before = self.hashes(out)
            self.refused(self.call("run", "s.toml", "--out", out, "--overwrite"), f"{out}/{name} is ", "in the way")
            self.assertEqual(self.hashes(out), before)
            self.assertNotIn("running.new", os.listdir(self.path(out)))

    def test_a_folder_that_only_has_the_name_of_ours(self):
        """running/ beside a finished run, an interrupted one, and that of a killed one with something put into it."""
        self.write("s.toml", FLOOR)
        self.run_scene("s.toml", "--out", "finished")
        for out, how in (("interrupted", signal.SIGINT), ("killed", signal.SIGKILL)):
            run = subprocess.Popen([PROGRAM, "run", "s.toml", "--out", out, "--quiet", "--set", "time.end=1e7"],
                                   cwd=self.dir, stderr=subprocess.DEVNULL)
            self.wait_until(lambda: os.path.exists(self.path(out, "checkpoint")), "a checkpoint", run)
            run.send_signal(how)
            run.wait(60)
        for out, commands in (("finished", ("recover",)), ("interrupted", ("resume", "recover")),
                              ("killed", ("resume", "recover"))):
            os.makedirs(self.path(out, "running"), exist_ok=True)
            self.write(f"{out}/running/mine", "precious")
            before = self.hashes(out)
            for command in commands:
                self.refused(self.call(command, out), f"{out}/running is not ours and in the way")
                self.assertEqual(self.hashes(out), before, command)
            os.remove(self.path(out, "running", "mine"))
            self.assertEqual(self.call("recover", out).returncode, 0)
            self.assertFalse(os.path.exists(self.path(out, "running")))

    def test_tables_of_a_study_that_are_folders(self):
        self.write("s.toml", FLOOR)
        self.assertEqual(self.call("converge", "s.toml", "--out", "c").returncode, 0)
        os.remove(self.path("c", "converge.svg"))
        os.mkdir(self.path("c", "converge.svg"))
        before = self.hashes("c")
        self.refused(self.call("converge", "s.toml", "--out", "c", "--overwrite"), "holds no table of converge")
        self.assertEqual(self.hashes("c"), before)

    def test_a_folder_that_is_removed_during_a_run(self):
        run = subprocess.Popen([PROGRAM, "run", os.path.join(SCENES, "star.toml"), "--out", "o", "--quiet", "--set",
                                "time.end=1e6"], cwd=self.dir, stderr=subprocess.PIPE, text=True)
        self.wait_until(lambda: os.path.exists(self.path("o", "checkpoint")), "a checkpoint", run)
        os.rename(self.path("o"), self.path("gone"))  # at once, whatever is being written
        said = run.communicate(timeout=60)[1]
        self.assertEqual(run.returncode, 1, said)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("o is gone, and what was recorded there with it", said)
        self.assertNotIn("resume", said)


class Damaged(program.Case):
    def test_a_summary_in_our_own_words(self):
        self.write("s.toml", FLOOR)
        self.run_scene("s.toml", "--out", "o")
        whole = self.read("o", "summary.json")
        unsealed = json.dumps({k: v for k, v in json.loads(whole).items() if k != "digests"}).encode()
        for bad, why in ((whole[:100], "it ends after 100 bytes"), (b"\0" * 50, "byte 1 of it is no JSON"),
                         (b'{"status": 3}', "'3' is not a text"), (b"[]", "it has no 'status'"),
                         (unsealed.replace(b'"energy": {', b'"energy": 1, "other": {'), "it has no 'initial'")):
            with open(self.path("o", "summary.json"), "wb") as f:
                f.write(bad)
            for command in ("resume", "recover", "report"):
                done = self.call(command, "o")
                self.refused(done, "o/summary.json is not a summary of ricochet, or is damaged: " + why)
                self.assertNotIn("exception", done.stderr)

    def killed(self, out, how):
        run = subprocess.Popen([PROGRAM, "run", os.path.join(SCENES, "star.toml"), "--out", out, "--quiet", "--set",
                                "time.end=1e6", "--set", "record.stroboscope=0.1"], cwd=self.dir)
        self.wait_until(lambda: os.path.exists(self.path(out, "checkpoint")), "a checkpoint", run)
        run.send_signal(how)
        run.wait(60)

    def flip(self, *parts):
        """One bit in the middle of the first block, of rows that the checkpoint counts."""
        with open(self.path(*parts), "r+b") as f:
            f.seek(20_000)
            byte = f.read(1)[0]
            f.seek(20_000)
            f.write(bytes([byte ^ 0x10]))

    def test_one_bit_of_the_rows(self):
        self.killed("o", signal.SIGKILL)
        self.flip("o", "running", "frames")
        before = self.hashes("o")
        for command in ("resume", "recover"):
            self.refused(self.call(command, "o"), "o/running/frames is damaged: the rows of its trajectory")
        self.assertEqual(self.hashes("o"), before)
        self.flip("o", "running", "frames")
        self.assertEqual(self.call("recover", "o").returncode, 0)
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            self.assertGreater(len(f["t"]), 100)

    def flips(self, path, positions, words, *commands):
        """One bit at each position, told by every command in one sentence with exit code 2."""
        whole = self.read(path)
        with open(self.path(path), "r+b", buffering=0) as f:
            for i, at in enumerate(positions):
                f.seek(at)
                f.write(bytes([whole[at] ^ (1 << i % 8)]))
                self.refused(self.call(*commands[i % len(commands)]), words)
                f.seek(at)
                f.write(whole[at:at + 1])

    def test_one_bit_of_a_finished_run(self):
        self.run_scene("star", "--out", "o", "--set", "time.end=20")
        size = len(self.read("o/impacts.csv")), len(self.read("o/summary.json"))
        with h5py.File(self.path("o", "trajectory.h5")) as f:  # of every dataset: numbers at its two ends and between
            rows = []
            for name in ("t", "step", "q", "p", "energy", "discrete_energy", "gaps", "momentum"):
                chunk = f[name].id.get_chunk_info(0)
                used = min(f[name].chunks[0], len(f[name])) * f[name].dtype.itemsize * f[name][:1].size
                rows += [chunk.byte_offset + used * k // 8 + k for k in range(8)]
        self.call("report", "o")
        everyone = ("report", "o"), ("audit", "o"), ("view", "o", "--no-browser")
        self.flips("o/trajectory.h5", rows, "o/trajectory.h5 is damaged: the rows of its trajectory", *everyone)
        self.flips("o/impacts.csv", range(0, size[0], size[0] // 40), "o/impacts.csv is damaged", *everyone)
        self.flips("o/summary.json", range(0, size[1], size[1] // 40), "o/summary.json is ", *everyone, ("resume", "o"))
        self.assertEqual(self.call("report", "o").returncode, 0)

    def test_records_of_versions_without_digests(self):
        # Ten steps of a fall, written by a version of before.
        tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        with gzip.open(os.path.join(tests, "data", "no-digests.h5.gz")) as old:
            os.mkdir(self.path("o"))
            with open(self.path("o", "trajectory.h5"), "wb") as f:
                f.write(old.read())
        sentence = "o/trajectory.h5 has no digests, as records of older versions: damage to its numbers"
        done = self.call("report", "o")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
        self.assertIn(sentence, done.stderr)
        self.assertIn(sentence, self.call("audit", "o").stdout)

    def test_one_digit_of_the_impacts(self):
        for how, commands in ((signal.SIGKILL, ("resume", "recover")), (signal.SIGINT, ("resume",))):
            out = how.name
            self.killed(out, how)
            whole = self.read(out, "impacts.csv")
            first = whole.index(b"\n") + 1  # of the first impact, long before the checkpoint
            at = first + whole[first:].index(b".") + 3
            with open(self.path(out, "impacts.csv"), "r+b") as f:
                f.seek(at)
                f.write(b"1" if whole[at:at + 1] != b"1" else b"2")
            before = self.hashes(out)
            for command in commands:
                self.refused(self.call(command, out), f"{out}/impacts.csv is damaged: its lines are not those")
            self.assertEqual(self.hashes(out), before)
            with open(self.path(out, "impacts.csv"), "wb") as f:
                f.write(whole)
            self.assertEqual(self.call("recover", out).returncode, 0)

    def test_one_bit_of_an_interrupted_run(self):
        self.killed("o", signal.SIGINT)
        self.flip("o", "trajectory.h5")
        before = self.hashes("o")
        self.refused(self.call("resume", "o"), "o/trajectory.h5 is damaged: the rows of its trajectory")
        self.assertEqual(self.hashes("o"), before)


class Arguments(program.Case):
    def test_unknown_words_are_named(self):
        for words, said in ((["--verson"], "there is no option '--verson'; did you mean '--version'?"),
                            (["study", "foo"], "there is no command 'foo'"),
                            (["runn", "star"], "there is no command 'runn'; did you mean 'run'?"),
                            (["run", "star", "--outt", "x"], "there is no option '--outt'; did you mean '--out'?")):
            self.refused(self.call(*words), said)

    def test_numbers_that_cannot_be_meant(self):
        self.write("s.toml", FLOOR)
        many = "9" * 20
        self.refused(self.call("lyapunov", "s.toml", "--time", "1e300"), "--time 1e+300", "more steps")
        self.refused(self.call("orbit", "s.toml", "--period", "1", "--impacts", many), "--impacts", "out of range")
        self.refused(self.call("orbit", "s.toml", "--period", "1", "--iterations", many), "--iterations", "of range")
        self.refused(self.call("study", "energy", "s.toml", "--impacts", many), "--impacts", "out of range")
        self.refused(self.call("study", "energy", "s.toml", "--ensemble", "1.5"), "--ensemble", "no whole number")
        self.refused(self.call("view", "s.toml", "--port", many), "--port", "out of range")
        self.refused(self.call("converge", "s.toml", "--steps", "1e-300"), "--steps", "more steps")
        self.assertEqual(os.listdir(self.dir), ["s.toml"])

    def test_sweeps(self):
        if SANITIZED:
            self.skipTest("the Python that sweeps starts has no sanitizer to load the module with")
        for words in (["--vary", "parameters.g=1:2:0"], [], ["--vary", "time.step=0.1", "--foo"],
                      ["--vary", "time.step=0.1", "--workers", "a"]):
            done = self.call("sweep", "table", *words)
            if "Python module" in done.stderr:
                self.skipTest("this build has no Python module")
            self.refused(done, "--help shows how it is used")

    def test_overrides_that_are_no_text(self):
        self.write("s.toml", FLOOR)
        for bad in (b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"):
            done = subprocess.run([PROGRAM, "run", "s.toml", "--out", "o", "--set", b'title="' + bad + b'"'],
                                  cwd=self.dir, capture_output=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--set title=\"??", done.stderr.decode())  # which it can be: nothing raw in it
            self.assertIn("is not UTF-8", done.stderr.decode())
        self.assertFalse(os.path.exists(self.path("o")))
        self.run_scene("s.toml", "--out", "o", "--set", "title=Stoß 𝛼")

    def test_studies_of_bars_and_beams(self):
        for scene in ("bar-wall", "beam-drop-flat"):
            path = os.path.join(SCENES, scene + ".toml")
            self.refused(self.call("study", "energy", path), path + ": studies of the energy are for", "coordinates")

    def test_a_reference_that_is_a_folder(self):
        self.write("s.toml", FLOOR)
        self.refused(self.call("converge", "s.toml", "--reference", "."), "the reference . is a folder")


if __name__ == "__main__":
    program.main()
