"""What a run leaves, as numpy arrays."""
import json
import os

import numpy

from ._errors import RecordError, RunError

_FRAMES = ("t", "step", "q", "p", "energy", "discrete_energy", "gaps", "momentum")


UNPICKLED = ("a run cannot be pickled: one that has ended is kept by result.save(folder) and read by "
             "ricochet.load(folder); of one that goes on, pickle what made it, the scene and its overrides")


class Series:
    """States one after the other: t, step, q, p, energy, discrete_energy, gaps, momentum; row k is state k."""

    def __init__(self, columns):
        for name in _FRAMES:
            setattr(self, name, columns[name])

    def __len__(self):
        return len(self.t)


class Result(Series):
    """A run: its states (see `Series`), `impacts`, `summary`, and the names that go with the columns.

    `result["x"]` is the column of a coordinate, `result["p_x"]` of a momentum, `result["floor"]` of a gap or symmetry.
    A name that means two of these is refused: `result.q`, `p`, `gaps` and `momentum` hold the columns by number.
    """

    def __init__(self, frames, impacts, summary, names, scene, run=None, directory=None, stroboscope=None, section=None,
                 fields=None):
        super().__init__(frames)
        self.impacts = impacts  #: structured array, one row per impact
        self.summary = summary  #: what summary.json says
        self.coordinates, self.gap_names, self.symmetries = names
        self.scene = scene  #: the text that was run
        self.stroboscope, self.section = stroboscope, section
        self.fields = fields or {}  #: what else was recorded, by name: the fields of bars and beams
        self.directory = directory
        self._run = run

    def __repr__(self):
        s = self.summary
        return f"<ricochet.Result {s['status']}: {s['steps']} steps, {s['impacts']} impacts until t = {s['t_end']:g}>"

    def __reduce_ex__(self, protocol):
        if self._run is not None:
            raise TypeError(UNPICKLED)
        return super().__reduce_ex__(protocol)

    def __copy__(self):
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __contains__(self, name):
        return name in self._names()

    def __iter__(self):
        """The names of the columns."""
        return iter(self._names())

    def _names(self):
        return list(dict.fromkeys([*_FRAMES, *(n for names in self._columns().values() for n in names)]))

    def __getitem__(self, name):
        if not isinstance(name, str):
            raise KeyError(f"a column has a name, as {self.coordinates[0]!r}, not {name!r}; the rows are result.q[k]")
        found = [(block, names.index(name)) for block, names in self._columns().items() if name in names]
        if len(found) > 1:
            raise KeyError(f"{name!r} is the name of several columns: take "
                           + " or ".join(f"result.{block}[:, {i}]" for block, i in found))
        for block, i in found:
            return getattr(self, block)[:, i]
        if name in _FRAMES:
            return getattr(self, name)
        known = [*self.coordinates, *self.gap_names, *self.symmetries, *_FRAMES]
        import difflib
        near = difflib.get_close_matches(name, known, 1)
        raise KeyError(f"no column {name!r}" + (f"; did you mean {near[0]!r}?" if near else f" among {known}"))

    def _columns(self):
        """The names of the columns of each block."""
        return {"q": self.coordinates, "p": ["p_" + c for c in self.coordinates], "gaps": self.gap_names,
                "momentum": self.symmetries}

    def frame(self):
        """The states as a pandas DataFrame."""
        import pandas
        columns = {"t": self.t, "step": self.step}

        def add(*blocks):
            for block in blocks:
                for i, name in enumerate(self._columns()[block]):
                    if name in columns:
                        raise ValueError(f"two columns of the frame would be called {name!r}: take "
                                         f"result.{block}[:, {i}]")
                    columns[name] = getattr(self, block)[:, i]

        add("q", "p")
        for name in ("energy", "discrete_energy"):
            if name in columns:
                raise ValueError(f"two columns of the frame would be called {name!r}: take result.{name}")
            columns[name] = getattr(self, name)
        add("gaps", "momentum")
        return pandas.DataFrame(columns)

    def impacts_frame(self):
        """The impacts as a pandas DataFrame: multipliers, q, p_minus and p_plus in columns of their own."""
        import pandas
        rows = self.impacts
        columns = {n: rows[n] for n in ("n", "t", "step", "alpha", "gap", "energy_before", "energy_after")}
        columns.update(("multiplier_" + g, rows["multipliers"][:, i]) for i, g in enumerate(self.gap_names))
        for block in ("q", "p_minus", "p_plus"):
            columns.update((f"{block}_{c}", rows[block][:, i]) for i, c in enumerate(self.coordinates))
        return pandas.DataFrame(columns)

    def plot(self, path=None):
        """Coordinates, energy error and gaps over time, impacts marked. Returns the figure; saves it with a path."""
        import matplotlib
        if len(self.t) == 0:
            raise ValueError("the run recorded no states to plot: run it with record.every = 1")
        if path is not None:
            matplotlib.use("Agg", force=False)
        import matplotlib.pyplot as pyplot
        figure, axes = pyplot.subplots(3, 1, sharex=True, figsize=(8, 8), layout="constrained")
        for i, name in enumerate(self.coordinates):
            axes[0].plot(self.t, self.q[:, i], label=name, linewidth=1)
        axes[0].set_ylabel("q")
        scale = max(abs(self.summary["energy"]["initial"]), 1e-300)
        axes[1].plot(self.t, (self.energy - self.energy[0]) / scale, linewidth=1, label="energy")
        axes[1].plot(self.t, (self.discrete_energy - self.discrete_energy[0]) / scale, linewidth=1,
                     label="discrete energy")
        axes[1].set_ylabel("relative error")
        for i, name in enumerate(self.gap_names):
            axes[2].plot(self.t, self.gaps[:, i], label=name, linewidth=1)
        axes[2].set_ylabel("gaps")
        axes[2].set_xlabel("t")
        for axis in axes:
            if len(self.impacts) <= 200:
                for t in self.impacts["t"]:
                    axis.axvline(t, color="0.8", linewidth=0.5, zorder=0)
            if axis.lines and len(axis.get_legend_handles_labels()[1]) <= 12:
                axis.legend(loc="upper right", fontsize="small")
        if path is not None:
            figure.savefig(path)
            pyplot.close(figure)
        return figure

    def save(self, directory, overwrite=False):
        """A run in memory as a directory: trajectory.h5, impacts.csv, summary.json."""
        if self._run is None:
            raise RecordError(f"this run is a directory already: {self.directory}")
        self._run.save(os.fspath(directory), overwrite)
        self.directory = os.fspath(directory)

    def report(self, directory=None, overwrite=False):
        """report.html in the run's directory; a run in memory needs one. Returns the path."""
        if directory is not None and self._run is not None:
            if self.directory is None or os.path.abspath(directory) != os.path.abspath(self.directory):
                self.save(directory, overwrite)
        elif directory is not None and os.path.abspath(directory) != os.path.abspath(self.directory):
            raise RecordError(f"this run is a directory already, and its report lies there: {self.directory}")
        elif self.directory is None:
            raise RecordError("a run in memory needs a directory for its report: result.report(\"out/name\")")
        return write_report(self.directory)


