// An impact in which a gap with friction acts: the rows of slip beside those of the gaps, and the law on all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/contact/accumulation.hpp"
#include "ricochet/mechanics/law_friction_check.hpp"

namespace ricochet::contact {

template <class Real>
class RoughImpact {
 public:
  using Node = motion::Node<Real>;
  using Outcome = mechanics::FrictionOutcome<Real>;

  static bool acts(const motion::Island<Real>& island, const ActiveSet<Real>& active) {
    for (int i = 0; i < active.size(); ++i)
      if (tangents(island, active.contact(i).gap) > 0) return true;
    return false;
  }
  /// The restitution a law stands for, where it has a meaning with friction.
  static std::optional<mechanics::Restitution> restitution(mechanics::LawKind kind) {
    switch (kind) {
      case mechanics::LawKind::newton:
        return mechanics::Restitution::newton;
      case mechanics::LawKind::poisson:
        return mechanics::Restitution::poisson;
      case mechanics::LawKind::stronge:
        return mechanics::Restitution::stronge;
      default:
        return std::nullopt;
    }
  }

  /// Slip of the acting gaps at a node, and everything's coupling. Gaps with fewer slip coordinates than others get
  /// rows of zeros.
  void gather(const motion::Island<Real>& island, const ActiveSet<Real>& active, const Node& node, Real h) {
    k_ = active.size();
    d_ = 1;
    for (int i = 0; i < k_; ++i) d_ = std::max(d_, 1 + tangents(island, active.contact(i).gap));
    const int m = d_ * k_;
    rows_.clear();
    place_.clear();
    wall_.assign(at(m), Real(0));
    v_.assign(at(m), Real(0));
    e_.resize(at(k_));
    mu_.resize(at(k_));
    r_.assign(at(m), Real(0));
    for (int i = 0; i < k_; ++i) {
      const int gap = active.contact(i).gap;
      e_[at(i)] = active.restitution(i);
      mu_[at(i)] = tangents(island, gap) > 0 ? Real(island.friction(gap)) : Real(0);
      v_[at(d_ * i)] = active.contact(i).rate;
      for (int a = 0; a < tangents(island, gap); ++a) {
        const int place = d_ * i + 1 + a;
        const auto c = island.contact(motion::slip_row(gap, a), node, h, rows_.add());
        v_[at(place)] = c.rate;
        wall_[at(place)] = c.wall_rate;
        place_.push_back(place);
      }
    }
    kept_.keep_constraints(island, node, h);
    for (auto& row : rows_) kept_.make_tangent(island, row);
    for (int i = 0; i < k_; ++i) {
      rows_.add() = active.normal(i);  // made tangent before
      place_.push_back(d_ * i);
    }
    W_.assign(at(m * m), Real(0));
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j)
        W_[at(place_[i] * m + place_[j])] = W_[at(place_[j] * m + place_[i])] = island.couple(rows_[i], rows_[j]);
  }

  /// Impulses by the law; `plastic` with e = 0 throughout.
  Outcome solve(mechanics::Restitution kind, bool plastic = false) {
    if (plastic) std::fill(e_.begin(), e_.end(), Real(0));
    return law_[static_cast<std::size_t>(kind)](seen_by_law(), mechanics::Impulse<Real>(r_.data(), d_ * k_));
  }
  mechanics::LawCheck<Real> check(const Outcome& outcome, Real speed) const {
    return mechanics::check_friction_law(seen_by_law(), r_, outcome, speed);
  }
  void apply(const motion::Island<Real>& island, Node& node) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (r_[at(place_[i])] != 0) island.kick(node, rows_[i], r_[at(place_[i])]);
  }
  /// Normal impulses, and what belts do, as observers of the active set see them.
  void tell(ActiveSet<Real>& active) const {
    Real power = 0;
    for (std::size_t i = 0; i < r_.size(); ++i) power += r_[i] * wall_[i];
    for (int i = 0; i < k_; ++i) active.impulse()[i] = r_[at(d_ * i)];
    active.set_belt_power(power);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static int tangents(const motion::Island<Real>& island, int gap) { return island.slips(gap); }
  mechanics::FrictionContacts<Real> seen_by_law() const {
    const int m = d_ * k_;
    return {d_, {W_.data(), m, m, Eigen::OuterStride<>(m)}, {v_.data(), m}, {e_.data(), k_}, {mu_.data(), k_}};
  }

  int k_ = 0, d_ = 1;
  Delassus<Real> kept_;
  motion::Covectors rows_;
  std::vector<int> place_;  ///< of each row in W
  std::vector<Real> W_, v_, e_, mu_, r_, wall_;
  std::array<mechanics::FrictionLaw<Real>, 3> law_{mechanics::FrictionLaw<Real>(mechanics::Restitution::newton),
                                                   mechanics::FrictionLaw<Real>(mechanics::Restitution::poisson),
                                                   mechanics::FrictionLaw<Real>(mechanics::Restitution::stronge)};
};

/// Whether every acting gap that bounces off (node is the state after the impact) comes to rest within what is left of
/// the step (errata B2, F14). With friction the impacts that are left are passed by a plastic one in place of this:
/// until they end, both give the same normal impulse, because both end with φ̇ = 0, and so, as long as slip keeps its
/// direction or sticks, the same friction.
template <class Real, class Report>
bool accumulates(const motion::Island<Real>& island, const ActiveSet<Real>& active, const motion::Node<Real>& node,
                 discrete::Step<Real> rest, Report&& report) {
  const auto together = bounces(island, active, node, rest.h);
  for (const auto& bounce : together) {
    if (!(bounce.acceleration < 0) || !(bounce.restitution < 1)) return false;
    const Real lasts = -2 * bounce.rate / (bounce.acceleration * (1 - bounce.restitution));
    if (!last_to_be_told(bounce, bounce.restitution) && !(lasts <= time_to_rest(island, rest, bounce.restitution)))
      return false;
  }
  for (const auto& bounce : together) {
    if (!(bounce.restitution > 0)) continue;
    long long skipped = 0;
    if (bounce.rate > bounce.rate_tolerance && bounce.rate_tolerance > 0)
      skipped = static_cast<long long>(
          std::ceil(std::log(bounce.rate_tolerance / bounce.rate) / std::log(bounce.restitution)));
    report(Accumulation<Real>{bounce.gap, node.t - 2 * bounce.rate / (bounce.acceleration * (1 - bounce.restitution)),
                              skipped});
  }
  return !together.empty();
}

}  // namespace ricochet::contact
