#include "ricochet/scene/scene.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "ricochet/error.hpp"
#include "ricochet/expression/characters.hpp"
#include "ricochet/expression/function_table.hpp"
#include "ricochet/scene/coordinates.hpp"
#include "ricochet/scene/kind.hpp"
#include "ricochet/scene/unused_parameters.hpp"

namespace ricochet::scene {
namespace {

std::string in_quotes(const std::string& word) { return "'" + word.substr(0, 64) + "'"; }

/// Names are unique, not empty, and can be joined by '+' in a record.
class Names {
 public:
  explicit Names(std::string kind) : kind_(std::move(kind)) {}
  std::string next(TableReader& table) {
    const Value* value = table.find("name");
    std::string name = table.string("name").value_or(kind_ + " " + std::to_string(count_));
    ++count_;
    const Place place = value != nullptr ? value->place : table.place();
    if (name.empty()) fail(place, "the name of a " + kind_ + " is empty");
    if (std::any_of(name.begin(), name.end(), [](char c) { return c == '+' || static_cast<unsigned char>(c) < 32; }))
      fail(place, "the name " + in_quotes(name) + " contains a '+' or a control character");
    if (const std::string fault = expression::label_fault(name); !fault.empty())
      fail(place, "the name " + in_quotes(name) + " of a " + kind_ + " " + fault);
    if (!seen_.insert(name).second) fail(place, "two tables [[" + kind_ + "]] have the name " + in_quotes(name));
    return name;
  }

