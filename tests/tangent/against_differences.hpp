// The tangent of a run in double against high-order differences of the same run in long double.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/observe/symplectic.hpp"
#include "ricochet/tangent/run.hpp"

namespace ricochet::test {

using LD = long double;

/// One case: a start (q,v), a step, a number of steps, the restitution of the law, the spacing of the differences.
struct Trial {
  std::string rule = "trapezoid", closure = "variational";
  std::vector<double> q, v;
  double h = 0.01;
  int steps = 100;
  double restitution = 1;
  LD delta = 1e-6L;
};

template <class Real, class System>
struct Made {
  using Body = bodies::Generalized<System, Real>;
  Body body;
  impact::AnyClosure closure;
  typename Body::Node start;
  principle::ImpactLaws<Body> laws;

  Made(const System& system, const Trial& c)
      : body(system, discrete::Rule<Real>::named(c.rule, Real(0.3))),
        closure(impact::named_closure(c.closure, body)),
        start(body.node(vec(c.q), vec(c.v))) {
    if (c.restitution != 1) {
      laws.law = mechanics::Law<Real>::newton();
      laws.restitution = [e = Real(c.restitution)](int, const typename Body::Node&) { return e; };
    }
  }
  static typename Body::Vec vec(const std::vector<double>& x) {
    typename Body::Vec y(static_cast<Eigen::Index>(x.size()));
    for (std::size_t k = 0; k < x.size(); ++k) y[static_cast<Eigen::Index>(k)] = Real(x[k]);
    return y;
  }
};

struct Compared {
  double error = 0;       ///< max |tangent − difference| over max |difference|
  double symplectic = 0;  ///< max |JᵀΩJ − Ω| over max |J|²
  double size = 0;        ///< max |J|
  long long impacts = 0, most_in_a_step = 0;
  tangent::Irregularities irregular;
};

template <class System>
Compared compare(const System& system, const Trial& c) {
  Made<double, System> made(system, c);
  tangent::DifferentiatedRun run(made.body, made.start, tangent::Fixed<System>(system), made.closure, made.laws);
  Compared result;
  for (int k = 0; k < c.steps; ++k) {
    const long long before = run.impacts();
    run.step(c.h);
    result.most_in_a_step = std::max(result.most_in_a_step, run.impacts() - before);
  }
  result.impacts = run.impacts();
  result.irregular = run.irregularities();
  const Eigen::MatrixXd J = run.derivative();

  Made<LD, System> fine(system, c);
  using Body = bodies::Generalized<System, LD>;
  const auto n = static_cast<Eigen::Index>(made.body.dimension());
  Eigen::Matrix<LD, Eigen::Dynamic, 1> x(2 * n);
  x << fine.start.q, fine.start.p;
  const auto map = observe::phase_map(fine.body, fine.start, [&](typename Body::Node& node) {
    principle::Strong<Body, impact::AnyClosure> other(fine.body, node, fine.closure, fine.laws);
    other.run(LD(c.h), c.steps);
    EXPECT_EQ(other.impacts(), result.impacts) << "the spacing of the differences changes the sequence of impacts";
    node = other.node();
  });
  const Eigen::MatrixXd D = observe::jacobian<LD>(map, x, c.delta).template cast<double>();
  result.size = J.cwiseAbs().maxCoeff();
  result.error = (J - D).cwiseAbs().maxCoeff() / D.cwiseAbs().maxCoeff();
  result.symplectic = observe::symplectic_residual(J) / (result.size * result.size);
  return result;
}

inline void PrintTo(const Compared& c, std::ostream* out) {
  *out << "error " << c.error << ", symplectic " << c.symplectic << ", size " << c.size << ", impacts " << c.impacts
       << ", irregular " << c.irregular.count;
}

}  // namespace ricochet::test
