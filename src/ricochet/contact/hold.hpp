// Persistent contact: which closed gaps are held, a flight that stays on them, and when one lets go.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/complementarity/nonnegative.hpp"
#include "ricochet/contact/locate.hpp"
#include "ricochet/contact/tolerance.hpp"
#include "ricochet/error.hpp"
#include "ricochet/motion/flier.hpp"
#include "ricochet/numerics/symmetric.hpp"

namespace ricochet::contact {

/// The held gaps (closed, resting, and not opening under the reactions of the others) and the bilateral constraints.
///
/// A flight on them is RATTLE made of `fly` and `kick`: kick p by Σλ_i∇φ_i, fly, solve φ_i = 0 for λ, project p on the
/// tangent space. A gap lets go at the root of its instantaneous reaction R(q,p), not at the sign of the step's λ,
/// which is only first order (design: hold and release).
template <class Real>
class Hold {
 public:
  using Node = motion::Node<Real>;
  using Step = discrete::Step<Real>;
  using Vector = std::vector<Real>;
  using Matrix = numerics::Symmetric<Real>;

  bool any() const { return !gaps_.empty(); }
  bool holds(int gap) const { return std::find(gaps_.begin(), gaps_.end(), gap) != gaps_.end(); }
  const motion::GapList& gaps() const { return gaps_; }
  /// Holds these, and `gap` if there is one, whether they rest or not.
  void keep(const motion::GapList& gaps, int gap = -1) {
    gaps_ = gaps;
    if (gap >= 0) gaps_.push_back(gap);
  }

  /// The choice where nothing is near and nothing was held.
  void choose_nothing() {}
  /// Chooses anew at the start of a flight. `near` lists the gaps that may be closed; `released` let go in this step
  /// and are not taken back. Solves 0 ≤ R ⊥ φ̈_free + WR ≥ 0 over the resting gaps: those with φ̈ = 0 then are held.
  void choose(const motion::Body<Real>& body, const Node& node, Real h, const motion::GapList& near,
              const motion::GapList& released) {
    gaps_.clear();
    for (int j = 0; j < body.constraints(); ++j) gaps_.push_back(body.gaps() + j);
    const auto bilateral = gaps_.size();
    for (const int i : near) {
      if (std::find(released.begin(), released.end(), i) != released.end()) continue;
      const auto contact = body.contact(i, node, h, normal_);
      if (closed(contact) && resting(contact)) gaps_.push_back(i);
    }
    if (gaps_.size() == bilateral) return;
    measure(body, node, h, start_);
    reduce_to_tangent(start_, bilateral);
    const std::size_t k = gaps_.size() - bilateral;
    Vector R(k);
    if (complementarity::project_on_cone(static_cast<int>(k), reduced_W_, reduced_a_, R) !=
        complementarity::Status::solved)
      throw Error(ErrorKind::no_convergence, "the reactions of the resting contacts " + names(body) + " were not found",
                  body.state(node));
    motion::GapList kept(gaps_.begin(), gaps_.begin() + static_cast<std::ptrdiff_t>(bilateral));
    for (std::size_t i = 0; i < k; ++i) {
      Real opening = reduced_a_[i];
      for (std::size_t j = 0; j < k; ++j) opening += reduced_W_(static_cast<int>(i), static_cast<int>(j)) * R[j];
      if (opening <= start_.tolerance[bilateral + i]) kept.push_back(gaps_[bilateral + i]);
    }
    gaps_ = kept;
  }

