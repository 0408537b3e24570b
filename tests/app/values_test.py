"""What the columns and the summary say, by value: closed forms, and the definitions computed again from the rows."""
import math
import os
import re

import h5py
import numpy
from program import FLOOR, SCENES, Case, main

G, H = 9.81, 0.01
EPS = 2.3e-16
KICK = G**2 * H**2 / 8  # of the energy, with the trapezoid and linear gravity (docs/errata.md F11)

BALL = """[time]
step = 0.01
end = 2
[system]
coordinates = ["y"]
mass = [1]
potential = "9.81*y"
position = [1]
velocity = [0]
[[gap]]
name = "floor"
expression = "y"
[integrator]
rule = "trapezoid"
closure = "variational"
"""

CORNER = """[time]
step = 0.01
end = 1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
position = [0.1, 0.2]
velocity = [-1, -2]
[[gap]]
name = "wall"
expression = "x"
[[gap]]
name = "floor"
expression = "y"
"""


class Energies(Case):
    def outcome(self, text, *arguments):
        self.write("s.toml", text)
        self.run_scene("s.toml", "--out", "o", "--overwrite", "--quiet", *arguments)
        return self.summary("o"), self.impacts("o")

    def test_relative_error_by_its_definition(self):
        # H0 = 0: the largest kinetic energy is what divides, and it is found at an impact, not in a row
        summary, impacts = self.outcome(BALL.replace("9.81*y", "9.81*(y - 1)"))
        q, p = self.columns("o", "q", "p")
        kinetic, energy = list(p[:, 0]**2 / 2), list(p[:, 0]**2 / 2 + G * (q[:, 0] - 1))
        rows = max(kinetic)
        for row in impacts:
            for side in ("p_minus_y", "p_plus_y"):
                kinetic.append(row[side]**2 / 2)
                energy.append(row[side]**2 / 2 + G * (row["q_y"] - 1))
        self.assertEqual(len(impacts), 2)
        self.assertEqual(energy[0], 0)
        self.assertGreater(max(kinetic), 1.001 * rows)
        # both quotients are rounded sums of numbers near 10: a few ulps of 10, divided by 10
        right = max(abs(e) for e in energy) / max(kinetic)
        self.assertAlmostEqual(summary["energy"]["max_relative_error"], right, delta=8 * EPS)
        self.assertGreater(right, 5e-5)  # the first kick alone is (1 - 2 alpha) KICK/g with alpha = 0.15

    def test_relative_error_by_the_initial_energy(self):
        # H0 = 9.81 * 1001: it is larger than any kinetic energy
        summary, impacts = self.outcome(BALL.replace("9.81*y", "9.81*(y + 1000)"))
        kicks = numpy.cumsum([(1 - 2 * row["alpha"]) * KICK for row in impacts])
        # H of about 1e4 is rounded to 2e-12, and divided by 1e4
        self.assertAlmostEqual(summary["energy"]["max_relative_error"], max(abs(kicks)) / (G * 1001), delta=1e-15)

    def test_nothing_moves_no_error(self):
        summary, _ = self.outcome('[time]\nstep = 0.01\nend = 1\n'
                                  '[system]\ncoordinates = ["x"]\nmass = [1]\nposition = [0]\n')
        for key in ("energy", "discrete_energy"):
            self.assertEqual(summary[key], {"initial": 0, "final": 0, "min": 0, "max": 0, "max_relative_error": 0})

    def test_discrete_energy(self):
        # E_d = ((q1 - q0)/h)²/2 + (V0 + V1)/2 is H - g²s²/8 on a flight of length s
        _, impacts = self.outcome(BALL)
        step, energy, discrete = self.columns("o", "step", "energy", "discrete_energy")
        self.assertEqual(discrete[0], energy[0])  # there is no interval before
        with_impact = {int(row["step"]) + 1: row["alpha"] for row in impacts}
        for k in range(1, len(step)):
            s = 1 - with_impact.get(int(step[k]), 0)  # the row after an impact ends the rest of its step
            # (q1 - q0)/h has the rounding of q over h: 1e-16/1e-2, times a speed of 4.4
            self.assertAlmostEqual(discrete[k] - energy[k], -KICK * s**2, delta=3e-13)

    def test_extremes(self):
        summary, impacts = self.outcome(BALL)
        energy, discrete = self.columns("o", "energy", "discrete_energy")
        sides = [row[k] for row in impacts for k in ("energy_before", "energy_after")]
        everything = [*energy, *sides]
        self.assertEqual(summary["energy"]["initial"], G)
        self.assertEqual(summary["energy"]["final"], energy[-1])
        self.assertEqual((summary["energy"]["min"], summary["energy"]["max"]), (min(everything), max(everything)))
        # The discrete energy begins with the first interval; the jump conserves it, so the rows have it all.
        found = summary["discrete_energy"]
        self.assertAlmostEqual(found["initial"], G - KICK, delta=3e-13)
        self.assertEqual(found["final"], discrete[-1])
        for key, right in (("min", min(discrete[1:])), ("max", max(discrete[1:]))):
            self.assertAlmostEqual(found[key], right, delta=3e-13)

    def test_kicks(self):
        for mass in (1, 2.5):
            _, impacts = self.outcome(BALL.replace("[1]", f"[{mass}]", 1).replace("9.81*y", f"{mass}*9.81*y"),
                                      "--set", "time.end=20")
            self.assertEqual(len(impacts), 22)  # one at sqrt(2/g) = 0.4515, then every 0.903
            for row in impacts:
                self.assertAlmostEqual(row["energy_after"] - row["energy_before"],
                                       mass * KICK * (1 - 2 * row["alpha"]), delta=64 * EPS * mass * G)
            largest = max(abs(row["energy_after"] - row["energy_before"]) for row in impacts)
            self.assertGreater(largest, 0.5 * mass * KICK)

    def test_reflection_keeps_the_energy(self):
        for scene, more in (("star", ("--set", "time.end=50")), ("table", ("--set", "time.end=20"))):
            self.run_scene(scene, "--out", scene, "--quiet", "--set", "integrator.closure=reflection", *more)
            impacts = self.impacts(scene)
            self.assertGreater(len(impacts), 10)
            for row in impacts:  # p+ = p- + λ∇φ with λ from a quotient of such numbers: a few ulps of H
                self.assertAlmostEqual(row["energy_after"], row["energy_before"], delta=32 * EPS * row["energy_before"])
            self.assertEqual(self.summary(scene)["closure"], "reflection")

    def test_smallest_gap(self):
        # y = 1 - g t²/2, exact for the trapezoid; the smallest is at the end, then (after an impact) zero
        summary, impacts = self.outcome(BALL, "--set", "time.end=0.3")
        self.assertEqual(impacts, [])
        self.assertAlmostEqual(summary["min_gap"], 1 - G * 0.09 / 2, delta=30 * EPS)
        summary, _ = self.outcome(BALL)
        self.assertAlmostEqual(summary["min_gap"], 0, delta=4 * EPS)

    def test_impacts_in_order(self):
        for closure in ("variational", "auto", "reflection"):
            _, impacts = self.outcome(BALL, "--set", "time.end=10", "--set", f"integrator.closure={closure}")
            self.assertEqual([row["n"] for row in impacts], list(range(1, len(impacts) + 1)))
            self.assertEqual(len(impacts), 11)  # at 0.4515 + 0.903 n
            for row in impacts:
                self.assertEqual(row["step"], int(row["step"]))
                self.assertTrue(0 <= row["alpha"] <= 1, row)
                # t_step is h added up or multiplied: half an ulp of 10 a step at the worst
                self.assertAlmostEqual(row["t"], H * (row["step"] + row["alpha"]), delta=1e-13)
            # exact until the first impact: sqrt(2/g) to the rounding of a root of 1 - g t²/2
            self.assertAlmostEqual(impacts[0]["t"], math.sqrt(2 / G), delta=4 * EPS)


