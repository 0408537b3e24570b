// Geometrically exact beams that hit planes and spheres, as a body of the strong principle: Demoures 2016 section 5.
//
// The impact loop never asks whether Q is a vector space: it flies, kicks and measures gaps. A node of the principle
// holds, for every node of every beam, the position, the orientation and the two momenta; impulses act on the linear
// momentum in space, whatever group the time step uses. Mass is lumped and ψ is nodal, so two gaps of different nodes
// never couple (errata D19), and over a step of SO(3)×R³ every node moves on an exact parabola.
#pragma once

#include <array>
#include <memory>

#include "ricochet/bodies/beams/chain.hpp"
#include "ricochet/bodies/beams/obstacle.hpp"
#include "ricochet/discrete/flight.hpp"
#include "ricochet/motion/contact.hpp"

namespace ricochet::bodies {

template <class R = double>
class Beams {
 public:
  using Real = R;
  using Index = beams::Index;
  using Step = discrete::Step<Real>;
  using Interval = discrete::Interval<Real>;
  using Bound = motion::Bound<Real>;
  using Contact = motion::Contact<Real>;
  using Node = beams::State<Real>;
  using Vec = lie::Vec3<Real>;

  /// ∇φ_i: along n on the linear momentum of one node.
  struct Normal {
    Index node = -1;
    beams::Triple<Real> n{};
    Real inverse_mass = 0;
  };
  /// The curves of all nodes along a flight.
  struct Trace {
    Real t{}, length{};
    typename beams::Chain<Real>::Trace data;
    bool exact = false, refined = false;
    /// Gaps were judged as the nodes flew: only `suspects` can close, and only the curves of their nodes were written.
    bool screened = false;
    std::vector<int> suspects;
  };
  struct Work {
    typename beams::Chain<Real>::Loads loads;
    Node copy, sample;
  };

  explicit Beams(BeamsSpec<Real> spec, TimeGroup group = TimeGroup::SO3xR3)
      : spec_(checked(std::move(spec))), chain_(spec_.beams, group), limit_(chain_.stable_step()) {
    for (const auto& p : spec_.planes)
      obstacles_.push_back({p.name, false, beams::triple<Real>(p.point), beams::triple<Real>(p.normal), 0});
    for (const auto& s : spec_.spheres)
      obstacles_.push_back({s.name, true, beams::triple<Real>(s.centre), {}, s.radius});
  }

  const BeamsSpec<Real>& spec() const { return spec_; }
  const beams::Chain<Real>& chain() const { return chain_; }
  /// Nodes one by one instead of four at a time: for comparison.
  void use_packs(bool yes) { chain_.use_packs(yes); }
  Index nodes() const { return chain_.nodes(); }
  int obstacles() const { return static_cast<int>(obstacles_.size()); }
  /// The limit of the straight unstrained beam; strong strains can lower it.
  Real stable_step() const { return limit_; }
  void require_stable(Real s) const {
    if (!(s <= limit_ * (1 + 8 * std::numeric_limits<Real>::epsilon()))) too_long(s);
  }

  /// The start: p⁰ = Jξ⁰ at every node, of second order; a first difference would be of first (errata D16).
  Node start() const {
    Node x;
    x.data.resize(nodes());
    for (int b = 0; b < chain_.beams(); ++b) {
      const auto& segment = chain_.segment(b);
      const auto& beam = spec_.beams[static_cast<std::size_t>(b)];
      Eigen::Quaternion<Real> last = Eigen::Quaternion<Real>::Identity();
      for (Index a = segment.first; a <= segment.last; ++a) {
        const auto i = static_cast<std::size_t>(a - segment.first);
        Eigen::Quaternion<Real> q(beam.nodes[i].R);
        q.normalize();
        if (a > segment.first && q.dot(last) < 0) q.coeffs() = -q.coeffs();  // relative rotations below π
        last = q;
        const Real w = segment.weight(a);
        x.data.set(beams::position, a, beams::triple<Real>(beam.nodes[i].r));
        x.data[beams::turn][a] = q.w();
        x.data.set(beams::turn + 1, a, {q.x(), q.y(), q.z()});
        x.data.set(beams::momentum, a, (w * segment.material.mass) * beams::triple<Real>(beam.velocities[i].linear));
        x.data.set(beams::spin_momentum, a,
                   w * beams::scaled(segment.material.gyration.inertia, beams::triple<Real>(beam.velocities[i].spin)));
      }
    }
    refresh(x);
    return x;
  }
  /// Forces and energy of a node whose columns were set by hand.
  void refresh(Node& x) const {
    Work work;
    x.potential = chain_.forces(x.data, work.loads, Real(0));
    x.finite = std::isfinite(x.potential);
  }

