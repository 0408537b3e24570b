"""Random systems as scene files: the same seed and number give the same text, letter by letter.

Every scene has 1 to 6 coordinates and 1 to 4 gaps that are smooth and admissible at the start. Two numbers of four have a
friction or a restitution law; three of sixteen have a Lagrangian. Rules, closures, principles and records vary. A few
combinations are ones that the program refuses: its sentence is compared too.
"""
import math
import random

RULES = ["trapezoid"] * 4 + ["midpoint", "rectangle-left", "rectangle-right", "rectangle", "yoshida4", "suzuki4"]
COMPOSED = ("yoshida4", "suzuki4")


class Draw:
    """Numbers with three digits, so that scenes can be read; only random() is used, which no version of Python changes."""

    def __init__(self, seed, number):
        self.source = random.Random(f"{seed}:{number}")

    def chance(self, probability):
        return self.source.random() < probability

    def number(self, low, high):
        return round(low + (high - low) * self.source.random(), 3)

    def whole(self, low, high):
        return low + int((high - low + 1) * self.source.random())

    def one(self, things):
        return things[self.whole(0, len(things) - 1)]

    def order(self, count):
        left, found = list(range(count)), []
        while left:
            found.append(left.pop(self.whole(0, len(left) - 1)))
        return found


def value(formula, names):
    """A formula of a scene as Python reads it; parameters and coordinates are `names`."""
    return eval(formula.replace("^", "**"), {**vars(math), "__builtins__": {}}, names)  # formulas of this file only


def potential(draw, n, gravity):
    """A weak spring for every coordinate keeps the motion in reach; some of the others bend it."""
    terms = [f"{draw.number(0.1, 1)}/2*q{i}^2" for i in range(n)]
    for _ in range(draw.whole(1, 3)):
        i, j = draw.whole(0, n - 1), draw.whole(0, n - 1)
        a, b = draw.number(0.2, 2), draw.number(0.5, 2)
        terms.append(draw.one([f"{a}/4*q{i}^4", f"-{a}*cos({b}*q{i})", f"{a}*exp(-{b}*(q{i}^2 + q{j}^2))",
                               f"{a}*log(cosh({b}*q{i}))", f"{a}/2*(q{i} - q{j})^2", f"{a}*exp(0.3*(q{i} - q{j}))",
                               f"{a}*sqrt(1 + {b}*q{i}^2)", f"{a}/3*q{i}^2*q{j}^2"]))
    terms += [f"{draw.number(2, 12)}*q{i}" for i in gravity]
    return terms


def gap(draw, n, i, start, margin):
    """A smooth formula, positive by `margin` at the start, that names coordinate i."""
    j = draw.whole(0, n - 1)
    a, b = draw.number(0.1, 0.4), draw.number(0.5, 2)
    kinds = [f"q{i}", f"q{i}", f"q{i} + {a}*sin({b}*q{j})", "-(" + " + ".join(f"q{k}^2" for k in range(n)) + ")",
             f"-q{i} - {a}*q{j}^2"]
    if j != i:
        kinds += [f"q{i} - q{j}", f"q{i} - {a}*q{j}"]
        kinds += [f"(q{i} - {start[i] - 1.5!r})^2 + (q{j} - {start[j]!r})^2"]  # outside of a circle beside the start
    formula = draw.one(kinds)
    offset = margin - value(formula, {f"q{k}": start[k] for k in range(n)})
    return f"{formula} + ({offset!r})"


def mass(draw, n, kind):
    """A list of entries, or a matrix, as it is written in a scene."""
    diagonal = [draw.number(0.5, 3) for _ in range(n)]
    if kind == "matrix" and n > 1:
        rows = [[f"{diagonal[i]}" if i == j else "0" for j in range(n)] for i in range(n)]
        for i in range(n - 1):  # smaller than the diagonal: positive definite
            rows[i][i + 1] = rows[i + 1][i] = f"{draw.number(-0.2, 0.2)}"
        return "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"
    if kind == "bent":
        return "[" + ", ".join(f'"{m}*(1 + {draw.number(0.1, 0.4)}*cos(q{draw.whole(0, n - 1)})^2)"' for m in diagonal) + "]"
    return "[" + ", ".join(f"{m}" for m in diagonal) + "]"


