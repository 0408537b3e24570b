"""Bad input: one sentence, exit 2, nothing overwritten."""
import json
import math
import os
import re
import resource
import subprocess

from program import FLOOR, PROGRAM, Case, main


class Scenes(Case):
    def check_refused(self, text, *words):
        self.write("s.toml", text)
        for command in (("run", "s.toml", "--out", "o"), ("check", "s.toml")):
            self.refused(self.call(*command), *words)
        self.assertFalse(os.path.exists(self.path("o")))

    def test_places(self):
        self.check_refused("", "s.toml:1:1: the table [time] is missing")
        self.check_refused(FLOOR.replace("[system]", "[systm]"), "s.toml:4:2: unknown key 'systm'; did you mean 'system'?")
        self.check_refused(FLOOR.replace("step =", "stpe ="), "s.toml:2:1: unknown key 'stpe' in [time]; did you mean 'step'?")
        self.check_refused(FLOOR.replace("0.01", "0"), "s.toml:2:8: the step must be positive")
        self.check_refused(FLOOR.replace("0.01", "nan"), "s.toml:2:8: ")
        self.check_refused(FLOOR.replace("9.81*y", "sin()"), "s.toml:7:")
        self.check_refused(FLOOR.replace("[0, 1]", "[0, -1]"), 's.toml:8:12: the start violates the gap "floor" by 1')
        # however far a step would fall: what is beyond the ninth digit is no rounding
        for g, y in (("1e15", -1.0), ("1e9", -1e-6), ("9.81", -3e-9)):
            for principle in ("strong", "weak"):
                self.check_refused(FLOOR.replace("9.81", g).replace("[0, 1]", f"[0, {y}]")
                                   + f'[integrator]\nprinciple = "{principle}"\n',
                                   f's.toml:8:12: the start violates the gap "floor" by {-y:.6g}')
        # at the centre of a disk, where its gap has no rate
        self.check_refused(FLOOR.replace('"y"\n', '"sqrt(x^2 + (y - 1)^2) - 3"\n'),
                           's.toml:8:12: the start violates the gap "floor" by 3')
        self.check_refused(FLOOR.replace("end = 1", "end = 1\nend = 2"), "s.toml:4:")
        self.check_refused(FLOOR.replace("9.81*y", "(" * 100000 + "y" + ")" * 100000), "s.toml:7:")
        self.check_refused(FLOOR.replace("9.81*y", "+".join(["y"] * 300000) + "+q"), "s.toml:7:", "unknown name 'q'")

    def test_where_a_run_is_no_longer_a_number(self):
        # y = 1 - g t²/2 is 1/2 at t = 0.3193: the potential, or the gap, ends there
        undefined = FLOOR.replace("9.81*y", "9.81*y + 0*sqrt(y - 0.5)")
        gap = FLOOR.replace('expression = "y"', 'expression = "y + 0*sqrt(y - 0.5)"')
        for k, text in enumerate((undefined, gap)):
            self.write("s.toml", text)
            for closure in ("auto", "variational", "reflection", "shadow2", "interpolated"):
                out = f"{closure}{k}"
                done = self.call("run", "s.toml", "--out", out, "--set", f"integrator.closure={closure}")
                self.assertEqual(done.returncode, 1, closure + done.stderr)
                self.assertEqual(self.summary(out)["status"], "failed")
                self.assertLess(abs(self.summary(out)["t_end"] - 0.30), 0.021, closure)
        self.check_refused(FLOOR.replace('expression = "y"', 'expression = "sqrt(-y)"'),
                           'the gap "floor" is not a finite number at the start')
        self.check_refused(FLOOR.replace('expression = "y"', 'expression = "y + 0*sqrt(x)"'),
                           'the rate of the gap "floor" is not a finite number at the start')
        self.check_refused(FLOOR + '[[force]]\ncomponents = ["0", "1/(y - 1)"]\n',
                           's.toml:14:20: this component of the force is not a finite number at the start')
        self.check_refused(FLOOR + '[[constraint]]\nname = "c"\nexpression = "sqrt(x)"\n',
                           'the rate of the constraint "c" is not a finite number at the start')

    def test_what_cannot_start_is_told_by_check(self):
        force = FLOOR + '[[force]]\ncomponents = ["0", "log(x)"]\n'
        for text in (force, force.replace("velocity", "momentum")):
            self.check_refused(text, "s.toml:14:20: this component of the force is not a finite number at the start")
        for gap in ("y-y", "y*0", "(y - 1)^2"):
            self.check_refused(FLOOR.replace('expression = "y"', f'expression = "{gap}"'),
                               "s.toml:12:14: the gap 'floor' is closed at the start", "no normal")

    def test_gaps_with_poles_and_jumps(self):
        """x = t crosses them; the last state is the one before."""
        free = FLOOR.replace("9.81*y", "0").replace("[-2, 0]", "[1, 0]")
        pole = 'the gap "floor" (cannot be enclosed: it varies without bound|is not a number)'
        for gap, at, why in (("tan(3*x) + 0.5", math.pi / 6, pole), ("1/(0.505 - x)", 0.505, pole),
                             ("atan(1/(0.505 - x))", 0.505, pole), ("atan(1/(0.505 - x)) - x", 0.505, pole)):
            self.write("s.toml", free.replace('expression = "y"', f'expression = "{gap}"'))
            for closure in ("auto", "variational"):
                done = self.call("run", "s.toml", "--out", "o", "--overwrite", "--set", f"integrator.closure={closure}")
                self.assertEqual(done.returncode, 1, gap + done.stderr)
                self.assertRegex(done.stderr, why)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertLess(abs(self.summary("o")["t_end"] - at), 0.0101)

    def test_gaps_that_are_no_numbers_in_the_weak_principle(self):
        self.write("s.toml", FLOOR.replace('expression = "y"', 'expression = "if(y < 0.5, 0/0, y)"')
                   + '[integrator]\nprinciple = "weak"\n')
        done = self.call("run", "s.toml", "--out", "o")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn('the gap "floor" is not a number at t = 0.3', done.stderr)
        self.assertEqual(self.summary("o")["status"], "failed")

    def test_places_in_texts_with_escapes(self):
        # the column inside the text cannot be told from outside: that of the text itself is
        self.check_refused(FLOOR.replace("9.81*y", "9.81*\\u0079\\n+foo"), "s.toml:7:13: unknown name 'foo'")
        self.check_refused(FLOOR.replace("9.81*y", "9.81*y + foo"), "s.toml:7:23: unknown name 'foo'")
        self.check_refused(FLOOR.replace('"9.81*y"', '"""\n9.81*y +\nfoo"""'), "s.toml:9:1: unknown name 'foo'")

    def test_keys_of_many_parts(self):
        for depth in (300, 60000):
            key = ".".join(["a"] * depth)
            self.check_refused(FLOOR + f"\n{key} = 1\n", "s.toml:14:", "256")
            self.check_refused(FLOOR + f"\n[{key}]\nb = 1\n", "s.toml:14:", "256")
            self.check_refused(FLOOR + f"\n[x]\nb = {{ {key} = 1 }}\n", "s.toml:15:", "256")
            if depth < 1000:  # longer than a command line may be
                self.write("s.toml", FLOOR)
                self.refused(self.call("check", "s.toml", "--set", f"{key}=1"))
                self.refused(self.call("check", "s.toml", "--set", f"x={{{key}=1}}"))
        # dots that are none of a key's
        dots = "." * 2000
        self.write("s.toml", f'# {dots}\ntitle = "{dots}"\ndescription = """\n{dots}\n{dots}"""\n' + FLOOR)
        self.assertEqual(self.call("check", "s.toml").returncode, 0)

    def test_parameters_that_nobody_uses(self):
        self.check_refused(FLOOR + '[parameters]\nzz = "foo + 1"\n', "unknown name 'foo'")
        self.check_refused(FLOOR + '[parameters]\na = "b"\nb = "2*(1 + foo)"\n', "s.toml:15:13: unknown name 'foo'")
        self.write("s.toml", FLOOR + '[parameters]\nr = "sqrt(x^2 + y^2)"\nw = "v_x*t"\n')
        self.assertEqual(self.call("check", "s.toml").returncode, 0)

    def test_impacts_without_a_gap(self):
        text = FLOOR.replace("end = 1", "impacts = 3")
        self.check_refused(text[:text.index("[[gap]]")], "s.toml:3:11: without a [[gap]]")

    def test_shapes_have_their_keys_only(self):
        for type, more, key in (("point", 'position = ["x", "y"]\nangle = 1', "angle"),
                                ("point", 'position = ["x", "y"]\nradius = 1', "radius"),
                                ("segment", 'from = [0, 0]\nto = [1, 1]\nposition = [0, 0]', "position")):
            self.check_refused(f'{FLOOR}[[shape]]\ntype = "{type}"\n{more}\n', f"has no '{key}'")

    def test_overrides(self):
        self.write("s.toml", FLOOR)
        self.refused(self.call("run", "s.toml", "--set", "time.step=-1"), "--set time.step=-1: ")
        self.refused(self.call("check", "s.toml", "--set", "system.positon=[1,2]"), "did you mean 'position'?")
        self.refused(self.call("check", "s.toml", "--set", "system.position[1]=-1"),
                     "--set system.position[1]=-1: the start violates")
        for command in (("check",), ("run", "--out", "o"), ("converge", "--out", "o"), ("lyapunov",)):
            self.refused(self.call(*command, "s.toml", "--set", "title=a\nb"),
                         "--set title=a b: an override must be one line")
        self.assertFalse(os.path.exists(self.path("o")))

    def test_files(self):
        self.refused(self.call("run", "absent.toml"), "absent.toml", "no bundled scene")
        self.refused(self.call("run", "sta"), "did you mean 'star'?")
        self.refused(self.call("run", "."), "directory")

    def test_command_line(self):
        self.refused(self.call("runn", "x"), "no command 'runn'; did you mean 'run'?")
        self.refused(self.call("frobnicate"), "no command 'frobnicate' (ricochet --help")
        self.refused(self.call("run"), "SCENE", "ricochet run --help")
        self.refused(self.call("study"), "ricochet study --help")
        self.refused(self.call("run", "star", "--outt", "x"), "--outt")


