// The tangent of a flight that is held to gaps: RATTLE with its reactions among the unknowns.
#pragma once

#include "ricochet/numerics/factor.hpp"
#include "ricochet/tangent/recovered_hold.hpp"
#include "ricochet/tangent/start.hpp"

namespace ricochet::tangent {

/// Kick p by Σλ_i∇φ_i, fly, φ_i = 0 fixes λ, project p (contact/held.hpp). One more column per λ_i.
template <class Body, class Family>
class HeldPiece {
 public:
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Step = typename Body::Step;
  using Vec = typename Body::Vec;
  using Mechanics = typename Body::Mechanics;
  using X = Columns<Mechanics>;
  using Block = typename X::Block;
  using Matrix = typename X::Matrix;

  /// From `from` to `end`, held to `held`; `fly(p, z)` carries columns over the free flight that begins with momentum
  /// p.
  template <class Closure, class Fly>
  void push(const Body& body, const Closure& closure, const Family& family, const motion::GapList& held,
            const Node& from, Step step, const Node& end, typename Body::Work& work, X& y, Fly&& fly) {
    arrive(body, closure, family, held, from, step, end, work, y, fly);
    // The projection of p, at the momentum before it.
    Node before = end;
    before.p = hold_.arrived();
    project(body, family, held, before, y);
  }

  /// The push with which `gap` lets go at `node` (contact/push_off.hpp): what a held step from there would take along
  /// ∇φ at its end, made tangent to the others of `held`. `fly` is the rule's plain step.
  template <class Closure, class Fly>
  void push_off(const Body& body, const Closure& closure, const Family& family, const motion::GapList& held, int gap,
                const Node& node, Real h, typename Body::Work& work, X& x, Fly&& fly) {
    const std::vector<int> all(held.begin(), held.end());
    const auto which = static_cast<std::size_t>(std::find(all.begin(), all.end(), gap) - all.begin());
    Node ahead = node;
    closure.fly(body, node, {h, h}, ahead, work);
    hold_.recover(body, closure, held, node, {h, h}, ahead, work);
    ahead = hold_.end();
    X y;
    y.take(x, x.size(), x.size());
    arrive(body, closure, family, held, node, {h, h}, ahead, work, y, fly);
    instant_.at(body.mechanics(), family, hold_.end());
    typename Instant<Mechanics, Family>::Vector value;
    const typename X::Row d_taken = instant_.push(
        [&]<class T>(const Argument<T>& a) {
          const Acting<T> on = acting(family, all, a);
          return std::vector<T>{solve_on(on, everyone(on.size()), on.rate)[which]};
        },
        y, instant_.velocities(y), value);
    const Real taken = value[0];
    instant_.at(body.mechanics(), family, node);
    const auto d_normal = instant_.push(
        [&]<class T>(const Argument<T>& a) {
          const Acting<T> on = acting(family, all, a);
          std::vector<std::size_t> others = everyone(on.size());
          std::erase(others, which);
          std::vector<T> rates;  // of a unit of ∇φ_gap
          for (std::size_t i = 0; i < on.size(); ++i) rates.push_back(on.W[i * on.size() + which]);
          std::vector<T> normal = impulse_sum(on, solve_on(on, others, rates));
          for (std::size_t r = 0; r < a.n; ++r) normal[r] = on.n[which][r] - normal[r];
          return normal;
        },
        x, instant_.velocities(x), value);
    x.p += taken * d_normal + value * d_taken;
  }

  /// δR of the reaction that keeps `gap` closed, one of those held.
  typename X::Row reaction(const Body& body, const Family& family, const motion::GapList& held, int gap,
                           const Node& node, const X& y) {
    instant_.at(body.mechanics(), family, node);
    const Block dv = instant_.velocities(y);
    typename Instant<Mechanics, Family>::Vector value;
    const std::vector<int> all(held.begin(), held.end());
    const auto which = static_cast<std::size_t>(std::find(all.begin(), all.end(), gap) - all.begin());
    return instant_.push(
        [&]<class T>(const Argument<T>& a) { return std::vector<T>{reactions(family, all, a)[which]}; }, y, dv, value);
  }

 private:
  /// The held flight up to its projection.
  template <class Closure, class Fly>
  void arrive(const Body& body, const Closure& closure, const Family& family, const motion::GapList& held,
              const Node& from, Step step, const Node& end, typename Body::Work& work, X& y, Fly&& fly) {
    const Eigen::Index k = y.size(), n = from.q.size();
    hold_.recover(body, closure, held, from, step, end, work);
    const std::vector<int>& kept = hold_.gaps();
    const std::vector<Real>& lambda = hold_.lambda();
    const auto c = static_cast<Eigen::Index>(kept.size());
    // δ(Σλ_i∇φ_i) at fixed λ, then a unit of each λ_i.
    instant_.at(body.mechanics(), family, from);
    typename Instant<Mechanics, Family>::Vector value;
    const auto kick = instant_.push(
        [&]<class T>(const Argument<T>& a) {
          const Acting<T> on = acting(family, kept, a);
          std::vector<T> sum(a.n, T(0));
          for (std::size_t i = 0; i < kept.size(); ++i)
            for (std::size_t r = 0; r < a.n; ++r) sum[r] += lambda[i] * on.n[i][r];
          for (std::size_t i = 0; i < kept.size(); ++i) sum.insert(sum.end(), on.n[i].begin(), on.n[i].end());
          return sum;
        },
        y, Block::Zero(n, k), value);
    X z;
    z.take(y, k, k + c);
    z.p.leftCols(k) += kick.topRows(n);
    for (Eigen::Index i = 0; i < c; ++i) z.p.col(k + i) = value.segment((i + 1) * n, n);
    fly(Vec(from.p + hold_.kick()), z);
    // φ_i = 0 at the end.
    Matrix gaps(c, k + c);
    for (Eigen::Index i = 0; i < c; ++i) gaps.row(i) = instant_.gap(family, kept[static_cast<std::size_t>(i)], end, z);
    const Matrix dl = -numerics::Lu<Matrix>(gaps.rightCols(c))(gaps.leftCols(k));
    for (Eigen::Index i = 0; i < c; ++i) z.combine(k + i, dl.row(i));
    y.q = z.q.leftCols(k);
    y.p = z.p.leftCols(k);
    y.t = z.t.head(k);
    y.start = z.start.head(k);
    y.end = z.end.head(k);
  }

  /// p ← p − Σν_i∇φ_i with Wν = φ̇ on the held gaps.
  void project(const Body& body, const Family& family, const motion::GapList& held, const Node& before, X& y) {
    instant_.at(body.mechanics(), family, before);
    typename Instant<Mechanics, Family>::Vector value;
    const Block dv = instant_.velocities(y);
    const std::vector<int> all(held.begin(), held.end());
    y.p -= instant_.push(
        [&]<class T>(const Argument<T>& a) {
          const Acting<T> on = acting(family, all, a);
          return impulse_sum(on, solve_on(on, everyone(on.size()), on.rate));
        },
        y, dv, value);
  }

  RecoveredHold<Body> hold_;
  Instant<Mechanics, Family> instant_;
};

}  // namespace ricochet::tangent
