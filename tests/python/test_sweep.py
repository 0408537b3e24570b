"""Sweeps: every member once, the same file however many workers, killed or not."""
import filecmp
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy
import pytest
import ricochet
from sweep_script import SCRIPT

BALL = """[time]
step = 0.01
end = 1
[system]
coordinates = ["y"]
mass = [1]
potential = "g*y"
position = [1]
[parameters]
g = 9.81
[[gap]]
name = "floor"
expression = "y"
"""
GRID = {"parameters.g": [5.0, 9.81, 20.0], "system.position[0]": [0.5, 1.0, 2.0]}


def module_law(W, v, e):
    """Newton's law with e = 1/2, where workers can import it."""
    return -1.5 * v / W[0, 0]


def test_grid_against_the_parabola(tmp_path):
    done = ricochet.sweep(BALL, GRID, out=tmp_path / "s.h5", workers=2)
    assert len(done) == 9 and (done.status == "finished").all()
    for i in range(9):
        g, y = done.values["parameters.g"][i], done.values["system.position[0]"][i]
        first = done.table("impacts", i)["t"][:1]
        fall = math.sqrt(2 * y / g)
        assert first == pytest.approx([fall], abs=1e-12) if fall < 1 else len(first) == 0
    assert not os.path.exists(str(tmp_path / "s.h5") + ".parts")
    assert done.coordinates == ["y"] and done.q_end.shape == (9, 1)


def test_workers_do_not_matter(tmp_path):
    for workers in (1, 2, 3):
        ricochet.sweep(BALL, GRID, out=tmp_path / f"{workers}.h5", workers=workers, keep=("impacts", "trajectory"))
    assert filecmp.cmp(tmp_path / "1.h5", tmp_path / "2.h5", shallow=False)
    assert filecmp.cmp(tmp_path / "1.h5", tmp_path / "3.h5", shallow=False)


def test_failures_are_kept(tmp_path):
    done = ricochet.sweep(BALL, {"system.position[0]": [1.0, -1.0, 2.0]}, out=tmp_path / "s.h5", workers=1)
    assert done.status.tolist() == ["finished", "refused", "finished"]
    assert "floor" in done.error[1] and numpy.isnan(done.q_end[1]).all()


def test_law_and_list(tmp_path):
    done = ricochet.sweep(BALL, {"parameters.g": [5, 10], "system.position[0]": [1, 2]}, mode="list", law=module_law,
                          out=tmp_path / "s.h5", time__impacts=1, time__end=5)
    for i, (g, y) in enumerate(((5, 1), (10, 2))):
        assert done.table("impacts", i)["p_plus"][0, 0] == pytest.approx(math.sqrt(2 * g * y) / 2, abs=1e-9)


def test_refusals(tmp_path):
    out = tmp_path / "s.h5"
    with pytest.raises(ricochet.SceneError, match="lambda"):
        ricochet.sweep(BALL, GRID, out=out, law=lambda W, v, e: v)
    with pytest.raises(ricochet.SceneError, match="did you mean 'parameters'"):
        ricochet.sweep(BALL, {"parmeters.g": [1]}, out=out)
    with pytest.raises(ricochet.SceneError, match="no values"):
        ricochet.sweep(BALL, {"parameters.g": []}, out=out)
    with pytest.raises(ricochet.SceneError, match="equally long"):
        ricochet.sweep(BALL, {"parameters.g": [1, 2], "time.end": [1]}, mode="list", out=out)
    with pytest.raises(ricochet.SceneError, match="can keep"):
        ricochet.sweep(BALL, GRID, out=out, keep=("everything",))
    assert not out.exists()
    out.write_text("mine")
    with pytest.raises(ricochet.RecordError, match="nothing was overwritten"):
        ricochet.sweep(BALL, GRID, out=out)
    assert out.read_text() == "mine"


