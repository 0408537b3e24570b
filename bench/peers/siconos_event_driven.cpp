// Siconos, event-driven: LSODAR (variable order and step, rtol 10ε, atol 100ε) integrates the flight and finds the root
// of the gaps; at an impact a linear complementarity problem gives the velocity after it by Newton's law, e = 1.
//
// Settings: the step h is the distance of the user's own time events; LSODAR is restarted at each of them, so a larger
// h is faster, and for the particle safe. The star's corners can dip and rise again between two evaluations of the
// gaps: such crossings are missed, more of them with a larger h (and the run then throws or goes on below the floor).
// The tolerance of the event detection is 1e-9 instead of 10⁴ε: with the default, a gap of −1e-11 left over from an
// impact counts as a violation and ends the run (h = 0.02: the particle after 172 impacts, the star after 7).
#include "siconos_scene.hpp"

namespace {

using namespace ricochet::peers;

class World {
 public:
  World(const Scene& scene, double h) : model_(scene, 1e6) {
    simulation_ = std::make_shared<EventDriven>(model_.system, std::make_shared<TimeDiscretisation>(0.0, h));
    simulation_->insertIntegrator(std::make_shared<LsodarOSI>());
    simulation_->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_IMPACT);
    simulation_->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_SMOOTH_ACC);
    simulation_->setToleranceED(1e-9);
    simulation_->initialize();
  }

  // To the next event, the user's or an impact.
  void advance() {
    explain([&] {
      simulation_->advanceToEvent();
      const EventsManager& events = *simulation_->eventsManager();
      if (events.nextEvent()->getType() == NS_EVENT) impacts_.add(events.nextTime());
      simulation_->processEvents();
    });
  }

  [[nodiscard]] State state() const { return model_.state(simulation_->startingTime()); }
  [[nodiscard]] const ImpactLog& impacts() const { return impacts_; }

 private:
  SiconosModel model_;
  std::shared_ptr<EventDriven> simulation_;
  ImpactLog impacts_;
};

}  // namespace

int main(int argc, char** argv) {
  return run_peer<World>(argc, argv, "siconos-event-driven", PEER_VERSION,
                         "LSODAR with root finding; step = distance of the user's time events");
}
