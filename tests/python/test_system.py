"""Systems written in Python."""
import math

import numpy as np
import pytest
import ricochet

G = 9.81


def ball(**more):
    arguments = dict(coordinates=["x", "y"], mass=[1, 1], potential=lambda q: G * q.y, gaps={"floor": lambda q: q.y},
                     position=[0, 1], velocity=[1, 0])
    return ricochet.System(**{**arguments, **more})


def test_a_law_of_one_run():
    """A law given to `run` is used instead of the system's own: the speed after the first bounce is e √(2g)."""
    def newton(e):
        return lambda W, v, _: -(1 + e) * v / W[0, 0]
    own = ball(law=newton(0.5))
    for result, e in ((own.run(0.01, end=0.6), 0.5), (own.run(0.01, end=0.6, law=newton(0.8)), 0.8),
                      (own.run(0.01, end=0.6, law=None), 1)):
        assert result.impacts["p_plus"][:, 1] == pytest.approx([e * np.sqrt(2 * G)], abs=1e-9)


def test_functions_are_the_texts():
    """A star-like body in functions and in text: the same numbers to the last digit."""
    functions = ricochet.System(
        coordinates=["x", "y", "theta"], mass=[1, 1, 0.151], potential=lambda q: G * q.y + 0.1 * q.y**3,
        gaps={"a": lambda q: q[1] - 0.5 * (np.sin(q[2]) + np.cos(q[2])),
              "b": lambda q: q.y - ricochet.where(q.x < 1e3, 0.5, 0.5 + (q.x - 1e3)**2)
              * (ricochet.cos(q.theta) - np.sin(q.theta))},
        position=[0, 3.5, 0], velocity=[-2, 0, 5], integrator={"closure": "variational"})
    texts = ricochet.System(
        coordinates=["x", "y", "theta"], mass=[1, 1, 0.151], potential="9.81*y + 0.1*y^3",
        gaps={"a": "y - 0.5*(sin(theta) + cos(theta))",
              "b": "y - if(x < 1e3, 0.5, 0.5 + (x - 1e3)^2)*(cos(theta) - sin(theta))"},
        position=[0, 3.5, 0], velocity=[-2, 0, 5], integrator={"closure": "variational"})
    a, b = functions.run(0.005, end=5), texts.run(0.005, end=5)
    assert len(a.impacts) > 3
    assert np.array_equal(a.q, b.q) and np.array_equal(a.p, b.p)


def test_mass_of_the_configuration_and_lagrangian():
    """A pendulum as (x, y)-free angle: M(q) written as a function, against the Lagrangian."""
    shared = dict(coordinates=["a", "b"], position=[0.5, 0.2], velocity=[0, 0], integrator={"closure": "variational"})
    mass = ricochet.System(mass=lambda q: np.array([[2, np.cos(q.a - q.b)], [np.cos(q.a - q.b), 1]]),
                           potential=lambda q: -G * (2 * np.cos(q.a) + np.cos(q.b)), **shared)
    whole = ricochet.System(lagrangian=lambda q, v: v[0]**2 + v[1]**2 / 2 + v[0] * v[1] * np.cos(q.a - q.b)
                            + G * (2 * np.cos(q.a) + np.cos(q.b)), **shared)
    a, b = mass.run(0.01, end=2), whole.run(0.01, end=2)
    assert np.abs(a.q - b.q).max() < 1e-10
    assert np.abs(a.energy - a.energy[0]).max() < 1e-2


def test_forces_time_constraints_and_symmetries():
    """Damped fall: y = y0 − (g/k)t + (g/k²)(1 − e^{−kt}); a wall that comes towards the ball."""
    k = 0.7
    system = ball(gaps={"wall": lambda q, t: 5 - t - q.x}, forces={"drag": lambda q, v: [0, -k * v.y]},
                  symmetries={"none": [1, 0]}, position=[0, 100])
    result = system.run(0.001, end=4)
    t = result.t[-1]
    assert result["y"][-1] == pytest.approx(100 - G / k * t + G / k**2 * (1 - math.exp(-k * t)), abs=1e-5)
    assert result.impacts["t"] == pytest.approx([2.5], abs=1e-12)  # x = t meets 5 − t
    # Reflected in the frame of the wall; the balance of a driven step holds to O(h²).
    assert result["p_x"][-1] == pytest.approx(-3, abs=1e-6)
    rod = ricochet.System(coordinates=["x", "y"], mass=[1, 1], potential=lambda q: G * q.y, position=[1, 0],
                          constraints={"rod": lambda q: q.x**2 + q.y**2 - 1}).run(0.001, end=1)
    assert np.abs(rod["x"]**2 + rod["y"]**2 - 1).max() < 1e-12


def test_step_by_step_without_end():
    times = []
    for node in ball().flights(0.01):
        times += [impact["t"] for impact in node.impacts]
        if node.t > 2:
            break
    fall = math.sqrt(2 / G)
    assert times == pytest.approx([fall, 3 * fall], abs=1e-12)


