// Impacts with Coulomb friction: Newton, Poisson, Stronge. Like every law, they see W, v⁻, e and μ, never q.
#pragma once

#include <algorithm>
#include <vector>

#include "ricochet/complementarity/friction.hpp"
#include "ricochet/mechanics/law.hpp"
#include "ricochet/mechanics/law_restitution.hpp"
#include "ricochet/mechanics/law_routh.hpp"
#include "ricochet/mechanics/law_slip.hpp"

namespace ricochet::mechanics {

/// The contacts that act together. Each has `dimension` rates, one after the other: φ̇, then its slip (one rate in the
/// plane, two in space, measured in orthonormal directions, so that |slip| is a speed).
template <class Real>
struct FrictionContacts {
  int dimension = 2;
  typename Contacts<Real>::Matrix W;
  typename Contacts<Real>::Vector v, e, mu;

  int size() const { return static_cast<int>(e.size()); }
};

template <class Real, class DW, class DV>
FrictionContacts<Real> friction_contacts(int dimension, const Eigen::PlainObjectBase<DW>& W,
                                         const Eigen::PlainObjectBase<DV>& v, const Eigen::PlainObjectBase<DV>& e,
                                         const Eigen::PlainObjectBase<DV>& mu) {
  return {dimension,
          {W.data(), W.rows(), W.cols(), Eigen::OuterStride<>(W.outerStride())},
          {v.data(), v.size()},
          {e.data(), e.size()},
          {mu.data(), mu.size()}};
}

/// Painlevé's situation of one contact that slides in the direction `slip` (a unit vector): a normal force closes the
/// gap instead of opening it, W_NN < μ W_NT·s. Sliding contact then has no force, or several.
template <class Real, class Slip>
bool painleve(const FrictionContacts<Real>& A, int contact, const Slip& slip) {
  const int at = A.dimension * contact;
  Real stiffness = A.W(at, at);
  for (int a = 1; a < A.dimension; ++a) stiffness -= A.mu[contact] * A.W(at, at + a) * slip[a - 1];
  return stiffness < 0;
}

template <class Real>
struct FrictionOutcome {
  LawStatus status = LawStatus::solved;
  bool conservative = false;  ///< every e is exactly 1 and every μ exactly 0
  Real dissipated = 0;        ///< −½rᵀ(v⁺ + v⁻)
  Real restitution = 1;       ///< smallest e
  Real reduced = 1;   ///< factor on e that kept a multiple Poisson impact from gaining energy; 1: none was needed
  SlipEvents events;  ///< of a single contact
  complementarity::FrictionMethod method{};  ///< of several contacts
};

/// One contact: the process of the impact is followed in its normal impulse, exactly in the plane (Routh), by an
/// integrated slip in space. Several contacts have no such process; then
///   Newton:  0 ≤ r_N ⊥ φ̇⁺ + e φ̇⁻ ≥ 0, friction against the slip after the impact (can gain energy: errata B3;
///            with redundant contacts there may be no such impulse: `wedged`);
///   Poisson: compression to φ̇ = 0 with impulses Λ, then restitution with r_N ≥ eΛ_N, friction in both phases against
///   the
///            slip at their end; should the sum gain energy, e is reduced until it does not, and `reduced` says so;
///   Stronge: not defined, refused.
template <class Real>
class FrictionLaw {
 public:
  explicit FrictionLaw(Restitution kind) : kind_(kind) {}
  Restitution kind() const { return kind_; }

  /// Newton for one contact by its end conditions too, as for several: what a fixed grid uses (Moreau & Jean).
  FrictionLaw& by_end_conditions() {
    by_end_conditions_ = true;
    return *this;
  }

  [[nodiscard]] FrictionOutcome<Real> operator()(const FrictionContacts<Real>& A, Impulse<Real> r);
  template <class Lambda>
  [[nodiscard]] FrictionOutcome<Real> operator()(const FrictionContacts<Real>& A, Eigen::PlainObjectBase<Lambda>& r) {
    return (*this)(A, Impulse<Real>(r.data(), A.dimension * A.size()));
  }

  /// ½rᵀ(v⁺ + v⁻)
  template <class Lambda>
  static Real energy(const FrictionContacts<Real>& A, const Lambda& r) {
    Real sum = 0;
    for (int i = 0; i < A.dimension * A.size(); ++i) {
      Real after = A.v[i];
      for (int j = 0; j < A.dimension * A.size(); ++j) after += A.W(i, j) * r[j];
      sum += r[i] * (after + A.v[i]);
    }
    return sum / 2;
  }

 private:
  template <int D>
  struct Work {
    complementarity::FrictionSolver<Real, D> solver;
    complementarity::FrictionProblem<Real, D> problem;
    std::vector<complementarity::ContactVector<Real, D>> r, compression;
    Eigen::Matrix<Real, Eigen::Dynamic, 1> b;
  };

  template <int D>
  void solve(const FrictionContacts<Real>& A, Impulse<Real>& r, FrictionOutcome<Real>& outcome, Work<D>& work) {
    if (A.size() == 1 && !(by_end_conditions_ && kind_ == Restitution::newton)) {
      outcome.status = one<D>(A, r, outcome.events);
      return;
    }
    switch (kind_) {
      case Restitution::newton:
        outcome.status = newton<D>(A, r, outcome, work);
        break;
      case Restitution::poisson:
        outcome.status = poisson<D>(A, r, outcome, work);
        break;
      case Restitution::stronge:
        outcome.status = LawStatus::one_contact_only;
        break;
    }
  }

