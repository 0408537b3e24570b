"""pip install --no-build-isolation ./python, in an environment of its own and without a network, and then used."""
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(any(importlib.util.find_spec(name) is None for name in ("ensurepip", "pip", "wheel",
                                                                                        "setuptools")),
                                reason="pip, venv, setuptools or wheel is missing (scripts/setup python)")
PROGRAM = """
import os, ricochet
assert os.path.dirname(ricochet.__file__).startswith(os.environ["PREFIX"]), ricochet.__file__
result = ricochet.run("star", time__end=5)
assert result.summary["status"] == "finished" and len(result.impacts) == 4, result
ball = ricochet.System(coordinates=["y"], mass=[1], potential=lambda q: 2*q.y, gaps={"floor": lambda q: q.y},
                       position=[1])
assert abs(ball.run(0.01, end=1.5).impacts["t"][0] - 1) < 1e-12
done = ricochet.sweep("impact-oscillator", {"parameters.w": [2.0, 3.0]}, out="w.h5", workers=2, time__end=5)
assert (done.status == "finished").all()
print("works", ricochet.__version__)
"""


def call(*command, **more):
    # The module beside the program must not stand in for the one that is installed, nor a network for what is missing.
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PIP_FIND_LINKS", "PIP_INDEX_URL")}
    environment.update(PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", MPLBACKEND="Agg",
                       CMAKE_BUILD_PARALLEL_LEVEL="1", **more.pop("env", {}))
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files():
    return {str(p) for p in (ROOT / "python").rglob("*") if "__pycache__" not in p.parts}


def test_pip_install(tmp_path):
    before = files()
    call(sys.executable, "-m", "venv", "--system-site-packages", "environment", cwd=tmp_path)
    python = tmp_path / "environment" / "bin" / "python"
    # The build under test is packed, not a second one made: it is what the program was made of, and takes no minutes.
    call(python, "-m", "pip", "install", "--no-build-isolation", ROOT / "python", cwd=tmp_path,
         env={"RICOCHET_BUILD": os.environ["RICOCHET_BUILD"]})
    assert files() == before, "the installation left something among the sources"
    said = call(python, "-c", PROGRAM, cwd=tmp_path, env={"PREFIX": str(tmp_path)})
    assert said.startswith("works ")
    said = call(python, "-m", "ricochet", "sweep", "impact-oscillator", "--vary", "parameters.w=2:3:2", "--set",
                "time.end=5", "--out", "shell.h5", "--workers", "1", cwd=tmp_path)
    assert "2 members, 0 failed" in said
    call(python, "-m", "pip", "uninstall", "--yes", "ricochet", cwd=tmp_path)
    gone = subprocess.run([python, "-c", "import ricochet"], cwd=tmp_path, capture_output=True,
                          env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"})
    assert gone.returncode != 0


def test_a_build_that_does_not_fit_is_refused(tmp_path):
    done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext"], cwd=ROOT / "python", capture_output=True,
                          text=True, env={**os.environ, "RICOCHET_BUILD": str(tmp_path)})
    assert done.returncode != 0 and "is not a configured build directory" in done.stderr