 private:
  std::string kind_;
  std::size_t count_ = 0;
  std::set<std::string> seen_;
};

/// Every [[kind]] with its name, which is its own among them; other keys than these are refused.
template <class Read>
void for_each_named(TableReader& root, const std::string& kind, std::vector<std::string> keys, Read&& read) {
  Names names(kind);
  keys.insert(keys.begin(), "name");
  for (const Value& value : root.tables(kind)) {
    TableReader table(value, "[[" + kind + "]]", keys);
    std::string name = names.next(table);
    read(table, std::move(name));
    table.refuse_unknown();
  }
}

void read_time(TableReader& root, Scene& scene) {
  TableReader table(root.need("time"), "[time]", {"step", "end", "impacts"});
  table.need("step");
  scene.time.step = *table.expression("step");
  scene.time.end = table.expression("end");
  scene.time.impacts = table.integer("impacts");
  scene.time.impacts_place = table.place_of("impacts");
  if (scene.time.impacts && *scene.time.impacts <= 0)
    fail(scene.time.impacts_place, "impacts of [time] must be positive");
  if (!scene.time.end && !scene.time.impacts) fail(table.place(), "[time] needs 'end' or 'impacts'");
  table.refuse_unknown();
}

void read_parameters(TableReader& root, Scene& scene) {
  const Value* value = root.find("parameters");
  if (value == nullptr) return;
  const auto* table = std::get_if<Table>(&value->data);
  if (table == nullptr) fail(value->place, "[parameters] must be a table, not " + std::string(value->kind()));
  for (const Entry& entry : *table) {
    if (const std::string fault = expression::name_fault(entry.key); !fault.empty())
      fail(entry.place, "the parameter name " + in_quotes(entry.key) + " " + fault);
    if (entry.key == "t") fail(entry.place, "the parameter name 't' is the time");
    scene.parameters.emplace_back(entry.key, to_expression(entry.value, "the parameter " + in_quotes(entry.key)));
    scene.parameter_places.push_back(entry.place);
  }
}

void check_size(const Place& place, const std::string& what, std::size_t size, std::size_t wanted) {
  if (size != wanted)
    fail(place, what + " has " + std::to_string(size) + (size == 1 ? " entry" : " entries") + ", but there are " +
                    std::to_string(wanted) + " coordinates");
}

void read_mass(const Value& value, std::size_t n, Scene& scene) {
  auto& system = scene.system;
  system.mass_place = value.place;
  const auto* array = std::get_if<Array>(&value.data);
  if (array == nullptr) fail(value.place, "mass of [system] must be an array, not " + std::string(value.kind()));
  system.full_mass = !array->empty() && std::holds_alternative<Array>(array->front().data);
  if (!system.full_mass) {
    system.mass.push_back(to_expressions(value, "mass"));
    return check_size(value.place, "mass", system.mass.front().size(), n);
  }
  check_size(value.place, "the matrix mass", array->size(), n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string row = "mass[" + std::to_string(i) + "]";
    system.mass.push_back(to_expressions((*array)[i], row));
    check_size((*array)[i].place, row, system.mass.back().size(), n);
  }
}

void read_coordinates(TableReader& table, Scene& scene) {
  auto& system = scene.system;
  const Value& value = table.need("coordinates");
  const auto* names = std::get_if<Array>(&value.data);
  if (names == nullptr || names->empty()) fail(value.place, "coordinates of [system] must be a list of names");
  std::set<std::string> seen;
  for (const Value& entry : *names) {
    const auto* name = std::get_if<std::string>(&entry.data);
    if (name == nullptr) fail(entry.place, "a coordinate must be a name, not " + std::string(entry.kind()));
    if (const std::string fault = expression::name_fault(*name); !fault.empty())
      fail(entry.place, "the coordinate name " + in_quotes(*name) + " " + fault);
    if (*name == "t") fail(entry.place, "the coordinate name 't' is the time");
    system.coordinates.push_back(*name);
    system.coordinate_places.push_back(entry.place);
    for (const std::string& used : {*name, "v_" + *name})
      if (!seen.insert(used).second)
        fail(entry.place, "the name " + in_quotes(used) + " is used twice (v_ means velocity)");
  }
  for (std::size_t i = 0; i < scene.parameters.size(); ++i)
    if (seen.contains(scene.parameters[i].first))
      fail(scene.parameter_places[i], "the parameter " + in_quotes(scene.parameters[i].first) +
                                          " has the name of a coordinate or of its velocity");
  if (const Value* units = table.find("units")) {
    const auto* list = std::get_if<Array>(&units->data);
    if (list == nullptr) fail(units->place, "units of [system] must be a list of strings");
    for (const Value& unit : *list) {
      const auto* text = std::get_if<std::string>(&unit.data);
      if (text == nullptr) fail(unit.place, "a unit must be a string, not " + std::string(unit.kind()));
      system.units.push_back(*text);
    }
    check_size(units->place, "units", system.units.size(), system.coordinates.size());
  }
}

void read_system(TableReader& root, Scene& scene) {
  TableReader table(root.need("system"), "[system]",
                    {"coordinates", "mass", "potential", "lagrangian", "position", "velocity", "momentum", "units"});
  auto& system = scene.system;
  read_coordinates(table, scene);
  const std::size_t n = system.coordinates.size();
  const Value* mass = table.find("mass");
  system.potential = table.function("potential");
  system.lagrangian = table.function("lagrangian");
  if (system.lagrangian && (mass != nullptr || system.potential))
    fail(system.lagrangian->place, "[system] has a lagrangian and also a mass or a potential: give one description");
  if (!system.lagrangian) {
    if (mass == nullptr) fail(table.place(), "the key 'mass' (or 'lagrangian') is missing in [system]");
    read_mass(*mass, n, scene);
  }
  system.position_place = table.need("position").place;
  system.position = *table.expressions("position");
  check_size(system.position_place, "position", system.position.size(), n);
  const Value *velocity = table.find("velocity"), *momentum = table.find("momentum");
  if (velocity != nullptr && momentum != nullptr)
    fail(momentum->place, "[system] has a velocity and a momentum: give one of them");
  system.momentum = momentum != nullptr;
  const std::string key = system.momentum ? "momentum" : "velocity";
  system.velocity_place = table.place_of(key);
  if (auto given = table.expressions(key)) {
    system.velocity = *given;
    check_size(system.velocity_place, key, system.velocity.size(), n);
  } else {
    system.velocity.assign(n, Expression{0.0, system.position_place, {}});
  }
  table.refuse_unknown();
}

std::vector<Expression> needed_list(TableReader& table, const char* key, std::size_t n) {
  const Value& value = table.need(key);
  auto list = *table.expressions(key);
  check_size(value.place, key, list.size(), n);
  return list;
}

const std::vector<std::string> laws{"elastic", "newton", "poisson", "stronge", "canonical", "sequential"};

void read_friction(TableReader& table, Gap& gap) {
  gap.friction = table.expression("friction");
  if (const Value* tangent = table.find("tangent")) {
    gap.tangent = *table.expressions("tangent");
    if (gap.tangent.empty() || gap.tangent.size() > 2)
      fail(tangent->place, "tangent of [[gap]] must list one slip coordinate (plane) or two (space)");
    if (!gap.friction) fail(tangent->place, "a gap with a tangent needs 'friction', Coulomb's coefficient");
  } else if (gap.friction) {
    fail(gap.friction->place, "friction needs 'tangent': expressions whose rates are the slip velocities of the gap");
  }
}

Gap read_gap(TableReader& table, std::string name) {
  Gap gap;
  gap.place = table.place_of("law");  // of its law, or of the table
  gap.name = std::move(name);
  gap.expression = table.needed_function("expression");
  if (const auto law = table.choice("law", laws, ""); !law.empty()) gap.law = law;
  gap.restitution = table.expression("restitution");
  read_friction(table, gap);
  return gap;
}

void read_boundary(TableReader& root, Scene& scene) {
  for_each_named(root, "gap", {"expression", "law", "restitution", "friction", "tangent"},
                 [&](TableReader& table, std::string name) { scene.gaps.push_back(read_gap(table, std::move(name))); });
  for_each_named(root, "constraint", {"expression"}, [&](TableReader& table, std::string name) {
    scene.constraints.push_back({std::move(name), table.needed_function("expression")});
  });
  if (scene.gaps.empty() && !scene.time.end)
    fail(scene.time.impacts_place, "without a [[gap]] there are no impacts to count: [time] needs 'end'");
}

void read_dynamics(TableReader& root, Scene& scene) {
  const std::size_t n = scene.system.coordinates.size();
  for_each_named(root, "force", {"components"}, [&](TableReader& table, std::string name) {
    auto given = to_given(table.need("components"), "components of [[force]]");
    auto components = given ? std::vector<Expression>{} : needed_list(table, "components", n);
    scene.forces.push_back({std::move(name), std::move(components), table.place(), std::move(given)});
  });
  for_each_named(root, "symmetry", {"generator"}, [&](TableReader& table, std::string name) {
    scene.symmetries.push_back({std::move(name), needed_list(table, "generator", n), table.place()});
  });
}

void read_impact(TableReader& root, Scene& scene) {
  const Value* value = root.find("impact");
  if (value == nullptr) return;
  TableReader table(*value, "[impact]");
  auto& impact = scene.impact;
  impact.law = table.choice("law", laws, "elastic");
  impact.law_place = table.place_of("law");
  impact.restitution = table.expression("restitution");
  impact.balance = table.choice("dissipation", {"momentum", "balance"}, "momentum") == "balance";
  impact.allow_energy_gain = table.boolean("allow_energy_gain").value_or(false);
  impact.perturbed = table.choice("start", {"contact", "perturbed"}, "contact") == "perturbed";
  impact.start_place = table.place_of("start");
  impact.perturbation = table.expression("perturbation");
  if (impact.perturbation && table.find("start") == nullptr)
    fail(impact.perturbation->place, "perturbation belongs to start = \"perturbed\", which is not there");
  if (impact.perturbed && !impact.perturbation)
    fail(impact.start_place, "start = \"perturbed\" needs 'perturbation', the speed with which resting gaps open");
  table.refuse_unknown();
}

void read_integrator(TableReader& root, Scene& scene) {
  const Value* value = root.find("integrator");
  if (value == nullptr) return;
  TableReader table(*value, "[integrator]");
  auto& integrator = scene.integrator;
  integrator.place = value->place;
  integrator.principle = table.choice("principle", {"strong", "weak"}, integrator.principle);
  integrator.activation = table.choice("activation", {"start", "middle", "end"}, integrator.activation);
  if (integrator.principle != "weak" && table.find("activation") != nullptr)
    fail(table.place_of("activation"), "activation belongs to the principle \"weak\": impacts are located otherwise");
  integrator.rule = table.choice(
      "rule", {"rectangle-left", "rectangle-right", "rectangle", "midpoint", "trapezoid", "yoshida4", "suzuki4"},
      integrator.rule);
  integrator.rule_place = table.place_of("rule");
  integrator.closure = table.choice(
      "closure", {"auto", "variational", "reflection", "shadow2", "shadow4", "interpolated"}, integrator.closure);
  integrator.closure_place = table.place_of("closure");
  integrator.gamma = table.expression("gamma");
  if (integrator.gamma && integrator.rule != "rectangle")
    fail(integrator.gamma->place, "gamma belongs to the rule \"rectangle\", not to \"" + integrator.rule + "\"");
  if (!integrator.gamma && integrator.rule == "rectangle")
    fail(integrator.rule_place, "the rule \"rectangle\" needs gamma (1 is rectangle-left)");
  integrator.order = table.integer("order");
  integrator.order_place = table.place_of("order");
  if (integrator.order && integrator.closure != "interpolated")
    fail(integrator.order_place,
         "order belongs to the closure \"interpolated\", not to \"" + integrator.closure + "\"");
  table.refuse_unknown();
}

void read_record(TableReader& root, Scene& scene) {
  const Value* value = root.find("record");
  if (value == nullptr) return;
  TableReader table(*value, "[record]");
  scene.record.every = table.integer("every").value_or(1);
  if (scene.record.every < 0) fail(table.place_of("every"), "every of [record] must be 0 (impacts only) or positive");
  scene.record.stroboscope = table.expression("stroboscope");
  scene.record.section = table.expression("section");
  table.refuse_unknown();
}

std::vector<Expression> list_or_nothing(TableReader& table, std::string_view key) {
  return table.expressions(key).value_or(std::vector<Expression>{});
}

void read_shapes(TableReader& root, Scene& scene) {
  for (const Value& value : root.tables("shape")) {
    TableReader table(value, "[[shape]]",
                      {"type", "name", "color", "position", "angle", "radius", "size", "vertices", "from", "to"});
    Shape shape;
    shape.place = value.place;
    table.need("type");
    shape.type = table.choice("type", {"point", "circle", "polygon", "box", "sphere", "capsule", "segment"}, "");
    shape.name = table.string("name").value_or("");
    shape.color = table.string("color").value_or("");
    shape.position = list_or_nothing(table, "position");
    shape.from = list_or_nothing(table, "from");
    shape.to = list_or_nothing(table, "to");
    shape.size = list_or_nothing(table, "size");
    shape.angle = table.expression("angle");
    shape.radius = table.expression("radius");
    if (const Value* vertices = table.find("vertices")) {
      const auto* array = std::get_if<Array>(&vertices->data);
      if (array == nullptr) fail(vertices->place, "vertices of [[shape]] must be a list of points");
      for (const Value& point : *array) shape.vertices.push_back(to_expressions(point, "a vertex"));
    }
    table.refuse_unknown();
    const auto only_of = [&](const char* key, const std::vector<std::string_view>& types) {
      if (const Value* given = table.find(key))
        if (std::find(types.begin(), types.end(), shape.type) == types.end())
          fail(given->place, "a shape of type \"" + shape.type + "\" has no '" + key + "'");
    };
    only_of("position", {"point", "circle", "sphere", "box", "polygon"});
    only_of("angle", {"circle", "sphere", "box", "polygon"});
    only_of("radius", {"circle", "sphere", "capsule"});
    only_of("size", {"box"});
    only_of("vertices", {"polygon"});
    only_of("from", {"segment", "capsule"});
    only_of("to", {"segment", "capsule"});
    const auto wants = [&](bool there, const char* key) {
      if (!there) fail(value.place, "a shape of type \"" + shape.type + "\" needs '" + key + "'");
    };
    if (shape.type == "segment" || shape.type == "capsule") {
      wants(!shape.from.empty(), "from");
      wants(!shape.to.empty(), "to");
    } else if (shape.type != "polygon") {
      wants(!shape.position.empty(), "position");
    }
    if (shape.type == "circle" || shape.type == "sphere" || shape.type == "capsule")
      wants(shape.radius.has_value(), "radius");
    if (shape.type == "polygon") wants(shape.vertices.size() >= 3, "vertices (three or more)");
    if (shape.type == "box") wants(!shape.size.empty(), "size");
    const auto dimension = [&](const std::vector<Expression>& point, const char* what) {
      if (!point.empty() && point.size() != 2 && point.size() != 3)
        fail(point.front().place, std::string(what) + " of [[shape]] must have two or three entries");
    };
    dimension(shape.position, "position");
    dimension(shape.from, "from");
    dimension(shape.to, "to");
    dimension(shape.size, "size");
    for (const auto& vertex : shape.vertices) {
      if (vertex.empty()) fail(value.place, "a vertex of [[shape]] is empty");
      dimension(vertex, "a vertex");
    }
    scene.shapes.push_back(std::move(shape));
  }
}

}  // namespace

namespace {

/// The kind of body that a scene describes; [system] where it describes none, whose reader then says what is missing.
const Kind& kind_of(TableReader& root) {
  const Kind* found = nullptr;
  for (const Kind* kind : kinds()) {
    const std::string table = kind->tables().front();
    const Value* value = root.find(table);
    if (value == nullptr) continue;
    if (found != nullptr)
      fail(value->place,
           "a scene has bodies of one kind: this one has both '" + found->tables().front() + "' and '" + table + "'");
    found = kind;
  }
  return found != nullptr ? *found : *kinds().back();
}

std::vector<std::string> known_tables() {
  std::vector<std::string> known{"title", "description", "time", "parameters"};
  for (const Kind* kind : kinds())
    for (std::string& table : kind->tables())
      if (std::find(known.begin(), known.end(), table) == known.end()) known.push_back(std::move(table));
  return known;
}

}  // namespace

Scene read_scene(std::shared_ptr<const Value> document, const std::string& file) {
  TableReader root(*document, "", known_tables());
  Scene scene;
  scene.file = file;
  scene.name = std::filesystem::path(file).stem().string();
  scene.document = document;
  scene.title = root.string("title").value_or("");
  scene.description = root.string("description").value_or("");
  read_time(root, scene);
  read_parameters(root, scene);
  scene.kind = &kind_of(root);
  scene.kind->read(root, scene);
  root.refuse_unknown();
  return scene;
}

void read_coordinates_scene(TableReader& root, Scene& scene) {
  read_system(root, scene);
  read_boundary(root, scene);
  read_dynamics(root, scene);
  read_impact(root, scene);
  read_integrator(root, scene);
  read_record(root, scene);
  read_shapes(root, scene);
  root.find("boundary");  // boundary.cpp reads it where it is solved
  scene.derived = root.find("derivatives") != nullptr;
}

Scene read_scene(Value document, const std::string& file, std::string_view text,
                 const std::vector<std::string>& overrides) {
  for (const std::string& assignment : overrides) apply_override(document, assignment);
  if (!overrides.empty()) refuse_unused_parameters(document);
  Scene scene = read_scene(std::make_shared<const Value>(std::move(document)), file);
  scene.text = text;
  scene.overrides = overrides;
  return scene;
}

Scene parse_scene(std::string_view text, const std::string& file, const std::vector<std::string>& overrides) {
  return read_scene(parse_document(text, file), file, text, overrides);
}

Scene load_scene(const std::string& path, const std::vector<std::string>& overrides) {
  return parse_scene(read_file(path), path, overrides);
}

}  // namespace ricochet::scene