def test_restitution_as_a_function_of_speed():
    system = ball(impact={"law": "newton", "restitution": lambda q, v: 1 / (1 + abs(v.y))})
    result = system.run(0.01, impacts=1)
    speed = math.sqrt(2 * G)
    assert result.impacts["p_plus"][0, 1] == pytest.approx(speed / (1 + speed), abs=1e-9)


@pytest.mark.parametrize("more, words", [
    ({"mass": [1, -1]}, "system.mass[1]: the mass of 'y' must be positive, not -1"),
    ({"potential": "9.81*z"}, "system.potential: unknown name 'z'"),
    ({"position": [0, math.inf]}, "system.position[1]: position of [system][1] is not a finite number"),
    ({"gaps": {"floor": "y", "side": "x + u"}}, "gap 'side': unknown name 'u'"),
    ({"gaps": {"floor": "3"}}, "gap 'floor': the gap 'floor' depends on nothing"),
    ({"forces": {"wind": [1]}}, "force 'wind': components has 1 entry, but there are 2 coordinates"),
    ({"symmetries": {"s": ["x", "w"]}}, "symmetry 's'[1]: unknown name 'w'"),
    ({"integrator": {"rule": "midpont"}}, "integrator.rule: rule of [integrator] cannot be 'midpont'"),
    ({"parameters": {"k": "l"}}, "parameters.k: unknown name 'l'"),
    ({"record": {"evry": 1}}, "record.evry: unknown key 'evry' in [record]"),
    ({"shapes": [{"type": "circle"}]}, "shape 0: a shape of type \"circle\" needs 'position'"),
    ({"mass": [10**30, 1]}, "system.mass[0]: this number is out of range: an integer has 64 bits"),
    ({"title": "\ud800"}, "the text '\\ud800' is not Unicode"),
])
def test_places_are_parts_of_the_system(more, words):
    """Nobody wrote lines and columns of a system in Python."""
    with pytest.raises(ricochet.SceneError) as raised:
        ball(**more).run(0.01, end=1)
    assert str(raised.value).startswith(words) and raised.value.line is None


def test_the_tree_is_the_text():
    """The same motion, and the same record, from the tree as from the text that stands for it."""
    system = ball(title="A ball \"of\" 1 kg", parameters={"g": G, "k": np.float64(0.5)}, potential="g*y",
                  gaps={"wall": "3 - x", "floor": {"expression": "y", "restitution": "k"}}, mass=np.array([1.0, 2]),
                  impact={"law": "newton"}, integrator={"closure": "variational"}, record={"every": np.int64(2)},
                  symmetries={"none": [1, 0]}, forces={"drag": lambda q, v, t: [-0.1 * v.x, 0]},
                  shapes=[{"type": "circle", "position": ["x", "y"], "radius": 0.1}])
    tree, text = ricochet.run(system.model(0.01, 5)), ricochet.run(system.scene(0.01, 5))
    assert tree.scene == text.scene == system.scene(0.01, 5) and len(tree.impacts) > 3
    assert np.array_equal(tree.q, text.q) and np.array_equal(tree.p, text.p)
    assert {**tree.summary, "seconds": 0} == {**text.summary, "seconds": 0}
    heavier = {"parameters.g": 12, "system.velocity[0]": -1}
    tree, text = ricochet.run(system.model(0.01, 5), heavier), ricochet.run(system.scene(0.01, 5), heavier)
    assert np.array_equal(tree.q, text.q)
    with pytest.raises(ricochet.SceneError, match="the scene has no parameter 'gg', and nothing uses one; did you mean"):
        ricochet.run(system.model(0.01, 5), {"parameters.gg": 1})


def test_what_cannot_be_traced_is_said():
    with pytest.raises(ricochet.TraceError, match="ricochet.where"):
        ball(potential=lambda q: 1 if q.y > 0 else 0)
    with pytest.raises(ricochet.TraceError, match="numpy.sin"):
        ball(potential=lambda q: math.sin(q.y))
    with pytest.raises(ricochet.SceneError, match="raised ZeroDivisionError"):
        ball(potential=lambda q: 1 / 0)
    with pytest.raises(ricochet.TraceError, match="nan"):
        ball(potential=lambda q: float("nan"))
    with pytest.raises(ricochet.TraceError, match="something else"):
        ball(potential=lambda q: "much")
    with pytest.raises(ricochet.SceneError, match="must return 2 numbers"):
        ball(forces={"f": lambda q, v: [1]})
    with pytest.raises(ricochet.SceneError, match="one number"):
        ball(potential=lambda q: [1, 2])
    with pytest.raises(ricochet.SceneError, match="arguments"):
        ball(potential=lambda q, v, t, u: 1)
    with pytest.raises(ricochet.SceneError, match="law must be a function"):
        ball(law="newton")
    with pytest.raises(ricochet.SceneError, match="law must be a function"):
        ball().run(0.01, end=1, law="newton")
    with pytest.raises(ricochet.SceneError, match="2 coordinates"):
        ball(mass=[1]).run(0.01, end=1)
    with pytest.raises(ricochet.TraceError, match="no counterpart"):
        ball(potential=lambda q: np.spacing(q.y))
    with pytest.raises(ricochet.TraceError, match="ricochet.where"):
        ball(potential=lambda q: np.sinc(q.y))  # looks whether y is 0


