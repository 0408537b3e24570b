"""Beams that stay with what they hit, from outside: restitution, rest, spheres; runs that end in an error."""
import csv
import math
import os

import h5py
import numpy as np
from program import Case, main

# Flat above a floor: nothing bends, and every node falls as a point of its own mass.
FLAT = """gravity = [0, 0, -10]
[time]
step = 1e-3
end = {end}
[[beam]]
name = "beam"
length = 0.5
elements = 10
density = 1000
section = {{ shape = "square", side = 0.05 }}
young = 1000
poisson = 0.35
origin = [0, 0, {height}]
rotation = [0, "pi/2", 0]
[[plane]]
name = "floor"
point = [0, 0, 0]
normal = [0, 0, 1]
[impact]
restitution = {e}
[record]
every = 100
fields_every = {fields}
"""


class Beams(Case):
    def impacts(self, *parts):
        with open(self.path(*parts, "impacts.csv")) as f:
            return list(csv.DictReader(f))

    def record(self, *parts):
        return h5py.File(self.path(*parts, "trajectory.h5"))


class Restitution(Beams):
    def test_a_flat_beam_bounces_as_a_ball(self):
        """e = 1/2 from a height h: impacts at t1 = √(2h/g), t1(1 + 2e), t1(1 + 2e + 2e²) …, rest at t1(1 + e)/(1 − e)."""
        e, height, g = 0.5, 0.05, 10
        self.write("s.toml", FLAT.format(end=0.5, height=height, e=e, fields=100))
        self.run_scene("s.toml", "--out", "o")
        t1 = math.sqrt(2 * height / g)
        rows = self.impacts("o")
        self.assertGreaterEqual(len(rows), 4)
        w = np.full(11, 0.05)
        w[[0, -1]] /= 2
        m = 2.5 * w  # ρA = 2.5
        for k, row in enumerate(rows[:4]):
            self.assertEqual(row["gap"], "+".join(f"beam[{a}]|floor" for a in range(11)))
            t = t1 * (1 + 2 * sum(e**j for j in range(1, k + 1)))
            self.assertAlmostEqual(float(row["t"]), t, delta=1e-11)
            v = g * t1 * e**k
            impulses = np.array([float(x) for x in row["multiplier"].split(";")])
            self.assertLessEqual(np.abs(impulses / ((1 + e) * m * v) - 1).max(), 1e-10)
            lost = float(row["energy_before"]) - float(row["energy_after"])
            self.assertAlmostEqual(lost, m.sum() * v**2 / 2 * (1 - e**2), delta=1e-11)
        s = self.summary("o")
        self.assertAlmostEqual(s["energy_dissipated"], m.sum() * g * height, delta=1e-10)  # all there was
        self.assertEqual(len(s["contacts"]), 11)
        for contact in s["contacts"]:
            self.assertAlmostEqual(contact["from"], 3 * t1, delta=2e-3)  # held from the last impact that was flown
            self.assertIsNone(contact["to"])
        self.assertEqual({round(a["t"], 9) for a in s["accumulations"]}, {round(3 * t1, 9)})
        self.assertGreaterEqual(s["min_gap"], -1e-15)

    def test_the_first_impact_of_the_papers_beam(self):
        """λ = (1 + e) m v of the end node, and ½ m v²(1 − e²) is lost; v = 30.881 is the converged speed."""
        m = 1000 * 0.05**2 * 0.05 / 2
        for e in (0, 0.3, 0.8):
            self.run_scene("beam-demoures-10", "--out", "o", "--overwrite", "--set", "time.end=0.006", "--set",
                           f"impact.restitution={e}")
            row = self.impacts("o")[0]
            self.assertEqual(row["gap"], "beam[10]|plane")
            self.assertAlmostEqual(float(row["t"]), 0.004652507, delta=1e-9)
            v = float(row["multiplier"]) / ((1 + e) * m)
            self.assertAlmostEqual(v, 30.881, delta=6e-4)
            lost = float(row["energy_before"]) - float(row["energy_after"])
            # energies of about 600 carry sixteen digits
            self.assertAlmostEqual(lost, m * v**2 / 2 * (1 - e**2), delta=1e-11 * float(row["energy_before"]))


