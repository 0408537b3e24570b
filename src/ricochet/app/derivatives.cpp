#include "ricochet/app/derivatives.hpp"

#include <fmt/core.h>

#include "ricochet/error.hpp"
#include "ricochet/record/derivatives.hpp"
#include "ricochet/record/summary.hpp"
#include "ricochet/scene/derivatives.hpp"
#include "ricochet/scene/document.hpp"
#include "ricochet/scene/kind.hpp"

namespace ricochet::app {
namespace {

/// One entry per kind in summary.json, an empty list where there are none: readers of the summary alone must not take
/// a matrix for the derivative where it is none.
void leave_in_summary(const std::filesystem::path& dir, const tangent::Irregularities& irregular,
                      const std::string& digest) {
  const std::filesystem::path path = dir / "summary.json";
  record::Summary summary = record::summary_from_json(record::read_text(path), path);
  record::Summary::Rows rows;
  for (std::size_t k = 0; k < tangent::irregular_kinds; ++k) {
    if (irregular.of_kind[k] == 0) continue;
    for (const auto& x : irregular.first) {
      if (static_cast<std::size_t>(x.kind) != k) continue;
      rows.push_back({{"kind", std::string(name(x.kind))},
                      {"count", static_cast<std::int64_t>(irregular.of_kind[k])},
                      {"t", x.t},
                      {"gap", x.gap},
                      {"meaning", std::string(sentence(x.kind))}});
      break;
    }
  }
  std::erase_if(summary.extra, [](const auto& entry) { return entry.first == "irregular_derivatives"; });
  summary.extra.emplace_back("irregular_derivatives", std::move(rows));
  std::erase_if(summary.digests, [](const auto& entry) { return entry.first == "derivatives.h5"; });
  if (!summary.digests.empty()) summary.digests.emplace_back("derivatives.h5", digest);
  record::replace_file(path, record::to_json(summary), false);
}

void tell(const tangent::Irregularities& irregular) {
  for (std::size_t k = 0; k < tangent::irregular_kinds; ++k) {
    if (irregular.of_kind[k] == 0) continue;
    for (const auto& x : irregular.first)
      if (static_cast<std::size_t>(x.kind) == k) {
        fmt::print("{} irregular point{} ({}), the first at t = {:.6g}{}: {}\n", irregular.of_kind[k],
                   irregular.of_kind[k] == 1 ? "" : "s", name(x.kind), x.t,
                   x.gap.empty() ? std::string() : fmt::format(" ({})", x.gap), sentence(x.kind));
        break;
      }
  }
}

}  // namespace

void require_coordinates(const scene::Model& model, const std::string& what) {
  if (const scene::Kind& kind = *model.scene.kind; !kind.has_functions())
    throw Error(ErrorKind::bad_scene, model.scene.name + ".toml: " + what +
                                          " a [system] of coordinates; this is a scene of " + std::string(kind.name()));
}

/// Rows of a run whose length may not be known: every `every` steps, and where nothing was asked for and they become
/// more than two thousand, every other one is dropped and the next come half as often.
class DerivativesOfRun::Rows {
 public:
  Rows(const scene::Model& model, const scene::DerivativesTable& table) : thin_(!table.every) {
    // Without a word in the scene, about a thousand rows: derivatives are wide. Those by every node of a body are wider
    // still: the end alone.
    if (table.every)
      every_ = *table.every;
    else if (!model.scene.kind->has_functions())
      every_ = 0;
    else if (model.end)
      every_ = static_cast<std::int64_t>(*model.end / model.step / 1000) + 1;
  }

  void start(const scene::Derivatives& derivatives, double t) {
    d_.coordinates = derivatives.coordinates();
    d_.with_respect_to = derivatives.labels();
    keep(derivatives, 0, t);
  }
  void step(const scene::Derivatives& derivatives, std::int64_t step, double t) {
    last_step_ = step, last_t_ = t;
    if (every_ > 0 && step % every_ == 0) keep(derivatives, step, t);
  }
  /// With the last step, whatever its number.
  record::Derivatives take(const scene::Derivatives& derivatives) {
    if (last_step_ > d_.step.back()) keep(derivatives, last_step_, last_t_);
    const auto& irregular = derivatives.irregularities();
    d_.irregular_count = irregular.count;
    for (const auto& x : irregular.first) d_.irregular.push_back({std::string(name(x.kind)), x.gap, x.t, x.impact});
    return std::move(d_);
  }

