// Contacts that last, on a fixed grid: massless tips in equilibrium (errata D9), and integrator 2 of Demoures 2016.
#include <cmath>

#include "ricochet/bodies/bar_redistributed.hpp"
#include "ricochet/bodies/bar_virtual_tip.hpp"
#include "ricochet/scene/bar_run.hpp"

namespace ricochet::scene {
namespace {

using Phases = std::vector<bodies::ContactPhase<double>>;

/// What both schemes share: a contact is a phase of a gap, with a beginning, an end and an impulse.
template <class Scheme>
class OnGrid : public BarRun {
 public:
  explicit OnGrid(const BarModel& model)
      : run_(model.spec, {model.threads}),
        contacts_(static_cast<std::size_t>(run_.line().gaps())),
        bars_(static_cast<std::size_t>(run_.line().bars())),
        energy_(run_.hamiltonian()) {
    for (Contact& contact : contacts_) contact.p.resize(bars_);
  }

  void step(double h) final {
    events_.clear();
    const double before = run_.t();
    for (std::size_t i = 0; i < contacts_.size(); ++i) contacts_[i].impulse_before = impulse(static_cast<int>(i));
    energy_ = advance(h);
    ++steps_;
    for (int i = 0; i < run_.line().gaps(); ++i) follow(i, before, h);
    forget();
  }

  double t() const final { return run_.t(); }
  std::int64_t steps() const final { return steps_; }
  double discrete_energy() const final { return energy_; }
  bodies::Readings<double> readings() const final { return run_.readings(); }
  const bodies::Chain<double>& chain() const final { return run_.chain(); }
  double stable_step() const final { return run_.stable_step(); }

 protected:
  /// A contact under way: when it began, the total impulse of its gap and the momenta of the bars then.
  struct Contact {
    bool touching = false;
    double from = 0, impulse = 0;
    std::vector<double> p;
    double impulse_before = 0;  ///< the total of the gap at the start of this step
  };

  virtual double advance(double h) = 0;  ///< one step; returns E_d
  virtual const Phases& phases(int gap) const = 0;
  virtual void forget() = 0;  ///< phases that have ended

  void save_contacts(ByteWriter& out) const {
    out.put(steps_);
    out.put(energy_);
    for (const Contact& c : contacts_) {
      out.put(c.touching), out.put(c.from), out.put(c.impulse);
      out.list(c.p);
    }
  }
  void restore_contacts(ByteReader& in) {
    in.get(steps_);
    in.get(energy_);
    for (Contact& c : contacts_) {
      in.get(c.touching), in.get(c.from), in.get(c.impulse);
      in.list(c.p);
      if (c.p.size() != bars_) throw std::out_of_range("other");
    }
  }
  static void get_list(ByteReader& in, std::vector<double>& list, std::size_t size) {
    in.list(list);
    if (list.size() != size) throw std::out_of_range("other");
  }

  Scheme run_;
  std::vector<Contact> contacts_;
  std::size_t bars_;
  std::int64_t steps_ = 0;
  double energy_;  ///< E_d of the last interval

 private:
  void follow(int gap, double before, double h) {
    Contact& contact = contacts_[static_cast<std::size_t>(gap)];
    for (const auto& phase : phases(gap)) {
      if (!contact.touching) {
        contact.touching = true, contact.from = phase.begin;
        tell(ContactEvent::begins, gap, phase.begin, (phase.begin - before) / h, contact);
      }
      if (!std::isnan(phase.end)) {
        tell(ContactEvent::ends, gap, phase.end, (phase.end - before) / h, contact);
        contact.touching = false;
      }
    }
  }
  /// States are those at the end of the step. The momenta at a beginning are without what the contact did in it: the
  /// line of its end then says p⁺ = p⁻ + λ∇φ for the contact as a whole.
  void tell(ContactEvent::Kind kind, int gap, double t, double alpha, Contact& contact) {
    ContactEvent event;
    event.kind = kind;
    event.t = t, event.alpha = alpha, event.from = contact.from;
    event.gaps = {gap};
    event.energy_before = event.energy_after = measure(readings(), &event.q, &event.p_plus);
    if (kind == ContactEvent::begins) {
      contact.impulse = contact.impulse_before;
      contact.p = event.p_plus;
      const double done = impulse(gap) - contact.impulse_before;
      const auto& between = run_.line().gap(gap);
      if (between.left >= 0) contact.p[static_cast<std::size_t>(between.left)] += done;
      if (between.right >= 0) contact.p[static_cast<std::size_t>(between.right)] -= done;
      event.p_plus = contact.p;
      event.multipliers = {0.0};
    } else {
      event.multipliers = {impulse(gap) - contact.impulse};
    }
    event.p_minus = contact.p;
    events_.push_back(std::move(event));
  }
};

class Redistributed final : public OnGrid<bodies::RedistributedBars<double>> {
 public:
  using OnGrid::OnGrid;

