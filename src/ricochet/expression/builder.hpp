// Names and texts → tape.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "ricochet/expression/parse_error.hpp"
#include "ricochet/expression/tape.hpp"

namespace ricochet::expression {

/// A named number or expression, usable in every other one.
struct Parameter {
  std::string name;
  std::variant<double, std::string> value;
};

/// Parameters in any order, without cycles; texts are parsed once. They may use variables of the tapes they appear in.
class Parameters {
 public:
  Parameters() : Parameters(std::vector<Parameter>{}) {}
  /// Throws ParseError for a bad name, a name given twice, a text that cannot be parsed, and a cycle.
  explicit Parameters(std::vector<Parameter> list);

  bool contains(std::string_view name) const { return table_->index.contains(std::string(name)); }
  std::vector<std::string> names() const;
  /// The number a parameter stands for; throws ParseError if it depends on more than parameters.
  double value(std::string_view name) const;

 private:
  friend class TapeBuilder;
  struct Entry {
    Parameter given;
    Syntax syntax;                  // empty for a number
    std::vector<std::size_t> uses;  // other parameters, in the order of the text
  };
  struct Table {
    std::deque<Entry> entries;  // never moved: the syntax refers to the text
    std::unordered_map<std::string, std::size_t> index;
  };
  void refuse_cycles() const;

  std::shared_ptr<Table> table_;
};

/// Collects the outputs of a tape. A parameter becomes a variable, to be differentiated by, if its name is also in the
/// list of variables.
class TapeBuilder {
 public:
  explicit TapeBuilder(std::vector<std::string> variables, Parameters parameters = {});
  TapeBuilder(const TapeBuilder&) = delete;  // slots_ refers to variables_
  TapeBuilder& operator=(const TapeBuilder&) = delete;

  /// Adds an output and returns its index; throws ParseError.
  int add(std::string_view text);
  int add(double number);
  /// The parameter itself as an output.
  int add_parameter(std::string_view name);

  Tape tape() const { return Tape(graph_, outputs_, variables_); }

 private:
  NodeId build(const Syntax& syntax);
  NodeId name(const Item& item);
  NodeId apply(const Item& item, const NodeId* arguments, const std::size_t* offsets);
  NodeId parameter(std::size_t index);
  NodeId build_parameter(std::size_t index);
  void resolve(const Syntax& syntax);
  int output(NodeId node, const std::string& parameter);

  std::vector<std::string> variables_;
  Parameters parameters_;
  std::unordered_map<std::string_view, int> slots_;
  Graph graph_;
  std::vector<NodeId> resolved_;  // the node of each parameter, once it is known
  std::vector<NodeId> outputs_;
};

}  // namespace ricochet::expression
