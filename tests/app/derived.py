"""What the tests of derivatives share: a run with its tangent read back, lyapunov and orbit, closed forms."""
import json
import math
from collections import namedtuple

from program import Case

WALLS = """[time]
step = 0.01
end = 1
[system]
coordinates = ["x"]
mass = [2]
position = [0.3]
velocity = [1]
[[gap]]
name = "left"
expression = "x"
[[gap]]
name = "right"
expression = "1 - x"
"""

# columns by name; times of the rows; ∂q and ∂p, row by coordinate by column; kinds of the irregular points
Tangent = namedtuple("Tangent", "names t q p kinds")


def bounced(e, t, y=0.5, v=-1.0, g=9.81):
    """Height and velocity of a ball over a floor, in closed form, and the number of its impacts."""
    for impacts in range(1000):
        first = (v + math.sqrt(v * v + 2 * g * y)) / g
        if t < first:
            return y + v * t - g * t * t / 2, v - g * t, impacts
        y, v, t = 0.0, e * (g * first - v), t - first
    raise AssertionError("it has come to rest")


def slope(f, x, d=1e-3):
    """Fourth-order difference of a closed form: exact to about 1e-11 for d = 1e-3."""
    return (8 * (f(x + d) - f(x - d)) - (f(x + 2 * d) - f(x - 2 * d))) / (12 * d)


class DerivativesCase(Case):
    def derivative(self, scene, *arguments):
        """Runs the scene and reads its derivatives.h5."""
        import h5py

        def text(names):
            return [n.decode().rstrip("\0") if isinstance(n, bytes) else n for n in names]

        self.run_scene(scene, *arguments, "--quiet", "--overwrite", "--out", "out")
        with h5py.File(self.path("out", "derivatives.h5")) as f:
            kinds = text(f["irregular"].attrs.get("kind", []))
            self.assertEqual(len(kinds), int(f["irregular"].attrs["count"]))  # all are listed, up to a hundred
            return Tangent(text(f.attrs["with_respect_to"]), f["t"][:], f["q"][:], f["p"][:], kinds)

    def end(self, scene, *arguments):
        """(q, p) at the end of a run, from its record."""
        import h5py
        self.run_scene(scene, *arguments, "--quiet", "--overwrite", "--out", "end")
        with h5py.File(self.path("end", "trajectory.h5")) as f:
            return [*f["q"][-1], *f["p"][-1]]

    def kinds_in_summary(self):
        return {entry["kind"]: entry["count"] for entry in self.summary("out")["irregular_derivatives"]}

    def lyapunov(self, *arguments):
        return self.told("lyapunov", *arguments)

    def orbit(self, *arguments):
        return self.told("orbit", *arguments)

    def told(self, command, *arguments):
        done = self.call(command, *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def no_orbit(self, *arguments, words=("no periodic orbit was found",)):
        """Exit 1, one sentence."""
        done = self.call("orbit", *arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