class Directories(Case):
    def setUp(self):
        super().setUp()
        self.write("s.toml", FLOOR)

    def test_a_run_is_not_overwritten(self):
        self.run_scene("s.toml", "--out", "o")
        before = self.read("o", "trajectory.h5")
        self.refused(self.call("run", "s.toml", "--out", "o"), "o")
        self.assertEqual(self.read("o", "trajectory.h5"), before)
        self.run_scene("s.toml", "--out", "o", "--overwrite", "--set", "time.end=0.5")
        self.assertEqual(self.summary("o")["steps"], 50)

    def test_nothing_is_touched_by_what_is_refused(self):
        self.run_scene("s.toml", "--out", "o")
        before = self.hashes("o")
        self.assertEqual({os.path.basename(path) for path in before} & {"trajectory.h5", "impacts.csv", "summary.json"},
                         {"trajectory.h5", "impacts.csv", "summary.json"})
        self.write("bad.toml", FLOOR.replace("9.81*y", "9.81*yy"))
        self.write("start.toml", FLOOR.replace("[0, 1]", "[0, -1]"))
        self.write("shape.toml", FLOOR + '[[shape]]\ntype = "point"\nposition = ["z", 0]\n')
        for command in (("run", "s.toml"), ("run", "bad.toml"), ("run", "bad.toml", "--overwrite"),
                        ("run", "start.toml", "--overwrite"), ("run", "shape.toml", "--overwrite"),
                        ("run", "s.toml", "--overwrite", "--set", "time.step=0"), ("run", "absent.toml", "--overwrite"),
                        ("run", "s.toml", "--overwrite", "--set", 'derivatives.with_respect_to=["nothing"]')):
            self.refused(self.call(*command, "--out", "o"))
            self.assertEqual(self.hashes("o"), before, command)
        self.refused(self.call("resume", "o"), "finished")
        self.assertEqual(self.hashes("o"), before)

    def test_a_foreign_folder_is_not_touched(self):
        os.mkdir(self.path("o"))
        self.write("o/letter.txt", "dear")
        for more in ((), ("--overwrite",)):
            self.refused(self.call("run", "s.toml", "--out", "o", *more), "o")
            self.assertEqual(os.listdir(self.path("o")), ["letter.txt"])
        self.refused(self.call("resume", "o"), "o")

    def test_a_file_is_no_folder(self):
        self.write("o", "dear")
        self.refused(self.call("run", "s.toml", "--out", "o"), "o")
        self.assertEqual(self.read("o"), b"dear")

    def test_unwritable(self):
        self.refused(self.call("run", "s.toml", "--out", "/proc/nowhere"), "/proc/nowhere")

    def test_nothing_to_resume(self):
        self.refused(self.call("resume", "absent"), "absent")
        self.run_scene("s.toml", "--out", "o")
        self.refused(self.call("resume", "o"), "finished")

    def test_full_disk(self):
        # A limit of the file size stands for a full disk: the same error path, and it needs no mount.
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))

        done = subprocess.run([PROGRAM, "run", "s.toml", "--out", "o", "--set", "time.end=1000"], cwd=self.dir,
                              capture_output=True, text=True, preexec_fn=limit, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("o/", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(self.summary("o")["status"], "failed")
        self.assertIn("o/", self.summary("o")["error"])
        # with more room it goes on
        self.run_scene("s.toml", "--out", "whole", "--set", "time.end=1000")
        done = self.call("resume", "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("trajectory.h5", "impacts.csv"):
            self.assertEqual(self.read("whole", name), self.read("o", name), name)

    def test_no_room_at_all(self):
        for limit in (0, 1, 100, 4096, 10000):
            done = subprocess.run([PROGRAM, "run", "s.toml", "--out", f"o{limit}"], cwd=self.dir, capture_output=True,
                                  text=True, timeout=60,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertIn(done.returncode, (1, 2), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_closed_streams(self):
        """What nobody listens to must not end up in a file of the run."""
        self.write("bad.toml", FLOOR.replace("9.81*y", "-y^4").replace("end = 1", "end = 100"))
        self.assertEqual(self.call("run", "bad.toml", "--out", "heard").returncode, 1)
        for k, closed in enumerate(((1, 2), (0, 2), (0, 1, 2), (2,))):
            def close():
                for fd in closed:
                    os.close(fd)
            done = subprocess.run([PROGRAM, "run", "bad.toml", "--out", f"o{k}"], cwd=self.dir, preexec_fn=close,
                                  timeout=60)
            self.assertEqual(done.returncode, 1)
            for name in ("trajectory.h5", "impacts.csv"):
                self.assertEqual(self.read(f"o{k}", name), self.read("heard", name), (closed, name))

    def test_nobody_can_hear(self):
        for command in (("list",), ("--help",), ("check", "s.toml"), ("run", "s.toml", "--out", "o")):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *command], cwd=self.dir, stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=60)
            self.assertEqual(done.returncode, 1, command)
            self.assertIn("standard output", done.stderr)
        self.assertEqual(self.summary("o")["status"], "finished")

    def test_names_that_are_not_what_they_seem(self):
        """In one line of a terminal, whatever was typed, and no cell of a table that computes."""
        self.refused(self.call("run", "a\nb"), "ricochet: a\\nb: there is no such file")
        self.refused(self.call("run", "a\033[2J\u202e\u200b"), "a\\u001B[2J\\u202E\\u200B: there is no such file")
        self.refused(self.call("check", b"a\xff"), "a\\xFF: there is no such file")
        for command in ("report", "audit", "resume", "recover", "view"):
            self.refused(self.call(command, "no\nsuch"), "no\\nsuch")
        self.refused(self.call("run", "--x\ny"), "--x\\ny")
        for name, why in (("=cmd", "begins with '=', which a spreadsheet would take for a formula"), ("@x", "begins with '@'"),
                          ("-x", "begins with '-'"), ("+x", "contains a '+'"), (" ", "is blank"), ("\u2003\u00a0", "is blank"),
                          ("a\u202eb", "contains a character that cannot be seen"), ("\u200b", "cannot be seen"),
                          ("\x7f", "cannot be seen"), ("a\u0085", "cannot be seen")):
            for kind in ("gap", "symmetry", "force", "constraint"):
                body = {"gap": 'expression = "y"', "symmetry": 'generator = ["1", "0"]', "force": 'components = ["0", "0"]',
                        "constraint": 'expression = "x"'}[kind]
                self.write("n.toml", FLOOR.split("[[gap]]")[0] + f'[[{kind}]]\nname = {json.dumps(name)}\n{body}\n')
                done = self.call("run", "n.toml", "--out", "n")
                self.refused(done, "n.toml:11:8: the name", why)
                self.assertTrue(re.sub("[\u2003\u00a0]", "", done.stderr[:-1]).isprintable(), done.stderr)
        self.assertFalse(os.path.exists(self.path("n")))
        os.mkdir(self.path("a\nb"))
        self.write("a\nb/s.toml", FLOOR)
        done = self.run_scene("a\nb/s.toml", "--out", "o\n'x'")
        self.assertIn("Results in o\\n'x'\n", done.stdout)
        done = self.call("run", "a\nb/s.toml", "--out", "o\n'x'", "--set", "system.potential=log(x)", "--overwrite")
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_long_numbers(self):
        """Sentences stay sentences."""
        self.write("b.toml", FLOOR.replace("step = 0.01\nend = 1", "step = 1e300\nimpacts = 3"))
        for closure in ("auto", "variational", "shadow2", "shadow4", "interpolated"):
            done = self.call("run", "b.toml", "--out", "b", "--overwrite", "--set", "integrator.closure=" + closure)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            self.assertLess(len(done.stderr), 350, done.stderr)

    def test_small_stacks(self):
        """Formulas as deep as they may be, on a stack of 128 kB."""
        deep = 990
        for formula in ("(" * deep + "y" + ")" * deep, "sin(" * deep + "y" + ")" * deep, "1^" * deep + "y", "-" * deep + "y",
                        "min(1, " * deep + "y" + ")" * deep, "if(y < 1, " * deep + "y" + ", 0)" * deep,
                        "if(" + "not " * deep + "y < 1, 1, 0)", "(" * 200000 + "y"):
            self.write("d.toml", FLOOR.replace('"9.81*y"', f'"9.81*y + 1e-9*({formula})"'))
            done = self.call("run", "d.toml", "--out", "d", "--overwrite", "--quiet",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 17, 1 << 17)))
            if len(formula) < 200000:
                self.assertIn(done.returncode, (0, 1), done.stderr[:300])
            else:
                self.refused(done, "the expression is nested deeper than 1000 levels")

    def test_units_in_which_everything_vanishes(self):
        self.write("u.toml", FLOOR.replace("9.81*y", "1e-150*y").replace("[0, 1]", "[0, 1e-150]").replace("[-2, 0]", "[0, 0]"))
        for command in (("run", "u.toml", "--out", "u"), ("check", "u.toml")):
            self.refused(self.call(*command), "u.toml", "1e-150", "choose larger units")

    def test_every_command_that_speaks(self):
        """A standard output that is closed, or full, is a failure of one sentence."""
        self.run_scene("s.toml", "--out", "o", "--quiet")
        commands = [(), ("--help",), ("--version",), ("list",), ("check", "s.toml"), ("recover", "o"), ("report", "o"),
                    ("audit", "o"), ("audit", "o", "--quiet", "--json", "/dev/stdout"), ("figure",),
                    ("view", "o", "--no-browser"), ("run", "s.toml", "--out", "again", "--overwrite"),
                    ("compare", "s.toml", "--set", "time.end=0.1", "--overwrite"),
                    ("converge", "s.toml", "--set", "time.end=0.1", "--overwrite"),
                    ("study", "energy", "table", "--closures", "variational", "--steps", "0.02", "--impacts", "20", "--ensemble", "1", "--overwrite"),
                    *(("lyapunov", "table", "--time", "20", "--format", f) for f in ("text", "json", "csv")),
                    ("orbit", "impact-oscillator", "--period", "2.24399", "--format", "json"),
                    ("solve-bvp", "two-point")]
        if os.path.exists(os.path.join(os.path.dirname(PROGRAM), "..", "python", "ricochet", "__main__.py")):
            commands += [("sweep", "--help"), ("sweep", "s.toml", "--vary", "time.end=0.1,0.2", "--workers", "1")]
        for command in commands:
            for how in ("closed", "full"):
                with open("/dev/full", "w") as full:
                    done = subprocess.run([PROGRAM, *command], cwd=self.dir, stdout=full, stderr=subprocess.PIPE,
                                          text=True, timeout=60,
                                          preexec_fn=(lambda: os.close(1)) if how == "closed" else None)
                code, words = (2, "cannot write /dev/stdout") if "--json" in command else (1, "standard output")
                self.assertEqual((done.returncode, done.stderr.count("\n")), (code, 1), (command, how, done.stderr))
                self.assertIn(words, done.stderr)


class Failures(Case):
    def fails(self, text, *words, code=1):
        self.write("s.toml", text)
        done = self.call("run", "s.toml", "--out", "o", "--overwrite")
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, r"\Aricochet: [^\n]+; what was computed until then is in o\n\Z")  # one sentence
        summary = self.summary("o")
        self.assertEqual(summary["status"], "failed")
        for word in words:
            self.assertIn(word, done.stderr)
            self.assertIn(word, summary["error"])
        return summary

    def test_nan_during_a_run(self):
        # x = -2 t is -1 at t = 1/2: log of a negative number from there on
        text = FLOOR.replace("9.81*y", "9.81*y + if(x < -1, log(x), 0)")
        summary = self.fails(text, "no longer finite", "t = ")
        self.assertTrue(50 <= summary["steps"] <= 51, summary)

    def test_overflow_at_once(self):
        self.fails(FLOOR.replace("9.81*y", "-exp(exp(exp(y + t))) - x"), "no longer finite", "t = ")

    def test_overflow_during_a_run(self):
        import h5py
        # y'² = 2(y⁴ - 1): infinite at t = 1.31103/sqrt 2 = 0.92704; the steps are those of Störmer and Verlet
        text = FLOOR.replace("9.81*y", "-y^4").replace("end = 1", "end = 100").replace("[-2, 0]", "[0, 0]")
        text += '[integrator]\nclosure = "variational"\n'  # others look ahead, and fail in words of their own
        summary = self.fails(text, "no longer finite", "t = ")
        h, y, p, states = 0.01, 1.0, 0.0, []
        while math.isfinite(p * p / 2 - y * y * y * y):
            states.append((y, p))
            half = p + 2 * h * y * y * y
            y += h * half
            p = half + 2 * h * y * y * y
        self.assertGreater(len(states), 92)
        self.assertAlmostEqual(summary["steps"], len(states), delta=1)  # the last one is that which is not finite
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            q, p = f["q"][:, 1], f["p"][:, 1]
        self.assertGreaterEqual(len(q), len(states))
        for k in range(90):  # later the explosion multiplies the rounding
            self.assertAlmostEqual(q[k] / states[k][0], 1, delta=1e-11)
            self.assertAlmostEqual(p[k], states[k][1], delta=1e-11 * (1 + abs(states[k][1])))

    def test_mass_that_vanishes_during_a_run(self):
        import h5py
        # sqrt(1 - x) x' = 1: x = 1 - (1 - 3t/2)^(2/3) is 1, and the mass 0, at t = 2/3
        text = """[time]
step = 0.01
end = 10
[system]
coordinates = ["x"]
mass = ["1 - x"]
position = [0]
velocity = [1]
"""
        for rule in ("midpoint", "trapezoid", "rectangle-left"):
            summary = self.fails(text + f'[integrator]\nrule = "{rule}"\n', "t = ")
            self.assertAlmostEqual(summary["t_end"], 2 / 3, delta=0.1)
            with h5py.File(self.path("o", "trajectory.h5")) as f:
                t, x = f["t"][...], f["q"][:, 0]
            self.assertGreater(len(t), 50)
            early = t < 0.5
            # the local error of these rules, of order one for the rectangle, where the motion is still slow: x' < 1.6
            self.assertLess(abs(x - (1 - abs(1 - 1.5 * t)**(2 / 3)))[early].max(), 0.02)

    def test_law_out_of_range(self):
        self.fails(FLOOR + '[impact]\nlaw = "newton"\nrestitution = "1 + x^2"\n', "restitution", code=2)

    def test_laws_that_contradict_each_other(self):
        text = FLOOR.replace("velocity = [-2, 0]", "velocity = [0, 0]") + """law = "newton"
restitution = 0.5
[[gap]]
name = "slope"
expression = "y - 0.5*x"
law = "poisson"
restitution = 0.5
"""
        summary = self.fails(text, "floor+slope", '"newton"', '"poisson"', code=2)
        self.assertEqual(summary["impacts"], 0)
        self.assertGreater(summary["steps"], 40)  # 1 = g t^2/2 at t = 0.4515

    def test_what_was_computed_is_readable(self):
        import h5py
        self.fails(FLOOR.replace("9.81*y", "9.81*y + if(x < -1, log(x), 0)"))
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            self.assertGreater(len(f["t"]), 40)
            self.assertLess(abs(f["t"][-1] - 0.5), 0.02)


if __name__ == "__main__":
    main()
