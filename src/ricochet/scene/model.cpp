#include "ricochet/scene/model.hpp"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "ricochet/error.hpp"
#include "ricochet/mechanics/friction.hpp"
#include "ricochet/mechanics/law.hpp"
#include "ricochet/scene/coordinates.hpp"
#include "ricochet/scene/given_check.hpp"
#include "ricochet/scene/kind.hpp"
#include "ricochet/scene/numbers.hpp"
#include "ricochet/scene/pieces.hpp"
#include "ricochet/scene/quadratic_check.hpp"
#include "ricochet/scene/slip_check.hpp"
#include "ricochet/scene/start_check.hpp"

namespace ricochet::scene {
namespace {

using expression::Tape;

std::string digits(double x) { return fmt::format("{:.6g}", x); }

Point<double> point(const Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

std::shared_ptr<Model> model_with(Scene scene) {
  auto model = std::make_shared<Model>();
  model->scene = std::move(scene);
  model->n = static_cast<int>(model->scene.system.coordinates.size());
  return model;
}

/// Builds a Model; holds what all parts need.
class Compiler {
 public:
  explicit Compiler(Scene scene)
      : model_(model_with(std::move(scene))), numbers_(model_->scene), q_(s().system.coordinates), qt_(q_), qvt_(q_) {
    qt_.push_back("t");
    for (const auto& name : q_) qvt_.push_back("v_" + name);
    qvt_.push_back("t");
    numbers_.check_parameters(qvt_);
  }

  std::shared_ptr<Model> run() {
    numbers_.read_time(*model_);
    model_->q0 = numbers(s().system.position);
    model_->v0 = numbers(s().system.velocity);
    system();
    split_gaps(*model_, numbers_);
    gaps();
    laws();
    check_quadratic(*model_);
    friction();
    weak();
    others();
    note_given(*model_);
    return model_;
  }

 private:
  const Scene& s() const { return model_->scene; }

  double number(const Expression& e, const char* what) const { return numbers_.number(e, what); }
  Eigen::VectorXd numbers(const std::vector<Expression>& list) const {
    Eigen::VectorXd x(static_cast<Eigen::Index>(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i) x[static_cast<Eigen::Index>(i)] = number(list[i], "this entry");
    return x;
  }

  /// Functions of (q), or of (q,t) if any of them depends on t.
  Function of_configuration(const std::vector<const Expression*>& list, std::vector<bool>* timed = nullptr) const {
    const Function f = function(list, qt_, true);
    bool any = false;
    for (int i = 0; i < f.outputs(); ++i) {
      const Given* given = f.given(i);
      const bool depends = given == nullptr && f.may_depend_on(i, model_->n);
      any |= depends;
      if (timed != nullptr) timed->push_back(given != nullptr ? given->timed : depends);
    }
    return any ? f : without_time(list);
  }
  Function without_time(const std::vector<const Expression*>& list) const { return function(list, q_, false); }
  /// Expressions on a tape; what was given as a function beside it.
  Function function(const std::vector<const Expression*>& list, const std::vector<std::string>& variables,
                    bool timed) const {
    std::vector<const Expression*> written;
    Outputs outputs;
    for (const Expression* e : list) {
      const Given* given = e->given();
      outputs.on_tape.push_back(given != nullptr ? -1 : static_cast<int>(written.size()));
      outputs.given.push_back(given != nullptr ? *given : Given{});
      if (given == nullptr) written.push_back(e);
    }
    expression::Tape tape = numbers_.tape(variables, written);
    if (written.size() == list.size()) return Function(std::move(tape), timed);
    return Function(std::move(tape), timed, std::move(outputs));
  }
  Function of_state(const std::vector<const Expression*>& list) const {
    return Function(numbers_.tape(qvt_, list), true);
  }

  void system() {
    const auto& system = s().system;
    if (system.lagrangian) {
      model_->constant_mass = false;
      if (const Given* given = system.lagrangian->given()) {
        model_->lagrangian = function({&*system.lagrangian}, qvt_, true);
        model_->timed = given->timed;
        return;  // the run looks whether it has masses
      }
      lagrangian(numbers_.tape(qvt_, *system.lagrangian), system.lagrangian->place);
      return;
    }
    const Expression zero{0.0, {}, {}};
    const Expression& V = system.potential ? *system.potential : zero;
    model_->potential = of_configuration({&V});
    model_->timed = V.given() != nullptr ? V.given()->timed : model_->potential.timed();
    if (V.given() == nullptr) check_potential(V);  // what was given is called when the run begins, and not before

    std::vector<const Expression*> entries;
    for (const auto& row : system.mass)
      for (const auto& entry : row) entries.push_back(&entry);
    const Function mass = of_configuration(entries);
    for (int i = 0; i < mass.outputs(); ++i) model_->constant_mass &= mass.tape().is_constant(i);
    check_mass(mass, entries);
    if (model_->constant_mass) return;
    const bool timed = model_->timed;
    model_->less_potential = V.given() != nullptr;
    lagrangian(kinetic_minus(V), system.mass_place);
    if (model_->less_potential) model_->timed |= timed;
  }

  /// The weak principle looks at ∇V in the middle of steps only.
  void check_potential(const Expression& V) const {
    if (s().integrator.principle == "weak") return;
    std::vector<double> slope(static_cast<std::size_t>(model_->n));
    const double value = model_->potential.gradient(0, point(model_->q0), 0.0, std::span<double>(slope));
    if (!std::isfinite(value)) return;  // the position is to blame, with all of the energy
    for (std::size_t k = 0; k < slope.size(); ++k)
      if (!std::isfinite(slope[k]))
        fail(V.place, "the derivative of the potential by " + q_[k] + " is not a finite number at the start");
  }

  /// ½ Σ M_ij v_i v_j − V, without a V that is no expression, in which the entries stand under names that are nobody's:
  /// a text around their texts would be nested deeper than they are, and have columns of its own.
  Tape kinetic_minus(const Expression& V) const {
    const auto& system = s().system;
    std::vector<expression::Parameter> list;
    std::string free = "m_";
    const auto avoid = [&](const std::string& name) {
      while (name.starts_with(free)) free += "_";
    };
    for (const auto& [name, e] : s().parameters) {
      list.push_back({name, e.written()});
      avoid(name);
    }
    for (const std::string& name : qvt_) avoid(name);
    const auto named = [&](const Expression& e) {
      list.push_back({free + std::to_string(list.size()), e.written()});
      return list.back().name;
    };
    std::string text;
    const auto term = [&](const Expression& m, std::size_t i, std::size_t j) {
      if (const double* x = std::get_if<double>(&m.value); x != nullptr && *x == 0) return;
      text += (text.empty() ? "" : " + ") + named(m) + "*v_" + q_[i] + "*v_" + q_[j] + (i == j ? "" : "*2");
    };
    for (std::size_t i = 0; i < q_.size(); ++i) {
      if (!system.full_mass) {
        term(system.mass[0][i], i, i);
        continue;
      }
      for (std::size_t j = 0; j <= i; ++j) term(system.mass[i][j], i, j);
    }
    text = "(" + text + ")/2";
    if (V.given() == nullptr) text += " - " + named(V);
    try {
      expression::TapeBuilder builder(qvt_, expression::Parameters(std::move(list)));
      builder.add(text);
      return builder.tape();
    } catch (const expression::ParseError& error) {  // too long as a whole
      fail(system.mass_place, error.what());
    }
  }

  void lagrangian(Tape L, const Place& place) {
    model_->lagrangian = Function(std::move(L), true);
    model_->timed = model_->lagrangian.tape().depends_on(0, 2 * model_->n);
    for (int k = 0; k < model_->n; ++k)
      if (!model_->lagrangian.tape().depends_on(0, model_->n + k))
        fail(place,
             "the lagrangian does not depend on v_" + q_[static_cast<std::size_t>(k)] + ": the coordinate has no mass");
  }

  /// Symmetric and positive definite at the start.
  void check_mass(const Function& mass, const std::vector<const Expression*>& entries) {
    const auto& system = s().system;
    const Eigen::Index n = model_->n;
    Eigen::VectorXd values(static_cast<Eigen::Index>(entries.size()));
    mass.all(point(model_->q0), 0.0, values.data());
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (!std::isfinite(values[static_cast<Eigen::Index>(i)]))
        fail(entries[i]->place, "this entry of the mass is not a finite number at the start");
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
    if (system.full_mass) {
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < n; ++j) M(i, j) = values[i * n + j];
      require_symmetry(M, entries, 0, 1e-12, {});
      if (!model_->constant_mass) check_symmetry(mass, entries);
    } else {
      M.diagonal() = values;
      for (Eigen::Index i = 0; i < n; ++i)
        if (!(values[i] > 0))
          fail(entries[static_cast<std::size_t>(i)]->place,
               "the mass of '" + q_[static_cast<std::size_t>(i)] + "' must be positive, not " + digits(values[i]));
    }
    M = (M / 2 + M.transpose() / 2).eval();
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

  void require_symmetry(const Eigen::MatrixXd& M, const std::vector<const Expression*>& entries, double scaled,
                        double tolerance, const std::string& where) const {
    for (Eigen::Index i = 0; i < M.rows(); ++i)
      for (Eigen::Index j = 0; j < i; ++j) {
        const double a = M(i, j), b = M(j, i), size = scaled * std::sqrt(std::abs(M(i, i) * M(j, j)));
        if (!std::isfinite(a) || !std::isfinite(b) || !(std::abs(a - b) > tolerance * (std::abs(a) + std::abs(b))))
          continue;
        if (std::isfinite(size) && std::abs(a - b) <= tolerance * size) continue;
        fail(entries[static_cast<std::size_t>(i * M.rows() + j)]->place,
             fmt::format("the mass matrix is not symmetric: [{0}][{1}] is {2}, [{1}][{0}] is {3}{4}", i, j, digits(a),
                         digits(b), where));
      }
  }

  /// M(q,t) away from the start: of two entries that are not written alike only one would be used. At points near and
  /// far and at times over the whole run; where an entry is not defined nothing is asked. Two ways to write one
  /// function may differ by what cancels in them, measured by the diagonal.
  void check_symmetry(const Function& mass, const std::vector<const Expression*>& entries) const {
    const Eigen::Index n = model_->n;
    bool alike = true;
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < i; ++j)
        alike &=
            entries[static_cast<std::size_t>(i * n + j)]->value == entries[static_cast<std::size_t>(j * n + i)]->value;
    if (alike) return;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const double end = model_->end ? *model_->end : 1000 * model_->step;
    Eigen::VectorXd q(n);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(n, n);
    constexpr int samples = 96, scales = 6;
    for (int sample = 0; sample < samples; ++sample) {
      const double scale = 0.1 * std::pow(10.0, sample % scales), t = sample == 0 ? 0 : end * uniform(random);
      for (Eigen::Index k = 0; k < n; ++k) {
        const double q0 = model_->q0[k];
        q[k] = q0 + scale * (1 + std::abs(q0)) * normal(random);
      }
      mass.all(point(q), t, M.data());
      std::string where;
      for (Eigen::Index k = 0; k < n; ++k)
        where += (k > 0 ? ", " : " at ") + q_[static_cast<std::size_t>(k)] + " = " + digits(q[k]);
      if (n > 3) where = " away from the start";
      if (mass.timed()) where += ", t = " + digits(t);
      require_symmetry(M, entries, 1, 1e-9, where);
    }
  }

  void gaps() {
    std::vector<const Expression*> list;
    for (const Gap& gap : s().gaps) list.push_back(&gap.expression);
    if (!list.empty()) model_->gaps = of_configuration(list, &model_->moving);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const int output = static_cast<int>(i);
      if (model_->gaps.is_constant(output))
        fail(list[i]->place, "the gap '" + s().gaps[i].name + "' depends on nothing");
      bool somewhere = false;
      for (int k = 0; k < model_->n; ++k) somewhere |= model_->gaps.may_depend_on(output, k);
      if (!somewhere) fail(list[i]->place, "the gap '" + s().gaps[i].name + "' depends on no coordinate");
    }
    check_normals(*model_);
    list.clear();
    for (const Constraint& constraint : s().constraints) list.push_back(&constraint.expression);
    if (!list.empty()) model_->constraints = without_time(list);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (model_->constraints.is_constant(static_cast<int>(i)))
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
      if (!numbers_.tape(qvt_, *e).is_constant(0)) {
        if (law == "elastic") fail(e->place, "the elastic law has restitution 1; choose another law");
        return;
      }
      const double value = number(*e, "restitution");
      if (const std::string why = mechanics::refuse_restitution(value); !why.empty()) fail(e->place, why);
      if (law == "elastic" && value != 1)
        fail(e->place, "the elastic law has restitution 1, not " + digits(value) + "; choose another law");
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
    for (const Gap& gap : s().gaps)
      if (!gap.unions.empty())
        fail(gap.expression.place, "the gap '" + gap.name +
                                       "' is a piece of a union (a maximum), for which the weak principle has no law; "
                                       "principle = \"strong\" has");
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
    for (const Force& force : s().forces)
      if (force.given) model_->given_forces.push_back(*force.given);
    if (!s().system.momentum) check_forces(*model_, model_->v0);  // start_of knows the velocity of a momentum
    list.clear();
    for (const Symmetry& symmetry : s().symmetries)
      for (const Expression& e : symmetry.generator) list.push_back(&e);
    if (!list.empty()) model_->generators = without_time(list);
    if (s().record.section) model_->section = of_state({&*s().record.section});
    if (s().record.stroboscope) {
      model_->stroboscope = number(*s().record.stroboscope, "stroboscope");
      if (!(*model_->stroboscope > 0)) fail(s().record.stroboscope->place, "stroboscope must be positive");
      if (*model_->stroboscope < 0.999999e-5 * model_->step)
        fail(s().record.stroboscope->place, "the stroboscope would flash more than 100000 times in a step");
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
  Numbers numbers_;
  std::vector<std::string> q_, qt_, qvt_;
};

}  // namespace

std::shared_ptr<Model> compile(Scene scene) {
  const Kind& kind = *scene.kind;
  return kind.compile(std::move(scene));
}
std::shared_ptr<Model> compile_coordinates(Scene scene) { return Compiler(std::move(scene)).run(); }

}  // namespace ricochet::scene
