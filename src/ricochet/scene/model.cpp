#include "ricochet/scene/model.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "ricochet/error.hpp"
#include "ricochet/expression/builder.hpp"
#include "ricochet/mechanics/friction.hpp"
#include "ricochet/mechanics/law.hpp"
#include "ricochet/scene/bar_model.hpp"
#include "ricochet/scene/beam_model.hpp"
#include "ricochet/scene/slip_check.hpp"

namespace ricochet::scene {
namespace {

using expression::ParseError;
using expression::Tape;
using expression::TapeBuilder;

std::string digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}
std::string exact(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "(%.17g)", x);
  return text;
}
std::string text_of(const Expression& e) {
  if (const double* number = std::get_if<double>(&e.value)) return exact(*number);
  return "(" + std::get<std::string>(e.value) + "\n)";
}

/// Builds a Model; holds what all parts need.
class Compiler {
 public:
  explicit Compiler(Scene scene) : model_(std::make_shared<Model>()) {
    model_->scene = std::move(scene);
    model_->n = static_cast<int>(s().system.coordinates.size());
    parameters();
    q_ = s().system.coordinates;
    qt_ = q_;
    qt_.push_back("t");
    qvt_ = q_;
    for (const auto& name : q_) qvt_.push_back("v_" + name);
    qvt_.push_back("t");
    TapeBuilder all(qvt_, parameters_);  // also those that nobody uses
    for (const auto& [name, e] : s().parameters) try {
        all.add_parameter(name);
      } catch (const ParseError& error) {
        locate(error, &e);
      }
  }

  std::shared_ptr<Model> run() {
    time();
    model_->q0 = numbers(s().system.position);
    model_->v0 = numbers(s().system.velocity);
    system();
    gaps();
    laws();
    friction();
    weak();
    others();
    return model_;
  }

 private:
  const Scene& s() const { return model_->scene; }

  void parameters() {
    std::vector<expression::Parameter> list;
    for (const auto& [name, e] : s().parameters) list.push_back({name, e.value});
    try {
      parameters_ = expression::Parameters(std::move(list));
    } catch (const ParseError& error) {
      locate(error, nullptr);
    }
  }

  [[noreturn]] void locate(const ParseError& error, const Expression* e) const {
    for (const auto& [name, parameter] : s().parameters)
      if (name == error.parameter()) fail(parameter.at(error.offset()), error.what());
    if (e != nullptr) fail(e->at(error.offset()), error.what());
    throw Error(ErrorKind::bad_scene, error.what());
  }

  int add(TapeBuilder& builder, const Expression& e) const {
    try {
      if (const double* number = std::get_if<double>(&e.value)) return builder.add(*number);
      return builder.add(std::get<std::string>(e.value));
    } catch (const ParseError& error) {
      locate(error, &e);
    }
  }

