// The forces of rough contacts at rest in their gaps. In the plane every mode of every contact is tried, so that no
// solution, and several (Painlevé), are seen for what they are; several contacts in space have directions to be found.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ricochet/complementarity/friction_local.hpp"
#include "ricochet/complementarity/modes_soon.hpp"
#include "ricochet/numerics/least_norm.hpp"

namespace ricochet::complementarity {

enum class ModesFound {
  one,       ///< all solutions have the same accelerations
  several,   ///< their accelerations differ: the first is taken, but not one that slides where force closes the gap
  none,      ///< Painlevé's paradox: no force obeys Coulomb's law
  too_many,  ///< more modes than can be tried
  lost,      ///< of several contacts, one in space: the iteration did not converge
};

/// Coulomb's law on accelerations: a + Wf = (φ̈, ψ̈). `tolerance` is what rounding makes of zero in each row.
template <class Real>
class ContactModes {
 public:
  using Contact = ModeContact<Real>;
  static constexpr int most = 4096;

  numerics::Symmetric<Real> W;
  std::vector<Real> acceleration, tolerance;
  std::vector<Contact> contacts;

  /// Forces and accelerations of the solution, one per row.
  std::vector<Real> force, after;

  ModesFound solve();

  /// Forces and accelerations of the modes found, with the directions of slip set in `contacts` now.
  void accelerate() { forces(true); }
  /// Size of the terms an acceleration is a sum of.
  Real size(int row) const { return size_[at(row)]; }

  /// Coupling and free accelerations of a spatial contact, once the smooth gaps that stay closed beside it are
  /// eliminated.
  void reduce(const Contact& c, ContactMatrix<Real, 3>& reduced, ContactVector<Real, 3>& free);

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static int choices(const Contact& c) { return c.tangents == 0 || c.slips ? 2 : c.tangents == 1 ? 4 : 3; }

  /// The n-th combination; the modes preferred come first, the first contact's change last.
  void set_modes(int n) {
    for (int i = static_cast<int>(contacts.size()) - 1; i >= 0; --i) {
      Contact& c = contacts[at(i)];
      const int total = choices(c), choice = n % total;
      n /= total;
      if (choice == total - 1) {
        c.mode = ContactMode::open;
      } else if (c.tangents == 0) {
        c.mode = ContactMode::closed;
      } else if (c.slips) {
        c.mode = ContactMode::slide;
      } else {
        const int slides = total - 2;
        const bool sticks = c.breaks ? choice == slides : choice == 0;
        c.mode = sticks ? ContactMode::stick : ContactMode::slide;
        if (!sticks && c.tangents == 1) c.slip = {(choice - (c.breaks ? 0 : 1)) == 0 ? Real(1) : Real(-1), Real(0)};
        if (!sticks && c.tangents == 2) c.slip = {Real(0), Real(0)};
      }
    }
  }

  // ---- several contacts, in space ----------------------------------------------------------------------------------

  /// Two sets of modes are tried: everything as it was, and what Coulomb's law for velocities says of a short time to
  /// come. Other solutions, which strong coupling may allow, are not looked for.
  ModesFound several_in_space() {
    bool breaks = false;
    for (Contact& c : contacts) {
      breaks = breaks || c.breaks;
      c.mode = c.tangents == 0 ? ContactMode::closed : c.slips ? ContactMode::slide : ContactMode::stick;
    }
    if (!breaks) {
      forces();
      if (obeyed()) return told();
    }
    if (!soon_.solve(W, acceleration, contacts)) return ModesFound::lost;
    force.resize(at(W.size()));
    for (const bool at_limit : {breaks, !breaks}) {
      soon_.tell(contacts, force, at_limit);
      if (find_directions() && obeyed()) return told();
      // Where supports are redundant, the forces of least norm may leave the cones though others do not.
      forces();
      soon_.tell(contacts, force, at_limit);
      accelerations();
      if (obeyed()) return told();
    }
    return ModesFound::none;
  }
  ModesFound told() {
    for (Contact& c : contacts) {
      c.force = force[at(c.normal)];
      for (int a = 0; a < c.tangents; ++a) c.friction[at(a)] = force[at(c.normal + 1 + a)];
    }
    return ModesFound::one;
  }

