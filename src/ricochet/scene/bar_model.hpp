// A scene of bars compiled: numbers evaluated, the line of bars checked, the shape of its records laid out.
#pragma once

#include "ricochet/bodies/bars/spec.hpp"
#include "ricochet/scene/bar_scene.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

struct BarModel : KindData {
  bodies::BarsSpec<double> spec;  ///< bars from left to right
  ContactScheme scheme = ContactScheme::redistributed;
  int threads = 1;
  std::int64_t fields_every = 0;
  std::size_t nodes = 0, elements = 0;  ///< of all bars
};

inline const BarModel& bars_of(const Model& model) { return static_cast<const BarModel&>(*model.part); }

/// The datasets of a record of bars, by their number.
enum BarDataset : std::size_t { bars_dataset, mesh_dataset, fields_dataset };

/// Throws Error(bad_scene, "file:line:column: sentence").
std::shared_ptr<Model> compile_bars(Scene scene);

}  // namespace ricochet::scene
