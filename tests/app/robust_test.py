"""What the surroundings do to the program: disks that are full, devices, signals, folders of others, records of others."""
import math
import os
import resource
import shutil
import signal
import struct
import subprocess
import time

import h5py

import program
from program import FLOOR, PROGRAM, SCENES


LONG_STEP = """[time]
step = 0.1
end = 3
[system]
coordinates = ["x", "y"]
mass = [2, 2]
potential = "9.81*x+0.1*y^4"
position = [0.526, 1.089]
velocity = [0.182, 0]
[[gap]]
expression = "2-x"
[[gap]]
expression = "9-x^2-y^2"
[[gap]]
expression = "y+0.1-0.1*sin(3*t)"
[impact]
law = "newton"
restitution = "0.5+0.1*cos(x)"
[integrator]
rule = "midpoint"
closure = "interpolated"
"""


class Disks(program.Case):
    def test_derivatives_that_have_no_room(self):
        self.write("s.toml", FLOOR.replace("step = 0.01", "step = 0.0005")
                   + '[derivatives]\nwith_respect_to = ["position", "velocity"]\nevery = 1\n[record]\nevery = 0\n')
        self.run_scene("s.toml", "--out", "whole")
        size = os.path.getsize(self.path("whole", "derivatives.h5"))
        rest = max(os.path.getsize(self.path("whole", name)) for name in ("trajectory.h5", "impacts.csv", "summary.json"))
        self.assertLess(2 * rest, size)  # so that the limit below lets everything but the derivatives through
        done = self.call("run", "s.toml", "--out", "o", "--quiet",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("the run is finished, its derivatives are not: cannot write o/derivatives.h5", done.stderr)
        self.assertEqual(self.summary("o")["status"], "finished")
        self.assertEqual([name for name in os.listdir(self.path("o")) if name.endswith(".tmp")], [])
        done = self.call("resume", "o", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("o", "derivatives.h5"), self.read("whole", "derivatives.h5"))
        with h5py.File(self.path("o", "derivatives.h5")) as f:
            self.assertEqual(f["q"].shape[1:], (2, 4))

    def test_fields_that_cannot_be_written_do_not_undo_a_run(self):
        scene = os.path.join(SCENES, "bar-wall.toml")
        run = subprocess.Popen([PROGRAM, "run", scene, "--out", "o", "--set", "time.end=2000"], cwd=self.dir,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while run.poll() is None and not os.path.exists(self.path("o", "impacts.csv")):
            time.sleep(0.002)
        os.mkdir(self.path("o", "fields.xdmf"))
        said = run.communicate(timeout=1800)[1]
        self.assertEqual(run.returncode, 1, said)
        self.assertIn("fields.xdmf", said)
        self.assertEqual(self.summary("o")["status"], "finished")
        self.refused(self.call("resume", "o"), "finished run")

    def test_devices_are_no_scenes(self):
        self.refused(self.call("check", "/dev/zero"), "/dev/zero: larger than 64 MB")
        self.refused(self.call("check", "/dev/null"), "/dev/null:1:1: ")

    def test_long_lines(self):
        # two megabytes in one line of a quarter of a million texts
        self.write("s.toml", FLOOR.replace("position = [0, 1]", 'position = [' + '"1+0",' * 250_000 + "]"))
        before = os.times().children_user
        self.refused(self.call("check", "s.toml"), "s.toml:8:12: ", "250000 entries")
        self.assertLess(os.times().children_user - before, 30)  # 0.2 s; it was quadratic, and minutes


class Folders(program.Case):
    def test_what_is_called_like_ours_and_is_not(self):
        self.write("s.toml", FLOOR)
        os.makedirs(self.path("o", "running.new"))
        self.write("o/running.new/data", "precious")
        self.refused(self.call("run", "s.toml", "--out", "o"), "o is not empty")
        self.assertEqual(self.read("o", "running.new", "data"), b"precious")
        self.run_scene("s.toml", "--out", "run")
        shutil.copytree(self.path("o", "running.new"), self.path("run", "running.new"))
        self.refused(self.call("run", "s.toml", "--out", "run", "--overwrite"), "running.new is not ours")
        self.assertEqual(self.read("run", "running.new", "data"), b"precious")

    def test_one_that_a_killed_run_left_half_built_is_taken(self):
        self.write("s.toml", FLOOR)
        os.makedirs(self.path("o", "running.new"))
        self.write("o/running.new/progress.tmp", "")
        self.run_scene("s.toml", "--out", "o")
        self.assertFalse(os.path.exists(self.path("o", "running.new")))

    def test_no_name(self):
        self.write("s.toml", FLOOR)
        self.refused(self.call("run", "s.toml", "--out", ""), "empty")
        self.assertEqual(os.listdir(self.dir), ["s.toml"])


class Resumes(program.Case):
    def interrupted(self, out):
        run = subprocess.Popen([PROGRAM, "run", os.path.join(SCENES, "star.toml"), "--out", out, "--quiet", "--set",
                                "time.end=1e6"], cwd=self.dir)
        while run.poll() is None and not os.path.exists(self.path(out, "checkpoint")):
            time.sleep(0.002)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 130)

    def content(self, out):
        return {name: self.read(out, name) for name in sorted(os.listdir(self.path(out)))}

    def test_a_refused_one_changes_nothing(self):
        self.interrupted("o")
        checkpoint = bytearray(self.read("o", "checkpoint"))
        # The state of the run begins with its format: another one, under a checksum that is right (FNV-1a, 64 bits).
        magic = checkpoint.index(b"\n") + 1
        state = next(i for i in range(magic, len(checkpoint) - 16)
                     if struct.unpack_from("<i", checkpoint, i + 4)[0] == 3 and struct.unpack_from("<i", checkpoint, i + 8)[0] == 4)
        other, older, oldest = (bytearray(checkpoint) for _ in range(3))
        other[state] ^= 0x40
        older[state - 10:state - 8] = struct.pack("<H", 1)
        oldest[state - 16:state - 8] = struct.pack("<d", 0.5)  # the first format began with the seconds of the run
        for changed, sentence in ((other, "the checkpoint is not of a run of this scene and this version"),
                                  (older, "the checkpoint has format 1, and this version of ricochet reads format 3"),
                                  (oldest, "the checkpoint has format 1, and this version of ricochet reads format 3")):
            sum64 = 0xcbf29ce484222325
            for byte in changed[:-8]:
                sum64 = (sum64 ^ byte) * 0x100000001b3 % 2**64
            changed[-8:] = struct.pack("<Q", sum64)
            with open(self.path("o", "checkpoint"), "wb") as f:
                f.write(changed)
            before = self.content("o")
            self.refused(self.call("resume", "o"), sentence)
            self.assertEqual(self.content("o"), before)


class Signals(program.Case):
    def test_who_is_deaf_stays_so(self):
        self.write("s.toml", FLOOR.replace("end = 1", "end = 3000"))
        run = subprocess.Popen([PROGRAM, "run", "s.toml", "--out", "o", "--quiet"], cwd=self.dir,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        while run.poll() is None and not os.path.exists(self.path("o", "impacts.csv")):
            time.sleep(0.002)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(120), 0)
        self.assertEqual(self.summary("o")["status"], "finished")


    def test_in_the_middle_of_a_step(self):
        """A restitution that varies is not extrapolated: impacts fall into one step by the thousand, for minutes."""
        self.write("s.toml", LONG_STEP)
        run = subprocess.Popen([PROGRAM, "run", "s.toml", "--out", "o", "--quiet"], cwd=self.dir)
        self.addCleanup(run.kill)
        path = self.path("o", "impacts.csv")
        while run.poll() is None and not (os.path.exists(path) and os.path.getsize(path) > 200000):
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 130)
        self.assertEqual(self.summary("o")["status"], "interrupted")
        again = subprocess.Popen([PROGRAM, "resume", "o", "--quiet"], cwd=self.dir)
        self.addCleanup(again.kill)
        for grown in (False, True):  # from the beginning: what was cut short has no checkpoint
            while again.poll() is None and (os.path.getsize(path) > 200000) != grown:
                time.sleep(0.01)
        self.assertIsNone(again.poll())
        again.send_signal(signal.SIGTERM)
        self.assertEqual(again.wait(60), 130)