  /// A flight on the held gaps; p at its end is tangent to them.
  auto fly(const motion::Body<Real>& body, motion::Flier<Real>& closure, const Node& from, Step step, Node& out) {
    if (!(step.s > 0)) {
      out = from;
      return closure.fly(from, step, out);
    }
    measure(body, from, step.h, start_);
    const std::size_t k = gaps_.size();
    Vector lambda = start_.reaction(), r(k);
    for (Real& x : lambda) x *= step.s / 2;
    // A flight of rounding length keeps what rounding left of φ: to take it out in no time would be a speed.
    const bool brief = step.s <= Real(tolerances::brief) * step.h;
    Matrix J;
    discrete::Interval<Real> interval;
    Real last = std::numeric_limits<Real>::infinity();
    for (int it = 0;; ++it) {
      kicked_ = from;
      for (std::size_t i = 0; i < k; ++i) body.kick(kicked_, start_.normals[i], lambda[i]);
      interval = closure.fly(kicked_, step, out);
      Real worst = 0, worst_of_step = 0;  // relative to the rounding of this flight, and of a whole step
      for (std::size_t i = 0; i < k; ++i) {
        r[i] = body.gap(gaps_[i], out);
        if (brief) r[i] -= start_.value[i];
        const auto d = static_cast<int>(i);
        const Real moved = step.s * (start_.rate_scale[i] + step.s * start_.acceleration_scale[i] +
                                     start_.W(d, d) * std::abs(lambda[i]));
        const Real rounding = 4 * std::numeric_limits<Real>::epsilon() * (start_.value_scale[i] + moved);
        const Real of_step = 4 * std::numeric_limits<Real>::epsilon() * step.h *
                             (start_.rate_scale[i] + step.h * start_.acceleration_scale[i]);
        worst = std::max(worst, r[i] == 0 ? Real(0) : std::abs(r[i]) / rounding);
        worst_of_step = std::max(worst_of_step, r[i] == 0 ? Real(0) : std::abs(r[i]) / (rounding + of_step));
      }
      // Interpolated curves are rounded like the step they are made of, however short they are.
      if (worst <= 1 || (it > 4 && (worst <= 64 || worst_of_step <= 1) && worst >= last / 2)) break;
      if (!(it < 60) || !std::isfinite(worst))
        throw Error(ErrorKind::no_convergence,
                    (gaps_.front() < body.gaps() ? "the held contact " : "the constraint ") + names(body) +
                        " was not found over a flight",
                    body.state(from));
      last = worst;
      if (it == 0) {
        // Simplified Newton: ∂φ_i(end)/∂λ_j ≈ s ∇φ_i(end) M⁻¹ ∇φ_j(start), symmetrised.
        measure(body, out, step.h, end_);
        J.resize(static_cast<int>(k));
        for (std::size_t i = 0; i < k; ++i)
          for (std::size_t j = 0; j < k; ++j)
            J(static_cast<int>(i), static_cast<int>(j)) =
                step.s / 2 *
                (body.couple(end_.normals[i], start_.normals[j]) + body.couple(end_.normals[j], start_.normals[i]));
      }
      J.solve(r);
      for (std::size_t i = 0; i < k; ++i) lambda[i] -= r[i];
    }
    // What Newton left is rounding of the whole sum; take it out of q, where it may have digits of its own.
    measure(body, out, step.h, end_);
    end_.W.solve(r);
    for (std::size_t i = 0; i < k; ++i) body.nudge(out, end_.normals[i], -r[i]);
    // A wall that moves works through the reactions: −λ_i ∂_tφ_i (errata F13).
    for (std::size_t i = 0; i < k; ++i) interval.wall_work -= lambda[i] * start_.wall_rate[i];
    make_tangent(body, out, step.h, &interval.wall_work);
    interval.has_excess = false;  // relative to the kicked momentum, not to the node's
    return interval;
  }

  /// Projects p so that every held φ̇ vanishes; the work of moving walls is added to `wall_work`.
  void make_tangent(const motion::Body<Real>& body, Node& node, Real h, Real* wall_work) {
    for (int pass = 0; pass < 2; ++pass) {  // the second pass removes the rounding of the first
      measure(body, node, h, end_);
      Vector nu = end_.rate;
      end_.W.solve(nu);
      if (pass == 0) taken_ = nu;
      for (std::size_t i = 0; i < gaps_.size(); ++i) {
        body.kick(node, end_.normals[i], -nu[i]);
        *wall_work += nu[i] * end_.wall_rate[i];
      }
    }
  }

  /// The multiple of ∇φ that the last projection took from p: an impulse that pulls.
  Real taken(int gap) const {
    return taken_[static_cast<std::size_t>(std::find(gaps_.begin(), gaps_.end(), gap) - gaps_.begin())];
  }

