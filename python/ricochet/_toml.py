"""Python values as TOML: what scenes and overrides are written in."""
import math
import numbers
from collections.abc import Mapping

from ._errors import SceneError
from ._numeric import Placed


def value(x):
    """One TOML value. A numeric function is only named."""
    if isinstance(x, Placed):
        x = {"given": x.name, **({"timed": True} if x.timed else {})}
    if hasattr(x, "tolist"):  # numpy
        x = x.tolist()
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, numbers.Integral):
        return str(int(x))
    if isinstance(x, numbers.Real):
        x = float(x)
        return repr(x) if math.isfinite(x) else "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    if isinstance(x, str):
        return '"' + "".join(_ESCAPES.get(c, c if c >= " " and c != "\x7f" else f"\\u{ord(c):04X}") for c in x) + '"'
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(value(y) for y in x) + "]"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{key(k)} = {value(v)}" for k, v in x.items()) + "}"
    raise SceneError(f"{x!r} of type {type(x).__name__} cannot stand in a scene")


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def require_key(name):
    if not isinstance(name, str):
        raise SceneError(f"a key of a scene is a text, not {name!r}")


def key(name):
    require_key(name)
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else value(name)


def table(header, entries):
    """A table; entries that are None are left out."""
    lines = [header] if header else []
    return "\n".join(lines + [f"{key(k)} = {value(v)}" for k, v in entries.items() if v is not None]) + "\n"


def overrides(mapping, keywords):
    """`--set` texts from {"system.velocity[0]": 1} and time__end=3."""
    if mapping is not None and not isinstance(mapping, Mapping):
        raise SceneError(f'overrides are a dict, as {{"time.end": 3}}, not {mapping!r}')
    merged = dict(mapping or {})
    for name, x in keywords.items():
        merged[name.replace("__", ".")] = x
    return [_text(f"{path}={value(x)}") for path, x in merged.items()]


def _text(assignment):
    """Bytes of a command line that are no UTF-8 arrive here as lone surrogates, which no scene can hold."""
    try:
        assignment.encode()
    except UnicodeEncodeError:
        raise SceneError(f"the override {assignment!r} is not Unicode text") from None
    return assignment
