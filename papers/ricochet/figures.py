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
        sheet.line(axes, "largest relative energy error so far", name, n[shown], largest[shown], color=colour,
                   linewidth=1.3)
        up = {"shadow2": 8, "yoshida4": -11}.get(name, -2)  # labels that would lie on each other
        axes.annotate(name, (n[-1], largest[-1]), (5, up), textcoords="offset points", fontsize=8, color=colour)
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
            errors.append(math.hypot(*(run.q[-1] - reference.q[-1]), *(run.p[-1] - reference.p[-1])))
        numbers[name] = np.polyfit(np.log(steps), np.log(errors), 1)[0]
        sheet.line(axes, "orders", name, steps, errors, "o-", color=colour, label=f"{name}: {numbers[name]:.2f}")
    axes.set(xscale="log", yscale="log", xlabel="step h", ylabel="error at t = 0.85, after one impact")
    axes.set_ylim(1e-13, None)
    axes.legend(loc="lower right", title="slope", title_fontsize=8, ncol=2, fontsize=7)
    return numbers


def figure_bars(runs, sheet):
    """Case 1 of Demoures et al.: tips at rest and force 0.1 from t = 1 to 21, in closed form (d'Alembert)."""
    left, middle, right = sheet.panels(1, 3, height=2.8, width=9.4)
    numbers = {}
    exact = np.array([(0, 0.1), (1, 0.1), (1, 0), (21, 0), (21, -0.1), (40, -0.1)])
    for name, colour, z in (("located", AMBER, 1), ("virtual-tip", RED, 2), ("redistributed", BLUE, 3)):
        errors = []
        for r in (1, 2, 4):
            run = runs("bars-case-1", f"contact.scheme={name}", f"bar[0].elements={50 * r}",
                       f"bar[1].elements={50 * r}", "record.fields_every=1000", time_step=0.015 / r)
            t, tip = run.t, run["bars/tip_velocity"][:, 1]
            plateau = np.where(t < 1, 0.1, np.where(t < 21, 0.0, -0.1))
            errors.append(np.sum(np.abs(tip - plateau)) * 0.015 / r)
            if r == 1:
                sheet.line(left, "tip velocity", name, t, tip, color=colour, linewidth=0.7, zorder=z)
                impulse = run["bars/impulse"][:, 0]
                sheet.line(middle, "impulse less the exact one", name, t, impulse - 0.1 * np.clip(t - 1, 0, 20),
                           color=colour, linewidth=0.9, zorder=z)
                if name == "redistributed":
                    numbers["redistributed: impulse at t = 40 over the exact 2"] = impulse[-1] / 2
        numbers[f"{name}: velocity error at ℓ over that at ℓ/4"] = errors[0] / errors[-1]
        sheet.line(right, "velocity error", name, [0.2, 0.1, 0.05], errors, "o-", color=colour)
    left.plot(*exact.T, color=GREY, linewidth=2.4, alpha=0.5, label="exact", zorder=0)
    left.set(title="velocity of the tip of A", xlabel="t", xlim=(0, 40), ylim=(-0.32, 0.32))
    middle.set(title="contact impulse less the exact one", xlabel="t", xlim=(0, 40))
    right.set(title=r"$\int |v - v_\mathrm{exact}|\,dt$", xlabel=r"element length $\ell$", xscale="log", yscale="log",
              xticks=[0.05, 0.1, 0.2], xticklabels=["0.05", "0.1", "0.2"])
    right.minorticks_off()
    left.legend(loc="lower left", fontsize=7, ncol=2)
    return numbers
