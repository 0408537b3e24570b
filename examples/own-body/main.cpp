// A body of one's own: a rod that is thrown and tumbles, on R³ × SO(3), with flights that are exact.
//
// Its configuration is a position x and a rotation R, no vector of coordinates, and its free motion is known: with the
// axis d = R e₃, moments of inertia J across and J₃ along it, and the angular momentum l in space,
//
//   x(s) = x + s p/m − ½ g s² e_z,   p(s) = p − m g s e_z,   l(s) = l,
//   R(s) = exp(s l/J) R exp(s κ e₃),   κ = (l·d)(1/J₃ − 1/J),   so   d(s) = exp(s l/J) d.
//
// So the discrete Lagrangian is the exact one, L_d = ∫ L dt, and E_d = −D3 L_d = H: the strong principle then keeps the
// energy, the symplectic form and the momentum maps of the symmetries to rounding, all at once. Its ends are balls of
// radius r at x ± a d, and may not sink into the floor: φ_± = z ± a d_z − r ≥ 0, with ∇φ_± = (e_z, ±a d × e_z), a
// force and a torque.
//
// Sample run:
//
//   $ example_own_body
//   1  conformance: 24 checks passed
//   2  dropped at an angle: the impact, and what it leaves, in closed form the same to 4.4e-15
//   3  thrown: where it hits first, Euler's equations have that end on the floor to 3.4e-15
//   4  1697 impacts: energy to 1.2e-15, p_x, p_y, l_z, spin to 6.4e-13
//   5  with e = 0.4 it comes to lie on the floor: z − r = 0.0e+00, d_z = 2.2e-16, 2 gaps held
//
// The steps below: 1. the body, 2. its canonical coordinates, for the conformance suite, 3. Euler's equations, 4. runs.
#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <string>

#include "ricochet/bodies/trace.hpp"
#include "ricochet/conformance/conformance.hpp"
#include "ricochet/lie/so3.hpp"
#include "ricochet/numerics/taylor.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

namespace discrete = ricochet::discrete;
namespace motion = ricochet::motion;
namespace numerics = ricochet::numerics;
namespace so3 = ricochet::lie::so3;
using Eigen::Matrix3d, Eigen::Vector3d;

// 1. The body: a class with the members that bodies/body.hpp asks for. It is const; scratch is in Work.
class Rod {
 public:
  using Real = double;
  using Step = discrete::Step<double>;
  using Interval = discrete::Interval<double>;
  using Ball = numerics::Ball<double>;

  struct Node {
    double t = 0;
    Vector3d x, p;
    Eigen::Quaterniond R;
    Vector3d l;
    Vector3d axis() const { return R * Vector3d::UnitZ(); }
    Node reversed() const { return {t, x, -p, R, -l}; }
  };
  // A covector, force and torque, with what M⁻¹ makes of it: a velocity and a spin.
  struct Normal {
    Vector3d force, torque, velocity, spin;
  };
  // What gaps see of a flight: z, and d_z = A + B cos Ωs + C sin Ωs. A curve that is not a flight (a rod that is held
  // to the floor) is enclosed by cubics of (z, d_z) instead.
  struct Trace {
    double t = 0, length = 0;
    bool exact = false, refined = false;
    double z = 0, vz = 0, A = 0, B = 0, C = 0, Omega = 0;
    ricochet::bodies::CurveTrace<double, Eigen::Vector2d> other;
  };
  struct Work {
    Node sample;
  };

  double m = 1.2, J = 0.3, J3 = 0.02, a = 0.7, r = 0.05, g = 9.81;

  Node node(const Vector3d& x, const Matrix3d& R, const Vector3d& v, const Vector3d& spin) const {
    Node y{0, x, m * v, Eigen::Quaterniond(R).normalized(), Vector3d::Zero()};
    const Vector3d d = y.axis();
    y.l = J * spin + (J3 - J) * d.dot(spin) * d;
    return y;
  }

