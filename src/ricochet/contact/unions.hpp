// Unions of sets: which of their branches matter at a node.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ricochet/complementarity/nonnegative.hpp"
#include "ricochet/contact/delassus.hpp"
#include "ricochet/contact/tolerance.hpp"

namespace ricochet::contact {

/// How a branch of a union stands at a node. With K the contingent cone of the union, v is in K if any branch covers,
/// on its boundary if any rests, and leaves K where all that are closed approach (thesis 5.4, docs/contact.md).
enum class Stands { covers, rests, approaches, below };

template <class Real>
Stands stands(const motion::Contact<Real>& c, const motion::Covector& normal, const motion::Island<Real>& island,
              const motion::Node<Real>& node) {
  if (touches(c, normal, island, node))
    return approaching(c) ? Stands::approaches : resting(c) ? Stands::rests : Stands::covers;
  return c.value > 0 ? Stands::covers : Stands::below;
}

/// Judges branches one union after the other; buffers are kept.
template <class Real>
class Unions {
 public:
  /// Whether a closed branch that approaches or rests takes part in an impact: an approaching one only where all closed
  /// branches approach, a resting one where none covers.
  bool acts(const motion::Island<Real>& island, const motion::Node<Real>& node, Real h, int gap) {
    return std::ranges::any_of(island.unions_of(gap), [&](int u) { return acts_in(island, node, h, gap, u); });
  }
  /// Whether a closed branch that rests may be held. Where several do, one that its own acceleration keeps in the union
  /// keeps the others free; where none does they are held together.
  bool holds(const motion::Island<Real>& island, const motion::Node<Real>& node, Real h, int gap) {
    return std::ranges::any_of(island.unions_of(gap), [&](int u) { return holds_in(island, node, h, gap, u); });
  }

 private:
  struct Branch {
    motion::Contact<Real> contact;
    Stands stands;
  };

  bool acts_in(const motion::Island<Real>& island, const motion::Node<Real>& node, Real h, int gap, int u) {
    judge(island, node, h, u);
    if (any(Stands::covers)) return false;
    const Stands own = stand_of(gap);
    if (own == Stands::approaches && any(Stands::rests)) return false;
    return leave_room(island, node, h, own);
  }
  bool holds_in(const motion::Island<Real>& island, const motion::Node<Real>& node, Real h, int gap, int u) {
    judge(island, node, h, u);
    if (any(Stands::covers)) return false;
    int keeps = -1;
    Real most = 0;
    for (const Branch& b : branches_) {
      if (b.stands != Stands::rests || b.contact.acceleration < -acceleration_tolerance(b.contact)) continue;
      if (keeps < 0 || b.contact.acceleration > most) keeps = b.contact.gap, most = b.contact.acceleration;
    }
    return keeps >= 0 ? keeps == gap : leave_room(island, node, h, Stands::rests);
  }

  void judge(const motion::Island<Real>& island, const motion::Node<Real>& node, Real h, int u) {
    branches_.clear();
    for (const int i : island.branches(u)) {
      const auto contact = island.contact(i, node, h, normal_);
      branches_.push_back({contact, contact::stands(contact, normal_, island, node)});
    }
  }
  bool any(Stands which) const {
    return std::any_of(branches_.begin(), branches_.end(), [&](const Branch& b) { return b.stands == which; });
  }
  Stands stand_of(int gap) const {
    return std::find_if(branches_.begin(), branches_.end(), [&](const Branch& b) { return b.contact.gap == gap; })
        ->stands;
  }
  /// Whether there are velocities with which all branches that stand so approach, 0 ∉ conv{∇φ_b}: otherwise the union
  /// is everything there, as |x| ≥ 0 is.
  bool leave_room(const motion::Island<Real>& island, const motion::Node<Real>& node, Real h, Stands which) {
    normals_.clear();
    for (const Branch& b : branches_)
      if (b.stands == which) island.contact(b.contact.gap, node, h, normals_.add());
    const auto k = static_cast<int>(normals_.size());
    if (k < 2) return true;
    kept_.keep_constraints(island, node, h);
    for (auto& normal : normals_) kept_.make_tangent(island, normal);
    W_.resize(k);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j <= i; ++j) {
        const auto &a = normals_[static_cast<std::size_t>(i)], &b = normals_[static_cast<std::size_t>(j)];
        W_(i, j) = W_(j, i) = island.couple(a, b) / std::sqrt(island.couple(a, a) * island.couple(b, b));
      }
    // Some v has n_b·v ≥ 1 for all b if and only if some Σλ_b n_b, λ ≥ 0, has.
    rates_.assign(static_cast<std::size_t>(k), Real(-1));
    lambda_.assign(static_cast<std::size_t>(k), Real(0));
    if (complementarity::project_on_cone(k, W_, rates_, lambda_) != complementarity::Status::solved) return false;
    for (const Real lambda : lambda_)
      if (!(lambda < 1 / Real(tolerances::independent))) return false;
    return true;
  }

  std::vector<Branch> branches_;
  motion::Covector normal_;
  motion::Covectors normals_;
  Delassus<Real> kept_;
  numerics::Symmetric<Real> W_;
  std::vector<Real> rates_, lambda_;
};

}  // namespace ricochet::contact
