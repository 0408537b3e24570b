// What a user writes down: a Lagrangian and gaps, as one generic class.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <span>
#include <string>

#include "ricochet/numerics/scalar.hpp"

namespace ricochet::mechanics {

// A system is any class with generic members (T is double, long double, a jet, a ball, …):
//
//   static constexpr int dimension = 3;                       // or: int dimension() const
//   one of
//     Vector or Matrix mass() const                           // constant mass, diagonal or full
//     template <class T> T mass(int i, int j, Point<T> q) const            // M(q)
//     template <class T> T lagrangian(Point<T> q, Point<T> v[, T t]) const // any regular L
//   with a mass: template <class T> T potential(Point<T> q[, T t]) const
//   gaps:   int gaps() const;  template <class T> T gap(int i, Point<T> q[, T t]) const   // admissible where ≥ 0
//           gaps are smooth; a union of sets is several gaps, of which only the largest must not become negative:
//           int unions() const;  std::span<const int> branches(int u) const  list those of each union
//   constraints: int constraints() const;  template <class T> T constraint(int j, Point<T> q) const          // = 0
//   forces: template <class T> void force(Point<T> q, Point<T> v, T t, std::span<T> f) const
//   names:  std::string gap_name(int i) const
//
// Derivatives come from automatic differentiation of these members. A system that has better ones (a tape with a
// reverse sweep) may offer `Real potential_gradient(Point<Real> q, Real t, std::span<Real> g) const` and
// `Real gap_gradient(int i, Point<Real> q, Real t, std::span<Real> g) const`, and
// `void gaps_at(Point<T> q, T t, std::span<T> out) const` for all gaps at once.

namespace detail {
using D = double;
using P = Point<D>;
}  // namespace detail

template <class S>
concept HasStaticDimension = requires { std::integral_constant<int, S::dimension>{}; };
template <class S>
concept HasMaxDimension = requires { std::integral_constant<int, S::max_dimension>{}; };

template <class S>
constexpr int static_dimension() {
  if constexpr (HasStaticDimension<S>)
    return S::dimension;
  else
    return Eigen::Dynamic;
}
/// Upper bound of the dimension: vectors up to it live on the stack.
template <class S>
constexpr int max_dimension() {
  if constexpr (HasMaxDimension<S>)
    return S::max_dimension;
  else
    return static_dimension<S>();
}
template <class S>
int dimension(const S& s) {
  if constexpr (HasStaticDimension<S>)
    return S::dimension;
  else
    return s.dimension();
}

template <class S>
concept ConstantMass = requires(const S& s) { s.mass(); };
template <class S>
concept MassOfConfiguration = requires(const S& s, detail::P q) { s.mass(0, 0, q); };
template <class S>
concept AutonomousLagrangian = requires(const S& s, detail::P q) { s.lagrangian(q, q); };
template <class S>
concept TimedLagrangian = requires(const S& s, detail::P q, detail::D t) { s.lagrangian(q, q, t); };
template <class S>
concept TimedPotential = requires(const S& s, detail::P q, detail::D t) { s.potential(q, t); };
template <class S>
concept HasPotential = TimedPotential<S> || requires(const S& s, detail::P q) { s.potential(q); };
template <class S>
concept TimedGap = requires(const S& s, detail::P q, detail::D t) { s.gap(0, q, t); };
template <class S>
concept HasGaps = TimedGap<S> || requires(const S& s, detail::P q) { s.gap(0, q); };
template <class S>
concept HasForce = requires(const S& s, detail::P q, std::span<double> f) { s.force(q, q, 0.0, f); };

// Members that are there but cannot be called as they must be would be taken for members that are not: a system without
// walls, without forces. `static_assert`s on these say so instead. (S is not const here.)
template <class S>
concept ForgottenGap = !HasGaps<S> && (
                                          requires(S& s) { s.gaps(); } || requires(S& s, detail::P q) { s.gap(0, q); });
template <class S>
concept ForgottenForce =
    !HasForce<S> &&
    (
        requires(S& s, detail::P q, std::span<double> f) { s.force(q, q, 0.0, f); } ||
        requires(S& s, detail::P q, std::span<double> f) { s.force(q, q, f); } ||
        requires(S& s, detail::P q, std::span<double> f) { s.force(q, f); } ||
        requires(S& s, detail::P q) { s.force(q, q, 0.0); } || requires(S& s, detail::P q) { s.force(q, q); });

/// Kinetic energy ½ vᵀMv with constant M: the DEL of rules without inner stages are explicit.
template <class S>
concept Separable = ConstantMass<S> && HasPotential<S>;
template <class S>
concept System =
    Separable<S> || (MassOfConfiguration<S> && HasPotential<S>) || AutonomousLagrangian<S> || TimedLagrangian<S>;

template <class S>
int gap_count(const S& s) {
  if constexpr (HasGaps<S>)
    return s.gaps();
  else
    return 0;
}
template <class S>
concept HasConstraints = requires(const S& s, detail::P q) { s.constraint(0, q); };
template <class S>
int constraint_count(const S& s) {
  if constexpr (HasConstraints<S>)
    return s.constraints();
  else
    return 0;
}
template <class S>
std::string constraint_name(const S& s, int j) {
  if constexpr (requires { s.constraint_name(j); })
    return s.constraint_name(j);
  else
    return "constraint " + std::to_string(j);
}
template <class S>
std::string gap_name(const S& s, int i) {
  if constexpr (requires { s.gap_name(i); })
    return s.gap_name(i);
  else
    return "gap " + std::to_string(i);
}

/// Whether V or L depends on time, known at run time for systems that come from a scene.
template <class S>
bool depends_on_time(const S& s) {
  if constexpr (requires { s.depends_on_time(); })
    return s.depends_on_time();
  else
    return TimedPotential<S> || TimedLagrangian<S>;
}
/// Whether any generalized force acts, and whether it depends on velocities.
template <class S>
bool has_force(const S& s) {
  if constexpr (!HasForce<S>)
    return false;
  else if constexpr (requires { s.has_force(); })
    return s.has_force();
  else
    return true;
}
/// How many unions there are, and the gaps that are the branches of one. A gap may be in several, or stand alone.
template <class S>
int union_count(const S& s) {
  if constexpr (requires { s.unions(); })
    return s.unions();
  else
    return 0;
}
template <class S>
std::span<const int> branches(const S& s, int u) {
  if constexpr (requires { s.branches(u); })
    return s.branches(u);
  else
    return {};
}
template <class S>
bool moving_gap(const S& s, int i) {
  if constexpr (requires { s.moving_gap(i); })
    return s.moving_gap(i);
  else
    return TimedGap<S>;
}

template <class T, class S>
T potential(const S& s, Point<T> q, const T& t) {
  if constexpr (TimedPotential<S>)
    return s.potential(q, t);
  else
    return s.potential(q);
}
/// φ_i; numbers from gap_count on are the bilateral constraints.
template <class T, class S>
T gap(const S& s, int i, Point<T> q, const T& t) {
  if constexpr (HasConstraints<S>)
    if (i >= gap_count(s)) return s.constraint(i - gap_count(s), q);
  if constexpr (TimedGap<S>)
    return s.gap(i, q, t);
  else if constexpr (HasGaps<S>)
    return s.gap(i, q);
  else
    return T(1);
}

/// L(q,v,t) of any system.
template <class T, class S>
T lagrangian(const S& s, Point<T> q, Point<T> v, const T& t) {
  if constexpr (TimedLagrangian<S>) {
    return s.lagrangian(q, v, t);
  } else if constexpr (AutonomousLagrangian<S>) {
    return s.lagrangian(q, v);
  } else {
    T twice_kinetic(0);
    if constexpr (ConstantMass<S>) {
      const auto& M = s.mass();
      for (std::size_t i = 0; i < v.size(); ++i) {
        if constexpr (std::decay_t<decltype(M)>::ColsAtCompileTime == 1)
          twice_kinetic += T(M[static_cast<Eigen::Index>(i)]) * v[i] * v[i];
        else
          for (std::size_t j = 0; j < v.size(); ++j)
            twice_kinetic += T(M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))) * v[i] * v[j];
      }
    } else {
      for (std::size_t i = 0; i < v.size(); ++i) {
        twice_kinetic += s.mass(static_cast<int>(i), static_cast<int>(i), q) * v[i] * v[i];
        for (std::size_t j = 0; j < i; ++j)
          twice_kinetic += T(2) * s.mass(static_cast<int>(i), static_cast<int>(j), q) * v[i] * v[j];
      }
    }
    return T(0.5) * twice_kinetic - potential(s, q, t);
  }
}

}  // namespace ricochet::mechanics