  // ---- reading a node -----------------------------------------------------------------------------------------------

  Vec position(const Node& x, Index a) const { return beams::eigen<Real>(x.x(a)); }
  Eigen::Quaternion<Real> rotation(const Node& x, Index a) const {
    const auto q = x.q(a);
    return {q.w, q.v.x, q.v.y, q.v.z};
  }
  Vec velocity(const Node& x, Index a) const { return beams::eigen<Real>((1 / chain_.mass(a)) * x.p(a)); }
  Vec linear_momentum(const Node& x) const {
    Vec sum = Vec::Zero();
    for (Index a = 0; a < nodes(); ++a) sum += beams::eigen<Real>(x.p(a));
    return sum;
  }
  /// Σ x × P + ΛΠ, about the origin: with the linear one the momentum map of SE(3).
  Vec angular_momentum(const Node& x) const {
    Vec sum = Vec::Zero();
    for (Index a = 0; a < nodes(); ++a)
      sum += beams::eigen<Real>(beams::cross(x.x(a), x.p(a)) + beams::rotate(x.q(a), x.spin(a)));
    return sum;
  }
  Real kinetic(const Node& x) const { return chain_.kinetic(x.data); }
  Real hamiltonian(const Node& x) const { return kinetic(x) + x.potential; }
  bool finite(const Node& x) const { return x.finite; }
  ErrorState state(const Node& x) const {
    ErrorState state{static_cast<double>(x.t), {}, {}};
    for (Index a = 0; a < nodes(); ++a)
      for (int k = 0; k < 3; ++k) {
        state.q.push_back(static_cast<double>(x.data[beams::position + k][a]));
        state.p.push_back(static_cast<double>(x.data[beams::momentum + k][a]));
      }
    return state;
  }

  // ---- flights ------------------------------------------------------------------------------------------------------

