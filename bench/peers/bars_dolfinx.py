#!/usr/bin/python3
"""Case 1 of Demoures et al. (2016) with dolfinx: two bars of 50 linear elements, row-sum lumped masses, leapfrog, and a
penalty k·max(0, −gap) between the tips. Prints one line of JSON with the keys of bars_siconos.cpp.

  bars_dolfinx.py [--penalty K]      K in units of the stiffness EA/l of an element (1)

The same step as the others, which the penalty must not make unstable: K up to about 40.
"""
import argparse
import json
import time

import dolfinx
import numpy as np
import ufl
from mpi4py import MPI

parser = argparse.ArgumentParser()
parser.add_argument("--penalty", type=float, default=1.0)
penalty = parser.parse_args().penalty / 0.2

H, END, N = 0.015, 40.0, 50


class Bar:
    def __init__(self, left, velocity):
        self.mesh = dolfinx.mesh.create_interval(MPI.COMM_SELF, N, [left, left + 10])
        space = dolfinx.fem.FunctionSpace(self.mesh, ("Lagrange", 1))
        u, w = ufl.TrialFunction(space), ufl.TestFunction(space)
        stiffness = dolfinx.fem.petsc.assemble_matrix(dolfinx.fem.form(ufl.inner(ufl.grad(u), ufl.grad(w)) * ufl.dx))
        stiffness.assemble()
        mass = dolfinx.fem.petsc.assemble_matrix(dolfinx.fem.form(ufl.inner(u, w) * ufl.dx))
        mass.assemble()
        ones = mass.createVecRight()
        ones.set(1)
        self.m = (mass * ones).array.copy()
        self.K = stiffness
        self.u, self.f = stiffness.createVecRight(), stiffness.createVecRight()
        x = space.tabulate_dof_coordinates()[:, 0]
        self.ends = int(x.argmin()), int(x.argmax())
        self.v = np.full(len(x), velocity)

    def force(self):
        self.K.mult(self.u, self.f)
        return -self.f.array

    def energy(self):
        return 0.5 * float(self.m @ self.v**2) - 0.5 * float(self.u.array @ self.force())


def run(look):
    A, B = Bar(0, 0.1), Bar(10.2, -0.1)
    tip, head = A.ends[1], B.ends[0]

    def kick(dt):
        fa, fb = A.force(), B.force()
        press = penalty * max(0.0, -(0.2 + B.u.array[head] - A.u.array[tip]))
        fa[tip] -= press
        fb[head] += press
        A.v += dt * fa / A.m
        B.v += dt * fb / B.m
        return press**2 / (2 * penalty)

    start = A.energy() + B.energy()
    worst, plateau, energy = 0.0, [], start
    began = time.process_time()
    for k in range(1, round(END / H) + 1):
        kick(H / 2)
        A.u.array[:] += H * A.v
        B.u.array[:] += H * B.v
        stored = kick(H / 2)
        if look:
            energy = A.energy() + B.energy() + stored
            worst = max(worst, abs(energy / start - 1))
            if 3 < k * H < 19:
                plateau.append(A.v[tip])
    return worst, energy / start - 1, float(np.sqrt(np.mean(np.square(plateau)))) if plateau else 0, time.process_time() - began


worst, final, rms, _ = run(True)
seconds = min(run(False)[3] for _ in range(2))
print(json.dumps({"engine": f"dolfinx, leapfrog, penalty {penalty * 0.2:g} EA/l", "version": dolfinx.__version__,
                  "energy": worst, "final": final, "tip_rms": rms, "seconds": seconds}))
