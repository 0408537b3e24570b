// A differentiated run of a scene for one kind of system. Included by the files that compile it.
#pragma once

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/scene/closure.hpp"
#include "ricochet/scene/derivatives_factory.hpp"
#include "ricochet/scene/laws.hpp"
#include "ricochet/scene/parametric.hpp"
#include "ricochet/scene/regular.hpp"
#include "ricochet/scene/systems.hpp"
#include "ricochet/tangent/run.hpp"

namespace ricochet::scene {

/// Carries the derivative of a run of Generalized<System> along.
template <class System, bool Separable>
class DerivativesOf final : public Derivatives {
 public:
  using Body = bodies::Generalized<System>;
  using Run = principle::Strong<Body, closure::AnyClosure>;
  using Family = SceneFamily<Separable>;
  using Follower = tangent::Tangent<Body, closure::AnyClosure, Family>;

  DerivativesOf(const Model& model, const DerivativesTable& table, const Run& run)
      : Derivatives(model.scene.system.coordinates, table),
        tangent_(run, laws(model, run.body()), Family(parametric_model(model, table.parameters))),
        log_(tangent_) {
    follow(model, table, run);
  }

  principle::Log<double>& log() override { return log_; }
  Eigen::MatrixXd columns() const override { return tangent_.columns(); }
  void set_columns(const Eigen::MatrixXd& columns) override { tangent_.set_columns(columns); }
  const tangent::Irregularities& irregularities() const override { return tangent_.irregularities(); }

 private:
  static principle::ImpactLaws<Body> laws(const Model& model, const Body& body) {
    if (model.user_law) throw Error(ErrorKind::invalid_model, "the derivative of a user's impact law is not known");
    return laws_of(model, body);
  }

  /// Columns in the order position, velocity or momentum, parameters. The initial state of the scene is a
  /// function of the parameters too; what it gives, velocity or momentum, is what is held when θ varies.
  void follow(const Model& model, const DerivativesTable& table, const Run& run) {
    const auto m = static_cast<Eigen::Index>(table.parameters.size());
    const Eigen::MatrixXd start = parametric_model(model, table.parameters).start;
    const tangent::Directions by_parameters{false, false, !model.scene.system.momentum, m > 0};
    tangent::follow(tangent_, run.body(), run.node(), by_parameters, start);
    const Eigen::MatrixXd parameters = tangent_.columns().rightCols(m);
    const tangent::Directions by_state{table.position, table.momentum, table.velocity, false};
    tangent::follow(tangent_, run.body(), run.node(), by_state, start);
    const Eigen::MatrixXd state = tangent_.columns();
    Eigen::MatrixXd columns(2 * model.n, state.cols() + m), theta(m, state.cols() + m);
    columns << state, parameters;
    theta.setZero();
    theta.rightCols(m).setIdentity();
    tangent_.follow(columns, theta);
  }

  Follower tangent_;
  principle::Told<Body, Follower> log_;
};

/// A run that is flown for its derivative alone.
template <class System, bool Separable>
class DifferentiatedOf final : public DifferentiatedSimulation {
 public:
  using Body = bodies::Generalized<System>;

  DifferentiatedOf(std::shared_ptr<const Model> model, const DerivativesTable& table)
      : DifferentiatedSimulation(std::move(model)),
        body_(System(*model_), discrete::Rule<double>::named(model_->scene.integrator.rule, model_->gamma)),
        run_(body_, start_of(*model_, body_), choose_closure(*model_, body_), laws_of(*model_, body_),
             {.step = model_->step}),
        reader_(*model_, table, run_) {
    derivatives_ = &reader_;
    run_.also_tell(&reader_.log());
  }

  std::int64_t steps() const override { return run_.steps(); }
  std::int64_t impacts() const override { return run_.impacts(); }
  double t() const override { return run_.node().t; }
  Eigen::VectorXd state() const override {
    Eigen::VectorXd x(2 * model_->n);
    x << run_.node().q, run_.node().p;
    return x;
  }
  std::string closure() const override { return run_.closure().name(); }
  void run(double h, std::int64_t n) override { run_.run(h, n); }

 private:
  Body body_;
  principle::Strong<Body, closure::AnyClosure> run_;
  DerivativesOf<System, Separable> reader_;
};

}  // namespace ricochet::scene
