"""Functions of numbers with given derivatives: against the same system as expressions, and against closed forms."""
import math
import os
import subprocess

import numpy as np
import pytest
import ricochet
from ricochet import Numeric

G = 9.81


def hilly(numeric, **more):
    """A ball on wavy ground under a potential with all derivatives; the ground as numbers or as text."""
    ground = Numeric(lambda q: q[1] - 0.3 * math.cos(q[0]), gradient=lambda q: [0.3 * math.sin(q[0]), 1],
                     hessian=lambda q: [[0.3 * math.cos(q[0]), 0], [0, 0]])
    well = Numeric(lambda q: G * q[1] + 0.1 * q[0]**4, gradient=lambda q: np.array([0.4 * q[0]**3, G]),
                   hessian=lambda q: np.diag([1.2 * q[0]**2, 0]))
    arguments = dict(coordinates=["x", "y"], mass=[1, 2], position=[0.1, 1], velocity=[0.5, 0],
                     potential=well if numeric else "9.81*y + 0.1*x^4", gaps={"ground": ground if numeric else
                                                                              "y - 0.3*cos(x)"})
    return ricochet.System(**{**arguments, **more})


@pytest.mark.parametrize("integrator", [{}, {"closure": "variational"}, {"closure": "shadow2"},
                                        {"rule": "midpoint"}, {"rule": "yoshida4"}],
                         ids=lambda i: "-".join(i.values()) or "auto")
def test_is_the_expression(integrator):
    numbers = hilly(True, integrator=integrator).run(0.01, end=3)
    text = hilly(False, integrator=integrator).run(0.01, end=3)
    assert len(text.impacts) == 3 and numbers.summary["closure"] == text.summary["closure"]
    # Both solve the same equations to rounding; every impact on a curved ground magnifies what is left by a few.
    assert np.abs(numbers.q - text.q).max() < 1e-12
    assert numbers.impacts["t"] == pytest.approx(text.impacts["t"], abs=1e-12)
    assert numbers.impacts["multipliers"] == pytest.approx(text.impacts["multipliers"], abs=1e-12)


def test_without_hessians():
    """Differences of the gradient stand in; the closure is the best that needs no more."""
    whole = hilly(True)
    potential, ground = (Numeric(placed.value, placed.gradient) for placed in whole.model(0.01, 3).numeric)
    numbers = hilly(True, potential=potential, gaps={"ground": ground}).run(0.01, end=3)
    assert numbers.summary["closure"] == "interpolated"
    text = hilly(False, integrator={"closure": "interpolated"}).run(0.01, end=3)
    assert np.abs(numbers.q - text.q).max() < 1e-8
    with pytest.raises(ricochet.SceneError, match="shadow4 needs the hessian"):
        hilly(True, potential=potential, integrator={"closure": "shadow4"}).run(0.01, end=1)
    variational = hilly(True, potential=potential, integrator={"closure": "variational"}).run(0.01, end=3)
    text = hilly(False, integrator={"closure": "variational"}).run(0.01, end=3)
    assert np.abs(variational.q - text.q).max() < 1e-9


@pytest.mark.parametrize("curvature", [None, 1 / 0.4])
def test_a_round_table(curvature):
    """A free particle in the unit circle: chords of equal length, at equal times (|∂²φ| = 1/|q| ≤ 2.5 on them)."""
    def radius(q):
        return math.hypot(q[0], q[1])
    table = Numeric(lambda q: 1 - radius(q), gradient=lambda q: -q / radius(q), curvature=curvature,
                    hessian=lambda q: (np.outer(q, q) / radius(q)**2 - np.eye(2)) / radius(q))
    start, v = np.array([0.5, 0.0]), np.array([0.3, 0.8])
    result = ricochet.System(coordinates=["x", "y"], mass=[1, 1], position=start.tolist(), velocity=v.tolist(),
                             gaps={"table": table}).run(0.05, end=20)
    along, v2 = start @ v, v @ v
    half = math.sqrt(along**2 + v2 * (1 - start @ start)) / v2  # of the time between two impacts
    first = -along / v2 + half
    assert len(result.impacts) == 1 + int((20 - first) / (2 * half))
    assert result.impacts["t"] == pytest.approx(first + 2 * half * np.arange(len(result.impacts)), abs=1e-10)
    assert (result.p**2).sum(axis=1) == pytest.approx(v2, abs=1e-12)