  /// Newton's method on the angles of the contacts that begin to slide: each accelerates along its own direction.
  bool find_directions() {
    turning_.clear();
    for (std::size_t i = 0; i < contacts.size(); ++i)
      if (contacts[i].mode == ContactMode::slide && contacts[i].tangents == 2 && !contacts[i].slips)
        turning_.push_back(i);
    const int n = static_cast<int>(turning_.size());
    const auto across = [&](std::vector<Real>& f) {
      forces();
      f.resize(turning_.size());
      for (std::size_t i = 0; i < turning_.size(); ++i) {
        const Contact& c = contacts[turning_[i]];
        f[i] = c.slip[0] * after[at(c.normal + 2)] - c.slip[1] * after[at(c.normal + 1)];
      }
    };
    const auto turn = [&](std::size_t i, Real angle) {
      auto& s = contacts[turning_[i]].slip;
      s = {std::cos(angle) * s[0] - std::sin(angle) * s[1], std::sin(angle) * s[0] + std::cos(angle) * s[1]};
    };
    const Real small = std::sqrt(std::numeric_limits<Real>::epsilon());
    std::vector<Real> f, moved;
    numerics::LeastNorm<Real> J;
    for (int step = 0; step < 30; ++step) {
      across(f);
      if (n == 0) return true;
      J.resize(n);
      for (std::size_t j = 0; j < turning_.size(); ++j) {
        const auto before = contacts[turning_[j]].slip;
        turn(j, small);
        across(moved);
        contacts[turning_[j]].slip = before;
        for (std::size_t i = 0; i < turning_.size(); ++i)
          J(static_cast<int>(i), static_cast<int>(j)) = (moved[i] - f[i]) / small;
      }
      for (int i = 0; i < n; ++i) J.set_scale(i, std::sqrt(std::abs(J(i, i))));
      J.solve(f);
      Real most = 0;
      for (std::size_t i = 0; i < turning_.size(); ++i) {
        most = std::max(most, std::abs(f[i]));
        turn(i, -std::clamp(f[i], Real(-0.5), Real(0.5)));
      }
      if (!std::isfinite(most)) return false;
      if (most <= 64 * std::numeric_limits<Real>::epsilon() || (step > 8 && most <= small)) {
        forces();
        return true;
      }
    }
    return false;
  }

  bool solve_modes() {
    Contact* turning = nullptr;  // the one spatial contact that begins to slide: its direction is unknown
    for (Contact& c : contacts)
      if (c.mode == ContactMode::slide && c.tangents == 2 && !c.slips) turning = &c;
    if (turning != nullptr && !find_direction(*turning)) return false;
    forces();
    return obeyed();
  }

  /// Forces of the modes set now, in `force`, and the accelerations `after` them; `fast` by elimination where that will
  /// do, ten times as fast as least norms.
  void forces(bool fast = false);
  /// G_⁻¹x_ by Gauss's elimination. False, and nothing done, where G_ is singular or nearly so.
  bool eliminate() {
    const int k = G_.size();
    dense_.resize(at(k * k));
    right_ = x_;
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) dense_[at(i * k + j)] = G_(i, j);
    for (int p = 0; p < k; ++p) {
      int best = p;
      for (int i = p + 1; i < k; ++i)
        if (std::abs(dense_[at(i * k + p)]) > std::abs(dense_[at(best * k + p)])) best = i;
      if (!(std::abs(dense_[at(best * k + p)]) > Real(1e-4) * W(rows_[at(p)], rows_[at(p)]))) return false;
      for (int j = p; j < k; ++j) std::swap(dense_[at(p * k + j)], dense_[at(best * k + j)]);
      std::swap(right_[at(p)], right_[at(best)]);
      for (int i = p + 1; i < k; ++i) {
        const Real factor = dense_[at(i * k + p)] / dense_[at(p * k + p)];
        for (int j = p; j < k; ++j) dense_[at(i * k + j)] -= factor * dense_[at(p * k + j)];
        right_[at(i)] -= factor * right_[at(p)];
      }
    }
    for (int i = k - 1; i >= 0; --i) {
      for (int j = i + 1; j < k; ++j) right_[at(i)] -= dense_[at(i * k + j)] * right_[at(j)];
      right_[at(i)] /= dense_[at(i * k + i)];
    }
    x_ = right_;
    return true;
  }
  void accelerations() {
    const int m = W.size();
    after.resize(at(m));
    size_.resize(at(m));
    for (int i = 0; i < m; ++i) {
      after[at(i)] = acceleration[at(i)];
      size_[at(i)] = std::abs(acceleration[at(i)]);
      for (int j = 0; j < m; ++j) {
        after[at(i)] += W(i, j) * force[at(j)];
        size_[at(i)] += std::abs(W(i, j) * force[at(j)]);
      }
    }
  }
  void add(int row, const Contact* slides) {
    rows_.push_back(row);
    columns_.push_back(slides);
  }
  /// What rounding makes of zero in an acceleration, also where large forces cancel.
  Real zero(int row) const { return tolerance[at(row)] + Real(1e-11) * size_[at(row)]; }

