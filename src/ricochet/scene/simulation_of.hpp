// A run of a scene for one kind of system. Included by the few files that compile it.
#pragma once

#include <cmath>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/observe/momentum.hpp"
#include "ricochet/observe/shadow_energy.hpp"
#include "ricochet/principle/strong.hpp"
#include "ricochet/principle/weak.hpp"
#include "ricochet/scene/closure.hpp"
#include "ricochet/scene/derivatives.hpp"
#include "ricochet/scene/laws.hpp"
#include "ricochet/scene/observer.hpp"
#include "ricochet/scene/patience.hpp"
#include "ricochet/scene/regular.hpp"
#include "ricochet/scene/state_bytes.hpp"
#include "ricochet/scene/step_count.hpp"
#include "ricochet/scene/systems.hpp"

namespace ricochet::scene {

/// The two principles as a run of a scene sees them.
struct StrongPrinciple {
  static constexpr std::uint32_t format = 0x72696301;
  template <class Body>
  using Run = principle::Strong<Body, closure::AnyClosure>;
  template <class Body>
  static Run<Body> make(const Model& model, const Body& body, typename Body::Node start,
                        principle::ImpactLaws<Body> laws) {
    principle::StrongOptions options;
    options.step = model.step;
    return Run<Body>(body, std::move(start), choose_closure(model, body), std::move(laws), options);
  }
  template <class Run>
  static std::string closure(const Run& run) {
    return run.closure().name();
  }
};
struct WeakPrinciple {
  static constexpr std::uint32_t format = 0x72696381;
  template <class Body>
  using Run = principle::Weak<Body>;
  template <class Body>
  static Run<Body> make(const Model& model, const Body& body, typename Body::Node start,
                        principle::ImpactLaws<Body> laws) {
    const std::string& name = model.scene.integrator.activation;
    const auto activation = name == "start" ? principle::Activation::start
                            : name == "end" ? principle::Activation::end
                                            : principle::Activation::middle;
    return Run<Body>(body, std::move(start), std::move(laws), {activation});
  }
  template <class Run>
  static std::string closure(const Run&) {
    return "none";  // no impact lies inside a step
  }
};

/// Derivatives of runs are compiled where they are specialised: beside the large systems (derivatives_of.hpp).
template <class System>
struct Followed {
  template <class Run>
  static std::unique_ptr<Derivatives> derivatives(const Model&, const DerivativesTable&, const Run&) {
    return nullptr;
  }
};

template <class System, class Principle = StrongPrinciple>
class SimulationOf final : public Simulation {
 public:
  using Body = bodies::Generalized<System>;
  using Node = typename Body::Node;
  using Vec = typename Body::Vec;
  using Run = typename Principle::template Run<Body>;

  explicit SimulationOf(std::shared_ptr<const Model> model)
      : Simulation(std::move(model)),
        body_(System(*model_), discrete::Rule<double>::named(scene().integrator.rule, model_->gamma)),
        run_(Principle::template make<Body>(*model_, body_, start_node(), laws_of(*model_, body_))),
        observer_(*model_, body_, run_),
        patience_(*model_) {
    if (model_->end) count_ = StepCount::of(*model_->end, model_->step);
  }

  std::int64_t steps() const override { return run_.steps(); }
  std::int64_t impacts() const override { return run_.impacts(); }
  double t() const override { return run_.node().t; }
  std::span<const double> q() const override { return span(run_.node().q); }
  std::span<const double> p() const override { return span(run_.node().p); }
  std::string closure() const override { return Principle::closure(run_); }
  bool done() const override {
    if (model_->impacts && impacts() >= *model_->impacts) return true;
    return model_->end && steps() >= count_.steps();
  }

  void begin(Sink& sink) override {
    observer_.listen(&sink);
    observer_.start(run_.node());
  }
  void advance(std::int64_t steps, Sink& sink) override {
    observer_.listen(&sink);
    for (; steps > 0 && !done(); --steps) {
      try {
        run_.step(count_.length(run_.steps(), model_->step), observer_);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::no_convergence) tell_blow_up(error);
        throw;
      }
      patience_.note(run_.steps(), run_.impacts());
    }
  }
  void conclude(Sink& sink) override {
    observer_.listen(&sink);
    observer_.conclude(run_.steps(), run_.node());
  }
  void salvage(Sink& sink) override {
    observer_.listen(&sink);
    observer_.salvage();
  }

