// The tangent of a run of the strong principle: ∂(q,p)/∂(q0,p0,θ) through flights, impacts, holds and releases.
#pragma once

#include <optional>
#include <utility>

#include "ricochet/impact/any_closure.hpp"
#include "ricochet/principle/strong.hpp"
#include "ricochet/tangent/differentiable.hpp"
#include "ricochet/tangent/family.hpp"
#include "ricochet/tangent/graze.hpp"
#include "ricochet/tangent/instant.hpp"
#include "ricochet/tangent/interpolated_piece.hpp"
#include "ricochet/tangent/irregular.hpp"
#include "ricochet/tangent/recovered_hold.hpp"
#include "ricochet/tangent/rule_piece.hpp"
#include "ricochet/tangent/shadow_piece.hpp"
#include "ricochet/tangent/start.hpp"

namespace ricochet::tangent {

/// An observer of principle::Strong that carries δ(q,p) along. It looks at the flights and events the run took and
/// differentiates exactly them, by the implicit function theorem at every unknown: the mean velocity u of a flight, the
/// length s of the piece up to an impact (φ = 0) or a release (R = 0), the reactions of a held flight, and the size μ
/// of an impulse that balances the energy with the interval after it. So it is the derivative of the discrete map, not
/// an approximation of the continuous one; the run itself is not touched.
///
/// During a step every unknown is one more column, with a unit in its place, until the equation it solves is known:
/// δs when the piece has ended, δμ when the interval after the impact has.
template <Differentiable Body, class Closure, class Family>
class Tangent {
 public:
  static_assert(!impact::Frictional<Body>,
                "tangents are without friction: where slip begins or ends they have corners");
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Step = typename Body::Step;
  using Mechanics = typename Body::Mechanics;
  using Run = principle::Strong<Body, Closure>;
  using Laws = principle::ImpactLaws<Body>;
  using X = Columns<Mechanics>;
  using Row = typename X::Row;
  using Block = typename X::Block;
  using Matrix = typename X::Matrix;

  Tangent(const Run& run, Laws laws, Family family)
      : run_(run), body_(run.body()), laws_(std::move(laws)), family_(std::move(family)) {
    if (laws_.restitution && !laws_.constant_restitution && !family_.varies_restitution())
      throw Error(ErrorKind::invalid_model,
                  "the restitution depends on the state: its derivative needs a family with a member `restitution`");
    const int n = body_.dimension();
    const Matrix identity = Matrix::Identity(2 * n, 2 * n);
    follow(identity, Matrix::Zero(family_.parameters(), 2 * n));
  }

  /// Starts anew with one column per direction: δ(q,p) stacked, and δθ.
  void follow(const Matrix& state, const Matrix& theta) {
    const auto n = static_cast<Eigen::Index>(body_.dimension());
    x_.reset(n, family_.parameters(), state.cols());
    x_.q = state.topRows(n);
    x_.p = state.bottomRows(n);
    x_.theta = theta;
    begun_ = false;
  }
  /// δ(q,p) of the node last reached, one column per direction.
  Matrix columns() const {
    Matrix m(2 * x_.q.rows(), x_.size());
    m << x_.q, x_.p;
    return m;
  }
  /// Other columns in their place, at fixed θ, as in the middle of a run: what is held stays so.
  void set_columns(const Matrix& state) {
    const Eigen::Index n = x_.q.rows();
    x_.reset(n, family_.parameters(), state.cols());
    x_.q = state.topRows(n);
    x_.p = state.bottomRows(n);
  }
  const Irregularities& irregularities() const { return irregular_; }
  const Family& family() const { return family_; }

  // ---- what the run tells ------------------------------------------------------------------------------------------

