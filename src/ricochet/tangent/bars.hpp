// The tangent of bars under the strong principle (Demoures 2016, integrator 1): O(nodes) per step and direction.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <optional>
#include <utility>

#include "ricochet/bodies/bars.hpp"
#include "ricochet/numerics/factor.hpp"
#include "ricochet/principle/strong.hpp"
#include "ricochet/tangent/irregular.hpp"

namespace ricochet::tangent {

/// What tangent/tangent.hpp does for systems in generalized coordinates, for bodies::Bars: an observer of the run that
/// differentiates the flights and events it took. Normals and masses are constant here, and the stiffness couples
/// neighbours only, so no matrix of the size of the system is ever formed.
template <class Real, class Closure = closure::Variational>
class BarsTangent {
 public:
  using Body = bodies::Bars<Real>;
  using Node = typename Body::Node;
  using Step = typename Body::Step;
  using Run = principle::Strong<Body, Closure>;
  using Laws = principle::ImpactLaws<Body>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  ///< a row per node
  using Row = Eigen::Matrix<Real, 1, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Index = Eigen::Index;

  BarsTangent(const Run& run, Laws laws) : run_(run), body_(run.body()), laws_(std::move(laws)) {
    if (laws_.restitution && !laws_.constant_restitution)
      throw Error(ErrorKind::invalid_model, "the tangent of bars needs a constant restitution");
    const auto n = static_cast<Index>(body_.chain().nodes());
    inverse_mass_.resize(n);
    for (Index a = 0; a < n; ++a)
      inverse_mass_[a] = body_.chain().fixed(at(a)) ? Real(0) : 1 / body_.chain().mass(at(a));
  }

  /// Starts anew with a column per direction: δq above δp. Fixed ends do not vary.
  void follow(const Matrix& state) {
    const Index n = inverse_mass_.size();
    q_ = state.topRows(n);
    p_ = state.bottomRows(n);
    t_.setZero(state.cols());
    for (Index a = 0; a < n; ++a)
      if (inverse_mass_[a] == 0) q_.row(a).setZero(), p_.row(a).setZero();
  }
  Matrix columns() const {
    Matrix m(2 * q_.rows(), q_.cols());
    m << q_, p_;
    return m;
  }
  const Irregularities& irregularities() const { return irregular_; }

  // ---- what the run tells ------------------------------------------------------------------------------------------

  template <class Interval, class Trace, class GapAt>
  void flight(const Node& from, Step step, const Interval&, const Trace&, const GapAt&) {
    from_ = from;
    step_ = step;
    held_ = run_.held();
    if (!std::exchange(begun_, true))
      for (const int i : held_) flag(IrregularKind::held_start, from.t, i);
  }
  template <class Event>
  void impact(const Event& e) {
    int gap = -1, approaching = 0;
    for (int i = 0; i < e.active.size(); ++i)
      if (const auto& contact = e.active.contact(i); e.active.seen_by_law().v[i] < -contact::rate_tolerance(contact))
        ++approaching, gap = contact.gap;
    if (approaching > 1) flag(IrregularKind::simultaneous, e.t, gap, e.number);
    end_piece([&] { return gap_row(gap, q_); });
    jump(e, gap);
    accumulated_ = false;
  }
  template <class A>
  void accumulation(const A&) {
    accumulated_ = true;
  }
  void arrive(long long, const Node& node) { arrived_ = node; }
  void graze(int gap, const Node& node) {
    flag(IrregularKind::grazing, node.t, gap);
    end_piece([&] { return gap_row(gap, q_); });
  }
  void contact(int gap, Real, bool begins) {
    if (!arrived_) return;
    const Node node = *std::exchange(arrived_, std::nullopt);
    if (begins) flag(IrregularKind::touch_down, node.t, gap);
    end_piece([&] { return begins ? Row(Row::Constant(q_.cols(), std::nan(""))) : reaction_row(gap, node); });
  }
  template <class Interval>
  void node(long long, const Node&, const Interval&) {
    const Index k = directions();
    add_columns(pending_ ? 1 : 0);
    Row ds = Row::Zero(q_.cols());
    ds.head(k) = -t_.head(k);
    if (pending_) set_pending(k);
    fly(ds);
    if (pending_) settle(k);
    keep(k);
    t_.setZero();
  }

