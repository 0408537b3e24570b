"""Contact that was hard: stacks, supports that move or are redundant, corners, coordinates far from zero. Closed forms."""
import csv
import math

from program import Case, main

G = 9.81
FALL = math.sqrt(2 / G)  # from height 1


def scene(coordinates, mass, potential, position, velocity, gaps, law="elastic", e=None, step=0.01, end=3, more=""):
    """The text of a scene; gaps are expressions, or (expression, e)."""
    quoted = ", ".join(f'"{c}"' for c in coordinates)
    text = f"[time]\nstep = {step}\nend = {end}\n[system]\ncoordinates = [{quoted}]\nmass = {mass}\n"
    text += f'potential = "{potential}"\nposition = {position}\nvelocity = {velocity}\n'
    for i, gap in enumerate(gaps):
        expression, own = gap if isinstance(gap, tuple) else (gap, None)
        text += f'[[gap]]\nname = "g{i}"\nexpression = "{expression}"\n'
        if own is not None:
            text += f"restitution = {own}\n"
    text += f'[impact]\nlaw = "{law}"\n' + (f"restitution = {e}\n" if e is not None else "")
    return text + '[integrator]\nrule = "trapezoid"\nclosure = "variational"\n' + more


class Contact(Case):
    def outcome(self, text, *arguments):
        self.write("s.toml", text)
        self.run_scene("s.toml", "--out", "o", "--overwrite", "--quiet", *arguments)
        summary = self.summary("o")
        with open(self.path("o", "impacts.csv")) as f:
            return summary, list(csv.DictReader(f))

    def last(self):
        import h5py
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            return f["q"][-1], f["p"][-1]

    def test_a_stack_at_rest_rests(self):
        for law, e in (("elastic", None), ("newton", 0.5)):
            summary, impacts = self.outcome(scene("ab", [1, 1], "9.81*(a+b)", [0, 1], [0, 0], ["a", "b-a-1"], law, e,
                                                  end=10))
            self.assertEqual(impacts, [])
            self.assertEqual([(c["from"], c["to"]) for c in summary["contacts"]], [(0, None)] * 2)
            q, p = self.last()
            self.assertLess(abs(q[0]) + abs(q[1] - 1) + abs(p[0]) + abs(p[1]), 1e-13)

    def test_a_stack_that_falls_comes_to_rest(self):
        for law in ("newton", "canonical", "poisson", "sequential"):
            for e in (0.0, 0.3, 0.5, 0.8):
                with self.subTest(law=law, e=e):
                    summary, impacts = self.outcome(
                        scene("abc", [1, 2, 0.5], "9.81*(a+2*b+.5*c)", [1, 2.1, 3.3], [0, 0, 0],
                              ["a", "b-a-1", "c-b-1"], law, e, end=20))
                    self.assertGreater(summary["min_gap"], -1e-9)
                    for row in impacts:
                        self.assertLessEqual(float(row["energy_after"]), float(row["energy_before"]) + 1e-12)
                    q, p = self.last()
                    for x, right in zip(q, (0, 1, 2)):
                        self.assertAlmostEqual(x, right, delta=1e-9)
                    self.assertLess(max(abs(x) for x in p), 1e-9)

    def test_pairs_that_strike_without_end_are_one_impact(self):
        """With small e the impacts of pairs collapse: against a wall everything stops, as it does where two meet in a third."""
        cases = ((scene("abc", [1, 2, 3], "0", [-0.1, 1, 2], [1, 0, 0], ["b-a-1", "c-b-1", "2-c"], "sequential", 0, end=0.5),
                  (0, 0.03, 0.05, 0.07, 0.1)),
                 (scene("abcd", [3, 1, 2, 1], "0", [-0.1, 0.9, 1.97, 2.97], [1, 1, 0.3, 0.3],
                        ["b-a-1", "c-b-1", "3-d", "d-c-1"], "sequential", 0, end=0.5), (0, 0.1, 0.3, 0.5)),
                 (scene("abc", [1, 1, 1], "0", [-1.1, 0, 1.1], [1, 0, -1], ["b-a-1", "c-b-1"], "sequential", 0, end=0.5),
                  (0, 0.03, 0.05, 0.07)))
        for text, restitutions in cases:
            for e in restitutions:
                with self.subTest(text=text, e=e):
                    summary, impacts = self.outcome(text, "--set", f"impact.restitution={e}")
                    self.assertEqual(len(impacts), 1)
                    self.assertAlmostEqual(float(impacts[0]["t"]), 0.1, delta=1e-12)
                    self.assertEqual(summary["fallbacks"].get("cut_sequence", 0), 0)
                    _, p = self.last()
                    self.assertEqual([abs(x) for x in p], [0] * len(p))

    def test_lifted_off_by_its_own_speed(self):
        # x' = 1/2 + 2t; the lift 6x'^2 overcomes g where x' = sqrt(g/6).
        text = scene("xy", [1, 1], "9.81*y", [0, 0], [0.5, 0], ["y"], end=1,
                     more='[[force]]\ncomponents = ["2", "6*v_x^2"]\n')
        summary, _ = self.outcome(text)
        release = (math.sqrt(G / 6) - 0.5) / 2
        self.assertAlmostEqual(summary["contacts"][0]["to"], release, delta=1e-4)  # second order: h = 0.01

    def test_touching_balls_at_the_origin(self):
        for gap in (0, 1e-16, -1e-16, 1e-14):
            with self.subTest(gap=gap):
                text = scene("abc", [1, 1, 1], "0", [-0.3, 0, gap], [1, 0, 0], ["b-a", "c-b"], end=1)
                self.outcome(text)
                _, p = self.last()
                for x, right in zip(p, (-1 / 3, 2 / 3, 2 / 3)):  # Ballard's projection in the kinetic metric
                    self.assertAlmostEqual(x, right, delta=1e-12)

    def test_cradle_with_gaps_of_rounding_size(self):
        right = {("canonical", 3): (-1 / 3, 2 / 3, 2 / 3), ("canonical", 5): (-0.6, 0.4, 0.4, 0.4, 0.4),
                 ("sequential", 3): (0, 0, 1), ("sequential", 5): (0, 0, 0, 0, 1)}
        for (law, n), speeds in right.items():
            for gap in (0, 1e-16, -1e-16, 1e-14):
                with self.subTest(law=law, n=n, gap=gap):
                    # Every second ball stands off by the gap, at the origin and at one diameter from it.
                    for place in (lambda i: 0.0, lambda i: float(i)):
                        names = [f"x{i}" for i in range(n)]
                        position = [place(i) + gap * (i % 2) for i in range(n)]
                        position[0] -= 0.3
                        gaps = [f"x{i + 1} - x{i} - {place(1)}" for i in range(n - 1)]
                        self.outcome(scene(names, [1] * n, "0", position, [1] + [0] * (n - 1), gaps, law,
                                           1 if law == "canonical" else None, step=0.1, end=0.5))
                        _, p = self.last()
                        for x, speed in zip(p, speeds):
                            self.assertAlmostEqual(x, speed, delta=1e-12)

    def test_high_restitution_is_quick(self):
        # In the time of the processor, which other work on the machine does not take, and in units of plain flights,
        # which are slower with sanitizers too.
        import resource

        def seconds(run, *arguments):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            result = run(*arguments)
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, result

        flights, _ = seconds(self.outcome, scene("y", [1], "y^2", [1], [0], [], step=1e-3, end=500,
                                                 more="[record]\nevery = 0\n"))
        for e in (0.99, 0.999):
            rest = FALL * (1 + e) / (1 - e)
            spent, (summary, _) = seconds(self.outcome, scene("y", [1], "9.81*y", [1], [0], ["y"], "newton", e,
                                                              end=rest + 1, more="[record]\nevery = 0\n"))
            self.assertAlmostEqual(summary["accumulations"][0]["t"], rest, delta=1e-8 * rest)
            self.assertLess(spent, 5 * flights)  # of 500 000 steps; measured 0.13 and 0.7

    def test_perturbed_start_with_a_constraint(self):
        # A ball on the floor tied to a rail x + y = 0: opened with the speed 1e-3 it rises along the rail and falls back.
        text = scene("xy", [1, 1], "9.81*y", [0, 0], [0, 0], ["y"], end=1e-4, step=1e-5,
                     more='[[constraint]]\nname = "rail"\nexpression = "x + y"\n')
        text = text.replace("[integrator]", 'start = "perturbed"\nperturbation = 1e-3\n[integrator]')
        self.outcome(text)
        q, p = self.last()
        # Along the rail y'' = -g/2.
        self.assertAlmostEqual(p[1], 1e-3 - G / 2 * 1e-4, delta=1e-12)
        self.assertAlmostEqual(q[0] + q[1], 0, delta=1e-15)

    def test_counter_example_1_has_two_motions(self):
        self.run_scene("counter-example-1", "--out", "o", "--overwrite", "--quiet")
        q, p = self.last()
        self.assertEqual((q[0], p[0]), (0, 0))
        # From 1e-12 off, x = t^3 up to a shift of time: x'' = 6 x^(1/3) has the energy x'^2/2 - 4.5 x^(4/3).
        self.run_scene("counter-example-1", "--out", "o", "--overwrite", "--quiet", "--set", "system.position[0]=1e-12",
                       "--set", "time.step=1e-4")
        q, p = self.last()
        # x = (t + delay)^3 after it has left; the first digits of 1e-12 take about (6e-12)^(1/3) of time
        self.assertAlmostEqual(q[0], 1, delta=1e-3)
        self.assertAlmostEqual(p[0] ** 2 / 2, 4.5 * q[0] ** (4 / 3), delta=1e-6)

    def test_counter_example_4_rests_from_three_on(self):
        self.run_scene("counter-example-4", "--out", "o", "--overwrite", "--quiet", "--set", "time.step=0.01", "--set",
                       "time.end=5")
        summary = self.summary("o")
        with open(self.path("o", "impacts.csv")) as f:
            times = [float(row["t"]) for row in csv.DictReader(f)]
        for t, right in zip(times, (1, 2, 2.5, 2.75, 2.875)):
            self.assertAlmostEqual(t, right, delta=1e-11)
        self.assertAlmostEqual(summary["accumulations"][0]["t"], 3, delta=1e-8)
        q, p = self.last()
        self.assertEqual((q[0], p[0]), (0, 0))

    def test_counter_example_5_has_two_motions(self):
        self.run_scene("counter-example-5", "--out", "o", "--overwrite", "--quiet")
        q, p = self.last()
        self.assertEqual((q[0], p[0]), (0, 0))
        self.run_scene("counter-example-5", "--out", "o", "--overwrite", "--quiet", "--set", "impact.start=perturbed")
        with open(self.path("o", "impacts.csv")) as f:
            rows = list(csv.DictReader(f))
        self.assertGreaterEqual(len(rows), 17)
        # It arrives at the impact number 0 with the speed 1/6 (Ballard 2001, counter-example 5).
        _, p = self.last()
        self.assertAlmostEqual(abs(p[0]), 1 / 6, delta=1e-9)

    def test_far_from_zero(self):
        for offset in (1e3, 1e6):
            summary, _ = self.outcome(scene("y", [1], "9.81*y", [offset + 1], [0], [f"y-{offset}"], "newton", 0.5))
            # A gap of two numbers near 1e6 is rounded by 1e-10; the last bounces are slow.
            self.assertAlmostEqual(summary["accumulations"][0]["t"], 3 * FALL, delta=1e-8 + 1e-12 * offset)
            self.assertGreater(summary["min_gap"], -64 * 2.3e-16 * 2 * offset)

    def test_accumulation_in_a_corner_has_the_restitution_of_its_gap(self):
        text = scene("xy", [1, 1], "9.81*y+3*x", [0, 1], [0, 0], [("x", 0.0), ("y", 0.9)], "newton", 0.9, end=10)
        summary, _ = self.outcome(text)
        self.assertEqual(summary["accumulations"][0]["gap"], "g1")
        self.assertAlmostEqual(summary["accumulations"][0]["t"], 19 * FALL, delta=1e-8)

    def test_a_box_that_lands_flat(self):
        for e in (0.5, 0.9):
            text = scene(["x", "y", "a"], [1, 1, 0.1], "9.81*y", [0, 1.3, 0], [0.2, 0, 0],
                         ["y-0.5*sin(a)-0.3*cos(a)", "y+0.5*sin(a)-0.3*cos(a)"], "newton", e, end=10)
            summary, _ = self.outcome(text)
            self.assertEqual([a["gap"] for a in summary["accumulations"]], ["g0", "g1"])
            for a in summary["accumulations"]:
                self.assertAlmostEqual(a["t"], FALL * (1 + e) / (1 - e), delta=1e-8)

    def test_the_last_row_holds_the_rest_of_the_accumulation(self):
        summary, impacts = self.outcome(scene("y", [1], "9.81*y", [1], [0], ["y"], "newton", 0.5))
        for row in impacts:
            self.assertAlmostEqual(float(row["p_plus_y"]) - float(row["p_minus_y"]), float(row["multiplier"]), delta=1e-14)
        self.assertAlmostEqual(summary["energy_dissipated"], G, delta=1e-9)  # all of it, in the end
        self.assertAlmostEqual(summary["balance_error"], 0, delta=1e-9)

    def test_an_elevator_works(self):
        summary, _ = self.outcome(scene("y", [1], "9.81*y", [0], [0], ["y - 0.15*t^2"], end=2))
        gained = 0.5 * 0.6**2 + G * 0.6  # at t = 2
        self.assertAlmostEqual(summary["energy"]["final"], gained, delta=1e-9)
        self.assertAlmostEqual(summary["wall_work"], gained, delta=1e-3)  # O(h^2)
        coarse = summary["balance_error"]
        summary, _ = self.outcome(scene("y", [1], "9.81*y", [0], [0], ["y - 0.15*t^2"], step=0.005, end=2))
        self.assertLess(abs(summary["balance_error"]), 0.3 * abs(coarse) + 1e-12)

    def test_samples_while_a_contact_ends(self):
        import h5py
        text = scene("xy", [1, 1], "9.81*y", [0, 1], [1, 0], ["x^2+y^2-1"], step=0.1, end=0.7,
                     more="[record]\nstroboscope = 0.013\n")
        self.outcome(text)
        with h5py.File(self.path("o", "trajectory.h5")) as f:
            t, q, gaps = f["stroboscope/t"][...], f["stroboscope/q"][...], f["stroboscope/gaps"][...]
        # While it is held, samples lie on the cubic between the ends of a step: h^4 of this coarse step from the sphere.
        self.assertGreater(gaps[:, 0].min(), -1e-4)
        free = t > 0.53
        self.assertGreater(gaps[free, 0].min(), 0)
        self.assertTrue(all(b > a for a, b in zip(q[:, 0], q[1:, 0])), "it never goes back")

    def test_redundant_supports_do_not_flicker(self):
        # A table on four legs, its centre of mass off the middle: reactions are not unique, the rest is.
        legs = [f"z + ({i} - 0.9)*a + ({j} - 0.9)*b" for i in (1, -1) for j in (1, -1)]
        summary, impacts = self.outcome(scene(["z", "a", "b"], [1, 0.5, 0.5], "9.81*z", [0, 0, 0], [0, 0, 0], legs,
                                              "newton", 0.5, end=1))
        self.assertEqual(impacts, [])
        self.assertTrue(all(c["to"] is None for c in summary["contacts"]), summary["contacts"])

    def test_every_closure_comes_to_rest(self):
        for closure in ("variational", "reflection", "shadow2", "shadow4", "interpolated", "auto"):
            with self.subTest(closure=closure):
                self.run_scene("resting-ball", "--out", "o", "--overwrite", "--quiet", "--set",
                               f"integrator.closure={closure}")
                summary = self.summary("o")
                self.assertAlmostEqual(summary["accumulations"][0]["t"], 3 * FALL, delta=1e-8)
                self.assertIsNone(summary["contacts"][-1]["to"])


if __name__ == "__main__":
    main()
