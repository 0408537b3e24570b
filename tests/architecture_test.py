"""Dependencies point with the flow of data (docs/concepts.md): every #include of src/ricochet, against a table."""
import pathlib
import re
import sys

SRC = pathlib.Path(__file__).resolve().parent.parent / "src" / "ricochet"

# A folder, and those it may look at; they stand above it.
MAY_INCLUDE = {
    "numerics": "",
    "complementarity": "numerics",
    "lie": "numerics",
    "expression": "numerics",
    "mechanics": "numerics complementarity",
    "discrete": "numerics mechanics",
    "motion": "numerics mechanics discrete",
    "contact": "numerics complementarity mechanics discrete motion",
    "closure": "numerics mechanics discrete motion",
    "bodies": "numerics complementarity mechanics discrete motion closure lie",
    "conformance": "numerics mechanics discrete motion closure bodies",
    "principle": "numerics complementarity mechanics discrete motion contact closure bodies",
    "long_double": "complementarity expression mechanics contact principle",
    "observe": "numerics mechanics discrete motion contact closure bodies principle",
    "tangent": "numerics complementarity mechanics discrete motion contact closure bodies principle",
    "scene": "numerics complementarity expression mechanics discrete motion contact closure bodies principle observe tangent",
    "record": "motion",
    "report": "expression scene record",
    "audit": "numerics complementarity expression mechanics scene record report",
    "app": "numerics expression principle scene record report audit",
}


def main():
    wrong = []
    folders = {path.name for path in SRC.iterdir() if path.is_dir()}
    if folders != set(MAY_INCLUDE):
        wrong.append(f"folders and table differ: {sorted(folders ^ set(MAY_INCLUDE))}")
    wrong += [f"{folder} has no README.md" for folder in sorted(folders) if not (SRC / folder / "README.md").is_file()]
    above = set()
    for folder, allowed in MAY_INCLUDE.items():
        if not set(allowed.split()) <= above:
            wrong.append(f"{folder} may include what stands below it: {set(allowed.split()) - above}")
        above.add(folder)
    includes = 0
    for path in sorted(SRC.rglob("*.[ch]pp")):
        folder = path.relative_to(SRC).parts[0]
        for line, text in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'#include "ricochet/(\w+)/', text)
            if not found:
                continue
            includes += 1
            if found[1] != folder and found[1] not in MAY_INCLUDE.get(folder, "").split():
                wrong.append(f"{path.relative_to(SRC.parent)}:{line}: {folder} must not include {found[1]}")
    if includes < 500:
        wrong.append(f"only {includes} includes were found")
    print("\n".join(wrong) or f"{includes} includes point the right way.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