  // Flights. `out` may be `from`.
  Interval fly(const Node& from, Step step, Node& out, Work&) const {
    const double s = step.s, kappa = from.l.dot(from.axis()) * (1 / J3 - 1 / J);
    const double E = hamiltonian(from);
    const Eigen::Quaterniond R = turn(s / J * from.l) * from.R * turn(s * kappa * Vector3d::UnitZ());
    out = {from.t + s, from.x + (s / m) * from.p, from.p, R.normalized(), from.l};
    out.x.z() -= g * s * s / 2;
    out.p.z() -= m * g * s;
    Interval interval;
    interval.energy = interval.start = interval.end = E;  // the exact L_d: E_d = H
    interval.has_excess = true;                           // of zero, at both ends
    return interval;
  }
  Interval fly(const Node& from, Step step, Node& out, Trace& trace, Work& work) const {
    trace.t = from.t, trace.length = step.s;
    trace.exact = trace.refined = true;
    trace.z = from.x.z(), trace.vz = from.p.z() / m;
    const double size = from.l.norm();
    const Vector3d d = from.axis(), n = size > 0 ? Vector3d(from.l / size) : Vector3d::UnitX();
    trace.Omega = size / J;
    trace.A = n.dot(d) * n.z();
    trace.B = d.z() - trace.A;
    trace.C = n.cross(d).z();
    return fly(from, step, out, work);
  }
  // Curves that are not flights.
  void begin_trace(const Node& from, Step step, const Node& end, Trace& trace) const {
    trace.t = from.t, trace.length = trace.other.length = step.s;
    trace.exact = trace.refined = trace.other.exact = trace.other.refined = false;
    trace.other.c0 = seen(from);
    trace.other.c1 = {from.p.z() / m, from.l.cross(from.axis()).z() / J};
    trace.other.bound(seen(end));
  }
  template <class PointAt>
  void refine_trace(Trace& trace, const Node& end, PointAt&& point, Work& work) const {
    trace.refined = true;
    if (trace.exact) return;
    trace.other.refine(seen(end), [&](double s) { return point(s, work.sample), seen(work.sample); });
  }

  // The kinetic metric.
  double couple(const Normal& u, const Normal& w) const { return u.force.dot(w.velocity) + u.torque.dot(w.spin); }
  void kick(Node& y, const Normal& n, double lambda) const {
    y.p += lambda * n.force;
    y.l += lambda * n.torque;
  }
  void nudge(Node& y, const Normal& n, double by) const {
    y.x += by * n.velocity;
    y.R = (turn(by * n.spin) * y.R).normalized();
  }
  void add_normal(Normal& n, double by, const Normal& other) const {
    n.force += by * other.force, n.torque += by * other.torque;
    n.velocity += by * other.velocity, n.spin += by * other.spin;
  }
  double kinetic(const Node& y) const {
    const double along = y.l.dot(y.axis());
    return y.p.squaredNorm() / (2 * m) + y.l.squaredNorm() / (2 * J) + along * along * (1 / J3 - 1 / J) / 2;
  }
  double hamiltonian(const Node& y) const { return kinetic(y) + m * g * y.x.z(); }
  void stop(Node& y) const { y.p.setZero(), y.l.setZero(); }
  bool finite(const Node& y) const { return y.x.allFinite() && y.p.allFinite() && y.l.allFinite(); }
  ricochet::ErrorState state(const Node& y) const {
    const Vector3d d = y.axis();
    return {y.t, {y.x[0], y.x[1], y.x[2], d[0], d[1], d[2]}, {y.p[0], y.p[1], y.p[2], y.l[0], y.l[1], y.l[2]}};
  }

  // Gaps of its own: 0 is the end +a d, 1 the end −a d.
  int gaps() const { return 2; }
  std::string gap_name(int i) const { return i == 0 ? "upper end" : "lower end"; }
  double gap(int i, const Node& y) const { return y.x.z() + end(i) * y.axis().z() - r; }
  double gap_along(int i, const Node& from, Step step, const Trace& trace, Work& work) const {
    if (trace.exact) return curve(i, trace, step.s);
    fly(from, step, work.sample, work);
    return gap(i, work.sample);
  }
  template <class List>
  void candidates(const Trace& trace, List& list, Work&) const {
    list.clear();
    for (int i = 0; i < 2; ++i)
      if (!(gap_bound(i, trace, 0, trace.length).value.lower() > 0)) list.push_back(i);
  }
  motion::Bound<double> gap_bound(int i, const Trace& trace, double from, double to) const {
    using T = numerics::Taylor<Ball, 2>;
    const double middle = (from + to) / 2, half = (to - from) / 2;
    T y;
    if (trace.exact) {
      T s;
      s[0] = Ball(middle, half), s[1] = Ball(1.0);
      y = curve(i, trace, s);
    } else {
      y = trace.other.coordinate(0, middle, half) + T(Ball(end(i))) * trace.other.coordinate(1, middle, half) -
          T(Ball(r));
    }
    return {y[0], y[1], y[2] * Ball(2.0)};
  }
  motion::Contact<double> contact(int i, const Node& y, double h, Normal& n, Work&) const {
    const Vector3d d = y.axis(), up = Vector3d::UnitZ(), torque = end(i) * d.cross(up);
    n = {up, torque, up / m, torque / J};  // the torque is across d
    motion::Contact<double> c;
    c.gap = i;
    c.step = h;
    c.value = gap(i, y);
    c.rate = up.dot(y.p) / m + torque.dot(y.l) / J;
    c.acceleration = -g + end(i) * y.l.cross(y.l.cross(d)).z() / (J * J);
    // Sizes of the terms, which say what of it is rounding.
    c.value_scale = std::abs(y.x.z()) + a + r;
    c.rate_scale = std::abs(y.p.z()) / m + torque.norm() * y.l.norm() / J;
    c.acceleration_scale = g + a * y.l.squaredNorm() / (J * J);
    return c;
  }

