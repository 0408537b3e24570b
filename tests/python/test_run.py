"""Runs from Python against closed forms and against the program."""
import filecmp
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time

import h5py
import numpy
import pytest
import ricochet

PROGRAM = os.environ["RICOCHET_PROGRAM"]
G = 9.81
FLOOR = """[time]
step = 0.01
end = 1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "9.81*y"
position = [0, 1]
velocity = [-2, 0]
[[gap]]
name = "floor"
expression = "y"
[[symmetry]]
name = "shift"
generator = [1, 0]
"""


def test_ball_against_its_parabolas():
    result = ricochet.run(FLOOR, time__end=3)
    fall = math.sqrt(2 / G)
    assert result.impacts["t"] == pytest.approx([fall, 3 * fall, 5 * fall], abs=1e-12)
    assert result.impacts["gap"].tolist() == ["floor"] * 3
    # λ∇φ turns −√(2g) into √(2g); the variational closure shifts it by its O(h²) kick
    assert result.impacts["multipliers"][:, 0] == pytest.approx(2 * math.sqrt(2 * G), abs=1e-3)
    assert result["x"] == pytest.approx(-2 * result.t, abs=1e-12)
    assert numpy.abs(result["shift"] + 2).max() < 1e-14
    assert result["floor"].min() > -1e-14
    assert len(result) == 301 and result.summary["status"] == "finished"


