// What is wrong with the text of an expression, and where.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace ricochet::expression {

class ParseError : public std::runtime_error {
 public:
  ParseError(const std::string& message, std::size_t offset, std::string parameter = {})
      : std::runtime_error(message), offset_(offset), parameter_(std::move(parameter)) {}

  /// Byte offset of the fault in its text, counted from 0.
  std::size_t offset() const { return offset_; }
  /// Name of the parameter in whose text the fault lies; empty for the expression itself.
  const std::string& parameter() const { return parameter_; }

 private:
  std::size_t offset_;
  std::string parameter_;
};

}  // namespace ricochet::expression
