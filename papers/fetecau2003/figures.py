"""Fetecau, Marsden, Ortiz, West (2003), Figures 2 to 6 (5.1 to 5.5 of the thesis)."""
import math

import numpy as np
from matplotlib.patches import Circle

from kit.sheet import AMBER, BLUE, GREEN, GREY, INK, RED, VIOLET

G, H_PARTICLE, H_STAR = 9.81, 0.01, 0.005


def steps_of_impacts(run):
    """Impacts share a step rarely: where the first and the last impact of each step fall, in units of h."""
    step, alpha = np.array(run.columns["step"], dtype=int), run.impact("alpha")
    first = np.concatenate(([True], step[1:] != step[:-1]))
    last = np.concatenate((step[1:] != step[:-1], [True]))
    return step[first], alpha[first], alpha[last]


def kicks(run, h):
    """What each impact step does to the energy, and what errata F11 says it does: g²h²[(1−α_last)² − α_first²]/8."""
    step, first, last = steps_of_impacts(run)
    index = np.searchsorted(run.step, step)
    measured = run.energy[index + 1] - run.energy[index]
    return first, measured, G**2 * h**2 * ((1 - last)**2 - first**2) / 8, first == last


def figure_2(runs, sheet):
    """Energy of the bouncing particle over 1000 impacts."""
    run = runs("particle")
    axes = sheet.panels(height=2.7)
    energy = run.impact("energy_after")
    initial = run.energy[0]
    n = np.arange(1, energy.size + 1)
    band = G**2 * H_PARTICLE**2 / 8
    for sign in (-1, 1):
        axes.plot(n, initial + sign * band * np.sqrt(n / 3), color=GREY, linewidth=0.8, linestyle=(0, (4, 3)),
                  label="standard deviation of a random walk of such kicks" if sign > 0 else None)
    sheet.line(axes, "energy", "energy after the n-th impact", n, energy, color=BLUE, linewidth=0.8)
    axes.axhline(initial, color=INK, linewidth=0.6)
    axes.set(xlabel="impacts", ylabel="energy", xlim=(0, 1000))
    axes.ticklabel_format(axis="y", useOffset=True)
    axes.legend(loc="lower left", fontsize=7)
    _, measured, formula, _ = kicks(run, H_PARTICLE)
    momentum = run.coordinate("x")  # x = −2t exactly if the horizontal momentum is kept
    return {"impacts": energy.size,
            "largest energy error over mg²h²/8": np.abs(run.energy - initial).max() / band,
            "kicks against the closed form": np.abs(measured - formula).max(),
            "largest error of the horizontal momentum": np.abs(run.p[:, 0] + 2).max(),
            "largest error of x + 2t": np.abs(momentum + 2 * run.t).max()}


def star(x, y, theta):
    """Corners of the four-pointed star with a square hull of side 1."""
    tips = np.array([(.5, .5), (0, .125), (-.5, .5), (-.125, 0), (-.5, -.5), (0, -.125), (.5, -.5), (.125, 0)])
    c, s = math.cos(theta), math.sin(theta)
    return tips @ np.array([[c, s], [-s, c]]) + (x, y)


def first_landing():
    """Root of 3.5 − gt²/2 = (|sin 5t| + |cos 5t|)/2: the first impact in closed form, by bisection."""
    def gap(t):
        return 3.5 - G * t * t / 2 - (abs(math.sin(5 * t)) + abs(math.cos(5 * t))) / 2
    low, high = 0.70, 0.80
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) > 0 else (low, middle)
    return low


