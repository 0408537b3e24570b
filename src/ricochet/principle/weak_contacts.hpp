// The contacts of one step of the weak principle: their rows, their coupling, and the percussions that obey the law.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ricochet/complementarity/friction.hpp"
#include "ricochet/complementarity/nonnegative.hpp"
#include "ricochet/contact/delassus.hpp"
#include "ricochet/principle/weak_gaps.hpp"

namespace ricochet::principle {

/// One contact: its normal and up to two slip directions, each with a rate before and after the node and an impulse.
template <class Real>
struct WeakContact {
  int gap = -1;
  int rows = 1;  ///< 1 smooth, 2 planar, 3 spatial
  Real e = 1, mu = 0;
  std::array<Real, 3> before{}, free{}, impulse{};  ///< rates in the interval before and, without impulses, after
  bool acts() const { return impulse[0] > 0; }
};

/// The buffers are kept from step to step and stop growing.
template <class Real>
class WeakContacts {
 public:
  using Step = motion::WeakStep<Real>;
  using Row = WeakRow<Real>;
  using Contact = WeakContact<Real>;

  WeakContacts(const motion::Island<Real>& island, Step& step, WeakGaps<Real>& gaps)
      : island_(island), step_(step), gaps_(gaps) {}

  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  int size() const { return size_; }
  const Contact& operator[](int i) const { return contacts_[at(i)]; }
  const Row& row(int i, int a) const { return rows_[at(3 * i + a)]; }

  void add(int gap, Real e) {
    if (size_ == static_cast<int>(contacts_.size())) {
      contacts_.emplace_back();
      rows_.resize(3 * contacts_.size());
    }
    const int i = size_++;
    Contact& c = contacts_[at(i)];
    c.gap = gap;
    c.e = e;
    c.mu = Real(island_.friction(gap));
    c.rows = c.mu > 0 ? 1 + island_.slips(gap) : 1;
    c.impulse.fill(Real(0));
    for (int a = 0; a < c.rows; ++a) {
      gaps_.row(gap, a - 1, rows_[at(3 * i + a)]);
      c.before[at(a)] = rate(row(i, a), motion::Side::before);
      c.free[at(a)] = rate(row(i, a), motion::Side::after);
    }
  }
  Real couple(const Row& a, const Row& b) const { return island_.couple(a.covector, b.covector); }
  Real rate(const Row& row, motion::Side side) const { return step_.rate(row.covector, side) + row.wall; }

  // ---- bilateral constraints ---------------------------------------------------------------------------------------

  void set_constraints() {
    kept_.clear();
    for (int j = 0; j < island_.constraints(); ++j) {
      gaps_.row(island_.gaps() + j, -1, scratch_);
      kept_.keep(scratch_.covector);
    }
  }
  /// Impulses that keep c(x + hv) = 0, to first order; returns the largest speed they correct, in the kinetic metric.
  Real hold_constraints(Real h) {
    Real largest = 0;
    if (kept_.empty()) return largest;
    x_.resize(kept_.size());
    for (std::size_t j = 0; j < kept_.size(); ++j) {
      x_[j] = -gaps_.departure(static_cast<int>(j), h);
      largest = std::max(largest, std::abs(x_[j]) / std::sqrt(couple_kept(j)));
    }
    kept_.solve(island_, x_);
    for (std::size_t j = 0; j < kept_.size(); ++j) step_.push(kept_.normal(j), x_[j]);
    return largest;
  }

  // ---- assembly ----------------------------------------------------------------------------------------------------

  /// Rows made tangent to the constraints (an impulse along them brings the reactions of the constraints with it), and
  /// the groups of contacts that share a freedom. Rates are those along the tangent rows: what a row sees of a
  /// constraint that is not kept to the last digit lies outside the range of W, where no impulse can answer it.
  void assemble() {
    tangent_.resize(at(3 * size_));
    for (int i = 0; i < size_; ++i)
      for (int a = 0; a < contacts_[at(i)].rows; ++a) {
        Row& n = tangent_[at(3 * i + a)];
        n = row(i, a);
        if (kept_.empty()) continue;
        kept_.make_tangent(island_, n.covector);
        contacts_[at(i)].before[at(a)] = rate(n, motion::Side::before);
        contacts_[at(i)].free[at(a)] = rate(n, motion::Side::after);
      }
    group();
  }

