// Which contacts at rest are held, and how: the forces at a node, and what accelerates under them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "ricochet/complementarity/contact_modes.hpp"
#include "ricochet/complementarity/nonnegative.hpp"
#include "ricochet/contact/delassus.hpp"
#include "ricochet/contact/held_rows.hpp"
#include "ricochet/error.hpp"

namespace ricochet::contact {

/// The problem of forces at a node, posed on the constraints for candidates (gaps that are closed and at rest).
///
/// Without friction it is 0 ≤ R ⊥ φ̈ + WR ≥ 0: a gap is held that has φ̈ = 0 then. With friction Coulomb's law chooses
/// between sticking, sliding and letting go (complementarity/contact_modes.hpp).
template <class Real>
class HeldChoice : public HeldRows<Real> {
 public:
  using Node = motion::Node<Real>;
  using Vector = std::vector<Real>;
  using Rows = HeldRows<Real>;
  using Rows::slides_;
  using typename Rows::Slide;
  using Found = complementarity::ModesFound;

  static bool contains(const motion::GapList& list, int gap) {
    return std::find(list.begin(), list.end(), gap) != list.end();
  }

  /// The rows of candidates on the constraints, their coupling and their free accelerations, as the problem of modes_.
  void pose(const motion::Island<Real>& island, const Node& node, Real h, const motion::GapList& candidates) {
    constraints_.keep_constraints(island, node, h);
    ids_.clear();
    modes_.contacts.clear();
    for (const int gap : candidates) {
      complementarity::ModeContact<Real> c;
      c.normal = static_cast<int>(ids_.size());
      c.mu = Real(island.friction(gap));
      c.tangents = island.slips(gap);
      c.breaks = contains(broken_, gap);
      ids_.push_back(gap);
      for (int a = 0; a < c.tangents; ++a) ids_.push_back(motion::slip_row(gap, a));
      modes_.contacts.push_back(c);
    }
    posed_.resize(ids_.size());
    posed_rate_.resize(ids_.size());
    rest_.resize(ids_.size());
    modes_.acceleration.resize(ids_.size());
    modes_.tolerance.resize(ids_.size());
    modes_.W.resize(static_cast<int>(ids_.size()));
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const auto c = island.contact(ids_[i], node, h, posed_[i]);
      posed_rate_[i] = c.rate;
      rest_[i] = slip_tolerance(c);
      modes_.acceleration[i] = c.acceleration;
      modes_.tolerance[i] = acceleration_tolerance(c);
      constraints_.make_tangent(island, posed_[i], &modes_.acceleration[i]);
      for (std::size_t j = 0; j <= i; ++j)
        modes_.W(static_cast<int>(i), static_cast<int>(j)) = modes_.W(static_cast<int>(j), static_cast<int>(i)) =
            island.couple(posed_[i], posed_[j]);
    }
    for (std::size_t n = 0; n < candidates.size(); ++n) {
      auto& c = modes_.contacts[n];
      const auto t = static_cast<std::size_t>(c.normal) + 1;
      Real size = 0, tolerance = 0;
      for (std::size_t a = 0; a < static_cast<std::size_t>(c.tangents); ++a) {
        size = std::hypot(size, posed_rate_[t + a]);
        tolerance = std::max(tolerance, rest_[t + a]);
      }
      c.slips = size > tolerance && !contains(rested_, candidates[n]);
      for (std::size_t a = 0; c.slips && a < static_cast<std::size_t>(c.tangents); ++a)
        c.slip[a] = posed_rate_[t + a] / size;
    }
  }
  /// Modes and forces of the problem posed.
  Found find_modes() {
    if (std::any_of(modes_.contacts.begin(), modes_.contacts.end(), [](const auto& c) { return c.tangents > 0; }))
      return modes_.solve();
    const std::size_t k = modes_.contacts.size();
    modes_.force.resize(k);
    if (complementarity::project_on_cone(static_cast<int>(k), modes_.W, modes_.acceleration, modes_.force) !=
        complementarity::Status::solved)
      return Found::lost;
    modes_.after = modes_.acceleration;
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j)
        modes_.after[i] += modes_.W(static_cast<int>(i), static_cast<int>(j)) * modes_.force[j];
      modes_.contacts[i].mode = modes_.after[i] <= modes_.tolerance[i] ? complementarity::ContactMode::closed
                                                                       : complementarity::ContactMode::open;
    }
    return Found::one;
  }
  /// What find_modes() found, or a refusal.
  void decide(const motion::Island<Real>& island, const Node& node, Found found) {
    ambiguous_ = found == Found::several;
    if (found == Found::too_many)
      throw Error(ErrorKind::invalid_model,
                  "the rough contacts " + rough_names(island) +
                      " are held at once: the strong principle tries every mode of contacts with one slip coordinate "
                      "and holds six of them; principle = \"weak\" has no such bound",
                  island.state(node));
    if (found == Found::lost && rough_names(island).empty())
      throw Error(ErrorKind::no_convergence,
                  "the reactions of the resting contacts " + names_of(island, candidates_) + " were not found",
                  island.state(node));
    if (found == Found::lost)
      throw Error(ErrorKind::no_convergence,
                  "the forces of the rough contacts " + rough_names(island) +
                      ", held at once, were not found; principle = \"weak\" may go on",
                  island.state(node));
    if (found == Found::none) painleve(island, node);
  }

  /// Whether some forces within Coulomb's law leave every held gap closed and every stuck slip at rest at this node.
  bool others_suffice(const motion::Island<Real>& island, const Node& node, Real h) {
    others_.clear();
    for (const int i : gaps_)
      if (i < island.gaps()) others_.push_back(i);
    if (others_.size() < 2) return false;
    pose(island, node, h, others_);
    bool rough = false;
    for (std::size_t n = 0; n < others_.size(); ++n) {
      rough = rough || modes_.contacts[n].tangents > 0;
      for (const Slide& s : slides_)
        if (s.gap == others_[n] && !modes_.contacts[n].slips) {
          modes_.contacts[n].slips = true;
          modes_.contacts[n].slip = s.slip;
        }
    }
    const auto found = find_modes();
    if (found != Found::one && found != Found::several) return false;
    const Real loose = rough ? Real(tolerances::after_friction) : Real(1);
    for (const auto& c : modes_.contacts) {
      const auto normal = static_cast<std::size_t>(c.normal);
      if (modes_.after[normal] > modes_.tolerance[normal] * loose) return false;
      for (std::size_t a = 1; !c.slips && a <= static_cast<std::size_t>(c.tangents); ++a)
        if (std::abs(modes_.after[normal + a]) > modes_.tolerance[normal + a] * loose) return false;
    }
    return true;
  }

  static std::string names_of(const motion::Island<Real>& island, const motion::GapList& gaps) {
    std::string text;
    for (const int i : gaps) text.append(text.empty() ? "" : "+").append(island.gap_name(i));
    return text;
  }

  motion::GapList gaps_;             ///< held, constraints included
  motion::GapList candidates_;       ///< of the last choice
  motion::GapList rested_, broken_;  ///< slips that have just come to rest, friction that has just reached its limit
  bool ambiguous_ = false;
  complementarity::ContactModes<Real> modes_;
  Vector posed_rate_;

 private:
  std::string rough_names(const motion::Island<Real>& island) const {
    motion::GapList rough;
    for (const int i : candidates_)
      if (island.slips(i) > 0) rough.push_back(i);
    return names_of(island, rough);
  }
  [[noreturn]] void painleve(const motion::Island<Real>& island, const Node& node) const {
    std::string numbers;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const auto& c = modes_.contacts[i];
      Real stiffness = modes_.W(c.normal, c.normal);
      for (int a = 0; c.slips && a < c.tangents; ++a)
        stiffness -= c.mu * c.slip[static_cast<std::size_t>(a)] * modes_.W(c.normal, c.normal + 1 + a);
      char text[160];
      std::snprintf(text, sizeof text, "%s \"%s\": free acceleration %.6g, per unit of force %.6g", i > 0 ? ";" : "",
                    island.gap_name(candidates_[i]).c_str(),
                    static_cast<double>(modes_.acceleration[static_cast<std::size_t>(c.normal)]),
                    static_cast<double>(stiffness));
      numbers += text;
    }
    char when[40];
    std::snprintf(when, sizeof when, "%.6g", static_cast<double>(node.t));
    throw Error(
        ErrorKind::no_convergence,
        std::string("Painlevé's situation at t = ")
                .append(when)
                .append(
                    ": no force keeps the sliding contact closed under Coulomb's law, because friction closes the gap "
                    "more than the force opens it (gap") +
            numbers + "); less friction or principle = \"weak\" goes on",
        island.state(node));
  }

  Delassus<Real> constraints_;
  motion::Covectors posed_;
  motion::GapList ids_, others_;
  Vector rest_;
};

}  // namespace ricochet::contact
