"""ricochet: structure-preserving simulation of mechanical systems that hit things.

    import ricochet
    result = ricochet.run("star", time__end=20)          # a bundled scene, or the path of one
    result.t, result["y"], result.energy, result.impacts  # numpy arrays
    result.plot("star.png")

`System` is a model written in Python, `simulate` goes step by step, `sweep` runs many variations in parallel.
"""
from ._core import __version__
from ._errors import Error, RecordError, RunError, SceneError
from ._model import Model
from ._numeric import Numeric
from ._result import Result, Series, load, write_report
from ._run import Node, Simulation, bundled, check, run, simulate
from ._sweep import Sweep, sweep
from ._system import System
from ._trace import (TraceError, acos, asin, atan, cos, cosh, exp, log, maximum, minimum, sin, sinh, sqrt, tan, tanh,
                     where)

__all__ = ["Error", "Model", "Node", "Numeric", "RecordError", "Result", "RunError", "SceneError", "Series", "Simulation",
           "Sweep", "System",
           "TraceError", "acos", "asin", "atan", "bundled", "check", "cos", "cosh", "exp", "load", "log", "maximum",
           "minimum", "run", "simulate", "sin", "sinh", "sqrt", "sweep", "tan", "tanh", "where", "write_report"]
