// A run of the strong principle together with its tangent.
#pragma once

#include "ricochet/tangent/tangent.hpp"

namespace ricochet::tangent {

/// What the derivative of a run is taken by; the columns of a tangent come in this order.
struct Directions {
  bool position = true;
  bool momentum = true;
  bool velocity = false;  ///< δv at fixed position, in place of momenta
  bool parameters = true;
};

/// Starts the columns of a tangent anew at a node, by what Directions say. `start` is δ(q,v) of that node by every
/// parameter (momenta in place of v without by.velocity): it is added to the columns of the parameters.
template <class Follower, class Body>
void follow(Follower& tangent, const Body& body, const typename Body::Node& node, Directions by,
            const typename Follower::Matrix& start);

/// principle::Strong and the tangent that follows it, stepped together.
///
///   tangent::DifferentiatedRun run(body, start, tangent::Fixed(system));
///   run.run(h, 1000);
///   run.derivative();            // ∂(q,p)(T)/∂(q0,p0,θ)
template <Differentiable Body, class Closure, class Family>
class DifferentiatedRun {
 public:
  using Real = typename Body::Real;
  using Node = typename Body::Node;
  using Vec = typename Body::Vec;
  using Laws = principle::ImpactLaws<Body>;
  using Follower = Tangent<Body, Closure, Family>;
  using Matrix = typename Follower::Matrix;

  DifferentiatedRun(const Body& body, Node start, Family family, Closure closure = {}, Laws laws = {},
                    principle::StrongOptions options = {});
  DifferentiatedRun(const DifferentiatedRun&) = delete;
  DifferentiatedRun& operator=(const DifferentiatedRun&) = delete;

  const Body& body() const { return body_; }
  const principle::Strong<Body, Closure>& strong() const { return run_; }
  const Node& node() const { return run_.node(); }
  long long impacts() const { return run_.impacts(); }
  Follower& tangent() { return tangent_; }
  const Irregularities& irregularities() const { return tangent_.irregularities(); }

  /// Starts the columns anew at the present node, for an initial state that does not depend on θ.
  void follow(Directions by) { follow(by, Matrix::Zero(2 * body_.dimension(), parameters())); }
  /// The same with δ(q,v) of the initial state by every parameter (momenta in place of v without by.velocity): the
  /// columns of `start` are added to those of the parameters.
  void follow(Directions by, const Matrix& start) { tangent::follow(tangent_, body_, node(), by, start); }

  void step(Real h);
  void run(Real h, long long n);

  /// δ(q,p) at the present node, a column per direction.
  Matrix derivative() const { return tangent_.columns(); }

 private:
  int parameters() const { return tangent_.family().parameters(); }

  const Body& body_;
  principle::Strong<Body, Closure> run_;
  Follower tangent_;
};

// Outside of the class, where `extern template` can say that another file compiles them.
template <Differentiable Body, class Closure, class Family>
DifferentiatedRun<Body, Closure, Family>::DifferentiatedRun(const Body& body, Node start, Family family,
                                                            Closure closure, Laws laws,
                                                            principle::StrongOptions options)
    : body_(body),
      run_(body, std::move(start), std::move(closure), laws, options),
      tangent_(run_, std::move(laws), std::move(family)) {
  follow({});
}

template <class Follower, class Body>
void follow(Follower& tangent, const Body& body, const typename Body::Node& node, Directions by,
            const typename Follower::Matrix& start) {
  using Matrix = typename Follower::Matrix;
  const auto& family = tangent.family();
  const Eigen::Index n = body.dimension(), m = by.parameters ? family.parameters() : 0;
  const Eigen::Index k = n * (int{by.position} + int{by.momentum || by.velocity}) + m;
  Matrix state = Matrix::Zero(2 * n, k), theta = Matrix::Zero(family.parameters(), k);
  Eigen::Index c = 0;
  if (by.position) state.block(0, c, n, n).setIdentity(), c += n;
  if (by.velocity) state.block(n, c, n, n).setIdentity(), c += n;
  if (by.momentum && !by.velocity) state.block(n, c, n, n).setIdentity(), c += n;
  if (m > 0) {
    state.rightCols(m) = start;
    theta.rightCols(m).setIdentity();
  }
  if (by.velocity) {
    // δp = L_vv δv + L_vq δq + L_vθ δθ
    Instant<typename Body::Mechanics, std::decay_t<decltype(family)>> instant;
    instant.at(body.mechanics(), family, node);
    const auto& stage = instant.stage();
    Matrix p = stage.second.Lvv * state.bottomRows(n) + stage.second.Lvq * state.topRows(n);
    if (m > 0) p += stage.Lv_theta * theta;
    state.bottomRows(n) = p;
  }
  tangent.follow(state, theta);
}

template <Differentiable Body, class Closure, class Family>
void DifferentiatedRun<Body, Closure, Family>::step(Real h) {
  run_.step(h, tangent_);
}
template <Differentiable Body, class Closure, class Family>
void DifferentiatedRun<Body, Closure, Family>::run(Real h, long long n) {
  run_.run(h, n, tangent_);
}

}  // namespace ricochet::tangent
