// What rough contacts at rest in their gaps will do, by Coulomb's law for velocities over a short time to come.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ricochet/complementarity/friction.hpp"
#include "ricochet/numerics/symmetric.hpp"

namespace ricochet::complementarity {

enum class ContactMode {
  closed,  ///< smooth: φ̈ = 0, λ ≥ 0
  stick,   ///< φ̈ = 0 and ψ̈ = 0, |τ| ≤ μλ
  slide,   ///< φ̈ = 0, τ = −μλs along the slip s, or, from rest, along the slip it begins
  open,    ///< λ = 0, φ̈ ≥ 0
};

/// A contact: its rows in W are `normal` and, if it is rough, the `tangents` rows after it.
template <class Real>
struct ModeContact {
  int normal = 0, tangents = 0;
  Real mu = 0;
  bool slips = false;            ///< along `slip`; otherwise its slip rests
  bool breaks = false;           ///< sliding is tried before sticking: its friction has just reached the limit
  std::array<Real, 2> slip{};    ///< unit vector, given if it slips, found if it begins to
  ContactMode mode{};            ///< found
  Real force = 0;                ///< λ, found
  std::array<Real, 2> friction;  ///< τ, found
};

template <class Real>
class ModesSoon {
 public:
  /// Forces after a short time: accelerations are the velocities of contacts at rest, and a slip that is there is a
  /// large velocity along its direction.
  bool solve(const numerics::Symmetric<Real>& W, const std::vector<Real>& acceleration,
             const std::vector<ModeContact<Real>>& contacts);
  /// Modes and directions from the answer of solve, and its forces. A contact whose friction is at the limit slides if
  /// its velocity says so, or, with `at_limit`, in any case: what begins to slide has no velocity to speak of.
  void tell(std::vector<ModeContact<Real>>& contacts, std::vector<Real>& force, bool at_limit) const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// W and a of the contacts, three rows each.
  void pose(const numerics::Symmetric<Real>& W, const std::vector<Real>& acceleration,
            const std::vector<ModeContact<Real>>& contacts) {
    for (std::size_t j = 0; j < contacts.size(); ++j)
      for (int b = 0; b <= contacts[j].tangents; ++b) {
        const int column = contacts[j].normal + b, to = 3 * static_cast<int>(j) + b;
        free_[at(to)] = acceleration[at(column)];
        for (std::size_t l = 0; l < contacts.size(); ++l)
          for (int a = 0; a <= contacts[l].tangents; ++a)
            coupling_(3 * static_cast<int>(l) + a, to) = W(contacts[l].normal + a, column);
      }
  }

  FrictionSolver<Real, 3> solver_;
  FrictionProblem<Real, 3> problem_;
  numerics::Symmetric<Real> coupling_;
  std::vector<Real> free_, mu_;
  std::vector<ContactVector<Real, 3>> r_;
};

template <class Real>
bool ModesSoon<Real>::solve(const numerics::Symmetric<Real>& W, const std::vector<Real>& acceleration,
                            const std::vector<ModeContact<Real>>& contacts) {
  const int n = static_cast<int>(contacts.size());
  free_.assign(at(3 * n), Real(0));
  mu_.resize(at(n));
  coupling_.resize(3 * n);
  pose(W, acceleration, contacts);
  Real fast = 0;
  for (const Real a : free_) fast = std::max(fast, Real(1e4) * std::abs(a));
  for (int i = 0; i < n; ++i) {
    const auto& c = contacts[at(i)];
    mu_[at(i)] = c.tangents > 0 ? c.mu : Real(0);
    for (int a = 0; c.slips && a < c.tangents; ++a) free_[at(3 * i + 1 + a)] += fast * c.slip[at(a)];
  }
  problem_.assign(n, coupling_, free_, mu_);
  r_.assign(at(n), ContactVector<Real, 3>::Zero());
  return solver_.solve(problem_, r_).status == Status::solved;
}

template <class Real>
void ModesSoon<Real>::tell(std::vector<ModeContact<Real>>& contacts, std::vector<Real>& force, bool at_limit) const {
  std::fill(force.begin(), force.end(), Real(0));
  for (int i = 0; i < problem_.size(); ++i) {
    auto& c = contacts[at(i)];
    const auto& r = r_[at(i)];
    const auto u = problem_.velocity(i, r_);
    for (int a = 0; a <= c.tangents; ++a) force[at(c.normal + a)] = r[a];
    // a slip that is there is no size to measure by
    const Real free = c.slips ? std::abs(problem_.b(i)[0]) : problem_.b(i).norm();
    const Real scale = problem_.diagonal(i).norm() * r.norm() + free, friction = r.template tail<2>().norm();
    if (u[0] > Real(1e-9) * scale) {
      c.mode = ContactMode::open;
    } else if (c.tangents == 0) {
      c.mode = ContactMode::closed;
    } else if (c.slips) {
      c.mode = ContactMode::slide;
    } else {
      const Real slip = u.template tail<2>().norm();
      const bool limit = friction >= c.mu * r[0] * (1 - Real(1e-7));
      c.mode = limit && friction + slip > 0 && (at_limit || slip > Real(1e-9) * scale) ? ContactMode::slide
                                                                                       : ContactMode::stick;
      if (c.mode == ContactMode::stick) continue;
      c.slip = {-r[1] / friction, -r[2] / friction};
      if (!(friction > 0)) c.slip = {u[1] / slip, u[2] / slip};
    }
  }
}

#ifdef RICOCHET_COMPILED_SOLVERS  // set by linking ricochet::complementarity, which has them (instances.cpp)
extern template class ModesSoon<double>;
#endif
#ifdef RICOCHET_COMPILED_LONG_DOUBLE  // set by linking ricochet::long_double
extern template class ModesSoon<long double>;
#endif

}  // namespace ricochet::complementarity
