// A scene some of whose functions are written in Python, as a system.
#pragma once

#include "numeric_model.hpp"
#include "numeric_scalars.hpp"
#include "ricochet/scene/systems.hpp"

namespace ricochet::python {

/// What both kinds of systems share: gaps, constraints, forces.
template <class Base>
class NumericParts : public Base {
 public:
  static constexpr bool sampled =
      true;  ///< enclosures are measured, not proved: on one box they say nothing of another

  explicit NumericParts(const scene::Model& model) : Base(model), model_(static_cast<const NumericModel&>(model)) {}

  template <class T>
  T gap(int i, Point<T> q, const T& t) const {
    const auto it = model_.gaps_.find(i);
    return it != model_.gaps_.end() ? of(it->second, q, t) : Base::gap(i, q, t);
  }
  template <class Real>
  Real gap_gradient(int i, Point<Real> q, Real t, std::span<Real> g) const {
    const bool constraint = i >= this->gaps();
    const auto& list = constraint ? model_.constraints_ : model_.gaps_;
    const auto it = list.find(constraint ? i - this->gaps() : i);
    return it != list.end() ? gradient_of(it->second, q, t, g) : Base::gap_gradient(i, q, t, g);
  }
  template <class T>
  void gaps_at(Point<T> q, const T& t, std::span<T> out) const {
    Base::gaps_at(q, t, out);
    for (const auto& [i, f] : model_.gaps_) out[static_cast<std::size_t>(i)] = of(f, q, t);
  }
  template <class T>
  T constraint(int j, Point<T> q) const {
    const auto it = model_.constraints_.find(j);
    return it != model_.constraints_.end() ? of(it->second, q, T(0)) : Base::constraint(j, q);
  }
  template <class T>
  void force(Point<T> q, Point<T> v, const T& t, std::span<T> out) const {
    Base::force(q, v, t, out);
    for (const auto& [i, f] : model_.forces_) add_force(f, q, v, t, out);
  }

 protected:
  template <class T>
  static std::vector<T> variables(const Numeric& f, Point<T> q, const T& t) {
    std::vector<T> x(q.begin(), q.end());
    if (f.shape().timed) x.push_back(t);
    return x;
  }
  template <class T>
  static T of(const Numeric& f, Point<T> q, const T& t) {
    return numeric::In<T>::value(f, Point<T>(variables(f, q, t)));
  }
  template <class Real>
  static Real gradient_of(const Numeric& f, Point<Real> q, const Real& t, std::span<Real> g) {
    const std::vector<Real> x = variables(f, q, t);
    if constexpr (std::is_same_v<Real, double>) {
      std::vector<double> all(x.size());
      f.gradient(x.data(), all.data());
      std::copy_n(all.begin(), g.size(), g.begin());
      return f.value(x.data());
    } else if constexpr (requires { numeric::In<Real>::gradient_of(f, Point<Real>(x), g); }) {
      return numeric::In<Real>::gradient_of(f, Point<Real>(x), g);
    } else {
      numeric::In<Real>::refuse();
    }
  }
  template <class T>
  static void add_force(const Numeric& f, Point<T> q, Point<T> v, const T& t, std::span<T> out) {
    std::vector<T> x(q.begin(), q.end());
    x.insert(x.end(), v.begin(), v.end());
    if (f.shape().timed) x.push_back(t);
    const auto n = out.size();
    const numeric::Vector at = numeric::values(Point<T>(x));
    numeric::Vector value(static_cast<Eigen::Index>(n));
    f.value(at.data(), value.data());
    for (std::size_t i = 0; i < n; ++i) out[i] += T(value[static_cast<Eigen::Index>(i)]);
    if constexpr (requires {
                    { x[0].d[0] } -> std::same_as<double&>;
                  }) {
      numeric::Matrix J(static_cast<Eigen::Index>(n), at.size());
      f.gradient(at.data(), J.data());
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < x.size(); ++k)
          for (std::size_t d = 0; d < x[k].d.size(); ++d)
            out[i].d[d] += J(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) * x[k].d[d];
    } else if constexpr (!std::is_same_v<T, double>) {
      numeric::In<T>::refuse();
    }
  }

  const NumericModel& model_;  // the simulation owns it
};

// Both are of any size: Python's functions take the time that matrices of a fixed size would save.

class NumericConstantMass : public NumericParts<scene::ConstantMassSystem<Eigen::Dynamic>> {
 public:
  using Base = NumericParts<scene::ConstantMassSystem<Eigen::Dynamic>>;
  using Base::Base;

  template <class T>
  T potential(Point<T> q, const T& t) const {
    const auto& V = model_.potential_;
    return V ? Base::of(*V, q, t) : Base::potential(q, t);
  }
  template <class Real>
  Real potential_gradient(Point<Real> q, Real t, std::span<Real> g) const {
    const auto& V = model_.potential_;
    return V ? Base::gradient_of(*V, q, t, g) : Base::potential_gradient(q, t, g);
  }
};

/// L of its own, or ½vᵀM(q)v of the text without the V that is given here.
class NumericLagrangian : public NumericParts<scene::LagrangianSystem<Eigen::Dynamic>> {
 public:
  using Base = NumericParts<scene::LagrangianSystem<Eigen::Dynamic>>;
  using Base::Base;

  template <class T>
  T lagrangian(Point<T> q, Point<T> v, const T& t) const {
    const auto& [V, L] = std::tie(model_.potential_, model_.lagrangian_);
    if (L) {
      std::vector<T> x(q.begin(), q.end());
      x.insert(x.end(), v.begin(), v.end());
      if (L->shape().timed) x.push_back(t);
      return numeric::In<T>::value(*L, Point<T>(x));
    }
    const T whole = Base::lagrangian(q, v, t);
    return V ? whole - Base::of(*V, q, t) : whole;
  }
};

}  // namespace ricochet::python
