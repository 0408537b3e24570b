// MuJoCo. Contacts are soft by design: a contact is a spring and damper in acceleration space, and an impact is a
// contact of several steps, during which the body overlaps the floor. There is no coefficient of restitution.
//
// Settings, the nearest to an elastic impact:
//   solref = (−k, 0): stiffness k per unit of effective mass, no damping; solimp = 0.9999 (the hardest impedance).
//   k h² = 0.2: a contact lasts π/√k, about seven steps. Of 0.01 to 0.3 this had the smallest drift and overlap over
//   both scenes; a softer one overlaps more, a stiffer one is cut at random points by the step (0.3: particle +20 J).
//   Integrator: semi-implicit Euler; Runge–Kutta 4 was worse here and three times slower.
//   condim 1: no friction. Newton solver with tolerance 0.
// Each corner (and the particle) is a sphere of 1 mm whose centre is the corner; the plane lies 1 mm lower.
// While a contact lasts, energy is stored in the spring: `max_abs_energy_error` includes it, `energy_drift` does not.
#include <mujoco/mujoco.h>

#include "peer.hpp"

namespace {

using namespace ricochet::peers;

template <class... Values>
std::string text(const char* format, Values... values) {
  std::array<char, 512> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, values...);
  return buffer.data();
}

std::string model_text(const Scene& scene, double h) {
  const double radius = 1e-3, stiffness = 0.2 / (h * h), a = 0.5 * scene.side;
  const auto sphere = [&](double x, double z) {
    return text("<geom type='sphere' size='%.17g' pos='%.17g 0 %.17g'/>", radius, x, z);
  };
  std::string xml = text(
      "<mujoco><option timestep='%.17g' gravity='0 0 %.17g' integrator='Euler' solver='Newton' tolerance='0' "
      "iterations='50'/>",
      h, -scene.gravity);
  xml += text(
      "<default><geom condim='1' friction='0 0 0' solref='%.17g 0' solimp='0.9999 0.9999 0.001'/></default>"
      "<worldbody><geom type='plane' size='0 0 1' pos='0 0 %.17g'/><body>",
      -stiffness, -radius);
  xml += "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>";
  if (!scene.is_particle()) xml += "<joint type='hinge' axis='0 -1 0'/>";
  xml += text("<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", scene.mass, scene.inertia,
              scene.inertia, scene.inertia);
  if (scene.is_particle())
    xml += sphere(0, 0);
  else
    for (const double x : {-a, a})
      for (const double z : {-a, a}) xml += sphere(x, z);
  return xml + "</body></worldbody></mujoco>";
}

class World {
 public:
  World(const Scene& scene, double h) : h_(h), rotates_(!scene.is_particle()) {
    const std::string xml = model_text(scene, h);
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(xml.size()));
    std::memcpy(files->filedata[0], xml.data(), xml.size());
    std::array<char, 512> error{};
    model_ = mj_loadXML("scene.xml", files.get(), error.data(), static_cast<int>(error.size()));
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(error.data());
    data_ = mj_makeData(model_);
    const State& s = scene.start;
    const std::array<double, 6> start{s.x, s.y, s.theta, s.vx, s.vy, s.omega};
    for (std::size_t i = 0; i < (rotates_ ? 3U : 2U); ++i) {
      data_->qpos[i] = start[i];
      data_->qvel[i] = start[i + 3];
    }
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void advance() {
    mj_step(model_, data_);
    ++steps_;
  }

  [[nodiscard]] State state() const {
    const mjtNum *q = data_->qpos, *v = data_->qvel;
    return {static_cast<double>(steps_) * h_, q[0], q[1], rotates_ ? q[2] : 0, v[0], v[1], rotates_ ? v[2] : 0};
  }

 private:
  double h_;
  bool rotates_;
  long steps_ = 0;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  return run_peer<World>(argc, argv, "mujoco", mj_versionString(),
                         "soft contact without damping, about seven steps long; no restitution law");
}
