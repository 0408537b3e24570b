"""Python functions as expressions of scenes.

A function is called once, with symbols instead of numbers; what it does to them is written down as an expression of the
scene language. The run then evaluates that expression, with exact derivatives, and never comes back to Python. So a
function may use arithmetic, powers, comparisons (joined by &, |, ~) through `ricochet.where`, the functions below or
those of numpy (numpy calls the methods of the symbols), loops over fixed ranges and other such functions; it may not
branch on a symbol.
"""
import math
import numbers
import warnings

_FUNCTIONS = ("sin cos tan asin acos atan sinh cosh tanh exp log sqrt").split()
_MORE = ("log10", "cbrt", "sign", "floor", "ceil", "abs")  # of one number; Python's own have other names or none
_PAIRS = ("atan2", "hypot", "mod", "min", "max")
# numpy.mod has the sign of the second number, as mod of expressions; that of numpy.fmod is another function.
_NUMPY = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "absolute": "abs", "fabs": "abs", "arctan2": "atan2",
          "remainder": "mod", "minimum": "min", "maximum": "max"}
_OPERATORS = {"add": "__add__", "subtract": "__sub__", "multiply": "__mul__", "divide": "__truediv__",
              "true_divide": "__truediv__", "power": "__pow__", "float_power": "__pow__", "less": "__lt__",
              "less_equal": "__le__", "greater": "__gt__", "greater_equal": "__ge__", "equal": "__eq__",
              "not_equal": "__ne__"}
_CONDITIONS = {"logical_and": "__and__", "bitwise_and": "__and__", "logical_or": "__or__", "bitwise_or": "__or__"}
_BRANCHES = "the function branches on a value that is not known before the run: use ricochet.where(condition, a, b)"
LONGEST = 1 << 20


class TraceError(TypeError):
    """A function that cannot be written as an expression."""


def text_of(value):
    """An expression for a number or a symbol."""
    if isinstance(value, Symbol):
        return value.text
    if isinstance(value, Condition):
        raise TraceError("a condition is no number: use ricochet.where(condition, a, b)")
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        value = float(value)
        if not math.isfinite(value):
            raise TraceError(f"{value} is no number that an expression can hold")
        return repr(value) if value >= 0 else f"({value!r})"
    raise TraceError(f"{value!r} is neither a number nor a symbol")


def _plain(x):
    """numpy's numbers and its arrays without an axis as what they hold."""
    return x.item() if hasattr(x, "item") else x


class _Traced:
    """What numbers and conditions share: they are not known yet."""

    __slots__ = ("text",)
    __array_priority__ = 1000  # numpy hands arithmetic with its numbers over to us

    def __init__(self, text):
        if len(text) > LONGEST:
            raise TraceError("the function grows into more than a megabyte of expression: give it as text, with "
                             "parameters for what repeats")
        self.text = text

    def __bool__(self):
        raise TraceError(_BRANCHES)

    def __repr__(self):
        return f"{type(self).__name__}({self.text!r})"

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """numpy's functions and operators on symbols, one by one or with arrays."""
        import numpy
        if method != "__call__" or kwargs:
            return NotImplemented
        if any(isinstance(x, numpy.ndarray) and x.ndim > 0 for x in inputs):
            rows = numpy.broadcast(*(x if isinstance(x, numpy.ndarray) else numpy.array(x, dtype=object)
                                     for x in inputs))
            answers = numpy.empty(rows.shape, dtype=object)
            answers.flat = [_applied(ufunc, [_plain(x) for x in row]) for row in rows]
            return answers
        return _applied(ufunc, [_plain(x) for x in inputs])


