// Every scheme for bars is the same chain of masses and springs; they differ in what they do at the tips.
#pragma once

#include <memory>

#include "ricochet/bodies/bars/contact_spring.hpp"
#include "ricochet/bodies/bars/kernels.hpp"
#include "ricochet/bodies/bars/spec.hpp"

namespace ricochet::bodies {

/// Where the mass of a tip that can be in contact sits.
enum class Tips {
  lumped,         ///< at the tip: Demoures 2016 (4.3), integrator 1
  redistributed,  ///< at its inner neighbour; the tip is massless (errata D9)
  quarter,        ///< a quarter of an element inwards; the tip is massless: (4.12), integrator 2
};

/// A gap along a flight: exactly c0 + c1 s + c2 s², with a velocity that depends on s; interpolating it instead breaks
/// the discrete Euler–Lagrange equations (errata D7).
template <class Real>
struct GapParabola {
  Real c0, c1, c2;
  Real operator()(Real s) const { return c0 + s * (c1 + s * c2); }
  /// Its smallest value on [0, length].
  Real lowest(Real length) const {
    Real low = std::min(c0, (*this)(length));
    if (c2 > 0 && c1 < 0 && -c1 < 2 * c2 * length) low = std::min(low, c0 - c1 * c1 / (4 * c2));
    return low;
  }
};

/// Nodes of all bars, left to right, in one array: node a acts on its neighbours a ± 1 only, through the spring of an
/// element or, between two bars, through a contact. q is the displacement from the unstrained start, so that strains of
/// 1e-9 keep their digits on a bar of ten million elements.
template <class Real>
class Chain {
 public:
  using Index = kernels::Index;

  /// The nodes of one bar. First and last node and element may differ from those between.
  struct Segment {
    Index first, last;
    Real mass, mass_first, mass_last;
    Real length, length_first, length_last;
    Real k, k_first, k_last;
    Real s_first;  ///< coordinate of the first node in the bar
    Real modulus = 0;
    const BarEnergy<Real>* energy = nullptr;
    bool fixed_first = false, fixed_last = false;
    int link_left = -1, link_right = -1;

    Real mass_of(Index a) const { return a == first ? mass_first : a == last ? mass_last : mass; }
    bool fixed(Index a) const { return (a == first && fixed_first) || (a == last && fixed_last); }
    Real length_of(Index element) const {
      return element == first ? length_first : element == last - 1 ? length_last : length;
    }
    Real k_of(Index element) const { return element == first ? k_first : element == last - 1 ? k_last : k; }
    Real s_of(Index a) const {
      if (a == first) return s_first;
      const Real s = s_first + length_first + static_cast<Real>(a - first - 1) * length;
      return a == last && last - first > 1 ? s - length + length_last : s;
    }
    /// Force and energy of an element stretched by d.
    Real tension(Index element, Real d) const {
      return energy ? energy->T(1 + d / length_of(element)) : k_of(element) * d;
    }
    Real stored(Index element, Real d) const {
      const Real l = length_of(element);
      return energy ? l * energy->W(1 + d / l) : k_of(element) * d * d / 2;
    }
    Real stiffness(Index element, Real d) const {
      const Real l = length_of(element);
      return energy ? energy->K(1 + d / l) / l : k_of(element);
    }
  };
  /// A gap between two neighbours, and the spring that acts when it is closed (none for lumped tips).
  struct Link {
    Index left, right;  ///< nodes; −1 for a wall
    Real opening;
    ContactSpring<Real> spring;
    bool on;
  };

  /// The chain keeps the line: elements refer to the energies of its bars.
  Chain(std::shared_ptr<const BarLine<Real>> line, Tips tips) : line_(std::move(line)), tips_(tips) {
    for (int b = 0; b < line_->bars(); ++b) add_bar(b);
    for (int i = 0; i < line_->gaps(); ++i) add_link(i);
  }

  const BarLine<Real>& line() const { return *line_; }
  Tips tips() const { return tips_; }