  /// An expression of parameters alone.
  double number(const Expression& e, const char* what) const {
    TapeBuilder builder({}, parameters_);
    const int output = add(builder, e);
    const Tape tape = builder.tape();
    expression::Workspace<double> work(tape);
    const double value = tape.evaluate<double>(output, nullptr, work);
    if (!std::isfinite(value)) fail(e.place, std::string(what) + " is not a finite number");
    return value;
  }
  Eigen::VectorXd numbers(const std::vector<Expression>& list) const {
    Eigen::VectorXd x(static_cast<Eigen::Index>(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i) x[static_cast<Eigen::Index>(i)] = number(list[i], "this entry");
    return x;
  }

  /// Functions of (q), or of (q,t) if any of them depends on t.
  Function of_configuration(const std::vector<const Expression*>& list, std::vector<bool>* timed = nullptr) const {
    TapeBuilder with_time(qt_, parameters_);
    for (const Expression* e : list) add(with_time, *e);
    Tape tape = with_time.tape();
    bool any = false;
    for (int i = 0; i < tape.outputs(); ++i) {
      const bool depends = tape.depends_on(i, model_->n);
      any |= depends;
      if (timed != nullptr) timed->push_back(depends);
    }
    if (any) return Function(std::move(tape), true);
    return without_time(list);
  }
  Function without_time(const std::vector<const Expression*>& list) const {
    TapeBuilder builder(q_, parameters_);
    for (const Expression* e : list) add(builder, *e);
    return Function(builder.tape(), false);
  }
  Function of_state(const std::vector<const Expression*>& list) const {
    TapeBuilder builder(qvt_, parameters_);
    for (const Expression* e : list) add(builder, *e);
    return Function(builder.tape(), true);
  }

  void time() {
    const auto& time = s().time;
    model_->step = number(time.step, "step");
    if (!(model_->step > 0)) fail(time.step.place, "the step must be positive, not " + digits(model_->step));
    model_->impacts = time.impacts;
    if (time.end) {
      model_->end = number(*time.end, "end");
      if (!(*model_->end > 0)) fail(time.end->place, "the end must be positive, not " + digits(*model_->end));
      if (!(*model_->end / model_->step < 9e15))
        fail(time.end->place,
             "the run would have more steps than can be counted (" + digits(*model_->end / model_->step) + ")");
    }
  }

  void system() {
    const auto& system = s().system;
    if (system.lagrangian) {
      model_->constant_mass = false;
      lagrangian(*system.lagrangian);
      return;
    }
    const Expression zero{0.0, {}, {}};
    const Expression& V = system.potential ? *system.potential : zero;
    model_->potential = of_configuration({&V});
    model_->timed = model_->potential.timed();

    std::vector<const Expression*> entries;
    for (const auto& row : system.mass)
      for (const auto& entry : row) entries.push_back(&entry);
    const Function mass = of_configuration(entries);
    for (int i = 0; i < mass.outputs(); ++i) model_->constant_mass &= mass.tape().is_constant(i);
    check_mass(mass, entries);
    if (!model_->constant_mass) lagrangian(kinetic_minus(V));
  }

  /// ½ Σ M_ij v_i v_j − V as one expression.
  Expression kinetic_minus(const Expression& V) const {
    const auto& system = s().system;
    std::string text;
    const auto term = [&](const Expression& m, std::size_t i, std::size_t j) {
      if (const double* x = std::get_if<double>(&m.value); x != nullptr && *x == 0) return;
      text += (text.empty() ? "" : " + ") + text_of(m) + "*v_" + q_[i] + "*v_" + q_[j] + (i == j ? "" : "*2");
    };
    for (std::size_t i = 0; i < q_.size(); ++i) {
      if (!system.full_mass) {
        term(system.mass[0][i], i, i);
        continue;
      }
      for (std::size_t j = 0; j <= i; ++j) term(system.mass[i][j], i, j);
    }
    return {"(" + text + ")/2 - " + text_of(V), system.mass_place, system.mass_place};
  }

  void lagrangian(const Expression& L) {
    model_->lagrangian = of_state({&L});
    model_->timed = model_->lagrangian.tape().depends_on(0, 2 * model_->n);
    for (int k = 0; k < model_->n; ++k)
      if (!model_->lagrangian.tape().depends_on(0, model_->n + k))
        fail(L.place,
             "the lagrangian does not depend on v_" + q_[static_cast<std::size_t>(k)] + ": the coordinate has no mass");
  }

  /// Symmetric and positive definite at the start; the symmetry of M(q) also at a few points around it.
  void check_mass(const Function& mass, const std::vector<const Expression*>& entries) {
    const auto& system = s().system;
    const Eigen::Index n = model_->n;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (int sample = 0; sample < (model_->constant_mass ? 1 : 8); ++sample) {
      Eigen::VectorXd q = model_->q0, values(static_cast<Eigen::Index>(entries.size()));
      if (sample > 0)
        for (Eigen::Index k = 0; k < n; ++k) q[k] += 0.1 * (1 + std::abs(q[k])) * normal(random);
      mass.all(Point<double>(q.data(), static_cast<std::size_t>(n)), 0.0, values.data());
      Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
      for (Eigen::Index i = 0; i < n; ++i) {
        if (!system.full_mass) M(i, i) = values[i];
        for (Eigen::Index j = 0; system.full_mass && j < n; ++j) M(i, j) = values[i * n + j];
      }
      if (sample == 0) {
        for (std::size_t i = 0; i < entries.size(); ++i)
          if (!std::isfinite(values[static_cast<Eigen::Index>(i)]))
            fail(entries[i]->place, "this entry of the mass is not a finite number at the start");
        if (!system.full_mass)
          for (Eigen::Index i = 0; i < n; ++i)
            if (!(values[i] > 0))
              fail(entries[static_cast<std::size_t>(i)]->place,
                   "the mass of '" + q_[static_cast<std::size_t>(i)] + "' must be positive, not " + digits(values[i]));
      }
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < i; ++j)
          if (std::abs(M(i, j) - M(j, i)) > 1e-12 * (std::abs(M(i, j)) + std::abs(M(j, i))))
            fail(entries[static_cast<std::size_t>(i * n + j)]->place,
                 "the mass matrix is not symmetric: [" + std::to_string(i) + "][" + std::to_string(j) + "] is " +
                     digits(M(i, j)) + ", [" + std::to_string(j) + "][" + std::to_string(i) + "] is " +
                     digits(M(j, i)));
      if (sample > 0) continue;
      M = (M + M.transpose().eval()) / 2;
      // A pivot below rounding means singular: Cholesky's last digits would decide otherwise.
      const Eigen::LLT<Eigen::MatrixXd> llt(M);
      bool definite = llt.info() == Eigen::Success;
      for (Eigen::Index i = 0; definite && i < n; ++i) {
        const double pivot = llt.matrixLLT()(i, i);
        definite = pivot * pivot > 8 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() * M(i, i);
      }
      if (!definite) fail(system.mass_place, "the mass matrix is not positive definite at the start");
      model_->mass = M;
    }
  }

