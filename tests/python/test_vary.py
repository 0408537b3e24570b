"""What `ricochet sweep --vary` understands, and that anything else is one sentence."""
import argparse
import math
import random
import sys

import pytest
import ricochet
from ricochet import __main__ as program
from ricochet._sweep import MOST_MEMBERS, members_of


def test_ranges_and_lists():
    assert program.values("parameters.g=1:2:5") == ("parameters.g", [1, 1.25, 1.5, 1.75, 2])
    assert program.values("a = 3:3:1") == ("a", [3])
    assert program.values("integrator.rule=midpoint, trapezoid") == ("integrator.rule", ["midpoint", "trapezoid"])
    assert program.values("a=1,-2.5e3,x=y") == ("a", [1, -2500, "x=y"])
    # whole numbers stay whole: some keys take nothing else
    assert [type(x) for x in program.values("time.impacts=1,2.0,x")[1]] == [int, float, str]
    assert [type(x) for x in program.values("time.impacts=2:6:3")[1]] == [int] * 3
    assert [type(x) for x in program.values("a=2:5:3")[1]] == [float] * 3


@pytest.mark.parametrize("text, why", [
    ("g", "is not key=a:b:n"), ("=1", "is not key=a:b:n"), ("g=", "is not key=a:b:n"), ("g= ", "is not key=a:b:n"),
    ("g=1:2:x", "two numbers and a count"), ("g=1::3", "two numbers and a count"),
    ("g=1:2:2.5", "two numbers and a count"), ("g=1:2:0", "asks for 0 values"), ("g=1:2:-3", "asks for -3 values"),
    ("g=1:2:1000000000000", "asks for 1000000000000 values"), ("g=nan:1:3", "finite"), ("g=0:inf:3", "finite"),
    ("g=-1e308:1e308:3", "finite"), ("g=1,,2", "empty value"), ("g=1,", "empty value"),
])
def test_what_is_refused(text, why):
    with pytest.raises(argparse.ArgumentTypeError, match=why):
        program.values(text)


def test_any_text_is_values_or_one_sentence():
    """The texts are built from the reader's own words, so that many are nearly right."""
    words = ["g", "=", ":", ",", "1", "-2.5", "1e308", "-1e308", "nan", "inf", " ", "12", "x", "\t", "\udcff", "1_0", "é"]
    draw = random.Random(1)
    understood = 0
    for _ in range(20000):
        text = "g=" * (draw.random() < 0.5) + "".join(draw.choices(words, k=draw.randint(0, 9)))
        try:
            key, numbers = program.values(text)
        except argparse.ArgumentTypeError as error:
            assert "\n" not in str(error) or "\n" in text
            continue
        understood += 1
        assert key and key == key.strip() and 1 <= len(numbers) <= MOST_MEMBERS
        if text.partition("=")[2].count(":") == 2:
            assert all(math.isfinite(x) for x in numbers)
    assert 1000 < understood < 19000  # both ways were tried


def test_examples_of_the_help():
    """Each varies keys of a bundled scene; the first member of each runs."""
    lines = program.EXAMPLES.splitlines()[1:]
    assert len(lines) == 3
    for line in lines:
        words = line.split()
        scene = words[words.index("sweep") + 1]
        first = [program.values(value) for word, value in zip(words, words[1:]) if word == "--vary"]
        result = ricochet.run(scene, {"time.end": 1, **{key: numbers[0] for key, numbers in first}})
        assert first and result.summary["status"] == "finished"


def run(monkeypatch, capfd, *arguments):
    monkeypatch.setattr(sys, "argv", ["ricochet", "sweep", *arguments])
    try:
        code = program.main()
    except SystemExit as stopped:  # argparse
        code = stopped.code
    return code, capfd.readouterr().err


def test_one_key_twice(monkeypatch, capfd, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, said = run(monkeypatch, capfd, "particle", "--vary", "time.step=0.1,0.2", "--vary", "time.step=0.3")
    assert code == 2 and said == "ricochet: --vary time.step was given twice; one list holds all its values\n"


def test_bytes_that_are_no_text(monkeypatch, capfd, tmp_path):
    monkeypatch.chdir(tmp_path)
    for arguments in (["--vary", "time.st\udcffep=1,2"], ["--vary", "time.step=0.1", "--set", "title=\udcff"]):
        code, said = run(monkeypatch, capfd, "particle", *arguments, "--workers", "1", "--quiet", "--out", "s.h5")
        assert code == 2 and "Traceback" not in said, said


def test_more_members_than_fit():
    with pytest.raises(ricochet.SceneError, match="100000000 members"):
        members_of({"a": range(10000), "b": range(10000)})
