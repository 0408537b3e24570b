// Short ways to evaluate a text in a test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/expression/builder.hpp"

namespace ricochet::expression::testing {

inline Tape compile(std::string_view text, std::vector<std::string> names = {}, Parameters parameters = {}) {
  TapeBuilder builder(std::move(names), std::move(parameters));
  builder.add(text);
  return builder.tape();
}

template <class T = double>
T value(std::string_view text, std::vector<std::string> names = {}, const std::vector<T>& x = {}) {
  const Tape tape = compile(text, std::move(names));
  Workspace<T> work(tape);
  return tape.evaluate(0, x.data(), work);
}

template <class T = double>
std::vector<T> gradient(std::string_view text, std::vector<std::string> names, const std::vector<T>& x) {
  const Tape tape = compile(text, std::move(names));
  Workspace<T> work(tape);
  std::vector<T> g(x.size(), T(7));
  tape.gradient(0, x.data(), g.data(), work);
  return g;
}

/// The pieces one after the other. (g++ 12 warns of an overlap that cannot be where "text" + std::string is inlined.)
template <class... A>
std::string cat(const A&... pieces) {
  std::string text;
  const auto append = [&](const auto& piece) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(piece)>>)
      text += std::to_string(piece);
    else
      text += piece;
  };
  (append(pieces), ...);
  return text;
}

struct Fault {
  std::string message;
  std::size_t offset = 0;
  std::string parameter;
};
/// The error of an action, or an empty message.
template <class F>
Fault fault_of(F action) {
  try {
    action();
  } catch (const ParseError& e) {
    return {e.what(), e.offset(), e.parameter()};
  }
  return {};
}

}  // namespace ricochet::expression::testing
