// Beams in scenes.
#include "ricochet/scene/beam_model.hpp"
#include "ricochet/scene/factory.hpp"

namespace ricochet::scene {
namespace {

class BeamsKind final : public Kind {
 public:
  std::string_view name() const override { return "beams"; }
  std::vector<std::string> tables() const override {
    return {"beam", "plane", "sphere", "gravity", "impact", "integrator", "record", "derivatives"};
  }
  void read(TableReader& root, Scene& scene) const override { read_beams(root, scene); }
  std::shared_ptr<Model> compile(Scene scene) const override { return compile_beams(std::move(scene)); }
  std::unique_ptr<Simulation> simulate(std::shared_ptr<const Model> model) const override {
    return simulate_beams(std::move(model));
  }
  Place culprit(const Scene& scene, const Error&) const override { return beams_of(scene).beams.front().place; }

  std::string scheme(const Scene& scene) const override { return beams_of(scene).closure; }
};

const BeamsKind kind;

}  // namespace

extern const Kind& beams_kind;
const Kind& beams_kind = kind;

}  // namespace ricochet::scene
