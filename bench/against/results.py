"""Two result folders, bit by bit, and how far apart their numbers are where they differ."""
import csv
import hashlib
import json
import math
import os

import h5py
import numpy as np

ROUNDING = 1e-12  # of the first row that differs, relative to the size of the numbers
SMALL = 1e-9  # of every row: no chaos, or too little time for it
DIVERGED = 1e-6  # from there on the two motions are compared no more
STATE = ("t", "q", "p")


class Table:
    """Rows of numbers by name (all have equally many), the time of each row if it has one, and labels that must be equal."""

    def __init__(self, columns, labels=()):
        self.columns, self.labels = columns, list(labels)

    def rows(self):
        return max((len(column) for column in self.columns.values()), default=0)


def impacts(path):
    """The rows of impacts.csv; several multipliers of a row stand beside each other."""
    with open(path, newline="") as f:
        header, *rows = list(csv.reader(f)) or [[]]
    if not header:
        return Table({})
    rows = [row for row in rows if len(row) == len(header)]
    place = {name: i for i, name in enumerate(header)}

    def block(names):
        return np.array([[float(row[place[name]]) for name in names] for row in rows]).reshape(len(rows), len(names))

    multipliers = [[float(x) for x in row[place["multiplier"]].split(";") if x] for row in rows]
    width = max(map(len, multipliers), default=0)
    columns = {"t": block(["t"]), "q": block([name for name in header if name.startswith("q_")]),
               "p": block([name for name in header if name.startswith("p_")]),
               "energy": block(["energy_before", "energy_after"]), "alpha": block(["step", "alpha"]),
               "multiplier": np.array([m + [0.0] * (width - len(m)) for m in multipliers]).reshape(len(rows), width)}
    return Table(columns, [row[place["gap"]] for row in rows])


def datasets(path):
    """Every numeric dataset of an HDF5 file by its name, with the row as first index."""
    found = {}

    def visit(name, thing):
        if isinstance(thing, h5py.Dataset) and thing.dtype.kind in "fiu":
            data = thing[()]
            found[name] = data.reshape(data.shape[:1] + (math.prod(data.shape[1:]),)) if data.ndim else data.reshape(1, 1)

    with h5py.File(path, "r") as f:
        f.visititems(visit)
    return found


def tables(path):
    """The datasets of an HDF5 file, by group."""
    groups = {}
    for name, data in datasets(path).items():
        folder, _, last = name.rpartition("/")
        groups.setdefault(folder, {})[last] = data
    return {folder: Table(columns) for folder, columns in groups.items()}


def sha(data):
    return hashlib.sha256(data).hexdigest()


def without_clock(thing):
    """A summary without what two runs of one program do not share either, and without digests of what is compared itself."""
    if isinstance(thing, dict):
        return {key: without_clock(value) for key, value in thing.items() if key not in ("seconds", "version", "digests")}
    return [without_clock(value) for value in thing] if isinstance(thing, list) else thing


def summary(folder):
    path = os.path.join(folder, "summary.json")
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        return without_clock(json.load(f))


def digest(folder):
    """SHA-256 of impacts.csv, of every numeric dataset with its type and shape, and of the summary without the clock."""
    found = {}
    if not os.path.isdir(folder):
        return found
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name == "impacts.csv":
            with open(path, "rb") as f:
                found[name] = sha(f.read())
        elif name.endswith(".h5"):
            for key, data in datasets(path).items():
                found[f"{name}:{key}"] = sha(f"{data.dtype.str}{data.shape}".encode() + np.ascontiguousarray(data).tobytes())
        elif name == "summary.json":
            found[name] = sha(json.dumps(summary(folder), sort_keys=True).encode())
    return found


def relative(a, b, floor=0.0):
    """Of every row that both have: the largest difference, relative to the largest number of `a` until that row."""
    rows = min(len(a), len(b))
    if rows == 0 or a.shape[1] != b.shape[1] or a.shape[1] == 0:
        return np.zeros(rows) if a.shape[1] == b.shape[1] else np.full(rows, np.inf)
    a, b = a[:rows].astype(float), b[:rows].astype(float)
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(a - b)
    off[(a == b) | (np.isnan(a) & np.isnan(b))] = 0
    off[np.isnan(off)] = np.inf
    size = np.abs(np.where(np.isfinite(a), a, 0)).max(axis=1)
    size = np.maximum(np.maximum.accumulate(size), floor)
    size[size == 0] = size.max() or 1.0
    return off.max(axis=1) / size


def same_bits(a, b):
    """Of every row that both have: whether every bit is the same."""
    rows = min(len(a), len(b))
    if a.shape[1] != b.shape[1] or a.dtype != b.dtype:
        return np.zeros(rows, bool)
    kind = f"u{a.dtype.itemsize}"
    return (np.ascontiguousarray(a[:rows]).view(kind) == np.ascontiguousarray(b[:rows]).view(kind)).all(axis=1)


def largest(columns, *names):
    """The largest finite number of these columns."""
    numbers = [np.abs(columns[name][np.isfinite(columns[name])]).max(initial=0.0) for name in names if name in columns]
    return max(numbers, default=0.0)


