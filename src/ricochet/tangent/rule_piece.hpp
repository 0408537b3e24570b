// The tangent of a flight of the rule: the implicit function theorem on its discrete Euler–Lagrange equations.
#pragma once

#include <array>

#include "ricochet/discrete/flight.hpp"
#include "ricochet/numerics/factor.hpp"
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
    const bool single = rule.fractions().size() == 1;
    if constexpr (mechanics::Separable<System>)
      if (discrete::is_explicit(mechanics, rule)) {
        if (single)
          explicit_.push(mechanics, family, rule, q, t, s, end, x);
        else
          parts(mechanics, rule, q, p, t, s, [&](Real time, Real length, Real, Real) {
            explicit_.push(mechanics, family, rule, q_, time, length, Vec(q_ + dq_), x);
          });
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
    ds_ = x.s;
    dt_ = x.t;
    start_.setZero(x.size());
    end_.setZero(x.size());
    parts(mechanics, rule, q, p, t, s, [&](Real time, Real length, Real fraction, Real gamma) {
      part_ds_ = fraction * ds_;
      part_dt_ = dt_ + gamma * ds_;
      one(mechanics, family, rule, time, length, x);
      // start = Σ (1−Γ_j) start_j − (1−Γ_{j+1}) end_j, end = Σ Γ_{j+1} end_j − Γ_j start_j (discrete/flight.hpp)
      const Real next = gamma + fraction;
      start_ += (1 - gamma) * x.start - (1 - next) * x.end;
      end_ += next * x.end - gamma * x.start;
    });
    x.start = start_;
    x.end = end_;
    x.t += ds_;
  }

 private:
  /// One part of fixed length, from q_ with the mean velocity of flight_.
  void whole(const Mechanics& mechanics, const Family& family, const Rule& rule, Real time, Real length, X& x) {
    const auto n = q_.size();
    Ru_.setZero(n, n), Rq_.setZero(n, n), Gu_.setZero(n, n), Gq_.setZero(n, n);
    const Eigen::Index m = x.theta.rows(), varied = x.size() - x.first_varied();
    R_theta_.setZero(n, m), G_theta_.setZero(n, m);
    for (std::size_t k = 0; k < rule.stages(); ++k) {
      const auto [c, w] = rule.stage(k);
      q_stage_ = q_ + c * length * flight_.u;
      stage_[k].at_fixed_time(mechanics, family, q_stage_, flight_.u, time + c * length, varied > 0);
      const auto& d = stage_[k].second;
      const Real pull = length * (1 - c);
      add_scaled(Rq_, w, d.Lvq, -w * pull, d.Qq);
      add_scaled(Ru_, w, d.Lvv, -w * pull, d.Qv);
      if (c != 0) add_scaled(Ru_, w * c * length, d.Lvq, -w * pull * c * length, d.Qq);
      Gq_ += w * length * d.Qq;
      Gu_ += w * length * d.Qv;
      if (c != 0) Gu_ += w * length * c * length * d.Qq;
      if (varied == 0) continue;
      R_theta_ += w * stage_[k].Lv_theta - w * pull * stage_[k].Q_theta;
      G_theta_ += w * length * stage_[k].Q_theta;
    }
    du_whole_ = x.p;
    du_whole_.noalias() -= Rq_ * x.q;
    if (varied > 0) {
      const auto theta = x.theta.rightCols(varied);
      du_whole_.rightCols(varied) -= R_theta_.lazyProduct(theta);
      x.p.rightCols(varied) += G_theta_.lazyProduct(theta);
    }
    lu_.compute(Ru_);
    lu_.solve(du_whole_);
    x.p.noalias() += Gq_ * x.q;
    x.p.noalias() += Gu_ * du_whole_;
    x.q += length * du_whole_;
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
    du_ = x.p;
    for (std::size_t k = 0; k < rule.stages(); ++k) {
      const auto [c, w] = rule.stage(k);
      auto& stage = stage_[k];
      stage_at(mechanics, family, k, c * length, time);
      const Real pull = length * (1 - c);
      Rq_ = w * (stage.second.Lvq - pull * stage.second.Qq);
      Ru_ += w * (stage.second.Lvv - pull * stage.second.Qv) + (c * length) * Rq_;
      // with δu = 0
      dq_stage_ = x.q;
      dq_stage_.noalias() += (c * u).lazyProduct(part_ds_);
      du_.noalias() -= Rq_ * dq_stage_;
      du_.noalias() += (w * (1 - c) * stage.at.Q).lazyProduct(part_ds_);
      if (!stage.more) continue;
      du_ -= w * (stage.Lvt - pull * stage.Qt) * (part_dt_ + c * part_ds_);
      if (parameters) du_ -= w * (stage.Lv_theta - pull * stage.Q_theta) * x.theta;
    }
    lu_.compute(Ru_);
    lu_.solve(du_);
    move_ = length * du_;
    move_.noalias() += u.lazyProduct(part_ds_);
    x.start.setZero(x.size());
    x.end.setZero(x.size());
    gain_.setZero(n, x.size());
    for (std::size_t k = 0; k < rule.stages(); ++k) {
      const auto [c, w] = rule.stage(k);
      const auto& stage = stage_[k];
      dq_stage_ = x.q + c * move_;
      dt_stage_ = part_dt_ + c * part_ds_;
      gain_.noalias() += (length * w * stage.second.Qq) * dq_stage_;
      gain_.noalias() += (length * w * stage.second.Qv) * du_;
      gain_.noalias() += (w * stage.at.Q).lazyProduct(part_ds_);
      stage.energy(u, dq_stage_, du_, dt_stage_, x, energy_);
      x.start += w * energy_;
      x.end += w * energy_;
      if (!stage.more) continue;
      gain_ += (length * w) * stage.Qt * dt_stage_;
      if (parameters) gain_ += (length * w) * stage.Q_theta * x.theta;
      const Row supply = length * stage.supply(u, dq_stage_, du_, dt_stage_, x) + stage.at.supply * part_ds_;
      x.start -= w * (1 - c) * supply;
      x.end += w * c * supply;
    }
    x.q += move_;
    x.p += gain_;
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
  numerics::Lu<Mat> lu_;
  Block R_theta_, G_theta_;
  Block du_whole_;  ///< apart from du_, which has a column more in impact steps: neither is then resized
  Block du_, move_, gain_, dq_stage_;
  Row ds_, dt_, part_ds_, part_dt_, dt_stage_, energy_, start_, end_;
};

}  // namespace ricochet::tangent
