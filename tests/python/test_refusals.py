"""What is given wrongly is refused in one sentence of our own, with an exception that says whose it is."""
import os
import subprocess
import sys
import threading

import pytest
import ricochet

FALL = {"coordinates": ["y"], "mass": [1], "potential": "9.81*y", "gaps": {"floor": "y"}, "position": [1],
        "velocity": [0]}


def sentence(raised):
    text = str(raised.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("given, words", [
    ({"gaps": ["y"]}, "gaps must be a dict, as {\"floor\": \"y\"}, not ['y']"),
    ({"impact": "newton"}, "impact must be a dict, as {\"law\": \"newton\"}, not 'newton'"),
    ({"integrator": "midpoint"}, "integrator must be a dict"),
    ({"record": 10}, "record must be a dict"),
    ({"parameters": [1]}, "parameters must be a dict"),
    ({"parameters": {1: 2}}, "a key of a scene is a text, not 1"),
    ({"forces": "y"}, "forces must be a dict"),
    ({"constraints": "y"}, "constraints must be a dict"),
    ({"symmetries": [1]}, "symmetries must be a dict"),
    ({"shapes": {"type": "segment"}}, "shapes must be a list of dicts"),
    ({"shapes": ["segment"]}, "a shape must be a dict"),
    ({"coordinates": "y"}, "coordinates must be a list of names"),
    ({"coordinates": [1]}, "the name of a coordinate is a text, not 1"),
])
def test_systems(given, words):
    with pytest.raises(ricochet.SceneError) as raised:
        ricochet.System(**{**FALL, **given})
    assert words in sentence(raised)


def test_steps():
    run = ricochet.simulate(ricochet.System(**FALL).scene(0.01, 1))
    for steps in (-1, 10**30, -10**30):
        with pytest.raises(ValueError) as raised:
            run.step(steps)
        assert "steps must be a whole number from 0" in sentence(raised)
    for steps in ("a", 1.5, None):
        with pytest.raises(TypeError) as raised:
            run.step(steps)
        assert f"steps must be a whole number, not {steps!r}" == sentence(raised)
    assert run.steps == 0 and run.step(3).t == pytest.approx(0.03) and run.steps == 3


def test_overrides():
    with pytest.raises(ricochet.SceneError) as raised:
        ricochet.run("star", "time.end=3")
    assert "overrides are a dict" in sentence(raised)


@pytest.mark.parametrize("answer", [None, [None], (None,)])
def test_laws_without_an_answer(answer):
    with pytest.raises(TypeError) as raised:
        ricochet.System(**FALL, law=lambda W, v, e: answer).run(step=0.01, end=1)
    assert "the impact law must return numbers, one impulse per acting gap, not None" == sentence(raised)


FREE = {"gaps": {}}
WEAK = {"integrator": {"principle": "weak"}}
ROUGH = {"gaps": {"floor": {"expression": "y", "friction": 0.5, "tangent": ["x"]}}, "coordinates": ["x", "y"],
         "mass": [1, 1], "position": [0, 1], "velocity": [1, 0], "impact": {"law": "newton", "restitution": 0.5}}


def law(W, v, e):
    return -1.5 * v / W[0, 0]


@pytest.mark.parametrize("given, words", [
    (WEAK, "the weak principle"), (ROUGH, "no meaning with friction"),
    (FREE, "a scene without gaps has no impacts and takes no impact law")])
def test_laws_that_nobody_would_ask(tmp_path, given, words):
    system = ricochet.System(**{**FALL, **given}, law=law)
    scene = system.scene(0.01, 1)
    ricochet.run(scene)  # good without the law
    for call in (lambda: system.run(step=0.01, end=1), lambda: next(system.flights(step=0.01)),
                 lambda: ricochet.run(scene, law=law), lambda: ricochet.simulate(scene, law=law),
                 lambda: ricochet.sweep(scene, {"time.end": [1.0, 2.0]}, law=law, out=tmp_path / "s.h5")):
        with pytest.raises(ricochet.SceneError) as raised:
            call()
        assert words in sentence(raised)
    assert os.listdir(tmp_path) == []


def test_the_program_does_not_go_on_without_a_law(tmp_path):
    """The scene of a record holds no function of Python's: without them it would be another run."""
    scene = ricochet.System(**FALL).scene(0.01, 1) + '[derivatives]\nwith_respect_to = ["position"]\n'

    def call(*command):
        return subprocess.run([os.environ["RICOCHET_PROGRAM"], *command], cwd=tmp_path, capture_output=True, text=True)

    with pytest.warns(RuntimeWarning):  # no derivatives of such a law
        ricochet.run(scene, out=tmp_path / "law", law=law)
    before = sorted(os.listdir(tmp_path / "law"))
    summary = (tmp_path / "law" / "summary.json").read_text()
    done = call("resume", "law")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "the scene inside cannot hold the impact law, given in Python: run it there anew" in done.stderr
    assert "resume" not in call("recover", "law").stdout
    assert sorted(os.listdir(tmp_path / "law")) == before
    with pytest.raises(ricochet.RunError) as raised:
        ricochet.run(scene, law=lambda W, v, e: -5 * v / W[0, 0])  # gains energy
    raised.value.result.save(tmp_path / "failed")
    assert call("resume", "failed").returncode == 2
    assert '"failed"' in (tmp_path / "failed" / "summary.json").read_text()
    assert (tmp_path / "law" / "summary.json").read_text() == summary


def test_runs_that_would_not_end():
    """In memory as on disk: a ball that has come to rest hits nothing."""
    with pytest.raises(ricochet.RunError) as raised:
        ricochet.System(**FALL, impact={"law": "newton", "restitution": 0.5}, record={"every": 0}).run(0.01, impacts=100)
    assert "nothing was hit for 1000000 steps" in sentence(raised)


def test_laws_of_bars_and_beams():
    for kind in ("bar", "beam"):
        names = [name for name, path in ricochet.bundled().items() if f"\n[[{kind}]]" in open(path).read()]
        assert names
        with pytest.raises(ricochet.SceneError, match=f"a scene of {kind}s has contacts of its own"):
            ricochet.run(names[0], law=law)


@pytest.mark.parametrize("answer", ["nan", "inf"])
def test_laws_that_return_no_number(answer):
    with pytest.raises(ricochet.RunError) as raised:
        ricochet.System(**FALL, law=lambda W, v, e: [float(answer)]).run(step=0.01, end=1)
    assert f"the impact law returned {answer}, which is no impulse" in sentence(raised)


def test_one_caller_at_a_time():
    """Another thread, or the law of the run itself, would step what is in the middle of a step."""
    entered, leave, refused, seen = threading.Event(), threading.Event(), [], []

    def waits(W, v, e):
        with pytest.raises(ricochet.RunError) as raised:
            run.step()
        refused.append(sentence(raised))
        seen.append(run.t)
        entered.set()
        assert leave.wait(30)
        return -2 * v / W[0, 0]
    run = ricochet.simulate(ricochet.System(**FALL).scene(0.01, 1), law=waits)
    thread = threading.Thread(target=run.step, args=(60,))
    thread.start()
    assert entered.wait(30)
    with pytest.raises(ricochet.RunError) as raised:
        run.step()
    # What can be seen meanwhile lies between two steps: a fall from 1.
    steps, (y,), (p,) = run.steps, run.q, run.p
    assert run.t == pytest.approx(0.01 * steps) and seen == [run.t] and run.impacts == 0 and not run.done
    assert y == pytest.approx(1 - 9.81 * run.t**2 / 2, abs=1e-12) and p == pytest.approx(-9.81 * run.t, abs=1e-12)
    assert f"<ricochet.Simulation {steps} steps, 0 impacts" in repr(run)
    for look in (run._run.describe, run._run.trajectory, run._run.impact_columns):
        with pytest.raises(ricochet.RunError) as unseen:
            look()
        assert sentence(unseen) == sentence(raised)
    leave.set()
    thread.join()
    assert "this run is being carried on already" in sentence(raised) and refused == [sentence(raised)]
    assert run.steps == 60 and run.impacts == 1 and run.step().t == pytest.approx(0.61)


def test_another_thread_watches():
    """q, p and t come from between two steps, and go on while a call is under way."""
    run, seen = ricochet.simulate(ricochet.System(**{**FALL, "gaps": {}, "potential": "0", "velocity": [2]}).scene(
        0.0001, 100)), []
    thread = threading.Thread(target=run.step, args=(10**6,))
    thread.start()
    while thread.is_alive():
        seen.append((run.steps, *run.q, *run.p))
    thread.join()
    assert all(p == 2 for _, _, p in seen) and seen == sorted(seen)
    assert len({steps for steps, _, _ in seen}) > 2, "nothing was seen to go on"
    assert run.done and run.q == pytest.approx([201])


def test_many_threads_at_one_run():
    run = ricochet.simulate(ricochet.System(**FALL).scene(0.0001, 5))
    taken = []

    def step():
        while not run.done:
            try:
                taken.append(round(run.step(100).t / 0.01))
            except ricochet.RunError as error:
                assert "carried on already" in str(error)
    threads = [threading.Thread(target=step) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Every hundred once; only the last may come again, to a thread that saw the run before its end.
    assert run.steps == 50000 and sorted(taken) == [*range(1, 500), *[500] * (len(taken) - 499)] and max(taken) == 500


def test_a_law_that_raises_undoes_its_step():
    whole = ricochet.simulate(ricochet.System(**FALL).scene(0.01, 2), law=law)
    calls = []

    def raises(W, v, e):
        calls.append(1)
        if len(calls) in (1, 3):
            raise ZeroDivisionError("mine")
        return law(W, v, e)
    run = ricochet.simulate(ricochet.System(**FALL).scene(0.01, 2), law=raises)
    undone = 0
    for node in whole:
        try:
            again = run.step()
        except ZeroDivisionError:
            assert run.steps == round(node.t / 0.01) - 1
            undone += 1
            again = run.step()
        assert (again.t, *again.q, *again.p, len(again.impacts)) == (node.t, *node.q, *node.p, len(node.impacts))
    assert undone == 2 and whole.impacts >= 3


def test_a_run_that_failed_in_a_step_does_not_go_on():
    run = ricochet.simulate(ricochet.System(**{**FALL, "potential": "if(y < 0.5, sqrt(-1), 0)", "velocity": [-1]},
                                            integrator={"closure": "variational"}).scene(0.01, 5))
    with pytest.raises(ricochet.RunError):
        run.step(500)
    steps = run.steps
    with pytest.raises(ricochet.RunError) as raised:
        run.step()
    assert sentence(raised) == "the run failed in the middle of a step and cannot go on: make a new one"
    assert run.steps == steps


def test_folders_are_looked_at_before_the_run(tmp_path):
    system, seen = ricochet.System(**FALL), []
    system.run(step=0.1, end=1, out=tmp_path / "run")
    (tmp_path / "file").write_text("text")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("text")
    for name, words in (("run", "already holds a run"), ("file", "file"), ("file/below", "file"),
                        ("mine", "holds no run of ricochet")):
        with pytest.raises(ricochet.RecordError) as raised:
            system.run(step=0.1, end=1, out=tmp_path / name, on_sample=seen.append)
        assert words in sentence(raised) and seen == []
    system.run(step=0.1, end=1, out=tmp_path / "run", on_sample=seen.append, overwrite=True)
    assert len(seen) == 11


def test_columns_of_a_result():
    result = ricochet.System(**FALL).run(step=0.1, end=1)
    assert "y" in result and "floor" in result and "t" in result and "z" not in result and 0 not in result
    assert list(result) == ["t", "step", "q", "p", "energy", "discrete_energy", "gaps", "momentum", "y", "p_y", "floor"]
    for name in (0, None, slice(2)):
        with pytest.raises(KeyError) as raised:
            result[name]
        assert "a column has a name" in sentence(raised)


def test_reports_go_where_they_were_sent(tmp_path):
    result = ricochet.System(**FALL).run(step=0.1, end=1)
    result.save(tmp_path / "a")
    result.report(tmp_path / "b")
    assert (tmp_path / "b" / "report.html").exists() and not (tmp_path / "a" / "report.html").exists()
    with pytest.raises(ricochet.RecordError) as raised:
        ricochet.load(tmp_path / "a").report(tmp_path / "c")
    assert "its report lies there" in sentence(raised)


def test_what_was_not_recorded(tmp_path):
    system = ricochet.System(**FALL, record={"every": 0, "section": "y - 5"})
    for result in (system.run(step=0.1, end=1), system.run(step=0.1, end=1, out=tmp_path / "o")):
        assert len(result.section) == 0 and result.section.q.shape == (0, 1) and result.stroboscope is None
        with pytest.raises(ValueError) as raised:
            result.plot()
        assert "recorded no states to plot" in sentence(raised)


def test_what_things_call_themselves(tmp_path):
    system = ricochet.System(**FALL, title="Fall")
    assert repr(system) == "<ricochet.System 'Fall' of y>"
    run = ricochet.simulate(system.scene(0.01, 1))
    run.step(60)
    assert repr(run) == "<ricochet.Simulation 60 steps, 1 impacts until t = 0.6>"
    done = ricochet.sweep(system.scene(0.01, 1), {"time.end": [1, 2]}, out=tmp_path / "s.h5", workers=1)
    assert repr(done) == f"<ricochet.Sweep {tmp_path / 's.h5'}: 2 members, 0 failed, over time.end>"


def test_names_of_several_columns():
    pytest.importorskip("pandas")
    result = ricochet.System(coordinates=["y", "p_y"], mass=[1, 2], position=[0, 1], velocity=[3, 4],
                             gaps={"p_p_y": "y + 10"}).run(step=0.1, end=1)
    with pytest.raises(KeyError) as raised:
        result["p_y"]
    assert "'p_y' is the name of several columns: take result.q[:, 1] or result.p[:, 0]" in sentence(raised)
    with pytest.raises(KeyError) as raised:
        result["p_p_y"]
    assert "result.p[:, 1] or result.gaps[:, 0]" in sentence(raised)
    assert result["y"][-1] == pytest.approx(3)  # what has one meaning has it still
    with pytest.raises(ValueError) as raised:
        result.frame()
    assert "two columns of the frame would be called 'p_y'" in sentence(raised)


def test_folders_without_a_run(tmp_path):
    good = tmp_path / "good"
    ricochet.System(**FALL).run(step=0.1, end=1, out=good)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("text")
    (tmp_path / "killed" / "running").mkdir(parents=True)
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "trajectory.h5").write_bytes(b"no HDF5")
    for name, words in (("nosuch", "there is no such folder"), ("empty", "holds no run of ricochet"),
                        ("file", "is a file, not the folder of a run"), ("killed", "ricochet recover makes"),
                        ("damaged", "trajectory.h5 is not an HDF5 file, or its beginning is damaged")):
        with pytest.raises(ricochet.RecordError) as raised:
            ricochet.load(tmp_path / name)
        assert words in sentence(raised) and str(tmp_path / name) in sentence(raised)
        assert "errno" not in sentence(raised) and "h5" not in sentence(raised).replace("trajectory.h5", "")
    for bad in (b"{", b"[]", b"\xff"):
        (good / "summary.json").write_bytes(bad)
        with pytest.raises(ricochet.RecordError) as raised:
            ricochet.load(good)
        assert "summary.json is not a summary of ricochet, or is damaged" in sentence(raised)


def test_sweeps(tmp_path):
    scene = ricochet.System(**FALL).scene(0.01, 0.1)
    for workers in (0, -1, "a", 1.5, 4097, 10**20):
        with pytest.raises(ricochet.SceneError) as raised:
            ricochet.sweep(scene, {"time.step": [0.01]}, out=tmp_path / "s.h5", workers=workers)
        assert f"workers must be a whole number from 1 to 4096, not {workers!r}" == sentence(raised)
    with pytest.raises(ricochet.SceneError) as raised:
        ricochet.sweep(scene, ["time.step"], out=tmp_path / "s.h5")
    assert "variations are a dict of lists" in sentence(raised)
    assert os.listdir(tmp_path) == []


def test_sweeps_from_the_shell(tmp_path):
    def call(*words):
        return subprocess.run([sys.executable, "-m", "ricochet", *words], cwd=tmp_path, capture_output=True, text=True)

    for words in (["table", "--vary", "parameters.g=1:2:0"], ["table"], [],
                  ["table", "--vary", "time.step=0.1", "--foo"]):
        done = call("sweep", *words)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
        assert done.stderr.startswith("ricochet: ") and "usage:" not in done.stderr
    (tmp_path / "out").write_text("a file")
    done = call("sweep", "table", "--vary", "time.step=0.1")
    assert done.returncode == 2 and done.stderr == "ricochet: out cannot be written: File exists\n"


def test_a_sweep_on_a_full_disk(tmp_path):
    import resource
    (tmp_path / "s.toml").write_text(ricochet.System(**FALL).scene(0.001, 1))
    words = ["sweep", "s.toml", "--vary", "system.velocity[0]=0:1:4", "--out", "s.h5", "--keep", "trajectory"]

    def call(*more, **options):
        return subprocess.run([sys.executable, "-m", "ricochet", *words, *more], cwd=tmp_path, capture_output=True,
                              text=True, **options)

    for workers in ("1", "2"):
        done = call("--workers", workers,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999)))
        assert done.returncode == 1, done.stderr
        assert done.stderr == "ricochet: s.h5.parts cannot be written: File too large; call the sweep again to go on\n"
    done = call("--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(ricochet.Sweep(tmp_path / "s.h5")) == 4


def test_progress_of_the_callers(tmp_path):
    """A function is called, at the end at least, and what it raises arrives; anything else is refused."""
    system = ricochet.System(**FALL)
    for out in (None, tmp_path / "run"):
        seen = []
        result = system.run(step=0.1, end=1, out=out, progress=lambda *where: seen.append(where))
        assert seen[-1] == (result.summary["t_end"], result.summary["steps"], result.summary["impacts"])

        def stop(t, steps, impacts):
            raise LookupError("enough")
        with pytest.raises(LookupError, match="enough"):
            system.run(step=0.1, end=1, out=None if out is None else tmp_path / "other", progress=stop)
    with pytest.raises(ricochet.SceneError) as raised:
        system.run(step=0.1, end=1, progress="yes")
    assert "progress must be True, False or a function (t, steps, impacts), not 'yes'" in sentence(raised)
    scene, members, seen = system.scene(0.1, 1), {"time.end": [1.0, 2.0, 3.0]}, []
    ricochet.sweep(scene, members, out=tmp_path / "a.h5", workers=2, progress=lambda *where: seen.append(where))
    assert seen[-1] == (3, 3)
    for workers in (1, 2):
        with pytest.raises(ZeroDivisionError):
            ricochet.sweep(scene, members, out=tmp_path / f"b{workers}.h5", workers=workers, progress=lambda *_: 1 / 0)


def test_functions_of_any_number_of_arguments():
    for f in (lambda *q: 9.81 * q[0].y, lambda q, *more: 9.81 * q.y):
        falls = ricochet.System(coordinates=["y"], mass=[1], position=[1], potential=f).run(step=0.1, end=1)
        assert falls["y"][-1] == pytest.approx(1 - 9.81 / 2)


def test_what_cannot_be_pickled_says_what_to_do(tmp_path):
    import copy
    import pickle
    system = ricochet.System(**FALL)
    result = system.run(step=0.1, end=1)
    for thing in (result, ricochet.simulate(system.scene(0.1, 1))):
        with pytest.raises(TypeError) as raised:
            pickle.dumps(thing)
        assert "result.save(folder)" in str(raised.value) and "ricochet.load(folder)" in str(raised.value)
    assert copy.copy(result).q is result.q
    result.save(tmp_path / "run")
    assert (pickle.loads(pickle.dumps(ricochet.load(tmp_path / "run"))).q == result.q).all()


def test_deep_formulas_in_threads_with_small_stacks():
    import threading
    deep, seen = 990, []
    potential = "9.81*y + 1e-9*" + "(" * deep + "y" + ")" * deep
    before = threading.stack_size(262144)
    try:
        thread = threading.Thread(target=lambda: seen.append(
            ricochet.System(**{**FALL, "potential": potential}).run(step=0.1, end=1).summary["status"]))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert seen == ["finished"]
