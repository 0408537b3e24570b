"""What a scene says is what is integrated: rules by name, masses of the configuration, defaults, parameters."""
import math

from program import FLOOR, Case, main

EPS = 2.3e-16

OSCILLATOR = """[time]
step = 0.1
end = 1
[system]
coordinates = ["q"]
mass = [1]
potential = "q^2/2"
position = [1]
velocity = [0.5]
"""

POLAR = """[time]
step = 0.01
end = 1
[system]
coordinates = ["r", "a"]
mass = [1, "r^2"]
position = [1, 0]
velocity = [0, 1]
[integrator]
rule = "midpoint"
"""
LAGRANGIAN = POLAR.replace('mass = [1, "r^2"]', 'lagrangian = "(v_r^2 + r^2*v_a^2)/2"')


class Runs(Case):
    def end(self, text, *arguments):
        """q and p at the end of a run."""
        q, p = self.states(text, *arguments)
        return [*q[-1], *p[-1]]

    def states(self, text, *arguments, out="o"):
        self.write("s.toml", text)
        self.run_scene("s.toml", "--out", out, "--overwrite", "--quiet", *arguments)
        return self.columns(out, "q", "p")

    def order(self, text, right, steps, *arguments):
        """With which power of the step the distance of the end from `right` falls."""
        errors = [math.dist(self.end(text, "--set", f"time.step={h}", *arguments), right) for h in steps]
        self.assertGreater(min(errors), 1e-13, "there is nothing but rounding to measure")
        return math.log(errors[0] / errors[1]) / math.log(steps[0] / steps[1])


class Rules(Runs):
    # q = cos t + sin t/2. The next power of h adds a share of about h to an order measured between h and h/2.
    RIGHT = (math.cos(1) + math.sin(1) / 2, -math.sin(1) + math.cos(1) / 2)

    def test_order_of_every_rule(self):
        for rule, order in (("rectangle-left", 1), ("rectangle-right", 1), ("midpoint", 2), ("trapezoid", 2),
                            ("yoshida4", 4), ("suzuki4", 4)):
            found = self.order(OSCILLATOR, self.RIGHT, (0.05, 0.025), "--set", f"integrator.rule={rule}")
            self.assertAlmostEqual(found, order, delta=0.05, msg=rule)
        for gamma, order in ((0.3, 1), (0.75, 1), (0.5, 2)):
            found = self.order(OSCILLATOR, self.RIGHT, (0.05, 0.025), "--set", "integrator.rule=rectangle", "--set",
                               f"integrator.gamma={gamma}")
            self.assertAlmostEqual(found, order, delta=0.05, msg=gamma)

    def test_first_step_of_the_rectangles(self):
        # L_d = h L(γq0 + (1-γ)q1, (q1-q0)/h), p0 = -D1 L_d, p1 = D2 L_d with V = q²/2, h = 0.1: solved by hand
        h, q0, p0 = 0.1, 1, 0.5
        for gamma in (0, 0.25, 1):
            # p0 = (q1-q0)/h + hγ(γq0 + (1-γ)q1)
            q1 = (p0 + q0 / h - h * gamma**2 * q0) / (1 / h + h * gamma * (1 - gamma))
            p1 = (q1 - q0) / h - h * (1 - gamma) * (gamma * q0 + (1 - gamma) * q1)
            found = self.end(OSCILLATOR, "--set", "time.end=0.1", "--set", "integrator.rule=rectangle", "--set",
                             f"integrator.gamma={gamma}")
            for x, right in zip(found, (q1, p1)):
                self.assertAlmostEqual(x, right, delta=32 * EPS)  # (q1-q0)/h has ten ulps of q

    def test_rectangles_by_their_names(self):
        # a potential that is not linear, and impacts of the variational closure: every part of the rule is used
        text = FLOOR.replace("9.81*y", "9.81*y + y^3 + x^2*y") + '[integrator]\nclosure = "variational"\n'
        for name, gamma in (("rectangle-left", 1), ("rectangle-right", 0), ("midpoint", 0.5)):
            by_name = self.states(text, "--set", f"integrator.rule={name}", out="name")
            by_gamma = self.states(text, "--set", "integrator.rule=rectangle", "--set", f"integrator.gamma={gamma}",
                                   out="gamma")
            self.assertGreaterEqual(len(self.impacts("name")), 1)
            for a, b in zip(by_name, by_gamma):
                # an impact divides the rounding of both by its speed; equations solved to rounding, 100 steps of them
                self.assertLess(abs(a - b).max(), 1e-12, name)


