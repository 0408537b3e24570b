// Derivatives of a system: everything the discrete principle asks of L, of the forces and of the gaps.
#pragma once

#include <Eigen/Core>

#include "ricochet/error.hpp"
#include "ricochet/mechanics/slip.hpp"
#include "ricochet/mechanics/system.hpp"
#include "ricochet/numerics/ball.hpp"
#include "ricochet/numerics/derivative.hpp"
#include "ricochet/numerics/factor.hpp"
#include "ricochet/numerics/taylor.hpp"

namespace ricochet::mechanics {

template <System S, class R>
class Mechanics {
 public:
  using Real = R;
  static constexpr int N = static_dimension<S>();
  static constexpr int Max = max_dimension<S>();
  using Vec = Eigen::Matrix<Real, N, 1, 0, Max, 1>;
  using Mat = Eigen::Matrix<Real, N, N, 0, Max, Max>;

  /// L and its first derivatives at (q,v,t), forces included.
  struct Point1 {
    Vec Lv;       ///< momentum ∂L/∂v
    Vec Q;        ///< ∂L/∂q + f
    Real energy;  ///< v·∂L/∂v − L
    Real supply;  ///< −∂L/∂t + f·v: the rate at which energy is fed in (errata F13)
  };
  /// Second derivatives, for Newton.
  struct Point2 {
    Mat Qq, Qv, Lvq, Lvv;
  };

  explicit Mechanics(S system) : system_(std::move(system)), n_(mechanics::dimension(system_)) {
    timed_ = mechanics::depends_on_time(system_);
    forced_ = mechanics::has_force(system_);
    if constexpr (Separable<S>) {
      const auto M = system_.mass();
      if constexpr (std::decay_t<decltype(M)>::ColsAtCompileTime == 1) {
        diagonal_ = true;
        m_ = M.template cast<Real>();
        if (!(m_.minCoeff() > 0)) throw Error(ErrorKind::invalid_model, "a mass is not positive");
      } else {
        M_ = M.template cast<Real>();
        diagonal_ = M_.isDiagonal(Real(0));
        if (diagonal_) m_ = M_.diagonal();
        if (!M_.isApprox(M_.transpose())) throw Error(ErrorKind::invalid_model, "the mass matrix is not symmetric");
        if (!factors_.compute(M_)) throw Error(ErrorKind::invalid_model, "the mass matrix is not positive definite");
      }
    }
  }

  const S& system() const { return system_; }
  int dimension() const { return n_; }
  int gaps() const { return gap_count(system_); }
  int constraints() const { return constraint_count(system_); }
  bool autonomous() const { return !timed_ && !forced_; }
  bool forced() const { return forced_; }
  bool timed() const { return timed_; }

