// A body in generalized coordinates: any Lagrangian system with a discretisation rule, as the principle sees it.
#pragma once

#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "ricochet/bodies/trace.hpp"
#include "ricochet/closure/shadow_work.hpp"
#include "ricochet/discrete/flight.hpp"
#include "ricochet/motion/body.hpp"

namespace ricochet::bodies {

template <mechanics::System System, class R = double>
class Generalized {
  static_assert(
      !mechanics::ForgottenGap<System>,
      "a system with gaps has `int gaps() const` and `template <class T> T gap(int i, Point<T> q[, T t]) const`");
  static_assert(!mechanics::ForgottenForce<System>,
                "a force is `template <class T> void force(Point<T> q, Point<T> v, T t, std::span<T> f) const`");

 public:
  using Real = R;
  using Mechanics = mechanics::Mechanics<System, Real>;
  using Vec = typename Mechanics::Vec;
  using Rule = discrete::Rule<Real>;
  using Step = discrete::Step<Real>;
  using Interval = discrete::Interval<Real>;
  using Bound = motion::Bound<Real>;
  using Contact = motion::Contact<Real>;

  /// (t, q, p), with what rounding left over of the sums behind q and p: over millions of steps the same increment is
  /// rounded the same way, and the bias would show (compensated summation; formulas see q and p alone).
  struct Node {
    Real t{};
    Vec q, p;
    Vec q_rest = Vec::Zero(q.size()), p_rest = Vec::Zero(p.size());

    /// q += dq, p += dp.
    void move(const Vec& dq, const Vec& dp) {
      add(q, q_rest, dq);
      add(p, p_rest, dp);
    }
    void kick(const Vec& dp) { add(p, p_rest, dp); }
    /// The same node with its motion reversed.
    Node reversed() const { return {t, q, -p, q_rest, -p_rest}; }

   private:
    static void add(Vec& sum, Vec& rest, const Vec& increment) {
      for (Eigen::Index k = 0; k < sum.size(); ++k) {
        const Real y = increment[k] + rest[k], z = sum[k] + y;
        rest[k] = y - (z - sum[k]);
        sum[k] = z;
      }
    }
  };
  /// The covector ∇φ_i at a node, with M⁻¹∇φ_i beside it.
  struct Normal {
    Vec n, inverse_mass_n;
  };
  using Trace = CurveTrace<Real, Vec>;
  /// What all gaps of one node share: they are mostly asked one after the other, and each of them would cost as much.
  struct Motion {
    bool known = false;
    Real t{};
    Vec q, p, v, a;
    Real a_in_mass{};  ///< a·Ma
  };
  struct Work {
    discrete::FlightWork<Mechanics> flight;
    Node sample;
    Vec v, a, scratch, dq, dp;
    Motion motion;
    std::vector<numerics::Ball<Real>> box;  ///< of coordinates that a gap reads
    closure::ClosureWork<Mechanics> closure;
  };

  Generalized(System system, Rule rule)
      : mechanics_(std::move(system)), rule_(std::move(rule)), explicit_(discrete::is_explicit(mechanics_, rule_)) {}

  const Mechanics& mechanics() const { return mechanics_; }
  const Rule& rule() const { return rule_; }
  int dimension() const { return mechanics_.dimension(); }
  int gaps() const { return mechanics_.gaps(); }
  /// Bilateral constraints c_j = 0 are gaps number gaps() + j: always held, never released.
  int constraints() const { return mechanics_.constraints(); }
  std::string gap_name(int i) const {
    if (i < 0) i = mechanics::gap_of_slip(i);
    return i < gaps() ? mechanics::gap_name(mechanics_.system(), i)
                      : mechanics::constraint_name(mechanics_.system(), i - gaps());
  }
  int unions() const { return mechanics::union_count(mechanics_.system()); }
  /// The gaps of which only the largest must not become negative.
  std::span<const int> branches(int u) const { return mechanics::branches(mechanics_.system(), u); }
  bool moving(int i) const { return mechanics::moving_row(mechanics_.system(), i); }

