// The interpolated closure: a shadow of any rule and any Lagrangian, from ghost nodes of the rule itself.
#pragma once

#include <optional>

#include "ricochet/closure/interpolated_orbit.hpp"
#include "ricochet/numerics/digits.hpp"
#include "ricochet/numerics/factor.hpp"

namespace ricochet::closure {

/// The orbits of a rule with step h lie, up to an exponentially small remainder, on curves of its shadow Lagrangian. So
/// a polynomial through the nodes of one orbit, at ±h/2, ±3h/2, …, is such a curve to O(h^order), and the summed L_d
/// between the nodes its action. With the even Lagrange basis e_k(σ), σ = s/2h, on τ_k = k − ½ (docs/shadow.md):
///
///   X = Σ e_k (P_k+R_k)/2,  W = Σ e_k (P_k−R_k)/(2hτ_k),  B = Σ e_k D_k/(2hτ_k),
///   q0,q1 = X ∓ sW/2,  L_s = sB: a discrete Lagrangian over any length s, equal to L_d at s = h.
///
/// Its slots, from f and p̄ with X_zᵀf + W_zᵀp̄ = B_z:  p0,p1 = p̄ ∓ sf/2,  −D3 L_s = s f·X_s + p̄·(sW)_s − (sB)_s.
/// Any rule, any regular L; no forces, no explicit time. Ghost nodes reach (order−1)h/2 beyond the piece, so L must be
/// defined that far outside C.
struct Interpolated {
  int order = 6;

  Interpolated() = default;
  explicit Interpolated(int n) : order(n) {
    if (n != 4 && n != 6 && n != 8 && n != 10)
      throw Error(ErrorKind::invalid_model,
                  "the closure interpolated has order 4, 6, 8 or 10, not " + std::to_string(n));
  }
  static constexpr bool balances() { return true; }
  static constexpr const char* name() { return "interpolated"; }

  /// Why a body cannot be flown by this closure; empty if it can.
  template <class Body>
  static std::string refuse(const Body& body) {
    if constexpr (!interpolable<Body>) {
      (void)body;
      return "the closure interpolated needs a body in generalized coordinates";
    } else {
      if (!body.mechanics().autonomous())
        return "the closure interpolated needs a system without forces and without explicit time";
      return {};
    }
  }

