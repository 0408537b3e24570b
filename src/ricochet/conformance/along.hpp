// What gaps promise along a flight: enclosures of φ, φ' and φ'' that hold, and lists that leave out no gap that closes.
#pragma once

#include <algorithm>
#include <optional>

#include "ricochet/conformance/rows.hpp"
#include "ricochet/numerics/root.hpp"

namespace ricochet::conformance {

/// A flight of one step, sampled densely along the closure's own curve and compared with what is said of it.
template <class R>
class AlongCheck {
 public:
  using Node = motion::Node<R>;
  using Step = discrete::Step<R>;
  struct Closing {
    int gap;
    R s;
  };

  explicit AlongCheck(Subject<R>& s) : s_(s) {}

  /// The flight from x over a whole step: checks all of it. Returns the first gap that closes, and where.
  std::optional<Closing> operator()(const Node& x) {
    x_ = x;
    step_ = {s_.h(), s_.h()};
    end_ = x;
    s_.flier.fly(x, step_, end_, trace_);
    sample();
    check_lists("candidates of a first enclosure");
    check_values();
    if (!trace_.exact && !trace_.refined) {
      s_.flier.refine(x, step_, end_, trace_);
      check_lists("candidates of a sharp enclosure");
      check_values();
    }
    check_derivatives();
    check_coordinates();
    check_curve();
    const auto closing = first_closing();
    if (closing) check_closed(*closing);
    return closing;
  }

 private:
  static constexpr int pieces = 32;  ///< samples at multiples of h/32

  const motion::Island<R>& island() const { return s_.island; }
  R at(int k) const { return step_.s * R(k) / pieces; }
  static std::size_t index(int k) { return static_cast<std::size_t>(k); }
  std::string where() const { return s_.at(x_); }
  std::string gap(int i) const { return "the gap \"" + island().gap_name(i) + "\""; }

  void sample() {
    nodes_.resize(pieces + 1);
    values_.assign(index(island().gaps()), {});
    for (int k = 0; k <= pieces; ++k) {
      nodes_[index(k)] = x_;
      s_.flier.fly(x_, {at(k), step_.h}, nodes_[index(k)]);
    }
    noise_.clear();
    motion::Covector scratch;
    for (int i = 0; i < island().gaps(); ++i) {
      for (const Node& node : nodes_) values_[index(i)].push_back(island().gap(i, node));
      noise_.push_back(noise_of(island().contact(i, x_, step_.h, scratch)));
    }
  }
  R noise_of(const motion::Contact<R>& c) const {
    const R h = step_.h;
    return 64 * std::numeric_limits<R>::epsilon() * (c.value_scale + std::abs(c.value)) +
           R(1e-12) * h * (c.rate_scale + h * c.acceleration_scale);
  }

  /// A gap that is negative anywhere along the flight is a candidate.
  void check_lists(const char* which) {
    auto& list = candidates_;
    island().candidates(trace_, list);
    const auto none = std::erase_if(list, [&](int i) { return i < 0 || i >= island().gaps(); });
    s_.report.holds("candidates", none == 0,
                    [&] { return std::string("the ") + which + " are not all numbers of gaps" + where(); });
    for (int i = 0; i < island().gaps(); ++i) {
      const auto& f = values_[index(i)];
      const auto lowest = std::min_element(f.begin(), f.end());
      if (!(*lowest < -noise_[index(i)])) continue;
      s_.report.holds("candidates", std::find(list.begin(), list.end(), i) != list.end(), [&] {
        return "the " + std::string(which) + " leave out " + gap(i) + ", which is " + Report::number(*lowest) +
               " after " + Report::number(at(static_cast<int>(lowest - f.begin()))) + where();
      });
    }
    closable_.assign(index(island().gaps()), false);
    for (const int i : island().closable()) closable_[index(i)] = true;
    for (const int i : list)
      s_.report.holds("closable", closable_[index(i)],
                      [&] { return gap(i) + " may close along the flight but does not count as closable" + where(); });
  }