def write_report(directory):
    """Rebuilds report.html of a run; returns its path."""
    from . import _core
    page = os.path.join(os.path.dirname(__file__), "template.html")
    if os.path.exists(page):
        os.environ.setdefault("RICOCHET_TEMPLATE", page)
    return _core.write_report(os.fspath(directory))


def impact_array(columns, n, gaps):
    """The structured array of impacts."""
    width = max([len(g) for g in columns["gap"]], default=1)
    kind = numpy.dtype([("n", "i8"), ("t", "f8"), ("step", "i8"), ("alpha", "f8"), ("gap", f"U{max(width, 1)}"),
                        ("multipliers", "f8", (gaps,)), ("energy_before", "f8"), ("energy_after", "f8"),
                        ("q", "f8", (n,)), ("p_minus", "f8", (n,)), ("p_plus", "f8", (n,))])
    rows = numpy.empty(len(columns["t"]), kind)
    for name in kind.names if len(rows) else ():  # an empty list has no width that fits
        rows[name] = columns[name]
    return rows


def of_run(run, summary):
    names = (run.coordinates, run.gaps, run.symmetries)
    impacts = impact_array(run.impact_columns(), len(names[0]), len(names[1]))
    stroboscope, section = (Series(getattr(run, name)()) if name in run.sampled else None
                            for name in ("stroboscope", "section"))
    result = Result(run.trajectory(), impacts, summary, names, run.scene, run=run, stroboscope=stroboscope, section=section,
                    fields=run.datasets())
    if summary["status"] == "failed":
        error = RunError(summary.get("error", "the run failed"))
        error.result = result
        raise error
    return result


