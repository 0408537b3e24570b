// The conformance suite: what every body, flier and family of gaps promises the loop, ours and users'.
#pragma once

#include <set>

#include "ricochet/conformance/along.hpp"
#include "ricochet/conformance/at_node.hpp"
#include "ricochet/conformance/canonical.hpp"
#include "ricochet/conformance/flights.hpp"

namespace ricochet::conformance {

/// Names: every family numbers gaps that have names of their own, and as many slips as friction.
template <class R>
void check_names(Subject<R>& s) {
  std::set<std::string> names;
  const auto& island = s.island;
  for (int i = 0; i < island.gaps() + island.constraints(); ++i) {
    const std::string name = island.gap_name(i);
    s.report.holds("names", !name.empty() && names.insert(name).second,
                   [&] { return "row " + std::to_string(i) + " has no name of its own: \"" + name + "\""; });
    if (i >= island.gaps()) continue;
    s.report.holds("names", island.friction(i) >= 0 && (island.slips(i) == 0 || island.friction(i) > 0), [&] {
      return "the gap \"" + name + "\" has " + std::to_string(island.slips(i)) + " slips and the friction " +
             Report::number(island.friction(i));
    });
  }
}

/// Tours the motion from every start: steps of length h, along which gaps are watched, with a bounce wherever one
/// closes. At a few nodes of the tour everything else is checked.
template <class R>
Report check(const motion::Island<R>& island, motion::Flier<R>& flier, const std::vector<motion::Node<R>>& starts,
             const Options<R>& options = {}) {
  Report report;
  Subject<R> s(island, flier, options, report);
  const int every = std::max(1, options.steps / std::max(1, options.full));
  long long closed = 0;
  try {
    check_names(s);
    for (const auto& start : starts) {
      motion::Node<R> x = start;
      AlongCheck<R> along(s);
      for (int k = 0; k < options.steps && s.body().finite(x); ++k) {
        if (k % every == 0) {
          check_node(s, x);
          check_flights(s, x);
          CanonicalCheck<R>(s, x)();
        }
        const auto closing = along(x);
        const R length = closing ? closing->s : options.step;
        motion::Node<R> next = x;
        flier.fly(x, {length, options.step}, next);
        x = std::move(next);
        if (!closing) continue;
        ++closed;
        motion::Covector normal;
        const auto contact = island.contact(closing->gap, x, options.step, normal);
        s.body().kick(x, normal, -2 * contact.rate / s.body().couple(normal, normal));
      }
    }
  } catch (const std::exception& e) {
    report.fail("no error", std::string("the suite was ended by an error: ") + e.what());
  }
  if (island.gaps() > 0 && closed == 0)
    report.skip("may be closed", "no gap closed: take other starts, more steps, or longer ones");
  return report;
}

}  // namespace ricochet::conformance
