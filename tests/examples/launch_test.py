"""examples/launch from outside: Newton on a target behind three bounces converges, quadratically, and to the target."""
import math
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
G, E, T = 9.81, 0.9, 2.6  # 520 steps of 0.005


def thrown(vx, vy):
    """Where the ball is at T, by closed-form parabolas and impacts bisected in time; and its bounces."""
    x, y, t, bounces = 0.0, 0.5, 0.0, 0
    ground = lambda at: 0.1 * math.sin(2 * at)
    while True:
        height = lambda s: y + vy * s - G * s * s / 2 - ground(x + vx * s)
        s, rest = 1e-9, T - t  # off the ground, then on until it is below it again
        while s < rest and height(s) > 0:
            s += 1e-4
        if s >= rest:
            return x + vx * rest, y + vy * rest - G * rest * rest / 2, bounces
        a, b = s - 1e-4, s
        for _ in range(100):
            a, b = ((a + b) / 2, b) if height((a + b) / 2) > 0 else (a, (a + b) / 2)
        x, y, vy, t, bounces = x + vx * b, y + vy * b - G * b * b / 2, vy - G * b, t + b, bounces + 1
        nx, ny = -0.2 * math.cos(2 * x), 1.0  # the gradient of the gap
        size = -(1 + E) * (vx * nx + vy * ny) / (nx * nx + ny * ny)
        vx, vy = vx + size * nx, vy + size * ny


class Launch(unittest.TestCase):
    def launch(self, *target):
        done = subprocess.run([PROGRAM, *map(str, target)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        rows = re.findall(r"iteration (\d+)  miss (\S+)  bounces (\d+)", done.stdout)
        number = r"(-?\d+\.\d+)"
        found = re.search(rf"velocity \({number}, {number}\)\nby gravity \({number}, {number}\), "
                          rf"by restitution \({number}, {number}\)", done.stdout)
        self.assertIsNotNone(found, done.stdout)
        self.assertEqual([int(row[0]) for row in rows], list(range(len(rows))))
        return [float(row[1]) for row in rows], [int(row[2]) for row in rows], [float(x) for x in found.groups()]

    def test_converges_quadratically_onto_the_target(self):
        for target in ((), (3.2, 0.4)):
            miss, bounces, found = self.launch(*target)
            self.assertEqual(bounces[-1], 3)
            self.assertLess(miss[-1], 1e-12)
            # From where Newton is at home: every miss is at most C times the square of the one before, until rounding
            # (1e-12 of positions of size 3 through three bounces). One C for all of them, and three such steps.
            home = [k for k in range(len(miss) - 1) if miss[k] < 0.2 and bounces[k] == 3]
            self.assertGreaterEqual(len(home), 3, miss)
            for k in home:
                self.assertLessEqual(miss[k + 1], 10 * miss[k] ** 2 + 1e-12, miss)
            # The ball is exact in the flight (constant gravity) and in the law: it must hit by closed form too.
            x, y, count = thrown(found[0], found[1])
            self.assertEqual(count, 3)
            goal = target or (3.3, 0.5)
            self.assertAlmostEqual(x, goal[0], delta=1e-9)
            self.assertAlmostEqual(y, goal[1], delta=1e-9)

    def test_no_velocity_is_an_exit_code(self):
        done = subprocess.run([PROGRAM, "300", "80"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
