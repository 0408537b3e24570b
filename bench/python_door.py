#!/usr/bin/python3
"""What the Python module costs beside the program, and what a second worker brings: bench/python_door.py PROGRAM MODULES

The star for a million steps, recorded every step: wall time of `ricochet run` as a process (which also writes the page
report.html), and of `ricochet.run` into a folder and into memory (the module imported before), in turn, best of five. Then
2000 forced impact oscillators with one and with two workers.
"""
import os
import subprocess
import sys
import tempfile
import time

STEPS = 1_000_000
STEP = 0.005


def seconds_of(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main():
    program, modules = os.path.abspath(sys.argv[1]), sys.argv[2]
    sys.path.insert(0, modules)
    import numpy
    import ricochet

    end = {"time.step": STEP, "time.end": STEPS * STEP}
    with tempfile.TemporaryDirectory(prefix="ricochet-") as folder:
        os.chdir(folder)
        star = os.path.join(os.path.dirname(ricochet.__file__), "scenes", "star.toml")
        command = [program, "run", star, "--out", "shell", "--overwrite", "--quiet"]
        for key, value in end.items():
            command += ["--set", f"{key}={value}"]
        rounds = {"ricochet run": lambda: subprocess.run(command, check=True, stderr=subprocess.DEVNULL),
                  "ricochet.run, out=": lambda: ricochet.run(star, end, out="python", overwrite=True),
                  "ricochet.run": lambda: ricochet.run(star, end)}
        best = {name: min(times) for name, times in
                zip(rounds, zip(*[[seconds_of(work) for work in rounds.values()] for _ in range(5)]))}
        print(f"{'a million star steps':<24}{'seconds':>10}{'cost':>8}")
        for name, seconds in best.items():
            print(f"{name:<24}{seconds:10.3f}{seconds / best['ricochet run']:8.3f}")

        frequencies = numpy.linspace(1.5, 4.5, 2000)

        def sweep(workers, name):
            ricochet.sweep("impact-oscillator", {"parameters.w": frequencies}, out=name, workers=workers, progress=False,
                           time__step=0.02, time__end=120, record__every=0)

        print(f"{'2000 oscillators':<24}{'seconds':>10}{'gain':>8}")
        one = min(seconds_of(lambda: sweep(1, f"one-{i}.h5")) for i in range(2))
        two = min(seconds_of(lambda: sweep(2, f"two-{i}.h5")) for i in range(2))
        print(f"{'one worker':<24}{one:10.3f}{1:8.2f}")
        print(f"{'two workers':<24}{two:10.3f}{one / two:8.2f}")


if __name__ == "__main__":
    main()
