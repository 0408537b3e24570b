// The steps of a body under the weak principle, as its loop sees them.
#pragma once

#include "ricochet/bodies/erased.hpp"
#include "ricochet/bodies/weak_interval.hpp"
#include "ricochet/motion/weak_step.hpp"

namespace ricochet::bodies {

template <class B>
class ErasedWeakStep final : public motion::WeakStep<typename B::Real> {
 public:
  using R = typename B::Real;
  using Node = motion::Node<R>;
  using Normal = typename B::Normal;
  using typename motion::WeakStep<R>::Value;

  explicit ErasedWeakStep(const ErasedBody<B>& body) : interval_(body.own()) {}

  bool linear() const override { return interval_.linear(); }
  void begin(const Node& from, R h) override { interval_.begin(own(from), h); }
  void fly(R h) override { interval_.fly(h); }
  void push(const motion::Covector& row, R impulse) override { interval_.push(row.as<Normal>(), impulse); }
  void end(R h, Node& node) override {
    interval_.end(h, ErasedBody<B>::own(node));
    node.t = own(node).t;
  }
  R supplied(R h) override { return interval_.supplied(h); }

  R rate(const motion::Covector& row, motion::Side side) const override {
    return interval_.rate(row.as<Normal>(), velocity(side));
  }
  R speed() override { return interval_.speed(); }
  R size_of_position() override { return interval_.size_of_position(); }
  void middle(Node& out) const override { put(interval_.middle(), out); }
  void at_middle(motion::Side side, Node& out) const override {
    const auto& x = interval_.middle();
    put(interval_.state(x.t, x.q, velocity(side)), out);
  }
  void ahead(const Node& from, R s, Node& out) const override {
    const auto& v = interval_.before();
    put(interval_.state(from.t + s, own(from).q + s * v, v), out);
  }
  void beyond(R s, Node& out) const override {
    const auto& x = interval_.middle();
    put(interval_.state(x.t + s, x.q + s * interval_.after(), interval_.after()), out);
  }

  int parts() const override { return interval_.parts(); }
  void for_each_part(const motion::Covector& row, numerics::FunctionRef<void(int)> f) const override {
    interval_.for_each_part(row.as<Normal>(), f);
  }

  Value gap(int i, const Node& from, R gamma, R h) override {
    const auto value = interval_.gap(i, own(from), gamma, h);
    return {value.phi, value.rounding};
  }
  R row(int i, int a, motion::Covector& covector) override { return interval_.row(i, a, covector.of<Normal>()); }
  R departure(int j, R h) override { return interval_.departure(j, h); }

 private:
  static const typename B::Node& own(const Node& x) { return ErasedBody<B>::own(x); }
  static void put(const typename B::Node& x, Node& out) {
    out.template of<typename B::Node>() = x;
    out.t = x.t;
  }
  const auto& velocity(motion::Side side) const {
    return side == motion::Side::before ? interval_.before() : interval_.after();
  }

  WeakInterval<B> interval_;
};

}  // namespace ricochet::bodies
