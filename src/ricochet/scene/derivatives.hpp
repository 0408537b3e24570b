// `[derivatives]` of a scene: its run together with the tangent of it.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/principle/log.hpp"
#include "ricochet/scene/model.hpp"
#include "ricochet/scene/patience.hpp"
#include "ricochet/scene/step_count.hpp"
#include "ricochet/tangent/irregular.hpp"

namespace ricochet::scene {

/// What a run is differentiated by.
struct DerivativesTable {
  bool position = false, velocity = false, momentum = false;
  std::vector<std::string> parameters;
  std::optional<std::int64_t> every;  ///< steps between two recorded derivatives; 0: only the last one
  Place place;
};

/// `[derivatives]`, if the scene has it; throws Error(bad_scene) with a place, and the nearest name for an unknown one.
std::optional<DerivativesTable> read_derivatives_table(const Model& model);

/// The derivative of a run by what a table names, carried along as a reader of the run's log.
class Derivatives {
 public:
  virtual ~Derivatives();

  /// What is differentiated, one name per row of q: the coordinates of the scene, or the nodes of its bars ("A[0]").
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  /// One per column: "x", "v_x", "p_x", "parameters.g".
  const std::vector<std::string>& labels() const { return labels_; }
  /// What the run is to tell.
  virtual principle::Log<double>& log() = 0;
  /// The same for a run that is to go on where its derivative ends: nothing is thrown out of it, and after each step
  /// `step(number, time)` is called.
  principle::Log<double>& guarded(std::function<void(std::int64_t, double)> step);
  /// Throws what ended the derivative, if anything did.
  void require_whole() const;
  /// δ(q,p), a column per label.
  virtual Eigen::MatrixXd columns() const = 0;
  virtual void set_columns(const Eigen::MatrixXd& columns) = 0;
  virtual const tangent::Irregularities& irregularities() const = 0;

 protected:
  Derivatives(std::vector<std::string> coordinates, const DerivativesTable& table);

 private:
  class Guard;
  std::vector<std::string> coordinates_, labels_;
  std::unique_ptr<Guard> guard_;
};

/// A run of the strong principle and its tangent, whatever the system.
class DifferentiatedSimulation {
 public:
  virtual ~DifferentiatedSimulation() = default;

  const Model& model() const { return *model_; }

  virtual std::int64_t steps() const = 0;
  virtual std::int64_t impacts() const = 0;
  virtual double t() const = 0;
  virtual Eigen::VectorXd state() const = 0;  ///< (q,p)
  virtual std::string closure() const = 0;
  /// The end of the scene was reached: its time or its number of impacts.
  bool done() const;
  /// One step of the scene's run, the last one perhaps shorter.
  void step();
  /// n steps of length h, for those who have an end of their own.
  virtual void run(double h, std::int64_t n) = 0;

  const Derivatives& derivatives() const { return *derivatives_; }
  /// δ(q,p), a column per label.
  Eigen::MatrixXd derivative() const { return derivatives().columns(); }
  /// Columns of one's own in their place, as many as one likes; for those that are not parameters.
  void set_columns(const Eigen::MatrixXd& columns) { derivatives_->set_columns(columns); }
  const tangent::Irregularities& irregularities() const { return derivatives().irregularities(); }

 protected:
  explicit DifferentiatedSimulation(std::shared_ptr<const Model> model);

  std::shared_ptr<const Model> model_;
  Derivatives* derivatives_ = nullptr;

 private:
  StepCount count_;
  Patience patience_;
};

/// Throws Error(bad_scene) with a place if the scene has no derivative: the weak principle, a user's law, bars whose
/// contact is not located.
std::unique_ptr<DifferentiatedSimulation> differentiate(std::shared_ptr<const Model> model,
                                                        const DerivativesTable& table);

}  // namespace ricochet::scene
