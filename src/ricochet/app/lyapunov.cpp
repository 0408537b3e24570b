// `ricochet lyapunov`: the spectrum of Lyapunov exponents of a scene, by QR along the tangent of its run.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "ricochet/app/dense.hpp"
#include "ricochet/app/derivatives.hpp"
#include "ricochet/app/failure.hpp"
#include "ricochet/app/paths.hpp"
#include "ricochet/error.hpp"
#include "ricochet/scene/derivatives.hpp"

namespace ricochet::app {
namespace {

struct Spectrum {
  Eigen::VectorXd exponents, standard_error;
  double resolution = 0;  ///< what a motion that is not chaotic leaves over a run of this length
  double time = 0;
  std::int64_t impacts = 0, steps = 0, irregular = 0;
  std::string closure;

  double error(Eigen::Index i) const { return std::hypot(standard_error[i], resolution); }
};

/// Orthogonal, the same every time, and along no axis: a coordinate that moves by itself (x over a level floor) would
/// otherwise keep its own columns, and the first exponent would not be the largest.
Eigen::MatrixXd start_columns(Eigen::Index n) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd A(n, n);
  for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = normal(random);
  return orthogonalise(A).Q;
}

/// Over blocks, over pairs of them and over fours: the largest. A motion that lingers near islands and between energies
/// makes neighbouring blocks alike, and the error of short ones too small (by half for 2000 units of time on the
/// table).
Eigen::VectorXd standard_error(Eigen::MatrixXd sums, Eigen::VectorXd spent, const Eigen::VectorXd& exponents) {
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(exponents.size());
  for (;;) {
    const auto blocks = spent.size();
    const Eigen::VectorXd squares = (sums - exponents * spent.transpose()).rowwise().squaredNorm();
    const double scale = static_cast<double>(blocks) / static_cast<double>(blocks - 1);
    largest = largest.cwiseMax(Eigen::VectorXd((scale * squares).cwiseSqrt() / spent.sum()));
    if (blocks % 2 != 0) return largest;
    for (Eigen::Index b = 0; b < blocks / 2; ++b) {
      sums.col(b) = (sums.col(2 * b) + sums.col(2 * b + 1)).eval();
      spent[b] = spent[2 * b] + spent[2 * b + 1];
    }
    sums.conservativeResize(Eigen::NoChange, blocks / 2);
    spent.conservativeResize(blocks / 2);
  }
}

/// Sums of ln|R_ii| over intervals of the run, and their spread over blocks.
Spectrum measure(const std::shared_ptr<const scene::Model>& model, const LyapunovOptions& options) {
  scene::DerivativesTable table;
  table.position = table.momentum = true;
  const auto run = scene::differentiate(model, table);
  const Eigen::Index n2 = 2 * model->n;
  run->set_columns(start_columns(n2));
  constexpr int blocks = 20;
  const double end = options.time ? *options.time : model->end ? *model->end : 0;
  const auto share = [&] {
    double s = 0;
    if (end > 0) s = run->t() / end;
    if (model->impacts && !options.time)
      s = std::max(s, static_cast<double>(run->impacts()) / static_cast<double>(*model->impacts));
    return s;
  };
  const auto over = [&] { return options.time ? run->t() >= end * (1 - 1e-12) : run->done(); };

  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(n2, blocks);
  Eigen::VectorXd spent = Eigen::VectorXd::Zero(blocks);
  double last = run->t();
  std::int64_t since = 0, impacts_before = 0, impacts_at_discard = 0;
  Spectrum s;
  while (!over()) {
    try {
      if (options.time)
        run->run(model->step, 1);
      else
        run->step();
    } catch (const Error& error) {
      throw RunFailed(error, run->t());
    }
    ++since;
    // After an impact, and often enough in between that no column loses another.
    if (run->impacts() == impacts_before && since < 32 && !over()) continue;
    impacts_before = run->impacts();
    since = 0;
    const Eigen::MatrixXd J = run->derivative();
    if (!J.allFinite()) {
      const auto& list = run->irregularities().first;
      throw Error(ErrorKind::not_finite,
                  fmt::format("the tangent of the run is not finite at t = {:.6g}{}", run->t(),
                              list.empty() ? std::string() : fmt::format(": {}", sentence(list.back().kind))));
    }
    const auto [Q, stretch] = orthogonalise(J);
    if (const auto lost = (stretch.array() <= 1e-12 * stretch.maxCoeff()).count(); lost > 0)
      throw Error(
          ErrorKind::invalid_model,
          fmt::format("{} of {} directions are lost at t = {:.6g}, to a constraint, a contact at rest or an impact "
                      "without restitution: their exponents are minus infinity, and the others are not measured "
                      "here",
                      lost, n2, run->t()));
    run->set_columns(Q);
    const double now = share(), span = run->t() - last;
    last = run->t();
    if (now < options.discard) {
      impacts_at_discard = run->impacts();
      continue;
    }
    const double place = (now - options.discard) / (1 - options.discard) * blocks;
    const auto block = std::clamp<Eigen::Index>(static_cast<Eigen::Index>(place), 0, blocks - 1);
    spent[block] += span;
    for (Eigen::Index i = 0; i < n2; ++i) sums(i, block) += std::log(stretch[i]);
  }
  s.time = spent.sum();
  if (!(s.time > 0))
    throw Error(ErrorKind::bad_scene, "the run is too short for Lyapunov exponents: nothing is left after --discard");
  // A run is finite: exponents that are nearly equal may come out in another order.
  Eigen::VectorXd total = sums.rowwise().sum();
  std::vector<Eigen::Index> order(static_cast<std::size_t>(n2));
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return total[a] > total[b]; });
  sums = sums(order, Eigen::all).eval();
  s.exponents = sums.rowwise().sum() / s.time;
  s.standard_error = standard_error(sums, spent, s.exponents);
  s.impacts = run->impacts() - impacts_at_discard;
  s.steps = run->steps();
  s.irregular = run->irregularities().count;
  s.closure = run->closure();
  // In a regular motion tangents grow in proportion to the number of impacts (or to time): ln of that over the time.
  const double events = std::max(static_cast<double>(run->impacts() - impacts_at_discard), s.time);
  s.resolution = (1 + std::log(1 + events)) / s.time;
  return s;
}

}  // namespace

