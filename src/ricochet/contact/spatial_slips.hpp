// Several slips in space that turn together: the mean directions of friction over a flight, and the first to rest.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ricochet/complementarity/contact_modes.hpp"
#include "ricochet/contact/spatial_slip.hpp"
#include "ricochet/numerics/cash_karp.hpp"

namespace ricochet::contact {

/// As SpatialSlip, for contacts that act on each other: u̇ = a_T + W f(s) with the coupling and free accelerations of
/// the start of a flight, f the forces of all modes (complementarity/contact_modes.hpp) under the directions s = u/|u|.
/// Each contact has means of its own, weighted with its own load.
template <class Real>
class SpatialSlips {
 public:
  using Pair = std::array<Real, 2>;
  using Means = typename SpatialSlip<Real>::Means;

  /// From modes that were found; the contacts that slide in space are added after it, with their slip velocities.
  void begin(const complementarity::ContactModes<Real>& modes) {
    modes_ = modes;
    slips_.clear();
  }
  void add(std::size_t contact, Pair u) { slips_.push_back({contact, u, modes_.contacts[contact].slip}); }

  /// Means over a flight of length T, in the order of add; returns the time of the first rest, or infinity.
  Real over(Real T, std::vector<Means>& means);

 private:
  /// u, ∫λ, ∫tλ, ∫λs, ∫tλs of each slip, one after the other.
  static constexpr std::size_t width = 8;
  using State = std::vector<Real>;
  struct Slip {
    std::size_t contact;
    Pair u, direction;
    Real first = 0;  ///< speed at the start
  };

  int row(std::size_t i) const { return modes_.contacts[slips_[i].contact].normal; }
  Real terms_of(std::size_t i) const { return std::hypot(modes_.size(row(i) + 1), modes_.size(row(i) + 2)); }
  Pair direction(std::size_t i, const Real* u) const {
    const Real speed = std::hypot(u[0], u[1]);
    return speed > 0 ? Pair{u[0] / speed, u[1] / speed} : slips_[i].direction;
  }

  /// False if every slip only begins: together they keep their directions. One that begins beside others gets the
  /// velocity it has after a millionth of the flight.
  bool start(Real T) {
    const std::size_t size = width * slips_.size();
    for (State* s : {&y_, &next_}) s->assign(size, Real(0));
    for (State& k : k_) k.assign(size, Real(0));
    bool any = false;
    for (std::size_t i = 0; i < slips_.size(); ++i) {
      y_[width * i] = slips_[i].u[0];
      y_[width * i + 1] = slips_[i].u[1];
      slips_[i].first = std::hypot(slips_[i].u[0], slips_[i].u[1]);
      any = any || slips_[i].first > 0;
    }
    if (!any || !rates(0, y_, k_[0])) return false;
    for (std::size_t i = 0; i < slips_.size(); ++i) {
      if (slips_[i].first > 0) continue;
      slips_[i].first = Real(tolerances::slip_brief) * T * terms_of(i);
      for (std::size_t d = 0; d < 2; ++d) y_[width * i + d] = slips_[i].first * slips_[i].direction[d];
    }
    return true;
  }

  /// False where a contact is not pressed together any more, or jams.
  bool rates(Real t, const State& y, State& dy) {
    for (std::size_t i = 0; i < slips_.size(); ++i)
      modes_.contacts[slips_[i].contact].slip = direction(i, &y[width * i]);
    modes_.accelerate();
    for (std::size_t i = 0; i < slips_.size(); ++i) {
      const auto normal = static_cast<std::size_t>(row(i));
      const Real load = modes_.force[normal];
      if (!(load >= 0) || !std::isfinite(load)) return false;
      const Pair& s = modes_.contacts[slips_[i].contact].slip;
      Real* const d = &dy[width * i];
      d[2] = load;
      d[3] = t * load;
      for (std::size_t a = 0; a < 2; ++a) {
        d[a] = modes_.after[normal + 1 + a];
        d[4 + a] = load * s[a];
        d[6 + a] = t * load * s[a];
      }
    }
    return true;
  }

