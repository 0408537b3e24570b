// The derivative of what a law does at an impact: the impulse in the cone, its power on moving gaps, what it takes.
#pragma once

#include "ricochet/tangent/start.hpp"

namespace ricochet::tangent {

/// What acts at an impact and how.
template <class Real>
struct Acts {
  std::vector<int> gaps;          ///< those that act, then all bilateral constraints
  std::size_t constraints = 0;    ///< how many of the latter
  std::vector<Real> restitution;  ///< of those that act
  mechanics::LawKind law{};
  bool uses_restitution = false;
  bool conservative = true;
  bool to_rest = false;  ///< an accumulation is passed: the gaps come to rest
};

/// Σλ_i∇φ_i, Σλ_i∂_tφ_i and the dissipation D as values and as δ for the columns; and δe where its limit 1 is taken.
template <class Mechanics, class Family>
class Impulse {
 public:
  using Real = typename Mechanics::Real;
  using X = Columns<Mechanics>;
  using Row = typename X::Row;
  using Dense = typename Instant<Mechanics, Family>::Dense;

  template <class Node>
  void at(const Mechanics& mechanics, const Family& family, const Node& before, const Acts<Real>& acts, const X& x) {
    instant_.at(mechanics, family, before);
    const typename X::Block dv = instant_.velocities(x);
    n_ = x.q.rows();
    const std::size_t k = acts.restitution.size();
    const bool varies = acts.uses_restitution && family.varies_restitution();
    // e = 1 ends the energy-balanced branch: what a change of e does there is the D(e) that the law takes, D(1) = 0.
    const bool limit = acts.conservative && varies;
    rows_ = instant_.push(
        [&]<class T>(const Argument<T>& a) {
          Acting<T> on = acting(family, acts.gaps, a);
          make_tangent(on, acts.constraints);
          std::vector<T> e, lambda;
          for (std::size_t i = 0; i < k; ++i)
            e.push_back(varies ? family.restitution(acts.gaps[i], a.q(), a.v(), a.t(), a.theta())
                               : T(acts.restitution[i]));
          if (acts.to_rest) {
            std::vector<T> b;
            for (const T& r : on.rate) b.push_back(-r);
            lambda = solve_on(on, everyone(k), b);
          } else {
            lambda = law_impulse(on, e, acts.law);
          }
          std::vector<T> out = impulse_sum(on, lambda);
          T wall(0), taken(0);
          for (std::size_t i = 0; i < k; ++i) wall += lambda[i] * on.wall_rate[i];
          if (!acts.conservative) taken = -kinetic_gain(on, lambda);
          if (limit)
            taken = kinetic_gain(on, law_impulse(on, std::vector<T>(k, T(1)), acts.law)) - kinetic_gain(on, lambda);
          out.push_back(wall);
          out.push_back(taken);
          if (limit) out.insert(out.end(), e.begin(), e.end());
          return out;
        },
        x, dv, value_);
  }

  auto kick() const { return value_.head(n_); }
  Real wall() const { return value_[n_]; }
  auto kicks() const { return rows_.topRows(n_); }
  auto walls() const { return rows_.row(n_); }
  auto taken() const { return rows_.row(n_ + 1); }
  /// A column varies a restitution that is 1.
  bool leaves_elastic() const { return (rows_.bottomRows(rows_.rows() - n_ - 2).array() != 0).any(); }

 private:
  Instant<Mechanics, Family> instant_;
  Eigen::Index n_ = 0;
  typename Instant<Mechanics, Family>::Vector value_;
  Dense rows_;
};

}  // namespace ricochet::tangent
