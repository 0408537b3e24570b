"""Examples of things of one's own: they judge their numbers themselves, and print what their first lines show."""
import pathlib
import re
import subprocess
import sys


def without_roundings(line):
    """What is rounding differs from compiler to compiler; counts and times do not."""
    return re.sub(r"[+-]?\d\.\d+e[+-]\d+", "…", line).strip()


def sample(source):
    """The lines behind `$ example_…` in the opening comment; one that goes on is indented further."""
    text = source.read_text()
    found = re.search(r"^//   \$ example_\w+\n((?://   .*\n)+)", text, re.M)
    lines = []
    for line in found[1].splitlines():
        if re.match(r"//   \d ", line):
            lines.append(line[5:])
        else:
            lines[-1] += " " + line[2:].strip()
    return lines


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    done = subprocess.run([program], capture_output=True, text=True, timeout=600)
    printed, shown = done.stdout.splitlines(), sample(source)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(shown) > 1, source
    assert [without_roundings(x) for x in printed] == [without_roundings(x) for x in shown], "\n".join(printed + shown)


if __name__ == "__main__":
    main()
