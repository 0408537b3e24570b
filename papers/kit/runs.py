"""Runs of the program, and their records as arrays."""
import csv
import json
import os
import subprocess

import h5py
import numpy as np


class RunFailed(Exception):
    pass


class Run:
    """The records of one run: t, q, p, energy, gaps, … of trajectory.h5, the columns of impacts.csv, the summary."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "summary.json")) as file:
            self.summary = json.load(file)
        with h5py.File(os.path.join(folder, "trajectory.h5")) as file:
            self.fields = {}

            def keep(name, item):
                if isinstance(item, h5py.Dataset):
                    self.fields[name] = item[()]
            file.visititems(keep)
            names = file["q"].attrs.get("names", []) if "q" in file else []
            self.names = [name.decode() for name in names]
        with open(os.path.join(folder, "impacts.csv"), newline="") as file:
            rows = list(csv.reader(file))
        self.columns = {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}

    def __getattr__(self, name):
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(f"{self.folder}: trajectory.h5 has no '{name}'") from None

    def __getitem__(self, name):
        """A field by its path: run["bars/tip_velocity"]."""
        return self.fields[name]

    def coordinate(self, name):
        return self.q[:, self.names.index(name)]

    def impact(self, column):
        """A column of impacts.csv as numbers."""
        return np.array(self.columns[column], dtype=float)


class Runs:
    """Calls `ricochet run`, once for the same arguments. A scene is a file beside the figures, or a bundled one."""

    def __init__(self, program, scenes, folder):
        self.program, self.scenes, self.folder = program, scenes, folder
        self.done = {}

    def __call__(self, scene, *settings, **more):
        """runs("star", "time.impacts=1500"); keywords are settings too: time_end=10 stands for time.end=10."""
        settings += tuple(f"{key.replace('_', '.', 1)}={value!r}" for key, value in more.items())
        key = (scene, *settings)
        if key not in self.done:
            own = os.path.join(self.scenes, scene + ".toml")
            target = os.path.join(self.folder, f"{len(self.done):03}-{scene}")
            os.makedirs(self.folder, exist_ok=True)
            command = ["run", own if os.path.exists(own) else scene, "--quiet", "--out", target]
            for setting in settings:
                command += ["--set", setting]
            self.call(*command)
            self.done[key] = Run(target)
        return self.done[key]

    def call(self, *arguments):
        """Any command of the program; its output."""
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, timeout=1800)
        if done.returncode != 0:
            said = done.stderr.strip().removeprefix("ricochet: ")
            raise RunFailed(f"'ricochet {' '.join(arguments)}' failed: {said}")
        return done.stdout
