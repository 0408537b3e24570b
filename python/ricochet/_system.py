"""Systems written in Python: expressions as text, or functions that are traced into expressions."""
from collections.abc import Iterable, Mapping

from ._errors import SceneError
from ._model import Model, table
from ._numeric import Numeric, _arguments
from ._run import require_law, run, simulate
from ._trace import Point, TraceError, trace


def _call(function, arguments, what):
    try:
        return trace(function, arguments, what)
    except TraceError:
        raise
    except Exception as error:
        raise SceneError(f"{what} raised {type(error).__name__}: {error}") from error


def _require_dicts(given):
    """Refuses what is no dict, each with an example of what it should be."""
    for what, x in given.items():
        if x is not None and not isinstance(x, Mapping):
            raise SceneError(f"{what} must be a dict, as {_EXAMPLES[what]}, not {x!r}")


_EXAMPLES = {"gaps": '{"floor": "y"}', "constraints": '{"rod": "x^2 + y^2 - 1"}',
             "forces": '{"drag": ["-v_x", "-v_y"]}', "symmetries": '{"shift": [1, 0]}', "parameters": '{"g": 9.81}',
             "impact": '{"law": "newton"}', "integrator": '{"rule": "midpoint"}', "record": '{"every": 10}',
             "a shape": '{"type": "segment", "from": [0, 0], "to": ["x", "y"]}'}


class System:
    """A Lagrangian system with inequality constraints.

    Every entry of `mass`, and `potential`, `lagrangian`, gaps, constraints, forces and generators are numbers, texts in
    the expression language of scenes, or functions: `potential(q)`, `lagrangian(q, v)`, `gap(q)`, `force(q, v)`; a
    function that takes one argument more gets the time as its last. Functions are called once, before the run
    (see `ricochet.where` for branches). What cannot be written that way is a `ricochet.Numeric`: potential or
    lagrangian, gaps, constraints and forces.

        ball = ricochet.System(coordinates=["x", "y"], mass=[1, 1], potential=lambda q: 9.81*q.y,
                               gaps={"floor": lambda q: q.y}, position=[0, 1], velocity=[1, 0])
        result = ball.run(step=0.01, end=10)

    `gaps`, `constraints`, `forces`, `symmetries` are dicts by name. `impact`, `integrator`, `record` are dicts with the
    keys of the tables of the same name, `shapes` is a list of dicts: see the documentation of scenes.
    """

    def __init__(self, coordinates, mass=None, potential=None, lagrangian=None, position=None, velocity=None,
                 momentum=None, gaps=None, constraints=None, forces=None, symmetries=None, parameters=None, impact=None,
                 integrator=None, record=None, shapes=None, title=None, law=None):
        _require_dicts({"gaps": gaps, "constraints": constraints, "forces": forces, "symmetries": symmetries,
                        "parameters": parameters, "impact": impact, "integrator": integrator, "record": record})
        if isinstance(coordinates, str) or not isinstance(coordinates, Iterable):
            raise SceneError(f'coordinates must be a list of names, as ["x", "y"], not {coordinates!r}')
        if shapes is not None and not isinstance(shapes, (list, tuple)):
            raise SceneError(f"shapes must be a list of dicts, not {shapes!r}")
        for shape in shapes or []:
            _require_dicts({"a shape": shape})
        self.coordinates = list(coordinates)
        for name in self.coordinates:
            if not isinstance(name, str):
                raise SceneError(f"the name of a coordinate is a text, not {name!r}")
        self.title = title
        self.law = law
        require_law(law)
        n = len(self.coordinates)
        q, v = Point(self.coordinates), Point(self.coordinates, "v_")
        time = Point(["t"])[0]

        def expression(x, arguments, what, size=None, place=None):
            if isinstance(x, Numeric):
                if place is None:
                    raise SceneError(f"{what} cannot be a numeric function, only potential, lagrangian, gaps, "
                                     "constraints and forces; write it as an expression")
                return x.placed(*place, what, n)
            if not callable(x):
                return x
            count = _arguments(x, len(arguments))
            if count == len(arguments) + 1:
                arguments = [*arguments, time]
            elif count != len(arguments):
                raise SceneError(f"{what} must take {len(arguments)} or {len(arguments) + 1} arguments, not {count}")
            text = _call(x, arguments, what)
            if size is None and isinstance(text, list):
                raise SceneError(f"{what} must return one number, not {len(text)}")
            if size is not None and (not isinstance(text, list) or len(text) != size):
                got = len(text) if isinstance(text, list) else "one number"
                raise SceneError(f"{what} must return {size} numbers, one per coordinate, not {got}")
            return text

        tree = {"system": table({
            "coordinates": self.coordinates,
            "mass": expression(mass, [q], "mass", n) if callable(mass) or isinstance(mass, Numeric) else mass,
            "potential": expression(potential, [q], "potential", place=("potential", 0)),
            "lagrangian": expression(lagrangian, [q, v], "lagrangian", place=("lagrangian", 0)),
            "position": position, "velocity": velocity, "momentum": momentum})}
        tree["gap"] = []
        for i, (name, gap) in enumerate((gaps or {}).items()):
            entries = dict(gap) if isinstance(gap, dict) else {"expression": gap}
            entries["expression"] = expression(entries.get("expression"), [q], f'gap "{name}"', place=("gap", i))
            entries["restitution"] = expression(entries.get("restitution"), [q, v], f'restitution of "{name}"')
            tree["gap"].append(table({"name": name, **entries}))
        tree["constraint"] = [table({"name": name, "expression": expression(
            c, [q], f'constraint "{name}"', place=("constraint", i))})
            for i, (name, c) in enumerate((constraints or {}).items())]
        tree["force"] = [table({"name": name, "components": expression(
            force, [q, v], f'force "{name}"', n, place=("force", i))})
            for i, (name, force) in enumerate((forces or {}).items())]
        tree["symmetry"] = [table({"name": name, "generator": expression(generator, [q], f'symmetry "{name}"', n)})
                            for name, generator in (symmetries or {}).items()]
        if impact:
            impact = dict(impact, restitution=expression(impact.get("restitution"), [q, v], "restitution"))
        tree.update((name, table(entries)) for name, entries in (
            ("impact", impact), ("integrator", integrator), ("record", record)) if entries)
        tree["shape"] = [table(shape) for shape in shapes or []]
        head = {**({"title": table({"title": title})["title"]} if title else {}), "time": {},
                **({"parameters": table(parameters)} if parameters else {})}
        self._tree = {**head, **{name: entries for name, entries in tree.items() if entries != []}}

    def __repr__(self):
        title = f" {self.title!r}" if self.title else ""
        return f"<ricochet.System{title} of {', '.join(self.coordinates)}>"

    def model(self, step, end=None, impacts=None):
        """The system with its step and its end, as `ricochet.run`, `simulate` and `check` take it for a scene."""
        return Model({**self._tree, "time": table({"step": step, "end": end, "impacts": impacts})})

    def scene(self, step, end=None, impacts=None):
        """The text of the scene: what records keep and `ricochet run` reads. Numeric functions are only named in it."""
        return self.model(step, end, impacts).text

    def run(self, step, end=None, impacts=None, **options):
        """Runs it; the options are those of `ricochet.run`. A `law` given here is used instead of the system's own."""
        return run(self.model(step, end, impacts), **{"law": self.law, **options})

    def flights(self, step, end=None, impacts=None):
        """Step by step, for ever unless an end is given: yields a `Node` after every step."""
        endless = end is None and impacts is None
        return iter(simulate(self.model(step, 1e15 * step if endless else end, impacts), law=self.law))
