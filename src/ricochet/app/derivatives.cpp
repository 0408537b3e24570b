#include "ricochet/app/derivatives.hpp"

#include <fmt/core.h>

#include "ricochet/record/derivatives.hpp"
#include "ricochet/scene/derivatives.hpp"

namespace ricochet::app {

void leave_derivatives(const scene::Model& of, const std::string& dir, bool quiet) {
  const auto table = scene::read_derivatives_table(of);
  if (!table) return;
  const auto model = std::make_shared<const scene::Model>(of);
  const auto run = scene::differentiate(model, *table);
  record::Derivatives d;
  d.coordinates = model->scene.system.coordinates;
  d.with_respect_to = run->labels();
  const auto n = model->n;
  const auto keep = [&] {
    const Eigen::MatrixXd J = run->derivative();
    d.t.push_back(run->t());
    d.step.push_back(run->steps());
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index k = 0; k < J.cols(); ++k) {
        d.q.push_back(J(i, k));
        d.p.push_back(J(n + i, k));
      }
  };
  // Without a word in the scene, about a thousand rows: derivatives are wide.
  std::int64_t every = 0;
  if (table->every)
    every = *table->every;
  else if (model->end)
    every = static_cast<std::int64_t>(*model->end / model->step / 1000) + 1;
  keep();
  while (!run->done()) {
    run->step();
    if (run->done() || (every > 0 && run->steps() % every == 0)) keep();
  }
  const auto& irregular = run->irregularities();
  d.irregular_count = irregular.count;
  for (const auto& x : irregular.first) d.irregular.push_back({std::string(name(x.kind)), x.gap, x.t, x.impact});
  record::write_derivatives(dir, d);
  if (quiet) return;
  fmt::print("Derivatives by {} numbers in {}/derivatives.h5", d.with_respect_to.size(), dir);
  if (irregular.count > 0) {
    const auto& first = irregular.first.front();
    fmt::print("; {} irregular point{}, the first at t = {:.6g} ({}): {}", irregular.count,
               irregular.count == 1 ? "" : "s", first.t, first.gap, sentence(first.kind));
  }
  fmt::print("\n");
}

}  // namespace ricochet::app