def load(directory):
    """A run that was recorded, by this module or by the program; unfinished ones give what there is."""
    import csv

    import h5py
    directory = os.fspath(directory)
    _compare_with_digests(directory)
    try:
        with h5py.File(os.path.join(directory, "trajectory.h5"), "r") as f:
            frames = {name: f[name][...] for name in _FRAMES if name in f}
            coordinates, gaps, symmetries = (_names(f[k]) for k in ("q", "gaps", "momentum"))
            scene = _text(f["scene"][()])
            others = {name: Series({k: f[name][k][...] for k in _FRAMES}) if name in f else None
                      for name in ("stroboscope", "section")}
            fields = {}
            f.visititems(lambda name, item: fields.update({name: item[...]}) if isinstance(item, h5py.Dataset)
                         and name.split("/")[0] not in (*_FRAMES, "scene", "stroboscope", "section") else None)
    except (OSError, KeyError, ValueError, AttributeError):
        raise RecordError(_why_not(directory)) from None
    rows = {name: [] for name in ("n", "t", "step", "alpha", "gap", "multipliers", "energy_before", "energy_after", "q",
                                  "p_minus", "p_plus")}
    path = os.path.join(directory, "impacts.csv")
    if os.path.exists(path):
        with open(path, newline="") as f:
            for row in csv.DictReader(f):
                try:
                    add_impact(rows, row, coordinates, gaps)
                except (TypeError, ValueError):
                    break  # the last line of a run that was killed
    summary = None
    if os.path.exists(os.path.join(directory, "summary.json")):
        path = os.path.join(directory, "summary.json")
        try:
            with open(path, encoding="utf-8") as f:
                summary = json.load(f)
            if not isinstance(summary, dict) or "status" not in summary:
                raise ValueError
        except OSError as error:
            raise RecordError(f"{path} cannot be read: {error.strerror}") from None
        except ValueError:
            raise RecordError(f"{path} is damaged, or is not a summary of ricochet") from None
    else:
        summary = {"status": "unfinished", "steps": int(frames["step"][-1]) if len(frames["step"]) else 0,
                   "impacts": len(rows["t"]), "t_end": float(frames["t"][-1]) if len(frames["t"]) else 0.0,
                   "energy": {"initial": float(frames["energy"][0]) if len(frames["energy"]) else 0.0}}
    return Result(frames, impact_array(rows, len(coordinates), len(gaps)), summary, (coordinates, gaps, symmetries),
                  scene, directory=directory, fields=fields, **others)


def _compare_with_digests(directory):
    """Raises RecordError where a run that has ended is not what it left; warns where it left nothing to compare with."""
    import warnings

    from . import _core
    path = os.path.join(directory, "trajectory.h5")
    if os.path.isfile(path) and os.access(path, os.R_OK):
        if doubt := _core.doubt(directory):
            warnings.warn(doubt, RuntimeWarning, stacklevel=3)


def _why_not(directory):
    """Why no record could be read there, in a sentence."""
    path = os.path.join(directory, "trajectory.h5")
    if not os.path.exists(directory):
        return f"{directory}: there is no such folder"
    if not os.path.isdir(directory):
        return f"{directory} is a file, not the folder of a run"
    if os.path.isdir(os.path.join(directory, "running")) and not os.path.exists(path):
        return f"{directory} holds a run that goes on or was killed: ricochet recover makes its trajectory.h5"
    if not os.path.exists(path):
        return f"{directory} holds no run of ricochet"
    if not os.access(path, os.R_OK):
        return f"{path} cannot be read: permission denied"
    return f"{path} is damaged, or is no record of ricochet"


def add_impact(rows, row, coordinates, gaps):
    multipliers = [0.0] * len(gaps)
    for gap, multiplier in zip(row["gap"].split("+"), row["multiplier"].split(";")):
        multipliers[gaps.index(gap)] = float(multiplier)
    values = {"n": int(row["n"]), "step": int(row["step"]), "gap": row["gap"], "multipliers": multipliers}
    for name in ("t", "alpha", "energy_before", "energy_after"):
        values[name] = float(row[name])
    for block in ("q", "p_minus", "p_plus"):
        values[block] = [float(row[f"{block}_{c}"]) for c in coordinates]
    for name, x in values.items():
        rows[name].append(x)


def _text(x):
    return x.decode() if isinstance(x, bytes) else x


def _names(dataset):
    return [_text(x) for x in dataset.attrs.get("names", [])]
