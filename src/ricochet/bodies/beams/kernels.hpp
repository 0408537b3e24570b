// The inner mathematics of a beam, once for one node (T = double, long double) and for several side by side (T a pack).
#pragma once

#include <limits>

#include "ricochet/bodies/beams/pack.hpp"

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
/// n·a with the same n for all nodes.
template <class T, class R>
RICOCHET_INLINE T along(const Triple<R>& n, const Triple<T>& a) {
  return n.x * a.x + n.y * a.y + n.z * a.z;
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

template <class T>
RICOCHET_INLINE T size_of(const Triple<T>& a) {
  return magnitude(a.x) + magnitude(a.y) + magnitude(a.z);
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
/// q τ(2u), the product with (1, u), of unit length again.
template <class T>
RICOCHET_INLINE Turn<T> turned(const Turn<T>& q, const Triple<T>& u) {
  const Turn<T> p{q.w - dot(q.v, u), q.v + q.w * u + cross(q.v, u)};
  const T scale = inverse_root(p.w * p.w + dot(p.v, p.v));
  return {scale * p.w, scale * p.v};
}

/// What an element does to its two nodes: the force f on the left one in space (−f on the right), and the moments in
/// the frames of the nodes.
template <class T>
struct ElementLoad {
  Triple<T> force, left, right;
  T energy;  ///< Φ(η) per unit of length
  T w;       ///< cosine of half the relative rotation: zero at π, where the Cayley map ends
};

/// What the elements of a beam share, computed once: with u = Δs Ω/2 the moment is C₂Ω = `bending` u.
template <class R>
struct ElementConstants {
  R inverse_length;   ///< 1/Δs
  Triple<R> bending;  ///< (2/Δs) C₂
  Triple<R> shear;    ///< C₁
};

/// λ = (dτ⁻¹_{Δsη})* ∂Φ/∂η of Demoures 2016 (5.10), for η = τ⁻¹(g_a⁻¹ g_{a+1})/Δs of (5.8). The moment on the right
/// node is that of Ad*_τ λ = (dτ⁻¹_{−Δsη})* ∂Φ/∂η, which needs no rotation.
template <class T, class R>
RICOCHET_INLINE ElementLoad<T> element_load(const Turn<T>& a, const Turn<T>& b, const Triple<T>& apart,
                                            const ElementConstants<R>& element) {
  const Turn<T> relative = between(a, b);
  const T inverse_w = R(1) / relative.w;
  const Triple<T> u = inverse_w * relative.v;  // half of Δs Ω
  const Triple<T> r = rotate_back(a, apart);
  const Triple<T> gamma = r - cross(u, r);  // Δs Γ
  Triple<T> strain = element.inverse_length * gamma;
  strain.z = strain.z - R(1);
  const Triple<T> m = scaled(element.bending, u), n = scaled(element.shear, strain);
  const Triple<T> un = cross(u, n), half_gamma = R(0.5) * gamma;
  const T um = dot(u, m);
  const Triple<T> symmetric = (m + um * u) + cross(half_gamma, un), skew = cross(u, m) + cross(half_gamma, n);
  return {rotate(a, n + un), symmetric + skew, symmetric - skew, element.inverse_length * um + R(0.5) * dot(n, strain),
          relative.w};
}

}  // namespace ricochet::bodies::beams