def lagrangian(draw, n, terms, law):
    """A text of L; whether it is quadratic in the velocities, which laws other than the elastic one need."""
    c = draw.number(8, 20)
    kinetic, kind = [], draw.one(["bent", "turned", "relativistic"] if law == "elastic" else ["bent", "turned"])
    for i in range(n):
        m = draw.number(0.5, 3)
        j = draw.whole(0, n - 1)
        if kind == "relativistic":
            kinetic.append(f"-{m}*{c}^2*sqrt(1 - v_q{i}^2/{c}^2)")
        else:
            kinetic.append(f"{m}/2*v_q{i}^2*(1 + {draw.number(0.1, 0.3)}*cos(q{j}))")
    if kind == "turned":
        kinetic += [f"{draw.number(0.2, 1)}*q{i}*v_q{(i + 1) % n}" for i in range(n)]
    if kind == "bent" and n > 1:
        kinetic.append("0.15*v_q0*v_q1*cos(q0 - q1)")
    return " + ".join(kinetic) + " - (" + " + ".join(terms) + ")", kind != "relativistic"


def integrator(draw, conservative, constant_mass, rough):
    """The table [integrator] as text, and whether the principle is weak. One closure of fifteen need not fit the system."""
    weak = draw.chance(0.15 if conservative else 0.3)
    if weak:
        rule = draw.one([r for r in RULES if r not in COMPOSED])
        lines = ['principle = "weak"', f'activation = "{draw.one(["start", "middle", "end"])}"', f'rule = "{rule}"']
    else:
        rule = draw.one(RULES)
        if rough:
            rule = draw.one(["trapezoid", "trapezoid", "midpoint"])
        closures = ["variational", "variational", "reflection", "auto"]
        if conservative and not rough:
            closures += ["interpolated"] if rule not in COMPOSED else []
            closures += ["shadow2", "shadow4"] if constant_mass and rule == "trapezoid" else []
        if draw.chance(1 / 15):
            closures = ["shadow2", "shadow4", "interpolated"]
        closure = draw.one(closures)
        lines = ['principle = "strong"', f'rule = "{rule}"', f'closure = "{closure}"']
        if closure == "interpolated":
            lines.append(f"order = {draw.one([4, 6, 8, 10])}")
    if rule == "rectangle":
        lines.append(f"gamma = {draw.number(0.2, 0.8)}")
    return "\n".join(["[integrator]"] + lines), weak


def impact(draw, law, quadratic, weak):
    """The table [impact] as text. The weak principle has Newton's law alone; one of ten is another, which is refused."""
    lines = ["[impact]"]
    if law == "elastic":
        lines.append('law = "elastic"')
    else:
        names = ["newton", "poisson"] if law == "friction" else ["newton", "poisson", "stronge", "canonical", "sequential"]
        name = "newton" if weak and not draw.chance(0.1) else draw.one(names)
        e = draw.number(0, 0.95) if quadratic else 1
        lines += [f'law = "{name}"', f"restitution = {e}"]
        if law == "friction" and name == "newton" or draw.chance(0.1):
            lines.append("allow_energy_gain = true")
        if law == "restitution" and draw.chance(0.15):
            lines.append('dissipation = "balance"')
    return "\n".join(lines)