def test_killed_at_random_moments(tmp_path):
    """Kills of the whole process group; then every member once, and the file of an uninterrupted sweep. Six of them with
    the other tests, twenty in `make long`."""
    wanted = int(os.environ.get("RICOCHET_KILLS", "6"))
    script = tmp_path / "s.py"
    script.write_text(SCRIPT)
    out, parts = tmp_path / "killed.h5", tmp_path / "killed.h5.parts"
    begin = time.monotonic()
    subprocess.run([sys.executable, script, tmp_path / "whole.h5"], check=True)
    whole = time.monotonic() - begin
    chance = random.Random(1)
    kills = resumed = completed = 0
    while kills < wanted:
        resumed += any(p.stat().st_size for p in parts.glob("*.journal"))
        process = subprocess.Popen([sys.executable, script, out], start_new_session=True, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.3, 1.0) * whole)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        assert process.wait() in (0, -signal.SIGKILL)
        if out.exists():  # it came to its end: look at it, and begin another
            assert filecmp.cmp(tmp_path / "whole.h5", out, shallow=False)
            out.unlink()
            shutil.rmtree(parts, ignore_errors=True)
            completed += 1
        else:
            assert list(tmp_path.glob("killed*")) in ([parts], []), "something was left beside the file"
    assert resumed >= wanted // 3, "the kills came before anything was done"
    subprocess.run([sys.executable, script, out], check=True)
    assert filecmp.cmp(tmp_path / "whole.h5", out, shallow=False)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_workers_end_with_their_parent(tmp_path):
    """kill -9 of the sweep alone: a reader of its stderr must come to an end, and nobody computes on."""
    (tmp_path / "ball.toml").write_text(BALL)
    command = [os.environ["RICOCHET_PROGRAM"], "sweep", "ball.toml", "--vary", "parameters.g=1:100:8", "--workers", "4",
               "--set", "time.end=1e9", "--set", "record.every=0", "--out", "s.h5"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    workers = []
    deadline = time.monotonic() + 60
    try:
        while len(workers) < 4:
            assert time.monotonic() < deadline and process.poll() is None, "the workers did not start"
            time.sleep(0.05)
            with open(children) as f:
                workers = [int(pid) for pid in f.read().split()]
        time.sleep(0.3)  # into their first members
        process.kill()
        process.communicate(timeout=10)  # until nobody holds the other ends of its pipes
        while any(alive(pid) for pid in workers):
            assert time.monotonic() < deadline, "workers outlived the sweep"
            time.sleep(0.05)
    finally:
        for pid in (process.pid, *workers):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def test_killed_while_it_opened_or_closed(tmp_path):
    """The few moments that a kill at random rarely meets."""
    out, parts = tmp_path / "s.h5", tmp_path / "s.h5.parts"
    parts.mkdir()  # before its stamp was written
    (parts / "sweep.json.new").write_text('{"iden')
    ricochet.sweep(BALL, GRID, out=out, workers=1)
    assert not parts.exists()
    parts.mkdir()  # the file was there, its parts not yet gone
    (parts / "old.journal").write_bytes(b"ricochet")
    assert len(ricochet.sweep(BALL, GRID, out=out, workers=1)) == 9 and not parts.exists()
    other = tmp_path / "t.h5.parts"
    other.mkdir()
    (other / "mine").write_text("mine")
    with pytest.raises(ricochet.RecordError, match="not the folder of a sweep"):
        ricochet.sweep(BALL, GRID, out=tmp_path / "t.h5", workers=1)
    assert (other / "mine").read_text() == "mine"


def test_finished_members_are_not_computed_again(tmp_path, monkeypatch):
    from ricochet import _sweep
    plain, computed = _sweep.compute, []

    def compute(text, name, common, member, law, keep):
        if len(computed) == 4:
            raise KeyboardInterrupt
        computed.append(member["parameters.g"])
        return plain(text, name, common, member, law, keep)
    monkeypatch.setattr(_sweep, "compute", compute)
    values = {"parameters.g": [float(k) for k in range(1, 11)]}
    with pytest.raises(KeyboardInterrupt):
        ricochet.sweep(BALL, values, out=tmp_path / "s.h5", workers=1)
    monkeypatch.setattr(_sweep, "compute", lambda *a: (computed.append(a[3]["parameters.g"]), plain(*a))[1])
    done = ricochet.sweep(BALL, values, out=tmp_path / "s.h5", workers=1)
    assert computed == values["parameters.g"] and (done.status == "finished").all()
    ricochet.sweep(BALL, values, out=tmp_path / "s.h5", workers=1)  # done: only read
    assert len(computed) == 10


def test_a_worker_that_dies(tmp_path):
    script = tmp_path / "s.py"
    script.write_text("import os, sys, ricochet\nfrom dying import law\n" + f"""
try:
    ricochet.sweep({BALL!r}, {{"parameters.g": [5.0, 6.0, 7.0, 8.0]}}, out="s.h5", workers=2, law=law, progress=False)
except ricochet.RunError as error:
    sys.exit(str(error))
""")
    (tmp_path / "dying.py").write_text("""
import os
def law(W, v, e):
    try:
        os.remove("armed")  # one of the two workers can
    except FileNotFoundError:
        return -2 * v / W[0, 0]
    os.kill(os.getpid(), 9)
""")
    (tmp_path / "armed").touch()
    first = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert first.returncode == 1 and "a worker of the sweep died" in first.stderr, first.stderr
    subprocess.run([sys.executable, script], cwd=tmp_path, check=True)
    assert (ricochet.Sweep(tmp_path / "s.h5").status == "finished").all()


def missing_table(W, v, e):
    with open("restitution.csv") as table:
        return -(1 + float(table.read())) * v / W[0, 0]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_law_that_cannot_read_its_file_is_not_a_full_disk(tmp_path, workers):
    with pytest.raises(FileNotFoundError, match="restitution.csv"):
        ricochet.sweep(BALL, {"parameters.g": [5.0, 6.0]}, out=tmp_path / "s.h5", workers=workers, law=missing_table)


def test_names_that_are_not_ascii(tmp_path):
    scene = BALL.replace('"floor"', '"Fußboden"')
    done = ricochet.sweep(scene, {"parameters.g": [5.0, 9.81]}, out=tmp_path / "s.h5", workers=2)
    assert done.table("impacts", 1)["gap"].tolist()[:1] == ["Fußboden"]
    words = ricochet.sweep(BALL, {"integrator.closure": ["variational", "shadow2"]}, out=tmp_path / "t.h5", workers=1)
    assert words.values["integrator.closure"].tolist() == ["variational", "shadow2"]
    assert words.table("impacts", 0)["gap"].tolist() == ["floor"]


def test_values_that_come_once(tmp_path):
    done = ricochet.sweep(BALL, {"parameters.g": (g for g in (5.0, 9.81)), "time.end": iter([1, 2])},
                          out=tmp_path / "s.h5", workers=1)
    assert done.values["parameters.g"].tolist() == [5, 5, 9.81, 9.81] and done.values["time.end"].tolist() == [1, 2] * 2


@pytest.mark.parametrize("variations, words", [
    ({"system.position": [[1.0], [1.0, 2.0]]}, "the values of system.position must be of one shape"),
    ({"system.position": [[1.0], 2.0]}, "the values of system.position must be of one shape"),
    ({"time.impacts": [1, 2**63]}, "time.impacts cannot be 9223372036854775808"),
    ({"time.impacts": [1, 10**30]}, "time.impacts cannot be 1000"),
    ({"parameters": [{"g": 1}, {"g": 2}]}, "the values of parameters must be numbers or texts"),
    ({"parameters.g": "5:10"}, "parameters.g needs a list of values to vary over, not '5:10'"),
    ({"parameters.g": 5.0}, "parameters.g needs a list of values to vary over, not 5.0"),
    ({"parameters.g": numpy.array(5.0)}, "parameters.g needs a list of values"),
])
def test_values_that_no_file_can_hold(tmp_path, monkeypatch, variations, words):
    from ricochet import _sweep
    monkeypatch.setattr(_sweep, "compute", lambda *_: pytest.fail("a member was computed"))
    with pytest.raises(ricochet.SceneError) as raised:
        ricochet.sweep(BALL, variations, out=tmp_path / "s.h5", workers=1)
    assert words in str(raised.value) and os.listdir(tmp_path) == []


def test_members_from_the_end(tmp_path):
    done = ricochet.sweep(BALL, GRID, out=tmp_path / "s.h5", workers=1, keep="impacts")
    assert list(done.tables) == ["impacts"]
    for index, member in ((-1, 8), (-9, 0), (numpy.int64(3), 3)):
        assert done.table("impacts", index)["t"].tolist() == done.table("impacts", member)["t"].tolist()
    for index in (9, -10):
        with pytest.raises(IndexError, match=f"the sweep has 9 members, and none is number {index}"):
            done.table("impacts", index)
    with pytest.raises(ricochet.SceneError, match="law must be a function"):
        ricochet.sweep(BALL, GRID, out=tmp_path / "t.h5", law="newton")


def test_one_bit_of_a_finished_sweep(tmp_path):
    """Every file position has its bit: the digest covers them all, before HDF5 sees any."""
    path = tmp_path / "s.h5"
    ricochet.sweep(BALL, GRID, out=path, workers=1)
    whole = path.read_bytes()
    for at in [*range(0, 600, 3), *range(600, len(whole), len(whole) // 200)]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:])
        with pytest.raises(ricochet.RecordError, match="is damaged, or was changed after the sweep|not a finished sweep"):
            ricochet.Sweep(path)
    path.write_bytes(whole[512:])  # as older versions wrote it
    with pytest.warns(RuntimeWarning, match="has no digest, as sweeps of older versions"):
        assert len(ricochet.Sweep(path)) == 9


def test_progress_is_shown(tmp_path, capfd):
    ricochet.sweep(BALL, GRID, out=tmp_path / "s.h5", workers=2, progress=True)
    said = capfd.readouterr().err
    assert "9/9 members" in said and "[##############################]" in said
    ricochet.sweep(BALL, GRID, out=tmp_path / "t.h5", workers=2, progress=False)
    assert capfd.readouterr().err == ""


def test_from_the_shell(tmp_path):
    (tmp_path / "ball.toml").write_text(BALL)
    command = [os.environ["RICOCHET_PROGRAM"], "sweep", "ball.toml", "--vary", "parameters.g=5:10:3", "--out", "s.h5"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "3 members, 0 failed" in done.stdout, done.stderr
    assert ricochet.Sweep(tmp_path / "s.h5").values["parameters.g"] == pytest.approx([5, 7.5, 10])
    bad = subprocess.run([*command[:-3], "system.velocty=1:2:2"], cwd=tmp_path, capture_output=True, text=True)
    assert bad.returncode == 2 and "did you mean 'velocity'" in bad.stderr, bad.stderr