POINTS = [(x, y) for x in (-2.5, -1, -0.0, 0.3, 1, 4) for y in (-1.5, 0.7, 2)]


def value_of(function, x, y):
    """What the traced function is worth, by the energy of a particle at rest."""
    system = ricochet.System(coordinates=["x", "y"], mass=[1, 1], potential=lambda q: function(q.x, q.y),
                             position=[x, y], velocity=[0, 0])
    return ricochet.check(system.scene(0.1, 1))["energy"]


@pytest.mark.parametrize("function", [
    np.arctan2, np.hypot, np.mod, np.remainder, lambda x, y: x % y, lambda x, y: 3 % y, lambda x, y: np.sign(x),
    lambda x, y: np.floor(x), lambda x, y: np.ceil(x), lambda x, y: np.log10(abs(y)), lambda x, y: np.cbrt(y),
    lambda x, y: np.hypot(np.array([1.0, 2.0]), x).sum() + np.hypot(np.array([x, y]), 1).sum(),
    lambda x, y: np.arctan2(np.array([x, y]), np.array([y, x])).sum(), lambda x, y: np.floor(np.array([x, y])).sum(),
    lambda x, y: np.minimum(x, y) + np.maximum(np.float64(0.5), x), lambda x, y: np.square(x) - np.negative(y),
])
def test_functions_of_numpy(function):
    for x, y in POINTS:
        assert value_of(function, x, y) == pytest.approx(float(function(x, y)), rel=1e-15, abs=1e-15), (x, y)


@pytest.mark.parametrize("condition", [
    lambda x, y: x == 1, lambda x, y: x != 1, lambda x, y: 1 == x, lambda x, y: np.float64(1) == x,
    lambda x, y: np.equal(x, 1), lambda x, y: np.not_equal(1.0, x), lambda x, y: x == y,
    lambda x, y: (x > 0) & (y > 0), lambda x, y: (x > 0) | (y > 0), lambda x, y: np.logical_not(x > 0),
    lambda x, y: np.logical_and(x > 0, y > 0), lambda x, y: np.logical_or(x > 0, np.logical_not(y == 2)),
    lambda x, y: (x > 0) & True, lambda x, y: False | (x > 0), lambda x, y: (x > 0) & np.bool_(True),
])
def test_conditions(condition):
    taken = set()
    for x, y in POINTS:
        wanted = 3 if condition(x, y) else 5
        assert value_of(lambda a, b: ricochet.where(condition(a, b), 3, 5), x, y) == wanted, (x, y)
        taken.add(wanted)
    assert taken == {3, 5} or condition(7, 7)


def test_not_of_a_condition():
    assert [value_of(lambda a, b: ricochet.where(~(a > 0), 3, 5), x, 0) for x in (-1, 1)] == [3, 5]


def test_what_has_no_truth_value():
    """Before the run nothing is known of a symbol, not even whether it is 0."""
    for potential in (lambda q: 1 if q.x == 0 else 2, lambda q: 1 if q.x != 0 else 2, lambda q: 0 < q.x < 1,
                      lambda q: 1 if (q.x > 0) & (q.y > 0) else 2, lambda q: float(np.array([q.x, q.y]) == 0),
                      lambda q: 1 if q.x in (1, 2) else 2):
        with pytest.raises(ricochet.TraceError, match="branches on a value"):
            ball(potential=potential)
    for potential in (lambda q: 2 * (q.x > 0), lambda q: (q.x > 0) + q.y, lambda q: q.y - (q.x > 0),
                      lambda q: ricochet.where((q.x > 0) == (q.y > 0), 1, 2), lambda q: q.x > 0):
        with pytest.raises(ricochet.TraceError, match="a condition is no number"):
            ball(potential=potential)
    for potential in (lambda q: ricochet.where(q.x & q.y, 1, 2), lambda q: ricochet.where((q.x > 0) & q.y, 1, 2),
                      lambda q: ricochet.where(q.x, 1, 2), lambda q: ricochet.where(np.logical_and(q.x, q.y), 1, 2)):
        with pytest.raises(ricochet.TraceError, match="as (.)?q.x [<>]"):
            ball(potential=potential)
    q = []
    ball(potential=lambda point: (q.extend(point), 0)[1])
    assert {q[0]: "x", q[1]: "y"}[q[0]] == "x"  # they may be keys of a dict
