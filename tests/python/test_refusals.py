"""What is given wrongly is refused in one sentence of our own, with an exception that says whose it is."""
import os
import subprocess
import sys

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
                        ("damaged", "trajectory.h5 is damaged, or is no record of ricochet")):
        with pytest.raises(ricochet.RecordError) as raised:
            ricochet.load(tmp_path / name)
        assert words in sentence(raised) and str(tmp_path / name) in sentence(raised)
        assert "errno" not in sentence(raised) and "h5" not in sentence(raised).replace("trajectory.h5", "")
    for bad in (b"{", b"[]", b"\xff"):
        (good / "summary.json").write_bytes(bad)
        with pytest.raises(ricochet.RecordError) as raised:
            ricochet.load(good)
        assert "summary.json is damaged, or is not a summary of ricochet" in sentence(raised)


def test_sweeps(tmp_path):
    scene = ricochet.System(**FALL).scene(0.01, 0.1)
    for workers in (0, -1, "a", 1.5):
        with pytest.raises(ricochet.SceneError) as raised:
            ricochet.sweep(scene, {"time.step": [0.01]}, out=tmp_path / "s.h5", workers=workers)
        assert f"workers must be a whole number, at least 1, not {workers!r}" == sentence(raised)
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