  Index nodes() const { return segments_.back().last + 1; }
  int segments() const { return static_cast<int>(segments_.size()); }
  const Segment& segment(int b) const { return segments_[static_cast<std::size_t>(b)]; }
  int links() const { return static_cast<int>(links_.size()); }
  const Link& link(int i) const { return links_[static_cast<std::size_t>(i)]; }
  void switch_link(int i, bool on) { links_[static_cast<std::size_t>(i)].on = on; }
  int segment_of(Index a) const {
    const auto after =
        std::upper_bound(segments_.begin(), segments_.end(), a, [](Index x, const Segment& s) { return x < s.first; });
    return static_cast<int>(after - segments_.begin()) - 1;
  }

  Real gap(int i, const Real* q) const {
    const Link& l = link(i);
    return l.opening + ((l.right >= 0 ? q[l.right] : Real(0)) - (l.left >= 0 ? q[l.left] : Real(0)));
  }
  Real link_force(int i, const Real* q) const { return link(i).on ? link(i).spring.force(gap(i, q)) : Real(0); }
  Real link_energy(int i, const Real* q) const { return link(i).on ? link(i).spring.energy(gap(i, q)) : Real(0); }

  /// −∂V/∂q_a: O(1).
  Real force(const Segment& s, Index a, const Real* q) const {
    const Real right = a < s.last          ? s.tension(a, q[a + 1] - q[a])
                       : s.link_right >= 0 ? -link_force(s.link_right, q)
                                           : Real(0);
    const Real left = a > s.first        ? s.tension(a - 1, q[a] - q[a - 1])
                      : s.link_left >= 0 ? -link_force(s.link_left, q)
                                         : Real(0);
    return right - left;
  }
  Real force(Index a, const Real* q) const { return force(segment(segment_of(a)), a, q); }
  Real mass(Index a) const { return segment(segment_of(a)).mass_of(a); }
  bool fixed(Index a) const { return segment(segment_of(a)).fixed(a); }

  /// Gap i along a flight from (q, p): O(1).
  GapParabola<Real> gap_along(int i, const Real* q, const Real* p) const {
    GapParabola<Real> f{gap(i, q), 0, 0};
    for (const Index a : {link(i).left, link(i).right}) {
      if (a < 0) continue;
      const Segment& s = segment(segment_of(a));
      if (s.fixed(a)) continue;
      const Real inverse = (a == link(i).left ? Real(-1) : Real(1)) / s.mass_of(a);
      f.c1 += inverse * p[a];
      f.c2 += inverse * force(s, a, q) / 2;
    }
    return f;
  }

  /// p0 = m v0: the momentum of a removed tip goes with its mass.
  void start(std::vector<Real>& q, std::vector<Real>& p) const {
    q.assign(static_cast<std::size_t>(nodes()), Real(0));
    p.assign(static_cast<std::size_t>(nodes()), Real(0));
    for (int b = 0; b < segments(); ++b) {
      const Segment& s = segment(b);
      const auto& bar = line_->bar(b);
      auto v = [&](Real at) { return bar.velocity_at ? bar.velocity_at(at) : bar.velocity; };
      const Real tip = bar.mass * bar.length / static_cast<Real>(2 * bar.elements);
      for (Index a = s.first; a <= s.last; ++a) {
        if (s.fixed(a)) continue;
        // Uniform motion is m v exactly; a profile gives the tip's share its own velocity.
        Real momentum = s.mass_of(a) * v(s.s_of(a));
        if (bar.velocity_at && a == s.first && s.s_first > 0 && s.mass_first > tip)
          momentum += tip * (v(0) - v(s.s_of(a)));
        if (bar.velocity_at && a == s.last && s.s_of(a) < bar.length && s.mass_last > tip)
          momentum += tip * (v(bar.length) - v(s.s_of(a)));
        p[static_cast<std::size_t>(a)] = momentum;
      }
    }
  }

