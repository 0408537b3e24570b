// What a body and its gaps promise at one node: the kinetic metric, kicks, covectors, rates and accelerations.
#pragma once

#include <Eigen/Eigenvalues>

#include "ricochet/conformance/rows.hpp"

namespace ricochet::conformance {

/// `couple` is symmetric, positive and no larger than the metric allows: M⁻¹ is a metric.
template <class R>
void check_couple(Subject<R>& s, const std::vector<Row<R>>& rows, const std::vector<Standing<R>>& all,
                  const motion::Node<R>& x) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  Eigen::Matrix<R, Eigen::Dynamic, Eigen::Dynamic> W(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& a = all[static_cast<std::size_t>(i)];
    s.report.holds("couple", a.W > 0, [&] {
      return "couple of ∇φ of " + rows[static_cast<std::size_t>(i)].name() + " with itself is " + Report::number(a.W) +
             ", which is not positive," + s.at(x);
    });
    for (Eigen::Index j = 0; j < n; ++j) W(i, j) = s.body().couple(a.normal, all[static_cast<std::size_t>(j)].normal);
  }
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      s.report.near("couple", W(i, j), W(j, i), R(tolerances::same) * std::sqrt(std::abs(W(i, i) * W(j, j))), [&] {
        return "couple of " + rows[static_cast<std::size_t>(i)].name() + " with " +
               rows[static_cast<std::size_t>(j)].name() + ", the other way round," + s.at(x);
      });
  if (n < 2 || !W.allFinite()) return;
  // Scaled, so that a light coordinate does not hide behind a heavy one.
  const Eigen::Matrix<R, Eigen::Dynamic, 1> d = W.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  if (!d.allFinite()) return;
  const Eigen::Matrix<R, Eigen::Dynamic, Eigen::Dynamic> scaled = d.asDiagonal() * W * d.asDiagonal();
  const R least = Eigen::SelfAdjointEigenSolver<decltype(W)>(scaled).eigenvalues().minCoeff();
  s.report.holds("couple", least >= -R(1e-9) * R(n), [&] {
    return "the matrix of couples has the negative eigenvalue " + Report::number(least) + s.at(x);
  });
}

/// `kick` is p += λ∇φ: energy changes by λ n·q̇ + ½λ²W, rates by λW, and nothing else moves.
template <class R>
void check_kick(Subject<R>& s, const std::vector<Row<R>>& rows, const std::vector<Standing<R>>& all,
                const motion::Node<R>& x) {
  const auto& body = s.body();
  const bool quadratic = body.quadratic(), complete = s.complete(x);
  const R H = body.hamiltonian(x), size = s.energy_size(x);
  typename Subject<R>::Vector q, p, q_kicked, p_kicked;
  if (complete) s.read(x, x, q, p);
  motion::Covector scratch;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& a = all[i];
    if (!(a.W > 0)) continue;
    // As large as the momentum itself where the energy is quadratic, small where it is differentiated.
    const R motion = a.speed > 0 ? a.speed : R(1);
    const R lambda = (quadratic ? R(0.7) : R(tolerances::difference)) * motion / a.W;
    const R speed = a.contact.rate - a.contact.wall_rate;  // n·q̇
    motion::Node<R> up = x, down = x;
    body.kick(up, a.normal, lambda);
    body.kick(down, a.normal, -lambda);
    const auto kicked = [&] { return "after a kick along ∇φ of " + rows[i].name() + s.at(x); };
    const R gain = (body.hamiltonian(up) - body.hamiltonian(down)) / (2 * lambda);
    const R bend = (body.hamiltonian(up) + body.hamiltonian(down) - 2 * H) / (lambda * lambda);
    const R noise = (quadratic ? R(tolerances::same) : R(1e-14)) * (size + lambda * lambda * a.W) / lambda;
    const R truncation = quadratic ? R(0) : R(tolerances::derivative) * motion;
    s.report.near("kick", gain, speed, noise + truncation + R(tolerances::same) * motion,
                  [&] { return "dH/dλ, the rate of the gap beside its wall, " + kicked(); });
    if (quadratic)
      s.report.near("kick", bend, a.W, R(4) * noise / lambda,
                    [&] { return "d²H/dλ², the couple of the covector with itself, " + kicked(); });
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const auto& b = all[j];
      const R W = body.couple(a.normal, b.normal), most = std::sqrt(a.W * std::max(R(0), b.W));
      s.report.near("kick", rows[j].value(up), b.contact.value, R(tolerances::same) * b.contact.value_scale,
                    [&] { return "the value of " + rows[j].name() + " " + kicked(); });
      const R change = (rows[j].at(up, scratch).rate - rows[j].at(down, scratch).rate) / (2 * lambda);
      s.report.near("kick", change, W, R(tolerances::same) * (b.speed / lambda + most) + truncation * most / motion,
                    [&] { return "dφ̇/dλ of " + rows[j].name() + ", the couple of both, " + kicked(); });
    }
    if (complete) {
      s.read(x, up, q_kicked, p_kicked);
      const int k = rows[i].number();
      for (Eigen::Index j = 0; rows[i].is_coordinate() && j < p.size(); ++j)
        s.report.near("kick", p_kicked[j] - p[j], j == k ? lambda : R(0),
                      R(tolerances::same) * (std::abs(p[j]) + lambda),
                      [&] { return "the change of momentum " + std::to_string(j) + " " + kicked(); });
    }
    body.kick(up, a.normal, -lambda);
    s.report.holds("kick", s.distance(up, x) <= R(tolerances::same) && up.t == x.t,
                   [&] { return "a kick and the same kick back do not leave the node where it was, " + kicked(); });
  }
}