 private:
  void keep(const scene::Derivatives& derivatives, std::int64_t step, double t) {
    if (thin_ && d_.t.size() >= 2000) drop_every_other();
    const Eigen::MatrixXd J = derivatives.columns();
    const auto n = static_cast<Eigen::Index>(d_.coordinates.size());
    width_ = static_cast<std::size_t>(n * J.cols());
    d_.t.push_back(t);
    d_.step.push_back(step);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index k = 0; k < J.cols(); ++k) {
        d_.q.push_back(J(i, k));
        d_.p.push_back(J(n + i, k));
      }
  }
  void drop_every_other() {
    every_ *= 2;
    std::size_t kept = 0;
    for (std::size_t row = 0; row < d_.t.size(); ++row) {
      if (d_.step[row] % every_ != 0) continue;
      d_.t[kept] = d_.t[row];
      d_.step[kept] = d_.step[row];
      for (auto* x : {&d_.q, &d_.p})
        for (std::size_t i = 0; i < width_; ++i) (*x)[kept * width_ + i] = (*x)[row * width_ + i];
      ++kept;
    }
    d_.t.resize(kept), d_.step.resize(kept);
    d_.q.resize(kept * width_), d_.p.resize(kept * width_);
  }

  record::Derivatives d_;
  std::int64_t every_ = 1, last_step_ = 0;
  double last_t_ = 0;
  bool thin_;
  std::size_t width_ = 0;
};

struct DerivativesOfRun::State {
  State(std::shared_ptr<const scene::Model> of, scene::DerivativesTable by)
      : model(std::move(of)), table(std::move(by)), rows(*model, table) {}

  /// A run that is flown for its derivatives alone; false where `stop` said so.
  bool fly(const std::function<bool()>& stop) {
    flight = scene::differentiate(model, table);
    rows.start(flight->derivatives(), flight->t());
    while (!flight->done()) {
      if (stop()) return false;
      flight->step();
      rows.step(flight->derivatives(), flight->steps(), flight->t());
    }
    return true;
  }

  std::shared_ptr<const scene::Model> model;
  scene::DerivativesTable table;
  Rows rows;
  std::unique_ptr<scene::Derivatives> followed;
  std::unique_ptr<scene::DifferentiatedSimulation> flight;
};

DerivativesOfRun::DerivativesOfRun(scene::Simulation& simulation) : DerivativesOfRun(simulation.shared_model()) {
  if (!state_) return;
  try {
    state_->followed = simulation.derivatives(state_->table);
  } catch (const Error&) {  // said when the run is finished, which it is to be in spite of it
  }
  if (!state_->followed) return;
  State& s = *state_;
  s.rows.start(*s.followed, simulation.t());
  simulation.listen(s.followed->guarded([&s](std::int64_t step, double t) { s.rows.step(*s.followed, step, t); }));
}
DerivativesOfRun::DerivativesOfRun(std::shared_ptr<const scene::Model> model) {
  if (const auto table = scene::read_derivatives_table(*model))
    state_ = std::make_unique<State>(std::move(model), *table);
}
DerivativesOfRun::~DerivativesOfRun() = default;

bool DerivativesOfRun::asked() const { return state_ != nullptr; }

bool DerivativesOfRun::leave(const std::string& dir, bool quiet, const std::function<bool()>& stop) {
  if (!asked()) return true;
  if (state_->followed)
    state_->followed->require_whole();
  else if (!state_->fly(stop))
    return false;
  const scene::Derivatives& derivatives = state_->followed ? *state_->followed : state_->flight->derivatives();
  const record::Derivatives d = state_->rows.take(derivatives);
  leave_in_summary(dir, derivatives.irregularities(), record::write_derivatives(dir, d));
  if (quiet) return true;
  fmt::print("Derivatives by {} numbers in {}/derivatives.h5\n", d.with_respect_to.size(), scene::in_one_line(dir));
  tell(derivatives.irregularities());
  return true;
}

}  // namespace ricochet::app
