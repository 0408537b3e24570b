// A model as the systems of mechanics/system.hpp: a constant mass with a potential, or any Lagrangian.
#pragma once

#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// What both kinds share: gaps, constraints, forces. Vectors of up to Max coordinates live on the stack
/// (Eigen::Dynamic: no bound).
template <int Max>
class TapeSystem {
 public:
  static constexpr int max_dimension = Max;

  explicit TapeSystem(const Model& model)
      : n_(model.n), gaps_(model.gaps), constraints_(model.constraints), forces_(model.forces), timed_(model.timed) {
    for (const Gap& gap : model.scene.gaps) gap_names_.push_back(gap.name);
    for (const Constraint& constraint : model.scene.constraints) constraint_names_.push_back(constraint.name);
    moving_ = model.moving;
    unions_ = model.unions;
    tangents_ = model.tangents;
    first_tangent_ = model.first_tangent;
    friction_ = model.friction;
    given_forces_ = model.given_forces;
    for (int i = 0; i < gaps_.outputs(); ++i) sampled_ |= gaps_.given(i) != nullptr;
  }

  int dimension() const { return n_; }
  bool depends_on_time() const { return timed_; }

  int gaps() const { return static_cast<int>(gap_names_.size()); }
  std::string gap_name(int i) const { return gap_names_[static_cast<std::size_t>(i)]; }
  /// Enclosures of some gap are measured, not proved: on one box they say nothing of another.
  bool sampled() const { return sampled_; }
  int unions() const { return static_cast<int>(unions_.size()); }
  std::span<const int> branches(int u) const { return unions_[static_cast<std::size_t>(u)]; }
  bool moving_gap(int i) const { return i < gaps() && moving_[static_cast<std::size_t>(i)]; }
  template <class T>
  T gap(int i, Point<T> q, const T& t) const {
    return gaps_(i, q, t);
  }
  template <class Real>
  Real gap_gradient(int i, Point<Real> q, Real t, std::span<Real> g) const {
    return i < gaps() ? gaps_.gradient(i, q, t, g) : constraints_.gradient(i - gaps(), q, t, g);
  }
  /// Coordinates of q, and n for the time.
  std::span<const expression::Slot> gap_inputs(int i) const { return gaps_.inputs(i); }
  template <class T>
  void gaps_at(Point<T> q, const T& t, std::span<T> out) const {
    gaps_.all(q, t, out.data());
  }

  int constraints() const { return static_cast<int>(constraint_names_.size()); }
  std::string constraint_name(int j) const { return constraint_names_[static_cast<std::size_t>(j)]; }
  template <class T>
  T constraint(int j, Point<T> q) const {
    return constraints_(j, q, T(0));
  }

  int tangents(int i) const {
    return first_tangent_[static_cast<std::size_t>(i) + 1] - first_tangent_[static_cast<std::size_t>(i)];
  }
  double friction(int i) const { return friction_[static_cast<std::size_t>(i)]; }
  template <class T>
  T tangent(int i, int a, Point<T> q, const T& t) const {
    return tangents_(first_tangent_[static_cast<std::size_t>(i)] + a, q, t);
  }
  bool moving_tangent(int, int) const { return tangents_.timed(); }
  template <class Real>
  Real tangent_gradient(int i, int a, Point<Real> q, Real t, std::span<Real> g) const {
    return tangents_.gradient(first_tangent_[static_cast<std::size_t>(i)] + a, q, t, g);
  }

  bool has_force() const { return forces_.outputs() > 0 || !given_forces_.empty(); }
  template <class T>
  void force(Point<T> q, Point<T> v, const T& t, std::span<T> f) const {
    for (int k = 0; k < forces_.outputs(); ++k) f[static_cast<std::size_t>(k % n_)] += forces_(k, q, v, t);
    for (const Given& given : given_forces_) {
      std::vector<T> x(q.begin(), q.end());
      x.insert(x.end(), v.begin(), v.end());
      if (given.timed) x.push_back(t);
      given::add(*given, Point<T>(x), f);
    }
  }

 private:
  int n_;
  Function gaps_, constraints_, forces_, tangents_;
  std::vector<int> first_tangent_;
  std::vector<double> friction_;
  std::vector<std::string> gap_names_, constraint_names_;
  std::vector<bool> moving_;
  std::vector<std::vector<int>> unions_;
  std::vector<Given> given_forces_;
  bool timed_, sampled_ = false;
};

template <int Max>
class ConstantMassSystem : public TapeSystem<Max> {
 public:
  explicit ConstantMassSystem(const Model& model)
      : TapeSystem<Max>(model), mass_(model.mass), potential_(model.potential) {}

  const Eigen::MatrixXd& mass() const { return mass_; }
  template <class T>
  T potential(Point<T> q, const T& t) const {
    return potential_(0, q, t);
  }
  template <class Real>
  Real potential_gradient(Point<Real> q, Real t, std::span<Real> g) const {
    return potential_.gradient(0, q, t, g);
  }

 private:
  Eigen::MatrixXd mass_;
  Function potential_;
};

template <int Max>
class LagrangianSystem : public TapeSystem<Max> {
 public:
  explicit LagrangianSystem(const Model& model) : TapeSystem<Max>(model), lagrangian_(model.lagrangian) {
    if (model.less_potential) potential_ = model.potential;
  }

  template <class T>
  T lagrangian(Point<T> q, Point<T> v, const T& t) const {
    const T whole = lagrangian_(0, q, v, t);
    return potential_.outputs() > 0 ? whole - potential_(0, q, t) : whole;
  }

 private:
  Function lagrangian_;
  Function potential_;  ///< where it is no part of lagrangian_
};

}  // namespace ricochet::scene
