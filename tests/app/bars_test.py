"""Scenes of bars, from outside: the numbers of the issue, the records, the refusals."""
import csv
import json
import math
import os

import h5py
import numpy as np
from program import Case, main

# Lengths, masses per length, moduli, velocities of Demoures et al. (2016), figures 4.2 and 4.3 (errata D5).
CASES = {1: ((10, 10), (1, 1), (1, 1), (0.1, -0.1)), 2: ((10, 10), (1, 5), (1, 1), (0.1, -0.1)),
         3: ((10, 10), (1, 1), (1, 5), (0.1, -0.1)), 4: ((10, 5), (1, 1), (1, 1), (0.1, -0.1)),
         5: ((10, 10), (1, 1), (1, 1), (0.1, -0.1)), 6: ((10, 10), (1, 1), (1, 1), (1, 0))}

TWO = """[time]
step = 0.005
end = 3
[parameters]
E = 1
[[bar]]
name = "A"
length = 2
elements = 20
mass = 1
modulus = "E"
position = 0
velocity = 0.2
[[bar]]
name = "B"
length = 2
elements = 20
mass = 1
modulus = "E"
position = 2.1
ends = ["free", "free"]
[contact]
scheme = "redistributed"
"""


class Bars(Case):
    def impacts(self, *parts):
        with open(self.path(*parts, "impacts.csv")) as f:
            return list(csv.DictReader(f))

    def record(self, *parts):
        return h5py.File(self.path(*parts, "trajectory.h5"))


class Paper(Bars):
    def momentum_kept(self, summary, case):
        L, M, _, v = CASES[case]
        size = sum(m * l * abs(x) for m, l, x in zip(M, L, v))
        self.assertLessEqual(summary["momentum"]["translation"]["max_error"], 1e-14 * size)

    def test_redistributed(self):
        runs = [(case, []) for case in CASES] + [(5, ["--set", "bar[1].elements=2"])]
        for case, more in runs:
            with self.subTest(case=case, more=more):
                L, M, E, v = CASES[case]
                self.run_scene(f"bars-case-{case}", "--out", "o", "--overwrite", *more)
                s = self.summary("o")
                self.momentum_kept(s, case)
                self.assertLessEqual(s["energy"]["max_relative_error"], 1e-4)
                self.assertEqual(s["impacts"], 2)  # a contact begins, and ends
                (contact,) = s["contacts"]
                self.assertAlmostEqual(contact["from"], 0.2 / (v[0] - v[1]), delta=1e-12)
                begins, ends = self.impacts("o")
                self.assertEqual(float(begins["multiplier"]), 0)
                impulse = float(ends["multiplier"])
                for bar, sign in (("A", -1), ("B", 1)):  # p+ = p- + λ∇φ of the contact as a whole
                    change = float(ends[f"p_plus_{bar}"]) - float(ends[f"p_minus_{bar}"])
                    self.assertAlmostEqual(change, sign * impulse, delta=1e-13)
                self.assertAlmostEqual(s["impulses"][0]["impulse"], impulse, delta=1e-13)
                self.assertAlmostEqual(sum(b["energy"] for b in s["bars"]), s["energy"]["final"], delta=1e-13)
                if case > 4:
                    continue
                # The first plateau of the exact motion: both tips at (Z_A v_A + Z_B v_B)/(Z_A + Z_B) until the first
                # wave is back; two units of time next to its ends are left out (fronts are some elements wide).
                Z = [math.sqrt(m * e) for m, e in zip(M, E)]
                back = min(2 * l * math.sqrt(m / e) for l, m, e in zip(L, M, E))
                force = Z[0] * Z[1] / sum(Z) * (v[0] - v[1])
                velocity = (Z[0] * v[0] + Z[1] * v[1]) / sum(Z)
                with self.record("o") as f:
                    t = f["bars/t"][:]
                    inner = (t > 1 + 2) & (t < 1 + back - 2)
                    tip = f["bars/tip_velocity"][:, 1][inner]
                    self.assertLessEqual(np.sqrt(np.mean((tip - velocity)**2)), 2e-3)
                    self.assertLessEqual(abs(np.mean(f["bars/force"][:, 0][inner]) / force - 1), 2e-3)

    def test_located(self):
        first = {1: 0.019987508, 2: 0.033315288, 3: 0.019962570}  # the paper's sign is the opposite
        for case in CASES:
            with self.subTest(case=case):
                self.run_scene(f"bars-case-{case}", "--out", "o", "--overwrite", "--set", "contact.scheme=located")
                s, rows = self.summary("o"), self.impacts("o")
                self.momentum_kept(s, case)
                self.assertLessEqual(s["energy"]["max_relative_error"], 2e-3)
                self.assertGreaterEqual(s["min_gap"], -1e-13)
                self.assertEqual(s["closure"], "variational")
                self.assertEqual(s["impacts"], len(rows))
                for row in rows:
                    jump = float(row["multiplier"])
                    self.assertGreater(jump, 0)
                    self.assertAlmostEqual(float(row["p_plus_B"]) - float(row["p_minus_B"]), jump, delta=1e-13)
                if case in first:
                    self.assertAlmostEqual(float(rows[0]["multiplier"]), first[case], delta=1e-8)
                if case == 1:
                    self.assertLessEqual(abs(len(rows) - 74), 1)
                    for row, t in zip(rows, (1, 1.2845719234, 1.5450949559, 1.8196027833)):
                        self.assertAlmostEqual(float(row["t"]), t, delta=1e-9)

    def test_virtual_tip(self):
        for case in CASES:
            with self.subTest(case=case):
                self.run_scene(f"bars-case-{case}", "--out", "o", "--overwrite", "--set", "contact.scheme=virtual-tip")
                s = self.summary("o")
                self.momentum_kept(s, case)
                self.assertLessEqual(s["energy"]["max_relative_error"], 5e-4)  # errata D6
                self.assertAlmostEqual(s["contacts"][0]["from"], 0.2 / (CASES[case][3][0] - CASES[case][3][1]), delta=1e-12)


