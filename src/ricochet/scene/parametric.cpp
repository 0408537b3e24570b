#include "ricochet/scene/parametric.hpp"

#include "ricochet/error.hpp"
#include "ricochet/expression/builder.hpp"
#include "ricochet/numerics/jet.hpp"

namespace ricochet::scene {
namespace {

using expression::TapeBuilder;

/// The texts were parsed and checked when the model was made: what cannot be read now is a fault of the program.
class ParametricBuilder {
 public:
  ParametricBuilder(const Model& model, const std::vector<std::string>& parameters)
      : variables_(model.scene.system.coordinates) {
    for (const std::string& q : model.scene.system.coordinates) variables_.push_back("v_" + q);
    variables_.push_back("t");
    variables_.insert(variables_.end(), parameters.begin(), parameters.end());
    std::vector<expression::Parameter> list;
    for (const auto& [name, e] : model.scene.parameters) list.push_back({name, e.written()});
    parameters_ = expression::Parameters(std::move(list));
    for (const std::string& name : parameters) values_.emplace_back(name, parameters_.value(name));
  }
  const expression::Parameters& parameters() const { return parameters_; }

  ParametricFunction operator()(const std::vector<const Expression*>& list) const {
    TapeBuilder builder(variables_, parameters_);
    for (const auto& [name, value] : values_) builder.take_as(name, value);
    for (const Expression* e : list)
      if (e->piece >= 0)
        builder.add_piece(std::get<std::string>(e->value), e->piece);
      else
        std::visit([&](const auto& x) { builder.add(x); }, e->written());
    return ParametricFunction(builder.tape());
  }

 private:
  std::vector<std::string> variables_;
  expression::Parameters parameters_;
  std::vector<std::pair<std::string, double>> values_;  ///< of the parameters that are variables
};

Eigen::MatrixXd start_by_parameters(const ParametricModel& m, const ParametricFunction& start) {
  using J = numerics::Jet<double, 1>;
  Eigen::MatrixXd D(2 * m.n, static_cast<Eigen::Index>(m.theta.size()));
  const std::vector<J> none(static_cast<std::size_t>(m.n), J(0));
  for (std::size_t j = 0; j < m.theta.size(); ++j) {
    std::vector<J> theta(m.theta.begin(), m.theta.end());
    theta[j].d[0] = 1;
    for (int k = 0; k < 2 * m.n; ++k)
      D(k, static_cast<Eigen::Index>(j)) = start(k, Point<J>(none), Point<J>(none), J(0), Point<J>(theta)).d[0];
  }
  return D;
}

}  // namespace

ParametricModel parametric_model(const Model& model, const std::vector<std::string>& parameters) {
  const Scene& scene = model.scene;
  const ParametricBuilder build(model, parameters);
  ParametricModel m;
  m.n = model.n;
  m.names = parameters;
  for (const std::string& name : parameters) m.theta.push_back(build.parameters().value(name));
  m.full_mass = scene.system.full_mass;
  m.has_lagrangian = scene.system.lagrangian.has_value();
  const Expression zero{0.0, {}, {}}, one{1.0, {}, {}};
  std::vector<const Expression*> list;
  if (m.has_lagrangian) {
    m.lagrangian = build({&*scene.system.lagrangian});
  } else {
    m.potential = build({scene.system.potential ? &*scene.system.potential : &zero});
    for (const auto& row : scene.system.mass)
      for (const Expression& e : row) list.push_back(&e);
    m.mass = build(list);
  }
  const auto all = [&](const auto& from, auto&& expression_of) {
    list.clear();
    for (const auto& x : from) list.push_back(expression_of(x));
    return list.empty() ? ParametricFunction() : build(list);
  };
  m.gap_count = static_cast<int>(scene.gaps.size());
  m.gaps = all(scene.gaps, [](const Gap& gap) { return &gap.expression; });
  m.constraints = all(scene.constraints, [](const Constraint& c) { return &c.expression; });
  m.restitution = all(scene.gaps, [&](const Gap& gap) {
    return gap.restitution ? &*gap.restitution : scene.impact.restitution ? &*scene.impact.restitution : &one;
  });
  list.clear();
  for (const Force& force : scene.forces)
    for (const Expression& e : force.components) list.push_back(&e);
  if (!list.empty()) m.forces = build(list);
  list.clear();
  for (const Expression& e : scene.system.position) list.push_back(&e);
  for (const Expression& e : scene.system.velocity) list.push_back(&e);
  m.start = start_by_parameters(m, build(list));
  return m;
}

}  // namespace ricochet::scene