  /// p0 = ∂L/∂v(q0,v0): never a first difference (design: one-step form).
  Node node(const Vec& q, const Vec& v, Real t = 0) const {
    Node x{t, q, Vec::Zero(dimension())};
    mechanics_.momentum(q, v, t, x.p);
    return x;
  }
  /// The same in place of another node.
  void set_node(const Vec& q, const Vec& v, Real t, Node& x) const {
    x.t = t, x.q = q;
    mechanics_.momentum(q, v, t, x.p);
    x.q_rest.setZero(dimension());
    x.p_rest.setZero(dimension());
  }
  /// The same node at rest.
  void stop(Node& x) const {
    mechanics_.momentum(x.q, Vec::Zero(dimension()), x.t, x.p);
    x.p_rest.setZero();
  }
  Vec velocity(const Node& x) const {
    Vec v(dimension());
    mechanics_.velocity(x.q, x.p, x.t, v);
    return v;
  }
  Real hamiltonian(const Node& x) const { return mechanics_.hamiltonian(x.q, x.p, x.t); }
  Real kinetic(const Node& x) const { return mechanics_.kinetic(x.q, x.p, x.t); }
  bool finite(const Node& x) const { return x.q.allFinite() && x.p.allFinite(); }
  ErrorState state(const Node& x) const {
    ErrorState state{static_cast<double>(x.t), {}, {}};
    for (int k = 0; k < dimension(); ++k) {
      state.q.push_back(static_cast<double>(x.q[k]));
      state.p.push_back(static_cast<double>(x.p[k]));
    }
    return state;
  }

  // ---- flights -----------------------------------------------------------------------------------------------------

  Interval fly(const Node& from, Step step, Node& out, Work& work) const {
    const Interval interval =
        discrete::fly(mechanics_, rule_, from.q, from.p, from.t, step.s, work.dq, work.dp, work.flight);
    if (&out != &from) out = from;
    out.move(work.dq, work.dp);
    out.t += step.s;
    return interval;
  }
  /// The same, with an enclosure of the whole curve for `locate`.
  Interval fly(const Node& from, Step step, Node& out, Trace& trace, Work& work) const {
    trace.t = from.t;
    trace.length = step.s;
    trace.c0 = from.q;
    const Interval interval = fly(from, step, out, work);
    trace.c1 = work.flight.v0;
    trace.exact = explicit_ && !rule_.is_composed();
    trace.refined = false;
    if (trace.exact) {
      trace.c2 = work.flight.curvature;
    } else {
      trace.bound(out.q);
    }
    return interval;
  }
  /// Starts the trace of a curve from `from` to `end` that is not one of fly's own.
  void begin_trace(const Node& from, Step step, const Node& end, Trace& trace) const {
    trace.t = from.t;
    trace.length = step.s;
    trace.c0 = from.q;
    trace.c1 = velocity(from);
    trace.exact = trace.refined = false;
    trace.bound(end.q);
  }
  template <class PointAt>
  void refine_trace(Trace& trace, const Node& end, PointAt&& point, Work& work) const {
    trace.refine(end.q, [&](Real s) -> const Vec& {
      point(s, work.sample);
      return work.sample.q;
    });
  }

  // ---- what gaps of other families see -----------------------------------------------------------------------------

  int scalars() const { return dimension(); }
  motion::Coordinate<Real> scalar(int k, const Node& x, Work& work) const {
    mechanics_.velocity(x.q, x.p, x.t, work.v);
    mechanics_.acceleration(x.q, work.v, x.t, work.a);
    return {x.q[k], work.v[k], work.a[k]};
  }
  Bound scalar(int k, const Trace& trace, Real a, Real b) const {
    const auto y = trace.coordinate(k, (a + b) / 2, (b - a) / 2);
    return {y[0], y[1], y[2] * numerics::Ball<Real>(Real(2))};
  }
  void covector(const Node& x, std::span<const int> which, std::span<const Real> values, Normal& out,
                Work& work) const {
    out.n.setZero(dimension());
    for (std::size_t j = 0; j < which.size(); ++j) out.n[which[j]] += values[j];
    mechanics_.velocity(x.q, x.p, x.t, work.v);
    mechanics_.inverse_mass(x.q, work.v, x.t, out.n, out.inverse_mass_n);
  }

  // ---- gaps --------------------------------------------------------------------------------------------------------

  Real gap(int i, const Node& x) const { return mechanics_.gap(i, x.q, x.t); }
  /// What must not become negative: of a branch, the largest of its union, and the least of these where it has several.
  Real admissible(int i, const Node& x) const {
    return motion::of_unions<Real>(
        i, unions(), [this](int u) { return branches(u); }, [&](int k) { return gap(k, x); });
  }

