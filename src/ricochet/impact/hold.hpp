// Persistent contact: which closed gaps are held, a flight that stays on them, and when one lets go.
#pragma once

#include <Eigen/QR>
#include <algorithm>
#include <string>
#include <vector>

#include "ricochet/error.hpp"
#include "ricochet/impact/contact.hpp"
#include "ricochet/impact/locate.hpp"
#include "ricochet/mechanics/cone.hpp"

namespace ricochet::impact {

/// What a body must offer beyond `Body` for its contacts to be held: traces of curves that are not its own flights, and
/// linear combinations of normals.
template <class B>
concept Holdable = requires(const B& body, const typename B::Node& node, typename B::Step step,
                            typename B::Trace& trace, typename B::Normal& normal, typename B::Real a) {
  body.begin_trace(node, step, node, trace);
  body.add_normal(normal, a, normal);
  { body.constraints() } -> std::convertible_to<int>;
};

/// The held gaps (closed, resting, and not opening under the reactions of the others) and the bilateral constraints.
///
/// A flight on them is RATTLE made of `fly` and `kick`: kick p by Σλ_i∇φ_i, fly, solve φ_i = 0 for λ, project p on the
/// tangent space. A gap lets go at the root of its instantaneous reaction R(q,p), not at the sign of the step's λ, which
/// is only first order (design: hold and release).
template <class Body>
class Hold {
 public:
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Step = typename Body::Step;
  using Work = typename Body::Work;
  using Vector = mechanics::VectorX<Real>;
  using Matrix = mechanics::MatrixX<Real>;

  bool any() const { return !gaps_.empty(); }
  bool holds(int gap) const { return std::find(gaps_.begin(), gaps_.end(), gap) != gaps_.end(); }
  const GapList& gaps() const { return gaps_; }

  /// Chooses anew at the start of a flight. `near` lists the gaps that may be closed; `released` let go in this step and
  /// are not taken back. Solves 0 ≤ R ⊥ φ̈_free + WR ≥ 0 over the resting gaps: those with φ̈ = 0 then are held.
  void choose(const Body& body, const Node& node, Real h, const GapList& near, const GapList& released, Work& work) {
    gaps_.clear();
    if constexpr (Holdable<Body>) {
      for (int j = 0; j < body.constraints(); ++j) gaps_.push_back(body.gaps() + j);
      const auto bilateral = gaps_.size();
      for (const int i : near) {
        if (std::find(released.begin(), released.end(), i) != released.end()) continue;
        const auto contact = body.contact(i, node, h, normal_, work);
        if (contact.closed() && contact.resting()) gaps_.push_back(i);
      }
      if (gaps_.size() == bilateral) return;
      measure(body, node, h, work, start_);
      reduce_to_tangent(start_, static_cast<Eigen::Index>(bilateral));
      const auto k = static_cast<int>(gaps_.size() - bilateral);
      Vector R(k);
      if (complementarity::project_on_cone(k, reduced_W_, reduced_a_, R) != complementarity::Status::solved)
        throw Error(ErrorKind::no_convergence, "the reactions of the resting contacts " + names(body) + " were not found",
                    body.state(node));
      const Vector opening = reduced_a_ + reduced_W_ * R;
      GapList kept(gaps_.begin(), gaps_.begin() + static_cast<std::ptrdiff_t>(bilateral));
      for (int i = 0; i < k; ++i)
        if (opening[i] <= start_.tolerance[static_cast<Eigen::Index>(bilateral) + i])
          kept.push_back(gaps_[bilateral + static_cast<std::size_t>(i)]);
      gaps_ = kept;
    }
  }

