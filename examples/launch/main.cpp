// Launch to target: with which velocity must a ball be thrown so that it is at a given place at a given time, after
// three bounces on uneven ground?
//
//   Newton's method on  q(T; v0) = target  with the exact derivative of the discrete run, ∂q(T)/∂v0, through the three
//   impacts: the residual is squared in every iteration.
//
// Sample runs:
//   launch              the target at (3.3, 0.5)
//   launch 3.2 0.4      another one
//
// Prints the residual of every iteration, the velocity found, and how it answers a change of gravity and of the
// ground's restitution: ∂v0/∂θ = −(∂q/∂v0)⁻¹ ∂q/∂θ.
#include <Eigen/LU>
#include <cstdio>
#include <cstdlib>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/tangent/run.hpp"

namespace {

using ricochet::Point;

/// A ball over hills; its parameters may be of any scalar, so that the run can be differentiated by them.
template <class P>
struct Ball {
  static constexpr int dimension = 2;
  P gravity, bounce;

  Eigen::Vector2d mass() const { return {1, 1}; }
  template <class T>
  T potential(Point<T> q) const {
    return T(gravity) * q[1];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    using std::sin;
    return q[1] - 0.1 * sin(2.0 * q[0]);
  }
  template <class T>
  T restitution(int, Point<T>, Point<T>, const T&) const {
    return T(bounce);
  }
};

}  // namespace

int main(int argc, char** argv) {
  namespace tangent = ricochet::tangent;
  using Body = ricochet::bodies::Generalized<Ball<double>>;

  const Eigen::Vector2d target(argc > 2 ? std::atof(argv[1]) : 3.3, argc > 2 ? std::atof(argv[2]) : 0.5);
  const double h = 0.005;
  const int steps = 520;
  const tangent::Family family([]<class T>(Point<T> theta) { return Ball<T>{theta[0], theta[1]}; }, {9.81, 0.9});
  const Body body(family.system(), ricochet::discrete::Rule<double>::trapezoid());
  ricochet::principle::ImpactLaws<Body> laws;
  laws.law = ricochet::mechanics::Law<double>::newton();
  laws.restitution = [&](int, const Body::Node&) { return family.parameter(1); };

  Eigen::Vector2d v(1.0, 3.0);
  double residual = 0;
  for (int it = 0; it < 12; ++it) {
    tangent::DifferentiatedRun run(body, body.node({0, 0.5}, v), family, ricochet::closure::Variational{}, laws);
    run.follow({.position = false, .momentum = false, .velocity = true, .parameters = true});
    run.run(h, steps);
    const Eigen::Vector2d miss = run.node().q - target;
    const Eigen::MatrixXd J = run.derivative();
    residual = miss.norm();
    std::printf("iteration %d  miss %.3e  bounces %lld\n", it, residual, run.impacts());
    if (residual < 1e-12) {
      const Eigen::Matrix2d by_parameters = -J.topLeftCorner(2, 2).inverse() * J.topRightCorner(2, 2);
      std::printf("velocity (%.12f, %.12f)\n", v[0], v[1]);
      std::printf("by gravity (%.6f, %.6f), by restitution (%.6f, %.6f)\n", by_parameters(0, 0), by_parameters(1, 0),
                  by_parameters(0, 1), by_parameters(1, 1));
      return run.irregularities().none() && run.impacts() == 3 ? 0 : 1;
    }
    v -= J.topLeftCorner(2, 2).inverse() * miss;
  }
  std::printf("no velocity was found: the ball still misses by %.3e\n", residual);
  return 1;
}
