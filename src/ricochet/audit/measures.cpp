#include "ricochet/audit/measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ricochet::audit {

Measures::Measures(const Dynamics& d, double precision_, double step_)
    : dynamics(d),
      precision(precision_),
      step(step_),
      admissible(
          "admissible", "Gaps are not negative: phi >= 0",
          "1e-9 of the way of a step, and rounding; weak: the way of a step at the fastest approach, and of the gap"),
      euler_lagrange("euler_lagrange", "Discrete Euler-Lagrange equations between impacts, as a speed",
                     "rounding of the recorded numbers"),
      motion("motion", "Euler-Lagrange equations between impacts: missed by the exact motion, relative to first order",
             "the local error of a first-order method, h^2|a| and 2h|a1 - a0|"),
      continuity("continuity", "Positions are continuous at impacts: distance of the motions before and after",
                 "the local error of the motion; weak: the change of the velocity times the interval"),
      first("first_condition", "First Weierstrass-Erdmann condition: part of the jump outside of the normal cone",
            "rounding, and the error of the estimate; weak: the turn of the normal in a step, friction if the gap has "
            "it"),
      contact("complementarity", "Impulses act on closed gaps only: |phi| of a gap that acts",
              "1e-9 of the way of a step, and rounding; weak: the way of a step"),
      leaving("leaving", "No closed gap closes on after an impact: -(d/dt)phi",
              "rounding, and the error of the estimate; weak: the acceleration times a step; on the grid: what the "
              "forces do up to the node, and e of the rate before where the gap was opening"),
      second("second_condition", "Second Weierstrass-Erdmann condition: jump of the energy",
             "rounding for the discrete energy; O(h^2) for H; a weak extremal need not keep it"),
      dissipation("dissipation", "Impacts do not gain energy", "as above; weak: the power of the forces times a step"),
      friction("friction_cone", "Friction stays within its cone: |tangential| - mu * normal impulse",
               "rounding, and the error of the estimate"),
      flight("free_flight", "Energy between two impacts, less the work done on it, is kept",
             "O(h^2) of a rule of second order; rounding where the motion is exact"),
      inequality("energy_inequality", "Energy less the work done on it never rises (strong: never changes)",
                 "O(h^2) per impact and once for the rule, and rounding"),
      momentum("momentum_maps", "Momentum maps of the declared symmetries",
               "rounding of every step, and what was allowed at the impacts"),
      maps_(d.symmetries().size()),
      most_(static_cast<std::size_t>(d.gaps())) {
  inequality.most_offenders = 1;  // one that is broken stays broken, sample after sample
}

std::vector<const Check*> Measures::all() const {
  return {&admissible, &euler_lagrange, &motion,   &continuity, &first,      &contact, &leaving,
          &second,     &dissipation,    &friction, &flight,     &inequality, &momentum};
}

Measures::Motion Measures::motion_at(const Vec& q, const Vec& p_minus, const Vec& p_plus, double t) const {
  const auto n = dynamics.dimension();
  Motion m{Vec(n), Vec(n), Vec(n), 0};
  dynamics.velocity(q, p_minus, t, m.v);
  dynamics.velocity(q, p_plus, t, m.w);
  dynamics.free_acceleration(q, m.v, t, m.a);
  m.speed = dynamics.norm_p(q, m.v, t, p_minus);
  return m;
}