  std::int64_t glide(double h, std::int64_t n) override {
    if (run_.chain().nodes() < 1024) return 0;
    const int quiet = run_.quiet_steps(h, n);
    if (quiet > 0) run_.step(h, quiet);
    steps_ += quiet;
    return quiet;
  }
  double impulse(int gap) const override { return run_.contact(gap).impulse(); }
  std::string closure() const override { return name(ContactScheme::redistributed); }
  std::vector<std::pair<std::string, std::int64_t>> fallbacks() const override { return {}; }

  void save(ByteWriter& out) const override {
    save_contacts(out);
    out.list(run_.q());
    out.list(run_.p());
    const auto clock = run_.clock();
    out.put(clock.t_start), out.put(clock.h), out.put(clock.k);
    for (int i = 0; i < run_.line().gaps(); ++i) {
      const auto s = run_.contact(i).state();
      out.put(s.t), out.put(s.gap), out.put(s.impulse);
    }
  }
  void restore(ByteReader& in) override {
    restore_contacts(in);
    std::vector<double> q, p;
    get_list(in, q, run_.q().size());
    get_list(in, p, run_.p().size());
    auto clock = run_.clock();
    in.get(clock.t_start), in.get(clock.h), in.get(clock.k);
    run_.restore(clock, q, p);
    for (int i = 0; i < run_.line().gaps(); ++i) {
      auto s = run_.contact(i).state();
      in.get(s.t), in.get(s.gap), in.get(s.impulse);
      run_.contact_log(i).restore(s, contacts_[static_cast<std::size_t>(i)].from);
    }
  }

 private:
  double advance(double h) override { return run_.measured_step(h); }
  const Phases& phases(int gap) const override { return run_.contact(gap).phases(); }
  void forget() override {
    for (int i = 0; i < run_.line().gaps(); ++i) run_.contact_log(i).forget();
  }
};

class VirtualTip final : public OnGrid<bodies::VirtualTipBars<double>> {
 public:
  using OnGrid::OnGrid;

  std::int64_t glide(double, std::int64_t) override { return 0; }
  double impulse(int gap) const override { return run_.impulse(gap); }
  std::string closure() const override { return name(ContactScheme::virtual_tip); }
  std::vector<std::pair<std::string, std::int64_t>> fallbacks() const override {
    return {{"unbalanced_crossing", run_.unbalanced()}};
  }

  void save(ByteWriter& out) const override {
    save_contacts(out);
    const auto s = run_.state();
    out.list(s.q);
    out.list(s.p);
    out.list(s.impulse);
    out.list(s.closed);
    for (const double x : {s.t_start, s.h, s.potential, s.energy}) out.put(x);
    for (const long long x : {s.k, s.crossings, s.unbalanced}) out.put(x);
  }
  void restore(ByteReader& in) override {
    restore_contacts(in);
    auto s = run_.state();
    get_list(in, s.q, s.q.size());
    get_list(in, s.p, s.p.size());
    get_list(in, s.impulse, contacts_.size());
    in.list(s.closed);
    if (s.closed.size() != contacts_.size()) throw std::out_of_range("other");
    for (double* x : {&s.t_start, &s.h, &s.potential, &s.energy}) in.get(*x);
    for (long long* x : {&s.k, &s.crossings, &s.unbalanced}) in.get(*x);
    std::vector<double> begin;
    for (const Contact& c : contacts_) begin.push_back(c.from);
    run_.restore(s, begin);
  }

 private:
  double advance(double h) override {
    run_.step(h);
    return run_.discrete_energy();
  }
  const Phases& phases(int gap) const override { return run_.phases(gap); }
  void forget() override { run_.forget(); }
};

}  // namespace

std::unique_ptr<BarRun> run_redistributed(const BarModel& model) { return std::make_unique<Redistributed>(model); }
std::unique_ptr<BarRun> run_virtual_tip(const BarModel& model) { return std::make_unique<VirtualTip>(model); }

}  // namespace ricochet::scene
