"""Samples of a section wherever an expression can have one, and runs whose energy stops being a number."""
import math

import h5py

from program import FLOOR, Case, main

# x = t
STRAIGHT = """[time]
step = 0.1
end = 1
[system]
coordinates = ["x"]
mass = [1]
position = [0]
velocity = [1]
[record]
every = 0
"""


class Sections(Case):
    def section(self, scene, expression, *more):
        """Times and positions of the samples."""
        self.write("s.toml", scene)
        self.run_scene("s.toml", "--out", "o", "--overwrite", "--quiet", "--set", f"record.section={expression}", *more)
        self.assertEqual(self.summary("o")["status"], "finished")
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            return f["section"]["t"][...], f["section"]["q"][...]

    CLOSURES = tuple(("--set", f"integrator.closure={name}") for name in ("auto", "variational"))

    def test_jumps_are_sampled_where_they_are(self):
        for closure in self.CLOSURES:
            for place in (0.333, 0.05, 0.999, 0.3):
                for expression in (f"if(x < {place}, -1, 1)", f"if(x < {place}, 2, -1e-6)",
                                   f"floor(x + 1 - {place}) - 0.5"):
                    t, q = self.section(STRAIGHT, expression, *closure)
                    self.assertEqual(len(t), 1, expression)
                    # the side behind it, within the rounding of x = x_k + s
                    self.assertGreaterEqual(q[0][0], place - 1e-16, expression)
                    self.assertAlmostEqual(q[0][0], place, delta=3e-16, msg=expression)
                    self.assertAlmostEqual(t[0], place, delta=3e-16, msg=expression)

    def test_poles_are_not(self):
        for closure in self.CLOSURES:
            for expression in ("1/(x - 0.333)", "1/(x - 0.05)", "1/(x - 0.3)", "1/(x - 0.35)^3", "1/(t - 0.75)"):
                self.assertEqual(len(self.section(STRAIGHT, expression, *closure)[0]), 0, expression)

    def test_roots_between_poles(self):
        t, _ = self.section(STRAIGHT, "tan(5*x)")
        self.assertEqual(len(t), 1)  # kπ/5, without the poles between them; that of the start is no change of sign
        self.assertAlmostEqual(t[0], math.pi / 5, delta=1e-15)

    def test_roots_without_a_change_of_sign(self):
        """Where a step ends on one it is sampled, once; between the steps it is not."""
        quarters = ("--set", "time.step=0.25")
        for place, found in ((0.5, [0.5]), (0.3, []), (0, []), (1, [1])):
            t, q = self.section(STRAIGHT, f"(x - {place})^2", *quarters)
            self.assertEqual(list(t), found, place)
            self.assertEqual([row[0] for row in q], found, place)

    def test_where_it_is_no_number_there_is_no_sample(self):
        # y falls from 1 through 0.5 and rises again: both are undefined below
        for expression, y in (("sqrt(y - 0.5) - 0.3", 0.59), ("log(y - 0.5) + 1", 0.5 + math.exp(-1))):
            for closure in self.CLOSURES:
                t, q = self.section(FLOOR, expression, *closure)
                self.assertEqual(len(t), 2, expression)
                for row in q:
                    self.assertAlmostEqual(row[1], y, delta=1e-13, msg=expression)
        for expression in ("sqrt(y - 2)", "sqrt(y - 0.5) + 1", "log(-y)"):
            self.assertEqual(len(self.section(FLOOR, expression)[0]), 0, expression)


class Energies(Case):
    def test_no_number_at_an_impact(self):
        """The logarithm is not defined at the floor, its gradient on the way there is."""
        self.write("s.toml", FLOOR)
        strong = ("integrator.closure=variational",), ("integrator.closure=reflection",)
        weak = ("integrator.principle=weak", "impact.law=newton", "impact.restitution=0")  # stays where it went too far
        for settings in (*strong, weak):
            done = self.call("run", "s.toml", "--out", "o", "--overwrite", "--set",
                             "system.potential=9.81*y - 0.001*log(y)", *(x for s in settings for x in ("--set", s)))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertRegex(done.stderr, r"the energy is .* finite.* at .*impact .*floor.* at t = 0\.4")
            self.assertEqual(self.summary("o")["status"], "failed")
            self.assertNotIn(b"nan", self.read("o", "impacts.csv"))


class Refused(Case):
    PERTURBED = FLOOR.replace("position = [0, 1]", "position = [0, 0]").replace("velocity = [-2, 0]\n", "") + (
        '[impact]\nstart = "perturbed"\nperturbation = 3\n')

    def test_a_perturbed_start_has_no_derivative(self):
        self.write("s.toml", self.PERTURBED)
        said = set()
        for command in (("lyapunov", "s.toml"), ("orbit", "s.toml", "--period", "1"),
                        ("run", "s.toml", "--out", "o", "--set", 'derivatives.with_respect_to=["position"]')):
            done = self.call(*command)
            self.refused(done, 's.toml:13:9: start = "perturbed" has no derivative')
            said.add(done.stderr)
        self.assertEqual(len(said), 1, said)

    def test_too_many_points_of_a_boundary_problem(self):
        self.write("s.toml", FLOOR.split("[[gap]]")[0] +
                   "[boundary]\nstart = [0, 0]\nend = [1, 0]\ntime = [0, 1]\npoints = 100\n")
        done = self.call("solve-bvp", "s.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        for points in (501, 8000, 2000001, 2**62):
            self.refused(self.call("solve-bvp", "s.toml", "--set", f"boundary.points={points}"),
                         f"points of [boundary] may be 500 at most, not {points}: all of them")
        self.refused(self.call("solve-bvp", "s.toml", "--set", "boundary.points=0"), "must be positive")


if __name__ == "__main__":
    main()
