#include "ricochet/report/motion.hpp"

#include <algorithm>
#include <cmath>

#include "ricochet/report/boundary.hpp"
#include "ricochet/report/columns.hpp"
#include "ricochet/scene/kind.hpp"

namespace ricochet::report {
namespace {

/// Frames in the order of time: recorded rows, and between them the impacts, where the motion has its corners.
class Frames {
 public:
  Frames(const Stage& stage, const std::vector<record::Impact>& impacts, std::size_t most_impacts)
      : stage_(stage), impacts_(impacts), channels_(stage.channels()), now_(stage.channels()) {
    every_ = std::max<std::size_t>((impacts.size() + most_impacts - 1) / std::max<std::size_t>(most_impacts, 1), 1);
  }

  void row(double t, std::span<const double> q) {
    impacts_before(t);
    add(t, q);
  }
  void finish() { impacts_before(std::numeric_limits<double>::infinity()); }

  const std::vector<double>& t() const { return t_; }
  const std::vector<std::vector<double>>& channels() const { return channels_; }
  const std::array<double, 6>& bounds() const { return bounds_; }

 private:
  void impacts_before(double t) {
    for (; next_ < impacts_.size() && impacts_[next_].t <= t; next_ += every_)
      add(impacts_[next_].t, impacts_[next_].q);
  }
  void add(double t, std::span<const double> q) {
    if (!std::isfinite(t)) return;
    stage_.evaluate(q, t, now_);
    if (!std::all_of(now_.begin(), now_.end(), [](double x) { return std::isfinite(x); })) return;
    t_.push_back(t);
    for (std::size_t i = 0; i < now_.size(); ++i) channels_[i].push_back(now_[i]);
    for (const WorldPoint& point : stage_.points(now_))
      for (std::size_t k = 0; k < 3; ++k) {
        bounds_[k] = std::min(bounds_[k], point.x[k] - point.radius);
        bounds_[k + 3] = std::max(bounds_[k + 3], point.x[k] + point.radius);
      }
  }

  const Stage& stage_;
  const std::vector<record::Impact>& impacts_;
  std::size_t next_ = 0, every_ = 1;
  std::vector<double> t_;
  std::vector<std::vector<double>> channels_;
  std::vector<double> now_;
  static constexpr double far = std::numeric_limits<double>::max();
  std::array<double, 6> bounds_{far, far, far, -far, -far, -far};
};

Json boundary_json(const Boundary& boundary) {
  Json json{{"walls", Json::array()}, {"hidden", boundary.hidden}};
  for (const Wall& wall : boundary.walls) json["walls"].push_back({{"gap", wall.gap}, {"n", wall.n}, {"c", wall.c}});
  if (boundary.grid) {
    const GapGrid& grid = *boundary.grid;
    json["grid"] = {{"gaps", grid.gaps},
                    {"box", grid.box},
                    {"columns", grid.columns},
                    {"rows", grid.rows},
                    {"values", floats(grid.values)}};
  }
  return json;
}

}  // namespace

Json motion(const record::Reader& reader, const std::vector<record::Impact>& impacts, const Stage& stage,
            const scene::Model* model, const Limits& limits) {
  if (stage.empty()) return nullptr;
  const std::size_t bytes = 8 + 4 * stage.channels();
  const std::size_t most = std::max<std::size_t>(limits.motion_bytes / bytes, 2);
  const std::size_t rows = reader.rows();
  const std::size_t stride = std::max<std::size_t>((rows + most - 1) / most, 1);

  std::vector<Quantity> q = quantities(reader.schema());
  std::erase_if(q, [](const Quantity& quantity) { return quantity.column != "q"; });
  Frames frames(stage, impacts, std::min(limits.impacts, most));
  each_row(reader, q, record::trajectory_table, stride, [&](double t, std::span<const double> x) { frames.row(t, x); });
  frames.finish();
  if (frames.t().empty()) return nullptr;

  Json json{{"dimension", stage.dimension()}, {"guessed", stage.guessed()}, {"stride", stride},
            {"bounds", frames.bounds()},      {"shapes", stage.to_json()},  {"t", doubles(frames.t())}};
  json["channels"] = Json::array();
  for (const auto& channel : frames.channels()) json["channels"].push_back(floats(channel));
  if (model != nullptr && model->scene.kind->has_functions()) {
    const auto& b = frames.bounds();
    const Boundary edge = boundary(stage, *model, {b[0], b[1], b[3], b[4]});
    json["boundary"] = boundary_json(edge);
    // A wall that moves has one more channel, c at every frame.
    for (std::size_t i = 0; i < edge.walls.size(); ++i) {
      if (!edge.walls[i].moving) continue;
      std::vector<double> c;
      for (const double t : frames.t()) c.push_back(offset_at(stage, *model, edge.walls[i], t));
      json["boundary"]["walls"][i]["c"] = {{"c", json["channels"].size()}};
      json["channels"].push_back(floats(c));
    }
  }
  return json;
}

}  // namespace ricochet::report
