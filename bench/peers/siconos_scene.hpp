// The scenes as a Siconos model: one Lagrangian system (constant mass matrix, gravity) and one scleronomous relation
// per corner; Newton's impact law with e = 1. Shared by the event-driven and the time-stepping program.
#pragma once

#include <SiconosKernel.hpp>
#include <memory>

#include "peer.hpp"

namespace ricochet::peers {

// y = φ(q) = q_y + a sin θ + b cos θ: the height of the corner at (a, b); a = b = 0 is the particle.
class CornerGap : public LagrangianScleronomousR {
 public:
  CornerGap(double a, double b, unsigned dimension) : a_(a), b_(b), rotates_(dimension == 3) {
    _jachq = std::make_shared<SimpleMatrix>(1, dimension);
    _dotjachq = std::make_shared<SimpleMatrix>(1, dimension);
    _jachq->zero();
    _dotjachq->zero();
    _jachq->setValue(0, 1, 1.0);
  }

  void computeh(const BlockVector& q, BlockVector&, SiconosVector& y) override {
    y.setValue(0, rotates_ ? q(1) + a_ * std::sin(q(2)) + b_ * std::cos(q(2)) : q(1));
  }
  void computeJachq(const BlockVector& q, BlockVector&) override {
    if (rotates_) _jachq->setValue(0, 2, a_ * std::cos(q(2)) - b_ * std::sin(q(2)));
  }
  void computeDotJachq(const BlockVector& q, BlockVector&, const BlockVector& v) override {
    if (rotates_) _dotjachq->setValue(0, 2, -(a_ * std::sin(q(2)) + b_ * std::cos(q(2))) * v(2));
  }

 private:
  double a_, b_;
  bool rotates_;
};

struct SiconosModel {
  unsigned dimension;
  std::shared_ptr<LagrangianLinearTIDS> body;
  std::shared_ptr<NonSmoothDynamicalSystem> system;

  SiconosModel(const Scene& scene, double t_end) : dimension(scene.is_particle() ? 2 : 3) {
    const auto vector = [&](double x, double y, double theta) {
      auto v = std::make_shared<SiconosVector>(dimension);
      v->setValue(0, x);
      v->setValue(1, y);
      if (dimension == 3) v->setValue(2, theta);
      return v;
    };
    auto mass = std::make_shared<SimpleMatrix>(dimension, dimension);
    mass->zero();
    mass->setValue(0, 0, scene.mass);
    mass->setValue(1, 1, scene.mass);
    if (dimension == 3) mass->setValue(2, 2, scene.inertia);
    const State& s = scene.start;
    body = std::make_shared<LagrangianLinearTIDS>(vector(s.x, s.y, s.theta), vector(s.vx, s.vy, s.omega), mass);
    body->setFExtPtr(vector(0, -scene.mass * scene.gravity, 0));
    system = std::make_shared<NonSmoothDynamicalSystem>(0.0, t_end);
    system->insertDynamicalSystem(body);
    const auto add = [&](double a, double b) {
      auto gap = std::make_shared<Interaction>(std::make_shared<NewtonImpactNSL>(1.0),
                                               std::make_shared<CornerGap>(a, b, dimension));
      system->link(gap, body);
    };
    const double half = 0.5 * scene.side;
    if (scene.is_particle())
      add(0, 0);
    else {
      for (const double a : {-half, half})
        for (const double b : {-half, half}) add(a, b);
    }
  }

  [[nodiscard]] State state(double t) const {
    const SiconosVector &q = *body->q(), &v = *body->velocity();
    const bool rotates = dimension == 3;
    return {t, q(0), q(1), rotates ? q(2) : 0.0, v(0), v(1), rotates ? v(2) : 0.0};
  }
};

// Siconos' exceptions carry their message outside what(): bring it there.
template <class Call>
void explain(Call&& call) {
  try {
    call();
  } catch (Siconos::exception& e) {
    const std::string* message = boost::get_error_info<Siconos::exception::extra_message>(e);
    throw std::runtime_error(message != nullptr ? *message : "an exception without a message");
  }
}

}  // namespace ricochet::peers
