"""Signs of docs/errata.md that no code of ours depends on yet, each by a computation that does not know the formula."""
import math
import unittest

G, H = 9.81, 1e-6


def action(nodes):
    """Of L = q̇²/2 − G q along straight pieces between nodes (t, q), exactly."""
    total = 0.0
    for (t0, q0), (t1, q1) in zip(nodes, nodes[1:]):
        h = t1 - t0
        total += (q1 - q0)**2 / (2 * h) - G * h * (q0 + q1) / 2
    return total


class Jump(unittest.TestCase):
    def test_f16(self):
        """A path with a kink at (t, q); the kink is moved by δq, then by δt."""
        ends, (t, q) = ((0.0, 1.0), (1.0, 2.0)), (0.4, 0.3)
        v = (q - ends[0][1]) / t, (ends[1][1] - q) / (1 - t)
        energy = [x * x / 2 + G * q for x in v]
        moved = {name: (action([ends[0], (t + dt * H, q + dq * H), ends[1]]) -
                        action([ends[0], (t - dt * H, q - dq * H), ends[1]])) / (2 * H)
                 for name, dt, dq in (("q", 0, 1), ("t", 1, 0))}
        # EL = −G − q̈ with q̈ = 0 against the hat of δq; its lift with δt moves q by −v per piece
        hat = t / 2, (1 - t) / 2
        smooth = {"q": -G * (hat[0] + hat[1]), "t": G * (v[0] * hat[0] + v[1] * hat[1])}
        jump = {"q": v[1] - v[0], "t": -(energy[1] - energy[0])}  # of Θ_L = ∂L/∂q̇ dq − E dt, from τ⁻ to τ⁺
        for name in "qt":
            self.assertAlmostEqual(moved[name], smooth[name] - jump[name], delta=1e-7)
            self.assertGreater(abs(moved[name] - (smooth[name] + jump[name])), 1)


class Front(unittest.TestCase):
    def test_f18(self):
        """A kink of strain that runs through a linear bar at c = √(E/ρ), φ = X + ε max(0, ct − X)."""
        rho, modulus, strain = 2.0, 3.0, 0.01
        c = math.sqrt(modulus / rho)

        def phi(X, t):
            return X + strain * max(0.0, c * t - X)

        # one-sided values at the front X = ct, t = 1, by differences that stay on one side
        side = {}
        for name, X in (("behind", c - 1e-3), ("before", c + 1e-3)):
            side[name] = ((phi(X, 1 + H) - phi(X, 1 - H)) / (2 * H),
                          modulus * ((phi(X + H, 1) - phi(X - H, 1)) / (2 * H) - 1))
        velocity, stress = (side["before"][k] - side["behind"][k] for k in (0, 1))
        N, U = 1.0, c
        self.assertAlmostEqual(rho * U * velocity + stress * N, 0, delta=1e-9)  # (3.81)
        # (3.77): ρ[φ̇] dⁿx₀ ± [P] dⁿx₁ with dⁿx₁ = −(N/U) dⁿx₀ on the front
        self.assertAlmostEqual(rho * velocity - stress * (-N / U), 0, delta=1e-9)
        self.assertGreater(abs(rho * velocity + stress * (-N / U)), abs(stress) / U)


class Interface(unittest.TestCase):
    def test_f19(self):
        """An elastic and a fluid column between walls, both of length 1, squeezed to a = 1.8: the interface x stands
        where the energy is least. σ = dW/dF of the solid, p = −dW/dJ of the fluid."""
        modulus, bulk, gamma, a = 3.0, 2.0, 1.4, 1.8

        def solid(F):
            return modulus * (F - 1)**2 / 2

        def fluid(J):  # p = K/γ (J^−γ − 1)
            return bulk / gamma * (J**(1 - gamma) / (gamma - 1) + J)

        low, high = 0.2, 1.6
        for _ in range(200):  # golden section
            x, y = high - 0.6180339887498949 * (high - low), low + 0.6180339887498949 * (high - low)
            if solid(x) + fluid(a - x) < solid(y) + fluid(a - y):
                high = y
            else:
                low = x
        x = (low + high) / 2
        sigma = (solid(x + H) - solid(x - H)) / (2 * H)
        p = -(fluid(a - x + H) - fluid(a - x - H)) / (2 * H)
        self.assertGreater(p, 0.1)
        self.assertAlmostEqual(sigma + p, 0, delta=1e-6)
        self.assertGreater(abs(sigma - p), 0.1)


if __name__ == "__main__":
    unittest.main()