def compare(a, b):
    """What differs between two tables, or None. Where times, positions or momenta differ they alone are measured."""
    missing = sorted(set(a.columns) ^ set(b.columns))
    shared = [name for name in a.columns if name in b.columns]
    count = min(a.rows(), b.rows())
    equal = {name: same_bits(a.columns[name], b.columns[name]) for name in shared}
    labels = [x == y for x, y in zip(a.labels, b.labels)]
    names = [name for name in shared if not equal[name].all() or len(a.columns[name]) != len(b.columns[name])]
    if not names and not missing and all(labels):
        return None
    found = {"differs": names, "rows": [a.rows(), b.rows()]}
    if missing:
        found["in one only"] = missing
    state = [name for name in STATE if name in names and not equal[name].all()]
    off, column = np.zeros(count), np.full(count, "", object)
    for name in state or names:
        floor = largest(a.columns, "p", "q") if name in ("momentum", "gaps") else \
            largest(a.columns, name) if name not in STATE else 0.0
        of_name = relative(a.columns[name], b.columns[name], floor)
        of_name = np.concatenate([of_name, np.zeros(count - len(of_name))])  # tables of one row beside long ones
        column[of_name > off] = name
        off = np.maximum(off, of_name)
    changed = np.zeros(count, bool)
    for name in names:
        changed[: len(equal[name])] |= ~equal[name]
    changed[: len(labels)] |= ~np.array(labels, bool)
    if changed.any():
        first = int(np.argmax(changed))
        found["first row"] = first + 1
        found["first name"] = str(column[first]) or next((n for n in names if not equal[n][first:first + 1].all()), "gap")
        found["first difference"] = float(off[first])
        if "t" in a.columns and first < len(a.columns["t"]):
            found["first t"] = float(a.columns["t"][first, 0])
        apart = off > DIVERGED
        apart[: len(labels)] |= ~np.array(labels, bool)
        end = int(np.argmax(apart)) if apart.any() else count
        if end < count:
            found["diverged at row"] = end + 1
            if "t" in a.columns and end < len(a.columns["t"]):
                found["diverged at t"] = float(a.columns["t"][end, 0])
        before = off[:end]
        found["largest before"] = float(before.max(initial=0.0))
        # Rounding is multiplied from row to row; a change of the method shows as one jump.
        sizes = np.maximum(off[first:min(end + 1, count)], 1e-16)
        found["largest jump"] = float((sizes[1:] / np.maximum.accumulate(sizes)[:-1]).max(initial=1.0))
    places = [10 ** k for k in range(8) if 10 ** k < count] + ([count] if count else [])
    found["at rows"] = {str(place): float(off[place - 1]) for place in places}
    return found


def differing_keys(a, b, path=""):
    """Where two summaries differ: path, value here, value there."""
    if isinstance(a, dict) and isinstance(b, dict):
        return [line for key in list(a) + [k for k in b if k not in a]
                for line in differing_keys(a.get(key, "(absent)"), b.get(key, "(absent)"), f"{path}.{key}" if path else key)]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [line for i, (x, y) in enumerate(zip(a, b)) for line in differing_keys(x, y, f"{path}[{i}]")]
    return [] if a == b or a != a and b != b else [[path, a, b]]


def verdict(found):
    """One word for a reader in haste, from the differences of all tables; the numbers are beside it."""
    if not found["files"]:
        return "same"
    measured = [d for d in found["tables"].values() if "first row" in d]
    if not measured:
        cut = any(d["rows"][0] != d["rows"][1] or "in one only" in d for d in found["tables"].values())
        return "other" if cut else "summary"
    moved = [d for d in measured if set(d["differs"]) & set(STATE)] or measured
    if any(d["first difference"] > ROUNDING for d in moved):
        return "other"
    if any("in one only" in d for d in found["tables"].values()):
        return "other"
    if any("diverged at row" in d for d in moved) or any(d["largest before"] > SMALL for d in moved):
        return "rounding, grows"
    return "rounding" if all(d["rows"][0] == d["rows"][1] for d in measured) else "other"


def compare_folders(reference, new):
    """Everything about two result folders: digests, verdict, and the tables that differ with their numbers."""
    digests = digest(reference), digest(new)
    names = sorted(set(digests[0]) | set(digests[1]))
    differing = [name for name in names if digests[0].get(name) != digests[1].get(name)]
    found = {"files": differing, "tables": {}, "digests": {"reference": digests[0], "new": digests[1]}}
    for file in sorted({name.split(":")[0] for name in differing}):
        paths = [os.path.join(folder, file) for folder in (reference, new)]
        if not all(os.path.exists(path) for path in paths):
            found["tables"][file] = {"differs": [], "rows": [0, 0], "in one only": [file]}
        elif file == "impacts.csv":
            found["tables"][file] = compare(*(impacts(path) for path in paths))
        elif file == "summary.json":
            found["summary"] = differing_keys(summary(reference), summary(new))
        else:
            a, b = (tables(path) for path in paths)
            for group in sorted(set(a) | set(b)):
                both = a.get(group, Table({})), b.get(group, Table({}))
                found["tables"][f"{file}:{group}"] = compare(*both)
    found["tables"] = {name: d for name, d in found["tables"].items() if d}
    found["verdict"] = verdict(found)
    return found
