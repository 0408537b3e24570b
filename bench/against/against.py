#!/usr/bin/python3
"""The working tree against a commit: what scenes leave, bit by bit, nanoseconds per step and impact, clean builds.

bench/against/against.py [--reference COMMIT] [--parts digests,steps,impacts,build]; README.md beside this file says how to read it.
"""
import argparse
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import digests  # noqa: E402
import impacts  # noqa: E402
import steps  # noqa: E402
import trees  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLACE = os.path.join(ROOT, "build", "against")
PARTS = ("digests", "steps", "impacts", "build")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        """Bad use: one sentence, and nothing else."""
        bad(message[:1].upper() + message[1:] + ".")


def bad(sentence):
    print(f"against: {sentence}", file=sys.stderr)
    sys.exit(2)


def progress(text):
    """On a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def options(arguments):
    parser = Parser(prog="against", description=__doc__.splitlines()[0], allow_abbrev=False)
    add = parser.add_argument
    add("--reference", default="HEAD", metavar="COMMIT", help="what to compare with (HEAD)")
    add("--parts", default="digests,steps", help="some of digests,steps,impacts,build with commas (digests,steps)")
    add("--ref-program", metavar="PATH", help="a program to take for the reference: none is built then")
    add("--new-program", metavar="PATH", help="a program to take for the working tree: none is built then")
    add("--scenes", metavar="GLOB", help="digests of scenes with such names only, as 'star*' or 'random-*'")
    add("--cases", metavar="GLOB", help="steps of cases with such names only, as 'star' or 'table*'")
    add("--random", type=int, default=200, metavar="N", help="number of random systems (200)")
    add("--seed", type=int, default=1, metavar="N", help="of the random systems (1)")
    add("--runs", type=int, default=15, metavar="N", help="runs of each kind for the parts steps and impacts (15)")
    add("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes of builds and digests at once")
    add("--json", metavar="FILE", help="where the whole report goes (build/against/report.json)")
    add("--strict", action="store_true", help="exit with 1 if anything is found")
    chosen = parser.parse_args(arguments)
    chosen.parts = [part for part in chosen.parts.split(",") if part]
    unknown = [part for part in chosen.parts if part not in PARTS]
    if unknown or not chosen.parts:
        bad(f"There is no part '{','.join(unknown)}': the parts are {', '.join(PARTS)}.")
    if chosen.runs < 1 or chosen.jobs < 1 or chosen.random < 0:
        bad("The numbers of runs and jobs are at least 1, that of random systems at least 0.")
    for path in (chosen.ref_program, chosen.new_program):
        if path and not (os.path.isfile(path) and os.access(path, os.X_OK)):
            bad(f"There is no program {path}.")
    return chosen


def copies(programs):
    """Copies to be run: a build meanwhile does not change them, and without a template beside them they make no page."""
    found = {}
    for label, path in programs.items():
        found[label] = os.path.join(PLACE, "programs", label, "ricochet")
        os.makedirs(os.path.dirname(found[label]), exist_ok=True)
        shutil.copy2(path, found[label])
    return found


def compare(chosen):
    """The report as one dictionary, and its lines."""
    scenes = os.path.join(ROOT, "scenes")
    jobs = digests.jobs(scenes, os.path.join(PLACE, "random"), chosen.random, chosen.seed, chosen.scenes)
    if not jobs:
        bad(f"No scene has a name like '{chosen.scenes}'.")
    cases = steps.named(chosen.cases)
    if not cases:
        bad(f"No case has a name like '{chosen.cases}'; there are: {'; '.join(case[0] for case in steps.CASES)}.")
    found, lines, findings = {}, [], []

    def add(part, value, told):
        found[part] = value
        lines.extend(told[0] + [""])
        findings.extend(told[1])

    os.makedirs(PLACE, exist_ok=True)
    fly = [part for part in chosen.parts if part != "build"]
    given = {"reference": chosen.ref_program, "new": chosen.new_program}
    if "build" in chosen.parts or not chosen.ref_program:
        full = trees.commit(ROOT, chosen.reference)
        tree = trees.worktree(ROOT, full)
        found["reference"] = full
        lines.append(f"The working tree against {full[:7]}.")
        if not same_scenes(scenes, os.path.join(tree, "scenes")):
            lines.append("Bundled scenes differ between the trees: both programs run those of the working tree.")
        lines.append("")
    if fly:
        for label in given:
            if not given[label]:
                progress(f"build of the {label} program")
                given[label] = trees.program(tree if label == "reference" else ROOT, os.path.join(PLACE, label + ".log"),
                                             chosen.jobs, page=label == "new")
        programs = copies(given)
    if "digests" in fly:
        scene_results = digests.compare_all(jobs, programs, os.path.join(PLACE, "runs"), chosen.jobs, progress)
        add("digests", scene_results, digests.report(scene_results))
    if "steps" in fly:
        times = steps.measure(cases, scenes, programs, os.path.join(PLACE, "timed"), chosen.runs, progress)
        add("steps", times, steps.report(times))
    if "impacts" in fly:
        crowds = impacts.measure(programs, os.path.join(PLACE, "timed"), chosen.runs, progress)
        add("impacts", crowds, impacts.report(crowds))
    if "build" in chosen.parts:
        costs = {label: trees.cost(where, os.path.join(PLACE, "cost-" + label), chosen.jobs,
                                   lambda text, label=label: progress(f"build of the {label} tree: {text}"))
                 for label, where in (("reference", tree), ("new", ROOT))}
        add("build", costs, trees.report(costs))
    found["findings"] = findings
    return found, lines


def same_scenes(one, other):
    def texts(folder):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        return [(name, open(os.path.join(folder, name), "rb").read()) for name in names]

    return texts(one) == texts(other)


def main(arguments):
    chosen = options(arguments)
    path = chosen.json or os.path.join(PLACE, "report.json")
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))) and chosen.json:
        bad(f"There is no folder for {path}.")
    try:
        found, lines = compare(chosen)
    except (trees.Failed, RuntimeError) as error:
        progress("")
        bad(str(error))
    progress("")
    with open(path, "w") as f:
        json.dump(found, f, indent=1)
        f.write("\n")
    print("\n".join(lines))
    count, shown = len(found["findings"]), os.path.relpath(path) if path.startswith(os.getcwd() + os.sep) else path
    print(f"Nothing was found; all of it is in {shown}." if count == 0 else
          f"{count} finding{'s' if count > 1 else ''}; all of it is in {shown}.")
    return 1 if count and chosen.strict else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
