// Many particles over planes, under gravity: the weak principle with as many contacts as there are particles.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ricochet/bodies/weak_interval.hpp"
#include "ricochet/error.hpp"

namespace ricochet::bodies {

/// Points in space that know nothing of each other: gap i·P + j is particle i over plane j. A percussion moves one
/// particle, so nothing here costs more than the number of particles.
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
  Real hamiltonian(const Node& x) const {
    Real sum = 0;
    for (int i = 0; i < size(); ++i)
      sum += x.p.template segment<3>(3 * i).squaredNorm() / (2 * mass(i)) -
             mass(i) * gravity_.dot(x.q.template segment<3>(3 * i));
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

  struct Row {
    typename Body::Point n, inverse_mass_n;
    int particle = 0;
    Real wall = 0;
  };

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
  void push(const Row& row, Real impulse) { u_.template segment<3>(3 * row.particle) += impulse * row.inverse_mass_n; }
  void end(Real h, Node& node) {
    node.q += (h / 2) * (v_ + u_);
    for (int i = 0; i < body_.size(); ++i)
      node.p.template segment<3>(3 * i) = body_.mass(i) * u_.template segment<3>(3 * i);
    node.t += h;
  }
  Real supplied(Real) const { return 0; }

  template <class F>
  void for_each_gap(const Node&, Real, F&& f) const {
    for (int i = 0; i < body_.gaps(); ++i) f(i);
  }
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
  void normal(int i, Row& row) const { fill(i, body_.plane(i).n, row); }
  int tangents(int) const { return 2; }
  Real friction(int i) const { return body_.plane(i).mu; }
  void tangent(int i, int a, Row& row) const { fill(i, body_.tangent(i, a), row); }
  Real departure(int, Real) const { return 0; }

  Real couple(const Row& a, const Row& b) const {
    return a.particle == b.particle ? a.n.dot(b.inverse_mass_n) : Real(0);
  }
  static void add(Row&, Real, const Row&) {}  // there are no constraints to be tangent to
  Real rate(const Row& row, const Vec& velocity) const {
    return row.n.dot(velocity.template segment<3>(3 * row.particle));
  }
  template <class F>
  void for_each_part(const Row& row, F&& f) const {
    f(row.particle);
  }
  int parts() const { return body_.size(); }
  void at_middle(const Vec& velocity, Node& out) const { out = body_.node(x_.q, velocity, x_.t); }
  Real speed() const { return u_.norm(); }
  Real size_of_position() const { return x_.q.norm(); }

 private:
  void fill(int i, const typename Body::Point& n, Row& row) const {
    row.particle = body_.particle(i);
    row.n = n;
    row.inverse_mass_n = n / body_.mass(row.particle);
    row.wall = 0;
  }

  const Body& body_;
  Node x_;
  Vec v_, u_;
};

}  // namespace ricochet::bodies
