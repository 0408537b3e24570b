"""pip install --no-build-isolation ./python : builds the module with the CMake of the project and packs it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
VERSION = re.search(r"project\(ricochet VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class CMakeBuild(build_ext):
    """The target ricochet_python, in build/pip so that a second installation is quick; then the whole package."""

    def build_extension(self, extension):
        build = ROOT / "build" / "pip"
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DRICOCHET_TESTS=OFF", f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "ricochet_python",
                        "-j", str(os.cpu_count() or 1)], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).parent
        shutil.copytree(build / "python" / "ricochet", target, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__"))


setup(version=VERSION, packages=["ricochet"], package_dir={"ricochet": str(HERE.relative_to(HERE) / "ricochet")},
      package_data={"ricochet": ["py.typed", "*.pyi"]}, ext_modules=[Extension("ricochet._core", [])],
      cmdclass={"build_ext": CMakeBuild})