 private:
  static typename bodies::Chain<Real>::Index at(Index a) { return static_cast<typename bodies::Chain<Real>::Index>(a); }
  Index directions() const { return t_.size(); }
  void add_columns(Index more) {
    const Index k = q_.cols();
    q_.conservativeResize(Eigen::NoChange, k + more);
    p_.conservativeResize(Eigen::NoChange, k + more);
    q_.rightCols(more).setZero();
    p_.rightCols(more).setZero();
  }
  void keep(Index k) {
    if (q_.cols() == k) return;
    q_.conservativeResize(Eigen::NoChange, k);
    p_.conservativeResize(Eigen::NoChange, k);
  }

  // ---- flights: p_½ = p + ½s f(q), q' = q + s p_½/m, p' = p_½ + ½s f(q') -------------------------------------------

  /// δp += ½s δf(q) + ½f(q) δs, element by element; `force` keeps f(q).
  void kick(const std::vector<Real>& q, const Matrix& dq, Real s, const Row* ds) {
    const auto& chain = body_.chain();
    force_.setZero(inverse_mass_.size());
    for (int b = 0; b < chain.segments(); ++b) {
      const auto& segment = chain.segment(b);
      for (auto e = segment.first; e < segment.last; ++e) {
        const auto a = static_cast<Index>(e);
        const Real stretch = q[static_cast<std::size_t>(e) + 1] - q[static_cast<std::size_t>(e)];
        const Real tension = segment.tension(e, stretch), k = segment.stiffness(e, stretch);
        force_[a] += tension;
        force_[a + 1] -= tension;
        scratch_ = (s / 2 * k) * (dq.row(a + 1) - dq.row(a));
        if (inverse_mass_[a] != 0) p_.row(a) += scratch_;
        if (inverse_mass_[a + 1] != 0) p_.row(a + 1) -= scratch_;
      }
    }
    if (ds != nullptr)
      for (Index a = 0; a < force_.size(); ++a)
        if (inverse_mass_[a] != 0) p_.row(a) += (force_[a] / 2) * *ds;
  }
  /// The free flight from from_ with the momentum `p`; δE of its interval in energy_. Leaves the end in end_q_, end_p_.
  void fly_free(const std::vector<Real>& p, const Row& ds) {
    const Index n = inverse_mass_.size();
    const Real s = step_.s;
    const bool varies = !(ds.array() == Real(0)).all();
    kick(from_.q, q_, s, varies ? &ds : nullptr);
    energy_ = -force_.transpose() * q_ / 2;
    end_q_ = from_.q;
    end_p_ = p;
    for (Index a = 0; a < n; ++a) {
      const auto i = static_cast<std::size_t>(a);
      if (inverse_mass_[a] == 0) continue;
      end_p_[i] += s / 2 * force_[a];
      const Real v = inverse_mass_[a] * end_p_[i];
      end_q_[i] += s * v;
      energy_ += v * p_.row(a);
      q_.row(a) += (s * inverse_mass_[a]) * p_.row(a);
      if (varies) q_.row(a) += v * ds;
    }
    kick(end_q_, q_, s, varies ? &ds : nullptr);
    energy_ -= force_.transpose() * q_ / 2;
    for (Index a = 0; a < n; ++a)
      if (inverse_mass_[a] != 0) end_p_[static_cast<std::size_t>(a)] += s / 2 * force_[a];
  }
  void fly(const Row& ds) {
    if (held_.empty() || !(step_.s > 0)) {
      fly_free(from_.p, ds);
      return;
    }
    // RATTLE (contact/held.hpp): one more column per reaction; no two gaps share a tip, and normals are constant.
    const Index k = q_.cols(), c = static_cast<Index>(held_.size());
    const std::vector<Real> kicked = reaction_momentum();
    add_columns(c);
    for (Index i = 0; i < c; ++i) add_normal(p_, held_[static_cast<std::size_t>(i)], k + i, Real(1));
    Row all = Row::Zero(k + c);
    all.head(k) = ds;
    fly_free(kicked, all);
    Matrix gaps(c, k + c);
    for (Index i = 0; i < c; ++i) gaps.row(i) = gap_row(held_[static_cast<std::size_t>(i)], q_);
    using Columns = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
    const Matrix l = -numerics::Lu<Columns>(gaps.rightCols(c))(Columns(gaps.leftCols(k)));
    q_.leftCols(k) += q_.rightCols(c) * l;
    p_.leftCols(k) += p_.rightCols(c) * l;
    energy_.head(k) += energy_.tail(c) * l;
    keep(k);
    energy_.conservativeResize(k);
    for (const int i : held_) {
      const Row nu = rate_row(i) / weight(i);
      for_tips(i, [&](Index a, Real sign) { p_.row(a) -= sign * nu; });
    }
  }
  /// p kicked so that the held gaps stay closed over the flight.
  std::vector<Real> reaction_momentum() {
    std::vector<Real> p = from_.p;
    Node kicked = from_, out = from_;
    for (int it = 0; it < 50; ++it) {
      kicked.p = p;
      body_.fly(kicked, step_, out, work_);
      Real worst = 0;
      for (const int i : held_) {
        const Real r = body_.gap(i, out), lambda = -r / (step_.s * weight(i));
        worst = std::max(worst, std::abs(r));
        for_tips(i, [&](Index a, Real sign) { p[static_cast<std::size_t>(a)] += sign * lambda; });
      }
      if (worst == 0 || it > 3) break;  // a tip moves by s λ/m exactly: one step would do but for rounding
    }
    return p;
  }