def test_a_crossing_between_two_steps_is_found():
    """x = t passes over a spike 0.02 wide within one step of 0.5: the bound of the curvature finds it, end tests cannot."""
    spike = Numeric(lambda q: 1 - 2 * math.exp(-((q[0] - 0.75) / 0.01)**2),
                    gradient=lambda q: [4e4 * (q[0] - 0.75) * math.exp(-((q[0] - 0.75) / 0.01)**2)],
                    curvature=4e4)
    result = ricochet.System(coordinates=["x"], mass=[1], position=[0], velocity=[1], gaps={"spike": spike}).run(0.5, end=1)
    assert result.impacts["t"] == pytest.approx([0.75 - 0.01 * math.sqrt(math.log(2))], abs=1e-12)


def test_time_forces_and_constraints():
    """A wall that comes, drag, and a rod: the closed forms of test_system, from functions of numbers."""
    k = 0.7
    system = ricochet.System(
        coordinates=["x", "y"], mass=[1, 1], position=[0, 100], velocity=[1, 0],
        potential=Numeric(lambda q: G * q[1], gradient=lambda q: [0, G]),
        gaps={"wall": Numeric(lambda q, t: 5 - t - q[0], gradient=lambda q, t: [-1, 0, -1])},
        forces={"drag": Numeric(lambda q, v: [0, -k * v[1]])})
    result = system.run(0.01, end=4)
    t = result.t[-1]
    # The scheme is of second order: h²/12 of the third derivative, gk, over 4 s.
    assert result["y"][-1] == pytest.approx(100 - G / k * t + G / k**2 * (1 - math.exp(-k * t)), abs=4 * G * k * 1e-5)
    assert result.impacts["t"] == pytest.approx([2.5], abs=1e-12)  # x = t meets 5 − t
    assert result["p_x"][-1] == pytest.approx(-3, abs=1e-4)  # reflected by a wall of velocity −1, to O(h²)
    rod = ricochet.System(coordinates=["x", "y"], mass=[1, 1], position=[1, 0], potential=lambda q: G * q.y,
                          constraints={"rod": Numeric(lambda q: q @ q - 1, gradient=lambda q: 2 * q,
                                                      hessian=lambda q: 2 * np.eye(2))}).run(0.001, end=1)
    assert np.abs((rod.q**2).sum(axis=1) - 1).max() < 1e-12
    driven = dict(coordinates=["x"], mass=[1], position=[0], velocity=[0])
    numbers = ricochet.System(potential=Numeric(lambda q, t: -q[0] * math.sin(t), gradient=lambda q, t: [
        -math.sin(t), -q[0] * math.cos(t)]), **driven).run(0.001, end=3)
    assert numbers["x"][-1] == pytest.approx(3 - math.sin(3), abs=1e-6)  # ẍ = sin t


def pendulum(**more):
    """Two rods on one another, and a wall x = −0.2 for the end of the second."""
    arguments = dict(coordinates=["a", "b"], mass=[[2, "cos(a - b)"], ["cos(a - b)", 1]], position=[0.4, 0.8],
                     potential="-9.81*(2*cos(a) + cos(b))", gaps={"wall": "sin(a) + sin(b) + 0.2"},
                     integrator={"closure": "variational"})
    return ricochet.System(**{**arguments, **more})


def test_a_mass_of_the_configuration_and_a_lagrangian():
    text = pendulum().run(0.02, end=2.5)
    assert len(text.impacts) == 2
    wall = Numeric(lambda q: np.sin(q).sum() + 0.2, gradient=np.cos, hessian=lambda q: np.diag(-np.sin(q)))
    V = Numeric(lambda q: -G * (2 * math.cos(q[0]) + math.cos(q[1])),
                gradient=lambda q: G * np.array([2, 1]) * np.sin(q),
                hessian=lambda q: np.diag(G * np.array([2, 1]) * np.cos(q)))

    def L(q, v):
        return v[0]**2 + v[1]**2 / 2 + v[0] * v[1] * math.cos(q[0] - q[1]) - V.value(q)

    def slope(q, v):
        s, c = math.sin(q[0] - q[1]) * v[0] * v[1], math.cos(q[0] - q[1])
        return [*(np.array([-s, s]) - V.gradient(q)), 2 * v[0] + v[1] * c, v[1] + v[0] * c]

    def bend(q, v):
        s, c = math.sin(q[0] - q[1]), math.cos(q[0] - q[1])
        qq = v[0] * v[1] * c * np.array([[-1, 1], [1, -1]]) - V.hessian(q)
        qv = s * np.array([[-v[1], -v[0]], [v[1], v[0]]])
        return np.block([[qq, qv], [qv.T, np.array([[2, c], [c, 1]])]])
    for more in (dict(gaps={"wall": wall}), dict(potential=V), dict(potential=V, gaps={"wall": wall}),
                 dict(mass=None, potential=None, lagrangian=Numeric(L, slope, bend))):
        numbers = pendulum(**more).run(0.02, end=2.5)
        # Rounding, magnified by impacts and by the sensitivity of the double pendulum.
        assert np.abs(numbers.q - text.q).max() < 1e-9
        assert numbers.impacts["t"] == pytest.approx(text.impacts["t"], abs=1e-10)
    with pytest.raises(ricochet.SceneError, match="lagrangian needs its hessian"):
        pendulum(mass=None, potential=None, lagrangian=Numeric(L, slope))