  /// φ_i at the end of a flight of length step.s: on the parabola itself where the curve is one.
  Real gap_along(int i, const Node& from, Step step, const Trace& trace, Work& work) const {
    if (trace.exact) {
      work.scratch = trace.c0 + step.s * (trace.c1 + step.s * trace.c2);
      return mechanics_.gap(i, work.scratch, trace.t + step.s);
    }
    fly(from, step, work.sample, work);
    return gap(i, work.sample);
  }

  /// Gaps that may close along the trace: all whose enclosure reaches down to zero.
  template <class List>
  void candidates(const Trace& trace, List& list, Work& work) const {
    using Ball = numerics::Ball<Real>;
    list.clear();
    if (gaps() == 0) return;
    numerics::Scratch<Ball, Mechanics::N> scratch(dimension());
    const auto X = scratch.span();
    const Real m = trace.length / 2;
    for (int k = 0; k < dimension(); ++k) X[static_cast<std::size_t>(k)] = trace.position(k, m, m);
    const Ball time(trace.t + m, m);
    if constexpr (requires { mechanics_.system().gaps_at(Point<Ball>(X), time, std::span<Ball>()); }) {
      work.box.resize(static_cast<std::size_t>(gaps()));
      mechanics_.system().gaps_at(Point<Ball>(X), time, std::span<Ball>(work.box));
      for (int i = 0; i < gaps(); ++i)
        if (!(work.box[static_cast<std::size_t>(i)].lower() > 0)) list.push_back(i);
    } else {
      for (int i = 0; i < gaps(); ++i)
        if (!(mechanics_.template gap_of<Ball>(i, X, time).lower() > 0)) list.push_back(i);
    }
  }
  /// Lower bounds of these gaps along the trace. Together gaps of formulas cost what they share only once.
  void bound_gaps(const Trace& trace, const motion::GapList& which, std::span<Real> least, Work& work) const {
    if (which.empty()) return;
    using Ball = numerics::Ball<Real>;
    numerics::Scratch<Ball, Mechanics::N> scratch(dimension());
    const auto X = scratch.span();
    const Real m = trace.length / 2;
    for (int k = 0; k < dimension(); ++k) X[static_cast<std::size_t>(k)] = trace.position(k, m, m);
    const Ball time(trace.t + m, m);
    if constexpr (requires { mechanics_.system().gaps_at(Point<Ball>(X), time, std::span<Ball>()); })
      if (2 * static_cast<int>(which.size()) > gaps()) {
        work.box.resize(static_cast<std::size_t>(gaps()));
        mechanics_.system().gaps_at(Point<Ball>(X), time, std::span<Ball>(work.box));
        for (const int i : which) least[static_cast<std::size_t>(i)] = work.box[static_cast<std::size_t>(i)].lower();
        return;
      }
    for (const int i : which) least[static_cast<std::size_t>(i)] = mechanics_.template gap_of<Ball>(i, X, time).lower();
  }

