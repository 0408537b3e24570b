// Bars in scenes.
#include "ricochet/scene/bar_model.hpp"
#include "ricochet/scene/derivatives_factory.hpp"
#include "ricochet/scene/factory.hpp"

namespace ricochet::scene {
namespace {

class BarsKind final : public Kind {
 public:
  std::string_view name() const override { return "bars"; }
  std::vector<std::string> tables() const override {
    return {"bar", "wall", "contact", "integrator", "record", "derivatives"};
  }
  void read(TableReader& root, Scene& scene) const override { read_bars(root, scene); }
  std::shared_ptr<Model> compile(Scene scene) const override { return compile_bars(std::move(scene)); }
  std::unique_ptr<Simulation> simulate(std::shared_ptr<const Model> model) const override {
    return simulate_bars(std::move(model));
  }
  Place culprit(const Scene& scene, const Error&) const override { return bars_of(scene).bars.front().place; }

  std::string scheme(const Scene& scene) const override { return scene::name(bars_of(scene).scheme); }
  std::int64_t steps_at_once() const override { return 32; }  // many steps in one sweep over memory

  /// The located scheme is differentiated, by its start: what the scheme moves are the nodes.
  void require_differentiable(const Model& model, const DerivativesTable& table) const override {
    if (bars_of(model).scheme != ContactScheme::located)
      fail(table.place, std::string("derivatives of bars need scheme = \"located\" in [contact], not \"") +
                            scene::name(bars_of(model).scheme) + "\"");
    if (!table.parameters.empty())
      fail(table.place, "bars are differentiated by position, velocity or momentum of their nodes, not by parameters");
  }
  std::unique_ptr<DifferentiatedSimulation> differentiate(std::shared_ptr<const Model> model,
                                                          const DerivativesTable& table) const override {
    require_differentiable(*model, table);
    return differentiate_bars(std::move(model), table);
  }
};

const BarsKind kind;

}  // namespace

extern const Kind& bars_kind;
const Kind& bars_kind = kind;

}  // namespace ricochet::scene
