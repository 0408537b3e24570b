#include "ricochet/scene/beam_model.hpp"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/scene/beam_layout.hpp"
#include "ricochet/scene/fields_every.hpp"
#include "ricochet/scene/numbers.hpp"

namespace ricochet::scene {
namespace {

using Vec = Eigen::Vector3d;
using BeamSpec = bodies::BeamSpec<double>;
using Pose = bodies::Pose<double>;

class BeamBuilder {
 public:
  BeamBuilder(const BeamScene& scene, const Numbers& numbers) : scene_(scene), numbers_(numbers) {}

  BeamSpec beam(const BeamTable& table) const {
    BeamSpec b;
    b.name = table.name;
    b.length = numbers_.positive(table.length, "the length of a beam");
    b.elements = numbers_.count(table.elements, "the number of elements of a beam");
    b.density = numbers_.positive(table.density, "the density of a beam");
    b.young = numbers_.positive(table.young, "Young's modulus of a beam");
    b.poisson = numbers_.number(table.poisson, "Poisson's ratio of a beam");
    if (!(b.poisson > -1 && b.poisson <= 0.5))
      fail(table.poisson.place, fmt::format("Poisson's ratio must lie in (-1, 0.5], but is {:.6g}", b.poisson));
    b.section = section(table);
    b.gravity = vector(table.gravity.empty() ? scene_.gravity : table.gravity, "gravity");
    b.nodes = poses(table.start, b);
    b.velocities = velocities(table, b);
    return b;
  }

  Vec vector(const std::vector<Expression>& list, const char* what) const {
    Vec v = Vec::Zero();
    for (std::size_t k = 0; k < list.size(); ++k) v[static_cast<int>(k)] = numbers_.number(list[k], what);
    return v;
  }

 private:
  bodies::BeamSection<double> section(const BeamTable& table) const {
    const auto number = [&](std::size_t i, const char* what) {
      return numbers_.positive(table.section.numbers[i], what);
    };
    using Section = bodies::BeamSection<double>;
    if (table.section.shape == "square") return Section::square(number(0, "the side of a section"));
    if (table.section.shape == "circle") return Section::circle(number(0, "the radius of a section"));
    if (table.section.shape == "rectangle")
      return Section::rectangle(number(0, "the width of a section"), number(1, "the height of a section"));
    return {number(0, "the area A of a section"), number(1, "the second moment I1 of a section"),
            number(2, "the second moment I2 of a section")};
  }

  Eigen::Matrix3d quaternion(double w, const Vec& v, const Place& place) const {
    Eigen::Quaterniond q(w, v[0], v[1], v[2]);
    if (!(std::abs(q.norm() - 1) < 1e-3))
      fail(place, fmt::format("a quaternion [w, x, y, z] of length 1 is needed, this one has {:.6g}", q.norm()));
    return q.normalized().toRotationMatrix();
  }
  Eigen::Matrix3d rotation(const std::vector<Expression>& list) const {
    if (list.empty()) return Eigen::Matrix3d::Identity();
    Eigen::VectorXd x(static_cast<Eigen::Index>(list.size()));
    for (std::size_t k = 0; k < list.size(); ++k)
      x[static_cast<Eigen::Index>(k)] = numbers_.number(list[k], "an entry of rotation");
    if (x.size() == 3)
      return x.norm() > 0 ? Eigen::AngleAxisd(x.norm(), x.normalized()).toRotationMatrix()
                          : Eigen::Matrix3d::Identity();
    if (x.size() == 4) return quaternion(x[0], x.tail<3>(), list.front().place);
    const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x.data());
    const double off = (R.transpose() * R - Eigen::Matrix3d::Identity()).norm();
    if (!(off < 1e-6))
      fail(list.front().place,
           fmt::format("the matrix is no rotation: its columns must be orthonormal, and are off by {:.3g}", off));
    if (!(R.determinant() > 0))
      fail(list.front().place, "the matrix is no rotation: it mirrors, its determinant is -1");
    return Eigen::Quaterniond(R).normalized().toRotationMatrix();
  }