  // ---- gaps --------------------------------------------------------------------------------------------------------

  template <class F>
  void for_tips(int gap, F&& each) const {
    const auto& link = body_.chain().link(gap);
    if (link.left >= 0 && inverse_mass_[static_cast<Index>(link.left)] != 0)
      each(static_cast<Index>(link.left), Real(-1));
    if (link.right >= 0 && inverse_mass_[static_cast<Index>(link.right)] != 0)
      each(static_cast<Index>(link.right), Real(1));
  }
  void add_normal(Matrix& m, int gap, Index column, Real by) const {
    for_tips(gap, [&](Index a, Real sign) { m(a, column) += sign * by; });
  }
  Real weight(int gap) const {
    Real w = 0;
    for_tips(gap, [&](Index a, Real) { w += inverse_mass_[a]; });
    return w;
  }
  Row gap_row(int gap, const Matrix& q) const {
    Row row = Row::Zero(q.cols());
    for_tips(gap, [&](Index a, Real sign) { row += sign * q.row(a); });
    return row;
  }
  Row rate_row(int gap) const {
    Row row = Row::Zero(p_.cols());
    for_tips(gap, [&](Index a, Real sign) { row += sign * inverse_mass_[a] * p_.row(a); });
    return row;
  }
  /// δφ̈, which vanishes with the reaction of the gap.
  Row reaction_row(int gap, const Node& node) {
    Row row = Row::Zero(q_.cols());
    for_tips(gap, [&](Index a, Real sign) {
      const auto& segment = body_.chain().segment(body_.chain().segment_of(at(a)));
      for (const auto e : {at(a) - 1, at(a)}) {
        if (e < segment.first || e >= segment.last) continue;
        const auto i = static_cast<std::size_t>(e);
        const Real k = segment.stiffness(e, node.q[i + 1] - node.q[i]);
        const Index left = static_cast<Index>(e);
        const Real towards = left == a ? Real(1) : Real(-1);
        row += (sign * towards * inverse_mass_[a] * k) * (q_.row(left + 1) - q_.row(left));
      }
    });
    return row;
  }

  // ---- events ------------------------------------------------------------------------------------------------------

  template <class Vanishing>
  void end_piece(Vanishing&& vanishing) {
    const Index k = directions(), all = k + (pending_ ? 1 : 0);
    add_columns(all + 1 - k);
    if (pending_) set_pending(k);
    Row unit = Row::Zero(all + 1);
    unit[all] = 1;
    fly(unit);
    const Row row = vanishing();
    const Row ds = -row.head(all) / row[all];
    q_.leftCols(all) += q_.col(all) * ds;
    p_.leftCols(all) += p_.col(all) * ds;
    energy_.head(all) += energy_[all] * ds;
    t_ += ds.head(k);
    if (pending_) settle(k, ds[k]);
    arrived_energy_ = energy_.head(k);
    keep(k);
  }
  void set_pending(Index column) {
    for (const auto& [gap, lambda] : pending_->impulses) add_normal(p_, gap, column, lambda);
  }
  /// δμ from E⁺ = E⁻ − D; `ds` is what a unit of μ adds to the length of the piece.
  void settle(Index k, Real ds = 0) {
    const Row mu = (pending_->known - energy_.head(k)) / energy_[k];
    q_.leftCols(k) += q_.col(k) * mu;
    p_.leftCols(k) += p_.col(k) * mu;
    energy_.head(k) += energy_[k] * mu;
    t_ += ds * mu;
    pending_.reset();
  }

