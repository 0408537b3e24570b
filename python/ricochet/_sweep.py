"""Many variations of one scene, in parallel, in one file.

Members are numbered; every finished one is appended to a journal beside the file (`FILE.parts`), framed and checked, so
that a sweep that was killed goes on where it was: finished members are never computed again. At the end the journals are
merged, in the order of the members, into one HDF5 file, which is therefore the same however many workers there were.
"""
import hashlib
import itertools
import json
import math
import numbers
import operator
import os
import pickle
import shutil
import sys
import time
import warnings
from collections.abc import Iterable, Mapping

import numpy

from . import _core, _identity, _mpi, _toml
from ._errors import Error, RecordError, RunError, SceneError
from ._journal import Journal, writing
from ._run import _read, require_law

MOST_MEMBERS = 10_000_000  # they are listed before the first one runs: more would not fit into memory
MOST_WORKERS = 4096  # processes of one machine; more is a slip of the hand
_KEEP = ("impacts", "trajectory", "stroboscope", "section")


class Unfinished(RunError):
    """A sweep that was asked for rightly and lacks members: called again it goes on."""


class Sweep:
    """A sweep that is done: `values[key]`, `status`, `error`, `summary` columns, ragged tables by member."""

    def __init__(self, path):
        import h5py
        self.path = os.fspath(path)
        if os.path.isfile(self.path) and os.access(self.path, os.R_OK):
            _compare_with_digest(self.path)
        try:
            with h5py.File(self.path, "r") as f:
                self.keys = json.loads(f.attrs["keys"])
                self.coordinates = json.loads(f.attrs["coordinates"])
                self.values = {key: _decoded(f["values"][str(i)]) for i, key in enumerate(self.keys)}
                self.status = f["status"].asstr()[...]
                self.error = f["error"].asstr()[...]
                for name in ("steps", "t_end", "energy_initial", "energy_error", "min_gap", "q_end", "p_end"):
                    setattr(self, name, f[name][...])
                self.impacts = f["impact_count"][...]
                self.tables = {}
                for table in _KEEP:
                    if table in f:
                        self.tables[table] = ({k: _decoded(f[table][k]) for k in f[table] if k != "offset"},
                                              f[table]["offset"][...])
        except (OSError, KeyError, ValueError):
            raise RecordError(f"{self.path} is not a finished sweep of ricochet" if os.path.exists(self.path) else
                              f"{self.path}: there is no such file") from None

    def __len__(self):
        return len(self.status)

    def __repr__(self):
        failed = int((self.status != "finished").sum())
        return f"<ricochet.Sweep {self.path}: {len(self)} members, {failed} failed, over {', '.join(self.keys)}>"

    def table(self, name, member):
        """The rows of one member: "impacts", "trajectory", "stroboscope" or "section", as a dict of arrays. Members
        count from 0, or with −1 from the last."""
        if name not in self.tables:
            raise KeyError(f"the sweep kept no {name}; it has {sorted(self.tables)}")
        columns, offset = self.tables[name]
        index = operator.index(member)
        if not -len(self) <= index < len(self):
            raise IndexError(f"the sweep has {len(self)} members, and none is number {index}")
        member = index % len(self)
        return {k: v[offset[member]:offset[member + 1]] for k, v in columns.items()}


_MARK = b"ricochet sweep "
_BLOCK = 512  # bytes in front of the HDF5 file, its user block: mark, digest, a line feed, zeros


def _digest_block(path):
    """The user block of a sweep's file: the digest of all that follows it."""
    digest = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as f:
        f.seek(_BLOCK)
        while piece := f.read(1 << 20):
            digest.update(piece)
    return (_MARK + digest.hexdigest().encode() + b"\n").ljust(_BLOCK, b"\0")


def _compare_with_digest(path):
    """Raises RecordError where a file of a sweep is not what the sweep left; warns where it has no digest."""
    with open(path, "rb") as f:
        block = f.read(_BLOCK)
        ours = f.read(4) == b"\x89HDF"  # HDF5 looks for its beginning at 0, at 512, …
    if block.startswith(b"\x89HDF"):
        warnings.warn(f"{path} has no digest, as sweeps of older versions: damage to its numbers would not be noticed",
                      RuntimeWarning, stacklevel=3)
    elif ours and block != _digest_block(path):
        raise RecordError(f"{path} is damaged, or was changed after the sweep")


