// The slot derivatives of L_s against differences of L_s itself, written down anew from docs/shadow.md.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "closure/systems.hpp"
#include "ricochet/bodies/generalized.hpp"
#include "ricochet/closure/interpolated.hpp"
#include "ricochet/closure/shadow.hpp"

namespace ricochet {
namespace {

using LD = long double;
using discrete::Rule;

template <class Body>
using Vec = typename Body::Vec;

/// docs/shadow.md, literally, in long double. Gradients by an 8th-order difference of V, no jets.
template <class Body>
struct Formula {
  const Body& body;
  int order;

  LD V(const Vec<Body>& q) const { return body.mechanics().potential(q, 0); }
  Vec<Body> g(const Vec<Body>& q) const {
    Vec<Body> y(q.size());
    const LD weight[] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280}, d = 2e-3L;
    for (Eigen::Index k = 0; k < q.size(); ++k) {
      y[k] = 0;
      for (int m = 1; m <= 4; ++m) {
        Vec<Body> a = q, b = q;
        a[k] += LD(m) * d;
        b[k] -= LD(m) * d;
        y[k] += weight[m - 1] * (V(a) - V(b)) / d;
      }
    }
    return y;
  }
  Vec<Body> over_mass(const Vec<Body>& y) const {
    Vec<Body> x;
    body.mechanics().velocity(y, y, 0, x);
    return x;
  }
  LD operator()(const Vec<Body>& q0, const Vec<Body>& q1, LD s, LD h) const {
    const Vec<Body> w = q1 - q0, v = w / s, g0 = g(q0), g1 = g(q1);
    Vec<Body> Mw;
    body.mechanics().multiply_mass(w, Mw);
    const LD kappa = h * h - s * s;
    LD L = w.dot(Mw) / (2 * s) - s * (V(q0) + V(q1)) / 2 -
           kappa * ((g1 - g0).dot(w) / (12 * s) - s / 24 * g0.dot(over_mass(g1)));
    if (order == 2) return L;
    const Vec<Body> m = (q0 + q1) / 2, a = m - h / 2 * v, b = m + h / 2 * v, gm = g(m), r = over_mass(gm);
    const LD eta = h * h / 8, h4 = h * h * h * h;
    const Vec<Body> y = m - eta * r, ga = g(a), gb = g(b), gy = g(y);
    const LD Q = 48 * ((gb - ga).dot(h * v) - 4 * (V(a) - 2 * V(m) + V(b))) / h4 -
                 24 * (ga - 2 * gm + gb).dot(r) / (h * h) + 3 * (gm - gy).dot(r) / eta;
    L -= kappa * (h * h - 4 * s * s) / (360 * s) * (g1 - g0).dot(over_mass(g1 - g0));
    return L + s * (h4 - s * s * s * s) / 720 * Q;
  }
};

/// Flies one piece and compares p0, p1 and E with differences of the formula, relative to |p| and |E|.
template <int Order, class Body>
void expect_slots(const Body& body, const typename Body::Node& from, LD s, LD h) {
  const Formula<Body> L{body, Order};
  typename Body::Node to = from;
  typename Body::Work work;
  const auto interval = closure::Shadow<Order>{}.fly(body, from, {s, h}, to, work);
  // Differences over a hundredth of the piece: truncation (1/100)⁸, rounding 1e-19·100 for L, and 1e-16·h²/s in L from
  // the differenced gradients, which a short piece magnifies.
  const LD tolerance = 2e-13L + 1e-15L * h / s;
  auto slope = [&](auto&& f, LD d) {
    const LD weight[] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
    LD sum = 0;
    for (int m = 1; m <= 4; ++m) sum += weight[m - 1] * (f(LD(m) * d) - f(-LD(m) * d));
    return sum / d;
  };
  const LD d = s / 100;
  for (Eigen::Index k = 0; k < from.q.size(); ++k) {
    auto unit = Vec<Body>(Vec<Body>::Unit(from.q.size(), k));
    const LD D1 = slope([&](LD x) { return L(from.q + x * unit, to.q, s, h); }, d);
    const LD D2 = slope([&](LD x) { return L(from.q, to.q + x * unit, s, h); }, d);
    EXPECT_NEAR(static_cast<double>(D1 + from.p[k]), 0, static_cast<double>(tolerance * from.p.norm())) << s / h;
    EXPECT_NEAR(static_cast<double>(D2 - to.p[k]), 0, static_cast<double>(tolerance * from.p.norm())) << s / h;
  }
  const LD D3 = slope([&](LD x) { return L(from.q, to.q, s + x, h); }, d);
  const LD scale = std::abs(interval.energy) + from.p.norm();
  EXPECT_NEAR(static_cast<double>(D3 + interval.energy), 0, static_cast<double>(tolerance * scale)) << s / h;
  EXPECT_NEAR(static_cast<double>(interval.excess_start - (interval.energy - body.hamiltonian(from))), 0,
              static_cast<double>(1e-17L * scale));
  EXPECT_NEAR(static_cast<double>(interval.excess_end - (interval.energy - body.hamiltonian(to))), 0,
              static_cast<double>(1e-17L * scale));
}

TEST(ShadowSlots, AgreeWithDifferencesOfTheFormula) {
  using Body = bodies::Generalized<test::Coupled, LD>;
  const Body body({}, Rule<LD>::trapezoid());
  const auto from = body.node({0.2L, -0.3L, 0.1L}, {0.9L, 0.5L, -0.7L});
  for (const LD h : {0.05L, 0.2L})
    for (const LD part : {0.02L, 0.1L, 0.5L, 0.9L, 0.999L}) {
      expect_slots<2>(body, from, part * h, h);
      expect_slots<4>(body, from, part * h, h);
    }
}

/// Short pieces switch to Gauss points for (g1−g0)/s: the two forms must be one function to rounding.
TEST(ShadowSlots, ShortPiecesAreSmooth) {
  using Body = bodies::Generalized<test::Coupled, LD>;
  const Body body({}, Rule<LD>::trapezoid());
  const auto from = body.node({0.2L, -0.3L, 0.1L}, {0.9L, 0.5L, -0.7L});
  typename Body::Work work;
  for (const LD h : {0.05L, 0.2L}) {
    const LD at = h / 64, step = 1e-9L * h;
    auto energy = [&](LD s) {
      typename Body::Node to = from;
      const auto interval = closure::Shadow4{}.fly(body, from, {s, h}, to, work);
      return std::pair{interval.excess_start, to.p[0]};
    };
    // Second difference across the switch: 1e-18 h² of curvature, and the rounding of the values.
    const auto a = energy(at - step), b = energy(at), c = energy(at + step);
    EXPECT_LE(static_cast<double>(std::abs(a.first - 2 * b.first + c.first)), 1e-18);
    EXPECT_LE(static_cast<double>(std::abs(a.second - 2 * b.second + c.second)), 1e-18);
    // No length at all: nothing moves, and the energy is the limit.
    typename Body::Node to = from;
    const auto nothing = closure::Shadow4{}.fly(body, from, {0, h}, to, work);
    EXPECT_EQ(to.q, from.q);
    EXPECT_EQ(to.p, from.p);
    EXPECT_NEAR(static_cast<double>(nothing.excess_start - energy(1e-6L * h).first), 0, 1e-8);
  }
}

RC_GTEST_PROP(ShadowProperties, AWholeStepIsTheRulesOwn, ()) {
  using Body = bodies::Generalized<test::Coupled>;
  const Body body({}, Rule<double>::trapezoid());
  auto number = [] { return *rc::gen::inRange(-1000, 1000) / 1500.0; };
  const auto from = body.node({number(), number(), number()}, {number(), number(), number()});
  const double h = *rc::gen::inRange(1, 200) / 1000.0;
  typename Body::Work work;
  typename Body::Trace trace;
  typename Body::Node plain = from, piece = from, traced = from;
  body.fly(from, {h, h}, plain, work);
  closure::Shadow4{}.fly(body, from, {h, h}, piece, work);
  closure::Shadow4{}.fly(body, from, {h, h}, traced, trace, work);
  RC_ASSERT(piece.q == plain.q && piece.p == plain.p && piece.t == plain.t);
  RC_ASSERT(traced.q == plain.q && traced.p == plain.p);
  closure::Interpolated(6).fly(body, from, {h, h}, piece, work);
  RC_ASSERT(piece.q == plain.q && piece.p == plain.p);
}

/// The enclosure of a flight holds the closure's whole curve: of a free step as widened, of a piece, and refined.
RC_GTEST_PROP(ShadowProperties, TracesEncloseTheCurve, ()) {
  using Body = bodies::Generalized<test::Table>;
  const Body body({}, Rule<double>::trapezoid());
  auto number = [] { return *rc::gen::inRange(-1000, 1000) / 1500.0; };
  const auto from = body.node({number(), number()}, {3 * number(), 3 * number()});
  const double h = *rc::gen::inRange(1, 150) / 1000.0, part = *rc::gen::inRange(1, 1000) / 1000.0;
  const double s = *rc::gen::arbitrary<bool>() ? h : part * h;
  typename Body::Work work;
  typename Body::Trace trace;
  typename Body::Node end = from, at = from;
  const closure::Shadow4 shadow;
  auto inside = [&] {
    for (int k = 1; k < 16; ++k) {
      const double t = s * k / 16;
      shadow.fly(body, from, {t, h}, at, work);
      Eigen::Vector2d middle = trace.c0 + t * (trace.c1 + t * trace.c2);
      if (trace.cubic) middle += t * t * t * trace.c3;
      for (int i = 0; i < 2; ++i) RC_ASSERT(std::abs(at.q[i] - middle[i]) <= trace.radius[i] + 1e-15);
    }
  };
  shadow.fly(body, from, {s, h}, end, trace, work);
  inside();
  if (s == h) {
    shadow.refine_trace(body, from, {s, h}, end, trace, work);
    inside();
  }
}

}  // namespace
}  // namespace ricochet