  /// Percussions r with 0 ≤ r_N ⊥ φ̇_{k+1} + eφ̇_k ≥ 0 (Leine 2009 (120)) and Coulomb's friction against the slip after
  /// the node. Pushes the difference to the impulses so far; returns the largest change, as a speed.
  Real solve(complementarity::Status& status) {
    Real largest = 0;
    for (std::size_t g = 0; g + 1 < first_.size(); ++g) {
      const int begin = first_[g], count = first_[g + 1] - begin;
      int rows = 1;
      for (int m = 0; m < count; ++m) rows = std::max(rows, contacts_[at(member_[at(begin + m)])].rows);
      if (rows == 1)
        status = smooth(begin, count, largest);
      else if (rows == 2)
        status = rough<2>(begin, count, largest, planar_);
      else
        status = rough<3>(begin, count, largest, spatial_);
      if (status != complementarity::Status::solved) return largest;
    }
    return largest;
  }

  /// −½ r·(rate after + rate before): what contacts took from the energy in this step.
  Real dissipated() const {
    Real sum = 0;
    for (int i = 0; i < size_; ++i) sum += dissipated(i);
    return sum;
  }
  Real dissipated(int i) const {
    const Contact& c = contacts_[at(i)];
    Real sum = 0;
    for (int a = 0; a < c.rows; ++a)
      if (c.impulse[at(a)] != 0) sum -= c.impulse[at(a)] * (rate(row(i, a), motion::Side::after) + c.before[at(a)]) / 2;
    return sum;
  }
  /// r·(∂_tφ, ∂_tψ): minus the work of moving walls and belts.
  Real wall_power() const {
    Real sum = 0;
    for (int i = 0; i < size_; ++i)
      for (int a = 0; a < contacts_[at(i)].rows; ++a) sum += contacts_[at(i)].impulse[at(a)] * row(i, a).wall;
    return sum;
  }

 private:
  template <int D>
  struct Cones {
    complementarity::FrictionProblem<Real, D> problem;
    complementarity::FrictionSolver<Real, D> solver;
    std::vector<complementarity::ContactVector<Real, D>> r;
  };
  Real couple_kept(std::size_t j) const { return island_.couple(kept_.normal(j), kept_.normal(j)); }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const Row& tangent(int i, int a) const { return tangent_[at(3 * i + a)]; }

  /// Union–find on the freedoms; groups in the order of their first contact.
  void group() {
    owner_.assign(at(step_.parts()), -1);
    root_.resize(at(size_));
    for (int i = 0; i < size_; ++i) root_[at(i)] = i;
    const auto find = [&](int i) {
      while (root_[at(i)] != i) i = root_[at(i)] = root_[at(root_[at(i)])];
      return i;
    };
    for (int i = 0; i < size_; ++i)
      for (int a = 0; a < contacts_[at(i)].rows; ++a)
        step_.for_each_part(tangent(i, a).covector, [&](int part) {
          const int other = owner_[at(part)] < 0 ? i : find(owner_[at(part)]), mine = find(i);
          root_[at(std::max(other, mine))] = std::min(other, mine);
          owner_[at(part)] = i;
        });
    place_.assign(at(size_), 0);
    for (int i = 0; i < size_; ++i) ++place_[at(find(i))];
    first_.assign(1, 0);
    for (int i = 0; i < size_; ++i)
      if (find(i) == i) {
        const int count = place_[at(i)];
        place_[at(i)] = first_.back();
        first_.push_back(first_.back() + count);
      }
    member_.resize(at(size_));
    for (int i = 0; i < size_; ++i) member_[at(place_[at(find(i))]++)] = i;
  }

