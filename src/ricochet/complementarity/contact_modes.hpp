// The forces of rough contacts at rest in their gaps: every mode of every contact is tried, so that no solution, and
// several (Painlevé), are seen for what they are.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "ricochet/complementarity/friction_local.hpp"
#include "ricochet/numerics/least_norm.hpp"

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

enum class ModesFound {
  one,       ///< all solutions have the same accelerations
  several,   ///< their accelerations differ: the first is taken, but not one that slides where force closes the gap
  none,      ///< Painlevé's paradox: no force obeys Coulomb's law
  too_many,  ///< more modes than can be tried, or several spatial contacts
};

/// Coulomb's law on accelerations: a + Wf = (φ̈, ψ̈). The first `bilateral` rows always have zero acceleration, with
/// any force. `tolerance` is what rounding makes of zero in each row.
template <class Real>
class ContactModes {
 public:
  using Contact = ModeContact<Real>;
  static constexpr int most = 4096;

  numerics::Symmetric<Real> W;
  std::vector<Real> acceleration, tolerance;
  int bilateral = 0;
  std::vector<Contact> contacts;

  /// Forces and accelerations of the solution, one per row.
  std::vector<Real> force, after;

  ModesFound solve() {
    int rough = 0, spatial = 0;
    long long count = 1;
    for (const Contact& c : contacts) {
      rough += c.tangents > 0;
      spatial += c.tangents > 1;
      count = std::min<long long>(count * choices(c), most + 1);
    }
    if (count > most || (spatial > 0 && rough > 1)) return ModesFound::too_many;
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

  /// Coupling and free accelerations of a spatial contact, once the rows that are kept beside it (constraints, smooth
  /// gaps that stay closed) are eliminated.
  void reduce(const Contact& c, ContactMatrix<Real, 3>& reduced, ContactVector<Real, 3>& free) {
    rows_.clear();
    for (int i = 0; i < bilateral; ++i) rows_.push_back(i);
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

  bool solve_modes() {
    Contact* turning = nullptr;  // the one spatial contact that begins to slide: its direction is unknown
    for (Contact& c : contacts)
      if (c.mode == ContactMode::slide && c.tangents == 2 && !c.slips) turning = &c;
    if (turning != nullptr && !find_direction(*turning)) return false;
    forces();
    return obeyed();
  }

  /// Forces of the modes set now, in `force`, and the accelerations `after` them.
  void forces() {
    rows_.clear();
    columns_.clear();
    for (int i = 0; i < bilateral; ++i) add(i, nullptr);
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
    G_.solve(x_);
    force.assign(at(m), Real(0));
    for (int j = 0; j < k; ++j) {
      force[at(rows_[at(j)])] += x_[at(j)];
      if (const Contact* c = columns_[at(j)])
        for (int a = 0; a < c->tangents; ++a) force[at(c->normal + 1 + a)] -= c->mu * c->slip[at(a)] * x_[at(j)];
    }
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
    for (int i = bilateral; i < W.size(); ++i)
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
  std::vector<Real> x_, size_, kept_after_;
  int kept_ = 0;
};

}  // namespace ricochet::complementarity
