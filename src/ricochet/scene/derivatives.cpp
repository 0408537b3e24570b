#include "ricochet/scene/derivatives.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/error.hpp"
#include "ricochet/expression/builder.hpp"
#include "ricochet/expression/nearest.hpp"
#include "ricochet/scene/kind.hpp"
#include "ricochet/scene/table_reader.hpp"

namespace ricochet::scene {
namespace {

/// The grid of the run is fixed: the tangent follows the system and its start, not the step, the end or the rule.
void refuse_on_the_grid(const Scene& scene, const std::vector<std::string>& parameters) {
  std::vector<expression::Parameter> list;
  for (const auto& [name, e] : scene.parameters) list.push_back({name, e.value});
  const expression::Parameters all(std::move(list));
  const auto refuse = [&](const Expression& e, const std::string& what) {
    const auto* text = std::get_if<std::string>(&e.value);
    if (text == nullptr) return;
    expression::TapeBuilder builder(parameters, all);
    const int output = builder.add(*text);
    const expression::Tape tape = builder.tape();
    for (std::size_t j = 0; j < parameters.size(); ++j)
      if (tape.depends_on(output, static_cast<int>(j)))
        fail(e.place, fmt::format("{0} depends on the parameter '{1}' of with_respect_to, and derivatives do not "
                                  "follow it: give {0} as a number",
                                  what, parameters[j]));
  };
  refuse(scene.time.step, "the step of [time]");
  if (scene.time.end) refuse(*scene.time.end, "the end of [time]");
  if (scene.integrator.gamma) refuse(*scene.integrator.gamma, "gamma of [integrator]");
}

/// The speeds that open the gaps are a choice, not a function of the start.
void refuse_perturbed(const Scene& scene) {
  if (scene.impact.perturbed)
    fail(scene.impact.start_place, "start = \"perturbed\" has no derivative; give a velocity that opens the gaps");
}

}  // namespace

class Derivatives::Guard final : public principle::Log<double> {
 public:
  Guard(principle::Log<double>& log, std::function<void(std::int64_t, double)> step)
      : log_(log), step_(std::move(step)) {}

  void flight(const Node& from, discrete::Step<double> step, const discrete::Interval<double>& interval,
              const motion::Trace& trace, GapAt gap_at) override {
    pass([&] { log_.flight(from, step, interval, trace, gap_at); });
  }
  void impact(const principle::Impact<double, Node>& e) override {
    pass([&] { log_.impact(e); });
  }
  void accumulation(const principle::Accumulation<double>& a) override {
    pass([&] { log_.accumulation(a); });
  }
  void arrive(long long k, const Node& node) override {
    pass([&] { log_.arrive(k, node); });
  }
  void graze(long long k, int gap, const Node& node) override {
    pass([&] { log_.graze(k, gap, node); });
  }
  void contact(int gap, double t, bool begins) override {
    pass([&] { log_.contact(gap, t, begins); });
  }
  void node(long long k, const Node& node, const discrete::Interval<double>& interval) override {
    pass([&] {
      log_.node(k, node, interval);
      step_(k, node.t);
    });
  }
  void require_whole() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  template <class Call>
  void pass(const Call& call) {
    if (error_) return;
    try {
      call();
    } catch (const Error&) {
      error_ = std::current_exception();
    }
  }

