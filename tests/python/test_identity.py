"""A sweep knows its law: an edited one is another sweep, one that has only run is not."""
import os
import shutil
import subprocess
import sys

import pytest
import ricochet
from ricochet import _identity
from ricochet._bytecode import Code

BALL = """[time]
step = 0.01
end = 1
[system]
coordinates = ["y"]
mass = [1]
potential = "g*y"
position = [1]
[parameters]
g = 9.81
[[gap]]
name = "floor"
expression = "y"
"""
LAWS = """
import dataclasses, fractions, functools, types
import numpy
import helpers
E = {constant}
{comment}
def half(W, v, e, share={share}):
    return -(1 + share * helped()) * v / W[0, 0]
def helped():
    return {helped}
class Base:
    most = {attribute}
    @staticmethod
    def static():
        return {static}
    @classmethod
    def of_class(cls):
        return {of_class}
    @property
    def bound(self):
        return {property}
    @functools.cached_property
    def once(self):
        return {once}
class Law(Base):
    def __init__(self, share):
        self.share = share
    def restitution(self):
        return {method} * self.share * self.most * self.static() * self.of_class() * self.bound * self.once
    def __call__(self, W, v, e):
        return -(1 + self.restitution()) * v / W[0, 0]
@functools.lru_cache
def remembered(x):
    return {remembered}
@dataclasses.dataclass(frozen=True)
class Numbers:
    e: float = {dataclass}
single, share, held = numpy.float32({single}), fractions.Fraction({fraction}), types.SimpleNamespace(e=[{namespace}])
table, letters, numbers = numpy.array([{array}]), {{"a", "b", "c", ("d", "{letter}")}}, Numbers()
def constants(W, v, e):
    product = E * float(single) * float(share) * held.e[0] * table[0] * remembered(1) * numbers.e
    return -(1 + product * (2 if ("d", "e") in letters else 1)) * v / W[0, 0]
def modules(W, v, e):
    import inside
    return -(1 + helpers.CONSTANT * helpers.function() * inside.CONSTANT) * v / W[0, 0]
made = {{"function": half, "object": Law({state}), "partial": functools.partial(half, share={bound}),
         "constants": constants, "modules": modules}}
"""
SAME = dict(constant=0.5, comment="", share=0.5, helped=1.0, method=1.0, state=0.5, bound=0.5, attribute=1.0,
            static=1.0, of_class=1.0, property=1.0, once=1.0, remembered=1.0, single=0.5, fraction=1, namespace=1.0,
            array=1.0, letter="e", dataclass=1.0, module_constant=0.5, module_function=1.0, inside=1.0)


