#include "ricochet/scene/kink_check.hpp"

#include <fmt/core.h>

#include <cmath>
#include <random>
#include <vector>

#include "ricochet/scene/model.hpp"

namespace ricochet::scene {
namespace {

class KinkCheck {
 public:
  KinkCheck(const Model& model, const Gap& gap, const Function& tape,
            const expression::TapeBuilder::Pieces::Doubt& doubt)
      : model_(model), gap_(gap), tape_(tape), doubt_(doubt) {}

  void run() {
    constexpr int lines = 240, scales = 6, points = 64;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const double end = model_.end ? *model_.end : 1000 * model_.step;
    Eigen::VectorXd way(model_.n);
    for (int line = 0; line < lines; ++line) {
      const double scale = 0.1 * std::pow(10.0, line % scales);
      from_ = model_.q0;
      for (Eigen::Index k = 0; k < way.size(); ++k) {
        from_[k] += scale * (1 + std::abs(from_[k])) * normal(random) / 2;
        way[k] = scale * (1 + std::abs(model_.q0[k])) * normal(random);
      }
      way_ = way;
      t_from_ = end * uniform(random);
      t_way_ = line % 2 == 0 ? 0.0 : end * uniform(random) - t_from_;
      for (int i = -points; i < points; ++i) look(double(i) / points, double(i + 1) / points);
    }
  }

 private:
  double t(double s) const { return t_from_ + s * t_way_; }
  Point<double> q(double s) {
    q_ = from_ + s * way_;
    return {q_.data(), static_cast<std::size_t>(q_.size())};
  }
  std::vector<int> decided(double s) {
    std::vector<int> signs;
    for (const int output : doubt_.decided_by) {
      const double x = tape_(output, q(s), t(s));
      signs.push_back(x > 0 ? 1 : x < 0 ? -1 : 0);
    }
    return signs;
  }
  double value(double s, Eigen::VectorXd& g) {
    g.resize(model_.n);
    return tape_.gradient(doubt_.output, q(s), t(s), std::span<double>(g.data(), static_cast<std::size_t>(g.size())));
  }

  /// What decides changes somewhere between: both sides of that place.
  void look(double a, double b) {
    const auto before = decided(a);
    if (decided(b) == before) return;
    // The slopes around: where both formulas are flat as they meet, those there are rounding.
    Eigen::VectorXd around_a, around_b;
    value(a, around_a);
    value(b, around_b);
    const double around = around_a.norm() + around_b.norm();
    for (double m; (m = (a + b) / 2) > a && m < b;) (decided(m) == before ? a : b) = m;
    Eigen::VectorXd left, right;
    const double fa = value(a, left), fb = value(b, right);
    if (!std::isfinite(fa) || !std::isfinite(fb) || !left.allFinite() || !right.allFinite()) return;
    const double size = std::abs(fa) + std::abs(fb), slope = left.norm() + right.norm(), way = way_.norm();
    if (!(std::max(fa, fb) >= -same * slope * way)) return;
    if (std::abs(fb - fa) > same * (size + slope * way))
      refuse(a, "jumps", fmt::format("from {:.6g} to {:.6g}, and a gap must be continuous", fa, fb));
    if ((right - left).norm() > same * (slope + (std::isfinite(around) ? around : 0)))
      refuse(
          a, "has a kink",
          "that cannot be split into smooth pieces, because the formulas of this 'if' do not differ by a multiple of "
          "what it compares; min, max and abs may say it");
  }
  [[noreturn]] void refuse(double s, const std::string& does, const std::string& what) {
    std::string where;
    const auto at = q(s);
    for (std::size_t k = 0; k < at.size() && at.size() <= 3; ++k)
      where += (k > 0 ? ", " : " at ") + model_.scene.system.coordinates[k] + fmt::format(" = {:.6g}", at[k]);
    const std::string sentence = "the gap '" + gap_.name + "' " + does + where + " " + what;
    for (const auto& [name, parameter] : model_.scene.parameters)
      if (name == doubt_.parameter) fail(parameter.at(doubt_.offset), sentence);
    fail(gap_.expression.at(doubt_.offset), sentence);
  }

  /// Part of a value or of a slope by which its two sides may differ: a place is found to 1e-16 of a line.
  static constexpr double same = 1e-7;

  const Model& model_;
  const Gap& gap_;
  const Function& tape_;
  const expression::TapeBuilder::Pieces::Doubt& doubt_;
  Eigen::VectorXd from_, way_, q_;
  double t_from_ = 0, t_way_ = 0;
};

}  // namespace

void check_kinks(const Model& model, const Gap& gap, const Function& tape,
                 const expression::TapeBuilder::Pieces::Doubt& doubt) {
  KinkCheck(model, gap, tape, doubt).run();
}

}  // namespace ricochet::scene
