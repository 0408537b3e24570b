#include "ricochet/report/boundary.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <random>

namespace ricochet::report {
namespace {

constexpr int probes = 24;  // random configurations; four unknowns are determined many times over

/// Configurations around the start, and the material points there.
struct Probes {
  Probes(const Stage& stage, const scene::Model& model, double t = 0) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> channels(stage.channels());
    for (int i = 0; i < probes; ++i) {
      Eigen::VectorXd x = model.q0;
      for (double& entry : x) entry += 1.7 * uniform(generator);
      stage.evaluate({x.data(), static_cast<std::size_t>(x.size())}, t, channels);
      q.push_back(x);
      points.push_back(stage.points(channels));
    }
  }
  std::vector<Eigen::VectorXd> q;
  std::vector<std::vector<WorldPoint>> points;
};

/// φ = n·x + c for one material point x(q), if that holds at every probe.
std::optional<Wall> fit(const Probes& at, std::size_t point, const Eigen::VectorXd& phi) {
  Eigen::MatrixXd a(probes, 4);
  for (int i = 0; i < probes; ++i) {
    const WorldPoint& p = at.points[static_cast<std::size_t>(i)][point];
    a.row(i) << p.x[0], p.x[1], p.x[2], 1;
  }
  const Eigen::Vector4d solution = a.completeOrthogonalDecomposition().solve(phi);
  const double scale = phi.cwiseAbs().maxCoeff() + 1;
  const double length = solution.head<3>().norm();
  if (!((a * solution - phi).cwiseAbs().maxCoeff() <= 1e-9 * scale) || !(length > 1e-9)) return std::nullopt;
  Wall wall;
  const double radius = at.points[0][point].radius;
  for (int k = 0; k < 3; ++k) {
    const double entry = solution[k] / length;
    wall.n[static_cast<std::size_t>(k)] = std::abs(entry) < 1e-12 ? 0 : entry;
  }
  wall.c = solution[3] / length + radius;
  if (std::abs(wall.c) < 1e-12) wall.c = 0;
  wall.point = point;
  wall.length = length;
  return wall;
}

Eigen::VectorXd values(const Probes& at, const scene::Model& model, int gap, double t) {
  Eigen::VectorXd phi(probes);
  for (int i = 0; i < probes; ++i) {
    const Eigen::VectorXd& q = at.q[static_cast<std::size_t>(i)];
    phi[i] = model.gaps(gap, Point<double>(q.data(), static_cast<std::size_t>(q.size())), t);
  }
  return phi;
}

/// A gap of t that is the distance from a wall moving along its fixed normal: the same fit at three times.
std::optional<Wall> fit_moving(const Stage& stage, const scene::Model& model, int gap) {
  std::optional<Wall> first;
  for (const double t : {0.0, 0.6180339887, 3.1}) {  // no common period with anything likely
    const Probes at(stage, model, t);
    const Eigen::VectorXd phi = values(at, model, gap, t);
    if (!phi.allFinite()) return std::nullopt;
    std::optional<Wall> wall;
    if (first)
      wall = fit(at, first->point, phi);
    else
      for (std::size_t point = 0; point < at.points[0].size() && !wall; ++point) wall = fit(at, point, phi);
    if (!wall) return std::nullopt;
    if (!first) first = wall;
    double turned = std::abs(wall->length / first->length - 1);
    for (std::size_t k = 0; k < 3; ++k) turned += std::abs(wall->n[k] - first->n[k]);
    if (turned > 1e-9) return std::nullopt;
  }
  first->moving = true;
  first->index = gap;
  return first;
}

GapGrid grid_of(const scene::Model& model, const std::vector<std::pair<int, std::array<int, 2>>>& gaps,
                const std::array<double, 4>& box) {
  GapGrid grid;
  const double width = std::max(box[2] - box[0], 1e-9), height = std::max(box[3] - box[1], 1e-9);
  const double x = (box[0] + box[2]) / 2, y = (box[1] + box[3]) / 2;
  // As wide as a wide window, and some room on every side.
  const double half_height = 0.7 * std::max(height, width / 2), half_width = std::max(0.7 * width, 2 * half_height);
  grid.box = {x - half_width, y - half_height, x + half_width, y + half_height};
  grid.rows = 161;
  grid.columns = static_cast<std::size_t>(std::clamp(160 * half_width / half_height, 160.0, 480.0)) + 1;
  for (const auto& [gap, pair] : gaps) grid.gaps.push_back(model.scene.gaps[static_cast<std::size_t>(gap)].name);
  grid.values.reserve(grid.rows * grid.columns);
  Eigen::VectorXd q = model.q0;
  for (std::size_t j = 0; j < grid.rows; ++j)
    for (std::size_t i = 0; i < grid.columns; ++i) {
      double least = std::numeric_limits<double>::infinity();
      for (const auto& [gap, pair] : gaps) {
        q = model.q0;
        q[pair[0]] = grid.box[0] + 2 * half_width * static_cast<double>(i) / static_cast<double>(grid.columns - 1);
        q[pair[1]] = grid.box[1] + 2 * half_height * static_cast<double>(j) / static_cast<double>(grid.rows - 1);
        const double phi = model.gaps(gap, Point<double>(q.data(), static_cast<std::size_t>(q.size())), 0.0);
        least = std::isnan(phi) ? least : std::min(least, phi);
      }
      grid.values.push_back(least);
    }
  return grid;
}

}  // namespace

