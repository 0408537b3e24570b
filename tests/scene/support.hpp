// Scenes as texts, for tests.
#pragma once

#include <string>
#include <vector>

#include "ricochet/error.hpp"
#include "ricochet/scene/simulation.hpp"

namespace ricochet::test {

/// The sentence with which a scene is refused; empty if it is not.
inline std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    scene::simulate(scene::parse_scene(text, "s.toml", overrides));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// A particle over a floor; `extra` is appended, `system` replaces the lines of the system but its header.
inline std::string floor_scene(const std::string& extra = "", const std::string& step = "0.01") {
  return "[time]\nstep = " + step +
         "\nend = 1\n"
         "[system]\n"
         "coordinates = [\"x\", \"y\"]\n"
         "mass = [1, 1]\n"
         "potential = \"9.81*y\"\n"
         "position = [0, 1]\n"
         "velocity = [-2, 0]\n"
         "[[gap]]\n"
         "name = \"floor\"\n"
         "expression = \"y\"\n" +
         extra;
}

/// Keeps everything a run records.
struct Keep : scene::Sink {
  struct Row {
    scene::Series series;
    double t;
    std::int64_t step;
    std::vector<double> q, p, gaps, momentum;
    double energy, discrete_energy;
    bool operator==(const Row&) const = default;
  };
  struct Hit {
    std::int64_t n, step;
    double t, alpha;
    std::string gaps;
    std::vector<double> multipliers, q, p_minus, p_plus;
    double energy_before, energy_after;
    bool operator==(const Hit&) const = default;
  };
  std::vector<Row> rows;
  std::vector<Hit> hits;

  static std::vector<double> copy(std::span<const double> x) { return {x.begin(), x.end()}; }
  void sample(const scene::Sample& s, scene::Series series) override {
    rows.push_back(
        {series, s.t, s.step, copy(s.q), copy(s.p), copy(s.gaps), copy(s.momentum), s.energy, s.discrete_energy});
  }
  void impact(const motion::ImpactView& s) override {
    std::string gaps;
    for (const auto& gap : s.gaps) gaps += (gaps.empty() ? "" : "+") + std::string(gap);
    hits.push_back({s.n, s.step, s.t, s.alpha, gaps, copy(s.multipliers), copy(s.q), copy(s.p_minus), copy(s.p_plus),
                    s.energy_before, s.energy_after});
  }
};

}  // namespace ricochet::test
