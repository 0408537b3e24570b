#include "ricochet/report/stage.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ricochet/error.hpp"
#include "ricochet/expression/builder.hpp"

namespace ricochet::report {

/// Texts → outputs of one tape, then outputs → fixed numbers and channels.
class Numbers {
 public:
  Numbers(const scene::Scene& scene, const std::vector<std::string>& coordinates)
      : scene_(scene), builder_(with_time(coordinates), parameters(scene)) {}

  int add(const scene::Expression& e) {
    try {
      if (const double* number = std::get_if<double>(&e.value)) return builder_.add(*number);
      return builder_.add(std::get<std::string>(e.value));
    } catch (const expression::ParseError& error) {
      for (const auto& [name, parameter] : scene_.parameters)
        if (name == error.parameter()) scene::fail(parameter.at(error.offset()), error.what());
      scene::fail(e.at(error.offset()), error.what());
    }
  }
  expression::Tape tape() const { return builder_.tape(); }

 private:
  static std::vector<std::string> with_time(std::vector<std::string> names) {
    names.emplace_back("t");
    return names;
  }
  static expression::Parameters parameters(const scene::Scene& scene) {
    std::vector<expression::Parameter> list;
    for (const auto& [name, e] : scene.parameters) list.push_back({name, e.written()});
    try {
      return expression::Parameters(std::move(list));
    } catch (const expression::ParseError& error) {
      throw Error(ErrorKind::bad_scene, error.what());
    }
  }

