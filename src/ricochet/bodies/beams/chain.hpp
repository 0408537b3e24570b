// All beams as one chain of nodes: a step of it, its energies, its forces.
#pragma once

#include <string>

#include "ricochet/bodies/beams/spec.hpp"
#include "ricochet/bodies/beams/sweep.hpp"

namespace ricochet::bodies {

/// The group in which a node moves over a time step. Strains are SE(3) strains with both (errata D15).
enum class TimeGroup {
  SO3xR3,  ///< the default: Galilean invariant, explicit in the positions
  SE3,     ///< the paper's (5.8): spurious rotary inertia (h²/4)M(|γ|²I − γγᵀ)
};

namespace beams {

template <class R>
lie::Vec3<R> eigen(const Triple<R>& v) {
  return {v.x, v.y, v.z};
}
template <class R>
Triple<R> triple(const lie::Vec3<R>& v) {
  return {v[0], v[1], v[2]};
}

template <class R>
Material<R> material_of(const BeamSpec<R>& b) {
  const auto& s = b.section;
  const R G = b.young / (2 * (1 + b.poisson)), polar = s.I1 + s.I2, rho = b.density;
  const Triple<R> J{rho * s.I1, rho * s.I2, rho * polar};
  return {rho * s.area,
          gyration_of(J),
          {b.young * s.I1, b.young * s.I2, G * polar},
          {G * s.area, G * s.area, b.young * s.area}};
}

template <class R>
class Chain {
 public:
  using Block = Columns<R, columns>;
  using Trace = Columns<R, trace_columns>;
  using Loads = Columns<R, load_columns>;
  struct Energies {
    R kinetic = 0;    ///< K(ξ) of the interval
    R potential = 0;  ///< U at its end
  };

  Chain(const std::vector<BeamSpec<R>>& specs, TimeGroup group) : group_(group) {
    Index first = 0;
    for (const auto& b : specs) {
      const R spacing = b.spacing();
      const auto material = material_of(b);
      segments_.push_back(
          {first, first + b.elements, material, spacing, 1 / spacing, material.mass * triple<R>(b.gravity)});
      names_.push_back(b.name);
      first += b.elements + 1;
    }
  }

  TimeGroup group() const { return group_; }
  Index nodes() const { return segments_.back().last + 1; }
  int beams() const { return static_cast<int>(segments_.size()); }
  const Segment<R>& segment(int b) const { return segments_[static_cast<std::size_t>(b)]; }
  const std::string& name(int b) const { return names_[static_cast<std::size_t>(b)]; }
  int beam_of(Index a) const {
    int b = 0;
    while (segment(b).last < a) ++b;
    return b;
  }
  R mass(Index a) const {
    const auto& b = segment(beam_of(a));
    return b.weight(a) * b.material.mass;
  }

  /// Whether nodes are taken four at a time (double, SO(3)×R³). The result is the same but for the order of sums.
  void use_packs(bool yes) { packs_ = yes; }

  /// One flight of length s; over SO(3)×R³ `watch`, if any, sees the parabola of every node.
  Energies fly(const Block& from, Block& out, Loads& loads, R s, const Watch<R>* watch = nullptr) const {
    Energies total;
    for (const auto& segment : segments_) {
      R twice = 0;
      if (group_ == TimeGroup::SE3) {
        for (Index a = segment.first; a <= segment.last; ++a)
          depart_se3(segment, from, out, a, segment.weight(a), s, twice);
      } else {
        auto alone = [&](Index a, R& sum) { depart_alone(segment, from, out, a, segment.weight(a), s, sum); };
        twice = Sweep<R>::depart(segment, from.view(), out.view(), s, packs_, watch, alone);
      }
      total.kinetic += twice / 2;
    }
    total.potential = forces(out, loads, s / 2);
    return total;
  }

