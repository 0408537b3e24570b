"""Runs that used to end badly, or badly without a word: contacts at the origin, late times, steps without end."""
import os
import signal
import time

from program import Case, main

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "contact")
CLOSURES = ("auto", "variational", "reflection", "shadow2", "interpolated")


def case(name):
    return os.path.join(DATA, name + ".toml")


def one_coordinate(gaps, *more, position=0.0, velocity=1.0, step=0.01, end=1):
    text = f'[time]\nstep = {step}\nend = {end}\n[system]\ncoordinates = ["x"]\nmass = [1]\n'
    text += f"position = [{position}]\nvelocity = [{velocity}]\n"
    return text + "".join(f'[[gap]]\nexpression = "{gap}"\n' for gap in gaps) + "\n".join(more)


class Trust(Case):
    def test_feet_that_read_a_quaternion_rest(self):
        """With the radial part of the quaternion in W the friction of the feet has no solution; on the constraint it
        has, and the forms of the scene agree."""
        import h5py
        import numpy

        found = {}
        for name in ("feet-quaternion-3", "feet-quaternion-3-normalised", "feet-quaternion-4"):
            self.run_scene(case(name), "--out", name, "--quiet")
            summary = self.summary(name)
            self.assertEqual(summary["impacts"], 0)
            self.assertGreater(summary["min_gap"], -1e-14)
            self.assertEqual([c["to"] for c in summary["contacts"]], [None] * (4 if name[-1] == "4" else 3))
            with h5py.File(self.path(name, "trajectory.h5")) as f:
                found[name] = f["q"][...]
        for q in found.values():
            self.assertLess(numpy.abs(q - [0, 0, 0.5, 1, 0, 0, 0]).max(), 1e-12)

    def test_a_slow_push_moves_both_forms_alike(self):
        import h5py
        import numpy

        push = ["--set", "system.velocity=[0.4, 0.1, 0, 0, 0, 0, 0.2]", "--set", "time.end=0.3"]
        last = []
        for name in ("feet-quaternion-3", "feet-quaternion-3-normalised"):
            self.run_scene(case(name), "--out", name, "--quiet", *push)
            with h5py.File(self.path(name, "trajectory.h5")) as f:
                last.append(f["q"][-1])
        self.assertGreater(abs(last[0][0]), 0.015)  # it slides: v²/(2μg) = 0.022 at most
        self.assertLess(numpy.abs(last[0] - last[1]).max(), 1e-9)

    def test_a_ball_on_a_vibrating_table_goes_on_for_long(self):
        """The time is rounded by ε t, and the gap by the speed of the table times that."""
        counts = set()
        for closure in CLOSURES:
            self.run_scene(case("ball-vibrating-table"), "--out", closure, "--quiet", "--set", "parameters.A=1.2", "--set",
                           "time.step=0.005", "--set", "time.end=510", "--set", f"integrator.closure={closure}")
            summary = self.summary(closure)
            counts.add(summary["impacts"])
            self.assertEqual(sum(summary["fallbacks"].values()), 0)
            self.assertGreater(summary["min_gap"], -1e-10)
        self.assertEqual(len(counts), 1)
        self.assertEqual(self.summary("auto")["closure"], "reflection")

    def test_a_cradle_on_strings_holds_what_touches(self):
        for closure in CLOSURES:
            for step in (0.002, 0.01):
                with self.subTest(closure=closure, step=step):
                    self.run_scene(case("cradle-strings"), "--out", "o", "--overwrite", "--quiet", "--set",
                                   f"integrator.closure={closure}", "--set", f"time.step={step}")
                    summary = self.summary("o")
                    self.assertGreater(summary["min_gap"], -1e-13)
                    self.assertLess(summary["impacts"], 60)
                    if closure not in ("variational",):
                        self.assertLess(summary["energy"]["max_relative_error"], 40 * step**2)

    def test_auto_keeps_energy_only_where_there_is_some_to_keep(self):
        fall = ["--set", "system.potential=x", "--set", "time.end=0.1"]
        self.write("s.toml", one_coordinate(["x"], position=1.0))
        for settings, closure in (([], "shadow4"),
                                  (["--set", "impact.law=newton", "--set", "impact.restitution=0.5"], "reflection"),
                                  (["--set", "impact.law=newton", "--set", "impact.restitution=1"], "shadow4"),
                                  (["--set", "impact.law=newton", "--set", "impact.restitution=0.5", "--set",
                                    "impact.dissipation=balance"], "shadow4")):
            self.run_scene("s.toml", "--out", "o", "--overwrite", "--quiet", *fall, *settings)
            self.assertEqual(self.summary("o")["closure"], closure, settings)
        self.write("m.toml", one_coordinate(["x"], position=1.0).replace("mass = [1]", 'mass = ["1+x^2"]'))
        checked = self.call("check", "m.toml").stdout
        self.assertIn("interpolated closure", checked)
        self.assertIn("chosen by auto", checked)
        self.write("f.toml", one_coordinate(["x"], "[[force]]\ncomponents = [\"-0.1*v_x\"]\n", position=1.0))
        self.run_scene("f.toml", "--out", "o", "--overwrite", "--quiet")
        self.assertEqual(self.summary("o")["closure"], "reflection")

    def test_a_step_that_resolves_nothing_ends_soon(self):
        for closure in ("auto", "interpolated", "variational", "reflection"):
            start = time.monotonic()
            done = self.call("run", case("graze-stiff"), "--out", "o", "--overwrite", "--quiet", "--set",
                             f"integrator.closure={closure}")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertLess(time.monotonic() - start, 20, closure)
            if done.returncode == 1:
                self.assertIn("smaller", done.stderr)

    def test_an_interruption_ends_a_step(self):
        """Two gaps that leave a millionth of room make a thousand million impacts in the first step."""
        import subprocess

        from program import PROGRAM
        self.write("s.toml", one_coordinate(["x", "1e-6-x"], position=5e-7, step=1000.0, end=1e6))
        with subprocess.Popen([PROGRAM, "run", "s.toml", "--out", "o", "--quiet"], cwd=self.dir,
                              stderr=subprocess.PIPE) as child:
            time.sleep(1)
            if child.poll() is None:
                child.send_signal(signal.SIGINT)
                start = time.monotonic()
                child.wait(10)
                self.assertLess(time.monotonic() - start, 1.5)

    def test_gaps_without_room_are_named(self):
        for closure in ("auto", "variational", "reflection"):
            self.write("s.toml", one_coordinate(["x", "-x"]))
            start = time.monotonic()
            done = self.call("run", "s.toml", "--out", "o", "--overwrite", "--quiet", "--set",
                             f"integrator.closure={closure}")
            self.assertLess(time.monotonic() - start, 2)
            self.assertEqual(done.returncode, 1)
            self.assertIn('leave no room at t = 0', done.stderr)
            for gap in ("gap 0", "gap 1"):
                self.assertIn(gap, done.stderr)

    def test_too_many_true_impacts_come_with_advice(self):
        text = '[time]\nstep = 0.01\nend = 3\n[system]\ncoordinates = ["x", "y"]\nmass = [1, 1e12]\n'
        text += 'position = [1, 2]\nvelocity = [0, -1]\n[[gap]]\nexpression = "x"\n[[gap]]\nexpression = "y-x"\n'
        self.write("s.toml", text)
        done = self.call("run", "s.toml", "--out", "o", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a smaller step has fewer", done.stderr)
        # Fewer steps of the ladder: masses 1 and 10^(2N) make the first N + 1 digits of π, and each is an impact.
        self.run_scene("s.toml", "--out", "p", "--quiet", "--set", "system.mass=[1, 1e8]")
        self.assertIn(self.summary("p")["impacts"], (31414, 31415))  # two within an instant are one

    def test_dependent_gaps_are_said_and_shared(self):
        """Gaps x, y and x + y: of all λ ≥ 0 with λ0 + λ2 = 4 and λ1 + λ2 = 6 the least Σ λ²|∇φ|² is (1.5, 3.5, 2.5)."""
        text = '[time]\nstep = 0.01\nend = 0.5\n[system]\ncoordinates = ["x", "y"]\nmass = [1, 1]\n'
        text += "position = [0.8, 1.2]\nvelocity = [-4, -6]\n"
        for gap in ("x", "y", "x+y"):
            text += f'[[gap]]\nexpression = "{gap}"\n'
        self.write("s.toml", text)
        for law in ("newton", "poisson", "canonical"):
            done = self.run_scene("s.toml", "--out", "o", "--overwrite", "--set", f"impact.law={law}", "--set",
                                  "impact.restitution=0")
            (row,) = self.impacts("o")
            for found, right in zip(str(row["multiplier"]).split(";"), (1.5, 3.5, 2.5)):
                self.assertAlmostEqual(float(found), right, delta=1e-12, msg=law)
            (note,) = self.summary("o")["notes"]
            self.assertIn("hypothesis I", note)
            self.assertIn("gap 0, gap 1, gap 2", note)
            self.assertIn("not unique", done.stdout)
        # Without the third gap they are independent, and nothing is said.
        self.write("t.toml", text[:text.rindex("[[gap]]")])
        self.run_scene("t.toml", "--out", "o", "--overwrite", "--quiet")
        self.assertNotIn("notes", self.summary("o"))

    def test_a_bead_held_in_a_bowl_stays_on_it_in_samples_too(self):
        """The samples lie on the bowl to rounding; between the ends of a step they used to leave it by 1e-5."""
        import h5py
        import numpy

        text = '[time]\nstep = 0.02\nend = 4\n[system]\ncoordinates = ["x", "y"]\nmass = [1, 1]\npotential = "9.81*y"\n'
        text += 'position = [0.6, -0.8]\nvelocity = [0, 0]\n[[gap]]\nname = "bowl"\nexpression = "1-hypot(x,y)"\n'
        text += '[impact]\nlaw = "newton"\nrestitution = 0\n[record]\nevery = 1\nstroboscope = 0.003\n'
        self.write("s.toml", text)
        self.run_scene("s.toml", "--out", "o", "--quiet")
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            q = f["stroboscope/q"][...] if "stroboscope" in f else f["q"][...]
        least = (1 - numpy.hypot(q[:, 0], q[:, 1])).min()
        self.assertGreater(least, -1e-13)
        self.assertLessEqual(self.summary("o")["min_gap"], least)


if __name__ == "__main__":
    main()
