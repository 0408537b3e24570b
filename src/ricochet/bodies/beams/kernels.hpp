// The inner mathematics of a beam, once for one node (T = double, long double) and for several side by side (T a pack).
#pragma once

#include <cmath>
#include <limits>

#define RICOCHET_INLINE [[gnu::always_inline]] inline

namespace ricochet::bodies::beams {

template <class T>
struct Triple {
  T x, y, z;
};
template <class T>
RICOCHET_INLINE Triple<T> operator+(const Triple<T>& a, const Triple<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
RICOCHET_INLINE Triple<T> operator-(const Triple<T>& a, const Triple<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T, class S>
RICOCHET_INLINE Triple<T> operator*(const S& s, const Triple<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
RICOCHET_INLINE T dot(const Triple<T>& a, const Triple<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
RICOCHET_INLINE Triple<T> cross(const Triple<T>& a, const Triple<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// diag(d) a.
template <class T, class R>
RICOCHET_INLINE Triple<T> scaled(const Triple<R>& d, const Triple<T>& a) {
  return {d.x * a.x, d.y * a.y, d.z * a.z};
}

/// A rotation as a unit quaternion: always a rotation, and the Cayley vector between two of them is a quotient of
/// the parts of their product: τ⁻¹(Λ_aᵀΛ_b) = 2 v/w (errata D12 without the matrices).
template <class T>
struct Turn {
  T w;
  Triple<T> v;
};
/// q* p.
template <class T>
RICOCHET_INLINE Turn<T> between(const Turn<T>& q, const Turn<T>& p) {
  return {q.w * p.w + dot(q.v, p.v), (q.w * p.v - p.w * q.v) - cross(q.v, p.v)};
}
/// Λ a.
template <class T>
RICOCHET_INLINE Triple<T> rotate(const Turn<T>& q, const Triple<T>& a) {
  const Triple<T> t = cross(q.v, a), d = t + t;
  return a + q.w * d + cross(q.v, d);
}
/// Λᵀ a.
template <class T>
RICOCHET_INLINE Triple<T> rotate_back(const Turn<T>& q, const Triple<T>& a) {
  const Triple<T> t = cross(q.v, a), d = t + t;
  return a - q.w * d + cross(q.v, d);
}
template <class R>
RICOCHET_INLINE R inverse_root(R x) {
  return 1 / std::sqrt(x);
}
/// q τ(2u), the product with (1, u), of unit length again.
template <class T>
RICOCHET_INLINE Turn<T> turned(const Turn<T>& q, const Triple<T>& u) {
  const Turn<T> p{q.w - dot(q.v, u), q.v + q.w * u + cross(q.v, u)};
  const T scale = inverse_root(p.w * p.w + dot(p.v, p.v));
  return {scale * p.w, scale * p.v};
}

/// Stiffnesses of (5.3), (5.4) and inertia of (5.2) per unit of length; errata D14: J with density, C₂ without.
template <class R>
struct Material {
  R mass;             ///< M = ρA
  Triple<R> inertia;  ///< J = ρ diag(I₁, I₂, I₁+I₂)
  Triple<R> inverse;  ///< J⁻¹
  Triple<R> bending;  ///< C₂ = diag(E I₁, E I₂, G(I₁+I₂))
  Triple<R> shear;    ///< C₁ = diag(GA, GA, EA)
};

/// What an element does to its two nodes: the force f on the left one in space (−f on the right), and the moments in
/// the frames of the nodes.
template <class T>
struct ElementLoad {
  Triple<T> force, left, right;
  T energy;  ///< Φ(η) per unit of length
  T w;       ///< cosine of half the relative rotation: zero at π, where the Cayley map ends
};

/// λ = (dτ⁻¹_{Δsη})* ∂Φ/∂η of Demoures 2016 (5.10), for η = τ⁻¹(g_a⁻¹ g_{a+1})/Δs of (5.8). The moment on the right
/// node is that of Ad*_τ λ = (dτ⁻¹_{−Δsη})* ∂Φ/∂η, which needs no rotation.
template <class T, class R>
RICOCHET_INLINE ElementLoad<T> element_load(const Turn<T>& a, const Turn<T>& b, const Triple<T>& apart,
                                            const Material<R>& material, R inverse_length) {
  const Turn<T> relative = between(a, b);
  const T inverse_w = R(1) / relative.w;
  const Triple<T> u = inverse_w * relative.v;  // half of Δs Ω
  const Triple<T> r = rotate_back(a, apart);
  const Triple<T> gamma = r - cross(u, r);  // Δs Γ
  const Triple<T> curvature = (2 * inverse_length) * u;
  Triple<T> strain = inverse_length * gamma;
  strain.z = strain.z - R(1);
  const Triple<T> m = scaled(material.bending, curvature), n = scaled(material.shear, strain);
  const Triple<T> un = cross(u, n), um = cross(u, m), along = dot(u, m) * u;
  const Triple<T> even = R(0.5) * cross(gamma, n), odd = R(0.5) * cross(gamma, un);
  const Triple<T> symmetric = (m + along) + odd, skew = um + even;
  return {rotate(a, n + un), symmetric + skew, symmetric - skew, R(0.5) * (dot(m, curvature) + dot(n, strain)),
          relative.w};
}

/// (I ± aω̂ + a²ωωᵀ) Jω: the momentum in the frame at the start (+) and at the end (−) of an interval of length 2a that
/// turns with ω (errata D12, D13).
template <class T, class R>
RICOCHET_INLINE Triple<T> turning_momentum(const Triple<T>& w, const Triple<R>& J, R a) {
  const Triple<T> Jw = scaled(J, w);
  return (Jw + a * cross(w, Jw)) + ((a * a) * dot(w, Jw)) * w;
}

RICOCHET_INLINE bool all_below(double x, double bound) { return x <= bound; }
RICOCHET_INLINE bool all_below(long double x, long double bound) { return x <= bound; }
template <class R>
RICOCHET_INLINE R magnitude(R x) {
  return x < 0 ? -x : x;
}
template <class T>
RICOCHET_INLINE T size_of(const Triple<T>& a) {
  return magnitude(a.x) + magnitude(a.y) + magnitude(a.z);
}

/// ω with turning_momentum(ω) = μ by ω ← J⁻¹(μ − …), which contracts by about |aω|: rotations of a step are small.
/// False where they are not; the caller then takes Newton's method. All in units of J per length.
template <class T, class R>
RICOCHET_INLINE bool spin_of(const Triple<T>& mu, const Triple<R>& J, const Triple<R>& inverse, R a, Triple<T>& w) {
  constexpr R eps = std::numeric_limits<R>::epsilon();
  w = scaled(inverse, mu);
  for (int it = 0; it < 12; ++it) {
    const Triple<T> Jw = scaled(J, w);
    const Triple<T> next = scaled(inverse, (mu - a * cross(w, Jw)) - ((a * a) * dot(w, Jw)) * w);
    const Triple<T> change = next - w;
    w = next;
    if (all_below(size_of(change) - (eps / 2) * size_of(next), R(0))) return true;
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
bool spin_by_newton(const Triple<R>& mu, const Triple<R>& nu, const Triple<R>& J, const Triple<R>& inverse,
                    R inverse_mass, R a, Triple<R>& w, Triple<R>& gamma) {
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
    const R before = size_of(f), increment = size_of(d), scale = size_of(w) + size_of(scaled(inverse, mu));
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