  /// Reaction of the held gap number `which` at a node (bilateral solution), and what rounding makes of zero.
  struct Reaction {
    Real value, tolerance;
  };
  Reaction reaction(const motion::Body<Real>& body, const Node& node, Real h, int gap) {
    measure(body, node, h, end_);
    const auto i = static_cast<std::size_t>(std::find(gaps_.begin(), gaps_.end(), gap) - gaps_.begin());
    return {end_.reaction()[i], end_.tolerance[i] / end_.W(static_cast<int>(i), static_cast<int>(i))};
  }
  /// The held gap with the most negative reaction beyond rounding, or −1. Where supports are redundant the reactions
  /// are not unique: if some that push alone keep every gap closed, nothing pulls.
  int pulling(const motion::Body<Real>& body, const Node& node, Real h) {
    measure(body, node, h, end_);
    const Vector R = end_.reaction();
    int worst = -1;
    Real most = 0;
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      if (gaps_[i] >= body.gaps()) continue;  // constraints may pull
      const Real scaled = R[i] * end_.W(static_cast<int>(i), static_cast<int>(i)) + end_.tolerance[i];
      if (scaled < most) {
        most = scaled;
        worst = gaps_[i];
      }
    }
    return worst >= 0 && pushing_suffices(body) ? -1 : worst;
  }

  std::string names(const motion::Body<Real>& body) const {
    std::string text;
    for (const int i : gaps_) text += (text.empty() ? "" : "+") + body.gap_name(i);
    return text;
  }

 private:
  struct Measured {
    std::vector<motion::Covector> normals;
    Matrix W;
    Vector value, rate, acceleration, tolerance, value_scale, rate_scale, acceleration_scale, wall_rate;

    /// R with φ̈ + WR = 0: what keeps every held gap closed, pulling if it must.
    Vector reaction() {
      Vector R = acceleration;
      W.solve(R);
      for (Real& x : R) x = -x;
      return R;
    }
  };

  void measure(const motion::Body<Real>& body, const Node& node, Real h, Measured& m) {
    const std::size_t k = gaps_.size();
    m.normals.resize(k);
    for (auto* v : {&m.value, &m.rate, &m.acceleration, &m.tolerance, &m.value_scale, &m.rate_scale,
                    &m.acceleration_scale, &m.wall_rate})
      v->resize(k);
    m.W.resize(static_cast<int>(k));
    for (std::size_t i = 0; i < k; ++i) {
      const auto c = body.contact(gaps_[i], node, h, m.normals[i]);
      m.value[i] = c.value;
      m.rate[i] = c.rate;
      m.acceleration[i] = c.acceleration;
      m.tolerance[i] = acceleration_tolerance(c);
      m.value_scale[i] = c.value_scale;
      m.rate_scale[i] = c.rate_scale;
      m.acceleration_scale[i] = c.acceleration_scale;
      m.wall_rate[i] = c.wall_rate;
      for (std::size_t j = 0; j <= i; ++j)
        m.W(static_cast<int>(i), static_cast<int>(j)) = m.W(static_cast<int>(j), static_cast<int>(i)) =
            body.couple(m.normals[i], m.normals[j]);
    }
  }

  /// Whether reactions R ≥ 0 of the held gaps (as measured in end_) leave none of them opening.
  bool pushing_suffices(const motion::Body<Real>& body) {
    const auto bilateral =
        static_cast<std::size_t>(std::count_if(gaps_.begin(), gaps_.end(), [&](int i) { return i >= body.gaps(); }));
    reduce_to_tangent(end_, bilateral);
    const std::size_t k = gaps_.size() - bilateral;
    Vector R(k);
    if (complementarity::project_on_cone(static_cast<int>(k), reduced_W_, reduced_a_, R) !=
        complementarity::Status::solved)
      return false;
    for (std::size_t i = 0; i < k; ++i) {
      Real opening = reduced_a_[i];
      for (std::size_t j = 0; j < k; ++j) opening += reduced_W_(static_cast<int>(i), static_cast<int>(j)) * R[j];
      if (opening > end_.tolerance[bilateral + i]) return false;
    }
    return true;
  }

  /// Eliminates the first b (bilateral) rows: W̃ = W_AA − W_AC W_CC⁻¹ W_CA, φ̈ likewise.
  void reduce_to_tangent(const Measured& m, std::size_t b) {
    const auto c = static_cast<int>(b), k = m.W.size() - c;
    Matrix C;
    C.resize(c);
    for (int i = 0; i < c; ++i)
      for (int j = 0; j < c; ++j) C(i, j) = m.W(i, j);
    reduced_W_.resize(k);
    reduced_a_.resize(static_cast<std::size_t>(k));
    for (int j = 0; j < k; ++j) {
      Vector x(b);
      for (int i = 0; i < c; ++i) x[static_cast<std::size_t>(i)] = m.W(i, c + j);
      if (c > 0) C.solve(x);
      Real a = m.acceleration[b + static_cast<std::size_t>(j)];
      for (std::size_t i = 0; i < b; ++i) a -= x[i] * m.acceleration[i];
      reduced_a_[static_cast<std::size_t>(j)] = a;
      for (int i = 0; i < k; ++i) {
        Real w = m.W(c + i, c + j);
        for (int l = 0; l < c; ++l) w -= m.W(c + i, l) * x[static_cast<std::size_t>(l)];
        reduced_W_(i, j) = w;
      }
    }
  }