  /// A step not longer than this is stable: 2/ω with ω² ≤ max_a 2(k_left + k_right)/m_a (Gershgorin; exactly ℓ/c for a
  /// uniform bar with lumped tips). For an energy W the stiffness is that of the given state.
  Real stable_step(const Real* q) const {
    Real omega2 = 0;
    for (const Segment& s : segments_) {
      for (Index a = s.first; a <= s.last; ++a) {
        if (s.fixed(a)) continue;
        if (!s.energy && a > s.first + 2 && a < s.last - 2) {  // all alike between the ends
          a = s.last - 3;
          continue;
        }
        Real k = 0;
        if (a < s.last) k += s.stiffness(a, q[a + 1] - q[a]);
        if (a > s.first) k += s.stiffness(a - 1, q[a] - q[a - 1]);
        for (const int i : {a == s.first ? s.link_left : -1, a == s.last ? s.link_right : -1})
          if (i >= 0 && tips_ != Tips::lumped) k += link(i).spring.stiffness(std::min(gap(i, q), Real(0)));
        omega2 = std::max(omega2, 2 * k / s.mass_of(a));
      }
    }
    return omega2 > 0 ? 2 / std::sqrt(omega2) : std::numeric_limits<Real>::infinity();
  }

  // ---- a range of nodes [lo, hi)
  // -------------------------------------------------------------------------------------

  static constexpr Index batch = 1024;  ///< elements per call of a user's W'

  /// p += (once or twice) half·f(q). `contact(i, q, weight)` is told of every link once.
  template <class OnContact>
  void kick(const Real* q, Real* p, Index lo, Index hi, Real half, bool twice, OnContact&& contact) const {
    for (int b = segment_of(std::max<Index>(lo, 0)); lo < hi && b < segments(); ++b) {
      const Segment& s = segment(b);
      const Index from = std::max(lo, s.first), to = std::min(hi, s.last + 1);
      if (from >= to) break;
      auto end_node = [&](Index a) {
        if (a < from || a >= to) return;
        if (!s.fixed(a)) {
          const Real g = half * force(s, a, q);
          p[a] = twice ? (p[a] + g) + g : p[a] + g;
        }
        if (a == s.first && s.link_left >= 0 && link(s.link_left).left < 0) contact(s.link_left);
        if (a == s.last && s.link_right >= 0) contact(s.link_right);
      };
      if (s.last - s.first < 4) {
        for (Index a = s.first; a <= s.last; ++a) end_node(a);
      } else {
        end_node(s.first);
        end_node(s.first + 1);
        const Index inner_from = std::max(from, s.first + 2), inner_to = std::min(to, s.last - 1);
        if (s.energy)
          kick_nonlinear(s, q, p, inner_from, inner_to, half, twice);
        else if (inner_from < inner_to)
          kernels::kick(q, p, inner_from, inner_to, half * s.k, twice);
        end_node(s.last - 1);
        end_node(s.last);
      }
    }
  }
  void drift(Real* q, const Real* p, Index lo, Index hi, Real h) const {
    for (int b = segment_of(std::max<Index>(lo, 0)); lo < hi && b < segments(); ++b) {
      const Segment& s = segment(b);
      const Index from = std::max(lo, s.first), to = std::min(hi, s.last + 1);
      if (from >= to) break;
      if (from <= s.first && s.first < to && !s.fixed_first) q[s.first] += (h / s.mass_first) * p[s.first];
      const Index inner_from = std::max(from, s.first + 1), inner_to = std::min(to, s.last);
      if (inner_from < inner_to) kernels::drift(q, p, inner_from, inner_to, h / s.mass);
      if (s.last > s.first && from <= s.last && s.last < to && !s.fixed_last)
        q[s.last] += (h / s.mass_last) * p[s.last];
    }
  }

 private:
  void kick_nonlinear(const Segment& s, const Real* q, Real* p, Index lo, Index hi, Real half, bool twice) const {
    Real e[batch + 1], T[batch + 1];
    const Real l = s.length;
    for (Index from = lo; from < hi; from += batch) {
      const Index n = std::min(batch, hi - from);
      for (Index j = 0; j <= n; ++j) e[j] = 1 + (q[from + j] - q[from + j - 1]) / l;  // element from−1+j
      s.energy->stress(e, T, static_cast<std::size_t>(n + 1));
      for (Index j = 0; j < n; ++j) {
        const Real g = half * (T[j + 1] - T[j]);
        p[from + j] = twice ? (p[from + j] + g) + g : p[from + j] + g;
      }
    }
  }

