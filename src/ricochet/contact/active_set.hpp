// The gaps that act together at an impact: who closes, with which normals, coupled how.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/contact/delassus.hpp"
#include "ricochet/contact/tolerance.hpp"
#include "ricochet/contact/unions.hpp"
#include "ricochet/mechanics/law_check.hpp"

namespace ricochet::contact {

/// A gap that a flight's own curve enters at this rate, slower than curve and momentum agree.
template <class Real>
struct Entering {
  int gap = -1;
  Real rate{};
  Real momentum{};  ///< φ̇ by the momentum
};

/// The set A of design.md: all closed gaps that approach or rest, as soon as one approaches; gaps that separate stay
/// out. Buffers are kept from impact to impact and stop allocating.
template <class Real>
class ActiveSet {
 public:
  /// Returns whether any closed gap approaches, or is entered; A is then complete, and otherwise of no use.
  ///
  /// What an impact sets in motion may close the next gap within the same instant: balls that touch to the last digits
  /// but one pass it on together, as those that touch exactly.
  template <class Restitution>
  [[nodiscard]] bool gather(const motion::Island<Real>& island, const motion::Node<Real>& node, Real h,
                            Restitution&& restitution, const Entering<Real>& entering = {}) {
    contacts_.clear();
    normals_.clear();
    beside_.clear();
    described_ = false;
    belt_power_ = 0;
    bool any = false;
    motion::Covector& normal = scratch_;
    for (const int i : island.closable()) {
      if (!island.may_be_closed(i, node, h)) continue;
      const auto contact = island.contact(i, node, h, normal);
      const bool meets = approaching(contact) || i == entering.gap;
      if (!(meets || resting(contact))) continue;
      if (!touches(contact, normal, island, node)) {
        if (contact.value > 0) beside_.push_back({contact, island.couple(normal, normal)});
        continue;
      }
      any |= meets;
      contacts_.push_back(contact);
      normals_.add() = normal;
    }
    corner_ = false;
    if (any && island.has_unions()) any = keep_branches(island, node, h, entering.gap);
    if (!any) return false;
    add_touching(island, node, h, restitution);
    // Impulses must not violate bilateral constraints: W, and every kick along n̂, carry the constraint impulses.
    kept_.keep_constraints(island, node, h);
    for (auto& n : normals_) kept_.make_tangent(island, n);
    const int k = size();
    W_.resize(static_cast<std::size_t>(k * k));
    v_.resize(static_cast<std::size_t>(k));
    e_.resize(static_cast<std::size_t>(k));
    lambda_.assign(static_cast<std::size_t>(k), Real(0));
    for (int i = 0; i < k; ++i) {
      // The rate of an entered gap is the curve's, not the motion's: turned round whole, so that the curve leaves.
      const bool entered = contact(i).gap == entering.gap;
      // One that rests does not separate, whatever rounding left of its rate: Ballard's (4.6) and (4.7) ask for v⁻ ∈
      // −V.
      v_[at(i)] = entered ? entering.rate : std::min(contact(i).rate, Real(0));
      e_[at(i)] = entered ? Real(1) : restitution(contact(i).gap, node);
      for (int j = 0; j <= i; ++j)
        W_[at(i * k + j)] = W_[at(j * k + i)] = island.couple(normals_[at(i)], normals_[at(j)]);
    }
    return true;
  }

  int size() const { return static_cast<int>(contacts_.size()); }
  /// Whether several branches of a union act: its cones are Clarke's.
  bool at_corner_of_union() const { return corner_; }
  const motion::Contact<Real>& contact(int i) const { return contacts_[at(i)]; }
  const motion::Covector& normal(int i) const { return normals_[at(i)]; }
  Real lambda(int i) const { return lambda_[at(i)]; }
  Real restitution(int i) const { return e_[at(i)]; }
  bool different_restitutions() const {
    for (int i = 1; i < size(); ++i)
      if (restitution(i) != restitution(0)) return true;
    return false;
  }

  /// Tells a law of the user's where the impact happens, too.
  void describe(const motion::Island<Real>& island, const motion::Node<Real>& node) {
    ErrorState state = island.state(node);
    place_ = {state.t, std::move(state.q), std::move(state.p), {}};
    for (const auto& contact : contacts_) place_.gaps.push_back(island.gap_name(contact.gap));
    described_ = true;
  }
  /// A as a law sees it, and the impulse it fills in.
  mechanics::Contacts<Real> seen_by_law() const {
    const int k = size();
    return {{W_.data(), k, k, Eigen::OuterStride<>(k)}, {v_.data(), k}, {e_.data(), k}, described_ ? &place_ : nullptr};
  }
  mechanics::Impulse<Real> impulse() { return {lambda_.data(), size()}; }

  void add_to_impulse(int i, Real lambda) { lambda_[at(i)] += lambda; }
  /// Σ r_T·∂_tψ of an impact with friction: what moving belts feed in beside the walls.
  void set_belt_power(Real power) { belt_power_ = power; }