/// A covector is the gradient of its row: what M⁻¹∇φ_i does to φ_j is their couple. By differences of fourth order
/// along `nudge`, which moves q by a M⁻¹∇φ_i.
template <class R>
void check_covector(Subject<R>& s, const std::vector<Row<R>>& rows, const std::vector<Standing<R>>& all,
                    const motion::Node<R>& x) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!(all[i].W > 0)) continue;
    const R a = all[i].unit / all[i].W;
    const auto nudged = [&](R by) {
      motion::Node<R> y = x;
      s.body().nudge(y, all[i].normal, by);
      return y;
    };
    const auto far_down = nudged(-2 * a), down = nudged(-a), up = nudged(a), far_up = nudged(2 * a);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const R near = (rows[j].value(up) - rows[j].value(down)) / (2 * a);
      const R far = (rows[j].value(far_up) - rows[j].value(far_down)) / (4 * a);
      const R W = s.body().couple(all[i].normal, all[j].normal);
      const R noise = all[j].noise / a + R(1e-9) * std::sqrt(all[i].W * std::max(R(0), all[j].W));
      s.report.near("covector", near + (near - far) / 3, W, std::abs(near - far) + noise, [&] {
        return "the derivative of " + rows[j].name() + " along M⁻¹∇φ of " + rows[i].name() + s.at(x);
      });
    }
  }
}

/// `add` makes a covector of two that couple.
template <class R>
void check_add(Subject<R>& s, const std::vector<Row<R>>& rows, const std::vector<Standing<R>>& all,
               const motion::Node<R>& x) {
  const auto& body = s.body();
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const R W = body.couple(all[i].normal, all[j].normal), most = std::sqrt(std::abs(all[i].W * all[j].W));
      if (i == j || !(std::abs(W) > R(1e-9) * most)) continue;
      const R by = R(0.37) * std::sqrt(std::abs(all[i].W / all[j].W));
      motion::Covector sum = all[i].normal;
      body.add(sum, by, all[j].normal);
      const auto added = [&] { return "the covector of " + rows[i].name() + " plus that of " + rows[j].name(); };
      s.report.near("add", body.couple(sum, all[i].normal), all[i].W + by * W, R(tolerances::same) * all[i].W * 2,
                    [&] { return "the couple with the first of " + added() + s.at(x); });
      motion::Node<R> once = x, twice = x;
      const R lambda = R(0.5) * (all[i].speed > 0 ? all[i].speed : R(1)) / all[i].W;
      body.kick(once, sum, lambda);
      body.kick(twice, all[i].normal, lambda);
      body.kick(twice, all[j].normal, by * lambda);
      s.report.holds("add", s.distance(once, twice) <= R(tolerances::same),
                     [&] { return "a kick along " + added() + " is not the two kicks" + s.at(x); });
    }
}

