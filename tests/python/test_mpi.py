"""Sweeps over the ranks of mpiexec: the file of one process, also when ranks are killed."""
import collections
import filecmp
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from sweep_script import SCRIPT

MPIEXEC = [shutil.which("mpiexec"), "--allow-run-as-root", "--oversubscribe"]
# Every rank says who it is and which members it begins; members take long enough to die in the middle of one.
LOUD = """
import os, sys, time
import ricochet, ricochet._mpi, ricochet._sweep
if "FAR" in os.environ:  # as if every rank were on a machine of its own
    ricochet._mpi.Peer.near = property(lambda self: False, lambda self, value: None)
rank = os.environ.get("OMPI_COMM_WORLD_RANK", "0")
if "SLOW" in os.environ and rank != "0":  # rank 0 may answer and leave between a look into the mail and one at rank 0
    alive = ricochet._mpi.Peer.alive
    ricochet._mpi.Peer.alive = lambda self, limit: time.sleep(0.5) or alive(self, limit)
with open("pids", "a") as f:
    f.write(f"{rank} {os.getpid()}\\n")
plain = ricochet._sweep._Task.compute
def compute(task, index):
    with open("begun", "a") as f:
        f.write(f"{index} {rank}\\n")
    time.sleep(float(os.environ.get("PAUSE", "0")))
    return plain(task, index)
ricochet._sweep._Task.compute = compute
ricochet.sweep("impact-oscillator", {"parameters.w": [2 + k / 100 for k in range(24)]}, out=sys.argv[1], workers=1,
               time__end=10, record__every=0, progress=False)
"""


def test_under_mpi(tmp_path):
    script = tmp_path / "s.py"
    script.write_text(SCRIPT.replace("60)", "12)"))
    subprocess.run([sys.executable, script, tmp_path / "one.h5"], check=True)
    for ranks in ("2", "3"):
        done = subprocess.run([*MPIEXEC, "-n", ranks, sys.executable, script, tmp_path / f"{ranks}.h5"],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert filecmp.cmp(tmp_path / "one.h5", tmp_path / f"{ranks}.h5", shallow=False)


class Folder:
    """A sweep with a few ranks, in a folder of its own."""

    def __init__(self, path, ranks, *options):
        self.path = path
        (path / "s.py").write_text(LOUD)
        self.start = [*MPIEXEC, *options, "-n", str(ranks), sys.executable, "s.py", "s.h5"]

    def begin(self, pause, **more):
        self.process = subprocess.Popen(self.start, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, env={**os.environ, "PAUSE": str(pause), **more})

    def begun(self):
        """(member, rank) in the order in which they were begun."""
        file = self.path / "begun"
        return [tuple(map(int, line.split())) for line in file.read_text().splitlines()] if file.exists() else []

    def kill(self, rank, after):
        """Kills a rank in the middle of a member, once it has begun so many."""
        deadline = time.monotonic() + 60
        while sum(r == rank for _, r in self.begun()) < after:
            assert self.process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        pids = dict(tuple(map(int, line.split())) for line in (self.path / "pids").read_text().splitlines())
        os.kill(pids[rank], signal.SIGKILL)
        return [member for member, r in self.begun() if r == rank][-1]

    def end(self):
        said, _ = self.process.communicate(timeout=120)
        return self.process.returncode, said


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The file of one process."""
    path = tmp_path_factory.mktemp("whole")
    (path / "s.py").write_text(LOUD)
    subprocess.run([sys.executable, "s.py", "s.h5"], cwd=path, check=True)
    return path / "s.h5"


def is_open_mpi():
    return "OpenRTE" in subprocess.run([MPIEXEC[0], "--version"], capture_output=True, text=True).stdout


@pytest.mark.skipif(not is_open_mpi(), reason="--enable-recovery is Open MPI's")
@pytest.mark.parametrize("where", [{}, {"SLOW": "1"}, {"FAR": "1", "RICOCHET_PATIENCE": "1"}],
                         ids=["near", "slow", "far"])
def test_the_others_go_on_when_a_rank_dies(tmp_path, whole, where):
    folder = Folder(tmp_path, 3, "--enable-recovery")
    folder.begin(0.05, **where)
    lost = folder.kill(1, after=3)
    code, said = folder.end()
    assert code == 0 and "RunError" not in said, said
    assert filecmp.cmp(tmp_path / "s.h5", whole, shallow=False)
    counts = collections.Counter(member for member, _ in folder.begun())
    assert sorted(counts) == list(range(24))
    assert {member for member, count in counts.items() if count > 1} <= {lost}, "more than the current member was lost"


@pytest.mark.skipif(not is_open_mpi(), reason="--enable-recovery is Open MPI's")
def test_rank_0_alone_finishes(tmp_path, whole):
    folder = Folder(tmp_path, 2, "--enable-recovery")
    folder.begin(0.05)
    lost = folder.kill(1, after=2)
    code, said = folder.end()
    assert code == 0, said
    assert filecmp.cmp(tmp_path / "s.h5", whole, shallow=False)
    counts = collections.Counter(member for member, _ in folder.begun())
    assert {member for member, count in counts.items() if count > 1} <= {lost}


@pytest.mark.skipif(not is_open_mpi(), reason="--enable-recovery is Open MPI's")
def test_the_others_end_when_rank_0_dies(tmp_path, whole):
    folder = Folder(tmp_path, 3, "--enable-recovery")
    folder.begin(0.05)
    while len(folder.begun()) < 5:
        time.sleep(0.01)
    pids = dict(tuple(map(int, line.split())) for line in (tmp_path / "pids").read_text().splitlines())
    os.kill(pids[0], signal.SIGKILL)
    _, said = folder.end()
    assert said.count("RunError: rank 0 died") == 2, said
    folder.begin(0)
    code, said = folder.end()
    assert code == 0, said
    assert filecmp.cmp(tmp_path / "s.h5", whole, shallow=False)


@pytest.mark.parametrize("victim", [0, 1])
def test_the_same_command_goes_on_when_the_job_was_ended(tmp_path, whole, victim):
    """As it comes, mpiexec ends every rank when one dies: at most the members under way are computed again."""
    folder = Folder(tmp_path, 3)
    folder.begin(0.05)
    if victim == 0:
        while len(folder.begun()) < 5:
            time.sleep(0.01)
        pids = dict(tuple(map(int, line.split())) for line in (tmp_path / "pids").read_text().splitlines())
        os.kill(pids[0], signal.SIGKILL)
    else:
        folder.kill(victim, after=3)
    code, _ = folder.end()
    assert code != 0 and not (tmp_path / "s.h5").exists()
    first = folder.begun()
    folder.begin(0)
    code, said = folder.end()
    assert code == 0, said
    assert filecmp.cmp(tmp_path / "s.h5", whole, shallow=False)
    again = [member for member, _ in folder.begun()[len(first):]]
    under_way = {[member for member, r in first if r == rank][-1] for rank in (1, 2)}
    assert len(again) == len(set(again)), "a member was computed twice in one job"
    assert set(again) & {member for member, _ in first} <= under_way, "a finished member was computed again"