def test_step_by_step_and_saved(tmp_path):
    times = [impact["t"] for node in hilly(True).flights(0.01, end=3) for impact in node.impacts]
    result = hilly(True).run(0.01, end=3, out=tmp_path / "o")
    assert times == result.impacts["t"].tolist()
    assert "numeric function" in result.scene and np.array_equal(ricochet.load(tmp_path / "o").q, result.q)


def one(value=lambda q: q[0]**2, gradient=lambda q: 2 * q, **more):
    arguments = dict(coordinates=["x", "y"], mass=[1, 1], position=[1, 1], potential=Numeric(value, gradient))
    return ricochet.System(**{**arguments, **more}).run(0.01, end=1)


def test_wrong_derivatives_are_seen():
    with pytest.raises(ricochet.SceneError, match=r"the gradient of potential is wrong: \[0\] is 3, differences give 2"):
        one(gradient=lambda q: [3 * q[0], 0])
    with pytest.raises(ricochet.SceneError, match=r"the gradient of gap \"floor\" is wrong: \[1\]"):
        one(potential="0", gaps={"floor": Numeric(lambda q: q[1], gradient=lambda q: [0, -1])})
    with pytest.raises(ricochet.SceneError, match=r"the hessian of potential is wrong: \[0\]\[0\] is 1"):
        one(potential=Numeric(lambda q: q[0]**2, lambda q: [2 * q[0], 0], lambda q: np.diag([1, 0])))
    with pytest.raises(ricochet.SceneError, match="the gradient of potential is wrong"):  # right at x = 0 itself
        one(value=lambda q: q[0]**2, gradient=lambda q: [q[0], 0], position=[0, 0])
    with pytest.raises(ricochet.SceneError, match=r"the gradient of force \"f\" is wrong: \[0\]\[2\]"):
        one(potential="0", forces={"f": Numeric(lambda q, v: [-v[0], 0], lambda q, v: np.zeros((2, 4)))})
    one(value=lambda q: math.exp(q[0]) * q[1]**6, gradient=lambda q: [
        math.exp(q[0]) * q[1]**6, 6 * math.exp(q[0]) * q[1]**5])  # right, and steep


@pytest.mark.parametrize("start", [{"velocity": [0.3, 0.1]}, {"momentum": [30, 10]}])
def test_the_check_is_made_at_velocities(start):
    """Masses of 100: at v = p the force has no value, at the velocities it has."""
    def drag(q, v):
        return [-math.sqrt(1 - v[0]**2 - v[1]**2), 0]

    def wrong(q, v):
        return np.ones((2, 4))
    heavy = dict(potential="0", mass=[100, 100], **start)
    with pytest.raises(ricochet.SceneError, match=r"the gradient of force \"drag\" is wrong: "):
        one(forces={"drag": Numeric(drag, wrong)}, **heavy)
    right = Numeric(drag, lambda q, v: [[0, 0, *(v / math.sqrt(1 - v @ v))], [0, 0, 0, 0]])
    one(forces={"drag": right}, **heavy)


def test_exceptions_of_the_check_name_the_function():
    def never(q):
        raise LookupError("no such table")
    with pytest.raises(ricochet.SceneError, match="the hessian of it raised LookupError at the start: no such table"):
        one(potential=Numeric(lambda q: q[0]**2, lambda q: [2 * q[0], 0], never), integrator={"closure": "variational"})


