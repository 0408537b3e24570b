// Two-point problems of both principles (Leine 2009, section 8): every weak solution on a grid, and the strong ones.
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/mechanics/mechanics.hpp"
#include "ricochet/numerics/root.hpp"

namespace ricochet::principle {

/// A discrete motion q_0, …, q_{N+1} at times t_i with percussions at some of its nodes.
template <class Real>
struct BoundarySolution {
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  struct Percussion {
    int node, gap;
    Real impulse;
  };
  bool strong = false;
  std::vector<Real> t;
  std::vector<Vector> q;
  std::vector<Percussion> percussions;
  Real action = 0;
  /// Weierstrass–Erdmann: |[p] − Σλ∇φ| at its largest, with λ ≥ 0; and |[E_d]| at the nodes with a percussion.
  Real first_defect = 0, second_defect = 0;
  bool first = false, second = false;
};

/// −δs ≥ 0 for all admissible variations between fixed ends (Leine 2009 (114); errata L1 for the sign in (117)), with
/// the trapezoid for the potential: at every inner node
///   M(u_i − u_{i−1}) + ½(h_{i−1} + h_i)∇V(q_i) = Σ λ_ig ∇φ_g(q_i),   0 ≤ λ_ig ⊥ φ_g(q_i) ≥ 0   (115).
/// The solutions are enumerated by the set of closed gaps: one Newton iteration for each of the 2^(gaps·N) sets, from
/// the straight line. Sets that lead to the same motion count once; a potential that bends may have more motions per
/// set.
template <mechanics::Separable System>
class BoundaryProblem {
 public:
  using Real = double;
  using Vector = Eigen::VectorXd;
  using Solution = BoundarySolution<Real>;
  using Mechanics = mechanics::Mechanics<System, Real>;
  static constexpr int most_bits = 16;

  BoundaryProblem(System system, Vector start, Vector end, Real t0, Real tf, int points)
      : mechanics_(std::move(system)),
        start_(std::move(start)),
        end_(std::move(end)),
        t0_(t0),
        tf_(tf),
        N_(points),
        n_(mechanics_.dimension()),
        gaps_(mechanics_.gaps()) {
    if (N_ < 1) throw Error(ErrorKind::invalid_model, "a boundary value problem needs at least one inner point");
    if (!(tf_ > t0_))
      throw Error(ErrorKind::invalid_model, "the end of a boundary value problem must be after its start");
    if (mechanics_.forced() || mechanics_.constraints() > 0)
      throw Error(ErrorKind::invalid_model, "boundary value problems are solved without forces and constraints");
    const long long bits = static_cast<long long>(gaps_) * N_;
    if (bits > most_bits)
      throw Error(ErrorKind::invalid_model, std::to_string(N_) + " points with " + std::to_string(gaps_) +
                                                (gaps_ == 1 ? " gap" : " gaps") + " have 2^" + std::to_string(bits) +
                                                " sets of closed gaps, too many to enumerate; at most " +
                                                std::to_string(most_bits / std::max(1, gaps_)) + " points can be");
    for (int g = 0; g < gaps_; ++g)
      for (const auto& [q, t] : {std::pair{&start_, t0_}, std::pair{&end_, tf_}})
        if (!(mechanics_.gap(g, to_vec(*q), t) >= 0))
          throw Error(ErrorKind::inadmissible_start, "an end of the boundary value problem violates the gap \"" +
                                                         mechanics::gap_name(mechanics_.system(), g) + "\"");
    for (const auto& [q, t] : {std::pair{&start_, t0_}, std::pair{&end_, tf_}})
      if (!std::isfinite(mechanics_.potential(to_vec(*q), t)))
        throw Error(ErrorKind::invalid_model,
                    "the potential is not a finite number at an end of the boundary value problem");
    measure_forces();
  }

