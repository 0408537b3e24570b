"""What an impact costs where many bodies are one [system]: masses in a row, and discs in a box."""
import os
import shutil

import crowds
import steps

STEP = 0.01
SLOW, FREE = 0.01, 3.5  # of the speed, and the time in which discs that slow do not meet
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


def disc_times(paths, count, end, program, folder, runs):
    """Start in seconds, a free step and what an impact adds to free steps in microseconds.

    The start is a run of one step. Free steps are those of the second scene, in which the same discs are so slow that no
    two of them meet; an impact adds what a run takes beyond its start and as many free steps.
    """
    kinds = {"start": (paths[0], STEP), "free": (paths[1], FREE), "impacts": (paths[0], end)}
    best, told = {}, {}
    for _ in range(runs):
        for kind, (path, until) in kinds.items():
            settings = ["record.every=0", f"time.step={STEP!r}", f"time.end={until!r}"]
            seconds, *told[kind] = steps.user_seconds(program, path, settings, folder)
            best[kind] = min(seconds, best.get(kind, seconds))
    if told["free"][1] > 0:
        raise RuntimeError(f"{count} slow discs meet: their steps are not free")
    step = (best["free"] - best["start"]) / (told["free"][0] - 1)
    number, impacts = told["impacts"]
    added = (best["impacts"] - best["start"] - step * (number - 1)) / impacts
    return {"discs": count, "runs": runs, "start": best["start"], "step": 1e6 * step, "impact": 1e6 * added, "impacts": impacts}


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
        paths = [written(f"discs-{count}", crowds.discs(count)), written(f"slow-discs-{count}", crowds.discs(count, SLOW))]
        found["discs"].append(disc_times(paths, count, end, programs["new"], folder, runs))
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
    lines += ["", "Discs in a box, the new program: seconds to start, microseconds of a free step and of what an impact adds.",
              f"{'':<24}{'start':>11}{'step':>11}{'impact':>11}{'impacts':>17}"]
    for row in found["discs"]:
        over = row["impact"] > LONGEST.get(row["discs"], row["impact"])
        if over:
            findings.append(f"impacts: one of {row['discs']} discs adds {row['impact']:.0f} microseconds")
        lines.append(f"{row['discs']:>4} discs{'':<14}{row['start']:>11.3f}{row['step']:>11.1f}{row['impact']:>11.1f}"
                     f"{row['impacts']:>17}{'  slower' if over else ''}")
    return lines, findings
