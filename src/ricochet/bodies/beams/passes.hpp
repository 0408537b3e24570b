// The passes of a step over the nodes and elements of one beam, in groups of one or of a pack.
#pragma once

#include "ricochet/bodies/beams/spin.hpp"
#include "ricochet/bodies/beams/state.hpp"

namespace ricochet::bodies::beams {

template <class T, class R>
RICOCHET_INLINE Triple<T> load3(View<R> block, int k, Index a) {
  return {load<T>(block[k] + a), load<T>(block[k + 1] + a), load<T>(block[k + 2] + a)};
}
template <class T, class R>
RICOCHET_INLINE void store3(View<R> block, int k, Index a, const Triple<T>& v) {
  store(block[k] + a, v.x);
  store(block[k + 1] + a, v.y);
  store(block[k + 2] + a, v.z);
}

/// Stiffnesses of (5.3), (5.4) and inertia of (5.2) per unit of length; errata D14: J with density, C₂ without.
template <class R>
struct Material {
  R mass;                ///< M = ρA
  Gyration<R> gyration;  ///< J = ρ diag(I₁, I₂, I₁+I₂)
  Triple<R> bending;     ///< C₂ = diag(E I₁, E I₂, G(I₁+I₂))
  Triple<R> shear;       ///< C₁ = diag(GA, GA, EA)
};

/// The nodes first … last of one beam. Weights are Δs, Δs/2 at the ends (errata, beam).
template <class R>
struct Segment {
  Index first, last;
  Material<R> material;
  R spacing, inverse_spacing;
  Triple<R> gravity;  ///< M g: force per unit of length

  R weight(Index a) const { return a == first || a == last ? spacing / 2 : spacing; }
  ElementConstants<R> element() const {
    return {inverse_spacing, (2 * inverse_spacing) * material.bending, material.shear};
  }
};

/// The curve of every node along a flight, x(s) = c0 + c1 s + c2 s² (+ c3 s³ ± radius where that is not exact).
enum TraceColumn { c0 = 0, c1 = 3, c2 = 6, c3 = 9, radius = 12, trace_columns = 15 };

/// What nodes of one weight share over a flight of length s. Passes hold it by value: through a reference it would have
/// to be read again after every store.
template <class R>
struct Pace {
  Pace(const Segment<R>& b, R w, R length)
      : s(length),
        half(length / 2),
        inverse_mass(1 / (w * b.material.mass)),
        gyration(b.material.gyration),
        inverse(1 / w * gyration.inverse),
        inertia(w * gyration.inertia),
        turning((2 * half * w) * gyration.difference) {}
  R s, half, inverse_mass;
  Gyration<R> gyration;
  Triple<R> inverse, inertia, turning;
};

/// Kick by half the step, turn and move: p_½ = p + (s/2)F, x' = x + s p_½/m, Λ' = Λτ(sω), Π' = Ad*_τ Π_½ (errata D13,
/// SO(3)×R³ in time: D15). Adds 2K(ξ) to `twice_kinetic`. False, with nothing done, if the spin of some node is not
/// found by sweeps. `look(x, v, c)` sees the parabolas x + s(v + sc) that are flown.
template <class T, class R, class Look>
RICOCHET_INLINE bool depart(const Pace<R>& pace, View<const R> from, View<R> out, Index a, T& twice_kinetic,
                            const Look& look) {
  const R half = pace.half;
  const Triple<T> spin = load3<T>(from, spin_momentum, a) + half * load3<T>(from, moment, a);
  Triple<T> w;
  if (!spin_by_sweeps(scaled(pace.inverse, spin), pace.gyration, half, w)) return false;
  // Π' − Π_½ = −2aω×Jω: what the momenta in the frames at both ends of the interval differ by.
  store3<T>(out, spin_momentum, a, spin - scaled(pace.turning, Triple<T>{w.y * w.z, w.z * w.x, w.x * w.y}));
  const Turn<T> q = turned(Turn<T>{load<T>(from[turn] + a), load3<T>(from, turn + 1, a)}, half * w);
  store(out[turn] + a, q.w);
  store3<T>(out, turn + 1, a, q.v);

  const Triple<T> x = load3<T>(from, position, a), p = load3<T>(from, momentum, a), f = load3<T>(from, force, a);
  const Triple<T> kicked = p + half * f;
  store3<T>(out, momentum, a, kicked);
  // s(p/m) + s²(f/2m), rounded as the trace rounds it: the end of a flight is where its trace says.
  const Triple<T> v = pace.inverse_mass * p, c = (pace.inverse_mass / 2) * f;
  store3<T>(out, position, a, x + pace.s * (v + pace.s * c));
  look(x, v, c);
  twice_kinetic += pace.inverse_mass * dot(kicked, kicked) + dot(w, scaled(pace.inertia, w));
  return true;
}

/// What elements leave for their nodes: force, moment on the left, moment on the right, shifted by one so that node a
/// finds its left element at a and its right one at a + 1.
enum LoadColumn { load_force = 0, load_left = 3, load_right = 6, load_columns = 9 };

template <class T, class R>
RICOCHET_INLINE void load_element(const ElementConstants<R>& element, View<R> at, View<R> loads, Index a, T& elastic,
                                  T& least_cosine) {
  const Turn<T> left{load<T>(at[turn] + a), load3<T>(at, turn + 1, a)};
  const Turn<T> right{load<T>(at[turn] + a + 1), load3<T>(at, turn + 1, a + 1)};
  const Triple<T> apart = load3<T>(at, position, a + 1) - load3<T>(at, position, a);
  const ElementLoad<T> e = element_load(left, right, apart, element);
  store3<T>(loads, load_force, a + 1, e.force);
  store3<T>(loads, load_left, a + 1, e.left);
  store3<T>(loads, load_right, a + 1, e.right);
  elastic += e.energy;
  least_cosine = smaller(least_cosine, e.w);
}

/// Sums the two elements and gravity at a node and kicks its momenta by half the step.
template <class T, class R>
RICOCHET_INLINE void arrive(const Triple<R>& weight, View<R> out, View<R> loads, Index a, R half, T& gravity_energy) {
  const Triple<T> gravity{T{} + weight.x, T{} + weight.y, T{} + weight.z};
  const Triple<T> f = (load3<T>(loads, load_force, a + 1) - load3<T>(loads, load_force, a)) + gravity;
  const Triple<T> m = load3<T>(loads, load_left, a + 1) - load3<T>(loads, load_right, a);
  store3<T>(out, force, a, f);
  store3<T>(out, moment, a, m);
  store3<T>(out, momentum, a, load3<T>(out, momentum, a) + half * f);
  store3<T>(out, spin_momentum, a, load3<T>(out, spin_momentum, a) + half * m);
  gravity_energy -= dot(gravity, load3<T>(out, position, a));
}

}  // namespace ricochet::bodies::beams
