// Laws that have no meaning where a run needs them.
#pragma once

#include "ricochet/error.hpp"

namespace ricochet::principle {

/// What the scene asks of its impact laws contradicts itself or has no meaning: wrong input, though only the run finds
/// it out. A law that is meant but fails (it gains energy, leaves its cone) is a plain Error of the kind bad_law.
class LawError : public Error {
 public:
  LawError(const std::string& message, ErrorState state) : Error(ErrorKind::bad_law, message, std::move(state)) {}
};

}  // namespace ricochet::principle