def _applied(ufunc, inputs):
    """A function of numpy's of symbols, conditions and numbers."""
    name = _NUMPY.get(ufunc.__name__, ufunc.__name__)
    if not any(isinstance(x, _Traced) for x in inputs):
        return _plain(ufunc(*inputs))
    if name in _CONDITIONS or name in ("logical_not", "invert"):
        for x in inputs:
            _require_condition(x, f"numpy.{ufunc.__name__} takes conditions")
        if len(inputs) == 1:
            return ~inputs[0]
        first, second = inputs if isinstance(inputs[0], Condition) else inputs[::-1]
        return getattr(first, _CONDITIONS[name])(second)
    if name in _OPERATORS:
        first = inputs[0] if isinstance(inputs[0], Symbol) else Symbol(text_of(inputs[0]))
        text_of(inputs[1])  # refuses what is no number
        return getattr(first, _OPERATORS[name])(inputs[1])
    if name in ("negative", "positive", "square"):
        text_of(inputs[0])
        return -inputs[0] if name == "negative" else inputs[0] if name == "positive" else inputs[0] ** 2
    if name in _FUNCTIONS or name in _MORE:
        return Symbol(f"{name}({text_of(inputs[0])})")
    if name in _PAIRS:
        return Symbol(f"{name}({text_of(inputs[0])}, {text_of(inputs[1])})")
    raise TraceError(f"numpy.{ufunc.__name__} has no counterpart in the expressions of scenes")


class Condition(_Traced):
    """A comparison of symbols: for `ricochet.where`, joined by & (and), | (or), ~ (not)."""

    __slots__ = ()

    def __and__(self, other):
        other = _plain(other)
        if isinstance(other, bool):
            return self if other else False
        _require_condition(other, "& joins conditions")
        return Condition(f"({self.text} and {other.text})")

    def __or__(self, other):
        other = _plain(other)
        if isinstance(other, bool):
            return True if other else self
        _require_condition(other, "| joins conditions")
        return Condition(f"({self.text} or {other.text})")

    __rand__, __ror__ = __and__, __or__
    def __invert__(self): return Condition(f"(not {self.text})")

    def _no_number(self, other=None):
        text_of(self)  # raises

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_number
    __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = __float__ = __int__ = _no_number
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _no_number  # otherwise two conditions would just differ
    __hash__ = object.__hash__


def _require_condition(x, what):
    if not isinstance(x, (Condition, bool)):
        raise TraceError(f"{what}, as q.x < 1, and {x!r} is none")


class Symbol(_Traced):
    """A number that is not known yet."""

    __slots__ = ()

    def _with(self, other, form, swap=False, kind=None):
        try:
            other = text_of(other)
        except TraceError:
            if isinstance(other, Condition):
                raise
            return NotImplemented
        a, b = (other, self.text) if swap else (self.text, other)
        return (kind or Symbol)(form.format(a, b))

    def __add__(self, other): return self._with(other, "({} + {})")
    def __radd__(self, other): return self._with(other, "({} + {})", True)
    def __sub__(self, other): return self._with(other, "({} - {})")
    def __rsub__(self, other): return self._with(other, "({} - {})", True)
    def __mul__(self, other): return self._with(other, "({} * {})")
    def __rmul__(self, other): return self._with(other, "({} * {})", True)
    def __truediv__(self, other): return self._with(other, "({} / {})")
    def __rtruediv__(self, other): return self._with(other, "({} / {})", True)
    def __mod__(self, other): return self._with(other, "mod({}, {})")
    def __rmod__(self, other): return self._with(other, "mod({}, {})", True)
    def __rpow__(self, other): return self._with(other, "({} ^ {})", True)
    def __lt__(self, other): return self._with(other, "({} < {})", kind=Condition)
    def __le__(self, other): return self._with(other, "({} <= {})", kind=Condition)
    def __gt__(self, other): return self._with(other, "({} > {})", kind=Condition)
    def __ge__(self, other): return self._with(other, "({} >= {})", kind=Condition)
    def __eq__(self, other): return self._with(other, "({} == {})", kind=Condition)
    def __ne__(self, other): return self._with(other, "({} != {})", kind=Condition)
    __hash__ = object.__hash__
    def __neg__(self): return Symbol(f"(-{self.text})")
    def __pos__(self): return self
    def __abs__(self): return Symbol(f"abs({self.text})")
    def __floor__(self): return Symbol(f"floor({self.text})")
    def __ceil__(self): return Symbol(f"ceil({self.text})")

    def __pow__(self, other):
        if isinstance(other, numbers.Real) and float(other).is_integer():
            return Symbol(f"({self.text} ^ {int(other) if other >= 0 else f'({int(other)})'})")
        return self._with(other, "({} ^ {})")

    def _no_bits(self, other=None):
        raise TraceError("&, | and ~ join conditions, as (q.x > 0) & (q.y > 0), not numbers")

    __and__ = __rand__ = __or__ = __ror__ = __invert__ = _no_bits

    def __float__(self):
        raise TraceError("the function needs the number behind a symbol (math.sin? use numpy.sin or ricochet.sin)")

    __int__ = __index__ = __float__

    # numpy calls these for symbols in arrays of objects.
    def arctan2(self, other): return Symbol(f"atan2({self.text}, {text_of(other)})")
    def hypot(self, other): return Symbol(f"hypot({self.text}, {text_of(other)})")
    def log10(self): return Symbol(f"log10({self.text})")
    def cbrt(self): return Symbol(f"cbrt({self.text})")


