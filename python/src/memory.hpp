// A run kept in memory: columns that numpy looks at without a copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/scene/simulation.hpp"

namespace ricochet::python {

/// Frames of one series, row after row.
struct Frames {
  std::vector<double> t, q, p, energy, discrete_energy, gaps, momentum;
  std::vector<std::int64_t> step;

  std::size_t size() const { return t.size(); }
  void add(const scene::Sample& s) {
    t.push_back(s.t);
    step.push_back(s.step);
    q.insert(q.end(), s.q.begin(), s.q.end());
    p.insert(p.end(), s.p.begin(), s.p.end());
    energy.push_back(s.energy);
    discrete_energy.push_back(s.discrete_energy);
    gaps.insert(gaps.end(), s.gaps.begin(), s.gaps.end());
    momentum.insert(momentum.end(), s.momentum.begin(), s.momentum.end());
  }
};

struct Impacts {
  std::vector<std::int64_t> n, step;
  std::vector<double> t, alpha, energy_before, energy_after, q, p_minus, p_plus;
  std::vector<double> multipliers;  ///< one per gap of the scene; zero where a gap did not act
  std::vector<std::string> gap;     ///< names joined by '+'

  std::size_t size() const { return t.size(); }
};

class Memory final : public scene::Sink {
 public:
  explicit Memory(const scene::Model& model) {
    for (const auto& gap : model.scene.gaps) names_.push_back(gap.name);
  }

  Frames trajectory, stroboscope, section;
  Impacts impacts;

  void sample(const scene::Sample& s, scene::Series series) override {
    (series == scene::Series::trajectory    ? trajectory
     : series == scene::Series::stroboscope ? stroboscope
                                            : section)
        .add(s);
  }
  void impact(const scene::ImpactSample& s) override {
    impacts.n.push_back(s.n);
    impacts.step.push_back(s.step);
    impacts.t.push_back(s.t);
    impacts.alpha.push_back(s.alpha);
    impacts.energy_before.push_back(s.energy_before);
    impacts.energy_after.push_back(s.energy_after);
    append(impacts.q, s.q), append(impacts.p_minus, s.p_minus), append(impacts.p_plus, s.p_plus);
    std::string joined;
    const std::size_t row = impacts.multipliers.size();
    impacts.multipliers.resize(row + names_.size(), 0);
    for (std::size_t i = 0; i < s.gaps.size(); ++i) {
      if (i > 0) joined += '+';
      joined += s.gaps[i];
      for (std::size_t g = 0; g < names_.size(); ++g)
        if (names_[g] == s.gaps[i]) impacts.multipliers[row + g] = s.multipliers[i];
    }
    impacts.gap.push_back(std::move(joined));
  }

  /// Tells it all again, frames first.
  void replay(scene::Sink& sink, std::size_t n, std::size_t symmetries) const {
    replay(trajectory, scene::Series::trajectory, sink, n, symmetries);
    replay(stroboscope, scene::Series::stroboscope, sink, n, symmetries);
    replay(section, scene::Series::section, sink, n, symmetries);
    std::vector<std::string_view> names;
    std::vector<double> multipliers;
    for (std::size_t k = 0; k < impacts.size(); ++k) {
      names.clear(), multipliers.clear();
      const std::string& joined = impacts.gap[k];
      for (std::size_t begin = 0; begin <= joined.size();) {
        const std::size_t end = std::min(joined.find('+', begin), joined.size());
        names.push_back(std::string_view(joined).substr(begin, end - begin));
        for (std::size_t g = 0; g < names_.size(); ++g)
          if (names_[g] == names.back()) multipliers.push_back(impacts.multipliers[k * names_.size() + g]);
        begin = end + 1;
      }
      sink.impact({impacts.n[k], impacts.t[k], impacts.step[k], impacts.alpha[k], names, multipliers,
                   impacts.energy_before[k], impacts.energy_after[k], row(impacts.q, k, n), row(impacts.p_minus, k, n),
                   row(impacts.p_plus, k, n)});
    }
  }

 private:
  static void append(std::vector<double>& to, std::span<const double> from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  static std::span<const double> row(const std::vector<double>& of, std::size_t k, std::size_t n) {
    return {of.data() + k * n, n};
  }
  void replay(const Frames& f, scene::Series series, scene::Sink& sink, std::size_t n, std::size_t symmetries) const {
    for (std::size_t k = 0; k < f.size(); ++k)
      sink.sample({f.t[k], f.step[k], row(f.q, k, n), row(f.p, k, n), f.energy[k], f.discrete_energy[k],
                   row(f.gaps, k, names_.size()), row(f.momentum, k, symmetries)},
                  series);
  }

  std::vector<std::string> names_;
};

}  // namespace ricochet::python
