// Bars on a line as a user describes them, and as the schemes see them: checked, in order, with the gaps between.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "ricochet/error.hpp"

namespace ricochet::bodies {

enum class BarEnd { free, fixed };

/// Stored energy W(e) per unit of unstretched length at the stretch e = ∂φ/∂s (1 = unstrained), evaluated over whole
/// arrays: one indirect call per thousand elements, none per element.
template <class Real>
struct BarEnergy {
  using Bulk = std::function<void(const Real* e, Real* out, std::size_t n)>;
  Bulk energy;     ///< W(e)
  Bulk stress;     ///< W'(e), a force
  Bulk stiffness;  ///< W''(e); if empty, difference quotients of the stress are used (stability limit, tip velocities)

  explicit operator bool() const { return static_cast<bool>(stress); }

  /// From functions of one strain; the loop over the array is theirs to vectorise.
  template <class W, class DW>
  static BarEnergy pointwise(W w, DW dw) {
    return {over_array(std::move(w)), over_array(std::move(dw)), {}};
  }

  Real W(Real e) const { return one(energy, e); }
  Real T(Real e) const { return one(stress, e); }
  Real K(Real e) const {
    if (stiffness) return one(stiffness, e);
    const Real d = std::cbrt(std::numeric_limits<Real>::epsilon());
    return (T(e + d) - T(e - d)) / (2 * d);
  }

 private:
  template <class F>
  static Bulk over_array(F f) {
    return [f = std::move(f)](const Real* e, Real* out, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) out[i] = f(e[i]);
    };
  }
  static Real one(const Bulk& f, Real e) {
    Real out;
    f(&e, &out, 1);
    return out;
  }
};

/// One bar: `elements` equal elements over `length`, unstrained at the start.
template <class Real>
struct BarSpec {
  std::string name;
  Real length = 1;
  int elements = 1;
  Real mass = 1;                ///< per unit of length
  Real modulus = 0;             ///< E·S; W = ½ modulus (e−1)² when no energy is given
  BarEnergy<Real> energy = {};  ///< instead of a modulus
  Real position = 0;            ///< of the left end
  Real velocity = 0;
  std::function<Real(Real)> velocity_at = {};  ///< of s ∈ [0, length], instead of the number
  std::array<BarEnd, 2> ends = {BarEnd::free, BarEnd::free};
};

template <class Real>
struct WallSpec {
  std::string name;
  Real position = 0;
};

template <class Real>
struct BarsSpec {
  std::vector<BarSpec<Real>> bars;
  std::vector<WallSpec<Real>> walls;
};

/// The checked model: bars from left to right, and a gap between every two neighbours that can meet.
template <class Real>
class BarLine {
 public:
  /// Between the right end of `left` and the left end of `right`; −1 stands for a wall.
  struct Gap {
    int left, right;
    Real opening;  ///< at the start
    Real at;       ///< where the left side of the gap is: scale of rounding
    std::string name;
  };

  explicit BarLine(BarsSpec<Real> spec) : bars_(std::move(spec.bars)) {
    if (bars_.empty()) invalid("there are no bars");
    for (std::size_t i = 0; i < bars_.size(); ++i) {
      if (bars_[i].name.empty()) bars_[i].name = std::string("bar ").append(std::to_string(i + 1));
      check(bars_[i]);
    }
    for (std::size_t i = 0; i < spec.walls.size(); ++i) {
      if (spec.walls[i].name.empty()) spec.walls[i].name = std::string("wall ").append(std::to_string(i + 1));
      if (!std::isfinite(spec.walls[i].position)) invalid("the position of " + spec.walls[i].name + " is not a number");
    }
    std::stable_sort(bars_.begin(), bars_.end(), [](auto& a, auto& b) { return a.position < b.position; });
    find_gaps(spec.walls);
  }

  int bars() const { return static_cast<int>(bars_.size()); }
  const BarSpec<Real>& bar(int i) const { return bars_[static_cast<std::size_t>(i)]; }
  int gaps() const { return static_cast<int>(gaps_.size()); }
  const Gap& gap(int i) const { return gaps_[static_cast<std::size_t>(i)]; }
  /// The gap at one side of a bar, −1 if nothing can be met there.
  int gap_at(int bar, int side) const {
    for (int i = 0; i < gaps(); ++i)
      if ((side == 0 ? gap(i).right : gap(i).left) == bar) return i;
    return -1;
  }

 private:
  [[noreturn]] static void invalid(const std::string& what) { throw Error(ErrorKind::invalid_model, what); }
  static std::string text(Real x) { return std::to_string(static_cast<double>(x)); }

  static void check(const BarSpec<Real>& bar) {
    auto positive = [&](Real x, const char* what) {
      if (!(x > 0) || !std::isfinite(x))
        invalid("the " + std::string(what) + " of " + bar.name + " must be positive and finite, but is " + text(x));
    };
    positive(bar.length, "length");
    positive(bar.mass, "mass per length");
    if (bar.elements < 1) invalid(bar.name + " needs at least one element");
    if (!std::isfinite(bar.position) || !std::isfinite(bar.velocity))
      invalid("position and velocity of " + bar.name + " must be finite");
    if (!bar.energy) return positive(bar.modulus, "modulus");
    if (!bar.energy.energy) invalid("the energy of " + bar.name + " has a stress but no value");
    const Real K = bar.energy.K(1);
    if (!(K > 0) || !std::isfinite(K))
      invalid("the energy of " + bar.name + " is not convex at the start (its second derivative is " + text(K) + ")");
  }

  void find_gaps(std::vector<WallSpec<Real>> walls) {
    struct Thing {
      Real left, right;
      int bar;
      std::string name;
      bool fixed_left, fixed_right;
    };
    std::vector<Thing> line;
    for (int i = 0; i < bars(); ++i) {
      const auto& b = bar(i);
      line.push_back(
          {b.position, b.position + b.length, i, b.name, b.ends[0] == BarEnd::fixed, b.ends[1] == BarEnd::fixed});
    }
    for (auto& w : walls) line.push_back({w.position, w.position, -1, w.name, true, true});
    // A wall at the very end of a bar lies outside it: order by the middle.
    std::stable_sort(line.begin(), line.end(), [](auto& a, auto& b) { return a.left + a.right < b.left + b.right; });
    for (std::size_t i = 1; i < line.size(); ++i) {
      const Thing &a = line[i - 1], &b = line[i];
      const Real opening = b.left - a.right;
      const Real scale = std::abs(a.left) + std::abs(a.right) + std::abs(b.left) + std::abs(b.right);
      if (opening < -16 * std::numeric_limits<Real>::epsilon() * scale)
        throw Error(ErrorKind::inadmissible_start, a.name + " and " + b.name + " overlap by " + text(-opening));
      if (a.fixed_right && b.fixed_left) continue;
      gaps_.push_back(
          {a.bar, b.bar, std::max(opening, Real(0)), a.right, std::string(a.name).append("|").append(b.name)});
    }
  }

  std::vector<BarSpec<Real>> bars_;
  std::vector<Gap> gaps_;
};

}  // namespace ricochet::bodies
