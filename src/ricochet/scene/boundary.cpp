#include "ricochet/scene/boundary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "ricochet/expression/builder.hpp"
#include "ricochet/scene/given_check.hpp"
#include "ricochet/scene/systems.hpp"

namespace ricochet::scene {
namespace {

/// An expression of parameters alone; the texts of the parameters were checked when the model was made.
double number(const Model& model, const Expression& e) {
  std::vector<expression::Parameter> list;
  for (const auto& [name, parameter] : model.scene.parameters) list.push_back({name, parameter.written()});
  double value = 0;
  try {
    expression::TapeBuilder builder({}, expression::Parameters(std::move(list)));
    const double* constant = std::get_if<double>(&e.value);
    const int output = constant != nullptr ? builder.add(*constant) : builder.add(std::get<std::string>(e.value));
    const expression::Tape tape = builder.tape();
    expression::Workspace<double> work(tape);
    value = tape.evaluate<double>(output, nullptr, work);
  } catch (const expression::ParseError& error) {
    fail(e.at(error.offset()), error.what());
  }
  if (!std::isfinite(value)) fail(e.place, "this entry is not a finite number");
  return value;
}

Eigen::VectorXd numbers(const Model& model, TableReader& table, const char* key, std::size_t size) {
  const Value& value = table.need(key);
  const auto list = *table.expressions(key);
  if (list.size() != size)
    fail(value.place, fmt::format("{} of [boundary] has {} {}, not {}", key, list.size(),
                                  list.size() == 1 ? "entry" : "entries", size));
  Eigen::VectorXd x(static_cast<Eigen::Index>(size));
  for (std::size_t i = 0; i < size; ++i) x[static_cast<Eigen::Index>(i)] = number(model, list[i]);
  return x;
}

BoundaryTable read(const Model& model, const Value& value) {
  TableReader table(value, "[boundary]", {"start", "end", "time", "points"});
  BoundaryTable boundary;
  boundary.place = value.place;
  boundary.start = numbers(model, table, "start", static_cast<std::size_t>(model.n));
  boundary.end = numbers(model, table, "end", static_cast<std::size_t>(model.n));
  const Eigen::VectorXd time = numbers(model, table, "time", 2);
  boundary.t0 = time[0];
  boundary.tf = time[1];
  table.need("points");
  const std::int64_t points = *table.integer("points");
  if (points < 1) fail(table.find("points")->place, "points of [boundary] must be positive");
  // Without gaps all inner points are solved for at once, by a dense matrix; with gaps the number of their sets is the
  // narrower bound, which the problem itself knows.
  const std::int64_t most = model.scene.gaps.empty() ? std::max(1, 1000 / model.n) : 1000000;
  if (points > most)
    fail(table.find("points")->place,
         fmt::format("points of [boundary] may be {} at most, not {}{}", most, points,
                     model.scene.gaps.empty() ? ": all of them are solved for at once" : ""));
  boundary.points = static_cast<int>(points);
  for (const Gap& gap : model.scene.gaps)
    if (!gap.unions.empty())
      fail(gap.expression.place, "the gap '" + gap.name +
                                     "' is a piece of a union (a maximum), with which solve-bvp has no solutions to "
                                     "offer; minima of smooth formulas it knows");
  table.refuse_unknown();
  return boundary;
}

using System = ConstantMassSystem<Eigen::Dynamic>;

/// f(problem); what is wrong with the problem is told with the place of its table.
template <class F>
auto with_problem(const Model& model, const BoundaryTable& table, F&& f) {
  if (!model.constant_mass)
    fail(table.place, "boundary value problems are solved for a constant mass and a potential only");
  require_expressions(model, "a boundary value problem");
  try {
    return f(
        principle::BoundaryProblem<System>(System(model), table.start, table.end, table.t0, table.tf, table.points));
  } catch (const Error& error) {
    fail(table.place, error.what());
  }
}

}  // namespace

BoundaryTable read_boundary_table(const Model& model) {
  return read(model, TableReader(*model.scene.document, "").need("boundary"));
}

void check_boundary_table(const Model& model) {
  if (const Value* value = TableReader(*model.scene.document, "").find("boundary"))
    with_problem(model, read(model, *value), [](const auto&) {});
}

BoundarySolutions solve_boundary(const Model& model, const BoundaryTable& table) {
  return with_problem(model, table, [](const auto& problem) -> BoundarySolutions {
    return {problem.weak(), problem.strong()};
  });
}

}  // namespace ricochet::scene
