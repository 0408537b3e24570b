// Scenes and exact motions for the audit: closed forms, none of them computed by the program.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "ricochet/audit/csv.hpp"
#include "ricochet/audit/judge.hpp"
#include "ricochet/scene/model.hpp"

namespace audit_test {

using namespace ricochet;

inline std::shared_ptr<scene::Model> compiled(const std::string& text) {
  return scene::compile(scene::parse_scene(text, "test.toml"));
}

inline std::string floor_scene(const std::string& more = "") {
  return R"([time]
step = 0.01
end = 1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "9.81*y"
position = [0, 1]
velocity = [-2, 0]
[[gap]]
name = "floor"
expression = "y"
)" + more +
         R"([[symmetry]]
name = "along"
generator = [1, 0]
)";
}

/// x'' = −1.69 x from x = 1, where `gap` stays open.
inline std::string spring_scene(const std::string& gap) {
  return R"([time]
step = 0.01
end = 1
[system]
coordinates = ["x"]
mass = [1]
potential = "0.845*x^2"
position = [1]
velocity = [0]
[[gap]]
name = "wall"
expression = ")" +
         gap + "\"\n";
}

struct Row {
  double t, x, y, vx, vy;
};

/// A ball falling from y = 1 with v_x = −2 that bounces with restitution e: parabolas, in closed form.
inline std::vector<Row> ball(double e, double h, int samples) {
  constexpr double g = 9.81;
  std::vector<Row> rows;
  double y0 = 1, v0 = 0, begin = 0;
  for (int k = 0; k < samples; ++k) {
    const double t = k * h;
    for (;;) {
      const double speed = std::sqrt(v0 * v0 + 2 * g * y0), end = begin + (v0 + speed) / g;
      if (t < end) break;
      y0 = 0, v0 = e * speed, begin = end;
    }
    const double s = t - begin;
    rows.push_back({t, -2 * t, y0 + v0 * s - g * s * s / 2, -2, v0 - g * s});
  }
  return rows;
}

inline std::string csv(const std::vector<Row>& rows, bool velocities = true) {
  std::string text = velocities ? "t,x,y,vx,vy\n" : "t,x,y\n";
  for (const Row& r : rows) {
    text += fmt::format("{:.17g},{:.17g},{:.17g}", r.t, r.x, r.y);
    if (velocities) text += fmt::format(",{:.17g},{:.17g}", r.vx, r.vy);
    text += '\n';
  }
  return text;
}

inline audit::Findings findings(const scene::Model& model, const std::string& text, const audit::ColumnMap& map = {}) {
  const auto dynamics = audit::dynamics_of(model);
  return audit::judge(model, audit::parse_csv(text, "motion.csv", model, *dynamics, map));
}

inline const audit::Check& check(const audit::Findings& f, const std::string& key) {
  for (const auto& c : f.checks)
    if (c.key == key) return c;
  throw std::runtime_error("no check " + key);
}

}  // namespace audit_test