class Others(Bars):
    def test_wall(self):
        self.run_scene("bar-wall", "--out", "o")
        s = self.summary("o")
        (contact,) = s["contacts"]
        self.assertAlmostEqual(contact["from"], 1, delta=1e-12)
        self.assertAlmostEqual(contact["to"], 5, delta=0.06)  # 2L/c, and three elements
        self.assertAlmostEqual(s["impulses"][0]["impulse"], 0.4, delta=4e-3)
        self.assertEqual(s["momentum"], {})  # a wall takes momentum
        self.assertEqual(self.impacts("o")[0]["gap"], "A|W")

    def test_three_bars(self):
        for scheme in ("redistributed", "located", "virtual-tip"):
            self.run_scene("three-bars", "--out", scheme, "--set", f"contact.scheme={scheme}")
            s = self.summary(scheme)
            self.assertLessEqual(s["momentum"]["translation"]["max_error"], 1e-14 * 1.2)
            self.assertEqual({row["gap"] for row in self.impacts(scheme)} >= {"A|B", "B|C"}, True)
        self.assertLessEqual(self.summary("redistributed")["energy"]["max_relative_error"], 1e-3)

    def test_nonlinear(self):
        self.run_scene("bar-nonlinear", "--out", "o", "--set", "time.end=200", "--set", "record.every=10")
        s = self.summary("o")
        self.assertLessEqual(s["energy"]["max_relative_error"], 5e-3)
        # bounded, not drifting: the second half is no worse than the first
        with self.record("o") as f:
            E = np.abs(f["energy"][:] / f["energy"][0] - 1)
            self.assertLessEqual(E[len(E) // 2:].max(), 2 * E[:len(E) // 2].max())

    def test_the_modulus_as_an_energy(self):
        """W = ½E(e−1)² written out is the linear bar, to rounding."""
        self.write("a.toml", TWO)
        self.write("b.toml", TWO.replace('modulus = "E"', 'energy = "0.5*E*(e-1)^2"'))
        for name in ("a", "b"):
            self.run_scene(name + ".toml", "--out", name)
        with self.record("a") as a, self.record("b") as b:
            for column in ("energy", "q", "p", "bars/force", "fields/position", "fields/strain"):
                self.assertLessEqual(np.abs(a[column][:] - b[column][:]).max(), 1e-12, column)

    def test_check_and_list(self):
        done = self.call("check", "bars-case-2")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("A: 50 elements over 10", "A|B: 0.2 at the start", "redistributed", "stable", "kept"):
            self.assertIn(words, done.stdout)
        names = self.call("list").stdout
        for scene in ("bars-case-1", "bars-case-6", "bar-wall", "three-bars", "bar-nonlinear"):
            self.assertIn(scene, names)


class Records(Bars):
    def test_shapes_and_meaning(self):
        self.write("s.toml", TWO + "[record]\nevery = 2\nfields_every = 10\n")
        self.run_scene("s.toml", "--out", "o")
        with self.record("o") as f:
            self.assertEqual(f["q"].shape, (301, 2))
            self.assertEqual(f["bars/energy"].shape, (301, 2))
            self.assertEqual(f["bars/force"].shape, (301, 1))
            self.assertEqual(f["bars/tip_velocity"].shape, (301, 4))
            self.assertEqual(f["fields/position"].shape, (61, 42))
            self.assertEqual(f["fields/strain"].shape, (61, 40))
            self.assertEqual(f["mesh/cells"].shape, (1, 80))
            self.assertTrue(np.issubdtype(f["mesh/cells"].dtype, np.integer))
            bars = json.loads(f.attrs["bars"])
            self.assertEqual([b["first_node"] for b in bars], [0, 21])
            # strain is what the positions say, and the tips are the ends of the field
            x, e = f["fields/position"][:], f["fields/strain"][:]
            for b in bars:
                i, n, j = b["first_node"], b["nodes"], b["first_element"]
                stretch = np.diff(x[:, i:i + n], axis=1) / (b["length"] / b["elements"]) - 1
                self.assertLessEqual(np.abs(stretch - e[:, j:j + n - 1]).max(), 1e-13)
            tips = f["bars/tip_position"][::5]
            self.assertTrue(np.array_equal(tips, x[:, [0, 20, 21, 41]]))
            self.assertTrue(np.array_equal(f["bars/energy"][:].sum(axis=1), f["energy"][:]))
            # the centre of mass moves with the momentum: dq/dt = P/M, M = 2
            dq = np.diff(f["q"][:], axis=0) / 0.01
            mean = (f["p"][1:] + f["p"][:-1]) / 2 / 2
            self.assertLessEqual(np.abs(dq - mean).max(), 5e-4)

    def test_no_fields(self):
        self.write("s.toml", TWO + "[record]\nfields_every = 0\n")
        self.run_scene("s.toml", "--out", "o")
        with self.record("o") as f:
            self.assertNotIn("fields", f)
        self.assertFalse(os.path.exists(self.path("o", "fields.xdmf")))

    def test_the_largest_every(self):
        """2^63 - 1 is 2^63 as a double: the interval of the fields, a multiple of it, must still be a positive number."""
        done = self.call("check", self.write("s.toml", TWO + f"[record]\nevery = {2**63 - 1}\n"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"every {2**62} steps", done.stdout)

    def test_gliding_and_threads_leave_the_same_bits(self):
        """Long bars are flown many steps per sweep between two looks: the looks must not notice."""
        text = TWO.replace("elements = 20", "elements = 1000").replace("0.005", "0.0005").replace("end = 3", "end = 0.9")
        self.write("s.toml", text)
        for scheme in ("redistributed", "located"):
            for out, every, threads in (("every", 1, 1), ("some", 100, 1), ("two", 100, 2)):
                self.run_scene("s.toml", "--out", scheme + out, "--set", f"contact.scheme={scheme}", "--set",
                               f"record.every={every}", "--set", "record.fields_every=300", "--set",
                               f"integrator.threads={threads}")
            with self.record(scheme + "every") as a:
                for out in ("some", "two"):
                    with self.record(scheme + out) as b:
                        for column in ("q", "p", "energy", "discrete_energy", "bars/impulse", "bars/tip_velocity"):
                            self.assertTrue(np.array_equal(a[column][::100], b[column][:]), scheme + out + column)
                        self.assertTrue(np.array_equal(a["fields/position"][:], b["fields/position"][:]))
                    self.assertEqual(self.read(scheme + "every", "impacts.csv"), self.read(scheme + out, "impacts.csv"))
            self.assertGreaterEqual(self.summary(scheme + "some")["impacts"], 1)

    def test_interrupted_and_killed_runs_resume_bit_for_bit(self):
        # Long bars, in contact from t = 0.5 to the end; the step is 0.15 of the limit (docs/bars.md: located contact).
        text = TWO.replace("elements = 20", "elements = 3000").replace("0.005", "0.0001").replace("end = 3", "end = 1")
        self.write("s.toml", text + "[record]\nevery = 1\nfields_every = 2000\n")
        for scheme in ("redistributed", "located", "virtual-tip"):
            more = ("--set", f"contact.scheme={scheme}")
            self.run_scene("s.toml", "--out", scheme, *more)
            self.resume_bit_for_bit(scheme, "s.toml", *more)


class Refused(Bars):
    def refuse(self, text, *words):
        self.write("s.toml", text)
        for command in (("run", "s.toml", "--out", "o"), ("check", "s.toml")):
            self.refused(self.call(*command), *words)
        self.assertFalse(os.path.exists(self.path("o")))

    def test_places(self):
        self.refuse(TWO.replace("2.1", "1.9"), "s.toml:20:12: 'B' overlaps 'A' by 0.1: it must begin at 2 or later")
        self.refuse(TWO + "[[wall]]\nposition = 1\n", "s.toml:25:12: 'wall_0' overlaps 'A' by 1")
        # the limit of the redistributed scheme: 2/ω with the 1.5 masses and the contact springs of ℓ/c = 0.1
        self.refuse(TWO.replace("0.005", "0.2"), "s.toml:2:8: the step 0.2 is beyond the stability limit", "at most 0.1")
        self.refuse(TWO.replace("length = 2", "length = 0", 1), "s.toml:8:10: the length of a bar must be positive, not 0")
        self.refuse(TWO.replace("mass = 1", "mass = -1", 1), "s.toml:10:8: the mass per length of a bar must be positive")
        self.refuse(TWO.replace("elements = 20", "elements = 0", 1), "s.toml:9:12: ", "elements", "positive")
        self.refuse(TWO.replace("elements = 20", "elements = 1000000000", 1), "s.toml:9:12: ", "elements", "(at most 1e7)")
        self.refuse(TWO.replace("elements = 20", "elements = 2.5", 1), "s.toml:9:12: ", "whole number, not 2.5")
        self.refuse(TWO.replace("elements = 20", "elements = 1", 1).replace("position = 0", "position = 0")
                    + "[[wall]]\nposition = -1\n", "s.toml:9:12: A needs at least two elements")
        self.refuse(TWO.replace('"E"', '"F"', 1), "s.toml:11:12: ", "unknown name 'F'")
        self.refuse(TWO.replace('"E"', "0", 1), "s.toml:11:11: the modulus of a bar must be positive")
        self.refuse(TWO.replace('modulus = "E"', 'energy = "-(e-1)^2"', 1), "s.toml:11:10: ", "convex", "-2")
        self.refuse(TWO.replace('modulus = "E"', 'energy = "(e-1)^2 + e"', 1), "s.toml:11:10: ", "W'(1) = 0")
        self.refuse(TWO.replace('modulus = "E"\n', "", 1), "s.toml:6:1: the key 'modulus'")
        self.refuse(TWO.replace('modulus = "E"', 'modulus = 1\nenergy = "(e-1)^2"', 1), "s.toml:12:10: ", "one of them")
        self.refuse(TWO.replace("0.2", '"log(s)"'), "s.toml:13:12: the velocity of a bar is not finite at s = 0")
        self.refuse(TWO.replace("redistributed", "redistribute"), "s.toml:23:10: ", "did you mean 'redistributed'?")
        self.refuse(TWO.replace("elements", "element", 1), "s.toml:9:1: unknown key 'element' in [[bar]]; did you mean 'elements'?")
        self.refuse(TWO.replace("elements = 20\n", "", 1), "s.toml:6:1: the key 'elements' is missing in [[bar]]")
        self.refuse(TWO.replace("ends", "end"), "unknown key 'end'", "did you mean 'ends'?")
        self.refuse(TWO.replace('["free", "free"]', '["free"]'), "s.toml:21:8: ends of [[bar]]")
        self.refuse(TWO.replace('["free", "free"]', '["free", "fix"]'), "s.toml:21:17: ", '"free" or "fixed"')
        self.refuse(TWO.replace('"B"', '"A"'), "s.toml:15:8: two bars or walls have the name 'A'")
        self.refuse(TWO.replace('"B"', '"B C"'), "s.toml:15:8: ")
        self.refuse(TWO.replace("E = 1", "E = 1\ns = 2"), "s.toml:6:1: the parameter name 's' is the material coordinate")
        self.refuse(TWO + '[system]\ncoordinates = ["x"]\n', "s.toml:24:1: ", "both")
        self.refuse(TWO + "[record]\nfield_every = 1\n", "did you mean 'fields_every'?")
        self.refuse(TWO + "[record]\nevery = -1\n", "s.toml:25:9: every of [record]")
        self.refuse(TWO + "[integrator]\nthreads = 0\n", "s.toml:25:11: threads")
        self.refuse(TWO.replace("[[bar]]", "[bar]", 1).split("[[bar]]")[0], "[[bar]] with double brackets")

    def test_a_run_that_blows_up(self):
        # Without an upper bound on the strain this energy falls for ever: the bar tears itself apart.
        text = TWO.replace('modulus = "E"', 'energy = "0.5*(e-1)^2 - 5*(e-1)^4"').replace("0.2", "0.9")
        for scheme in ("redistributed", "located", "virtual-tip"):
            self.write("s.toml", text.replace("redistributed", scheme))
            done = self.call("run", "s.toml", "--out", scheme)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("no longer finite", done.stderr)
            s = self.summary(scheme)
            self.assertEqual(s["status"], "failed")
            self.assertGreater(s["t_end"], 0.1)
            with self.record(scheme) as f:
                self.assertTrue(np.isfinite(f["energy"][:]).all())
                self.assertGreater(len(f["t"]), 10)


if __name__ == "__main__":
    main()
