#!/usr/bin/python3
"""What each engine does at an impact: every peer writes its motion, `ricochet audit` judges it (docs/audit.md).

    bench/peers/audit_table.py BUILD/bench/peers BUILD/bin/ricochet [--impacts 12] [--samples DIR]

Prints a table in Markdown. With --samples the motions are kept there (tests/data/audit has those of five impacts)."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ENGINES = (("chipmunk", "Chipmunk"), ("bullet", "Bullet"), ("box2d", "Box2D"), ("mujoco", "MuJoCo"),
           ("siconos_event_driven", "Siconos, event-driven"), ("siconos_moreau_jean", "Siconos, Moreau–Jean"))
MAPS = {"particle": '[columns]\nv_x = "vx"\nv_y = "vy"\n',
        "star": '[columns]\nv_x = "vx"\nv_y = "vy"\nv_theta = "omega"\n'}
STEPS = {"particle": "0.01", "star": "0.005"}


def span(values, form):
    low, high = form % min(values), form % max(values)
    return low if low == high else f"{low} … {high}"


def line(program, ricochet, scene, label, impacts, path, folder):
    subprocess.run([program, "--scene", scene, "--impacts", str(impacts), "--step", STEPS[scene], "--csv", path],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    columns, findings = os.path.join(folder, "map.toml"), os.path.join(folder, "audit.json")
    with open(columns, "w") as f:
        f.write(MAPS[scene])
    done = subprocess.run([ricochet, "audit", path, "--scene", scene, "--map", columns, "--json", findings, "--quiet"])
    if done.returncode in (1, 2):
        sys.exit(f"{label}, {scene}: the audit failed")
    with open(findings) as f:
        audit = json.load(f)
    checks = {c["key"]: c for c in audit["checks"]}
    hits = audit["impact_list"]
    sharp = [h for h in hits if not h["duration"]]
    cells = [label, audit["verdict"], audit["order"].split(",")[0].split(":")[0],
             "%.1e" % checks["admissible"]["largest"],
             span([h["restitution"] for h in sharp], "%.4f") if sharp else
             "contacts of " + span([h["duration"] for h in hits], "%.3f") + " s",
             "%.0e" % checks["first_condition"]["largest"], span([h["energy"] for h in hits], "%+.1e"),
             ", ".join(k for k, c in checks.items() if c["grade"] == "neither") or "–"]
    print("| " + " | ".join(cells) + " |")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("peers")
    options.add_argument("ricochet")
    options.add_argument("--impacts", type=int, default=12)
    options.add_argument("--samples")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for scene in ("particle", "star"):
            print(f"\n{scene}, h = {STEPS[scene]}, {given.impacts} impacts\n")
            print("| engine | verdict | order between impacts | overlap | restitution | outside of the cone | energy at an "
                  "impact | violated |\n|---|---|---|---|---|---|---|---|")
            for name, label in ENGINES:
                program = os.path.join(given.peers, "peer_" + name)
                if not os.path.exists(program):
                    print(f"| {label} | not installed |")
                    continue
                path = os.path.join(given.samples or folder, f"{name}-{scene}.csv")
                line(program, given.ricochet, scene, label, given.impacts, path, folder)


if __name__ == "__main__":
    main()
