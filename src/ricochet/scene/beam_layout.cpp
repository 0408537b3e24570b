#include "ricochet/scene/beam_layout.hpp"

#include <fmt/core.h>

#include <cmath>

#include "ricochet/scene/field_grid.hpp"

namespace ricochet::scene {
namespace {

/// How a section looks: as the scene says, or the rectangle of the same radii of gyration.
std::string section_json(const BeamTable& table, const bodies::BeamSection<double>& section) {
  if (table.section.shape == "circle")
    return fmt::format(R"({{"shape": "circle", "radius": {}}})", std::sqrt(section.area / std::acos(-1.0)));
  return fmt::format(R"({{"shape": "rectangle", "width": {}, "height": {}}})",
                     std::sqrt(12 * section.I2 / section.area), std::sqrt(12 * section.I1 / section.area));
}

/// Where the beams lie in the arrays of a record, for its readers.
std::string beams_json(const BeamScene& scene, const bodies::BeamsSpec<double>& spec) {
  std::string text;
  int node = 0, element = 0;
  for (std::size_t b = 0; b < spec.beams.size(); ++b) {
    const auto& beam = spec.beams[b];
    text += fmt::format(
        R"({}{{"name": "{}", "first_node": {}, "nodes": {}, "first_element": {}, "elements": {}, "length": {}, "mass": {}, "section": {}}})",
        text.empty() ? "[" : ", ", beam.name, node, beam.elements + 1, element, beam.elements, beam.length,
        beam.density * beam.section.area * beam.length, section_json(scene.beams[b], beam.section));
    node += beam.elements + 1, element += beam.elements;
  }
  return text + "]";
}
std::string obstacles_json(const bodies::BeamsSpec<double>& spec) {
  std::string text;
  const auto triple = [](const Eigen::Vector3d& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); };
  for (const auto& p : spec.planes)
    text += fmt::format(R"({}{{"name": "{}", "point": {}, "normal": {}}})", text.empty() ? "" : ", ", p.name,
                        triple(p.point), triple(p.normal));
  for (const auto& s : spec.spheres)
    text += fmt::format(R"({}{{"name": "{}", "centre": {}, "radius": {}}})", text.empty() ? "" : ", ", s.name,
                        triple(s.centre), s.radius);
  return "[" + text + "]";
}

}  // namespace

void lay_out_beams(Model& model, const BeamModel& beams) {
  std::vector<std::string> names, triples, gaps;
  for (const auto& beam : beams.spec.beams) {
    names.push_back(beam.name);
    for (const char* end : {"_x", "_y", "_z"}) triples.push_back(beam.name + end);
  }
  for (const Gap& gap : model.scene.gaps) gaps.push_back(gap.name);
  const auto list = [](const char* name, const std::vector<std::string>& labels) {
    return Dataset::Column{name, labels.size(), labels, false};
  };
  const auto wide = [](const char* name, std::size_t width) { return Dataset::Column{name, width, {}, false}; };
  const auto integers = [](const char* name, std::size_t width) {
    return Dataset::Column{name, width, {}, false, true};
  };
  const Dataset::Column t{"t", 1, {}, true};
  const std::size_t n = beams.nodes, m = beams.elements;
  model.datasets = {{"beams",
                     {t, list("kinetic", names), list("elastic", names), list("gravity", names),
                      list("momentum", triples), list("angular_momentum", triples), list("impulse", gaps)}},
                    {"mesh", {wide("s", n), integers("cells", 2 * m), integers("beam", m)}}};
  if (beams.fields_every > 0)
    model.datasets.push_back({"fields",
                              {t, wide("position", 3 * n), wide("rotation", 4 * n), wide("velocity", 3 * n),
                               wide("spin", 3 * n), wide("strain", 6 * m)}});
  const FieldGrid grid{"beams",
                       n,
                       m,
                       3,
                       {{"rotation", "fields/rotation", true, 4},
                        {"velocity", "fields/velocity", true, 3},
                        {"spin", "fields/spin", true, 3},
                        {"strain", "fields/strain", false, 6},
                        {"s", "mesh/s", true, 1},
                        {"beam", "mesh/beam", false, 1}},
                       "beams"};
  model.record_attributes = {{"grid", to_json(grid)},
                             {"beams", beams_json(beams_of(model.scene), beams.spec)},
                             {"obstacles", obstacles_json(beams.spec)},
                             {"time_group", beams_of(model.scene).time_group}};
}

}  // namespace ricochet::scene