class Masses(Runs):
    def test_free_motion_in_polar_coordinates(self):
        # x = 1, y = t: r(1) = sqrt 2, a = π/4, p_r = r' = 1/sqrt 2, p_a = r² a' = 1
        right = (math.sqrt(2), math.pi / 4, math.sqrt(0.5), 1)
        for text in (POLAR, LAGRANGIAN):
            # O(h²), the next term is O(h⁴)
            self.assertAlmostEqual(self.order(text, right, (0.04, 0.02)), 2, delta=0.02)
            self.assertLess(math.dist(self.end(text, "--set", "time.step=0.01"), right), 1e-4)
            _, p = self.columns("o", "q", "p")
            self.assertLess(abs(p[:, 1] - 1).max(), 100 * EPS)  # nothing depends on a: an ulp a step at the worst

    def test_mass_and_lagrangian_are_the_same(self):
        for rule in ("midpoint", "trapezoid", "rectangle-left", "yoshida4"):
            both = [self.states(text, "--set", f"integrator.rule={rule}") for text in (POLAR, LAGRANGIAN)]
            for a, b in zip(*both):
                self.assertLess(abs(a - b).max(), 1e-12, rule)  # 100 steps, each solved to rounding

    def test_momentum_at_the_start(self):
        for text in (POLAR, LAGRANGIAN):
            start = ("--set", "system.position=[3, 0]", "--set", "system.velocity=[0.5, 2]")
            _, p = self.states(text, *start)
            self.assertEqual(list(p[0]), [0.5, 18])  # M(q0) v0 with r² = 9, not a difference of positions
        given = POLAR.replace("velocity = [0, 1]", "momentum = [0.5, 18]")
        _, p = self.states(given, "--set", "system.position=[3, 0]")
        self.assertEqual(list(p[0]), [0.5, 18])
        full = POLAR.replace('[1, "r^2"]', '[[2, "r"], ["r", "r^2"]]')
        _, p = self.states(full, "--set", "system.position=[3, 0]", "--set", "system.velocity=[0.5, 2]")
        self.assertEqual(list(p[0]), [2 * 0.5 + 3 * 2, 3 * 0.5 + 9 * 2])


