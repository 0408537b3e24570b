// Runs of Siconos' Moreau–Jean scheme behind plain vectors: its headers stay in runs.cpp.
#pragma once

#include <vector>

namespace ricochet::test {

/// Bodies with constant masses and forces; contact c has gap Σ normal[c][k] q_k + offset[c] and, where μ > 0, the slip
/// velocity Σ tangent[c][k] v_k.
struct LinearContacts {
  std::vector<double> mass, force, position, velocity;
  std::vector<std::vector<double>> normal, tangent;
  std::vector<double> offset, restitution, friction;
};

struct Trajectory {
  std::vector<std::vector<double>> q, v;  ///< after each step
};
Trajectory siconos_moreau_jean(const LinearContacts& problem, double h, int steps);

}  // namespace ricochet::test
