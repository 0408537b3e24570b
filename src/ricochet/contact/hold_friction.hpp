// Persistent contact with Coulomb friction: which closed gaps stick, slide or let go, and a flight that does it.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/contact/hold.hpp"
#include "ricochet/contact/rough_choice.hpp"
#include "ricochet/contact/spatial_slips.hpp"

namespace ricochet::contact {

/// As Hold, with friction. A contact that sticks keeps its slip coordinates ψ too: they are constraints like φ = 0. One
/// that slides is kicked along ∇φ − μ s·∇ψ instead of ∇φ, at both ends of a flight: second order. In the plane s is a
/// sign, kept until the slip rests; in space it turns, and spatial_slip.hpp (one rough contact) or spatial_slips.hpp
/// (several) has its means over the flight.
///
/// Modes are chosen anew at the start of every flight, from accelerations (complementarity/contact_modes.hpp). A flight
/// ends where a gap would pull, a slip comes to rest, or friction reaches its limit: `change` names it, `margin` is the
/// function whose root it is.
template <class Real>
class RoughHold : private RoughChoice<Real> {
 public:
  using Node = motion::Node<Real>;
  using Step = discrete::Step<Real>;
  using Vector = std::vector<Real>;

  struct Change {
    enum Kind { none, release, slip_rests, stick_breaks } kind = none;
    int gap = -1;
    bool operator==(const Change&) const = default;
  };

  bool any() const { return !gaps_.empty(); }
  bool holds(int gap) const { return std::find(gaps_.begin(), gaps_.end(), gap) != gaps_.end(); }
  const motion::GapList& gaps() const { return gaps_; }
  std::string names(const motion::Body<Real>& body) const {
    std::string text;
    for (const int i : gaps_) text.append(text.empty() ? "" : "+").append(body.gap_name(i));
    return text;
  }
  /// Whether Coulomb's law had several solutions at the last choice.
  bool ambiguous() const { return ambiguous_; }

  /// What a change means for the next choice; all of it is forgotten at a new step or an impact.
  void note(const Change& change) {
    std::erase(broken_, change.gap);
    if (change.kind == Change::slip_rests) {
      rested_.push_back(change.gap);
      rested_.insert(rested_.end(), stopped_.begin(), stopped_.end());
    }
    if (change.kind == Change::stick_breaks) broken_.push_back(change.gap);
  }
  void forget() {
    rested_.clear();
    broken_.clear();
  }

  void choose_nothing() { ambiguous_ = false; }
  void choose(const motion::Body<Real>& body, const Node& node, Real h, const motion::GapList& near,
              const motion::GapList& released) {
    gaps_.clear();
    rows_.clear();
    slides_.clear();
    spatial_ = ambiguous_ = false;
    for (int j = 0; j < body.constraints(); ++j) keep_row(body.gaps() + j, Real(0), -1);
    gaps_ = motion::GapList(rows_.size());
    for (std::size_t j = 0; j < rows_.size(); ++j) gaps_[j] = rows_[j].id;
    candidates_.clear();
    for (const int i : near) {
      if (contains(released, i)) continue;
      const auto contact = body.contact(i, node, h, normal_);
      if (closed(contact) && resting(contact)) candidates_.push_back(i);
    }
    if (!candidates_.empty()) {
      pose(body, node, h, candidates_);
      decide(body, node, modes_.solve());
      slide_contact_.clear();
      for (std::size_t i = 0; i < candidates_.size(); ++i) take(body, node, i);
      if (spatial_) turn();
    }
    rested_.clear();
  }

