// Functions of numbers that a program gives in the place of expressions, as a Python program may.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ricochet::scene {

/// f(x) with the derivatives its author gives, called with numbers while a run goes on. The variables x are the
/// coordinates, for a force and a Lagrangian the velocities too, and the time last if the function takes one.
class NumericFunction {
 public:
  virtual ~NumericFunction() = default;

  virtual int variables() const = 0;
  /// Whether the author gave ∂²f; otherwise differences of the gradient stand in.
  virtual bool has_hessian() const = 0;
  /// A bound of |∂²f| in the 2-norm wherever the motion goes, if the author gave one.
  virtual std::optional<double> curvature() const = 0;
  virtual void value(const double* x, double* out) const = 0;
  /// Row by row for a force.
  virtual void gradient(const double* x, double* out) const = 0;
  virtual void hessian(const double* x, double* out) const = 0;
  /// What was returned that was no finite number, as a sentence; empty if nothing was.
  virtual std::string not_finite() const = 0;

  double value(const double* x) const {
    double y = 0;
    value(x, &y);
    return y;
  }

  /// How many enclosures were measured so far, not proved: those over boxes for which there was no bound.
  std::int64_t sampled() const { return sampled_; }
  void note_sampled() const { ++sampled_; }

 protected:
  NumericFunction() = default;

 private:
  mutable std::int64_t sampled_ = 0;
};

/// What stands in the place of an expression: such a function, or only the name of one where a text was read, which
/// cannot hold it.
struct Given {
  std::string name;    ///< as sentences call it: gap "floor"
  bool timed = false;  ///< the time is its last variable
  std::shared_ptr<const NumericFunction> function;

  bool operator==(const Given&) const = default;
  /// Throws Error(bad_scene) where there is only a name.
  const NumericFunction& operator*() const;
};

}  // namespace ricochet::scene
