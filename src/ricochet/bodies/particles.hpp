// Many particles over planes, under gravity, each on its exact flight.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ricochet/bodies/trace.hpp"
#include "ricochet/bodies/weak_interval.hpp"
#include "ricochet/discrete/interval.hpp"
#include "ricochet/error.hpp"
#include "ricochet/motion/contact.hpp"

namespace ricochet::bodies {

/// Points in space that know nothing of each other: gap i·P + j is particle i over plane j. An impulse moves one
/// particle, so nothing here costs more than the number of particles. Their discrete Lagrangian is the exact one: a
/// flight is a parabola, and its discrete energy is the energy.
template <class R = double>
class Particles {
 public:
  using Real = R;
  using Vec = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Point = Eigen::Matrix<Real, 3, 1>;

  /// φ = n·x − offset with |n| = 1, friction μ in both directions along it.
  struct Plane {
    Point n;
    Real offset = 0, mu = 0;
    std::string name = "plane";
  };
  struct Node {
    Real t{};
    Vec q, p;
  };
  using Step = discrete::Step<Real>;
  using Interval = discrete::Interval<Real>;
  using Trace = CurveTrace<Real, Vec>;
  struct Work {};
  /// A covector of one particle.
  struct Normal {
    Point n, inverse_mass_n;
    int particle = 0;
  };

  Particles(std::vector<Real> masses, Point gravity, std::vector<Plane> planes)
      : masses_(std::move(masses)), gravity_(std::move(gravity)), planes_(std::move(planes)) {
    for (const Real m : masses_)
      if (!(m > 0)) throw Error(ErrorKind::invalid_model, "the mass of a particle must be positive");
    for (const Plane& plane : planes_) {
      if (!(std::abs(plane.n.norm() - 1) <= 16 * std::numeric_limits<Real>::epsilon()))
        throw Error(ErrorKind::invalid_model, "the normal of the plane \"" + plane.name + "\" must have length 1");
      const Point axis = std::abs(plane.n[0]) < Real(0.5) ? Point::UnitX() : Point::UnitY();
      const Point first = (axis - axis.dot(plane.n) * plane.n).normalized();
      tangents_.push_back(first);
      tangents_.push_back(plane.n.cross(first));
    }
  }

  int size() const { return static_cast<int>(masses_.size()); }
  int dimension() const { return 3 * size(); }
  int gaps() const { return size() * static_cast<int>(planes_.size()); }
  int constraints() const { return 0; }
  int particle(int gap) const { return gap / static_cast<int>(planes_.size()); }
  const Plane& plane(int gap) const { return planes_[at(gap % static_cast<int>(planes_.size()))]; }
  const Point& tangent(int gap, int a) const { return tangents_[at(2 * (gap % static_cast<int>(planes_.size())) + a)]; }
  Real mass(int particle) const { return masses_[at(particle)]; }
  const Point& gravity() const { return gravity_; }
  std::string gap_name(int i) const { return "particle " + std::to_string(particle(i)) + " over " + plane(i).name; }

  Node node(const Vec& q, const Vec& v, Real t = 0) const {
    Node x{t, q, v};
    for (int i = 0; i < size(); ++i) x.p.template segment<3>(3 * i) *= mass(i);
    return x;
  }
  Real gap(int i, const Node& x) const {
    return plane(i).n.dot(x.q.template segment<3>(3 * particle(i))) - plane(i).offset;
  }
  Real kinetic(const Node& x) const {
    Real sum = 0;
    for (int i = 0; i < size(); ++i) sum += x.p.template segment<3>(3 * i).squaredNorm() / (2 * mass(i));
    return sum;
  }
  Real hamiltonian(const Node& x) const {
    Real sum = kinetic(x);
    for (int i = 0; i < size(); ++i) sum -= mass(i) * gravity_.dot(x.q.template segment<3>(3 * i));
    return sum;
  }
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