  motion::GapList gaps_;
  Measured start_, end_;
  Matrix reduced_W_;
  Vector reduced_a_, taken_;
  Node kicked_;
  motion::Covector normal_;
};

/// Refuses constraints that are violated, depend on each other (Ballard 2001, counter-example 3) or are moving at the
/// start.
template <class Real>
void require_constraints(const motion::Body<Real>& body, const motion::Node<Real>& node) {
  const int c = body.constraints();
  if (c == 0) return;
  std::vector<motion::Covector> normals(static_cast<std::size_t>(c));
  numerics::Symmetric<Real> W;
  W.resize(c);
  for (int i = 0; i < c; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto contact = body.contact(body.gaps() + i, node, Real(0), normals[at]);
    const std::string name = "the constraint \"" + body.gap_name(body.gaps() + i) + "\"";
    for (const auto& [x, what] : {std::pair{contact.value, ""}, {contact.rate, "the rate of "}})
      if (!std::isfinite(x))
        throw Error(ErrorKind::inadmissible_start, what + name + " is not a finite number at the start",
                    body.state(node));
    if (!(std::abs(contact.value) <= Real(tolerances::start_digits) * contact.value_scale))
      throw Error(
          ErrorKind::inadmissible_start,
          name + " is violated at the start: its value is " + std::to_string(static_cast<double>(contact.value)),
          body.state(node));
    if (!(std::abs(contact.rate) <= Real(tolerances::start_digits) * contact.rate_scale))
      throw Error(ErrorKind::inadmissible_start,
                  name + " is not kept by the initial velocity: its rate is " +
                      std::to_string(static_cast<double>(contact.rate)),
                  body.state(node));
    for (int j = 0; j <= i; ++j) W(i, j) = W(j, i) = body.couple(normals[at], normals[static_cast<std::size_t>(j)]);
    if (!(W(i, i) > 0)) throw Error(ErrorKind::invalid_model, name + " has no gradient at the start", body.state(node));
    // Its part that is independent of the ones before it.
    Real independent = W(i, i);
    if (i > 0) {
      numerics::Symmetric<Real> before;
      before.resize(i);
      std::vector<Real> b(at), x;
      for (int j = 0; j < i; ++j) {
        b[static_cast<std::size_t>(j)] = W(i, j);
        for (int l = 0; l < i; ++l) before(j, l) = W(j, l);
      }
      x = b;
      before.solve(x);
      for (std::size_t j = 0; j < at; ++j) independent -= b[j] * x[j];
    }
    if (!(independent > Real(tolerances::independent) * W(i, i)))
      throw Error(ErrorKind::invalid_model,
                  name + " is redundant at the start: its gradient depends on those of the constraints before it",
                  body.state(node));
  }
}

/// The curve of a held flight, for `locate`: free gaps may close along it.
template <class Real, class Holding>
class HeldPath final : public motion::Path<Real> {
 public:
  HeldPath(const motion::Body<Real>& body, motion::Flier<Real>& flier, Holding& hold)
      : body_(body), flier_(flier), hold_(hold) {}
  Real gap_along(int i, const motion::Node<Real>& from, discrete::Step<Real> step, const motion::Trace&) override {
    out_ = from;
    hold_.fly(body_, flier_, from, step, out_);
    return body_.gap(i, out_);
  }
  void refine(const motion::Node<Real>& from, discrete::Step<Real> step, const motion::Node<Real>& end,
              motion::Trace& trace) override {
    body_.refine_trace(trace, end, [&](Real s, motion::Node<Real>& x) {
      hold_.fly(body_, flier_, from, {s, step.h}, x);
    });
  }
  void begin_search() override { flier_.begin_search(); }
  void end_search() override { flier_.end_search(); }

 private:
  const motion::Body<Real>& body_;
  motion::Flier<Real>& flier_;
  Holding& hold_;
  motion::Node<Real> out_;
};

}  // namespace ricochet::contact
