// Impact laws: (W, v⁻, e) of the gaps that act together → impulse λ ≥ 0 and dissipated energy. A law never sees q.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ricochet/mechanics/cone.hpp"

namespace ricochet::mechanics {

enum class LawKind {
  elastic,     ///< canonical with e = 1
  newton,      ///< φ̇⁺ ≥ −e φ̇⁻, complementary to λ, e per gap
  poisson,     ///< compression, then at least e times its impulse back, e per gap
  canonical,   ///< Ballard 2001 (4.8), with the smallest e of A
  sequential,  ///< pairs in a stated order until all separate, e per gap
  stronge,     ///< e² of the work of compression back: Newton's law without friction, for one contact only
  user,
};

enum class SequentialOrder { gap_index, most_approaching };

enum class LawStatus {
  solved,
  infeasible,
  no_convergence,
  not_finite,
  restitution_out_of_range,
  unbounded_sequence,
  one_contact_only,
  wedged,
};

constexpr std::string_view sentence(LawStatus status) {
  switch (status) {
    case LawStatus::infeasible:
      return sentence(complementarity::Status::infeasible);
    case LawStatus::no_convergence:
      return sentence(complementarity::Status::no_convergence);
    case LawStatus::not_finite:
      return sentence(complementarity::Status::not_finite);
    case LawStatus::restitution_out_of_range:
      return "the restitution of an impact must lie in [0, 1]";
    case LawStatus::unbounded_sequence:
      return "the sequence of pairwise impacts did not end within its bound";
    case LawStatus::wedged:
      return sentence(complementarity::Status::wedged);
    case LawStatus::one_contact_only:
      return "Stronge's law follows the work of one contact; it is not defined for several at once: choose newton or "
             "poisson";
    case LawStatus::solved:
      break;
  }
  return "solved";
}

/// Why a restitution is refused; empty when it is accepted.
inline std::string refuse_restitution(double e) {
  if (e >= 0 && e <= 1) return {};
  char value[32];
  std::snprintf(value, sizeof value, "%.15g", e);
  if (e > 1)
    return std::string("restitution ") + value +
           " is above 1: an impact that gains energy has no unique motion (Ballard 2001, counter-example 4)";
  if (e < 0)
    return std::string("restitution ") + value + " is negative: the gap would still be closing after the impact";
  return "restitution is not a number";
}

template <class Real>
struct Outcome {
  LawStatus status = LawStatus::solved;
  bool conservative = false;  ///< every e of A is exactly 1; never judged by the sign of `dissipated`
  Real dissipated = 0;        ///< D = −½λᵀ(φ̇⁺ + φ̇⁻); exactly zero if conservative
  Real restitution = 1;       ///< the smallest e of A; the canonical law uses this one for all
  int pairs = 0;              ///< pairwise impacts of the sequential law
  bool cut = false;           ///< more of them than its bound: one plastic impact stands for the rest
};

template <class Real>
using Impulse = Eigen::Map<VectorX<Real>>;

/// A law of the user: fills λ (zeroed before) and returns the outcome; the checker judges it like any other.
template <class Real>
using UserLaw = std::function<Outcome<Real>(const Contacts<Real>&, Impulse<Real> lambda)>;

template <class Real>
class Law {
 public:
  static Law elastic() { return Law(LawKind::elastic); }
  static Law newton() { return Law(LawKind::newton); }
  static Law poisson() { return Law(LawKind::poisson); }
  static Law canonical() { return Law(LawKind::canonical); }
  static Law stronge() { return Law(LawKind::stronge); }
  /// `pairs_per_gap` bounds the sequence: chains of k contacts need about k² pairs, e < 1 some hundred times more, and
  /// more again the more unequal the masses.
  static Law sequential(SequentialOrder order = SequentialOrder::gap_index, int pairs_per_gap = 10000) {
    Law law(LawKind::sequential);
    law.order_ = order;
    law.pairs_per_gap_ = pairs_per_gap;
    return law;
  }
  static Law user(std::string name, UserLaw<Real> f) {
    Law law(LawKind::user);
    law.name_ = std::move(name);
    law.user_ = std::move(f);
    return law;
  }
  static std::optional<Law> named(std::string_view name) {
    for (const LawKind kind : {LawKind::elastic, LawKind::newton, LawKind::poisson, LawKind::canonical,
                               LawKind::sequential, LawKind::stronge})
      if (kind_name(kind) == name) return Law(kind);
    return std::nullopt;
  }

  LawKind kind() const { return kind_; }
  std::string_view name() const { return kind_ == LawKind::user ? std::string_view(name_) : kind_name(kind_); }
  bool uses_restitution() const { return kind_ != LawKind::elastic && kind_ != LawKind::user; }

  /// λ must have room for A.size() numbers.
  [[nodiscard]] Outcome<Real> operator()(const Contacts<Real>& A, Impulse<Real> lambda) const;
  template <class Lambda>
  [[nodiscard]] Outcome<Real> operator()(const Contacts<Real>& A, Eigen::PlainObjectBase<Lambda>& lambda) const {
    return (*this)(A, Impulse<Real>(lambda.data(), A.size()));
  }

