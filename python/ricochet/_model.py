"""What a system in Python is made into: the tree that runs are built from, and the same as text for records."""
import numbers

from . import _toml
from ._errors import SceneError
from ._numeric import Placed


class Model:
    """A system with its step and its end, as `run`, `simulate` and `check` take it in the place of a scene.

    `tree` is the scene as dicts, lists, numbers, texts and functions. `text` is the same for people and records: it
    names what was given as functions of numbers and cannot hold them. `name` is what the scene is called in records.
    """

    name = "scene.toml"

    def __init__(self, tree):
        self.tree = tree
        self.numeric = [*_placed(tree)]
        self.text = _text(tree)

    def __repr__(self):
        return f"<ricochet.Model of {', '.join(self.tree['system']['coordinates'])}>"


def plain(x):
    """Lists, dicts, numbers and texts of Python's own; a numeric function that has its place stays as it is."""
    if isinstance(x, Placed):
        return x
    if hasattr(x, "tolist"):  # numpy
        x = x.tolist()
    if isinstance(x, bool):
        return x
    if isinstance(x, str):
        return _unicode(x)
    if isinstance(x, numbers.Integral):
        return int(x)
    if isinstance(x, numbers.Real):
        return float(x)
    if isinstance(x, (list, tuple)):
        return [plain(y) for y in x]
    if isinstance(x, dict):
        for name in x:
            _toml.require_key(name)
            _unicode(name)
        return {name: plain(y) for name, y in x.items()}
    raise SceneError(f"{x!r} of type {type(x).__name__} cannot stand in a scene")


def _unicode(text):
    """Lone surrogates, as of bytes that are no UTF-8, stand in no scene."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SceneError(f"the text {text!r} is not Unicode") from None
    return text


def table(entries):
    """The same of a table; entries that are None are left out."""
    return plain({name: x for name, x in entries.items() if x is not None})


def _placed(x):
    if isinstance(x, Placed):
        yield x
    elif isinstance(x, (list, dict)):
        for y in x.values() if isinstance(x, dict) else x:
            yield from _placed(y)


def _text(tree):
    notes = [f"# {placed.name}: a numeric function, which this text cannot hold" for placed in _placed(tree)]
    parts = []
    for name, entries in tree.items():
        if isinstance(entries, list):
            parts += [_toml.table(f"[[{name}]]", one) for one in entries]
        else:
            parts.append(_toml.table(f"[{name}]", entries) if isinstance(entries, dict) else
                         _toml.table("", {name: entries}))
    return "\n".join([*notes, *parts])