  std::string save() const override {
    ByteWriter out;
    out.put(Principle::format);
    out.put(model_->n);
    out.put(body_.gaps());
    out.put(model_->step);
    const auto state = run_.state();
    for (const auto* x : {&state.node.q, &state.node.p, &state.node.q_rest, &state.node.p_rest})
      for (Eigen::Index k = 0; k < x->size(); ++k) out.put((*x)[k]);
    out.put(state.node.t);
    put_progress(out, state);
    observer_.save(out);
    patience_.save(out);
    return out.take();
  }
  void restore(std::string_view bytes) override {
    try {
      ByteReader in(bytes);
      const bool ours = in.get<std::uint32_t>() == Principle::format && in.get<int>() == model_->n &&
                        in.get<int>() == body_.gaps() && in.get<double>() == model_->step;
      if (!ours) throw std::out_of_range("other");
      auto state = run_.state();
      for (auto* x : {&state.node.q, &state.node.p, &state.node.q_rest, &state.node.p_rest})
        for (Eigen::Index k = 0; k < x->size(); ++k) in.get((*x)[k]);
      in.get(state.node.t);
      // Constraints are held too, behind the gaps; the weak principle has −1 − gap for what acted once.
      constexpr bool strong = requires { run_.closure(); };
      get_progress(in, state, strong ? 0 : -body_.gaps(), body_.gaps() + (strong ? body_.constraints() : 0));
      observer_.restore(in);
      patience_.restore(in, state.steps);
      if (!in.empty()) throw std::out_of_range("longer");
      run_.restore(state);
      observer_.keep(run_.steps(), run_.node());
    } catch (const std::out_of_range&) {
      throw Error(ErrorKind::bad_scene, "the checkpoint is not of a run of this scene and this version");
    }
  }

  std::unique_ptr<Derivatives> derivatives(const DerivativesTable& table) override {
    if constexpr (std::is_same_v<Principle, StrongPrinciple>)
      return Followed<System>::derivatives(*model_, table, run_);
    else
      return nullptr;
  }
  void listen(principle::Log<double>& log) override {
    if constexpr (requires { run_.also_tell(&log); }) run_.also_tell(&log);
  }

  Report report() const override {
    Report report;
    report.steps = steps();
    report.impacts = impacts();
    report.t = t();
    observer_.report(scene(), report);
    report.fallbacks = principle::fallbacks_of(run_);
    if (!model_->given.empty()) {  // how often a bound of a function's curvature was measured, not proved
      std::int64_t sampled = 0;
      for (const Given& given : model_->given) sampled += (*given).sampled();
      report.fallbacks.emplace_back("sampled", sampled);
    }
    return report;
  }

  Description describe() const override {
    Description d;
    const Node& node = run_.node();
    d.energy = body_.hamiltonian(node);
    d.kinetic = body_.kinetic(node);
    d.explicit_rule = discrete::is_explicit(body_.mechanics(), body_.rule());
    typename Body::Work work;
    typename Body::Normal normal;
    for (int i = 0; i < body_.gaps(); ++i) {
      const auto c = body_.contact(i, node, model_->step, normal, work);
      const bool closed = contact::closed(c) && !(body_.admissible(i, node) > contact::tolerance(c));
      d.gaps.push_back(
          {body_.gap_name(i), c.value, c.rate, closed, closed && contact::approaching(c), body_.moving(i)});
    }
    for (std::size_t s = 0; s < scene().symmetries.size(); ++s) {
      const Generator generator{model_->generators, static_cast<int>(s)};
      const auto defect = observe::symmetry_defect(body_, generator, node);
      const double momentum = observe::momentum_map(body_, generator, node);
      std::string why;
      if (std::isnan(defect.lagrangian))
        why = std::isfinite(momentum) ? "around the start there is no state to test it at"
                                      : "its generator is not a number at the start";
      if (defect.lagrangian > tolerance) why = "the Lagrangian changes along it";
      if (defect.boundary > tolerance)
        why += (why.empty() ? "" : ", and ") + ("it crosses the gap '" + body_.gap_name(defect.worst_gap) + "'");
      d.symmetries.push_back({scene().symmetries[s].name, momentum, defect.holds(tolerance), why});
    }
    return d;
  }

  double shadow_energy(std::span<const double> q, std::span<const double> p) const override {
    if (body_.constraints() > 0)
      throw Error(ErrorKind::invalid_model, "a system with bilateral constraints has no shadow energy");
    if (model_->rough) throw Error(ErrorKind::invalid_model, "a system with friction has no shadow energy");
    if (!shadow_) shadow_.emplace(body_, model_->step);
    const auto n = static_cast<Eigen::Index>(model_->n);
    return (*shadow_)(
        Node{0, Eigen::Map<const Eigen::VectorXd>(q.data(), n), Eigen::Map<const Eigen::VectorXd>(p.data(), n)});
  }

