// Where a flight first meets the boundary of C: isolation of the first root of every gap, not end-point tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "ricochet/contact/tolerance.hpp"
#include "ricochet/error.hpp"
#include "ricochet/motion/flier.hpp"
#include "ricochet/numerics/root.hpp"

namespace ricochet::contact {

/// How a gap stands at the start of a flight.
enum class Start {
  open,   ///< φ > 0
  fresh,  ///< φ ≈ 0 and not approaching: the root at s = 0 is the impact just treated, and is deflated
};

/// A curve that has to be solved for may be sketched: flights are then solved beside the root only.
template <class Real>
struct Sketch {
  numerics::FunctionRef<Real(Real)> decided;  ///< φ as far as an enclosure decides its sign, zero elsewhere
  numerics::FunctionRef<Real(Real)> middle;   ///< φ on the middle of the enclosure
  Real rounding;                              ///< of φ
};

/// Thrown where φ is no number, or its enclosure none that a division of the flight improves: from `s` on nobody knows.
template <class Real>
struct Unresolved {
  Real s;
  bool defined;  ///< φ itself is a number there
};

/// The first s in (from, limit] with φ(s) ≤ 0; `value(s)` is φ on the true curve, `bound(a,b)` encloses φ, φ', φ''
/// on it. Bisection from the left, each piece settled by sign of φ, of φ' or of φ'' (errata F8: hidden crossings).
/// A dip that stays within rounding of zero is no crossing. What lies behind the root may be undefined, not what lies
/// before it (Unresolved).
template <class Real>
std::optional<Real> first_root(numerics::FunctionRef<Real(Real)> value,
                               numerics::FunctionRef<motion::Bound<Real>(Real, Real)> bound, Real from, Real limit,
                               Start start, const Sketch<Real>* sketch = nullptr) {
  constexpr Real eps = std::numeric_limits<Real>::epsilon();
  struct Piece {
    Real a, b;
  };
  std::array<Piece, 128> stack;
  std::size_t depth = 0;
  stack[depth++] = {from, limit};

  auto look = [&](Real s) {
    if (sketch != nullptr)
      if (const Real y = sketch->decided(s); y != 0) return y;
    return value(s);
  };
  // The rate with which a deflated curve starts. Where its enclosure does not say that it rises, the curve itself does;
  // one that enters at its very start, by more than rounding, crosses there.
  Real rate = 0;
  if (start == Start::fresh) {
    const auto slope = bound(from, from).slope;
    rate = slope.mid;
    if (!(slope.lower() > 0)) {
      const Real d = (limit - from) / 1048576;
      rate = look(from + d) / d;
    }
    if (rate < 0) return from;
  }
  auto refined = [&](Real a, Real fa, Real b, Real fb) {
    if (a == from && start == Start::fresh) {
      // φ/s in place of φ: the known root at the start is divided out.
      if (!(rate > 0)) return a;
      auto quotient = [&](Real s) { return s > a ? look(s) / (s - a) : rate; };
      return numerics::bracketed_root<Real>(quotient, a, rate, b, fb / (b - a)).x;
    }
    if (sketch != nullptr && fa > 0 && fb < 0) {
      const auto& f = sketch->middle;
      const Real x = numerics::bracketed_root<Real>(f, a, fa, b, fb).x, d = (b - a) / 1024;
      const Real left = f(x - d), right = f(x + d);
      const Real slope = (right - left) / (2 * d), curvature = (right + left) / (d * d);
      if (const auto root = numerics::nearby_root<Real>(value, x, slope, curvature, a, b, sketch->rounding))
        return *root;
    }
    return numerics::bracketed_root<Real>(look, a, fa, b, fb).x;
  };
  auto refine = [&](Real a, Real fa, Real b, Real fb) {
    const Real root = refined(a, fa, b, fb);
    if (!(root >= a && root <= b)) throw Unresolved<Real>{a, true};  // infinite at an end: a pole
    return root;
  };

  constexpr int most_pieces = 200000;  // curves that can be settled at all take tens
  for (int pieces = 0; depth > 0; ++pieces) {
    const auto [a, b] = stack[--depth];
    if (pieces > most_pieces) throw Unresolved<Real>{a, true};
    const motion::Bound<Real> over = bound(a, b);
    const bool deflated = a == from && start == Start::fresh;
    if (!deflated && over.value.lower() > 0) continue;
    if (over.slope.lower() > 0) {  // rising from φ(a) ≥ 0, unless a pole or a jump lies at a itself
      if (start == Start::open && over.value.upper() < 0) throw Unresolved<Real>{a, true};
      continue;
    }
    const Real fa = deflated ? Real(0) : std::max(look(a), Real(0));
    const Real fb = look(b);
    const bool falling = over.slope.upper() < 0;
    const bool concave = over.curvature.upper() < 0;
    const bool convex = over.curvature.lower() > 0;
    if (fb <= 0) {
      if (falling || concave || (convex && !deflated)) return refine(a, fa, b, fb);
    } else {
      if (falling || concave) continue;  // φ ≥ min(φ(a), φ(b)) ≥ 0 between
      const Real down = over.slope.lower(), up = over.slope.upper();
      if (up > down && (fa * up - fb * down + down * up * (b - a)) > 0) continue;  // the slope cones meet above zero
    }
    const Real m = a + (b - a) / 2;
    // A short piece whose enclosure is as wide at a point as over the piece: dividing it on tells nothing (after a
    // release φ ~ s³ leaves zero more slowly than any enclosure). The curve itself decides.
    if (fb > 0 && b - a <= (limit - from) / 64 && over.value.rad <= 4 * bound(m, m).value.rad && look(m) > 0) continue;
    const bool tiny = (b - a) <= 4 * eps * std::max(std::abs(b), limit) || !(a < m && m < b);
    if (tiny || depth + 2 > stack.size()) {
      if (fb != fb) throw Unresolved<Real>{b, false};
      if (fb < 0 && !std::isfinite(over.slope.magnitude())) throw Unresolved<Real>{b, true};  // a pole, not a root
      if (fb < 0 && over.value.upper() < 0) return b;
      if (fb <= 0 && !deflated) return refine(a, fa, b, fb);
      continue;
    }
    stack[depth++] = {m, b};
    stack[depth++] = {a, m};
  }
  return std::nullopt;
}

/// The root of φ just before that of φ + noise: hops one after the other would each lose the noise. Where φ has none
/// there, because it came no higher, the latter counts.
template <class Real>
Real true_root(numerics::FunctionRef<Real(Real)> value, numerics::FunctionRef<motion::Bound<Real>(Real, Real)> bound,
               Real noise, Real from, Real late) {
  const Real slope = bound(late, late).slope.mid;
  if (!(slope < 0)) return late;
  const Real early = late + 2 * noise / slope;
  if (!(early > from)) return late;
  const Real at_early = value(early), at_late = value(late);
  return at_early > 0 && at_late < 0 ? numerics::bracketed_root<Real>(value, early, at_early, late, at_late).x : late;
}

/// The first crossing of a flight: gap and time since its start.
template <class Real>
struct Crossing {
  int gap = -1;
  Real s{};
};

using motion::GapList;

template <class Real>
[[noreturn]] void unresolved(const motion::Island<Real>& island, int gap, const motion::Node<Real>& node,
                             const Unresolved<Real>& at) {
  char text[160];
  std::snprintf(text, sizeof text,
                at.defined ? "near t = %.6g the gap \"%.64s\" cannot be enclosed: it varies without bound"
                           : "from t = %.6g on the gap \"%.64s\" is not a number along the flight",
                static_cast<double>(node.t + at.s), island.gap_name(gap).c_str());
  throw Error(at.defined ? ErrorKind::impact_not_found : ErrorKind::not_finite, text, island.state(node));
}

/// Looks for crossings along one curve, gap after gap.
template <class Real>
struct Locator {
  const motion::Island<Real>& island;
  motion::Path<Real>& path;
  const motion::Node<Real>& node;
  const discrete::Step<Real> step;
  const motion::Node<Real>& end;
  motion::Trace& trace;
  motion::Covector& normal;  ///< scratch