  template <class Body>
  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Work& work) const {
    return piece(body, from, step, out, nullptr, work);
  }
  /// The same with an enclosure of the curve; a whole step is the rule's own, at its own cost.
  template <class Body>
  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Trace& trace, typename Body::Work& work) const {
    if (step.s != step.h) return piece(body, from, step, out, &trace, work);
    const auto interval = body.fly(from, step, out, trace, work);
    if (trace.exact) {
      // The closure's curve leaves the rule's parabola by O(h²) for a rule of order one, O(h³) for others: within its
      // bulge, as for implicit rules.
      trace.exact = false;
      trace.bound(out.q);
    }
    trace.radius *= typename Body::Real(1.5);
    if constexpr (interpolable<Body>)
      if (body.rule().order() < 2) {
        // A rule of order one bends by another part of the acceleration, rectangle-right not at all: its bulge says
        // nothing of the closure's, which is h/8 |v1 − v0|; twice that.
        typename Body::Vec v(out.q.size());
        body.mechanics().velocity(out.q, out.p, out.t, v);
        trace.radius += (step.h / 4) * (v - trace.c1).cwiseAbs();
      }
    return interval;
  }
  /// The coarse trace of a flight made sharp. Along a whole step the ghost nodes start where the step does, so that
  /// nothing has to be solved for them. The polynomial through them is the curve to O(h^order) only: one point of the
  /// curve itself, where no symmetry hides the difference, says how far it is.
  template <class Body>
  void refine_trace(const Body& body, const typename Body::Node& from, typename Body::Step step,
                    const typename Body::Node& end, typename Body::Trace& trace, typename Body::Work& work) const {
    using Real = typename Body::Real;
    auto flown = [&](Real s, typename Body::Node& x) { fly(body, from, {s, step.h}, x, work); };
    if constexpr (interpolable<Body>) {
      if (step.s == step.h) {
        Solver<Body>(body, from, step, order / 2, work).enclose_step(trace, end);
        const Real s = step.h / 3;
        flown(s, work.sample);
        trace.middle(s, work.scratch);
        trace.radius += 4 * (work.sample.q - work.scratch).cwiseAbs();
        return;
      }
    }
    body.refine_trace(trace, end, flown, work);
  }
  template <class Body>
  auto gap_along(const Body& body, int i, const typename Body::Node& from, typename Body::Step step,
                 const typename Body::Trace&, typename Body::Work& work) const {
    if (step.s == step.h)
      body.fly(from, step, work.sample, work);  // a whole step is the rule's own
    else
      fly(body, from, step, work.sample, work);
    return body.gap(i, work.sample);
  }

 private:
  template <class Body>
  static constexpr bool interpolable = requires(const Body& body, typename Body::Work& work) {
    body.mechanics().autonomous();
    body.rule().stages();
    work.flight;
  };

  /// e_k(σ) and their derivatives with respect to s = 2hσ.
  template <class Real>
  struct Basis {
    std::array<Real, 5> e{}, slope{}, span{};  ///< span_k = 2hτ_k
    Basis(int pairs, Real s, Real h) {
      const Real sigma = s / (2 * h);
      for (int k = 0; k < pairs; ++k) {
        const Real tau = Real(k) + Real(0.5);
        Real value = 1, sum = 0;
        for (int j = 0; j < pairs; ++j) {
          if (j == k) continue;
          const Real other = Real(j) + Real(0.5), scale = (tau - other) * (tau + other);
          // (value·factor)' = value'·factor + value·factor'
          const Real factor = (sigma - other) * (sigma + other) / scale;
          sum = sum * factor + value * (2 * sigma / scale);
          value *= factor;
        }
        const auto at = static_cast<std::size_t>(k);
        e[at] = value;
        slope[at] = sum / (2 * h);
        span[at] = 2 * h * tau;
      }
    }
  };

  template <class Body>
  auto piece(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
             typename Body::Trace* trace, typename Body::Work& work) const {
    typename Body::Interval interval;
    if constexpr (!interpolable<Body>) {
      throw Error(ErrorKind::invalid_model, refuse(body));
    } else {
      if (!body.mechanics().autonomous()) throw Error(ErrorKind::invalid_model, refuse(body));
      Solver<Body> solver(body, from, step, order / 2, work);
      solver.solve(name());
      interval.energy = interval.start = interval.end = solver.energy();
      if (trace != nullptr) solver.enclose(*trace);
      if (step.s == step.h) {  // the rule's own step, bit for bit; with the shadow's energy, which impacts balance
        body.fly(from, step, out, work);
        return interval;
      }
      if (&out != &from) out = from;
      out.move(solver.dq(), solver.dp());
      out.t += step.s;
    }
    return interval;
  }

  template <class Body>
  class Solver {
   public:
    using Real = typename Body::Real;
    using Vec = typename Body::Vec;
    using Mechanics = typename Body::Mechanics;
    using Ghosts = Orbit<Mechanics>;
    static constexpr int N2 = Ghosts::N2, Max2 = Ghosts::Max2;
    using Vec2 = Eigen::Matrix<Real, N2, 1, 0, Max2, 1>;
    using Mat2 = Eigen::Matrix<Real, N2, N2, 0, Max2, Max2>;

    Solver(const Body& body, const typename Body::Node& from, typename Body::Step step, int pairs,
           typename Body::Work& work)
        : body_(body), from_(from), s_(step.s), h_(step.h), pairs_(pairs), work_(work), basis_(pairs, s_, h_) {
      if (!body.rule().symmetric()) backward_ = adjoint(body.rule());
    }

    /// (q0,p0) = from for z = (q,p) at −h/2, by Newton with the derivative of the interpolated (q,p), which differs
    /// from that of (X − sW/2, p̄ − sf/2) by O(h^order) only.
    void solve(const char* name) {
      const auto n = from_.q.size();
      const Real eps = std::numeric_limits<Real>::epsilon();
      Real last = std::numeric_limits<Real>::infinity();
      // z as an increment from `from`, at first by one flight of the rule back over (h−s)/2.
      discrete::fly(body_.mechanics(), body_.rule(), from_.q, from_.p, from_.t, (s_ - h_) / 2, xi_, pi_, work_.flight);
      for (int it = 0; it < 60; ++it) {
        evaluate();
        r_.resize(2 * n);
        r_.head(n) = xi_ + X_ - (s_ / 2) * W_;
        r_.tail(n) = pi_ + (p_bar_ - (s_ / 2) * f_);
        lu_.compute(J_);
        const Vec2 step = lu_(r_);
        const Real moved = size(step.head(n), step.tail(n));
        if (!std::isfinite(moved)) break;
        if (moved <= 2 * eps || (moved <= 4096 * eps && moved >= last / 2)) return;
        xi_ -= step.head(n);
        pi_ -= step.tail(n);
        last = moved;
      }
      throw Error(ErrorKind::no_convergence,
                  std::string("the ") + name + " flight of length " + numerics::six_digits(static_cast<double>(s_)) +
                      " was not solved; a smaller step may help",
                  body_.state(from_));
    }

    Vec dq() const { return s_ * W_; }
    Vec dp() const { return s_ * f_; }
    Real energy() const { return s_ * f_.dot(X_s_) + (p_base_ + p_bar_).dot(W_ + s_ * W_s_) - (B_ + s_ * B_s_); }

    /// The polynomial through the ghost nodes is the curve to O(h^order): the cubic through four of its points, with a
    /// remainder measured at two more and quadrupled, as for implicit rules.
    template <class Trace>
    void enclose(Trace& trace) {
      trace.t = from_.t;
      trace.length = s_;
      trace.c0 = from_.q;
      trace.c1 = W_;
      trace.exact = false;
      typename Body::Node end = from_;
      end.q += s_ * W_;
      follow_ghosts(trace, end);
    }
    /// The same for a whole step, which begins at z: only the ghost nodes have to be flown.
    template <class Trace>
    void enclose_step(Trace& trace, const typename Body::Node& end) {
      orbit_.fly(body_.mechanics(), body_.rule(), backward_ ? *backward_ : body_.rule(), from_.q, from_.p, from_.t, h_,
                 pairs_, false, work_.flight);
      follow_ghosts(trace, end);
    }

   private:
    template <class Trace>
    void follow_ghosts(Trace& trace, const typename Body::Node& end) {
      const Vec start = curve(-s_ / 2);
      body_.refine_trace(
          trace, end, [&](Real s, typename Body::Node& x) { x.q = from_.q + (curve(s - s_ / 2) - start); }, work_);
    }
    /// X, W, B, their derivatives and multipliers at z, all as increments from z's own (q,p).
    void evaluate() {
      const auto n = from_.q.size();
      q_base_ = from_.q + xi_;
      p_base_ = from_.p + pi_;
      orbit_.fly(body_.mechanics(), body_.rule(), backward_ ? *backward_ : body_.rule(), q_base_, p_base_, from_.t, h_,
                 pairs_, true, work_.flight);
      X_.setZero(n), W_.setZero(n), X_s_.setZero(n), W_s_.setZero(n);
      Xz_.setZero(n, 2 * n), Wz_.setZero(n, 2 * n), Yz_.setZero(n, 2 * n), Vz_.setZero(n, 2 * n);
      B_z_.setZero(2 * n);
      B_ = B_s_ = 0;
      for (int k = 0; k < pairs_; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto &P = orbit_.right(k), &R = orbit_.left(k);
        const Real e = basis_.e[at], slope = basis_.slope[at], span = basis_.span[at];
        X_ += (e / 2) * (P.dq + R.dq);
        X_s_ += (slope / 2) * (P.dq + R.dq);
        W_ += (e / span) * (P.dq - R.dq);
        W_s_ += (slope / span) * (P.dq - R.dq);
        B_ += (e / span) * (P.action - R.action);
        B_s_ += (slope / span) * (P.action - R.action);
        Xz_ += (e / 2) * (P.Tq + R.Tq);
        Wz_ += (e / span) * (P.Tq - R.Tq);
        Yz_ += (e / 2) * (P.Tp + R.Tp);
        Vz_ += (e / span) * (P.Tp - R.Tp);
        // ∂D_k/∂z = P_zᵀp(P) − R_zᵀp(R): inner nodes satisfy the DEL. Less (W_z)ᵀ p_base, which shifts p̄ alone; the
        // unit block of P_z = R_z = (I 0) + … meets p(P) − p(R).
        gain_ = P.dp - R.dp;
        B_z_ += (e / span) * (P.Tq.transpose() * P.dp - R.Tq.transpose() * R.dp);
        B_z_.head(n) += (e / span) * gain_;
      }
      Xz_.leftCols(n).diagonal().array() += Real(1);
      Yz_.rightCols(n).diagonal().array() += Real(1);
      // X_zᵀf + W_zᵀp̄ = B_z, p̄ as an increment from p of the base.
      K_.resize(2 * n, 2 * n);
      K_.leftCols(n) = Xz_.transpose();
      K_.rightCols(n) = Wz_.transpose();
      lu_.compute(K_);
      const Vec2 multipliers = lu_(B_z_);
      f_ = multipliers.head(n);
      p_bar_ = multipliers.tail(n);
      J_.resize(2 * n, 2 * n);
      J_.topRows(n) = Xz_ - (s_ / 2) * Wz_;
      J_.bottomRows(n) = Yz_ - (s_ / 2) * Vz_;
    }
    /// Increment of the curve at time τ from the middle of the piece.
    Vec curve(Real tau) const {
      const Basis<Real> basis(pairs_, 2 * tau, h_);
      Vec x = Vec::Zero(from_.q.size());
      for (int k = 0; k < pairs_; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto &P = orbit_.right(k), &R = orbit_.left(k);
        x += (basis.e[at] / 2) * (P.dq + R.dq) + (tau * basis.e[at] / basis.span[at]) * (P.dq - R.dq);
      }
      return x;
    }
    /// A change of z relative to the length of a step and to the momenta along it.
    template <class A, class C>
    Real size(const A& dq, const C& dp) const {
      // At rest in a held contact the near ghosts do not move at all; the outermost one always does.
      const auto &P = orbit_.right(0), &far = orbit_.right(pairs_ - 1);
      const Real length = std::max(P.dq.norm(), far.dq.norm() / 1024), momentum = p_base_.norm() + P.dp.norm();
      const Real tiny = std::numeric_limits<Real>::min();
      return dq.norm() / (length + tiny) + dp.norm() / (momentum + tiny);
    }

    const Body& body_;
    const typename Body::Node& from_;
    Real s_, h_;
    int pairs_;
    typename Body::Work& work_;
    Basis<Real> basis_;
    Ghosts orbit_;
    std::optional<discrete::Rule<Real>> backward_;  ///< the adjoint, where it is not the rule itself
    Vec xi_, pi_, q_base_, p_base_, X_, W_, X_s_, W_s_, f_, p_bar_, gain_;
    Real B_{}, B_s_{};
    typename Ghosts::Tangent Xz_, Wz_, Yz_, Vz_;
    Vec2 B_z_, r_;
    Mat2 K_, J_;
    numerics::Lu<Mat2> lu_;
  };
};

}  // namespace ricochet::closure
