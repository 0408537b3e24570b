// Names and texts → tape.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "ricochet/expression/branches.hpp"
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

  /// What a formula with kinks is made of, as outputs in the order in which they were written.
  struct Pieces {
    std::vector<int> outputs;
    /// Numbers of pieces: the set φ ≥ 0 is the intersection of these unions. A piece may be in several.
    std::vector<std::vector<int>> clauses;
    bool whole = true;  ///< there are no kinks to split, and the only piece is the formula itself
    /// An `if` that is left in a piece, whose formulas may not meet: the outputs whose changes of sign decide there.
    struct Doubt {
      int output;
      std::vector<int> decided_by;
      std::size_t offset;
      std::string parameter;
    };
    std::vector<Doubt> doubts;
  };
  /// Splits a formula of a gap; throws ParseError where a kink cannot be split.
  Pieces add_pieces(std::string_view text);
  /// One of these pieces as an output.
  int add_piece(std::string_view text, int piece);
  /// A variable that stands for a number: where a split needs a sign, this value gives it.
  void take_as(std::string_view variable, double value);

  Tape tape() const { return Tape(graph_, outputs_, variables_); }

 private:
  NodeId build(const Syntax& syntax);
  NodeId name(const Item& item);
  NodeId apply(const Item& item, const NodeId* arguments, const std::size_t* offsets);
  NodeId parameter(std::size_t index);
  NodeId build_parameter(std::size_t index);
  void resolve(const Syntax& syntax);
  int output(NodeId node, const std::string& parameter);
  Branches split_text(std::string_view text, NodeId& root);
  std::vector<int> add_deciding(NodeId piece);

  std::vector<std::string> variables_;
  Parameters parameters_;
  std::unordered_map<std::string_view, int> slots_;
  Graph graph_;
  std::vector<NodeId> resolved_;  // the node of each parameter, once it is known
  std::vector<NodeId> outputs_;

  struct Origin {
    std::string_view function;
    std::size_t offset;
    std::string parameter;
  };
  std::unordered_map<NodeId, Origin> origins_;  // where the first text of a kink stands
  std::string reading_;                         // the parameter that is being built
  std::unordered_map<int, double> taken_as_;
};

}  // namespace ricochet::expression