  /// Forces and moments at the nodes into their columns, momenta kicked by `half` times them; returns U.
  R forces(Block& out, Loads& loads, R half) const {
    if (loads.empty()) loads.resize(nodes() + 1);
    R total = 0;
    for (int b = 0; b < beams(); ++b) {
      const auto& segment = segments_[static_cast<std::size_t>(b)];
      for (int k = 0; k < load_columns; ++k) loads[k][segment.first] = loads[k][segment.last + 1] = 0;
      const auto sums = Sweep<R>::arrive(segment, out.view(), loads.view(), half, packs_);
      if (!(sums.least_cosine > least_cosine)) too_far(b, out);
      total += segment.spacing * sums.elastic + sums.gravity;
    }
    return total;
  }

  /// Where node a is after a flight of length s: local, for the search of its impact.
  Triple<R> position_after(const Block& from, Index a, R s) const {
    const auto& b = segment(beam_of(a));
    const R weight = b.weight(a);
    if (group_ == TimeGroup::SE3) return step_se3(b, from, a, weight, s).position;
    const R inverse_mass = 1 / (weight * b.material.mass);
    const Triple<R> p = from.triple(momentum, a), f = from.triple(force, a);
    return from.triple(position, a) + s * (inverse_mass * p + s * ((inverse_mass / 2) * f));
  }

  R kinetic(const Block& at) const {
    R sum = 0;
    for (const auto& b : segments_)
      for (Index a = b.first; a <= b.last; ++a) {
        const R w = b.weight(a);
        const Triple<R> p = at.triple(momentum, a), m = at.triple(spin_momentum, a);
        sum += (dot(p, p) / b.material.mass + dot(m, scaled(b.material.gyration.inverse, m))) / (2 * w);
      }
    return sum;
  }

  /// 2/ω of the highest mode of the straight unstrained beam, over all wave numbers κ: bending with shear about either
  /// axis (a 2×2 pencil), stretching and torsion.
  R stable_step() const {
    R highest = 0;
    for (const auto& b : segments_) {
      const auto& m = b.material;
      const R k = 4 * b.inverse_spacing * b.inverse_spacing;
      highest = std::max({highest, k * m.shear.z / m.mass, k * m.bending.z / m.gyration.inertia.z});
      for (const auto& [EI, J] : {std::pair{m.bending.x, m.gyration.inertia.x}, {m.bending.y, m.gyration.inertia.y}})
        for (int i = 0; i <= 256; ++i) {
          const R angle = std::acos(R(-1)) / 2 * R(i) / 256, s = std::sin(angle), c = std::cos(angle);
          const R xx = m.shear.x * k * s * s / m.mass, rr = (m.shear.x * c * c + EI * k * s * s) / J;
          const R xr = m.shear.x * std::sqrt(k) * s * c / std::sqrt(m.mass * J);
          highest = std::max(highest, (xx + rr) / 2 + std::hypot((xx - rr) / 2, xr));
        }
    }
    return 2 / std::sqrt(highest);
  }

  /// Relative rotations beyond 2 acos(1e-2) = 178.9° are refused: the Cayley map ends at 180° (errata D12).
  static constexpr R least_cosine = R(1e-2);

 private:
  struct Moved {
    Triple<R> position, spin_momentum;
    Turn<R> turn;
    R twice_kinetic;
  };

  /// SO(3)×R³ for a node that turns further in a step than sweeps can follow.
  void depart_alone(const Segment<R>& b, const Block& from, Block& out, Index a, R weight, R s, R& twice) const {
    const R half = s / 2, inverse_mass = 1 / (weight * b.material.mass);
    const auto& g = b.material.gyration;
    const Triple<R> mu = (1 / weight) * (from.triple(spin_momentum, a) + half * from.triple(moment, a));
    Triple<R> w, gamma;
    if (!spin_by_contraction(mu, g, half, w) && !spin_by_newton<R>(mu, {0, 0, 0}, g, 0, half, w, gamma)) unsolved(a, s);
    const Turn<R> q = turned(Turn<R>{from[turn][a], from.triple(turn + 1, a)}, half * w);
    out[turn][a] = q.w;
    out.set(turn + 1, a, q.v);
    out.set(spin_momentum, a, weight * turning_momentum(w, g.inertia, -half));
    const Triple<R> p = from.triple(momentum, a) + half * from.triple(force, a);
    out.set(momentum, a, p);
    out.set(position, a, position_after(from, a, s));
    twice += inverse_mass * dot(p, p) + weight * dot(w, scaled(g.inertia, w));
  }