  /// The rate the law wants to be complementary to the impulse, without what the present impulses of the group add.
  Real wanted(int i, int a) const {
    const Contact& c = contacts_[at(i)];
    const Real after = rate(tangent(i, a), motion::Side::after);
    return a == 0 ? after + c.e * c.before[0] : after;
  }
  void apply(int i, int a, Real impulse, Real& largest) {
    Real& old = contacts_[at(i)].impulse[at(a)];
    const Real change = impulse - old;
    old = impulse;
    if (change == 0) return;
    const Row& n = tangent(i, a);
    step_.push(n.covector, change);
    largest = std::max(largest, std::abs(change) * std::sqrt(std::max(Real(0), couple(n, n))));
  }

  complementarity::Status smooth(int begin, int count, Real& largest) {
    W_.resize(count);
    b_.resize(at(count));
    r_.assign(at(count), Real(0));
    for (int m = 0; m < count; ++m) {
      const int i = member_[at(begin + m)];
      b_[at(m)] = wanted(i, 0);
      for (int l = 0; l <= m; ++l) {
        const int j = member_[at(begin + l)];
        W_(m, l) = W_(l, m) = couple(tangent(i, 0), tangent(j, 0));
      }
    }
    for (int m = 0; m < count; ++m)
      for (int l = 0; l < count; ++l) b_[at(m)] -= W_(m, l) * contacts_[at(member_[at(begin + l)])].impulse[0];
    const auto status = complementarity::project_on_cone(count, W_, b_, r_);
    if (status != complementarity::Status::solved) return status;
    for (int m = 0; m < count; ++m) apply(member_[at(begin + m)], 0, r_[at(m)], largest);
    return status;
  }

  template <int D>
  complementarity::Status rough(int begin, int count, Real& largest, Cones<D>& cones) {
    cones.problem.reset(count);
    cones.r.resize(at(count));
    for (int m = 0; m < count; ++m) {
      const int i = member_[at(begin + m)];
      const Contact& c = contacts_[at(i)];
      complementarity::ContactVector<Real, D> b = complementarity::ContactVector<Real, D>::Zero(), r = b;
      for (int a = 0; a < c.rows; ++a) {
        b[a] = wanted(i, a);
        r[a] = c.impulse[at(a)];
      }
      cones.r[at(m)] = r;
      for (int l = 0; l < count; ++l) {
        const int j = member_[at(begin + l)];
        complementarity::ContactMatrix<Real, D> W = complementarity::ContactMatrix<Real, D>::Zero();
        for (int a = 0; a < c.rows; ++a)
          for (int k = 0; k < contacts_[at(j)].rows; ++k) {
            W(a, k) = couple(tangent(i, a), tangent(j, k));
            b[a] -= W(a, k) * contacts_[at(j)].impulse[at(k)];
          }
        if (l == m || (W.array() != 0).any()) cones.problem.add_block(l, W);
      }
      cones.problem.finish_row(b, c.rows > 1 ? c.mu : Real(0));
    }
    const auto result = cones.solver.solve(cones.problem, cones.r);
    if (result.status != complementarity::Status::solved) return result.status;
    for (int m = 0; m < count; ++m) {
      const int i = member_[at(begin + m)];
      for (int a = 0; a < contacts_[at(i)].rows; ++a) apply(i, a, cones.r[at(m)][a], largest);
    }
    return result.status;
  }

  const motion::Island<Real>& island_;
  Step& step_;
  WeakGaps<Real>& gaps_;
  int size_ = 0;
  std::vector<Contact> contacts_;
  std::vector<Row> rows_, tangent_;  // three rows for each contact
  Row scratch_;
  contact::Delassus<Real> kept_;  // the constraints
  std::vector<int> owner_, root_, place_, first_, member_;
  numerics::Symmetric<Real> W_;
  std::vector<Real> b_, r_, x_;
  Cones<2> planar_;
  Cones<3> spatial_;
};

}  // namespace ricochet::principle
