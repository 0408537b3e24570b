// One kind of failure for the whole library: what went wrong, when, and in which state.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet {

enum class ErrorKind {
  bad_scene,           ///< input text is wrong; the scene layer adds file:line:column
  invalid_model,       ///< mass not positive definite, a gap without gradient, …
  inadmissible_start,  ///< φ_i(q0) < 0
  no_convergence,      ///< an implicit flight, jump or contact was not solved
  impact_not_found,    ///< a crossing without an impulse that mends it
  nothing_hit,         ///< no impact for so long that a run which counts impacts would not end
  too_many_impacts,    ///< the event cap of one step was reached
  not_finite,          ///< NaN or infinity appeared in the state
  bad_law,             ///< an impact law left the cone or gained energy
};

constexpr std::string_view name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_scene:
      return "bad scene";
    case ErrorKind::invalid_model:
      return "invalid model";
    case ErrorKind::inadmissible_start:
      return "inadmissible start";
    case ErrorKind::no_convergence:
      return "no convergence";
    case ErrorKind::impact_not_found:
      return "impact not found";
    case ErrorKind::nothing_hit:
      return "nothing hit";
    case ErrorKind::too_many_impacts:
      return "too many impacts";
    case ErrorKind::not_finite:
      return "not finite";
    case ErrorKind::bad_law:
      return "bad impact law";
  }
  return "error";
}

/// The state at a failure, in plain doubles so that it can travel through any layer.
struct ErrorState {
  double t = 0;
  std::vector<double> q, p;
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Error(ErrorKind kind, const std::string& message, ErrorState state)
      : std::runtime_error(message), kind_(kind), state_(std::move(state)), has_state_(true) {}

  ErrorKind kind() const { return kind_; }
  bool has_state() const { return has_state_; }
  const ErrorState& state() const { return state_; }

 private:
  ErrorKind kind_;
  ErrorState state_;
  bool has_state_ = false;
};

}  // namespace ricochet
