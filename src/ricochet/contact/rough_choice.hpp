// Which rough contacts stick, slide or let go: Coulomb's law on the accelerations of a node.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "ricochet/complementarity/contact_modes.hpp"
#include "ricochet/contact/locate.hpp"
#include "ricochet/contact/rough_rows.hpp"
#include "ricochet/error.hpp"

namespace ricochet::contact {

/// The problem of modes at a node, posed for candidates (gaps that are closed and at rest) and judged.
template <class Real>
class RoughChoice : public RoughRows<Real> {
 public:
  using Node = motion::Node<Real>;
  using Vector = std::vector<Real>;
  using Rows = RoughRows<Real>;
  using Rows::slides_, Rows::slip_row, Rows::mu_of, Rows::tangents_of;
  using typename Rows::Slide;

  static bool contains(const motion::GapList& list, int gap) {
    return std::find(list.begin(), list.end(), gap) != list.end();
  }

  /// The rows of constraints and candidates, their coupling and their free accelerations, as the problem of modes_.
  void pose(const motion::Body<Real>& body, const Node& node, Real h, const motion::GapList& candidates) {
    std::vector<int> ids;
    for (int j = 0; j < body.constraints(); ++j) ids.push_back(body.gaps() + j);
    modes_.bilateral = body.constraints();
    modes_.contacts.clear();
    for (const int gap : candidates) {
      complementarity::ModeContact<Real> c;
      c.normal = static_cast<int>(ids.size());
      c.mu = mu_of(body, gap);
      c.tangents = tangents_of(body, gap);
      c.breaks = contains(broken_, gap);
      ids.push_back(gap);
      for (int a = 0; a < c.tangents; ++a) ids.push_back(slip_row(gap, a));
      modes_.contacts.push_back(c);
    }
    posed_.resize(ids.size());
    posed_rate_.resize(ids.size());
    Vector rest(ids.size());
    modes_.acceleration.resize(ids.size());
    modes_.tolerance.resize(ids.size());
    modes_.W.resize(static_cast<int>(ids.size()));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto c = body.contact(ids[i], node, h, posed_[i]);
      posed_rate_[i] = c.rate;
      modes_.acceleration[i] = c.acceleration;
      modes_.tolerance[i] = acceleration_tolerance(c);
      for (std::size_t j = 0; j <= i; ++j)
        modes_.W(static_cast<int>(i), static_cast<int>(j)) = modes_.W(static_cast<int>(j), static_cast<int>(i)) =
            body.couple(posed_[i], posed_[j]);
      rest[i] = slip_tolerance(c);
    }
    for (std::size_t n = 0; n < candidates.size(); ++n) {
      auto& c = modes_.contacts[n];
      const auto t = static_cast<std::size_t>(c.normal) + 1;
      Real size = 0, tolerance = 0;
      for (std::size_t a = 0; a < static_cast<std::size_t>(c.tangents); ++a) {
        size = std::hypot(size, posed_rate_[t + a]);
        tolerance = std::max(tolerance, rest[t + a]);
      }
      c.slips = size > tolerance && !contains(rested_, candidates[n]);
      for (std::size_t a = 0; c.slips && a < static_cast<std::size_t>(c.tangents); ++a)
        c.slip[a] = posed_rate_[t + a] / size;
    }
  }
  void decide(const motion::Body<Real>& body, const Node& node, complementarity::ModesFound found) {
    using complementarity::ModesFound;
    ambiguous_ = found == ModesFound::several;
    if (found == ModesFound::too_many)
      throw Error(ErrorKind::invalid_model,
                  "the rough contacts " + list(body) +
                      " are held at once: the strong principle tries every mode of contacts with one slip coordinate "
                      "and holds six of them; principle = \"weak\" has no such bound",
                  body.state(node));
    if (found == ModesFound::lost)
      throw Error(ErrorKind::no_convergence,
                  "the forces of the rough contacts " + list(body) +
                      ", held at once, were not found; principle = \"weak\" may go on",
                  body.state(node));
    if (found != ModesFound::none) return;
    std::string numbers;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const auto& c = modes_.contacts[i];
      Real stiffness = modes_.W(c.normal, c.normal);
      for (int a = 0; c.slips && a < c.tangents; ++a)
        stiffness -= c.mu * c.slip[static_cast<std::size_t>(a)] * modes_.W(c.normal, c.normal + 1 + a);
      char text[160];
      std::snprintf(text, sizeof text, "%s \"%s\": free acceleration %.6g, per unit of force %.6g", i > 0 ? ";" : "",
                    body.gap_name(candidates_[i]).c_str(),
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
        body.state(node));
  }
  std::string list(const motion::Body<Real>& body) const {
    std::string text;
    for (const int i : candidates_)
      if (mu_of(body, i) > 0) text.append(text.empty() ? "" : "+").append(body.gap_name(i));
    return text;
  }

  /// Whether some forces within Coulomb's law leave every held gap closed and every stuck slip at rest at this node.
  bool others_suffice(const motion::Body<Real>& body, const Node& node, Real h) {
    motion::GapList held;
    for (const int i : gaps_)
      if (i < body.gaps()) held.push_back(i);
    if (held.size() < 2) return false;
    pose(body, node, h, held);
    for (std::size_t n = 0; n < held.size(); ++n)
      for (const Slide& s : slides_)
        if (s.gap == held[n] && !modes_.contacts[n].slips) {
          modes_.contacts[n].slips = true;
          modes_.contacts[n].slip = s.slip;
        }
    const auto found = modes_.solve();
    if (found != complementarity::ModesFound::one && found != complementarity::ModesFound::several) return false;
    for (std::size_t n = 0; n < held.size(); ++n) {
      const auto& c = modes_.contacts[n];
      const auto normal = static_cast<std::size_t>(c.normal);
      if (modes_.after[normal] > modes_.tolerance[normal] * Real(tolerances::after_friction)) return false;
      for (std::size_t a = 1; !c.slips && a <= static_cast<std::size_t>(c.tangents); ++a)
        if (std::abs(modes_.after[normal + a]) > modes_.tolerance[normal + a] * Real(tolerances::after_friction))
          return false;
    }
    return true;
  }

  motion::GapList gaps_;             ///< held, constraints included
  motion::GapList candidates_;       ///< of the last choice
  motion::GapList rested_, broken_;  ///< slips that have just come to rest, friction that has just reached its limit
  bool ambiguous_ = false;
  complementarity::ContactModes<Real> modes_;
  std::vector<motion::Covector> posed_;
  Vector posed_rate_;
};

}  // namespace ricochet::contact
