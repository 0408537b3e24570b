#include "ricochet/scene/bar_scene.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "ricochet/expression/function_table.hpp"

namespace ricochet::scene {
namespace {

/// Names of bars and walls: they stand in records and, as the coordinates of a run, in expressions.
class BarNames {
 public:
  explicit BarNames(const Scene& scene) : scene_(scene) {}

  std::string next(TableReader& table, const std::string& kind, std::size_t number) {
    std::string name = table.string("name").value_or(fmt::format("{}_{}", kind, number));
    const Place place = table.place_of("name");
    if (const std::string fault = expression::name_fault(name); !fault.empty())
      fail(place, fmt::format("the {} name '{}' {}", kind, name.substr(0, 64), fault));
    if (name == "t") fail(place, fmt::format("the {} name 't' is the time", kind));
    if (!seen_.insert(name).second) fail(place, fmt::format("two bars or walls have the name '{}'", name));
    for (std::size_t i = 0; i < scene_.parameters.size(); ++i)
      if (scene_.parameters[i].first == name)
        fail(scene_.parameter_places[i], fmt::format("the parameter '{}' has the name of a {}", name, kind));
    return name;
  }

 private:
  const Scene& scene_;
  std::set<std::string> seen_;
};

std::array<bool, 2> read_ends(TableReader& table) {
  std::array<bool, 2> fixed{false, false};
  const Value* value = table.find("ends");
  if (value == nullptr) return fixed;
  const auto* list = std::get_if<Array>(&value->data);
  if (list == nullptr || list->size() != 2)
    fail(value->place, R"(ends of [[bar]] must be a list of two words, "free" or "fixed", left end first)");
  for (std::size_t side = 0; side < 2; ++side) {
    const auto* word = std::get_if<std::string>(&(*list)[side].data);
    if (word == nullptr || (*word != "free" && *word != "fixed"))
      fail((*list)[side].place, R"(an end of a bar must be "free" or "fixed")");
    fixed[side] = *word == "fixed";
  }
  return fixed;
}

BarTable read_bar(TableReader& table, std::string name) {
  BarTable bar;
  bar.name = std::move(name);
  bar.place = table.place();
  bar.length = table.needed_expression("length");
  bar.elements = table.needed_expression("elements");
  bar.mass = table.needed_expression("mass");
  bar.modulus = table.expression("modulus");
  bar.energy = table.expression("energy");
  if (bar.modulus && bar.energy) fail(bar.energy->place, "a bar has a modulus or an energy: give one of them");
  bar.position = table.needed_expression("position");
  bar.velocity = table.expression("velocity").value_or(Expression{0.0, table.place(), {}});
  bar.fixed = read_ends(table);
  table.refuse_unknown();
  if (!bar.modulus && !bar.energy)
    fail(table.place(), "the key 'modulus' (or 'energy', an expression of the stretch e) is missing in [[bar]]");
  return bar;
}

ContactScheme read_scheme(TableReader& root) {
  const Value* value = root.find("contact");
  if (value == nullptr) return ContactScheme::redistributed;
  TableReader table(*value, "[contact]");
  const std::string word = table.choice("scheme", {"redistributed", "located", "virtual-tip"}, "redistributed");
  table.refuse_unknown();
  for (const ContactScheme scheme : {ContactScheme::located, ContactScheme::virtual_tip})
    if (word == name(scheme)) return scheme;
  return ContactScheme::redistributed;
}

std::int64_t count(TableReader& table, const char* key, std::int64_t otherwise, std::int64_t least, const char* why) {
  const auto given = table.integer(key);
  if (given && *given < least)
    fail(table.find(key)->place, fmt::format("{} of {} must be {}, not {}", key, table.name(), why, *given));
  return given.value_or(otherwise);
}

}  // namespace

void read_bars(TableReader& root, Scene& scene) {
  for (std::size_t i = 0; i < scene.parameters.size(); ++i)
    if (const std::string& name = scene.parameters[i].first; name == "e" || name == "s")
      fail(scene.parameter_places[i], fmt::format("the parameter name '{}' is {} of a bar", name,
                                                  name == "e" ? "the stretch" : "the material coordinate"));
  auto bars = std::make_shared<BarScene>();
  BarNames names(scene);
  for (const Value& value : root.tables("bar")) {
    TableReader table(value, "[[bar]]",
                      {"name", "length", "elements", "mass", "modulus", "energy", "position", "velocity", "ends"});
    bars->bars.push_back(read_bar(table, names.next(table, "bar", bars->bars.size())));
  }
  if (bars->bars.empty()) fail(root.find("bar")->place, "there are no bars");
  for (const Value& value : root.tables("wall")) {
    TableReader table(value, "[[wall]]", {"name", "position"});
    WallTable wall;
    wall.name = names.next(table, "wall", bars->walls.size());
    wall.position = table.needed_expression("position");
    table.refuse_unknown();
    bars->walls.push_back(std::move(wall));
  }
  bars->scheme = read_scheme(root);
  if (const Value* value = root.find("integrator")) {
    TableReader table(*value, "[integrator] of a scene of bars");
    bars->threads = static_cast<int>(std::min<std::int64_t>(count(table, "threads", 1, 1, "positive"), 256));
    table.refuse_unknown();
  }
  if (const Value* value = root.find("record")) {
    TableReader table(*value, "[record]");
    scene.record.every = count(table, "every", 1, 0, "0 (contacts only) or positive");
    if (table.find("fields_every") != nullptr)
      bars->fields_every = count(table, "fields_every", 0, 0, "0 (no fields) or positive");
    table.refuse_unknown();
  }
  scene.derived = root.find("derivatives") != nullptr;
  scene.part = std::move(bars);
}

}  // namespace ricochet::scene
