from os import PathLike
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy

_Array = numpy.ndarray[Any, numpy.dtype[Any]]
__version__: str
Scene = Union[str, PathLike[str]]
Law = Callable[[_Array, _Array, _Array], Any]
Expression = Union[str, float, Callable[..., Any], "Numeric"]

class Error(Exception): ...

class SceneError(Error):
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    sentence: str

class RunError(Error):
    result: Optional[Result]

class RecordError(Error):
    result: Optional[Result]

class TraceError(TypeError): ...

class Series:
    t: _Array
    step: _Array
    q: _Array
    p: _Array
    energy: _Array
    discrete_energy: _Array
    gaps: _Array
    momentum: _Array
    def __len__(self) -> int: ...

class Result(Series):
    impacts: _Array
    summary: dict[str, Any]
    coordinates: list[str]
    gap_names: list[str]
    symmetries: list[str]
    scene: str
    stroboscope: Optional[Series]
    section: Optional[Series]
    fields: dict[str, _Array]
    directory: Optional[str]
    def __getitem__(self, name: str) -> _Array: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def frame(self) -> Any: ...
    def impacts_frame(self) -> Any: ...
    def plot(self, path: Optional[Scene] = ...) -> Any: ...
    def save(self, directory: Scene, overwrite: bool = ...) -> None: ...
    def report(self, directory: Optional[Scene] = ..., overwrite: bool = ...) -> str: ...

class Node:
    t: float
    q: _Array
    p: _Array
    impacts: list[dict[str, Any]]

class Simulation:
    t: float
    q: _Array
    p: _Array
    steps: int
    impacts: int
    done: bool
    closure: str
    coordinates: list[str]
    def step(self, steps: int = ...) -> Node: ...
    def __iter__(self) -> Iterator[Node]: ...

class Numeric:
    value: Callable[..., Any]
    gradient: Optional[Callable[..., Any]]
    hessian: Optional[Callable[..., Any]]
    curvature: Optional[float]
    def __init__(self, value: Callable[..., Any], gradient: Optional[Callable[..., Any]] = ...,
                 hessian: Optional[Callable[..., Any]] = ..., curvature: Optional[float] = ...) -> None: ...
    def placed(self, kind: str, index: int, name: str, n: int) -> tuple[Any, ...]: ...

class Model:
    name: str
    text: str
    tree: dict[str, Any]
    numeric: list[tuple[Any, ...]]
    def __init__(self, tree: dict[str, Any]) -> None: ...

class System:
    coordinates: list[str]
    title: Optional[str]
    law: Optional[Law]
    def __init__(self, coordinates: Sequence[str], mass: Any = ..., potential: Optional[Expression] = ...,
                 lagrangian: Optional[Expression] = ..., position: Any = ..., velocity: Any = ..., momentum: Any = ...,
                 gaps: Optional[Mapping[str, Any]] = ..., constraints: Optional[Mapping[str, Expression]] = ...,
                 forces: Optional[Mapping[str, Any]] = ..., symmetries: Optional[Mapping[str, Any]] = ...,
                 parameters: Optional[Mapping[str, Any]] = ..., impact: Optional[Mapping[str, Any]] = ...,
                 integrator: Optional[Mapping[str, Any]] = ..., record: Optional[Mapping[str, Any]] = ...,
                 shapes: Optional[Iterable[Mapping[str, Any]]] = ..., title: Optional[str] = ...,
                 law: Optional[Law] = ...) -> None: ...
    def model(self, step: float, end: Optional[float] = ..., impacts: Optional[int] = ...) -> Model: ...
    def scene(self, step: float, end: Optional[float] = ..., impacts: Optional[int] = ...) -> str: ...
    def run(self, step: float, end: Optional[float] = ..., impacts: Optional[int] = ..., **options: Any) -> Result: ...
    def flights(self, step: float, end: Optional[float] = ..., impacts: Optional[int] = ...) -> Iterator[Node]: ...

class Sweep:
    path: str
    keys: list[str]
    coordinates: list[str]
    values: dict[str, _Array]
    status: _Array
    error: _Array
    steps: _Array
    impacts: _Array
    t_end: _Array
    energy_initial: _Array
    energy_error: _Array
    min_gap: _Array
    q_end: _Array
    p_end: _Array
    tables: dict[str, tuple[dict[str, _Array], _Array]]
    def __init__(self, path: Scene) -> None: ...
    def __len__(self) -> int: ...
    def table(self, name: str, member: int) -> dict[str, _Array]: ...

def run(scene: Union[Scene, Model], overrides: Optional[Mapping[str, Any]] = ..., *, out: Optional[Scene] = ...,
        overwrite: bool = ..., law: Optional[Law] = ..., on_sample: Optional[Callable[[dict[str, Any]], Any]] = ...,
        on_impact: Optional[Callable[[dict[str, Any]], Any]] = ..., progress: Union[bool, Callable[[float, int, int], Any], None] = ...,
        **keywords: Any) -> Result: ...
def simulate(scene: Union[Scene, Model], overrides: Optional[Mapping[str, Any]] = ..., law: Optional[Law] = ...,
             **keywords: Any) -> Simulation: ...
def check(scene: Union[Scene, Model], overrides: Optional[Mapping[str, Any]] = ..., **keywords: Any) -> dict[str, Any]: ...
def sweep(scene: Union[Scene, Model], variations: Mapping[str, Iterable[Any]], *, out: Scene = ...,
          overrides: Optional[Mapping[str, Any]] = ..., mode: str = ..., workers: Optional[int] = ...,
          law: Optional[Law] = ..., keep: Sequence[str] = ..., progress: Union[bool, Callable[[int, int], Any], None] = ...,
          **keywords: Any) -> Sweep: ...
def load(directory: Scene) -> Result: ...
def write_report(directory: Scene) -> str: ...
def bundled() -> dict[str, str]: ...
def where(condition: Any, a: Any, b: Any) -> Any: ...
def minimum(a: Any, b: Any) -> Any: ...
def maximum(a: Any, b: Any) -> Any: ...
def sin(x: Any) -> Any: ...
def cos(x: Any) -> Any: ...
def tan(x: Any) -> Any: ...
def asin(x: Any) -> Any: ...
def acos(x: Any) -> Any: ...
def atan(x: Any) -> Any: ...
def sinh(x: Any) -> Any: ...
def cosh(x: Any) -> Any: ...
def tanh(x: Any) -> Any: ...
def exp(x: Any) -> Any: ...
def log(x: Any) -> Any: ...
def sqrt(x: Any) -> Any: ...
