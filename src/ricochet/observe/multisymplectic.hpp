// The discrete action of bars on any rectangle of space-time: its derivatives, Noether's theorem, the form formula.
#pragma once

#include "ricochet/observe/space_time.hpp"

namespace ricochet::observe {

/// Levels first_level … last_level and nodes first_node … last_node of the chain, ends included. A cut through a bar
/// takes the elements on its inner side with it, and their half of the mass of the node.
struct Subdomain {
  std::size_t first_level, last_level;
  std::ptrdiff_t first_node, last_node;
};

/// S = Σ over rectangles of Demoures 2016 (4.3) inside a subdomain U', as a function of all q_a^j and all t^j.
template <class Real>
class SubdomainAction {
 public:
  using Chain = bodies::Chain<Real>;
  using Index = typename Chain::Index;
  using Field = SpaceTime<Real>;

  SubdomainAction(const Chain& chain, Subdomain domain) : chain_(chain), u_(domain) {}

  /// Σ over the nodes of U' on which stationarity says nothing: on its boundary, and in contact.
  struct Noether {
    Real boundary = 0, contact = 0;
    Real sum() const { return boundary + contact; }
    Real size = 0;  ///< of the terms, to measure the sum against
  };
  /// The discrete Noether theorem for translations (Demoures 2016, section 3.3): the sum is zero.
  Noether noether(const Field& x) const {
    Noether out;
    each_node([&](std::size_t j, Index a) {
      const Where where = place(x, j, a);
      if (where == Where::inside) return;
      const Real g = gradient(x, j, a);
      (where == Where::contact ? out.contact : out.boundary) += g;
      out.size += std::abs(g);
    });
    return out;
  }

  /// The terms of the form formula for two first variations V, W of the motion x: dS restricted to motions is
  /// Σ_boundary ∂S/∂q dq + Σ_contact λ dφ + Σ_t̃ ∂S/∂t̃ dt̃, and ddS = 0. The last term is there because a part of space
  /// does not conserve its energy alone (errata D10).
  struct Form {
    Real boundary = 0, contact = 0, horizontal = 0;
    Real sum() const { return boundary + contact + horizontal; }
    Real size = 0;
  };
  Form form(const Field& x, const Field& V, const Field& W) const {
    Form out;
    each_node([&](std::size_t j, Index a) {
      const Where where = place(x, j, a);
      if (where == Where::inside) return;
      const auto k = static_cast<std::size_t>(a);
      const Real vw = V.levels[j].q[k] * gradient_along(x, W, j, a), wv = W.levels[j].q[k] * gradient_along(x, V, j, a);
      (where == Where::contact ? out.contact : out.boundary) += vw - wv;
      out.size += std::abs(vw) + std::abs(wv);
    });
    for (std::size_t j = u_.first_level; j <= u_.last_level; ++j) {
      if (!x.levels[j].located) continue;
      const Real vw = V.levels[j].t * time_gradient_along(x, W, j), wv = W.levels[j].t * time_gradient_along(x, V, j);
      out.horizontal += vw - wv;
      out.size += std::abs(vw) + std::abs(wv);
    }
    return out;
  }

