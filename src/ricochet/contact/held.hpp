// Persistent contact: which closed gaps are held, a flight that stays on them, and when something of it changes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/contact/held_choice.hpp"
#include "ricochet/contact/spatial_slips.hpp"
#include "ricochet/contact/unions.hpp"

namespace ricochet::contact {

/// The held gaps (closed, resting, and not opening under the reactions of the others) and the bilateral constraints.
///
/// A flight on them is RATTLE made of `fly` and `kick`: kick p by Σλ_i∇φ_i, fly, solve φ_i = 0 for λ, project p on the
/// tangent space. A rough contact that sticks keeps its slip coordinates ψ too: they are constraints like φ = 0. One
/// that slides is kicked along ∇φ − μ s·∇ψ instead of ∇φ, at both ends of a flight: second order. In the plane s is a
/// sign, kept until the slip rests; in space it turns, and spatial_slip.hpp (one rough contact) or spatial_slips.hpp
/// (several) has its means over the flight.
///
/// What is held is chosen anew at the start of every flight, from accelerations. A flight ends where a gap would pull
/// (at the root of its instantaneous reaction R(q,p), not at the sign of the flight's λ, which is only first order), a
/// slip comes to rest, or friction reaches its limit: `change` names it, `margin` is the function whose root it is.
template <class Real>
class Held : private HeldChoice<Real> {
 public:
  using Node = motion::Node<Real>;
  using Step = discrete::Step<Real>;
  using Interval = discrete::Interval<Real>;
  using Vector = std::vector<Real>;

  struct Change {
    enum Kind { none, release, slip_rests, stick_breaks, hands_over } kind = none;
    int gap = -1;
    bool operator==(const Change&) const = default;
  };