 private:
  /// A flight without a solution where the kinetic energy is the largest so far, and the speed grows by a good part of
  /// itself in a step and in the tenth of the time it has had: the motion itself may end (Ballard 2001, counter-example
  /// 2). What falls from rest has a speed that grows in its own time.
  void tell_blow_up(const Error& error) const {
    const Node& node = run_.node();
    const Vec v = body_.velocity(node);
    Vec a(model_->n);
    body_.mechanics().acceleration(node.q, v, node.t, a);
    const double gain = model_->step * v.dot(a) / v.squaredNorm();
    if (!(gain > 0.1) || !(10 * model_->step < gain * node.t)) return;
    if (body_.kinetic(node) < report().energy.scale / 2) return;
    throw Error(error.kind(),
                fmt::format("the motion blows up: at t = {:.6g} its speed grows by {:.2g} % in a step, without bound "
                            "about {:.2g} later if it goes on like this; {}",
                            node.t, 100 * gain, model_->step / gain, error.what()),
                body_.state(node));
  }
  static constexpr double tolerance = 1e-9;

  /// One declared symmetry as a functor.
  struct Generator {
    Function f;
    int s;
    template <class T>
    void operator()(Point<T> q, std::span<T> xi) const {
      const auto n = static_cast<int>(xi.size());
      for (int k = 0; k < n; ++k) xi[static_cast<std::size_t>(k)] = f(s * n + k, q, T(0));
    }
    void operator()(Point<double> q, std::span<double> xi) const { operator()<double>(q, xi); }
  };

  const Scene& scene() const { return model_->scene; }
  static std::span<const double> span(const Vec& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

  Node start_node() const {
    Node node = start_of(*model_, body_);
    if (body_.finite(node) && !std::isfinite(body_.hamiltonian(node)))
      fail(scene().system.position_place, "the energy is not finite at the start");
    if constexpr (!bodies::quadratic_energy<Body>())
      if (!scene().system.momentum) require_legendre(node, model_->v0);
    if (scene().impact.perturbed) perturb(node);
    return node;
  }
  /// The momentum of the start must be that of no other velocity: ∂²L/∂v² positive definite on the way there from rest.
  void require_legendre(const Node& node, const Vec& v) const {
    std::optional<Vec> back;
    try {
      back = body_.velocity(node);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::no_convergence) throw;
    }
    if (!back || !((*back - v).norm() <= 1e-6 * (1 + v.norm())))
      fail(scene().system.velocity_place,
           "the mass ∂²L/∂v² of the lagrangian is not positive definite all the way from rest to this velocity");
    require_mass(scene(), body_, node.q, v);
  }
  /// Opens the gaps that are closed and at rest with the speed the scene gives (Ballard 2001, counter-example 5: the
  /// same data have a motion that stays and one that leaves, and nothing but such a choice tells them apart).
  void perturb(Node& node) const {
    const bodies::ErasedBody<Body> body(body_);
    const auto gaps = bodies::own_gaps(body);
    const motion::Island<double> island(body, gaps.get());
    motion::Node<double> start = body.node(node);
    std::vector<motion::Covector> normals;
    motion::Covector normal;
    for (int i = 0; i < body_.gaps(); ++i) {
      const auto c = island.contact(i, start, model_->step, normal);
      if (contact::closed(c) && contact::resting(c) && !(body_.admissible(i, node) > contact::tolerance(c)))
        normals.push_back(normal);
    }
    if (normals.empty())
      fail(scene().impact.start_place, "start = \"perturbed\": no gap is closed and at rest at the start");
    contact::Delassus<double> kept;
    kept.keep_constraints(island, start, model_->step);
    for (auto& n : normals) kept.make_tangent(island, n);
    numerics::Symmetric<double> W;
    const auto k = static_cast<int>(normals.size());
    W.resize(k);
    std::vector<double> lambda(normals.size(), model_->perturbation);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j)
        W(i, j) = island.couple(normals[static_cast<std::size_t>(i)], normals[static_cast<std::size_t>(j)]);
    W.solve(lambda);
    for (std::size_t i = 0; i < normals.size(); ++i) island.kick(start, normals[i], lambda[i]);
    node = body.own(start);
  }

  Body body_;
  Run run_;
  Observer<Body, Run> observer_;
  Patience patience_;
  mutable std::optional<observe::ShadowEnergy<Body>> shadow_;
  StepCount count_;
};

template <class System>
std::unique_ptr<Simulation> simulate_by_principle(std::shared_ptr<const Model> model) {
  if (model->scene.integrator.principle == "weak")
    return std::make_unique<SimulationOf<System, WeakPrinciple>>(std::move(model));
  return std::make_unique<SimulationOf<System>>(std::move(model));
}

}  // namespace ricochet::scene