  /// ∂S/∂q_a^j: the left side of (3.11) and (3.13) when U' surrounds the node.
  Real gradient(const Field& x, std::size_t j, Index a) const {
    const auto k = static_cast<std::size_t>(a);
    const Real m = mass(a);
    Real sum = 0, duration = 0;
    if (j > u_.first_level) {
      const Real h = length(x, j - 1);
      sum += m * (x.levels[j].q[k] - x.levels[j - 1].q[k]) / h;
      duration += h;
    }
    if (j < u_.last_level) {
      const Real h = length(x, j);
      sum -= m * (x.levels[j + 1].q[k] - x.levels[j].q[k]) / h;
      duration += h;
    }
    return sum + duration / 2 * force(x.levels[j].q, a);
  }
  /// ∂S/∂t^j = E_d⁺ − E_d⁻ of the part of space in U' (3.12).
  Real time_gradient(const Field& x, std::size_t j) const {
    return (j < u_.last_level ? energy(x, j) : Real(0)) - (j > u_.first_level ? energy(x, j - 1) : Real(0));
  }
  /// E_d = −∂S/∂h of one interval.
  Real energy(const Field& x, std::size_t j) const {
    const Real h = length(x, j);
    Real sum = 0;
    for (Index a = u_.first_node; a <= u_.last_node; ++a) {
      const auto k = static_cast<std::size_t>(a);
      const Real v = (x.levels[j + 1].q[k] - x.levels[j].q[k]) / h;
      sum += mass(a) * v * v / 2;
    }
    return sum + (potential(x.levels[j].q) + potential(x.levels[j + 1].q)) / 2;
  }
  Real action(const Field& x) const {
    Real sum = 0;
    for (std::size_t j = u_.first_level; j < u_.last_level; ++j) {
      const Real h = length(x, j);
      const Real V = (potential(x.levels[j].q) + potential(x.levels[j + 1].q)) / 2;
      sum += h * (energy(x, j) - 2 * V);  // L = K − V = E − 2V
    }
    return sum;
  }

 private:
  enum class Where { inside, boundary, contact };

  template <class F>
  void each_node(F&& f) const {
    for (std::size_t j = u_.first_level; j <= u_.last_level; ++j)
      for (Index a = u_.first_node; a <= u_.last_node; ++a) f(j, a);
  }
  Where place(const Field& x, std::size_t j, Index a) const {
    const auto& s = chain_.segment(chain_.segment_of(a));
    if (j == u_.first_level || j == u_.last_level || s.fixed(a)) return Where::boundary;
    const bool cut_left =
        a == u_.first_node &&
        (a > s.first || (s.link_left >= 0 && chain_.link(s.link_left).on && chain_.link(s.link_left).left >= 0));
    const bool cut_right =
        a == u_.last_node &&
        (a < s.last || (s.link_right >= 0 && chain_.link(s.link_right).on && chain_.link(s.link_right).right >= 0));
    if (cut_left || cut_right) return Where::boundary;
    for (const int i : x.levels[j].gaps)
      if (a == chain_.link(i).left || a == chain_.link(i).right) return Where::contact;
    return Where::inside;
  }