  void gaps() {
    std::vector<const Expression*> list;
    for (const Gap& gap : s().gaps) list.push_back(&gap.expression);
    if (!list.empty()) model_->gaps = of_configuration(list, &model_->moving);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (model_->gaps.tape().is_constant(static_cast<int>(i)))
        fail(list[i]->place, "the gap '" + s().gaps[i].name + "' depends on nothing");
    list.clear();
    for (const Constraint& constraint : s().constraints) list.push_back(&constraint.expression);
    if (!list.empty()) model_->constraints = without_time(list);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (model_->constraints.tape().is_constant(static_cast<int>(i)))
        fail(list[i]->place, "the constraint '" + s().constraints[i].name + "' depends on nothing");
    if (s().constraints.size() > q_.size())
      fail(list[q_.size()]->place, "there are more constraints than coordinates: the constraint '" +
                                       s().constraints[q_.size()].name + "' is redundant");
  }

  void laws() {
    const auto& impact = s().impact;
    std::vector<const Expression*> restitution;
    const Expression one{1.0, {}, {}};
    const auto check = [&](const std::string& law, const std::optional<Expression>& e) {
      if (!e) return;
      TapeBuilder builder(qvt_, parameters_);
      const int output = add(builder, *e);
      const Tape tape = builder.tape();
      if (!tape.is_constant(output)) {
        if (law == "elastic") fail(e->place, "the elastic law has restitution 1; choose newton, poisson or canonical");
        return;
      }
      const double value = number(*e, "restitution");
      if (const std::string why = mechanics::refuse_restitution(value); !why.empty()) fail(e->place, why);
      if (law == "elastic" && value != 1)
        fail(e->place,
             "the elastic law has restitution 1, not " + digits(value) + "; choose newton, poisson or canonical");
    };
    check(s().gaps.empty() ? impact.law : "", impact.restitution);
    for (const Gap& gap : s().gaps) {
      const std::string& law = gap.law ? *gap.law : impact.law;
      check(law, gap.restitution ? gap.restitution : impact.restitution);
      model_->laws.push_back(law);
      restitution.push_back(gap.restitution ? &*gap.restitution : impact.restitution ? &*impact.restitution : &one);
    }
    if (restitution.empty()) return;
    model_->restitution = of_state(restitution);
    for (int i = 0; i < model_->restitution.outputs(); ++i)
      model_->constant_restitution &= model_->restitution.tape().is_constant(i);
  }

  void friction() {
    std::vector<const Expression*> list;
    for (const Gap& gap : s().gaps) {
      model_->first_tangent.push_back(static_cast<int>(list.size()));
      model_->friction.push_back(gap.friction ? number(*gap.friction, "friction") : 0);
      if (const std::string why = mechanics::refuse_friction(model_->friction.back()); !why.empty())
        fail(gap.friction->place, why);
      if (model_->friction.back() > 0 && s().integrator.principle != "weak") rough(gap);
      for (const Expression& e : gap.tangent) list.push_back(&e);
    }
    model_->first_tangent.push_back(static_cast<int>(list.size()));
    if (!list.empty()) model_->tangents = of_configuration(list);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (model_->tangents.tape().is_constant(static_cast<int>(i)))
        fail(list[i]->place, "this slip coordinate depends on nothing");
    check_slip(*model_);
  }