  /// φ over pieces of the flight: halves, quarters and eighths.
  void check_values() {
    for (int i = 0; i < island().gaps(); ++i)
      for (int parts = 1; parts <= 8; parts *= 2)
        for (int part = 0; part < parts; ++part) {
          const int a = pieces / parts * part, b = pieces / parts * (part + 1);
          const auto value = island().gap_bound(i, trace_, at(a), at(b)).value;
          const auto range = island().gap_range(i, trace_, at(a), at(b));
          for (int k = a; k <= b; ++k) {
            within("enclosure", value, values_[index(i)][index(k)], noise_[index(i)], k, [&] { return gap(i); });
            within("enclosure", range, values_[index(i)][index(k)], noise_[index(i)], k,
                   [&] { return gap(i) + " (its range alone)"; });
          }
        }
  }
  /// φ' and φ'': differences of the samples, with spacings of one and of two; what differs between these two is left
  /// to doubt.
  template <class Bounds, class What>
  void check_derivatives_of(const std::vector<R>& f, R noise, Bounds&& bounds, What&& what) {
    const R d = at(1);
    for (int parts = 1; parts <= 4; parts *= 2)
      for (int part = 0; part < parts; ++part) {
        const int a = pieces / parts * part, b = pieces / parts * (part + 1);
        const motion::Bound<R> bound = bounds(at(a), at(b));
        for (int k = std::max(a, 4); k <= std::min(b, pieces - 4); ++k) {
          const auto y = [&](int by) { return f[index(k + by)]; };
          const auto slope = [&](int n) { return (8 * (y(n) - y(-n)) - (y(2 * n) - y(-2 * n))) / (12 * d * R(n)); };
          const auto bend = [&](int n) {
            return (16 * (y(n) + y(-n)) - (y(2 * n) + y(-2 * n)) - 30 * y(0)) / (12 * d * d * R(n * n));
          };
          within("slope enclosure", bound.slope, slope(1), std::abs(slope(1) - slope(2)) + 2 * noise / d, k,
                 [&] { return "the rate of " + what(); });
          within("curvature enclosure", bound.curvature, bend(1), std::abs(bend(1) - bend(2)) + 6 * noise / (d * d), k,
                 [&] { return "the second derivative of " + what(); });
        }
      }
  }
  void check_derivatives() {
    for (int i = 0; i < island().gaps(); ++i)
      check_derivatives_of(
          values_[index(i)], noise_[index(i)] / 8, [&](R a, R b) { return island().gap_bound(i, trace_, a, b); },
          [&] { return gap(i); });
  }
  /// The coordinates that gaps of other families read.
  void check_coordinates() {
    const auto& body = s_.body();
    if (body.scalars() == 0)
      return s_.report.skip("coordinates", "the body shows no coordinates to gaps that are not its own");
    for (int k = 0; k < body.scalars(); ++k) {
      std::vector<R> q;
      for (const Node& node : nodes_) q.push_back(body.scalar(k, node).value);
      const auto c = body.scalar(k, x_);
      const R h = step_.h;
      const R noise = 16 * std::numeric_limits<R>::epsilon() * (std::abs(c.value) + std::abs(q.back())) +
                      R(1e-13) * h * (std::abs(c.velocity) + h * std::abs(c.acceleration));
      const auto what = [&] { return "coordinate " + std::to_string(k); };
      for (int parts = 1; parts <= 4; parts *= 2)
        for (int part = 0; part < parts; ++part) {
          const int a = pieces / parts * part, b = pieces / parts * (part + 1);
          const auto bound = body.scalar(k, trace_, at(a), at(b));
          for (int j = a; j <= b; ++j) within("coordinates", bound.value, q[index(j)], 8 * noise, j, what);
        }
      check_derivatives_of(
          q, noise, [&](R a, R b) { return body.scalar(k, trace_, a, b); }, what);
    }
  }
  /// φ at the end of a piece, and on the middle of an exact trace: asked of candidates alone.
  void check_curve() {
    for (const int i : candidates_)
      for (const int k : {0, 5, 16, 27, 32}) {
        const R is = values_[index(i)][index(k)];
        s_.report.near("gap along", s_.flier.gap_along(island(), i, x_, {at(k), step_.h}, trace_), is, noise_[index(i)],
                       [&] { return gap(i) + " after " + Report::number(at(k)) + where(); });
        if (trace_.exact)
          s_.report.near("gap along", island().gap_in_middle(i, trace_, at(k)), is, noise_[index(i)],
                         [&] { return gap(i) + " on the middle of an exact trace" + where(); });
      }
  }
  template <class What>
  void within(const std::string& check, const numerics::Ball<R>& ball, R is, R doubt, int k, What&& what) {
    s_.report.holds(check, is >= ball.lower() - doubt && is <= ball.upper() + doubt, [&] {
      return what() + " is " + Report::number(is) + " after " + Report::number(at(k)) + ", outside its enclosure [" +
             Report::number(ball.lower()) + ", " + Report::number(ball.upper()) + "]" + where();
    });
  }

  /// The first sample at which a gap has become negative, and the root before it.
  std::optional<Closing> first_closing() {
    std::optional<Closing> first;
    for (int i = 0; i < island().gaps(); ++i) {
      const auto& f = values_[index(i)];
      for (int k = 1; k <= pieces; ++k) {
        if (f[index(k)] >= -noise_[index(i)]) continue;
        int open = k - 1;
        while (open > 0 && !(f[index(open)] > 0)) --open;
        if (!(f[index(open)] > 0)) break;  // it was closed already
        Node y = x_;
        const auto value = [&](R s) {
          s_.flier.fly(x_, {s, step_.h}, y);
          return island().gap(i, y);
        };
        const R s = numerics::bracketed_root<R>(value, at(open), f[index(open)], at(k), f[index(k)]).x;
        if (!first || s < first->s) first = Closing{i, s};
        break;
      }
    }
    return first;
  }
  /// At the root the gap is closed, and the quick tests say that it may be.
  void check_closed(const Closing& closing) {
    Node y = x_;
    s_.flier.fly(x_, {closing.s, step_.h}, y);
    s_.report.holds("may be closed", island().may_be_closed(closing.gap, y, step_.h),
                    [&] { return gap(closing.gap) + " is closed, and may_be_closed says that it is not" + s_.at(y); });
    s_.report.holds("closable", closable_[index(closing.gap)],
                    [&] { return gap(closing.gap) + " is closed, and is not among the closable ones" + s_.at(y); });
  }

  Subject<R>& s_;
  Node x_, end_;
  Step step_{};
  motion::Trace trace_;
  std::vector<Node> nodes_;
  std::vector<std::vector<R>> values_;  ///< of each gap at the samples
  std::vector<R> noise_;
  motion::GapList candidates_;
  std::vector<bool> closable_;
};

}  // namespace ricochet::conformance
