"""Derivatives by parameters of mass and potential, against a second implementation of the rules.

It is written in complex numbers: the derivative by x is Im f(x + iδ)/δ with δ = 1e-30, exact to rounding.
"""
import cmath

from derived import DerivativesCase
from program import main

STEP, STEPS = 0.02, 100
PARAMETERS = {"k": 1.3, "c": 0.4, "m": 0.8, "wall": 5.0}
START = [0.3, 0.1, -0.2, 1.1, 1.37, 0.6]  # position, velocity

POTENTIAL = "k*(x^2 + 1.7*y^2)/2 + x^4/4 + c*x^2*y^2 + c*k*sin(z)*x + z^2/2 + exp(c*y)*z/5"
CONSTANT_MASS = f"""mass = [["m", 0.2, 0], [0.2, 1.5, 0], [0, 0, "2*m"]]
potential = "{POTENTIAL}"
"""
LAGRANGIAN = f"""lagrangian = "(m*v_x^2 + 0.4*v_x*v_y + 1.5*v_y^2 + 2*m*v_z^2)/2 - ({POTENTIAL})"
"""
SCENE = f"""[time]
step = {STEP}
end = {STEP * STEPS}
[parameters]
{chr(10).join(f"{name} = {value}" for name, value in PARAMETERS.items())}
[system]
coordinates = ["x", "y", "z"]
%s
position = {START[:3]}
velocity = {START[3:]}
[[gap]]
name = "wall"
expression = "wall - x"
[integrator]
rule = "%s"
[derivatives]
with_respect_to = ["position", "velocity", "parameters.k", "parameters.c", "parameters.m", "parameters.wall"]
"""


def gradient(q, k, c):
    x, y, z = q
    e = cmath.exp(c * y)
    return [k * x + x**3 + 2 * c * x * y * y + c * k * cmath.sin(z), 1.7 * k * y + 2 * c * x * x * y + c * e * z / 5,
            c * k * x * cmath.cos(z) + z + e / 5]


def velocity(p, m):
    d = 1.5 * m - 0.04
    return [(1.5 * p[0] - 0.2 * p[1]) / d, (m * p[1] - 0.2 * p[0]) / d, p[2] / (2 * m)]


def step(q, p, s, rule, k, c, m):
    """p = -D1 L_d(q, q'), p' = D2 L_d(q, q')."""
    if rule == "midpoint":
        u = velocity(p, m)
        for _ in range(60):  # contracts by s^2/4 of the largest frequency squared, about 1e-3
            g = gradient([a + s / 2 * b for a, b in zip(q, u)], k, c)
            u = velocity([a - s / 2 * b for a, b in zip(p, g)], m)
        return [a + s * b for a, b in zip(q, u)], [a - s * b for a, b in zip(p, g)]
    left, right = {"trapezoid": (0.5, 0.5), "rectangle-left": (1, 0), "rectangle-right": (0, 1)}[rule]
    p = [a - s * left * b for a, b in zip(p, gradient(q, k, c))]
    q = [a + s * b for a, b in zip(q, velocity(p, m))]
    return q, [a - s * right * b for a, b in zip(p, gradient(q, k, c))]


def end(rule, start, k, c, m):
    x, y, z = start[3:]
    q, p = list(start[:3]), [m * x + 0.2 * y, 0.2 * x + 1.5 * y, 2 * m * z]
    a = 1 / (2 - 2 ** (1 / 3))
    fractions = [a, 1 - 2 * a, a] if rule == "yoshida4" else [1]
    for _ in range(STEPS):
        for f in fractions:
            q, p = step(q, p, f * STEP, "trapezoid" if rule == "yoshida4" else rule, k, c, m)
    return q + p


def expected(rule, column):
    """∂(q,p) at the end by the start, then by k, c, m, and by a wall that is never met."""
    start, theta, tiny = list(START), [PARAMETERS[name] for name in ("k", "c", "m")], 1e-30
    if column == 9:
        return [0.0] * 6
    if column < 6:
        start[column] += 1j * tiny
    else:
        theta[column - 6] += 1j * tiny
    return [complex(x).imag / tiny for x in end(rule, start, *theta)]


class DerivativesByParameters(DerivativesCase):
    def compare(self, system, rule):
        self.write("s.toml", SCENE % (system, rule))
        names, t, q, p, kinds = self.derivative("s.toml")
        self.assertEqual(names[6:], ["parameters.k", "parameters.c", "parameters.m", "parameters.wall"])
        self.assertEqual(kinds, [])
        for column in range(10):
            exact = expected(rule, column)
            found = [*(row[column] for row in q[-1]), *(row[column] for row in p[-1])]
            for a, b in zip(found, exact):
                self.assertAlmostEqual(a, b, delta=1e-11 * max(1, *map(abs, exact)), msg=f"{rule}, {names[column]}")

    def test_constant_mass(self):
        for rule in ("trapezoid", "rectangle-left", "rectangle-right", "yoshida4", "midpoint"):
            self.compare(CONSTANT_MASS, rule)

    def test_lagrangian(self):
        for rule in ("midpoint", "trapezoid"):
            self.compare(LAGRANGIAN, rule)


if __name__ == "__main__":
    main()