  /// Every weak solution on the uniform grid, in the order of their actions.
  std::vector<Solution> weak() const {
    std::vector<Real> t(static_cast<std::size_t>(N_) + 2);
    for (int i = 0; i <= N_ + 1; ++i) t[at(i)] = t0_ + (tf_ - t0_) * i / (N_ + 1);
    std::vector<Solution> found;
    // Motions that are the same have the same number up to rounding; there may be as many motions as sets.
    std::multimap<Real, std::size_t> numbered;
    const Real near = number_tolerance();
    for (unsigned long set = 0; set < (1UL << (gaps_ * N_)); ++set) {
      auto solution = solve(t, set);
      if (!solution) continue;
      const Real number = number_of(*solution);
      bool known = false;
      for (auto it = numbered.lower_bound(number - near); !known && it != numbered.end() && it->first <= number + near;
           ++it)
        known = same(found[it->second], *solution);
      if (known) continue;
      numbered.emplace(number, found.size());
      found.push_back(std::move(*solution));
    }
    by_action(found);
    return found;
  }

  /// Strong solutions (119) with no impact or one: its time is free, the other nodes divide both parts evenly. Times
  /// come from the signs of [E_d](t_j) on a scan, for every node j the impact may be.
  ///
  /// One and the same motion is approximated for many j, with times t_j that differ by O(h²): a branch of roots, of
  /// which the one whose grid is the most even, with t_j closest to the uniform grid's, is reported. Grids further from
  /// even than a whole uniform step have roots of their own: the error of a part that is one long interval.
  std::vector<Solution> strong(int scan = 256) const {
    std::vector<Solution> found;
    std::vector<Real> t(static_cast<std::size_t>(N_) + 2);
    grid(1, t0_ + (tf_ - t0_) / (N_ + 1), t);
    if (auto free = solve(t, 0)) found.push_back(std::move(*free));
    for (int g = 0; g < gaps_; ++g)
      for (const Branch& branch : branches(g, scan))
        if (branch.best && !known(found, *branch.best)) found.push_back(*branch.best);
    for (Solution& s : found) s.strong = true;
    by_action(found);
    return found;
  }

