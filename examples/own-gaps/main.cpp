// A family of gaps of one's own: discs that must not overlap, with a broad phase.
//
// A family is one object with numbered gaps φ_i ≥ 0, however many they are. It reads the body through coordinates: at a
// node their value, velocity and acceleration, along a flight enclosures of the three. For discs a, b of radius r,
//
//   φ = |x_b − x_a| − 2r,   n = (x_b − x_a)/|x_b − x_a|,   ∇φ = (−n, n),
//   φ̇ = n·Δv,   φ̈ = n·Δa + (|Δv|² − φ̇²)/|x_b − x_a|.
//
// n discs have n(n − 1)/2 such gaps, few of which can close in one step: `candidates` sorts the discs by the stretch of
// x that each covers along the flight and looks at those that overlap only. The walls of the box are gaps of the system
// itself: both kinds act in the same run.
//
// Sample run:
//
//   $ example_own_gaps
//   1  conformance: 25 checks passed
//   2  20 discs, 1.3 pairs of 190 looked at per flight
//   3  57 impacts between discs, 49 with walls, as in an event-driven billiard; positions the same to 3.7e-10
//   4  kinetic energy 1 +4.4e-16
//
// The steps below: 1. the family, 2. the body, 3. an independent billiard, 4. the conformance suite, 5. the run.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/conformance/conformance.hpp"
#include "ricochet/numerics/taylor.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

using ricochet::Point;
namespace motion = ricochet::motion;
namespace numerics = ricochet::numerics;

constexpr double radius = 0.04;

// 1. The family. Disc a has the coordinates 2a and 2a + 1 of the body.
class DiscPairs final : public motion::Gaps<double> {
 public:
  using Node = motion::Node<double>;
  using Ball = numerics::Ball<double>;

  explicit DiscPairs(const motion::Body<double>& body) : body_(body) {
    for (int b = 0; 2 * b < body.scalars(); ++b)
      for (int a = 0; a < b; ++a) pairs_.push_back({a, b});
  }
  static int number(int a, int b) { return b * (b - 1) / 2 + a; }

  int count() const override { return static_cast<int>(pairs_.size()); }
  std::string name(int i) const override {
    const auto [a, b] = pair(i);
    return "discs " + std::to_string(a) + " and " + std::to_string(b);
  }

  // At a node: φ, and all that contact asks. The scales are the sizes of the terms of each sum: they say how much of it
  // is rounding.
  double value(int i, const Node& x) const override {
    const auto d = between(i, x);
    return std::hypot(d[0].value, d[1].value) - 2 * radius;
  }
  motion::Contact<double> at(int i, const Node& x, double h, motion::Covector& normal) const override {
    const auto [a, b] = pair(i);
    const auto d = between(i, x);
    const double distance = std::hypot(d[0].value, d[1].value);
    const double n[2] = {d[0].value / distance, d[1].value / distance};
    motion::Contact<double> c;
    c.gap = i;
    c.step = h;
    c.value = distance - 2 * radius;
    c.rate = n[0] * d[0].velocity + n[1] * d[1].velocity;
    const double speed2 = d[0].velocity * d[0].velocity + d[1].velocity * d[1].velocity;
    const double turning = (speed2 - c.rate * c.rate) / distance;
    c.acceleration = n[0] * d[0].acceleration + n[1] * d[1].acceleration + turning;
    for (int k = 0; k < 2; ++k)
      for (const int disc : {a, b}) {
        const auto y = body_.scalar(2 * disc + k, x);
        c.value_scale += std::abs(n[k] * y.value);
        c.rate_scale += std::abs(n[k] * y.velocity);
        c.acceleration_scale += std::abs(n[k] * y.acceleration);
      }
    c.acceleration_scale += speed2 / distance;
    const std::array<int, 4> which{2 * a, 2 * a + 1, 2 * b, 2 * b + 1};
    const std::array<double, 4> gradient{-n[0], -n[1], n[0], n[1]};
    body_.covector(x, which, gradient, normal);
    return c;
  }

  // Along a flight: φ, φ' and φ'' over [a, b] as a Taylor series of balls. The root of a square that may be zero has no
  // derivative, and then the enclosure says that it knows nothing.
  motion::Bound<double> bound(int i, const motion::Trace& trace, double a, double b) const override {
    using T = numerics::Taylor<Ball, 2>;
    const auto [first, second] = pair(i);
    T square;
    for (int k = 0; k < 2; ++k) {
      T d;
      const auto from = body_.scalar(2 * first + k, trace, a, b), to = body_.scalar(2 * second + k, trace, a, b);
      d[0] = to.value - from.value;
      d[1] = to.slope - from.slope;
      d[2] = (to.curvature - from.curvature) * Ball(0.5);
      square = square + d * d;
    }
    const T y = sqrt(square) - T(Ball(2 * radius));
    return {y[0], y[1], y[2] * Ball(2.0)};
  }
  double in_middle(int i, const motion::Trace& trace, double s) const override {
    const auto [a, b] = pair(i);
    double d[2];
    for (int k = 0; k < 2; ++k)
      d[k] = body_.scalar(2 * b + k, trace, s, s).value.mid - body_.scalar(2 * a + k, trace, s, s).value.mid;
    return std::hypot(d[0], d[1]) - 2 * radius;
  }

