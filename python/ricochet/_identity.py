"""What an impact law is made of, so that a sweep knows an edited one: a pickle names a function and does not hold it.

Counted are the code of the law and of every function and class of yours that it uses, and the values that they read:
globals, attributes of your modules, default arguments, cells, attributes of classes and objects. Not counted is what
is no part of the law: numbers of lines, the insides of what came with Python or was installed, and state, which is what
the law's own code sets, or changes in place if it is a list, a dict, a set or an array (of that the type counts).
Nothing depends on addresses or on the order of sets: another process finds the same.
"""
import array
import collections
import contextlib
import functools
import hashlib
import importlib.util
import json
import os
import pickle
import sys
import types
from collections.abc import Collection

import numpy

from ._bytecode import Code
from ._errors import SceneError

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_CHANGEABLE = (list, dict, set, bytearray, array.array, collections.deque, numpy.ndarray)
# Methods that build an object: what they set is what it is, and not what the law changes.
_BUILDERS = ("__init__", "__new__", "__post_init__", "__setstate__", "__setattr__", "__init_subclass__", "__set_name__")


def pickled(law):
    """For the workers of a sweep."""
    try:
        return pickle.dumps(law)
    except Exception as error:
        raise SceneError(f"the impact law cannot be sent to the workers ({error}): define it at the top of a module, "
                         "not as a lambda or inside a function") from None


def content(law):
    """What a law is made of, as nested lists of texts."""
    first = _Walk(set(), set())
    first.of(law)
    return _Walk(*first.state(law)).of(law)