class Numbers(program.Case):
    def test_what_is_no_number_at_the_start_is_named(self):
        for change, words in (
                (('"9.81*y"', '"sqrt(y - 1)"'), ("s.toml:7:13: ", "the derivative of the potential by y")),
                (("[[gap]]", '[[force]]\ncomponents = ["0", "log(y - 2)"]\n[[gap]]'),
                 ("s.toml:11:20: ", "this component of the force"))):
            self.write("s.toml", FLOOR.replace(*change))
            for command in ("check", "run"):
                self.refused(self.call(command, "s.toml"), *words, "is not a finite number at the start")

    def test_masses_near_the_largest_number(self):
        self.write("s.toml", FLOOR.replace("[1, 1]", "[1e308, 1]").replace("[-2, 0]", "[0, 0]"))
        self.assertEqual(self.call("check", "s.toml").returncode, 0)

    def test_generators_that_are_no_numbers_hold_nothing(self):
        for generator in ('"0/0", "0"', '"sqrt(x - 5)", "0"'):
            self.write("s.toml", FLOOR + f'[[symmetry]]\nname = "none"\ngenerator = [{generator}]\n')
            said = self.call("check", "s.toml").stdout
            self.assertIn("does not hold: its generator is not a number at the start", said)

    def test_names_that_cannot_be_used_here(self):
        self.write("s.toml", FLOOR.replace("9.81*y", "9.81*y*foo"))
        self.refused(self.call("check", "s.toml"), "s.toml:7:21: unknown name 'foo'; here there are x, y, t and pi")

    def test_impacts_that_never_come(self):
        self.write("s.toml", FLOOR.replace("step = 0.01\nend = 1", "step = 0.01\nimpacts = 100")
                   + '[impact]\nlaw = "newton"\nrestitution = 0.5\n[record]\nevery = 0\n')
        done = self.call("run", "s.toml", "--out", "o")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn("nothing was hit for 1000000 steps", done.stderr)
        self.assertEqual(self.summary("o")["status"], "failed")
        self.assertNotIn("potential", done.stderr)  # which is not to blame

    def test_where_a_run_gives_up_depends_on_its_steps_alone(self):
        """One impact at t = 1, in the step 100: the millionth step after it is the last but one."""
        once = ('[time]\nstep = 0.01\nimpacts = 2\n[system]\ncoordinates = ["x"]\nmass = [1]\nposition = [1.005]\n'
                'velocity = [-1]\n[[gap]]\nexpression = "x"\n[record]\nevery = 0\n')
        bar = ('[time]\nstep = 0.5\nimpacts = 1000\n[[bar]]\nlength = 1\nelements = 1\nmass = 1\nmodulus = 1\nposition = 0.01\n'
               'velocity = -1\n[[wall]]\nposition = 0\n[contact]\nscheme = "located"\n[record]\nevery = 0\nfields_every = 0\n')
        self.write("s.toml", once)
        self.write("b.toml", bar)
        for scene, steps in (("s.toml", 101 + 1000001), ("b.toml", None)):
            said = []
            for out in ("o", "p"):
                done = self.call("run", scene, "--out", out, "--overwrite")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("nothing was hit for 1000000 steps, after", done.stderr)
                said.append(self.summary(out)["steps"])
            self.assertEqual(said[0], said[1])
            if steps:
                self.assertEqual(said[0], steps)
        done = self.call("lyapunov", "s.toml")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("nothing was hit for 1000000 steps", done.stderr)

    def test_a_resumed_run_gives_up_where_it_would_have(self):
        self.write("s.toml", '[time]\nstep = 0.01\nimpacts = 2\n[system]\ncoordinates = ["x"]\nmass = [1]\nposition = [1.005]\n'
                   'velocity = [-1]\n[[gap]]\nexpression = "x"\n[record]\nevery = 0\n')
        running = subprocess.Popen([PROGRAM, "run", "s.toml", "--out", "o"], cwd=self.dir)
        self.wait_for_its_first_checkpoint(running, "o")
        running.kill()
        running.wait()
        done = self.call("resume", "o")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.summary("o")["steps"], 101 + 1000001)

    def test_the_last_whole_step_of_a_failed_run_is_kept(self):
        """V = sqrt(0.3 - x) from x = 0 with v = 1: ½v² = ½ + sqrt(0.3) − sqrt(0.3 − x), beyond 0.3 nothing is a number."""
        self.write("s.toml", '[time]\nstep = 0.01\nend = 5\n[system]\ncoordinates = ["x"]\nmass = [1]\n'
                   'potential = "sqrt(0.3 - x)"\nposition = [0]\nvelocity = [1]\n')
        rows = {}
        for every in (1, 7, 1000):
            done = self.call("run", "s.toml", "--overwrite", "--out", "o", "--set", f"record.every={every}")
            self.assertEqual(done.returncode, 1, done.stderr)
            summary, (t, step, energy) = self.summary("o"), self.columns("o", "t", "step", "energy")
            rows[every] = (t[-1], step[-1], energy[-1])
            self.assertEqual((summary["t_end"], summary["steps"], summary["energy"]["final"]), rows[every])
        self.assertEqual(len(set(rows.values())), 1, rows)
        self.assertGreater(rows[1][0], 0.2)

    def test_forces_that_switch_on(self):
        """A mass of 2 rests under 9.81 until 60 N lift it at t1: y = ½(30 − 9.81)(t − t1)²."""
        scene = ('[time]\nstep = 0.01\nend = 1.5\n[system]\ncoordinates = ["y"]\nmass = [2]\npotential = "2*9.81*y"\n'
                 'position = [0]\n[[force]]\ncomponents = ["{}"]\n[[gap]]\nname = "floor"\nexpression = "y"\n'
                 '[impact]\nlaw = "newton"\nrestitution = {}\n')
        for force, t1 in (("if(t < 1, 0, 60)", 1), ("if(t < 1.005, 0, 60)", 1.005), ("60*floor(mod(t, 2))", 1),
                          ("if(mod(t, 2) < 1.25, 0, 60)", 1.25)):
            for rule in ("trapezoid", "midpoint", "rectangle-left", "rectangle-right", "suzuki4"):
                for e in (0, 0.5):
                    self.write("s.toml", scene.format(force, e))
                    self.run_scene("s.toml", "--out", "o", "--overwrite", "--set", f"integrator.rule={rule}")
                    y = self.columns("o", "q")
                    told = (force, rule, e)
                    # to first order: a step may see the force at its end only, or all of it
                    self.assertAlmostEqual(float(y[-1][0]), 0.5 * (30 - 9.81) * (1.5 - t1) ** 2, delta=0.1, msg=told)
                    contacts = self.summary("o")["contacts"]
                    self.assertEqual(len(contacts), 1, told)
                    self.assertAlmostEqual(contacts[0]["to"], t1, delta=0.0101, msg=told)

    def test_a_light_body_between_two_heavy_ones(self):
        """Its impacts collapse at one instant; what rounding leaves of a gap that rests is no separation."""
        self.write("s.toml", '[time]\nstep = 0.05\nend = 2\n[system]\ncoordinates = ["a", "b", "c"]\nmass = [2.217, 0.104, 8.95]\n'
                   'potential = "9.81*2.217*a + 9.81*0.104*b + 9.81*8.95*c"\nposition = [0.1836, 1.6564, 2.7141]\n'
                   '[[gap]]\nname = "floor"\nexpression = "a"\n[[gap]]\nexpression = "b - a - 1"\n'
                   '[[gap]]\nexpression = "c - b - 1"\n[impact]\nlaw = "newton"\nrestitution = 0.5\n')
        self.run_scene("s.toml", "--out", "o")
        summary = self.summary("o")
        self.assertGreater(summary["min_gap"], -1e-9)
        # all come to rest on the floor and on each other: V = 9.81 (0.104 + 2·8.95), and nothing but impacts takes energy
        self.assertAlmostEqual(summary["energy"]["final"], 9.81 * (0.104 + 2 * 8.95), delta=1e-6)
        self.assertAlmostEqual(summary["energy_dissipated"], summary["energy"]["initial"] - summary["energy"]["final"],
                               delta=1e-3 * summary["energy_dissipated"])

    def test_symmetries_of_a_narrow_potential(self):
        """A bowl of the radius 0.02: states as far from the start as one are all outside of it."""
        bowl = ('[time]\nstep = 1e-4\nend = 0.01\n[system]\ncoordinates = ["x", "y"]\nmass = [1, 1]\n'
                'potential = "-9.81*sqrt(0.02^2 - x^2 - y^2)"\nposition = [0.005, 0]\nvelocity = [0, 0.1]\n'
                '[[symmetry]]\nname = "turn"\ngenerator = ["-y", "x"]\n[[symmetry]]\nname = "shift"\ngenerator = ["1", "0"]\n')
        self.write("s.toml", bowl)
        said = self.call("check", "s.toml").stdout
        self.assertRegex(said, r"turn[^\n]*: holds|turn[^\n]* holds")
        self.assertRegex(said, r"shift[^\n]*does not hold: the Lagrangian changes along it")

    def test_the_weak_principle_asks_for_slopes_between_nodes_only(self):
        weak = FLOOR.replace('"9.81*y"', '"hypot(x, y - 1)"').replace("[-2, 0]", "[1, 0.5]")
        self.write("s.toml", weak)
        self.refused(self.call("check", "s.toml"), "derivative of the potential by x")
        self.write("w.toml", weak + '[integrator]\nprinciple = "weak"\n')
        self.run_scene("w.toml", "--out", "o")
        self.assertLess(self.summary("o")["energy"]["max_relative_error"], 0.02)

    def test_laws_are_in_the_summary(self):
        self.write("s.toml", FLOOR + '[[gap]]\nname = "wall"\nexpression = "x + 9"\nlaw = "newton"\nrestitution = 0.5\n')
        self.run_scene("s.toml", "--out", "o")
        self.assertEqual(self.summary("o")["law"], "elastic, newton")

    def test_a_trial_that_cannot_be_held_is_no_failure(self):
        """A narrow bump and a step of half a second: a trial impulse near zero would rest on the bump."""
        self.write("s.toml", '[time]\nstep = 0.5\nend = 0.5\n[system]\ncoordinates = ["x", "y"]\nmass = [1, 1]\n'
                   'potential = "9.81*y"\nposition = [0, 1.28815276]\nvelocity = [1.34830165, -0.94936835]\n[[gap]]\n'
                   'expression = "y - exp(-300*(x - 0.6)^2)"\n[integrator]\nclosure = "variational"\n')
        self.run_scene("s.toml", "--out", "o")
        self.assertGreaterEqual(self.summary("o")["impacts"], 1)

    def test_steps_that_are_far_too_long(self):
        """No impulse balances the energy, and beyond some size none can be flown: the search for one ends."""
        text = """[time]
step = 1
end = 10
[system]
coordinates = ["x"]
mass = [1]
potential = "k*x^4"
position = [1]
[parameters]
k = 10
[[gap]]
name = "g"
expression = "x + 0.5"
[integrator]
rule = "midpoint"
closure = "variational"
"""
        self.write("s.toml", text)
        for step, k in ((1, 10), (1, 1e6), (0.1, 1e6), (0.01, 1e6)):
            done = self.call("run", "s.toml", "--out", "o", "--overwrite", "--quiet", "--set", f"parameters.k={k}",
                             "--set", f"time.step={step}", "--set", f"time.end={10 * step}")
            summary = self.summary("o")
            self.assertIn((done.returncode, summary["status"]), ((0, "finished"), (1, "failed")), done.stderr)
            if done.returncode == 0:
                # The motion takes up energy without bound: what closes is known to the rounding of a step's way.
                way = step * math.sqrt(2 * summary["energy"]["max"])
                self.assertGreaterEqual(summary["min_gap"], -1e-12 * max(1, way))
                self.assertGreater(summary["fallbacks"]["reflection"], 0)

    def test_momentum_that_is_no_number(self):
        # √x along a motion that leaves x ≥ 0: half of the rows hold no number, and the summary says so
        self.write("s.toml", '[time]\nstep = 0.01\nend = 1\n[system]\ncoordinates = ["x"]\nmass = [1]\nposition = [1]\n'
                   'velocity = [-2]\n[[symmetry]]\nname = "root"\ngenerator = ["sqrt(x)"]\n')
        self.run_scene("s.toml", "--out", "o")
        summary = self.summary("o")
        self.assertEqual(summary["momentum"]["root"]["max_error"], "nan")
        self.assertTrue(any("not finite" in note for note in summary["notes"]))

    def test_samples_know_their_step(self):
        # a sample at t lies in the step that ends at or after it: number ⌈t/h⌉, also in a step with an impact (t = 0.4515)
        self.write("s.toml", FLOOR.replace("step = 0.01", "step = 0.1") + "[record]\nstroboscope = 0.01\n")
        self.run_scene("s.toml", "--out", "o")
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            t, step = f["stroboscope/t"][:], f["stroboscope/step"][:]
        self.assertEqual(len(t), 101)
        for i, k in enumerate(step):
            self.assertEqual(k, -(-i // 10), f"t = {t[i]}")

    def test_orders_that_do_not_fit_an_int(self):
        self.write("s.toml", FLOOR + '[integrator]\nclosure = "interpolated"\norder = 4294967302\n')
        self.refused(self.call("check", "s.toml"), "s.toml:15:9: ", "4, 6, 8 or 10, not 4294967302")

    def test_a_gap_of_time_alone(self):
        self.write("s.toml", FLOOR.replace('"y"\n', '"1 - t"\n').replace('coordinates = ["x", "1 - t"', 'coordinates = ["x", "y"'))
        self.refused(self.call("check", "s.toml"), "depends on no coordinate")

    def test_a_stroboscope_without_end(self):
        self.write("s.toml", FLOOR + "[record]\nstroboscope = 1e-9\n")
        self.refused(self.call("check", "s.toml"), "s.toml:14:15: ", "100000 times in a step")

    def test_a_potential_that_ends_at_the_wall(self):
        # x^1.5 has no value beyond the wall, where shadow closures look; the papers' closure does not
        text = ('[time]\nstep = 0.01\nend = 5\n[system]\ncoordinates = ["x"]\nmass = [1]\npotential = "x^1.5"\n'
                'position = [1]\nvelocity = [-0.5]\n[[gap]]\nexpression = "x"\n')
        self.write("s.toml", text)
        done = self.call("run", "s.toml", "--out", "o")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("a little beyond the gaps, too: variational does not", done.stderr)
        self.run_scene("s.toml", "--out", "o", "--overwrite", "--set", "integrator.closure=variational")
        self.assertLess(self.summary("o")["energy"]["max_relative_error"], 1e-3)  # h² = 1e-4

    def test_places_with_their_folder(self):
        os.mkdir(self.path("deep"))
        self.write("deep/s.toml", FLOOR + '[derivatives]\nwith_respect_to = ["velocty"]\n')
        done = self.call("check", "deep/s.toml")
        self.refused(done, "deep/s.toml:14:20: ", "velocity")
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    program.main()