  Interval fly(const Node& from, Step step, Node& out, Work& work) const { return fly(from, step, out, nullptr, work); }
  Interval fly(const Node& given, Step step, Node& out, Trace& trace, Work& work) const {
    trace.t = given.t;
    trace.length = step.s;
    const bool parabolas = chain_.group() == TimeGroup::SO3xR3;
    trace.exact = trace.refined = trace.screened = parabolas;
    trace.suspects.clear();
    const beams::Watch<Real> watch{obstacles_, nodes(), step.s, trace.suspects};
    const Interval interval = fly(given, step, out, parabolas && !obstacles_.empty() ? &watch : nullptr, work);
    const Node& from = &given == &out ? work.copy : given;
    if (parabolas) {
      if (!trace.suspects.empty()) start_of_suspects(from, trace);
    } else {
      start_of(from, trace);
      bound_trace(out, trace);
    }
    return interval;
  }
  /// The trace of a curve from `from` to `end` that is not a flight: some nodes are held to obstacles. On a plane the
  /// normal part of their parabola is gone, and it is a parabola again; on a sphere it is not.
  void begin_trace(const Node& from, Step step, const Node& end, Trace& trace) const {
    trace.t = from.t;
    trace.length = step.s;
    trace.screened = false;
    start_of(from, trace);
    trace.exact = trace.refined = chain_.group() == TimeGroup::SO3xR3;
    for (Index a = 0; trace.exact && a < nodes(); ++a) trace.exact = parabola_to(from, end, a, trace);
    trace.refined = trace.exact;
    if (!trace.exact) bound_trace(end, trace);
  }
  /// Sharper enclosure of a curve given by `point(s, node)`: cubics through four samples, with remainders measured at
  /// two more and quadrupled.
  template <class PointAt>
  void refine_trace(Trace& trace, const Node& end, PointAt&& point, Work& work) const {
    trace.refined = true;
    const Real L = trace.length;
    if (!(L > 0)) return;
    std::array<typename beams::Chain<Real>::Trace, 2> thirds;
    for (int j = 0; j < 2; ++j) {
      point(L * Real(j + 1) / 3, work.sample);
      auto& at = thirds[static_cast<std::size_t>(j)];
      at.resize(nodes());
      for (Index a = 0; a < nodes(); ++a) at.set(0, a, work.sample.x(a) - trace.data.triple(beams::c0, a));
    }
    for (Index a = 0; a < nodes(); ++a) {
      const auto y1 = thirds[0].triple(0, a), y2 = thirds[1].triple(0, a);
      const auto y3 = end.x(a) - trace.data.triple(beams::c0, a);
      // Newton's form on 0, L/3, 2L/3, L
      const auto a1 = Real(3) * y1, a2 = Real(4.5) * (y2 - Real(2) * y1),
                 a3 = Real(4.5) * ((y3 - Real(3) * y2) + Real(3) * y1);
      trace.data.set(beams::c1, a, (1 / L) * ((a1 - (Real(1) / 3) * a2) + (Real(2) / 9) * a3));
      trace.data.set(beams::c2, a, (1 / (L * L)) * (a2 - a3));
      trace.data.set(beams::c3, a, (1 / (L * L * L)) * a3);
      const auto x = trace.data.triple(beams::c0, a);
      const Real rounding = 8 * std::numeric_limits<Real>::epsilon();
      trace.data.set(beams::radius, a, {rounding * std::abs(x.x), rounding * std::abs(x.y), rounding * std::abs(x.z)});
    }
    for (const Real s : {L / 6, 5 * L / 6}) {
      point(s, work.sample);
      for (Index a = 0; a < nodes(); ++a) {
        const auto error = work.sample.x(a) - curve(trace, a)(s);
        const auto r = trace.data.triple(beams::radius, a);
        trace.data.set(beams::radius, a,
                       {std::max(r.x, 4 * std::abs(error.x)), std::max(r.y, 4 * std::abs(error.y)),
                        std::max(r.z, 4 * std::abs(error.z))});
      }
    }
  }

  // ---- gaps: number = obstacle · nodes + node -----------------------------------------------------------------------

  int gaps() const { return obstacles() * static_cast<int>(nodes()); }
  Index node_of(int gap) const { return gap % nodes(); }
  int obstacle_of(int gap) const { return static_cast<int>(gap / nodes()); }
  /// const: g++ 12 is wrong about "text" + std::string&& (its bug 105651).
  const std::string gap_name(int i) const {
    const Index a = node_of(i);
    const int b = chain_.beam_of(a);
    return std::string(chain_.name(b))
        .append("[")
        .append(std::to_string(a - chain_.segment(b).first))
        .append("]|")
        .append(obstacle(i).name);
  }
  Real gap(int i, const Node& x) const { return obstacle(i).gap(x.x(node_of(i))); }
  /// The least of all gaps at a node.
  Real lowest_gap(const Node& x) const {
    Real low = std::numeric_limits<Real>::infinity();
    for (const auto& o : obstacles_)
      for (Index a = 0; a < nodes(); ++a) low = std::min(low, o.gap(x.x(a)));
    return low;
  }
  /// Every gap of `lowest` lowered to that at a node, in the order of their numbers.
  void lower(const Node& x, std::vector<Real>& lowest) const {
    auto low = lowest.begin();
    for (const auto& o : obstacles_)
      for (Index a = 0; a < nodes(); ++a, ++low) *low = std::min(*low, o.gap(x.x(a)));
  }
  Real gap_along(int i, const Node& from, Step step, const Trace& trace, Work&) const {
    const Index a = node_of(i);
    return obstacle(i).gap(trace.exact ? curve(trace, a)(step.s) : chain_.position_after(from.data, a, step.s));
  }
  template <class List>
  void candidates(const Trace& trace, List& list, Work&) const {
    list.clear();
    auto look = [&](int i) {
      if (!(gap_bound(i, trace, Real(0), trace.length).value.lower() > 0)) list.push_back(i);
    };
    if (trace.screened)
      for (const int i : trace.suspects) look(i);
    else
      for (int i = 0; i < gaps(); ++i) look(i);
  }
  numerics::Ball<Real> gap_range(int i, const Trace& trace, Real a, Real b) const {
    return gap_bound(i, trace, a, b).value;
  }
  Bound gap_bound(int i, const Trace& trace, Real a, Real b) const {
    const auto unknown = numerics::Ball<Real>::everything();
    if (trace.screened && !std::binary_search(trace.suspects.begin(), trace.suspects.end(), i))
      return {unknown, unknown, unknown};
    return beams::gap_bound(obstacle(i), curve(trace, node_of(i)), a, b);
  }
  bool may_be_closed(int i, const Node& x, Real h) const {
    constexpr Real rounding = Real(1e-9);  // far more than there is: the test is to be cheap, not sharp
    const Index a = node_of(i);
    const Real inverse = 1 / chain_.mass(a);
    const auto& o = obstacle(i);
    const auto at = x.x(a);
    return o.gap(at) <= h * inverse * (beams::size_of(x.p(a)) + h * beams::size_of(x.f(a))) + rounding * o.scale(at);
  }