def test_an_exception_in_a_step_undoes_it():
    """What a potential or a law raises in the middle of a step leaves the state of the call's start; the motion is then
    that of a run without it, bit for bit."""
    def floor(calls):
        def value(q):
            calls[0] -= 1
            if calls[0] == 0:
                raise InterruptedError("once")
            return q[1] - 0.3 * math.cos(q[0])
        return Numeric(value, gradient=lambda q: [0.3 * math.sin(q[0]), 1])
    plain = ricochet.simulate(hilly(True, gaps={"ground": floor([0])}).model(0.01, 3))
    nodes = [plain.step(10) for _ in range(30)]
    raised = 0
    for last in range(100, 700, 53):
        run = ricochet.simulate(hilly(True, gaps={"ground": floor([last])}).model(0.01, 3))
        for node in nodes:
            before = run.t, run.q.tolist(), run.p.tolist(), run.impacts
            try:
                again = run.step(10)
            except InterruptedError:
                raised += 1
                assert (run.t, run.q.tolist(), run.p.tolist(), run.impacts) == before
                again = run.step(10)
            assert again.t == node.t and np.array_equal(again.q, node.q) and np.array_equal(again.p, node.p)
            assert len(again.impacts) == len(node.impacts)
    assert raised > 8 and sum(len(node.impacts) for node in nodes) == 3


SLOPE = dict(coordinates=["x", "y"], mass=[1, 1], position=[0, 0.5], velocity=[1, 0])


@pytest.mark.parametrize("integrator", [{}, {"principle": "weak"}], ids=lambda i: i.get("principle", "strong"))
def test_friction_and_the_weak_principle(integrator):
    """A ball that falls on a rough hill, hops and slides there: numbers and texts move alike, and by friction."""
    hill = Numeric(lambda q: q[1] + 0.1 * q[0]**2, gradient=lambda q: [0.2 * q[0], 1],
                   hessian=lambda q: [[0.2, 0], [0, 0]])
    pull = Numeric(lambda q: G * q[1], gradient=lambda q: [0, G], hessian=lambda q: np.zeros((2, 2)))

    def made(numbers, friction=0.3):
        gap = {"expression": hill if numbers else "y + 0.1*x^2", "friction": friction, "tangent": ["x - 0.1*y^2"]}
        return ricochet.System(**SLOPE, potential=pull if numbers else "9.81*y", gaps={"hill": gap},
                               impact={"law": "newton", "restitution": 0.5}, integrator=integrator).run(0.01, end=1.5)
    numbers, text = made(True), made(False)
    assert len(text.impacts) >= 2 and len(numbers.impacts) == len(text.impacts)
    assert np.abs(numbers.q - text.q).max() < 1e-9 and np.abs(numbers.p - text.p).max() < 1e-9
    assert numbers.impacts["t"] == pytest.approx(text.impacts["t"], abs=1e-9)
    assert np.abs(numbers.q[-1] - made(True, friction=0).q[-1]).max() > 0.05  # which has slid farther


def test_constraints_and_forces_of_the_weak_principle():
    """A pendulum of numbers with drag: the same as the texts'."""
    def made(rod, drag):
        return ricochet.System(coordinates=["x", "y"], mass=[1, 1], position=[1, 0], potential="9.81*y",
                               gaps={"wall": "x + 0.3"}, constraints={"rod": rod}, forces={"drag": drag},
                               impact={"law": "newton", "restitution": 0.5},
                               integrator={"principle": "weak"}).run(0.01, end=2)
    numbers = made(Numeric(lambda q: q @ q - 1, gradient=lambda q: 2 * q, hessian=lambda q: 2 * np.eye(2)),
                   Numeric(lambda q, v: -0.2 * v))
    text = made("x^2 + y^2 - 1", ["-0.2*v_x", "-0.2*v_y"])
    assert len(text.impacts) >= 1 and np.abs(numbers.q - text.q).max() < 1e-9


def test_what_is_sampled_is_counted():
    """Bounds that were measured have a name and a number; bounds that were given, and expressions, have none."""
    def fall(**more):
        floor = Numeric(lambda q: q[0] + 0.1 * q[0]**2, gradient=lambda q: 1 + 0.2 * q, **more)
        return ricochet.System(coordinates=["y"], mass=[1], position=[1], potential="9.81*y",
                               gaps={"floor": floor}).run(0.01, end=2).summary["fallbacks"]
    steps = 200
    assert fall()["sampled"] >= steps  # every flight was looked at by a measured enclosure
    assert fall(curvature=0.2)["sampled"] == 0
    assert "sampled" not in hilly(False).run(0.01, end=1).summary["fallbacks"]


