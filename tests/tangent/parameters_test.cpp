// Flights of a system whose mass, potential, forces and Lagrangian depend on parameters: one flight or a few, every
// rule, against differences of the same flights in long double.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ricochet/tangent/rule_piece.hpp"

namespace ricochet {
namespace {

using LD = long double;
using VectorLD = Eigen::Matrix<LD, Eigen::Dynamic, 1>;

/// θ acts on V and on what follows; no derivative of it by (q, θ) vanishes.
template <class P>
struct Shared {
  bool timed = false, forced = false, heavy = true;  ///< heavy: θ acts on the mass too
  std::array<P, 3> theta{};

  bool depends_on_time() const { return timed; }
  bool has_force() const { return forced; }
  template <class T>
  T potential(Point<T> q, const T& t) const {
    using std::cos;
    using std::exp;
    using std::sin;
    const T a(theta[0]), b(theta[1]), c(theta[2]);
    T V =
        a * cos(q[0] - b * q[1]) + 0.25 * q[0] * q[0] * q[0] * q[0] + 0.3 * exp(c * q[1]) * q[0] + b * c * q[1] * q[1];
    if (timed) V += a * c * sin(3.0 * t) * q[0] * q[1];
    return V;
  }
  template <class T>
  void force(Point<T> q, Point<T> v, const T& t, std::span<T> f) const {
    using std::cos;
    if (!forced) return;
    f[0] += -T(theta[0]) * v[0] + T(theta[2]) * q[1] * v[1];
    f[1] += -T(theta[1]) * v[1] * v[1] * v[1] + T(theta[0]) * cos(2.0 * t);
  }
  /// A mass matrix that is full, and whose every entry depends on θ.
  Eigen::Matrix<P, 2, 2> constant_mass() const {
    using std::sin;
    Eigen::Matrix<P, 2, 2> M;
    M(0, 0) = P(1.6), M(1, 1) = P(0.9), M(0, 1) = M(1, 0) = P(0.2);
    if (!heavy) return M;
    M(0, 0) = 1.0 + theta[0] * theta[0];
    M(1, 1) = 0.5 + theta[1] * theta[2];
    M(0, 1) = M(1, 0) = 0.3 * sin(theta[1]);
    return M;
  }
};
/// Of a dimension that the compiler knows, and of one that it does not.
template <class P>
struct Known : Shared<P> {
  static constexpr int dimension = 2;
  Eigen::Matrix<P, 2, 2> mass() const { return this->constant_mass(); }
};
template <class P>
struct Unknown : Shared<P> {
  int dimension() const { return 2; }
  Eigen::Matrix<P, 2, 2> mass() const { return this->constant_mass(); }
};
/// M(q, θ), and a term linear in v.
template <class P>
struct Curved : Shared<P> {
  static constexpr int dimension = 2;
  template <class T>
  T lagrangian(Point<T> q, Point<T> v, const T& t) const {
    using std::cos;
    using std::sin;
    const T a(this->theta[0]), b(this->theta[1]), c(this->theta[2]);
    return 0.5 * (2.0 + a * cos(q[1])) * v[0] * v[0] + 0.5 * (1.0 + b * b) * v[1] * v[1] +
           0.4 * c * v[0] * v[1] * sin(q[0]) + a * b * q[1] * v[0] - this->potential(q, t);
  }
};

struct Case {
  std::string rule;
  bool timed = false, forced = false, heavy = true;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.rule << (c.timed ? " timed" : "") << (c.forced ? " forced" : "") << (c.heavy ? "" : " light");
}
std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* rule :
       {"trapezoid", "rectangle-left", "rectangle-right", "rectangle", "midpoint", "yoshida4", "suzuki4"})
    for (const bool heavy : {true, false})
      for (const bool timed : {false, true})
        for (const bool forced : {false, true}) list.push_back({rule, timed, forced, heavy});
  return list;
}