  /// Signs, cones, and equations that a singular system may have left unsolved.
  bool obeyed() const {
    for (const Real x : force)
      if (!std::isfinite(x)) return false;
    for (int i = 0; i < static_cast<int>(rows_.size()); ++i)
      if (std::abs(after[at(rows_[at(i)])]) > zero(rows_[at(i)])) return false;
    for (const Contact& c : contacts) {
      const Real lambda = force[at(c.normal)], loose = zero(c.normal) / W(c.normal, c.normal);
      if (c.mode == ContactMode::open) {
        if (after[at(c.normal)] < -zero(c.normal)) return false;
        continue;
      }
      if (lambda < -loose) return false;
      Real tau = 0, along = 0, rounding = 0;
      for (int a = 0; a < c.tangents; ++a) {
        const int row = c.normal + 1 + a;
        tau += force[at(row)] * force[at(row)];
        along += after[at(row)] * c.slip[at(a)];
        if (W(row, row) > 0) rounding += zero(row) / W(row, row);
      }
      if (c.mode == ContactMode::stick && std::sqrt(tau) > c.mu * (lambda + loose) + rounding) return false;
      if (c.mode == ContactMode::slide && !c.slips && along < -zero(c.normal + 1)) return false;
    }
    return true;
  }

  /// The direction in which a spatial contact begins to slide: against its friction, as the exact solution for one
  /// contact has it once the rows that are kept beside it are eliminated.
  bool find_direction(Contact& c) {
    ContactMatrix<Real, 3> reduced;
    ContactVector<Real, 3> free, r;
    reduce(c, reduced, free);
    if (!solve_one_contact<Real, 3>(reduced, free, c.mu, r)) return false;
    Real x = -r[1], y = -r[2];
    if (x == 0 && y == 0) x = free[1] + reduced(1, 0) * r[0], y = free[2] + reduced(2, 0) * r[0];  // no friction
    const Real size = std::hypot(x, y);
    if (!(size > 0)) return false;
    c.slip = {x / size, y / size};
    return true;
  }

  /// Whether a contact slides where its own force closes the gap: W_NN < μW_NT·s once the other contacts have answered.
  bool jams() {
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      if (columns_[j] == nullptr) continue;
      x_.assign(rows_.size(), Real(0));
      x_[j] = 1;
      G_.solve(x_);
      if (x_[j] < 0) return true;
    }
    return false;
  }

  bool same_acceleration() const {
    for (int i = 0; i < W.size(); ++i)
      if (std::abs(after[at(i)] - kept_after_[at(i)]) > Real(1e5) * tolerance[at(i)] + Real(1e-6) * size_[at(i)])
        return false;
    return true;
  }

  void keep(int n) {
    kept_ = n;
    kept_after_ = after;
  }
  void restore() {
    set_modes(kept_);
    solve_modes();
    for (Contact& c : contacts) {
      c.force = force[at(c.normal)];
      for (int a = 0; a < c.tangents; ++a) c.friction[at(a)] = force[at(c.normal + 1 + a)];
    }
  }

  numerics::LeastNorm<Real> G_;
  std::vector<int> rows_;
  std::vector<const Contact*> columns_;
  std::vector<Real> x_, size_, kept_after_, dense_, right_;
  int kept_ = 0;

  ModesSoon<Real> soon_;
  std::vector<std::size_t> turning_;
};

