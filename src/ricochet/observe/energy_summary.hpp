// Kicks of the shadow energy per impact: their size, how their sum grows, and whether it drifts. No body is needed
// here.
#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

namespace ricochet::observe {

/// One run: shadow energy around every impact, H at every node. Energies are relative to `scale`.
struct EnergyTrial {
  std::string closure;
  double h = 0, scale = 1;
  long long impacts = 0, steps = 0, fallbacks = 0;
  std::vector<double> kicks;    ///< change of the shadow energy over each step with impacts
  std::vector<double> energy;   ///< shadow energy after each of them, less that of the start
  double max_energy_error = 0;  ///< max |H − H(start)| over the nodes
};

/// The trials of one closure and one step, taken together.
struct EnergySummary {
  std::string closure;
  double h = 0;
  int trials = 0;
  long long impacts = 0, steps = 0, fallbacks = 0;
  double rms_kick = 0;                           ///< per impact
  double growth_exponent = 0, growth_error = 0;  ///< of the RMS change of the shadow energy with the number of impacts
  double drift = 0, drift_error = 0;             ///< mean kick per impact, half width of its 95 % confidence interval
  double max_energy_error = 0;
  /// RMS change of the shadow energy over n impacts: what the exponent is fitted to.
  struct Growth {
    double impacts, change;
  };
  std::vector<Growth> growth;

  bool drift_is_significant() const { return std::abs(drift) > drift_error; }
};

namespace detail {

/// Slope of y over x by least squares, and the half width of its 95 % confidence interval.
struct Line {
  double slope = 0, error = 0;
};
inline double student95(double freedom) {
  // Cornish–Fisher expansion of the 97.5 % quantile: within 1 % from 5 degrees of freedom on.
  const double z = 1.959963985, n = freedom;
  return z + (z * z * z + z) / (4 * n) + (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}
inline Line fit(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  if (x.size() < 3) return {};
  double mx = 0, my = 0, xx = 0, xy = 0, rest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / n, my += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i) xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
  const double slope = xy / xx;
  for (std::size_t i = 0; i < x.size(); ++i) rest += std::pow(y[i] - my - slope * (x[i] - mx), 2);
  return {slope, student95(n - 2) * std::sqrt(rest / (n - 2) / xx)};
}

}  // namespace detail

/// RMS kick; growth exponent ν of S(n) = RMS of E(i+n) − E(i) ~ n^ν over all trials (½ for a random walk, 0 for a
/// bounded error), fitted over n = 1, 2, 4, … up to 1/64 of a run; drift from the mean kicks of 16 blocks per
/// trial.
inline EnergySummary summarise(const std::vector<EnergyTrial>& trials) {
  EnergySummary sum;
  if (trials.empty()) return sum;
  sum.closure = trials.front().closure;
  sum.h = trials.front().h;
  sum.trials = static_cast<int>(trials.size());
  double squares = 0;
  std::size_t shortest = trials.front().energy.size(), kicks = 0;
  std::vector<double> blocks;
  for (const auto& trial : trials) {
    sum.impacts += trial.impacts;
    sum.steps += trial.steps;
    sum.fallbacks += trial.fallbacks;
    sum.max_energy_error = std::max(sum.max_energy_error, trial.max_energy_error);
    shortest = std::min(shortest, trial.energy.size());
    kicks += trial.kicks.size();
    for (const double kick : trial.kicks) squares += kick * kick;
    constexpr std::size_t parts = 16;
    const std::size_t length = trial.kicks.size() / parts;
    for (std::size_t b = 0; b < parts && length > 0; ++b) {
      double mean = 0;
      for (std::size_t i = b * length; i < (b + 1) * length; ++i) mean += trial.kicks[i];
      // per impact, of which a step may hold several
      blocks.push_back(mean / static_cast<double>(length) * static_cast<double>(trial.kicks.size()) /
                       static_cast<double>(trial.impacts));
    }
  }
  if (sum.impacts > 0) sum.rms_kick = std::sqrt(squares / static_cast<double>(sum.impacts));

  const double impacts_per_kick = kicks > 0 ? static_cast<double>(sum.impacts) / static_cast<double>(kicks) : 1;
  std::vector<double> x, y;
  for (std::size_t lag = 1; lag <= shortest / 64; lag *= 2) {
    double moved = 0, count = 0;
    for (const auto& trial : trials)
      for (std::size_t i = 0; i + lag < trial.energy.size(); i += std::max<std::size_t>(1, lag / 4)) {
        moved += std::pow(trial.energy[i + lag] - trial.energy[i], 2);
        ++count;
      }
    if (!(moved > 0)) continue;
    x.push_back(std::log(static_cast<double>(lag)));
    y.push_back(std::log(moved / count) / 2);
    sum.growth.push_back({static_cast<double>(lag) * impacts_per_kick, std::sqrt(moved / count)});
  }
  const auto line = detail::fit(x, y);
  sum.growth_exponent = line.slope;
  sum.growth_error = line.error;

  if (blocks.size() > 1) {
    const auto n = static_cast<double>(blocks.size());
    double variance = 0;
    for (const double b : blocks) sum.drift += b / n;
    for (const double b : blocks) variance += std::pow(b - sum.drift, 2) / (n - 1);
    sum.drift_error = detail::student95(n - 1) * std::sqrt(variance / n);
  }
  return sum;
}

/// One line per closure and step; the energies are relative.
inline void write_csv(std::ostream& out, const std::vector<EnergySummary>& rows) {
  out << "closure,h,trials,impacts,steps,fallbacks,rms_kick,growth_exponent,growth_error,drift,drift_error,"
         "max_energy_error\n";
  const auto precision = out.precision(10);
  for (const auto& r : rows)
    out << r.closure << ',' << r.h << ',' << r.trials << ',' << r.impacts << ',' << r.steps << ',' << r.fallbacks << ','
        << r.rms_kick << ',' << r.growth_exponent << ',' << r.growth_error << ',' << r.drift << ',' << r.drift_error
        << ',' << r.max_energy_error << '\n';
  out.precision(precision);
}

/// The growth curves, one line per point.
inline void write_growth_csv(std::ostream& out, const std::vector<EnergySummary>& rows) {
  out << "closure,h,impacts,rms_change\n";
  const auto precision = out.precision(10);
  for (const auto& r : rows)
    for (const auto& g : r.growth) out << r.closure << ',' << r.h << ',' << g.impacts << ',' << g.change << '\n';
  out.precision(precision);
}

}  // namespace ricochet::observe
