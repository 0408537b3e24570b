"""The examples are complete programs: run as a user would, they leave a figure and say what they found."""
import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.mark.parametrize("name", sorted(p.name for p in EXAMPLES.glob("*.py")))
def test_example(name, tmp_path):
    done = subprocess.run([sys.executable, EXAMPLES / name, "--small"], cwd=tmp_path, capture_output=True, text=True,
                          timeout=1800, env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("*.png")), "no figure"
    assert done.stdout.strip(), "says nothing"


def test_there_are_three():
    assert len(list(EXAMPLES.glob("*.py"))) >= 3
