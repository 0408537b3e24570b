#!/usr/bin/env python3
"""Billiard statistics: a long orbit of a chaotic table visits every part of it as often as its area says.

Without a potential, and with ergodic motion, the time spent in a region of the table is proportional to its area. The
table phi = 1 - |q|^4 - 0.6 x^3 + 1.8 x y^2 of the bundled scene, without its force; impacts are located exactly, so the
orbit never leaves it. The share of time left of a line is compared with the share of the area, and the figure shows both.
"""
import argparse

import matplotlib.pyplot as pyplot
import numpy
import ricochet

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--small", action="store_true", help="a short orbit")
small = parser.parse_args().small


def gap(q):
    return 1 - (q.x**2 + q.y**2) ** 2 - 0.6 * q.x**3 + 1.8 * q.x * q.y**2


table = ricochet.System(coordinates=["x", "y"], mass=[1, 1], potential=0, gaps={"table": gap}, position=[0.3, 0.1],
                        velocity=[1.1, 1.37], record={"every": 0, "stroboscope": 0.5},
                        integrator={"rule": "trapezoid", "closure": "variational"})
result = table.run(step=0.05, end=4000 if small else 100000)
x, y = result.stroboscope.q[:, 0], result.stroboscope.q[:, 1]

# The area by a fine grid, independent of the run.
side = numpy.linspace(-1.6, 1.6, 1601)
X, Y = numpy.meshgrid(side, side)
inside = 1 - (X**2 + Y**2) ** 2 - 0.6 * X**3 + 1.8 * X * Y**2 > 0
inside &= X**2 + Y**2 < 4
lines = numpy.linspace(-0.8, 0.8, 9)
area = numpy.array([(X[inside] < line).mean() for line in lines])
time = numpy.array([(x < line).mean() for line in lines])
# Samples along an orbit are not independent: blocks of them are, nearly.
blocks = numpy.array([[(b < line).mean() for line in lines] for b in numpy.array_split(x, 40)])
error = blocks.std(axis=0, ddof=1) / numpy.sqrt(40)
worst = numpy.abs((time - area) / error).max()
print(f"{len(result.impacts)} impacts, {len(x)} samples: shares of time and of area differ by at most {worst:.1f} "
      f"standard errors ({numpy.abs(time - area).max():.4f})")
assert worst < 5, "the orbit does not cover the table"

figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
left.plot(x, y, ",", color="tab:blue")
left.contour(X, Y, numpy.where(inside, 1.0, 0.0), levels=[0.5], colors="black")
left.set(aspect="equal", xlabel="x", ylabel="y", title="samples of one orbit")
right.errorbar(lines, time - area, 2 * error, fmt="o", capsize=3)
right.axhline(0, color="black", linewidth=0.8)
right.set(xlabel="line", ylabel="share of time − share of area", title="two standard errors")
figure.savefig("billiard.png", dpi=120)
print("billiard.png")