  Contact contact(int i, const Node& x, Real h, Normal& normal, Work&) const {
    constexpr Real eps = std::numeric_limits<Real>::epsilon(), stiff_roundings = Real(4e11);
    const Index a = node_of(i);
    const auto& o = obstacle(i);
    const auto& segment = chain_.segment(chain_.beam_of(a));
    const Real inverse = 1 / (segment.weight(a) * segment.material.mass);
    const auto at = x.x(a), v = inverse * x.p(a), acceleration = inverse * x.f(a);
    normal = {a, o.normal_at(at), inverse};
    Contact c;
    c.gap = i;
    c.value = o.gap(at);
    c.rate = beams::dot(normal.n, v);
    c.acceleration = o.acceleration(at, v, acceleration);
    // A node knows where it is to the rounding of its beam's length, even beside an obstacle at the origin.
    c.value_scale = o.scale(at) + static_cast<Real>(segment.last - segment.first) * segment.spacing;
    // Rounding of a strain is that of x/Δs, and the forces feel it through EA/Δs; in units of the 1e-11 of φ̈ that
    // count as zero where contacts are held.
    const Real stiff = std::max(segment.material.shear.x, segment.material.shear.z) * segment.inverse_spacing *
                       inverse * (1 + beams::size_of(at) * segment.inverse_spacing);
    c.acceleration_scale = beams::size_of(acceleration) + std::abs(c.acceleration) +
                           inverse * segment.weight(a) * beams::size_of(segment.gravity) +
                           stiff_roundings * eps * stiff;
    c.rate_scale = beams::size_of(v);
    c.step = h;
    return c;
  }
  Real couple(const Normal& a, const Normal& b) const {
    return a.node == b.node ? a.inverse_mass * beams::dot(a.n, b.n) : Real(0);
  }
  void kick(Node& x, const Normal& normal, Real lambda) const {
    x.data.add(beams::momentum, normal.node, lambda * normal.n);
    x.finite = x.finite && std::isfinite(lambda);
  }
  /// x += a M⁻¹∇φ_i: a correction of the size of rounding, so the forces keep their values.
  void nudge(Node& x, const Normal& normal, Real a) const {
    x.data.add(beams::position, normal.node, (a * normal.inverse_mass) * normal.n);
  }
  /// Ends are free: nothing constrains a beam but its obstacles.
  int constraints() const { return 0; }
  void add_normal(Normal& normal, Real a, const Normal& other) const {
    if (normal.node == other.node) normal.n = normal.n + a * other.n;  // others do not couple
  }

 private:
  Interval fly(const Node& given, Step step, Node& out, const beams::Watch<Real>* watch, Work& work) const {
    require_stable(step.s);
    if (&given == &out) work.copy = given;
    const Node& from = &given == &out ? work.copy : given;
    if (out.data.empty()) out.data.resize(nodes());
    const auto energies = chain_.fly(from.data, out.data, work.loads, step.s, watch);
    out.t = from.t + step.s;
    out.potential = energies.potential;
    Interval interval;
    interval.energy = interval.start = interval.end = energies.kinetic + (from.potential + energies.potential) / 2;
    out.finite = std::isfinite(interval.energy);
    return interval;
  }