Measures::GapAt Measures::gap_at(int i, const Vec& q, const Motion& m, double t, double way, double error_q) const {
  const auto n = dynamics.dimension();
  GapAt at;
  const GapRates before = dynamics.gap_rates(i, q, m.v, m.a, t), after = dynamics.gap_rates(i, q, m.w, m.a, t);
  at.gradient.resize(n);
  at.phi = dynamics.gap(i, q, t, at.gradient);
  at.before = before.rate;
  at.after = after.rate;
  at.acceleration = std::max(std::abs(before.acceleration), std::abs(after.acceleration));
  at.norm = dynamics.norm_p(q, m.v, t, at.gradient);
  // As in the design of the run: what counts as closed scales with a step's way and with rounding of φ itself.
  double linear = 0, size = 0;
  for (int k = 0; k < n; ++k) {
    linear += q[k] * at.gradient[k];
    size += std::abs(q[k] * at.gradient[k]);
  }
  at.strong =
      1e-9 * (step * at.norm * m.speed + step * step * at.acceleration) +
      rounding * precision * (size + std::abs(at.phi - linear) + (dynamics.moving(i) ? std::abs(t * at.before) : 0)) +
      at.norm * error_q;
  const Most& most = most_[static_cast<std::size_t>(i)];
  const double rate = std::max({std::abs(at.before), std::abs(at.after), most.rate});
  at.weak = at.strong + std::max(way, step) * rate + step * step * at.acceleration;
  // What rides a gap has no rate, but it lags: a grid makes its rate zero once in a step, in which ∂φ/∂t and ∇φ·v go on
  // changing, and every step sinks by ½h² of that change per time. All along a ride this adds up to ½h times the change
  // from one extreme to the other: of ∂φ/∂t twice the largest, of ∇φ·v twice the turn of the normal times the speed.
  // Hollows, passed faster than the humps between them, take more than those give back: twice as much for them.
  at.drift = std::abs(dynamics.gap_drift(i, q, t));
  if (grid && most.first.size() > 0) at.turn = dynamics.norm_p(q, m.v, t, at.gradient - most.first);
  const double turning = 2 * std::max(at.turn, most.turn) * std::max(m.speed, speed_);
  at.overlap = at.weak + way * (std::max(at.drift, most.drift) + turning);
  return at;
}

std::vector<int> Measures::closed(const State& state, bool resting, double error_q) const {
  const Motion m = motion_at(state.q, state.p, state.p, state.t);
  // A rate is small beside what the forces do in a step, be it to other gaps: between bodies that rest on each other
  // nothing accelerates, and there is no speed to compare with.
  const double fall = resting ? step * dynamics.norm_v(state.q, m.v, state.t, m.a) : 0;
  std::vector<int> list;
  for (int i = 0; i < dynamics.gaps(); ++i) {
    const GapAt at = gap_at(i, state.q, m, state.t, 0, error_q);
    if (std::abs(at.phi) > at.strong) continue;
    const double still = 1e-6 * (at.norm * (m.speed + fall) + step * at.acceleration);
    if (!resting || std::abs(at.before) <= still) list.push_back(i);
  }
  return list;
}

void Measures::sample(const State& state, std::int64_t k, double way, bool known) {
  const Motion m = motion_at(state.q, state.p, state.p, state.t);
  const Vec& v = m.v;
  for (int i = 0; i < dynamics.gaps(); ++i) {
    const GapAt at = gap_at(i, state.q, m, state.t, way, 0);
    Most& most = most_[static_cast<std::size_t>(i)];
    if (most.first.size() == 0) most.first = at.gradient;
    if (known) most.rate = std::max(most.rate, std::abs(at.before));
    most.drift = std::max(most.drift, at.drift);
    most.turn = std::max(most.turn, at.turn);
    smallest_gap = std::min(smallest_gap, at.phi);
    admissible.add(std::max(0.0, -at.phi), at.strong, at.overlap, state.t, k, name(i));
  }
  if (!known) return;
  const double H = dynamics.hamiltonian(state.q, state.p, state.t);
  Point point;
  dynamics.evaluate(state.q, v, state.t, point);
  band_ = std::max(band_, energy_band(state.q, state.p, state.t));
  power_ = std::max(power_, std::abs(point.Q.dot(v)));
  energy_size_ = std::max({energy_size_, std::abs(H), std::abs(v.dot(point.Lv)), std::abs(supplied)});
  if (samples_ == 0) energy_first = H;
  energy_last = H;
  ++samples_;
  if (!tracked_) reference_ = H - supplied - wall_work;
  tracked_ = true;
  const double excess = H - supplied - wall_work - reference_;
  const double count = 1 + static_cast<double>(jumps);
  throughput_ += std::abs(supplied - supplied_before_);
  supplied_before_ = supplied;
  size_ = std::max({size_, std::abs(H), std::abs(v.dot(point.Lv))});
  const double noise = rounding * precision * energy_size_ * (count + std::sqrt(static_cast<double>(samples_)));
  speed_ = std::max(speed_, m.speed);
  const double drift = 2 * error_p * speed_ + unsure +
                       (exact ? slack_p * speed_ + slack_e + kicks : 0);  // the last bits of every interval add up
  // A rule has its energy within half of the band, and so, relatively, the work along its motion: energy that comes and
  // goes leaves such a part of itself behind, all the time.
  const double ripple = band_ + (first_order ? step * power_ : 0);
  const double left = size_ > 0 ? ripple / 2 / size_ * throughput_ : 0;
  const double strong = count * ripple + left + noise + drift;
  const double weak = strong + count * std::max(way, step) * power_ * (way > 0 ? 1 : 0);
  inequality.add(std::abs(excess), strong, excess < 0 ? std::numeric_limits<double>::infinity() : weak, state.t, k, "");
  if (samples_ <= 4 || samples_ % 64 == 0) test_symmetries(state.q, v, state.t);
  momentum_maps(state, v, k);
}

