#include "runs.hpp"

#include <SolverOptions.h>

#include <SiconosKernel.hpp>
#include <boost/exception/get_error_info.hpp>
#include <memory>
#include <stdexcept>

namespace ricochet::test {
namespace {

std::shared_ptr<SiconosVector> vector_of(const std::vector<double>& x) {
  auto v = std::make_shared<SiconosVector>(static_cast<unsigned>(x.size()));
  for (unsigned k = 0; k < x.size(); ++k) v->setValue(k, x[k]);
  return v;
}

}  // namespace

Trajectory siconos_moreau_jean(const LinearContacts& problem, double h, int steps) try {
  const auto n = static_cast<unsigned>(problem.mass.size());
  auto mass = std::make_shared<SimpleMatrix>(n, n);
  mass->zero();
  for (unsigned k = 0; k < n; ++k) mass->setValue(k, k, problem.mass[k]);
  auto body = std::make_shared<LagrangianLinearTIDS>(vector_of(problem.position), vector_of(problem.velocity), mass);
  body->setFExtPtr(vector_of(problem.force));
  auto system = std::make_shared<NonSmoothDynamicalSystem>(0.0, h * (steps + 10));
  system->insertDynamicalSystem(body);
  const bool rough = !problem.tangent.empty();
  for (std::size_t c = 0; c < problem.normal.size(); ++c) {
    const unsigned rows = rough ? 2 : 1;
    auto H = std::make_shared<SimpleMatrix>(rows, n);
    auto b = std::make_shared<SiconosVector>(rows);
    H->zero();
    b->zero();
    for (unsigned k = 0; k < n; ++k) {
      H->setValue(0, k, problem.normal[c][k]);
      if (rough) H->setValue(1, k, problem.tangent[c][k]);
    }
    b->setValue(0, problem.offset[c]);
    std::shared_ptr<NonSmoothLaw> law;
    if (rough)
      law = std::make_shared<NewtonImpactFrictionNSL>(problem.restitution[c], 0.0, problem.friction[c], 2);
    else
      law = std::make_shared<NewtonImpactNSL>(problem.restitution[c]);
    system->link(std::make_shared<Interaction>(law, std::make_shared<LagrangianLinearTIR>(H, b)), body);
  }
  std::shared_ptr<OneStepNSProblem> solver;
  if (rough) {
    // Not its Lemke nor its enumeration: with several contacts those let friction reverse a slip (seen with two stacked
    // blocks: the upper one is thrown forwards by what should only stop it).
    auto friction = std::make_shared<FrictionContact>(2, SICONOS_FRICTION_2D_NSGS);
    friction->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = 1e-15;
    friction->numericsSolverOptions()->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
    solver = friction;
  } else {
    solver = std::make_shared<LCP>();
  }
  auto simulation = std::make_shared<TimeStepping>(system, std::make_shared<TimeDiscretisation>(0.0, h),
                                                   std::make_shared<MoreauJeanOSI>(0.5), solver);
  simulation->initialize();
  Trajectory out;
  for (int k = 0; k < steps; ++k) {
    simulation->computeOneStep();
    simulation->nextStep();
    std::vector<double> q(n), v(n);
    for (unsigned i = 0; i < n; ++i) {
      q[i] = (*body->q())(i);
      v[i] = (*body->velocity())(i);
    }
    out.q.push_back(std::move(q));
    out.v.push_back(std::move(v));
  }
  return out;
} catch (Siconos::exception& e) {  // its message is not in what()
  const std::string* message = boost::get_error_info<Siconos::exception::extra_message>(e);
  throw std::runtime_error(message != nullptr ? *message : "an exception of Siconos without a message");
}

}  // namespace ricochet::test
