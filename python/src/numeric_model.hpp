// A scene some of whose functions are written in Python, before and after it is made a run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "numeric.hpp"
#include "ricochet/scene/simulation.hpp"

namespace ricochet::python {

/// A compiled scene in which these functions stand for the expressions of the text.
struct NumericModel : scene::Model {
  explicit NumericModel(const scene::Model& model) : scene::Model(model) {}
  std::optional<Numeric> potential_, lagrangian_;
  std::map<int, Numeric> gaps_, constraints_, forces_;

  /// The first function that returned something not finite, as a sentence; empty if none did.
  std::string not_finite() const;
};

/// As `scene::simulate`, for the strong principle.
std::unique_ptr<scene::Simulation> simulate_numeric(std::shared_ptr<NumericModel> model);
// Each costs a minute of a compiler's time.
std::unique_ptr<scene::Simulation> simulate_numeric_constant_mass(std::shared_ptr<const NumericModel> model);
std::unique_ptr<scene::Simulation> simulate_numeric_lagrangian(std::shared_ptr<const NumericModel> model);

}  // namespace ricochet::python