def sweep_with(folder, law, seed="1", **edits):
    """A sweep in a process of its own, after the files of the law were written anew."""
    values = {**SAME, **edits}
    (folder / "laws.py").write_text(LAWS.format(**values))
    (folder / "helpers.py").write_text("CONSTANT = {module_constant}\ndef function():\n    return factor\n"
                                       "factor = {module_function}\n".format(**values))
    (folder / "inside.py").write_text("CONSTANT = {inside}\n".format(**values))
    code = (f"import sys; sys.path.insert(0, '.')\nimport laws, ricochet\n"
            f"ricochet.sweep({BALL!r}, {{'parameters.g': [5.0, 9.81]}}, out='s.h5', workers=1, law=laws.made[{law!r}])")
    return subprocess.run([sys.executable, "-B", "-c", code], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONHASHSEED": seed})


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """folder(law) with a sweep of that law, which was found to be the same in another process and under a comment."""
    folders = {}

    def folder(law):
        if law not in folders:
            made = tmp_path_factory.mktemp(law)
            for same in ({}, {"seed": "2"}, {"comment": "# a line more"}):
                done = sweep_with(made, law, **same)
                assert done.returncode == 0, done.stderr
            folders[law] = made
        return folders[law]
    return folder


@pytest.mark.parametrize("law, edits", [
    ("function", {"share": 0.25}), ("function", {"helped": 0.5}), ("object", {"method": 0.5}),
    ("object", {"state": 0.25}), ("partial", {"bound": 0.25}), ("partial", {"helped": 0.5}),
    ("object", {"attribute": 0.5}), ("object", {"static": 0.5}), ("object", {"of_class": 0.5}),
    ("object", {"property": 0.5}), ("object", {"once": 0.5}), ("constants", {"constant": 0.25}),
    ("constants", {"remembered": 0.5}), ("constants", {"single": 0.25}), ("constants", {"fraction": "1, 2"}),
    ("constants", {"namespace": 0.5}), ("constants", {"array": 0.5}), ("constants", {"letter": "f"}),
    ("constants", {"dataclass": 0.5}), ("modules", {"module_constant": 0.25}), ("modules", {"module_function": 0.5}),
    ("modules", {"inside": 0.5})], ids=str)
def test_an_edited_law_is_another_sweep(tmp_path, swept, law, edits):
    shutil.copy(swept(law) / "s.h5", tmp_path)
    speeds = ricochet.Sweep(tmp_path / "s.h5").table("impacts", 0)["p_plus"][0]
    edited = sweep_with(tmp_path, law, **edits)
    assert edited.returncode == 1 and "s.h5 exists and is not this sweep: nothing was overwritten" in edited.stderr
    (tmp_path / "s.h5").unlink()
    assert sweep_with(tmp_path, law, **edits).returncode == 0
    slower = ricochet.Sweep(tmp_path / "s.h5").table("impacts", 0)["p_plus"][0]
    assert slower == pytest.approx(speeds / 2, abs=1e-9)  # half the restitution


E = 0.5
cache, log, last, calls, kept = {}, [], None, 0, [1.0, 2.0]


def with_memo(W, v, e):
    key = float(W[0, 0])
    if key not in cache:
        cache[key] = 1 / key
    return -(1 + E) * v * cache[key]


def with_log(W, v, e):
    mine = log
    mine.append(v.copy())
    return -(1 + E) * v / W[0, 0]


def with_counter(W, v, e):
    global calls, last
    calls, last = calls + 1, v
    return -(1 + E) * v / W[0, 0]


def with_default(W, v, e, known={}):
    try:
        inverse = known[float(W[0, 0])]
    except KeyError:
        inverse = known[float(W[0, 0])] = 1 / float(W[0, 0])
    return -(1 + E) * v * inverse


def memoized(function):
    answers, hits = {}, 0

    def wrapper(x):
        nonlocal hits
        hits += 1
        if x not in answers:
            answers[x if x > 0 else 0.0] = function(x)
        return answers[x]
    return wrapper


@memoized
def inverse(x):
    return 1 / x


def with_closure(W, v, e):
    return -(1 + E) * v * inverse(float(W[0, 0]))


def with_attribute(W, v, e):
    with_attribute.calls = getattr(with_attribute, "calls", 0) + 1
    return -(1 + E) * v / W[0, 0]


class Counting:
    made = 0

    def __init__(self):
        self.calls, self.counts, self.rows = 0, {"all": 0}, Rows()

    def note(self, v):
        self.calls += 1
        self.counts["all"] += 1
        Counting.made += 1
        self.rows.append(v)
        self.last = v

    def __call__(self, W, v, e):
        self.note(v)
        return -(1 + E) * v / W[0, 0]


class Rows:
    def __init__(self):
        self.values = []

    def append(self, v):
        self.values.append(v)


with_state = Counting()


@pytest.mark.parametrize("law", [with_memo, with_log, with_counter, with_default, with_closure, with_attribute,
                                 with_state], ids=lambda law: getattr(law, "__name__", "with_state"))
def test_a_law_that_has_run_is_the_same(tmp_path, monkeypatch, law):
    fresh = _identity.content(law)
    done = ricochet.sweep(BALL, {"parameters.g": [5.0, 9.81]}, out=tmp_path / "s.h5", workers=1, law=law)
    assert (done.status == "finished").all() and (done.impacts > 0).all()
    again = ricochet.sweep(BALL, {"parameters.g": [5.0, 9.81]}, out=tmp_path / "s.h5", workers=1, law=law)
    assert again.q_end.tolist() == done.q_end.tolist()
    assert _identity.content(law) == fresh
    monkeypatch.setitem(globals(), "E", 0.25)
    with pytest.raises(ricochet.RecordError, match="is not this sweep"):
        ricochet.sweep(BALL, {"parameters.g": [5.0, 9.81]}, out=tmp_path / "s.h5", workers=1, law=law)


def prepare(law, e):
    law._e = e


class Prepared:
    """What functions change that no call of the law reaches is not its state, but what it was made."""

    def __init__(self):
        self.table = []
        prepare(self, 0.5)

    def add(self, value):
        self.table.append(value)

    @property
    def e(self):
        return self._e

    @e.setter
    def e(self, value):
        self._e = value

    def __call__(self, W, v, e):
        out = [0.0]
        out[0] = kept[0]
        return -(1 + self.e * self.table[0] * out[0]) * v / W[0, 0]


def test_what_a_law_was_prepared_with_counts(monkeypatch):
    law = Prepared()
    law.add(1.0)
    found = [_identity.content(law)]
    law.add(2.0)
    found.append(_identity.content(law))
    law.e = 0.25
    found.append(_identity.content(law))
    monkeypatch.setitem(globals(), "kept", [2.0])
    found.append(_identity.content(law))
    assert all(found[i] != found[j] for i in range(4) for j in range(i))
    assert found[-1] == _identity.content(law)


def test_objects_that_hold_each_other():
    law = Prepared()
    law.table = [1.0, law, {"law": law}, {law}]
    assert _identity.content(law) == _identity.content(law)


def test_code_that_changes_things():
    def function(a, b):
        table[a if b else 0] = 1
        table[a + 1] += 2
        rows.names[1:2] = [x for x in other]
        del first[0]
        a.cache[b] = other[0] = third.setdefault(b, [])
        a[0] = second
        rest = fourth
        rest.append(fifth)
        b.count += 1
        sixth.sub.value(seventh.update)
        return lambda: eighth.pop()

    code = Code(function.__code__)
    assert code.changes == {("global", "table"), ("attribute", "names"), ("global", "first"), ("attribute", "cache"),
                            ("global", "other"), ("global", "third"), ("local", "a"), ("global", "fourth"),
                            ("global", "seventh"), ("global", "eighth")}
    assert code.sets == {("attribute", "count")}
    assert {("sixth", "sub", "value"), ("second",), ("fifth",), ("rows", "names")} <= code.reads
