"""Draws figures of the papers and checks their numbers: what `ricochet figure` calls.

Every figure gets a folder <out>/<paper>-<number> with the picture (SVG, PNG), what is plotted (CSV) and the numbers
beside their bounds (numbers.json). Two runs give the same bytes. Exit codes: 0, 1 a bound that does not hold or a run
that failed, 2 a folder that is not ours to renew.
"""
import argparse
import importlib.util
import json
import os
import shutil
import sys
import tempfile
import time
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from kit import bounds, runs, sheet  # noqa: E402


class Trouble(Exception):
    """A sentence for the user, and an exit code."""

    def __init__(self, sentence, code):
        super().__init__(sentence)
        self.code = code


def papers():
    """Short name → figures.toml, ours last."""
    found = {}
    for name in sorted(os.listdir(HERE), key=lambda n: (n == "ricochet", n)):
        path = os.path.join(HERE, name, "figures.toml")
        if os.path.exists(path):
            with open(path, "rb") as file:
                found[name] = tomllib.load(file)
    return found


def drawer(paper, number):
    """The function figure_<number> of papers/<paper>/figures.py."""
    spec = importlib.util.spec_from_file_location(paper + "_figures", os.path.join(HERE, paper, "figures.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, "figure_" + number.replace(".", "_").replace("-", "_"))


def ours(folder):
    """Whether a folder may be replaced: it is empty, or holds a figure that this program made."""
    if not os.path.isdir(folder):
        return False
    if not os.listdir(folder):
        return True
    try:
        with open(os.path.join(folder, "numbers.json")) as file:
            return json.load(file).get("made_by") == "ricochet figure"
    except (OSError, ValueError, AttributeError):
        return False


def draw(options, paper, about, figure):
    """One figure; returns what is wrong with its numbers."""
    number = figure["number"]
    name = f"{paper}-{number}"
    target = os.path.join(options.out, name)
    if os.path.lexists(target) and not ours(target):
        raise Trouble(f"{target} is there and not a folder that ricochet figure made; it is left alone "
                      "(another place: --out DIR)", 2)
    try:
        os.makedirs(options.out, exist_ok=True)
        work = tempfile.mkdtemp(prefix="." + name + "-", dir=options.out)
    except OSError as error:
        raise Trouble(f"{options.out}: {error.strerror}", 2)
    try:
        begin = time.monotonic()
        page = sheet.Sheet(f"{about['label']}, Fig. {number}" if about.get("label") else None)
        numbers = drawer(paper, number)(
            runs.Runs(options.program, os.path.join(HERE, paper), os.path.join(work, "runs")), page)
        page.save(os.path.join(work, name))
        lines = bounds.check(name, figure.get("bound", []), numbers)
        with open(os.path.join(work, "numbers.json"), "w") as file:
            json.dump({"made_by": "ricochet figure", "paper": about["title"], "figure": number,
                       "title": figure["title"], "numbers": lines}, file, indent=1, ensure_ascii=False)
            file.write("\n")
        if not options.keep_runs:
            shutil.rmtree(os.path.join(work, "runs"), ignore_errors=True)
        os.chmod(work, 0o755)
        if os.path.isdir(target):
            shutil.rmtree(target)
        os.rename(work, target)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    print(f"{paper} {number}: {figure['title']} ({time.monotonic() - begin:.1f} s)")
    for line in lines:
        print("  " + bounds.sentence(line))
    print(f"  {target}/{name}.svg", flush=True)
    return [f"{name}: {bounds.sentence(line)}" for line in lines if not line["holds"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--keep-runs", action="store_true")
    parser.add_argument("--fast", action="store_true", help="only the figures marked fast")
    parser.add_argument("paper")
    parser.add_argument("number")
    options = parser.parse_args()
    broken = []
    try:
        for paper, about in papers().items():
            if options.paper not in ("all", paper):
                continue
            for figure in about["figure"]:
                if options.number in ("all", figure["number"]) and (figure.get("fast") or not options.fast):
                    broken += draw(options, paper, about, figure)
    except Trouble as trouble:
        print(f"ricochet: {trouble}", file=sys.stderr)
        return trouble.code
    except runs.RunFailed as failure:
        print(f"ricochet: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    for line in broken:
        print(f"ricochet: a bound does not hold: {line}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