 private:
  static Eigen::Quaterniond turn(const Vector3d& angle) { return Eigen::Quaterniond(so3::exp(angle)); }
  static Eigen::Vector2d seen(const Node& y) { return {y.x.z(), y.axis().z()}; }
  double end(int i) const { return i == 0 ? a : -a; }
  /// φ_i along a flight, of numbers and of enclosures.
  template <class T>
  T curve(int i, const Trace& f, const T& s) const {
    using std::cos, std::sin;
    const T angle = T(f.Omega) * s;
    return T(f.z - r) + s * (T(f.vz) - T(g / 2) * s) + T(end(i)) * (T(f.A) + T(f.B) * cos(angle) + T(f.C) * sin(angle));
  }
};

// 2. Canonical coordinates near a centre R_c: with R = exp(θ) R_c the spin in space is dexp_θ θ̇, and so the momentum of
//    θ is dexp_θᵀ l. The suite uses them to see whether flights are symplectic.
ricochet::conformance::Chart<double> chart() {
  using Vector = Eigen::VectorXd;
  return ricochet::conformance::chart<Rod>(
      6,
      [](const Rod::Node& c, const Rod::Node& y, Vector& q, Vector& p) {
        const Vector3d theta = so3::log<double>((y.R * c.R.conjugate()).toRotationMatrix());
        q.resize(6), p.resize(6);
        q << y.x - c.x, theta;
        p << y.p, so3::dexp(theta).transpose() * y.l;
      },
      [](const Vector& q, const Vector& p, Rod::Node& y) {  // y comes as the centre
        const Vector3d theta = q.tail<3>();
        y.x += q.head<3>();
        y.p = p.head<3>();
        y.R = Eigen::Quaterniond(so3::exp(theta)) * y.R;
        y.l = so3::dexp(theta).transpose().inverse() * p.tail<3>();
      });
}

// 3. The height of an end after the time t by Euler's equations, J ω̇ = (Jω) × ω in the frame of the rod and Ṙ = Rω̂,
// with
//    Runge and Kutta's method: nothing of the above.
double height_by_euler(const Rod& rod, const Rod::Node& start, int i, double t) {
  const Vector3d inertia(rod.J, rod.J, rod.J3);
  Matrix3d R = start.R.toRotationMatrix();
  Vector3d w = (R.transpose() * start.l).cwiseQuotient(inertia);
  const auto rate = [&](const Vector3d& v) -> Vector3d {
    return inertia.cwiseProduct(v).cross(v).cwiseQuotient(inertia);
  };
  const int steps = 20000;
  const double h = t / steps;
  for (int k = 0; k < steps; ++k) {
    const Vector3d w1 = rate(w), w2 = rate(w + h / 2 * w1), w3 = rate(w + h / 2 * w2), w4 = rate(w + h * w3);
    const auto hat = [](const Vector3d& v) { return ricochet::lie::hat(v); };
    const Matrix3d R1 = R * hat(w), R2 = (R + h / 2 * R1) * hat(w + h / 2 * w1);
    const Matrix3d R3 = (R + h / 2 * R2) * hat(w + h / 2 * w2), R4 = (R + h * R3) * hat(w + h * w3);
    R += h / 6 * (R1 + 2 * R2 + 2 * R3 + R4);
    w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
  }
  return start.x.z() + start.p.z() / rod.m * t - rod.g * t * t / 2 + (i == 0 ? 1 : -1) * rod.a * R(2, 2) - rod.r;
}