  // The broad phase: pairs whose boxes along the flight come within 2r of each other. No other gap is closed at a node
  // of the flight either, so the same list is what may be `closable`: a margin far above rounding sees to that.
  void candidates(motion::Trace& trace, motion::GapList& list) const override {
    const auto length = body_.stretch(trace).length;
    boxes_.resize(static_cast<std::size_t>(body_.scalars() / 2));
    order_.clear();
    for (int a = 0; a < static_cast<int>(boxes_.size()); ++a) {
      for (int k = 0; k < 2; ++k) box(a)[at(k)] = body_.scalar(2 * a + k, trace, 0, length).value;
      order_.push_back(a);
    }
    std::sort(order_.begin(), order_.end(), [&](int a, int b) { return box(a)[0].lower() < box(b)[0].lower(); });
    near_.clear();
    constexpr double reach = 2 * radius * (1 + 1e-6);
    for (std::size_t k = 0; k < order_.size(); ++k)
      for (std::size_t l = k + 1; l < order_.size(); ++l) {
        const auto &p = box(order_[k]), &q = box(order_[l]);
        if (q[0].lower() > p[0].upper() + reach) break;  // nor does any that begins later
        if (q[1].lower() > p[1].upper() + reach || p[1].lower() > q[1].upper() + reach) continue;
        near_.push_back(number(std::min(order_[k], order_[l]), std::max(order_[k], order_[l])));
      }
    std::sort(near_.begin(), near_.end());
    list.clear();
    for (const int i : near_)
      if (!(range(i, trace, 0, length).lower() > 0)) list.push_back(i);
    *looked_ += static_cast<double>(near_.size());
    *flights_ += 1;
  }
  const motion::GapList* closable() const override { return &near_; }

  // Where the broad phase counts.
  DiscPairs& count_in(double& looked, double& flights_so_far) {
    looked_ = &looked, flights_ = &flights_so_far;
    return *this;
  }

 private:
  struct Pair {
    int a, b;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Pair pair(int i) const { return pairs_[at(i)]; }
  std::array<Ball, 2>& box(int a) const { return boxes_[at(a)]; }
  /// x_b − x_a with its derivatives.
  std::array<motion::Coordinate<double>, 2> between(int i, const Node& x) const {
    const auto [a, b] = pair(i);
    std::array<motion::Coordinate<double>, 2> d{};
    for (int k = 0; k < 2; ++k) {
      const auto p = body_.scalar(2 * a + k, x), q = body_.scalar(2 * b + k, x);
      d[at(k)] = {q.value - p.value, q.velocity - p.velocity, q.acceleration - p.acceleration};
    }
    return d;
  }

  const motion::Body<double>& body_;
  std::vector<Pair> pairs_;
  mutable std::vector<std::array<Ball, 2>> boxes_;  ///< of the discs along the flight last looked at
  mutable std::vector<int> order_;
  mutable motion::GapList near_;
  double nobody_ = 0;
  double *looked_ = &nobody_, *flights_ = &nobody_;
};

// 2. The body: discs that move freely, in a box [0, 1]². The walls are gaps of its own.
struct Discs {
  int n;
  int dimension() const { return 2 * n; }
  Eigen::VectorXd mass() const { return Eigen::VectorXd::Ones(2 * n); }
  template <class T>
  T potential(Point<T>) const {
    return T(0);
  }
  int gaps() const { return 4 * n; }
  template <class T>
  T gap(int i, Point<T> q) const {
    const T& x = q[static_cast<std::size_t>(i / 2)];
    return i % 2 == 0 ? x - radius : (1 - radius) - x;
  }
};
using Body = ricochet::bodies::Generalized<Discs>;

// 3. An event-driven billiard of the same discs, in long double: from event to event by the roots of |Δx + Δv t| = 2r.
struct Billiard {
  using LD = long double;
  std::vector<LD> x, v;
  LD t = 0;
  int of_discs = 0, of_walls = 0;

