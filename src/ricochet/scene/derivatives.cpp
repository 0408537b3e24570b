#include "ricochet/scene/derivatives.hpp"

#include <algorithm>

#include "ricochet/error.hpp"
#include "ricochet/expression/nearest.hpp"
#include "ricochet/scene/derivatives_factory.hpp"
#include "ricochet/scene/table_reader.hpp"

namespace ricochet::scene {

std::optional<DerivativesTable> read_derivatives_table(const Model& model) {
  const Scene& scene = model.scene;
  Value document = parse_document(scene.text, scene.name + ".toml");
  for (const std::string& assignment : scene.overrides) apply_override(document, assignment);
  TableReader root(document, "");
  const Value* value = root.find("derivatives");
  if (value == nullptr) return std::nullopt;
  TableReader table(*value, "[derivatives]");
  DerivativesTable result;
  result.place = value->place;
  std::vector<std::string> known{"position", "velocity", "momentum"};
  for (const auto& [name, e] : scene.parameters) known.push_back(std::string("parameters.").append(name));

  const Value& list = table.need("with_respect_to");
  const auto* names = std::get_if<Array>(&list.data);
  if (names == nullptr || names->empty())
    fail(list.place, "with_respect_to of [derivatives] must be a list of names, as in [\"position\", \"velocity\"]");
  for (const Value& entry : *names) {
    const auto* name = std::get_if<std::string>(&entry.data);
    if (name == nullptr) fail(entry.place, "with_respect_to lists names, not " + std::string(entry.kind()));
    if (std::find(known.begin(), known.end(), *name) == known.end())
      fail(entry.place, "there is no '" + name->substr(0, 64) + "' to differentiate by" +
                            expression::suggestion(*name, known) +
                            " (position, velocity or momentum, or parameters.NAME)");
    const auto twice = [&](bool is) {
      if (is) fail(entry.place, "'" + *name + "' stands in with_respect_to twice");
    };
    if (*name == "position") {
      twice(result.position), result.position = true;
    } else if (*name == "velocity") {
      twice(result.velocity), result.velocity = true;
    } else if (*name == "momentum") {
      twice(result.momentum), result.momentum = true;
    } else {
      const std::string parameter = name->substr(std::string("parameters.").size());
      twice(std::find(result.parameters.begin(), result.parameters.end(), parameter) != result.parameters.end());
      result.parameters.push_back(parameter);
    }
    if (result.velocity && result.momentum)
      fail(entry.place, "with_respect_to has velocity and momentum: each fixes what the others are held at; give one");
  }
  result.every = table.integer("every");
  if (result.every && *result.every < 0)
    fail(table.find("every")->place, "every of [derivatives] must be 0 (the end only) or positive");
  table.refuse_unknown();
  if (scene.integrator.principle == "weak")
    fail(result.place,
         "derivatives need principle = \"strong\": with the weak one impacts happen at whole steps, and "
         "the end is no smooth function of the start");
  if (scene.bars) fail(result.place, "scenes of bars have derivatives in C++ only (docs/derivatives.md)");
  if (model.rough)
    fail(result.place, "derivatives of runs with friction are not there: leave out friction or [derivatives]");
  if (scene.impact.perturbed)
    fail(scene.impact.start_place, "start = \"perturbed\" has no derivative; give a velocity that opens the gaps");
  return result;
}

std::unique_ptr<DifferentiatedSimulation> differentiate(std::shared_ptr<const Model> model,
                                                        const DerivativesTable& table) {
  if (model->bars || model->rough || model->scene.integrator.principle == "weak")
    throw Error(ErrorKind::bad_scene,
                model->scene.integrator.place.str() +
                    ": derivatives need the strong principle and a [system] of coordinates, without friction");
  try {
    return model->constant_mass ? differentiate_constant_mass(model, table) : differentiate_lagrangian(model, table);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::bad_scene) throw;
    throw Error(ErrorKind::bad_scene, model->scene.system.position_place.str() + ": " + error.what());
  }
}

}  // namespace ricochet::scene
