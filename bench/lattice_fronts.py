#!/usr/bin/python3
"""How far the mesh alone takes the tips off their plateau (docs/bars.md, "Convergence to the exact waves").

Cases 2-4 of Demoures 2016 as two lattices of masses and springs that are bonded for good at the first touch: no contact
law and no time step, the motion is summed from eigenmodes. Prints the RMS of the interface's velocity about the exact
plateau for several lengths of time left out at each end. Needs NumPy and SciPy.
"""
import numpy as np
from scipy.linalg import eigh

MARGINS = (0, 0.2, 0.4, 0.6, 0.8, 1, 2)
SPEED, TOUCH, STEP = 0.1, 1.0, 0.015  # the bars meet at t = 1 with +-0.1; sampled as in the runs
# case: lengths, masses per length, moduli, elements
CASES = {
    2: ((10, 10), (1, 5), (1, 1), (50, 50)),
    3: ((10, 10), (1, 1), (1, 5), (50, 50)),
    4: ((10, 5), (1, 1), (1, 1), (50, 25)),
}


def interface_velocity(lengths, masses, moduli, elements, inward, times):
    n = elements[0]
    size = sum(elements) + 1
    stiffness, mass, momentum = np.zeros((size, size)), np.zeros(size), np.zeros(size)
    for e in range(size - 1):
        bar = int(e >= n)
        length = lengths[bar] / elements[bar]
        stiffness[e : e + 2, e : e + 2] += moduli[bar] / length * np.array([[1, -1], [-1, 1]])
        for node in (e, e + 1):
            if node == n and inward:
                node = e if bar == 0 else e + 1
            mass[node] += masses[bar] * length / 2
            momentum[node] += masses[bar] * length / 2 * (SPEED if bar == 0 else -SPEED)
    reading = np.eye(size)[n]
    if inward:  # the massless interface is where the springs balance
        rest = np.arange(size) != n
        follow = -stiffness[n, rest] / stiffness[n, n]
        reading = follow
        stiffness = stiffness[np.ix_(rest, rest)] + np.outer(stiffness[rest, n], follow)
        mass, momentum = mass[rest], momentum[rest]
    squares, modes = eigh(stiffness, np.diag(mass))
    amplitudes = (modes.T @ momentum) * (reading @ modes)
    return np.cos(np.outer(times, np.sqrt(np.maximum(squares, 0)))) @ amplitudes


def main():
    print("left out at each end, s " + "".join(f"{m:>9}" for m in MARGINS))
    for case, (lengths, masses, moduli, elements) in CASES.items():
        impedance = [np.sqrt(m * k) for m, k in zip(masses, moduli)]
        plateau = SPEED * (impedance[0] - impedance[1]) / sum(impedance)
        end = TOUCH + min(2 * length * np.sqrt(m / k) for length, m, k in zip(lengths, masses, moduli))
        t = np.arange(np.floor(TOUCH / STEP) + 1, end / STEP) * STEP
        for inward in (False, True):
            off = interface_velocity(lengths, masses, moduli, elements, inward, t - TOUCH) - plateau
            kept = [(t > TOUCH + m) & (t < end - m) for m in MARGINS]
            rms = "".join(f"{np.sqrt(np.mean(off[k] ** 2)):9.1e}" for k in kept)
            print(f"case {case}, {'moved inward' if inward else 'lumped':<15}" + rms)


if __name__ == "__main__":
    main()