  /// A gap where the search begins.
  struct Standing {
    motion::Contact<Real> contact;  ///< at the node
    Real counts_as_closed, value;
    bool is_closed = false, violated = false;
  };
  Standing standing(int i, Real from) {
    const auto contact = island.contact(i, node, step.h, normal);
    const Real counts_as_closed = tolerance(contact);
    if (!(counts_as_closed >= 0))
      throw Error(ErrorKind::not_finite,
                  "the rate or the acceleration of the gap \"" + island.gap_name(i) + "\" is not a finite number",
                  island.state(node));
    Standing at{contact, counts_as_closed, contact.value};
    if (from > 0) {
      // Later on the curve only what touched there is deflated: a gap that is open has no root to divide out.
      at.value = path.gap_along(island, i, node, {from, step.h}, trace);
      at.is_closed = at.value <= counts_as_closed;
      return at;
    }
    at.is_closed = touches(contact, normal, island, node);
    if (contact.value < 0 && !at.is_closed) {
      // At rest in a momentary balance of forces every scale of the node vanishes; the flight itself still has one.
      const Real size = island.gap_bound(i, trace, Real(0), step.s).value.magnitude();
      at.is_closed = -contact.value <= Real(tolerances::rate_noise) * size;
      at.violated = !at.is_closed;
    }
    return at;
  }
  [[noreturn]] void violated(int i, const Standing& at) const {
    char amount[32];
    std::snprintf(amount, sizeof amount, "%.6g", static_cast<double>(-at.contact.value));
    throw Error(ErrorKind::impact_not_found,
                "the gap \"" + island.gap_name(i) + "\" is violated by " + amount + " at the start of a flight",
                island.state(node));
  }

