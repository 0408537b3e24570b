// ricochet on the scenes of the peers: trapezoid rule, the strong principle, one executable per closure.
//   variational   the papers': E_d is conserved across an impact, symplectic; E is kicked by O(h²) (errata F11)
//   reflection    the momentum is reflected at the located impact: with linear gravity, exact up to rounding
#include "peer.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

using namespace ricochet::peers;

// The particle and the star differ by one coordinate and by the gaps; both read their numbers from the scene.
template <int N>
struct Body2 {
  static constexpr int dimension = N;
  double m, inertia, g, half;

  [[nodiscard]] Eigen::Matrix<double, N, 1> mass() const {
    if constexpr (N == 2)
      return {m, m};
    else
      return {m, m, inertia};
  }
  template <class T>
  T potential(ricochet::Point<T> q) const {
    return m * g * q[1];
  }
  [[nodiscard]] int gaps() const { return N == 2 ? 1 : 4; }
  template <class T>
  T gap(int i, ricochet::Point<T> q) const {
    if constexpr (N == 2) {
      return q[1];
    } else {
      using std::cos;
      using std::sin;
      const double a = (i & 1) != 0 ? -half : half, b = (i & 2) != 0 ? -half : half;
      return q[1] - a * sin(q[2]) - b * cos(q[2]);
    }
  }
};

template <int N>
class Run {
 public:
  Run(const Scene& scene, double h)
      : h_(h),
        body_({scene.mass, scene.inertia, scene.gravity, 0.5 * scene.side},
              ricochet::discrete::Rule<double>::trapezoid()),
        run_(body_, start(body_, scene.start)) {}

  void advance() { run_.step(h_, *this); }
  void impact(const auto& event) { impacts_.add(event.t); }

  [[nodiscard]] State state() const {
    const auto& x = run_.node();
    const auto v = body_.velocity(x);
    if constexpr (N == 2)
      return {x.t, x.q[0], x.q[1], 0, v[0], v[1], 0};
    else
      return {x.t, x.q[0], x.q[1], x.q[2], v[0], v[1], v[2]};
  }
  [[nodiscard]] const ImpactLog& impacts() const { return impacts_; }

 private:
  using Body = ricochet::bodies::Generalized<Body2<N>>;
  static typename Body::Node start(const Body& body, const State& s) {
    if constexpr (N == 2)
      return body.node({s.x, s.y}, {s.vx, s.vy}, s.t);
    else
      return body.node({s.x, s.y, s.theta}, {s.vx, s.vy, s.omega}, s.t);
  }

  double h_;
  Body body_;
  ricochet::principle::Strong<Body, ricochet::closure::PEER_CLOSURE> run_;
  ImpactLog impacts_;
};

// The choice of the dimension, once per step.
class World {
 public:
  World(const Scene& scene, double h) {
    if (scene.is_particle())
      particle_ = std::make_unique<Run<2>>(scene, h);
    else
      body_ = std::make_unique<Run<3>>(scene, h);
  }
  void advance() { particle_ ? particle_->advance() : body_->advance(); }
  [[nodiscard]] State state() const { return particle_ ? particle_->state() : body_->state(); }
  [[nodiscard]] const ImpactLog& impacts() const { return particle_ ? particle_->impacts() : body_->impacts(); }

 private:
  std::unique_ptr<Run<2>> particle_;
  std::unique_ptr<Run<3>> body_;
};

constexpr bool variational = ricochet::closure::PEER_CLOSURE::balances();

}  // namespace

int main(int argc, char** argv) {
  return run_peer<World>(argc, argv, variational ? "ricochet" : "ricochet-reflection", PEER_VERSION,
                         variational ? "trapezoid, variational closure; impact point and time located"
                                     : "trapezoid, reflection at the located impact");
}
