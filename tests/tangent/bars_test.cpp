// The tangent of bars under the strong principle against differences in long double.
#include "ricochet/tangent/bars.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "bodies/cases.hpp"
#include "ricochet/observe/symplectic.hpp"

namespace ricochet {
namespace {

using LD = long double;

struct Trial {
  int which;  ///< of the paper's cases
  int elements[2];
  double h;
  int steps;
  double restitution = 1;
  LD delta = 1e-7L;
};
struct Compared {
  double error, symplectic, size;
  long long impacts, held, irregular;
};

template <class Real>
bodies::Bars<Real> make(const Trial& c) {
  auto one = test::bar_cases<Real>[c.which];
  one.elements[0] = c.elements[0], one.elements[1] = c.elements[1];
  return bodies::Bars<Real>(test::two_bars<Real>(one));
}
template <class Real>
principle::ImpactLaws<bodies::Bars<Real>> laws(const Trial& c) {
  principle::ImpactLaws<bodies::Bars<Real>> l;
  if (c.restitution == 1) return l;
  l.law = mechanics::Law<Real>::newton();
  l.restitution = [e = Real(c.restitution)](int, const auto&) { return e; };
  return l;
}

/// Strained a little: bars that meet unstrained do not press at once, and whether they are held then has no derivative.
template <class Real>
typename bodies::Bars<Real>::Node start_of(const bodies::Bars<Real>& body) {
  auto node = body.start();
  for (std::size_t k = 0; k < node.q.size(); ++k) node.q[k] += Real(0.02) * std::sin(Real(1.3) * Real(k));
  return node;
}

template <class Closure>
Compared compare(const Trial& c) {
  const auto body = make<double>(c);
  principle::Strong<bodies::Bars<double>, Closure> run(body, start_of(body), {}, laws<double>(c));
  tangent::BarsTangent<double, Closure> tangent(run, laws<double>(c));
  const auto n = static_cast<Eigen::Index>(body.chain().nodes());
  tangent.follow(Eigen::MatrixXd::Identity(2 * n, 2 * n));
  long long held = 0;
  for (int k = 0; k < c.steps; ++k) {
    run.step(c.h, tangent);
    held += run.held().empty() ? 0 : 1;
  }
  const Eigen::MatrixXd J = tangent.columns();

  const auto fine = make<LD>(c);
  const auto start = start_of(fine);
  Eigen::Matrix<LD, Eigen::Dynamic, 1> x(2 * n);
  for (Eigen::Index k = 0; k < n; ++k) {
    x[k] = start.q[static_cast<std::size_t>(k)];
    x[n + k] = start.p[static_cast<std::size_t>(k)];
  }
  const auto map = [&](const Eigen::Matrix<LD, Eigen::Dynamic, 1>& z) {
    auto node = start;
    for (Eigen::Index k = 0; k < n; ++k) {
      node.q[static_cast<std::size_t>(k)] = z[k];
      node.p[static_cast<std::size_t>(k)] = z[n + k];
    }
    principle::Strong<bodies::Bars<LD>, Closure> other(fine, node, {}, laws<LD>(c));
    other.run(LD(c.h), c.steps);
    EXPECT_EQ(other.impacts(), run.impacts()) << "the spacing of the differences changes the sequence of impacts";
    Eigen::Matrix<LD, Eigen::Dynamic, 1> y(2 * n);
    for (Eigen::Index k = 0; k < n; ++k) {
      y[k] = other.node().q[static_cast<std::size_t>(k)];
      y[n + k] = other.node().p[static_cast<std::size_t>(k)];
    }
    return y;
  };
  const Eigen::MatrixXd D = observe::jacobian<LD>(map, x, c.delta).template cast<double>();
  const double size = J.cwiseAbs().maxCoeff();
  const Compared r{(J - D).cwiseAbs().maxCoeff() / D.cwiseAbs().maxCoeff(),
                   observe::symplectic_residual(J) / (size * size),
                   size,
                   run.impacts(),
                   held,
                   tangent.irregularities().count};
  if (std::getenv("RICOCHET_TELL") != nullptr)
    std::cout << "bars " << c.which << " e " << c.restitution << ": error " << r.error << ", symplectic "
              << r.symplectic << ", size " << size << ", impacts " << r.impacts << ", held " << r.held << ", irregular "
              << r.irregular << std::endl;
  return r;
}

TEST(TangentOfBars, ElasticThroughTenImpacts) {
  for (const int which : {0, 1, 2, 3}) {
    const Compared r = compare<closure::Variational>({which, {9, 7}, 0.0517, 700});
    EXPECT_GE(r.impacts, 10) << which;
    EXPECT_LE(r.error, 1e-9) << which;
    EXPECT_LE(r.symplectic, 1e-13) << which;
  }
}
TEST(TangentOfBars, Reflection) {
  const Compared r = compare<closure::Reflection>({1, {9, 7}, 0.0517, 700});
  EXPECT_GE(r.impacts, 10);
  EXPECT_LE(r.error, 1e-9);
}
/// e = 0: the tips stay together and let go again.
TEST(TangentOfBars, RestitutionHoldAndRelease) {
  for (const double e : {0.0, 0.6}) {
    const Compared r = compare<closure::Variational>({1, {9, 7}, 0.0517, 700, e});
    EXPECT_GE(r.impacts, 1) << e;
    EXPECT_GE(r.held, 5) << e;
    EXPECT_LE(r.error, 1e-9) << e;
  }
}

}  // namespace
}  // namespace ricochet
