#!/usr/bin/env python3
"""Newton's cradle with every law: what three touching balls do is decided by the law, not by the mechanics.

The first of three equal balls that touch arrives with speed 1. Ballard's canonical law with e = 1 projects the velocity in
the kinetic metric, (-1/3, 2/3, 2/3); pair after pair gives the cradle of the toy shop, (0, 0, 1). All keep momentum and
energy. The last one is written in Python. (Stronge's law follows the work of one contact; for two at once it is not
defined.)
"""
import argparse

import matplotlib.pyplot as pyplot
import numpy
import ricochet

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--small", action="store_true", help="the same: it is small")
parser.parse_args()


def pairs_from_the_far_end(W, v, e):
    """One pair after the other, the last gap first, until none closes."""
    impulse = numpy.zeros(len(v))
    for _ in range(1000):
        rate = v + W @ impulse
        closing = [i for i in reversed(range(len(v))) if rate[i] < -1e-14]
        if not closing:
            return impulse
        i = closing[0]
        impulse[i] -= 2 * rate[i] / W[i, i]
    raise RuntimeError("the pairs did not come to an end")


def cradle(law):
    python = callable(law)
    return ricochet.System(coordinates=["a", "b", "c"], mass=[1, 1, 1], potential=0,
                           gaps={"a-b": lambda q: q.b - q.a - 1, "b-c": lambda q: q.c - q.b - 1},
                           position=[-0.5, 1, 2], velocity=[1, 0, 0], impact=None if python else {"law": law},
                           law=law if python else None).run(step=0.01, end=1.5)


laws = {"elastic": "elastic", "canonical": "canonical", "newton": "newton", "poisson": "poisson",
        "sequential": "sequential", "in Python": pairs_from_the_far_end}
figure, axes = pyplot.subplots(2, 3, figsize=(10, 5.5), sharex=True, sharey=True, layout="constrained")
for axis, (name, law) in zip(axes.flat, laws.items()):
    result = cradle(law)
    v = result.p[-1]
    print(f"{name:<12} {v[0]:+.4f} {v[1]:+.4f} {v[2]:+.4f}   momentum {v.sum():.15g}, energy {(v @ v) / 2:.15g}")
    assert abs(v.sum() - 1) < 1e-12 and abs(v @ v - 1) < 1e-12
    axis.plot(result.t, result.q)
    axis.set_title(name)
figure.supxlabel("t")
figure.supylabel("position")
figure.savefig("cradle.png", dpi=120)
print("cradle.png")