class Rest(Beams):
    def test_a_beam_that_landed_stays_for_ten_thousand_steps(self):
        self.write("s.toml", FLAT.format(end=10.1, height=0.05, e=0, fields=1000))
        self.run_scene("s.toml", "--out", "o")
        rows = self.impacts("o")
        self.assertEqual(len(rows), 1)
        self.assertAlmostEqual(float(rows[0]["t"]), 0.1, delta=1e-12)
        s = self.summary("o")
        self.assertEqual(s["steps"], 10100)
        self.assertEqual([c["gap"] for c in s["contacts"]], [f"beam[{a}]|floor" for a in range(11)])
        self.assertEqual([c["to"] for c in s["contacts"]], [None] * 11)
        self.assertAlmostEqual(s["energy_dissipated"], 1.25 * 10 * 0.05, delta=1e-12)
        self.assertGreaterEqual(s["min_gap"], -1e-15)
        with self.record("o") as f:
            x = f["fields/position"][-1].reshape(-1, 3)
            self.assertLessEqual(np.abs(x[:, 2]).max(), 1e-15)
            self.assertLessEqual(np.abs(x[:, :2] - np.outer(np.arange(11) * 0.05, [1, 0])).max(), 1e-12)
            self.assertLessEqual(np.abs(f["fields/velocity"][-1]).max(), 1e-12)


# One element across a sphere of radius 1: both nodes lie on it, and turn about the axis y with the radius r.
RIDGE = """gravity = [0, 0, -10]
[time]
step = {step}
end = {end}
[parameters]
L = 0.1
r = "sqrt(1 - L^2/4)"
angle = 0.3
[[beam]]
name = "beam"
length = 0.1
elements = 1
density = 1000
section = {{ shape = "circle", radius = 0.02 }}
young = 1e6
origin = ["r*sin(angle)", "-L/2", "r*cos(angle)"]
rotation = ["-pi/2", 0, 0]
[[sphere]]
name = "ball"
centre = [0, 0, 0]
radius = 1
[impact]
restitution = 0
[record]
every = {every}
fields_every = {every}
"""


class Spheres(Beams):
    def test_nodes_slide_down_a_sphere_and_let_go_as_a_particle_does(self):
        """v² = 2gr(cos θ0 − cos θ), and off at cos θ = ⅔ cos θ0. The reaction pulls the nodes apart by its share L/2R of
        the weight, and the beam rings along its axis: that moves the reaction by (L/2R)² = 2.5e-3 of itself."""
        L, g, start = 0.1, 10, 0.3
        r = math.sqrt(1 - L**2 / 4)
        errors = []
        for step in (4e-4, 2e-4):
            self.write("s.toml", RIDGE.format(step=step, end=1, every=round(0.02 / step)))
            self.run_scene("s.toml", "--out", "o", "--overwrite")
            s = self.summary("o")
            self.assertEqual([c["gap"] for c in s["contacts"]], ["beam[0]|ball", "beam[1]|ball"])
            for c in s["contacts"]:
                self.assertEqual(c["from"], 0)
            off = [c["to"] for c in s["contacts"]]
            self.assertAlmostEqual(off[0], off[1], delta=1e-9)
            self.assertEqual(s["impacts"], 0)
            self.assertEqual(s["energy_dissipated"], 0)
            self.assertGreaterEqual(s["min_gap"], -1e-13)
            with self.record("o") as f:
                t, x = f["fields/t"][:], f["fields/position"][:].reshape(-1, 2, 3)
                v = f["fields/velocity"][:].reshape(-1, 2, 3)
                held = t < off[0]
                self.assertGreater(held.sum(), 20)
                self.assertFalse(held.all())
                self.assertLessEqual(np.abs(np.linalg.norm(x[held], axis=2) - 1).max(), 1e-13)
                self.assertLessEqual(np.abs((x[held] * v[held]).sum(2)).max(), 1e-12)
                cosine = x[..., 2] / np.hypot(x[..., 0], x[..., 2])
                speed = (v[..., [0, 2]]**2).sum(2)
                bound = 2.5e-3 * 2 * g * r * (math.cos(start) - cosine) + 1e-6
                self.assertTrue((np.abs(speed - 2 * g * r * (math.cos(start) - cosine)) <= bound)[held].all())
                self.assertAlmostEqual(cosine[held][-1, 0], 2 / 3 * math.cos(start), delta=0.06)  # a record before
                self.assertGreater(np.linalg.norm(x[~held], axis=2)[1:].min(), 1)
                energy = f["energy"][:]
                errors.append(np.abs(energy / energy[0] - 1)[: len(held)][held].max())
            # where it lets go, from the height of its free fall: v_x stays what it was
            v_x = v[~held][-1, 0, 0]
            exact = 2 / 3 * math.cos(start)
            self.assertAlmostEqual(v_x / (math.sqrt(g * r * exact) * exact), 1, delta=5e-3)
        self.assertLess(errors[0], 1e-5)
        self.assertGreater(errors[0] / errors[1], 3)

    def test_a_beam_stands_on_a_ball(self):
        """Compressed by its own weight, element by element, it is in balance: 1 − Γ = ρg(L − s)/E in their middles."""
        self.write("s.toml", """gravity = [0, 0, -10]
[time]
step = 2e-4
end = 1
[[beam]]
name = "beam"
length = 0.5
elements = 10
density = 1000
section = { shape = "square", side = 0.05 }
young = 1e6
origin = [0, 0, 1]
strain = [0, 0, 0, 0, 0, "1 - 1e4*(0.5 - s)/1e6"]
[[sphere]]
name = "ball"
centre = [0, 0, 0.7]
radius = 0.3
[impact]
restitution = 0
[record]
every = 100
fields_every = 100
""")
        self.run_scene("s.toml", "--out", "o")
        s = self.summary("o")
        self.assertEqual(s["contacts"], [{"gap": "beam[0]|ball", "from": 0, "to": None}])
        with self.record("o") as f:
            x, v = f["fields/position"][:], f["fields/velocity"][:]
            self.assertLessEqual(np.abs(x - x[0]).max(), 1e-12)
            self.assertLessEqual(np.abs(v).max(), 1e-11)