/// `at` gives φ, φ̇ and φ̈ of the motion: differences of φ along short flights of the rule itself, of fourth and third
/// order at their start. What they still miss shows in the same at half the length.
template <class R>
void check_rates(Subject<R>& s, const std::vector<Row<R>>& rows, const std::vector<Standing<R>>& all,
                 const motion::Node<R>& x) {
  // Explicit rules of order one fall late, or early, by a part of the acceleration.
  const bool bends = s.body().order() >= 2;
  const R d = s.h() / 16;
  std::vector<motion::Node<R>> nodes;
  for (const R k : {R(0.5), R(1), R(1.5), R(2), R(3), R(4)}) nodes.push_back(s.whole(x, k * d));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& c = all[i].contact;
    const auto of = [&] { return "of " + rows[i].name() + s.at(x); };
    const R f0 = rows[i].value(x);
    s.report.near("value", c.value, f0, 64 * std::numeric_limits<R>::epsilon() * (c.value_scale + std::abs(f0)),
                  [&] { return "the value that `at` gives " + of(); });
    R f[6];
    for (std::size_t k = 0; k < 6; ++k) f[k] = rows[i].value(nodes[k]);
    const auto slope = [&](R f1, R f2, R f3, R f4, R by) {
      return (-25 * f0 + 48 * f1 - 36 * f2 + 16 * f3 - 3 * f4) / (12 * by);
    };
    const auto curvature = [&](R f1, R f2, R f3, R f4, R by) {
      return (35 * f0 - 104 * f1 + 114 * f2 - 56 * f3 + 11 * f4) / (12 * by * by);
    };
    const R long_slope = slope(f[1], f[3], f[4], f[5], d), short_slope = slope(f[0], f[1], f[2], f[3], d / 2);
    const R noise = all[i].noise / d;
    s.report.near("rate", c.rate, short_slope,
                  std::abs(long_slope - short_slope) + 64 * noise + R(tolerances::same) * all[i].speed,
                  [&] { return "the rate " + of(); });
    if (!bends) continue;
    const R long_bend = curvature(f[1], f[3], f[4], f[5], d), short_bend = curvature(f[0], f[1], f[2], f[3], d / 2);
    s.report.near("acceleration", c.acceleration, short_bend,
                  2 * std::abs(long_bend - short_bend) + 1024 * noise / d + R(tolerances::same) * c.acceleration_scale,
                  [&] { return "the acceleration " + of(); });
  }
}

/// The node itself: finite, its time, and what it is at rest.
template <class R>
void check_state(Subject<R>& s, const std::vector<Row<R>>& rows, const std::vector<Standing<R>>& all,
                 const motion::Node<R>& x) {
  const auto& body = s.body();
  s.report.holds("state", body.finite(x), [&] { return "a node of the tour does not count as finite" + s.at(x); });
  s.report.near("state", static_cast<R>(body.state(x).t), x.t, R(1e-15) * std::abs(x.t),
                [&] { return std::string("the time in state()"); });
  motion::Node<R> y = x;
  body.set_time(y, x.t + 1);
  s.report.near("state", static_cast<R>(body.state(y).t), x.t + 1, R(1e-15) * (std::abs(x.t) + 1),
                [&] { return std::string("the time in state() after set_time"); });
  if (s.complete(x)) {
    const auto state = body.state(x);
    for (int k = 0; k < body.scalars(); ++k) {
      const R q = static_cast<R>(state.q[static_cast<std::size_t>(k)]);
      s.report.near("state", q, body.scalar(k, x).value, R(1e-15) * std::abs(q),
                    [&] { return "q[" + std::to_string(k) + "] in state(), beside the coordinate," + s.at(x); });
    }
  }
  for (std::size_t i = 0; i < rows.size() && i < 3; ++i) {
    y = x;
    body.kick(y, all[i].normal, std::numeric_limits<R>::infinity());
    s.report.holds("state", !body.finite(y), [&] { return "a node with an infinite momentum counts as finite"; });
  }
  y = x;
  if (!body.stop(y)) return;
  s.report.holds("stop", std::abs(body.kinetic(y)) <= R(1e-24) * s.energy_size(x),
                 [&] { return "a body at rest has the kinetic energy " + Report::number(body.kinetic(y)) + s.at(x); });
  motion::Covector scratch;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto c = rows[i].at(y, scratch);
    s.report.near("stop", c.rate, c.wall_rate, R(tolerances::same) * all[i].speed,
                  [&] { return "the rate of " + rows[i].name() + " where the body is at rest" + s.at(x); });
  }
}

/// Everything that is promised at a node.
template <class R>
void check_node(Subject<R>& s, const motion::Node<R>& x) {
  const auto rows = rows_of(s);
  const auto all = stand(s, rows, x);
  check_state(s, rows, all, x);
  check_couple(s, rows, all, x);
  check_kick(s, rows, all, x);
  check_covector(s, rows, all, x);
  check_add(s, rows, all, x);
  check_rates(s, rows, all, x);
}

}  // namespace ricochet::conformance
