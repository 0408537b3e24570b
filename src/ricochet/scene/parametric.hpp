// A scene as a function of some of its parameters: the family of systems its derivatives are taken in.
#pragma once

#include <Eigen/Core>

#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

/// Expressions of (q, v, t, θ), in any scalar; workspaces as in scene/function.hpp.
class ParametricFunction {
 public:
  ParametricFunction() = default;
  explicit ParametricFunction(expression::Tape tape)
      : tape_(std::make_shared<const expression::Tape>(std::move(tape))) {}
  ParametricFunction(const ParametricFunction& other) : tape_(other.tape_) {}
  ParametricFunction& operator=(const ParametricFunction& other) {
    if (this == &other) return *this;
    tape_ = other.tape_;
    work_.clear();
    return *this;
  }
  ~ParametricFunction() = default;

  int outputs() const { return tape_ ? tape_->outputs() : 0; }

  template <class T>
  T operator()(int output, Point<T> q, Point<T> v, const T& t, Point<T> theta) const {
    auto& w = work(q, v, t, theta);
    return tape_->evaluate(output, w.x.data(), w.tape);
  }
  /// One output at (q,t,θ), where no velocity acts, with its derivatives by q and θ.
  template <class T>
  T gradient(int output, Point<T> q, const T& t, Point<T> theta, std::span<T> by_q, std::span<T> by_theta) const {
    auto& w = work(q, {}, t, theta);
    w.g.resize(w.x.size());
    const T value = tape_->gradient(output, w.x.data(), w.g.data(), w.tape);
    std::copy_n(w.g.begin(), q.size(), by_q.begin());
    std::copy_n(w.g.end() - static_cast<std::ptrdiff_t>(theta.size()), theta.size(), by_theta.begin());
    return value;
  }

 private:
  struct AnyWork {
    virtual ~AnyWork() = default;
  };
  template <class T>
  struct Work final : AnyWork {
    explicit Work(const expression::Tape& t) : tape(t), x(static_cast<std::size_t>(t.variables())) {}
    expression::Workspace<T> tape;
    std::vector<T> x, g;
  };

  /// The workspace of T, with the arguments in x.
  template <class T>
  Work<T>& work(Point<T> q, Point<T> v, const T& t, Point<T> theta) const {
    const std::size_t number = detail::scalar_number<T>();
    if (number >= work_.size()) work_.resize(number + 1);
    if (!work_[number]) work_[number] = std::make_unique<Work<T>>(*tape_);
    auto& w = static_cast<Work<T>&>(*work_[number]);
    auto to = std::copy(q.begin(), q.end(), w.x.begin());
    to = v.empty() ? std::fill_n(to, q.size(), T(0)) : std::copy(v.begin(), v.end(), to);
    *to++ = t;
    std::copy(theta.begin(), theta.end(), to);
    return w;
  }

  std::shared_ptr<const expression::Tape> tape_;
  mutable std::vector<std::unique_ptr<AnyWork>> work_;
};

/// All functions of a scene with the named parameters among their variables.
struct ParametricModel {
  int n = 0;
  std::vector<std::string> names;
  std::vector<double> theta;
  bool full_mass = false, has_lagrangian = false;
  ParametricFunction mass, potential, lagrangian, gaps, constraints, forces, restitution;
  int gap_count = 0;
  Eigen::MatrixXd start;  ///< ∂(position, velocity or momentum)/∂θ of the scene's initial state
};

/// The parameters must be numbers, names of the scene's [parameters]; throws Error(bad_scene) otherwise.
ParametricModel parametric_model(const Model& model, const std::vector<std::string>& parameters);

/// The family of tangent/family.hpp.
template <bool Separable>
class SceneFamily {
 public:
  static constexpr bool separable = Separable;
  explicit SceneFamily(ParametricModel model) : model_(std::move(model)) {}

  int parameters() const { return static_cast<int>(model_.theta.size()); }
  double parameter(int j) const { return model_.theta[static_cast<std::size_t>(j)]; }
  bool varies_restitution() const { return model_.restitution.outputs() > 0; }

  template <class T>
  T lagrangian(Point<T> q, Point<T> v, const T& t, Point<T> theta) const {
    if (model_.has_lagrangian) return model_.lagrangian(0, q, v, t, theta);
    T twice_kinetic(0);
    for (int i = 0; i < model_.n; ++i)
      for (int j = 0; j < model_.n; ++j)
        if (model_.full_mass || i == j)
          twice_kinetic += entry(i, j, q, t, theta) * v[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(j)];
    return 0.5 * twice_kinetic - model_.potential(0, q, {}, t, theta);
  }
  template <class T>
  T potential(Point<T> q, const T& t, Point<T> theta) const {
    return model_.potential(0, q, {}, t, theta);
  }
  template <class T>
  T potential_gradient(Point<T> q, const T& t, Point<T> theta, std::span<T> by_q, std::span<T> by_theta) const
    requires Separable
  {
    return model_.potential.gradient(0, q, t, theta, by_q, by_theta);
  }
  template <class T>
  T mass(int i, int j, Point<T> theta) const {
    if (!model_.full_mass && i != j) return T(0);
    const std::vector<T> q(static_cast<std::size_t>(model_.n), T(0));
    return entry(i, j, Point<T>(q), T(0), theta);
  }
  template <class T>
  T gap(int i, Point<T> q, const T& t, Point<T> theta) const {
    return i < model_.gap_count ? model_.gaps(i, q, {}, t, theta)
                                : model_.constraints(i - model_.gap_count, q, {}, t, theta);
  }
  template <class T>
  void force(Point<T> q, Point<T> v, const T& t, Point<T> theta, std::span<T> f) const {
    for (int k = 0; k < model_.forces.outputs(); ++k)
      f[static_cast<std::size_t>(k % model_.n)] += model_.forces(k, q, v, t, theta);
  }
  template <class T>
  T restitution(int i, Point<T> q, Point<T> v, const T& t, Point<T> theta) const {
    return model_.restitution(i, q, v, t, theta);
  }

 private:
  template <class T>
  T entry(int i, int j, Point<T> q, const T& t, Point<T> theta) const {
    return model_.mass(model_.full_mass ? i * model_.n + j : i, q, {}, t, theta);
  }
  ParametricModel model_;
};

}  // namespace ricochet::scene
