// `ricochet solve-bvp`: the weak and the strong solutions of a two-point problem (Leine 2009, section 8).
#include <fmt/core.h>

#include "ricochet/app/commands.hpp"
#include "ricochet/app/paths.hpp"
#include "ricochet/scene/boundary.hpp"

namespace ricochet::app {
namespace {

using Solution = principle::BoundarySolution<double>;

void print(const scene::Model& model, const std::vector<Solution>& list) {
  fmt::print("{:>4}  {:>18}  {:<5}  {:<6}  percussions\n", "", "action", "first", "second");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Solution& s = list[i];
    std::string percussions;
    for (const auto& p : s.percussions)
      percussions +=
          fmt::format("{}{:.6g} by {} at t = {:.12g}", percussions.empty() ? "" : ", ", p.impulse,
                      model.scene.gaps[static_cast<std::size_t>(p.gap)].name, s.t[static_cast<std::size_t>(p.node)]);
    fmt::print("{:>4}  {:>18.12g}  {:<5}  {:<6}  {}\n", i + 1, s.action, s.first ? "yes" : "no",
               s.second ? "yes" : "no", percussions.empty() ? "none" : percussions);
  }
}

}  // namespace

int solve_bvp(const std::string& scene, const std::vector<std::string>& overrides) {
  const auto model = scene::compile(scene::load_scene(find_scene(scene), overrides));
  const auto table = scene::read_boundary_table(*model);
  const auto solutions = scene::solve_boundary(*model, table);
  fmt::print("{}\n", scene::in_one_line(model->scene.title.empty() ? model->scene.name : model->scene.title));
  fmt::print("{} inner points on [{:.6g}, {:.6g}]; first and second: the Weierstrass-Erdmann conditions\n",
             table.points, table.t0, table.tf);
  fmt::print("\n{} weak solutions on the uniform grid\n", solutions.weak.size());
  print(*model, solutions.weak);
  fmt::print("\n{} strong solutions (times of the nodes free, at most one impact)\n", solutions.strong.size());
  print(*model, solutions.strong);
  return 0;
}

}  // namespace ricochet::app