def scene(seed, number):
    """The text of the scene of this number."""
    draw = Draw(seed, number)
    law = ("elastic", "friction", "elastic", "restitution")[number % 4]
    given_by_lagrangian = number % 16 in (2, 3, 13)
    n = draw.whole(2 if law == "friction" else 1, 3 if given_by_lagrangian else 6)
    count = draw.whole(1, 4 if law != "friction" else min(2, n - 1))
    start = [draw.number(-0.5, 0.5) for _ in range(n)]
    velocity = [draw.number(-1.5, 1.5) for _ in range(n)]
    normals = draw.order(n)[:count]
    touching = draw.chance(0.15)  # the first gap is closed at the start, and at rest
    spatial = law == "friction" and n >= 3 and draw.chance(0.3)
    step = draw.one([0.005, 0.01, 0.02])
    moving = law != "friction" and draw.chance(0.08)

    terms = potential(draw, n, normals)
    if law != "elastic" and draw.chance(0.1):
        terms.append(f"{draw.number(0.2, 1)}*q0*sin({draw.number(1, 3)}*t)")
    lines = [f'title = "Random system {number}"', "[time]", f"step = {step}", f"end = {draw.number(3, 5)}", "[system]",
             "coordinates = [" + ", ".join(f'"q{i}"' for i in range(n)) + "]"]
    quadratic, constant = True, False
    if given_by_lagrangian:
        text, quadratic = lagrangian(draw, n, terms, law)
        lines.append(f'lagrangian = "{text}"')
    else:
        kind = draw.one(["diagonal", "diagonal", "matrix", "bent"])
        constant = kind != "bent"
        lines.append("mass = [" + ", ".join([f"{draw.number(0.5, 3)}"] * n) + "]" if spatial else
                     "mass = " + mass(draw, n, kind))
        lines.append('potential = "' + " + ".join(terms) + '"')

    gaps = []
    for place, i in enumerate(normals):
        margin = 0 if place == 0 and touching else draw.number(0.05, 0.5)
        gaps += ["[[gap]]", f'name = "gap {place}"']
        if law == "friction":
            others = [k for k in range(n) if k not in normals] or [(i + 1) % n]
            k = draw.one(others)
            flat = spatial or place > 0 or draw.chance(0.6)
            formula = f"q{i}" if flat else f"q{i} + {draw.number(0.05, 0.2)}*sin(q{k})"
            offset = margin - value(formula, {f"q{j}": start[j] for j in range(n)})
            tangents = [f"q{k}"]
            if spatial and len(others) > 1:
                tangents = [f"q{others[0]}", f"q{others[1]}"]
            elif draw.chance(0.5):
                tangents = [f"q{k} + {draw.number(-0.6, 0.6)}*q{i}"]
            elif draw.chance(0.2):
                tangents = [f"q{k} - {draw.number(0.2, 1)}*t"]  # a belt
            gaps += [f'expression = "{formula} + ({offset!r})"', "tangent = [" + ", ".join(f'"{t}"' for t in tangents) + "]",
                     f"friction = {draw.number(0.05, 0.9)}"]
        else:
            formula = gap(draw, n, i, start, margin) if margin else f"q{i} + ({-start[i]!r})"
            if moving and place == count - 1:
                formula += f" + {draw.number(0.02, 0.1)}*sin({draw.number(1, 4)}*t)"
            gaps.append(f'expression = "{formula}"')
        if margin == 0:
            velocity[i] = 0.0
            if law == "friction":  # the slip of a wavy floor would open or close the gap
                velocity = [0.0 if f"q{k}" in gaps[-3] else v for k, v in enumerate(velocity)]
    lines += [f"position = {start}", f"velocity = {velocity}"] + gaps
    damped = law != "elastic" and draw.chance(0.2)
    if damped:
        d = draw.number(0.05, 0.5)
        lines += ["[[force]]", "components = [" + ", ".join(f'"-{d}*v_q{i}"' for i in range(n)) + "]"]
    text, weak = integrator(draw, law == "elastic" and not moving, constant, law == "friction")
    lines += [impact(draw, law, quadratic, weak), text]
    lines += ["[record]", f"every = {draw.one([1, 1, 1, 7])}"]
    if draw.chance(0.1):
        lines.append(f"stroboscope = {draw.number(0.1, 0.4)}")
    if draw.chance(0.1):
        lines.append(f'section = "v_q{n - 1}"')
    if not weak and law != "friction" and draw.chance(0.15):
        lines += ["[derivatives]", 'with_respect_to = ["position", "momentum"]', "every = 10"]
    return "\n".join(lines) + "\n"
