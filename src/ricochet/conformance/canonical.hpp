// Flights are canonical maps, and their energy generates them: both from one table of displaced flights.
#pragma once

#include "ricochet/conformance/subject.hpp"

namespace ricochet::conformance {

/// From L_d of two ends and a length, d²L_d = 0 reads
///
///   dq1∧dp1 = dq0∧dp0                        the flight of a length is symplectic,
///   δE_d = δp1·∂_s q1 − δq1·∂_s p1           E_d = −D3 L_d,
///
/// for every displacement δ of the start. Derivatives by differences of fourth order in canonical coordinates.
template <class R>
class CanonicalCheck {
 public:
  using Node = motion::Node<R>;
  using Vector = typename Subject<R>::Vector;

  CanonicalCheck(Subject<R>& s, const Node& x) : s_(s), x_(x), y_(x) {}

  void operator()() {
    if (!s_.has_canonical(x_)) {
      for (const char* name : {"canonical", "energy of the action"})
        s_.report.skip(name, "the body shows no canonical coordinates: Options::chart");
      return;
    }
    length_ = R(0.6) * s_.h();
    const auto interval = s_.flier.fly(x_, {length_, s_.h()}, y_);
    const bool closed = interval.supplied == 0 && interval.start == interval.end;
    if (interval.supplied != 0) {
      s_.report.skip("canonical", "energy is supplied along the flight, as by a force");
      return s_.report.skip("energy of the action", "energy is supplied along the flight");
    }
    const int n = s_.canonical_dimension();
    Vector q, p, v = Vector::Zero(n);
    s_.read(x_, x_, q, p);
    Vector q_end, p_end;
    s_.read(y_, y_, q_end, p_end);
    // Displacements of the size of the coordinates and of the way of a step.
    const R unit_q = std::max(q.cwiseAbs().maxCoeff() / 16, (way(x_)).cwiseAbs().maxCoeff());
    const R unit_p = std::max(p.cwiseAbs().maxCoeff(), p_end.cwiseAbs().maxCoeff());
    std::vector<Displaced> all;
    for (int k = 0; k < 2 * n; ++k) all.push_back(displaced(k, n, unit_of(k, n, nonzero(unit_q), nonzero(unit_p))));
    const Displaced later = lengthened();
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto [after, size] = form(all[i].dq, all[i].dp, all[j].dq, all[j].dp);
        const auto [before, size_before] = form(all[i].dq0, all[i].dp0, all[j].dq0, all[j].dp0);
        s_.report.near("canonical", after, before,
                       R(tolerances::derivative) * (size + size_before) + rounding(all[i], all[j]), [&, i = i, j = j] {
                         return "the symplectic form of the displacements " + std::to_string(i) + " and " +
                                std::to_string(j) + " after a flight, beside that before," + s_.at(x_);
                       });
      }
      if (!closed) continue;
      const auto [generated, size] = form(later.dq, later.dp, all[i].dq, all[i].dp);
      s_.report.near("energy of the action", all[i].dE, generated,
                     R(tolerances::derivative) * (size + s_.energy_size(x_)), [&, i = i] {
                       return "the change of E_d with the displacement " + std::to_string(i) +
                              ", beside what −D3 L_d of this flight would change by," + s_.at(x_);
                     });
    }
    if (!closed) s_.report.skip("energy of the action", "the energies of the two ends differ");
  }

 private:
  /// Derivatives of a flight with one parameter of its start, per unit.
  struct Displaced {
    Vector dq0, dp0, dq, dp;
    R dE = 0;
  };
  struct Form {
    R value, size;
  };
  static R nonzero(R unit) { return unit > 0 ? unit : R(1); }
  /// dq∧dp of two displacements, and the size of what it is a sum of.
  static Form form(const Vector& qa, const Vector& pa, const Vector& qb, const Vector& pb) {
    return {qa.dot(pb) - qb.dot(pa), qa.cwiseAbs().dot(pb.cwiseAbs()) + qb.cwiseAbs().dot(pa.cwiseAbs())};
  }
  /// What rounding over δ leaves of two displacements that do not mix.
  static R rounding(const Displaced& a, const Displaced& b) {
    const auto most = [](const Vector& v) { return v.template lpNorm<Eigen::Infinity>(); };
    return R(1e-8) * (most(a.dq) * most(b.dp) + most(b.dq) * most(a.dp));
  }
  /// How far coordinate k may be moved and the motion stay what it is: a light coordinate answers with a long way, a
  /// stiff one with a large momentum.
  R unit_of(int k, int n, R unit_q, R unit_p) const {
    const R unit = k < n ? unit_q : unit_p, e = R(tolerances::difference);
    Node y = x_;
    s_.flier.fly(moved(k, n, e * unit), {length_, s_.h()}, y);
    Vector q, p, q_end, p_end;
    s_.read(y_, y, q, p);
    s_.read(y_, y_, q_end, p_end);
    const R answer = std::max((q - q_end).cwiseAbs().maxCoeff() / unit_q, (p - p_end).cwiseAbs().maxCoeff() / unit_p);
    return answer > e ? unit * e / answer : unit;
  }
  Vector way(const Node& x) const {
    Vector q, p;
    s_.read(x, y_, q, p);
    Vector q0, p0;
    s_.read(x, x, q0, p0);
    return q - q0;
  }
  /// x with canonical coordinate k (momenta behind positions) moved by `by`: written in the chart, or kicked and nudged
  /// along the coordinates.
  Node moved(int k, int n, R by) const {
    Node x = x_;
    if (s_.options.chart) {
      Vector q, p;
      s_.read(x_, x_, q, p);
      (k < n ? q[k] : p[k - n]) += by;
      s_.options.chart.write(x_, q, p, x);
      return x;
    }
    const int coordinate = k % n;
    const R one = 1;
    motion::Covector along;
    s_.body().covector(x_, std::span<const int>(&coordinate, 1), std::span<const R>(&one, 1), along);
    if (k < n)
      s_.body().nudge(x, along, by / s_.body().couple(along, along));  // q_k by `by`, others by what M⁻¹ mixes in
    else
      s_.body().kick(x, along, by);
    return x;
  }
  Displaced differences(const std::function<R(R, Vector&, Vector&, Vector&, Vector&)>& at) const {
    Displaced d;
    const R e = R(tolerances::difference);
    Vector q0[4], p0[4], q[4], p[4];
    R E[4];
    const R where[4] = {-2 * e, -e, e, 2 * e};
    for (int j = 0; j < 4; ++j) E[j] = at(where[j], q0[j], p0[j], q[j], p[j]);
    const auto derive = [&](const auto& f) { return ((8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * e)); };
    d.dq0 = derive(q0), d.dp0 = derive(p0), d.dq = derive(q), d.dp = derive(p);
    d.dE = derive(E);
    return d;
  }
  Displaced displaced(int k, int n, R unit) const {
    return differences([&](R by, Vector& q0, Vector& p0, Vector& q, Vector& p) {
      const Node x = moved(k, n, by * unit);
      Node y = x;
      const auto interval = s_.flier.fly(x, {length_, s_.h()}, y);
      s_.read(x_, x, q0, p0);
      s_.read(y_, y, q, p);
      return interval.energy;
    });
  }
  /// The same with the length of the flight: ∂_s of its end.
  Displaced lengthened() const {
    Displaced d = differences([&](R by, Vector& q0, Vector& p0, Vector& q, Vector& p) {
      Node y = x_;
      const auto interval = s_.flier.fly(x_, {length_ * (1 + by), s_.h()}, y);
      s_.read(x_, x_, q0, p0);
      s_.read(y_, y, q, p);
      return interval.energy;
    });
    d.dq /= length_, d.dp /= length_;
    return d;
  }

  Subject<R>& s_;
  const Node& x_;
  Node y_;
  R length_ = 0;
};

}  // namespace ricochet::conformance