  void run(LD until) {
    const std::size_t n = x.size() / 2;
    for (;;) {
      LD first = until - t;
      std::size_t a = 0, b = 0;  // a = b: the end; a > b: coordinate b at a wall
      for (std::size_t k = 0; k < 2 * n; ++k) {
        const LD s = v[k] > 0 ? (1 - LD(radius) - x[k]) / v[k] : v[k] < 0 ? (LD(radius) - x[k]) / v[k] : first;
        if (s < first) first = s, a = 2 * n, b = k;
      }
      for (std::size_t p = 0; p < n; ++p)
        for (std::size_t q = p + 1; q < n; ++q) {
          const LD dx = x[2 * q] - x[2 * p], dy = x[2 * q + 1] - x[2 * p + 1];
          const LD ux = v[2 * q] - v[2 * p], uy = v[2 * q + 1] - v[2 * p + 1];
          const LD approach = dx * ux + dy * uy, speed2 = ux * ux + uy * uy;
          const LD inside = approach * approach - speed2 * (dx * dx + dy * dy - 4 * LD(radius) * LD(radius));
          if (approach >= 0 || inside < 0) continue;
          const LD s = (-approach - std::sqrt(inside)) / speed2;
          if (s < first) first = s, a = p, b = q;
        }
      for (std::size_t k = 0; k < 2 * n; ++k) x[k] += first * v[k];
      t += first;
      if (a == b) return;
      if (a > b) {
        v[b] = -v[b];
        ++of_walls;
        continue;
      }
      // Equal masses exchange what they have along n.
      const LD dx = x[2 * b] - x[2 * a], dy = x[2 * b + 1] - x[2 * a + 1], r2 = dx * dx + dy * dy;
      const LD J = ((v[2 * b] - v[2 * a]) * dx + (v[2 * b + 1] - v[2 * a + 1]) * dy) / r2;
      v[2 * a] += J * dx, v[2 * a + 1] += J * dy;
      v[2 * b] -= J * dx, v[2 * b + 1] -= J * dy;
      ++of_discs;
    }
  }
};

/// Discs on a grid with velocities of all directions, of kinetic energy 1.
Body::Node start_of(const Body& body) {
  const int n = body.dimension() / 2, side = static_cast<int>(std::ceil(std::sqrt(n)));
  Eigen::VectorXd q(2 * n), v(2 * n);
  for (int a = 0; a < n; ++a) {
    q[2 * a] = (a % side + 0.5) / side;
    q[2 * a + 1] = (a / side + 0.5) / side;
    v[2 * a] = std::cos(1 + 2.4 * a);
    v[2 * a + 1] = std::sin(1 + 2.4 * a);
  }
  return body.node(q, v * std::sqrt(2.0 / v.squaredNorm()));
}

struct Counted {
  int own, discs = 0, walls = 0;
  void impact(const auto& event) {
    for (int i = 0; i < event.active.size(); ++i) ++(event.active.contact(i).gap < own ? walls : discs);
  }
};

}  // namespace

int main() {
  namespace conformance = ricochet::conformance;
  bool right = true;
  const auto rule = Body::Rule::trapezoid();
  double looked = 0, flights = 0;
  const motion::GapsMaker<double> make = [&](const motion::Body<double>& body) {
    auto family = std::make_unique<DiscPairs>(body);
    family->count_in(looked, flights);
    return family;
  };

  // 4. Four discs in the conformance suite: covectors, rates, enclosures and the broad phase, along flights that close.
  const Body four(Discs{4}, rule);
  const auto report = conformance::check(four, {start_of(four)}, ricochet::closure::Variational{},
                                         {.step = 0.02, .steps = 150}, {make});
  right = right && report.passed() && report.compared("may be closed") > 0;
  if (report.passed())
    std::printf("1  conformance: %zu checks passed\n", report.checks().size());
  else
    std::printf("1  conformance:\n%s", report.text().c_str());

  // 5. Twenty discs: free flights are exact, and an elastic impact exchanges momentum along n, so the run is the
  //    billiard but for rounding, which every impact magnifies some ten times.
  const Body body(Discs{20}, rule);
  const auto start = start_of(body);
  const double until = 5, h = 0.01;
  Billiard billiard{{start.q.data(), start.q.data() + start.q.size()},
                    {start.p.data(), start.p.data() + start.p.size()}};
  billiard.run(until);
  looked = flights = 0;
  ricochet::principle::Strong run(body, start, ricochet::closure::Variational{}, {}, {}, {make});
  Counted counted{body.gaps()};
  run.run(h, static_cast<long long>(std::lround(until / h)), counted);
  double off = 0;
  for (Eigen::Index k = 0; k < start.q.size(); ++k)
    off = std::max(off, std::abs(run.node().q[k] - static_cast<double>(billiard.x[static_cast<std::size_t>(k)])));
  std::printf("2  20 discs, %.1f pairs of 190 looked at per flight\n", looked / flights);
  std::printf(
      "3  %d impacts between discs, %d with walls, as in an event-driven billiard; positions the same to %.1e\n",
      counted.discs, counted.walls, off);
  std::printf("4  kinetic energy 1 %+.1e\n", body.kinetic(run.node()) - 1);
  right = right && counted.discs == billiard.of_discs && counted.walls == billiard.of_walls && counted.discs > 20 &&
          off < 1e-6 && std::abs(body.kinetic(run.node()) - 1) < 1e-13 && looked / flights < 40;
  return right ? 0 : 1;
}