  /// What the strong principle asks of a gap with friction.
  void rough(const Gap& gap) {
    model_->rough = true;
    const std::string& law = gap.law ? *gap.law : s().impact.law;
    if (law != "newton" && law != "poisson" && law != "stronge")
      fail(gap.law ? gap.place : gap.friction->place, "the law \"" + law + "\" of the gap '" + gap.name +
                                                          "' has no meaning with friction; choose newton, poisson or "
                                                          "stronge, or principle = \"weak\"");
    if (s().impact.balance)
      fail(gap.friction->place,
           "dissipation = \"balance\" sizes an impulse of given direction; with friction the law "
           "acts on the momentum");
    const auto& closure = s().integrator.closure;
    if (closure != "auto" && closure != "variational" && closure != "reflection")
      fail(s().integrator.closure_place, "friction is a force, so there is no energy the closure \"" + closure +
                                             "\" could keep; choose auto, variational or reflection");
  }

  /// What the weak principle has no answer for.
  void weak() const {
    if (s().integrator.principle != "weak") return;
    if (s().integrator.rule == "yoshida4" || s().integrator.rule == "suzuki4")
      fail(s().integrator.rule_place, "the weak principle is second order between impacts: the rule \"" +
                                          s().integrator.rule + "\" has no use there; choose trapezoid or midpoint");
    for (std::size_t i = 0; i < model_->laws.size(); ++i) {
      const Gap& gap = s().gaps[i];
      const std::string& law = model_->laws[i];
      if (law != "elastic" && law != "newton" && law != "canonical")
        fail(gap.law ? gap.place : s().impact.law_place,
             "the weak principle has Newton's law (Leine 2009 (120)), not \"" + law + "\"; choose newton");
      if (law == "canonical" && gap.restitution)
        fail(gap.restitution->place, "the canonical law of the weak principle has one restitution for all gaps");
    }
  }

  void others() {
    std::vector<const Expression*> list;
    for (const Force& force : s().forces)
      for (const Expression& e : force.components) list.push_back(&e);
    if (!list.empty()) model_->forces = of_state(list);
    list.clear();
    for (const Symmetry& symmetry : s().symmetries)
      for (const Expression& e : symmetry.generator) list.push_back(&e);
    if (!list.empty()) model_->generators = without_time(list);
    if (s().record.section) model_->section = of_state({&*s().record.section});
    if (s().record.stroboscope) {
      model_->stroboscope = number(*s().record.stroboscope, "stroboscope");
      if (!(*model_->stroboscope > 0)) fail(s().record.stroboscope->place, "stroboscope must be positive");
    }
    if (s().integrator.gamma) {
      model_->gamma = number(*s().integrator.gamma, "gamma");
      if (!(model_->gamma >= 0 && model_->gamma <= 1))
        fail(s().integrator.gamma->place, "gamma must lie in [0, 1], not " + digits(model_->gamma));
    }
    if (s().impact.perturbation) {
      model_->perturbation = number(*s().impact.perturbation, "perturbation");
      if (!(model_->perturbation > 0)) fail(s().impact.perturbation->place, "perturbation must be positive");
    }
    shapes();
  }

  /// Shapes are drawn by others; here they must only make sense.
  void shapes() const {
    std::vector<const Expression*> list;
    for (const Shape& shape : s().shapes) {
      for (const auto* part : {&shape.position, &shape.from, &shape.to, &shape.size})
        for (const Expression& e : *part) list.push_back(&e);
      for (const auto* part : {&shape.angle, &shape.radius})
        if (*part) list.push_back(&**part);
      for (const auto& vertex : shape.vertices)
        for (const Expression& e : vertex) list.push_back(&e);
    }
    if (!list.empty()) of_configuration(list);
  }

  std::shared_ptr<Model> model_;
  expression::Parameters parameters_;
  std::vector<std::string> q_, qt_, qvt_;
};

}  // namespace

std::shared_ptr<Model> compile(Scene scene) {
  if (scene.bars) return compile_bars(std::move(scene));
  if (scene.beams) return compile_beams(std::move(scene));
  return Compiler(std::move(scene)).run();
}

}  // namespace ricochet::scene
