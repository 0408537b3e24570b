"""Ballard (2001), Figures 1 to 3."""
import math

import numpy as np
from kit.sheet import BLUE, GREY, INK, RED
from matplotlib.patches import Circle


def cradle(axes, title, positions, velocities):
    axes.set_title(title, fontsize=8)
    axes.plot([-0.9, 6.4], [0.5, 0.5], color="none")
    for x, v in zip(positions, velocities):
        axes.add_patch(Circle((x, 0), 0.5, facecolor="#dde6f2", edgecolor=BLUE, linewidth=0.9))
        if abs(v) > 1e-9:
            axes.annotate("", (x + 1.1 * v, 0), (x, 0),
                          arrowprops={"arrowstyle": "-|>", "color": RED, "linewidth": 1.2})
        axes.text(x, -0.85, f"{v + 0.0:.1f}" if abs(v) > 1e-9 else "0", ha="center", fontsize=7.5)
    axes.set(aspect="equal", xlim=(-2.0, 6.2), ylim=(-1.1, 0.7), xticks=[], yticks=[])
    axes.grid(False)
    axes.spines[:].set_visible(False)


def figure_1(runs, sheet):
    """Five equal balls; the multiple impact is decided by the law, not by the equations of motion."""
    sequential = runs("newton-cradle")
    canonical = runs("newton-cradle", "impact.law=canonical")
    axes = sheet.panels(3, 1, height=1.25)
    start = sequential.q[0].copy()
    cradle(axes[0], "(a) the experiment", start, sequential.p[0])
    # Equal unit masses: momenta are velocities.
    cradle(axes[1], "(b) its outcome (pair after pair)", sequential.q[-1], sequential.p[-1])
    cradle(axes[2], "(c) the canonical elastic law (4.8)", canonical.q[-1], canonical.p[-1])
    for name, p in (("before", sequential.p[0]), ("outcome", sequential.p[-1]), ("canonical", canonical.p[-1])):
        sheet.note("velocities", name, range(1, 6), p)
    return {"outcome of the experiment (0,0,0,0,1)": np.abs(sequential.p[-1] - [0, 0, 0, 0, 1]).max(),
            "canonical law (−3/5,2/5,2/5,2/5,2/5)": np.abs(canonical.p[-1] - [-.6, .4, .4, .4, .4]).max(),
            "largest relative energy error": max(r.summary["energy"]["max_relative_error"]
                                                 for r in (sequential, canonical))}


def bouncing(t):
    """−q(t) of counter-example 4. The paper's middle line is (t − b_n)(t − b_{n+1}), b_n = 3 − 2/2ⁿ, for n = 0, 1, …"""
    if t <= 1:
        return 1 - t * t
    if t >= 3:
        return 0.0
    n = math.floor(1 - math.log2(3 - t) + 1e-12)
    a, b = 3 - 2 / 2**n, 3 - 1 / 2**n
    return (t - a) * (b - t)


def figure_2(runs, sheet):
    """q(t): impacts that accumulate at t = 3, then rest. Ballard's q is −y here (errata B0)."""
    run = runs("counter-example-4")
    axes = sheet.panels(height=2.6)
    y = run.coordinate("y")
    sheet.line(axes, "motion", "q", run.t, -y, color=BLUE, label="q(t) computed")
    times = np.linspace(0, 4, 81)
    axes.plot(times, [-bouncing(t) for t in times], "o", markersize=2.4, markerfacecolor="none", markeredgewidth=0.6,
              color=INK, label="in closed form")
    axes.axhline(0, color=INK, linewidth=1)
    axes.axhspan(0, 0.12, facecolor="#eef1f4", linewidth=0)
    axes.axvline(3, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.annotate("impacts accumulate at t = 3", (3, -0.6), (6, 0), textcoords="offset points", fontsize=7.5,
                  color=GREY)
    axes.set(xlabel="t", ylabel="q", xlim=(0, 4), ylim=(-1.05, 0.12))
    axes.legend(loc="lower right")
    impacts = run.impact("t")
    n = np.arange(impacts.size)
    accumulation = run.summary["accumulations"]
    return {"largest error of q(t)": max(abs(a - bouncing(t)) for t, a in zip(run.t, y)),
            "error of the accumulation time 3": abs(accumulation[0]["t"] - 3),
            "largest error of the impact times 3 − 2/2ⁿ": np.abs(impacts - (3 - 2 / 2.0**n)).max(),
            "impacts located one by one": impacts.size}


def instants(n):
    """a_n, with the tail of the series summed until it no longer counts; 5e-13 is left of the rest by its integral."""
    i = np.arange(n, 200000)
    term = (i + 5.)**2 / ((i + 1.) * (i + 2.) * (i + 3.) * (i + 4.))
    return term[::-1].sum() + 1 / 200000.0


def figure_3(runs, sheet):
    """The force f(t), and the two motions under it."""
    stays = runs("counter-example-5")
    leaves = runs("counter-example-5", "impact.start=perturbed")
    # Time starts at impact 18 of the bouncing motion (scene); Ballard's starts at its accumulation.
    shift = instants(18)
    top, bottom = sheet.panels(2, 1, height=1.9, sharex=True)
    force = []
    for n in range(5):
        a, b = instants(n + 1), instants(n)
        delta = (n + 5) / ((n + 1) * (n + 2) * (n + 4))
        x = np.linspace(0, 1, 101)[1:-1]
        t = np.concatenate(([a], a + delta + x * (b - a - delta), [b]))
        f = np.concatenate(([0], 142.2503757770959 / (2 * math.factorial(n)) * np.exp(1 / (x * (x - 1))), [0]))
        force.insert(0, (t, f))
    t, f = (np.concatenate(part) for part in zip(*force))
    sheet.line(top, "force", "f(t)", t, f, color=RED, label=None)
    top.fill_between(t, f, color=RED, alpha=0.12, linewidth=0)
    top.set(ylabel="f(t)", ylim=(0, None))
    sheet.line(bottom, "motion", "leaves", leaves.t + shift, -leaves.coordinate("y"), color=BLUE,
               label="q leaves at once and bounces")
    sheet.line(bottom, "motion", "stays", stays.t[::100] + shift, -stays.coordinate("y")[::100], color=INK,
               linewidth=1.4, label="q = 0 stays")
    bottom.set(xlabel="t", ylabel="q(t)", xlim=(0, instants(0)))
    bottom.legend(loc="lower left")
    time, speed = leaves.impact("t")[::-1], np.abs(leaves.impact("p_plus_y"))[::-1]
    last = 0 if abs(time[0] + shift - instants(0)) < 1e-3 else 1  # whether the run still sees impact 0, its end
    a = np.array([instants(n) for n in range(last, 8)])
    v = np.array([1 / math.factorial(n + 3) for n in range(last, 8)])
    count = 8 - last
    return {"largest |q| of the motion that stays": np.abs(stays.q).max(),
            "largest error of the impact times a_n, n < 8": np.abs(time[:count] + shift - a).max(),
            "relative error of the speeds 1/(n+3)!, n < 8": np.abs(speed[:count] / v - 1).max()}