  std::vector<Pose> poses(const BeamConfiguration& c, const BeamSpec& b) const {
    if (!c.nodes.empty()) return poses_of_nodes(c, b);
    std::vector<expression::Tape> strain;
    for (const Expression& e : c.strain) strain.push_back(numbers_.tape({"s"}, e));
    std::vector<Pose> all{{rotation(c.rotation), vector(c.origin, "an entry of origin")}};
    lie::Vec6<double> eta;
    eta << 0, 0, 0, 0, 0, 1;
    for (int a = 0; a < b.elements; ++a) {
      // The strain of an element is that of its middle.
      const double s = b.length * (a + 0.5) / b.elements;
      for (std::size_t k = 0; k < strain.size(); ++k) {
        expression::Workspace<double> work(strain[k]);
        const double value = strain[k].evaluate(0, &s, work);
        if (!std::isfinite(value)) fail(c.strain[k].place, fmt::format("the strain is not finite at s = {:.6g}", s));
        eta[static_cast<int>(k)] = value;
      }
      all.push_back(all.back() * lie::se3::cayley<double>(eta * b.spacing()));
    }
    return all;
  }
  std::vector<Pose> poses_of_nodes(const BeamConfiguration& c, const BeamSpec& b) const {
    check_rows(c.nodes, c.place, "nodes", b);
    const Eigen::Matrix3d common = rotation(c.rotation);
    std::vector<Pose> all;
    for (const auto& row : c.nodes) {
      std::array<double, 7> x{};
      for (std::size_t k = 0; k < row.size(); ++k) x[k] = numbers_.number(row[k], "an entry of nodes");
      const Eigen::Matrix3d own =
          row.size() == 7 ? quaternion(x[3], {x[4], x[5], x[6]}, row[3].place) : Eigen::Matrix3d::Identity();
      all.push_back({common * own, {x[0], x[1], x[2]}});
    }
    return all;
  }

  static void check_rows(const std::vector<std::vector<Expression>>& rows, const Place& place, const char* key,
                         const BeamSpec& b) {
    if (rows.size() != static_cast<std::size_t>(b.elements) + 1)
      fail(place,
           fmt::format("a beam of {} elements needs {} {}, not {}", b.elements, b.elements + 1, key, rows.size()));
  }

  std::vector<bodies::BeamVelocity<double>> velocities(const BeamTable& table, const BeamSpec& b) const {
    if (table.next) {
      const double time = numbers_.positive(table.time, "the time between two configurations");
      try {
        return bodies::velocities_between<double>(b.nodes, poses(*table.next, b), time);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::bad_scene) throw;
        fail(table.next->place, error.what());
      }
    }
    if (!table.velocities.empty())
      check_rows(table.velocities, table.velocities.front().front().place, "velocities", b);
    std::vector<bodies::BeamVelocity<double>> all(b.nodes.size());
    for (std::size_t a = 0; a < all.size(); ++a) {
      const Pose& g = b.nodes[a];
      const double s = b.length * static_cast<double>(a) / b.elements;
      const std::array<double, 4> at{s, g.r[0], g.r[1], g.r[2]};
      Vec spin = Vec::Zero();
      if (!table.velocities.empty()) {
        const auto& row = table.velocities[a];
        for (std::size_t k = 0; k < row.size(); ++k)
          (k < 3 ? all[a].linear : spin)[static_cast<int>(k % 3)] = numbers_.number(row[k], "an entry of velocities");
      } else {
        all[a].linear = field(table.velocity, at, "velocity");
        spin = field(table.spin, at, "spin");
      }
      all[a].spin = g.R.transpose() * spin;  // a scene gives it in space
    }
    return all;
  }
  Vec field(const std::vector<Expression>& list, const std::array<double, 4>& at, const char* what) const {
    Vec v = Vec::Zero();
    for (std::size_t k = 0; k < list.size(); ++k) {
      const expression::Tape tape = numbers_.tape({"s", "x", "y", "z"}, list[k]);
      expression::Workspace<double> work(tape);
      const double value = tape.evaluate(0, at.data(), work);
      if (!std::isfinite(value)) fail(list[k].place, fmt::format("the {} is not finite at s = {:.6g}", what, at[0]));
      v[static_cast<int>(k)] = value;
    }
    return v;
  }

