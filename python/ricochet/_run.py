"""Running scenes."""
import json
import operator
import os
import sys

import numpy

from . import _core, _numeric, _result, _toml
from ._errors import RecordError, SceneError
from ._model import Model

_SCENES = os.path.join(os.path.dirname(__file__), "scenes")


class Node:
    """The state after a step: t, q, p, and the impacts that fell into the step."""

    __slots__ = ("t", "q", "p", "impacts")

    def __init__(self, t, q, p, impacts):
        self.t, self.q, self.p, self.impacts = t, q, p, impacts

    def __repr__(self):
        return f"Node(t={self.t:g}, q={self.q}, p={self.p}, impacts={len(self.impacts)})"


class Simulation:
    """A run that is carried on step by step: iterate over it, or call `step`."""

    def __init__(self, run):
        self._run = run

    t = property(lambda self: self._run.t, doc="the time")
    q = property(lambda self: self._run.q, doc="the coordinates, a copy")
    p = property(lambda self: self._run.p, doc="the momenta, a copy")
    steps = property(lambda self: self._run.steps, doc="steps done")
    impacts = property(lambda self: self._run.impacts, doc="impacts so far")
    done = property(lambda self: self._run.done, doc="whether the end of the scene was reached")
    closure = property(lambda self: self._run.closure, doc="the closure that is flown")
    coordinates = property(lambda self: self._run.coordinates, doc="their names")

    def step(self, steps=1):
        """Carries on by a number of steps, fewer at the end. Where a function of Python's raises, nothing was done."""
        try:
            steps = operator.index(steps)
        except TypeError:
            raise TypeError(f"steps must be a whole number, not {steps!r}") from None
        if not 0 <= steps < 2**63:
            raise ValueError(f"steps must be a whole number from 0 to 2**63 - 1, not {steps}")
        return Node(*self._run.advance(steps))

    def __reduce_ex__(self, protocol):
        raise TypeError(_result.UNPICKLED)

    def __iter__(self):
        while not self.done:
            yield self.step()

    def __repr__(self):
        return f"<ricochet.Simulation {self.steps} steps, {self.impacts} impacts until t = {self.t:g}>"


def bundled():
    """The bundled scenes: {name: path}."""
    if not os.path.isdir(_SCENES):
        return {}
    return {f[:-5]: os.path.join(_SCENES, f) for f in sorted(os.listdir(_SCENES)) if f.endswith(".toml")}


def _read(scene):
    """(text, name) of a path, the name of a bundled scene, a text, or a model that a text can hold."""
    if isinstance(scene, Model):
        if scene.numeric:
            raise SceneError(f"here a scene must be a text, which cannot hold the numeric function {scene.numeric[0].name}")
        return scene.text, scene.name
    if isinstance(scene, str) and "\n" in scene:
        return scene, "scene.toml"
    path = os.fspath(scene)
    if not os.path.isfile(path):
        known = bundled()
        if path not in known:
            import difflib
            near = difflib.get_close_matches(path, known, 1)
            raise SceneError(f"{path}: there is no such file and no bundled scene of that name"
                             + (f"; did you mean '{near[0]}'?" if near else ""))
        path = known[path]
    try:
        with open(path, encoding="utf-8", newline="") as f:
            return f.read(), path
    except (OSError, UnicodeDecodeError) as error:
        raise SceneError(f"{path} cannot be read: {error}") from None


def require_law(law):
    """Refuses what is no function: a law of Python's is one, a named one stands in the scene."""
    if law is not None and not callable(law):
        raise SceneError('law must be a function (W, v, e) -> impulses; a named law is impact={"law": "newton"}')


def _made(scene, overrides, law):
    """A run that is ready to start; functions of numbers have been checked."""
    require_law(law)
    if not isinstance(scene, Model):
        return _core.Run(*_read(scene), overrides, law)
    made = _core.Run(scene.text, scene.name, overrides, law, scene.tree)
    if scene.numeric:
        _numeric.check(scene.numeric, made.q, made.velocity)
    return made


def simulate(scene, overrides=None, law=None, **keywords):
    """A run that is carried on step by step: of a path, the name of a bundled scene, its text, or a system's model."""
    return Simulation(_made(scene, _toml.overrides(overrides, keywords), law))


def check(scene, overrides=None, **keywords):
    """Validates a scene and describes its start: energy, gaps, which declared symmetries hold."""
    return _made(scene, _toml.overrides(overrides, keywords), None).describe()


def run(scene, overrides=None, *, out=None, overwrite=False, law=None, on_sample=None, on_impact=None, progress=None,
        **keywords):
    """Runs a scene: a path, the name of a bundled one, its text, or the model of a system.

    `overrides` are {"system.velocity[0]": 1.0}; keywords do the same with two underscores for a dot (time__end=3).
    Without `out` everything stays in memory; with it the run is recorded there, as the program does it, in constant
    memory. `law(W, v, e)` returns the impulses of gaps that act together, instead of the scene's law. `on_sample` and
    `on_impact` are called with a dict. What a function of yours raises ends the run; a record is ended before it is
    raised here. `progress` shows a line, by default on a terminal only; a function is called with (t, steps, impacts),
    some times a second and at the end, and what it raises ends the run.
    """
    made = _made(scene, _toml.overrides(overrides, keywords), law)
    bar = _bar_of(progress, made.end)
    try:
        if out is None:
            summary = json.loads(made.run(on_sample, on_impact, bar))
            if bar:
                bar.last(made.t, made.steps, made.impacts)
            return _result.of_run(made, summary)
        _require_room(made, os.fspath(out), overwrite)
        made.record(os.fspath(out), overwrite, on_sample, on_impact, bar)
        if bar:
            bar.last(made.t, made.steps, made.impacts)
    finally:
        if bar:
            bar.close()
    result = _result.load(out)
    if result.summary["status"] == "failed":
        from ._errors import RunError
        error = RunError(result.summary.get("error", "the run failed"))
        error.result = result
        raise error
    return result


def _require_room(made, folder, overwrite):
    """Refuses a folder that could not be written after the run, before it."""
    made.require_room(folder, overwrite)
    above = os.path.abspath(folder)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        raise RecordError(f"{folder} cannot be made: {above} is not a folder")
    if not os.access(above, os.W_OK | os.X_OK):
        raise RecordError(f"{folder} cannot be written: {above} does not let you")


def _bar_of(progress, end):
    if progress is None:
        progress = sys.stderr.isatty()
    if callable(progress):
        return _Told(progress)
    if not isinstance(progress, (bool, numpy.bool_)):
        raise SceneError(f"progress must be True, False or a function (t, steps, impacts), not {progress!r}")
    return _Progress(end) if progress else None


class _Told:
    """Progress for a function of the caller's."""

    def __init__(self, function):
        self.function = function

    def __call__(self, t, steps, impacts):
        self.function(t, steps, impacts)

    last = __call__

    def close(self):
        pass


class _Progress:
    def __init__(self, end):
        self.end, self.shown = end, False

    def __call__(self, t, steps, impacts):
        share = f"{min(100.0, 100 * t / self.end):3.0f} %  " if self.end else ""
        sys.stderr.write(f"\r\033[K{share}t = {t:.6g}  {steps} steps  {impacts} impacts")
        sys.stderr.flush()
        self.shown = True

    def last(self, t, steps, impacts):
        """The line is about to vanish."""

    def close(self):
        if self.shown:
            sys.stderr.write("\r\033[K")
