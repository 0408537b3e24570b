// Contacts that last, on a fixed grid: massless tips in equilibrium (errata D9), and integrator 2 of Demoures 2016.
#include <algorithm>

#include "ricochet/bodies/bars/elastic.hpp"
#include "ricochet/principle/grid/massless_tips.hpp"
#include "ricochet/principle/grid/virtual_tip.hpp"
#include "ricochet/scene/bar_run.hpp"

namespace ricochet::scene {
namespace {

namespace grid = principle::grid;

/// What both schemes share: a contact is a phase of a gap, with a beginning, an end and an impulse.
template <class Scheme>
class OnGrid : public BarRun, private principle::Log<double> {
 public:
  explicit OnGrid(const BarModel& model)
      : run_(model.spec, {model.threads}), contacts_(static_cast<std::size_t>(run_.line().gaps())) {
    for (Contact& contact : contacts_) contact.p.resize(static_cast<std::size_t>(run_.line().bars()));
  }

  void step(double h) final {
    events_.clear();
    changes_.clear();
    before_ = run_.t();
    h_ = h;
    for (std::size_t i = 0; i < contacts_.size(); ++i) contacts_[i].impulse_before = impulse(static_cast<int>(i));
    run_.run(h, 1, *this);
    // Events are told gap by gap.
    std::stable_sort(changes_.begin(), changes_.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
    for (const Change& change : changes_) tell(change);
    run_.forget();
  }

  double t() const final { return run_.t(); }
  std::int64_t steps() const final { return run_.steps(); }
  double discrete_energy() const final { return run_.discrete_energy(); }
  bodies::Readings<double> readings() const final { return run_.readings(); }
  const bodies::Chain<double>& chain() const final { return run_.chain(); }
  double stable_step() const final { return run_.stable_step(); }
  double impulse(int gap) const final { return run_.contact(gap).impulse(); }

  void save(ByteWriter& out) const final {
    const auto s = run_.state();
    for (const double x : {s.clock.start, s.clock.grid, s.clock.h, s.energy}) out.put(x);
    for (const long long x : {s.clock.steps, s.clock.grid_steps}) out.put(x);
    out.list(s.q);
    out.list(s.p);
    out.list(s.impulses);
    out.list(s.touching);
    for (const Contact& c : contacts_) {
      out.put(c.from), out.put(c.impulse);
      out.list(c.p);
    }
    save_rest(out, s);
  }
  void restore(ByteReader& in) final {
    auto s = run_.state();
    for (double* x : {&s.clock.start, &s.clock.grid, &s.clock.h, &s.energy}) in.get(*x);
    for (long long* x : {&s.clock.steps, &s.clock.grid_steps}) in.get(*x);
    get_list(in, s.q);
    get_list(in, s.p);
    get_list(in, s.impulses);
    get_list(in, s.touching);
    std::vector<double> begin;
    for (Contact& c : contacts_) {
      in.get(c.from), in.get(c.impulse);
      get_list(in, c.p);
      begin.push_back(c.from);
    }
    restore_rest(in, s);
    run_.restore(s, begin);
  }

 protected:
  using State = typename Scheme::State;

  /// What a scheme adds to the state.
  virtual void save_rest(ByteWriter& out, const State& s) const = 0;
  virtual void restore_rest(ByteReader& in, State& s) const = 0;

  Scheme run_;

 private:
  /// A contact under way: when it began, the total impulse of its gap and the momenta of the bars then.
  struct Contact {
    double from = 0, impulse = 0;
    std::vector<double> p;
    double impulse_before = 0;  ///< the total of the gap at the start of this step
  };
  /// A contact begins or ends.
  struct Change {
    int gap;
    double t;
    bool begins;
  };

  // ---- what the scheme tells

  void contact(int gap, double t, bool begins) override { changes_.push_back({gap, t, begins}); }

  /// States are those at the end of the step. The momenta at a beginning are without what the contact did in it: the
  /// line of its end then says p⁺ = p⁻ + λ∇φ for the contact as a whole.
  void tell(const Change& change) {
    const int gap = change.gap;
    Contact& contact = contacts_[static_cast<std::size_t>(gap)];
    if (change.begins) contact.from = change.t;
    ContactEvent event;
    event.kind = change.begins ? ContactEvent::begins : ContactEvent::ends;
    event.t = change.t, event.alpha = (change.t - before_) / h_, event.from = contact.from;
    event.gaps = {gap};
    event.energy_before = event.energy_after = measure(readings(), &event.q, &event.p_plus);
    if (change.begins) {
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

  std::vector<Contact> contacts_;
  std::vector<Change> changes_;
  double before_ = 0, h_ = 0;
};

class Redistributed final : public OnGrid<grid::MasslessTips<bodies::ElasticBars<double>>> {
 public:
  using OnGrid::OnGrid;

  std::int64_t glide(double h, std::int64_t n) override { return run_.glide(h, n); }
  std::string closure() const override { return name(ContactScheme::redistributed); }
  std::vector<std::pair<std::string, std::int64_t>> fallbacks() const override { return {}; }

 private:
  void save_rest(ByteWriter& out, const State& s) const override {
    for (const auto& gap : s.gaps) out.put(gap.t), out.put(gap.gap);
  }
  void restore_rest(ByteReader& in, State& s) const override {
    for (auto& gap : s.gaps) in.get(gap.t), in.get(gap.gap);
  }
};

class VirtualTip final : public OnGrid<grid::VirtualTip<bodies::ElasticBars<double>>> {
 public:
  using OnGrid::OnGrid;

  std::int64_t glide(double, std::int64_t) override { return 0; }
  std::string closure() const override { return name(ContactScheme::virtual_tip); }
  std::vector<std::pair<std::string, std::int64_t>> fallbacks() const override {
    return principle::fallbacks_of(run_, principle::first_of_grid, principle::Fallback::count_);
  }

 private:
  void save_rest(ByteWriter& out, const State& s) const override { out.put(s.crossings), out.put(s.unbalanced); }
  void restore_rest(ByteReader& in, State& s) const override { in.get(s.crossings), in.get(s.unbalanced); }
};

}  // namespace

std::unique_ptr<BarRun> run_redistributed(const BarModel& model) { return std::make_unique<Redistributed>(model); }
std::unique_ptr<BarRun> run_virtual_tip(const BarModel& model) { return std::make_unique<VirtualTip>(model); }

}  // namespace ricochet::scene