  static Real length(const Field& x, std::size_t j) { return x.levels[j + 1].t - x.levels[j].t; }
  bool has(Index a) const { return u_.first_node <= a && a <= u_.last_node; }
  /// The mass of a node that lies in U'.
  Real mass(Index a) const {
    const auto& s = chain_.segment(chain_.segment_of(a));
    const bool cut = (a == u_.first_node && a > s.first) || (a == u_.last_node && a < s.last);
    return cut ? s.mass / 2 : s.mass_of(a);
  }
  /// A contact belongs to U' if all its nodes do.
  bool has_link(int i) const {
    const auto& link = chain_.link(i);
    return link.on && (link.left < 0 || has(link.left)) && (link.right < 0 || has(link.right));
  }
  /// f(element, d) over the elements in U' that touch node a, with the sign of their pull on it.
  template <class F>
  Real pulls(const std::vector<Real>& q, Index a, F&& element) const {
    const auto& s = chain_.segment(chain_.segment_of(a));
    const auto k = static_cast<std::size_t>(a);
    Real sum = 0;
    if (a < s.last && has(a + 1)) sum += element(s, a, q[k + 1] - q[k], k + 1, k);
    if (a > s.first && has(a - 1)) sum -= element(s, a - 1, q[k] - q[k - 1], k, k - 1);
    return sum;
  }
  Real force(const std::vector<Real>& q, Index a) const {
    Real sum = pulls(q, a, [](const auto& s, Index e, Real d, std::size_t, std::size_t) { return s.tension(e, d); });
    const auto& s = chain_.segment(chain_.segment_of(a));
    if (a == s.last && s.link_right >= 0 && has_link(s.link_right)) sum -= chain_.link_force(s.link_right, q.data());
    if (a == s.first && s.link_left >= 0 && has_link(s.link_left)) sum += chain_.link_force(s.link_left, q.data());
    return sum;
  }
  /// Derivative of the force along δq.
  Real force_along(const std::vector<Real>& q, const std::vector<Real>& dq, Index a) const {
    Real sum = pulls(q, a, [&](const auto& s, Index e, Real d, std::size_t right, std::size_t left) {
      return s.stiffness(e, d) * (dq[right] - dq[left]);
    });
    const auto& s = chain_.segment(chain_.segment_of(a));
    auto contact = [&](int i) {
      const auto& link = chain_.link(i);
      const Real gap = chain_.gap(i, q.data());
      if (!(gap < 0)) return Real(0);
      const Real change = (link.right >= 0 ? dq[static_cast<std::size_t>(link.right)] : Real(0)) -
                          (link.left >= 0 ? dq[static_cast<std::size_t>(link.left)] : Real(0));
      return -link.spring.stiffness(gap) * change;  // dF
    };
    if (a == s.last && s.link_right >= 0 && has_link(s.link_right)) sum -= contact(s.link_right);
    if (a == s.first && s.link_left >= 0 && has_link(s.link_left)) sum += contact(s.link_left);
    return sum;
  }
  Real potential(const std::vector<Real>& q) const {
    Real sum = 0;
    for (Index a = u_.first_node; a <= u_.last_node; ++a) {
      const auto& s = chain_.segment(chain_.segment_of(a));
      const auto k = static_cast<std::size_t>(a);
      if (a < s.last && has(a + 1)) sum += s.stored(a, q[k + 1] - q[k]);
      if (a == s.last && s.link_right >= 0 && has_link(s.link_right)) sum += chain_.link_energy(s.link_right, q.data());
      if (a == s.first && s.link_left >= 0 && chain_.link(s.link_left).left < 0 && has_link(s.link_left))
        sum += chain_.link_energy(s.link_left, q.data());
    }
    return sum;
  }

  Real gradient_along(const Field& x, const Field& W, std::size_t j, Index a) const {
    const auto k = static_cast<std::size_t>(a);
    const Real m = mass(a);
    Real sum = 0, duration = 0, duration_along = 0;
    auto momentum = [&](std::size_t i) {
      const Real h = length(x, i), dh = length(W, i), d = x.levels[i + 1].q[k] - x.levels[i].q[k];
      duration += h, duration_along += dh;
      return m * ((W.levels[i + 1].q[k] - W.levels[i].q[k]) - d * dh / h) / h;
    };
    if (j > u_.first_level) sum += momentum(j - 1);
    if (j < u_.last_level) sum -= momentum(j);
    return sum + duration / 2 * force_along(x.levels[j].q, W.levels[j].q, a) +
           duration_along / 2 * force(x.levels[j].q, a);
  }
  Real time_gradient_along(const Field& x, const Field& W, std::size_t j) const {
    return (j < u_.last_level ? energy_along(x, W, j) : Real(0)) -
           (j > u_.first_level ? energy_along(x, W, j - 1) : Real(0));
  }
  Real energy_along(const Field& x, const Field& W, std::size_t j) const {
    const Real h = length(x, j), dh = length(W, j);
    Real sum = 0;
    for (Index a = u_.first_node; a <= u_.last_node; ++a) {
      const auto k = static_cast<std::size_t>(a);
      const Real d = x.levels[j + 1].q[k] - x.levels[j].q[k], dd = W.levels[j + 1].q[k] - W.levels[j].q[k];
      sum += mass(a) * (d / h) * (dd - d * dh / h) / h;
      for (const std::size_t i : {j, j + 1}) sum -= force(x.levels[i].q, a) * W.levels[i].q[k] / 2;
    }
    return sum;
  }

  const Chain& chain_;
  Subdomain u_;
};

}  // namespace ricochet::observe
