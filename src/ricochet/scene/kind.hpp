// A kind of body as scenes know it: which tables describe it, what they become, and what can be done with that.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene/document.hpp"

namespace ricochet {
class Error;
}

namespace ricochet::scene {

struct Scene;
struct Model;
class Simulation;
class TableReader;
struct DerivativesTable;
class DifferentiatedSimulation;

/// What a kind of body keeps in a scene, or in a model, that only it understands.
struct KindData {
  virtual ~KindData() = default;
};

/// There is one of each, in the list of registry.cpp. Whoever reads scenes, runs or records asks the kind, never which
/// one it is.
class Kind {
 public:
  virtual ~Kind() = default;

  /// What its bodies are called in sentences: "bars".
  virtual std::string_view name() const = 0;
  /// The tables at the top of a scene that it reads beside [time] and [parameters]. The first one makes a scene one of
  /// this kind.
  virtual std::vector<std::string> tables() const = 0;
  /// Reads them. Expressions stay text.
  virtual void read(TableReader& root, Scene& scene) const = 0;
  /// Numbers evaluated, expressions on tapes. Throws Error(bad_scene, "file:line:column: sentence").
  virtual std::shared_ptr<Model> compile(Scene scene) const = 0;
  /// A run of it.
  virtual std::unique_ptr<Simulation> simulate(std::shared_ptr<const Model> model) const = 0;
  /// Where to look when a model is refused for that reason.
  virtual Place culprit(const Scene& scene, const Error& error) const = 0;

  /// Whether its gaps, its energy and its forces are functions of the coordinates, so that they can be drawn, audited,
  /// perturbed and flown by any rule and principle.
  virtual bool has_functions() const { return false; }
  /// What a run of this scene solves its contacts by, as tables of several runs call it.
  virtual std::string scheme(const Scene& scene) const = 0;
  /// Steps that are best asked for together.
  virtual std::int64_t steps_at_once() const { return 1; }

  /// Refuses what has no derivative, with a place.
  virtual void require_differentiable(const Model& model, const DerivativesTable& table) const;
  virtual std::unique_ptr<DifferentiatedSimulation> differentiate(std::shared_ptr<const Model> model,
                                                                  const DerivativesTable& table) const;
};

/// All kinds there are.
std::span<const Kind* const> kinds();

}  // namespace ricochet::scene
