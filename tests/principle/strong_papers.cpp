// The examples of Fetecau 2003, section 4, against reference numbers computed independently.
#include <gtest/gtest.h>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/observe/monitor.hpp"
#include "ricochet/principle/strong.hpp"
#include "support/effort.hpp"
#include "support/systems.hpp"

namespace ricochet {
namespace {

using discrete::Rule;

template <class Body>
struct Impacts {
  struct One {
    double t;
    typename Body::Vec q, p_plus;
  };
  std::vector<One> all;
  void impact(const principle::ImpactEvent<Body>& e) { all.push_back({double(e.t), e.after.q, e.after.p}); }
};

TEST(StrongParticle, ImpactTimesMomentumAndEnergy) {
  using Body = bodies::Generalized<test::Particle>;
  const Body body({}, Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({0, 1}, {-2, 0}));
  Impacts<Body> impacts;
  const double E0 = body.hamiltonian(run.node());
  double worst = 0;
  while (run.impacts() < 1000) {
    run.step(0.01, impacts);
    worst = std::max(worst, std::abs(body.hamiltonian(run.node()) - E0));
    ASSERT_GE(run.node().q[1], -1e-12);
  }
  const double expected[] = {0.451523640986, 1.354609418006, 2.257699519987, 3.160759729440, 4.063866892133};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(impacts.all[i].t, expected[i], 1e-12) << i;
  EXPECT_NEAR(run.node().p[0], -2, 1e-14);
  EXPECT_EQ(run.fallbacks(), 0);
  // Each impact kicks E by (g²h²/8)(1 − 2α) (errata F11); the phases α of a free particle are quasi-periodic, so the
  // sum stays bounded: within 10 such units here and (Long) over 2e5 impacts.
  EXPECT_LE(worst, 10 * 9.81 * 9.81 * 1e-4 / 8);
}

TEST(StrongStar, FirstImpacts) {
  using Body = bodies::Generalized<test::Star>;
  const Body body({}, Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({0, 3.5, 0}, {-2, 0, 5}));
  Impacts<Body> impacts;
  while (run.impacts() < 3) run.step(0.005, impacts);
  const double t[] = {0.755638888491, 2.262776477297, 3.028490579048};
  const double theta[] = {3.778194442455, -4.164110959624, -17.491134193945};
  const double py[] = {7.384565977514, 3.634158988474, 6.816421397461};
  const double pt[] = {-0.795958546861, -2.628834700072, 1.470953543099};
  const double tolerance[] = {1e-11, 1e-11, 1e-9};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(impacts.all[i].t, t[i], tolerance[i]);
    EXPECT_NEAR(impacts.all[i].q[2], theta[i], tolerance[i]);
    EXPECT_NEAR(impacts.all[i].p_plus[1], py[i], tolerance[i]);
    EXPECT_NEAR(impacts.all[i].p_plus[2], pt[i], tolerance[i]);
  }
}

/// Checks every impact of a star run against the closed form of its energy kick.
class KickObserver {
 public:
  using Body = bodies::Generalized<test::Star>;
  KickObserver(const Body& body, double h) : body_(body), h_(h), monitor_(body) {}

  void start(const Body::Node& node) {
    monitor_.start(node);
    energy_ = body_.hamiltonian(node);
  }
  template <class GapAt>
  void flight(const Body::Node& from, Body::Step step, const Body::Interval& interval, const Body::Trace& trace,
              const GapAt& gap_at) {
    monitor_.flight(from, step, interval, trace, gap_at);
  }
  void impact(const principle::ImpactEvent<Body>& e) {
    if (impacts_in_step_ == 0) alpha_first_ = e.alpha;
    alpha_last_ = e.alpha;
    ++impacts_in_step_;
    monitor_.impact(e);
  }
  void node(long long, const Body::Node& node, const Body::Interval&) {
    const double E = body_.hamiltonian(node);
    if (impacts_in_step_ > 0) {
      const double a = 1 - alpha_last_, b = alpha_first_;
      worst_kick_ = std::max(worst_kick_, std::abs(E - energy_ - 9.81 * 9.81 * h_ * h_ / 8 * (a * a - b * b)));
      sum_squares_ += (E - energy_) * (E - energy_);
      ++impact_steps_;
    }
    energy_ = E;
    impacts_in_step_ = 0;
  }
  double worst_kick() const { return worst_kick_; }
  double rms() const { return std::sqrt(sum_squares_ / static_cast<double>(impact_steps_)); }
  double min_gap() const { return monitor_.min_gap; }

 private:
  const Body& body_;
  double h_;
  observe::Monitor<Body> monitor_;
  double energy_ = 0, alpha_first_ = 0, alpha_last_ = 0, worst_kick_ = 0, sum_squares_ = 0;
  int impacts_in_step_ = 0;
  long impact_steps_ = 0;
};

TEST(StrongStar, HundredThousandImpacts) {
  using Body = bodies::Generalized<test::Star>;
  const double h = 0.005;
  const Body body({}, Rule<double>::trapezoid());
  principle::Strong<Body> run(body, body.node({0, 3.5, 0}, {-2, 0, 5}));
  KickObserver observer(body, h);
  observer.start(run.node());
  while (run.impacts() < test::effort(100000)) run.step(h, observer);
  EXPECT_EQ(run.fallbacks(), 0);
  // errata F11: m g²h²[(1−α_last)² − α_first²]/8 for every impact step, and its RMS g²h²/(8√3) for uniform phases.
  EXPECT_LE(observer.worst_kick(), 1e-12);
  EXPECT_NEAR(observer.rms(), 1.736e-4, 0.05 * 1.736e-4);
  EXPECT_GE(observer.min_gap(), -1e-12);
  EXPECT_NEAR(run.node().p[0], -2, 1e-14);
}

}  // namespace
}  // namespace ricochet
