// Two linear bars that collide, exactly: waves followed along their characteristics.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ricochet/error.hpp"

namespace ricochet::mechanics {

/// A uniform linear bar with free ends, unstrained at the start and moving with one velocity.
template <class Real>
struct LinearBar {
  Real length, mass, modulus;  ///< mass per length; E·S
  Real position, velocity;     ///< of the left end

  Real speed() const { return std::sqrt(modulus / mass); }
  Real impedance() const { return std::sqrt(modulus * mass); }
};

/// The exact motion of two linear bars, the first left of the second, through any number of contacts.
///
/// In a bar v = r + l and stress/Z = l − r, with r carried to the right and l to the left at speed c; a free end
/// reflects without change. Let a(t) be the r that arrives at the right end of the first bar and b(t) the l that
/// arrives at the left end of the second. While the gap is open its tips move with 2a and 2b. While it is closed both
/// move with 2(Z_A a + Z_B b)/(Z_A + Z_B), and the force between them is 2 Z_A Z_B/(Z_A + Z_B) (a − b); it ends when
/// that would become a pull. What leaves an interface returns after 2L/c: a and b are delayed copies of what was sent,
/// and everything is piecewise constant in time, with breaks at waves arriving, contacts closing and contacts opening.
template <class Real>
class TwoBars {
 public:
  struct State {
    Real position, velocity, strain;  ///< strain e − 1
  };
  struct Phase {
    Real begin, end;  ///< end is infinite if the contact lasts beyond the computed time
  };
  /// The interface from `t` on, until the next one.
  struct Piece {
    Real t, gap, gap_rate, force;
    std::array<Real, 2> tip_velocity;
  };

  TwoBars(LinearBar<Real> a, LinearBar<Real> b, Real until) : bar_{a, b}, until_(until) {
    for (const auto& x : bar_)
      if (!(x.length > 0) || !(x.mass > 0) || !(x.modulus > 0))
        throw Error(ErrorKind::invalid_model, "a bar needs a positive length, mass and modulus");
    gap0_ = b.position - (a.position + a.length);
    const Real scale = std::abs(a.position) + a.length + std::abs(b.position) + b.length;
    if (gap0_ < -16 * eps * scale) throw Error(ErrorKind::inadmissible_start, "the bars overlap");
    gap0_ = std::max(gap0_, Real(0));
    for (const int i : {0, 1}) sent_[at(i)].push_back({0, bar_[at(i)].velocity / 2, 0});
    follow();
  }

  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<Phase>& contacts() const { return contacts_; }
  Real until() const { return until_; }

  Real contact_force(Real t) const { return piece(t).force; }
  Real gap(Real t) const {
    const Piece& p = piece(t);
    return p.gap + (t - p.t) * p.gap_rate;
  }
  Real tip_velocity(int bar, Real t) const { return piece(t).tip_velocity[at(bar)]; }

  /// State of the point s ∈ [0, L] of bar 0 or 1 at time t; at a wave front the value behind it.
  State state(int bar, Real s, Real t) const {
    const auto& x = bar_[at(bar)];
    const Real c = x.speed();
    // Times since the wave that is at s now left the interface: directly, and by way of the free end.
    const Real distance = bar == 0 ? x.length - s : s;
    const Real direct = distance / c, reflected = (2 * x.length - distance) / c;
    const Real near = sent(bar, t - direct), far = sent(bar, t - reflected);
    const Real path = (integral(bar, t - direct) - integral(bar, -direct)) +
                      (integral(bar, t - reflected) - integral(bar, -reflected));
    const Real strain = (bar == 0 ? near - far : far - near) / c;  // (l − r)/c
    return {x.position + s + path, near + far, strain};
  }

