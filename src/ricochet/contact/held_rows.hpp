// The rows of held contacts: what is kept at zero along a flight, and along which directions it is kicked.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ricochet/contact/tolerance.hpp"
#include "ricochet/motion/flier.hpp"
#include "ricochet/numerics/least_norm.hpp"

namespace ricochet::contact {

/// Every row is a gap, a constraint or a slip coordinate that sticks. The row of a gap that slides is kicked along
/// ∇φ − μ s·∇ψ, all others along their own covector.
template <class Real>
class HeldRows {
 public:
  using Node = motion::Node<Real>;
  using Vector = std::vector<Real>;

  struct Row {
    int id;                  ///< a gap, a constraint, or (negative) a slip coordinate that sticks
    Real target = 0;         ///< its value along the flight
    int slide = -1;          ///< place in `slides`, or −1
    std::size_t sticks = 0;  ///< slip coordinates held with this gap, in the rows after it
    Real mu = 0;
  };
  struct Slide {
    int gap, tangents;
    Real mu;
    std::array<Real, 2> slip;  ///< direction against which friction acts; in space perhaps a mean, shorter than 1
    bool here = false;         ///< in space: take the direction of the slip at the node instead, unless it rests
  };
  struct Measured {
    std::vector<motion::Contact<Real>> contacts;
    motion::Covectors normals;
    motion::Covectors slides;                               ///< the directions of kicks of rows that slide
    numerics::Symmetric<Real> W;                            ///< normals times normals
    numerics::LeastNorm<Real> G;                            ///< normals times directions of kicks, if any row slides
    std::vector<std::array<Real, 2>> slip_rate, slip_wall;  ///< of slides
    Vector slip_tolerance;
    std::vector<std::array<Real, 2>> slip;  ///< their directions here

    Real stiffness(std::size_t i) const { return W(static_cast<int>(i), static_cast<int>(i)); }
    Real slip_along(const Slide& slide, std::size_t s) const {
      Real sum = 0;
      for (std::size_t a = 0; a < static_cast<std::size_t>(slide.tangents); ++a) sum += slip[s][a] * slip_rate[s][a];
      return sum;
    }
  };

  void measure(const motion::Island<Real>& island, const Node& node, Real h, Measured& m) {
    const std::size_t k = rows_.size();
    m.contacts.resize(k);
    m.normals.resize(k);
    m.W.resize(static_cast<int>(k));
    for (std::size_t i = 0; i < k; ++i) {
      m.contacts[i] = island.contact(rows_[i].id, node, h, m.normals[i]);
      for (std::size_t j = 0; j <= i; ++j)
        m.W(static_cast<int>(i), static_cast<int>(j)) = m.W(static_cast<int>(j), static_cast<int>(i)) =
            island.couple(m.normals[i], m.normals[j]);
    }
    if (!slides_.empty()) measure_slides(island, node, h, m);
  }
  /// The direction in which row i is kicked.
  const motion::Covector& column(const Measured& m, std::size_t i) const {
    return rows_[i].slide < 0 ? m.normals[i] : m.slides[static_cast<std::size_t>(rows_[i].slide)];
  }
  void kick(const motion::Island<Real>& island, const Measured& m, Node& node, const Vector& lambda) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) island.kick(node, column(m, i), lambda[i]);
  }
  /// x with Gx = b: the impulses that change the rates by b.
  void solve(Measured& m, Vector& b) const { slides_.empty() ? m.W.solve(b) : m.G.solve(b); }
  /// R with φ̈ + GR = 0: what keeps every held gap closed, pulling if it must.
  void reactions(Measured& m, Vector& R) const {
    R.resize(rows_.size());
    for (std::size_t i = 0; i < R.size(); ++i) R[i] = -m.contacts[i].acceleration;
    solve(m, R);
  }

  /// Work of walls and belts that move (errata F13) and of friction, for impulses λ.
  void account(const Measured& m, const Vector& lambda, discrete::Interval<Real>& interval) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      interval.wall_work -= lambda[i] * m.contacts[i].wall_rate;
      if (rows_[i].slide < 0) continue;
      const auto s = static_cast<std::size_t>(rows_[i].slide);
      for (std::size_t a = 0; a < static_cast<std::size_t>(slides_[s].tangents); ++a) {
        const Real friction = -slides_[s].mu * m.slip[s][a] * lambda[i];
        interval.dissipated -= friction * m.slip_rate[s][a];
        interval.wall_work -= friction * m.slip_wall[s][a];
      }
    }
  }

  std::vector<Row> rows_;
  std::vector<Slide> slides_;

 private:
  void measure_slides(const motion::Island<Real>& island, const Node& node, Real h, Measured& m) {
    const std::size_t k = rows_.size(), slides = slides_.size();
    m.slides.resize(slides);
    m.slip_rate.resize(slides);
    m.slip_wall.resize(slides);
    m.slip.resize(slides);
    m.slip_tolerance.resize(slides);
    for (std::size_t i = 0; i < k; ++i) {
      if (rows_[i].slide < 0) continue;
      const auto s = static_cast<std::size_t>(rows_[i].slide);
      m.slides[s] = m.normals[i];
      add_friction(island, node, h, s, m, m.slides[s]);
    }
    m.G.resize(static_cast<int>(k));
    for (std::size_t i = 0; i < k; ++i) {
      m.G.set_scale(static_cast<int>(i), std::sqrt(m.stiffness(i)));
      for (std::size_t j = 0; j < k; ++j)
        m.G(static_cast<int>(i), static_cast<int>(j)) = island.couple(m.normals[i], column(m, j));
    }
  }
  /// ∇φ − μ s·∇ψ, with the slip direction s of the mode, or of this node.
  void add_friction(const motion::Island<Real>& island, const Node& node, Real h, std::size_t s, Measured& m,
                    motion::Covector& column) {
    const Slide& slide = slides_[s];
    Real size = 0;
    m.slip_tolerance[s] = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(slide.tangents); ++a) {
      const auto c = island.contact(motion::slip_row(slide.gap, static_cast<int>(a)), node, h, tangent_[a]);
      m.slip_rate[s][a] = c.rate;
      m.slip_wall[s][a] = c.wall_rate;
      size = std::hypot(size, c.rate);
      m.slip_tolerance[s] = std::max(m.slip_tolerance[s], slip_tolerance(c));
    }
    m.slip[s] = slide.slip;
    if (slide.here && size > m.slip_tolerance[s]) m.slip[s] = {m.slip_rate[s][0] / size, m.slip_rate[s][1] / size};
    for (std::size_t a = 0; a < static_cast<std::size_t>(slide.tangents); ++a)
      island.add(column, -slide.mu * m.slip[s][a], tangent_[a]);
  }

  std::array<motion::Covector, 2> tangent_;
};

}  // namespace ricochet::contact
