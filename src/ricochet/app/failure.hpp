// Failed runs, for those that keep no record of them: a sentence with its time, and whose fault it was.
#pragma once

#include <fmt/core.h>

#include <string>

#include "ricochet/error.hpp"
#include "ricochet/principle/law_error.hpp"
#include "ricochet/record/record_error.hpp"

namespace ricochet::app {

/// What went wrong, with the time unless the sentence has one: that of the error's state, or else `t`.
inline std::string sentence_at(const Error& error, double t) {
  std::string sentence = error.what();
  if (sentence.find("t = ") != std::string::npos) return sentence;
  return fmt::format("{} (t = {:.6g})", sentence, error.has_state() ? error.state().t : t);
}

/// Whether a run failed over what the scene asks for: laws that contradict each other, e outside [0, 1].
inline bool is_bad_input(const Error& error) {
  return error.kind() == ErrorKind::bad_scene || dynamic_cast<const principle::LawError*>(&error) != nullptr;
}

/// A run that had begun. What is a wrong model before it (a mass that is not positive definite) is a failure here.
class RunFailed : public Error {
 public:
  RunFailed(const Error& error, double t)
      : Error(error.kind(), sentence_at(error, t), error.has_state() ? error.state() : ErrorState{t, {}, {}}),
        bad_input_(is_bad_input(error)) {}

  bool bad_input() const { return bad_input_; }

 private:
  bool bad_input_;
};

/// 2 for bad input, 1 for a run that failed.
inline int exit_code(const Error& error) {
  if (const auto* failed = dynamic_cast<const RunFailed*>(&error)) return failed->bad_input() ? 2 : 1;
  const ErrorKind kind = error.kind();
  const bool wrong_model = kind == ErrorKind::invalid_model || kind == ErrorKind::inadmissible_start;
  return wrong_model || is_bad_input(error) ? 2 : 1;
}

/// 2 for a folder or a file that cannot be used, 1 for a disk that has no room: the input was good.
inline int exit_code(const record::RecordError& error) {
  return error.fault() == record::RecordError::Fault::disk ? 1 : 2;
}

}  // namespace ricochet::app
