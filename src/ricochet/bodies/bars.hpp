// Elastic bars on a line as a body of the strong principle: Demoures 2016, integrator 1, is Fetecau 2003 with one gap.
#pragma once

#include <boost/container/small_vector.hpp>

#include "ricochet/bodies/bars/flight.hpp"
#include "ricochet/bodies/bars/readings.hpp"
#include "ricochet/bodies/bars/scout.hpp"
#include "ricochet/bodies/bars/sweep.hpp"
#include "ricochet/discrete/flight.hpp"
#include "ricochet/motion/contact.hpp"

namespace ricochet::bodies {

struct BarsOptions {
  int threads = 1;  ///< results do not depend on it
};

/// Refuses a step beyond the stability limit, with the limit.
template <class Real>
void require_stable(Real h, Real limit) {
  if (h <= limit * (1 + 8 * std::numeric_limits<Real>::epsilon())) return;
  throw Error(ErrorKind::invalid_model, "the time step " + std::to_string(static_cast<double>(h)) +
                                            " is beyond the stability limit " +
                                            std::to_string(static_cast<double>(limit)) + " of the bars");
}

/// Chains shorter than this are as fast step by step as many steps at once.
inline constexpr int nodes_to_glide = 1024;
template <class Real>
bool pays_to_glide(const Chain<Real>& chain) {
  return chain.nodes() >= nodes_to_glide;
}

template <class R = double>
class Bars {
 public:
  using Real = R;
  using Index = typename Chain<Real>::Index;
  using Step = discrete::Step<Real>;
  using Interval = discrete::Interval<Real>;
  using Bound = motion::Bound<Real>;
  using Contact = motion::Contact<Real>;

  /// (t, q, p): q are displacements of the nodes of all bars from their unstrained start.
  struct Node {
    Real t{};
    std::vector<Real> q, p;
    Real potential = std::numeric_limits<Real>::quiet_NaN();  ///< V(q) if known; q changes in flights only
    bool finite = true;

    Node reversed() const {
      Node x = *this;
      for (Real& value : x.p) value = -value;
      return x;
    }
  };
  /// ∇φ_i = e_right − e_left, with the inverse masses (0 and −1: wall or fixed end).
  struct Normal {
    Index left = -1, right = -1;
    Real inverse_left = 0, inverse_right = 0;
  };
  /// The gaps along a flight; nothing else of the curve is ever asked for.
  using Parabola = GapParabola<Real>;
  struct Trace {
    Real t{}, length{};
    boost::container::small_vector<Parabola, 4> gaps;
    bool exact = true, refined = true;
  };
  struct Work {
    ChainFlight<Real> flight;
    Node copy;
  };

  explicit Bars(BarsSpec<Real> spec, BarsOptions options = {})
      : chain_(std::make_shared<const BarLine<Real>>(std::move(spec)), Tips::lumped),
        sums_(chain_),
        workers_(std::make_shared<Workers>(options.threads)) {
    limit_ = chain_.stable_step(start().q.data());
  }

  const BarLine<Real>& line() const { return chain_.line(); }
  const Chain<Real>& chain() const { return chain_; }
  Real stable_step() const { return limit_; }
  Readings<Real> readings(const Node& x) const { return {chain_, x.q.data(), x.p.data()}; }

  Node start() const {
    Node x;
    chain_.start(x.q, x.p);
    return x;
  }

  // ---- flights -----------------------------------------------------------------------------------------------------

