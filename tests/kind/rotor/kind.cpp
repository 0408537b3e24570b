// Rotors in scenes: [rotor], in place of a [system].
#include "ricochet/scene/kind.hpp"

#include <fmt/core.h>

#include <memory>

#include "body.hpp"
#include "ricochet/principle/strong.hpp"
#include "ricochet/scene/continuum_simulation.hpp"
#include "ricochet/scene/numbers.hpp"
#include "ricochet/scene/state_bytes.hpp"
#include "ricochet/scene/table_reader.hpp"

namespace ricochet::scene {
namespace {

// ---- what the text says
// ----------------------------------------------------------------------------------------------

struct RotorScene final : KindData {
  Expression inertia, stiffness, stop, angle, spin, restitution;
  Place place;
};
const RotorScene& rotor_of(const Scene& scene) { return static_cast<const RotorScene&>(*scene.part); }

// ---- what it becomes
// -------------------------------------------------------------------------------------------------

struct RotorModel final : KindData {
  double inertia = 0, stiffness = 0, stop = 0, restitution = 1;
};
const RotorModel& rotor_of(const Model& model) { return static_cast<const RotorModel&>(*model.part); }

std::shared_ptr<Model> compile_rotor(Scene given) {
  auto model = std::make_shared<Model>();
  model->scene = std::move(given);
  Scene& scene = model->scene;
  const RotorScene& table = rotor_of(scene);
  const Numbers numbers(scene);
  numbers.check_parameters({});
  numbers.read_time(*model);
  auto rotor = std::make_shared<RotorModel>();
  rotor->inertia = numbers.positive(table.inertia, "the inertia of a rotor");
  rotor->stiffness = numbers.positive(table.stiffness, "the stiffness of a rotor");
  rotor->stop = numbers.number(table.stop, "the stop of a rotor");
  rotor->restitution = numbers.number(table.restitution, "the restitution of a rotor");
  if (const std::string why = mechanics::refuse_restitution(rotor->restitution); !why.empty())
    fail(table.restitution.place, why);
  model->n = 1;
  model->q0 = Eigen::VectorXd::Constant(1, numbers.number(table.angle, "the angle of a rotor"));
  model->v0 = Eigen::VectorXd::Constant(1, numbers.number(table.spin, "the spin of a rotor"));
  scene.system.coordinates = {"angle"};
  Gap stop;
  stop.name = "stop";
  scene.gaps.push_back(stop);
  model->laws = {rotor->restitution == 1 ? "elastic" : "newton"};
  model->moving = {true};
  Shape arm;
  arm.type = "segment";
  arm.name = "rotor";
  arm.from = {Expression{0.0, {}, {}}, Expression{0.0, {}, {}}};
  arm.to = {Expression{std::string("cos(angle)"), {}, {}}, Expression{std::string("sin(angle)"), {}, {}}};
  scene.shapes.push_back(arm);
  model->datasets = {{"rotor", {{"t", 1, {}, true, false}, {"torque", 1, {}, true, false}}}};
  model->part = std::move(rotor);
  return model;
}

// ---- its run
// ---------------------------------------------------------------------------------------------------------

class RotorSimulation final : public ContinuumSimulation {
 public:
  using Body = bodies::Rotor;

  explicit RotorSimulation(std::shared_ptr<const Model> model)
      : ContinuumSimulation(model, 0),
        rotor_(rotor_of(*model_)),
        body_(rotor_.inertia, rotor_.stiffness, rotor_.stop),
        run_(body_, body_.node(model_->q0[0], model_->v0[0]), {}, laws(), {.step = model_->step}) {
    refresh();
  }

  std::int64_t steps() const override { return run_.steps(); }
  double t() const override { return run_.node().t; }
  std::string closure() const override { return run_.closure().name(); }
  Report report() const override {
    Report report = books();
    report.min_gap = min_gap();
    report.dissipated = dissipated_;
    report.fallbacks = principle::fallbacks_of(run_);
    report.balance_error = report.energy.last - report.energy.initial + dissipated_;
    report.tables = {{"rotor", {{{"name", "rotor"}, {"torque", -rotor_.stiffness * run_.node().angle}}}}};
    return report;
  }
  Description describe() const override {
    Description d;
    d.energy = energy_, d.kinetic = kinetic_, d.explicit_rule = true;
    d.lines.emplace_back("rotor", fmt::format("inertia {:.6g}, spring {:.6g}", rotor_.inertia, rotor_.stiffness));
    return d;
  }

