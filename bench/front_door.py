#!/usr/bin/python3
"""How fast the program is with a scene file, and what records cost: bench/front_door.py PROGRAM SCENES

Best of five runs each, so that a busy machine blurs little. The star: half a million steps per second or more are
promised, and at most twice the time when every step is written down.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile


def best(program, scene, settings, rounds=5):
    """Seconds of the fastest run, and its steps per second."""
    with tempfile.TemporaryDirectory(prefix="ricochet-") as folder:
        out = os.path.join(folder, "o")
        seconds = []
        for _ in range(rounds):
            command = [program, "run", scene, "--out", out, "--overwrite", "--quiet"]
            for setting in settings:
                command += ["--set", setting]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            with open(os.path.join(out, "summary.json")) as f:
                summary = json.load(f)
            seconds.append(summary["seconds"])
    return min(seconds), summary["steps"] / min(seconds)


def main():
    program, scenes = sys.argv[1:3]
    print(f"{'scene':<16}{'records':<14}{'million steps/s':>16}{'cost':>8}")
    for name in ("particle", "star", "star-cubic", "table", "double-pendulum"):
        scene = os.path.join(scenes, name + ".toml")
        step = 0.005
        common = [f"time.step={step}", f"time.end={500000 * step}"]
        without, speed = best(program, scene, common + ["record.every=0"])
        print(f"{name:<16}{'impacts only':<14}{speed / 1e6:16.2f}{1:8.2f}")
        with_all, speed = best(program, scene, common + ["record.every=1"])
        print(f"{name:<16}{'every step':<14}{speed / 1e6:16.2f}{with_all / without:8.2f}")
    print("largest memory of a run:", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, "MB")


if __name__ == "__main__":
    main()
