// A particle falls on a floor and bounces: a system of two coordinates and one gap, run by the strong principle.
#include <cmath>
#include <cstdio>
#include <ricochet/bodies/generalized.hpp>
#include <ricochet/principle/strong.hpp>

// Members are templates on the scalar: the library evaluates them in numbers, jets and intervals.
struct Particle {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(ricochet::Point<T> q) const {
    return 9.81 * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, ricochet::Point<T> q) const {
    return q[1];  // admissible where ≥ 0
  }
};

// An observer defines what it wants to hear of: impact, node, flight.
struct Bounces {
  double first = 0;
  template <class Event>
  void impact(const Event& event) {
    if (event.number == 1) first = event.t;
    std::printf("impact %lld at t = %.12f, p_y: %+.6f -> %+.6f\n", event.number, event.t, event.before.p[1],
                event.after.p[1]);
  }
};

int main() {
  using Body = ricochet::bodies::Generalized<Particle>;
  const Body body(Particle{}, Body::Rule::trapezoid());
  const Body::Node start = body.node({0, 1}, {-2, 0});  // position, velocity

  ricochet::principle::Strong run(body, start);
  Bounces bounces;
  run.run(0.01, 500, bounces);  // 500 steps of 0.01

  const double energy = body.hamiltonian(run.node());
  std::printf("t = %.2f: %lld impacts, energy %.9f (at the start %.9f), p_x = %.17g\n", run.node().t, run.impacts(),
              energy, body.hamiltonian(start), run.node().p[0]);

  // What it must be: the first impact at √(2/g), p_x untouched, the energy within the sum of its kicks (errata F11).
  const double kick = 9.81 * 9.81 * 0.01 * 0.01 / 8;
  const bool right = std::abs(bounces.first - std::sqrt(2 / 9.81)) < 1e-12 && run.node().p[0] == -2 &&
                     run.impacts() == 6 && std::abs(energy - body.hamiltonian(start)) <= 6 * kick;
  return right ? 0 : 1;
}