struct First {
  double t = 0;
  int gap = -1;
  Rod::Node after{};
  void impact(const auto& event) {
    if (event.number > 1) return;
    t = event.t, gap = event.active.contact(0).gap, after = event.after;
  }
};

}  // namespace

int main() {
  using ricochet::principle::Strong;
  bool right = true;
  const Rod rod;
  const Matrix3d tilted = so3::exp<double>({0.4, 1.1, 0});
  const auto thrown = rod.node({0, 0, 1.5}, tilted, {1, -0.5, 2}, {4, -7, 25});

  // The conformance suite.
  ricochet::conformance::Options<double> options{.step = 0.01, .steps = 150};
  options.chart = chart();
  const auto report = ricochet::conformance::check(rod, {thrown}, ricochet::closure::Variational{}, options);
  right = right && report.passed() && report.compared("canonical") > 0 && report.compared("may be closed") > 0;
  if (report.passed())
    std::printf("1  conformance: %zu checks passed\n", report.checks().size());
  else
    std::printf("1  conformance:\n%s", report.text().c_str());

  // 4. Dropped without spin, its axis at the angle β to the floor: the lower end arrives after t with the speed v = gt,
  //    and gets the impulse 2v/W, 1/m + a² cos²β/J = W.
  const double beta = 0.6, high = 1.5;
  const auto leaning =
      rod.node({0, 0, high}, so3::exp<double>({0, std::acos(-1.0) / 2 - beta, 0}), {0, 0, 0}, {0, 0, 0});
  Strong drop(rod, leaning);
  First first;
  drop.run(0.01, 60, first);
  const double t = std::sqrt(2 * (high - rod.a * std::sin(beta) - rod.r) / rod.g), v = rod.g * t;
  const double lever = rod.a * std::cos(beta), impulse = 2 * v / (1 / rod.m + lever * lever / rod.J);
  const double off = std::max({std::abs(first.t - t), std::abs(first.after.p.z() - (impulse - rod.m * v)),
                               std::abs(std::abs(first.after.l.y()) - impulse * lever)});
  std::printf("2  dropped at an angle: the impact, and what it leaves, in closed form the same to %.1e\n", off);
  right = right && off < 1e-12;

  // Thrown: where it hits first, Euler's equations agree.
  Strong run(rod, thrown);
  first = {};
  run.run(0.01, 120, first);
  const double height = height_by_euler(rod, thrown, first.gap, first.t);
  std::printf("3  thrown: where it hits first, Euler's equations have that end on the floor to %.1e\n",
              std::abs(height));
  right = right && first.gap >= 0 && std::abs(height) < 1e-11;

  // What the symmetries and the exact L_d keep: the floor pushes along e_z, through points of the axis.
  const auto kept = [&](const Rod::Node& y) { return Eigen::Vector4d(y.p.x(), y.p.y(), y.l.z(), y.l.dot(y.axis())); };
  run.run(0.01, 100000);
  const double energy = std::abs(rod.hamiltonian(run.node()) / rod.hamiltonian(thrown) - 1);
  const double momenta = ((kept(run.node()) - kept(thrown)).cwiseQuotient(kept(thrown))).cwiseAbs().maxCoeff();
  std::printf("4  %lld impacts: energy to %.1e, p_x, p_y, l_z, spin to %.1e\n", run.impacts(), energy, momenta);
  right = right && run.impacts() > 1000 && energy < 1e-11 && momenta < 1e-11;

  // With restitution it ends on the floor, on both ends: z = r and d_z = 0.
  ricochet::principle::ImpactLaws<Rod> laws;
  laws.law = ricochet::mechanics::Law<double>::newton();
  laws.restitution = [](int, const Rod::Node&) { return 0.4; };
  Strong rests(rod, leaning, ricochet::closure::Variational{}, laws);
  rests.run(0.01, 1000);
  const auto& y = rests.node();
  std::printf("5  with e = 0.4 it comes to lie on the floor: z − r = %.1e, d_z = %.1e, %zu gaps held\n",
              std::abs(y.x.z() - rod.r), std::abs(y.axis().z()), rests.held().size());
  right = right && std::abs(y.x.z() - rod.r) < 1e-12 && std::abs(y.axis().z()) < 1e-12 && rests.held().size() == 2;
  return right ? 0 : 1;
}
