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

template <class System, bool Separable>
class DifferentiatedOf final : public DifferentiatedSimulation {
 public:
  using Body = bodies::Generalized<System>;
  using Node = typename Body::Node;
  using Family = SceneFamily<Separable>;

  DifferentiatedOf(std::shared_ptr<const Model> model, const DerivativesTable& table)
      : DifferentiatedSimulation(std::move(model)),
        body_(System(*model_), discrete::Rule<double>::named(scene().integrator.rule, model_->gamma)),
        run_(body_, start_of(*model_, body_), Family(parametric_model(*model_, table.parameters)),
             choose_closure(scene(), body_), laws(), {.step = model_->step}) {
    follow(table);
    label(table);
  }

  std::int64_t steps() const override { return run_.strong().steps(); }
  std::int64_t impacts() const override { return run_.impacts(); }
  double t() const override { return run_.node().t; }
  Eigen::VectorXd state() const override {
    Eigen::VectorXd x(2 * model_->n);
    x << run_.node().q, run_.node().p;
    return x;
  }
  std::string closure() const override { return run_.strong().closure().name(); }
  void run(double h, std::int64_t n) override { run_.run(h, n); }

  Eigen::MatrixXd derivative() const override { return run_.derivative(); }
  void set_columns(const Eigen::MatrixXd& columns) override { run_.tangent().set_columns(columns); }
  const tangent::Irregularities& irregularities() const override { return run_.irregularities(); }

 private:
  const Scene& scene() const { return model_->scene; }

  principle::ImpactLaws<Body> laws() const {
    if (model_->user_law) throw Error(ErrorKind::invalid_model, "the derivative of a user's impact law is not known");
    return laws_of(*model_, body_);
  }

  /// Columns in the order position, velocity or momentum, parameters. The initial state of the scene is a
  /// function of the parameters too; what it gives, velocity or momentum, is what is held when θ varies.
  void follow(const DerivativesTable& table) {
    tangent::Directions by;
    by.position = table.position;
    by.velocity = table.velocity;
    by.momentum = table.momentum;
    const bool given_momentum = scene().system.momentum;
    const Eigen::MatrixXd start = parametric_model(*model_, table.parameters).start;
    const auto m = static_cast<Eigen::Index>(table.parameters.size());
    by.parameters = m > 0;
    // Parameters first, held as the scene gives the start, then the rest as it is asked for.
    tangent::Directions alone{false, false, !given_momentum, true};
    run_.follow(alone, start);
    const Eigen::MatrixXd by_parameters = run_.derivative().rightCols(m);
    by.parameters = false;
    run_.follow(by);
    const Eigen::MatrixXd by_state = run_.derivative();
    Eigen::MatrixXd columns(2 * model_->n, by_state.cols() + m), theta(m, by_state.cols() + m);
    columns << by_state, by_parameters;
    theta.setZero();
    theta.rightCols(m).setIdentity();
    run_.tangent().follow(columns, theta);
  }

  Body body_;
  tangent::DifferentiatedRun<Body, closure::AnyClosure, Family> run_;
};

}  // namespace ricochet::scene
