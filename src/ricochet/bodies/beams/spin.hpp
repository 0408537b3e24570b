// The one implicit part of a step: the spin ω of a node from its momentum μ, three equations.
//
//   μ = (dτ⁻¹_{2aω})* Jω = Jω + aω×Jω + a²(ω·Jω)ω,   2a the length of the step (errata D12, D13).
//
// With n = J⁻¹μ, c = (J₃−J₂, J₁−J₃, J₂−J₁)/J and ε = a²ω·Jω the components read ω₁ = n₁ − a c₁ ω₂ω₃ − (ε/J₁) ω₁.
#pragma once

#include <algorithm>
#include <array>

#include "ricochet/bodies/beams/kernels.hpp"

namespace ricochet::bodies::beams {

/// The inertia of a section, and how far sweeps go with it.
template <class R>
struct Gyration {
  static constexpr int sweeps = 12;
  Triple<R> inertia;  ///< J
  Triple<R> inverse;  ///< J⁻¹
  Triple<R> difference;  ///< (J₃−J₂, J₁−J₃, J₂−J₁): ω×Jω is this times (ω₂ω₃, ω₃ω₁, ω₁ω₂)
  Triple<R> ratio;                ///< the same over J
  std::array<R, sweeps> reach{};  ///< the largest |aJ⁻¹μ|∞ for which k + 1 sweeps leave an error below rounding
};

/// An upper bound of |ω − ω*|∞/|n|∞ after k sweeps from ω = n, for a|n|∞ = n: worst cases in every component.
template <class R>
R error_of_sweeps(const Gyration<R>& g, R n, int k) {
  const std::array<R, 3> J{g.inertia.x, g.inertia.y, g.inertia.z};
  const std::array<R, 3> c{magnitude(g.ratio.x), magnitude(g.ratio.y), magnitude(g.ratio.z)};
  const R total = J[0] + J[1] + J[2];
  R u = n;  // bounds a|ω|∞ of the solution and of all iterates
  for (int it = 0; it < 100; ++it) {
    R next = 0;
    for (std::size_t i = 0; i < 3; ++i) next = std::max(next, n + c[i] * u * u + total / J[i] * u * u * u);
    u = next;
    if (!(u <= 1)) return 1;
  }
  std::array<R, 3> error;
  for (std::size_t i = 0; i < 3; ++i) error[i] = c[i] * u * u + total / J[i] * u * u * u;
  for (; k > 0; --k) {
    const std::array<R, 3> old = error;
    const R weighted = 2 * (J[0] * old[0] + J[1] * old[1] + J[2] * old[2]);
    for (std::size_t i = 0; i < 3; ++i)
      error[i] = c[i] * u * (error[(i + 1) % 3] + error[(i + 2) % 3]) + u * u / J[i] * (weighted + total * old[i]);
  }
  return std::max({error[0], error[1], error[2]}) / n;
}

template <class R>
Gyration<R> gyration_of(const Triple<R>& J) {
  Gyration<R> g{J, {1 / J.x, 1 / J.y, 1 / J.z}, {J.z - J.y, J.x - J.z, J.y - J.x}, {}, {}};
  g.ratio = scaled(g.inverse, g.difference);
  for (int k = 0; k < Gyration<R>::sweeps; ++k) {
    R low = 0, high = 1;
    for (int it = 0; it < 60; ++it) {
      const R middle = (low + high) / 2;
      (error_of_sweeps(g, middle, k + 1) <= std::numeric_limits<R>::epsilon() / 4 ? low : high) = middle;
    }
    g.reach[static_cast<std::size_t>(k)] = low;
  }
  return g;
}

/// ω by sweeps through its components, each with the newest of the others: an error shrinks by about |aω|^1.5 in a
/// sweep, and how many are needed is known before the first. False where a node turns too far in a step for that.
template <class T, class R>
RICOCHET_INLINE bool spin_by_sweeps(const Triple<T>& n, const Gyration<R>& g, R a, Triple<T>& w) {
  const T turn = magnitude(a) * larger(larger(magnitude(n.x), magnitude(n.y)), magnitude(n.z));
  if (!all(turn <= g.reach.back())) return false;
  std::size_t more = 1;
  while (!all(turn <= g.reach[more])) ++more;
  const Triple<R> c = a * g.ratio, J = (a * a) * g.inertia;
  w = n;
  for (++more; more > 0; --more) {
    const T e = J.x * (w.x * w.x) + J.y * (w.y * w.y) + J.z * (w.z * w.z);
    // What does not wait for the component before stands first.
    w.x = (n.x - (c.x * w.y) * w.z) - (g.inverse.x * e) * w.x;
    w.y = (n.y - (g.inverse.y * e) * w.y) - (c.y * w.z) * w.x;
    w.z = (n.z - (g.inverse.z * e) * w.z) - (c.z * w.x) * w.y;
  }
  return true;
}

/// (I ± aω̂ + a²ωωᵀ) Jω: the momentum in the frame at the start (+) and at the end (−) of an interval of length 2a that
/// turns with ω (errata D12, D13).
template <class T, class R>
RICOCHET_INLINE Triple<T> turning_momentum(const Triple<T>& w, const Triple<R>& J, R a) {
  const Triple<T> Jw = scaled(J, w);
  return (Jw + a * cross(w, Jw)) + ((a * a) * dot(w, Jw)) * w;
}

/// The same for one node that turns further, by ω ← J⁻¹(μ − …), watching the changes: it contracts by about |aω|. False
/// where it does not; the caller then takes Newton's method.
template <class R>
bool spin_by_contraction(const Triple<R>& mu, const Gyration<R>& g, R a, Triple<R>& w) {
  constexpr R eps = std::numeric_limits<R>::epsilon();
  w = scaled(g.inverse, mu);
  const R first = size_of(w);
  R last = first;
  for (int it = 0; it < 12; ++it) {
    const Triple<R> Jw = scaled(g.inertia, w);
    const Triple<R> next = scaled(g.inverse, (mu - a * cross(w, Jw)) - ((a * a) * dot(w, Jw)) * w);
    // Changes shrink like change/last: what is still to come is change²/last. Where they grow, never (∞ ≤ ∞ is true).
    const R change = size_of(next - w), bound = (eps / 4) * size_of(next);
    w = next;
    if (change * change <= bound * last && change <= first) return true;
    last = change;
  }
  return false;
}

/// x with (c₀ c₁ c₂) x = b.
template <class R>
Triple<R> solve3(const Triple<R>& c0, const Triple<R>& c1, const Triple<R>& c2, const Triple<R>& b) {
  const Triple<R> c12 = cross(c1, c2);
  const R inverse = 1 / dot(c0, c12);
  return {inverse * dot(b, c12), inverse * dot(c0, cross(b, c2)), inverse * dot(c0, cross(c1, b))};
}

/// The same ω by Newton's method, with the translation of SE(3) eliminated where `nu` is not zero (errata D13):
///   μ = Jω + aω×Jω + a²(ω·Jω)ω + aγ×ν,  Mγ = (I + aω̂)⁻¹ν,  2a = h.
/// Returns whether it converged; γ goes to `gamma`.
template <class R>
bool spin_by_newton(const Triple<R>& mu, const Triple<R>& nu, const Gyration<R>& g, R inverse_mass, R a, Triple<R>& w,
                    Triple<R>& gamma) {
  const Triple<R>&J = g.inertia, &inverse = g.inverse;
  constexpr R eps = std::numeric_limits<R>::epsilon();
  auto resolve = [&](const Triple<R>& v) {  // (I + aω̂)⁻¹ v
    const R scale = 1 / (1 + a * a * dot(w, w));
    return scale * ((v - a * cross(w, v)) + (a * a * dot(w, v)) * w);
  };
  auto residual = [&] {
    gamma = inverse_mass * resolve(nu);
    return (turning_momentum(w, J, a) + a * cross(gamma, nu)) - mu;
  };
  w = scaled(inverse, mu);
  R last = std::numeric_limits<R>::infinity();
  for (int it = 0; it < 60; ++it) {
    const Triple<R> f = residual();
    const Triple<R> Jw = scaled(J, w);
    const R energy = dot(w, Jw);
    auto column = [&](const Triple<R>& e) {
      const Triple<R> Je = scaled(J, e);
      const Triple<R> turning =
          (Je + a * (cross(e, Jw) + cross(w, Je))) + (a * a) * (energy * e + (2 * dot(Jw, e)) * w);
      return turning - a * cross(resolve(a * cross(e, gamma)), nu);
    };
    Triple<R> d = solve3(column({1, 0, 0}), column({0, 1, 0}), column({0, 0, 1}), f);
    // The last term: what rounding of γ×ν, which nearly vanishes, makes of ω.
    const R before = size_of(f), increment = size_of(d),
            scale = size_of(w) + size_of(scaled(inverse, mu)) + size_of(inverse) * a * size_of(gamma) * size_of(nu);
    const Triple<R> start = w;
    R damping = 1;
    w = start - d;
    while (increment > R(1e-3) * scale && damping > R(1e-4) && !(size_of(residual()) < before)) {
      damping /= 2;
      w = start - damping * d;
    }
    if (!(increment - increment == 0)) return false;
    if (increment <= 2 * eps * scale || (it > 2 && increment <= 256 * eps * scale && increment >= last / 2)) {
      residual();
      return true;
    }
    last = increment;
  }
  return false;
}

}  // namespace ricochet::bodies::beams
