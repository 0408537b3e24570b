#include "ricochet/scene/slip_check.hpp"

#include <fmt/core.h>

#include <Eigen/Dense>
#include <cmath>
#include <optional>
#include <random>

#include "ricochet/scene/model.hpp"

namespace ricochet::scene {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class SlipCheck {
 public:
  explicit SlipCheck(const Model& model) : model_(model), q_(model.q0), g_(model.n) {}

  void run() {
    for (std::size_t i = 0; i < model_.scene.gaps.size(); ++i) {
      const Gap& gap = model_.scene.gaps[i];
      for (std::size_t a = 0; a < gap.tangent.size(); ++a) finite(gap.tangent[a], first(i) + static_cast<int>(a));
      if (gap.tangent.size() == 2) two(gap, static_cast<int>(i));
    }
  }

 private:
  int first(std::size_t i) const { return model_.first_tangent[i]; }
  double gradient(const Function& f, int output, double t) {
    return f.gradient<double>(output, Point<double>(q_.data(), static_cast<std::size_t>(q_.size())), t,
                              std::span<double>(g_.data(), static_cast<std::size_t>(g_.size())));
  }

  void finite(const Expression& e, int output) {
    q_ = model_.q0;
    if (!std::isfinite(gradient(model_.tangents, output, 0)))
      fail(e.place, "this slip coordinate is not a finite number at the start");
    for (Eigen::Index k = 0; k < g_.size(); ++k)
      if (!std::isfinite(g_[k]))
        fail(e.place, fmt::format("the derivative of this slip coordinate by '{}' is not a finite number at the start",
                                  model_.scene.system.coordinates[static_cast<std::size_t>(k)]));
  }

  /// Gradients of the gap and its two slip coordinates, if they are the same everywhere and at all times.
  std::optional<Rows> constant_rows(int gap) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    Rows rows(3, model_.n);
    for (int sample = 0; sample < 5; ++sample) {
      q_ = model_.q0;
      for (Eigen::Index k = 0; sample > 0 && k < q_.size(); ++k) q_[k] += 0.1 * (1 + std::abs(q_[k])) * normal(random);
      for (int row = 0; row < 3; ++row) {
        const double t = 0.37 * sample;
        if (row == 0)
          gradient(model_.gaps, gap, t);
        else
          gradient(model_.tangents, first(static_cast<std::size_t>(gap)) + row - 1, t);
        if (sample == 0)
          rows.row(row) = g_.transpose();
        else if (!((rows.row(row).transpose() - g_).cwiseAbs().maxCoeff() <= 1e-12 * g_.cwiseAbs().maxCoeff()))
          return std::nullopt;
      }
    }
    return rows;
  }
  /// Exactly three coordinates take part, with one mass and coupled to no others.
  bool of_one_particle(const Rows& rows) const {
    int parts = 0;
    double mass = 0;
    for (Eigen::Index k = 0; k < rows.cols(); ++k) {
      if (rows.col(k).isZero(0)) continue;
      const Eigen::VectorXd column = model_.mass.col(k);
      if (column.cwiseAbs().sum() != column[k] || (parts > 0 && column[k] != mass)) return false;
      mass = column[k];
      ++parts;
    }
    return parts == 3;
  }

  void two(const Gap& gap, int i) {
    if (model_.gaps.given(i) != nullptr) return;  // a function may have no value where rows would be compared
    const auto rows = constant_rows(i);
    if (!rows) return;
    const Eigen::Matrix3d gram = *rows * rows->transpose();
    const double normal = std::sqrt(gram(0, 0)), one = std::sqrt(gram(1, 1)), other = std::sqrt(gram(2, 2));
    const auto& place = gap.tangent[1].place;
    if (!(gram(1, 1) * gram(2, 2) - gram(1, 2) * gram(1, 2) > 1e-12 * gram(1, 1) * gram(2, 2)))
      fail(place,
           fmt::format("the two slip coordinates of the gap '{}' slip along one direction: Coulomb's disc would be "
                       "a line; a contact in the plane has one slip coordinate",
                       gap.name));
    if (!model_.constant_mass || !of_one_particle(*rows)) return;
    const auto differ = [](double a, double b) { return std::abs(a - b) > 1e-6 * (a + b); };
    const auto angle = [&](int a, int b) {
      return std::acos(gram(a, b) / std::sqrt(gram(a, a) * gram(b, b))) * 180 / std::acos(-1.0);
    };
    if (std::abs(gram(1, 2)) > 1e-6 * one * other || differ(one, other))
      fail(place,
           fmt::format("the two slip coordinates of the gap '{}' have gradients of the lengths {:.6g} and {:.6g}, at "
                       "{:.6g} degrees: Coulomb's disc would be an ellipse; they must have one length and be at "
                       "right angles",
                       gap.name, one, other, angle(1, 2)));
    for (int a = 1; a < 3; ++a)
      if (std::abs(gram(0, a)) > 1e-6 * normal * one)
        fail(gap.tangent[static_cast<std::size_t>(a) - 1].place,
             fmt::format(
                 "this slip coordinate makes {:.6g} degrees with the normal of the gap '{}': slip lies in the plane "
                 "of contact, at right angles to it",
                 angle(0, a), gap.name));
    if (differ(normal, one))
      fail(place,
           fmt::format("the gradient of the gap '{}' has the length {:.6g}, those of its slip coordinates {:.6g}: "
                       "friction would act as {:.6g} times the coefficient; all must have one length",
                       gap.name, normal, one, one / normal));
  }

  const Model& model_;
  Eigen::VectorXd q_, g_;
};

}  // namespace

void check_slip(const Model& model) {
  if (model.tangents.outputs() > 0) SlipCheck(model).run();
}

}  // namespace ricochet::scene
