// The passes of a step over the nodes and elements of one beam, in groups of one or of a pack.
#pragma once

#include <cstring>

#include "ricochet/bodies/beams/state.hpp"

namespace ricochet::bodies::beams {

template <class T, class R>
inline constexpr int width = static_cast<int>(sizeof(T) / sizeof(R));

template <class T, class R>
RICOCHET_INLINE T load(const R* from) {
  T x;
  std::memcpy(&x, from, sizeof(T));
  return x;
}
template <class T, class R>
RICOCHET_INLINE void store(R* to, const T& x) {
  std::memcpy(to, &x, sizeof(T));
}
template <class T, class Block>
RICOCHET_INLINE Triple<T> load3(const Block& block, int k, Index a) {
  return {load<T>(block[k] + a), load<T>(block[k + 1] + a), load<T>(block[k + 2] + a)};
}
template <class T, class Block>
RICOCHET_INLINE void store3(Block& block, int k, Index a, const Triple<T>& v) {
  store(block[k] + a, v.x);
  store(block[k + 1] + a, v.y);
  store(block[k + 2] + a, v.z);
}

/// The nodes first … last of one beam. Weights are Δs, Δs/2 at the ends (errata, beam).
template <class R>
struct Segment {
  Index first, last;
  Material<R> material;
  R spacing, inverse_spacing;
  Triple<R> gravity;  ///< M g: force per unit of length

  R weight(Index a) const { return a == first || a == last ? spacing / 2 : spacing; }
};

/// The curve of every node along a flight, x(s) = c0 + c1 s + c2 s² (+ c3 s³ ± radius where that is not exact).
enum TraceColumn { c0 = 0, c1 = 3, c2 = 6, c3 = 9, radius = 12, trace_columns = 15 };

/// Kick by half the step, turn and move: p_½ = p + (s/2)F, x' = x + s p_½/m, Λ' = Λτ(sω), Π' = Ad*_τ Π_½ (errata D13,
/// SO(3)×R³ in time: D15). Adds 2K(ξ) to `twice_kinetic`. False if the spin of some node needs Newton's method.
template <class T, class R, class Block, class Trace>
RICOCHET_INLINE bool depart(const Segment<R>& b, const Block& from, Block& out, Trace* trace, Index a, R weight, R s,
                            T& twice_kinetic) {
  const R half = s / 2, inverse_mass = 1 / (weight * b.material.mass), inverse_weight = 1 / weight;
  const Triple<T> x = load3<T>(from, position, a), p = load3<T>(from, momentum, a), f = load3<T>(from, force, a);
  const Triple<T> kicked = p + half * f;
  store3<T>(out, momentum, a, kicked);
  if (trace) {
    store3<T>(*trace, c0, a, x);
    store3<T>(*trace, c1, a, inverse_mass * p);
    store3<T>(*trace, c2, a, (inverse_mass / 2) * f);
  }
  // s(p/m) + s²(f/2m), rounded as the trace rounds it: the end of a flight is where its trace says.
  store3<T>(out, position, a, x + s * (inverse_mass * p + s * ((inverse_mass / 2) * f)));
  const Triple<T> mu = inverse_weight * (load3<T>(from, spin_momentum, a) + half * load3<T>(from, moment, a));
  Triple<T> w;
  const bool converged = spin_of(mu, b.material.inertia, b.material.inverse, half, w);
  const Turn<T> q{load<T>(from[turn] + a), load3<T>(from, turn + 1, a)};
  const Turn<T> q1 = turned(q, half * w);
  store(out[turn] + a, q1.w);
  store3<T>(out, turn + 1, a, q1.v);
  store3<T>(out, spin_momentum, a, weight * turning_momentum(w, b.material.inertia, -half));
  twice_kinetic += inverse_mass * dot(kicked, kicked) + weight * dot(w, scaled(b.material.inertia, w));
  return converged;
}

/// What elements leave for their nodes: force, moment on the left, moment on the right, shifted by one so that node a
/// finds its left element at a and its right one at a + 1.
enum LoadColumn { load_force = 0, load_left = 3, load_right = 6, load_columns = 9 };

RICOCHET_INLINE double smaller(double a, double b) { return a < b ? a : b; }
RICOCHET_INLINE long double smaller(long double a, long double b) { return a < b ? a : b; }

template <class T, class R, class Block, class Loads>
RICOCHET_INLINE void load_element(const Segment<R>& b, const Block& at, Loads& loads, Index a, T& energy, T& least) {
  const Turn<T> left{load<T>(at[turn] + a), load3<T>(at, turn + 1, a)};
  const Turn<T> right{load<T>(at[turn] + a + 1), load3<T>(at, turn + 1, a + 1)};
  const Triple<T> apart = load3<T>(at, position, a + 1) - load3<T>(at, position, a);
  const ElementLoad<T> e = element_load(left, right, apart, b.material, b.inverse_spacing);
  store3<T>(loads, load_force, a + 1, e.force);
  store3<T>(loads, load_left, a + 1, e.left);
  store3<T>(loads, load_right, a + 1, e.right);
  energy += e.energy;
  least = smaller(least, e.w);
}

/// Sums the two elements and gravity at a node and kicks its momenta by half the step.
template <class T, class R, class Block, class Loads>
RICOCHET_INLINE void arrive(const Segment<R>& b, Block& out, const Loads& loads, Index a, R weight, R half,
                            T& gravity_energy) {
  const Triple<T> gravity{T{} + weight * b.gravity.x, T{} + weight * b.gravity.y, T{} + weight * b.gravity.z};
  const Triple<T> f = (load3<T>(loads, load_force, a + 1) - load3<T>(loads, load_force, a)) + gravity;
  const Triple<T> m = load3<T>(loads, load_left, a + 1) - load3<T>(loads, load_right, a);
  store3<T>(out, force, a, f);
  store3<T>(out, moment, a, m);
  store3<T>(out, momentum, a, load3<T>(out, momentum, a) + half * f);
  store3<T>(out, spin_momentum, a, load3<T>(out, spin_momentum, a) + half * m);
  gravity_energy -= dot(gravity, load3<T>(out, position, a));
}

}  // namespace ricochet::bodies::beams