template <template <class> class System, class T>
System<T> system_of(const Case& c, Point<T> theta) {
  System<T> system;
  system.timed = c.timed, system.forced = c.forced, system.heavy = c.heavy;
  std::copy(theta.begin(), theta.end(), system.theta.begin());
  return system;
}

constexpr std::array<double, 3> theta{0.7, 0.4, 1.1};
constexpr double start_time = 0.3;
const Eigen::Vector2d start_q(0.4, -0.3), start_p(1.1, 0.8);

/// One direction: δ(q, p, θ, s, t).
using Direction = Eigen::Matrix<double, 9, 1>;
/// Some vary parameters, one of them alone or all together, and some do not, in no order.
std::vector<Direction> directions() {
  std::vector<Direction> list(6, Direction::Zero());
  list[0] << 1, -0.5, 0.3, 0.7, 0, 0, 0, 0, 0;
  list[1] << 0, 0, 0, 0, 1, 0, 0, 0, 0;
  list[2] << 0, 0.6, -1, 0, 0, 0, 0, 0, 0;
  list[3] << 0, 0, 0, 0, 0, 1, 0, 0, 0;
  list[4] << 0.2, 0.1, -0.4, 0.3, 0, 0, 1, 0, 0;
  list[5] << -0.3, 0.5, 0.2, 0.1, -0.6, 0.8, 0.5, 0, 0;
  return list;
}

/// Fourth order; the truncation δ⁴f⁽⁵⁾/30 is about 1e-14 with sin 3t among the functions, the rounding 1e-19/δ.
template <class F>
Eigen::VectorXd difference(const F& f) {
  constexpr LD d = 1e-4L;
  const VectorLD slope = (8 * (f(d) - f(-d)) - (f(2 * d) - f(-2 * d))) / (12 * d);
  return slope.cast<double>();
}
constexpr double tolerance = 2e-13;  ///< of numbers of order one, after a few flights in double

/// q, p, and the energies that an impact before or after a flight would balance.
template <template <class> class System>
struct Flier {
  Case c;
  VectorLD operator()(const VectorLD& state, const std::array<LD, 3>& at, LD t, LD s) const {
    using Mechanics = mechanics::Mechanics<System<LD>, LD>;
    using Vec = typename Mechanics::Vec;
    const Mechanics mechanics(system_of<System, LD>(c, Point<LD>(at)));
    discrete::FlightWork<Mechanics> work;
    const Vec q = state.head(2), p = state.segment(2, 2);
    Vec dq, dp;
    const auto interval = discrete::fly(mechanics, discrete::Rule<LD>::named(c.rule, 0.3L), q, p, t, s, dq, dp, work);
    VectorLD end(6);
    end << q + dq, p + dp, interval.start, interval.end;
    return end;
  }
};
std::array<LD, 3> moved(const Direction& d, LD by) {
  std::array<LD, 3> at{};
  for (std::size_t l = 0; l < 3; ++l) at[l] = theta[l] + by * d[4 + static_cast<Eigen::Index>(l)];
  return at;
}
VectorLD moved_state(const Direction& d, LD by) {
  VectorLD state(4);
  state << start_q.cast<LD>(), start_p.cast<LD>();
  return state + by * d.head(4).cast<LD>();
}

template <template <class> class System>
auto family_of(const Case& c) {
  return tangent::Family([c]<class T>(Point<T> at) { return system_of<System, T>(c, at); },
                         std::vector<double>(theta.begin(), theta.end()));
}

