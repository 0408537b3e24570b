"""What an impact costs where many bodies are one [system]: masses in a row, and discs in a box."""
import os
import shutil

import crowds
import steps

STEP = 0.01
# Masses in a row, and the number of steps of the long run; the short run has a tenth of them. Ten masses make an impact in
# fifteen steps, three hundred two in every step.
ROWS = [(10, 200000), (30, 50000), (100, 8000), (300, 1000)]
ROW_RATIO = 6  # what an impact of the longest row may cost, in units of that of the shortest
# Discs, and the time they are flown for: about two thousand impacts.
DISCS = [(20, 40.0), (50, 16.0), (100, 8.0), (200, 4.0)]
LONGEST = {100: 150}  # microseconds of an added impact, by the number of discs


def row_times(path, n, count, programs, folder, runs):
    """Microseconds per impact, all that lies between two impacts included, with either program in turn."""
    lengths = {"long": count, "short": count // 10}
    best, told = {}, {}
    for turn in range(runs):
        for label in sorted(programs, reverse=turn % 2 == 1):
            for length, number in lengths.items():
                settings = ["record.every=0", f"time.step={STEP}", f"time.end={number * STEP!r}"]
                seconds, *told[label, length] = steps.user_seconds(programs[label], path, settings, folder)
                best[label, length] = min(seconds, best.get((label, length), seconds))
    found = {"masses": n, "runs": runs}
    for label in programs:
        impacts = told[label, "long"][1] - told[label, "short"][1]
        found[label] = 1e6 * (best[label, "long"] - best[label, "short"]) / impacts
        found[f"{label} impacts"] = impacts
    return found


def disc_times(path, count, end, program, folder, runs):
    """Start in seconds, a step and what an impact adds to it in microseconds.

    The start is a run of one step. Two runs over the same time, one with steps half as long, have about as many impacts:
    start + step * steps + impact * impacts is the time of either, which makes two equations for two unknown.
    """
    kinds = {"start": (STEP, STEP), "coarse": (STEP, end), "fine": (STEP / 2, end)}
    best, told = {}, {}
    for _ in range(runs):
        for kind, (h, until) in kinds.items():
            settings = ["record.every=0", f"time.step={h!r}", f"time.end={until!r}"]
            seconds, *told[kind] = steps.user_seconds(program, path, settings, folder)
            best[kind] = min(seconds, best.get(kind, seconds))
    a, b = told["coarse"], told["fine"]
    more, most = best["coarse"] - best["start"], best["fine"] - best["start"]
    det = a[0] * b[1] - b[0] * a[1]
    return {"discs": count, "runs": runs, "start": best["start"], "step": 1e6 * (more * b[1] - most * a[1]) / det,
            "impact": 1e6 * (a[0] * most - b[0] * more) / det, "impacts": [a[1], b[1]]}


def measure(programs, folder, runs, progress):
    """Rows with both programs, discs with the new one: a reference that looks at all gaps at every impact takes hours."""
    os.makedirs(folder, exist_ok=True)
    found = {"rows": [], "discs": []}

    def written(name, text):
        path = os.path.join(folder, name + ".toml")
        with open(path, "w") as f:
            f.write(text)
        return path

    for n, count in ROWS:
        progress(f"impacts: {n} masses in a row")
        found["rows"].append(row_times(written(f"row-{n}", crowds.row(n)), n, count, programs, folder, runs))
    for count, end in DISCS:
        progress(f"impacts: {count} discs in a box")
        path = written(f"discs-{count}", crowds.discs(count))
        found["discs"].append(disc_times(path, count, end, programs["new"], folder, runs))
    shutil.rmtree(folder)
    return found


def report(found):
    """The lines of the report, and its findings."""
    rows, findings = found["rows"], []
    lines = ["Impacts: microseconds of user time per impact of masses in a row, all that lies between two included.",
             f"{'':<24}{'reference':>11}{'new':>11}{'ratio':>8}{'impacts':>20}"]
    for row in rows:
        lines.append(f"{row['masses']:>4} masses{'':<13}{row['reference']:>11.1f}{row['new']:>11.1f}"
                     f"{row['new'] / row['reference']:>8.3f}{row['new impacts']:>20}")
    first, last = rows[0], rows[-1]
    grows = last["new"] / first["new"]
    lines.append(f"{last['masses']} masses against {first['masses']:<6}{last['reference'] / first['reference']:>11.1f}{grows:>11.1f}")
    if grows > ROW_RATIO:
        findings.append(f"impacts: one of {last['masses']} masses costs {grows:.1f} of one of {first['masses']}")
    if first["new"] > first["reference"]:
        findings.append(f"impacts: one of {first['masses']} masses costs {first['new'] / first['reference']:.3f} of the reference")
    lines += ["", "Discs in a box, the new program: seconds to start, microseconds of a step and of what an impact adds to it.",
              f"{'':<24}{'start':>11}{'step':>11}{'impact':>11}{'impacts':>17}"]
    for row in found["discs"]:
        over = row["impact"] > LONGEST.get(row["discs"], row["impact"])
        if over:
            findings.append(f"impacts: one of {row['discs']} discs adds {row['impact']:.0f} microseconds")
        lines.append(f"{row['discs']:>4} discs{'':<14}{row['start']:>11.3f}{row['step']:>11.1f}{row['impact']:>11.1f}"
                     f"{row['impacts'][0]:>17}{'  slower' if over else ''}")
    return lines, findings
