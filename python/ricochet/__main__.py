"""python3 -m ricochet sweep SCENE --vary key=a:b:n … : what `ricochet sweep` runs."""
import argparse
import math
import os
import sys

import numpy

from . import __version__
from ._errors import Error
from ._run import bundled
from ._journal import Unwritten
from ._sweep import MOST_MEMBERS, MOST_WORKERS, Unfinished, sweep


def number(word):
    """A whole number, another one, or None: some keys take whole numbers only."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return None


def values(text):
    """key=a:b:n (n equally spaced numbers from a to b) or key=a,b,c (numbers or words)."""
    key, equals, rest = text.partition("=")
    if not equals or not key.strip() or not rest.strip():
        raise argparse.ArgumentTypeError(f"'{text}' is not key=a:b:n or key=a,b,c")
    parts = rest.split(":")
    if len(parts) == 3:
        try:
            first, last, count = float(parts[0]), float(parts[1]), int(parts[2])
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{rest}' is not a:b:n with two numbers and a count") from None
        if not math.isfinite(last - first):
            raise argparse.ArgumentTypeError(f"'{rest}' does not run from one finite number to another")
        if not 1 <= count <= MOST_MEMBERS:
            raise argparse.ArgumentTypeError(f"'{rest}' asks for {parts[2].strip()} values; 1 to {MOST_MEMBERS} can be had")
        spaced = numpy.linspace(first, last, count).tolist()
        whole = all(isinstance(number(part), int) for part in parts) and all(x.is_integer() for x in spaced)
        return key.strip(), [int(x) for x in spaced] if whole else spaced
    words = [word.strip() for word in rest.split(",")]
    if not all(words):
        raise argparse.ArgumentTypeError(f"'{rest}' has an empty value between its commas")
    return key.strip(), [word if number(word) is None else number(word) for word in words]


def together(pairs):
    """The variations by key."""
    variations = dict(pairs)
    for key in variations:
        if sum(key == other for other, _ in pairs) > 1:
            raise Error(f"--vary {key} was given twice; one list holds all its values")
    return variations


EXAMPLES = """For example:
  ricochet sweep star --vary system.velocity[2]=0:10:200 --set time.end=20
  ricochet sweep table --vary integrator.closure=variational,shadow4 --vary time.step=0.05,0.025
  mpiexec -n 4 ricochet sweep impact-oscillator --vary parameters.w=1.5:4.5:2000 --keep impacts,stroboscope"""


def in_one_line(text):
    """Without characters that control a terminal, turn the direction of writing or cannot be seen."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


class Parser(argparse.ArgumentParser):
    """Whose errors are one sentence, like those of the program."""

    def error(self, message):
        sys.stderr.write(f"ricochet: {in_one_line(' '.join(message.split()))} (ricochet sweep --help shows how it is used)\n")
        sys.exit(2)


def main():
    parser = Parser(prog="ricochet", description="Many variations of one scene, in parallel, in one HDF5 file. A sweep "
                    "that was killed goes on with the same command.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("sweep", help="run every variation of a scene", description=parser.description,
                              epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    one.add_argument("scene", help="a file, or one of: " + ", ".join(bundled()))
    one.add_argument("--vary", type=values, action="append", required=True, metavar="KEY=A:B:N",
                     help="n equally spaced values from a to b, or a list a,b,c; several: all combinations")
    one.add_argument("--list", action="store_true", help="vary the keys together, entry by entry")
    one.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="the same for every member")
    one.add_argument("--keep", default="impacts", help="tables to store: impacts,trajectory,stroboscope,section")
    one.add_argument("--out", default=None, metavar="FILE.h5", help="default: out/NAME-sweep.h5")
    one.add_argument("--workers", type=int, default=None, help="processes at once (as many as there are cores)")
    one.add_argument("--quiet", action="store_true", help="say nothing but errors")
    parser.add_argument("--version", action="version", version=__version__)
    options = parser.parse_args()
    out = options.out
    if out is None:
        out = os.path.join("out", os.path.splitext(os.path.basename(options.scene))[0] + "-sweep.h5")
    try:
        if options.out is None:
            os.makedirs("out", exist_ok=True)
        if options.workers is not None and not 1 <= options.workers <= MOST_WORKERS:
            raise Error(f"--workers must be from 1 to {MOST_WORKERS}, not {options.workers}")
        overrides = {}
        for assignment in options.set:
            key, equals, value = assignment.partition("=")
            if not equals:
                raise Error(f"--set: '{assignment}' is not key=value")
            overrides[key] = value if number(value) is None else number(value)
        done = sweep(options.scene, together(options.vary), out=out, mode="list" if options.list else "grid",
                     overrides=overrides, workers=options.workers, progress=False if options.quiet else None,
                     keep=tuple(word for word in options.keep.split(",") if word))
    except Error as error:
        print(f"ricochet: {in_one_line(error)}", file=sys.stderr)
        # A run or a disk that failed: the input was good.
        return 1 if isinstance(error, (Unfinished, Unwritten)) else 2
    except OSError as error:
        print(f"ricochet: {in_one_line(error.filename or out)} cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted; the same command goes on.", file=sys.stderr)
        return 130
    rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", 0)))
    if not options.quiet and rank == 0:
        failed = int((done.status != "finished").sum())
        if sys.stdout is None:  # closed before Python began
            raise Unsaid
        print(f"{len(done)} members, {failed} failed, in {in_one_line(out)}")
    return 0


class Unsaid(Exception):
    """What could not be written to the standard output."""


def said():
    """The exit code of `main`, and 1 where its words found no reader."""
    try:
        try:
            code = main()
        except SystemExit as end:  # of the parser: --help, --version, a wrong word
            code = end.code or 0
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except (OSError, Unsaid):
        if sys.stdout is not None:  # what is left in its buffer is not tried again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print("ricochet: what the command had to say could not be written to the standard output", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(said())