  /// A flight on the held gaps; p at its end is tangent to them.
  auto fly(const motion::Body<Real>& body, motion::Flier<Real>& closure, const Node& from, Step step, Node& out) {
    if (!(step.s > 0)) {
      out = from;
      return closure.fly(from, step, out);
    }
    set_directions(step.s);
    measure(body, from, step.h, start_);
    const std::size_t k = rows_.size();
    Vector lambda = start_.reaction(), r(k);
    for (Real& x : lambda) x *= step.s / 2;
    const bool brief = step.s <= Real(tolerances::brief) * step.h;  // as in Hold
    discrete::Interval<Real> interval;
    Real last = std::numeric_limits<Real>::infinity();
    for (int it = 0;; ++it) {
      kicked_ = from;
      for (std::size_t i = 0; i < k; ++i) body.kick(kicked_, start_.columns[i], lambda[i]);
      interval = closure.fly(kicked_, step, out);
      Real worst = 0;
      for (std::size_t i = 0; i < k; ++i) {
        r[i] = body.gap(rows_[i].id, out) - (brief ? start_.value[i] : rows_[i].target);
        const auto d = static_cast<int>(i);
        const Real moved = step.s * (start_.rate_scale[i] + step.s * start_.acceleration_scale[i] +
                                     start_.W(d, d) * std::abs(lambda[i]));
        const Real rounding = 4 * std::numeric_limits<Real>::epsilon() * (start_.value_scale[i] + moved);
        worst = std::max(worst, r[i] == 0 ? Real(0) : std::abs(r[i]) / rounding);
      }
      if (worst <= 1 || (it > 4 && worst <= 64 && worst >= last / 2)) break;
      if (!(it < 60) || !std::isfinite(worst))
        throw Error(ErrorKind::no_convergence, "the held contact " + names(body) + " was not found over a flight",
                    body.state(from));
      last = worst;
      if (it == 0) {
        // Simplified Newton: ∂φ_i(end)/∂λ_j ≈ s ∇φ_i(end) M⁻¹ d_j(start), d the direction of the kick.
        measure(body, out, step.h, end_);
        J_.resize(static_cast<int>(k));
        for (std::size_t i = 0; i < k; ++i) {
          J_.set_scale(static_cast<int>(i), std::sqrt(start_.W(static_cast<int>(i), static_cast<int>(i))));
          for (std::size_t j = 0; j < k; ++j)
            J_(static_cast<int>(i), static_cast<int>(j)) = step.s * body.couple(end_.normals[i], start_.columns[j]);
        }
      }
      J_.solve(r);
      for (std::size_t i = 0; i < k; ++i) lambda[i] -= r[i];
    }
    account(start_, lambda, interval);
    // What Newton left is rounding of the whole sum; take it out of q, where it may have digits of its own.
    for (std::size_t s = 0; s < slides_.size(); ++s)
      if (slides_[s].tangents == 2) slides_[s].slip = means_[s].end;
    measure(body, out, step.h, end_);
    end_.W.solve(r);
    for (std::size_t i = 0; i < k; ++i) body.nudge(out, end_.normals[i], -r[i]);
    make_tangent(body, out, step.h, interval);
    for (std::size_t s = 0; s < slides_.size(); ++s) {
      if (slides_[s].tangents != 2) continue;
      slides_[s].slip = means_[s].last;
      slides_[s].here = true;
    }
    if (spatial_ && rests_after_ <= step.s) stop(body, out, step.h, interval);
    interval.has_excess = false;  // relative to the kicked momentum, not to the node's
    return interval;
  }