  Interval fly(const Node& from, Step step, Node& out, Work&) const {
    Interval interval;
    interval.energy = interval.start = interval.end = hamiltonian(from);
    const Real s = step.s;
    for (int i = 0; i < size(); ++i) {
      const Point p = from.p.template segment<3>(3 * i), force = mass(i) * gravity_;
      out.q.template segment<3>(3 * i) = from.q.template segment<3>(3 * i) + (s / mass(i)) * (p + (s / 2) * force);
      out.p.template segment<3>(3 * i) = p + s * force;
    }
    out.t = from.t + s;
    return interval;
  }
  Interval fly(const Node& from, Step step, Node& out, Trace& trace, Work& work) const {
    begin_trace(from, step, from, trace);
    return fly(from, step, out, work);
  }
  void begin_trace(const Node& from, Step step, const Node&, Trace& trace) const {
    trace.t = from.t;
    trace.length = step.s;
    trace.exact = true;
    trace.refined = trace.cubic = false;
    trace.c0 = from.q;
    trace.c1.resize(dimension());
    trace.c2.resize(dimension());
    for (int i = 0; i < size(); ++i) {
      trace.c1.template segment<3>(3 * i) = from.p.template segment<3>(3 * i) / mass(i);
      trace.c2.template segment<3>(3 * i) = gravity_ / 2;
    }
  }
  template <class PointAt>
  void refine_trace(Trace&, const Node&, PointAt&&, Work&) const {}

  // ---- gaps --------------------------------------------------------------------------------------------------------

  void candidates(const Trace& trace, motion::GapList& list, Work&) const {
    list.clear();
    for (int i = 0; i < gaps(); ++i)
      if (!(gap_range(i, trace, Real(0), trace.length).lower() > 0)) list.push_back(i);
  }
  /// φ_i at the end of a flight.
  Real gap_along(int i, const Node&, Step step, const Trace& trace, Work&) const {
    return gap_range(i, trace, step.s, step.s).mid;
  }
  numerics::Ball<Real> gap_range(int i, const Trace& trace, Real a, Real b) const {
    return gap_bound(i, trace, a, b).value;
  }
  motion::Bound<Real> gap_bound(int i, const Trace& trace, Real a, Real b) const {
    using Ball = numerics::Ball<Real>;
    motion::Bound<Real> bound{Ball(-plane(i).offset), Ball(Real(0)), Ball(Real(0))};
    for (int k = 0; k < 3; ++k) {
      const auto x = trace.coordinate(3 * particle(i) + k, (a + b) / 2, (b - a) / 2);
      const Ball n(plane(i).n[k]);
      bound.value = bound.value + n * x[0];
      bound.slope = bound.slope + n * x[1];
      bound.curvature = bound.curvature + n * x[2] * Ball(Real(2));
    }
    return bound;
  }
  bool may_be_closed(int, const Node&, Real) const { return true; }
  motion::Contact<Real> contact(int i, const Node& x, Real h, Normal& normal, Work&) const {
    const bool slip = i < 0;
    const int gap = slip ? mechanics::gap_of_slip(i) : i;
    const Point& n = slip ? tangent(gap, mechanics::axis_of_slip(i)) : plane(gap).n;
    const Point q = x.q.template segment<3>(3 * particle(gap));
    const Point v = x.p.template segment<3>(3 * particle(gap)) / mass(particle(gap));
    normal = {n, n / mass(particle(gap)), particle(gap)};
    motion::Contact<Real> c;
    c.gap = i;
    c.step = h;
    c.value = n.dot(q) - (slip ? Real(0) : plane(gap).offset);
    c.rate = n.dot(v);
    c.acceleration = n.dot(gravity_);
    c.value_scale = n.cwiseAbs().dot(q.cwiseAbs()) + std::abs(plane(gap).offset);
    c.rate_scale = n.cwiseAbs().dot(v.cwiseAbs());
    c.acceleration_scale = n.cwiseAbs().dot(gravity_.cwiseAbs());
    return c;
  }
  double friction(int gap) const { return static_cast<double>(plane(gap).mu); }
  int slips(int) const { return 2; }
  Real couple(const Normal& a, const Normal& b) const {
    return a.particle == b.particle ? a.n.dot(b.inverse_mass_n) : Real(0);
  }
  void kick(Node& x, const Normal& normal, Real lambda) const {
    x.p.template segment<3>(3 * normal.particle) += lambda * normal.n;
  }
  /// Rows of one particle only: those of two have no common covector.
  void add_normal(Normal& normal, Real a, const Normal& other) const {
    if (normal.particle != other.particle) return;
    normal.n += a * other.n;
    normal.inverse_mass_n += a * other.inverse_mass_n;
  }
  void nudge(Node& x, const Normal& normal, Real a) const {
    x.q.template segment<3>(3 * normal.particle) += a * normal.inverse_mass_n;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::vector<Real> masses_;
  Point gravity_;
  std::vector<Plane> planes_;
  std::vector<Point> tangents_;
};

/// The same interval as in general, three freedoms at a time: M(v_{k+1} − v_k) = h M g + Σ r_i n_i.
template <class R>
class WeakInterval<Particles<R>> {
 public:
  using Body = Particles<R>;
  using Real = R;
  using Node = typename Body::Node;
  using Vec = typename Body::Vec;
  using Normal = typename Body::Normal;

