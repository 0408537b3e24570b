// Masses on a line that may touch each other and a wall on their right, and what they do when they strike in pairs.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "ricochet/numerics/scalar.hpp"

namespace ricochet::test {

/// Gap i is x_{i+1} − x_i − 1; the last one, with a wall at x = n − 1, is n − 1 − x_{n−1}.
struct Chain {
  Eigen::VectorXd masses;
  bool wall = false;

  int dimension() const { return static_cast<int>(masses.size()); }
  Eigen::VectorXd mass() const { return masses; }
  template <class T>
  T potential(Point<T>) const {
    return T(0);
  }
  int gaps() const { return dimension() - (wall ? 0 : 1); }
  template <class T>
  T gap(int i, Point<T> q) const {
    const auto k = static_cast<std::size_t>(i);
    return i + 1 < dimension() ? q[k + 1] - q[k] - 1.0 : dimension() - 1.0 - q[k];
  }
};

/// The velocities after pairwise impacts in the order of the gaps, one after the other, in long double and on the
/// velocities themselves: until no gap closes faster than 1e-17 of the fastest velocity. Empty if that takes too long.
inline std::vector<long double> strike_in_pairs(const Chain& chain, const Eigen::VectorXd& velocity, double e) {
  const int n = chain.dimension(), k = chain.gaps();
  std::vector<long double> v(velocity.data(), velocity.data() + n);
  const auto rate = [&](int i) {
    const auto a = static_cast<std::size_t>(i);
    return i + 1 < n ? v[a + 1] - v[a] : -v[a];
  };
  const long double rest = 1e-17L * velocity.cwiseAbs().maxCoeff();
  for (int i = 0, quiet = 0, strikes = 0; quiet < k; i = (i + 1) % k) {
    const long double closing = -rate(i);
    if (!(closing > rest)) {
      ++quiet;
      continue;
    }
    quiet = 0;
    if (++strikes > 1000000) return {};
    const auto a = static_cast<std::size_t>(i);
    const long double left = chain.masses[i], inverse = i + 1 < n ? 1 / left + 1 / chain.masses[i + 1] : 1 / left;
    const long double impulse = (1 + static_cast<long double>(e)) * closing / inverse;
    v[a] -= impulse / left;
    if (i + 1 < n) v[a + 1] += impulse / chain.masses[i + 1];
  }
  return v;
}

}  // namespace ricochet::test
