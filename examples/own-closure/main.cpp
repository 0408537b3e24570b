// A closure of one's own: the exact shadow of linear oscillators.
//
// A closure says which curve is flown in the pieces of an impact step, and which energy the impulse balances. For
// masses on springs, H = Σ p²/2m + ½mω²q², the trapezoid rule with step h is Verlet's method, and each coordinate of
// its orbit lies exactly on
//
//   q(t) = A cos(ω̃t + β),   p(t) = −c mω A sin(ω̃t + β),   sin(ω̃h/2) = ωh/2,   c² = 1 − (ωh/2)²,
//
// the flow of the Hamiltonian K = Σ (ω̃/2cω) (p²/m + c²mω²q²): the shadow of the rule, to every order in h. A closure
// that flies this curve in the pieces, and balances K at impacts, therefore keeps K through all impacts to rounding. At
// s = h the curve ends where the rule's own step does, as every closure has to.
//
// Sample run:
//
//   $ example_own_closure
//   1  conformance: 25 checks passed
//   2  the last of 2667 impacts at t = 9997.812, in closed form the same to 2.0e-11
//   3  K through 8838 impacts of two masses: within 1.0e-13 of itself; H with the closure of the paper: within 2.2e-01
//
// The steps below: 1. the closure, 2. the system, 3. the conformance suite, 4. a run against a closed form, 5. a run of
// two masses that hit each other.
#include <cmath>
#include <cstdio>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/conformance/conformance.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

using ricochet::Point;

// 1. The closure. `fly` makes a piece of length step.s of an impact step of length step.h; `gap_along` is a gap at its
//    end; `balances` says that an elastic impulse is sized by E⁺ = E⁻ of these flights. Everything is a template on the
//    body, whose system here has to offer the frequencies.
class ExactShadow {
 public:
  static constexpr const char* name() { return "exact shadow"; }
  static constexpr bool balances() { return true; }

  template <class Body>
  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Work& work) const {
    return piece(body, from, step, out, nullptr, work);
  }
  // The same, with an enclosure of the curve: a cubic, and what is left of the series at most.
  template <class Body>
  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Trace& trace, typename Body::Work& work) const {
    return piece(body, from, step, out, &trace, work);
  }
  template <class Body>
  auto gap_along(const Body& body, int i, const typename Body::Node& from, typename Body::Step step,
                 const typename Body::Trace&, typename Body::Work& work) const {
    piece(body, from, step, work.sample, nullptr, work);
    return body.gap(i, work.sample);
  }

 private:
  template <class Body>
  auto piece(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
             typename Body::Trace* trace, typename Body::Work& work) const {
    const auto n = from.q.size();
    typename Body::Vec dq(n), dp(n);
    if (trace != nullptr) {
      trace->t = from.t, trace->length = step.s;
      trace->c0 = from.q;
      trace->c1.resize(n), trace->c2.resize(n), trace->c3.resize(n), trace->radius.resize(n);
      trace->exact = false;
      trace->cubic = trace->refined = true;
    }
    double K = 0;
    const auto& system = body.mechanics().system();
    for (Eigen::Index k = 0; k < n; ++k) {
      const double m = system.mass()[k], w = system.frequency(k), x = w * step.h / 2;
      const double shadow = 2 * std::asin(x) / step.h, c = std::sqrt(1 - x * x), impedance = c * m * w;
      const double q = from.q[k], p = from.p[k];
      // cos − 1 = −2 sin²(half): increments lose no digits to q and p.
      const double sine = std::sin(shadow * step.s), half = std::sin(shadow * step.s / 2), less = -2 * half * half;
      dq[k] = less * q + sine * p / impedance;
      dp[k] = less * p - sine * impedance * q;
      K += shadow / (2 * c * w) * (p * p / m + c * c * m * w * w * q * q);
      if (trace != nullptr) {
        const double v = shadow * p / impedance, size = std::hypot(q, p / impedance), turn = shadow * step.s;
        trace->c1[k] = v;
        trace->c2[k] = -shadow * shadow * q / 2;
        trace->c3[k] = -shadow * shadow * v / 6;
        trace->radius[k] = size * (turn * turn * turn * turn / 24 + 4e-16);
      }
    }
    typename Body::Interval interval;
    interval.energy = interval.start = interval.end = K;
    if (step.s == step.h) {  // a whole step is the rule's own, bit for bit
      body.fly(from, step, out, work);
      return interval;
    }
    if (&out != &from) out = from;
    out.move(dq, dp);
    out.t += step.s;
    return interval;
  }
};