  Interval fly(const Node& given, Step step, Node& out, Work& work) const {
    require_stable(step.s, limit_);
    if (&given == &out) work.copy = given;
    const Node& from = &given == &out ? work.copy : given;
    const Real before = std::isnan(from.potential) ? sums_.potential(chain_, from.q.data()) : from.potential;
    out.q.resize(from.q.size());
    out.p.resize(from.p.size());
    const auto energies =
        work.flight.fly(chain_, sums_, from.q.data(), from.p.data(), out.q.data(), out.p.data(), step.s, *workers_);
    out.t = from.t + step.s;
    out.potential = energies.potential;
    Interval interval;
    interval.energy = interval.start = interval.end = energies.kinetic + (before + energies.potential) / 2;
    out.finite = std::isfinite(interval.energy);  // a sum of squares: finite only if all of them are
    return interval;
  }
  Interval fly(const Node& from, Step step, Node& out, Trace& trace, Work& work) const {
    begin_trace(from, step, out, trace);
    return fly(from, step, out, work);
  }
  /// The gaps along a flight from a node. Also of a flight that holds some of them closed: no two gaps share a tip, so
  /// the others do not feel it before the flight ends.
  void begin_trace(const Node& from, Step step, const Node&, Trace& trace) const {
    trace.t = from.t;
    trace.length = step.s;
    trace.gaps.resize(static_cast<std::size_t>(gaps()));
    for (int i = 0; i < gaps(); ++i)
      trace.gaps[static_cast<std::size_t>(i)] = chain_.gap_along(i, from.q.data(), from.p.data());
  }

  /// Up to n steps of length h at once, as long as no gap can close in them; returns how many were flown. The nodes
  /// that can act on a gap within them are flown ahead, in `scratch`. The bits are those of single flights.
  bool glides() const { return pays_to_glide(chain_); }
  int glide(Node& x, Node& scratch, Real h, long long n, Work&) const {
    require_stable(h, limit_);
    int free = static_cast<int>(std::min<long long>(n, Sweep<Real>::depth));
    for (int i = 0; i < gaps() && free > 0; ++i) free = std::min(free, open_steps(i, x, scratch, h, free));
    if (free == 0) return 0;
    Sweep<Real>::run(chain_, x.q.data(), x.p.data(), h, free, *workers_, [](int, int) {});
    x.t += static_cast<Real>(free) * h;
    x.potential = std::numeric_limits<Real>::quiet_NaN();
    x.finite = std::isfinite(sums_.kinetic(chain_, x.p.data()));
    return free;
  }

  // ---- gaps --------------------------------------------------------------------------------------------------------

  int gaps() const { return chain_.links(); }
  const std::string& gap_name(int i) const { return line().gap(i).name; }
  Real gap(int i, const Node& x) const { return chain_.gap(i, x.q.data()); }
  Real gap_along(int i, const Node&, Step step, const Trace& trace, Work&) const {
    return trace.gaps[static_cast<std::size_t>(i)](step.s);
  }
  template <class List>
  void candidates(const Trace& trace, List& list, Work&) const {
    list.clear();
    for (int i = 0; i < gaps(); ++i)
      if (!(trace.gaps[static_cast<std::size_t>(i)].lowest(trace.length) > 0)) list.push_back(i);
  }
  numerics::Ball<Real> gap_range(int i, const Trace& trace, Real a, Real b) const {
    return gap_bound(i, trace, a, b).value;
  }
  Bound gap_bound(int i, const Trace& trace, Real a, Real b) const {
    const Parabola& f = trace.gaps[static_cast<std::size_t>(i)];
    const Real m = (a + b) / 2, r = (b - a) / 2, slope = f.c1 + 2 * m * f.c2;
    return {{f(m), r * (std::abs(slope) + r * std::abs(f.c2))}, {slope, 2 * r * std::abs(f.c2)}, {2 * f.c2, 0}};
  }
  /// Nothing to sharpen: the curve of a gap is known exactly.
  template <class PointAt>
  void refine_trace(Trace&, const Node&, PointAt&&, Work&) const {}
  bool may_be_closed(int, const Node&, Real) const { return true; }