  const scene::Scene& scene_;
  expression::TapeBuilder builder_;
};

namespace {

/// Every number of a shape, in a fixed order.
template <class F>
void each_number(ShapeView& shape, F f) {
  for (auto* list : {&shape.position, &shape.from, &shape.to, &shape.size})
    for (Ref& ref : *list) f(ref);
  for (auto* ref : {&shape.angle, &shape.radius})
    if (*ref) f(**ref);
  for (auto& vertex : shape.vertices)
    for (Ref& ref : vertex) f(ref);
}

scene::Expression text(const std::string& word) { return {word, {}, {}}; }
scene::Expression zero() { return {0.0, {}, {}}; }

/// What the names of the coordinates suggest; nothing where they suggest nothing.
std::vector<scene::Shape> suggested(const std::vector<std::string>& names) {
  scene::Shape shape;
  shape.type = "point";
  const auto named = [&](std::initializer_list<const char*> list) {
    return names.size() == list.size() && std::equal(names.begin(), names.end(), list.begin());
  };
  const bool angle = named({"x", "y", "theta"}) || named({"x", "y", "phi"}) || named({"x", "y", "angle"});
  if (named({"x", "y"}) || named({"x", "y", "z"}) || angle) {
    for (const std::string& name : names) shape.position.push_back(text(name));
    if (angle) {
      shape.type = "body";
      shape.position.pop_back();
      shape.angle = text(names[2]);
    }
  } else if (names.size() == 1) {
    shape.position = {text(names[0]), zero()};
  } else {
    return {};
  }
  return {shape};
}

Json json_of(const Ref& ref) { return ref.channel < 0 ? Json(ref.value) : Json{{"c", ref.channel}}; }
Json json_of(const std::vector<Ref>& list) {
  Json json = Json::array();
  for (const Ref& ref : list) json.push_back(json_of(ref));
  return json;
}

}  // namespace

Stage::Stage(const scene::Scene& scene) : coordinates_(scene.system.coordinates) {
  std::vector<scene::Shape> shapes = scene.shapes;
  if (shapes.empty()) {
    shapes = suggested(coordinates_);
    guessed_ = true;
  }
  Numbers numbers(scene, coordinates_);
  const auto output = [&](const scene::Expression& e) { return Ref{0, numbers.add(e)}; };
  const auto list = [&](const std::vector<scene::Expression>& from) {
    std::vector<Ref> refs;
    for (const auto& e : from) refs.push_back(output(e));
    return refs;
  };
  for (const scene::Shape& from : shapes) {
    ShapeView view{
        from.type, from.name, from.color, list(from.position), list(from.from), list(from.to), list(from.size),
        {},        {},        {}};
    if (from.angle) view.angle = output(*from.angle);
    if (from.radius) view.radius = output(*from.radius);
    for (const auto& vertex : from.vertices) view.vertices.push_back(list(vertex));
    for (const auto* point : {&view.position, &view.from, &view.to})
      if (point->size() == 3) dimension_ = 3;
    if (from.type == "sphere") dimension_ = 3;
    shapes_.push_back(std::move(view));
  }
  tape_ = numbers.tape();
  work_ = std::make_unique<expression::Workspace<double>>(tape_);
  input_.resize(coordinates_.size() + 1);

  // Outputs that do not move become numbers; equal ones share a channel.
  std::map<std::string, int> known;
  for (ShapeView& shape : shapes_)
    each_number(shape, [&](Ref& ref) {
      const int slot = ref.channel;
      if (tape_.is_constant(slot)) {
        ref = {tape_.evaluate(slot, input_.data(), *work_), -1};
        return;
      }
      const std::string print = tape_.print(slot);
      const bool whole = print.size() < 200;  // longer ones may have been cut
      if (const auto found = known.find(print); whole && found != known.end()) {
        ref.channel = found->second;
        return;
      }
      ref.channel = static_cast<int>(outputs_.size());
      outputs_.push_back(slot);
      if (whole) known.emplace(print, ref.channel);
    });
}

Stage::Stage(const std::vector<std::string>& coordinates)
    : Stage([&] {
        scene::Scene scene;
        scene.system.coordinates = coordinates;
        return scene;
      }()) {}

void Stage::evaluate(std::span<const double> q, double t, std::span<double> out) const {
  std::copy(q.begin(), q.end(), input_.begin());
  input_.back() = t;
  for (std::size_t i = 0; i < outputs_.size(); ++i) out[i] = tape_.evaluate(outputs_[i], input_.data(), *work_);
}

std::vector<WorldPoint> Stage::points(std::span<const double> channels) const {
  std::vector<WorldPoint> all;
  const auto at = [&](const std::vector<Ref>& refs) {
    WorldPoint point;
    for (std::size_t k = 0; k < refs.size() && k < 3; ++k) point.x[k] = refs[k](channels);
    return point;
  };
  for (const ShapeView& shape : shapes_) {
    const double radius = shape.radius ? (*shape.radius)(channels) : 0;
    const WorldPoint centre = at(shape.position);
    const double angle = shape.angle ? (*shape.angle)(channels) : 0;
    const auto corner = [&](const WorldPoint& local) {
      const double c = std::cos(angle), s = std::sin(angle);
      WorldPoint point = centre;
      point.x[0] += c * local.x[0] - s * local.x[1];
      point.x[1] += s * local.x[0] + c * local.x[1];
      point.x[2] += local.x[2];
      all.push_back(point);
    };
    if (shape.type == "segment" || shape.type == "capsule") {
      for (const auto* end : {&shape.from, &shape.to}) {
        all.push_back(at(*end));
        all.back().radius = radius;
      }
    } else if (shape.type == "polygon") {
      for (const auto& vertex : shape.vertices) corner(at(vertex));
    } else if (shape.type == "box") {
      const WorldPoint size = at(shape.size);
      for (const double u : {-0.5, 0.5})
        for (const double v : {-0.5, 0.5})
          for (const double w : {-0.5, 0.5}) {
            if (dimension_ == 2 && w > 0) continue;
            corner({{u * size.x[0], v * size.x[1], w * size.x[2]}, 0});
          }
    } else {
      all.push_back(centre);
      all.back().radius = radius;
    }
  }
  return all;
}

std::vector<std::array<int, 2>> Stage::position_pairs() const {
  const auto slot = [&](const Ref& ref) {
    if (ref.channel < 0) return -1;
    const std::string print = tape_.print(outputs_[static_cast<std::size_t>(ref.channel)]);
    const auto found = std::find(coordinates_.begin(), coordinates_.end(), print);
    return found == coordinates_.end() ? -1 : static_cast<int>(found - coordinates_.begin());
  };
  std::vector<std::array<int, 2>> pairs;
  for (const ShapeView& shape : shapes_) {
    if (shape.position.size() != 2) continue;
    const std::array<int, 2> pair{slot(shape.position[0]), slot(shape.position[1])};
    if (pair[0] >= 0 && pair[1] >= 0 && std::find(pairs.begin(), pairs.end(), pair) == pairs.end())
      pairs.push_back(pair);
  }
  return pairs;
}

Json Stage::to_json() const {
  Json json = Json::array();
  for (const ShapeView& shape : shapes_) {
    Json one{{"type", shape.type}};
    if (!shape.name.empty()) one["name"] = shape.name;
    if (!shape.color.empty()) one["color"] = shape.color;
    if (!shape.position.empty()) one["position"] = json_of(shape.position);
    if (!shape.from.empty()) one["from"] = json_of(shape.from);
    if (!shape.to.empty()) one["to"] = json_of(shape.to);
    if (!shape.size.empty()) one["size"] = json_of(shape.size);
    if (shape.angle) one["angle"] = json_of(*shape.angle);
    if (shape.radius) one["radius"] = json_of(*shape.radius);
    for (const auto& vertex : shape.vertices) one["vertices"].push_back(json_of(vertex));
    json.push_back(std::move(one));
  }
  return json;
}

void check_shapes(const scene::Scene& scene) { const Stage stage(scene); }

}  // namespace ricochet::report