def _function(name):
    def apply(x):
        if isinstance(x, Symbol):
            return Symbol(f"{name}({x.text})")
        return getattr(math, name)(x)

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = f"{name} of a number, or of a symbol inside a traced function."

    def method(self):
        return Symbol(f"{name}({self.text})")

    setattr(Symbol, name, method)
    return apply


sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt = (_function(name) for name in _FUNCTIONS)
for _numpy_name, _name in _NUMPY.items():
    if _name in _FUNCTIONS:
        setattr(Symbol, _numpy_name, getattr(Symbol, _name))


def minimum(a, b):
    """The smaller of two numbers or symbols."""
    if isinstance(a, Symbol) or isinstance(b, Symbol):
        return Symbol(f"min({text_of(a)}, {text_of(b)})")
    return min(a, b)


def maximum(a, b):
    """The larger of two numbers or symbols."""
    if isinstance(a, Symbol) or isinstance(b, Symbol):
        return Symbol(f"max({text_of(a)}, {text_of(b)})")
    return max(a, b)


def where(condition, a, b):
    """`a` where the condition holds, `b` elsewhere; only the taken one is evaluated in a run."""
    if isinstance(condition, Symbol):
        raise TraceError(f"the condition of ricochet.where is a comparison, as q.x < 1, not the number {condition!r}")
    if isinstance(condition, Condition):
        return Symbol(f"if({condition.text}, {text_of(a)}, {text_of(b)})")
    return a if condition else b


class Point(tuple):
    """Symbols that are also attributes: q[0] or q.x, v[0] or v.x."""

    def __new__(cls, names, prefix=""):
        point = super().__new__(cls, (Symbol(prefix + name) for name in names))
        point.__dict__.update(zip(names, point))
        return point


def trace(function, arguments, what):
    """What `function(*arguments)` returns, as one expression or a list of them."""
    import numpy
    name = getattr(function, "__name__", repr(function))
    try:
        with warnings.catch_warnings():
            # numpy before 1.25 takes == of an array for False where the answer has no truth value, and only warns.
            warnings.filterwarnings("error", "elementwise comparison failed", DeprecationWarning)
            value = function(*arguments)
    except TraceError as error:
        raise TraceError(f"{what} ({name}): {error}") from None
    except DeprecationWarning as warning:
        if "elementwise comparison" not in str(warning):
            raise
        raise TraceError(f"{what} ({name}): {_BRANCHES}") from None
    if isinstance(value, numpy.ndarray):
        value = value.tolist()
    try:
        if isinstance(value, (list, tuple)):
            return [[text_of(x) for x in row] if isinstance(row, (list, tuple)) else text_of(row) for row in value]
        return text_of(value)
    except TraceError as error:
        raise TraceError(f"{what} ({name}) returned something else than numbers and symbols: {error}") from None