def test_one_bit_of_a_record(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(FLOOR)
    ricochet.run(path, out=tmp_path / "a")
    with h5py.File(tmp_path / "a" / "trajectory.h5") as f:
        rows = f["energy"].id.get_chunk_info(0).byte_offset
    for name, at in (("trajectory.h5", rows + 100), ("trajectory.h5", 100), ("impacts.csv", 200), ("summary.json", 100)):
        whole = (tmp_path / "a" / name).read_bytes()
        (tmp_path / "a" / name).write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
        with pytest.raises(ricochet.RecordError, match=name + " is "):
            ricochet.load(tmp_path / "a")
        (tmp_path / "a" / name).write_bytes(whole)
    assert ricochet.load(tmp_path / "a").summary["status"] == "finished"


def test_is_the_program(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(FLOOR)
    subprocess.run([PROGRAM, "run", path, "--out", tmp_path / "a", "--quiet"], check=True)
    ours = ricochet.run(path, out=tmp_path / "b")
    memory = ricochet.run(path)
    memory.save(tmp_path / "c")
    for other in ("b", "c"):
        assert filecmp.cmp(tmp_path / "a" / "impacts.csv", tmp_path / other / "impacts.csv", shallow=False)
        summaries = [json.loads((tmp_path / d / "summary.json").read_text()) for d in ("a", other)]
        for summary in summaries:
            summary.pop("seconds"), summary["digests"].pop("summary.json")
        assert summaries[0] == summaries[1]
    program = ricochet.load(tmp_path / "a")
    for other in (ours, memory, ricochet.load(tmp_path / "c")):
        for column in ("t", "step", "q", "p", "energy", "discrete_energy", "gaps", "momentum"):
            assert numpy.array_equal(getattr(program, column), getattr(other, column)), column
        assert (program.impacts == other.impacts).all()
    assert program.coordinates == ["x", "y"] and program.gap_names == ["floor"] and program.symmetries == ["shift"]
    assert program.scene == FLOOR


def test_arrays_are_the_memory_of_the_run():
    result = ricochet.run(FLOOR)
    assert result.q.__array_interface__["data"][0] == result._run.address()
    for name in ("t", "step", "q", "p", "energy", "discrete_energy", "gaps", "momentum"):
        array, again = getattr(result, name), result._run.trajectory()[name]
        assert array.__array_interface__["data"] == again.__array_interface__["data"], name  # not a copy each time
        assert array.base is result._run and not array.flags.writeable and not array.flags.owndata, name
    q = result.q
    last = q[-1].copy()
    del result  # the array keeps the memory
    assert (q[-1] == last).all()


def test_overrides_and_columns():
    result = ricochet.run(FLOOR, {"system.velocity[0]": 5}, time__end=0.5)
    assert result["x"][-1] == pytest.approx(2.5)
    assert (result["p_x"] == 5).all()
    with pytest.raises(KeyError, match="did you mean 'floor'"):
        result["flor"]
    for key, nearest in (("system.velocty", "velocity"), ("system.velocty[0]", "velocity"), ("tiem.end", "time"),
                         ("parameters.gravty", "gravity"), ("parameters.gravty[0]", "gravity")):
        with pytest.raises(ricochet.SceneError, match=f"did you mean '{nearest}'"):
            ricochet.run(FLOOR + "[parameters]\ngravity = 9.81\n", {key: 1})
    with pytest.raises(ricochet.SceneError, match="did you mean 'time'"):
        ricochet.run(FLOOR, tmie__end=1)
    # A parameter that another override uses is welcome.
    heavier = ricochet.run(FLOOR, {"parameters.g": 5, "system.potential": "g*y"})
    assert heavier.impacts["t"][0] == pytest.approx(math.sqrt(2 / 5), abs=1e-12)


def test_tables_of_pandas():
    pandas = pytest.importorskip("pandas")
    result = ricochet.run(FLOOR)
    frame = result.frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 101 and frame["x"].iloc[-1] == pytest.approx(-2)
    assert result.impacts_frame()["p_plus_y"].iloc[0] == pytest.approx(math.sqrt(2 * G), abs=1e-3)


def test_sampled_tables():
    result = ricochet.run(FLOOR, record__stroboscope=0.25, record__section="y - 0.5")
    assert result.stroboscope.t == pytest.approx([0.25 * k for k in range(len(result.stroboscope))])
    assert result.section.q[:, 1] == pytest.approx(0.5, abs=1e-9)


def test_errors_have_their_place(tmp_path):
    with pytest.raises(ricochet.SceneError) as refused:
        ricochet.run(FLOOR.replace("9.81*y", "9.81*z"))
    assert (refused.value.line, refused.value.column) == (7, 19) and "unknown name" in refused.value.sentence
    with pytest.raises(ricochet.SceneError, match="did you mean 'star'"):
        ricochet.run("stat")
    with pytest.raises(ricochet.SceneError, match="cannot stand in a scene"):
        ricochet.run(FLOOR, {"time.end": object()})
    (tmp_path / "foreign.txt").write_text("mine")
    with pytest.raises(ricochet.RecordError):
        ricochet.run(FLOOR, out=tmp_path)
    assert (tmp_path / "foreign.txt").read_text() == "mine"
    with pytest.raises(ricochet.RecordError):
        ricochet.load(tmp_path)
    with pytest.raises(ricochet.RunError) as failed:
        ricochet.run(FLOOR.replace("9.81*y", "9.81*y + if(x < -1, log(x), 0)"))
    assert 0.45 < failed.value.result.t[-1] < 0.55  # x = −2t passes −1 at t = ½


def test_step_by_step():
    run = ricochet.simulate(FLOOR, time__end=1e9)
    times = []
    for node in run:
        times += [impact["t"] for impact in node.impacts]
        if len(times) == 2:
            break
    assert times == pytest.approx([math.sqrt(2 / G), 3 * math.sqrt(2 / G)], abs=1e-12)
    assert run.t == pytest.approx(run.steps * 0.01) and run.impacts == 2


def test_observers():
    seen, samples = [], []
    result = ricochet.run(FLOOR, on_impact=seen.append, on_sample=lambda s: samples.append(s["t"]))
    assert [s["t"] for s in seen] == result.impacts["t"].tolist()
    assert samples == result.t.tolist()

    def raises(_):
        raise ZeroDivisionError("mine")
    with pytest.raises(ZeroDivisionError, match="mine"):
        ricochet.run(FLOOR, on_impact=raises)


def test_a_law_in_python():
    """Newton's law for one gap, e = ½: heights fall by a quarter each time."""
    result = ricochet.run(FLOOR, law=lambda W, v, e: -1.5 * v / W[0, 0], time__end=1.2)
    fall = math.sqrt(2 / G)
    assert result.impacts["t"] == pytest.approx([fall, 2 * fall, 2.5 * fall], abs=1e-9)
    named = ricochet.run(FLOOR, {"impact.law": "newton", "impact.restitution": 0.5}, time__end=1.2)
    assert result.q == pytest.approx(named.q, abs=1e-12)
    with pytest.raises(ricochet.RunError, match="gain"):
        ricochet.run(FLOOR, law=lambda W, v, e: -2.1 * v / W[0, 0])
    with pytest.raises(ValueError, match="2 impulses for 1"):
        ricochet.run(FLOOR, law=lambda W, v, e: [1, 2])
    with pytest.raises(TypeError, match="must return numbers"):
        ricochet.run(FLOOR, law=lambda W, v, e: "much")
    with pytest.raises(ricochet.RunError):
        ricochet.run(FLOOR, law=lambda W, v, e: [float("nan")])


def test_other_threads_go_on_during_a_run():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)
    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    ricochet.run("star", time__end=2000, record__every=0)
    end = time.monotonic()
    stop.set(), thread.join()
    during = [t for t in ticks if begin < t < end]
    assert len(during) > 0.2 * (end - begin) / 0.005, "the interpreter was locked"


# A restitution that varies is not extrapolated: impacts fall into one step by the thousand, for minutes.
LONG_STEP = """[time]
step = 0.1
end = 3
[system]
coordinates = ["x", "y"]
mass = [2, 2]
potential = "9.81*x+0.1*y^4"
position = [0.526, 1.089]
velocity = [0.182, 0]
[[gap]]
expression = "2-x"
[[gap]]
expression = "9-x^2-y^2"
[[gap]]
expression = "y+0.1-0.1*sin(3*t)"
[impact]
law = "newton"
restitution = "0.5+0.1*cos(x)"
[integrator]
rule = "midpoint"
closure = "interpolated"
"""


@pytest.mark.parametrize("code", ["ricochet.run('long.toml')", "ricochet.run('long.toml', out='o')",
                                  "ricochet.simulate('long.toml').step(30)",
                                  "ricochet.run('star', time__end=1e7, record__every=0)",
                                  "ricochet.run('star', time__end=1e7, record__every=0, out='o')",
                                  "ricochet.simulate('star', time__end=1e7).step(10**9)",
                                  "ricochet.run('beam-axial', time__end=1e6, out='b')",
                                  "ricochet.sweep('star', {'time.step': [0.001] * 9}, time__end=1e6, out='s.h5')"])
def test_keyboard_interrupt(code, tmp_path):
    # A shell that starts tests in the background has them ignore Ctrl-C, and Python inherits that.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    (tmp_path / "long.toml").write_text(LONG_STEP)
    code = f"{listen}; import ricochet; print('go', flush=True); {code}"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               cwd=tmp_path, start_new_session=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(1.5 if "long" in code else 0.4)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
    try:
        _, errors = process.communicate(timeout=8 if "long" in code else 20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert "KeyboardInterrupt" in errors and process.returncode != 0
    if "out='o'" in code:  # what was computed is there
        assert ricochet.load(tmp_path / "o").summary["status"] == "interrupted"


def test_a_step_that_was_interrupted():
    """What was cut short in the middle says so; with a function of Python's nothing was done, and it may go on."""
    for law, words in ((None, "the run was interrupted in the middle of a step and cannot go on"),
                       (lambda W, v, e: -(1 + e) * v / W[0, 0], None)):
        run = ricochet.simulate(LONG_STEP, law=law)
        timer = threading.Timer(1.5, signal.raise_signal, [signal.SIGINT])
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        timer.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                run.step(30)
        finally:
            timer.cancel()
            signal.signal(signal.SIGINT, before)
        if words:
            with pytest.raises(ricochet.RunError, match=words):
                run.step()
        else:
            assert run.steps == 0 and run.step().t == pytest.approx(0.1)


def test_plot_and_report(tmp_path):
    result = ricochet.run("star", time__end=5)
    result.plot(tmp_path / "star.png")
    assert (tmp_path / "star.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ricochet.RecordError, match="directory"):
        result.report()
    if not os.path.exists(os.path.join(os.path.dirname(ricochet.__file__), "template.html")):  # no node here
        with pytest.raises(ricochet.RecordError, match="template"):
            result.report(tmp_path / "o")
        return
    page = result.report(tmp_path / "o")
    assert os.path.getsize(page) > 100000


def test_check_describes():
    description = ricochet.check(FLOOR)
    assert description["energy"] == pytest.approx(G + 2)
    assert description["symmetries"][0]["holds"] and not description["gaps"][0]["closed"]
    assert set(ricochet.bundled()) >= {"star", "table", "newton-cradle"}


def test_derivatives_are_left(tmp_path):
    """As the program leaves them, with `out` and by `save`; not those of functions of Python's, which is said."""
    import h5py
    scene = FLOOR + '[derivatives]\nwith_respect_to = ["position", "velocity"]\n'
    (tmp_path / "s.toml").write_text(scene)
    subprocess.run([PROGRAM, "run", tmp_path / "s.toml", "--out", tmp_path / "a", "--quiet"], check=True)
    ricochet.run(tmp_path / "s.toml", out=tmp_path / "b")
    ricochet.run(tmp_path / "s.toml").save(tmp_path / "c")
    ricochet.run(tmp_path / "s.toml", out=tmp_path / "d", on_impact=lambda impact: None)

    def derivatives(name):
        with h5py.File(tmp_path / name / "derivatives.h5") as f:
            return {key: f[key][...] for key in ("t", "step", "q", "p")}
    wanted = derivatives("a")
    for name in ("b", "c", "d"):
        for key, values in derivatives(name).items():
            assert numpy.array_equal(values, wanted[key]), (name, key)
        assert "irregular_derivatives" in json.loads((tmp_path / name / "summary.json").read_text())
    with pytest.warns(RuntimeWarning, match="were not computed: nobody knows those of the impact law"):
        ricochet.run(scene, out=tmp_path / "e", law=lambda W, v, e: -2 * v / W[0, 0])
    assert ricochet.load(tmp_path / "e").summary["status"] == "finished"
    for law in (None, lambda W, v, e: v):  # said before the run
        with pytest.raises(ricochet.SceneError, match="there is no 'colour' to differentiate by"):
            ricochet.run(scene.replace('"velocity"]', '"colour"]'), out=tmp_path / "f", law=law)
    assert not (tmp_path / "f").exists()