class Momenta(Case):
    def test_circle(self):
        self.run_scene("circle", "--out", "o", "--quiet")
        found = self.summary("o")["momentum"]["rotation"]
        self.assertAlmostEqual(found["initial"], 0.2 * 0.8, delta=EPS)
        # 2000 reflections, each rounds two products of numbers below one: a random walk of ulps, their sum at the worst
        self.assertLess(found["max_error"], 2000 * 2 * EPS)
        self.assertEqual(list(self.columns("o", "momentum")[0]), [found["initial"]])

    def test_one_that_is_not_kept(self):
        # J = p_y: from 0 to the speed of the impact, ±sqrt(2 g)
        self.write("s.toml", BALL + '[[symmetry]]\nname = "up"\ngenerator = [1]\n')
        self.run_scene("s.toml", "--out", "o", "--quiet", "--set", "time.end=0.6")
        found = self.summary("o")["momentum"]["up"]
        momentum, p = self.columns("o", "momentum", "p")
        self.assertTrue((momentum == p).all())
        self.assertEqual(found["initial"], 0)
        # the largest is at the impact, between two rows: g t_45 in the last one before it
        self.assertGreaterEqual(found["max_error"], abs(p).max())
        self.assertLessEqual(found["max_error"], max(abs(self.impacts("o")[0][k]) for k in ("p_minus_y", "p_plus_y")))
        self.assertAlmostEqual(abs(p).max(), G * 0.45, delta=1e-14)


