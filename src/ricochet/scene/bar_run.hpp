// A run of bars under one of the contact schemes, as a scene drives it.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/bodies/bars/readings.hpp"
#include "ricochet/scene/bar_model.hpp"
#include "ricochet/scene/bytes.hpp"
#include "ricochet/scene/contact_event.hpp"
#include "ricochet/scene/derivatives.hpp"

namespace ricochet::scene {

class BarRun {
 public:
  virtual ~BarRun() = default;

  /// One step; what happened in it is in events(), and E_d is that of its last interval.
  virtual void step(double h) = 0;
  /// Up to n steps that nobody looks at and in which no contact begins, ends or acts by an impulse; 0 where there may
  /// be one, or where single steps are as fast. The bits are those of step().
  virtual std::int64_t glide(double h, std::int64_t n) = 0;

  virtual double t() const = 0;
  virtual std::int64_t steps() const = 0;
  virtual double discrete_energy() const = 0;
  virtual bodies::Readings<double> readings() const = 0;
  virtual const bodies::Chain<double>& chain() const = 0;
  virtual double stable_step() const = 0;
  virtual double impulse(int gap) const = 0;  ///< of all contacts so far
  virtual std::string closure() const = 0;
  virtual std::vector<std::pair<std::string, std::int64_t>> fallbacks() const = 0;

  /// As of a Simulation, where the scheme has them.
  virtual std::unique_ptr<Derivatives> derivatives(const DerivativesTable&) { return nullptr; }
  virtual void listen(principle::Log<double>&) {}

  virtual void save(ByteWriter& out) const = 0;
  virtual void restore(ByteReader& in) = 0;  ///< throws std::out_of_range where the bytes do not fit

  const std::vector<ContactEvent>& events() const { return events_; }

  /// The gap as one sees it: tips that are pressed together have none.
  double gap(int i) const {
    const double phi = readings().gap(i);
    return chain().link(i).on && phi < 0 ? 0 : phi;
  }
  void centres(std::vector<double>& out) const { measure(readings(), &out, nullptr); }
  void momenta(std::vector<double>& out) const { measure(readings(), nullptr, &out); }

 protected:
  /// A list of a checkpoint, which must be as long as the one that is there.
  template <class List>
  static void get_list(ByteReader& in, List& list) {
    const std::size_t size = list.size();
    in.list(list);
    if (list.size() != size) throw std::out_of_range("other");
  }
  /// Centres of mass and momenta of the bars in a state; returns its energy.
  double measure(const bodies::Readings<double>& state, std::vector<double>* q, std::vector<double>* p) const {
    const auto& line = chain().line();
    double energy = 0;
    if (q != nullptr) q->resize(static_cast<std::size_t>(line.bars()));
    if (p != nullptr) p->resize(static_cast<std::size_t>(line.bars()));
    for (int b = 0; b < line.bars(); ++b) {
      const auto bar = state.bar(b);
      energy += bar.energy();
      const auto i = static_cast<std::size_t>(b);
      if (q != nullptr) (*q)[i] = line.bar(b).position + line.bar(b).length / 2 + bar.shift;
      if (p != nullptr) (*p)[i] = bar.momentum;
    }
    return energy;
  }

  std::vector<ContactEvent> events_;
};

std::unique_ptr<BarRun> run_located(const BarModel& model);
std::unique_ptr<BarRun> run_redistributed(const BarModel& model);
std::unique_ptr<BarRun> run_virtual_tip(const BarModel& model);

}  // namespace ricochet::scene