  /// The first root of one gap in (from, limit].
  std::optional<Real> root(int i, const Standing& at, Real from, Real limit, Start start) {
    const auto& contact = at.contact;
    // A gap that starts closed may stay so to rounding (two bodies moving together), or open from where it stands, a
    // little below zero: that is no crossing. No more than counts as closed, so that a root found here is, unless it
    // stood lower from the start. What rounds a gap is also what rounds the way of a step.
    Real noise = 0;
    if (start == Start::fresh) {
      const Real moved = step.h * (contact.rate_scale + step.h * contact.acceleration_scale);
      const bool sunk = -contact.value > at.counts_as_closed && from == 0;
      noise = std::max(16 * std::numeric_limits<Real>::epsilon() * std::max(contact.value_scale, moved),
                       sunk ? -2 * contact.value : std::min(-at.value, at.counts_as_closed / 2));
    }
    auto decided = [&](Real s) {
      if (s == 0) return contact.value + noise;
      if (s == step.s) return island.gap(i, end) + noise;
      const auto range = island.gap_range(i, trace, s, s);
      return std::abs(range.mid) > 4 * range.rad ? range.mid + noise : Real(0);
    };
    auto middle = [&](Real s) { return island.gap_in_middle(i, trace, s) + noise; };
    const Sketch<Real> sketch{decided, middle, std::numeric_limits<Real>::epsilon() * contact.value_scale};
    auto itself = [&](Real s) { return path.gap_along(island, i, node, {s, step.h}, trace); };
    auto value = [&](Real s) { return itself(s) + noise; };
    auto bound = [&](Real a, Real b) {
      auto bound = island.gap_bound(i, trace, a, b);
      bound.value.mid += noise;
      return bound;
    };
    try {
      if (const auto root = first_root<Real>(value, bound, from, limit, start, trace.exact ? nullptr : &sketch))
        return noise > 0 ? true_root<Real>(itself, bound, noise, from, *root) : *root;
    } catch (const Unresolved<Real>& at_s) {
      unresolved(island, i, node, at_s);
    }
    return std::nullopt;
  }