def _decoded(dataset):
    """What a dataset holds; texts as str."""
    import h5py
    if h5py.check_string_dtype(dataset.dtype) is None:
        return dataset[...]
    return dataset.asstr("utf-8")[...].astype("U")


def lists_of(variations):
    """The values of each key as a list: iterators give theirs only once."""
    if not isinstance(variations, Mapping):
        raise SceneError(f'variations are a dict of lists, as {{"time.step": [0.1, 0.05]}}, not {variations!r}')
    if not variations:
        raise SceneError("a sweep needs something to vary: {\"system.velocity[0]\": values}")
    lists = {}
    for key, values in variations.items():
        if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
            raise SceneError(f"{key} needs a list of values to vary over, not {values!r}")
        lists[key] = list(values)
        if not lists[key]:
            raise SceneError(f"{key} has no values to vary over")
        column_of(key, lists[key])
    return lists


def column_of(key, values):
    """The values of a key as the array that the file holds; refuses those that no array can hold."""
    def require_whole(x):
        if isinstance(x, (list, tuple)):
            for y in x:
                require_whole(y)
        elif isinstance(x, numbers.Integral) and not -2**63 <= x < 2**63:
            raise SceneError(f"{key} cannot be {x}: whole numbers lie between -2^63 and 2^63 - 1")

    require_whole(values)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # numpy before 1.24 warns of lists of several lengths
            column = numpy.array(values)
    except (ValueError, Warning):
        raise SceneError(f"the values of {key} must be of one shape: one file holds all of them") from None
    if column.dtype.kind not in "biufU":
        raise SceneError(f"the values of {key} must be numbers or texts, not {values[0]!r}")
    return column


def members_of(variations, mode="grid"):
    """The overrides of every member: all combinations, the last key fastest, or entry by entry (`mode="list"`)."""
    lists = lists_of(variations)
    if mode == "grid":
        if (count := math.prod(len(values) for values in lists.values())) > MOST_MEMBERS:
            raise SceneError(f"the combinations of these values are {count} members; a sweep has at most {MOST_MEMBERS}")
        return [dict(zip(lists, combination)) for combination in itertools.product(*lists.values())]
    if mode != "list":
        raise SceneError(f"mode must be \"grid\" or \"list\", not {mode!r}")
    sizes = {key: len(values) for key, values in lists.items()}
    if len(set(sizes.values())) > 1:
        raise SceneError(f"lists that are varied together must be equally long: {sizes}")
    return [dict(zip(lists, row)) for row in zip(*lists.values())]


def compute(text, name, common, member, law, keep):
    """One member, as a dict of arrays; a failure is a result too."""
    try:
        run = _core.Run(text, name, common + _toml.overrides(member, {}), law)
        summary = json.loads(run.run(None, None, None))
    except Error as error:
        return {"status": "refused", "error": str(error)}
    answer = {"status": summary["status"], "error": summary.get("error", ""), "steps": summary["steps"],
              "impacts": summary["impacts"], "t_end": summary["t_end"], "energy_initial": summary["energy"]["initial"],
              "energy_error": summary["energy"]["max_relative_error"],
              "min_gap": numpy.nan if summary["min_gap"] is None else summary["min_gap"], "q_end": run.q, "p_end": run.p}
    for table in keep:
        columns = run.impact_columns() if table == "impacts" else getattr(run, table)()
        for column, values in columns.items():
            values = numpy.asarray(values)
            answer[f"{table}/{column}"] = numpy.char.encode(values, "utf-8") if values.dtype.kind == "U" else values
    return answer


_work = None


def _end_with(parent):
    """A worker whose parent was killed has nobody left to compute for, and would hold its stderr open for ever."""
    import ctypes
    import signal
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG; Linux has it
    except (OSError, AttributeError):
        pass
    if os.getppid() != parent:  # it was gone before the kernel had been told
        os._exit(1)


def _start(parent, text, name, common, law, keep, folder):
    """In every worker, once."""
    import signal
    _end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the pool
    global _work
    _work = (text, name, common, pickle.loads(law), keep, Journal(folder))


def _do(chunk):
    text, name, common, law, keep, journal = _work
    for index, member in chunk:
        journal.append(index, compute(text, name, common, member, law, keep))
    return len(chunk)