double offset_at(const Stage& stage, const scene::Model& model, const Wall& wall, double t) {
  std::vector<double> channels(stage.channels());
  const Eigen::VectorXd& q = model.q0;
  const auto size = static_cast<std::size_t>(q.size());
  stage.evaluate({q.data(), size}, t, channels);
  const WorldPoint point = stage.points(channels)[wall.point];
  double c = model.gaps(wall.index, Point<double>(q.data(), size), t) / wall.length + point.radius;
  for (std::size_t k = 0; k < 3; ++k) c -= wall.n[k] * point.x[k];
  return c;
}

Boundary boundary(const Stage& stage, const scene::Model& model, const std::array<double, 4>& box) {
  Boundary result;
  const Probes at(stage, model);
  const auto pairs = stage.position_pairs();
  std::vector<std::pair<int, std::array<int, 2>>> curved;
  for (int gap = 0; gap < static_cast<int>(model.scene.gaps.size()); ++gap) {
    const std::string& name = model.scene.gaps[static_cast<std::size_t>(gap)].name;
    if (model.gaps.given(gap) != nullptr) {  // no text holds what was given as a function
      result.hidden.push_back(name);
      continue;
    }
    if (model.moving[static_cast<std::size_t>(gap)]) {
      if (auto wall = fit_moving(stage, model, gap)) {
        wall->gap = name;
        result.walls.push_back(*wall);
      } else {
        result.hidden.push_back(name);
      }
      continue;
    }
    const Eigen::VectorXd phi = values(at, model, gap, 0);
    std::optional<Wall> wall;
    if (phi.allFinite())
      for (std::size_t point = 0; point < at.points[0].size() && !wall; ++point) wall = fit(at, point, phi);
    if (wall) {
      const auto same = [&](const Wall& other) {
        double difference = other.moving ? 1 : std::abs(other.c - wall->c);
        for (std::size_t k = 0; k < 3; ++k) difference += std::abs(other.n[k] - wall->n[k]);
        return difference < 1e-9;
      };
      const auto found = std::find_if(result.walls.begin(), result.walls.end(), same);
      wall->gap = name;
      if (found != result.walls.end())
        found->gap += ", " + name;
      else
        result.walls.push_back(*wall);
      continue;
    }
    const auto inputs = model.gaps.inputs(gap);
    const auto pair = std::find_if(pairs.begin(), pairs.end(), [&](const std::array<int, 2>& p) {
      return std::all_of(inputs.begin(), inputs.end(), [&](expression::Slot slot) {
        return static_cast<int>(slot) == p[0] || static_cast<int>(slot) == p[1];
      });
    });
    if (pair != pairs.end() && stage.dimension() == 2)
      curved.emplace_back(gap, *pair);
    else
      result.hidden.push_back(name);
  }
  if (!curved.empty()) result.grid = grid_of(model, curved, box);
  return result;
}

}  // namespace ricochet::report