  /// From t to `end` with the rates in k_[0].
  void go_straight(Real t, Real end) {
    for (std::size_t i = 0; i < slips_.size(); ++i)
      for (std::size_t n = 0; n < width; ++n) {
        const bool late = n == 3 || n > 5;
        const Real rate = late ? k_[0][width * i + (n == 3 ? 2 : n - 2)] * (t + end) / 2 : k_[0][width * i + n];
        y_[width * i + n] += (end - t) * rate;
      }
  }

  /// One step of Cash and Karp's fifth-order method; k_[0] has been evaluated. False, and nothing done, where rates is.
  bool advance(Real t, Real h) {
    using Method = numerics::CashKarp<Real>;
    for (std::size_t i = 1; i < 6; ++i) {
      next_ = y_;
      for (std::size_t j = 0; j < i; ++j)
        for (std::size_t n = 0; n < y_.size(); ++n) next_[n] += h * Method::a[i][j] * k_[j][n];
      if (!rates(t + Method::c[i] * h, next_, k_[i])) return false;
    }
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t n = 0; n < y_.size(); ++n) y_[n] += h * Method::b[i] * k_[i][n];
    return true;
  }

  complementarity::ContactModes<Real> modes_;
  std::vector<Slip> slips_;
  State y_, next_;
  std::array<State, 6> k_;
};

template <class Real>
Real SpatialSlips<Real>::over(Real T, std::vector<Means>& means) {
  const Real never = std::numeric_limits<Real>::infinity();
  means.clear();
  for (const Slip& slip : slips_) means.push_back({slip.direction, slip.direction, slip.direction, never});
  if (!(T > 0) || !start(T)) return never;
  Real t = 0, rests = never;
  for (int n = 0; t < T && n < 100000; ++n) {
    if (!rates(t, y_, k_[0])) break;
    Real step = T - t, rest = never;
    bool straight = true, resting = false;
    for (std::size_t i = 0; i < slips_.size(); ++i) {
      const Real* const u = &y_[width * i];
      const Real* const f = &k_[0][width * i];
      const Real speed = std::hypot(u[0], u[1]), terms = terms_of(i);
      const Pair s = direction(i, u);
      const Real along = f[0] * s[0] + f[1] * s[1], across = f[1] * s[0] - f[0] * s[1];
      means[i].last = s;
      // A slow slip that neither dies nor grows comes near its direction in fewer steps than these, and stays there.
      const Real turns = n < 1000 ? 4 * std::numeric_limits<Real>::epsilon() : Real(tolerances::slip_brief);
      straight = straight && std::abs(across) <= turns * terms;
      step = std::min(step, Real(0.15) * speed / terms);  // terms is several times the acceleration
      if (along < 0 && t - speed / along < rest) {
        rest = t - speed / along;
        resting = speed <= Real(tolerances::slip_rests) * slips_[i].first;
      }
    }
    if (straight || resting) {
      const Real end = std::min(T, rest);
      go_straight(t, end);
      if (rest <= T) rests = rest;
      break;
    }
    const bool last = !(step < T - t);
    if (!advance(t, step)) break;
    t = last ? T : t + step;
  }
  for (std::size_t i = 0; i < slips_.size(); ++i) {
    const Real* const y = &y_[width * i];
    const Real weight = y[2], late = y[3], early = T * weight - late;
    for (std::size_t d = 0; d < 2 && early > 0 && late > 0; ++d) {
      means[i].start[d] = (T * y[4 + d] - y[6 + d]) / early;
      means[i].end[d] = y[6 + d] / late;
    }
    // What dies together, as the slips of one body do, rests together: what is left of the others is error.
    if (rests < never && std::hypot(y[0], y[1]) <= Real(tolerances::slip_brief) * slips_[i].first)
      means[i].rests = rests;
  }
  return rests;
}

#ifdef RICOCHET_COMPILED_SLIPS  // set by linking ricochet::contact, which has them (instances.cpp)
extern template class SpatialSlips<double>;
#endif
#ifdef RICOCHET_COMPILED_LONG_DOUBLE  // set by linking ricochet::long_double
extern template class SpatialSlips<long double>;
#endif

}  // namespace ricochet::contact
