// A system as a function of its parameters: what a tangent differentiates besides the initial state.
#pragma once

#include <utility>
#include <vector>

#include "ricochet/mechanics/system.hpp"

namespace ricochet::tangent {

// A family offers, for every scalar T and θ = the values of its parameters in T,
//   int parameters() const;  double parameter(int j) const
//   T lagrangian(q, v, t, θ),  T gap(i, q, t, θ),  void force(q, v, t, θ, f)
//   static constexpr bool separable;  then also T potential(q, t, θ) and T mass(i, j, θ)
//   bool varies_restitution() const;  then T restitution(i, q, v, t, θ)
// and may offer the gradient of V by q and θ, where a reverse sweep gives both:
//   T potential_gradient(q, t, θ, std::span<T> by_q, std::span<T> by_theta)

/// Families that say `fixed` have no parameters whatever happens: nothing is compiled to differentiate by them.
template <class Family>
inline constexpr bool is_fixed = requires { requires Family::fixed; };

/// The members of a family that follow from the system it gives at θ.
template <class Derived>
class FamilyOf {
 public:
  template <class T>
  T lagrangian(Point<T> q, Point<T> v, const T& t, Point<T> theta) const {
    return mechanics::lagrangian(system(theta), q, v, t);
  }
  template <class T>
  T potential(Point<T> q, const T& t, Point<T> theta) const {
    return mechanics::potential(system(theta), q, t);
  }
  template <class T>
  T gap(int i, Point<T> q, const T& t, Point<T> theta) const {
    return mechanics::gap(system(theta), i, q, t);
  }
  template <class T>
  void force(Point<T> q, Point<T> v, const T& t, Point<T> theta, std::span<T> f) const {
    decltype(auto) s = system(theta);
    if constexpr (requires { s.force(q, v, t, f); }) s.force(q, v, t, f);
  }
  template <class T>
  T mass(int i, int j, Point<T> theta) const {
    decltype(auto) s = system(theta);
    const auto M = s.mass();
    if constexpr (std::decay_t<decltype(M)>::ColsAtCompileTime == 1)
      return i == j ? T(M[i]) : T(0);
    else
      return T(M(i, j));
  }
  template <class T>
  T restitution(int i, Point<T> q, Point<T> v, const T& t, Point<T> theta) const {
    decltype(auto) s = system(theta);
    if constexpr (requires { s.restitution(i, q, v, t); })
      return s.restitution(i, q, v, t);
    else
      return T(1);
  }

 private:
  template <class T>
  decltype(auto) system(Point<T> theta) const {
    return static_cast<const Derived&>(*this).at(theta);
  }
};

/// A system without parameters.
template <mechanics::System System>
class Fixed : public FamilyOf<Fixed<System>> {
 public:
  static constexpr bool separable = mechanics::Separable<System>;
  static constexpr bool fixed = true;
  explicit Fixed(System system) : system_(std::move(system)) {}
  int parameters() const { return 0; }
  double parameter(int) const { return 0; }
  bool varies_restitution() const {
    return requires(detail_point p) { system_.restitution(0, p, p, 0.0); };
  }
  template <class T>
  const System& at(Point<T>) const {
    return system_;
  }

 private:
  using detail_point = Point<double>;
  System system_;
};

/// θ ↦ system, `make` being generic in the scalar: []<class T>(Point<T> theta) { return Ball<T>{theta[0]}; }. The
/// system of T keeps its parameters as T; that of double is the one that is run.
template <class Make>
class Family : public FamilyOf<Family<Make>> {
 public:
  using System = std::decay_t<decltype(std::declval<const Make&>()(Point<double>()))>;
  static constexpr bool separable = mechanics::Separable<System>;
  Family(Make make, std::vector<double> theta) : make_(std::move(make)), theta_(std::move(theta)) {}
  int parameters() const { return static_cast<int>(theta_.size()); }
  double parameter(int j) const { return theta_[static_cast<std::size_t>(j)]; }
  bool varies_restitution() const {
    return requires(const System& s, Point<double> p) { s.restitution(0, p, p, 0.0); };
  }
  System system() const { return make_(Point<double>(theta_)); }
  template <class T>
  auto at(Point<T> theta) const {
    return make_(theta);
  }

 private:
  Make make_;
  std::vector<double> theta_;
};

}  // namespace ricochet::tangent
