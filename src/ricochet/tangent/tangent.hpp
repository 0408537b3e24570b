// The tangent of a run of the strong principle: ∂(q,p)/∂(q0,p0,θ) through flights, impacts, holds and releases.
#pragma once

#include <optional>
#include <utility>

#include "ricochet/closure/any.hpp"
#include "ricochet/principle/strong.hpp"
#include "ricochet/tangent/differentiable.hpp"
#include "ricochet/tangent/family.hpp"
#include "ricochet/tangent/graze.hpp"
#include "ricochet/tangent/held_piece.hpp"
#include "ricochet/tangent/impulse.hpp"
#include "ricochet/tangent/interpolated_piece.hpp"
#include "ricochet/tangent/irregular.hpp"
#include "ricochet/tangent/rule_piece.hpp"
#include "ricochet/tangent/shadow_piece.hpp"

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
    if (mechanics::has_friction(body_.mechanics().system()))
      throw Error(ErrorKind::invalid_model,
                  "tangents are without friction: where slip begins or ends they have corners");
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
    pushes_ = run_.fallbacks(principle::Fallback::push_off);
    if (!begun_) begin();
    look_for_grazes(trace, gap_at);
  }
  template <class Event>
  void impact(const Event& e) {
    const auto [gap, approaching] = who_closes(e);
    end_piece([&](const Node& node, const X& y) { return instant_.gap(family_, gap, node, y); }, e.before);
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
    end_piece([&](const Node& at, const X& y) { return instant_.gap(family_, gap, at, y); }, node);
  }
  void contact(int gap, Real, bool begins) {
    if (!arrived_) return;
    const Node node = *std::exchange(arrived_, std::nullopt);
    if (begins) {
      flag(IrregularKind::touch_down, node.t, gap);
      end_piece([](const Node&, const X& y) { return Row::Constant(y.size(), std::nan("")); }, node);
    } else if (const int other = takes_over(gap, node); other >= 0) {
      end_piece([&](const Node& at, const X& y) { return instant_.gap(family_, other, at, y); }, node);
    } else {
      end_piece([&](const Node& at, const X& y) { return held_piece_.reaction(body_, family_, held_, gap, at, y); },
                node);
      push_off(gap, node);
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
      if (contact::closed(contact) && contact::resting(contact) &&
          !(body_.admissible(i, node) > contact::tolerance(contact)))
        flag(IrregularKind::grazing, node.t, i);
    }
  }

 private:
  bool in_one_union(int a, int b) const {
    for (int u = 0; u < body_.unions(); ++u)
      if (std::ranges::count(body_.branches(u), a) > 0 && std::ranges::count(body_.branches(u), b) > 0) return true;
    return false;
  }
  /// The branch of a union that has become the larger one where a held one ends; −1 where it was let go.
  int takes_over(int gap, const Node& node) {
    for (int i = 0; i < body_.gaps(); ++i) {
      if (i == gap || !in_one_union(i, gap) || std::find(held_.begin(), held_.end(), i) != held_.end()) continue;
      const auto contact = body_.contact(i, node, step_.h, normal_, work_);
      if (contact::closed(contact) && contact.rate > contact::rate_tolerance(contact)) return i;
    }
    return -1;
  }

  // ---- flights -----------------------------------------------------------------------------------------------------

  /// Columns over the flight last told of, held or not; `end` is where it went.
  void fly(X& y, bool whole, const Node& end) {
    if (held_.empty() || !(step_.s > 0))
      fly_free(from_.q, from_.p, end.q, y, whole);
    else
      held_piece_.push(body_, run_.closure(), family_, held_, from_, step_, end, work_, y,
                       [&](const typename Body::Vec& p, X& z) { fly_free(from_.q, p, end.q, z, whole); });
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
    if constexpr (std::is_same_v<C, closure::AnyClosure>) {
      std::visit([&](const auto& c) { fly_closure(c, q, p, end, y); }, closure.choice());
    } else if constexpr (std::is_same_v<C, closure::Shadow2> || std::is_same_v<C, closure::Shadow4>) {
      if constexpr (mechanics::Separable<System>) {
        if constexpr (std::is_same_v<C, closure::Shadow2>)
          shadow2_.push(body_.mechanics(), family_, q, p, end, from_.t, step_.s, step_.h, y);
        else
          shadow4_.push(body_.mechanics(), family_, q, p, end, from_.t, step_.s, step_.h, y);
      }
    } else if constexpr (std::is_same_v<C, closure::Interpolated>) {
      interpolated_.push(body_.mechanics(), family_, body_.rule(), closure.order, q, p, step_.s, step_.h, y);
    } else {
      static_assert(std::is_base_of_v<closure::PlainCurve, C>, "a closure that tangents know");
      rule_.push(body_.mechanics(), family_, body_.rule(), q, p, from_.t, step_.s, y);
    }
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
  /// A rule of first order is pushed off the surface it leaves.
  void push_off(int gap, const Node& node) {
    if (run_.fallbacks(principle::Fallback::push_off) == pushes_) return;
    held_piece_.push_off(body_, run_.closure(), family_, held_, gap, node, step_.h, work_, x_,
                         [&](const typename Body::Vec& p, X& z) {
                           rule_.push(body_.mechanics(), family_, body_.rule(), node.q, p, node.t, step_.h, z);
                         });
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
      if (!(rate < -contact::rate_tolerance(contact))) continue;
      ++c.approaching;
      const Real speed = -rate / std::sqrt(e.active.seen_by_law().W(i, i));
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
      const Real speed = std::sqrt(e.active.seen_by_law().W(i, i) * 2 * kinetic);
      // What comes to a stop as it touches has no speed left to compare with; the rounding of φ alone makes this rate.
      const Real rounding =
          8 * std::sqrt(std::numeric_limits<Real>::epsilon() * contact.value_scale * std::abs(contact.acceleration));
      const bool entered = contact.gap == gap && !contact::approaching(contact);
      if (entered || (contact::approaching(contact) && -contact.rate <= std::max(Real(1e-7) * speed, rounding)))
        flag(IrregularKind::grazing, e.t, contact.gap, e.number);
    }
    const auto& law = e.law;
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
    if (conservative && !run_.closure().balances() && e.mu != 1)
      throw Error(
          ErrorKind::invalid_model,
          "impacts of a Lagrangian that is not quadratic in the velocities are differentiated with closures that "
          "balance the energy (variational, interpolated)",
          body_.state(e.before));
    constexpr Real close = Real(1e-12);
    if (balanced && ((e.alpha <= close && e.t > 0) || e.alpha >= 1 - close))
      flag(IrregularKind::grid_node, e.t, gap, e.number);

    acts_.gaps.clear();
    acts_.restitution.clear();
    for (int i = 0; i < e.active.size(); ++i) {
      acts_.gaps.push_back(e.active.contact(i).gap);
      acts_.restitution.push_back(e.active.restitution(i));
    }
    acts_.constraints = static_cast<std::size_t>(body_.constraints());
    for (int j = 0; j < body_.constraints(); ++j) acts_.gaps.push_back(body_.gaps() + j);
    acts_.law = law.kind();
    acts_.uses_restitution = law.uses_restitution();
    acts_.conservative = conservative;
    acts_.to_rest = accumulated_;
    impulse_.at(body_.mechanics(), family_, e.before, acts_, x_);
    if (!limit_said_ && impulse_.leaves_elastic()) {
      flag(IrregularKind::elastic_limit, e.t, gap, e.number);
      limit_said_ = true;  // once: it is the same at every impact
    }
    x_.p += (accumulated_ ? Real(1) : e.mu) * impulse_.kicks();
    if (accumulated_ || !balanced) return;
    // E_start⁺(μ) − E_end⁻ + μ Σλ∂_tφ + D = 0 (principle/strong.hpp), once E_start⁺ is known.
    pending_ = Pending{impulse_.kick(), impulse_.wall(), Row(x_.end - e.mu * impulse_.walls() - impulse_.taken())};
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
      if (std::find(held_.begin(), held_.end(), i) != held_.end() || stays_open(i, trace)) continue;
      near_.push_back(i);
      const auto contact = body_.contact(i, from_, step_.h, normal_, work_);
      const Real closed = 1000 * contact::tolerance(contact);
      if (!(contact.value > closed) || !(contact.rate < 0)) continue;
      const auto along = [&](Real s) { return gap_at(i, s); };
      const Real at_end = along(step_.s);
      if (!(at_end > closed)) continue;
      const Real rounding = Real(1e-6) * (1 + from_.q.cwiseAbs().maxCoeff());
      if (!may_touch(contact.value, along(step_.s / 2), at_end, rounding)) continue;
      const auto [s, least] = lowest(along, step_.s);
      if (!(least <= contact::tolerance(contact))) continue;
      const auto value = [&, at = s](int k) { return gap_at(k, at); };
      const auto of = [&](int u) { return body_.branches(u); };
      if (!(motion::of_unions<Real>(i, body_.unions(), of, value) > contact::tolerance(contact)))
        flag(IrregularKind::grazing, from_.t + s, i);
    }
  }
  /// Decided by the run's enclosure of its flight, piece by piece: the curve itself may have to be solved for.
  template <class Trace>
  bool stays_open(int gap, const Trace& trace) const {
    constexpr int pieces = 8;
    for (int k = pieces; k-- > 0;)
      if (!(body_.gap_range(gap, trace, step_.s * k / pieces, step_.s * (k + 1) / pieces).lower() > 0)) return false;
    return true;
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
  long long reflections_ = 0, pushes_ = 0;  // fallbacks of the run up to the flight last told of
  Node from_;
  Step step_{};
  motion::GapList held_, near_, suspects_;
  typename Body::Work work_;
  typename Body::Normal normal_;
  RulePiece<Mechanics, Family> rule_;
  ShadowPiece<2, Mechanics, Family> shadow2_;
  ShadowPiece<4, Mechanics, Family> shadow4_;
  InterpolatedPiece<Mechanics, Family> interpolated_;
  HeldPiece<Body, Family> held_piece_;
  Instant<Mechanics, Family> instant_;
  Acts<Real> acts_;
  Impulse<Mechanics, Family> impulse_;
  Irregularities irregular_;
};

}  // namespace ricochet::tangent