  /// A union is open as long as any of its branches is: from the root of one to that of the next that is open there, as
  /// far as that goes. Where it ends, the union is entered, by the branch that was open last.
  std::optional<Crossing<Real>> entered(std::span<const int> branches, Real from, Real limit) {
    std::vector<Covering> standings;
    for (const int i : branches) standings.push_back({i, standing(i, from)});
    Real s = from;
    int last = -1;
    for (int hops = 0; hops < 100000; ++hops) {
      Covering* cover = nullptr;
      for (Covering& c : standings)
        if (!c.ended && covers(c, s, from) && (cover == nullptr || c.at.value > cover->at.value)) cover = &c;
      if (cover == nullptr) {
        if (last >= 0) return Crossing<Real>{last, s};
        const auto nearest =
            std::max_element(standings.begin(), standings.end(),
                             [](const Covering& a, const Covering& b) { return a.at.value < b.at.value; });
        if (from == 0 && nearest->at.violated) violated(nearest->gap, nearest->at);
        return Crossing<Real>{nearest->gap, s};
      }
      if (!(limit > s)) return std::nullopt;
      const bool fresh = cover->at.value <= cover->at.counts_as_closed && (s == from || !(cover->at.value > 0));
      const auto ends = root(cover->gap, cover->at, s, limit, fresh ? Start::fresh : Start::open);
      if (!ends) return std::nullopt;
      last = cover->gap;
      if (*ends > s)
        for (Covering& c : standings) c.ended = false;
      cover->ended = true;
      s = *ends;
      for (Covering& c : standings)
        if (&c != cover) c.at.value = path.gap_along(island, c.gap, node, {s, step.h}, trace);
    }
    unresolved(island, last, node, Unresolved<Real>{s, true});
  }

 private:
  struct Covering {
    int gap;
    Standing at;
    bool ended = false;  ///< it has just become zero
  };
  /// Whether a branch keeps its union open behind s: it is positive, or zero and does not approach.
  bool covers(const Covering& c, Real s, Real from) const {
    if (s == 0 && from == 0) return c.at.is_closed ? !approaching(c.at.contact) : c.at.value > 0;
    if (c.at.value > 0) return true;
    return c.at.value >= -c.at.counts_as_closed && island.gap_bound(c.gap, trace, s, s).slope.mid > 0;
  }
};

/// The earliest first root of all gaps along the closure's own curve from `node` to `end`, after `from`. A gap that is
/// closed and approaching at the very start is an impact at s = 0. `list` holds the trace's candidates, `normal` is
/// scratch; `skip(i)` leaves out gaps that are held.
template <class Real>
std::optional<Crossing<Real>> locate(const motion::Island<Real>& island, motion::Path<Real>& path,
                                     const motion::Node<Real>& node, discrete::Step<Real> step,
                                     const motion::Node<Real>& end, motion::Trace& trace, Real from, GapList& list,
                                     motion::Covector& normal, numerics::FunctionRef<bool(int)> skip) {
  if (list.empty()) return std::nullopt;
  const motion::Search<Real> search(path);
  if (!trace.exact && !trace.refined) {
    // Quarters of the coarse enclosure settle most flights that only come near; one that crosses fails at its end.
    std::erase_if(list, [&](int i) {
      for (int k = 3; k >= 0; --k)
        if (!(island.gap_range(i, trace, step.s * Real(k) / 4, step.s * Real(k + 1) / 4).lower() > 0)) return false;
      return true;
    });
    island.drop_open_unions(list);
    if (list.empty()) return std::nullopt;
    path.refine(node, step, end, trace);
    island.candidates(trace, list);
  }
  Locator<Real> locator{island, path, node, step, end, trace, normal};
  std::optional<Crossing<Real>> first;
  for (const int i : list) {
    if (skip(i)) continue;
    const Real limit = first ? first->s : step.s;
    if (!island.unions_of(i).empty()) continue;
    const auto at = locator.standing(i, from);
    if (at.violated) locator.violated(i, at);
    if (from == 0 && at.is_closed && approaching(at.contact)) return Crossing<Real>{i, Real(0)};
    if (!(limit > from)) continue;
    if (const auto root = locator.root(i, at, from, limit, at.is_closed ? Start::fresh : Start::open))
      first = Crossing<Real>{i, *root};
  }
  for (int u = 0; u < island.unions(); ++u) {
    if (!island.lists_all(list, u) || std::ranges::any_of(island.branches(u), skip)) continue;
    if (const auto entry = locator.entered(island.branches(u), from, first ? first->s : step.s)) first = entry;
  }
  return first;
}

}  // namespace ricochet::contact
