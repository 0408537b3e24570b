// `ricochet check`: validate and describe.
#include <fmt/core.h>

#include "ricochet/app/commands.hpp"
#include "ricochet/app/paths.hpp"
#include "ricochet/scene/boundary.hpp"
#include "ricochet/scene/derivatives.hpp"
#include "ricochet/scene/simulation.hpp"

namespace ricochet::app {

int check(const std::string& path, const std::vector<std::string>& overrides) {
  const auto simulation = scene::simulate(scene::load_scene(find_scene(path), overrides));
  const scene::Model& model = simulation->model();
  const scene::Scene& scene = model.scene;
  const scene::Description d = simulation->describe();
  scene::check_boundary_table(model);
  const auto derivatives = scene::read_derivatives_table(model);  // what is wrong is said before the rest

  fmt::print("{}\n", scene::in_one_line(scene.title.empty() ? scene.name : scene.title));
  for (const auto& [word, text] : d.lines) fmt::print("{:<12} {}\n", word, text);
  if (!d.lines.empty()) {
    fmt::print("time         steps of {:.6g} until {}\n", model.step,
               model.end ? fmt::format("t = {:.6g}", *model.end) : fmt::format("{} contact events", *model.impacts));
    fmt::print("energy       {:.17g} at the start, {:.17g} of it kinetic\n", d.energy, d.kinetic);
    return 0;
  }
  std::string coordinates;
  for (const auto& name : scene.system.coordinates) coordinates += (coordinates.empty() ? "" : ", ") + name;
  fmt::print("system       {} coordinate{} ({}), {}\n", model.n, model.n == 1 ? "" : "s", coordinates,
             model.constant_mass       ? "constant mass"
             : scene.system.lagrangian ? "Lagrangian"
                                       : "mass depends on the configuration");
  if (model.timed) fmt::print("             depends explicitly on time\n");
  std::string end;
  if (model.end) end = fmt::format("until t = {:.6g}", *model.end);
  if (model.impacts) end += fmt::format("{}{} impacts", end.empty() ? "until " : " or ", *model.impacts);
  fmt::print("time         steps of {:.6g} {}\n", model.step, end);
  // The weak principle has no closure: no impact lies inside a step.
  fmt::print("integrator   {} principle, {} rule ({}){}\n", scene.integrator.principle, scene.integrator.rule,
             d.explicit_rule ? "explicit" : "implicit",
             scene.integrator.principle == "weak" ? "" : ", " + simulation->closure() + " closure");
  if (scene.integrator.closure == "auto" && simulation->closure() == "interpolated")
    fmt::print("             chosen by auto to keep the energy: an impact costs some 30 times that of variational\n");
  fmt::print("energy       {:.17g} at the start, {:.17g} of it kinetic\n", d.energy, d.kinetic);
  for (const auto& force : scene.forces) fmt::print("force        {}\n", force.name);
  for (const auto& constraint : scene.constraints) fmt::print("constraint   {}\n", constraint.name);
  std::size_t active = 0;
  for (std::size_t i = 0; i < d.gaps.size(); ++i) {
    const auto& gap = d.gaps[i];
    active += gap.closed;
    fmt::print("gap          {}: {:.6g} at the start, {}{}; {} law\n", gap.name, gap.value,
               gap.approaching ? "closed and approaching: an impact at t = 0"
               : gap.closed    ? "closed (active)"
                               : "open",
               gap.moving ? ", moves with time" : "", model.laws[i]);
  }
  if (!d.gaps.empty()) fmt::print("active gaps  {} of {}\n", active, d.gaps.size());
  if (const auto& table = derivatives) {
    std::string by;
    for (const auto& [asked, word] :
         {std::pair{table->position, "position"}, {table->velocity, "velocity"}, {table->momentum, "momentum"}})
      if (asked) by += (by.empty() ? "" : ", ") + std::string(word);
    for (const auto& parameter : table->parameters) by += (by.empty() ? "" : ", ") + parameter;
    fmt::print("derivatives  by {}\n", by);
  }
  for (const auto& symmetry : d.symmetries) {
    fmt::print("symmetry     {}: momentum {:.17g} at the start, ", symmetry.name, symmetry.momentum);
    if (symmetry.holds)
      fmt::print("holds (around the start)\n");
    else
      fmt::print("does not hold: {}\n", symmetry.why_not);
  }
  return 0;
}

}  // namespace ricochet::app