  template <class Interval, class Trace, class GapAt>
  void flight(const Node& from, Step step, const Interval&, const Trace& trace, const GapAt& gap_at) {
    from_ = from;
    step_ = step;
    held_ = run_.held();
    if (!begun_) begin();
    look_for_grazes(trace, gap_at);
  }
  template <class Event>
  void impact(const Event& e) {
    const auto [gap, approaching] = who_closes(e);
    end_piece([&](const Node& node, const X& y) { return gap_row(gap, node, y); }, e.before);
    jump(e, gap, approaching);
    accumulated_ = false;
  }
  template <class A>
  void accumulation(const A&) {
    accumulated_ = true;
  }
  void arrive(long long, const Node& node) { arrived_ = node; }
  void graze(int gap, const Node& node) {
    flag(IrregularKind::grazing, node.t, gap);
    end_piece([&](const Node& at, const X& y) { return gap_row(gap, at, y); }, node);
  }
  void contact(int gap, Real, bool begins) {
    if (!arrived_) return;
    const Node node = *std::exchange(arrived_, std::nullopt);
    if (begins) {
      flag(IrregularKind::touch_down, node.t, gap);
      end_piece([](const Node&, const X& y) { return Row::Constant(y.size(), std::nan("")); }, node);
    } else {
      end_piece([&](const Node& at, const X& y) { return reaction_row(gap, at, y); }, node);
    }
  }
  template <class Interval>
  void node(long long, const Node& node, const Interval&) {
    const bool whole = !std::exchange(eventful_, false);
    if (whole && held_.empty()) {
      rule_.push_whole(body_.mechanics(), family_, body_.rule(), from_.q, from_.p, from_.t, step_.s, node.q, x_);
    } else {
      // The rest of the step: δs = −δ(elapsed), and time is back on the grid.
      y_.take(x_, x_.size(), x_.size() + (pending_ ? 1 : 0));
      add_pending();
      y_.s.head(x_.size()) = -x_.t;
      fly(y_, whole, node);
      settle_pending();
      x_.take(y_, x_.size(), x_.size());
      x_.t.setZero();
    }
    x_.s.setZero();
    // A touch just where the step ends.
    for (const int i : near_) {
      if (std::find(held_.begin(), held_.end(), i) != held_.end()) continue;
      const auto contact = body_.contact(i, node, step_.h, normal_, work_);
      if (contact.closed() && contact.resting()) flag(IrregularKind::grazing, node.t, i);
    }
  }

 private:
  // ---- flights -----------------------------------------------------------------------------------------------------

  /// Columns over the flight last told of, held or not; `end` is where it went.
  void fly(X& y, bool whole, const Node& end) {
    if (held_.empty())
      fly_free(from_.q, from_.p, end.q, y, whole);
    else
      fly_held(y, whole, end);
  }
  void fly_free(const typename Body::Vec& q, const typename Body::Vec& p, const typename Body::Vec& end, X& y,
                bool whole) {
    if (whole)
      rule_.push(body_.mechanics(), family_, body_.rule(), q, p, from_.t, step_.s, y);
    else
      fly_closure(run_.closure(), q, p, end, y);
  }
  template <class C>
  void fly_closure(const C& closure, const typename Body::Vec& q, const typename Body::Vec& p,
                   const typename Body::Vec& end, X& y) {
    using System = std::decay_t<decltype(body_.mechanics().system())>;
    if constexpr (std::is_same_v<C, impact::AnyClosure>) {
      std::visit([&](const auto& c) { fly_closure(c, q, p, end, y); }, closure.choice());
    } else if constexpr (std::is_same_v<C, impact::Shadow2> || std::is_same_v<C, impact::Shadow4>) {
      if constexpr (mechanics::Separable<System>) {
        if constexpr (std::is_same_v<C, impact::Shadow2>)
          shadow2_.push(body_.mechanics(), family_, q, p, end, from_.t, step_.s, step_.h, y);
        else
          shadow4_.push(body_.mechanics(), family_, q, p, end, from_.t, step_.s, step_.h, y);
      }
    } else if constexpr (std::is_same_v<C, impact::Interpolated>) {
      interpolated_.push(body_.mechanics(), family_, body_.rule(), closure.order, q, p, step_.s, step_.h, y);
    } else {
      static_assert(std::is_base_of_v<impact::PlainCurve, C>, "a closure that tangents know");
      rule_.push(body_.mechanics(), family_, body_.rule(), q, p, from_.t, step_.s, y);
    }
  }