 private:
  static constexpr Real eps = std::numeric_limits<Real>::epsilon();
  /// What the interface sends into a bar from t on, and its integral from 0 to t.
  struct Sent {
    Real t, value, integral;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void follow() {
    const Real Za = bar_[0].impedance(), Zb = bar_[1].impedance(), Z = Za + Zb;
    const Real delay[2] = {2 * bar_[0].length / bar_[0].speed(), 2 * bar_[1].length / bar_[1].speed()};
    const Real speed = std::abs(bar_[0].velocity) + std::abs(bar_[1].velocity);
    const Real same_value = 64 * eps * speed;                            // rounding of sums of waves
    const Real same_time = 1024 * eps * (until_ + delay[0] + delay[1]);  // breaks that meet in exact arithmetic
    std::size_t next[2] = {0, 0};                                        // first break of sent_ that has not come back
    Real incoming[2] = {bar_[0].velocity / 2, bar_[1].velocity / 2};
    Real t = 0, gap = gap0_;
    bool closed = false;
    for (;;) {
      // Everything that happens now.
      for (const int i : {0, 1})
        while (next[i] < sent_[at(i)].size() && sent_[at(i)][next[i]].t + delay[i] <= t + same_time)
          incoming[i] = sent_[at(i)][next[i]++].value;
      const Real push = incoming[0] - incoming[1];
      const bool was_closed = closed;
      closed = gap == 0 && push > same_value;
      if (closed && !was_closed) contacts_.push_back({t, std::numeric_limits<Real>::infinity()});
      if (!closed && was_closed) contacts_.back().end = t;
      Piece p{t, gap, 0, 0, {}};
      if (closed) {
        p.force = 2 * (Za * Zb / Z) * push;
        p.tip_velocity[0] = p.tip_velocity[1] = 2 * (Za * incoming[0] + Zb * incoming[1]) / Z;
      } else {
        p.tip_velocity = {2 * incoming[0], 2 * incoming[1]};
        p.gap_rate = std::abs(push) <= same_value ? Real(0) : -2 * push;
      }
      if (pieces_.empty() || changed(pieces_.back(), p)) pieces_.push_back(p);
      for (const int i : {0, 1}) send(i, t, p.tip_velocity[at(i)] - incoming[i], same_value);
      // The next thing that happens.
      Real after = std::numeric_limits<Real>::infinity();
      for (const int i : {0, 1})
        if (next[i] < sent_[at(i)].size()) after = std::min(after, sent_[at(i)][next[i]].t + delay[i]);
      bool closing = false;
      if (!closed && p.gap_rate < 0) {
        const Real hit = t + gap / -p.gap_rate;
        closing = hit <= after + same_time;
        after = std::min(after, hit);
      }
      if (!(after <= until_)) return;
      gap = closing ? Real(0) : gap + (after - t) * p.gap_rate;
      t = after;
    }
  }
  static bool changed(const Piece& a, const Piece& b) {
    return a.force != b.force || a.gap_rate != b.gap_rate || a.tip_velocity != b.tip_velocity;
  }
  void send(int bar, Real t, Real value, Real same_value) {
    auto& list = sent_[at(bar)];
    const Sent& last = list.back();
    if (std::abs(value - last.value) <= same_value) return;
    list.push_back({t, value, last.integral + (t - last.t) * last.value});
  }

  const Sent& sent_at(int bar, Real t) const {
    const auto& list = sent_[at(bar)];
    auto after = std::upper_bound(list.begin(), list.end(), t, [](Real x, const Sent& s) { return x < s.t; });
    return after == list.begin() ? list.front() : *(after - 1);
  }
  Real sent(int bar, Real t) const { return sent_at(bar, t).value; }
  Real integral(int bar, Real t) const {
    const Sent& s = sent_at(bar, t);
    return s.integral + (t - s.t) * s.value;
  }
  const Piece& piece(Real t) const {
    auto after = std::upper_bound(pieces_.begin(), pieces_.end(), t, [](Real x, const Piece& p) { return x < p.t; });
    return after == pieces_.begin() ? pieces_.front() : *(after - 1);
  }

  std::array<LinearBar<Real>, 2> bar_;
  Real until_, gap0_;
  std::array<std::vector<Sent>, 2> sent_;
  std::vector<Piece> pieces_;
  std::vector<Phase> contacts_;
};

}  // namespace ricochet::mechanics