  template <int D>
  LawStatus one(const FrictionContacts<Real>& A, Impulse<Real>& r, SlipEvents& events) const {
    if (A.v[0] >= 0) return LawStatus::solved;
    if (!(A.W(0, 0) > 0)) return LawStatus::infeasible;
    std::conditional_t<D == 2, PlanarImpact<Real>, SpatialImpact<Real>> impact;
    const complementarity::ContactMatrix<Real, D> W = A.W.template topLeftCorner<D, D>();
    const complementarity::ContactVector<Real, D> v = A.v.template head<D>();
    complementarity::ContactVector<Real, D> impulse;
    const LawStatus status = impact.run(W, v, A.mu[0], A.e[0], kind_, impulse);
    complementarity::clip_to_friction_cone<Real, D>(impulse, A.mu[0]);
    r = impulse;
    events = impact.events;
    return status;
  }

  template <int D>
  static LawStatus solve_cones(Work<D>& work, FrictionOutcome<Real>& outcome) {
    const auto result = work.solver.solve(work.problem, work.r);
    outcome.method = std::max(outcome.method, result.method);
    if (result.status == complementarity::Status::solved) return LawStatus::solved;
    if (result.status == complementarity::Status::wedged) return LawStatus::wedged;
    return result.status == complementarity::Status::not_finite ? LawStatus::not_finite : LawStatus::no_convergence;
  }
  template <int D>
  static void read(const Work<D>& work, Impulse<Real>& r) {
    for (std::size_t i = 0; i < work.r.size(); ++i) r.template segment<D>(D * static_cast<Eigen::Index>(i)) = work.r[i];
  }

  template <int D>
  LawStatus newton(const FrictionContacts<Real>& A, Impulse<Real>& r, FrictionOutcome<Real>& outcome, Work<D>& work) {
    work.b = A.v;
    for (int i = 0; i < A.size(); ++i) work.b[D * i] *= 1 + A.e[i];
    work.problem.assign(A.size(), A.W, work.b, A.mu);
    work.r.assign(static_cast<std::size_t>(A.size()), complementarity::ContactVector<Real, D>::Zero());
    const LawStatus status = solve_cones<D>(work, outcome);
    read<D>(work, r);
    return status;
  }

  template <int D>
  LawStatus poisson(const FrictionContacts<Real>& A, Impulse<Real>& r, FrictionOutcome<Real>& outcome, Work<D>& work) {
    work.problem.assign(A.size(), A.W, A.v, A.mu);
    work.r.assign(static_cast<std::size_t>(A.size()), complementarity::ContactVector<Real, D>::Zero());
    if (const LawStatus status = solve_cones<D>(work, outcome); status != LawStatus::solved) return status;
    work.compression = work.r;
    read<D>(work, r);
    work.b = A.v + A.W * r;

    if (const LawStatus status = restore<D>(A, 1, r, outcome, work); status != LawStatus::solved) return status;
    if (energy(A, r) <= 0) return LawStatus::solved;
    // Friction that turned round between the phases has fed the restitution: give back less. With e = 0 nothing can be
    // gained, so there is a largest factor that does not; it is found from below.
    Real low = 0, high = 1;
    for (int n = 0; n < 60 && high - low > Real(1e-12); ++n) {
      const Real middle = (low + high) / 2;
      if (const LawStatus status = restore<D>(A, middle, r, outcome, work); status != LawStatus::solved) return status;
      (energy(A, r) <= 0 ? low : high) = middle;
    }
    outcome.reduced = low;
    return restore<D>(A, low, r, outcome, work);
  }

  /// Restitution from the velocity work.b: 0 ≤ r_N − factor·eΛ_N ⊥ φ̇⁺ ≥ 0. r becomes the impulse of both phases.
  template <int D>
  LawStatus restore(const FrictionContacts<Real>& A, Real factor, Impulse<Real>& r, FrictionOutcome<Real>& outcome,
                    Work<D>& work) {
    work.problem.assign(A.size(), A.W, work.b, A.mu);
    for (int i = 0; i < A.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      work.problem.set_minimum(i, factor * A.e[i] * work.compression[at][0]);
      work.r[at] = factor * A.e[i] * work.compression[at];
    }
    const LawStatus status = solve_cones<D>(work, outcome);
    for (std::size_t i = 0; i < work.r.size(); ++i) work.r[i] += work.compression[i];
    read<D>(work, r);
    return status;
  }

  Restitution kind_;
  bool by_end_conditions_ = false;
  Work<2> planar_;
  Work<3> spatial_;
};

template <class Real>
FrictionOutcome<Real> FrictionLaw<Real>::operator()(const FrictionContacts<Real>& A, Impulse<Real> r) {
  r.setZero();
  FrictionOutcome<Real> outcome;
  outcome.conservative = true;
  for (int i = 0; i < A.size(); ++i) {
    if (!(A.e[i] >= 0 && A.e[i] <= 1)) outcome.status = LawStatus::restitution_out_of_range;
    if (!(A.mu[i] >= 0)) outcome.status = LawStatus::not_finite;
    outcome.restitution = std::min(outcome.restitution, A.e[i]);
    outcome.conservative = outcome.conservative && A.e[i] == 1 && A.mu[i] == 0;
  }
  if (!A.v.allFinite() || !A.W.allFinite()) outcome.status = LawStatus::not_finite;
  if (outcome.status != LawStatus::solved) return outcome;
  if (A.dimension == 2)
    solve<2>(A, r, outcome, planar_);
  else
    solve<3>(A, r, outcome, spatial_);
  if (!outcome.conservative) outcome.dissipated = -energy(A, r);
  return outcome;
}

#ifdef RICOCHET_COMPILED_LAWS  // set by linking ricochet::mechanics, which has them (instances.cpp)
extern template class FrictionLaw<double>;
#endif
#ifdef RICOCHET_COMPILED_LONG_DOUBLE  // set by linking ricochet::long_double
extern template class FrictionLaw<long double>;
#endif

}  // namespace ricochet::mechanics
