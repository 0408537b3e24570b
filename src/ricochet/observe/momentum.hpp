// Momentum maps J·ξ = p·ξ_Q(q), and whether ξ is a symmetry at all (Fetecau 2003, section 2.4).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "ricochet/numerics/derivative.hpp"

namespace ricochet::observe {

/// A generator ξ_Q: any callable `template <class T> void operator()(Point<T> q, std::span<T> xi) const`.
template <class Generator>
struct Symmetry {
  std::string name;
  Generator generator;
};

template <class Body, class Generator>
typename Body::Real momentum_map(const Body& body, const Generator& generator, const typename Body::Node& node) {
  typename Body::Vec xi(body.dimension());
  generator(Body::Mechanics::point(node.q), Body::Mechanics::span(xi));
  return node.p.dot(xi);
}

/// How far ξ is from a symmetry: |dL·ξ_TQ| relative to the terms it is made of, and |∇φ_i·ξ|/(‖∇φ_i‖‖ξ‖) on ∂C. Not a
/// number where ξ is none at the node, or nothing around it can be evaluated.
struct SymmetryDefect {
  double lagrangian = 0;
  double boundary = 0;
  int worst_gap = -1;
  bool holds(double tolerance = 1e-9) const { return lagrangian <= tolerance && boundary <= tolerance; }
};

/// Sampled at `samples` random states around `node`, nearer to it where those are all outside of what is defined;
/// boundary points by Newton along ∇φ_i from there.
template <class Body, class Generator>
SymmetryDefect symmetry_defect(const Body& body, const Generator& generator, const typename Body::Node& node,
                               int samples = 32, unsigned seed = 1) {
  using Real = typename Body::Real;
  using Vec = typename Body::Vec;
  const auto& mechanics = body.mechanics();
  const int n = body.dimension();
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  SymmetryDefect defect;
  int seen = 0;
  const Vec v_at = body.velocity(node);
  Real spread = 1;
  for (int sample = 0; sample < samples; ++sample) {
    if (seen == 0 && sample % 4 == 3) spread /= 8;
    Vec q = node.q, v = v_at;
    for (int k = 0; k < n; ++k) {
      q[k] += spread * Real(normal(random)) * (1 + std::abs(node.q[k])) / 2;
      v[k] += spread * Real(normal(random)) * (1 + std::abs(v_at[k]));
    }
    // dL·ξ_TQ = L_q·ξ + L_v·(Dξ·v); Dξ·v by a jet in the direction v.
    using J = numerics::Jet<Real, 1>;
    std::vector<J> x(static_cast<std::size_t>(n)), xi(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) {
      x[static_cast<std::size_t>(k)] = J(q[k]);
      x[static_cast<std::size_t>(k)].d[0] = v[k];
    }
    generator(Point<J>(x), std::span<J>(xi));
    typename Body::Mechanics::Point1 at;
    mechanics.evaluate(q, v, node.t, at);
    Real sum = 0, size = 0;
    Vec xi_value(n);
    for (int k = 0; k < n; ++k) {
      const J& g = xi[static_cast<std::size_t>(k)];
      xi_value[k] = g.v;
      sum += at.Q[k] * g.v + at.Lv[k] * g.d[0];
      size += std::abs(at.Q[k] * g.v) + std::abs(at.Lv[k] * g.d[0]);
    }
    if (!std::isfinite(size)) continue;  // outside of where it is defined
    ++seen;
    if (size > 0) defect.lagrangian = std::max(defect.lagrangian, static_cast<double>(std::abs(sum) / size));

    for (int i = 0; i < body.gaps(); ++i) {
      Vec y = q, gradient(n);
      bool on_boundary = false;
      for (int it = 0; it < 50 && !on_boundary; ++it) {
        const Real phi = mechanics.gap_gradient(i, y, node.t, gradient);
        const Real g2 = gradient.squaredNorm();
        if (!(g2 > 0) || !std::isfinite(phi)) break;
        const Vec dy = (phi / g2) * gradient;
        y -= dy;
        on_boundary = dy.norm() <= Real(1e-12) * (1 + y.norm());
      }
      if (!on_boundary) continue;
      mechanics.gap_gradient(i, y, node.t, gradient);
      generator(Body::Mechanics::point(y), Body::Mechanics::span(xi_value));
      const Real scale = gradient.norm() * xi_value.norm();
      if (!(scale > 0)) continue;
      const double off = static_cast<double>(std::abs(gradient.dot(xi_value)) / scale);
      if (off > defect.boundary) {
        defect.boundary = off;
        defect.worst_gap = i;
      }
    }
  }
  if (seen == 0 || !std::isfinite(momentum_map(body, generator, node)))
    defect.lagrangian = std::numeric_limits<double>::quiet_NaN();
  return defect;
}

}  // namespace ricochet::observe
