"""pip install --no-build-isolation ./python : builds the module with the CMake of the project and packs it.

RICOCHET_BUILD names a build directory that has been configured already (build/release), and is then used instead of
build/pip.
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
VERSION = re.search(r"project\(ricochet VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
# What the interpreter has is not asked for again: Debian's h5py goes by another name than "h5py" in pip's books, and
# pip would look for it in a network.
SCRATCH = ROOT / "build" / "pip" / "setuptools"  # not beside the sources, where a later wheel would pick it up again
NEEDS = [name for name in ("numpy", "h5py") if importlib.util.find_spec(name) is None]


class CMakeBuild(build_ext):
    """The target ricochet_python, in build/pip so that a second installation is quick; then the whole package."""

    def build_extension(self, extension):
        given = os.environ.get("RICOCHET_BUILD")
        build = (ROOT / given).resolve() if given else ROOT / "build" / "pip"
        if given and not (build / "CMakeCache.txt").exists():
            sys.exit(f"RICOCHET_BUILD={given} is not a configured build directory")
        if not given:
            subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                            "-DRICOCHET_TESTS=OFF", f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", build, "--target", "ricochet_python", "-j", jobs], check=True)
        package, suffix = build / "python" / "ricochet", sysconfig.get_config_var("EXT_SUFFIX")
        if not (package / ("_core" + suffix)).exists():
            sys.exit(f"{build} has no module for this interpreter (_core{suffix}): it was configured for another one, "
                     "or without pybind11")
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).parent
        shutil.copytree(package, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


shutil.rmtree(SCRATCH, ignore_errors=True)
SCRATCH.mkdir(parents=True)
setup(version=VERSION, install_requires=NEEDS, packages=["ricochet"], package_dir={"ricochet": "ricochet"},
      package_data={"ricochet": ["py.typed", "*.pyi"]}, ext_modules=[Extension("ricochet._core", [])],
      cmdclass={"build_ext": CMakeBuild},
      options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}})
