// What the page draws: the shapes of a scene as functions of the coordinates and of time, and the walls they may hit.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ricochet/expression/tape.hpp"
#include "ricochet/report/encode.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet::report {

/// A number of a shape: fixed, or one of the channels that are evaluated at every frame.
struct Ref {
  double value = 0;
  int channel = -1;  ///< −1: fixed

  double operator()(std::span<const double> channels) const {
    return channel < 0 ? value : channels[static_cast<std::size_t>(channel)];
  }
};

struct ShapeView {
  std::string type, name, color;
  std::vector<Ref> position, from, to, size;
  std::optional<Ref> angle, radius;
  std::vector<std::vector<Ref>> vertices;
};

/// A material point that may touch a wall, with the radius of what surrounds it.
struct WorldPoint {
  std::array<double, 3> x{};
  double radius = 0;
};

class Stage {
 public:
  /// The shapes of the scene; where it has none, what the names of the coordinates suggest. Throws Error(bad_scene,
  /// "file:line:column: sentence") for an expression that cannot be understood.
  explicit Stage(const scene::Scene& scene);
  /// A record without a scene: the names of the coordinates alone.
  explicit Stage(const std::vector<std::string>& coordinates);

  bool empty() const { return shapes_.empty(); }
  bool guessed() const { return guessed_; }
  int dimension() const { return dimension_; }
  const std::vector<ShapeView>& shapes() const { return shapes_; }

  std::size_t channels() const { return outputs_.size(); }
  /// The channels at (q,t).
  void evaluate(std::span<const double> q, double t, std::span<double> out) const;
  /// Corners, ends and centres of all shapes, always in the same order.
  std::vector<WorldPoint> points(std::span<const double> channels) const;
  /// The coordinates (as slots) that are the plane position of some shape: pairs (a, b).
  std::vector<std::array<int, 2>> position_pairs() const;

  Json to_json() const;

 private:
  std::vector<std::string> coordinates_;
  std::vector<ShapeView> shapes_;
  bool guessed_ = false;
  int dimension_ = 2;
  expression::Tape tape_;
  std::vector<int> outputs_;  ///< of the tape, for each channel
  mutable std::unique_ptr<expression::Workspace<double>> work_;
  mutable std::vector<double> input_;
};

/// Throws Error(bad_scene) where a shape has an expression that cannot be understood; for `run` and `check`.
void check_shapes(const scene::Scene& scene);

}  // namespace ricochet::report