  bool any() const { return !gaps_.empty(); }
  bool holds(int gap) const { return contains(gaps_, gap); }
  const motion::GapList& gaps() const { return gaps_; }
  /// How many rough gaps are held.
  int rough() const {
    return static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.mu > 0; }));
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

  // ---- choosing ----------------------------------------------------------------------------------------------------

  /// Holds these, without friction, whether they rest or not.
  void keep(const motion::GapList& gaps) {
    begin_choice();
    for (const int i : gaps) hold(i);
  }
  /// The choice where nothing is near and nothing was held.
  void choose_nothing() { ambiguous_ = false; }
  /// Chooses anew at the start of a flight. `near` lists the gaps that may be closed; `released` let go in this step
  /// and are not taken back.
  void choose(const motion::Island<Real>& island, const Node& node, Real h, const motion::GapList& near,
              const motion::GapList& released) {
    begin_choice();
    for (int j = 0; j < island.constraints(); ++j) hold(island.gaps() + j);
    candidates_.clear();
    for (const int i : near) {
      if (contains(released, i)) continue;
      const auto contact = island.contact(i, node, h, normal_);
      if (closed(contact) && resting(contact) && (island.unions_of(i).empty() || unions_.holds(island, node, h, i)))
        candidates_.push_back(i);
    }
    if (!candidates_.empty()) {
      pose(island, node, h, candidates_);
      decide(island, node, find_modes());
      for (std::size_t i = 0; i < candidates_.size(); ++i) take(island, node, i);
      if (spatial_) turn();
    }
    rested_.clear();
  }

  // ---- flying ------------------------------------------------------------------------------------------------------

  /// A flight on the held gaps; p at its end is tangent to them.
  Interval fly(const motion::Island<Real>& island, motion::Flier<Real>& closure, const Node& from, Step step,
               Node& out) {
    if (!(step.s > 0)) {
      out = from;
      return closure.fly(from, step, out);
    }
    set_directions(step.s);
    measure(island, from, step.h, start_);
    reactions(start_, lambda_);
    for (Real& x : lambda_) x *= step.s / 2;
    Interval interval = solve_flight(island, closure, from, step, out);
    account(start_, lambda_, interval);
    // What Newton left is rounding of the whole sum; take it out of q, where it may have digits of its own.
    for (std::size_t s = 0; s < slides_.size(); ++s)
      if (slides_[s].tangents == 2) slides_[s].slip = means_[s].end;
    measure(island, out, step.h, end_);
    end_.W.solve(left_);
    for (std::size_t i = 0; i < rows_.size(); ++i) island.nudge(out, end_.normals[i], -left_[i]);
    make_tangent(island, out, step.h, interval);
    for (std::size_t s = 0; s < slides_.size(); ++s) {
      if (slides_[s].tangents != 2) continue;
      slides_[s].slip = means_[s].last;
      slides_[s].here = true;
    }
    if (spatial_ && rests_after_ <= step.s) stop(island, out, step.h, interval);
    interval.has_excess = false;  // relative to the kicked momentum, not to the node's
    return interval;
  }

  /// Kicks p so that every held rate vanishes.
  void make_tangent(const motion::Island<Real>& island, Node& node, Real h, Interval& interval) {
    take_rates(island, node, h);
    given_ = impulse_;
    take_rates(island, node, h);  // the rounding of the first time
    for (std::size_t i = 0; i < rows_.size(); ++i) impulse_[i] += given_[i];
    account(end_, impulse_, interval);
  }
  /// The multiple of ∇φ with which the last flight, or make_tangent, took the rate of a gap away: where it is negative,
  /// it pulled.
  Real given(int gap) const {
    return given_[static_cast<std::size_t>(std::find(gaps_.begin(), gaps_.end(), gap) - gaps_.begin())];
  }

  // ---- changing ----------------------------------------------------------------------------------------------------

  /// What cannot go on at a node, if anything.
  Change change(const motion::Island<Real>& island, const Node& node, Real h) {
    measure(island, node, h, end_);
    reactions(end_, R_);
    for (std::size_t s = 0; s < slides_.size(); ++s)
      if (slides_[s].tangents == 2 ? flown_ > rests_after_ && means_[s].rests <= rests_after_
                                   : end_.slip_along(slides_[s], s) < -end_.slip_tolerance[s])
        return {Change::slip_rests, slides_[s].gap};
    const auto open = [&](int i) {
      if (holds(i)) return false;
      const auto contact = island.contact(i, node, h, normal_);
      return contact.value > tolerance(contact);
    };
    for (const Row& row : rows_)
      if (island.covered(row.id, open)) return {Change::hands_over, row.id};
    Change worst;
    Real most = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].id < 0 || rows_[i].id >= island.gaps()) continue;  // constraints may pull
      const Real W = end_.stiffness(i), tolerance = acceleration_tolerance(end_.contacts[i]);
      if (const Real scaled = R_[i] * W + tolerance; scaled < most) {
        most = scaled;
        worst = {Change::release, rows_[i].id};
      }
      if (rows_[i].sticks == 0) continue;
      Real rounding = 0;
      for (std::size_t a = 1; a <= rows_[i].sticks; ++a)
        rounding += acceleration_tolerance(end_.contacts[i + a]) / end_.stiffness(i + a);
      if (const Real left = limit(i) + rounding + rows_[i].mu * tolerance / W; left * W < most) {
        most = left * W;
        worst = {Change::stick_breaks, rows_[i].id};
      }
    }
    // Where supports are redundant the reactions are not unique: others may keep all as it is.
    return worst.kind != Change::none && others_suffice(island, node, h) ? Change{} : worst;
  }
  /// The length of the flight after which a spatial slip rests, if that is the change.
  std::optional<Real> rest_of(const Change& change) const {
    if (change.kind != Change::slip_rests) return std::nullopt;
    for (const Slide& slide : slides_)
      if (slide.gap == change.gap && slide.tangents == 2) return rests_after_;
    return std::nullopt;
  }
  /// Positive before a change, zero where it happens.
  Real margin(const motion::Island<Real>& island, const Node& node, Real h, const Change& change) {
    if (change.kind == Change::hands_over) {
      Real least = std::numeric_limits<Real>::infinity();
      for (const int u : island.unions_of(change.gap)) {
        Real largest = -std::numeric_limits<Real>::infinity();
        for (const int i : island.branches(u))
          if (!holds(i)) largest = std::max(largest, island.gap(i, node));
        least = std::min(least, largest);
      }
      return -least;
    }
    measure(island, node, h, end_);
    if (change.kind == Change::slip_rests) {
      for (std::size_t s = 0; s < slides_.size(); ++s)
        if (slides_[s].gap == change.gap) return end_.slip_along(slides_[s], s);
      return 0;
    }
    reactions(end_, R_);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].id == change.gap) return change.kind == Change::release ? R_[i] : limit(i);
    return 0;
  }

 private:
  using Choice = HeldChoice<Real>;
  using Choice::contains, Choice::names_of, Choice::pose, Choice::find_modes, Choice::decide, Choice::others_suffice;
  using Choice::gaps_, Choice::candidates_, Choice::rested_, Choice::broken_, Choice::ambiguous_;
  using Choice::measure, Choice::solve, Choice::reactions, Choice::account, Choice::column, Choice::kick;
  using Choice::modes_, Choice::posed_rate_, Choice::rows_, Choice::slides_;
  using typename Choice::Measured, typename Choice::Row, typename Choice::Slide;

  void begin_choice() {
    gaps_.clear();
    rows_.clear();
    slides_.clear();
    slide_contact_.clear();
    spatial_ = ambiguous_ = false;
  }
  void hold(int gap) {
    gaps_.push_back(gap);
    rows_.push_back({gap});
  }
  void take(const motion::Island<Real>& island, const Node& node, std::size_t candidate) {
    using complementarity::ContactMode;
    const int gap = candidates_[candidate];
    const auto& c = modes_.contacts[candidate];
    if (c.mode == ContactMode::open) return;
    hold(gap);
    Row& row = rows_.back();
    row.mu = c.tangents > 0 ? c.mu : Real(0);
    if (c.mode == ContactMode::slide) {
      row.slide = static_cast<int>(slides_.size());
      slides_.push_back({gap, c.tangents, c.mu, c.slip});
      slide_contact_.push_back(candidate);
      spatial_ = spatial_ || c.tangents == 2;
    } else if (c.mode == ContactMode::stick) {
      row.sticks = static_cast<std::size_t>(c.tangents);
      for (int a = 0; a < c.tangents; ++a) {
        const int slip = motion::slip_row(gap, a);
        rows_.push_back({slip, island.gap(slip, node)});
      }
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

  /// Newton's method for the λ that lead to φ_i = 0; what is left of φ goes to left_.
  Interval solve_flight(const motion::Island<Real>& island, motion::Flier<Real>& closure, const Node& from, Step step,
                        Node& out) {
    constexpr Real roundings = 4 * std::numeric_limits<Real>::epsilon();
    const std::size_t k = rows_.size();
    left_.resize(k);
    // A flight of rounding length keeps what rounding left of φ: to take it out in no time would be a speed.
    const bool brief = step.s <= Real(tolerances::brief) * step.h;
    Real last = std::numeric_limits<Real>::infinity();
    for (int it = 0;; ++it) {
      kicked_ = from;
      kick(island, start_, kicked_, lambda_);
      const Interval interval = closure.fly(kicked_, step, out);
      Real worst = 0, worst_of_step = 0;  // relative to the rounding of this flight, and of a whole step
      for (std::size_t i = 0; i < k; ++i) {
        const auto& at_start = start_.contacts[i];
        left_[i] = island.gap(rows_[i].id, out) - (brief ? at_start.value : rows_[i].target);
        const Real moved = step.s * (at_start.rate_scale + step.s * at_start.acceleration_scale +
                                     start_.stiffness(i) * std::abs(lambda_[i]));
        const Real rounding = roundings * (at_start.value_scale + moved);
        const Real of_step = roundings * step.h * (at_start.rate_scale + step.h * at_start.acceleration_scale);
        worst = std::max(worst, left_[i] == 0 ? Real(0) : std::abs(left_[i]) / rounding);
        worst_of_step = std::max(worst_of_step, left_[i] == 0 ? Real(0) : std::abs(left_[i]) / (rounding + of_step));
      }
      // Interpolated curves are rounded like the step they are made of, however short they are.
      if (worst <= 1 || (it > 4 && (worst <= 64 || worst_of_step <= 1) && worst >= last / 2)) return interval;
      if (!(it < 60) || !std::isfinite(worst))
        throw Error(ErrorKind::no_convergence,
                    (gaps_.front() < island.gaps() ? "the held contact " : "the constraint ") +
                        names_of(island, gaps_) + " was not found over a flight",
                    island.state(from));
      last = worst;
      if (it == 0) {
        measure(island, out, step.h, end_);
        slides_.empty() ? begin_newton(island, step.s, J_) : begin_newton(island, step.s, J_sliding_);
      }
      slides_.empty() ? J_.solve(left_) : J_sliding_.solve(left_);
      for (std::size_t i = 0; i < k; ++i) lambda_[i] -= left_[i];
    }
  }
  /// Simplified Newton: ∂φ_i(end)/∂λ_j ≈ s ∇φ_i(end) M⁻¹ d_j(start), d the direction of the kick; symmetrised where
  /// nothing slides.
  void begin_newton(const motion::Island<Real>& island, Real s, numerics::Symmetric<Real>& J) const {
    const auto k = static_cast<int>(rows_.size());
    J.resize(k);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j)
        J(i, j) = s / 2 *
                  (island.couple(end_.normals[at(i)], start_.normals[at(j)]) +
                   island.couple(end_.normals[at(j)], start_.normals[at(i)]));
  }
  void begin_newton(const motion::Island<Real>& island, Real s, numerics::LeastNorm<Real>& J) const {
    const auto k = static_cast<int>(rows_.size());
    J.resize(k);
    for (int i = 0; i < k; ++i) {
      J.set_scale(i, std::sqrt(start_.stiffness(at(i))));
      for (int j = 0; j < k; ++j) J(i, j) = s * island.couple(end_.normals[at(i)], column(start_, at(j)));
    }
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// Measures, and takes the rates away by the impulses that impulse_ has then.
  void take_rates(const motion::Island<Real>& island, Node& node, Real h) {
    measure(island, node, h, end_);
    impulse_.resize(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) impulse_[i] = -end_.contacts[i].rate;
    solve(end_, impulse_);
    kick(island, end_, node, impulse_);
  }
  /// Slips in space rest at this node: takes from them what the change of forces during the flight has left, O(h²).
  void stop(const motion::Island<Real>& island, Node& node, Real h, Interval& interval) {
    rows_before_ = rows_;
    for (std::size_t i = rows_before_.size(); i-- > 0;) {
      const Row row = rows_before_[i];
      if (row.slide < 0) continue;
      const auto s = static_cast<std::size_t>(row.slide);
      if (slides_[s].tangents != 2 || !(means_[s].rests <= flown_)) continue;
      stopped_.push_back(row.id);
      rows_[i].slide = -1;
      for (int a = 0; a < 2; ++a) rows_.push_back({motion::slip_row(row.id, a)});
    }
    for (int pass = 0; pass < 2; ++pass) {
      take_rates(island, node, h);
      for (std::size_t i = 0; i < rows_.size(); ++i) interval.dissipated -= impulse_[i] * end_.contacts[i].rate / 2;
      account(end_, impulse_, interval);
    }
    rows_ = rows_before_;
  }

  /// μλ − |τ| of the gap in row i, which sticks.
  Real limit(std::size_t i) const {
    Real tau = 0;
    for (std::size_t a = 1; a <= rows_[i].sticks; ++a) tau = std::hypot(tau, R_[i + a]);
    return rows_[i].mu * R_[i] - tau;
  }

  Measured start_, end_;
  Vector lambda_, left_, impulse_, given_, R_;
  numerics::Symmetric<Real> J_;
  numerics::LeastNorm<Real> J_sliding_;
  std::vector<Row> rows_before_;
  motion::GapList stopped_;
  Node kicked_;
  motion::Covector normal_;
  Unions<Real> unions_;
  SpatialSlip<Real> spatial_slip_;  // of the slide in space, if it is the only rough contact
  SpatialSlips<Real> slips_;        // of the slides in space otherwise
  std::vector<typename SpatialSlip<Real>::Means> means_, slip_means_;  // of slides_, of slips_
  std::vector<std::size_t> slide_contact_;                             // which of modes_ slides
  Real flown_ = 0, rests_after_ = 0;  // lengths: of the last flight, and until a slip in space rests
  bool spatial_ = false, alone_ = false;
};

}  // namespace ricochet::contact