template <class Real>
ModesFound ContactModes<Real>::solve() {
  int rough = 0, spatial = 0;
  long long count = 1;
  for (const Contact& c : contacts) {
    rough += c.tangents > 0;
    spatial += c.tangents > 1;
    count = std::min<long long>(count * choices(c), most + 1);
  }
  if (spatial > 0 && rough > 1) return several_in_space();
  if (count > most) return ModesFound::too_many;
  int found = 0;
  bool differ = false, jammed = false;
  for (int n = 0; n < count; ++n) {
    set_modes(n);
    if (!solve_modes()) continue;
    if (found++ == 0) {
      keep(n);
      jammed = jams();
      continue;
    }
    if (same_acceleration()) continue;
    differ = true;
    if (jammed && !jams()) {
      keep(n);
      jammed = false;
    }
  }
  if (found == 0) return ModesFound::none;
  restore();
  return differ ? ModesFound::several : ModesFound::one;
}

template <class Real>
void ContactModes<Real>::reduce(const Contact& c, ContactMatrix<Real, 3>& reduced, ContactVector<Real, 3>& free) {
  rows_.clear();
  for (const Contact& other : contacts)
    if (&other != &c && other.mode == ContactMode::closed) rows_.push_back(other.normal);
  const int k = static_cast<int>(rows_.size());
  numerics::Symmetric<Real> kept;
  kept.resize(k);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) kept(i, j) = W(rows_[at(i)], rows_[at(j)]);
  for (int j = 0; j < 3; ++j) {
    x_.resize(at(k));
    for (int i = 0; i < k; ++i) x_[at(i)] = W(rows_[at(i)], c.normal + j);
    if (k > 0) kept.solve(x_);
    free[j] = acceleration[at(c.normal + j)];
    for (int i = 0; i < k; ++i) free[j] -= x_[at(i)] * acceleration[at(rows_[at(i)])];
    for (int l = 0; l < 3; ++l) {
      reduced(l, j) = W(c.normal + l, c.normal + j);
      for (int i = 0; i < k; ++i) reduced(l, j) -= x_[at(i)] * W(rows_[at(i)], c.normal + l);
    }
  }
}

template <class Real>
void ContactModes<Real>::forces(bool fast) {
  rows_.clear();
  columns_.clear();
  for (const Contact& c : contacts) {
    if (c.mode == ContactMode::open) continue;
    add(c.normal, c.mode == ContactMode::slide ? &c : nullptr);
    for (int a = 1; c.mode == ContactMode::stick && a <= c.tangents; ++a) add(c.normal + a, nullptr);
  }
  const int k = static_cast<int>(rows_.size()), m = W.size();
  G_.resize(k);
  x_.resize(rows_.size());
  for (int i = 0; i < k; ++i) {
    G_.set_scale(i, std::sqrt(W(rows_[at(i)], rows_[at(i)])));
    x_[at(i)] = -acceleration[at(rows_[at(i)])];
    for (int j = 0; j < k; ++j) {
      Real sum = W(rows_[at(i)], rows_[at(j)]);
      if (const Contact* c = columns_[at(j)])
        for (int a = 0; a < c->tangents; ++a) sum -= c->mu * c->slip[at(a)] * W(rows_[at(i)], c->normal + 1 + a);
      G_(i, j) = sum;
    }
  }
  if (!fast || !eliminate()) G_.solve(x_);
  force.assign(at(m), Real(0));
  for (int j = 0; j < k; ++j) {
    force[at(rows_[at(j)])] += x_[at(j)];
    if (const Contact* c = columns_[at(j)])
      for (int a = 0; a < c->tangents; ++a) force[at(c->normal + 1 + a)] -= c->mu * c->slip[at(a)] * x_[at(j)];
  }
  accelerations();
}

#ifdef RICOCHET_COMPILED_SOLVERS  // set by linking ricochet::complementarity, which has them (instances.cpp)
extern template class ContactModes<double>;
#endif
#ifdef RICOCHET_COMPILED_LONG_DOUBLE  // set by linking ricochet::long_double
extern template class ContactModes<long double>;
#endif

}  // namespace ricochet::complementarity