  /// A flight on the held gaps; p at its end is tangent to them.
  template <class Closure>
  auto fly(const Body& body, const Closure& closure, const Node& from, Step step, Node& out, Work& work) {
    if (!(step.s > 0)) {
      out = from;
      return closure.fly(body, from, step, out, work);
    }
    measure(body, from, step.h, work, start_);
    const auto k = static_cast<Eigen::Index>(gaps_.size());
    Vector lambda = solve(start_.W, Vector(-start_.acceleration)) * (step.s / 2), r(k);
    Matrix J;
    typename Body::Interval interval;
    Real last = std::numeric_limits<Real>::infinity();
    kicked_ = from;  // gives the node its size
    for (int it = 0;; ++it) {
      kicked_ = from;
      for (Eigen::Index i = 0; i < k; ++i)
        body.kick(kicked_, start_.normals[static_cast<std::size_t>(i)], lambda[i]);
      interval = closure.fly(body, kicked_, step, out, work);
      Real worst = 0;
      for (Eigen::Index i = 0; i < k; ++i) {
        r[i] = body.gap(gaps_[static_cast<std::size_t>(i)], out);
        const Real moved = step.s * (step.s * start_.acceleration_scale[i] + start_.W(i, i) * std::abs(lambda[i]));
        const Real rounding = 4 * std::numeric_limits<Real>::epsilon() * (start_.value_scale[i] + moved);
        worst = std::max(worst, r[i] == 0 ? Real(0) : std::abs(r[i]) / rounding);
      }
      if (worst <= 1 || (it > 4 && worst <= 64 && worst >= last / 2)) break;
      if (!(it < 60) || !std::isfinite(worst))
        throw Error(ErrorKind::no_convergence, "the held contact " + names(body) + " was not found over a flight",
                    body.state(from));
      last = worst;
      if (it == 0) {
        measure(body, out, step.h, work, end_);
        J.resize(k, k);
        for (Eigen::Index i = 0; i < k; ++i)
          for (Eigen::Index j = 0; j < k; ++j)
            J(i, j) = step.s * body.couple(end_.normals[static_cast<std::size_t>(i)],
                                           start_.normals[static_cast<std::size_t>(j)]);
      }
      lambda -= solve(J, r);
    }
    make_tangent(body, out, step.h, work);
    interval.has_excess = false;  // relative to the kicked momentum, not to the node's
    return interval;
  }

  /// Projects p so that every held φ̇ vanishes.
  void make_tangent(const Body& body, Node& node, Real h, Work& work) {
    for (int pass = 0; pass < 2; ++pass) {  // the second pass removes the rounding of the first
      measure(body, node, h, work, end_);
      const Vector nu = solve(end_.W, Vector(-end_.rate));
      for (std::size_t i = 0; i < gaps_.size(); ++i)
        body.kick(node, end_.normals[i], nu[static_cast<Eigen::Index>(i)]);
    }
  }

  /// Reaction of the held gap number `which` at a node (bilateral solution), and what rounding makes of zero.
  struct Reaction {
    Real value, tolerance;
  };
  Reaction reaction(const Body& body, const Node& node, Real h, int gap, Work& work) {
    measure(body, node, h, work, end_);
    const Vector R = solve(end_.W, Vector(-end_.acceleration));
    const auto i = static_cast<Eigen::Index>(std::find(gaps_.begin(), gaps_.end(), gap) - gaps_.begin());
    return {R[i], end_.tolerance[i] / end_.W(i, i)};
  }
  /// The held gap with the most negative reaction beyond rounding, or −1.
  int pulling(const Body& body, const Node& node, Real h, Work& work) {
    measure(body, node, h, work, end_);
    const Vector R = solve(end_.W, Vector(-end_.acceleration));
    int worst = -1;
    Real most = 0;
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      if (gaps_[i] >= body.gaps()) continue;  // constraints may pull
      const Real scaled = R[k] * end_.W(k, k) + end_.tolerance[k];
      if (scaled < most) {
        most = scaled;
        worst = gaps_[i];
      }
    }
    return worst;
  }

  std::string names(const Body& body) const {
    std::string text;
    for (const int i : gaps_) text += (text.empty() ? "" : "+") + body.gap_name(i);
    return text;
  }

 private:
  struct Measured {
    std::vector<typename Body::Normal> normals;
    Matrix W;
    Vector rate, acceleration, tolerance, value_scale, acceleration_scale;
  };

  void measure(const Body& body, const Node& node, Real h, Work& work, Measured& m) {
    const auto k = static_cast<Eigen::Index>(gaps_.size());
    m.normals.resize(gaps_.size());
    m.rate.resize(k);
    m.acceleration.resize(k);
    m.tolerance.resize(k);
    m.value_scale.resize(k);
    m.acceleration_scale.resize(k);
    for (Eigen::Index i = 0; i < k; ++i) {
      const auto c = body.contact(gaps_[static_cast<std::size_t>(i)], node, h, m.normals[static_cast<std::size_t>(i)], work);
      m.rate[i] = c.rate;
      m.acceleration[i] = c.acceleration;
      m.tolerance[i] = Real(1e-11) * c.acceleration_scale;
      m.value_scale[i] = c.value_scale;
      m.acceleration_scale[i] = c.acceleration_scale;
    }
    m.W.resize(k, k);
    for (Eigen::Index i = 0; i < k; ++i)
      for (Eigen::Index j = 0; j <= i; ++j)
        m.W(i, j) = m.W(j, i) =
            body.couple(m.normals[static_cast<std::size_t>(i)], m.normals[static_cast<std::size_t>(j)]);
  }