  const BeamScene& scene_;
  const Numbers& numbers_;
};

void add_obstacles(const BeamScene& table, const BeamBuilder& build, const Numbers& numbers, BeamModel& beams) {
  for (const ObstacleTable& o : table.obstacles) {
    const Vec point = build.vector(o.point, o.sphere ? "an entry of centre" : "an entry of point");
    if (o.sphere) {
      beams.spec.spheres.push_back({o.name, point, numbers.positive(*o.radius, "the radius of a sphere")});
    } else {
      const Vec normal = build.vector(o.normal, "an entry of normal");
      if (!(normal.norm() > 0)) fail(o.normal.front().place, "the normal of a plane must not be zero");
      beams.spec.planes.push_back({o.name, point, normal.normalized()});
    }
  }
}

/// A beam as a point, for whoever draws shapes and knows nothing of fields.
Shape centre_of(const std::string& name) {
  Shape shape;
  shape.type = "point";
  shape.name = name;
  for (const char* end : {"_x", "_y", "_z"}) shape.position.push_back(Expression{name + end, {}, {}});
  return shape;
}

}  // namespace

std::shared_ptr<Model> compile_beams(Scene given) {
  auto model = std::make_shared<Model>();
  model->scene = std::move(given);
  Scene& scene = model->scene;
  const BeamScene& table = beams_of(scene);
  const Numbers numbers(scene);
  numbers.check_parameters({"s", "x", "y", "z"});
  numbers.read_time(*model);

  auto beams = std::make_shared<BeamModel>();
  beams->group = table.time_group == "SE3" ? bodies::TimeGroup::SE3 : bodies::TimeGroup::SO3xR3;
  beams->reflection = table.closure == "reflection";
  if (table.restitution) {
    beams->restitution = numbers.number(*table.restitution, "the restitution");
    if (!(beams->restitution >= 0 && beams->restitution <= 1))
      fail(table.restitution->place,
           fmt::format("the restitution must lie in [0, 1], but is {:.6g}", beams->restitution));
  }
  const BeamBuilder build(table, numbers);
  for (const BeamTable& beam : table.beams) {
    beams->spec.beams.push_back(build.beam(beam));
    beams->nodes += beams->spec.beams.back().nodes.size();
    beams->elements += static_cast<std::size_t>(beams->spec.beams.back().elements);
  }
  add_obstacles(table, build, numbers, *beams);
  beams->fields_every = table.fields_every.value_or(
      usual_fields_every(*model, static_cast<double>(13 * beams->nodes + 6 * beams->elements + 1)));
  beams->symmetries = beam_symmetries(beams->spec);

  model->n = 3 * static_cast<int>(table.beams.size());
  model->q0 = model->v0 = Eigen::VectorXd::Zero(model->n);
  for (const BeamTable& beam : table.beams) {
    for (const char* end : {"_x", "_y", "_z"}) scene.system.coordinates.push_back(beam.name + end);
    scene.shapes.push_back(centre_of(beam.name));
  }
  for (const ObstacleTable& obstacle : table.obstacles)
    for (const BeamSpec& beam : beams->spec.beams)
      for (std::size_t a = 0; a < beam.nodes.size(); ++a) {
        Gap gap;
        gap.name = fmt::format("{}[{}]|{}", beam.name, a, obstacle.name);  // as the body calls it
        scene.gaps.push_back(std::move(gap));
        model->laws.push_back(beams->restitution == 1 ? "elastic" : "newton");
        model->moving.push_back(true);  // no function of the coordinates: nobody is to evaluate it
      }
  for (const BeamSymmetry& symmetry : beams->symmetries) scene.symmetries.push_back({symmetry.name, {}, {}});
  lay_out_beams(*model, *beams);
  model->part = std::move(beams);
  return model;
}

}  // namespace ricochet::scene
