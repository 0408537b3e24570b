"""Beams from Python: a scene's fields as arrays."""
import math

import numpy
import pytest
import ricochet

# A straight beam along x, thrown and spinning about z in the plane z = 1: nothing acts on it.
FREE = """[time]
step = 1e-3
end = 0.5
[[beam]]
name = "rod"
length = 1
elements = 8
density = 100
section = { shape = "circle", radius = 0.05 }
young = 1e4
poisson = 0.3
origin = [-0.5, 0, 1]
rotation = [0, "pi/2", 0]
velocity = [2, "3*x", 0]
spin = [0, 0, 3]
[record]
fields_every = 50
"""


def test_fields_of_a_free_beam(tmp_path):
    result = ricochet.run(FREE)
    assert result.summary["status"] == "finished" and len(result.impacts) == 0
    assert result.coordinates == ["rod_x", "rod_y", "rod_z"]
    # The centre of mass moves uniformly, and the six momenta of SE(3) stay: m = ρπr²L.
    m = 100 * math.pi * 0.05**2
    assert result["rod_x"] == pytest.approx(2 * result.t, abs=1e-13)
    assert result["rod_z"] == pytest.approx(1.0, abs=1e-13)
    assert result["translation x"] == pytest.approx(2 * m, rel=1e-13)
    # J_z of lumped masses: Σ w x² = (1 + 2/n²)/12 with n elements, and the rotary inertia of the discs.
    J = 3 * (m * (1 + 2 / 64) / 12 + 100 * math.pi * 0.05**4 / 4)
    assert result["rotation z"] == pytest.approx(J, rel=1e-13)
    fields = result.fields
    assert fields["fields/t"] == pytest.approx(numpy.arange(11) * 0.05, abs=1e-13)
    assert fields["fields/position"].shape == (11, 27) and fields["fields/rotation"].shape == (11, 36)
    assert fields["fields/strain"].shape == (11, 48)
    assert numpy.abs(fields["fields/position"].reshape(11, 9, 3)[..., 2] - 1).max() < 1e-13
    assert numpy.abs((fields["fields/rotation"].reshape(11, 9, 4)**2).sum(-1) - 1).max() < 1e-13
    result.save(tmp_path / "o")
    again = ricochet.load(tmp_path / "o")
    for name, values in fields.items():
        assert numpy.array_equal(values, again.fields[name]), name
    assert numpy.array_equal(result.momentum, again.momentum)


def test_impacts_of_nodes():
    """Dropped flat from 0.2: all nine nodes at t = √(2·0.2/10), each with 2 m v of its own mass."""
    text = "gravity = [0, 0, -10]\n" + FREE.replace("[-0.5, 0, 1]", "[-0.5, 0, 0.2]").replace('[2, "3*x", 0]', "[0, 0, 0]") \
        .replace("spin = [0, 0, 3]", "spin = [0, 0, 0]") + "[[plane]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n"
    result = ricochet.run(text, time__end=0.3, integrator__closure="reflection")
    assert result.impacts["t"] == pytest.approx([math.sqrt(0.04)], abs=1e-12)
    weights = numpy.full(9, 1 / 8)
    weights[[0, -1]] /= 2
    expected = 2 * 100 * math.pi * 0.05**2 * weights * math.sqrt(2 * 10 * 0.2)
    assert result.impacts["multipliers"][0] == pytest.approx(expected, rel=1e-12)
    assert result.impacts["gap"][0] == "+".join(f"rod[{a}]|plane" for a in range(9))
