#!/usr/bin/python3
"""Runs the scenes on every peer that was built, and on ours, and prints one table per scene.

    bench/peers/table.py BUILD/bench/peers [--impacts N] [--scene particle|star|square]... [--rounds R] [--out DIR]

Every number is measured by the program itself (peer.hpp says how), in the same way for all. The impact times are
compared with the exact motion, which for these scenes is a closed form between impacts. With --out, the raw lines go
to DIR/peers.json and the table to DIR/peers.csv. Standard library only.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys

ENGINES = ["ricochet_variational", "ricochet_reflection", "chipmunk", "box2d", "bullet", "mujoco",
           "siconos_event_driven", "siconos_moreau_jean"]
OURS = "ricochet"  # the engine whose time is 1 in the column "ratio"

# The common step of each scene, and the step of those who locate impacts and may take a larger one. Siconos: the
# largest at which the run still ends regularly (the star throws from 0.03 on).
STEP = {"particle": 0.01, "star": 0.005, "square": 0.005}
OWN_STEP = {
    "ricochet_variational": {"particle": 0.3, "star": 0.05, "square": 0.05},
    "ricochet_reflection": {"particle": 0.3, "star": 0.05, "square": 0.05},
    "siconos_event_driven": {"particle": 0.5, "star": 0.02, "square": 0.02},
}
COLUMNS = [("engine", "engine"), ("version", "version"), ("step", "step"), ("impacts", "impacts"),
           ("energy error", "max_abs_energy_error"), ("energy drift", "energy_drift"), ("worst gap", "worst_gap"),
           ("t1 error", "t1_error"), ("t5 error", "t5_error"), ("us/step", "us_per_step"),
           ("us/impact", "us_per_impact"), ("ratio", "ratio"), ("status", "status")]


def exact_impact_times(scene, count=5):
    """Impact times of the exact motion: parabolas; v is reflected along M^-1 grad phi at the first corner to arrive."""
    g = 9.81
    if scene == "particle":
        fall = math.sqrt(2 / g)
        return [(2 * k + 1) * fall for k in range(count)]
    inertia = 29 / 192 if scene == "star" else 1 / 6
    y, theta, vy, omega, t = 3.5, 0.0, 0.0, 5.0, 0.0
    corners = [(a, b) for a in (-0.5, 0.5) for b in (-0.5, 0.5)]

    def gap(corner, s):
        a, b = corner
        angle = theta + omega * s
        return y + vy * s - g * s * s / 2 - a * math.sin(angle) - b * math.cos(angle)

    def rate(corner, s):
        a, b = corner
        angle = theta + omega * s
        return vy - g * s - omega * (a * math.cos(angle) - b * math.sin(angle))

    times = []
    while len(times) < count:
        ds, s = 1e-4, 0.0
        while True:  # steps of 1e-4 s, and bisection: a corner moves by less than 1e-3 in between
            closed = [c for c in corners if gap(c, s + ds) < 0 and rate(c, s + ds) < 0]
            if closed:
                break
            s += ds
        first = None
        for corner in closed:
            low, high = s, s + ds
            if gap(corner, low) <= 0:  # the corner that just left: look from its highest point
                continue
            for _ in range(80):
                middle = (low + high) / 2
                low, high = (low, middle) if gap(corner, middle) < 0 else (middle, high)
            if first is None or high < first[0]:
                first = (high, corner)
        s, (a, b) = first
        v = rate((a, b), s)
        y += vy * s - g * s * s / 2
        theta += omega * s
        vy -= g * s
        t += s
        arm = -(a * math.cos(theta) - b * math.sin(theta))
        impulse = -2 * v / (1 + arm * arm / inertia)
        vy += impulse
        omega += arm * impulse / inertia
        times.append(t)
    return times


def run(program, scene, step, impacts, limit):
    command = [program, "--scene", scene, "--impacts", str(impacts), "--step", repr(step), "--limit", str(limit)]
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, check=False)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout.decode().splitlines()[-1])


def text(key, value):
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if key in ("impacts", "step"):
        return f"{value:g}"
    if key in ("us_per_step", "us_per_impact", "ratio"):
        return f"{value:.3g}" if value < 1000 else f"{value:.0f}"
    if key == "energy_drift":
        return f"{value:+.1e}"
    return f"{value:.1e}"


def print_table(rows):
    lines = [[title for title, _ in COLUMNS]] + [[text(key, row.get(key)) for _, key in COLUMNS] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    for line in lines:
        cells = [cell.ljust(w) if i in (0, 1, len(widths) - 1) else cell.rjust(w)
                 for i, (cell, w) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())


def measure(args, scene):
    """Every engine and step, in rounds: of each the fastest run counts, since a busy machine only ever adds to it."""
    exact = exact_impact_times(scene)
    best = {}
    for _ in range(args.rounds):
        for engine in ENGINES:
            program = os.path.join(args.bin, "peer_" + engine)
            if not os.access(program, os.X_OK):
                continue
            for step in [STEP[scene]] + ([OWN_STEP[engine][scene]] if engine in OWN_STEP else []):
                row = run(program, scene, step, args.impacts, args.limit)
                if row is None:
                    print(f"{engine}: the program failed", file=sys.stderr)
                elif (engine, step) not in best or row["seconds"] < best[engine, step]["seconds"]:
                    best[engine, step] = row
    rows = list(best.values())
    for row in rows:
        times = row["first_impact_times"]
        row["t1_error"] = abs(times[0] - exact[0]) if times else None
        row["t5_error"] = abs(times[4] - exact[4]) if len(times) == 5 else None
    ours = [row for row in rows if row["engine"] == OURS and row["step"] == STEP[scene] and row["us_per_impact"] > 0]
    for row in rows:
        row["ratio"] = row["us_per_impact"] / ours[0]["us_per_impact"] if ours and row["us_per_impact"] > 0 else None
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", help="the folder of the built programs: BUILD/bench/peers")
    parser.add_argument("--impacts", type=int, default=1000)
    parser.add_argument("--scene", action="append", choices=sorted(STEP), help="default: particle and star")
    parser.add_argument("--limit", type=int, default=60, help="seconds for one run")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each program, of which the fastest counts")
    parser.add_argument("--out", help="folder for peers.json and peers.csv")
    args = parser.parse_args()
    missing = [engine for engine in ENGINES if not os.access(os.path.join(args.bin, "peer_" + engine), os.X_OK)]
    if len(missing) == len(ENGINES):
        sys.exit(f"table.py: no peer was built in {args.bin}")
    all_rows = []
    for scene in args.scene or ["particle", "star"]:
        rows = measure(args, scene)
        all_rows += rows
        print(f"\n{scene}: {args.impacts} impacts, restitution 1; J, m, s, microseconds; ratio = us/impact over ours")
        print_table(rows)
    for engine in missing:
        print(f"skipped, not installed: {engine}")
    if args.out:
        os.makedirs(args.out, exist_ok=True)
        with open(os.path.join(args.out, "peers.json"), "w", encoding="utf-8") as file:
            json.dump(all_rows, file, indent=1)
        with open(os.path.join(args.out, "peers.csv"), "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["scene"] + [key for _, key in COLUMNS] + ["note"])
            for row in all_rows:
                writer.writerow([row["scene"]] + [row.get(key) for _, key in COLUMNS] + [row["note"]])


if __name__ == "__main__":
    main()