  /// RATTLE (impact/hold.hpp): kick p by Σλ_i∇φ_i, fly, φ_i = 0 fixes λ, project p. One more column per λ_i.
  void fly_held(X& y, bool whole, const Node& end) {
    if (!(step_.s > 0)) {
      fly_free(from_.q, from_.p, end.q, y, whole);
      return;
    }
    const Eigen::Index k = y.size(), n = from_.q.size();
    hold_.recover(body_, run_.closure(), held_, from_, step_, end, work_);
    const std::vector<int>& kept = hold_.gaps();
    const std::vector<Real>& lambda = hold_.lambda();
    const auto c = static_cast<Eigen::Index>(kept.size());
    // δ(Σλ_i∇φ_i) at fixed λ, then a unit of each λ_i.
    instant_.at(body_.mechanics(), family_, from_);
    typename Instant<Mechanics, Family>::Vector value;
    const auto kick = instant_.push(
        [&]<class T>(const Argument<T>& a) {
          const Acting<T> on = acting(family_, kept, a);
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
    fly_free(from_.q, typename Body::Vec(from_.p + hold_.kick()), end.q, z, whole);
    // φ_i = 0 at the end.
    instant_.at(body_.mechanics(), family_, end);
    Matrix gaps(c, k + c);
    for (Eigen::Index i = 0; i < c; ++i) gaps.row(i) = instant_.gap(family_, kept[static_cast<std::size_t>(i)], z);
    const Matrix dl = -gaps.rightCols(c).partialPivLu().solve(gaps.leftCols(k));
    for (Eigen::Index i = 0; i < c; ++i) z.combine(k + i, dl.row(i));
    y.q = z.q.leftCols(k);
    y.p = z.p.leftCols(k);
    y.t = z.t.head(k);
    y.start = z.start.head(k);
    y.end = z.end.head(k);
    // The projection of p, p − Σν_i∇φ_i, at the momentum before it.
    Node before = end;
    before.p = hold_.arrived();
    project(before, y);
  }
  /// p ← p − Σν_i∇φ_i with Wν = φ̇ on the held gaps.
  void project(const Node& before, X& y) {
    instant_.at(body_.mechanics(), family_, before);
    typename Instant<Mechanics, Family>::Vector value;
    const Block dv = instant_.velocities(y);
    const std::vector<int> held(held_.begin(), held_.end());
    y.p -= instant_.push(
        [&]<class T>(const Argument<T>& a) {
          const Acting<T> on = acting(family_, held, a);
          return impulse_sum(on, solve_on(on, everyone(on.size()), on.rate));
        },
        y, dv, value);
  }

  // ---- events ------------------------------------------------------------------------------------------------------

  /// The piece up to an event: δs from the row of the function that vanishes there.
  template <class Vanishing>
  void end_piece(Vanishing&& vanishing, const Node& node) {
    const Eigen::Index k = x_.size(), all = k + (pending_ ? 1 : 0);
    y_.take(x_, k, all + 1);
    add_pending();
    y_.s[all] = 1;
    fly(y_, false, node);
    const Row row = vanishing(node, y_);
    const Row ds = -row.head(all) / row[all];
    y_.combine(all, ds);
    settle_pending();
    x_.take(y_, k, k);
    x_.end = y_.end.head(k);
    x_.s.setZero();
    eventful_ = true;
  }
  Row gap_row(int gap, const Node& node, const X& y) {
    instant_.at(body_.mechanics(), family_, node);
    return instant_.gap(family_, gap, y);
  }
  Row reaction_row(int gap, const Node& node, const X& y) {
    instant_.at(body_.mechanics(), family_, node);
    const Block dv = instant_.velocities(y);
    typename Instant<Mechanics, Family>::Vector value;
    const std::vector<int> held(held_.begin(), held_.end());
    const auto which = static_cast<std::size_t>(std::find(held.begin(), held.end(), gap) - held.begin());
    return instant_.push(
        [&]<class T>(const Argument<T>& a) { return std::vector<T>{reactions(family_, held, a)[which]}; }, y, dv,
        value);
  }

  struct Closing {
    int gap, approaching;
  };
  template <class Event>
  Closing who_closes(const Event& e) {
    Closing c{-1, 0};
    Real fastest = 0;
    for (int i = 0; i < e.active.size(); ++i) {
      const auto& contact = e.active.contact(i);
      const Real rate = e.active.seen_by_law().v[i];
      if (!(rate < -contact.rate_tolerance)) continue;
      ++c.approaching;
      const Real speed = -rate / std::sqrt(body_.couple(e.active.normal(i), e.active.normal(i)));
      if (speed > fastest) fastest = speed, c.gap = contact.gap;
    }
    return c;
  }

  /// p⁺ = p⁻ + μ Σλ_i∇φ_i: λ by the law, μ = 1 or by the energy balance with the interval to come.
  template <class Event>
  void jump(const Event& e, int gap, int approaching) {
    if (approaching > 1) flag(IrregularKind::simultaneous, e.t, gap, e.number);
    const Real kinetic = body_.kinetic(e.before);
    for (int i = 0; i < e.active.size(); ++i) {
      const auto& contact = e.active.contact(i);
      const Real speed = std::sqrt(body_.couple(e.active.normal(i), e.active.normal(i)) * 2 * kinetic);
      // What comes to a stop as it touches has no speed left to compare with; the rounding of φ alone makes this rate.
      const Real rounding =
          8 * std::sqrt(std::numeric_limits<Real>::epsilon() * contact.value_scale * std::abs(contact.acceleration));
      const bool entered = contact.gap == gap && !contact.approaching();
      if (entered || (contact.approaching() && -contact.rate <= std::max(Real(1e-7) * speed, rounding)))
        flag(IrregularKind::grazing, e.t, contact.gap, e.number);
    }
    const auto& law = laws_.law_of(body_, e.active, e.before);
    if (law.kind() == mechanics::LawKind::user)
      throw Error(ErrorKind::invalid_model, "the derivative of a user's impact law is not known");
    bool conservative = true;
    if (law.uses_restitution())
      for (int i = 0; i < e.active.size(); ++i) conservative &= e.active.restitution(i) == 1;
    bool balanced = conservative ? run_.closure().balances() : laws_.dissipation == principle::Dissipation::balance;
    const long long reflections = run_.fallbacks(principle::Fallback::reflection);
    if (balanced && reflections > reflections_) {
      flag(IrregularKind::fallback, e.t, gap, e.number);
      balanced = false;
    }
    reflections_ = reflections;
    constexpr Real close = Real(1e-12);
    if (balanced && ((e.alpha <= close && e.t > 0) || e.alpha >= 1 - close))
      flag(IrregularKind::grid_node, e.t, gap, e.number);

    std::vector<int> gaps;
    std::vector<Real> restitution;
    for (int i = 0; i < e.active.size(); ++i) {
      gaps.push_back(e.active.contact(i).gap);
      restitution.push_back(e.active.restitution(i));
    }
    const auto acts = gaps.size();
    for (int j = 0; j < body_.constraints(); ++j) gaps.push_back(body_.gaps() + j);
    instant_.at(body_.mechanics(), family_, e.before);
    const Block dv = instant_.velocities(x_);
    typename Instant<Mechanics, Family>::Vector value;
    const bool to_rest = accumulated_;
    const auto n = x_.q.rows();
    // e = 1 ends the energy-balanced branch: what a change of e does there is the D(e) that the law takes, D(1) = 0.
    const bool limit = conservative && law.uses_restitution() && family_.varies_restitution();
    // Σλ_i∇φ_i, Σλ_i∂_tφ_i, the dissipation D, and e where its limit is taken.
    const auto rows = instant_.push(
        [&]<class T>(const Argument<T>& a) {
          Acting<T> on = acting(family_, gaps, a);
          make_tangent(on, gaps.size() - acts);
          std::vector<T> e_T, lambda;
          for (std::size_t i = 0; i < acts; ++i)
            e_T.push_back(law.uses_restitution() && family_.varies_restitution()
                              ? family_.restitution(gaps[i], a.q(), a.v(), a.t(), a.theta())
                              : T(restitution[i]));
          if (to_rest) {
            std::vector<T> b;
            for (const T& r : on.rate) b.push_back(-r);
            lambda = solve_on(on, everyone(acts), b);
          } else {
            lambda = law_impulse(on, e_T, law.kind());
          }
          std::vector<T> out = impulse_sum(on, lambda);
          T wall(0), taken(0);
          for (std::size_t i = 0; i < acts; ++i) wall += lambda[i] * on.wall_rate[i];
          if (!conservative) taken = -kinetic_gain(on, lambda);
          if (limit)
            taken =
                kinetic_gain(on, law_impulse(on, std::vector<T>(acts, T(1)), law.kind())) - kinetic_gain(on, lambda);
          out.push_back(wall);
          out.push_back(taken);
          if (limit) out.insert(out.end(), e_T.begin(), e_T.end());
          return out;
        },
        x_, dv, value);
    if (limit && !limit_said_ && (rows.bottomRows(rows.rows() - n - 2).array() != 0).any()) {
      flag(IrregularKind::elastic_limit, e.t, gap, e.number);
      limit_said_ = true;  // once: it is the same at every impact
    }
    x_.p += (to_rest ? Real(1) : e.mu) * rows.topRows(n);
    if (to_rest || !balanced) return;
    // E_start⁺(μ) − E_end⁻ + μ Σλ∂_tφ + D = 0 (principle/strong.hpp), once E_start⁺ is known.
    pending_ = Pending{value.head(n), value[n], Row(x_.end - e.mu * rows.row(n) - rows.row(n + 1))};
  }

  void add_pending() {
    if (pending_) y_.p.col(x_.size()) = pending_->kick;
  }
  /// δμ from the energy of the interval that has now been flown.
  void settle_pending() {
    if (!pending_) return;
    const Eigen::Index k = x_.size();
    const Row d_mu = (pending_->known - y_.start.head(k)) / (y_.start[k] + pending_->wall);
    y_.combine(k, d_mu);
    pending_.reset();
  }

  // ---- irregular points --------------------------------------------------------------------------------------------

  void begin() {
    begun_ = true;
    for (const int i : held_)
      if (i < body_.gaps()) flag(IrregularKind::held_start, from_.t, i);
    if (!held_.empty()) {
      const std::vector<int> held(held_.begin(), held_.end());
      const Real change = project_start(body_.mechanics(), family_, from_, held, x_);
      if (body_.constraints() > 0 && change > Real(1e-9)) flag(IrregularKind::projected_start, from_.t, -1);
    }
    reflections_ = run_.fallbacks(principle::Fallback::reflection);
  }
  /// A flight that touches a gap from inside and leaves it again: the loop rightly goes on, the derivative does not.
  template <class Trace, class GapAt>
  void look_for_grazes(const Trace& trace, const GapAt& gap_at) {
    body_.candidates(trace, suspects_, work_);
    near_.clear();
    for (const int i : suspects_) {
      if (std::find(held_.begin(), held_.end(), i) != held_.end()) continue;
      const auto along = [&](Real s) { return gap_at(i, s); };
      const Real at_start = along(0), at_end = along(step_.s);
      const Real rounding = Real(1e-6) * (1 + from_.q.cwiseAbs().maxCoeff());
      if (!may_touch(at_start, along(step_.s / 2), at_end, rounding)) continue;
      near_.push_back(i);
      const auto contact = body_.contact(i, from_, step_.h, normal_, work_);
      const Real closed = 1000 * contact.tolerance;
      if (!(at_start > closed) || !(at_end > closed) || !(contact.rate < 0)) continue;
      const auto [s, least] = lowest(along, step_.s);
      if (least <= contact.tolerance) flag(IrregularKind::grazing, from_.t + s, i);
    }
  }
  void flag(IrregularKind kind, Real t, int gap, long long impact = 0) {
    irregular_.add({kind, static_cast<double>(t), impact, gap >= 0 ? body_.gap_name(gap) : std::string()});
  }

  struct Pending {
    typename Body::Vec kick;
    Real wall;
    Row known;
  };

  const Run& run_;
  const Body& body_;
  Laws laws_;
  Family family_;
  X x_, y_;
  std::optional<Pending> pending_;
  std::optional<Node> arrived_;
  bool accumulated_ = false, begun_ = false, eventful_ = false, limit_said_ = false;
  long long reflections_ = 0;
  Node from_;
  Step step_{};
  impact::GapList held_, near_, suspects_;
  RecoveredHold<Body> hold_;
  typename Body::Work work_;
  typename Body::Normal normal_;
  RulePiece<Mechanics, Family> rule_;
  ShadowPiece<2, Mechanics, Family> shadow2_;
  ShadowPiece<4, Mechanics, Family> shadow4_;
  InterpolatedPiece<Mechanics, Family> interpolated_;
  Instant<Mechanics, Family> instant_;
  Irregularities irregular_;
};

}  // namespace ricochet::tangent