  void add_bar(int b) {
    const auto& bar = line_->bar(b);
    const Real l = bar.length / static_cast<Real>(bar.elements), m = l * bar.mass;
    // A tip changes only where it is free and can meet something.
    bool moved[2];
    for (const int side : {0, 1})
      moved[side] = tips_ != Tips::lumped && bar.ends[static_cast<std::size_t>(side)] == BarEnd::free &&
                    line_->gap_at(b, side) >= 0;
    Segment s;
    s.first = segments_.empty() ? 0 : segments_.back().last + 1;
    s.mass = m, s.length = s.length_first = s.length_last = l;
    s.modulus = bar.modulus;
    s.energy = bar.energy ? &bar.energy : nullptr;
    s.mass_first = s.mass_last = m / 2;
    s.s_first = 0;
    Index elements = bar.elements;
    if (tips_ == Tips::redistributed) {
      const Index removed = moved[0] + moved[1];
      if (elements < removed)
        throw Error(ErrorKind::invalid_model, bar.name + " needs at least two elements: both its tips are massless");
      elements -= removed;
      if (moved[0]) s.s_first = l;
      if (elements == 0) {
        s.mass_first = s.mass_last = m * static_cast<Real>(bar.elements);
      } else {
        if (moved[0]) s.mass_first = m + m / 2;
        if (moved[1]) s.mass_last = m + m / 2;
      }
      check_rest(bar, moved[0] || moved[1]);
    } else if (tips_ == Tips::quarter) {
      if (moved[0]) s.s_first = l / 4, s.length_first -= l / 4;
      if (moved[1]) s.length_last -= l / 4;
      if (elements == 1) s.length_first = s.length_last = s.length_first + s.length_last - l;
      check_rest(bar, moved[0] || moved[1]);
    }
    s.last = s.first + elements;
    s.k = bar.modulus / l, s.k_first = bar.modulus / s.length_first, s.k_last = bar.modulus / s.length_last;
    s.fixed_first = bar.ends[0] == BarEnd::fixed, s.fixed_last = bar.ends[1] == BarEnd::fixed;
    segments_.push_back(s);
  }
  /// A massless tip is unstrained when nothing presses on it: that must be how the bar starts.
  static void check_rest(const BarSpec<Real>& bar, bool massless_tip) {
    if (!massless_tip || !bar.energy) return;
    const Real e = std::sqrt(std::numeric_limits<Real>::epsilon());
    if (std::abs(bar.energy.T(1)) > e * bar.energy.K(1))
      throw Error(ErrorKind::invalid_model,
                  "the energy of " + bar.name + " has a stress at strain e = 1: a massless tip needs W'(1) = 0");
  }

  void add_link(int i) {
    const auto& gap = line_->gap(i);
    Link link{-1, -1, gap.opening, {}, tips_ != Tips::lumped};
    TipElement<Real> side[2];
    for (const int k : {0, 1}) {
      const int b = k == 0 ? gap.left : gap.right;
      if (b < 0) continue;
      Segment& s = segments_[static_cast<std::size_t>(b)];
      (k == 0 ? link.left : link.right) = k == 0 ? s.last : s.first;
      (k == 0 ? s.link_right : s.link_left) = i;
      if (k == 0 ? s.fixed_last : s.fixed_first) continue;
      const auto& bar = line_->bar(b);
      const Real l = bar.length / static_cast<Real>(bar.elements);
      side[k] = {tips_ == Tips::quarter ? l / 4 : l, bar.modulus, s.energy};
    }
    link.spring = ContactSpring<Real>(side[0], side[1]);
    links_.push_back(link);
  }

  std::shared_ptr<const BarLine<Real>> line_;
  Tips tips_;
  std::vector<Segment> segments_;
  std::vector<Link> links_;
};

}  // namespace ricochet::bodies
