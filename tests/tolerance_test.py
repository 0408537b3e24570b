"""Numbers of contact stand in contact/tolerance.hpp alone, and docs/contact.md quotes them as they are."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOM = ROOT / "src" / "ricochet" / "contact"
PAGE = ROOM / "tolerance.hpp"
# Rooms that judge a gap, too. What they measure on their own behalf (steps of a search, sizes of a screen) has a name.
ALSO = ["motion", "principle", "bodies"]
# Files of these rooms that are not about contact: boundary values of whole trajectories, turning rods, and the weak
# principle, which knows no time of impact.
ELSEWHERE = {"principle/boundary.hpp", "principle/weak_loop.hpp", "bodies/weak_interval.hpp", "bodies/beams/spin.hpp",
             "bodies/beams/spec.hpp"}

LITERAL = re.compile(r"\b\d+(?:\.\d*)?e-?\d+\b")
NAMED = re.compile(r"\bconstexpr\s+\w+(?:<\w+>)?\s+(\w+)\s*=")


def code_of(text):
    """The lines without their comments and texts."""
    for number, line in enumerate(text.splitlines(), 1):
        yield number, re.sub(r'"(?:[^"\\]|\\.)*"', '""', line).split("//")[0]


def unnamed(path):
    for number, line in code_of(path.read_text()):
        if LITERAL.search(line) and not NAMED.search(line):
            yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def wrong_literals():
    for path in sorted(ROOM.rglob("*.[ch]pp")):
        if path != PAGE:
            for number, line in code_of(path.read_text()):
                if LITERAL.search(line):
                    yield f"{path.relative_to(ROOT)}:{number}: {line.strip()} belongs in contact/tolerance.hpp"
    for room in ALSO:
        for path in sorted((ROOT / "src" / "ricochet" / room).rglob("*.[ch]pp")):
            if str(path.relative_to(ROOT / "src" / "ricochet")) not in ELSEWHERE:
                yield from (f"{at} has no name" for at in unnamed(path))


def constants():
    found = dict(re.findall(r"inline constexpr double (\w+) = ([\w.-]+);", PAGE.read_text()))
    for name, value in found.items():
        if value in found:
            found[name] = found[value]
    return found


def wrong_docs():
    text = (ROOT / "docs" / "contact.md").read_text()
    table = dict(re.findall(r"^\| `(\w+)` \| ([\d.e-]+) \|", text, re.M))
    known = constants()
    for name in sorted(set(known) | set(table)):
        if name not in table:
            yield f"docs/contact.md: {name} = {known[name]} is missing"
        elif name not in known:
            yield f"docs/contact.md: there is no {name}"
        elif float(table[name]) != float(known[name]):
            yield f"docs/contact.md: {name} is {known[name]}, not {table[name]}"


def main():
    wrong = [*wrong_literals(), *wrong_docs()]
    if len(constants()) < 10:
        wrong.append("hardly any constant was found in contact/tolerance.hpp")
    print("\n".join(wrong) or f"{len(constants())} constants, all in one place.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