 private:
  explicit Law(LawKind kind) : kind_(kind) {}

  static constexpr std::string_view kind_name(LawKind kind) {
    constexpr std::array<std::string_view, 7> names{"elastic",    "newton",  "poisson", "canonical",
                                                    "sequential", "stronge", "user"};
    return names[static_cast<std::size_t>(kind)];
  }

  template <class V>
  static LawStatus project(const Contacts<Real>& A, const V& v, Impulse<Real>& lambda) {
    switch (complementarity::project_on_cone(A.size(), A.W, v, lambda)) {
      case complementarity::Status::solved:
        return LawStatus::solved;
      case complementarity::Status::infeasible:
        return LawStatus::infeasible;
      case complementarity::Status::not_finite:
        return LawStatus::not_finite;
      default:
        return LawStatus::no_convergence;
    }
  }

  LawStatus solve(const Contacts<Real>& A, Impulse<Real>& lambda, Outcome<Real>& outcome) const {
    switch (kind_) {
      case LawKind::elastic:
      case LawKind::canonical:
        return scaled_projection(A, lambda, outcome.restitution);
      case LawKind::newton:
        return complementary_newton(A, lambda);
      case LawKind::poisson:
        return two_phases(A, lambda);
      case LawKind::stronge:
        return A.size() == 1 ? complementary_newton(A, lambda) : LawStatus::one_contact_only;
      default:
        return pairwise(A, lambda, outcome);
    }
  }

  /// v⁺ = Proj[v⁻;V] − e Proj[v⁻;N] (Ballard 2001 (4.8); errata B1): the inelastic impulse times 1 + e.
  static LawStatus scaled_projection(const Contacts<Real>& A, Impulse<Real>& lambda, Real e) {
    const LawStatus status = project(A, A.v, lambda);
    lambda *= 1 + e;
    return status;
  }

  /// 0 ≤ λ ⊥ φ̇⁺ + e φ̇⁻ ≥ 0. For v⁻ ∈ −V the change of energy is ½Σ λ_i (1 − e_i) φ̇⁻_i ≤ 0, also for unequal e.
  static LawStatus complementary_newton(const Contacts<Real>& A, Impulse<Real>& lambda) {
    return complementarity::with_storage(A.size(), [&](auto max) {
      complementarity::Array<Real, max()> v(A.size());
      for (int i = 0; i < A.size(); ++i) v[i] = (1 + A.e[i]) * A.v[i];
      return project(A, v, lambda);
    });
  }

  /// Compression to λ_c with 0 ≤ λ_c ⊥ Wλ_c + v⁻ ≥ 0, then λ = λ_c + eλ_c + ν, 0 ≤ ν ⊥ φ̇⁺ ≥ 0. Never gains energy:
  /// ν minimises the kinetic energy, so it beats ν_i = (e_max − e_i) λ_c,i, which leaves e_max² of the compression
  /// work.
  static LawStatus two_phases(const Contacts<Real>& A, Impulse<Real>& lambda) {
    if (const LawStatus status = project(A, A.v, lambda); status != LawStatus::solved) return status;
    if (A.size() == 1) {
      lambda[0] *= 1 + A.e[0];
      return LawStatus::solved;
    }
    return complementarity::with_storage(A.size(), [&](auto max) {
      complementarity::Array<Real, max()> returned(A.size()), v(A.size());
      for (int i = 0; i < A.size(); ++i) returned[i] = (1 + A.e[i]) * lambda[i];
      const Real rounding = 64 * Real(A.size()) * std::numeric_limits<Real>::epsilon();
      for (int i = 0; i < A.size(); ++i) {
        v[i] = rate_after(A, returned, i);
        if (std::abs(v[i]) <= rounding * rate_size(A, returned, i)) v[i] = 0;  // no impulse ν out of rounding
      }
      const LawStatus status = project(A, v, lambda);
      for (int i = 0; i < A.size(); ++i) lambda[i] += returned[i];
      return status;
    });
  }

