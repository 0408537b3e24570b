"""Scenes of beams, from outside: the numbers of the paper, the records, the refusals."""
import csv
import json
import math
import os

import h5py
import numpy as np
from program import Case, main

BEAM = """gravity = [0, 0, -10]
[time]
step = 1e-4
end = 0.1
[parameters]
h = 0.1
[[beam]]
name = "beam"
length = 0.5
elements = 10
density = 1000
section = { shape = "square", side = 0.05 }
young = 1000
poisson = 0.35
origin = [0, 0, "h"]
rotation = [0, "pi/2", 0]
[[plane]]
name = "floor"
point = [0, 0, 0]
normal = [0, 0, 1]
"""


def hat(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def matrix(q):
    """Of a quaternion, w first: R = 1 + 2w v^ + 2 v^²."""
    v = hat(q[1:])
    return np.eye(3) + 2 * q[0] * v + 2 * v @ v


def cayley4(eta):
    """(1 − ξ/2)⁻¹(1 + ξ/2) of the 4×4 matrix ξ of (ω, γ)."""
    x = np.zeros((4, 4))
    x[:3, :3], x[:3, 3] = hat(eta[:3]), eta[3:]
    return np.linalg.solve(np.eye(4) - x / 2, np.eye(4) + x / 2)


def cayley4_inverse(g):
    x = 2 * np.linalg.solve((g + np.eye(4)).T, (g - np.eye(4)).T).T
    return np.array([x[2, 1], x[0, 2], x[1, 0], *x[:3, 3]])


def frame(x, q):
    g = np.eye(4)
    g[:3, :3], g[:3, 3] = matrix(q), x
    return g


class Beams(Case):
    def impacts(self, *parts):
        with open(self.path(*parts, "impacts.csv")) as f:
            return list(csv.DictReader(f))

    def record(self, *parts):
        return h5py.File(self.path(*parts, "trajectory.h5"))


class Paper(Beams):
    # Converged values of an independent program: Δt → 0, p⁰ = Jξ⁰.
    FIRST = {5: [(5, 0.005022149)], 10: [(10, 0.004652507), (9, 0.006964305), (8, 0.010713688)]}
    SPEED = {5: 29.393, 10: 30.881}

    def first(self, elements, step, closure="variational"):
        self.run_scene(f"beam-demoures-{elements}", "--out", "o", "--overwrite", "--set", f"time.step={step}", "--set",
                       "time.end=0.012", "--set", f"integrator.closure={closure}")
        return self.impacts("o")

    def test_first_impacts(self):
        for elements, expected in self.FIRST.items():
            for closure in ("variational", "reflection"):
                rows = self.first(elements, 1e-5, closure)
                for row, (node, t) in zip(rows, expected):
                    self.assertEqual(row["gap"], f"beam[{node}]|plane")
                    self.assertAlmostEqual(float(row["t"]), t, delta=1e-9)
                # The impulse of a reflection is 2 m v of the end node: half an element.
                m = 1000 * 0.05**2 * 0.5 / elements / 2
                v = float(rows[0]["multiplier"]) / (2 * m)
                self.assertAlmostEqual(v, self.SPEED[elements], delta=6e-4 if closure == "reflection" else 0.02)

    def test_second_order(self):
        for elements, expected in self.FIRST.items():
            # The expected values end with the ninth digit, below which these errors are: differences of the times.
            t = [float(self.first(elements, step)[0]["t"]) for step in (16e-5, 8e-5, 4e-5)]
            self.assertAlmostEqual(t[0], expected[0][1], delta=1e-9)
            self.assertAlmostEqual((t[0] - t[1]) / (t[1] - t[2]), 4, delta=0.4)

    def test_slow_beam(self):
        """(5.16): about 200 contacts in five seconds; the momentum maps do not decay (errata D17, D18)."""
        for closure, energy in (("variational", 5e-5), ("reflection", 1e-5)):
            self.run_scene("beam-demoures-10", "--out", "o", "--overwrite", "--set", "beam[0].next.time=20e-5", "--set",
                           "time.step=2e-5", "--set", "time.end=5", "--set", f"integrator.closure={closure}", "--set",
                           "record.every=500", "--set", "record.fields_every=5000")
            s = self.summary("o")
            self.assertTrue(180 <= s["beams"][0]["contacts"] <= 235, s["beams"])
            self.assertEqual(s["beams"][0]["contacts"],
                             sum(len(row["gap"].split("+")) for row in self.impacts("o")))
            self.assertLessEqual(s["energy"]["max_relative_error"], energy)
            self.assertGreaterEqual(s["min_gap"], -1e-12)
            self.assertEqual(list(s["momentum"]), ["translation x", "translation y", "rotation z"])
            drift = {name: m["max_error"] / abs(m["initial"]) for name, m in s["momentum"].items()}
            self.assertLessEqual(max(drift["translation x"], drift["translation y"]), 5e-13)
            self.assertLessEqual(drift["rotation z"], 5e-12)

    def test_the_papers_group_in_time(self):
        """SE(3) in time is another scheme of second order: the same impact, other digits (errata D15)."""
        so3 = float(self.first(10, 1e-5)[0]["t"])
        self.run_scene("beam-demoures-10", "--out", "o", "--overwrite", "--set", "time.end=0.012", "--set",
                       "integrator.time_group=SE3")
        se3 = float(self.impacts("o")[0]["t"])
        self.assertNotEqual(so3, se3)
        self.assertAlmostEqual(se3, 0.004652507, delta=2e-6)


class Scenes(Beams):
    def test_flat(self):
        """All nodes at once, at odd multiples of √(2h/g), each with 2 m v of its own mass; nothing bends."""
        self.run_scene("beam-drop-flat", "--out", "o")
        t = math.sqrt(0.02)
        rows = self.impacts("o")
        self.assertEqual(len(rows), 4)
        weights = np.full(21, 0.025)
        weights[[0, -1]] /= 2
        for k, row in enumerate(rows):
            self.assertEqual(row["gap"], "+".join(f"beam[{a}]|floor" for a in range(21)))
            # The variational closure shifts the energy of each bounce by its O(h²) kick (errata F11).
            self.assertAlmostEqual(float(row["t"]), (2 * k + 1) * t, delta=1e-12 if k == 0 else 1e-6)
            impulses = np.array([float(x) for x in row["multiplier"].split(";")])
            self.assertLessEqual(np.abs(impulses / (2 * 2.5 * weights * 10 * t) - 1).max(), 1e-6)
        s = self.summary("o")
        self.assertLessEqual(s["energy"]["max_relative_error"], 1e-6)
        self.assertGreaterEqual(s["min_gap"], -1e-12)
        with self.record("o") as f:
            x = f["fields/position"][:].reshape(len(f["fields/t"]), 21, 3)
            self.assertLessEqual(np.abs(x[..., 2] - x[:, :1, 2]).max(), 1e-9)
            self.assertLessEqual(np.abs(x[..., 0] - np.linspace(-0.25, 0.25, 21)).max(), 1e-9)

    def test_flat_and_plastic(self):
        """Without restitution all nodes land together, each with m v of its own mass, and stay."""
        self.run_scene("beam-drop-flat", "--out", "o", "--set", "impact.restitution=0")
        t = math.sqrt(0.02)
        row, = self.impacts("o")
        self.assertEqual(row["gap"], "+".join(f"beam[{a}]|floor" for a in range(21)))
        self.assertAlmostEqual(float(row["t"]), t, delta=1e-12)
        impulses = np.array([float(x) for x in row["multiplier"].split(";")])
        weights = np.full(21, 0.025)
        weights[[0, -1]] /= 2
        self.assertLessEqual(np.abs(impulses / (2.5 * weights * 10 * t) - 1).max(), 1e-9)
        s = self.summary("o")
        self.assertEqual([(c["gap"], c["to"]) for c in s["contacts"]], [(f"beam[{a}]|floor", None) for a in range(21)])
        self.assertLessEqual(max(abs(c["from"] - t) for c in s["contacts"]), 1e-12)
        with self.record("o") as f:
            late = f["fields/t"][:] > t
            x = f["fields/position"][:].reshape(len(late), 21, 3)[late]
            self.assertLessEqual(np.abs(x[..., 2]).max(), 1e-14)

    def test_plastic_impacts_name_those_that_act(self):
        """Nodes that rest beside one that lands take nothing of its impulse, and are not listed with a rounding."""
        self.run_scene("beam-sphere", "--out", "o", "--set", "impact.restitution=0", "--set", "time.end=0.6")
        rows = self.impacts("o")
        self.assertGreater(len(rows), 100)
        for row in rows:
            impulses = [float(x) for x in row["multiplier"].split(";")]
            self.assertEqual(len(impulses), len(row["gap"].split("+")))
            self.assertGreater(min(impulses), 1e-14 * max(impulses))

    def test_axial(self):
        self.run_scene("beam-axial", "--out", "o")
        rows = self.impacts("o")
        m = 1000 * 0.05**2 * 0.5
        self.assertEqual({row["gap"] for row in rows}, {"beam[0]|wall"})
        self.assertAlmostEqual(float(rows[0]["t"]), 0.1, delta=1e-12)  # uniform motion until then
        self.assertAlmostEqual(float(rows[-1]["t"]), 1.1, delta=0.03)  # 2L/c, within three elements
        total = sum(float(row["multiplier"]) for row in rows)
        s = self.summary("o")
        self.assertAlmostEqual(s["beams"][0]["impulse"], total, delta=1e-12)
        self.assertAlmostEqual(total, 2 * m * 0.1, delta=0.02 * 2 * m * 0.1)
        with self.record("o") as f:  # nothing leaves the axis, and the momentum is that of the impulses
            self.assertEqual(np.abs(f["fields/position"][:].reshape(len(f["fields/t"]), -1, 3)[..., :2]).max(), 0)
            self.assertAlmostEqual(f["p"][-1, 2] + m * 0.1, total, delta=1e-12)

    def test_spinning(self):
        """x = sin(ks)/(k cos(kL/2)) turns rigidly; nothing acts, so all of SE(3) is kept."""
        errors = []
        for elements in (20, 40):
            self.run_scene("beam-spinning", "--out", "o", "--overwrite", "--set", f"beam[0].elements={elements}")
            s = self.summary("o")
            self.assertEqual(list(s["momentum"]), [f"{kind} {axis}" for kind in ("translation", "rotation") for axis in "xyz"])
            J = s["momentum"]["rotation z"]["initial"]
            for m in s["momentum"].values():
                self.assertLessEqual(m["max_error"], 1e-13 * J)
            self.assertIsNone(s["min_gap"])
            with self.record("o") as f:
                t = f["fields/t"][-1]
                self.assertAlmostEqual(t, 4, delta=1e-12)
                x = f["fields/position"][-1].reshape(-1, 3)
                exact = np.sin(np.linspace(-0.25, 0.25, elements + 1)) / np.cos(0.25)
                errors.append(np.abs(x - np.outer(exact, [np.cos(t), np.sin(t), 0])).max())
        self.assertLess(errors[0], 2e-4)
        self.assertGreater(errors[0] / errors[1], 3)

    def test_sphere(self):
        self.run_scene("beam-sphere", "--out", "o")
        s = self.summary("o")
        self.assertGreaterEqual(s["min_gap"], -1e-12)
        self.assertEqual([b["name"] for b in s["beams"]], ["over", "turning"])
        gaps = {name.split("|")[1] for row in self.impacts("o") for name in row["gap"].split("+")}
        self.assertEqual(gaps, {"floor", "ball"})
        self.assertEqual(list(s["momentum"]), ["rotation z"])  # about the axis through the ball
        with self.record("o") as f:
            x = f["fields/position"][:].reshape(len(f["fields/t"]), -1, 3)
            self.assertGreaterEqual(np.linalg.norm(x - [0, 0, 0.2], axis=2).min(), 0.2 - 1e-12)
            self.assertGreaterEqual(x[..., 2].min(), -1e-12)


class Records(Beams):
    def test_fields_say_the_same_as_the_trajectory(self):
        """Energies, momenta and strains out of positions, rotations and velocities, by 4×4 matrices."""
        self.run_scene("beam-demoures-10", "--out", "o", "--set", "time.end=0.03", "--set", "record.every=100")
        with self.record("o") as f:
            layout = json.loads(f.attrs["beams"])
            self.assertEqual(layout[0]["section"]["shape"], "rectangle")
            self.assertAlmostEqual(layout[0]["section"]["width"], 0.05, delta=1e-15)
            self.assertEqual(json.loads(f.attrs["obstacles"]),
                             [{"name": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]}])
            self.assertEqual(f["mesh/cells"][0].tolist(), [i for a in range(10) for i in (a, a + 1)])
            rows = len(f["fields/t"])
            self.assertEqual(rows, 31)
            self.assertTrue(np.array_equal(f["fields/t"][:], f["t"][:]))
            h, a, E, nu, rho = 0.05, 0.05, 1000, 0.35, 1000
            w = np.full(11, h)
            w[[0, -1]] = h / 2
            I, G = a**4 / 12, E / 2 / (1 + nu)
            bending, shear = np.array([E * I, E * I, 2 * G * I]), np.array([G, G, E]) * a**2
            inertia = rho * np.array([I, I, 2 * I])
            turned = 0
            for k in range(rows):
                x, q = f["fields/position"][k].reshape(-1, 3), f["fields/rotation"][k].reshape(-1, 4)
                v, spin = f["fields/velocity"][k].reshape(-1, 3), f["fields/spin"][k].reshape(-1, 3)
                eta = f["fields/strain"][k].reshape(-1, 6)
                g = [frame(*node) for node in zip(x, q)]
                own = np.array([cayley4_inverse(np.linalg.solve(g[i], g[i + 1])) / h for i in range(10)])
                self.assertLessEqual(np.abs(own - eta).max(), 1e-11 * np.abs(eta).max())
                turned = max(turned, np.abs(eta[:, :3]).max())
                body = np.array([matrix(r).T @ s for r, s in zip(q, spin)])
                kinetic = (w * (rho * a**2 * (v**2).sum(1) + (inertia * body**2).sum(1))).sum() / 2
                elastic = h / 2 * ((bending * own[:, :3]**2).sum() + (shear * (own[:, 3:] - [0, 0, 1])**2).sum())
                gravity = rho * a**2 * 10 * (w * x[:, 2]).sum()
                energy = f["energy"][k]
                self.assertAlmostEqual(kinetic + elastic + gravity, energy, delta=1e-11 * energy)
                for name, value in (("kinetic", kinetic), ("elastic", elastic), ("gravity", gravity)):
                    self.assertAlmostEqual(f[f"beams/{name}"][k, 0], value, delta=1e-11 * energy)
                P = rho * a**2 * (w[:, None] * v).sum(0)
                J = (np.cross(x, rho * a**2 * w[:, None] * v)
                     + [r * (matrix(t) @ (inertia * s)) for r, t, s in zip(w, q, body)]).sum(0)
                for name, value in (("momentum", P), ("angular_momentum", J)):
                    self.assertLessEqual(np.abs(f[f"beams/{name}"][k] - value).max(), 1e-11 * np.abs(P).max())
                self.assertLessEqual(np.abs(f["momentum"][k] - [P[0], P[1], J[2]]).max(), 1e-11 * np.abs(P).max())
                self.assertLessEqual(np.abs(f["p"][k] - P).max(), 1e-11 * np.abs(P).max())
                self.assertLessEqual(np.abs(f["q"][k] - (w @ x) / 0.5).max(), 1e-12)
                self.assertLessEqual(np.abs(f["gaps"][k] - x[:, 2]).max(), 1e-12)
            self.assertGreater(turned, 20)  # the strains are far from small

    def test_two_ways_to_say_a_start(self):
        """Strains and two configurations, or the same nodes and velocities written down: (5.12)-(5.14) by matrices."""
        h, c, s = 0.05, math.cos(0.5), math.sin(0.5)
        R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        one, two = np.eye(4), np.eye(4)
        one[:3, :3] = two[:3, :3] = R
        two[:3, 3] = 0, -2e-5 * s, 2e-5 * c
        nodes, velocities = [], []
        quaternion = np.array([math.cos(0.25), math.sin(0.25), 0, 0])
        step = np.array([1, *(np.array([1, 4.5, 1]) * h / 2)])
        step /= np.linalg.norm(step)
        for _ in range(11):
            xi = cayley4_inverse(np.linalg.solve(one, two)) / 4e-5
            nodes.append([*one[:3, 3], *quaternion])
            velocities.append([*(one[:3, :3] @ xi[3:]), *(one[:3, :3] @ xi[:3])])
            one = one @ cayley4(h * np.array([1, 4.5, 1, 0, 0, 1]))
            two = two @ cayley4(h * np.array([1.004, 4.522, 0.996, -0.004, 0, 1]))
            w, v = quaternion[0], quaternion[1:]
            quaternion = np.array([w * step[0] - v @ step[1:], *(w * step[1:] + step[0] * v + np.cross(v, step[1:]))])
        text = BEAM.replace('origin = [0, 0, "h"]\nrotation = [0, "pi/2", 0]\n',
                            f"nodes = {json.dumps(nodes)}\nvelocities = {json.dumps(velocities)}\n")
        self.write("s.toml", text.replace("end = 0.1", "end = 0.004"))
        self.run_scene("s.toml", "--out", "nodes", "--set", "record.fields_every=1")
        self.run_scene("beam-demoures-10", "--out", "strain", "--set", "time.step=1e-4", "--set", "time.end=0.004",
                       "--set", "record.every=1", "--set", "record.fields_every=1")
        with self.record("nodes") as a, self.record("strain") as b:
            for name in ("position", "velocity", "strain", "spin"):
                x, y = a[f"fields/{name}"][:], b[f"fields/{name}"][:]
                self.assertEqual(x.shape, y.shape)
                self.assertLessEqual(np.abs(x - y).max(), 1e-9 * np.abs(y).max(), name)

    def test_no_fields(self):
        self.write("s.toml", BEAM + "[record]\nfields_every = 0\n")
        self.run_scene("s.toml", "--out", "o")
        with self.record("o") as f:
            self.assertNotIn("fields", f)
        self.assertFalse(os.path.exists(self.path("o", "fields.xdmf")))

    def test_list_and_check(self):
        self.assertIn("beam-demoures-10", self.call("list").stdout)
        done = self.call("check", "beam-demoures-10")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("beam: 10 elements over 0.5, mass 1.25", "plane: the nearest node is 0 away", "SO3xR3", "variational",
                      "rotation z: "):
            self.assertIn(words, done.stdout)

    def test_records_do_not_depend_on_how_often_one_looks(self):
        for every in (1, 100):
            self.run_scene("beam-demoures-5", "--out", str(every), "--set", "time.end=0.05", "--set",
                           f"record.every={every}", "--set", "record.fields_every=1000")
        with self.record("1") as a, self.record("100") as b:
            for column in ("q", "p", "energy", "discrete_energy", "gaps", "beams/impulse"):
                self.assertTrue(np.array_equal(a[column][::100], b[column][:]), column)
        self.assertEqual(self.read("1", "impacts.csv"), self.read("100", "impacts.csv"))

    def test_interrupted_and_killed_runs_resume_bit_for_bit(self):
        more = ("--set", "beam[0].next.time=20e-5", "--set", "beam[0].elements=60", "--set", "time.end=4", "--set",
                "record.every=500", "--set", "record.fields_every=5000")
        self.run_scene("beam-demoures-10", "--out", "whole", *more)
        self.resume_bit_for_bit("whole", "beam-demoures-10", *more)


