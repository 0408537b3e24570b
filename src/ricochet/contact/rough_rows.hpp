// The rows of rough contacts that are held: what is kept at zero along a flight, and along which directions it is
// kicked.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "ricochet/contact/tolerance.hpp"
#include "ricochet/motion/flier.hpp"
#include "ricochet/numerics/least_norm.hpp"

namespace ricochet::contact {

/// Every row is a gap, a constraint or a slip coordinate that sticks. The row of a gap that slides is kicked along
/// ∇φ − μ s·∇ψ, all others along their own covector.
template <class Real>
class RoughRows {
 public:
  using Node = motion::Node<Real>;
  using Vector = std::vector<Real>;

  struct Row {
    int id;              ///< a gap, a constraint, or (negative) a slip coordinate that sticks
    Real target;         ///< its value along the flight
    int slide;           ///< place in `slides`, or −1
    std::size_t sticks;  ///< slip coordinates held with this gap, in the rows after it
    Real mu;
  };
  struct Slide {
    int gap, tangents;
    Real mu;
    std::array<Real, 2> slip;  ///< direction against which friction acts; in space perhaps a mean, shorter than 1
    bool here = false;         ///< in space: take the direction of the slip at the node instead, unless it rests
  };
  struct Measured {
    std::vector<motion::Covector> normals, columns;
    numerics::Symmetric<Real> W;
    numerics::LeastNorm<Real> G;  ///< normals times columns: W where nothing slides
    Vector value, rate, acceleration, tolerance, value_scale, rate_scale, acceleration_scale, wall_rate;
    std::vector<std::array<Real, 2>> slip_rate, slip_wall;  ///< of slides
    Vector slip_tolerance;
    std::vector<std::array<Real, 2>> slip;  ///< their directions here

    Vector reaction() {
      Vector R = acceleration;
      G.solve(R);
      for (Real& x : R) x = -x;
      return R;
    }
    Real slip_along(const std::vector<Slide>& slides, std::size_t s) const {
      Real sum = 0;
      for (std::size_t a = 0; a < static_cast<std::size_t>(slides[s].tangents); ++a)
        sum += slip[s][a] * slip_rate[s][a];
      return sum;
    }
  };

  static int slip_row(int gap, int a) { return motion::slip_row(gap, a); }
  static Real mu_of(const motion::Body<Real>& body, int gap) { return Real(body.friction(gap)); }
  static int tangents_of(const motion::Body<Real>& body, int gap) { return body.slips(gap); }

  void measure(const motion::Body<Real>& body, const Node& node, Real h, Measured& m) {
    const std::size_t k = rows_.size(), slides = slides_.size();
    m.normals.resize(k);
    m.columns.resize(k);
    for (auto* v : {&m.value, &m.rate, &m.acceleration, &m.tolerance, &m.value_scale, &m.rate_scale,
                    &m.acceleration_scale, &m.wall_rate})
      v->resize(k);
    m.slip_rate.resize(slides);
    m.slip_wall.resize(slides);
    m.slip.resize(slides);
    m.slip_tolerance.resize(slides);
    m.W.resize(static_cast<int>(k));
    for (std::size_t i = 0; i < k; ++i) {
      const auto c = body.contact(rows_[i].id, node, h, m.normals[i]);
      m.value[i] = c.value;
      m.rate[i] = c.rate;
      m.acceleration[i] = c.acceleration;
      m.tolerance[i] = acceleration_tolerance(c);
      m.value_scale[i] = c.value_scale;
      m.rate_scale[i] = c.rate_scale;
      m.acceleration_scale[i] = c.acceleration_scale;
      m.wall_rate[i] = c.wall_rate;
      m.columns[i] = m.normals[i];
      if (rows_[i].slide >= 0) add_friction(body, node, h, static_cast<std::size_t>(rows_[i].slide), m, m.columns[i]);
      for (std::size_t j = 0; j <= i; ++j)
        m.W(static_cast<int>(i), static_cast<int>(j)) = m.W(static_cast<int>(j), static_cast<int>(i)) =
            body.couple(m.normals[i], m.normals[j]);
    }
    m.G.resize(static_cast<int>(k));
    for (std::size_t i = 0; i < k; ++i) {
      m.G.set_scale(static_cast<int>(i), std::sqrt(m.W(static_cast<int>(i), static_cast<int>(i))));
      for (std::size_t j = 0; j < k; ++j)
        m.G(static_cast<int>(i), static_cast<int>(j)) = body.couple(m.normals[i], m.columns[j]);
    }
  }
  /// ∇φ − μ s·∇ψ, with the slip direction s of the mode, or of this node.
  void add_friction(const motion::Body<Real>& body, const Node& node, Real h, std::size_t s, Measured& m,
                    motion::Covector& column) {
    const Slide& slide = slides_[s];
    std::array<motion::Covector, 2> tangent;
    Real size = 0;
    m.slip_tolerance[s] = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(slide.tangents); ++a) {
      const auto c = body.contact(slip_row(slide.gap, static_cast<int>(a)), node, h, tangent[a]);
      m.slip_rate[s][a] = c.rate;
      m.slip_wall[s][a] = c.wall_rate;
      size = std::hypot(size, c.rate);
      m.slip_tolerance[s] = std::max(m.slip_tolerance[s], slip_tolerance(c));
    }
    m.slip[s] = slide.slip;
    if (slide.here && size > m.slip_tolerance[s]) m.slip[s] = {m.slip_rate[s][0] / size, m.slip_rate[s][1] / size};
    for (std::size_t a = 0; a < static_cast<std::size_t>(slide.tangents); ++a)
      body.add(column, -slide.mu * m.slip[s][a], tangent[a]);
  }

  /// Work of walls and belts that move (errata F13) and of friction, for impulses λ along the columns.
  template <class Interval>
  void account(const Measured& m, const Vector& lambda, Interval& interval) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      interval.wall_work -= lambda[i] * m.wall_rate[i];
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
};

}  // namespace ricochet::contact