  /// One pair after the other (errata F9): each impact reflects its own gap rate and changes the others through W.
  ///
  /// With e < 1 this may be a Gauss-Seidel iteration that never ends: gaps strike each other again and again while
  /// their rates fall geometrically, to zero. Every impact moves the velocity along the normals of those gaps, so the
  /// limit is its projection, whichever pairs came before: once the rates left are rounding, or the bound is reached,
  /// one plastic impact takes out all that still closes.
  LawStatus pairwise(const Contacts<Real>& A, Impulse<Real>& lambda, Outcome<Real>& outcome) const {
    const int k = A.size();
    for (int i = 0; i < k; ++i) {
      if (!std::isfinite(A.v[i])) return LawStatus::not_finite;
      if (!(A.W(i, i) > 0) && A.v[i] < 0) return LawStatus::infeasible;
    }
    const long long bound = static_cast<long long>(pairs_per_gap_) * k;
    return complementarity::with_storage(k, [&](auto max) {
      complementarity::Array<Real, max()> v(k), size(k);
      for (int i = 0; i < k; ++i) size[i] = std::abs(v[i] = A.v[i]);
      if (!outcome.conservative) kinetic_sizes(A, size);
      int next = 0;
      for (long long n = 0; n <= bound; ++n) {
        const int i =
            order_ == SequentialOrder::gap_index ? next_approaching(A, v, size, next) : most_approaching(A, v, size);
        outcome.pairs = static_cast<int>(n);
        if (i < 0) {
          if (!outcome.conservative && n > 0) close_plastically(A, lambda, v);
          return LawStatus::solved;
        }
        const Real impulse = -(1 + A.e[i]) * v[i] / A.W(i, i);
        lambda[i] += impulse;
        for (int j = 0; j < k; ++j) {
          v[j] += A.W(j, i) * impulse;
          // Rates that do not fall carry the rounding of all that was added to them; those that do, of what they are.
          if (outcome.conservative) size[j] += std::abs(A.W(j, i) * impulse);
        }
        next = i + 1;
      }
      outcome.cut = !outcome.conservative && close_plastically(A, lambda, v);
      return outcome.cut ? LawStatus::solved : LawStatus::unbounded_sequence;
    });
  }

  /// What rounding is relative to for each gap: the fastest approach of all, in the kinetic metric.
  template <class Rates>
  static void kinetic_sizes(const Contacts<Real>& A, Rates& size) {
    Real speed = 0;
    for (int i = 0; i < A.size(); ++i)
      if (A.W(i, i) > 0) speed = std::max(speed, size[i] / std::sqrt(A.W(i, i)));
    for (int i = 0; i < A.size(); ++i) size[i] = std::sqrt(A.W(i, i)) * speed;
  }

  /// Adds the least impulse after which no gap closes; `v` is overwritten.
  template <class Rates>
  static bool close_plastically(const Contacts<Real>& A, Impulse<Real>& lambda, Rates& v) {
    for (int i = 0; i < A.size(); ++i) v[i] = rate_after(A, lambda, i);
    return complementarity::with_storage(A.size(), [&](auto max) {
      complementarity::Array<Real, max()> more(A.size());
      if (complementarity::project_on_cone(A.size(), A.W, v, more) != complementarity::Status::solved) return false;
      for (int i = 0; i < A.size(); ++i) lambda[i] += more[i];
      return true;
    });
  }

  template <class Rates>
  static bool approaches(const Contacts<Real>& A, const Rates& v, const Rates& size, int i) {
    return v[i] < -4 * std::numeric_limits<Real>::epsilon() * Real(A.size()) * size[i];
  }
  /// Round after round in the order of the gaps.
  template <class Rates>
  static int next_approaching(const Contacts<Real>& A, const Rates& v, const Rates& size, int from) {
    for (int n = 0; n < A.size(); ++n)
      if (const int i = (from + n) % A.size(); approaches(A, v, size, i)) return i;
    return -1;
  }
  /// The largest approach speed in the kinetic metric, φ̇_i / √W_ii; ties go to the lower index.
  template <class Rates>
  static int most_approaching(const Contacts<Real>& A, const Rates& v, const Rates& size) {
    int best = -1;
    Real speed = 0;
    for (int i = 0; i < A.size(); ++i) {
      if (!approaches(A, v, size, i)) continue;
      const Real at = -v[i] / std::sqrt(A.W(i, i));
      // a tie up to rounding must not depend on rounding
      if (best < 0 || at > speed * (1 + 64 * std::numeric_limits<Real>::epsilon())) {
        best = i;
        speed = at;
      }
    }
    return best;
  }

  LawKind kind_;
  SequentialOrder order_ = SequentialOrder::gap_index;
  int pairs_per_gap_ = 10000;
  std::string name_;
  UserLaw<Real> user_;
};

template <class Real>
Outcome<Real> Law<Real>::operator()(const Contacts<Real>& A, Impulse<Real> lambda) const {
  lambda.setZero();
  Outcome<Real> outcome;
  if (kind_ == LawKind::user) return user_(A, lambda);
  outcome.conservative = true;
  if (uses_restitution()) {
    for (int i = 0; i < A.size(); ++i) {
      if (!(A.e[i] >= 0 && A.e[i] <= 1)) {
        outcome.status = LawStatus::restitution_out_of_range;
        return outcome;
      }
      outcome.restitution = std::min(outcome.restitution, A.e[i]);
    }
    outcome.conservative = outcome.restitution == 1;
  }
  outcome.status = solve(A, lambda, outcome);
  if (!outcome.conservative && outcome.status == LawStatus::solved) outcome.dissipated = -energy_change(A, lambda);
  return outcome;
}

#ifdef RICOCHET_COMPILED_LAWS  // set by linking ricochet::mechanics, which has them (instances.cpp)
extern template class Law<double>;
#endif
#ifdef RICOCHET_COMPILED_LONG_DOUBLE  // set by linking ricochet::long_double
extern template class Law<long double>;
#endif

}  // namespace ricochet::mechanics