class Errors(Beams):
    def test_an_element_wrung_by_half_a_turn_ends_the_run(self):
        """Neighbours that spin apart at 40 rad/s, too soft to mind, are 178.9 degrees apart after 0.0780 s."""
        self.write("s.toml", FLAT.format(end=0.2, height=5, e=1, fields=10).replace("young = 1000", "young = 1e-6").replace(
            "[[plane]]", 'spin = ["800*s", 0, 0]\n[[plane]]'))  # the axis of the beam is x; neighbours are 0.05 apart
        done = self.call("run", "s.toml", "--out", "o")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\Aricochet: [^\n]+; what was computed until then is in o\n\Z")
        self.assertIn(" of beam is within 1.2 degrees of 180, where its Cayley strain ends", done.stderr)
        s = self.summary("o")
        self.assertEqual(s["status"], "failed")
        self.assertIn("Cayley strain", s["error"])
        self.assertAlmostEqual(s["t_end"], 2 * math.acos(0.01) / 40, delta=1.1e-3)
        with self.record("o") as f:  # what was computed is there
            self.assertGreaterEqual(len(f["fields/t"]), 7)

    def test_a_step_beyond_the_limit_says_where_and_how_small(self):
        self.write("s.toml", FLAT.format(end=1, height=0.05, e=1, fields=10))
        self.refused(self.call("check", "s.toml", "--set", "time.step=0.05"), "the step 0.05 is beyond the stability limit",
                     "at most 0.0463")
        text = FLAT.format(end=1, height=0.05, e=1, fields=10).replace("1e-3", "0.05")
        self.write("t.toml", text)
        self.refused(self.call("run", "t.toml", "--out", "o"), "t.toml:3:8: the step 0.05 is beyond the stability limit")
        self.assertFalse(os.path.exists(self.path("o")))

    def test_a_node_inside_a_sphere(self):
        text = RIDGE.format(step=1e-3, end=1, every=10).replace("angle = 0.3", "angle = 0.3\nfar = 0.999").replace(
            '"r*cos(angle)"', '"far*r*cos(angle)"')
        self.write("s.toml", text)
        self.refused(self.call("run", "s.toml", "--out", "o"), "s.toml:17:10: the start violates the gap \"beam[0]|ball\" by")


if __name__ == "__main__":
    main()