void Measures::between(const State& from, const State& to, double s, std::int64_t k, double way) {
  const int n = dynamics.dimension();
  Vec v0(n), v1(n), a(n);
  dynamics.velocity(from.q, from.p, from.t, v0);
  dynamics.velocity(to.q, to.p, to.t, v1);
  dynamics.free_acceleration(from.q, v0, from.t, a);
  Vec g(n);
  for (int i = 0; i < dynamics.gaps(); ++i) {
    double worst = 0, where = 0, norm = 0;
    for (const double x : {0.25, 0.5, 0.75}) {
      // The cubic through both ends; a curve of the rule leaves it by O(s²a).
      const Vec q = from.q + (3 - 2 * x) * x * x * (to.q - from.q) + s * x * (1 - x) * ((1 - x) * v0 - x * v1);
      const double phi = dynamics.gap(i, q, from.t + x * s, g);
      if (-phi > worst) worst = -phi, where = x, norm = dynamics.norm_p(q, v0, from.t, g);
      smallest_gap = std::min(smallest_gap, phi);
    }
    if (worst == 0) continue;
    const GapAt at = gap_at(i, from.q, motion_at(from.q, from.p, to.p, from.t), from.t, way, 0);
    const double bend = norm * s * s * dynamics.norm_v(from.q, v0, from.t, a) / 4;
    admissible.add(worst, at.strong + bend, at.overlap + bend, from.t + where * s, k, name(i));
  }
}

double Measures::energy_band(const Vec& q, const Vec& p, double t) const {
  if (exact) return 0;
  const int n = dynamics.dimension();
  Vec v(n), a(n), b(n), ma(n), mb(n);
  dynamics.velocity(q, p, t, v);
  const double d = 1e-6 * step;
  double most = 0;
  // What is held turns with the surface: the rule errs along the held motion, not along the free one.
  for (const std::vector<int>& held : {std::vector<int>{}, closed({t, q, p}, true)}) {
    dynamics.acceleration(q, v, t, held, a);
    dynamics.acceleration(q + d * v, v + d * a, t + d, held, b);
    dynamics.mass(q, v, t, a, ma);
    dynamics.mass(q, v, t, (b - a) / d, mb);
    most = std::max(most, step * step * (std::abs(a.dot(ma)) + std::abs(v.dot(mb))) / 4);
  }
  return most;
}

double Measures::power_at(const State& at) const {
  Vec v(dynamics.dimension());
  Point point;
  dynamics.velocity(at.q, at.p, at.t, v);
  dynamics.evaluate(at.q, v, at.t, point);
  return point.supply;
}

double Measures::force_power(const State& at) const {
  Vec v(dynamics.dimension());
  Point point;
  dynamics.velocity(at.q, at.p, at.t, v);
  dynamics.evaluate(at.q, v, at.t, point);
  return std::abs(point.Q.dot(v));
}

double Measures::supply(const State& from, const State& to, double s) const {
  return dynamics.supplied() ? s * (power_at(from) + power_at(to)) / 2 : 0;
}

