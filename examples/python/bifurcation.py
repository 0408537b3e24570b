#!/usr/bin/env python3
"""Bifurcation diagram of the forced impact oscillator, from one sweep.

A mass on a spring, driven at frequency w, hits a stop with restitution r. For every w the transient is forgotten and the
speeds of the impacts are drawn: one point is a motion that repeats after every impact, a cloud is chaos. The sweep runs in
parallel and goes on after a kill; a second call only reads the file.
"""
import argparse

import matplotlib.pyplot as pyplot
import numpy
import ricochet

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--small", action="store_true", help="few frequencies")
small = parser.parse_args().small

frequencies = numpy.linspace(1.5, 4.5, 24 if small else 2000)
done = ricochet.sweep("impact-oscillator", {"parameters.w": frequencies}, out="bifurcation.h5", time__step=0.02,
                      time__end=150 if small else 600, record__every=0)
assert (done.status == "finished").all(), done.error[done.status != "finished"]

figure, axis = pyplot.subplots(figsize=(9, 5), layout="constrained")
single = 0
for i, w in enumerate(done.values["parameters.w"]):
    impacts = done.table("impacts", i)
    late = impacts["t"] > 0.7 * done.t_end[i]
    speed = numpy.abs(impacts["p_minus"][late, 0])
    single += len(speed) > 0 and numpy.ptp(speed) < 1e-3 * speed.max()
    axis.plot(numpy.full(speed.shape, w), speed, ",", color="black")
axis.set(xlabel="driving frequency", ylabel="speed before the impact")
figure.savefig("bifurcation.png", dpi=150)
print(f"{len(done)} orbits, {int(done.impacts.sum())} impacts; {single} settle on one impact speed. bifurcation.png")
