"""Python functions as expressions of scenes.

A function is called once, with symbols instead of numbers; what it does to them is written down as an expression of the
scene language. The run then evaluates that expression, with exact derivatives, and never comes back to Python. So a
function may use arithmetic, powers, comparisons through `ricochet.where`, the functions below or those of numpy (numpy
calls the methods of the symbols), loops over fixed ranges and other such functions; it may not branch on a symbol.
"""
import math
import numbers

_FUNCTIONS = ("sin cos tan asin acos atan sinh cosh tanh exp log sqrt").split()
_NUMPY = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "absolute": "abs", "fabs": "abs"}
LONGEST = 1 << 20


class TraceError(TypeError):
    """A function that cannot be written as an expression."""


def text_of(value):
    """An expression for a number or a symbol."""
    if isinstance(value, Symbol):
        return value.text
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        value = float(value)
        if not math.isfinite(value):
            raise TraceError(f"{value} is no number that an expression can hold")
        return repr(value) if value >= 0 else f"({value!r})"
    raise TraceError(f"{value!r} is neither a number nor a symbol")


class Symbol:
    """A number that is not known yet."""

    __slots__ = ("text",)
    __array_priority__ = 1000  # numpy hands arithmetic with its numbers over to us

    def __init__(self, text):
        if len(text) > LONGEST:
            raise TraceError("the function grows into more than a megabyte of expression: give it as text, with "
                             "parameters for what repeats")
        self.text = text

    def _with(self, other, form, swap=False):
        try:
            other = text_of(other)
        except TraceError:
            return NotImplemented
        a, b = (other, self.text) if swap else (self.text, other)
        return Symbol(form.format(a, b))

    def __add__(self, other): return self._with(other, "({} + {})")
    def __radd__(self, other): return self._with(other, "({} + {})", True)
    def __sub__(self, other): return self._with(other, "({} - {})")
    def __rsub__(self, other): return self._with(other, "({} - {})", True)
    def __mul__(self, other): return self._with(other, "({} * {})")
    def __rmul__(self, other): return self._with(other, "({} * {})", True)
    def __truediv__(self, other): return self._with(other, "({} / {})")
    def __rtruediv__(self, other): return self._with(other, "({} / {})", True)
    def __rpow__(self, other): return self._with(other, "({} ^ {})", True)
    def __lt__(self, other): return self._with(other, "({} < {})")
    def __le__(self, other): return self._with(other, "({} <= {})")
    def __gt__(self, other): return self._with(other, "({} > {})")
    def __ge__(self, other): return self._with(other, "({} >= {})")
    def __neg__(self): return Symbol(f"(-{self.text})")
    def __pos__(self): return self
    def __abs__(self): return Symbol(f"abs({self.text})")

    def __pow__(self, other):
        if isinstance(other, numbers.Real) and float(other).is_integer():
            return Symbol(f"({self.text} ^ {int(other) if other >= 0 else f'({int(other)})'})")
        return self._with(other, "({} ^ {})")

    def __bool__(self):
        raise TraceError("the function branches on a value that is not known before the run: use "
                         "ricochet.where(condition, a, b)")

    def __float__(self):
        raise TraceError("the function needs the number behind a symbol (math.sin? use numpy.sin or ricochet.sin)")

    __int__ = __index__ = __float__

    def __repr__(self):
        return f"Symbol({self.text!r})"

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """numpy's functions and operators on symbols, one by one or in arrays of objects."""
        import numpy
        if method != "__call__" or kwargs:
            return NotImplemented
        if any(isinstance(x, numpy.ndarray) and x.ndim > 0 for x in inputs):
            inputs = [x if isinstance(x, numpy.ndarray) else numpy.array(x, dtype=object) for x in inputs]
            return ufunc(*(x.astype(object) for x in inputs))
        plain = [x.item() if isinstance(x, (numpy.ndarray, numpy.generic)) else x for x in inputs]
        operators = {"add": "__add__", "subtract": "__sub__", "multiply": "__mul__", "divide": "__truediv__",
                     "true_divide": "__truediv__", "power": "__pow__", "float_power": "__pow__", "less": "__lt__",
                     "less_equal": "__le__", "greater": "__gt__", "greater_equal": "__ge__"}
        if ufunc.__name__ in operators:
            first = plain[0] if isinstance(plain[0], Symbol) else Symbol(text_of(plain[0]))
            return getattr(first, operators[ufunc.__name__])(plain[1])
        name = _NUMPY.get(ufunc.__name__, ufunc.__name__)
        if name in ("negative", "positive"):
            return -plain[0] if name == "negative" else plain[0]
        if name == "square":
            return plain[0] ** 2
        if name in ("minimum", "maximum"):
            return Symbol(f"{name[:3]}({text_of(plain[0])}, {text_of(plain[1])})")
        if name in _FUNCTIONS or name == "abs":
            return Symbol(f"{name}({text_of(plain[0])})")
        raise TraceError(f"numpy.{ufunc.__name__} has no counterpart in the expressions of scenes")


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
    if _name != "abs":
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
        value = function(*arguments)
    except TraceError as error:
        raise TraceError(f"{what} ({name}): {error}") from None
    if isinstance(value, numpy.ndarray):
        value = value.tolist()
    try:
        if isinstance(value, (list, tuple)):
            return [[text_of(x) for x in row] if isinstance(row, (list, tuple)) else text_of(row) for row in value]
        return text_of(value)
    except TraceError as error:
        raise TraceError(f"{what} ({name}) returned something else than numbers and symbols: {error}") from None