def figure_3(runs, sheet):
    """The star, falling and bouncing."""
    run = runs("star", "time.end=3.2")
    axes = sheet.panels(height=3.1)
    x, y, theta = run.q.T
    sheet.line(axes, "path of the centre", "centre", x, y, color=GREY, linewidth=0.8)
    for k in range(0, x.size, 32):
        axes.fill(*star(x[k], y[k], theta[k]).T, facecolor=BLUE, alpha=0.16, edgecolor=BLUE, linewidth=0.7)
    for n, (qx, qy, qt, t) in enumerate(zip(*(run.impact(c) for c in ("q_x", "q_y", "q_theta", "t")))):
        axes.fill(*star(qx, qy, qt).T, facecolor=RED, alpha=0.25, edgecolor=RED, linewidth=1.0)
        corner = min(star(qx, qy, qt), key=lambda point: point[1])
        axes.annotate(f"t = {t:.6f}", corner, (0, -10 - 9 * (n == 1)), textcoords="offset points", ha="center",
                      fontsize=7, color=RED)
        sheet.note("impacts", f"impact {n + 1}", [t], [corner[1]])
    axes.axhspan(-0.5, 0, facecolor="#eef1f4", edgecolor=GREY, linewidth=0)
    axes.axhline(0, color=INK, linewidth=1)
    axes.set(xlabel="x", ylabel="y", aspect="equal", xlim=(-7.2, 0.8), ylim=(-0.5, 4.3))
    axes.grid(False)
    return {"first impact against its closed form": abs(run.impact("t")[0] - first_landing()),
            "impacts until t = 3.2": len(run.columns["t"]),
            "smallest gap": run.summary["min_gap"]}


def figure_4(runs, sheet):
    """Energy of the star over 1500 impacts: a driftless random walk of known kicks."""
    run = runs("star", "time.impacts=1500")
    top, bottom = sheet.panels(2, 1, height=2.2, gridspec_kw={"height_ratios": (1.35, 1)})
    energy, initial = run.impact("energy_after"), run.energy[0]
    n = np.arange(1, energy.size + 1)
    kick = G**2 * H_STAR**2 / (8 * math.sqrt(3))
    for sign in (-1, 1):
        top.plot(n, initial + sign * kick * np.sqrt(n), color=GREY, linewidth=0.8, linestyle=(0, (4, 3)),
                 label=r"$E_0 \pm \sqrt{n}\, mg^2h^2/(8\sqrt{3})$" if sign > 0 else None)
    sheet.line(top, "energy", "energy after the n-th impact", n, energy, color=BLUE, linewidth=0.8)
    top.axhline(initial, color=INK, linewidth=0.6)
    top.set(xlabel="impacts", ylabel="energy", xlim=(0, 1500))
    top.legend(loc="lower left", fontsize=7)
    top.set_ylim(initial - 3.2 * kick * math.sqrt(1500), initial + 1.3 * kick * math.sqrt(1500))
    alpha, measured, formula, single = kicks(run, H_STAR)
    scale = 1e4
    sheet.line(bottom, "kicks", "change of the energy in an impact step", alpha[single], scale * measured[single], ".",
               color=RED, markersize=1.8)
    line = np.array([0., 1.])
    bottom.plot(line, scale * G**2 * H_STAR**2 * (1 - 2 * line) / 8, color=INK, linewidth=0.7,
                label=r"$mg^2h^2(1-2\alpha)/8$ (errata F11)")
    bottom.set(xlabel=r"where in its step the impact falls, $\alpha$", ylabel=r"kick / $10^{-4}$", xlim=(0, 1))
    bottom.legend(loc="upper right")
    return {"impacts": energy.size,
            "largest relative energy error": np.abs(run.energy - initial).max() / initial,
            "largest energy error over kick·√impacts":
                np.abs(run.energy - initial).max() / kick / math.sqrt(energy.size),
            "RMS kick over mg²h²/(8√3)": math.sqrt(np.mean(measured[single]**2)) / kick,
            "mean kick over its standard error": abs(measured.mean()) / (kick / math.sqrt(measured.size)),
            "kicks against the closed form": np.abs(measured - formula)[single].max(),
            "smallest gap": run.summary["min_gap"],
            "largest relative error of the horizontal momentum": np.abs(run.p[:, 0] + 2).max() / 2}


def figure_5(runs, sheet):
    """Error after one collision in a nonlinear potential against the step."""
    end = 1.0
    steps = [0.1 / 2**(k / 2) for k in range(15)]
    last = [runs("star-cubic", time_step=h, time_end=end) for h in steps]
    reference = runs("star-cubic", "integrator.rule=yoshida4", time_step=0.1 / 2**9, time_end=end)

    def error(run):
        return math.sqrt(np.sum((run.q[-1] - reference.q[-1])**2) + np.sum((run.p[-1] - reference.p[-1])**2))
    errors = np.array([error(run) for run in last])
    axes = sheet.panels(height=3.2, width=4.6)
    sheet.line(axes, "order", "error at t = 1 after one collision", steps, errors, "o-", color=BLUE)
    guide = np.array([steps[0], steps[-1]])
    axes.plot(guide, 0.35 * errors[0] * (guide / steps[0])**2, color=GREY, linewidth=0.8, label=r"slope 2")
    axes.set(xscale="log", yscale="log", xlabel="step h", ylabel=r"$|(q,p) - (q,p)_{\mathrm{ref}}|$")
    axes.legend(loc="upper left")
    scaled = errors / np.array(steps)**2
    return {"slope of a line through the errors": np.polyfit(np.log(steps), np.log(errors), 1)[0],
            "largest error/h² over the smallest": scaled.max() / scaled.min(),
            "collisions in every run": max(len(run.columns["t"]) for run in last + [reference])
            if len({len(run.columns["t"]) for run in last + [reference]}) == 1 else math.nan}