  /// W is diagonal (errata D19): every acting gap reflects on its own; one scalar for the energy.
  template <class Event>
  void jump(const Event& e, int gap) {
    const auto& law = e.law;
    if (law.kind() == mechanics::LawKind::user)
      throw Error(ErrorKind::invalid_model, "the derivative of a user's impact law is not known");
    bool conservative = true;
    Real smallest = 1;
    if (law.uses_restitution())
      for (int i = 0; i < e.active.size(); ++i) smallest = std::min(smallest, e.active.restitution(i));
    conservative = smallest == 1;
    bool balanced = conservative ? run_.closure().balances() : laws_.dissipation == principle::Dissipation::balance;
    const long long reflections = run_.fallbacks(principle::Fallback::reflection);
    if (balanced && reflections > reflections_) {
      flag(IrregularKind::fallback, e.t, gap, e.number);
      balanced = false;
    }
    reflections_ = reflections;
    constexpr Real close = Real(1e-12);
    if (balanced && (e.alpha <= close || e.alpha >= 1 - close)) flag(IrregularKind::grid_node, e.t, gap, e.number);

    Pending pending;
    pending.known = arrived_energy_;
    for (int i = 0; i < e.active.size(); ++i) {
      const auto& contact = e.active.contact(i);
      const Real W = weight(contact.gap), rate = contact.rate;
      const bool entered = contact.gap == gap && !contact::approaching(contact);
      if (entered || (contact::approaching(contact) && -rate <= Real(1e-7) * speed(contact.gap, e.before)))
        flag(IrregularKind::grazing, e.t, contact.gap, e.number);
      if (e.active.lambda(i) == 0 && !accumulated_) continue;
      const Real own = !law.uses_restitution()                       ? Real(1)
                       : law.kind() == mechanics::LawKind::canonical ? smallest
                                                                     : e.active.restitution(i);
      const Real restitution = accumulated_ ? Real(0) : own;
      const Row d_rate = rate_row(contact.gap), d_lambda = -(1 + restitution) / W * d_rate;
      pending.impulses.emplace_back(contact.gap, -(1 + restitution) * rate / W);
      // D = ½(1−e²) φ̇²/W
      if (!conservative) pending.known -= (1 - restitution * restitution) * rate / W * d_rate;
      const Real mu = accumulated_ ? Real(1) : e.mu;
      for_tips(contact.gap, [&](Index a, Real sign) { p_.row(a) += (sign * mu) * d_lambda; });
    }
    if (balanced && !accumulated_) pending_ = std::move(pending);
  }
  Real speed(int gap, const Node& node) const {
    Real v = 0;
    for_tips(gap, [&](Index a, Real) { v += std::abs(inverse_mass_[a] * node.p[static_cast<std::size_t>(a)]); });
    return v;
  }
  void flag(IrregularKind kind, Real t, int gap, long long impact = 0) {
    irregular_.add({kind, static_cast<double>(t), impact, gap >= 0 ? body_.gap_name(gap) : std::string()});
  }

  struct Pending {
    std::vector<std::pair<int, Real>> impulses;  ///< Σλ_i∇φ_i, which μ scales
    Row known;
  };

  const Run& run_;
  const Body& body_;
  Laws laws_;
  Vector inverse_mass_, force_;
  Matrix q_, p_;
  Row t_, energy_, arrived_energy_, scratch_;
  std::optional<Pending> pending_;
  std::optional<Node> arrived_;
  bool accumulated_ = false, begun_ = false;
  long long reflections_ = 0;
  Node from_;
  Step step_{};
  motion::GapList held_;
  std::vector<Real> end_q_, end_p_;
  typename Body::Work work_;
  Irregularities irregular_;
};

}  // namespace ricochet::tangent
