// A body, a flier and a family of gaps that pass everything on, for faults to be seeded in one place at a time.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "ricochet/bodies/erased_gaps.hpp"
#include "ricochet/conformance/suite.hpp"

namespace ricochet::test {

using Node = motion::Node<double>;
using Step = discrete::Step<double>;
using Interval = discrete::Interval<double>;
using motion::Covector, motion::Trace, motion::GapList;
using Contact = motion::Contact<double>;
using Bound = motion::Bound<double>;

class PassingBody : public motion::Body<double> {
 public:
  explicit PassingBody(const motion::Body<double>& of) : of_(of) {}
  bool finite(const Node& x) const override { return of_.finite(x); }
  ErrorState state(const Node& x) const override { return of_.state(x); }
  double kinetic(const Node& x) const override { return of_.kinetic(x); }
  double hamiltonian(const Node& x) const override { return of_.hamiltonian(x); }
  void set_time(Node& x, double t) const override { of_.set_time(x, t); }
  bool stop(Node& x) const override { return of_.stop(x); }
  void kick(Node& x, const Covector& n, double lambda) const override { of_.kick(x, n, lambda); }
  void nudge(Node& x, const Covector& n, double a) const override { of_.nudge(x, n, a); }
  double couple(const Covector& a, const Covector& b) const override { return of_.couple(a, b); }
  void add(Covector& n, double a, const Covector& other) const override { of_.add(n, a, other); }
  bool quadratic() const override { return of_.quadratic(); }
  int order() const override { return of_.order(); }
  double lateness() const override { return of_.lateness(); }
  void begin_trace(const Node& from, Step step, const Node& end, Trace& trace) const override {
    of_.begin_trace(from, step, end, trace);
  }
  void refine_trace(Trace& trace, const Node& end, PointAt point) const override {
    of_.refine_trace(trace, end, point);
  }
  motion::Stretch<double> stretch(const Trace& trace) const override { return of_.stretch(trace); }
  int scalars() const override { return of_.scalars(); }
  motion::Coordinate<double> scalar(int k, const Node& x) const override { return of_.scalar(k, x); }
  Bound scalar(int k, const Trace& trace, double a, double b) const override { return of_.scalar(k, trace, a, b); }
  void covector(const Node& x, std::span<const int> which, std::span<const double> values,
                Covector& out) const override {
    of_.covector(x, which, values, out);
  }

 protected:
  const motion::Body<double>& of_;
};

class PassingFlier : public motion::Flier<double> {
 public:
  explicit PassingFlier(motion::Flier<double>& of) : of_(of) {}
  Interval fly(const Node& from, Step step, Node& out) override { return of_.fly(from, step, out); }
  Interval fly(const Node& from, Step step, Node& out, Trace& trace) override {
    return of_.fly(from, step, out, trace);
  }
  Interval leave(const Node& from, Step step, Node& scratch) override { return of_.leave(from, step, scratch); }
  std::optional<motion::KickExcess<double>> excess_of_kick(const Node& a, const Node& b, double h) override {
    return of_.excess_of_kick(a, b, h);
  }
  bool balances() const override { return of_.balances(); }
  double gap_along(const motion::Island<double>& island, int i, const Node& from, Step step,
                   const Trace& trace) override {
    return of_.gap_along(island, i, from, step, trace);
  }
  void refine(const Node& from, Step step, const Node& end, Trace& trace) override {
    of_.refine(from, step, end, trace);
  }
  bool may_be_plain() const override { return of_.may_be_plain(); }
  void fly_plainly() override { of_.fly_plainly(); }
  void fly_as_usual() override { of_.fly_as_usual(); }
  void begin_search() override { of_.begin_search(); }
  void end_search() override { of_.end_search(); }
  long long many(Node& x, Node& scratch, double h, long long n) override { return of_.many(x, scratch, h, n); }

 protected:
  motion::Flier<double>& of_;
};

class PassingGaps : public motion::Gaps<double> {
 public:
  explicit PassingGaps(const motion::Gaps<double>& of) : of_(of) {}
  int count() const override { return of_.count(); }
  int constraints() const override { return of_.constraints(); }
  std::string name(int i) const override { return of_.name(i); }
  double friction(int i) const override { return of_.friction(i); }
  int slips(int i) const override { return of_.slips(i); }
  double value(int i, const Node& x) const override { return of_.value(i, x); }
  Contact at(int i, const Node& x, double h, Covector& normal) const override { return of_.at(i, x, h, normal); }
  bool may_be_closed(int i, const Node& x, double h) const override { return of_.may_be_closed(i, x, h); }
  const GapList* closable() const override { return of_.closable(); }
  void candidates(Trace& trace, GapList& list) const override { of_.candidates(trace, list); }
  Bound bound(int i, const Trace& trace, double a, double b) const override { return of_.bound(i, trace, a, b); }
  numerics::Ball<double> range(int i, const Trace& trace, double a, double b) const override {
    return of_.range(i, trace, a, b);
  }
  double in_middle(int i, const Trace& trace, double s) const override { return of_.in_middle(i, trace, s); }

 protected:
  const motion::Gaps<double>& of_;
};

/// What the suite says of a body, flown by a closure, with one of the three in its path replaced.
template <class Body, class Closure>
class Bench {
 public:
  Bench(Body body, Closure closure, typename Body::Node start, conformance::Options<double> options)
      : body_(std::move(body)),
        erased_(body_),
        gaps_(bodies::own_gaps(erased_)),
        flier_(erased_, std::move(closure)),
        start_(bodies::ErasedBody<Body>::node(start)),
        options_(std::move(options)) {}

  template <class Fault>
  conformance::Report with_body(Fault fault) const {
    return report(fault(erased_), *gaps_, flier_);
  }
  template <class Fault>
  conformance::Report with_flier(Fault fault) const {
    auto faulty = fault(flier_);
    return report(erased_, *gaps_, faulty);
  }
  template <class Fault>
  conformance::Report with_gaps(Fault fault) const {
    return report(erased_, fault(*gaps_), flier_);
  }

 private:
  conformance::Report report(const motion::Body<double>& body, const motion::Gaps<double>& gaps,
                             motion::Flier<double>& flier) const {
    const motion::Island<double> island(body, &gaps);
    return conformance::check(island, flier, {start_}, options_);
  }

  Body body_;
  bodies::ErasedBody<Body> erased_;
  std::unique_ptr<motion::Gaps<double>> gaps_;
  mutable bodies::ErasedFlier<Body, Closure> flier_;
  Node start_;
  conformance::Options<double> options_;
};

}  // namespace ricochet::test