  /// What cannot go on at a node, if anything.
  Change change(const motion::Body<Real>& body, const Node& node, Real h) {
    measure(body, node, h, end_);
    const Vector R = end_.reaction();
    for (std::size_t s = 0; s < slides_.size(); ++s)
      if (slides_[s].tangents == 2 ? flown_ > rests_after_ && means_[s].rests <= rests_after_
                                   : end_.slip_along(slides_, s) < -end_.slip_tolerance[s])
        return {Change::slip_rests, slides_[s].gap};
    Change worst;
    Real most = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].id < 0 || rows_[i].id >= body.gaps()) continue;  // constraints may pull
      const auto d = static_cast<int>(i);
      if (const Real scaled = R[i] * end_.W(d, d) + end_.tolerance[i]; scaled < most) {
        most = scaled;
        worst = {Change::release, rows_[i].id};
      }
      if (rows_[i].sticks == 0) continue;
      Real rounding = 0;
      for (std::size_t a = 1; a <= rows_[i].sticks; ++a)
        rounding += end_.tolerance[i + a] / end_.W(static_cast<int>(i + a), static_cast<int>(i + a));
      if (const Real left = limit(R, i) + rounding + rows_[i].mu * end_.tolerance[i] / end_.W(d, d);
          left * end_.W(d, d) < most) {
        most = left * end_.W(d, d);
        worst = {Change::stick_breaks, rows_[i].id};
      }
    }
    // Where supports are redundant the reactions are not unique: others may keep all as it is.
    return worst.kind != Change::none && others_suffice(body, node, h) ? Change{} : worst;
  }
  /// The length of the flight after which a spatial slip rests, if that is the change.
  std::optional<Real> rest_of(const Change& change) const {
    if (change.kind != Change::slip_rests) return std::nullopt;
    for (std::size_t s = 0; s < slides_.size(); ++s)
      if (slides_[s].gap == change.gap && slides_[s].tangents == 2) return rests_after_;
    return std::nullopt;
  }
  /// Positive before a change, zero where it happens.
  Real margin(const motion::Body<Real>& body, const Node& node, Real h, const Change& change) {
    measure(body, node, h, end_);
    if (change.kind == Change::slip_rests) {
      for (std::size_t s = 0; s < slides_.size(); ++s)
        if (slides_[s].gap == change.gap) return end_.slip_along(slides_, s);
      return 0;
    }
    const Vector R = end_.reaction();
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].id == change.gap) return change.kind == Change::release ? R[i] : limit(R, i);
    return 0;
  }
  /// Whether several rough gaps are held: their reactions need not be unique, and what `margin` sees of them, those of
  /// least norm, need not be what decides.
  bool several() const {
    return std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.mu > 0; }) > 1;
  }

 private:
  using Choice = RoughChoice<Real>;
  using Choice::contains, Choice::pose, Choice::decide, Choice::others_suffice;
  using Choice::gaps_, Choice::candidates_, Choice::rested_, Choice::broken_, Choice::ambiguous_;
  using Choice::measure, Choice::account, Choice::rows_, Choice::slides_, Choice::slip_row;
  using Choice::modes_, Choice::posed_rate_;
  using typename Choice::Measured, typename Choice::Row, typename Choice::Slide;

  void keep_row(int id, Real target, int slide) { rows_.push_back({id, target, slide, 0, Real(0)}); }

  // ---- choosing ----------------------------------------------------------------------------------------------------

  void take(const motion::Body<Real>& body, const Node& node, std::size_t candidate) {
    using complementarity::ContactMode;
    const int gap = candidates_[candidate];
    const auto& c = modes_.contacts[candidate];
    if (c.mode == ContactMode::open) return;
    gaps_.push_back(gap);
    keep_row(gap, Real(0), -1);
    Row& row = rows_.back();
    row.mu = c.mu;
    if (c.mode == ContactMode::slide) {
      row.slide = static_cast<int>(slides_.size());
      slides_.push_back({gap, c.tangents, c.mu, c.slip});
      slide_contact_.push_back(candidate);
      spatial_ = spatial_ || c.tangents == 2;
    } else if (c.mode == ContactMode::stick) {
      row.sticks = static_cast<std::size_t>(c.tangents);
      for (int a = 0; a < c.tangents; ++a) keep_row(slip_row(gap, a), body.gap(slip_row(gap, a), node), -1);
    }
  }
  /// Contacts slide in space: what their slips will do.
  void turn() {
    rests_after_ = std::numeric_limits<Real>::infinity();
    alone_ = std::count_if(modes_.contacts.begin(), modes_.contacts.end(),
                           [](const auto& c) { return c.tangents > 0; }) == 1;
    if (!alone_) slips_.begin(modes_);
    for (const std::size_t n : slide_contact_) {
      const auto& c = modes_.contacts[n];
      if (c.tangents != 2) continue;
      const auto t = static_cast<std::size_t>(c.normal) + 1;
      std::array<Real, 2> u{};
      if (c.slips) u = {posed_rate_[t], posed_rate_[t + 1]};
      if (!alone_) {
        slips_.add(n, u);
        continue;
      }
      typename SpatialSlip<Real>::Matrix W;
      typename SpatialSlip<Real>::Vector a;
      modes_.reduce(c, W, a);
      spatial_slip_ = SpatialSlip<Real>(W, a, c.mu, u, c.slip);
    }
  }

  // ---- flying ------------------------------------------------------------------------------------------------------

  /// The directions of slips in space for a flight of this length; those of its start are set.
  void set_directions(Real length) {
    flown_ = length;
    stopped_.clear();
    if (!spatial_) return;
    means_.assign(slides_.size(), {});
    if (alone_) {
      means_.front() = spatial_slip_.over(length);
      rests_after_ = means_.front().rests;
    } else {
      rests_after_ = slips_.over(length, slip_means_);
    }
    std::size_t n = 0;
    for (std::size_t s = 0; s < slides_.size(); ++s) {
      if (slides_[s].tangents != 2) continue;
      if (!alone_) means_[s] = slip_means_[n++];
      slides_[s].slip = means_[s].start;
      slides_[s].here = false;
    }
  }

  /// Kicks p along the columns so that every held rate vanishes; twice, for the rounding.
  template <class Interval>
  void make_tangent(const motion::Body<Real>& body, Node& node, Real h, Interval& interval) {
    measure(body, node, h, end_);
    Vector nu = end_.rate;
    end_.G.solve(nu);
    kick(body, node, nu);
    measure(body, node, h, end_);
    Vector more = end_.rate;
    end_.G.solve(more);
    kick(body, node, more);
    for (std::size_t i = 0; i < nu.size(); ++i) nu[i] = -nu[i] - more[i];
    account(end_, nu, interval);
  }
  /// Slips in space rest at this node: takes from them what the change of forces during the flight has left, O(h²).
  template <class Interval>
  void stop(const motion::Body<Real>& body, Node& node, Real h, Interval& interval) {
    const std::vector<Row> rows = rows_;
    for (std::size_t i = rows.size(); i-- > 0;) {
      if (rows[i].slide < 0) continue;
      const auto s = static_cast<std::size_t>(rows[i].slide);
      if (slides_[s].tangents != 2 || !(means_[s].rests <= flown_)) continue;
      stopped_.push_back(rows[i].id);
      rows_[i].slide = -1;
      for (int a = 0; a < 2; ++a) keep_row(slip_row(rows[i].id, a), Real(0), -1);
    }
    for (int pass = 0; pass < 2; ++pass) {
      measure(body, node, h, end_);
      Vector nu = end_.rate;
      end_.G.solve(nu);
      kick(body, node, nu);
      for (std::size_t i = 0; i < nu.size(); ++i) interval.dissipated += nu[i] * end_.rate[i] / 2, nu[i] = -nu[i];
      account(end_, nu, interval);
    }
    rows_ = rows;
  }
  void kick(const motion::Body<Real>& body, Node& node, const Vector& nu) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) body.kick(node, end_.columns[i], -nu[i]);
  }

  /// μλ − |τ| of the gap in row i, which sticks.
  Real limit(const Vector& R, std::size_t i) const {
    Real tau = 0;
    for (std::size_t a = 1; a <= rows_[i].sticks; ++a) tau = std::hypot(tau, R[i + a]);
    return rows_[i].mu * R[i] - tau;
  }

  motion::GapList stopped_;
  Measured start_, end_;
  numerics::LeastNorm<Real> J_;
  Node kicked_;
  motion::Covector normal_;
  SpatialSlip<Real> spatial_slip_;  // of the slide in space, if it is the only rough contact
  SpatialSlips<Real> slips_;        // of the slides in space otherwise
  std::vector<typename SpatialSlip<Real>::Means> means_, slip_means_;  // of slides_, of slips_
  std::vector<std::size_t> slide_contact_;                             // which of modes_ slides
  Real flown_ = 0, rests_after_ = 0;  // lengths: of the last flight, and until a slip in space rests
  bool spatial_ = false, alone_ = false;
};

}  // namespace ricochet::contact
