#include "ricochet/scene/bar_model.hpp"

#include <fmt/core.h>

#include <cmath>

#include "ricochet/scene/bar_energy.hpp"
#include "ricochet/scene/field_grid.hpp"
#include "ricochet/scene/fields_every.hpp"
#include "ricochet/scene/numbers.hpp"

namespace ricochet::scene {
namespace {

using expression::Tape;
using BarSpec = bodies::BarSpec<double>;

BarSpec bar_of(const BarTable& table, const Numbers& numbers, int threads) {
  BarSpec bar;
  bar.name = table.name;
  bar.length = numbers.positive(table.length, "the length of a bar");
  bar.elements = numbers.count(table.elements, "the number of elements of a bar");
  bar.mass = numbers.positive(table.mass, "the mass per length of a bar");
  bar.position = numbers.number(table.position, "the position of a bar");
  if (table.modulus) {
    bar.modulus = numbers.positive(*table.modulus, "the modulus of a bar");
  } else {
    bar.energy = bar_energy(numbers.tape({"e"}, *table.energy), threads);
    const double W = bar.energy.W(1), T = bar.energy.T(1), K = bar.energy.K(1);
    if (!std::isfinite(W) || !std::isfinite(T))
      fail(table.energy->place, "the energy is not finite at the stretch e = 1, where a bar is unstrained");
    if (!(K > 0) || !std::isfinite(K))
      fail(table.energy->place,
           fmt::format("the energy must be convex at e = 1, but its second derivative there is {:.6g}", K));
  }
  const Tape velocity = numbers.tape({"s"}, table.velocity);
  expression::Workspace<double> work(velocity);
  for (const double share : {0.0, 0.5, 1.0}) {
    const double s = share * bar.length;
    bar.velocity = velocity.evaluate(0, &s, work);
    if (!std::isfinite(bar.velocity))
      fail(table.velocity.place, fmt::format("the velocity of a bar is not finite at s = {:.6g}", s));
  }
  if (!velocity.is_constant(0))
    bar.velocity_at = [tape = velocity, desk = std::make_shared<expression::Workspace<double>>(velocity)](double s) {
      return tape.evaluate(0, &s, *desk);
    };
  for (std::size_t side = 0; side < 2; ++side)
    if (table.fixed[side]) bar.ends[side] = bodies::BarEnd::fixed;
  return bar;
}

/// Refuses what overlaps, at the place of the one that stands later on the line.
void check_order(const BarScene& scene, const bodies::BarsSpec<double>& spec) {
  struct Thing {
    double left, right;
    const std::string& name;
    const Place& place;
  };
  std::vector<Thing> line;
  for (std::size_t i = 0; i < spec.bars.size(); ++i)
    line.push_back({spec.bars[i].position, spec.bars[i].position + spec.bars[i].length, spec.bars[i].name,
                    scene.bars[i].position.place});
  for (std::size_t i = 0; i < spec.walls.size(); ++i)
    line.push_back({spec.walls[i].position, spec.walls[i].position, spec.walls[i].name, scene.walls[i].position.place});
  std::vector<std::size_t> order(line.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return line[a].left + line[a].right < line[b].left + line[b].right;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Thing &a = line[order[i - 1]], &b = line[order[i]];
    const double scale = std::abs(a.left) + std::abs(a.right) + std::abs(b.left) + std::abs(b.right);
    if (b.left - a.right < -16 * std::numeric_limits<double>::epsilon() * scale)
      fail(b.place, fmt::format("'{}' overlaps '{}' by {:.6g}: it must begin at {:.6g} or later", b.name, a.name,
                                a.right - b.left, a.right));
  }
}

/// Where the bars lie in the arrays of a record, for its readers.
std::string layout_json(const bodies::BarsSpec<double>& spec) {
  std::string text;
  int node = 0, element = 0;
  for (const BarSpec& bar : spec.bars) {
    text += fmt::format(
        R"({}{{"name": "{}", "first_node": {}, "nodes": {}, "first_element": {}, "elements": {}, "length": {}, "position": {}, "mass": {}}})",
        text.empty() ? "[" : ", ", bar.name, node, bar.elements + 1, element, bar.elements, bar.length, bar.position,
        bar.mass);
    node += bar.elements + 1, element += bar.elements;
  }
  return text + "]";
}
std::string walls_json(const bodies::BarsSpec<double>& spec) {
  std::string text = "[";
  for (const auto& wall : spec.walls)
    text += fmt::format(R"({}{{"name": "{}", "position": {}}})", text == "[" ? "" : ", ", wall.name, wall.position);
  return text + "]";
}

void lay_out(Model& model, const bodies::BarLine<double>& line, const BarModel& bars) {
  std::vector<std::string> names, gaps, tips;
  for (int b = 0; b < line.bars(); ++b) {
    names.push_back(line.bar(b).name);
    tips.push_back(line.bar(b).name + " left");
    tips.push_back(line.bar(b).name + " right");
  }
  for (int i = 0; i < line.gaps(); ++i) gaps.push_back(line.gap(i).name);
  const auto list = [](const char* name, const std::vector<std::string>& labels) {
    return Dataset::Column{name, labels.size(), labels, false};
  };
  const auto wide = [](const char* name, std::size_t width) { return Dataset::Column{name, width, {}, false}; };
  const auto integers = [](const char* name, std::size_t width) {
    return Dataset::Column{name, width, {}, false, true};
  };
  const Dataset::Column t{"t", 1, {}, true};
  model.datasets = {{"bars",
                     {t, list("energy", names), list("kinetic", names), list("momentum", names), list("force", gaps),
                      list("impulse", gaps), list("tip_position", tips), list("tip_velocity", tips)}},
                    {"mesh",
                     {wide("s", bars.nodes), wide("reference", bars.nodes), wide("zero", bars.nodes),
                      integers("cells", 2 * bars.elements), integers("bar", bars.elements)}}};
  if (bars.fields_every > 0)
    model.datasets.push_back(
        {"fields", {t, wide("position", bars.nodes), wide("velocity", bars.nodes), wide("strain", bars.elements)}});
  const FieldGrid grid{
      "bars",
      bars.nodes,
      bars.elements,
      1,
      {{"velocity", "fields/velocity", true, 1}, {"strain", "fields/strain", false, 1}, {"bar", "mesh/bar", false, 1}},
      "bars"};
  model.record_attributes = {{"grid", to_json(grid)},
                             {"bars", layout_json(bars.spec)},
                             {"walls", walls_json(bars.spec)},
                             {"contact_scheme", name(bars.scheme)}};
}

/// The bars as rigid strips, for whoever draws shapes and knows nothing of fields.
Shape strip(const BarSpec& bar, double height) {
  Shape shape;
  shape.type = "box";
  shape.name = bar.name;
  shape.position = {Expression{bar.name, {}, {}}, Expression{0.0, {}, {}}};
  shape.size = {Expression{bar.length, {}, {}}, Expression{height, {}, {}}};
  return shape;
}

}  // namespace

std::shared_ptr<Model> compile_bars(Scene given) {
  auto model = std::make_shared<Model>();
  model->scene = std::move(given);
  Scene& scene = model->scene;
  const BarScene& table = bars_of(scene);
  const Numbers numbers(scene);
  numbers.check_parameters({"s", "e"});
  numbers.read_time(*model);

  auto bars = std::make_shared<BarModel>();
  bars->scheme = table.scheme;
  bars->threads = table.threads;
  for (const BarTable& bar : table.bars) bars->spec.bars.push_back(bar_of(bar, numbers, table.threads));
  for (const WallTable& wall : table.walls)
    bars->spec.walls.push_back({wall.name, numbers.number(wall.position, "the position of a wall")});
  check_order(table, bars->spec);
  std::stable_sort(bars->spec.bars.begin(), bars->spec.bars.end(),
                   [](const BarSpec& a, const BarSpec& b) { return a.position < b.position; });
  double extent = 0;
  for (const BarSpec& bar : bars->spec.bars) {
    bars->nodes += static_cast<std::size_t>(bar.elements) + 1;
    bars->elements += static_cast<std::size_t>(bar.elements);
    extent = std::max(extent, bar.length);
  }
  bars->fields_every = table.fields_every.value_or(
      usual_fields_every(*model, static_cast<double>(2 * bars->nodes + bars->elements + 1)));

  const bodies::BarLine<double> line(bars->spec);
  model->n = line.bars();
  model->q0.resize(model->n);
  model->v0 = Eigen::VectorXd::Zero(model->n);
  bool moves_freely = table.walls.empty();
  for (int b = 0; b < line.bars(); ++b) {
    const BarSpec& bar = line.bar(b);
    model->q0[b] = bar.position + bar.length / 2;
    scene.system.coordinates.push_back(bar.name);
    scene.shapes.push_back(strip(bar, extent / 20));
    for (const bodies::BarEnd end : bar.ends) moves_freely &= end == bodies::BarEnd::free;
  }
  for (int i = 0; i < line.gaps(); ++i) {
    Gap gap;
    gap.name = line.gap(i).name;
    scene.gaps.push_back(std::move(gap));
    model->laws.push_back(name(table.scheme));
    model->moving.push_back(true);  // no function of the coordinates: nobody is to evaluate it
  }
  if (moves_freely) scene.symmetries.push_back({"translation", {}, {}});
  lay_out(*model, line, *bars);
  model->part = std::move(bars);
  return model;
}

}  // namespace ricochet::scene