  /// Whether enclosures of the gaps hold over boxes of coordinates: only measured ones do not.
  bool encloses_boxes() const {
    if constexpr (requires(const System& s) { s.sampled(); })
      return !mechanics_.system().sampled();
    else
      return true;
  }
  /// The coordinates that gap i reads, with dimension() for the time. What a formula reads is known; what a function
  /// reads shows where one coordinate becomes certain and its value with it, unless it branches: then it may read all.
  std::vector<int> reads(int i, const Node& x) const {
    std::vector<int> list;
    if constexpr (requires { mechanics_.system().gap_inputs(i); }) {
      for (const auto k : mechanics_.system().gap_inputs(i)) list.push_back(static_cast<int>(k));
    } else {
      using Ball = numerics::Ball<Real>;
      constexpr Real nearby = Real(1e-3);
      const auto around = [](Real at) { return Ball(at, nearby * (1 + std::abs(at))); };
      std::vector<Ball> X(static_cast<std::size_t>(dimension()));
      for (int k = 0; k < dimension(); ++k) X[static_cast<std::size_t>(k)] = around(x.q[k]);
      Ball time = around(x.t);
      numerics::ball_branches = false;
      const auto value = [&] { return mechanics_.template gap_of<Ball>(i, Point<Ball>(X), time); };
      const Ball somewhere = value();
      for (int k = 0; k <= dimension(); ++k) {
        Ball& one = k < dimension() ? X[static_cast<std::size_t>(k)] : time;
        const Ball uncertain = std::exchange(one, Ball(one.mid));
        const Ball y = value();
        one = uncertain;
        if (!(y == somewhere) || !std::isfinite(y.rad)) list.push_back(k);
      }
      if (numerics::ball_branches) {
        list.resize(static_cast<std::size_t>(dimension()) + 1);
        std::iota(list.begin(), list.end(), 0);
      }
    }
    return list;
  }
  /// How far the coordinates and the time go from where a trace starts.
  void reach(const Trace& trace, std::span<Real> reach) const {
    const Real m = trace.length / 2;
    for (int k = 0; k < dimension(); ++k) {
      const auto x = trace.position(k, m, m);
      reach[static_cast<std::size_t>(k)] = std::abs(x.mid - trace.c0[k]) + x.rad;
    }
    reach.back() = trace.length;
  }
  /// A lower bound of φ_i where the coordinates `reads` are within ±m·unit of the start of a trace; −∞ where φ_i need
  /// not be a number.
  Real least_within(int i, const Trace& trace, std::span<const int> reads, std::span<const Real> units, Real m,
                    Work& work) const {
    using Ball = numerics::Ball<Real>;
    work.box.resize(static_cast<std::size_t>(dimension()));
    Ball time(trace.t);
    for (const int k : reads)
      (k < dimension() ? work.box[static_cast<std::size_t>(k)] : time) =
          Ball(k < dimension() ? trace.c0[k] : trace.t, m * units[static_cast<std::size_t>(k)]);
    numerics::ball_leaves_domain = false;
    const Real least = mechanics_.template gap_of<Ball>(i, Point<Ball>(work.box), time).lower();
    return numerics::ball_leaves_domain ? -std::numeric_limits<Real>::infinity() : least;
  }

  /// φ_i over s ∈ [a,b] of the trace: cheaper than `gap_bound`.
  numerics::Ball<Real> gap_range(int i, const Trace& trace, Real a, Real b) const {
    using Ball = numerics::Ball<Real>;
    numerics::Scratch<Ball, Mechanics::N> scratch(dimension());
    const auto X = scratch.span();
    const Real m = (a + b) / 2, r = (b - a) / 2;
    for (int k = 0; k < dimension(); ++k) X[static_cast<std::size_t>(k)] = trace.position(k, m, r);
    return mechanics_.template gap_of<Ball>(i, X, Ball(trace.t + m, r));
  }

  /// φ_i on the middle of the trace.
  Real gap_in_middle(int i, const Trace& trace, Real s, Work& work) const {
    trace.middle(s, work.scratch);
    return mechanics_.gap(i, work.scratch, trace.t + s);
  }

  /// φ_i, dφ_i/ds and d²φ_i/ds² over s ∈ [a,b] of the trace.
  Bound gap_bound(int i, const Trace& trace, Real a, Real b) const {
    using Ball = numerics::Ball<Real>;
    using T = numerics::Taylor<Ball, 2>;
    numerics::Scratch<T, Mechanics::N> scratch(dimension());
    const auto X = scratch.span();
    const Real m = (a + b) / 2, r = (b - a) / 2;
    for (int k = 0; k < dimension(); ++k) X[static_cast<std::size_t>(k)] = trace.coordinate(k, m, r);
    T time;
    time[0] = Ball(trace.t + m, r);
    time[1] = Ball(Real(1));
    const T y = mechanics_.template gap_of<T>(i, X, time);
    return {y[0], y[1], y[2] * Ball(Real(2))};
  }

  /// Cheap test before `contact`: false only if gap i is certainly not closed.
  bool may_be_closed(int, const Node&, Real) const { return true; }

