"""Functions of numbers with the derivatives their author gives, for what cannot be written as an expression."""
import inspect
from collections import namedtuple

from ._errors import Error, SceneError


#: A numeric function in its place, as the compiled half takes it: `kind` is potential, lagrangian, gap, constraint or
#: force, `name` what sentences call it, `moves` and `timed` say whether velocities and the time are variables, `n` is
#: the number of coordinates.
Placed = namedtuple("Placed", "kind index name moves timed value gradient hessian curvature n")


class Numeric:
    """A function that is called with numbers during the run: a table, another program, anything Python can compute.

        spring = ricochet.Numeric(lambda q: energy(q), gradient=lambda q: slope(q), hessian=lambda q: bend(q))
        system = ricochet.System(..., potential=spring, gaps={"wall": ricochet.Numeric(distance, gradient=normal)})

    `value(q)` gets the coordinates as an array and returns a number, `gradient(q)` one per coordinate, `hessian(q)` a
    symmetric matrix. If `value` takes a second argument, the time, so do the others, and their last row is the
    derivative by it. A lagrangian is `value(q, v)` or `value(q, v, t)`, with derivatives by all of these, and so is a
    force, which returns one number per coordinate; its gradient, a matrix with a column per variable, may be left out.
    The gradient of everything else is needed. Before a run it is compared with differences of `value`.

    The hessian may be left out: of a gap it is then made of differences of the gradient, and so is that of a potential
    where only Newton's iterations see it; a lagrangian and the closures shadow2 and shadow4 need it. `curvature` is a
    bound of the hessian's norm wherever the motion goes; with it no impact on a gap can be missed, without it the bound
    is measured.
    """

    def __init__(self, value, gradient=None, hessian=None, curvature=None):
        for what, function in (("value", value), ("gradient", gradient), ("hessian", hessian)):
            if not callable(function) and not (function is None and what != "value"):
                raise SceneError(f"the {what} of a numeric function must be a function, not {function!r}")
        if curvature is not None and not (isinstance(curvature, (int, float)) and curvature >= 0):
            raise SceneError(f"curvature must be a number that is not negative, not {curvature!r}")
        self.value, self.gradient, self.hessian, self.curvature = value, gradient, hessian, curvature

    def placed(self, kind, index, name, n):
        """Checked for the place it takes in a system of n coordinates."""
        moves = kind in ("force", "lagrangian")
        if self.gradient is None and kind != "force":
            raise SceneError(f"{name} needs its gradient: ricochet.Numeric(value, gradient=...)")
        if self.hessian is None and kind == "lagrangian":
            raise SceneError(f"{name} needs its hessian: the masses are in it")
        least = 2 if moves else 1
        count = _arguments(self.value, least)
        if count not in (least, least + 1):
            raise SceneError(f"{name} must take {least} or {least + 1} arguments, not {count}")
        if count > least and kind == "constraint":
            raise SceneError(f"{name} cannot depend on time")
        for what, function in (("gradient", self.gradient), ("hessian", self.hessian)):
            if function is not None and _arguments(function, count) != count:
                raise SceneError(f"the {what} of {name} must take {count} arguments like {name} itself, not "
                                 f"{_arguments(function, count)}")
        curvature = None if self.curvature is None else float(self.curvature)
        return Placed(kind, index, name, moves, count > least, self.value, self.gradient, self.hessian, curvature, n)


def _arguments(function, default):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return default
    count = sum(1 for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty)
    return max(count, default) if any(p.kind is p.VAR_POSITIONAL for p in parameters) else count  # *args takes any


def check(numeric, q, v):
    """Compares the derivatives that were given with differences, at the start and beside it."""
    import numpy
    n = len(q)
    for _, _, name, moves, timed, value, gradient, hessian, *_ in numeric:
        start = numpy.concatenate([q, *([v] if moves else []), *([[0.0]] if timed else [])])

        def called(function):
            def apply(x):
                arguments = [x[:n].copy()] + ([x[n:2 * n].copy()] if moves else []) + ([float(x[-1])] if timed else [])
                return numpy.asarray(function(*arguments), float).ravel()
            return apply

        pairs = [("the gradient", value, gradient), ("the hessian", gradient, hessian)]
        for what, f, derivative in pairs:
            if f is None or derivative is None:
                continue
            for k in range(3):
                # Beside the start too: at a minimum every multiple of the gradient is right.
                scatter = numpy.array([numpy.sin(5.0 * k * (j + 1)) for j in range(len(start))])
                x = start + 0.01 * scatter * (1 + numpy.abs(start))
                try:
                    given, count = called(derivative)(x), len(called(f)(x)) * len(start)
                    if len(given) != count:
                        raise SceneError(f"{what} of {name} must return {count} numbers"
                                         + (" (the time is the last variable)" if timed else "") + f", not {len(given)}")
                    given = given.reshape(-1, len(start))
                    wanted, doubt = _differences(called(f), x)
                except Error:
                    raise
                except Exception as error:
                    if k > 0:  # beside the start it may have no value
                        continue
                    raise SceneError(f"{name} or {what} of it raised {type(error).__name__} at the start: {error}"
                                     ) from error
                if not (numpy.isfinite(wanted).all() and numpy.isfinite(given).all()):
                    continue  # the run says what is not finite
                size = max(numpy.abs(wanted).max(), numpy.abs(given).max())
                wrong = numpy.abs(given - wanted) - (1e-5 * size + 10 * doubt)
                if wrong.max() > 0:
                    i, j = numpy.unravel_index(wrong.argmax(), wrong.shape)
                    place = f"[{j}]" if len(given) == 1 else f"[{i}][{j}]"
                    raise SceneError(f"{what} of {name} is wrong: {place} is {given[i, j]:.9g}, differences give "
                                     f"{wanted[i, j]:.9g} at q = {x[:n].tolist()}")


def _differences(f, x):
    """(∂f_i/∂x_k, how far two estimates of different step are apart)."""
    import numpy
    columns, doubts = [], []
    for k in range(len(x)):
        estimates = []
        for h in (1e-4, 0.5e-4):
            step = numpy.zeros(len(x))
            step[k] = h * (1 + abs(x[k]))
            estimates.append((f(x + step) - f(x - step)) / (2 * step[k]))
        columns.append((4 * estimates[1] - estimates[0]) / 3)  # Richardson
        doubts.append(numpy.abs(estimates[1] - estimates[0]))
    return numpy.array(columns).T, numpy.array(doubts).T