def test_the_text_only_names_functions(tmp_path):
    """It can be read and looked at; to run it without the functions would be another run."""
    (tmp_path / "s.toml").write_text(hilly(True, forces={"f": Numeric(lambda q, v, t: -v)}).scene(0.01, 1))
    text = (tmp_path / "s.toml").read_text()
    assert text.count("given = ") == 3 and "timed = true" in text and " - x" not in text
    for command in ("run", "check"):
        done = subprocess.run([os.environ["RICOCHET_PROGRAM"], command, "s.toml"], cwd=tmp_path, capture_output=True,
                              text=True)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert "potential was given as a function in Python, and this text only names it" in done.stderr
    with pytest.raises(ricochet.SceneError, match="this text only names it"):
        ricochet.run(text)
    with pytest.raises(ricochet.SceneError, match="cannot hold the numeric function potential"):
        ricochet.sweep(hilly(True).model(0.01, 1), {"time.end": [1, 2]}, out=tmp_path / "s.h5")
    result = hilly(True).run(0.01, end=1, out=tmp_path / "o")
    page = result.report()
    assert "Not drawn" not in result.scene and os.path.getsize(page) > 1000
    with pytest.raises(ricochet.SceneError, match="restitution .*must be a number or an expression"):
        ricochet.run(text + "[impact]\nlaw = 'newton'\nrestitution = {given = 'e'}\n")


def test_an_override_takes_the_place_of_a_function():
    system = hilly(True, gaps={})
    free = ricochet.run(system.model(0.01, 1), {"system.potential": "0"})
    assert free.q[-1] == pytest.approx([0.6, 1]) and (free.p == free.p[0]).all()


def test_an_audit_of_functions_is_refused(tmp_path):
    """The scene in the record has places for them and nothing to judge a motion by."""
    hilly(True).run(0.01, end=2, out=tmp_path / "functions")
    fall = dict(coordinates=["y"], mass=[1], potential="9.81*y", gaps={"floor": "y"}, position=[1])
    ricochet.System(**fall, law=lambda W, v, e: -1.5 * v / W[0, 0]).run(0.01, end=1, out=tmp_path / "law")
    ricochet.System(**fall).run(0.01, end=1, out=tmp_path / "plain", on_impact=lambda impact: None)

    def audit(name, *more):
        return subprocess.run([os.environ["RICOCHET_PROGRAM"], "audit", name, *more], cwd=tmp_path, capture_output=True,
                              text=True)
    for name, what in (("functions", 'potential, gap "ground"'), ("law", "the impact law")):
        done = audit(name)
        assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
        assert f"{name}: the scene inside cannot hold {what}, given in Python" in done.stderr
    (tmp_path / "text.toml").write_text(hilly(False).scene(0.01, 2))
    assert audit("functions", "--scene", "text.toml").returncode == 0  # the same motion as an expression
    assert audit("plain").returncode == 0


def test_what_functions_may_not_do():
    with pytest.raises(ZeroDivisionError):
        one(value=lambda q: 1 / 0)
    with pytest.raises(ricochet.SceneError, match=r"not finite at the start: potential returned nan at q = \[1.0, 1.0\]"):
        one(value=lambda q: math.nan)
    with pytest.raises(ricochet.RunError, match="the gradient of potential returned .*nan"):
        one(gradient=lambda q: 2 * q * [1, 0] if q[0] > 0.98 else [math.nan, 0])
    with pytest.raises(ricochet.SceneError, match="the gradient of potential must return 2 numbers, not 3"):
        one(gradient=lambda q: [1, 2, 3])
    with pytest.raises(ValueError, match="potential must return 1 number, not 2"):
        one(value=lambda q: q)
    with pytest.raises(TypeError, match="potential returned something else than numbers: 'much'"):
        one(value=lambda q: "much")
    with pytest.raises(ricochet.SceneError, match="needs its gradient"):
        one(potential=Numeric(lambda q: 0))
    with pytest.raises(ricochet.SceneError, match="1 or 2 arguments, not 3"):
        one(value=lambda q, v, t: 0)
    with pytest.raises(ricochet.SceneError, match="gradient of potential must take 1 arguments"):
        one(gradient=lambda q, t: 0)
    with pytest.raises(ricochet.SceneError, match="mass cannot be a numeric function"):
        one(mass=Numeric(lambda q: 1))
    with pytest.raises(ricochet.SceneError, match="must be a function"):
        Numeric(3)
    with pytest.raises(ricochet.SceneError, match="curvature"):
        Numeric(lambda q: 0, curvature=-1)

    def stops(q):
        if q[0] < 0.98:
            raise KeyError("mine")
        return q[0]**2
    with pytest.raises(KeyError, match="mine"):
        one(value=stops, gradient=lambda q: [2 * stops(q) / q[0], 0])
