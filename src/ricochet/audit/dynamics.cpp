#include "ricochet/audit/dynamics.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/mechanics/mechanics.hpp"
#include "ricochet/numerics/jet.hpp"
#include "ricochet/scene/kind.hpp"
#include "ricochet/scene/systems.hpp"

namespace ricochet::audit {
namespace {

std::span<const double> view(const Vec& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

template <class System>
class DynamicsOf final : public Dynamics {
  using Mechanics = mechanics::Mechanics<System, double>;

 public:
  explicit DynamicsOf(const scene::Model& model) : Dynamics(model), mechanics_(System(model)) {}

  void evaluate(const Vec& q, const Vec& v, double t, Point& out) const override {
    typename Mechanics::Point1 at;
    at.Lv.resize(q.size());
    at.Q.resize(q.size());
    mechanics_.evaluate(q, v, t, at);
    out.Lv = at.Lv;
    out.Q = at.Q;
    out.energy = at.energy;
    out.supply = at.supply;
  }
  void momentum(const Vec& q, const Vec& v, double t, Vec& p) const override { mechanics_.momentum(q, v, t, p); }
  void velocity(const Vec& q, const Vec& p, double t, Vec& v) const override { mechanics_.velocity(q, p, t, v); }
  double hamiltonian(const Vec& q, const Vec& p, double t) const override { return mechanics_.hamiltonian(q, p, t); }
  void mass(const Vec& q, const Vec& v, double t, const Vec& x, Vec& y) const override {
    if constexpr (mechanics::Separable<System>) {
      mechanics_.multiply_mass(x, y);
    } else {
      typename Mechanics::Point1 at;
      typename Mechanics::Point2 second;
      at.Lv.resize(q.size());
      at.Q.resize(q.size());
      mechanics_.evaluate(q, v, t, at, second);
      y = second.Lvv * x;
    }
  }
  void inverse_mass(const Vec& q, const Vec& v, double t, const Vec& y, Vec& x) const override {
    mechanics_.inverse_mass(q, v, t, y, x);
  }
  void free_acceleration(const Vec& q, const Vec& v, double t, Vec& a) const override {
    mechanics_.acceleration(q, v, t, a);
  }
  double gap(int i, const Vec& q, double t, Vec& gradient) const override {
    return mechanics_.gap_gradient(branch(i, q, t), q, t, gradient);
  }
  GapRates gap_rates(int i, const Vec& q, const Vec& v, const Vec& a, double t) const override {
    const auto y = mechanics_.gap_along(branch(i, q, t), q, v, a, t);
    return {y[0], y[1], y[2]};
  }

 private:
  int branch(int i, const Vec& q, double t) const {
    return branch_at(i, q, [&](int k) { return mechanics_.gap(k, q, t); });
  }

  Mechanics mechanics_;
};

}  // namespace

Dynamics::Dynamics(const scene::Model& model)
    : n_(model.n),
      gaps_(static_cast<int>(model.scene.gaps.size())),
      constraints_(static_cast<int>(model.scene.constraints.size())),
      unions_(model.unions),
      moving_(model.moving),
      carries_(model.tangents.outputs() > 0 && model.tangents.timed()),
      supplied_(model.timed || !model.scene.forces.empty()),
      friction_(model.friction),
      first_tangent_(model.first_tangent),
      tangents_(model.tangents),
      generators_(model.generators) {
  for (const auto& gap : model.scene.gaps) names_.push_back(gap.name);
  for (const auto& constraint : model.scene.constraints) names_.push_back(constraint.name);
  for (const auto& symmetry : model.scene.symmetries) symmetries_.push_back(symmetry.name);
  moving_.resize(static_cast<std::size_t>(gaps_), false);
  carries_ = carries_ || std::find(moving_.begin(), moving_.end(), true) != moving_.end();
}

double Dynamics::gap_drift(int i, const Vec& q, double t) const {
  if (!moving(i)) return 0;
  const Vec rest = Vec::Zero(n_);
  return gap_rates(i, q, rest, rest, t).rate;
}

void Dynamics::acceleration(const Vec& q, const Vec& v, double t, std::span<const int> held, Vec& a,
                            Vec* reactions) const {
  free_acceleration(q, v, t, a);
  const auto m = static_cast<Eigen::Index>(held.size()) + constraints_;
  if (reactions != nullptr) reactions->setZero(m);
  if (m == 0) return;
  // φ̈(a) + ∇φ·M⁻¹Σλ∇φ = 0 for everything that is kept.
  const auto number = [&](Eigen::Index k) {
    const auto h = static_cast<Eigen::Index>(held.size());
    return k < h ? held[static_cast<std::size_t>(k)] : gaps_ + static_cast<int>(k - h);
  };
  Mat G(n_, m), inverse(n_, m);
  Vec rates(m), g(n_), x(n_);
  for (Eigen::Index k = 0; k < m; ++k) {
    gap(number(k), q, t, g);
    G.col(k) = g;
    inverse_mass(q, v, t, g, x);
    inverse.col(k) = x;
    rates[k] = gap_rates(number(k), q, v, a, t).acceleration;
  }
  const Vec lambda = -(G.transpose() * inverse).fullPivLu().solve(rates);
  a += inverse * lambda;
  if (reactions != nullptr) *reactions = lambda;
}

std::vector<Vec> Dynamics::tangents(int gap, const Vec& q, double t) const {
  std::vector<Vec> list;
  if (first_tangent_.empty()) return list;
  const auto i = static_cast<std::size_t>(gap);
  for (int a = first_tangent_[i]; a < first_tangent_[i + 1]; ++a) {
    Vec g(n_);
    tangents_.gradient(a, view(q), t, std::span<double>(g.data(), static_cast<std::size_t>(n_)));
    list.push_back(std::move(g));
  }
  return list;
}

std::vector<double> Dynamics::tangent_drifts(int gap, const Vec& q, double t) const {
  std::vector<double> list;
  if (first_tangent_.empty()) return list;
  using J = numerics::Jet<double, 1>;
  std::vector<J> at(q.begin(), q.end());
  const auto i = static_cast<std::size_t>(gap);
  for (int a = first_tangent_[i]; a < first_tangent_[i + 1]; ++a)
    list.push_back(tangents_.timed() ? tangents_(a, std::span<const J>(at), J::variable(t, 0)).d[0] : 0.0);
  return list;
}

Vec Dynamics::generator(int symmetry, const Vec& q) const {
  Vec xi(n_);
  for (int k = 0; k < n_; ++k) xi[k] = generators_(symmetry * n_ + k, view(q), 0.0);
  return xi;
}

double Dynamics::norm_p(const Vec& q, const Vec& v, double t, const Vec& y) const {
  Vec x(n_);
  inverse_mass(q, v, t, y, x);
  return std::sqrt(std::max(0.0, y.dot(x)));
}

double Dynamics::norm_v(const Vec& q, const Vec& v, double t, const Vec& x) const {
  Vec y(n_);
  mass(q, v, t, x, y);
  return std::sqrt(std::max(0.0, x.dot(y)));
}

std::unique_ptr<Dynamics> dynamics_of(const scene::Model& model) {
  if (const scene::Kind& kind = *model.scene.kind; !kind.has_functions())
    throw Error(ErrorKind::bad_scene, model.scene.name +
                                          ": an audit judges systems with coordinates; this is a scene of " +
                                          std::string(kind.name()));
  if (model.constant_mass) return std::make_unique<DynamicsOf<scene::ConstantMassSystem<Eigen::Dynamic>>>(model);
  return std::make_unique<DynamicsOf<scene::LagrangianSystem<Eigen::Dynamic>>>(model);
}

}  // namespace ricochet::audit
