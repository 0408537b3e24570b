// A held flight of a run, found again: the reactions that kept its gaps closed, which the run does not tell.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "ricochet/numerics/factor.hpp"
#include "ricochet/numerics/symmetric.hpp"

namespace ricochet::tangent {

/// RATTLE (contact/held.hpp) from `from` to `end`: kick p by Σλ_i∇φ_i, fly, φ_i = 0 at the end; p is projected after.
template <class Body>
class RecoveredHold {
 public:
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Vec = typename Body::Vec;
  using Step = typename Body::Step;

  /// The gaps that were held, without those that depend on others.
  const std::vector<int>& gaps() const { return gaps_; }
  const std::vector<Real>& lambda() const { return lambda_; }
  /// Σλ_i∇φ_i, as it was added.
  const Vec& kick() const { return kick_; }
  /// The end, before the projection of p there.
  const Node& end() const { return out_; }
  const Vec& arrived() const { return out_.p; }

  template <class Closure>
  void recover(const Body& body, const Closure& closure, const motion::GapList& held, const Node& from, Step step,
               const Node& end, typename Body::Work& work) {
    choose(body, held, from, step, work);
    const auto c = gaps_.size();
    std::vector<typename Body::Normal> far(c);
    Matrix J(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(c));
    Eigen::Matrix<Real, Eigen::Dynamic, 1> r(static_cast<Eigen::Index>(c)), l(static_cast<Eigen::Index>(c));
    for (std::size_t i = 0; i < c; ++i) body.contact(gaps_[i], end, step.h, far[i], work);
    for (std::size_t i = 0; i < c; ++i)
      for (std::size_t j = 0; j < c; ++j)
        J(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = step.s * body.couple(far[i], normals_[j]);
    const numerics::Lu<Matrix> lu(J);
    l.setZero();
    Node kicked;
    out_ = from;
    Real last = std::numeric_limits<Real>::infinity();
    for (int it = 0; it < 100; ++it) {
      kicked = from;
      for (std::size_t i = 0; i < c; ++i) body.kick(kicked, normals_[i], l[static_cast<Eigen::Index>(i)]);
      closure.fly(body, kicked, step, out_, work);
      for (std::size_t i = 0; i < c; ++i) r[static_cast<Eigen::Index>(i)] = body.gap(gaps_[i], out_);
      const Real size = r.norm();
      if (it > 1 && (size == 0 || size >= last / 2)) break;
      last = size;
      l -= lu(r);
    }
    kick_ = kicked.p - from.p;
    lambda_.assign(l.begin(), l.end());
  }

 private:
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

  void choose(const Body& body, const motion::GapList& held, const Node& node, Step step, typename Body::Work& work) {
    gaps_.clear();
    normals_.clear();
    for (const int i : held) {
      gaps_.push_back(i);
      normals_.emplace_back();
      body.contact(i, node, step.h, normals_.back(), work);
      const auto k = static_cast<Eigen::Index>(gaps_.size());
      if (k == 1) continue;
      Matrix W(k, k);
      for (Eigen::Index a = 0; a < k; ++a)
        for (Eigen::Index b = 0; b < k; ++b)
          W(a, b) = body.couple(normals_[static_cast<std::size_t>(a)], normals_[static_cast<std::size_t>(b)]);
      // Its own part of the normal, of the whole: one that depends on those before it adds no reaction.
      numerics::Cholesky<Matrix> factors;
      if (!factors.compute(W) || !(factors.pivot(k - 1) > Real(1e-5) * std::sqrt(W(k - 1, k - 1)))) {
        gaps_.pop_back();
        normals_.pop_back();
      }
    }
  }

  std::vector<int> gaps_;
  std::vector<typename Body::Normal> normals_;
  std::vector<Real> lambda_;
  Vec kick_;
  Node out_;
};

}  // namespace ricochet::tangent