def project(point, radius):
    """Closest point of the enlarged obstacle {dist(q, y + |x| ≤ 0) ≤ r} to a point outside, from its geometry alone."""
    x, y = point
    if y > abs(x):
        return np.array(point) * radius / math.hypot(x, y)
    side = math.copysign(1, x)
    distance = (y + abs(x)) / math.sqrt(2) - radius
    return np.array(point) - distance / math.sqrt(2) * np.array([side, 1.0])


def figure_6(runs, sheet):
    """At a corner the impact point is the closest-point projection of q_{i−α} onto the complement of C (90)."""
    axes = sheet.panels(height=3.4, width=4.8)
    axes.fill([-1.6, 0, 1.6], [-1.6, 0, -1.6], facecolor="#eef1f4", edgecolor=GREY, linewidth=0.8)
    axes.fill([-1.4, 0, 1.4], [1.4, 0, 1.4], facecolor=AMBER, alpha=0.10, linewidth=0)
    axes.text(0, 1.24, r"normal cone at the corner", ha="center", fontsize=7.5, color=AMBER)
    axes.text(0, -0.62, r"$\bar C$", ha="center", fontsize=11, color=GREY)
    worst, inside = 0.0, 0
    radius = 0.12
    colours = [BLUE, RED, GREEN, VIOLET]
    velocities = ([.35, -.9], [-.25, -.9], [.8, -.8], [.7, -.5])
    for colour, aim, velocity in zip(colours, (-0.04, 0.05, 0.05, -0.45), velocities):
        run = runs("corner", system_velocity=velocity, system_position=[aim - velocity[0], -velocity[1]])
        i = int(run.columns["step"][0])
        alpha = run.impact("alpha")[0]
        before, after = run.q[i], run.q[i + 1]
        q = np.array([run.impact("q_x")[0], run.impact("q_y")[0]])
        chord = (1 - alpha) * before + alpha * after
        worst = max(worst, float(np.hypot(*(project(chord, radius) - q))))
        inside += int(chord[1] > abs(chord[0]))
        name = f"impact {colours.index(colour) + 1}"
        sheet.line(axes, "flights", name, *np.array([before, q, after]).T, "-", color=colour, label=None)
        sheet.line(axes, "chord", name, *np.array([before, after]).T, ":", color=colour, linewidth=0.8, label=None)
        sheet.line(axes, "projection", name, *np.array([chord, q]).T, "-", color=colour, linewidth=0.7, label=None)
        axes.plot(*np.array([before, after]).T, "o", color=colour, markersize=3)
        axes.plot(*chord, "s", color="white", markeredgecolor=colour, markersize=3.6)
        axes.add_patch(Circle(q, radius, fill=False, color=colour, linewidth=0.8))
    axes.plot([], [], "o", color=INK, label=r"$q_{i-1},\ q_i$")
    axes.plot([], [], "s", color="white", markeredgecolor=INK, label=r"$q_{i-\alpha}=(1-\alpha)q_{i-1}+\alpha q_i$")
    axes.plot([], [], "o", color="none", markeredgecolor=INK, markersize=6,
              label=r"$\tilde q = P_{\bar C}(q_{i-\alpha})$")
    axes.legend(loc="lower center", fontsize=7, ncol=3, bbox_to_anchor=(0.5, -0.3), columnspacing=1)
    axes.set(aspect="equal", xlim=(-1.3, 1.3), ylim=(-0.75, 1.35), xlabel="x", ylabel="y")
    axes.grid(False)
    return {"distance between q̃ and the projection": worst, "impacts at the corner": inside}
