// Bars and beams pass the conformance suite.
#include "bodies/beam_cases.hpp"
#include "bodies/cases.hpp"
#include "conformance/conforms.hpp"
#include "ricochet/bodies/bars.hpp"
#include "ricochet/closure/variational.hpp"
#include "ricochet/conformance/conformance.hpp"
#include "ricochet/lie/so3.hpp"

namespace ricochet {
namespace {

using test::expect_conforms;

/// Displacements and momenta of all nodes of all bars are canonical.
template <class Bars>
conformance::Chart<double> chart_of_bars(int nodes) {
  using Node = typename Bars::Node;
  using Vector = Eigen::VectorXd;
  return conformance::chart<Bars>(
      nodes,
      [](const Node&, const Node& x, Vector& q, Vector& p) {
        q = Vector::Map(x.q.data(), static_cast<Eigen::Index>(x.q.size()));
        p = Vector::Map(x.p.data(), static_cast<Eigen::Index>(x.p.size()));
      },
      [](const Vector& q, const Vector& p, Node& x) {
        x.q.assign(q.data(), q.data() + q.size());
        x.p.assign(p.data(), p.data() + p.size());
        x.potential = std::numeric_limits<double>::quiet_NaN();
      });
}

TEST(Conformance, Bars) {
  using Bars = bodies::Bars<double>;
  // (0.4): unlike masses and stiffnesses, and different elements.
  test::TwoBarCase<double> c{"unlike", {10, 7}, {1, 3}, {1, 2}, {6, 4}, {0.9, -0.7}};
  const Bars bars(test::two_bars(c));
  const int nodes = static_cast<int>(bars.start().q.size());
  for (const double step : {0.05, 0.3}) {
    conformance::Options<double> options{.step = step, .steps = 60};
    options.chart = chart_of_bars<Bars>(nodes);
    const auto checks = test::with(test::conservative, {"acceleration"});
    expect_conforms(conformance::check(bars, {bars.start()}, closure::Variational{}, options), "variational", checks);
    expect_conforms(conformance::check(bars, {bars.start()}, closure::Reflection{}, options), "reflection", checks);
  }
}
TEST(Conformance, BarsThatFlyManyStepsAtOnce) {
  using Bars = bodies::Bars<double>;
  test::TwoBarCase<double> c{"long", {10, 10}, {1, 5}, {1, 1}, {700, 600}, {0.4, -0.4}};
  const Bars bars(test::two_bars(c));
  auto start = bars.start();
  typename Bars::Work work;
  bars.fly(start, {0.01, 0.01}, start, work);
  const auto report =
      conformance::check(bars, {start}, closure::Variational{}, {.step = bars.stable_step() / 2, .steps = 60});
  EXPECT_TRUE(report.passed()) << report.text();
  EXPECT_GT(report.compared("many steps"), 0);
}

/// Positions and rotation vectors of all nodes about those of a centre. With R = exp(θ)R_c the spin in space is
/// dexp_θ θ̇, so the momentum of θ is dexp_θᵀ of the angular momentum in space.
conformance::Chart<double> chart_of_beams(const bodies::Beams<double>& beams) {
  using Beams = bodies::Beams<double>;
  using Node = Beams::Node;
  using Vector = Eigen::VectorXd;
  const auto n = static_cast<Eigen::Index>(beams.nodes());
  return conformance::chart<Beams>(
      static_cast<int>(6 * n),
      [&beams, n](const Node& c, const Node& x, Vector& q, Vector& p) {
        q.resize(6 * n), p.resize(6 * n);
        for (Eigen::Index a = 0; a < n; ++a) {
          const Eigen::Matrix3d R = beams.rotation(x, a).matrix(), Rc = beams.rotation(c, a).matrix();
          const Eigen::Vector3d theta = lie::so3::log<double>(R * Rc.transpose());
          const Eigen::Vector3d spin = R * bodies::beams::eigen<double>(x.spin(a));
          q.segment<3>(6 * a) = beams.position(x, a) - beams.position(c, a);
          q.segment<3>(6 * a + 3) = theta;
          p.segment<3>(6 * a) = bodies::beams::eigen<double>(x.p(a));
          p.segment<3>(6 * a + 3) = lie::so3::dexp(theta).transpose() * spin;
        }
      },
      [&beams, n](const Vector& q, const Vector& p, Node& x) {  // x comes as the centre
        namespace columns = bodies::beams;
        for (Eigen::Index a = 0; a < n; ++a) {
          const Eigen::Vector3d theta = q.segment<3>(6 * a + 3);
          const Eigen::Quaterniond centre = beams.rotation(x, a);
          const Eigen::Matrix3d R = lie::so3::exp(theta) * centre.matrix();
          const Eigen::Vector3d position = beams.position(x, a) + q.segment<3>(6 * a), momentum = p.segment<3>(6 * a);
          const Eigen::Vector3d spin =
              R.transpose() * lie::so3::dexp(theta).transpose().inverse() * p.segment<3>(6 * a + 3);
          Eigen::Quaterniond turn(R);
          if (turn.dot(centre) < 0) turn.coeffs() = -turn.coeffs();
          x.data.set(columns::position, a, columns::triple<double>(position));
          x.data[columns::turn][a] = turn.w();
          x.data.set(columns::turn + 1, a, {turn.x(), turn.y(), turn.z()});
          x.data.set(columns::momentum, a, columns::triple<double>(momentum));
          x.data.set(columns::spin_momentum, a, columns::triple<double>(spin));
        }
        beams.refresh(x);
      });
}

TEST(Conformance, Beams) {
  for (const auto group : {bodies::TimeGroup::SO3xR3, bodies::TimeGroup::SE3}) {
    auto spec = test::lively_beam<double>(4, true);
    spec.planes.push_back({"floor", {0, 0, 0.3}, {0, 0.6, 0.8}});
    spec.spheres.push_back({"ball", {0.4, 0.5, 0.1}, 0.2});
    const bodies::Beams<double> beams(spec, group);
    conformance::Options<double> options{.step = beams.stable_step() / 8, .steps = 150, .full = 3};
    options.chart = chart_of_beams(beams);
    expect_conforms(conformance::check(beams, {beams.start()}, closure::Variational{}, options),
                    group == bodies::TimeGroup::SE3 ? "SE(3)" : "SO(3)×R³", test::conservative);
  }
}

}  // namespace
}  // namespace ricochet
