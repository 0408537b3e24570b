// The two-bar cases of Demoures 2016, figures 4.2 and 4.3, with the signs of errata D5.
#pragma once

#include "ricochet/bodies/bars/spec.hpp"
#include "ricochet/mechanics/dalembert.hpp"

namespace ricochet::test {

/// Number, lengths, masses per length, moduli, elements, velocities. Initial gap 0.2, S = 1.
template <class Real>
struct TwoBarCase {
  const char* name;
  Real length[2], mass[2], modulus[2];
  int elements[2];
  Real velocity[2];
};

template <class Real>
inline const TwoBarCase<Real> bar_cases[] = {
    {"1", {10, 10}, {1, 1}, {1, 1}, {50, 50}, {Real(0.1L), Real(-0.1L)}},
    {"2", {10, 10}, {1, 5}, {1, 1}, {50, 50}, {Real(0.1L), Real(-0.1L)}},
    {"3", {10, 10}, {1, 1}, {1, 5}, {50, 50}, {Real(0.1L), Real(-0.1L)}},
    {"4", {10, 5}, {1, 1}, {1, 1}, {50, 25}, {Real(0.1L), Real(-0.1L)}},
    {"5 (0.4)", {10, 10}, {1, 1}, {1, 1}, {50, 25}, {Real(0.1L), Real(-0.1L)}},
    {"5 (5)", {10, 10}, {1, 1}, {1, 1}, {50, 2}, {Real(0.1L), Real(-0.1L)}},
    {"6", {10, 10}, {1, 1}, {1, 1}, {50, 50}, {1, 0}},
};
constexpr double bar_step = 0.015;
constexpr int bar_steps = 2667;  // T = 40

template <class Real = double>
bodies::BarsSpec<Real> two_bars(const TwoBarCase<Real>& c, int refinement = 1) {
  bodies::BarsSpec<Real> spec;
  for (const int i : {0, 1}) {
    bodies::BarSpec<Real> bar;
    bar.name = i == 0 ? "A" : "B";
    bar.length = c.length[i];
    bar.mass = c.mass[i];
    bar.modulus = c.modulus[i];
    bar.elements = c.elements[i] * refinement;
    bar.velocity = c.velocity[i];
    bar.position = i == 0 ? Real(0) : c.length[0] + Real(0.2L);
    spec.bars.push_back(bar);
  }
  return spec;
}

inline mechanics::TwoBars<double> exact(const TwoBarCase<double>& c, double until = 45) {
  return {{c.length[0], c.mass[0], c.modulus[0], 0, c.velocity[0]},
          {c.length[1], c.mass[1], c.modulus[1], c.length[0] + 0.2, c.velocity[1]},
          until};
}

/// Σ|p|: what an error of the momentum is measured against.
template <class Range>
double size_of(const Range& p) {
  double sum = 0;
  for (const auto x : p) sum += std::abs(static_cast<double>(x));
  return sum;
}

}  // namespace ricochet::test