  /// One node over a step in SE(3): Demoures 2016 (A.3) as errata D13 writes it.
  Moved step_se3(const Segment<R>& b, const Block& from, Index a, R weight, R s) const {
    const R half = s / 2, inverse_weight = 1 / weight;
    const Turn<R> q{from[turn][a], from.triple(turn + 1, a)};
    const Triple<R> mu = inverse_weight * (from.triple(spin_momentum, a) + half * from.triple(moment, a));
    const Triple<R> nu = rotate_back(q, inverse_weight * (from.triple(momentum, a) + half * from.triple(force, a)));
    Triple<R> w, gamma;
    if (!spin_by_newton(mu, nu, b.material.gyration, 1 / b.material.mass, half, w, gamma)) unsolved(a, s);
    const Triple<R> u = half * w;
    const Triple<R> r = (s / (1 + dot(u, u))) * ((gamma + cross(u, gamma)) + dot(u, gamma) * u);
    const Turn<R> relative = turned(Turn<R>{1, {0, 0, 0}}, u);
    Moved moved;
    moved.position = from.triple(position, a) + rotate(q, r);
    moved.turn = turned(q, u);
    moved.spin_momentum = weight * rotate_back(relative, mu + cross(nu, r));
    moved.twice_kinetic =
        weight * (b.material.mass * dot(gamma, gamma) + dot(w, scaled(b.material.gyration.inertia, w)));
    return moved;
  }
  void depart_se3(const Segment<R>& b, const Block& from, Block& out, Index a, R weight, R s, R& twice) const {
    const Moved moved = step_se3(b, from, a, weight, s);
    out.set(momentum, a, from.triple(momentum, a) + (s / 2) * from.triple(force, a));
    out.set(position, a, moved.position);
    out[turn][a] = moved.turn.w;
    out.set(turn + 1, a, moved.turn.v);
    out.set(spin_momentum, a, moved.spin_momentum);
    twice += moved.twice_kinetic;
  }

  std::string node_name(Index a) const {
    const int b = beam_of(a);
    return std::string("node ").append(std::to_string(a - segment(b).first)).append(" of ").append(name(b));
  }
  [[noreturn]] void unsolved(Index a, R s) const {
    throw Error(ErrorKind::no_convergence, std::string("the rotation of ")
                                               .append(node_name(a))
                                               .append(" was not found over a flight of length ")
                                               .append(std::to_string(static_cast<double>(s)))
                                               .append("; a smaller step helps"));
  }
  [[noreturn]] void too_far(int beam, const Block& at) const {
    const auto& b = segment(beam);
    Index worst = b.first;
    R least = 2;
    for (Index a = b.first; a < b.last; ++a) {
      const R w =
          between(Turn<R>{at[turn][a], at.triple(turn + 1, a)}, Turn<R>{at[turn][a + 1], at.triple(turn + 1, a + 1)}).w;
      if (!(w >= least)) least = w, worst = a;
    }
    throw Error(ErrorKind::no_convergence, std::string("the relative rotation of element ")
                                               .append(std::to_string(worst - b.first))
                                               .append(" of ")
                                               .append(name(beam))
                                               .append(" is within 1.2 degrees of 180, where its Cayley strain ends; "
                                                       "more elements or a smaller step help"));
  }

  TimeGroup group_;
  bool packs_ = true;
  std::vector<Segment<R>> segments_;
  std::vector<std::string> names_;
};

}  // namespace beams
}  // namespace ricochet::bodies