  explicit WeakInterval(const Body& body) : body_(body) {
    v_ = u_ = Vec::Zero(body.dimension());
    x_ = Node{0, v_, v_};
  }

  static constexpr bool linear() { return true; }
  const Vec& before() const { return v_; }
  const Vec& after() const { return u_; }
  const Node& middle() const { return x_; }

  void begin(const Node& from, Real h) {
    for (int i = 0; i < body_.size(); ++i) {
      v_.template segment<3>(3 * i) = from.p.template segment<3>(3 * i) / body_.mass(i);
      u_.template segment<3>(3 * i) = v_.template segment<3>(3 * i) + h * body_.gravity();
    }
    x_.t = from.t + h / 2;
    x_.q = from.q + (h / 2) * v_;
  }
  void fly(Real) {}
  void push(const Normal& row, Real impulse) {
    u_.template segment<3>(3 * row.particle) += impulse * row.inverse_mass_n;
  }
  void end(Real h, Node& node) {
    node.q += (h / 2) * (v_ + u_);
    for (int i = 0; i < body_.size(); ++i)
      node.p.template segment<3>(3 * i) = body_.mass(i) * u_.template segment<3>(3 * i);
    node.t += h;
  }
  Real supplied(Real) const { return 0; }

  struct Value {
    Real phi, rounding;
  };
  Value gap(int i, const Node& from, Real gamma, Real h) const {
    const int k = 3 * body_.particle(i);
    const typename Body::Point x = from.q.template segment<3>(k) + (gamma * h) * v_.template segment<3>(k);
    const auto& plane = body_.plane(i);
    return {plane.n.dot(x) - plane.offset, 16 * std::numeric_limits<Real>::epsilon() *
                                               (plane.n.cwiseAbs().dot(x.cwiseAbs()) + std::abs(plane.offset))};
  }
  Real row(int i, int a, Normal& row) const {
    const typename Body::Point& n = a < 0 ? body_.plane(i).n : body_.tangent(i, a);
    row = {n, n / body_.mass(body_.particle(i)), body_.particle(i)};
    return 0;
  }
  Real departure(int, Real) const { return 0; }

  Real rate(const Normal& row, const Vec& velocity) const {
    return row.n.dot(velocity.template segment<3>(3 * row.particle));
  }
  template <class F>
  void for_each_part(const Normal& row, F&& f) const {
    f(row.particle);
  }
  int parts() const { return body_.size(); }
  Node state(Real t, const Vec& q, const Vec& velocity) const { return body_.node(q, velocity, t); }
  Real speed() const { return u_.norm(); }
  Real size_of_position() const { return x_.q.norm(); }

 private:
  const Body& body_;
  Node x_;
  Vec v_, u_;
};

}  // namespace ricochet::bodies
