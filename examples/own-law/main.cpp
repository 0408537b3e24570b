// A law of one's own: restitution that falls with the speed of the impact.
//
// A law sees the gaps that act together: the Delassus matrix W, W_ij = ∇φ_i M⁻¹ ∇φ_j, their rates v = φ̇⁻, and their
// restitutions. It fills the impulse λ ≥ 0, p⁺ = p⁻ + Σ λ_i ∇φ_i, and says what was dissipated,
// D = −½ λᵀ(φ̇⁺ + φ̇⁻). It never sees q, so the same law works for every body. The run judges what it returns: λ must
// not pull, leave no gap closing, and gain no energy.
//
// Here a steel ball loses the more of its speed the faster it hits, as viscoelastic contact does to first order
// (Kuwabara and Kono 1987):
//
//   e(v) = 1/(1 + a|v|^{1/5}).
//
// For one gap λ = −(1 + e(v)) v/W. Several gaps take Newton's law, 0 ≤ λ ⊥ φ̇⁺ + e_i φ̇⁻ ≥ 0, each with its own e_i.
//
// Sample run:
//
//   $ example_own_law
//   1  13 bounces: times by recursion the same to 1.8e-15, speeds to 1.3e-15
//   2  a dumbbell that lands on both ends keeps (0.8570, 0.8635) of their speeds, as it has to
//   3  a law that pulls: the impact law failed at floor, t = 0.638551: the impulse -0.1 is negative: a unilateral
//      contact cannot pull
//
// The steps below: 1. the law, 2. two systems, 3. a run against a recursion, 4. two gaps at once, 5. what the run does
// with a wrong law.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

using ricochet::Point;
namespace mechanics = ricochet::mechanics;
using Law = mechanics::Law<double>;

constexpr double softness = 0.15, g = 9.81;
double restitution(double speed) { return 1 / (1 + softness * std::pow(std::abs(speed), 0.2)); }

// 1. The law: a function of the contacts. What it is given as e is not used; e depends on the rates.
Law viscoelastic() {
  return Law::user("viscoelastic", [](const mechanics::Contacts<double>& A, mechanics::Impulse<double> lambda) {
    Eigen::VectorXd e(A.size());
    for (int i = 0; i < A.size(); ++i) e[i] = restitution(A.v[i]);
    mechanics::Outcome<double> outcome;  // not conservative
    if (A.size() == 1) {
      lambda[0] = -(1 + e[0]) * A.v[0] / A.W(0, 0);
      outcome.dissipated = -mechanics::energy_change(A, lambda);  // −½ λᵀ(φ̇⁺ + φ̇⁻)
    } else {
      outcome = Law::newton()({A.W, A.v, {e.data(), e.size()}}, lambda);
    }
    outcome.restitution = e.minCoeff();
    return outcome;
  });
}

// 2. A ball over a floor, and a dumbbell in the plane that is held level: (height, tilt) with a gap at each end.
struct Ball {
  static constexpr int dimension = 1;
  Eigen::Matrix<double, 1, 1> mass() const { return Eigen::Matrix<double, 1, 1>(2.0); }
  template <class T>
  T potential(Point<T> q) const {
    return 2.0 * g * q[0];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[0] + T(0);
  }
  std::string gap_name(int) const { return "floor"; }
};
struct Dumbbell {
  static constexpr int dimension = 2;
  Eigen::Vector2d mass() const { return {2, 1}; }
  template <class T>
  T potential(Point<T>) const {
    return T(0);
  }
  int gaps() const { return 2; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return i == 0 ? q[0] - q[1] : q[0] + q[1];
  }
};

template <class Body>
ricochet::principle::ImpactLaws<Body> with(Law law) {
  ricochet::principle::ImpactLaws<Body> laws;
  laws.law = std::move(law);
  // Hops are not extrapolated to their end by a factor that is not constant.
  laws.constant_restitution = false;
  return laws;
}

struct Bounces {
  std::vector<double> times, speeds;
  void impact(const auto& event) {
    times.push_back(event.t);
    speeds.push_back(event.after.p[0] / 2);
  }
};

}  // namespace

int main() {
  using ricochet::principle::Strong;
  namespace bodies = ricochet::bodies;
  bool right = true;

  // 3. Dropped from height 2: the first impact at √(2·2/g) with speed g t; then v_{n+1} = e(v_n) v_n, t_{n+1} = t_n +
  //    2 v_{n+1}/g. The trapezoid rule flies a parabola exactly.
  using BallBody = bodies::Generalized<Ball>;
  const BallBody ball(Ball{}, BallBody::Rule::trapezoid());
  const auto drop = ball.node(BallBody::Vec(2.0), BallBody::Vec(0.0));
  Strong run(ball, drop, ricochet::closure::Variational{}, with<BallBody>(viscoelastic()));
  Bounces seen;
  run.run(0.01, 650, seen);
  double t = std::sqrt(2 * 2 / g), v = g * t, late = 0, fast = 0;
  for (std::size_t n = 0; n < seen.times.size(); ++n) {
    late = std::max(late, std::abs(seen.times[n] - t));
    v *= restitution(v);
    fast = std::max(fast, std::abs(seen.speeds[n] - v));
    t += 2 * v / g;
  }
  std::printf("1  %zu bounces: times by recursion the same to %.1e, speeds to %.1e\n", seen.times.size(), late, fast);
  right = right && seen.times.size() > 10 && late < 1e-11 && fast < 1e-11 && t > run.node().t;

  // 4. Both ends at once, at different speeds: W = (1/2 ± 1), and Newton's law gives every end its own e.
  using DumbbellBody = bodies::Generalized<Dumbbell>;
  const DumbbellBody dumbbell(Dumbbell{}, DumbbellBody::Rule::trapezoid());
  Strong both(dumbbell, dumbbell.node({0, 0}, {-1.5, 0.2}), ricochet::closure::Variational{},
              with<DumbbellBody>(viscoelastic()));
  both.step(0.01);
  const double y = both.node().p[0] / 2, w = both.node().p[1];  // rates of the ends: y ∓ w, before −1.7 and −1.3
  std::printf("2  a dumbbell that lands on both ends keeps (%.4f, %.4f) of their speeds, as it has to\n", (y - w) / 1.7,
              (y + w) / 1.3);
  right = right && both.impacts() == 1 && std::abs((y - w) / 1.7 - restitution(1.7)) < 1e-14 &&
          std::abs((y + w) / 1.3 - restitution(1.3)) < 1e-14;

  // 5. A law that pulls is refused, with a sentence that says where and why.
  const Law pulls = Law::user("pulls", [](const mechanics::Contacts<double>&, mechanics::Impulse<double> lambda) {
    lambda[0] = -0.1;
    return mechanics::Outcome<double>{};
  });
  Strong wrong(ball, drop, ricochet::closure::Variational{}, with<BallBody>(pulls));
  try {
    wrong.run(0.01, 400);
    right = false;
  } catch (const ricochet::Error& error) {
    std::printf("3  a law that pulls: %s\n", error.what());
    right = right && error.kind() == ricochet::ErrorKind::bad_law;
  }
  return right ? 0 : 1;
}
