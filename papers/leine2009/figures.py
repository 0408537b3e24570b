"""Leine, Aeberhard, Glocker (2009), Figure 7."""
import itertools

import numpy as np
from kit.sheet import AMBER, BLUE, INK, RED

N, Q0, QF = 7, 1.0, 0.6
T = np.arange(N + 2) / (N + 1)


def weak_solutions():
    """All q with (115), by trying every set of contacts: q = 0 there, straight between, λ ≥ 0 in contact, q ≥ 0."""
    found = {}
    for size in range(N + 1):
        for contact in itertools.combinations(range(1, N + 1), size):
            nodes = [0, *contact, N + 1]
            q = np.interp(T, T[nodes], [Q0, *(0.0,) * size, QF])
            u = np.diff(q) / np.diff(T)
            percussion = np.diff(u)[[i - 1 for i in contact]]
            if np.all(percussion >= -1e-12) and np.all(q >= 0):
                found.setdefault(tuple(np.round(q, 9)), q)
    return list(found.values())


def pieces(runs):
    """The same solutions from runs. A weak solution has any restitution: one above 1 is run backwards in time."""
    solutions = [runs("free-particle", system_velocity=[QF - Q0]).q[:, 0]]

    def bounce(start, time, e):
        run = runs("free-particle", f"impact.restitution={e!r}", system_position=[start],
                   system_velocity=[-start / time])
        return run.q[:, 0]
    for j in range(1, N + 1):
        e = (QF / (1 - T[j])) / (Q0 / T[j])
        solutions.append(bounce(Q0, T[j], float(e)) if e <= 1 else bounce(QF, 1 - T[j], float(1 / e))[::-1])
    # Arrive at t_j, rest, leave at t_k: two runs with restitution 0, the second one backwards.
    arriving = {j: bounce(Q0, T[j], 0.0) for j in range(1, N + 1)}
    leaving = {k: bounce(QF, 1 - T[k], 0.0)[::-1] for k in range(1, N + 1)}
    for j, k in itertools.combinations(range(1, N + 1), 2):
        solutions.append(np.where(np.arange(N + 2) <= j, arriving[j], leaving[k]))
    return solutions


def figure_7(runs, sheet):
    axes = sheet.panels(height=3.3)
    enumerated, computed = weak_solutions(), pieces(runs)
    matched = [min(np.abs(q - c).max() for c in computed) for q in enumerated]
    matched += [min(np.abs(q - c).max() for q in enumerated) for c in computed]
    contacts = [int(np.sum(q[1:-1] < 1e-9)) for q in computed]
    for number, (q, count) in enumerate(zip(computed, contacts)):
        kind = "weak" if count <= 1 else "weak, rests (errata L2)"
        rests = count > 1
        sheet.line(axes, kind, f"solution {number + 1}", T, q, color=AMBER if rests else BLUE,
                   linewidth=2.6 if rests else 0.9, alpha=0.5 if rests else 1, zorder=1.5 if rests else 2, label=kind if number in (1, N + 1) else None)
    strong = runs("free-particle", system_velocity=[-(Q0 + QF)])
    free = runs("free-particle", system_velocity=[QF - Q0])
    for number, run in enumerate((strong, free)):
        t, q = run.t, run.q[:, 0]
        if number == 0:
            t, q = np.append(t, run.impact("t")), np.append(q, run.impact("q_q"))
            t, q = t[np.argsort(t, kind="stable")], q[np.argsort(t, kind="stable")]
        sheet.line(axes, "strong", f"strong {number + 1}", t, q, color=RED, linewidth=2.2, zorder=3,
                   label="strong" if number == 0 else None)
    axes.axhline(0, color=INK, linewidth=1, zorder=1)
    axes.set(xlabel="t", ylabel="q", xlim=(0, 1), ylim=(-0.05, 1.05))
    axes.set_xticks(T, ["$t_0$", *(f"$t_{i}$" for i in range(1, N + 1)), "$t_f$"])
    axes.legend(loc="upper right")

    def energies(q):
        return (np.diff(q) / np.diff(T))**2 / 2
    return {"weak solutions": len(enumerated),
            "weak solutions with at most one point of contact": sum(np.sum(q[1:-1] < 1e-9) <= 1 for q in enumerated),
            "strong solutions": sum(np.ptp(energies(q)) < 1e-9 for q in enumerated),
            "largest distance between runs and enumeration": max(matched),
            "error of the strong impact time": abs(strong.impact("t")[0] - 0.625),
            "jump of the energy at the strong impact":
                abs(strong.impact("energy_after")[0] - strong.impact("energy_before")[0])}
