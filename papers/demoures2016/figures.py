"""Demoures, Gay-Balmaz, Desbrun, Ratiu, Aragón (2016), Figures 4.2 to 4.4: bars; 5.1 to 5.4: a beam."""
import numpy as np
from demoures2016 import beam
from kit.sheet import BLUE, GREY, INK, RED

CASES = range(1, 7)
# Δt = 0.015, T = 40; gap 0.2. Case 6: v = 1, 0 (errata D5).
CLOSING = {1: 0.2, 2: 0.2, 3: 0.2, 4: 0.2, 5: 0.2, 6: 1.0}
CAPTION = {1: "(1) equal bars", 2: r"(2) $M_B = 5$", 3: r"(3) $E_B = 5$", 4: r"(4) $L_B = 5$", 5: r"(5) $\ell_B = 0.4$",
           6: r"(6) $v = 1, 0$"}
TIP_A, TIP_B = 1, 2  # right end of A, left end of B


def case(runs, number, scheme):
    return runs(f"bars-case-{number}", f"contact.scheme={scheme}", "record.fields_every=20")


def rows(runs, sheet, scheme):
    """Six rows, four columns."""
    axes = sheet.panels(6, 4, height=1.45, width=9.6, sharex=True)
    numbers = {"energy": [], "momentum": [], "start": [], "impacts": []}
    for number, row in zip(CASES, axes):
        run = case(runs, number, scheme)
        t = run.t
        position, times = run["fields/position"], run["fields/t"]
        for node in range(0, position.shape[1], 5):
            row[0].plot(times, position[:, node], color=BLUE if node <= 50 else RED, linewidth=0.5)
        velocity = run["bars/tip_velocity"]
        error = run.energy / run.energy[0] - 1
        for tip, name, colour in ((TIP_A, "A", BLUE), (TIP_B, "B", RED)):
            sheet.note(f"({number}) displacement of the tips", name, t[::4], run["bars/tip_position"][::4, tip])
            sheet.line(row[1], f"({number}) speed of the tips", name, t, velocity[:, tip], color=colour, linewidth=0.6)
        sheet.line(row[2], f"({number}) energy", "energy", t, run.energy, color=INK, linewidth=0.7, label=None)
        row[2].set_ylim(run.energy[0] * 0.98, run.energy[0] * 1.02)
        sheet.line(row[3], f"({number}) relative energy error", "error", t, error, color=INK, linewidth=0.6, label=None)
        row[3].ticklabel_format(axis="y", style="sci", scilimits=(0, 0))
        row[0].set_ylabel(CAPTION[number])
        row[0].set_xlim(0, 40)
        numbers["energy"].append(np.abs(error).max())
        scale = np.abs(run.p[0]).sum()
        numbers["momentum"].append(np.abs(run.p.sum(axis=1) - run.p[0].sum()).max() / scale)
        numbers["start"].append(abs(run.impact("t")[0] - 0.2 / CLOSING[number]))
        numbers["impacts"].append(len(run.columns["t"]))
    titles = ("displacement", "speed of the nodes in contact", "total energy", "relative energy error")
    for axis, title in zip(axes[0], titles):
        axis.set_title(title)
    for axis in axes[-1]:
        axis.set_xlabel("t")
    axes[0, 1].legend(loc="upper right", ncol=2, fontsize=7)
    first = case(runs, 1, scheme)
    # The bars have mass 10 each: momentum over mass is the velocity of the centre.
    separation = np.abs(first.p[-1] / 10 - [-0.1, 0.1]).max()
    return {"largest relative energy error of the six rows": max(numbers["energy"]),
            "largest error of the momentum over Σm|v|": max(numbers["momentum"]),
            "largest error of the first contact time": max(numbers["start"]),
            "largest error of the separation velocity of row 1": separation}, numbers


def figure_4_2(runs, sheet):
    numbers, all_rows = rows(runs, sheet, "located")
    return {**numbers, "impacts of row 1": all_rows["impacts"][0]}


def figure_4_3(runs, sheet):
    return rows(runs, sheet, "virtual-tip")[0]


def plateau(runs, name, scheme):
    """Deviations from the exact waves in contact, two seconds (ten elements) from each front.

    In case 1 the tips of a symmetric scheme rest by symmetry alone, so the speeds are those of case 2: both tips move with
    (Z_A v_A + Z_B v_B)/(Z_A + Z_B), Z_A = 1, Z_B = √5, from t = 1 to 21. The force of case 1 is 0.1.
    """
    run = case(runs, 2, scheme)
    inside = (run.t > 3) & (run.t < 19)
    exact = (0.1 - 0.1 * np.sqrt(5)) / (1 + np.sqrt(5))
    velocity = run["bars/tip_velocity"][inside][:, [TIP_A, TIP_B]]
    numbers = {f"{name}: RMS error of the tip speeds in case 2": np.sqrt(np.mean((velocity - exact)**2))}
    if scheme != "located":  # whose force is a train of impulses
        force = case(runs, 1, scheme)["bars/force"][inside, 0]
        numbers[f"{name}: RMS error of the force in case 1 over 0.1"] = np.sqrt(np.mean((force / 0.1 - 1)**2))
    return numbers


def figure_4_4(runs, sheet):
    """Trajectories of the tips of case 1; exactly, they rest at 10.1 from t = 1 to 21."""
    axes = sheet.panels(1, 3, height=2.7, width=9.0, sharey=True)
    numbers = {}
    for axis, (name, scheme, title) in zip(axes, (
            ("integrator 1", "located", "integrator 1"), ("integrator 2", "virtual-tip", "integrator 2"),
            ("redistributed", "redistributed", "redistributed mass (errata D9)"))):
        run = case(runs, 1, scheme)
        position = run["bars/tip_position"]
        axis.plot([0, 1, 21, 25], [10.0, 10.1, 10.1, 9.7], color=GREY, linewidth=2.4, alpha=0.5)
        axis.plot([0, 1, 21, 25], [10.2, 10.1, 10.1, 10.5], color=GREY, linewidth=2.4, alpha=0.5, label="exact waves")
        for tip, label, colour in ((TIP_A, "tip of A", BLUE), (TIP_B, "tip of B", RED)):
            sheet.line(axis, name, label, run.t, position[:, tip], color=colour, linewidth=0.7)
        axis.set_title(title)
        axis.set(xlabel="t", xlim=(0, 25), ylim=(9.95, 10.25))
        numbers.update(plateau(runs, name, scheme))
    axes[0].set_ylabel("position of the tips")
    axes[0].legend(loc="upper center", fontsize=7)
    return numbers


def figure_5_1(runs, sheet):
    return beam.snapshots(runs, sheet)


def figure_5_2(runs, sheet):
    columns = [(n, step, beam.run(runs, n, step, 4e-5, 0.5, 10)) for n, step in beam.COARSE_TO_FINE]
    return beam.rows(sheet, columns, True)


def figure_5_3(runs, sheet):
    columns = [(n, step, beam.run(runs, n, step, 8e-5, 2.5, 50)) for n, step in ((10, 4e-5), (10, 2e-5), (16, 2e-5))]
    return beam.rows(sheet, columns, True)


def figure_5_4(runs, sheet):
    columns = [(10, step, beam.run(runs, 10, step, 20e-5, 5, 100)) for step in (4e-5, 2e-5)]
    contacts = [run.summary["beams"][0]["contacts"] for _, _, run in columns]
    return {**beam.rows(sheet, columns, False), "contacts with the longer step": contacts[0],
            "contacts with the shorter step": contacts[1]}