def sweep(scene, variations, *, out="sweep.h5", overrides=None, mode="grid", workers=None, law=None, keep=("impacts",),
          progress=None, **keywords):
    """Runs every variation of a scene and returns the `Sweep`.

    `variations` are {"system.velocity[0]": values, …}: all combinations, or entry by entry with `mode="list"`. `keep`
    names the tables to store ("impacts", "trajectory", "stroboscope", "section") beside the last state and the summary
    of every member. `progress` shows a line, by default on a terminal only; a function is called with (done, members),
    and what it raises ends the sweep. A sweep that was killed goes on when it is called again with the same arguments; one that is done is
    only read. Under `mpiexec` rank 0 hands the members out to the other ranks.
    """
    text, name = _read(scene)
    require_law(law)
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    for table in keep:
        if table not in _KEEP:
            raise SceneError(f"a sweep can keep {', '.join(_KEEP)}, not {table!r}")
    if workers is not None and not (isinstance(workers, numbers.Integral) and 1 <= workers <= MOST_WORKERS):
        raise SceneError(f"workers must be a whole number from 1 to {MOST_WORKERS}, not {workers!r}")
    common = _toml.overrides(overrides, keywords)
    variations = lists_of(variations)
    members = members_of(variations, mode)
    law_bytes = _identity.pickled(law)
    # A bad scene or key is one exception, now; a member that is refused later is a failure among others.
    coordinates = _core.Run(text, name, common + _first_texts(variations), law).coordinates
    out = os.fspath(out)
    folder = out + ".parts"
    asked = [text, common, list(variations), [_toml.overrides(m, {}) for m in members], sorted(keep),
             _identity.content(law), _core.__version__]
    identity = hashlib.sha256(json.dumps(asked).encode()).hexdigest()
    task = _Task(out, folder, identity, members, variations, coordinates, (text, name, common, law, keep),
                 sys.stderr.isatty() if progress is None else progress)
    comm = _mpi.world()
    if comm is not None and comm.size > 1:
        _mpi.run(comm, task)
        return Sweep(out)
    if task.finished():
        return Sweep(out)
    journal = task.open()
    done = journal.indices()
    todo = [(i, m) for i, m in enumerate(members) if i not in done]
    bar = task.bar(len(done))
    workers = min(workers or os.cpu_count() or 1, max(1, len(todo)))
    size = max(1, min(16, len(todo) // (8 * workers) or 1))
    chunks = [todo[i:i + size] for i in range(0, len(todo), size)]
    setup = (os.getpid(), text, name, common, law_bytes, keep, folder)
    try:
        if workers == 1:
            for index, member in todo:
                journal.append(index, compute(text, name, common, member, law, keep))
                bar.add(1)
        else:
            _pool(workers, setup, chunks, bar)
        task.merge(journal)
    finally:
        bar.close()
    return Sweep(out)


class _Task:
    """One sweep: what to compute, and where it is kept."""

    def __init__(self, out, folder, identity, members, variations, coordinates, setup, progress):
        self.out, self.folder, self.identity, self.members = out, folder, identity, members
        self.variations, self.coordinates, self.setup, self.progress = variations, coordinates, setup, progress

    def finished(self):
        if not _finished(self.out, self.identity):
            return False
        shutil.rmtree(self.folder, ignore_errors=True)  # killed after the file was there
        return True

    def open(self):
        return _open(self.folder, self.out, self.identity)

    def journal(self):
        return Journal(self.folder)

    def compute(self, index):
        text, name, common, law, keep = self.setup
        return compute(text, name, common, self.members[index], law, keep)

    def bar(self, done):
        return _Bar(len(self.members), done, self.progress)

    def merge(self, journal):
        with writing(self.folder):
            _merge(journal, self.out, self.identity, self.members, self.variations, self.coordinates)


def _first_texts(variations):
    return _toml.overrides({key: values[0] for key, values in variations.items()}, {})


def _pool(workers, setup, chunks, bar):
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, context, _start, setup) as pool:
        futures = [pool.submit(_do, chunk) for chunk in chunks]
        try:
            for future in as_completed(futures):
                bar.add(future.result())
        except BrokenProcessPool:
            raise Unfinished("a worker of the sweep died; what it had finished is kept: call the sweep again to go on"
                             ) from None
        except BaseException:
            # Members that are under way are given up: some take hours, and they are computed again when it goes on.
            for process in list(pool._processes.values()):
                process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _open(folder, out, identity):
    """The journal of this very sweep: new, or one that was interrupted."""
    stamp = os.path.join(folder, "sweep.json")
    if os.path.exists(out):
        raise RecordError(f"{out} exists and is not this sweep: nothing was overwritten")
    if os.path.isdir(folder) and not set(os.listdir(folder)) <= {"sweep.json.new"}:  # killed before it had a stamp
        try:
            with open(stamp) as f:
                other = json.load(f)["identity"]
        except (OSError, ValueError, KeyError):
            raise RecordError(f"{folder} is not the folder of a sweep: nothing was overwritten") from None
        if other != identity:
            raise RecordError(f"{folder} holds another sweep (scene, variations, law or version differ): nothing was "
                              "overwritten; remove it or choose another name")
        return Journal(folder)
    try:
        os.makedirs(folder, exist_ok=True)
        with open(stamp + ".new", "w") as f:
            json.dump({"identity": identity}, f)
        os.replace(stamp + ".new", stamp)
    except OSError as error:
        raise RecordError(f"{folder} cannot be written: {error.strerror}") from None
    return Journal(folder)


def _finished(out, identity):
    import h5py
    if not os.path.exists(out):
        return False
    try:
        with h5py.File(out, "r") as f:
            return f.attrs.get("identity") == identity
    except OSError:
        return False


def _merge(journal, out, identity, members, variations, coordinates):
    """Every member once, in order, into one file that appears whole or not at all."""
    import h5py
    answers = dict(journal.read())
    missing = len(members) - len(answers)
    if missing:
        raise Unfinished(f"{missing} of {len(members)} members are missing: call the sweep again to go on")
    answers = [answers[i] for i in range(len(members))]
    good = next((a for a in answers if "q_end" in a), None)
    n = len(good["q_end"]) if good is not None else 0
    text = h5py.string_dtype()
    partial = os.path.join(journal.folder, "merged.h5")
    with h5py.File(partial, "w", userblock_size=_BLOCK) as f:
        f.attrs["identity"] = identity
        f.attrs["keys"] = json.dumps(list(variations))
        f.attrs["version"] = _core.__version__
        f.attrs["coordinates"] = json.dumps(coordinates)
        for i, key in enumerate(variations):
            column = column_of(key, [m[key] for m in members])
            f.create_dataset(f"values/{i}", data=column.astype(object) if column.dtype.kind == "U" else column,
                             dtype=text if column.dtype.kind == "U" else None)
            f[f"values/{i}"].attrs["key"] = key
        for column in ("status", "error"):
            f.create_dataset(column, data=[str(a[column]) for a in answers], dtype=text)
        for column, empty in (("steps", -1), ("impacts", -1), ("t_end", numpy.nan), ("energy_initial", numpy.nan),
                              ("energy_error", numpy.nan), ("min_gap", numpy.nan)):
            f[column if column != "impacts" else "impact_count"] = numpy.array([a.get(column, empty) for a in answers])
        for column in ("q_end", "p_end"):
            f[column] = numpy.array([a.get(column, numpy.full(n, numpy.nan)) for a in answers]).reshape(len(answers), n)
        tables = sorted({k.split("/")[0] for a in answers for k in a if "/" in k})
        for table in tables:
            columns = sorted({k for a in answers for k in a if k.startswith(table + "/")})
            counts = [len(a[f"{table}/t"]) if f"{table}/t" in a else 0 for a in answers]
            f[f"{table}/offset"] = numpy.concatenate([[0], numpy.cumsum(counts)]).astype("i8")
            for column in columns:
                parts = [a[column] for a in answers if column in a and len(a[column])]
                if parts:
                    f[column] = numpy.concatenate(parts)
    block = _digest_block(partial)
    with open(partial, "r+b") as f:
        f.write(block)
    os.replace(partial, out)
    shutil.rmtree(journal.folder, ignore_errors=True)


class _Bar:
    def __init__(self, total, done, shown):
        self.total, self.done, self.last = total, done, 0.0
        self.told = shown if callable(shown) else None
        self.shown = bool(shown) and self.told is None

    def add(self, count):
        self.done += count
        if self.told is not None:
            self.told(self.done, self.total)
        now = time.monotonic()
        if self.shown and (now - self.last > 0.2 or self.done == self.total):
            self.last = now
            filled = 30 * self.done // self.total
            sys.stderr.write(f"\r\033[K[{'#' * filled}{'.' * (30 - filled)}] {self.done}/{self.total} members")
            sys.stderr.flush()

    def close(self):
        if self.shown:
            sys.stderr.write("\r\033[K")
