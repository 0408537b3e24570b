// What a flier promises of a flight: where it begins and ends, its energies, its order, and the way back.
#pragma once

#include "ricochet/conformance/subject.hpp"

namespace ricochet::conformance {

/// A flight of length 0 goes nowhere and has the energy H.
template <class R>
void check_zero(Subject<R>& s, const motion::Node<R>& x) {
  motion::Node<R> y = x;
  const auto interval = s.flier.fly(x, {R(0), s.h()}, y);
  s.report.holds("flight of length 0", s.distance(x, y) <= 4 * std::numeric_limits<R>::epsilon() && x.t == y.t,
                 [&] { return "its end differs from its start by " + Report::number(s.distance(x, y)) + s.at(x); });
  const R H = s.body().hamiltonian(x), tolerance = R(tolerances::same) * (s.energy_size(x) + interval.excess_scale);
  if (interval.has_excess)
    s.report.near("flight of length 0", interval.start - interval.excess_start, H, tolerance,
                  [&] { return "its energy at the start less the excess" + s.at(x); });
  // A shadow has an energy of its own, which tends to H with the step that it belongs to.
  using Interval = discrete::Interval<R>;
  for (R Interval::*energy : {&Interval::energy, &Interval::start, &Interval::end}) {
    R first, last;
    const bool tends = is_of_order(
        1, s.h(), tolerance,
        [&](R h) {
          return std::abs(s.flier.fly(x, {R(0), h}, y).*energy - H);
        },
        first, last);
    s.report.holds("flight of length 0", tends, [&] {
      const char* name = energy == &Interval::energy ? "energy" : energy == &Interval::start ? "start" : "end";
      return std::string("its ") + name + " is " + Report::number(interval.*energy) + " where H is " +
             Report::number(H) + ", and does not tend to it with h," + s.at(x);
    });
  }
}

/// All ways to ask for a flight give the same one.
template <class R>
void check_flight(Subject<R>& s, const motion::Node<R>& x) {
  auto& flier = s.flier;
  for (const R part : {R(1), R(0.37)}) {
    const discrete::Step<R> step{part * s.h(), s.h()};
    const auto same = [&](const motion::Node<R>& a, const motion::Node<R>& b, const char* what) {
      s.report.holds("flight", s.distance(a, b) <= R(tolerances::same) && a.t == b.t, [&] {
        return std::string(what) + " differ by " + Report::number(s.distance(a, b)) + " after a flight of " +
               Report::number(part) + " steps" + s.at(x);
      });
    };
    motion::Node<R> y = x, alias = x, traced = x, scratch = x;
    const auto interval = flier.fly(x, step, y);
    s.report.near("flight", y.t, x.t + step.s, 4 * std::numeric_limits<R>::epsilon() * (std::abs(x.t) + step.s),
                  [&] { return "the time after a flight" + s.at(x); });
    flier.fly(alias, step, alias);
    same(y, alias, "the ends of a flight into another node and into its own start");
    motion::Trace trace;
    flier.fly(x, step, traced, trace);
    same(y, traced, "the ends of a flight without and with an enclosure of its curve");
    const auto stretch = s.body().stretch(trace);
    s.report.near("flight", stretch.length, step.s, 8 * std::numeric_limits<R>::epsilon() * step.s,
                  [&] { return "the length of the trace" + s.at(x); });
    s.report.near("flight", stretch.t, x.t, 8 * std::numeric_limits<R>::epsilon() * std::abs(x.t),
                  [&] { return "the time at which the trace starts" + s.at(x); });
    const auto left = flier.leave(x, step, scratch);
    const R tolerance = R(tolerances::same) * (s.energy_size(x) + interval.excess_scale);
    s.report.near("flight", left.start, interval.start, tolerance,
                  [&] { return "the energy at the start that `leave` gives, beside that of `fly`," + s.at(x); });
  }
  if (flier.may_be_plain()) {
    motion::Node<R> usual = x, plain = x, again = x;
    const discrete::Step<R> step{s.h(), s.h()};
    flier.fly(x, step, usual);
    flier.fly_plainly();
    flier.fly(x, step, plain);
    s.report.holds("plain flight", s.distance(usual, plain) == 0,
                   [&] { return "a whole step is not the rule's own, bit for bit" + s.at(x); });
    flier.fly_as_usual();
    s.report.holds("plain flight", flier.may_be_plain(), [&] { return "a flier told to fly as usual does not"; });
    flier.fly(x, {s.h() / 3, s.h()}, again);
    flier.fly(x, {s.h() / 3, s.h()}, usual);
    s.report.holds("plain flight", s.distance(usual, again) <= R(tolerances::same),
                   [&] { return "a flier that flies as usual again flies another curve" + s.at(x); });
  }
}

/// Energies: H is reached from both ends less the excess, energy is what was supplied, and the ends agree where nothing
/// was.
template <class R>
void check_energies(Subject<R>& s, const motion::Node<R>& x) {
  const auto& body = s.body();
  motion::Node<R> y = x;
  const auto interval = s.flier.fly(x, {R(0.6) * s.h(), s.h()}, y);
  const R tolerance = R(tolerances::same) * (s.energy_size(x) + s.energy_size(y) + interval.excess_scale);
  if (interval.has_excess) {
    s.report.near("energies", interval.start - interval.excess_start, body.hamiltonian(x), tolerance,
                  [&] { return "the energy at the start of a flight less its excess, beside H," + s.at(x); });
    s.report.near("energies", interval.end - interval.excess_end, body.hamiltonian(y), tolerance,
                  [&] { return "the energy at the end of a flight less its excess, beside H," + s.at(x); });
  }
  if (interval.supplied == 0) {
    s.report.near("energies", interval.start, interval.energy, tolerance,
                  [&] { return "the energy at the start of a flight without a supply, beside E_d," + s.at(x); });
    s.report.near("energies", interval.end, interval.energy, tolerance,
                  [&] { return "the energy at the end of a flight without a supply, beside E_d," + s.at(x); });
  }
  // Over whole steps E_d − H and H(end) − H(start) − supply are errors of the rule.
  const R noise = R(tolerances::same) * s.energy_size(x);
  const int order = body.order();
  R first, last;
  const bool balanced = is_of_order(
      order + 1, s.h(), noise,
      [&](R length) {
        const auto flown = s.flier.fly(x, {length, length}, y);
        return std::abs(body.hamiltonian(y) - body.hamiltonian(x) - flown.supplied);
      },
      first, last);
  s.report.holds("energies", balanced, [&] {
    return "H(end) − H(start) − supply of a step s is not O(s^" + std::to_string(order + 1) +
           "): its factor grows from " + Report::number(first) + " to " + Report::number(last) + s.at(x);
  });
  for (const bool end : {false, true}) {
    const bool near_H = is_of_order(
        1, s.h(), noise,
        [&](R length) {
          const auto flown = s.flier.fly(x, {length, length}, y);
          return end ? std::abs(flown.end - body.hamiltonian(y)) : std::abs(flown.start - body.hamiltonian(x));
        },
        first, last);
    s.report.holds("energies", near_H, [&] {
      return std::string("the energy at the ") + (end ? "end" : "start") +
             " of a step s does not tend to H with s: " + "their difference over s grows from " +
             Report::number(first) + " to " + Report::number(last) + s.at(x);
    });
  }
}

/// The order that a body claims: one step and two of half the length differ by O(h^{order+1}).
template <class R>
void check_order(Subject<R>& s, const motion::Node<R>& x) {
  const int order = s.body().order();
  R first, last;
  const bool kept = is_of_order(
      order + 1, s.h(), R(tolerances::same),
      [&](R length) { return s.distance(s.whole(x, length), s.whole(s.whole(x, length / 2), length / 2)); }, first,
      last);
  s.report.holds("order", kept, [&] {
    return "a step s and two of half its length do not agree to O(s^" + std::to_string(order + 1) +
           "): the factor grows from " + Report::number(first) + " to " + Report::number(last) + s.at(x);
  });
}

/// There and back: with the momentum reversed a symmetric rule flies the same way back.
template <class R>
void check_backward(Subject<R>& s, const motion::Node<R>& x) {
  const std::string name = "backward flight";
  if (!s.symmetric()) return s.report.skip(name, "the rule is not symmetric");
  motion::Node<R> y = x;
  if (!s.reverse(y)) return s.report.skip(name, "nobody says how to reverse a momentum: Options::reverse");
  for (const R part : {R(1), R(0.37)}) {
    const discrete::Step<R> step{part * s.h(), s.h()};
    const auto interval = s.flier.fly(x, step, y);
    if (interval.supplied != 0) return s.report.skip(name, "energy is supplied along the flight");
    s.reverse(y);
    motion::Node<R> back = y;
    s.flier.fly(y, step, back);
    s.reverse(back);
    const R off = s.distance(back, x);
    s.report.holds(name, off <= R(tolerances::back), [&] {
      return "a flight of " + Report::number(part) + " steps and the one back miss the start by " +
             Report::number(off) + s.at(x);
    });
  }
}

/// `many` takes the very steps that `fly` takes.
template <class R>
void check_many(Subject<R>& s, const motion::Node<R>& x) {
  motion::Node<R> all = x, scratch = x, one = x;
  const long long flown = s.flier.many(all, scratch, s.h(), 5);
  if (flown < 0) return s.report.skip("many steps", "there is no faster way than one step after the other");
  for (long long k = 0; k < flown; ++k) s.flier.fly(motion::Node<R>(one), {s.h(), s.h()}, one);
  s.report.holds("many steps", flown <= 5 && s.distance(all, one) == 0, [&] {
    return std::to_string(flown) + " steps at once are not the same number of single ones, bit for bit" + s.at(x);
  });
}

template <class R>
void check_flights(Subject<R>& s, const motion::Node<R>& x) {
  check_zero(s, x);
  check_flight(s, x);
  check_energies(s, x);
  check_order(s, x);
  check_backward(s, x);
  check_many(s, x);
}

}  // namespace ricochet::conformance
