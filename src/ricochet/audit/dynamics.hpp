// The continuous world of a scene, as a judge sees it: L, forces, gaps, symmetries. Nothing here knows a step.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ricochet/scene/model.hpp"

namespace ricochet::audit {

using Vec = Eigen::VectorXd;
using Mat = Eigen::MatrixXd;
inline constexpr double eps = std::numeric_limits<double>::epsilon();
inline Vec vector(const std::vector<double>& x) {
  return Eigen::Map<const Vec>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// L and its derivatives at (q,v,t), forces included.
struct Point {
  Vec Lv;             ///< momentum ∂L/∂v
  Vec Q;              ///< ∂L/∂q + f
  double energy = 0;  ///< v·∂L/∂v − L
  double supply = 0;  ///< −∂L/∂t + f·v
};

/// φ_i and its derivatives along the motion.
struct GapRates {
  double value = 0, rate = 0, acceleration = 0;
};

class Dynamics {
 public:
  explicit Dynamics(const scene::Model& model);
  virtual ~Dynamics() = default;

  int dimension() const { return n_; }
  int gaps() const { return gaps_; }
  int constraints() const { return constraints_; }
  /// The gaps, then the constraints.
  const std::vector<std::string>& names() const { return names_; }
  bool moving(int gap) const { return gap < gaps_ && moving_[static_cast<std::size_t>(gap)]; }
  /// A gap moves, or the belt that is one does: what is held there is carried, and work is done on it.
  bool carries() const { return carries_; }
  /// Forces act, or L depends on time: energy is fed in or taken out between impacts, too.
  bool supplied() const { return supplied_; }

  virtual void evaluate(const Vec& q, const Vec& v, double t, Point& out) const = 0;
  virtual void momentum(const Vec& q, const Vec& v, double t, Vec& p) const = 0;
  virtual void velocity(const Vec& q, const Vec& p, double t, Vec& v) const = 0;
  virtual double hamiltonian(const Vec& q, const Vec& p, double t) const = 0;
  /// y = (∂²L/∂v²) x: what a velocity has for a momentum where L is quadratic, and no L is asked beyond its domain.
  virtual void mass(const Vec& q, const Vec& v, double t, const Vec& x, Vec& y) const = 0;
  /// x = (∂²L/∂v²)⁻¹ y.
  virtual void inverse_mass(const Vec& q, const Vec& v, double t, const Vec& y, Vec& x) const = 0;
  /// Without the reactions of gaps and constraints.
  virtual void free_acceleration(const Vec& q, const Vec& v, double t, Vec& a) const = 0;

  /// φ_i and ∇φ_i; numbers from gaps() on are the constraints. A branch of a union is the union's largest one, unless
  /// it is as large itself.
  virtual double gap(int i, const Vec& q, double t, Vec& gradient) const = 0;
  virtual GapRates gap_rates(int i, const Vec& q, const Vec& v, const Vec& a, double t) const = 0;
  /// ∂φ_i/∂t.
  double gap_drift(int i, const Vec& q, double t) const;

  /// The acceleration with the constraints, and with the gaps in `held` kept where they are; their reactions, in the
  /// order of `held` and then of the constraints, where somebody asks.
  void acceleration(const Vec& q, const Vec& v, double t, std::span<const int> held, Vec& a,
                    Vec* reactions = nullptr) const;

  /// Friction of a gap: its coefficient and the gradients of its slip coordinates.
  double friction(int gap) const { return friction_.empty() ? 0 : friction_[static_cast<std::size_t>(gap)]; }
  std::vector<Vec> tangents(int gap, const Vec& q, double t) const;
  /// ∂ψ/∂t of the same slip coordinates: the speed of a belt, reversed.
  std::vector<double> tangent_drifts(int gap, const Vec& q, double t) const;

  /// The vector fields of the declared symmetries.
  const std::vector<std::string>& symmetries() const { return symmetries_; }
  Vec generator(int symmetry, const Vec& q) const;

  double norm_p(const Vec& q, const Vec& v, double t, const Vec& y) const;  ///< √(y·M⁻¹y): a momentum as a speed
  double norm_v(const Vec& q, const Vec& v, double t, const Vec& x) const;  ///< √(x·Mx): a velocity as a speed

 protected:
  /// The branch that stands for gap i at a place, given their values there.
  template <class Value>
  int branch_at(int i, const Vec& q, Value&& value) const {
    if (i >= gaps_ || unions_.empty()) return i;
    const double own = value(i), same = 1e-9 * (1 + q.template lpNorm<Eigen::Infinity>());
    double least = std::numeric_limits<double>::infinity();
    int at = i;
    for (const auto& branches : unions_) {
      if (std::find(branches.begin(), branches.end(), i) == branches.end()) continue;
      double largest = own;
      int largest_at = i;
      for (const int k : branches)
        if (const double x = value(k); x > largest) largest = x, largest_at = k;
      if (largest < least) least = largest, at = largest_at;
    }
    return own >= least - same ? i : at;
  }

 private:
  int n_, gaps_, constraints_;
  std::vector<std::vector<int>> unions_;
  std::vector<std::string> names_, symmetries_;
  std::vector<bool> moving_;
  bool carries_, supplied_;
  std::vector<double> friction_;
  std::vector<int> first_tangent_;
  scene::Function tangents_, generators_;
};

/// Throws Error(bad_scene) for a scene of bars.
std::unique_ptr<Dynamics> dynamics_of(const scene::Model& model);

}  // namespace ricochet::audit
