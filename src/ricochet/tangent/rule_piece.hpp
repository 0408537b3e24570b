// The tangent of a flight of the rule: the implicit function theorem on its discrete Euler–Lagrange equations.
#pragma once

#include <array>

#include "ricochet/discrete/flight.hpp"
#include "ricochet/tangent/explicit_step.hpp"
#include "ricochet/tangent/stage.hpp"

namespace ricochet::tangent {

/// With the mean velocity u of an interval of length s, q_c = q + c s u, t_c = t + c s (discrete/flight.hpp):
///
///   p = Σ w [L_v − s(1−c) Q](q_c, u, t_c),   q' = q + s u,   p' = p + s Σ w Q(q_c, u, t_c)
///
/// is differentiated by q, p, s, t and θ; u follows by the implicit function theorem. Composed rules are pushed through
/// part by part, with t_j = t + Γ_j s.
template <class Mechanics, class Family>
class RulePiece {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  using Mat = typename Mechanics::Mat;
  using Rule = discrete::Rule<Real>;
  using X = Columns<Mechanics>;
  using Row = typename X::Row;
  using Block = typename X::Block;

  /// Carries the columns over a flight from (q,p,t) to `end` of fixed length: δs and δt of the columns are zero, and
  /// energies are not asked for.
  void push_whole(const Mechanics& mechanics, const Family& family, const Rule& rule, const Vec& q, const Vec& p,
                  Real t, Real s, const Vec& end, X& x) {
    using System = std::decay_t<decltype(mechanics.system())>;
    if (family.parameters() > 0) {
      push(mechanics, family, rule, q, p, t, s, x);
      return;
    }
    const bool single = rule.fractions().size() == 1;
    if constexpr (mechanics::Separable<System>)
      if (single && mechanics.autonomous() && discrete::is_explicit(mechanics, rule)) {
        explicit_.push(mechanics, family, rule, q, s, end, x);
        return;
      }
    if (single && s != 0) {  // the run has flown it: u is known
      q_ = q;
      flight_.u = (end - q) / s;
      whole(mechanics, family, rule, t, s, x);
    } else {
      parts(mechanics, rule, q, p, t, s,
            [&](Real time, Real length, Real, Real) { whole(mechanics, family, rule, time, length, x); });
    }
  }

  /// The same with δs, δt, δθ and the energies of the interval.
  void push(const Mechanics& mechanics, const Family& family, const Rule& rule, const Vec& q, const Vec& p, Real t,
            Real s, X& x) {
    const Row ds = x.s, dt = x.t;
    Row total_start = Row::Zero(x.size()), total_end = total_start;
    parts(mechanics, rule, q, p, t, s, [&](Real time, Real length, Real fraction, Real gamma) {
      part_ds_ = fraction * ds;
      part_dt_ = dt + gamma * ds;
      one(mechanics, family, rule, time, length, x);
      // start = Σ (1−Γ_j) start_j − (1−Γ_{j+1}) end_j, end = Σ Γ_{j+1} end_j − Γ_j start_j (discrete/flight.hpp)
      const Real next = gamma + fraction;
      total_start += (1 - gamma) * x.start - (1 - next) * x.end;
      total_end += next * x.end - gamma * x.start;
    });
    x.start = total_start;
    x.end = total_end;
    x.t += ds;
  }

 private:
  /// One part of fixed length, from q_ with the mean velocity of flight_.
  void whole(const Mechanics& mechanics, const Family& family, const Rule& rule, Real time, Real length, X& x) {
    const auto n = q_.size();
    Ru_.setZero(n, n), Rq_.setZero(n, n), Gu_.setZero(n, n), Gq_.setZero(n, n);
    for (std::size_t k = 0; k < rule.stages(); ++k) {
      const auto [c, w] = rule.stage(k);
      stage_at(mechanics, family, k, c * length, time);
      const auto& d = stage_[k].second;
      const Real pull = length * (1 - c);
      add_scaled(Rq_, w, d.Lvq, -w * pull, d.Qq);
      add_scaled(Ru_, w, d.Lvv, -w * pull, d.Qv);
      if (c != 0) add_scaled(Ru_, w * c * length, d.Lvq, -w * pull * c * length, d.Qq);
      Gq_ += w * length * d.Qq;
      Gu_ += w * length * d.Qv;
      if (c != 0) Gu_ += w * length * c * length * d.Qq;
    }
    rhs_ = x.p;
    rhs_.noalias() -= Rq_ * x.q;
    lu_.compute(Ru_);
    du_ = lu_.solve(rhs_);
    x.p.noalias() += Gq_ * x.q;
    x.p.noalias() += Gu_ * du_;
    x.q += length * du_;
  }

