// Any bytes as an expression: an error with a place in the text, or a tape whose ways to evaluate agree.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "fuzzing.hpp"
#include "ricochet/expression/builder.hpp"
#include "ricochet/numerics/ball.hpp"
#include "ricochet/numerics/jet.hpp"
#include "ricochet/numerics/taylor.hpp"

namespace {

using namespace ricochet::expression;
using ricochet::numerics::Ball;
using ricochet::numerics::Jet;
using ricochet::numerics::Taylor;

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

/// The first line is the expression, every other one a parameter "name=text".
struct Input {
  std::string_view expression;
  std::vector<Parameter> parameters;
};
Input split(std::string_view text) {
  Input input;
  input.expression = text.substr(0, text.find('\n'));
  while (text.size() > text.find('\n')) {
    text.remove_prefix(text.find('\n') + 1);
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t sign = line.find('=');
    if (sign != line.npos)
      input.parameters.push_back({std::string(line.substr(0, sign)), std::string(line.substr(sign + 1))});
  }
  return input;
}

template <class T>
void visit(const Tape& tape) {
  Workspace<T> work(tape);
  const T x[] = {T(0.5), T(-1.25), T(0)};
  T g[3];
  tape.gradient(0, x, g, work);
}

void exercise(const Tape& tape) {
  Workspace<double> work(tape);
  for (const double s : {0.0, 0.5, -3.0}) {
    const double x[] = {s, 0.75, -s};
    double all = 0, g[3];
    tape.evaluate(x, &all, work);
    fuzzing::require(same(all, tape.evaluate(0, x, work)));
    fuzzing::require(same(all, tape.gradient(0, x, g, work)));
    for (int i = 0; i < 3; ++i) fuzzing::require(tape.depends_on(0, i) || g[i] == 0);
  }
  visit<long double>(tape);
  visit<Jet<double, 2>>(tape);
  visit<Taylor<double, 3>>(tape);
  visit<Ball<double>>(tape);
  // What was understood can be read again and means the same.
  const std::string printed = tape.print(0);
  for (const char* unprintable : {"...", "inf", "nan"})
    if (printed.find(unprintable) != printed.npos) return;
  TapeBuilder builder({"x", "y", "e"});
  try {
    builder.add(printed);
  } catch (const ParseError& error) {
    fuzzing::require(std::strstr(error.what(), "nested deeper") != nullptr);
    return;
  }
  const Tape again = builder.tape();
  Workspace<double> other(again);
  const double x[] = {0.3, 0.75, -2};
  fuzzing::require(same(tape.evaluate(0, x, work), again.evaluate(0, x, other)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input input = split({reinterpret_cast<const char*>(data), size});
  try {
    TapeBuilder builder({"x", "y", "e"}, Parameters(input.parameters));
    builder.add(input.expression);
    exercise(builder.tape());
  } catch (const ParseError& error) {
    fuzzing::require(std::strlen(error.what()) > 0);
    if (error.parameter().empty()) fuzzing::require(error.offset() <= input.expression.size());
  }
  return 0;
}
