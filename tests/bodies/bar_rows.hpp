// Rows of bars that several tests fly, and what they ask of a run.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "ricochet/bodies/bars/spec.hpp"
#include "ricochet/error.hpp"

namespace ricochet::test {

/// Bars with different numbers of elements, moduli and masses between two walls, close to each other.
inline bodies::BarsSpec<double> bar_row(std::vector<int> elements, bool nonlinear, double speed) {
  bodies::BarsSpec<double> spec;
  double at = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    bodies::BarSpec<double> bar;
    bar.elements = elements[i];
    bar.length = 0.01 * elements[i];
    bar.position = at;
    bar.modulus = 1 + static_cast<double>(i) / 2;
    bar.mass = 1 + static_cast<double>(i) / 3;
    const double sign = i % 2 == 0 ? 1 : -1;
    bar.velocity_at = [=](double s) { return sign * speed + 0.01 * std::sin(20 * s); };
    if (nonlinear && i % 2 == 1) {
      bar.energy = bodies::BarEnergy<double>::pointwise(
          [](double e) { return 0.5 * (e - 1) * (e - 1) + 3 * std::pow(e - 1, 4); },
          [](double e) { return (e - 1) + 12 * std::pow(e - 1, 3); });
      bar.modulus = 0;
    }
    at += bar.length + 0.003;
    spec.bars.push_back(bar);
  }
  spec.walls = {{"", -0.002}, {"", at}};
  return spec;
}

/// A small model in long double, for tangents by differences.
inline bodies::BarsSpec<long double> small_bars(bool nonlinear = false) {
  bodies::BarsSpec<long double> spec;
  for (int i : {0, 1}) {
    bodies::BarSpec<long double> bar;
    bar.length = 1, bar.elements = i == 0 ? 4 : 3, bar.mass = i == 0 ? 1.0L : 2.5L, bar.modulus = i == 0 ? 1.0L : 3.0L;
    bar.position = 1.05L * static_cast<long double>(i), bar.velocity = i == 0 ? 0.4L : -0.3L;
    if (nonlinear && i == 1)
      bar.energy = bodies::BarEnergy<long double>::pointwise(
          [](long double e) { return 1.5L * (e - 1) * (e - 1) + 2 * (e - 1) * (e - 1) * (e - 1) * (e - 1); },
          [](long double e) { return 3 * (e - 1) + 8 * (e - 1) * (e - 1) * (e - 1); });
    spec.bars.push_back(bar);
  }
  return spec;
}

/// Two bars that nothing is wrong with.
inline bodies::BarsSpec<double> good_bars() {
  bodies::BarSpec<double> a, b;
  a.name = "left", b.name = "right";
  a.length = b.length = 1, a.elements = b.elements = 10, a.modulus = b.modulus = 4;
  a.velocity = 0.1, b.position = 1.1;
  return {{a, b}, {}};
}

/// An energy that stiffens without bound: stable at rest, not after an impact at this speed.
inline bodies::BarsSpec<double> stiffening_bars() {
  auto spec = good_bars();
  for (auto& b : spec.bars) {
    b.modulus = 0;
    b.velocity *= 100;
    b.energy =
        bodies::BarEnergy<double>::pointwise([](double e) { return 2 * (e - 1) * (e - 1) + 1e4 * std::pow(e - 1, 6); },
                                             [](double e) { return 4 * (e - 1) + 6e4 * std::pow(e - 1, 5); });
  }
  return spec;
}

inline void expect_same(std::span<const double> a, std::span<const double> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i]) << i;
}

template <class F>
void expect_error(ErrorKind kind, const std::string& says, F&& f) {
  try {
    f();
    ADD_FAILURE() << "no error: " << says;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
  }
}

/// max |JᵀΩJ − Ω| of a map (q,p) ↦ (q,p).
template <class Map>
double symplectic_residual(const std::vector<long double>& z, Map&& map) {
  const std::size_t n = z.size() / 2;
  const long double d = 1e-4L;
  std::vector<std::vector<long double>> J(2 * n);
  for (std::size_t i = 0; i < 2 * n; ++i) {
    auto at = [&](long double e) {
      auto x = z;
      x[i] += e;
      return map(x);
    };
    const auto a = at(d), b = at(-d), c = at(2 * d), e = at(-2 * d);
    J[i].resize(2 * n);
    for (std::size_t k = 0; k < 2 * n; ++k) J[i][k] = (8 * (a[k] - b[k]) - (c[k] - e[k])) / (12 * d);
  }
  long double worst = 0;
  for (std::size_t i = 0; i < 2 * n; ++i)
    for (std::size_t j = 0; j < 2 * n; ++j) {
      long double form = 0;
      for (std::size_t k = 0; k < n; ++k) form += J[i][k] * J[j][n + k] - J[i][n + k] * J[j][k];
      const long double omega = j == i + n ? 1 : i == j + n ? -1 : 0;
      worst = std::max(worst, std::abs(form - omega));
    }
  return static_cast<double>(worst);
}

}  // namespace ricochet::test