  template <class F>
  void parts(const Mechanics& mechanics, const Rule& rule, const Vec& q, const Vec& p, Real t, Real s, F&& each) {
    using System = std::decay_t<decltype(mechanics.system())>;
    q_ = q;
    p_ = p;
    Real gamma = 0;
    for (const Real fraction : rule.fractions()) {
      const Real time = t + gamma * s, length = fraction * s;
      bool flown = false;
      if constexpr (mechanics::Separable<System>)
        if (discrete::is_explicit(mechanics, rule)) {
          discrete::fly_explicit(mechanics, rule, q_, p_, time, length, dq_, dp_, flight_);
          flown = true;
        }
      if (!flown) discrete::fly_implicit(mechanics, rule, q_, p_, time, length, dq_, dp_, flight_);
      each(time, length, fraction, gamma);
      q_ += dq_;
      p_ += dp_;
      gamma += fraction;
    }
  }

  void one(const Mechanics& mechanics, const Family& family, const Rule& rule, Real time, Real length, X& x) {
    const auto n = q_.size();
    const Vec& u = flight_.u;
    const bool parameters = x.theta.rows() > 0;
    Ru_.setZero(n, n);
    rhs_ = x.p;
    for (std::size_t k = 0; k < rule.stages(); ++k) {
      const auto [c, w] = rule.stage(k);
      auto& stage = stage_[k];
      stage_at(mechanics, family, k, c * length, time);
      const Real pull = length * (1 - c);
      Ru_ +=
          w * (stage.second.Lvv - pull * stage.second.Qv + (c * length) * (stage.second.Lvq - pull * stage.second.Qq));
      // with δu = 0
      const Block dq = x.q + c * u * part_ds_;
      rhs_ -= w * ((stage.second.Lvq - pull * stage.second.Qq) * dq - (1 - c) * stage.at.Q * part_ds_);
      if (!stage.more) continue;
      rhs_ -= w * (stage.Lvt - pull * stage.Qt) * (part_dt_ + c * part_ds_);
      if (parameters) rhs_ -= w * (stage.Lv_theta - pull * stage.Q_theta) * x.theta;
    }
    lu_.compute(Ru_);
    du_ = lu_.solve(rhs_);
    Row energy = Row::Zero(x.size()), before = energy, after = energy;
    gain_.setZero(n, x.size());
    for (std::size_t k = 0; k < rule.stages(); ++k) {
      const auto [c, w] = rule.stage(k);
      const auto& stage = stage_[k];
      const Block dq = x.q + c * (length * du_ + u * part_ds_);
      const Row dt = part_dt_ + c * part_ds_;
      gain_ += (length * w) * (stage.second.Qq * dq + stage.second.Qv * du_) + w * stage.at.Q * part_ds_;
      energy += w * stage.energy(u, dq, du_, dt, x);
      if (!stage.more) continue;
      gain_ += (length * w) * stage.Qt * dt;
      if (parameters) gain_ += (length * w) * stage.Q_theta * x.theta;
      const Row supply = length * stage.supply(u, dq, du_, dt, x) + stage.at.supply * part_ds_;
      before += w * (1 - c) * supply;
      after += w * c * supply;
    }
    x.q += length * du_ + u * part_ds_;
    x.p += gain_;
    x.start = energy - before;
    x.end = energy + after;
  }

  void stage_at(const Mechanics& mechanics, const Family& family, std::size_t k, Real after, Real time) {
    q_stage_ = q_ + after * flight_.u;
    stage_[k].evaluate(mechanics, family, q_stage_, flight_.u, time + after);
  }
  static void add_scaled(Mat& sum, Real a, const Mat& A, Real b, const Mat& B) {
    sum += a * A;
    if (b != 0) sum += b * B;
  }

  ExplicitStep<Mechanics> explicit_;
  discrete::FlightWork<Mechanics> flight_;
  std::array<Stage<Mechanics>, 2> stage_;
  Vec q_, p_, dq_, dp_, q_stage_;
  Mat Ru_, Rq_, Gu_, Gq_;
  Eigen::PartialPivLU<Mat> lu_;
  Block rhs_, du_, gain_;
  Row part_ds_, part_dt_;
};

}  // namespace ricochet::tangent