void Measures::free_flight(const State& from, const State& to, double miss_p, double miss_q, double work) {
  const double H = dynamics.hamiltonian(from.q, from.p, from.t);
  if (arc_intervals_++ == 0) arc_begin_ = from.t;
  arc_gain_ += dynamics.hamiltonian(to.q, to.p, to.t) - H - work;
  arc_work_ += std::abs(work);
  arc_band_ = std::max(arc_band_, energy_band(from.q, from.p, from.t));
  Vec v(from.q.size());
  dynamics.velocity(from.q, from.p, from.t, v);
  const double speed = dynamics.norm_p(from.q, v, from.t, from.p);
  Point point;
  dynamics.evaluate(from.q, v, from.t, point);
  arc_slack_ += rounding * precision * (std::abs(H) + speed * speed + from.q.cwiseAbs().dot(point.Q.cwiseAbs()));
  // The last bits of positions are worth what the forces do over them: a formula may lose more of them than it writes.
  const double position = dynamics.norm_p(from.q, v, from.t, point.Q) * miss_q;
  slack_e += position;
  if (exact) arc_slack_ += speed * miss_p + position;
  arc_error_ = std::max(arc_error_, 2 * error_p * speed);
}

void Measures::end_arc(double t, std::int64_t k) {
  // A short arc shows the ripple of a rule rather than its drift; the work of forces is that of a motion near by.
  if (arc_intervals_ > 2) {
    const double allowed = 2 * arc_band_ + arc_error_ + (first_order ? 2 * step * power_ : 0) + arc_slack_ +
                           (exact ? 0 : 1e-1) * arc_work_;
    flight.add(std::abs(arc_gain_), allowed, allowed, arc_begin_, k, fmt::format("until t = {:.6g}", t));
  }
  arc_gain_ = arc_error_ = arc_work_ = arc_slack_ = arc_band_ = 0;
  arc_intervals_ = 0;
}

void Measures::test_symmetries(const Vec& q, const Vec& v, double t) {
  for (std::size_t s = 0; s < maps_.size(); ++s) {
    if (!maps_[s].holds) continue;
    Point at;
    dynamics.evaluate(q, v, t, at);
    const int number = static_cast<int>(s);
    const Vec xi = dynamics.generator(number, q);
    const double d = 1e-5 / (1 + v.norm());
    const Vec turn = (dynamics.generator(number, q + d * v) - dynamics.generator(number, q - d * v)) / (2 * d);
    // dJ/dt = Q·ξ + p·Dξ v (Fetecau 2003, section 2.4); differences lose half of the digits.
    const double rate = at.Q.dot(xi) + at.Lv.dot(turn);
    const double size = at.Q.cwiseAbs().dot(xi.cwiseAbs()) + at.Lv.cwiseAbs().dot(turn.cwiseAbs());
    if (std::abs(rate) > 1e-6 * size) maps_[s].holds = false;
  }
}

void Measures::momentum_maps(const State& state, const Vec& v, std::int64_t k) {
  for (std::size_t s = 0; s < maps_.size(); ++s) {
    Map& map = maps_[s];
    const Vec xi = dynamics.generator(static_cast<int>(s), state.q);
    const double J = state.p.dot(xi);
    map.size = std::max(map.size, state.p.cwiseAbs().dot(xi.cwiseAbs()));
    map.reach = std::max(map.reach, dynamics.norm_v(state.q, v, state.t, xi));
    if (samples_ == 1) map.first = J;
    if (std::abs(J - map.first) > map.largest) {
      map.largest = std::abs(J - map.first);
      map.t = state.t;
      map.step = k;
    }
  }
}

void Measures::conclude(std::vector<std::string>& notes) {
  for (std::size_t s = 0; s < maps_.size(); ++s) {
    const Map& map = maps_[s];
    const std::string& label = dynamics.symmetries()[s];
    if (!map.holds) {
      notes.push_back(
          fmt::format("the generator '{}' is not a symmetry of what acts here: its momentum is not judged", label));
      continue;
    }
    const double allowed =
        precision * map.size *
            (rounding + 8 * std::sqrt(static_cast<double>(samples_)) + 8 * static_cast<double>(jumps)) +
        slack_p * map.reach;
    momentum.add(map.largest, allowed, allowed, map.t, map.step, label);
  }
}

}  // namespace ricochet::audit
