"""The programs of docs/python.md and of the README's part on Python, run as they stand (the sweep with fewer members)."""
import pathlib
import re
import subprocess
import sys

import ricochet

ROOT = pathlib.Path(__file__).resolve().parents[2]


def programs(name):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(), re.M | re.S)


def test_the_page(tmp_path):
    text = "\n".join(programs("docs/python.md"))
    page = (pathlib.Path(ricochet.__file__).parent / "template.html").exists()  # there is none without node
    if not page:
        text = re.sub(r"^result.report.*$", "", text, flags=re.M)
    assert text.count("ricochet.sweep(") == 1 and "4.5, 2000)" in text
    (tmp_path / "page.py").write_text(text.replace("4.5, 2000)", "4.5, 24)") + """
assert len(result.impacts) > 3 and len(sweep) == 24 and (sweep.status == "finished").all()
assert ball.run(step=0.01, end=2).summary["impacts"] > 0
""")
    done = subprocess.run([sys.executable, "page.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "star.png").exists() and (tmp_path / "out" / "python" / "report.html").exists() == page


def test_the_readme(tmp_path):
    (text,) = [p for p in programs("README.md") if "import ricochet" in p]
    done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("[0.4515"), done.stdout + done.stderr  # √(2/g)
