// Siconos, time-stepping: the Moreau–Jean scheme with θ = ½. Impacts are not located: a complementarity problem on
// velocities (Newton's law, e = 1) acts in the step whose predicted gap is closed.
//
// Settings: θ = ½ (exact energy in free flight), LCP by Lemke's method, Newton's loop to 1e-12. For the particle this
// conserves energy to rounding. For the star the law relates H(q_{k+1})v_{k+1} to H(q_k)v_k, two different normals: an
// error O(h) per impact that is not balanced but grows with the spin (energy after 20 impacts: +11.5 J at h = 0.001,
// +5.2 at 0.0005, +0.92 at 0.0001). One Newton iteration, θ = 1 and other values of γ change it little.
#include "siconos_scene.hpp"

namespace {

using namespace ricochet::peers;

class World {
 public:
  World(const Scene& scene, double h) : h_(h), model_(scene, 1e6) {
    simulation_ = std::make_shared<TimeStepping>(model_.system, std::make_shared<TimeDiscretisation>(0.0, h),
                                                 std::make_shared<MoreauJeanOSI>(0.5), std::make_shared<LCP>());
    simulation_->setNewtonTolerance(1e-12);
    simulation_->setNewtonMaxIteration(20);
    simulation_->initialize();
  }

  void advance() {
    explain([&] {
      simulation_->computeOneStep();
      simulation_->nextStep();
    });
    ++steps_;
  }

  [[nodiscard]] State state() const { return model_.state(static_cast<double>(steps_) * h_); }

 private:
  double h_;
  long steps_ = 0;
  SiconosModel model_;
  std::shared_ptr<TimeStepping> simulation_;
};

}  // namespace

int main(int argc, char** argv) {
  return run_peer<World>(argc, argv, "siconos-moreau-jean", PEER_VERSION,
                         "fixed step; impact law on velocities in the step of the predicted contact");
}
