"""Numbers of a figure against the bounds in figures.toml.

A bound names its number and gives `at_most`, `at_least`, both, or `equals` (to the last bit: counts), and says
`because`. A bound without its number and a number without its bound are mistakes of ours and raise.
"""
import math


def check(figure, bounds, numbers):
    """One entry per bound, in the order of figures.toml."""
    names = [bound["name"] for bound in bounds]
    if sorted(names) != sorted(numbers):
        odd = sorted(set(names) ^ set(numbers))
        raise ValueError(f"{figure}: numbers and bounds do not match: {', '.join(odd)}")
    lines = []
    for bound in bounds:
        value = float(numbers[bound["name"]])
        if not {"at_most", "at_least", "equals"} & set(bound):
            raise ValueError(f"{figure}: the bound '{bound['name']}' cannot fail")
        holds = math.isfinite(value)
        holds = holds and value <= bound.get("at_most", math.inf) and value >= bound.get("at_least", -math.inf)
        holds = holds and value == bound.get("equals", value)
        lines.append({**bound, "value": value, "holds": bool(holds)})
    return lines


def sentence(line):
    """largest relative energy error 1.2e-05 (at most 2e-05: errata F11)."""
    limits = [f"{word} {line[key]:g}" for key, word in
              (("at_least", "at least"), ("at_most", "at most"), ("equals", "exactly")) if key in line]
    mark = "" if line["holds"] else "  <-- does not hold"
    return f"{line['name']}: {line['value']:.6g} ({' and '.join(limits)}: {line['because']}){mark}"