  /// node.p += μ Σ λ_i ∇φ_i.
  void apply(const motion::Island<Real>& island, motion::Node<Real>& node, Real mu) const {
    for (int i = 0; i < size(); ++i)
      if (lambda(i) != 0) island.kick(node, normal(i), mu * lambda(i));
  }
  /// Σ λ_i ∂_tφ_i: power fed in by moving walls per unit μ (errata F13).
  Real wall_power() const {
    Real sum = belt_power_;
    for (int i = 0; i < size(); ++i) sum += lambda(i) * contact(i).wall_rate;
    return sum;
  }
  /// H(q̃, p⁻ + μΣλ_i∇φ_i) − H(q̃, p⁻) + μΣλ_i ∂_tφ_i for a kinetic energy quadratic in p.
  Real gain(Real mu) const {
    const auto A = seen_by_law();
    Real linear = 0, quadratic = 0;
    for (int i = 0; i < size(); ++i) {
      linear += lambda(i) * contact(i).rate;
      for (int j = 0; j < size(); ++j) quadratic += lambda(i) * A.W(i, j) * lambda(j);
    }
    return mu * (linear + mu * quadratic / 2);
  }
  /// Names of the acting gaps joined by "+".
  std::string names(const motion::Island<Real>& island) const {
    std::string text;
    for (int i = 0; i < size(); ++i) text.append(i > 0 ? "+" : "").append(island.gap_name(contact(i).gap));
    return text;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  static bool in_one_union(const motion::Island<Real>& island, int a, int b) {
    const auto of_b = island.unions_of(b);
    return std::ranges::any_of(island.unions_of(a), [&](int u) { return std::ranges::count(of_b, u) > 0; });
  }
  /// Of branches of unions those remain that have a part in the impact; returns whether any gap that remains
  /// approaches.
  bool keep_branches(const motion::Island<Real>& island, const motion::Node<Real>& node, Real h, int entering) {
    std::size_t kept = 0;
    bool any = false;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const int gap = contacts_[i].gap;
      if (gap != entering && !island.unions_of(gap).empty() && !unions_.acts(island, node, h, gap)) continue;
      any |= gap == entering || approaching(contacts_[i]);
      for (std::size_t k = 0; k < kept; ++k)
        corner_ |=
            approaching(contacts_[i]) && approaching(contacts_[k]) && in_one_union(island, gap, contacts_[k].gap);
      contacts_[kept] = contacts_[i];
      if (kept != i) normals_[kept] = normals_[i];
      ++kept;
    }
    contacts_.resize(kept);
    normals_.resize(kept);
    // What is open beside a closed branch keeps its union open.
    std::erase_if(beside_, [&](const Beside& beside) { return !island.unions_of(beside.contact.gap).empty(); });
    return any;
  }

  /// Open gaps beside that do not separate: they act too if the rate that an acting one passes on to them closes them
  /// within the same instant. Each is taken to be turned round by itself, which is rough, and enough: the instant is a
  /// billionth of a step.
  template <class Restitution>
  void add_touching(const motion::Island<Real>& island, const motion::Node<Real>& node, Real h,
                    Restitution& restitution) {
    if (beside_.empty()) return;
    closing_.clear();
    for (const auto& contact : contacts_) closing_.push_back(std::min(contact.rate, Real(0)));
    const Real instant = Real(tolerances::same_instant) * h;
    motion::Covector& normal = scratch_;
    for (std::size_t next; (next = first_that_closes()) < closing_.size();) {
      const Real W = island.couple(normals_[next], normals_[next]);
      const Real impulse = -(1 + restitution(contacts_[next].gap, node)) * closing_[next] / W;
      for (std::size_t i = 0; i < contacts_.size(); ++i)
        if (closing_[i] <= 0)
          closing_[i] = std::min(closing_[i] + island.couple(normals_[i], normals_[next]) * impulse, Real(0));
      closing_[next] = turned;
      std::erase_if(beside_, [&](const Beside& beside) {
        if (beside.contact.value > instant * impulse * std::sqrt(W * beside.W)) return false;  // the most it can get
        island.contact(beside.contact.gap, node, h, normal);
        const Real passed = island.couple(normal, normals_[next]) * impulse;
        if (!(beside.contact.value <= -passed * instant)) return false;
        closing_.push_back(beside.contact.rate + passed);
        contacts_.push_back(beside.contact);
        normals_.add() = normal;
        return true;
      });
    }
    for (std::size_t last = contacts_.size() - 1; last > 0; --last)  // ascending again: few are ever added
      for (std::size_t i = 0; i < last; ++i)
        if (contacts_[i].gap > contacts_[i + 1].gap) {
          std::swap(contacts_[i], contacts_[i + 1]);
          std::swap(normals_[i], normals_[i + 1]);
        }
  }

  /// An acting gap that has passed on what it has.
  static constexpr Real turned = 1;
  std::size_t first_that_closes() const {
    const auto found = std::find_if(closing_.begin(), closing_.end(), [](Real rate) { return rate < 0; });
    return static_cast<std::size_t>(found - closing_.begin());
  }

  struct Beside {
    motion::Contact<Real> contact;
    Real W;
  };

  std::vector<motion::Contact<Real>> contacts_;
  motion::Covectors normals_;
  Delassus<Real> kept_;
  motion::Covector scratch_;
  std::vector<Beside> beside_;  ///< open gaps that do not separate
  std::vector<Real> W_, v_, e_, lambda_, closing_;
  Unions<Real> unions_;
  Real belt_power_ = 0;
  bool corner_ = false;
  mechanics::Place place_;
  bool described_ = false;
};

}  // namespace ricochet::contact
