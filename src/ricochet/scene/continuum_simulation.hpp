// A run of bars or beams: the plan of its steps, what is recorded when, and the books that reports and checkpoints
// need.
#pragma once

#include <string>
#include <vector>

#include "ricochet/observe/monitor.hpp"
#include "ricochet/scene/bytes.hpp"
#include "ricochet/scene/contact_event.hpp"
#include "ricochet/scene/kept.hpp"
#include "ricochet/scene/patience.hpp"
#include "ricochet/scene/simulation.hpp"
#include "ricochet/scene/step_count.hpp"

namespace ricochet::scene {

class ContinuumSimulation : public Simulation {
 public:
  std::int64_t impacts() const override { return events_; }
  std::span<const double> q() const override { return q_; }
  std::span<const double> p() const override { return p_; }
  bool done() const override;

  void begin(Sink& sink) override;
  void advance(std::int64_t steps, Sink& sink) override;
  void conclude(Sink& sink) override;
  std::string save() const override;
  void restore(std::string_view bytes) override;

 protected:
  ContinuumSimulation(std::shared_ptr<const Model> model, std::int64_t fields_every);

  // ---- what bars and beams do each in their own way ----------------------------------------------------------------

  virtual const std::vector<ContactEvent>& fly(double h) = 0;
  /// Up to n steps that nobody looks at, where they are faster than single ones.
  virtual std::int64_t glide(double, std::int64_t) { return 0; }
  /// Sets energy_, kinetic_, momentum_, q_, p_ and gaps_ to the present state: O(nodes), as a step is.
  virtual void look() = 0;
  virtual double discrete_energy() const = 0;
  virtual void record_mesh(Sink& sink) = 0;
  virtual void record_row(Sink& sink) = 0;
  virtual void record_fields(Sink& sink) = 0;
  /// What a checkpoint must begin with to be of this scene.
  virtual void identify(ByteWriter& out) const = 0;
  virtual void save_run(ByteWriter& out) const = 0;
  virtual void restore_run(ByteReader& in) = 0;  ///< throws std::out_of_range where the bytes do not fit

  // ---- what they share ---------------------------------------------------------------------------------------------

  void refresh();          ///< look(), and stop a run whose energy is no longer finite
  double min_gap() const;  ///< of all that was looked at, and of the present state
  Report books() const;
  /// "limit" and "fields" of a description.
  void describe_plan(Description& d, double stable_step, std::size_t nodes) const;
  const std::string& gap_name(int gap) const { return model_->scene.gaps[static_cast<std::size_t>(gap)].name; }

  std::vector<double> q_, p_, gaps_, momentum_, row_;
  double energy_ = 0, kinetic_ = 0;

 private:
  static constexpr std::int64_t tested_every = 4096;  ///< steps, for numbers that are no longer finite

  std::int64_t before_next_look() const;
  void step(Sink& sink);
  void note();
  void record(Sink& sink);
  void tell(const ContactEvent& event, Sink& sink);

  std::int64_t every_, fields_every_;
  std::int64_t events_ = 0, recorded_ = -1, fields_recorded_ = -1;
  StepCount count_;
  Patience patience_;
  observe::Range<double> range_, discrete_;
  std::vector<observe::Range<double>> momentum_ranges_;  ///< one per symmetry, as momentum_
  double largest_kinetic_ = 0;
  double min_gap_ = std::numeric_limits<double>::infinity();
  Kept<Report::Contact> contacts_;
  std::vector<std::string_view> acting_;
};

}  // namespace ricochet::scene
