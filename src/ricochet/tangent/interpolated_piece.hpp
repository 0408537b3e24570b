// The tangent of a piece flown by the interpolated closure: ghost orbits in nested jets.
#pragma once

#include "ricochet/closure/interpolated.hpp"
#include "ricochet/numerics/factor.hpp"
#include "ricochet/tangent/derivative.hpp"
#include "ricochet/tangent/small_solve.hpp"
#include "ricochet/tangent/stage.hpp"

namespace ricochet::tangent {

/// One interval of a rule in any scalar built on Real, from the solution `u0` of its values: with the Jacobian of the
/// values each Newton step settles one more order of the infinitesimal parts, so two are exact for nested jets.
template <class T, class Mechanics, class Family>
struct GhostFlight {
  using Real = typename Mechanics::Real;
  using V = std::vector<T>;

  const Mechanics& mechanics;
  const Family& family;
  const V& theta;
  discrete::FlightWork<Mechanics>& work;
  typename Mechanics::Vec q_value, p_value, dq, dp;
  Stage<Mechanics> stage;

  /// (q,p) ↦ (q',p') over s, the action of the interval added to `action`.
  void fly(const discrete::Rule<Real>& rule, Real s, V& q, V& p, T& action) {
    for (const Real fraction : rule.fractions()) one(rule, fraction * s, q, p, action);
  }

 private:
  void one(const discrete::Rule<Real>& rule, Real s, V& q, V& p, T& action) {
    const std::size_t n = q.size();
    q_value.resize(static_cast<Eigen::Index>(n)), p_value.resize(static_cast<Eigen::Index>(n));
    for (std::size_t k = 0; k < n; ++k) {
      q_value[static_cast<Eigen::Index>(k)] = numerics::value_of(q[k]);
      p_value[static_cast<Eigen::Index>(k)] = numerics::value_of(p[k]);
    }
    discrete::fly(mechanics, plain(rule), q_value, p_value, Real(0), s, dq, dp, work);
    typename Mechanics::Mat J;
    J.setZero(q_value.size(), q_value.size());
    for (std::size_t k = 0; k < rule.stages(); ++k) {
      const auto [c, w] = rule.stage(k);
      stage.evaluate(mechanics, family, typename Mechanics::Vec(q_value + (c * s) * work.u), work.u, Real(0));
      const Real pull = s * (1 - c);
      J += w * (stage.second.Lvv - pull * stage.second.Qv + (c * s) * (stage.second.Lvq - pull * stage.second.Qq));
    }
    const auto inverse = numerics::Lu<typename Mechanics::Mat>(J).inverse();
    V u(n);
    for (std::size_t k = 0; k < n; ++k) u[k] = T(work.u[static_cast<Eigen::Index>(k)]);
    V Lv(n), Q(n), residual(n);
    T L(0);
    for (int it = 0; it < 3; ++it) {
      for (std::size_t k = 0; k < n; ++k) residual[k] = -p[k];
      V gain(n);
      T sum(0);
      for (std::size_t k = 0; k < rule.stages(); ++k) {
        const auto [c, w] = rule.stage(k);
        V at(n);
        for (std::size_t i = 0; i < n; ++i) at[i] = q[i] + (c * s) * u[i];
        L = lagrangian(at, u, Lv, Q);
        sum += w * L;
        for (std::size_t i = 0; i < n; ++i) {
          residual[i] += w * (Lv[i] - (s * (1 - c)) * Q[i]);
          gain[i] += (s * w) * Q[i];
        }
      }
      if (it == 2) {
        action += s * sum;
        for (std::size_t i = 0; i < n; ++i) {
          q[i] += s * u[i];
          p[i] += gain[i];
        }
        return;
      }
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          u[i] -= inverse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * residual[j];
    }
  }
  /// The part of a composed rule: the same stages, one fraction.
  static discrete::Rule<Real> plain(const discrete::Rule<Real>& rule) {
    using Rule = discrete::Rule<Real>;
    return rule.stages() == 1 ? Rule::rectangle(1 - rule.stage(0).c) : Rule::trapezoid();
  }
  T lagrangian(const V& q, const V& v, V& Lv, V& Q) const {
    const std::size_t n = q.size();
    V z(q), g(2 * n);
    z.insert(z.end(), v.begin(), v.end());
    const T L = tangent::gradient<T>(
        [&]<class D>(Point<D> x) {
          std::vector<D> parameters;
          for (const T& y : theta) parameters.push_back(D(y));
          return family.lagrangian(x.subspan(0, n), x.subspan(n, n), D(0), Point<D>(parameters));
        },
        Point<T>(z), std::span<T>(g));
    for (std::size_t k = 0; k < n; ++k) Q[k] = g[k], Lv[k] = g[n + k];
    return L;
  }
};

/// closure/interpolated.hpp: with z = (q,p) of the ghost node at −h/2, X, W, B and their derivatives by z,
///
///   X_zᵀf + W_zᵀp̄ = B_z,  q0,q1 = X ∓ sW/2,  p0,p1 = p̄ ∓ sf/2,  E = s f·X_s + p̄·(sW)_s − (sB)_s
///
/// are all differentiated by (z, s, θ); z follows from (q0,p0).
template <class Mechanics, class Family>
class InterpolatedPiece {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using X = Columns<Mechanics>;
  using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  void push(const Mechanics& mechanics, const Family& family, const discrete::Rule<Real>& rule, int order, const Vec& q,
            const Vec& p, Real s, Real h, X& x) {
    const auto n = q.size(), m = x.theta.rows(), inputs = 2 * n + 1 + m;
    Vector z(2 * n);
    discrete::fly(mechanics, rule, q, p, Real(0), (s - h) / 2, dq_, dp_, flight_);
    z.head(n) = q + dq_;
    z.tail(n) = p + dp_;
    numerics::Lu<Dense> lu;
    Real last = std::numeric_limits<Real>::infinity();
    for (int it = 0;; ++it) {
      evaluate(mechanics, family, rule, order / 2, z, s, h, m);
      lu.compute(J_.topLeftCorner(2 * n, 2 * n));
      Vector r = value_.head(2 * n);
      r.head(n) -= q;
      r.tail(n) -= p;
      const Vector dz = lu(r);
      const Real increment = dz.norm();
      z -= dz;
      if (increment <= Real(1e-11) * z.norm() || (it > 2 && increment >= last / 2)) break;
      if (it == 30 || !(increment < std::numeric_limits<Real>::infinity()))
        throw Error(ErrorKind::no_convergence,
                    "the tangent of an interpolated flight was not solved; a smaller step helps");
      last = increment;
    }
    Dense in(inputs, x.size());
    in.row(2 * n) = x.s;
    in.bottomRows(m) = x.theta;
    Dense rhs(2 * n, x.size());
    rhs << x.q, x.p;
    rhs -= J_.block(0, 2 * n, 2 * n, 1 + m) * in.bottomRows(1 + m);
    in.topRows(2 * n) = lu(rhs);
    const Dense out = J_.bottomRows(2 * n + 1) * in;
    x.q = out.topRows(n);
    x.p = out.middleRows(n, n);
    x.start = x.end = out.row(2 * n);
    x.t += x.s;
  }

