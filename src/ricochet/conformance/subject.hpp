// What the conformance suite looks at: an island and what flies it, how nodes are compared, and what rounding explains.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ricochet/conformance/report.hpp"
#include "ricochet/motion/flier.hpp"

namespace ricochet::conformance {

/// Canonical coordinates of a body near a node: dq ∧ dp is its symplectic form. A body whose coordinates are all
/// scalars, with the same q and p in state(), needs none; one on SO(3) or with coordinates that it does not show does.
template <class R>
struct Chart {
  using Node = motion::Node<R>;
  using Vector = Eigen::Matrix<R, Eigen::Dynamic, 1>;

  int n = 0;
  /// (q, p) of x in the chart centred at `centre`.
  std::function<void(const Node& centre, const Node& x, Vector& q, Vector& p)> read;
  /// The node with these coordinates; x comes as a copy of the centre.
  std::function<void(const Node& centre, const Vector& q, const Vector& p, Node& x)> write;

  explicit operator bool() const { return n > 0; }
};

template <class R>
struct Options {
  R step = R(0.01);                 ///< h of the flights that are tried
  int steps = 40;                   ///< of the tour from each start, with a bounce wherever a gap closes
  int full = 4;                     ///< nodes of a tour at which everything is checked
  std::optional<bool> symmetric{};  ///< whether the rule is its own adjoint; yes where nothing else is known
  Chart<R> chart{};
  std::function<void(motion::Node<R>&)> reverse{};  ///< p → −p, where neither coordinates nor a chart can do it
};

/// Tolerances, each with its reason. Seeded faults of a thousandth are found with them (tests/conformance).
namespace tolerances {
/// Relative error of what two ways of computing the same number share: solves with the mass matrix and Newton's method
/// leave up to some thousand roundings, 1e-12, and conditions take a factor of ten.
inline constexpr double same = 1e-11;
/// The same for a flight and the one back, which starts from its rounding.
inline constexpr double back = 1e-10;
/// Of derivatives of a flight by differences of fourth order with δ = `difference`: δ⁴ = 1e-14 of the fifth derivative,
/// and noise of 1e-12 over δ.
inline constexpr double derivative = 1e-6;
inline constexpr double difference = 3e-4;
/// Growth of e(s)/s^k over three halvings that counts as bounded; of one order less it would be 8.
inline constexpr double bounded = 4;
}  // namespace tolerances

template <class R>
class Subject {
 public:
  using Node = motion::Node<R>;
  using Step = discrete::Step<R>;
  using Vector = typename Chart<R>::Vector;

  Subject(const motion::Island<R>& of, motion::Flier<R>& by, const Options<R>& how, Report& to)
      : island(of), flier(by), options(how), report(to) {}

  const motion::Island<R>& island;
  motion::Flier<R>& flier;
  const Options<R>& options;
  Report& report;

  const motion::Body<R>& body() const { return island.body(); }
  R h() const { return options.step; }
  bool symmetric() const { return options.symmetric.value_or(true); }
  static std::string at(const Node& x) { return " at t = " + Report::number(x.t); }

  /// The flight of a whole step of length s, which is the rule's own whatever the closure.
  Node whole(const Node& x, R s) {
    Node y = x;
    flier.fly(x, {s, s}, y);
    return y;
  }

  /// Whether state() holds all coordinates and momenta, in the order of the coordinates that gaps read.
  bool complete(const Node& x) const {
    const auto state = body().state(x);
    return body().scalars() > 0 && static_cast<int>(state.q.size()) == body().scalars() &&
           state.p.size() == state.q.size();
  }
  bool has_canonical(const Node& x) const { return options.chart || complete(x); }
  int canonical_dimension() const { return options.chart ? options.chart.n : body().scalars(); }
  /// Canonical coordinates of x near `centre`.
  void read(const Node& centre, const Node& x, Vector& q, Vector& p) const {
    if (options.chart) return options.chart.read(centre, x, q, p);
    const auto state = body().state(x);
    const auto n = static_cast<Eigen::Index>(state.q.size());
    q.resize(n), p.resize(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      q[k] = body().scalar(static_cast<int>(k), x).value;
      p[k] = static_cast<R>(state.p[static_cast<std::size_t>(k)]);
    }
  }
  /// p → −p; false where nobody says how.
  bool reverse(Node& x) const {
    if (options.reverse) return options.reverse(x), true;
    if (!has_canonical(x)) return false;
    Vector q, p;
    read(x, x, q, p);
    if (options.chart) return options.chart.write(Node(x), q, -p, x), true;
    std::vector<int> which(static_cast<std::size_t>(q.size()));
    std::vector<R> values;
    for (std::size_t k = 0; k < which.size(); ++k)
      which[k] = static_cast<int>(k), values.push_back(-2 * p[static_cast<Eigen::Index>(k)]);
    motion::Covector all;
    body().covector(x, which, values, all);
    body().kick(x, all, R(1));
    return true;
  }

  /// Numbers that tell two nodes apart: what state() shows, and every gap.
  struct Reading {
    std::vector<R> q, p;
  };
  Reading reading(const Node& x) const {
    const auto state = body().state(x);
    Reading r;
    for (const double v : state.q) r.q.push_back(static_cast<R>(v));
    for (const double v : state.p) r.p.push_back(static_cast<R>(v));
    for (int i = 0; i < island.gaps() + island.constraints(); ++i) r.q.push_back(island.gap(i, x));
    return r;
  }
  static R size(const std::vector<R>& v) {
    R most = 0;
    for (const R x : v) most = std::max(most, std::abs(x));
    return most;
  }
  /// Largest difference of two nodes, positions and momenta each in units of their own size.
  R distance(const Node& x, const Node& y) const {
    const Reading a = reading(x), b = reading(y);
    R far = 0;
    for (const auto part : {&Reading::q, &Reading::p}) {
      const R unit = std::max(size(a.*part), size(b.*part));
      for (std::size_t k = 0; k < (a.*part).size(); ++k) {
        const R d = std::abs((a.*part)[k] - (b.*part)[k]);
        if (!(d <= 0)) far = std::max(far, d >= 0 ? d / unit : std::numeric_limits<R>::infinity());
      }
    }
    return far;
  }
  /// The size of the energies at a node, which rounds their differences.
  R energy_size(const Node& x) const { return std::abs(body().hamiltonian(x)) + 2 * std::abs(body().kinetic(x)); }
};

/// Whether e(s) = O(s^k), from e at s = h, h/2, …, h/32: e/s^k must not grow beyond what it is for the longest three.
/// Differences below `noise` say nothing.
template <class R, class Error>
bool is_of_order(int k, R h, R noise, Error&& error, R& first, R& last) {
  first = last = 0;
  for (int j = 0; j < 6; ++j) {
    const R s = h / R(1 << j), e = error(s);
    if (!(e >= 0)) return last = std::numeric_limits<R>::quiet_NaN(), false;
    const R relative = e / std::pow(s / h, R(k));
    if (j < 3) first = std::max(first, std::max(relative, noise));
    last = e > noise ? relative : R(0);
    if (last > R(tolerances::bounded) * first) return false;
  }
  return true;
}

}  // namespace ricochet::conformance
