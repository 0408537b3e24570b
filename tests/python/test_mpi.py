"""Two ranks give the file of one process."""
import filecmp
import shutil
import subprocess
import sys

from sweep_script import SCRIPT


def test_under_mpi(tmp_path):
    script = tmp_path / "s.py"
    script.write_text(SCRIPT.replace("60)", "12)"))
    subprocess.run([sys.executable, script, tmp_path / "one.h5"], check=True)
    done = subprocess.run([shutil.which("mpiexec"), "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable,
                           script, tmp_path / "two.h5"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert filecmp.cmp(tmp_path / "one.h5", tmp_path / "two.h5", shallow=False)
