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
    datasets.resize(model.datasets.size());
  }

  Frames trajectory, stroboscope, section;
  Impacts impacts;
  struct Rows {
    std::vector<double> values;
    std::size_t width = 0, count = 0;
  };
  std::vector<Rows> datasets;  ///< what the model records beside the trajectory: fields of bars

  void sample(const scene::Sample& s, scene::Series series) override {
    (series == scene::Series::trajectory    ? trajectory
     : series == scene::Series::stroboscope ? stroboscope
                                            : section)
        .add(s);
  }
  void impact(const motion::ImpactView& s) override {
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

  void row(std::size_t dataset, std::span<const double> values) override {
    Rows& rows = datasets[dataset];
    append(rows.values, values);
    rows.width = values.size();
    ++rows.count;
  }

  /// Tells it all again, frames first.
  void replay(scene::Sink& sink, std::size_t n, std::size_t symmetries) const {
    replay(trajectory, scene::Series::trajectory, sink, n, symmetries);
    replay(stroboscope, scene::Series::stroboscope, sink, n, symmetries);
    replay(section, scene::Series::section, sink, n, symmetries);
    for (std::size_t d = 0; d < datasets.size(); ++d)
      for (std::size_t k = 0; k < datasets[d].count; ++k) sink.row(d, slice(datasets[d].values, k, datasets[d].width));
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
                   impacts.energy_before[k], impacts.energy_after[k], slice(impacts.q, k, n),
                   slice(impacts.p_minus, k, n), slice(impacts.p_plus, k, n)});
    }
  }

 private:
  static void append(std::vector<double>& to, std::span<const double> from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  static std::span<const double> slice(const std::vector<double>& of, std::size_t k, std::size_t n) {
    return {of.data() + k * n, n};
  }
  void replay(const Frames& f, scene::Series series, scene::Sink& sink, std::size_t n, std::size_t symmetries) const {
    for (std::size_t k = 0; k < f.size(); ++k)
      sink.sample({f.t[k], f.step[k], slice(f.q, k, n), slice(f.p, k, n), f.energy[k], f.discrete_energy[k],
                   slice(f.gaps, k, names_.size()), slice(f.momentum, k, symmetries)},
                  series);
  }

  std::vector<std::string> names_;
};

}  // namespace ricochet::python