/// Whole steps, the last one shorter. θ varies from the second on: what the first has kept must not be taken for it.
template <template <class> class System>
void whole_steps(const Case& c) {
  const auto family = family_of<System>(c);
  using Mechanics = mechanics::Mechanics<System<double>, double>;
  using Vec = typename Mechanics::Vec;
  const Mechanics mechanics(family.system());
  const auto rule = discrete::Rule<double>::named(c.rule, 0.3);
  const std::array<double, 4> lengths{0.1, 0.1, 0.1, 0.07};
  const std::vector<Direction> list = directions();

  tangent::RulePiece<Mechanics, std::decay_t<decltype(family)>> piece;
  tangent::Columns<Mechanics> x;
  x.reset(2, 3, static_cast<Eigen::Index>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    x.q.col(column) = list[k].head(2);
    x.p.col(column) = list[k].segment(2, 2);
  }
  discrete::FlightWork<Mechanics> work;
  Vec q = start_q, p = start_p, dq, dp;
  double t = start_time;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (i == 1)
      for (std::size_t k = 0; k < list.size(); ++k) x.theta.col(static_cast<Eigen::Index>(k)) = list[k].segment(4, 3);
    discrete::fly(mechanics, rule, q, p, t, lengths[i], dq, dp, work);
    piece.push_whole(mechanics, family, rule, q, p, t, lengths[i], Vec(q + dq), x);
    q += dq, p += dp, t += lengths[i];
  }

  const Flier<System> fly{c};
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Eigen::VectorXd expected = difference([&](LD by) {
      VectorLD state = moved_state(list[k], by);
      LD time = start_time;
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        state = fly(state, moved(list[k], i == 0 ? 0 : by), time, lengths[i]).head(4).eval();
        time += lengths[i];
      }
      return state;
    });
    Eigen::Vector4d found;
    found << x.q.col(static_cast<Eigen::Index>(k)), x.p.col(static_cast<Eigen::Index>(k));
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance)
        << c << ", direction " << k << ": " << found.transpose() << " is not " << expected.transpose();
  }
}

/// A piece up to an impact or after one, of a length and from a time that vary, with its energies.
template <template <class> class System>
void pieces(const Case& c) {
  const auto family = family_of<System>(c);
  using Mechanics = mechanics::Mechanics<System<double>, double>;
  using Vec = typename Mechanics::Vec;
  const Mechanics mechanics(family.system());
  std::vector<Direction> list = directions();
  for (std::size_t k = 0; k < list.size(); ++k) list[k].tail(2) << 0.3 * static_cast<double>(k) - 1, 0.7;

  constexpr double s = 0.06;
  tangent::RulePiece<Mechanics, std::decay_t<decltype(family)>> piece;
  tangent::Columns<Mechanics> x;
  x.reset(2, 3, static_cast<Eigen::Index>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    x.q.col(column) = list[k].head(2);
    x.p.col(column) = list[k].segment(2, 2);
    x.theta.col(column) = list[k].segment(4, 3);
    x.s[column] = list[k][7];
    x.t[column] = list[k][8];
  }
  piece.push(mechanics, family, discrete::Rule<double>::named(c.rule, 0.3), Vec(start_q), Vec(start_p), start_time, s,
             x);

  const Flier<System> fly{c};
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Eigen::VectorXd expected = difference([&](LD by) {
      return fly(moved_state(list[k], by), moved(list[k], by), LD(start_time) + by * list[k][8],
                 LD(s) + by * list[k][7]);
    });
    const auto column = static_cast<Eigen::Index>(k);
    Eigen::Matrix<double, 6, 1> found;
    found << x.q.col(column), x.p.col(column), x.start[column], x.end[column];
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance)
        << c << ", direction " << k << ": " << found.transpose() << " is not " << expected.transpose();
  }
}

TEST(TangentByParameters, WholeStepsOfAConstantMass) {
  for (const Case& c : cases()) {
    whole_steps<Known>(c);
    whole_steps<Unknown>(c);
  }
}
TEST(TangentByParameters, WholeStepsOfALagrangian) {
  for (const Case& c : cases())
    if (c.heavy) whole_steps<Curved>(c);
}
TEST(TangentByParameters, PiecesOfAConstantMass) {
  for (const Case& c : cases()) {
    pieces<Known>(c);
    pieces<Unknown>(c);
  }
}
TEST(TangentByParameters, PiecesOfALagrangian) {
  for (const Case& c : cases())
    if (c.heavy) pieces<Curved>(c);
}

}  // namespace
}  // namespace ricochet
