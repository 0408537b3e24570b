// What can be read off a chain at an instant: fields, tips, energies and momenta of the bars.
#pragma once

#include <span>

#include "ricochet/bodies/bars/chain.hpp"
#include "ricochet/bodies/bars/flight.hpp"

namespace ricochet::bodies {

template <class Real>
struct BarState {
  Real kinetic, stored, momentum;
  Real shift;  ///< of the centre of mass since the start
  Real energy() const { return kinetic + stored; }
};

/// Readings of the state (q, p) of a chain. Bars are counted from left to right, their nodes 0 … elements; a massless
/// tip is where the equilibrium of its element puts it.
template <class Real>
class Readings {
 public:
  using Index = typename Chain<Real>::Index;

  Readings(const Chain<Real>& chain, const Real* q, const Real* p) : chain_(chain), q_(q), p_(p) {}

  /// Positions φ_0 … φ_n of the nodes of a bar.
  void positions(int bar, std::span<Real> out) const {
    const auto& spec = chain_.line().bar(bar);
    const Real l = spec.length / static_cast<Real>(spec.elements);
    each_node(bar, [&](int i, Index a) {
      out[static_cast<std::size_t>(i)] = spec.position + (static_cast<Real>(i) * l + q_[a]);
    });
    for (const int side : {0, 1})
      if (massless(bar, side)) out[side == 0 ? 0 : static_cast<std::size_t>(spec.elements)] = tip_position(bar, side);
  }
  void velocities(int bar, std::span<Real> out) const {
    const auto& s = chain_.segment(bar);
    each_node(bar, [&](int i, Index a) { out[static_cast<std::size_t>(i)] = velocity(s, a); });
    for (const int side : {0, 1})
      if (massless(bar, side))
        out[side == 0 ? 0 : static_cast<std::size_t>(chain_.line().bar(bar).elements)] = tip_velocity(bar, side);
  }
  /// Strains e − 1 = (φ_{a+1} − φ_a)/ℓ − 1 of the elements, from displacements.
  void strains(int bar, std::span<Real> out) const {
    const auto& spec = chain_.line().bar(bar);
    const Real l = spec.length / static_cast<Real>(spec.elements);
    const int n = spec.elements;
    Real last = 0;
    auto displacement = [&](int i) {
      if (i == 0 && massless(bar, 0)) return tip_displacement(bar, 0);
      if (i == n && massless(bar, 1)) return tip_displacement(bar, 1);
      return q_[node(bar, i)];
    };
    last = displacement(0);
    for (int i = 0; i < n; ++i) {
      const Real next = displacement(i + 1);
      out[static_cast<std::size_t>(i)] = (next - last) / l;
      last = next;
    }
  }

  Real tip_position(int bar, int side) const {
    const auto& spec = chain_.line().bar(bar);
    return spec.position + ((side == 0 ? Real(0) : spec.length) + tip_displacement(bar, side));
  }
  Real tip_velocity(int bar, int side) const {
    const auto& s = chain_.segment(bar);
    const Index a = side == 0 ? s.first : s.last;
    const Real v = velocity(s, a);
    const int i = side == 0 ? s.link_left : s.link_right;
    if (!massless(bar, side) || !chain_.link(i).on) return v;
    const Real gap = chain_.gap(i, q_);
    if (!(gap < 0)) return v;
    const auto& link = chain_.link(i);
    const Real left = link.left >= 0 ? velocity(link.left) : Real(0);
    const Real right = link.right >= 0 ? velocity(link.right) : Real(0);
    // Both tips move as one: the part of the closing that the left element takes.
    return left + link.spring.left_share(gap) * (right - left);
  }

  Real gap(int i) const { return chain_.gap(i, q_); }
  Real contact_force(int i) const { return chain_.link_force(i, q_); }

  /// Energy and momentum of one bar: O(its elements). The energy of a contact belongs to the elements it presses.
  BarState<Real> bar(int b) const {
    BarState<Real> out{0, 0, 0, 0};
    const auto& s = chain_.segment(b);
    Real mass = 0;
    for (Index a = s.first; a <= s.last; ++a) {
      mass += s.mass_of(a), out.shift += s.mass_of(a) * q_[a];
      if (!s.fixed(a)) out.momentum += p_[a], out.kinetic += p_[a] * p_[a] / (2 * s.mass_of(a));
      if (a < s.last) out.stored += s.stored(a, q_[a + 1] - q_[a]);
    }
    out.shift /= mass;
    if (s.link_left >= 0 && chain_.link(s.link_left).on)
      out.stored += chain_.link(s.link_left).spring.right_energy(gap(s.link_left));
    if (s.link_right >= 0 && chain_.link(s.link_right).on)
      out.stored += chain_.link(s.link_right).spring.left_energy(gap(s.link_right));
    return out;
  }
  /// Σ p, and Σ |p| to measure its error against.
  Real momentum() const {
    Real sum = 0;
    for (int b = 0; b < chain_.segments(); ++b) sum += bar(b).momentum;
    return sum;
  }

 private:
  bool massless(int bar, int side) const {
    const auto& s = chain_.segment(bar);
    return chain_.tips() != Tips::lumped && (side == 0 ? s.link_left : s.link_right) >= 0 &&
           !(side == 0 ? s.fixed_first : s.fixed_last);
  }
  Real velocity(const typename Chain<Real>::Segment& s, Index a) const { return s.fixed(a) ? 0 : p_[a] / s.mass_of(a); }
  Real velocity(Index a) const { return velocity(chain_.segment(chain_.segment_of(a)), a); }
  Real tip_displacement(int bar, int side) const {
    const auto& s = chain_.segment(bar);
    const Real q = q_[side == 0 ? s.first : s.last];
    const int i = side == 0 ? s.link_left : s.link_right;
    if (!massless(bar, side) || !chain_.link(i).on) return q;
    const auto state = chain_.link(i).spring.at(gap(i));
    return side == 0 ? q + state.right : q - state.left;
  }
  /// Chain node of node i of a bar (not a massless one).
  Index node(int bar, int i) const {
    const auto& s = chain_.segment(bar);
    return chain_.tips() == Tips::redistributed && massless(bar, 0) ? s.first + i - 1 : s.first + i;
  }
  template <class F>
  void each_node(int bar, F&& f) const {
    const int n = chain_.line().bar(bar).elements;
    for (int i = massless(bar, 0) ? 1 : 0; i <= n - (massless(bar, 1) ? 1 : 0); ++i) f(i, node(bar, i));
  }

  const Chain<Real>& chain_;
  const Real *q_, *p_;
};

}  // namespace ricochet::bodies