int lyapunov(const LyapunovOptions& options) {
  if (!(options.discard >= 0 && options.discard < 1))
    throw Error(ErrorKind::bad_scene, "--discard is a share of the run: between 0 and 1");
  if (options.time && !(*options.time > 0 && std::isfinite(*options.time)))
    throw Error(ErrorKind::bad_scene, "--time must be a positive number");
  const std::shared_ptr<const scene::Model> model =
      scene::compile(scene::load_scene(find_scene(options.scene), options.overrides));
  require_coordinates(*model, "the Lyapunov spectrum is computed for");
  if (const double steps = options.time.value_or(0) / model->step; !(steps < 9e15))
    throw Error(
        ErrorKind::bad_scene,
        fmt::format("--time {:g}: the run would have more steps than can be counted ({:.6g})", *options.time, steps));
  const Spectrum s = measure(model, options);
  const Eigen::Index n = s.exponents.size();
  if (options.format == "json") {
    nlohmann::ordered_json j;
    j["scene"] = model->scene.name;
    j["step"] = model->step;
    j["time"] = s.time;
    j["impacts"] = s.impacts;
    j["closure"] = s.closure;
    j["irregular"] = s.irregular;
    j["resolution"] = s.resolution;
    for (Eigen::Index i = 0; i < n; ++i)
      j["exponents"].push_back(
          {{"value", s.exponents[i]}, {"error", s.error(i)}, {"standard_error", s.standard_error[i]}});
    j["sum"] = s.exponents.sum();
    fmt::print("{}\n", j.dump(2));
    return 0;
  }
  if (options.format == "csv") {
    fmt::print("i,exponent,error,standard_error\n");
    for (Eigen::Index i = 0; i < n; ++i)
      fmt::print("{},{:.17g},{:.17g},{:.17g}\n", i + 1, s.exponents[i], s.error(i), s.standard_error[i]);
    return 0;
  }
  fmt::print("{}\n{} steps of {:.6g}, {} impacts, closure {}; measured over {:.6g} of time\n",
             model->scene.title.empty() ? model->scene.name : model->scene.title, s.steps, model->step, s.impacts,
             s.closure, s.time);
  for (Eigen::Index i = 0; i < n; ++i)
    fmt::print("lambda {}   {: .6f} +- {:.6f}{}\n", i + 1, s.exponents[i], s.error(i),
               std::abs(s.exponents[i]) <= s.error(i) ? "   zero within the error" : "");
  fmt::print("sum        {: .3e}\n", s.exponents.sum());
  if (s.irregular > 0) fmt::print("{} irregular points: the derivative is one-sided or missing there\n", s.irregular);
  return 0;
}

}  // namespace ricochet::app