 private:
  using Vec = typename Mechanics::Vec;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static Vec to_vec(const Vector& q) { return q; }
  static void by_action(std::vector<Solution>& list) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.action < b.action; });
  }

  void measure_forces() {
    const Real h = (tf_ - t0_) / (N_ + 1);
    const Vec rest = Vec::Zero(n_);
    Vec a(n_), force(n_);
    for (const auto& [q, t] : {std::pair{&start_, t0_}, std::pair{&end_, tf_}}) {
      mechanics_.acceleration(to_vec(*q), rest, t, a);
      if (!a.allFinite()) continue;
      mechanics_.multiply_mass(a, force);
      way_ = std::max(way_, h * h * a.norm());
      kick_ = std::max(kick_, h * std::sqrt(a.dot(force)));
    }
  }

  /// Node j at time tc, the others evenly before and after it.
  void grid(int j, Real tc, std::vector<Real>& t) const {
    for (int i = 0; i <= j; ++i) t[at(i)] = t0_ + (tc - t0_) * i / j;
    for (int i = j + 1; i <= N_ + 1; ++i) t[at(i)] = tc + (tf_ - tc) * (i - j) / (N_ + 1 - j);
    t[at(N_ + 1)] = tf_;
  }

  /// Roots t_j of [E_d] for consecutive nodes j that approximate one motion.
  struct Branch {
    bool rising;  ///< [E_d] grows through zero
    Real tc;      ///< at the last node
    int node;
    Real uneven = 0;               ///< of `best`: |t_j − its time on the uniform grid|
    std::optional<Solution> best;  ///< of those with impulses and gaps ≥ 0
  };
  struct Root {
    Real tc;
    bool rising;
  };

  std::vector<Branch> branches(int g, int scan) const {
    std::vector<Branch> all;
    std::vector<Real> t(static_cast<std::size_t>(N_) + 2);
    for (int j = 1; j <= N_; ++j) {
      const std::vector<Root> now = roots(g, j, scan);
      const std::vector<std::size_t> branch_of = continued(all, now, j);
      const std::size_t before = all.size();
      for (std::size_t r = 0; r < now.size(); ++r) {
        const bool begins = branch_of[r] == before;
        if (begins) all.push_back({now[r].rising, now[r].tc, j, 0, {}});
        Branch& branch = begins ? all.back() : all[branch_of[r]];
        branch.tc = now[r].tc;
        branch.node = j;
        const Real uneven = std::abs(now[r].tc - t0_ - (tf_ - t0_) * j / (N_ + 1));
        if (uneven > (tf_ - t0_) / (N_ + 1) || (branch.best && uneven >= branch.uneven)) continue;
        grid(j, now[r].tc, t);
        auto s = solve(t, 1UL << ((j - 1) * gaps_ + g));
        if (!s || !s->second || s->percussions.empty()) continue;
        branch.best = std::move(s);
        branch.uneven = uneven;
      }
    }
    return all;
  }

  /// Times at which an impact with gap g at node j keeps the energy.
  std::vector<Root> roots(int g, int j, int scan) const {
    std::vector<Real> t(static_cast<std::size_t>(N_) + 2);
    Real scale = 0;
    const auto jump = [&](Real tc) -> Real {
      grid(j, tc, t);
      const auto s = solve(t, 1UL << ((j - 1) * gaps_ + g), false);
      if (!s) return std::numeric_limits<Real>::quiet_NaN();
      scale = kinetic(*s, j) + kinetic(*s, j - 1) + std::abs(potential(*s, j));
      return energy(*s, j) - energy(*s, j - 1);
    };
    std::vector<Root> found;
    Real a = t0_ + (tf_ - t0_) / (2 * scan), fa = jump(a);
    for (int k = 1; k < scan; ++k) {
      const Real b = t0_ + (tf_ - t0_) * (k + Real(0.5)) / scan, fb = jump(b);
      if (std::isfinite(fa) && std::isfinite(fb) && (fa < 0) != (fb < 0)) {
        const Real tc = numerics::bracketed_root<Real>(jump, a, fa, b, fb).x;
        if (std::abs(jump(tc)) <= 1e-6 * scale) found.push_back({tc, fa < fb});  // no pole
      }
      a = b;
      fa = fb;
    }
    return found;
  }

  /// For every root at node j the branch it goes on with, or the number of branches: the nearest first, of the same
  /// sense (between two motions of one sense lies one of the other), and no further than half the longest interval of
  /// their grids, which is what bounds the error of their times.
  std::vector<std::size_t> continued(const std::vector<Branch>& all, const std::vector<Root>& now, int j) const {
    struct Pair {
      Real distance;
      std::size_t branch, root;
    };
    std::vector<Pair> pairs;
    for (std::size_t b = 0; b < all.size(); ++b)
      for (std::size_t r = 0; r < now.size(); ++r)
        if (const Real d = std::abs(all[b].tc - now[r].tc);
            all[b].node == j - 1 && all[b].rising == now[r].rising &&
            d <= std::max(longest(j - 1, all[b].tc), longest(j, now[r].tc)) / 2)
          pairs.push_back({d, b, r});
    std::sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) { return x.distance < y.distance; });
    std::vector<std::size_t> branch_of(now.size(), all.size());
    std::vector<bool> taken(all.size());
    for (const Pair& pair : pairs) {
      if (taken[pair.branch] || branch_of[pair.root] != all.size()) continue;
      taken[pair.branch] = true;
      branch_of[pair.root] = pair.branch;
    }
    return branch_of;
  }

  Real longest(int j, Real tc) const { return std::max((tc - t0_) / j, (tf_ - tc) / (N_ + 1 - j)); }

  /// The same motion: near-equal times and places.
  bool same(const Solution& a, const Solution& b) const {
    for (int i = 1; i <= N_; ++i)
      if (!((a.q[at(i)] - b.q[at(i)]).norm() <= 1e-9 * size()) ||
          !(std::abs(a.t[at(i)] - b.t[at(i)]) <= 1e-9 * (tf_ - t0_)))
        return false;
    return true;
  }
  bool known(const std::vector<Solution>& list, const Solution& s) const {
    return std::any_of(list.begin(), list.end(), [&](const Solution& other) { return same(s, other); });
  }
  /// A weighted sum of all coordinates, with weights in [1, 2) that no symmetry of a motion is likely to share.
  Real number_of(const Solution& s) const {
    Real sum = 0;
    for (int i = 1; i <= N_; ++i)
      for (int k = 0; k < n_; ++k) sum += weight(n_ * i + k) * s.q[at(i)][k];
    return sum;
  }
  static Real weight(int i) {
    const Real x = Real(0.6180339887498949) * i;
    return 1 + x - std::floor(x);
  }
  /// By as much the numbers of motions that are the same may differ.
  Real number_tolerance() const { return 2 * std::sqrt(Real(n_)) * N_ * 1e-9 * size(); }
  Real size() const { return 1e-300 + start_.norm() + end_.norm() + (end_ - start_).norm() + way_; }

  /// The motion whose gaps of `set` are closed (bit (i − 1)·gaps + g), if Newton finds it and, with `judged`, if its
  /// impulses and gaps are not negative.
  std::optional<Solution> solve(const std::vector<Real>& t, unsigned long set, bool judged = true) const {
    std::vector<std::pair<int, int>> closed;  // (node, gap)
    for (int i = 1; i <= N_; ++i)
      for (int g = 0; g < gaps_; ++g)
        if ((set >> ((i - 1) * gaps_ + g)) & 1UL) closed.emplace_back(i, g);
    const int unknowns = n_ * N_, k = unknowns + static_cast<int>(closed.size());
    Solution s;
    s.t = t;
    for (int i = 0; i <= N_ + 1; ++i) s.q.push_back(start_ + (end_ - start_) * ((t[at(i)] - t0_) / (tf_ - t0_)));
    Vector lambda = Vector::Zero(static_cast<Eigen::Index>(closed.size())), residual(k);
    Eigen::MatrixXd J(k, k);
    bool converged = false;
    for (int iteration = 0; iteration < 50 && !converged; ++iteration) {
      assemble(s, closed, lambda, residual, J);
      const Eigen::PartialPivLU<Eigen::MatrixXd> lu(J);
      const Vector step = lu.solve(residual);
      if (!step.allFinite()) return std::nullopt;
      for (int i = 1; i <= N_; ++i) s.q[at(i)] -= step.segment(n_ * (i - 1), n_);
      lambda -= step.tail(lambda.size());
      converged = step.head(unknowns).norm() <= 1e-13 * (size() + std::sqrt(Real(N_)) * largest(s));
    }
    if (!converged) return std::nullopt;
    assemble(s, closed, lambda, residual, J);
    for (int i = 1; i <= N_; ++i)
      if (std::isnan(potential(s, i))) return std::nullopt;  // no motion: it leaves where the potential is defined
    describe(s, closed, lambda, residual);
    if (!judged) return s;
    const Real scale = momentum_scale(s);
    for (Eigen::Index c = 0; c < lambda.size(); ++c)
      if (!(lambda[c] >= -1e-9 * scale)) return std::nullopt;
    for (int i = 1; i <= N_; ++i)
      for (int g = 0; g < gaps_; ++g)
        if (!(mechanics_.gap(g, to_vec(s.q[at(i)]), t[at(i)]) >= -1e-9 * size())) return std::nullopt;
    if (!std::isfinite(s.action) || !std::isfinite(scale))
      throw Error(ErrorKind::invalid_model,
                  "the action of a motion between the ends of the boundary value problem is not a finite number");
    return s;
  }
  Real largest(const Solution& s) const {
    Real x = 0;
    for (const Vector& q : s.q) x = std::max(x, q.norm());
    return x;
  }

  void assemble(const Solution& s, const std::vector<std::pair<int, int>>& closed, const Vector& lambda,
                Vector& residual, Eigen::MatrixXd& J) const {
    residual.setZero();
    J.setZero();
    Vec u(n_), p(n_), g(n_);
    typename Mechanics::Point1 point;
    typename Mechanics::Point2 second;
    for (int i = 0; i <= N_; ++i) {
      const Real h = s.t[at(i + 1)] - s.t[at(i)];
      u = (s.q[at(i + 1)] - s.q[at(i)]) / h;
      mechanics_.evaluate(to_vec(s.q[at(i)]), u, s.t[at(i)], point, second);
      p = point.Lv;
      if (i >= 1) residual.segment(n_ * (i - 1), n_) += p;
      if (i < N_) residual.segment(n_ * i, n_) -= p;
      const Eigen::MatrixXd K = second.Lvv / h;
      if (i >= 1) J.block(n_ * (i - 1), n_ * (i - 1), n_, n_) -= K;
      if (i < N_) J.block(n_ * i, n_ * i, n_, n_) -= K;
      if (i >= 1 && i < N_) {
        J.block(n_ * (i - 1), n_ * i, n_, n_) += K;
        J.block(n_ * i, n_ * (i - 1), n_, n_) += K;
      }
      if (i >= 1) {  // −½(h_{i−1} + h_i) Q(q_i), Q = −∇V
        const Real weight = (s.t[at(i + 1)] - s.t[at(i - 1)]) / 2;
        residual.segment(n_ * (i - 1), n_) -= weight * point.Q;
        J.block(n_ * (i - 1), n_ * (i - 1), n_, n_) -= weight * second.Qq;
      }
    }
    Eigen::MatrixXd H(n_, n_);
    for (std::size_t c = 0; c < closed.size(); ++c) {
      const auto [i, gap] = closed[c];
      const int at_q = n_ * (i - 1), at_gap = n_ * N_ + static_cast<int>(c);
      const Vec q = to_vec(s.q[at(i)]);
      const Real t = s.t[at(i)];
      residual[at_gap] = numerics::hessian<Mechanics::N, Real>(
          [&, which = gap]<class T>(Point<T> x) { return mechanics_.template gap_of<T>(which, x, T(t)); },
          Mechanics::point(q), Mechanics::span(g), H);
      const Real force = lambda[static_cast<Eigen::Index>(c)];
      residual.segment(at_q, n_) -= force * g;
      J.block(at_q, at_q, n_, n_) -= force * H;
      J.block(at_q, at_gap, n_, 1) -= g;
      J.block(at_gap, at_q, 1, n_) += g.transpose();
    }
  }

  Real potential(const Solution& s, int i) const { return mechanics_.potential(to_vec(s.q[at(i)]), s.t[at(i)]); }
  /// Kinetic energy of interval i, from node i to node i + 1.
  Real kinetic(const Solution& s, int i) const {
    const Vec u = (s.q[at(i + 1)] - s.q[at(i)]) / (s.t[at(i + 1)] - s.t[at(i)]);
    Vec p(n_);
    mechanics_.multiply_mass(u, p);
    return u.dot(p) / 2;
  }
  /// E_d = −∂L_d/∂h of interval i.
  Real energy(const Solution& s, int i) const { return kinetic(s, i) + (potential(s, i) + potential(s, i + 1)) / 2; }
  Real momentum_scale(const Solution& s) const {
    Real T = 0;
    for (int i = 0; i <= N_; ++i) T = std::max(T, kinetic(s, i));
    return std::sqrt(2 * T) + kick_ + 1e-300;
  }

  void describe(Solution& s, const std::vector<std::pair<int, int>>& closed, const Vector& lambda,
                const Vector& residual) const {
    Real T = 0, V = 0;
    for (int i = 0; i <= N_; ++i) {
      s.action += (s.t[at(i + 1)] - s.t[at(i)]) * (kinetic(s, i) - (potential(s, i) + potential(s, i + 1)) / 2);
      T = std::max(T, kinetic(s, i));
      V = std::max(V, std::abs(potential(s, i)));
    }
    const Real scale = momentum_scale(s);
    bool pushes = true;
    for (std::size_t c = 0; c < closed.size(); ++c) {
      const Real impulse = lambda[static_cast<Eigen::Index>(c)];
      pushes = pushes && impulse >= -1e-9 * scale;
      if (!(impulse > 1e-9 * scale)) continue;
      s.percussions.push_back({closed[c].first, closed[c].second, impulse});
      const int i = closed[c].first;
      s.second_defect = std::max(s.second_defect, std::abs(energy(s, i) - energy(s, i - 1)));
    }
    s.first_defect = residual.head(n_ * N_).template lpNorm<Eigen::Infinity>();
    s.first = pushes && s.first_defect <= 1e-9 * scale;
    s.second = s.second_defect <= 1e-9 * (T + V);
  }

  Mechanics mechanics_;
  Vector start_, end_;
  Real t0_, tf_;
  int N_, n_, gaps_;
  /// Of the forces at the ends within a step: a motion that rests has no other size.
  Real way_ = 0, kick_ = 0;
};

}  // namespace ricochet::principle