  static std::span<Real> span(Vec& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
  static Point<Real> point(const Vec& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
  Vec zero() const { return Vec::Zero(n_); }

  // ---- separable systems: M constant -------------------------------------------------------------------------------

  void multiply_mass(const Vec& v, Vec& p) const
    requires Separable<S>
  {
    if (diagonal_)
      p = m_.cwiseProduct(v);
    else
      p.noalias() = M_ * v;
  }
  /// V, and its gradient into g.
  Real potential_gradient(const Vec& q, Real t, Vec& g) const
    requires Separable<S>
  {
    g.resize(n_);
    if constexpr (requires { system_.potential_gradient(point(q), t, span(g)); })
      return system_.potential_gradient(point(q), t, span(g));
    else
      return numerics::gradient<N, Real>([&]<class T>(Point<T> x) { return mechanics::potential(system_, x, T(t)); },
                                         point(q), span(g));
  }
  Real potential(const Vec& q, Real t) const
    requires Separable<S>
  {
    return mechanics::potential(system_, point(q), t);
  }

  /// ∂V/∂t.
  Real potential_rate(const Vec& q, Real t) const {
    if constexpr (TimedPotential<S>) {
      if (!timed_) return Real(0);
      using J = numerics::Jet<Real, 1>;
      numerics::Scratch<J, N> scratch(n_);
      const auto X = scratch.span();
      for (int k = 0; k < n_; ++k) X[static_cast<std::size_t>(k)] = J(q[k]);
      return system_.potential(Point<J>(X), J::variable(t, 0)).d[0];
    } else {
      return Real(0);
    }
  }

  // ---- any system --------------------------------------------------------------------------------------------------

  void evaluate(const Vec& q, const Vec& v, Real t, Point1& out) const {
    if constexpr (Separable<S>) {
      multiply_mass(v, out.Lv);
      const Real V = potential_gradient(q, t, out.Q);
      out.Q = -out.Q;
      out.energy = v.dot(out.Lv) / 2 + V;
      out.supply = potential_rate(q, t);
    } else {
      general(q, v, t, out, nullptr);
    }
    if (forced_) add_force(q, v, t, out);
  }

  void evaluate(const Vec& q, const Vec& v, Real t, Point1& out, Point2& second) const {
    if constexpr (Separable<S>) {
      multiply_mass(v, out.Lv);
      Vec& g = out.Q;
      g.resize(n_);
      second.Qq.resize(n_, n_);
      const Real V = potential_hessian(q, t, g, second.Qq);
      second.Qq = -second.Qq;
      out.Q = -out.Q;
      out.energy = v.dot(out.Lv) / 2 + V;
      out.supply = potential_rate(q, t);
      second.Qv.setZero(n_, n_);
      second.Lvq.setZero(n_, n_);
      if (diagonal_) {
        second.Lvv.setZero(n_, n_);
        second.Lvv.diagonal() = m_;
      } else {
        second.Lvv = M_;
      }
    } else {
      general(q, v, t, out, &second);
    }
    if (forced_) add_force(q, v, t, out, second);
  }

  /// Inverse Legendre transform: v with ∂L/∂v(q,v,t) = p.
  void velocity(const Vec& q, const Vec& p, Real t, Vec& v) const {
    if constexpr (Separable<S>) {
      solve_mass(p, v);
    } else {
      // Exact after one step for a kinetic energy quadratic in v; a few for other regular L. One that left where L is
      // defined (a speed of light), or got no nearer, is taken back by halves.
      v.setZero(n_);
      Point1 at;
      Point2 second;
      Vec dv = Vec::Zero(n_), residual(n_);
      constexpr Real never = std::numeric_limits<Real>::infinity();
      Real last = never, missed = never;
      for (int it = 0; it < 200; ++it) {
        general(q, v, t, at, &second);
        residual = p - at.Lv;
        const Real miss = residual.norm();
        if (it > 0 && !(miss <= 2 * missed) && last > Real(1e-3) * v.norm()) {
          dv /= 2;
          v -= dv;
          last /= 2;
          continue;
        }
        missed = miss;
        dv = solve_symmetric(second.Lvv, residual);
        v += dv;
        // At rounding level, or (an ill-conditioned mass) where it no longer shrinks there.
        const Real increment = dv.norm(), floor_level = std::numeric_limits<Real>::epsilon() * v.norm();
        if (!(increment > 4 * floor_level)) return;
        if (increment <= Real(1e6) * floor_level && increment >= last / 2) return;
        last = increment;
      }
      throw Error(ErrorKind::no_convergence, "the Legendre transform did not converge");
    }
  }
  /// ∂L/∂v.
  void momentum(const Vec& q, const Vec& v, Real t, Vec& p) const {
    if constexpr (Separable<S>) {
      multiply_mass(v, p);
    } else {
      Point1 at;
      general(q, v, t, at, nullptr);
      p = at.Lv;
    }
  }
  /// The part of H that comes with the motion: ½ p·v where the kinetic energy is quadratic, H(q,p) + L(q,0) for any L.
  Real kinetic(const Vec& q, const Vec& p, Real t) const {
    Vec own;
    Vec& v = kept<Vec>(own);
    v.resize(n_);
    velocity(q, p, t, v);
    if constexpr (ConstantMass<S> || MassOfConfiguration<S>) return v.dot(p) / 2;
    const Vec rest = Vec::Zero(n_);
    return v.dot(p) - mechanics::lagrangian(system_, point(q), point(v), t) +
           mechanics::lagrangian(system_, point(q), point(rest), t);
  }
  Real hamiltonian(const Vec& q, const Vec& p, Real t) const {
    Vec own;
    Vec& v = kept<Vec>(own);
    v.resize(n_);
    velocity(q, p, t, v);
    if constexpr (Separable<S>) {
      const Real twice = v.dot(p);
      return twice / 2 + potential(q, t);
    }
    return v.dot(p) - mechanics::lagrangian(system_, point(q), point(v), t);
  }
  /// Kinetic metric at (q,v): x = (∂²L/∂v²)⁻¹ y.
  void inverse_mass(const Vec& q, const Vec& v, Real t, const Vec& y, Vec& x) const {
    if constexpr (Separable<S>) {
      solve_mass(y, x);
    } else {
      Point1 at;
      Point2 second;
      general(q, v, t, at, &second);
      x = solve_symmetric(second.Lvv, y);
    }
  }
  /// Free acceleration: L_vv a = Q − L_vq v − L_vt.
  void acceleration(const Vec& q, const Vec& v, Real t, Vec& a) const {
    if constexpr (Separable<S>) {
      Point1 own;
      Point1& at = kept<Point1>(own);
      evaluate(q, v, t, at);
      solve_mass(at.Q, a);
    } else {
      Point1 at;
      Point2 second;
      Vec Lvt = zero();
      general(q, v, t, at, &second, &Lvt);
      if (forced_) add_force(q, v, t, at);
      a = solve_symmetric(second.Lvv, Vec(at.Q - second.Lvq * v - Lvt));
    }
  }

  // ---- gaps --------------------------------------------------------------------------------------------------------

  Real gap(int i, const Vec& q, Real t) const { return mechanics::row(system_, i, point(q), t); }
  /// φ_i, ∇φ_i.
  Real gap_gradient(int i, const Vec& q, Real t, Vec& g) const {
    g.resize(n_);
    if constexpr (requires { system_.tangent_gradient(i, i, point(q), t, span(g)); })
      if (i < 0) return system_.tangent_gradient(gap_of_slip(i), axis_of_slip(i), point(q), t, span(g));
    if constexpr (requires { system_.gap_gradient(i, point(q), t, span(g)); })
      return system_.gap_gradient(i, point(q), t, span(g));
    else
      return numerics::gradient<N, Real>([&]<class T>(Point<T> x) { return mechanics::row(system_, i, x, T(t)); },
                                         point(q), span(g));
  }
  /// φ_i of a curve given by any scalar type (balls, Taylor series, …).
  template <class T>
  T gap_of(int i, Point<T> q, const T& t) const {
    return mechanics::row(system_, i, q, t);
  }
  /// φ, dφ/dt and d²φ/dt² along q + vσ + aσ²/2 at time t + σ.
  numerics::Taylor<Real, 2> gap_along(int i, const Vec& q, const Vec& v, const Vec& a, Real t) const {
    using T = numerics::Taylor<Real, 2>;
    numerics::Scratch<T, N> scratch(n_);
    const auto X = scratch.span();
    for (int k = 0; k < n_; ++k) {
      T& x = X[static_cast<std::size_t>(k)];
      x[0] = q[k];
      x[1] = v[k];
      x[2] = a[k] / 2;
    }
    T time(t);
    time[1] = Real(1);
    T y = gap_of<T>(i, X, time);
    y[2] = 2 * y[2];
    return y;
  }

  Vec solve_symmetric(const Mat& A, const Vec& b) const {
    numerics::Cholesky<Mat> factors;
    if (!factors.compute(A)) throw Error(ErrorKind::invalid_model, "the mass matrix ∂²L/∂v² is not positive definite");
    Vec x = b;
    factors.solve(x);
    return x;
  }

 private:
  /// What a function computes with: its own where the dimension is bounded and it lies on the stack. Otherwise there is
  /// one for each thread, so that nothing is allocated; functions that use it do not call each other.
  template <class T>
  static T& kept(T& own) {
    if constexpr (Max == Eigen::Dynamic && Separable<S>) {
      thread_local T one;
      return one;
    } else {
      return own;
    }
  }

  void solve_mass(const Vec& p, Vec& v) const {
    if (diagonal_) {
      v = p.cwiseQuotient(m_);
    } else {
      v = p;
      factors_.solve(v);
    }
  }
  Real potential_hessian(const Vec& q, Real t, Vec& g, Mat& H) const {
    if constexpr (requires { system_.potential_hessian(point(q), t, span(g), H); })
      return system_.potential_hessian(point(q), t, span(g), H);
    else
      return numerics::hessian<N, Real>([&]<class T>(Point<T> x) { return mechanics::potential(system_, x, T(t)); },
                                        point(q), span(g), H);
  }
  /// General L: gradient, and with `second` the Hessian, in x = (q, v, t).
  void general(const Vec& q, const Vec& v, Real t, Point1& out, Point2* second, Vec* Lvt = nullptr) const {
    constexpr int X = N > 0 ? 2 * N + 1 : Eigen::Dynamic;
    constexpr int MaxX = Max > 0 ? 2 * Max + 1 : Eigen::Dynamic;
    const auto n = static_cast<std::size_t>(n_);
    Eigen::Matrix<Real, X, 1, 0, MaxX, 1> x(2 * n_ + 1), g(2 * n_ + 1);
    x << q, v, t;
    auto L = [&]<class T>(Point<T> z) {
      return mechanics::lagrangian(system_, z.subspan(0, n), z.subspan(n, n), z[2 * n]);
    };
    const Point<Real> at(x.data(), 2 * n + 1);
    const std::span<Real> grad(g.data(), 2 * n + 1);
    Real value;
    if (second == nullptr) {
      value = numerics::gradient<X, Real>(L, at, grad);
    } else {
      Eigen::Matrix<Real, X, X, 0, MaxX, MaxX> H(2 * n_ + 1, 2 * n_ + 1);
      value = numerics::hessian<X, Real>(L, at, grad, H);
      second->Qq = H.topLeftCorner(n_, n_);
      second->Qv = H.block(0, n_, n_, n_);
      second->Lvq = H.block(n_, 0, n_, n_);
      second->Lvv = H.block(n_, n_, n_, n_);
      if (Lvt != nullptr) *Lvt = H.block(n_, 2 * n_, n_, 1);
    }
    out.Q = g.head(n_);
    out.Lv = g.segment(n_, n_);
    out.energy = v.dot(out.Lv) - value;
    out.supply = timed_ ? -g[2 * n_] : Real(0);
  }

  void add_force(const Vec& q, const Vec& v, Real t, Point1& out) const {
    if constexpr (HasForce<S>) {
      Vec f = zero();
      system_.force(point(q), point(v), t, span(f));
      out.Q += f;
      out.supply += f.dot(v);
    }
  }
  void add_force(const Vec& q, const Vec& v, Real t, Point1& out, Point2& second) const {
    if constexpr (HasForce<S>) {
      add_force(q, v, t, out);
      constexpr int C = numerics::chunk_width<(N > 0 ? 2 * N : Eigen::Dynamic), 8>;
      using J = numerics::Jet<Real, C>;
      struct Buffers {
        std::vector<J> x, f;
      };
      thread_local Buffers buffers;
      const auto n = static_cast<std::size_t>(n_);
      buffers.x.resize(2 * n);
      buffers.f.resize(n);
      for (std::size_t c = 0; c < 2 * n; c += C) {
        for (std::size_t k = 0; k < n; ++k) {
          buffers.x[k] = J(q[static_cast<Eigen::Index>(k)]);
          buffers.x[n + k] = J(v[static_cast<Eigen::Index>(k)]);
          buffers.f[k] = J(0);
        }
        const std::size_t width = std::min<std::size_t>(C, 2 * n - c);
        for (std::size_t k = 0; k < width; ++k) buffers.x[c + k].d[k] = Real(1);
        const Point<J> x(buffers.x);
        system_.force(x.subspan(0, n), x.subspan(n, n), J(t), std::span<J>(buffers.f));
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < width; ++k) {
            const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(c + k);
            if (c + k < n)
              second.Qq(row, column) += buffers.f[i].d[k];
            else
              second.Qv(row, column - n_) += buffers.f[i].d[k];
          }
      }
    }
  }

  S system_;
  int n_;
  bool diagonal_ = false, timed_ = false, forced_ = false;
  Vec m_;
  Mat M_;
  numerics::Cholesky<Mat> factors_;  ///< of M, where it is not diagonal
};

}  // namespace ricochet::mechanics
