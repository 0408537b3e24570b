"""Nanoseconds of processor time per step, reference and new in turn."""
import fnmatch
import json
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SLOWER = 1.05  # a ratio above this is a finding

# Name, scene, steps of the long run, length of a step, settings. The short run has a tenth of the steps.
CASES = [
    ("particle", "particle", 3500000, 0.005, ["time.impacts=1000000000"]),
    ("star", "star", 1200000, 0.005, []),
    ("table, variational", "table", 1600000, 0.005, ["integrator.closure=variational"]),
    ("table, reflection", "table", 1600000, 0.005, ["integrator.closure=reflection"]),
    ("table, shadow2", "table", 1600000, 0.005, ["integrator.closure=shadow2"]),
    ("table, shadow4", "table", 1600000, 0.005, ["integrator.closure=shadow4"]),
    ("table, interpolated", "table", 700000, 0.005, ["integrator.closure=interpolated"]),
    ("table, yoshida4, variational", "table", 800000, 0.005,
     ["integrator.rule=yoshida4", "integrator.closure=variational"]),
    ("table, yoshida4, interpolated", "table", 400000, 0.005,
     ["integrator.rule=yoshida4", "integrator.closure=interpolated"]),
    ("table, long steps, interpolated", "table", 60000, 0.05,
     ["integrator.rule=yoshida4", "integrator.closure=interpolated"]),
    ("double pendulum", "double-pendulum", 60000, 0.005, []),
    ("bars, redistributed", "bars-case-1", 2000000, 0.015, ["record.fields_every=0"]),
    ("bars, located", "bars-case-1", 2000000, 0.015, ["contact.scheme=located", "record.fields_every=0"]),
    ("beam", "beam-demoures-10", 1500000, 1e-5, ["record.fields_every=0"]),
    ("chain of ten, weak", "chain", 600000, 0.005, []),
]


def user_seconds(program, scene, settings, folder):
    """User time of one run, and its steps and impacts."""
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    command = [program, "run", scene, "--out", "out", "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    with open(os.path.join(folder, "said"), "w+") as said:
        child = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            said.seek(0)
            raise RuntimeError(f"{os.path.basename(scene)} could not be timed: {said.read().strip()}")
    with open(os.path.join(folder, "out", "summary.json")) as f:
        summary = json.load(f)
    return usage.ru_utime, summary["steps"], summary["impacts"]


def named(pattern):
    """The cases with such names."""
    return [case for case in CASES if not pattern or fnmatch.fnmatch(case[0], pattern)]


def measure(cases, scenes, programs, folder, runs, progress):
    """For each of these cases the least user time of a long and of a short run, `runs` of each with either program, in turn."""
    os.makedirs(folder, exist_ok=True)
    found = []
    for name, scene, steps, h, settings in cases:
        path = os.path.join(HERE if scene == "chain" else scenes, scene + ".toml")
        if not os.path.exists(path):
            continue
        lengths = {length: settings + ["record.every=0", f"time.step={h}", f"time.end={count * h!r}"]
                   for length, count in (("long", steps), ("short", steps // 10))}
        best, told = {}, {}
        for turn in range(runs):
            progress(f"steps: {name}, {turn + 1} of {runs}")
            for label in ("reference", "new") if turn % 2 == 0 else ("new", "reference"):
                for length, all_settings in lengths.items():
                    seconds, *told[label, length] = user_seconds(programs[label], path, all_settings, folder)
                    best[label, length] = min(seconds, best.get((label, length), seconds))
        row = {"name": name, "runs": runs}
        for label in ("reference", "new"):
            more = told[label, "long"][0] - told[label, "short"][0]
            row[label] = 1e9 * (best[label, "long"] - best[label, "short"]) / more
            row[f"{label} impacts"] = told[label, "long"][1]
        row["ratio"] = row["new"] / row["reference"]
        found.append(row)
    shutil.rmtree(folder)
    return found


def report(found):
    """The lines of the report, and its findings."""
    runs = found[0]["runs"] if found else 0
    lines = [f"Steps: nanoseconds of user time per step, the least of {runs} long runs without that of {runs} short ones.",
             f"{'':<34}{'reference':>11}{'new':>11}{'ratio':>8}{'impacts':>20}"]
    for row in found:
        impacts = [row["reference impacts"], row["new impacts"]]
        told = f"{impacts[0]}" if impacts[0] == impacts[1] else f"{impacts[0]}, {impacts[1]}"
        flag = "  slower" if row["ratio"] > SLOWER else ""
        lines.append(f"{row['name']:<34}{row['reference']:>11.1f}{row['new']:>11.1f}{row['ratio']:>8.3f}{told:>20}{flag}")
    return lines, [f"steps of {row['name']}: {row['ratio']:.3f} of the reference" for row in found if row["ratio"] > SLOWER]