 private:
  static constexpr int C = 2;
  using Outer = numerics::Jet<Real, C>;   ///< by (z, s, θ)
  using Inner = numerics::Jet<Outer, C>;  ///< by z

  /// Values and derivatives by (z, s, θ) of (q0, p0, q1, p1, E).
  void evaluate(const Mechanics& mechanics, const Family& family, const discrete::Rule<Real>& rule, int pairs,
                const Vector& z, Real s, Real h, Eigen::Index m) {
    const auto n = z.size() / 2, inputs = 2 * n + 1 + m;
    value_.resize(4 * n + 1);
    J_.resize(4 * n + 1, inputs);
    for (Eigen::Index c = 0; c < inputs; c += C) {
      std::vector<Outer> y(static_cast<std::size_t>(inputs));
      for (Eigen::Index k = 0; k < inputs; ++k) {
        Real at = k < 2 * n ? z[k] : k == 2 * n ? s : Real(family.parameter(static_cast<int>(k - 2 * n - 1)));
        y[index(k)] = k >= c && k < c + C ? Outer::variable(at, static_cast<int>(k - c)) : Outer(at);
      }
      const std::vector<Outer> out = map(mechanics, family, rule, pairs, y, h, n);
      for (Eigen::Index i = 0; i < 4 * n + 1; ++i) {
        value_[i] = out[index(i)].v;
        for (Eigen::Index k = c; k < std::min<Eigen::Index>(c + C, inputs); ++k)
          J_(i, k) = out[index(i)].d[index(k - c)];
      }
    }
  }

  struct Sums {
    std::vector<Outer> X, W, Xs, Ws, Bz;
    std::vector<Outer> Xz, Wz;  ///< row by row, n × 2n
    Outer B{0}, Bs{0};
  };

