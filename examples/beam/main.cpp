// A soft beam slaps a plane: Demoures 2016, section 5.3.
//
//   example_beam                 10 elements, until t = 0.012
//   example_beam 20 0.05         20 elements, until t = 0.05
//
// Prints every impact, then what the impacts left of energy and momentum.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "ricochet/principle/beam_run.hpp"

int main(int argc, char** argv) {
  using namespace ricochet;
  const int elements = argc > 1 ? std::atoi(argv[1]) : 10;
  const double until = argc > 2 ? std::atof(argv[2]) : 0.012;
  try {
    // The beam starts coiled, with its first node on the plane: g_{a+1} = g_a τ(Δs η), (5.12).
    bodies::BeamSpec<double> beam;
    beam.length = 0.5, beam.elements = elements, beam.density = 1e3, beam.young = 1e3, beam.poisson = 0.35;
    beam.section = bodies::BeamSection<double>::square(0.05);
    beam.gravity = {0, 0, -10};
    const double s = std::sin(0.5), c = std::cos(0.5);
    lie::SE3<double> first, second;
    first.R << 1, 0, 0, 0, c, -s, 0, s, c;
    second = first;
    second.r = {0, -2e-5 * s, 2e-5 * c};
    lie::Vec6<double> strain, strain_after;
    strain << 1, 4.5, 1, 0, 0, 1;
    strain_after << 1.004, 4.522, 0.996, -0.004, 0, 1;
    beam.nodes = bodies::poses_of_strain<double>(first, strain, beam.length, elements);
    // Its velocity is that from one configuration to the other in 4e-5 s, (5.14).
    beam.velocities = bodies::velocities_between<double>(
        beam.nodes, bodies::poses_of_strain<double>(second, strain_after, beam.length, elements), 4e-5);
    bodies::BeamsSpec<double> spec;
    spec.beams = {beam};
    spec.planes.push_back({"plane", {0, 0, 0}, {0, 0, 1}});

    principle::BeamRun run(spec, {.step = 1e-5});
    const double energy = run.energy();
    const Eigen::Vector3d P = run.linear_momentum(), J = run.angular_momentum();
    while (run.time() < until) run.advance();
    for (const auto& i : run.impacts())
      std::printf("t = %.9f  node %2d  speed %8.3f  impulse %.6f\n", i.t, i.node, i.rate, i.impulse);
    std::printf("energy %+.1e, J about the normal %+.1e, P in the plane %+.1e (relative changes)\n",
                run.energy() / energy - 1, run.angular_momentum()[2] / J[2] - 1,
                (run.linear_momentum() - P).head<2>().norm() / P.head<2>().norm());
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