// 2. A system: masses on springs along a line, each with its own frequency. Gap 0 is between the first mass and a wall
//    on its left, gap 1 between the two masses.
struct Oscillators {
  int n;
  double wall;
  int dimension() const { return n; }
  Eigen::VectorXd mass() const { return Eigen::Vector2d(1, 1.7).head(n); }
  double frequency(Eigen::Index k) const { return k == 0 ? 1.0 : std::sqrt(2.3); }
  template <class T>
  T potential(Point<T> q) const {
    T V = 0.5 * q[0] * q[0];
    if (n == 2) V = V + 0.5 * 1.7 * 2.3 * q[1] * q[1];
    return V;
  }
  int gaps() const { return n; }
  template <class T>
  T gap(int i, Point<T> q) const {
    return i == 0 ? q[0] + wall : q[1] - q[0] + 0.4;
  }
};
using Body = ricochet::bodies::Generalized<Oscillators>;

double shadow_energy(const Body& body, const Body::Node& x, double h) {
  Body::Work work;
  Body::Node scratch = x;
  return ExactShadow{}.fly(body, x, {0, h}, scratch, work).energy;
}

struct LastImpact {
  double t = 0;
  void impact(const auto& event) { t = event.t; }
};

/// The largest relative change of the energy at the nodes of a run.
struct Range {
  const Body& body;
  double h, start, most = 0;
  bool shadow;
  void node(long long, const Body::Node& x, const Body::Interval&) {
    const double E = shadow ? shadow_energy(body, x, h) : body.hamiltonian(x);
    most = std::max(most, std::abs(E / start - 1));
  }
};

}  // namespace

int main() {
  using ricochet::principle::Strong;
  bool right = true;
  const double h = 0.1;  // a tenth of a radian per step

  // 3. The closure keeps what the loop relies on.
  const Body one({1, 0.3}, Body::Rule::trapezoid()), two({2, 1.0}, Body::Rule::trapezoid());
  const auto start = two.node(Eigen::Vector2d(0.5, 0.9), Eigen::Vector2d(-1.5, 0.4));
  const auto report = ricochet::conformance::check(two, {start}, ExactShadow{}, {.step = h, .steps = 100});
  right = right && report.passed() && report.compared("may be closed") > 0;
  if (report.passed())
    std::printf("1  conformance: %zu checks passed\n", report.checks().size());
  else
    std::printf("1  conformance:\n%s", report.text().c_str());

  // 4. One mass against the wall at −d: from q = A at rest it is at the wall when A cos ω̃t = −d, and there again
  //    after every 2 arccos(−d/A)/ω̃.
  const double A = 1, d = 0.3, shadow = 2 * std::asin(h / 2) / h, first = std::acos(-d / A) / shadow;
  Strong run(one, one.node(Eigen::VectorXd::Constant(1, A), Eigen::VectorXd::Zero(1)), ExactShadow{});
  LastImpact last;
  run.run(h, 100000, last);
  const double expected = first + static_cast<double>(run.impacts() - 1) * 2 * first;
  std::printf("2  the last of %lld impacts at t = %.3f, in closed form the same to %.1e\n", run.impacts(), last.t,
              std::abs(last.t - expected));
  right = right && run.impacts() > 1000 && std::abs(last.t - expected) < 1e-8 && run.fallbacks() == 0;

  // 5. Two masses that hit each other and the wall: chaotic, so the closure of the paper lets H wander.
  Strong ours(two, start, ExactShadow{});
  Strong papers(two, start, ricochet::closure::Variational{});
  Range K{two, h, shadow_energy(two, start, h), 0, true}, H{two, h, two.hamiltonian(start), 0, false};
  ours.run(h, 100000, K);
  papers.run(h, 100000, H);
  std::printf(
      "3  K through %lld impacts of two masses: within %.1e of itself; H with the closure of the paper: within "
      "%.1e\n",
      ours.impacts(), K.most, H.most);
  right = right && ours.impacts() > 1000 && K.most < 1e-11 && H.most > 1e-2;
  return right ? 0 : 1;
}
