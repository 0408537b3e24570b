// Numbers and tapes out of the expressions of a scene, with the place of whatever is wrong in them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ricochet/expression/builder.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet::scene {

struct Model;

class Numbers {
 public:
  /// Keeps a reference to the scene.
  explicit Numbers(const Scene& scene);

  /// Refuses names that are neither parameters nor variables, also in parameters that nobody uses.
  void check_parameters(const std::vector<std::string>& variables) const;
  /// One output for each expression, in the given variables.
  expression::Tape tape(const std::vector<std::string>& variables, std::span<const Expression* const> list) const;
  expression::Tape tape(const std::vector<std::string>& variables, const Expression& e) const;
  /// The smooth pieces of a formula with kinks, and a tape of them; one without is its only piece.
  expression::TapeBuilder::Pieces pieces(const std::vector<std::string>& variables, const Expression& e,
                                         expression::Tape& tape) const;
  double number(const Expression& e, const char* what) const;
  double positive(const Expression& e, const char* what) const;
  /// A whole number from 1 to 1e9.
  int count(const Expression& e, const char* what) const;
  /// Step, end and number of impacts of [time].
  void read_time(Model& model) const;

 private:
  [[noreturn]] void locate(const expression::ParseError& error, const Expression* e) const;

  const Scene& scene_;
  expression::Parameters parameters_;
};

}  // namespace ricochet::scene