class Refused(Beams):
    def refuse(self, text, *words):
        self.assertNotEqual(text, BEAM)
        self.write("s.toml", text)
        for command in (("run", "s.toml", "--out", "o"), ("check", "s.toml")):
            self.refused(self.call(*command), *words)
        self.assertFalse(os.path.exists(self.path("o")))

    def change(self, old, new, *words):
        self.refuse(BEAM.replace(old, new), *words)

    def test_places(self):
        self.change("h = 0.1", "h = -0.1", 's.toml:15:10: the start violates the gap "beam[0]|floor" by 0.1')
        # 2/ω of the highest mode, bending with shear; Δs/c = 0.05 would be that of stretching alone
        self.change("1e-4", "0.05", "s.toml:3:8: the step 0.05 is beyond the stability limit", "at most 0.0463")
        self.change("side = 0.05", "side = 0", "s.toml:12:38: the side of a section must be positive, not 0")
        self.change('shape = "square", side = 0.05', "A = 1, I1 = 0, I2 = 1", "s.toml:12:25: ", "I1", "positive, not 0")
        self.change('shape = "square", side = 0.05', "I1 = 1", "s.toml:12:11: a section needs a shape")
        self.change("square", "sqare", "s.toml:12:21: ", "did you mean 'square'?")
        self.change("side", "sides", "s.toml:12:31: unknown key 'sides' in section of [[beam]]; did you mean 'side'?")
        self.change(", side = 0.05", "", "'side' is missing in section of [[beam]]")
        self.change("0.35", "0.6", "s.toml:14:11: Poisson's ratio must lie in (-1, 0.5], but is 0.6")
        self.change("elements = 10", "elements = 2.5", "s.toml:10:12: ", "whole number, not 2.5")
        self.change("elements = 10", "elements = 1000000000", "s.toml:10:12: ", "(at most 1e7)")
        self.change('origin = [0, 0, "h"]', 'origin = [0, 0, "h"]\nvelocity = [1e200, 0, 0]', "s.toml:7:1: ",
                    "the energy is no longer finite at t = 0")
        self.change("density", "densty", "s.toml:11:1: unknown key 'densty' in [[beam]]; did you mean 'density'?")
        self.change("density = 1000\n", "", "the key 'density' is missing in [[beam]]")
        self.change("young = 1000", "young = 1000\nyuong = 1", "s.toml:14:1: unknown key 'yuong'", "did you mean 'young'?")
        self.change('"h"', '"H"', "s.toml:15:18: unknown name 'H'")
        self.change("normal = [0, 0, 1]", "normal = [0, 0, 0]", "s.toml:20:11: the normal of a plane must not be zero")
        self.change("normal = [0, 0, 1]", "normal = [0, 1]", "s.toml:20:10: normal of [[plane]] must have 3 entries")
        self.change("[[plane]]", "[plane]", "[[plane]] with double brackets")
        self.change('name = "floor"', 'name = "beam"', "s.toml:18:8: two beams or obstacles have the name 'beam'")
        self.change("h = 0.1", "h = 0.1\nx = 1", "s.toml:7:1: the parameter name 'x' is a coordinate of the nodes")
        self.change('rotation = [0, "pi/2", 0]', "rotation = [1, 2]", "s.toml:16:12: rotation of [[beam]] must be")
        self.change('rotation = [0, "pi/2", 0]', "rotation = [1, 1, 0, 0]", "s.toml:16:13: ", "of length 1", "1.41421")
        self.change('rotation = [0, "pi/2", 0]', "rotation = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]", "s.toml:16:14: ",
                    "no rotation: it mirrors")
        self.change('rotation = [0, "pi/2", 0]', "nodes = [[0, 0, 1], [0, 0, 2]]", "s.toml:15:10: ", "one of them")
        self.change('origin = [0, 0, "h"]', "nodes = [[0, 0, 1], [0, 0, 2]]",
                    "s.toml:15:9: a beam of 10 elements needs 11 nodes, not 2")
        self.change('origin = [0, 0, "h"]', 'strain = [0, 0, 0, 0, 0, "1/s - 40"]\norigin = [0, 0, "1/0"]', "s.toml:16:17: ",
                    "not a finite number")
        self.change('origin = [0, 0, "h"]', 'origin = [0, 0, "h"]\nvelocity = [0, 0, "1/s"]',
                    "s.toml:16:19: the velocity is not finite at s = 0")
        self.change('origin = [0, 0, "h"]', 'origin = [0, 0, "h"]\nspin = [0, 0, 1]\nnext = { time = 1 }', "s.toml:17:8: ",
                    "give one of them")
        self.refuse(BEAM + "[integrator]\ntime_group = \"SE2\"\n", "s.toml:22:14: ", "did you mean 'SE3'?")
        self.refuse(BEAM + "[integrator]\nclosure = \"shadow4\"\n", "s.toml:22:11: ", "variational, reflection")
        self.refuse(BEAM + "[impact]\nrestitution = 1.5\n", "s.toml:22:15: the restitution must lie in [0, 1]")
        self.refuse(BEAM + "[[sphere]]\ncentre = [0, 0, 0]\nradius = 0\n", "s.toml:23:10: the radius of a sphere")
        self.refuse(BEAM + '[system]\ncoordinates = ["x"]\n', "s.toml:21:1: ", "'system'")
        self.refuse(BEAM + "[[bar]]\nlength = 1\n", "s.toml:21:1: ", "'bar'")
        self.refuse(BEAM + "[record]\nfield_every = 1\n", "did you mean 'fields_every'?")

    def test_an_element_bent_by_half_a_turn(self):
        """Ω Δs = 2 tan(θ/2): 4000/20 = 200 is 178.9 degrees, where Cayley's map ends."""
        text = BEAM.replace('"h"', "5").replace("elements = 10", "elements = 10\nstrain = [4000, 0, 0, 0, 0, 1]")
        self.refuse(text, "s.toml:11:10: the relative rotation of element 0 of beam is within 1.2 degrees of 180")


if __name__ == "__main__":
    main()
