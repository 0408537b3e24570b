"""Figures of our own."""
import math

import numpy as np
from kit.sheet import AMBER, BLUE, GREEN, GREY, RED, VIOLET

CLOSURES = {  # name: (settings, colour)
    "variational": (("integrator.closure=variational",), RED),
    "reflection": (("integrator.closure=reflection",), AMBER),
    "yoshida4": (("integrator.rule=yoshida4",), VIOLET),
    "shadow2": (("integrator.closure=shadow2",), GREEN),
    "shadow4": (("integrator.closure=shadow4",), BLUE),
}


def figure_energy_walk(runs, sheet):
    """|H − H0|/H0 at impacts, h = 0.05 on the curved table."""
    axes = sheet.panels(height=3.4)
    numbers = {}
    for name, (settings, colour) in CLOSURES.items():
        run = runs("table", "time.step=0.05", "time.end=1e9", "time.impacts=10000", "record.every=0", *settings)
        energy = run.impact("energy_after")
        initial = run.summary["energy"]["initial"]
        error = np.abs(energy / initial - 1)
        n = np.arange(1, error.size + 1)
        # The largest error so far, at impacts evenly spaced in the logarithm: what a walk does, without its noise.
        largest = np.maximum.accumulate(error)
        shown = np.unique(np.round(np.geomspace(1, n.size, 400)).astype(int)) - 1
        sheet.line(axes, "largest relative energy error so far", name, n[shown], largest[shown], color=colour, linewidth=1.3)
        axes.annotate(name, (n[-1], largest[-1]), (5, {"shadow2": 8, "yoshida4": -11}.get(name, -2)), textcoords="offset points", fontsize=8, color=colour)
        numbers[f"{name}: largest relative energy error"] = largest[-1]
    n = np.array([1., 1e4])
    axes.plot(n, 6.6e-4 * np.sqrt(n), color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
    axes.annotate(r"$6.6\cdot10^{-4}\,\sqrt{n}$", (300, 6.6e-4 * math.sqrt(300)), (-4, 6), textcoords="offset points",
                  fontsize=8, color=GREY, ha="right")
    axes.set(xscale="log", yscale="log", xlim=(1, 5e4), xlabel="impacts n",
             ylabel=r"largest $|H-H_0|/H_0$ until then")
    return numbers


def figure_orders(runs, sheet):
    """Error at t = 0.85 of the star in a nonlinear potential, after one impact."""
    axes = sheet.panels(height=3.4, width=4.8)
    reference = runs("star-cubic", "integrator.rule=suzuki4", "time.end=0.85", time_step=0.1 / 2**10)
    numbers = {}
    # With coarser steps the first-order rule lands on another corner; finer ones of the fourth-order rules are at the
    # rounding of the reference.
    for name, colour, powers in (("rectangle-left", AMBER, range(10, 17)), ("midpoint", RED, range(13)),
                                 ("trapezoid", BLUE, range(13)), ("yoshida4", VIOLET, range(9)),
                                 ("suzuki4", GREEN, range(7))):
        steps = [0.05 / 2**(k / 2) for k in powers]
        errors = []
        for h in steps:
            run = runs("star-cubic", f"integrator.rule={name}", "time.end=0.85", time_step=h)
            errors.append(math.sqrt(np.sum((run.q[-1] - reference.q[-1])**2) + np.sum((run.p[-1] - reference.p[-1])**2)))
        numbers[name] = np.polyfit(np.log(steps), np.log(errors), 1)[0]
        sheet.line(axes, "orders", name, steps, errors, "o-", color=colour, label=f"{name}: {numbers[name]:.2f}")
    axes.set(xscale="log", yscale="log", xlabel="step h", ylabel="error at t = 0.85, after one impact")
    axes.set_ylim(1e-13, None)
    axes.legend(loc="lower right", title="slope", title_fontsize=8, ncol=2, fontsize=7)
    return numbers
