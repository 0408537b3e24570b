#include "ricochet/scene/numbers.hpp"

#include <fmt/core.h>

#include <cmath>

#include "ricochet/error.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {

using expression::ParseError;
using expression::Tape;

Numbers::Numbers(const Scene& scene) : scene_(scene) {
  std::vector<expression::Parameter> list;
  for (const auto& [name, e] : scene.parameters) list.push_back({name, e.written()});
  try {
    parameters_ = expression::Parameters(std::move(list));
  } catch (const ParseError& error) {
    locate(error, nullptr);
  }
}

void Numbers::check_parameters(const std::vector<std::string>& variables) const {
  expression::TapeBuilder all(variables, parameters_);
  for (const auto& [name, e] : scene_.parameters) try {
      all.add_parameter(name);
    } catch (const ParseError& error) {
      locate(error, &e);
    }
}

Tape Numbers::tape(const std::vector<std::string>& variables, std::span<const Expression* const> list) const {
  expression::TapeBuilder builder(variables, parameters_);
  for (const Expression* e : list) try {
      if (e->piece >= 0)
        builder.add_piece(std::get<std::string>(e->value), e->piece);
      else
        std::visit([&](const auto& x) { builder.add(x); }, e->written());
    } catch (const ParseError& error) {
      locate(error, e);
    }
  return builder.tape();
}

expression::TapeBuilder::Pieces Numbers::pieces(const std::vector<std::string>& variables, const Expression& e,
                                                Tape& tape) const {
  expression::TapeBuilder builder(variables, parameters_);
  expression::TapeBuilder::Pieces pieces;
  try {
    if (const auto* text = std::get_if<std::string>(&e.value)) pieces = builder.add_pieces(*text);
  } catch (const ParseError& error) {
    locate(error, &e);
  }
  tape = builder.tape();
  return pieces;
}

Tape Numbers::tape(const std::vector<std::string>& variables, const Expression& e) const {
  const Expression* const one = &e;
  return tape(variables, {&one, 1});
}

double Numbers::number(const Expression& e, const char* what) const {
  const Tape t = tape({}, e);
  expression::Workspace<double> work(t);
  const double value = t.evaluate<double>(0, nullptr, work);
  if (!std::isfinite(value)) fail(e.place, fmt::format("{} is not a finite number", what));
  return value;
}

double Numbers::positive(const Expression& e, const char* what) const {
  const double value = number(e, what);
  if (!(value > 0)) fail(e.place, fmt::format("{} must be positive, not {:.6g}", what, value));
  return value;
}

int Numbers::count(const Expression& e, const char* what) const {
  const double value = positive(e, what);
  constexpr double most = 1e7;  // gigabytes of records; what is beyond is a slip of the pen
  if (value != std::floor(value) || value > most)
    fail(e.place,
         fmt::format("{} must be a whole number, not {:.10g}{}", what, value, value > most ? " (at most 1e7)" : ""));
  return static_cast<int>(value);
}

void Numbers::locate(const ParseError& error, const Expression* e) const {
  for (const auto& [name, parameter] : scene_.parameters)
    if (name == error.parameter()) fail(parameter.at(error.offset()), error.what());
  if (e != nullptr) fail(e->at(error.offset()), error.what());
  throw Error(ErrorKind::bad_scene, error.what());
}

void Numbers::read_time(Model& model) const {
  const auto& time = scene_.time;
  model.step = positive(time.step, "the step");
  model.impacts = time.impacts;
  if (!time.end) return;
  model.end = positive(*time.end, "the end");
  if (const double steps = *model.end / model.step; !(steps < 9e15))
    fail(time.end->place, fmt::format("the run would have more steps than can be counted ({:.6g})", steps));
}

}  // namespace ricochet::scene
