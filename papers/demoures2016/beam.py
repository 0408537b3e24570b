"""The beam of section 5.3: snapshots of swept sections, and rows of energy and momentum maps."""
import numpy as np
from kit.sheet import AMBER, BLUE, GREEN, INK, RED
from matplotlib.collections import PolyCollection

SIDE, LENGTH, DENSITY = 0.05, 0.5, 1000
# (elements, Δt) of the columns
COARSE_TO_FINE = [(5, 4e-5), (10, 4e-5), (20, 1e-5)]


def run(runs, elements, step, time, end, every, *more):
    """Initial data (5.12), (5.13); `time` divides the difference of the two configurations, (5.14) to (5.16)."""
    return runs("beam-demoures-10", f"beam[0].elements={elements}", f"time.step={step}", f"time.end={end}",
                f"beam[0].next.time={time}", f"record.every={every}", *more)


def title(elements, step):
    return rf"{elements} elements, $\Delta t = {step * 1e5:g}\cdot 10^{{-5}}$"


def frames(run, time):
    """Positions and rotations of the recorded field nearest to a time."""
    k = int(np.abs(run["fields/t"] - time).argmin())
    x, q = run["fields/position"][k].reshape(-1, 3), run["fields/rotation"][k].reshape(-1, 4)
    w, a, b, c = q.T
    e1 = np.stack([1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b)], axis=1)
    e2 = np.stack([2 * (a * b - w * c), 1 - 2 * (a * a + c * c), 2 * (b * c + w * a)], axis=1)
    return x, e1, e2


def sweep(axis, x, e1, e2, colour):
    """The section along the nodes, seen from the front and a little from above; far faces first."""
    azimuth, height = -1.0, 0.35
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0])
    toward = np.array([np.cos(height) * np.cos(azimuth), np.cos(height) * np.sin(azimuth), np.sin(height)])
    up = np.cross(toward, right)
    h = SIDE / 2
    corners = np.stack([x + u * h * e1 + v * h * e2 for u, v in ((1, 1), (-1, 1), (-1, -1), (1, -1))], axis=1)
    faces = [corners[[a, a, a + 1, a + 1], [i, (i + 1) % 4, (i + 1) % 4, i]]
             for a in range(len(x) - 1) for i in range(4)] + [corners[0], corners[-1]]
    faces.sort(key=lambda face: float(face.mean(axis=0) @ toward))
    rgb = np.array([int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)])
    shades = []
    for face in faces:
        normal = np.cross(face[1] - face[0], face[3] - face[0])
        light = abs(normal @ np.array([0.3, -0.5, 0.8])) / (np.linalg.norm(normal) + 1e-300)
        shades.append(tuple(1 - (1 - rgb) * (0.45 + 0.5 * min(1.0, 1.1 - light))))
    plane = np.array([[-0.25, -0.3, 0], [0.3, -0.3, 0], [0.3, 0.25, 0], [-0.25, 0.25, 0]])
    axis.fill(plane @ right, plane @ up, color="#e9edf1", linewidth=0)
    axis.add_collection(PolyCollection([np.stack([f @ right, f @ up], axis=1) for f in faces], facecolors=shades,
                                       edgecolors=INK, linewidths=0.25))
    axis.set_aspect("equal")
    axis.set(xlim=(-0.4, 0.42), ylim=(-0.16, 0.36), xticks=[], yticks=[])
    axis.grid(False)
    for side in axis.spines.values():
        side.set_visible(False)


def snapshots(runs, sheet):
    """Four times, three meshes."""
    times = (0, 0.0053, 0.01, 0.015)
    axes = sheet.panels(4, 3, height=1.55, width=7.6)
    tips, first = [], []
    for column, (elements, step) in zip(axes.T, COARSE_TO_FINE):
        here = run(runs, elements, step, 4e-5, 0.015, 1, "record.fields_every=1")
        for axis, time in zip(column, times):
            x, e1, e2 = frames(here, time)
            sweep(axis, x, e1, e2, BLUE)
            for k, name in enumerate("xyz"):
                sheet.note(f"{elements} elements, t = {time}", name, LENGTH * np.linspace(0, 1, len(x)), x[:, k])
        column[0].set_title(title(elements, step))
        tips.append(x[[0, -1]])
        first.append(here.impact("t")[0])
        mass = DENSITY * SIDE**2 * LENGTH / elements / 2
        speed = here.impact("multiplier")[0] / (2 * mass)  # of the end node, reflected
    for axis, time in zip(axes[:, 0], times):
        axis.set_ylabel(f"t = {time}")
    return {"first impact with 5 elements, difference from 0.005022149": abs(first[0] - 0.005022149),
            "first impact with 10 elements, difference from 0.004652507": abs(first[1] - 0.004652507),
            "speed of the first impact with 20 elements": speed,
            "ends at t = 0.015 with 10 and with 20 elements, over the length":
                np.abs(tips[1] - tips[2]).max() / LENGTH}


def rows(sheet, columns, momenta):
    """Total energy, relative error, and where asked for angular and linear momentum; one column per run."""
    height = 4 if momenta else 2
    axes = sheet.panels(height, len(columns), height=1.5, width=3.0 * len(columns), sharex=True)
    energy, plane, normal = [], [], []
    for column, (elements, step, here) in zip(axes.T, columns):
        name, t = f"{elements} elements, dt = {step:g}", here.t
        error = here.energy / here.energy[0] - 1
        sheet.line(column[0], f"{name}: energy", "energy", t, here.energy, color=INK, linewidth=0.7)
        column[0].set_ylim(0.98 * here.energy[0], 1.02 * here.energy[0])
        sheet.line(column[1], f"{name}: relative error", "error", t, error, color=INK, linewidth=0.5)
        column[1].ticklabel_format(axis="y", style="sci", scilimits=(0, 0))
        if momenta:
            for row, field, letter in ((2, "beams/angular_momentum", "J"), (3, "beams/momentum", "P")):
                for k, colour in enumerate((BLUE, GREEN, RED if letter == "J" else AMBER)):
                    sheet.line(column[row], f"{name}: {letter}", f"${letter}_{k + 1}$", t, here[field][:, k], color=colour,
                               linewidth=0.8)
        column[0].set_title(title(elements, step))
        column[-1].set_xlabel("t")
        energy.append(here.summary["energy"]["max_relative_error"])
        maps = here.summary["momentum"]
        size = np.hypot(maps["translation x"]["initial"], maps["translation y"]["initial"])
        plane.append(max(maps[f"translation {k}"]["max_error"] for k in "xy") / size)
        normal.append(maps["rotation z"]["max_error"] / abs(maps["rotation z"]["initial"]))
    for axis, label in zip(axes[:, 0], ("total energy", "relative error", "angular momentum", "linear momentum")):
        axis.set_ylabel(label)
    if momenta:
        axes[2, 0].legend(ncol=3, fontsize=6.5)
        axes[3, 0].legend(ncol=3, fontsize=6.5)
    return {"largest relative energy error": max(energy), "linear momentum in the plane, largest relative change": max(plane),
            "angular momentum about the normal, largest relative change": max(normal)}
