#include "ricochet/app/derivatives.hpp"

#include <fmt/core.h>

#include "ricochet/error.hpp"
#include "ricochet/record/derivatives.hpp"
#include "ricochet/record/summary.hpp"
#include "ricochet/scene/derivatives.hpp"

namespace ricochet::app {
namespace {

/// Rows of a run whose length may not be known: every `every` steps, and where nothing was asked for and they become
/// more than two thousand, every other one is dropped and the next come half as often.
class Rows {
 public:
  Rows(record::Derivatives& to, Eigen::Index n, std::int64_t every, bool thin)
      : d_(to), n_(n), every_(every), thin_(thin) {}

  bool due(std::int64_t step) const { return every_ > 0 && step % every_ == 0; }
  void keep(const scene::DifferentiatedSimulation& run) {
    if (thin_ && d_.t.size() >= 2000) drop_every_other();
    const Eigen::MatrixXd J = run.derivative();
    width_ = static_cast<std::size_t>(n_ * J.cols());
    d_.t.push_back(run.t());
    d_.step.push_back(run.steps());
    for (Eigen::Index i = 0; i < n_; ++i)
      for (Eigen::Index k = 0; k < J.cols(); ++k) {
        d_.q.push_back(J(i, k));
        d_.p.push_back(J(n_ + i, k));
      }
  }

 private:
  void drop_every_other() {
    every_ *= 2;
    std::size_t kept = 0;
    for (std::size_t row = 0; row < d_.t.size(); ++row) {
      if (!due(d_.step[row])) continue;
      d_.t[kept] = d_.t[row];
      d_.step[kept] = d_.step[row];
      for (auto* x : {&d_.q, &d_.p})
        for (std::size_t i = 0; i < width_; ++i) (*x)[kept * width_ + i] = (*x)[row * width_ + i];
      ++kept;
    }
    d_.t.resize(kept), d_.step.resize(kept);
    d_.q.resize(kept * width_), d_.p.resize(kept * width_);
  }

  record::Derivatives& d_;
  Eigen::Index n_;
  std::int64_t every_;
  bool thin_;
  std::size_t width_ = 0;
};

/// One entry per kind in summary.json, an empty list where there are none: readers of the summary alone must not take
/// a matrix for the derivative where it is none.
void leave_in_summary(const std::filesystem::path& dir, const tangent::Irregularities& irregular) {
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
  if (model.bars)
    throw Error(ErrorKind::bad_scene,
                model.scene.name + ".toml: " + what + " a [system] of coordinates; this is a scene of bars");
}

bool leave_derivatives(const scene::Model& of, const std::string& dir, bool quiet, const std::function<bool()>& stop) {
  const auto table = scene::read_derivatives_table(of);
  if (!table) return true;
  const auto model = std::make_shared<const scene::Model>(of);
  const auto run = scene::differentiate(model, *table);
  record::Derivatives d;
  d.coordinates = run->coordinates();
  d.with_respect_to = run->labels();
  // Without a word in the scene, about a thousand rows: derivatives are wide. Those of bars, by every node, are wider
  // still: the end alone.
  std::int64_t every = 1;
  if (table->every)
    every = *table->every;
  else if (model->bars)
    every = 0;
  else if (model->end)
    every = static_cast<std::int64_t>(*model->end / model->step / 1000) + 1;
  Rows rows(d, static_cast<Eigen::Index>(d.coordinates.size()), every, !table->every);
  rows.keep(*run);
  while (!run->done()) {
    if (stop()) return false;
    run->step();
    if (run->done() || rows.due(run->steps())) rows.keep(*run);
  }
  const auto& irregular = run->irregularities();
  d.irregular_count = irregular.count;
  for (const auto& x : irregular.first) d.irregular.push_back({std::string(name(x.kind)), x.gap, x.t, x.impact});
  record::write_derivatives(dir, d);
  leave_in_summary(dir, irregular);
  if (quiet) return true;
  fmt::print("Derivatives by {} numbers in {}/derivatives.h5\n", d.with_respect_to.size(), dir);
  tell(irregular);
  return true;
}

}  // namespace ricochet::app
