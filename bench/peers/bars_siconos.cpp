// Case 1 of Demoures 2016 (two equal bars of 50 linear elements, lumped masses) in Siconos: Moreau–Jean with θ = ½, one
// unilateral contact between the tips with Newton's law. Prints one line of JSON:
//
//   bars_siconos [--restitution e] [--step h]
//
// energy   largest |H − H₀|/H₀ after any step         final      (H − H₀)/H₀ at the end, T = 40
// tip_rms  of the velocity of A's tip about its exact plateau, zero, for 3 < t < 19
// seconds  processor time of the same run without these observations, the best of three
#include <SiconosKernel.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "siconos_scene.hpp"

namespace {

constexpr unsigned elements = 50, nodes = 2 * (elements + 1), tip = elements;
constexpr double l = 0.2, end = 40;

/// q are positions; the strain is (q_{a+1} − q_a)/ℓ − 1, so the stiffness acts with a constant force at rest.
struct Bars {
  std::shared_ptr<LagrangianLinearTIDS> body;
  std::shared_ptr<TimeStepping> simulation;

  Bars(double restitution, double h) {
    auto q = std::make_shared<SiconosVector>(nodes), v = std::make_shared<SiconosVector>(nodes);
    auto M = std::make_shared<SimpleMatrix>(nodes, nodes), K = std::make_shared<SimpleMatrix>(nodes, nodes),
         C = std::make_shared<SimpleMatrix>(nodes, nodes);
    M->zero(), K->zero(), C->zero(), q->zero();  // q: displacements; the gap carries the 0.2 between the bars
    for (unsigned bar = 0; bar < 2; ++bar)
      for (unsigned i = 0; i <= elements; ++i) {
        const unsigned a = bar * (elements + 1) + i;
        v->setValue(a, bar == 0 ? 0.1 : -0.1);
        M->setValue(a, a, i == 0 || i == elements ? l / 2 : l);
        if (i == elements) continue;
        K->setValue(a, a, K->getValue(a, a) + 1 / l);
        K->setValue(a + 1, a + 1, K->getValue(a + 1, a + 1) + 1 / l);
        K->setValue(a, a + 1, -1 / l);
        K->setValue(a + 1, a, -1 / l);
      }
    body = std::make_shared<LagrangianLinearTIDS>(q, v, M, K, C);
    auto H = std::make_shared<SimpleMatrix>(1, nodes);
    H->zero();
    H->setValue(0, tip, -1.0);
    H->setValue(0, tip + 1, 1.0);
    auto b = std::make_shared<SiconosVector>(1);
    b->setValue(0, 0.2);
    auto system = std::make_shared<NonSmoothDynamicalSystem>(0.0, 2 * end);
    system->insertDynamicalSystem(body);
    system->link(std::make_shared<Interaction>(std::make_shared<NewtonImpactNSL>(restitution),
                                               std::make_shared<LagrangianLinearTIR>(H, b)),
                 body);
    simulation = std::make_shared<TimeStepping>(system, std::make_shared<TimeDiscretisation>(0.0, h),
                                                std::make_shared<MoreauJeanOSI>(0.5), std::make_shared<LCP>());
    simulation->initialize();
  }
  void step() {
    simulation->computeOneStep();
    simulation->nextStep();
  }
  double energy() const {
    const SiconosVector &q = *body->q(), &v = *body->velocity();
    double H = 0;
    for (unsigned a = 0; a < nodes; ++a) {
      const unsigned i = a % (elements + 1);
      H += (i == 0 || i == elements ? l / 2 : l) * v(a) * v(a) / 2;
      if (i < elements) H += (q(a + 1) - q(a)) * (q(a + 1) - q(a)) / (2 * l);
    }
    return H;
  }
};

}  // namespace

int main(int argc, char** argv) {
  double restitution = 0, h = 0.015;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--restitution") == 0) restitution = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--step") == 0) h = std::atof(argv[i + 1]);
  }
  const int steps = static_cast<int>(std::lround(end / h));
  try {
    ricochet::peers::explain([&] {
      Bars bars(restitution, h);
      const double start = bars.energy();
      double worst = 0, squares = 0;
      int plateau = 0;
      for (int k = 1; k <= steps; ++k) {
        bars.step();
        worst = std::max(worst, std::abs(bars.energy() / start - 1));
        const double v = (*bars.body->velocity())(tip), t = k * h;
        if (3 < t && t < 19) squares += v * v, ++plateau;
      }
      double seconds = 1e9;
      for (int k = 0; k < 3; ++k) {
        Bars again(restitution, h);
        const double begin = ricochet::peers::cpu_seconds();
        for (int i = 0; i < steps; ++i) again.step();
        seconds = std::min(seconds, ricochet::peers::cpu_seconds() - begin);
      }
      std::printf(
          "{\"engine\": \"siconos, Moreau-Jean, e = %g\", \"version\": \"%s\", \"energy\": %.3g, \"final\": %.3g, "
          "\"tip_rms\": %.3g, \"seconds\": %.3g}\n",
          restitution, PEER_VERSION, worst, bars.energy() / start - 1, std::sqrt(squares / plateau), seconds);
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bars_siconos: %s\n", error.what());
    return 1;
  }
}