class _Walk:
    """Through everything that a law reaches. `sets` and `changes` are what its code does to names, as in `Code`; names
    of globals have their module before them."""

    def __init__(self, sets, changes):
        self.sets, self.changes = sets, changes
        self.seen = {}  # by id: the number of an object, and the object, so that no other one gets its id
        self.codes = []  # of functions: (the name they are reached by, or None, their module, Code)

    def state(self, law):
        """What is set and what is changed by the code that a call of the law reaches: functions whose names occur in
        it, and special methods. Others may have been there to prepare the law."""
        while isinstance(law, functools.partial):
            law = law.func
        reached, left = {getattr(law, "__name__", None)}, self.codes
        sets, changes = set(), set()
        while True:
            now = [c for c in left if c[0] is None or c[0] in reached or c[0][:2] == "__" and c[0] not in _BUILDERS]
            if not now:
                return sets, changes
            left = [c for c in left if c not in now]
            for _, module, code in now:
                reached |= code.names - {*_BUILDERS}
                for found, total in ((code.sets, sets), (code.changes, changes)):
                    total.update((kind, module if kind == "global" else "", name) for kind, name in found)

    def of(self, x, by=None):
        """The content of anything; `by` is the name that a function is reached by."""
        if type(x) in _PLAIN:
            return [type(x).__name__, repr(x)]
        if type(x) is tuple:
            return ["tuple", [self.of(y) for y in x]]
        if type(x) in (set, frozenset):
            return [type(x).__name__, self._sorted(x)]
        if isinstance(x, types.CodeType):
            return ["code", x.co_code.hex(), repr((x.co_names, x.co_varnames, x.co_freevars, x.co_cellvars)),
                    repr((x.co_argcount, x.co_posonlyargcount, x.co_kwonlyargcount, x.co_flags)),
                    getattr(x, "co_exceptiontable", b"").hex(), [self.of(c) for c in x.co_consts]]
        if id(x) in self.seen:
            return ["again", self.seen[id(x)][0]]
        self.seen[id(x)] = len(self.seen), x
        if isinstance(x, types.FunctionType):
            return self._function(x, by)
        if isinstance(x, types.MethodType):
            return ["method", self.of(x.__func__), self.of(x.__self__)]
        if isinstance(x, types.ModuleType):
            return ["module", x.__name__, _source(x.__name__)]
        if isinstance(x, type):
            return self._class(x)
        if isinstance(x, (staticmethod, classmethod)):
            return [type(x).__name__, self.of(x.__func__, by)]
        if isinstance(x, property):
            return ["property", self.of(x.fget, by), *[self.of(f, "__setattr__") for f in (x.fset, x.fdel)]]
        if type(x) is list:
            return ["list", [self.of(y) for y in x]]
        if type(x) is dict:
            return ["dict", [[self.of(k), self.of(y)] for k, y in x.items()]]
        for wrapped in ("__wrapped__", "func" if isinstance(x, functools.cached_property) else "pyfunc"):
            if isinstance(getattr(x, wrapped, None), types.FunctionType):  # lru_cache, vectorize, …
                return ["wrapped", self.of(type(x)), self.of(getattr(x, wrapped), by)]
        return self._object(x)

    def _sorted(self, items):
        """Each as if it came first, for the order of a set is another one in every process."""
        before, texts = self.seen, []
        for y in items:
            self.seen = dict(before)
            texts.append(json.dumps(self.of(y)))
        self.seen = before
        return sorted(texts)

    def _function(self, x, by):
        name = ["function", x.__module__, x.__qualname__]
        if _installed(x.__module__):
            return name
        code, module = Code(x.__code__), x.__globals__.get("__name__", "")
        self.codes.append((by, module, code))
        own = {("local", "", name) for kind, name in code.changes if kind == "local"}
        arguments = x.__code__.co_varnames[:x.__code__.co_argcount]
        defaults = {**dict(zip(arguments[::-1], (x.__defaults__ or ())[::-1])), **(x.__kwdefaults__ or {})}
        cells = {}
        for cell, value in zip(x.__code__.co_freevars, x.__closure__ or ()):
            with contextlib.suppress(ValueError):  # empty as yet
                cells[cell] = value.cell_contents
        return [*name, self.of(x.__code__), self._named("local", sorted(defaults.items()), own, by=by),
                self._named("cell", cells.items(), by=by), self._globals(code, x.__globals__, module),
                self._named("attribute", [(k, v) for k, v in vars(x).items() if k[:2] != "__"]),
                [[m, _source(m), _source(f"{x.__globals__.get('__package__')}.{m}")] for m in sorted(code.imports)]]

    def _named(self, kind, items, own=frozenset(), module="", by=""):
        """The values of names, without state; functions among them are reached by these names or by another one."""
        found = []
        for name, value in items:
            key = (kind, module, name)
            if key in self.sets:
                continue
            if isinstance(value, _CHANGEABLE) and (key in self.changes or key in own):
                found.append([name, "state", type(value).__name__])
            else:
                found.append([name, self.of(value, name if by == "" else by)])
        return found

    def _globals(self, code, values, module):
        found = []
        for first, *rest in sorted(code.reads):
            if first not in values:
                continue
            where, name, value = module, first, values[first]
            while rest and isinstance(value, types.ModuleType) and not _installed(value.__name__) and hasattr(
                    value, rest[0]):
                where, name, value = value.__name__, rest[0], getattr(value, rest.pop(0))
            outside = where != module and ("attribute", "", name) in self.sets | self.changes  # module.name = …
            named = self._named("attribute" if outside else "global", [(name, value)], module="" if outside else where)
            found += [[where, *entry] for entry in named]
        return found

    def _class(self, x):
        if _installed(x.__module__):
            return ["class", x.__module__, x.__qualname__]
        members = []
        for name, value in sorted(vars(x).items()):
            if name[:2] == "__" == name[-2:] and not (callable(value) or hasattr(value, "__func__")):
                continue  # of the interpreter: the module, the text of the class, its line, …
            if ("attribute", "", name) in self.sets or isinstance(value, _CHANGEABLE):
                members += self._named("attribute", [(name, value)])
            else:
                members.append([name, self.of(value, name)])
        return ["class", x.__module__, x.__qualname__, members, [self.of(base) for base in x.__bases__]]

    def _object(self, x):
        """Its class, and what a pickle would hold of it, if it is one of yours, a function, or a value; of others, that
        may be generators of random numbers, files or locks, only the class."""
        kind = type(x)
        value = kind.__hash__ not in (None, object.__hash__) and kind.__eq__ is not object.__eq__
        if not (value or callable(x) or isinstance(x, (Collection, types.SimpleNamespace)) or not
                _installed(kind.__module__)):
            return ["object", self.of(kind)]
        parts = ()
        with contextlib.suppress(Exception):  # what cannot be pickled is known by its class
            parts = x.__reduce_ex__(4)
        if isinstance(parts, str):
            return ["object", self.of(kind), parts]
        parts = [*parts, *[None] * 5][:5]
        states = parts[2] if isinstance(parts[2], tuple) and len(parts[2]) == 2 else (parts[2],)  # with __slots__
        held = [self._named("attribute", s.items()) if type(s) is dict and {*map(type, s)} <= {str} else self.of(s)
                for s in states]
        return ["object", self.of(kind), *[self.of(part) for part in parts[:2]], held,
                *[[self.of(y) for y in part or ()] for part in parts[3:]]]


def _source(module):
    """The digest of the file of a module, or of a package's own one, if it is one of yours."""
    with contextlib.suppress(Exception):
        file = importlib.util.find_spec(module).origin if module not in sys.modules else sys.modules[module].__file__
        if not _came_along(file) and not _ours(module):
            with open(file, "rb") as f:
                return hashlib.sha256(f.read()).hexdigest()
    return ""


def _installed(module):
    """Whether a module came with Python or was installed: those are not edited between two calls."""
    if module == "__main__":
        return False
    return _ours(module) or _came_along(getattr(sys.modules.get(module), "__file__", None))


def _ours(module):
    """Of ricochet, whose version counts."""
    return str(module).partition(".")[0] == __package__


def _came_along(file):
    if file is None or file.startswith(os.path.dirname(os.__file__) + os.sep):
        return True
    return not {"site-packages", "dist-packages"}.isdisjoint(file.split(os.sep))
