"""The auditor from outside: verdicts, exit codes, corrupted runs, other engines."""
import csv
import json
import math
import os
import re
import shutil

from audit_case import NEITHER, NOT_JUDGED, STRONG, WEAK, AuditCase
from program import FLOOR, main

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "audit")


class Audit(AuditCase):
    # ---- our own runs ----

    def test_strong_runs_are_strong(self):
        for scene, end in (("particle", 20), ("star", 20), ("table", 30), ("circle", 50), ("double-pendulum", 10),
                           ("two-masses", 20), ("moving-wall", 20), ("newton-cradle", 1), ("hemisphere", 0.7),
                           ("slider-crank", 5)):
            with self.subTest(scene=scene):
                self.run_scene(scene, "--set", f"time.end={end}", "--out", scene)
                findings = self.judged(STRONG, scene)
                self.assertEqual(findings["impacts"], self.summary(scene)["impacts"])
                # exact conditions, at rounding
                checks = findings["by_key"]
                self.assertEqual(checks["euler_lagrange"]["above_weak"], 0)
                if findings["impacts"]:
                    self.assertLess(checks["first_condition"]["largest"], 2e-14)

    def test_every_rule_and_closure_is_strong_and_shows_its_order(self):
        for setting, order in (("rule=trapezoid", 2), ("rule=midpoint", 2), ("rule=rectangle-left", 1),
                               ("rule=yoshida4", 4), ("closure=reflection", 2), ("closure=shadow2", None),
                               ("closure=shadow4", None), ("closure=interpolated", None)):
            with self.subTest(setting=setting):
                name = setting.split("=")[1]
                self.run_scene("table", "--set", "time.end=50", "--set", "integrator." + setting, "--out", name)
                findings = self.judged(STRONG, name)
                if order:
                    self.assertAlmostEqual(findings["order_fitted"], order, delta=0.1)

    def test_restitution_is_weak(self):
        for scene, settings in (("resting-ball", ()), ("counter-example-4", ()),
                                ("star", ("impact.law=newton", "impact.restitution=0.8", "time.end=5")),
                                ("impact-oscillator", ("record.every=1", "time.end=50"))):
            with self.subTest(scene=scene):
                self.run_scene(scene, *(w for s in settings for w in ("--set", s)), "--out", scene)
                findings = self.judged(WEAK, scene)
                self.assertEqual(findings["by_key"]["second_condition"]["grade"], "weak")
                self.assertEqual(findings["by_key"]["first_condition"]["grade"], "strong")
                self.assertEqual(findings["by_key"]["dissipation"]["grade"], "strong")

    def test_weak_principle_is_weak(self):
        for scene, settings in (("superball", ()), ("incline", ()),
                                ("table", ("integrator.principle=weak", "time.end=10")),
                                ("double-pendulum", ("integrator.principle=weak", "time.end=3"))):
            with self.subTest(scene=scene):
                self.run_scene(scene, *(w for s in settings for w in ("--set", s)), "--out", scene)
                findings = self.judged(WEAK, scene)
                self.assertIn("weak principle", findings["held_to"])
                self.assertEqual(findings["by_key"]["euler_lagrange"]["grade"], "strong")

    def test_rough_contacts_are_weak(self):
        """The foot sticks and slips, the head lands: two rough contacts at once."""
        self.run_scene("falling-rod", "--out", "rod")
        findings = self.judged(WEAK, "rod")
        self.assertEqual(findings["by_key"]["friction_cone"]["grade"], "strong")
        self.assertEqual(findings["by_key"]["euler_lagrange"]["grade"], "strong")
        self.assertGreater(findings["numbers"]["intervals in contact"], 100)

    def test_what_was_not_judged_is_not_strong(self):
        """On its grid, but only every fifth node: the impacts lie in steps that nobody recorded."""
        self.run_scene("particle", "--set", "integrator.principle=weak", "--set", "record.every=5", "--out", "sparse")
        findings = self.audit("sparse")
        if findings["as_far_as_judged"]["impacts_judged"] == 0:
            self.assertNotEqual(findings["verdict"], "strong")
        self.assertIn("as far as judged: ", findings["text"].splitlines()[0])
        self.write("floor.toml", FLOOR)
        self.write("hover.csv", "t,x,y\n" + "".join(f"{k / 100:.2f},0.000,1.000\n" for k in range(101)))
        self.judged(NOT_JUDGED, "hover.csv", "--scene", "floor.toml")
        self.assertEqual(self.call("audit", "hover.csv", "--scene", "floor.toml", "--expect", "weak").returncode, 1)

    def test_a_failed_run_is_not_strong(self):
        self.run_scene("particle", "--set", "time.end=3", "--out", "run")
        self.without_digests("run")
        path = self.path("run", "summary.json")
        with open(path) as f:
            summary = json.load(f)
        summary["status"] = "failed"
        with open(path, "w") as f:
            json.dump(summary, f)
        findings = self.judged(NOT_JUDGED, "run")
        self.assertIn("the run is not finished: failed", findings["notes"])

    def test_sparse_records_are_flown(self):
        """Every tenth step: the nine between are flown by the rule, and the record is met at rounding."""
        import h5py
        for scene in ("particle", "star", "table", "double-pendulum"):
            with self.subTest(scene=scene):
                self.run_scene(scene, "--set", "time.end=6", "--set", "record.every=10", "--out", "clean", "--overwrite")
                findings = self.judged(STRONG, "clean")
                self.assertGreater(findings["impacts"], 2)
                self.copy()
                with h5py.File(self.path("bad", "trajectory.h5"), "r+") as f:
                    f["q"][30, 0] += 1e-6
                    step = int(f["step"][30])
                worst = self.judged(NEITHER, "bad")["by_key"]["euler_lagrange"]["worst"][0]
                self.assertIn(worst["step"], range(step - 10, step + 11))

    def test_sparse_records_of_contacts(self):
        """Contacts that last are held to the exact motion; of rough ones between two samples nothing is known."""
        self.run_scene("resting-ball", "--set", "record.every=10", "--out", "ball")
        self.judged(WEAK, "ball")
        self.run_scene("falling-rod", "--set", "record.every=10", "--out", "rod")
        findings = self.judged(WEAK, "rod")
        self.assertTrue(any("a rough contact" in note for note in findings["notes"]), findings["notes"])

    def test_a_ball_at_rest_that_is_moved(self):
        """At rest all numbers are zero, and so are the tolerances made of them: the words stay finite."""
        import h5py
        self.run_scene("resting-ball", "--out", "clean")
        for by in (1e-6, 1e-3):
            self.copy()
            with h5py.File(self.path("bad", "trajectory.h5"), "r+") as f:
                f["q"][200, :] += by
            findings = self.judged(NEITHER, "bad")
            self.assertIn(findings["by_key"]["motion"]["worst"][0]["step"], (199, 200))
            self.assertNotRegex(findings["text"], r"\b(nan|inf)\b")
            self.assertNotIn("nan", self.read("audit.json").decode())

    def test_the_time_of_an_impact_is_that_of_its_alpha(self):
        for closure in ("variational", "shadow2", "interpolated"):
            with self.subTest(closure=closure):
                self.run_scene("table", "--set", "time.end=12", "--set", f"integrator.closure={closure}", "--out",
                               "clean", "--overwrite")
                self.judged(STRONG, "clean")
                self.copy()
                path = self.path("bad", "impacts.csv")
                with open(path) as f:
                    rows = list(csv.reader(f))
                t = rows[0].index("t")
                rows[4][t] = repr(float(rows[4][t]) + 1e-6)
                with open(path, "w") as f:
                    csv.writer(f, lineterminator="\n").writerows(rows)
                self.judged(NEITHER, "bad")

    def test_expectations_decide_the_exit_code(self):
        self.run_scene("circle", "--set", "time.impacts=5", "--out", "strong")
        self.run_scene("resting-ball", "--out", "weak")
        for file, expect, code in (("strong", "strong", 0), ("strong", "weak", 0), ("weak", "strong", 1),
                                   ("weak", "weak", 0)):
            self.assertEqual(self.call("audit", file, "--expect", expect, "--quiet").returncode, code)
        self.refused(self.call("audit", "strong", "--expect", "elastic"), "strong or weak")
        self.assertEqual(self.call("audit", "strong/trajectory.h5", "--quiet").stdout, "")

    # ---- corrupted ----

    def corrupt(self, scene, end):
        self.run_scene(scene, "--set", f"time.end={end}", "--out", "clean")
        self.addCleanup(shutil.rmtree, self.path("clean"), True)

    def copy(self):
        shutil.rmtree(self.path("bad"), True)
        shutil.copytree(self.path("clean"), self.path("bad"))
        self.without_digests("bad")

    def edit_impact(self, number, change):
        path = self.path("bad", "impacts.csv")
        with open(path) as f:
            rows = list(csv.reader(f))
        header, row = rows[0], rows[number + 1]
        minus = [i for i, c in enumerate(header) if c.startswith("p_minus_")]
        plus = [i for i, c in enumerate(header) if c.startswith("p_plus_")]
        p0, p1 = [float(row[i]) for i in minus], [float(row[i]) for i in plus]
        for i, x in zip(plus, change(p0, p1)):
            row[i] = repr(x)
        with open(path, "w") as f:
            csv.writer(f, lineterminator="\n").writerows(rows)
        return float(row[header.index("t")]), int(row[header.index("step")])

    def test_corruptions_are_caught_where_they_are(self):
        import h5py
        for scene, end in (("particle", 12), ("star", 12), ("table", 12), ("double-pendulum", 12)):
            self.run_scene(scene, "--set", f"time.end={end}", "--out", "clean", "--overwrite")
            with self.subTest(scene=scene, what="position moved by 1e-6"):
                self.copy()
                with h5py.File(self.path("bad", "trajectory.h5"), "r+") as f:
                    f["q"][300, 0] += 1e-6
                worst = self.judged(NEITHER, "bad")["by_key"]["euler_lagrange"]["worst"][0]
                self.assertIn(worst["step"], (299, 300))
                self.assertAlmostEqual(worst["value"], 1e-6 / self.step_of(scene), delta=1e-6 / self.step_of(scene))
            with self.subTest(scene=scene, what="impulse tilted by 1e-4"):
                self.copy()

                def tilt(p0, p1):
                    d = [b - a for a, b in zip(p0, p1)]
                    d[0], d[1] = d[0] - 1e-4 * d[1], d[1] + 1e-4 * d[0]
                    return [a + b for a, b in zip(p0, d)]
                t, step = self.edit_impact(3, tilt)
                worst = self.judged(NEITHER, "bad")["by_key"]["first_condition"]
                self.assertEqual(worst["above_weak"], 1)
                self.assertEqual(worst["worst"][0]["step"], step)
                self.assertAlmostEqual(worst["worst"][0]["t"], t, delta=1e-12)
                self.assertTrue(2e-5 < worst["worst"][0]["value"] < 5e-4)
            with self.subTest(scene=scene, what="one impact gains 1 % of energy"):
                self.copy()
                t, step = self.edit_impact(3, lambda p0, p1: [1.005 * x for x in p1])
                worst = self.judged(NEITHER, "bad")["by_key"]["dissipation"]
                self.assertEqual(worst["above_weak"], 1)
                self.assertEqual(worst["worst"][0]["step"], step)

    @staticmethod
    def step_of(scene):
        return {"particle": 0.01, "star": 0.005, "table": 0.005, "double-pendulum": 0.005}[scene]

    def test_an_impact_left_out_is_missed(self):
        self.run_scene("particle", "--set", "time.end=5", "--out", "bad")
        self.without_digests("bad")
        path = self.path("bad", "impacts.csv")
        with open(path) as f:
            lines = f.readlines()
        with open(path, "w") as f:
            f.writelines(lines[:2] + lines[3:])
        findings = self.judged(NEITHER, "bad")
        self.assertTrue(any("the summary counts" in note for note in findings["notes"]), findings["notes"])
        self.assertAlmostEqual(findings["by_key"]["euler_lagrange"]["worst"][0]["t"], 3 * math.sqrt(2 / 9.81), delta=0.02)

    # ---- any engine ----

    def test_ball_from_a_formula(self):
        g, h = 9.81, 0.013
        rows = ["time,px,py"]
        for k in range(200):
            t = k * h
            period, first = 2 * math.sqrt(2 / g), math.sqrt(2 / g)
            s = math.fmod(t + first, period) - first
            rows.append(f"{t!r},{-2 * t!r},{1 - g * s * s / 2!r}")
        self.write("ball.csv", "\n".join(rows) + "\n")
        self.write("floor.toml", FLOOR)
        self.write("map.toml", '[columns]\nx = "px"\ny = "py"\n')
        findings = self.judged(STRONG, "ball.csv", "--scene", "floor.toml", "--map", "map.toml")
        self.assertEqual(findings["impacts"], 3)
        self.assertAlmostEqual(findings["impact_list"][0]["t"], math.sqrt(2 / g), delta=1e-12)
        self.assertAlmostEqual(findings["impact_list"][0]["restitution"], 1, delta=1e-10)

    def engine(self, name, scene):
        return self.audit(os.path.join(SAMPLES, f"{name}-{scene}.csv"), "--scene", scene, "--map",
                          os.path.join(SAMPLES, f"{scene}.toml"))

    def test_other_engines(self):
        """What docs/audit.md says of them. Samples of bench/peers."""
        verdicts, found = {}, {}
        for engine in ("chipmunk", "bullet", "box2d", "mujoco", "siconos_event_driven", "siconos_moreau_jean"):
            for scene in ("particle", "star"):
                found[engine, scene] = findings = self.engine(engine, scene)
                verdicts[engine, scene] = findings["verdict"]
                self.assertIn(findings["impacts"], (4, 5), (engine, scene))  # the motion ends in the fifth
        for scene in ("particle", "star"):
            self.assertEqual(verdicts["siconos_event_driven", scene], "strong")
            self.assertEqual(verdicts["mujoco", scene], "neither")
            for engine in ("chipmunk", "bullet", "box2d"):
                self.assertEqual(verdicts[engine, scene], "weak", engine)
                self.assertTrue(found[engine, scene]["order"].startswith("1 (the rule rectangle-"))
            for engine in ("chipmunk", "bullet"):
                # the impulse is right, its place is not
                self.assertEqual(found[engine, scene]["by_key"]["first_condition"]["grade"], "strong")
                self.assertEqual(found[engine, scene]["by_key"]["second_condition"]["grade"], "strong")
                self.assertEqual(found[engine, scene]["by_key"]["complementarity"]["above_strong"], 4)
        self.assertEqual(verdicts["siconos_moreau_jean", "particle"], "weak")
        self.assertEqual(verdicts["siconos_moreau_jean", "star"], "neither")
        self.assertEqual(found["siconos_moreau_jean", "star"]["by_key"]["dissipation"]["grade"], "neither")
        for hit in found["mujoco", "particle"]["impact_list"]:
            self.assertAlmostEqual(hit["duration"], 0.07, delta=1e-9)
        for scene in ("particle", "star"):
            self.assertTrue(any("single precision" in note for note in found["box2d", scene]["notes"]))
        # the ball of Box2D loses at one impact what it gains at the next
        energies = [hit["energy"] for hit in found["box2d", "particle"]["impact_list"]]
        self.assertAlmostEqual(energies[0] + energies[1], 0, delta=1e-5)
        self.assertLess(energies[0], -0.1)

    # ---- words and files ----

    def test_page_and_json_stand_alone(self):
        self.run_scene("particle", "--set", "time.end=3", "--out", "run")
        self.assertEqual(self.call("audit", "run", "--html", "audit.html", "--json", "audit.json").returncode, 0)
        page = self.read("audit.html").decode()
        self.assertIn("strong extremal", page)
        self.assertIsNone(re.search(r"(src|href)=|https?:", page))
        again = self.call("audit", "run", "--json", "again.json")
        self.assertEqual(self.read("audit.json"), self.read("again.json"))
        self.assertIn("strong extremal", again.stdout)

    def test_refusals(self):
        self.write("floor.toml", FLOOR)
        self.write("a.csv", "t,x,y\n0,0,1\n0.1,0,1\n0.2,0,1\n")
        self.refused(self.call("audit", "nowhere.csv", "--scene", "floor.toml"), "no such file")
        self.refused(self.call("audit", "a.csv"), "--scene")
        self.refused(self.call("audit", "a.csv", "--scene", "star"), "theta")
        self.write("map.toml", '[columns]\nx = "longitude"\n')
        self.refused(self.call("audit", "a.csv", "--scene", "floor.toml", "--map", "map.toml"), "map.toml:2:6", "longitude")
        self.run_scene("bars-case-1", "--set", "time.end=0.1", "--out", "bars")
        self.refused(self.call("audit", "bars"), "bars")
        self.run_scene("floor.toml", "--out", "run")
        self.refused(self.call("audit", "run", "--scene", "star"), "coordinates")
        self.refused(self.call("audit", "run", "--map", "map.toml"), "--map")
        self.refused(self.call("audit", "run", "--set", "nosense.key=1"), "--set", "--scene")
        self.run_scene("floor.toml", "--set", "record.every=0", "--out", "none")
        self.refused(self.call("audit", "none"), "record.every=1")
        self.refused(self.call("audit", "run", "--html", "no/such/folder/a.html"),
                     "cannot write no/such/folder/a.html: No such file")


if __name__ == "__main__":
    main()