  /// The rate is a difference of the speeds of two tips.
  Contact contact(int i, const Node& x, Real h, Normal& normal, Work&) const {
    const auto& link = chain_.link(i);
    const Parabola f = chain_.gap_along(i, x.q.data(), x.p.data());
    normal = {};
    Real speed = 0, size = link.opening, acceleration = 0;
    for (const Index a : {link.left, link.right}) {
      if (a < 0) continue;
      const auto k = static_cast<std::size_t>(a);
      size += std::abs(x.q[k]);
      if (chain_.fixed(a)) continue;
      const auto& s = chain_.segment(chain_.segment_of(a));
      const Real inverse = 1 / s.mass_of(a);
      (a == link.left ? normal.left : normal.right) = a;
      (a == link.left ? normal.inverse_left : normal.inverse_right) = inverse;
      speed += inverse * std::abs(x.p[k]);
      if (s.first == s.last) continue;
      const Index e = a == s.first ? s.first : s.last - 1;
      const auto from = static_cast<std::size_t>(e);
      acceleration +=
          inverse * s.stiffness(e, x.q[from + 1] - x.q[from]) * (std::abs(x.q[from + 1]) + std::abs(x.q[from]));
    }
    Contact c;
    c.gap = i;
    c.value = f.c0, c.rate = f.c1, c.acceleration = 2 * f.c2;
    c.value_scale = size, c.rate_scale = speed, c.acceleration_scale = acceleration;
    c.step = h;
    return c;
  }
  /// Fixed ends are not moved at all; there is nothing else that constrains a bar.
  int constraints() const { return 0; }
  void add_normal(Normal&, Real, const Normal&) const {}
  Real couple(const Normal& a, const Normal& b) const {
    Real sum = 0;
    if (a.left >= 0) sum += a.inverse_left * (a.left == b.left ? Real(1) : a.left == b.right ? Real(-1) : Real(0));
    if (a.right >= 0) sum += a.inverse_right * (a.right == b.right ? Real(1) : a.right == b.left ? Real(-1) : Real(0));
    return sum;
  }
  void kick(Node& x, const Normal& normal, Real lambda) const {
    if (normal.left >= 0) x.p[static_cast<std::size_t>(normal.left)] -= lambda;
    if (normal.right >= 0) x.p[static_cast<std::size_t>(normal.right)] += lambda;
    x.finite = x.finite && std::isfinite(lambda);
  }
  /// q += a M⁻¹∇φ_i: a correction of the size of rounding, so V(q) keeps its value.
  void nudge(Node& x, const Normal& normal, Real a) const {
    if (normal.left >= 0) x.q[static_cast<std::size_t>(normal.left)] -= a * normal.inverse_left;
    if (normal.right >= 0) x.q[static_cast<std::size_t>(normal.right)] += a * normal.inverse_right;
  }

  // ---- energies ----------------------------------------------------------------------------------------------------

  Real kinetic(const Node& x) const { return sums_.kinetic(chain_, x.p.data()); }
  Real hamiltonian(const Node& x) const { return kinetic(x) + sums_.potential(chain_, x.q.data()); }
  bool finite(const Node& x) const { return x.finite; }
  /// The ends of the bars: a state that can be read.
  ErrorState state(const Node& x) const {
    ErrorState state{static_cast<double>(x.t), {}, {}};
    for (int b = 0; b < chain_.segments(); ++b)
      for (const Index a : {chain_.segment(b).first, chain_.segment(b).last}) {
        state.q.push_back(static_cast<double>(x.q[static_cast<std::size_t>(a)]));
        state.p.push_back(static_cast<double>(x.p[static_cast<std::size_t>(a)]));
      }
    return state;
  }

 private:
  /// How many of n steps gap i certainly stays open.
  int open_steps(int i, const Node& x, Node& scratch, Real h, int n) const {
    if (scratch.q.size() != x.q.size()) scratch = x;
    Normal normal;
    Work unused;
    return scout(chain_, i, x.q.data(), x.p.data(), scratch.q.data(), scratch.p.data(), h, n,
                 [&](int j, const Real* q, const Real* p) {
                   const Contact here = contact(i, scratch, h, normal, unused);
                   return j == n ||
                          chain_.gap_along(i, q, p).lowest(h) > motion::far_from_closed(here, here.rate_scale);
                 });
  }

  Chain<Real> chain_;
  ChainSums<Real> sums_;
  std::shared_ptr<Workers> workers_;
  Real limit_{};
};

}  // namespace ricochet::bodies
