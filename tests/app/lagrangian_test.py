"""Lagrangians whose kinetic energy is no quadratic form: impacts keep H, whatever the law's parabola says."""
import csv
import math

import h5py
import numpy

import program

SCENE = """[time]
step = 0.02
end = 3
[system]
coordinates = ["x"]
lagrangian = "{L}"
position = [0.5]
velocity = [{v}]
[[gap]]
name = "wall"
expression = "x"
"""
CLOSURES = ("reflection", "variational", "interpolated", "auto")


class Lagrangians(program.Case):
    def impacts(self, folder):
        with open(self.path(folder, "impacts.csv"), newline="") as f:
            return [{k: float(x) for k, x in row.items() if k != "gap"} for row in csv.DictReader(f)]

    def first(self, text, closure, *more):
        self.write("s.toml", text)
        self.run_scene("s.toml", "--out", "o", "--overwrite", "--set", f"integrator.closure={closure}", *more)
        summary = self.summary("o")
        self.assertEqual(summary["fallbacks"].get("reflection", 0), 0, closure)
        return self.impacts("o"), summary

    def test_even_ones_turn_the_momentum_round(self):
        # no force: p is constant between impacts, and H(p) = H(-p)
        cases = {("v_x^4/4 + v_x^2/2", -2.0): lambda v: v**3 + v, ("cosh(v_x)", -3.0): math.sinh,
                 ("sqrt(1 + v_x^2)", -2.0): lambda v: v / math.sqrt(1 + v * v),
                 ("-sqrt(1 - v_x^2)", -0.99): lambda v: v / math.sqrt(1 - v * v)}
        for (L, v), momentum in cases.items():
            for closure in CLOSURES:
                with self.subTest(L=L, closure=closure):
                    impacts, _ = self.first(SCENE.format(L=L, v=v), closure)
                    self.assertEqual(len(impacts), 1)
                    p = abs(momentum(v))
                    self.assertAlmostEqual(impacts[0]["p_minus_x"], -p, delta=1e-13 * p)
                    self.assertAlmostEqual(impacts[0]["p_plus_x"], p, delta=1e-9 * p)
                    self.assertAlmostEqual(impacts[0]["t"], 0.5 / -v, delta=1e-12)

    def test_one_that_is_not_even(self):
        # L = v²/2 + 0.1 v³: p = v + 0.3 v², H = v²/2 + 0.2 v³; the other velocity of the same H moves away
        v = max(root.real for root in numpy.roots([0.2, 0.5, 0, -0.3]) if abs(root.imag) < 1e-12)
        for closure in CLOSURES:
            with self.subTest(closure=closure):
                impacts, _ = self.first(SCENE.format(L="v_x^2/2 + 0.1*v_x^3", v=-1.0), closure)
                self.assertAlmostEqual(impacts[0]["p_plus_x"], v + 0.3 * v * v, delta=1e-9)

    def test_a_fall_at_nearly_the_speed_of_light(self):
        # H = √(1 + p²) + x/2 = 1.5 falling from x = 1: p = ∓√(1.5² − 1) at the wall
        text = SCENE.format(L="-sqrt(1-v_x^2)-x/2", v=0).replace("[0.5]", "[1]").replace("end = 3", "end = 20")
        p = math.sqrt(1.25)
        for closure in CLOSURES:
            with self.subTest(closure=closure):
                impacts, summary = self.first(text, closure)
                self.assertGreaterEqual(len(impacts), 4)
                for row in impacts:  # second order: h² is 4e-4
                    self.assertAlmostEqual(row["p_plus_x"], p, delta=2e-3)
                self.assertLess(summary["energy"]["max_relative_error"], 2e-3)

    def test_in_a_box(self):
        # √(1 + p²) is kept by every wall, each turns one component round: |p_x| and |p_y| are what they were
        walls = "".join(f'[[gap]]\nexpression = "{e}"\n' for e in ("x", "1 - x", "y", "1 - y"))
        text = ("[time]\nstep = 0.02\nend = 6\n[system]\ncoordinates = [\"x\", \"y\"]\n"
                'lagrangian = "-sqrt(1-v_x^2-v_y^2)"\nposition = [0.5, 0.4]\nmomentum = [3, 1.7]\n' + walls)
        for closure in ("reflection", "variational", "auto"):
            with self.subTest(closure=closure):
                impacts, _ = self.first(text, closure)
                self.assertGreater(len(impacts), 6)
                for row in impacts:
                    self.assertAlmostEqual(abs(row["p_plus_x"]), 3, delta=1e-8)
                    self.assertAlmostEqual(abs(row["p_plus_y"]), 1.7, delta=1e-8)

    def test_the_tangent_through_impacts(self):
        # a relativistic particle in a disc, five impacts: derivatives.h5 against central differences of whole runs
        text = ("[time]\nstep = 0.05\nend = 11\n[system]\ncoordinates = [\"x\", \"y\"]\n"
                'lagrangian = "-sqrt(1-v_x^2-v_y^2) - 0.1*y"\nposition = [0.3, 0.1]\nmomentum = [1.5, 0.7]\n'
                '[[gap]]\nexpression = "1 - x^2 - y^2"\n[record]\nevery = 0\n')
        self.write("s.toml", text.replace("every = 0", "every = 1"))
        self.write("d.toml", text + '[derivatives]\nwith_respect_to = ["position", "momentum"]\n')
        for closure in ("variational", "interpolated"):
            with self.subTest(closure=closure):
                chosen = ("--quiet", "--overwrite", "--set", f"integrator.closure={closure}")
                self.run_scene("d.toml", "--out", "d", *chosen)
                self.assertGreaterEqual(self.summary("d")["impacts"], 5)
                self.assertEqual(self.summary("d")["irregular_derivatives"], [])
                with h5py.File(self.path("d", "derivatives.h5")) as f:
                    found = numpy.vstack([f["q"][-1], f["p"][-1]])

                def end(key, index, value):
                    self.run_scene("s.toml", "--out", "o", *chosen, "--set", f"system.{key}[{index}]={value!r}")
                    with h5py.File(self.path("o", "trajectory.h5")) as f:
                        return numpy.concatenate([f["q"][-1], f["p"][-1]])

                delta = 1e-6  # rounding 1e-16/δ and δ² times third derivatives, both stretched by the impacts
                for column, (key, index, at) in enumerate((("position", 0, 0.3), ("position", 1, 0.1),
                                                           ("momentum", 0, 1.5), ("momentum", 1, 0.7))):
                    difference = (end(key, index, at + delta) - end(key, index, at - delta)) / (2 * delta)
                    scale = numpy.abs(found).max()
                    self.assertLess(numpy.abs(found[:, column] - difference).max(), 1e-6 * scale, (key, index))
        done = self.call("run", "d.toml", "--out", "d", "--overwrite", "--set", "integrator.closure=reflection")
        self.assertEqual(done.returncode, 1)
        self.assertIn("closures that balance the energy", done.stderr)

    def test_a_start_with_the_momentum_of_another_velocity(self):
        for L, v in (("v_x^2/2 - v_x^4/4", 1), ("v_x^2/2 + 0.3*v_x^3", -1)):
            self.write("s.toml", SCENE.format(L=L, v=v))
            for command in ("check", "run"):
                self.refused(self.call(command, "s.toml"), "s.toml:8:12: ", "not positive definite")


if __name__ == "__main__":
    program.main()