  principle::Log<double>& log_;
  std::function<void(std::int64_t, double)> step_;
  std::exception_ptr error_;
};

Derivatives::~Derivatives() = default;

principle::Log<double>& Derivatives::guarded(std::function<void(std::int64_t, double)> step) {
  guard_ = std::make_unique<Guard>(log(), std::move(step));
  return *guard_;
}
void Derivatives::require_whole() const {
  if (guard_) guard_->require_whole();
}

/// Labels in the order of the columns: position, velocity or momentum, parameters.
Derivatives::Derivatives(std::vector<std::string> coordinates, const DerivativesTable& table)
    : coordinates_(std::move(coordinates)) {
  if (table.position) labels_ = coordinates_;
  for (const auto& name : coordinates_) {
    if (table.velocity) labels_.push_back(std::string("v_").append(name));
    if (table.momentum) labels_.push_back(std::string("p_").append(name));
  }
  for (const auto& name : table.parameters) labels_.push_back(std::string("parameters.").append(name));
}

DifferentiatedSimulation::DifferentiatedSimulation(std::shared_ptr<const Model> model)
    : model_(std::move(model)), patience_(*model_) {
  if (model_->end) count_ = StepCount::of(*model_->end, model_->step);
}

bool DifferentiatedSimulation::done() const {
  if (model_->impacts && impacts() >= *model_->impacts) return true;
  return model_->end && steps() >= count_.steps();
}

void DifferentiatedSimulation::step() {
  run(count_.length(steps(), model_->step), 1);
  patience_.note(steps(), impacts());
}

std::optional<DerivativesTable> read_derivatives_table(const Model& model) {
  const Scene& scene = model.scene;
  TableReader root(*scene.document, "");
  const Value* value = root.find("derivatives");
  if (value == nullptr) return std::nullopt;
  TableReader table(*value, "[derivatives]", {"with_respect_to", "every"});
  DerivativesTable result;
  result.place = value->place;
  std::vector<std::string> known{"position", "velocity", "momentum"};
  for (const auto& [name, e] : scene.parameters) known.push_back(std::string("parameters.").append(name));

  const Value& list = table.need("with_respect_to");
  const auto* names = std::get_if<Array>(&list.data);
  if (names == nullptr || names->empty())
    fail(list.place, "with_respect_to of [derivatives] must be a list of names, as in [\"position\", \"velocity\"]");
  for (const Value& entry : *names) {
    const auto* name = std::get_if<std::string>(&entry.data);
    if (name == nullptr) fail(entry.place, "with_respect_to lists names, not " + std::string(entry.kind()));
    if (std::find(known.begin(), known.end(), *name) == known.end())
      fail(entry.place, "there is no '" + name->substr(0, 64) + "' to differentiate by" +
                            expression::suggestion(*name, known) +
                            " (position, velocity or momentum, or parameters.NAME)");
    const auto twice = [&](bool is) {
      if (is) fail(entry.place, "'" + *name + "' stands in with_respect_to twice");
    };
    if (*name == "position") {
      twice(result.position), result.position = true;
    } else if (*name == "velocity") {
      twice(result.velocity), result.velocity = true;
    } else if (*name == "momentum") {
      twice(result.momentum), result.momentum = true;
    } else {
      const std::string parameter = name->substr(std::string("parameters.").size());
      twice(std::find(result.parameters.begin(), result.parameters.end(), parameter) != result.parameters.end());
      result.parameters.push_back(parameter);
    }
    if (result.velocity && result.momentum)
      fail(entry.place, "with_respect_to has velocity and momentum: each fixes what the others are held at; give one");
  }
  result.every = table.integer("every");
  if (result.every && *result.every < 0)
    fail(table.find("every")->place, "every of [derivatives] must be 0 (the end only) or positive");
  table.refuse_unknown();
  if (!result.parameters.empty()) refuse_on_the_grid(scene, result.parameters);
  scene.kind->require_differentiable(model, result);
  refuse_perturbed(scene);
  return result;
}

std::unique_ptr<DifferentiatedSimulation> differentiate(std::shared_ptr<const Model> model,
                                                        const DerivativesTable& table) {
  refuse_perturbed(model->scene);
  try {
    return model->scene.kind->differentiate(model, table);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::bad_scene) throw;
    fail(model->scene.kind->culprit(model->scene, error), error.what());
  }
}

void Kind::require_differentiable(const Model&, const DerivativesTable& table) const {
  fail(table.place, fmt::format("scenes of {} have no derivatives", name()));
}
std::unique_ptr<DifferentiatedSimulation> Kind::differentiate(std::shared_ptr<const Model> model,
                                                              const DerivativesTable& table) const {
  require_differentiable(*model, table);
  throw Error(ErrorKind::bad_scene, fmt::format("scenes of {} have no derivatives", name()));
}

}  // namespace ricochet::scene
