"""Runs that are recorded while laws, functions and observers of Python's take part: on disk at once, in flat memory."""
import gc
import json
import math
import os
import subprocess

import numpy as np
import pytest
import ricochet

G = 9.81
FALL = {"coordinates": ["x", "y"], "mass": [1, 1], "potential": "9.81*y", "gaps": {"floor": "y"}, "position": [0, 1],
        "velocity": [0.5, 0]}
FLOOR = ricochet.Numeric(lambda q: q[1], gradient=lambda q: [0, 1])


def law(W, v, e):
    return -1.9 * v / W[0, 0]


def resident():
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def program(*words, **options):
    return subprocess.run([os.environ["RICOCHET_PROGRAM"], *words], capture_output=True, text=True, **options)


def test_memory_is_flat(tmp_path):
    """1e6 steps with a law and a callback: the second half of them leaves nothing in memory. Its states alone would be
    nine numbers each (t, step, q, p, two energies, a gap)."""
    steps, sizes, impacts = 1_000_000, {}, []

    def watch(state):
        if state["step"] in (steps // 2, steps):
            gc.collect()
            sizes[state["step"]] = resident()
    result = ricochet.System(**FALL, law=lambda W, v, e: -2 * v / W[0, 0]).run(
        1e-3, end=1e-3 * steps, out=tmp_path / "o", on_sample=watch, on_impact=lambda impact: impacts.append(impact["n"]))
    assert sizes[steps] - sizes[steps // 2] < (steps // 2) * 9 * 8 / 8
    assert len(result) == steps + 1 and len(result.impacts) == impacts[-1] == len(impacts) > 1000


def facts(result):
    """The summary without the seconds, and without the digests of files, which a run in memory has none of."""
    return {key: value for key, value in result.summary.items() if key not in ("seconds", "digests")}


@pytest.mark.parametrize("more", [{"law": law}, {"gaps": {"floor": FLOOR}}, {"law": law, "gaps": {"floor": FLOOR}}],
                         ids=["law", "gap", "both"])
def test_is_the_run_in_memory(tmp_path, more):
    """Every number, on disk, in memory and in what the observers were told."""
    told, states = [], []
    system = ricochet.System(**{**FALL, **more}, record={"every": 3, "stroboscope": 0.05, "section": "y - 0.5"})
    disk = system.run(0.01, end=4, out=tmp_path / "a", on_sample=lambda s: states.append(s["t"]),
                      on_impact=lambda i: told.append(i["t"]))
    memory = system.run(0.01, end=4)
    memory.save(tmp_path / "b")
    again = ricochet.load(tmp_path / "b")
    for other in (memory, again):
        for name in ("t", "step", "q", "p", "energy", "discrete_energy", "gaps", "momentum"):
            assert np.array_equal(getattr(disk, name), getattr(other, name)), name
            for series in ("stroboscope", "section"):
                assert np.array_equal(getattr(getattr(disk, series), name), getattr(getattr(other, series), name))
        assert (disk.impacts == other.impacts).all() and len(disk.impacts) > 3
        assert facts(disk) == facts(other)
    assert told == disk.impacts["t"].tolist() and states == disk.t.tolist()
    assert disk.directory and disk.scene == system.scene(0.01, 4)


def raises_at(count, error):
    """A function that raises when it is called that many times."""
    def called(*_):
        called.left -= 1
        if called.left == 0:
            raise error
    called.left = count
    return called


@pytest.mark.parametrize("who", ["law", "on_impact", "on_sample", "gap"])
@pytest.mark.parametrize("error, status", [(ZeroDivisionError("mine"), "failed"), (KeyboardInterrupt(), "interrupted")],
                         ids=["error", "interrupt"])
def test_what_python_raises_ends_the_record(tmp_path, who, error, status):
    """The exception comes out; what was computed before is on disk, as the program leaves a run that ended so."""
    whole = ricochet.System(**FALL, law=law).run(0.01, end=4)
    calls = {"law": 3, "on_impact": 3, "on_sample": 200, "gap": 600}[who]
    stop = raises_at(calls, error)

    def bounced(W, v, e):
        stop() if who == "law" else None
        return law(W, v, e)

    def height(q):
        stop() if who == "gap" else None
        return q[1]
    gaps = {"floor": ricochet.Numeric(height, gradient=lambda q: [0, 1])}
    observers = {who: stop} if who.startswith("on") else {}
    with pytest.raises(type(error)) as raised:
        ricochet.System(**{**FALL, "gaps": gaps}, law=bounced).run(0.01, end=4, out=tmp_path / "o", **observers)
    assert raised.value is error or str(raised.value) == str(error)
    assert sorted(name for name in os.listdir(tmp_path / "o") if name != "running") == [
        "impacts.csv", "summary.json", "trajectory.h5"]
    left = ricochet.load(tmp_path / "o")
    assert left.summary["status"] == status and left.summary.get("error", "") == (
        "Python raised ZeroDivisionError: mine" if status == "failed" else "")
    rows = len(left)
    assert 10 < rows < len(whole) and np.abs(left.q - whole.q[:rows]).max() < 1e-9
    if who == "on_impact":
        assert len(left.impacts) == 3
    if who == "on_sample":
        assert rows == 200
    # The program does not go on with another law; what there is it shows.
    done = program("resume", tmp_path / "o")
    assert done.returncode == 2 and "given in Python" in done.stderr and done.stderr.count("\n") == 1
    assert program("report", tmp_path / "o").returncode == 0


def test_answers_that_are_no_impulses(tmp_path):
    with pytest.raises(TypeError, match="the impact law must return numbers"):
        ricochet.System(**FALL, law=lambda W, v, e: None).run(0.01, end=1, out=tmp_path / "o")
    summary = json.loads((tmp_path / "o" / "summary.json").read_text())
    assert summary["status"] == "failed" and summary["error"].startswith("the impact law must return numbers")
    assert summary["t_end"] == pytest.approx(math.sqrt(2 / G), abs=0.02)


def test_functions_that_are_not_finite(tmp_path):
    """The sentence of the record says whose number was none, as the exception does."""
    far = ricochet.Numeric(lambda q: G * q[1] if q[0] < 0.2 else math.nan, gradient=lambda q: [0, G])
    with pytest.raises(ricochet.RunError, match="potential returned nan") as raised:
        ricochet.System(**{**FALL, "potential": far}).run(0.01, end=1, out=tmp_path / "o")
    assert raised.value.result.summary["status"] == "failed"
    assert "potential returned nan" in json.loads((tmp_path / "o" / "summary.json").read_text())["error"]


def test_observers_alone_leave_a_run_of_the_program(tmp_path):
    """A scene that is whole is recorded as the program records it, whoever looks on."""
    seen = []
    ricochet.run("star", time__end=2, out=tmp_path / "a", on_impact=seen.append)
    assert program("run", "star", "--set", "time.end=2", "--out", tmp_path / "b", "--quiet").returncode == 0
    assert (tmp_path / "a" / "impacts.csv").read_bytes() == (tmp_path / "b" / "impacts.csv").read_bytes()
    assert (tmp_path / "a" / "trajectory.h5").read_bytes() == (tmp_path / "b" / "trajectory.h5").read_bytes()
    assert len(seen) > 0