class Corner(Case):
    def test_several_gaps_in_the_order_of_the_scene(self):
        # both are reached at t = 0.1 with p = (-1, -2): p+ = -p-, λ = (2, 4)
        gaps = CORNER[CORNER.index("[[gap]]"):].split("[[gap]]")[1:]
        other = CORNER[:CORNER.index("[[gap]]")] + "[[gap]]" + gaps[1] + "[[gap]]" + gaps[0]
        for text, names, right in ((CORNER, "wall+floor", (2, 4)), (other, "floor+wall", (4, 2))):
            self.write("s.toml", text)
            self.run_scene("s.toml", "--out", "o", "--overwrite", "--quiet")
            (row,) = self.impacts("o")
            self.assertEqual(row["gap"], names)
            multipliers = [float(x) for x in row["multiplier"].split(";")]
            self.assertEqual(len(multipliers), 2)
            for found, wanted in zip(multipliers, right):
                self.assertAlmostEqual(found, wanted, delta=8 * EPS * wanted)
            self.assertAlmostEqual(row["t"], 0.1, delta=2 * EPS)
            for key, wanted in (("p_minus_x", -1), ("p_minus_y", -2), ("p_plus_x", 1), ("p_plus_y", 2)):
                self.assertAlmostEqual(row[key], wanted, delta=8 * EPS)
            self.assertAlmostEqual(self.columns("o", "q")[-1][1], 0.2 + 2 * 0.8, delta=1e-13)  # 100 additions


class Formulas(Case):
    """The bundled scenes against the formulas they were asked to have."""

    def starts(self, scene, velocity, positions, potential, gaps, masses):
        for k, q in enumerate(positions):
            at = ("--set", f"system.position={list(q)}", "--set", f"system.velocity={list(velocity)}")
            done = self.call("check", scene, *at)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = re.search(r"energy +(\S+) at the start, (\S+) of it kinetic", done.stdout)
            kinetic = sum(m * v**2 for m, v in zip(masses, velocity)) / 2
            scale = 8 * EPS * (kinetic + abs(potential(*q)) + 1)
            self.assertAlmostEqual(float(said[1]), kinetic + potential(*q), delta=scale)
            self.assertAlmostEqual(float(said[2]), kinetic, delta=scale)
            self.run_scene(scene, "--out", f"{scene}{k}", "--quiet", *at, "--set", "time.end=1e-3")
            found, p = self.columns(f"{scene}{k}", "gaps", "p")
            for value, right in zip(found[0], gaps(*q), strict=True):
                self.assertAlmostEqual(value, right, delta=8 * EPS * (1 + sum(x**2 for x in q)**2))
            # the force is the gradient of that potential: (p1 - p0)/h in the middle of a step, up to h²FF' < 5e-5
            h, e = 1e-3, 1e-5
            middle = [x + h / 2 * v for x, v in zip(q, velocity)]
            for i in range(len(q)):
                up, down = ([x + s * e * (i == j) for j, x in enumerate(middle)] for s in (1, -1))
                force = -(potential(*up) - potential(*down)) / (2 * e)
                self.assertAlmostEqual((p[1][i] - p[0][i]) / h, force, delta=1e-4)

    def test_table(self):
        self.starts("table", (1.1, 1.37), [(0.3, 0.1), (-0.5, 0.2), (0.1, -0.6), (0.4, 0.5)],
                    lambda x, y: (x**2 + 1.7 * y**2) / 2 + x**4 / 4 + 0.6 * x**2 * y**2,
                    lambda x, y: [1 - (x**2 + y**2)**2 - 0.6 * x**3 + 1.8 * x * y**2], (1, 1))
        self.run_scene("table", "--out", "o", "--quiet", "--set", "time.end=0.1")
        q, p = self.columns("o", "q", "p")
        self.assertEqual((list(q[0]), list(p[0])), ([0.3, 0.1], [1.1, 1.37]))

    def test_stars(self):
        def corners(_, y, a):  # one gap per corner (±1/2, ±1/2) of the body: its height, y + X sin a + Y cos a
            return [y + (s * math.sin(a) + c * math.cos(a)) / 2 for c in (-1, 1) for s in (-1, 1)]

        inertia = 29 / 192
        for scene, cubic in (("star", 0), ("star-cubic", 0.1)):
            self.starts(scene, (-2, 0, 5), [(0, 3.5, 0), (1, 2, 0.7), (-3, 4.5, -2)],
                        lambda x, y, a, c=cubic: G * y + c * y**3, corners, (1, 1, inertia))
            self.run_scene(scene, "--out", scene, "--quiet", "--set", "time.end=0.1")
            q, p = self.columns(scene, "q", "p")
            self.assertEqual((list(q[0]), list(p[0])), ([0, 3.5, 0], [-2, 0, 5 * inertia]))

    def test_the_required_scenes_are_there(self):
        listed = {line.split()[0] for line in self.call("list").stdout.splitlines()}
        for name in ("particle", "star", "star-cubic", "table", "circle", "wedge", "pendulum", "double-pendulum",
                     "two-masses"):
            self.assertIn(name, listed)
            self.assertTrue(os.path.exists(os.path.join(SCENES, name + ".toml")))