  /// Eliminates the first b (bilateral) rows: W̃ = W_AA − W_AC W_CC⁻¹ W_CA, φ̈ likewise.
  void reduce_to_tangent(const Measured& m, Eigen::Index b) {
    const Eigen::Index k = m.W.rows() - b;
    reduced_W_ = m.W.bottomRightCorner(k, k);
    reduced_a_ = m.acceleration.tail(k);
    if (b == 0) return;
    const Matrix C = m.W.topLeftCorner(b, b).completeOrthogonalDecomposition().solve(m.W.topRightCorner(b, k));
    reduced_W_ -= m.W.bottomLeftCorner(k, b) * C;
    reduced_a_ -= C.transpose() * m.acceleration.head(b);
  }

  /// Least-norm solution: redundant contacts (four corners flat on a floor) share.
  static Vector solve(const Matrix& A, const Vector& b) {
    if (A.rows() == 1) return b / A(0, 0);
    return A.completeOrthogonalDecomposition().solve(b);
  }

  GapList gaps_;
  Measured start_, end_;
  Matrix reduced_W_;
  Vector reduced_a_;
  Node kicked_;
  typename Body::Normal normal_;
};

/// Refuses constraints that are violated, depend on each other (Ballard 2001, counter-example 3) or are moving at the
/// start.
template <class Body>
void require_constraints(const Body& body, const typename Body::Node& node, typename Body::Work& work) {
  using Real = typename Body::Real;
  const int c = body.constraints();
  if (c == 0) return;
  std::vector<typename Body::Normal> normals(static_cast<std::size_t>(c));
  mechanics::MatrixX<Real> W(c, c);
  for (int i = 0; i < c; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto contact = body.contact(body.gaps() + i, node, Real(0), normals[at], work);
    const std::string name = "the constraint \"" + body.gap_name(body.gaps() + i) + "\"";
    if (!(std::abs(contact.value) <= Real(1e-9) * contact.value_scale))
      throw Error(ErrorKind::inadmissible_start,
                  name + " is violated at the start: its value is " + std::to_string(static_cast<double>(contact.value)),
                  body.state(node));
    const Real speed = std::sqrt(body.couple(normals[at], normals[at]) * std::max(Real(0), 2 * body.kinetic(node)));
    if (!(std::abs(contact.rate) <= Real(1e-9) * speed))
      throw Error(ErrorKind::inadmissible_start,
                  name + " is not kept by the initial velocity: its rate is " +
                      std::to_string(static_cast<double>(contact.rate)),
                  body.state(node));
    for (int j = 0; j <= i; ++j) W(i, j) = W(j, i) = body.couple(normals[at], normals[static_cast<std::size_t>(j)]);
    if (!(W(i, i) > 0)) throw Error(ErrorKind::invalid_model, name + " has no gradient at the start", body.state(node));
    // Its part that is independent of the ones before it.
    Real independent = W(i, i);
    if (i > 0) {
      const mechanics::VectorX<Real> b = W.col(i).head(i);
      independent -= b.dot(mechanics::VectorX<Real>(W.topLeftCorner(i, i).completeOrthogonalDecomposition().solve(b)));
    }
    if (!(independent > Real(1e-10) * W(i, i)))
      throw Error(ErrorKind::invalid_model,
                  name + " is redundant at the start: its gradient depends on those of the constraints before it",
                  body.state(node));
  }
}

/// The curve of a held flight, for `locate`: free gaps may close along it.
template <class Body, class Closure>
struct HeldCurve {
  Hold<Body>& hold;
  const Closure& closure;

  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Work& work) const {
    return hold.fly(body, closure, from, step, out, work);
  }
  auto gap_along(const Body& body, int i, const typename Body::Node& from, typename Body::Step step,
                 const typename Body::Trace&, typename Body::Work& work) const {
    typename Body::Node out = from;
    hold.fly(body, closure, from, step, out, work);
    return body.gap(i, out);
  }
};

}  // namespace ricochet::impact
