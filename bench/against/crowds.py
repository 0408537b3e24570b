"""Scenes with many bodies in one [system]: masses in a row, and discs in a box. The same number gives the same text."""
import random

RADIUS, CELL = 0.05, 0.2  # of the discs, and of the square in which each of them starts


def speeds(kind, count):
    """Numbers in (-1, 1) with three digits, so that a scene can be read."""
    source = random.Random(f"{kind}:{count}")
    return [round(2 * source.random() - 1, 3) or 0.5 for _ in range(count)]


def text(title, coordinates, mass, position, velocity, gaps):
    """A scene without a potential. Impacts keep the energy and are not sized by a balance (closure reflection)."""
    lines = [f'title = "{title}"', "[time]", "step = 0.01", "end = 1", "[system]",
             "coordinates = [" + ", ".join(f'"{name}"' for name in coordinates) + "]"]
    lines += [f"{key} = {values}" for key, values in (("mass", mass), ("position", position), ("velocity", velocity))]
    for name, formula in gaps:
        lines += ["[[gap]]", f'name = "{name}"', f'expression = "{formula}"']
    return "\n".join(lines + ["[impact]", 'law = "elastic"', "[integrator]", 'closure = "reflection"']) + "\n"


def row(n):
    """Masses 1 and 2 in turn, one length apart: two that are half a length apart touch, and so do those by the walls."""
    gaps = [("left", "q0 + 0.5")]
    gaps += [(f"{k}-{k + 1}", f"q{k + 1} - q{k} - 0.5") for k in range(n - 1)]
    gaps.append(("right", f"{n - 0.5} - q{n - 1}"))
    return text(f"{n} masses in a row", [f"q{k}" for k in range(n)], [1 + k % 2 for k in range(n)], list(range(n)),
                speeds("row", n), gaps)


def discs(count, speed=1):
    """Equal discs, one in each square of a box, row by row; four walls for each and a gap between any two of them."""
    side = next(k for k in range(1, count + 1) if k * k >= count)
    far = round(side * CELL - RADIUS, 3)
    position = []
    for k in range(count):
        position += [round((k % side + 0.5) * CELL, 3), round((k // side + 0.5) * CELL, 3)]
    gaps = []
    for k in range(count):
        gaps += [(f"left {k}", f"x{k} - {RADIUS}"), (f"right {k}", f"{far} - x{k}"),
                 (f"bottom {k}", f"y{k} - {RADIUS}"), (f"top {k}", f"{far} - y{k}")]
        gaps += [(f"{j}-{k}", f"hypot(x{k} - x{j}, y{k} - y{j}) - {2 * RADIUS}") for j in range(k)]
    return text(f"{count} discs in a box", [f"{axis}{k}" for k in range(count) for axis in "xy"], [1] * (2 * count),
                position, [round(speed * v, 5) for v in speeds("discs", 2 * count)], gaps)