class Names(Case):
    def test_what_the_record_says_of_itself(self):
        text = ("# ein Satz mit Umlauten: größer, Δt\r\ntitle = \"Two of them\"\n" + FLOOR
                + '[[gap]]\nname = "a wall"\nexpression = "x + 5"\n'
                + '[[symmetry]]\nname = "along"\ngenerator = [1, 0]\n\n# no line break at the end').replace(
                    "mass = [1, 1]", 'mass = [1, 1]\nunits = ["m", "km"]').encode()
        with open(self.path("s.toml"), "wb") as f:
            f.write(text)
        self.run_scene("s.toml", "--out", "o", "--quiet", "--set", "time.end=0.5")
        version = self.call("--version").stdout.split()[1]
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            for column in ("q", "p"):
                self.assertEqual(list(f[column].attrs["names"]), [b"x", b"y"])
            self.assertEqual(f["q"].attrs["unit"], b"m, km")
            self.assertEqual(list(f["gaps"].attrs["names"]), [b"floor", b"a wall"])
            self.assertEqual(list(f["momentum"].attrs["names"]), [b"along"])
            self.assertEqual(f.attrs["version"].decode(), version)
            self.assertEqual(f.attrs["title"], b"Two of them")
            self.assertEqual(f.attrs["overrides"], b"time.end=0.5\n")
            self.assertEqual(f["scene"][()], text)
        self.assertEqual(self.summary("o")["version"], version)



class Balance(Case):
    def test_an_energy_that_grows(self):
        """An oscillator beyond the limit of its step, ωh = 2.3: beside what it has grown to, the error looks small."""
        self.write("s.toml", FLOOR.replace("9.81*y", "2*x^2").replace("step = 0.01", "step = 1.15").replace(
            "end = 1", "end = 10.35").replace("position = [0, 1]", "position = [1, 1]").replace("[-2, 0]", "[0, 0]") +
            '[integrator]\nclosure = "variational"\n')
        said = self.run_scene("s.toml", "--out", "o").stdout
        energy, summary = self.columns("o", "energy"), self.summary("o")
        growth = (max(energy) - energy[0]) / energy[0]
        self.assertEqual(energy[0], 2)
        self.assertGreater(growth, 1000)
        self.assertAlmostEqual(summary["energy"]["relative_to_initial"], growth, delta=1e-12 * growth)
        self.assertLess(summary["energy"]["max_relative_error"], growth / 100)
        self.assertIn(f"({growth:.2e} of it at the start)", said)
        note, = summary["notes"]
        self.assertRegex(note, r"the balance of the energy is off by \S+ %, by \S+ % of the energy at the start: a smaller")
        self.assertAlmostEqual(float(re.search(r"by (\S+) % of the energy", note)[1]),
                               100 * abs(summary["balance_error"]) / 2, delta=0.01 * abs(summary["balance_error"]))
        self.assertIn(note, said.replace("The balance", "the balance"))
        page = self.path("o", "report.html")
        if os.path.exists(page):
            with open(page) as f:
                self.assertIn(note.replace("the balance", "The balance"), f.read())

    def test_a_balance_that_is_off_is_said(self):
        """A step of 1e9 falls: the ball starts within a billionth of its way from the floor, and is put there."""
        self.write("s.toml", FLOOR.replace("9.81*y", "1e20*y"))
        self.assertIn("The balance of the energy is off by 100 %: a smaller step may be needed",
                      self.run_scene("s.toml", "--out", "o").stdout)
        self.assertEqual(self.summary("o")["notes"], ["the balance of the energy is off by 100 %: a smaller step may be needed"])
        self.write("s.toml", FLOOR + '[impact]\nlaw = "newton"\nrestitution = 0.1\n')
        self.assertNotIn("is off", self.run_scene("s.toml", "--out", "p").stdout)  # lost in impacts, and accounted for


if __name__ == "__main__":
    main()
