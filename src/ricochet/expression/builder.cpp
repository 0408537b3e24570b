#include "ricochet/expression/builder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "ricochet/expression/lexer.hpp"
#include "ricochet/expression/nearest.hpp"

namespace ricochet::expression {
namespace {

/// A number of a scene is meant as it was written: 9.81 in a long double run is 9.81L. The shortest decimal that gives
/// the double back is what was written.
Constant as_written(double value) {
  Constant c{value, static_cast<long double>(value)};
  if (!std::isfinite(value)) return c;
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  std::from_chars(std::begin(text), end, c.l);
  return c;
}

std::string ordinal(std::size_t i) {
  static const char* const words[] = {"first", "second", "third"};
  return i < 3 ? words[i] : std::to_string(i + 1) + "th";
}

}  // namespace

TapeBuilder::TapeBuilder(std::vector<std::string> variables, Parameters parameters)
    : variables_(std::move(variables)), parameters_(std::move(parameters)) {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const std::string& name = variables_[i];
    if (const std::string fault = name_fault(name); !fault.empty())
      throw ParseError("the variable name " + quoted(name) + " " + fault, 0);
    if (!slots_.try_emplace(name, static_cast<int>(i)).second)
      throw ParseError("the variable " + quoted(name) + " is given twice", 0);
  }
  resolved_.assign(parameters_.table_->entries.size(), none);
}

int TapeBuilder::add(std::string_view text) {
  const Syntax syntax = parse(text);
  resolve(syntax);
  return output(build(syntax), {});
}

int TapeBuilder::add(double number) { return output(graph_.constant(as_written(number)), {}); }

int TapeBuilder::add_parameter(std::string_view name) {
  const auto it = parameters_.table_->index.find(std::string(name));
  if (it == parameters_.table_->index.end())
    throw ParseError("unknown parameter " + quoted(name) + suggestion_or_list(name, parameters_.names()), 0);
  const auto slot = slots_.find(name);
  return output(slot != slots_.end() ? graph_.variable(slot->second) : parameter(it->second), std::string(name));
}

int TapeBuilder::output(NodeId node, const std::string& parameter) {
  if (is_truth(graph_[node].op)) throw ParseError("the expression is a comparison, not a number", 0, parameter);
  outputs_.push_back(node);
  return static_cast<int>(outputs_.size()) - 1;
}

/// Builds the parameters a text needs before the text itself.
void TapeBuilder::resolve(const Syntax& syntax) {
  if (resolved_.empty()) return;
  for (const Item& item : syntax.items)
    if (item.kind == Item::Kind::name && !slots_.contains(item.name))
      if (const auto it = parameters_.table_->index.find(std::string(item.name)); it != parameters_.table_->index.end())
        parameter(it->second);
}

/// Without recursion: what a parameter needs goes on top of it and is built first. There are no cycles.
NodeId TapeBuilder::parameter(std::size_t index) {
  const auto& entries = parameters_.table_->entries;
  std::vector<std::size_t> waiting{index};
  while (!waiting.empty()) {
    const std::size_t top = waiting.back();
    const std::size_t height = waiting.size();
    if (resolved_[top] == none)
      for (const std::size_t used : entries[top].uses)
        if (resolved_[used] == none && !slots_.contains(entries[used].given.name)) waiting.push_back(used);
    if (waiting.size() > height) continue;
    if (resolved_[top] == none) resolved_[top] = build_parameter(top);
    waiting.pop_back();
  }
  return resolved_[index];
}

NodeId TapeBuilder::build_parameter(std::size_t index) {
  const auto& entry = parameters_.table_->entries[index];
  if (const double* number = std::get_if<double>(&entry.given.value)) return graph_.constant(as_written(*number));
  try {
    reading_ = entry.given.name;
    const NodeId node = build(entry.syntax);
    reading_.clear();
    return node;
  } catch (const ParseError& error) {
    throw ParseError(error.what(), error.offset(), entry.given.name);
  }
}

NodeId TapeBuilder::build(const Syntax& syntax) {
  std::vector<NodeId> values;
  std::vector<std::size_t> offsets;  // where the text of each value starts
  for (const Item& item : syntax.items) {
    std::size_t offset = item.offset;
    NodeId node = none;
    switch (item.kind) {
      case Item::Kind::number:
        node = graph_.constant(item.value);
        break;
      case Item::Kind::name:
        node = name(item);
        break;
      case Item::Kind::apply: {
        const std::size_t first = values.size() - item.count;
        node = apply(item, &values[first], &offsets[first]);
        if (is_kink(item.function->op)) origins_.try_emplace(node, Origin{item.function->name, item.offset, reading_});
        offset = std::min(offset, offsets[first]);
        values.resize(first);
        offsets.resize(first);
        break;
      }
    }
    values.push_back(node);
    offsets.push_back(offset);
  }
  return values.back();
}

NodeId TapeBuilder::name(const Item& item) {
  if (const auto it = slots_.find(item.name); it != slots_.end()) return graph_.variable(it->second);
  const auto& index = parameters_.table_->index;
  if (const auto it = index.find(std::string(item.name)); it != index.end()) return resolved_[it->second];
  if (item.name == "pi") return graph_.constant({std::numbers::pi, std::numbers::pi_v<long double>});
  if (find_function(item.name))
    throw ParseError(quoted(item.name) + " is a function and needs its arguments in parentheses", item.offset);
  std::vector<std::string> known = variables_;
  for (std::string& parameter : parameters_.names()) known.push_back(std::move(parameter));
  known.push_back("pi");
  const bool euler = item.name == "e" && !nearest(item.name, known);
  throw ParseError("unknown name " + quoted(item.name) +
                       (euler ? "; write exp(1) for Euler's number" : suggestion_or_list(item.name, known)),
                   item.offset);
}

NodeId TapeBuilder::apply(const Item& item, const NodeId* arguments, const std::size_t* offsets) {
  const Function& f = *item.function;
  const bool wants_truths = f.op == Op::both || f.op == Op::either || f.op == Op::negation;
  for (std::size_t i = 0; i < item.count; ++i) {
    const bool truth = is_truth(graph_[arguments[i]].op);
    const bool wanted = wants_truths || (f.op == Op::choose && i == 0);
    if (truth == wanted) continue;
    const std::string which = item.count == 1 ? "its operand" : "its " + ordinal(i) + " operand";
    if (wanted) throw ParseError(quoted(f.name) + " needs a comparison, but " + which + " is a number", offsets[i]);
    throw ParseError(quoted(f.name) + " needs a number, but " + which + " is a comparison; write if(..., 1, 0)",
                     offsets[i]);
  }
  if (f.op == Op::choose) return graph_.make(f.op, arguments[0], arguments[1], arguments[2]);
  if (item.count == 1) return graph_.make(f.op, arguments[0]);
  NodeId node = arguments[0];
  for (std::size_t i = 1; i < item.count; ++i)
    node = f.form == Function::Form::swapped ? graph_.make(f.op, arguments[i], node)
                                             : graph_.make(f.op, node, arguments[i]);
  return f.form == Function::Form::negated ? graph_.make(Op::negation, node) : node;
}

}  // namespace ricochet::expression