  std::vector<Outer> map(const Mechanics& mechanics, const Family& family, const discrete::Rule<Real>& rule, int pairs,
                         const std::vector<Outer>& y, Real h, Eigen::Index n_) {
    const auto n = static_cast<std::size_t>(n_), n2 = 2 * n;
    const Outer& s = y[n2];
    const discrete::Rule<Real> backward = rule.symmetric() ? rule : closure::adjoint(rule);
    Sums a;
    a.Xz.assign(n * n2, Outer(0)), a.Wz.assign(n * n2, Outer(0)), a.Bz.assign(n2, Outer(0));
    for (std::size_t c = 0; c < n2; c += C) {
      a.X.assign(n, Outer(0)), a.W = a.Xs = a.Ws = a.X, a.B = a.Bs = Outer(0);
      std::vector<Inner> theta;
      for (std::size_t j = n2 + 1; j < y.size(); ++j) theta.push_back(Inner(y[j]));
      std::vector<Inner> q(n), p(n);
      for (std::size_t k = 0; k < n2; ++k) {
        Inner at(y[k]);
        if (k >= c && k < c + C) at.d[k - c] = Outer(1);
        (k < n ? q[k] : p[k - n]) = at;
      }
      GhostFlight<Inner, Mechanics, Family> flight{mechanics, family, theta, flight_, {}, {}, {}, {}, {}};
      auto right_q = q, right_p = p, left_q = q, left_p = p;
      Inner right(0), left(0);
      for (int k = 0; k < pairs; ++k) {
        flight.fly(rule, h, right_q, right_p, right);
        if (k > 0) flight.fly(backward, -h, left_q, left_p, left);
        Outer e(1), slope(0);
        basis(pairs, k, s, h, e, slope);
        const Real span = 2 * h * (Real(k) + Real(0.5));
        for (std::size_t i = 0; i < n; ++i) {
          const Inner sum = 0.5 * (right_q[i] + left_q[i]), difference = (Real(1) / span) * (right_q[i] - left_q[i]);
          a.X[i] += e * sum.v, a.Xs[i] += slope * sum.v;
          a.W[i] += e * difference.v, a.Ws[i] += slope * difference.v;
          for (std::size_t j = c; j < std::min(c + C, n2); ++j) {
            a.Xz[i * n2 + j] += e * sum.d[j - c];
            a.Wz[i * n2 + j] += e * difference.d[j - c];
          }
        }
        const Inner action = (Real(1) / span) * (right - left);
        a.B += e * action.v, a.Bs += slope * action.v;
        for (std::size_t j = c; j < std::min(c + C, n2); ++j) a.Bz[j] += e * action.d[j - c];
      }
    }
    return slots(a, s, n);
  }

  /// (f, p̄), and with them (q0, p0, q1, p1, E).
  static std::vector<Outer> slots(const Sums& a, const Outer& s, std::size_t n) {
    const std::size_t n2 = 2 * n;
    // K(f,p̄) = B_z by the values; each chunk of derivatives by K δ = δB_z − δK (f,p̄).
    Dense K(static_cast<Eigen::Index>(n2), static_cast<Eigen::Index>(n2));
    Vector b(static_cast<Eigen::Index>(n2));
    auto entry = [&](std::size_t j, std::size_t i) -> const Outer& {
      return i < n ? a.Xz[i * n2 + j] : a.Wz[(i - n) * n2 + j];
    };
    for (std::size_t j = 0; j < n2; ++j) {
      b[static_cast<Eigen::Index>(j)] = a.Bz[j].v;
      for (std::size_t i = 0; i < n2; ++i)
        K(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = entry(j, i).v;
    }
    const numerics::Lu<Dense> lu(K);
    const Vector x = lu(b);
    std::vector<Outer> f(n2);
    for (std::size_t i = 0; i < n2; ++i) f[i] = Outer(x[static_cast<Eigen::Index>(i)]);
    for (std::size_t d = 0; d < C; ++d) {
      for (std::size_t j = 0; j < n2; ++j) {
        Real r = a.Bz[j].d[d];
        for (std::size_t i = 0; i < n2; ++i) r -= entry(j, i).d[d] * x[static_cast<Eigen::Index>(i)];
        b[static_cast<Eigen::Index>(j)] = r;
      }
      const Vector dx = lu(b);
      for (std::size_t i = 0; i < n2; ++i) f[i].d[d] = dx[static_cast<Eigen::Index>(i)];
    }
    std::vector<Outer> out(4 * n + 1);
    Outer energy = -(a.B + s * a.Bs);
    for (std::size_t i = 0; i < n; ++i) {
      const Outer half = 0.5 * s, &force = f[i], &mean = f[n + i];
      out[i] = a.X[i] - half * a.W[i];
      out[n + i] = mean - half * force;
      out[n2 + i] = a.X[i] + half * a.W[i];
      out[n2 + n + i] = mean + half * force;
      energy += s * force * a.Xs[i] + mean * (a.W[i] + s * a.Ws[i]);
    }
    out[4 * n] = energy;
    return out;
  }

  /// The even Lagrange basis on ±½, ±3/2, … at σ = s/2h, and its derivative by s.
  static void basis(int pairs, int k, const Outer& s, Real h, Outer& e, Outer& slope) {
    const Outer sigma = s / Outer(2 * h);
    const Real tau = Real(k) + Real(0.5);
    for (int j = 0; j < pairs; ++j) {
      if (j == k) continue;
      const Real other = Real(j) + Real(0.5), scale = (tau - other) * (tau + other);
      const Outer factor = (sigma - Outer(other)) * (sigma + Outer(other)) / Outer(scale);
      slope = slope * factor + e * ((2 / scale) * sigma);
      e *= factor;
    }
    slope = slope / Outer(2 * h);
  }
  static std::size_t index(Eigen::Index k) { return static_cast<std::size_t>(k); }

  discrete::FlightWork<Mechanics> flight_;
  Vec dq_, dp_;
  Vector value_;
  Dense J_;
};

}  // namespace ricochet::tangent
