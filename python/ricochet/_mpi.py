"""A sweep over the ranks of mpiexec: rank 0 hands out members, the others compute them.

Finished members are on the shared disk at once (`_journal`), so a rank that dies loses the member it was
at and no other. What happens then is up to mpiexec. As it comes, Open MPI ends the whole job, and the same command goes
on. With `mpiexec --enable-recovery` the other ranks go on, and rank 0 gives what the dead one had not finished to them:
it knows a rank of its own machine by its process, and one elsewhere by its heartbeat, which must not fail for
RICOCHET_PATIENCE seconds (30).
"""
import atexit
import os
import sys
import threading
import time

from ._errors import Error, RunError

_ASK, _BEAT, _ANSWER = 1, 2, 3  # tags
_PAUSE = 0.002  # seconds between two looks into the mail
_lost = False  # a rank has died, and the others went on


@atexit.register
def _leave():
    """MPI_Finalize waits for every rank, and for one that has died it may wait for ever: it is left out then. (mpiexec
    --enable-recovery, without which nobody comes here, ends with 0 whatever the ranks say.)
    """
    if _lost:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0 if getattr(sys, "last_value", None) is None else 1)


def world():
    """The communicator if this process was started by mpiexec; mpi4py is asked for only then."""
    if not any(name in os.environ for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK")):
        return None
    try:
        from mpi4py import MPI
    except ImportError:
        raise RunError("started by mpiexec, but mpi4py is missing (Debian: python3-mpi4py)") from None
    return MPI.COMM_WORLD


def patience():
    text = os.environ.get("RICOCHET_PATIENCE", "30")
    try:
        return float(text)
    except ValueError:
        raise RunError(f"RICOCHET_PATIENCE must be a number of seconds, not {text!r}") from None


class Peer:
    """Another rank, as far as one can know from here whether it lives."""

    def __init__(self, host, pid):
        self.near, self.pid = host == os.uname().nodename, pid
        self.heard()

    def heard(self):
        self.last = time.monotonic()

    def alive(self, limit):
        if not self.near:
            return time.monotonic() - self.last < limit
        try:
            with open(f"/proc/{self.pid}/stat") as f:
                return f.read().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False


def run(comm, task):
    """Everything of one sweep; returns when the file is there, in every rank."""
    if _lost:
        raise RunError("a rank of this job has died in an earlier sweep: give this one to a new mpiexec")
    refusal = finished = None
    if comm.rank == 0:
        try:
            finished = task.finished()
            if not finished:
                task.open()
        except Error as error:
            refusal = error
    finished, refusal = comm.bcast((finished, refusal), root=0)
    if refusal is not None:
        raise refusal
    if finished:
        return
    peers = [Peer(*who) for who in comm.allgather((os.uname().nodename, os.getpid()))]
    if comm.rank == 0:
        _lead(comm, task, peers)
    else:
        _follow(comm, task, peers[0])


def _lead(comm, task, peers):
    from mpi4py import MPI
    journal, limit = task.journal(), patience()
    done = journal.indices()
    todo = [i for i in range(len(task.members)) if i not in done]
    bar = task.bar(len(done))
    size = max(1, min(16, len(todo) // (8 * comm.size) or 1))
    given = {rank: [] for rank in range(1, comm.size)}  # what each living rank is at
    waiting = set()  # ranks that asked while nothing was left, but others may still die
    looked = time.monotonic()

    def give(rank):
        given[rank], todo[:size] = todo[:size], []
        comm.send(given[rank], dest=rank, tag=_ANSWER)

    while given and (todo or any(given.values())):
        status = MPI.Status()
        if comm.iprobe(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status):
            rank, tag = status.Get_source(), status.Get_tag()
            count = comm.recv(source=rank, tag=tag)
            peers[rank].heard()
            if rank not in given:  # believed dead, and back: what it did is in its journal
                given[rank] = []
            if tag == _ASK:
                bar.add(count)
                given[rank] = []
                if todo:
                    give(rank)
                else:
                    waiting.add(rank)
        elif time.monotonic() - looked > 0.2:
            looked = time.monotonic()
            for rank in [r for r in given if not peers[r].alive(limit)]:
                finished = journal.indices()
                todo += [i for i in given.pop(rank) if i not in finished]
                waiting.discard(rank)
            while todo and waiting:
                give(waiting.pop())
        else:
            time.sleep(_PAUSE)
    for index in todo:  # nobody else is left
        journal.append(index, task.compute(index))
        bar.add(1)
    bar.close()
    failure = None
    try:
        task.merge(journal)
    except Error as error:
        failure = error
    global _lost
    _lost = len(given) < comm.size - 1
    told = [comm.issend((failure, _lost), dest=rank, tag=_ANSWER) for rank in range(1, comm.size)
            if rank in given or not peers[rank].near]  # one that is believed dead from afar may be back
    until = time.monotonic() + 5
    # until they have taken it: whoever finds this process gone before it has the answer would think that it died
    while _lost and not MPI.Request.Testall(told) and time.monotonic() < until:
        time.sleep(_PAUSE)
    if failure is not None:
        raise failure


def _follow(comm, task, leader):
    global _lost
    journal, limit, stop = task.journal(), patience(), threading.Event()
    one = threading.Lock()  # not every MPI lets two threads in at once

    def send(count, tag):
        with one:
            comm.send(count, dest=0, tag=tag)

    def answered():
        with one:
            return comm.iprobe(source=0, tag=_ANSWER)

    def beat():
        while not stop.wait(min(1.0, limit / 4)):
            send(0, _BEAT)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    count = 0
    try:
        while True:
            send(count, _ASK)
            while not answered():
                if leader.near and not leader.alive(limit):
                    _lost = True  # so that nobody waits for it at the end
                    raise RunError("rank 0 died; what was finished is kept: the same command goes on")
                time.sleep(_PAUSE)
            with one:
                answer = comm.recv(source=0, tag=_ANSWER)
            if not isinstance(answer, list):
                break
            for index in answer:
                journal.append(index, task.compute(index))
            count = len(answer)
    finally:
        stop.set()
        thread.join()
    failure, _lost = answer
    if failure is not None:
        raise failure