  void impact(const principle::ImpactEvent<Body>& event) {
    ContactEvent out;
    out.t = event.t, out.alpha = event.alpha, out.dissipated = event.dissipated;
    note_acting(event, out);
    out.energy_before = body_.hamiltonian(event.before), out.energy_after = body_.hamiltonian(event.after);
    out.q = {event.before.angle}, out.p_minus = {event.before.p}, out.p_plus = {event.after.p};
    dissipated_ += event.dissipated;
    events_.push_back(std::move(out));
  }

 private:
  const std::vector<ContactEvent>& fly(double h) override {
    events_.clear();
    run_.step(h, *this);
    return events_;
  }
  void look() override {
    const auto& x = run_.node();
    kinetic_ = body_.kinetic(x), energy_ = body_.hamiltonian(x);
    q_ = {x.angle}, p_ = {x.p}, gaps_ = {body_.gap(0, x)};
  }
  double discrete_energy() const override { return body_.hamiltonian(run_.node()); }
  void record_mesh(Sink&) override {}
  void record_fields(Sink&) override {}
  void record_row(Sink& sink) override {
    row_ = {t(), -rotor_.stiffness * run_.node().angle};
    sink.row(0, row_);
  }

  void identify(ByteWriter& out) const override {
    out.put<std::uint32_t>(0x726f7401);
    out.put(model_->step);
  }
  void save_run(ByteWriter& out) const override {
    const auto s = run_.state();
    for (const double x : {s.node.t, s.node.angle, s.node.p, dissipated_}) out.put(x);
    put_progress(out, s);
  }
  void restore_run(ByteReader& in) override {
    auto s = run_.state();
    for (double* x : {&s.node.t, &s.node.angle, &s.node.p, &dissipated_}) in.get(*x);
    get_progress(in, s, 0, body_.gaps());
    run_.restore(s);
  }

  principle::ImpactLaws<Body> laws() const {
    principle::ImpactLaws<Body> laws;
    if (rotor_.restitution == 1) return laws;
    laws.law = mechanics::Law<double>::newton();
    laws.restitution = [e = rotor_.restitution](int, const Body::Node&) { return e; };
    return laws;
  }

  const RotorModel& rotor_;
  Body body_;
  principle::Strong<Body> run_;
  std::vector<ContactEvent> events_;
  double dissipated_ = 0;
};

// ---- the kind
// --------------------------------------------------------------------------------------------------------

class RotorKind final : public Kind {
 public:
  std::string_view name() const override { return "rotors"; }
  std::vector<std::string> tables() const override { return {"rotor", "record"}; }
  void read(TableReader& root, Scene& scene) const override {
    TableReader table(root.need("rotor"), "[rotor]", {"inertia", "stiffness", "stop", "angle", "spin", "restitution"});
    auto rotor = std::make_shared<RotorScene>();
    rotor->place = table.place();
    rotor->inertia = table.needed_expression("inertia");
    rotor->stiffness = table.needed_expression("stiffness");
    rotor->stop = table.needed_expression("stop");
    rotor->angle = table.needed_expression("angle");
    rotor->spin = table.expression("spin").value_or(Expression{0.0, table.place(), {}});
    rotor->restitution = table.expression("restitution").value_or(Expression{1.0, table.place(), {}});
    table.refuse_unknown();
    if (const Value* value = root.find("record")) {
      TableReader record(*value, "[record]");
      scene.record.every = record.integer("every").value_or(1);
      record.refuse_unknown();
    }
    scene.part = std::move(rotor);
  }
  std::shared_ptr<Model> compile(Scene scene) const override { return compile_rotor(std::move(scene)); }
  std::unique_ptr<Simulation> simulate(std::shared_ptr<const Model> model) const override {
    return std::make_unique<RotorSimulation>(std::move(model));
  }
  Place culprit(const Scene& scene, const Error&) const override { return rotor_of(scene).place; }
  std::string scheme(const Scene&) const override { return "variational"; }
};

const RotorKind kind;

}  // namespace

extern const Kind& rotor_kind;
const Kind& rotor_kind = kind;

}  // namespace ricochet::scene