  static BeamsSpec<Real> checked(BeamsSpec<Real> spec) {
    check_beams(spec);
    return spec;
  }
  const beams::Obstacle<Real>& obstacle(int gap) const {
    return obstacles_[static_cast<std::size_t>(obstacle_of(gap))];
  }

  [[noreturn]] void too_long(Real s) const {
    char text[128];
    std::snprintf(text, sizeof text, "the time step %.6g is beyond the stability limit %.6g of the beams",
                  static_cast<double>(s), static_cast<double>(limit_));
    throw Error(ErrorKind::invalid_model, text);
  }

  beams::Curve<Real> curve(const Trace& trace, Index a) const {
    const auto& d = trace.data;
    if (trace.exact)
      return {d.triple(beams::c0, a), d.triple(beams::c1, a), d.triple(beams::c2, a), {}, {}, trace.length, true};
    return {d.triple(beams::c0, a),
            d.triple(beams::c1, a),
            d.triple(beams::c2, a),
            d.triple(beams::c3, a),
            d.triple(beams::radius, a),
            trace.length,
            false};
  }
  void start_of(const Node& from, Trace& trace) const {
    if (trace.data.empty()) trace.data.resize(nodes());
    for (int k = 0; k < chain_.beams(); ++k) {
      const auto& b = chain_.segment(k);
      for (Index a = b.first; a <= b.last; ++a) start_of(from, 1 / (b.weight(a) * b.material.mass), a, trace);
    }
  }
  void start_of_suspects(const Node& from, Trace& trace) const {
    if (trace.data.empty()) trace.data.resize(nodes());
    std::sort(trace.suspects.begin(), trace.suspects.end());
    for (const int i : trace.suspects) start_of(from, 1 / chain_.mass(node_of(i)), node_of(i), trace);
  }
  void start_of(const Node& from, Real inverse_mass, Index a, Trace& trace) const {
    trace.data.set(beams::c0, a, from.x(a));
    trace.data.set(beams::c1, a, inverse_mass * from.p(a));
    trace.data.set(beams::c2, a, (inverse_mass / 2) * from.f(a));
  }
  /// The parabola of node a in a flight that may hold it to a plane; false if the curve is none.
  bool parabola_to(const Node& from, const Node& end, Index a, Trace& trace) const {
    const Real L = trace.length;
    auto c1 = trace.data.triple(beams::c1, a), c2 = trace.data.triple(beams::c2, a);
    auto off = [&] { return end.x(a) - (from.x(a) + L * (c1 + L * c2)); };
    const Real rounding = 64 * std::numeric_limits<Real>::epsilon() *
                          (beams::size_of(from.x(a)) + beams::size_of(end.x(a)) + L * beams::size_of(c1));
    auto d = off();
    if (beams::size_of(d) <= rounding) return true;
    const auto n = (1 / std::sqrt(beams::dot(d, d))) * d;
    c1 = c1 - beams::dot(c1, n) * n;
    c2 = c2 - beams::dot(c2, n) * n;
    trace.data.set(beams::c1, a, c1);
    trace.data.set(beams::c2, a, c2);
    return beams::size_of(off()) <= rounding;
  }
  /// A first bound of curves of which only start, velocity and end are known: the parabola through them, within twice
  /// its own bulge (a curve that bends more than that is not resolved by its step).
  void bound_trace(const Node& end, Trace& trace) const {
    const Real L = trace.length;
    for (Index a = 0; a < nodes(); ++a) {
      const auto bulge = (end.x(a) - trace.data.triple(beams::c0, a)) - L * trace.data.triple(beams::c1, a);
      trace.data.set(beams::c2, a, (L > 0 ? 1 / (L * L) : Real(0)) * bulge);
      trace.data.set(beams::c3, a, {});
      trace.data.set(beams::radius, a, {std::abs(bulge.x), std::abs(bulge.y), std::abs(bulge.z)});
    }
  }

  BeamsSpec<Real> spec_;
  beams::Chain<Real> chain_;
  Real limit_;
  std::vector<beams::Obstacle<Real>> obstacles_;
};

}  // namespace ricochet::bodies