class Same(Runs):
    def same(self, a, b, *arguments):
        """The same impacts, states and summaries, bit for bit."""
        for name, text in (("a", a), ("b", b)):
            self.write(f"{name}.toml", text)
            self.run_scene(f"{name}.toml", "--out", name, "--overwrite", "--quiet", *arguments)
        self.assertEqual(self.read("a", "impacts.csv"), self.read("b", "impacts.csv"))
        for column in ("t", "step", "q", "p", "energy", "discrete_energy", "gaps", "momentum"):
            self.assertEqual(self.columns("a", column).tobytes(), self.columns("b", column).tobytes(), column)
        both = [self.summary(name) for name in "ab"]
        for summary in both:
            summary.pop("seconds"), summary.pop("digests")  # the text of the scene is in trajectory.h5
        self.assertEqual(*both)
        return both[0]

    def test_defaults_are_those_of_the_reference(self):
        """Every default of docs/scenes.md, left out and spelled out."""
        left_out = """[time]
step = 0.01
end = 3
[system]
coordinates = ["x", "y"]
mass = [1, 2]
potential = "9.81*y + x^2*y"
position = [0.1, 1]
[[gap]]
expression = "y"
[[gap]]
expression = "2 - x"
"""
        spelled_out = left_out.replace("position", "velocity = [0, 0]\nposition")
        for i, expression in enumerate(("y", "2 - x")):
            spelled_out = spelled_out.replace(f'expression = "{expression}"', f'expression = "{expression}"\n'
                                              f'name = "gap {i}"\nlaw = "elastic"\nrestitution = 1')
        spelled_out += """[impact]
law = "elastic"
restitution = 1
dissipation = "momentum"
allow_energy_gain = false
start = "contact"
[integrator]
principle = "strong"
rule = "trapezoid"
closure = "auto"
[record]
every = 1
"""
        summary = self.same(left_out, spelled_out)
        self.assertGreaterEqual(summary["impacts"], 2)
        # without a potential there is none
        free = left_out.replace('potential = "9.81*y + x^2*y"\n', "velocity = [1, -1]\n")
        summary = self.same(free, free.replace("velocity", "potential = 0\nvelocity"))
        self.assertGreaterEqual(summary["impacts"], 2)
        # restitution 1 of the laws that have one
        for law in ("newton", "poisson", "canonical"):
            self.same(left_out + f'[impact]\nlaw = "{law}"\n', left_out + f'[impact]\nlaw = "{law}"\nrestitution = 1\n')
        # and where the weak principle looks for contacts
        weak = left_out + '[impact]\nlaw = "newton"\nrestitution = 0.5\n[integrator]\nprinciple = "weak"\n'
        self.same(weak, weak + 'activation = "middle"\n')

    def test_only_time_and_system(self):
        text = '[time]\nstep = 0.25\nend = 1\n[system]\ncoordinates = ["x"]\nmass = [2]\nposition = [3]\n'
        q, p = self.states(text)
        self.assertEqual((q[:, 0].tolist(), p[:, 0].tolist()), ([3] * 5, [0] * 5))
        q, _ = self.states(text, "--set", "system.velocity=[1]")
        self.assertEqual(q[:, 0].tolist(), [3, 3.25, 3.5, 3.75, 4])  # exact in binary
        q, _ = self.states(text, "--set", "system.velocity=[1]", "--set", "time.end=0.875")
        self.assertEqual((q[:, 0].tolist(), self.columns("o", "t").tolist()),
                         ([3, 3.25, 3.5, 3.75, 3.875], [0, 0.25, 0.5, 0.75, 0.875]))  # a shorter last step

    def test_parameters_wherever_a_number_stands(self):
        text = """[time]
step = {step}
end = {end}
[system]
coordinates = ["x", "y"]
mass = [{m}, {m}]
potential = {potential}
position = [{x}, {height}]
velocity = [{speed}, {m}]
[[gap]]
name = "floor"
expression = {gap}
restitution = {e}
[impact]
law = "newton"
restitution = {e}
[[symmetry]]
name = "along"
generator = [{m}, 0]
[[force]]
components = [0, {force}]
[integrator]
rule = "rectangle"
gamma = {gamma}
[record]
stroboscope = {strobe}
section = {section}
"""
        names = dict(step='"h"', end='"T"', m='"m"', potential='"m*g*y"', x='"-c"', height='"1 + c"', speed='"-2*m"',
                     gap='"y - c*m"', e='"e"', force='"-c*v_y"', gamma='"half"', strobe='"10*h"', section='"y - half"')
        # halves and quarters: exact, so that folding constants cannot differ in a bit
        numbers = dict(step="0.0078125", end="2.5", m="2", potential='"2*8*y"', x="-0.125", height="1.125", speed="-4",
                       gap='"y - 0.125*2"', e="0.75", force='"-0.125*v_y"', gamma="0.5", strobe="0.078125",
                       section='"y - 0.5"')
        # in any order, of each other
        parameters = ('[parameters]\nhalf = "m/4"\nT = "g/4 + half"\ne = "3*c*m"\nc = "half^3"\nm = 2\ng = "4*m"\n'
                      'h = "c/16"\n')
        summary = self.same(text.format(**names) + parameters, text.format(**numbers))
        self.assertGreaterEqual(summary["impacts"], 2)
        self.assertEqual((summary["t_end"], summary["momentum"]["along"]["initial"]), (2.5, 2 * 2 * -4))
        for table in ("stroboscope", "section"):
            for column in ("t", "q", "p"):
                a, b = (self.columns(name, f"{table}/{column}") for name in "ab")
                self.assertGreater(len(a), 1, table)
                self.assertEqual(a.tobytes(), b.tobytes())


if __name__ == "__main__":
    main()