  /// Everything the active set asks of gap i at a node; the covector goes to `normal`.
  Contact contact(int i, const Node& x, Real h, Normal& normal, Work& work) const {
    Contact c;
    c.gap = i;
    c.step = h;
    const Motion& motion = motion_at(x, work);
    const Vec &v = motion.v, &a = motion.a;
    mechanics_.gap_gradient(i, x.q, x.t, normal.n);
    mechanics_.inverse_mass(x.q, v, x.t, normal.n, normal.inverse_mass_n);
    const auto along = mechanics_.gap_along(i, x.q, v, a, x.t);
    c.value = along[0];
    c.rate = along[1];
    c.acceleration = along[2];
    c.wall_rate = moving(i) ? c.rate - normal.n.dot(v) : Real(0);
    // Rounding of φ itself: the size of its terms, seen through its linearisation at q and t, or that of the terms of
    // the formula, which may cancel (the distance of two balls at the origin, less their radii). At rest at the origin
    // of a momentary balance of forces all of them vanish: `least_unit` of the coordinates stands in for them.
    c.value_scale = least_unit * normal.n.cwiseAbs().sum() + x.q.cwiseProduct(normal.n).cwiseAbs().sum() +
                    std::abs(x.t * c.wall_rate) + std::abs(c.value - x.q.dot(normal.n));
    c.rate_scale = v.cwiseProduct(normal.n).cwiseAbs().sum() + std::abs(c.wall_rate);
    const Real along_a = normal.n.dot(a);
    // Bodies that rest on each other fall together: φ̈ of their gap is zero, and what rounds it is the size of its
    // terms.
    c.acceleration_scale = std::sqrt(normal.n.dot(normal.inverse_mass_n) * std::max(Real(0), motion.a_in_mass)) +
                           std::abs(c.acceleration - along_a);
    // What the formula rounds costs an evaluation: it matters where φ is far smaller than the way of a step.
    if (encloses_boxes())
      if (const Real way = h * (c.rate_scale + h * c.acceleration_scale); !(std::abs(c.value) > far * way))
        c.value_scale = std::max(c.value_scale, rounded_terms(i, x));
    return c;
  }
  /// W_ij = ∇φ_i M⁻¹ ∇φ_j.
  Real couple(const Normal& a, const Normal& b) const { return a.n.dot(b.inverse_mass_n); }
  void kick(Node& x, const Normal& normal, Real lambda) const { x.kick(lambda * normal.n); }
  /// q += a M⁻¹∇φ_i: a correction of the size of rounding.
  void nudge(Node& x, const Normal& normal, Real a) const { x.q += a * normal.inverse_mass_n; }
  /// normal += a·other.
  void add_normal(Normal& normal, Real a, const Normal& other) const {
    normal.n += a * other.n;
    normal.inverse_mass_n += a * other.inverse_mass_n;
  }

 private:
  static constexpr Real least_unit = Real(1e-16), far = Real(1e-3);

  /// Computed anew unless it is the node of last time, to the last bit.
  const Motion& motion_at(const Node& x, Work& work) const {
    const auto same = [](const Vec& a, const Vec& b) {
      return a.size() == b.size() &&
             std::memcmp(a.data(), b.data(), sizeof(Real) * static_cast<std::size_t>(a.size())) == 0;
    };
    Motion& m = work.motion;
    if (m.known && m.t == x.t && same(m.q, x.q) && same(m.p, x.p)) return m;
    m.known = false;
    m.t = x.t, m.q = x.q, m.p = x.p;
    mechanics_.velocity(x.q, x.p, x.t, m.v);
    mechanics_.acceleration(x.q, m.v, x.t, m.a);
    mechanics_.momentum(x.q, m.a, x.t, work.scratch);
    m.a_in_mass = m.a.dot(work.scratch);
    m.known = true;
    return m;
  }
  /// The sum of the terms that the formula of a gap rounds, as balls follow it; 0 where they know no bound.
  Real rounded_terms(int i, const Node& x) const {
    using Ball = numerics::Ball<Real>;
    numerics::Scratch<Ball, Mechanics::N> scratch(dimension());
    const auto X = scratch.span();
    for (int k = 0; k < dimension(); ++k) X[static_cast<std::size_t>(k)] = Ball(x.q[k]);
    const Real terms = mechanics_.template gap_of<Ball>(i, X, Ball(x.t)).rad / std::numeric_limits<Real>::epsilon();
    return terms < std::numeric_limits<Real>::max() ? terms : Real(0);
  }

  Mechanics mechanics_;
  Rule rule_;
  bool explicit_;
};

}  // namespace ricochet::bodies
