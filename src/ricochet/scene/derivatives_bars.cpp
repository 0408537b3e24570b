// The differentiated run of bars with located contact (Demoures 2016, integrator 1).
#include "ricochet/scene/derivatives_bars.hpp"

#include "ricochet/scene/bar_model.hpp"
#include "ricochet/scene/derivatives_factory.hpp"
#include "ricochet/tangent/bars.hpp"

namespace ricochet::scene {
namespace {

using Body = bodies::Bars<double>;

std::vector<std::string> names_of_nodes(const Body& body) {
  std::vector<std::string> names;
  const auto& chain = body.chain();
  for (int b = 0; b < chain.line().bars(); ++b)
    for (auto a = chain.segment(b).first; a <= chain.segment(b).last; ++a)
      names.push_back(chain.line().bar(b).name + "[" + std::to_string(a - chain.segment(b).first) + "]");
  return names;
}

class DerivativesOfBars final : public Derivatives {
 public:
  using Follower = tangent::BarsTangent<double>;

  DerivativesOfBars(const DerivativesTable& table, const principle::Strong<Body>& run)
      : Derivatives(names_of_nodes(run.body()), table), tangent_(run, {}), log_(tangent_) {
    follow(table, run.body());
  }

  principle::Log<double>& log() override { return log_; }
  Eigen::MatrixXd columns() const override { return tangent_.columns(); }
  void set_columns(const Eigen::MatrixXd& columns) override { tangent_.follow(columns); }
  const tangent::Irregularities& irregularities() const override { return tangent_.irregularities(); }

 private:
  /// Position at a fixed velocity is position at a fixed momentum: masses do not depend on it.
  void follow(const DerivativesTable& table, const Body& body) {
    const auto n = static_cast<Eigen::Index>(coordinates().size());
    const Eigen::Index first = table.position ? n : 0;
    Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(2 * n, first + (table.velocity || table.momentum ? n : 0));
    if (table.position) columns.topLeftCorner(n, n).setIdentity();
    for (Eigen::Index a = 0; columns.cols() > first && a < n; ++a)
      columns(n + a, first + a) = table.momentum ? 1 : body.chain().mass(static_cast<int>(a));
    tangent_.follow(columns);
  }

  Follower tangent_;
  principle::Told<Body, Follower> log_;
};

class DifferentiatedBars final : public DifferentiatedSimulation {
 public:
  DifferentiatedBars(std::shared_ptr<const Model> model, const DerivativesTable& table)
      : DifferentiatedSimulation(std::move(model)),
        body_(bars_of(*model_).spec, {bars_of(*model_).threads}),
        run_(body_, body_.start()),
        reader_(table, run_) {
    derivatives_ = &reader_;
    run_.also_tell(&reader_.log());
  }

  std::int64_t steps() const override { return run_.steps(); }
  std::int64_t impacts() const override { return run_.impacts(); }
  double t() const override { return run_.node().t; }
  Eigen::VectorXd state() const override {
    Eigen::VectorXd x(2 * nodes());
    for (Eigen::Index a = 0; a < nodes(); ++a) {
      x[a] = run_.node().q[static_cast<std::size_t>(a)];
      x[nodes() + a] = run_.node().p[static_cast<std::size_t>(a)];
    }
    return x;
  }
  std::string closure() const override { return closure::Variational::name(); }
  void run(double h, std::int64_t n) override {
    for (; n > 0; --n) run_.step(h);
  }

 private:
  Eigen::Index nodes() const { return static_cast<Eigen::Index>(reader_.coordinates().size()); }

  Body body_;
  principle::Strong<Body> run_;
  DerivativesOfBars reader_;
};

}  // namespace

std::unique_ptr<Derivatives> derivatives_of_bars(const DerivativesTable& table, const principle::Strong<Body>& run) {
  return std::make_unique<DerivativesOfBars>(table, run);
}

std::unique_ptr<DifferentiatedSimulation> differentiate_bars(std::shared_ptr<const Model> model,
                                                             const DerivativesTable& table) {
  return std::make_unique<DifferentiatedBars>(std::move(model), table);
}

}  // namespace ricochet::scene
