// The pieces of formulas with kinks, as outputs of a tape.
#include <algorithm>

#include "ricochet/expression/branches.hpp"
#include "ricochet/expression/builder.hpp"
#include "ricochet/expression/lexer.hpp"

namespace ricochet::expression {
namespace {

std::string sentence(const std::string& why, const std::string& function) {
  if (why == "jumps" && function == "'if'")
    return "the gap jumps here: the two values of this 'if' differ wherever its condition changes";
  if (why == "jumps") return "the gap jumps here: " + function + " is not continuous, which a gap must be";
  if (why == "sign")
    return "the kink of " + function +
           " is multiplied by a factor whose sign is not known, so that it cannot be split into smooth pieces";
  if (why == "many")
    return "the gap has more than " + std::to_string(most_pieces) + " smooth pieces; several gaps may say the same";
  if (why == "never") return "the gap is negative everywhere: nothing is admissible";
  if (why == "always") return "the gap is nowhere negative: it is no wall";
  return "the kink of " + function +
         " cannot be split into smooth pieces here: sums, multiples by what has one sign, abs, min, max and odd powers "
         "of it can";
}

/// The pieces in the order in which they come.
std::vector<NodeId> once(const Lattice& clauses) {
  std::vector<NodeId> nodes;
  for (const auto& clause : clauses)
    for (const NodeId node : clause)
      if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  return nodes;
}

}  // namespace

Branches TapeBuilder::split_text(std::string_view text, NodeId& root) {
  const Syntax syntax = parse(text);
  resolve(syntax);
  root = build(syntax);
  if (is_truth(graph_[root].op)) throw ParseError("the expression is a comparison, not a number", 0);
  try {
    return split(graph_, root, [this](int slot) -> std::optional<double> {
      const auto it = taken_as_.find(slot);
      return it == taken_as_.end() ? std::nullopt : std::optional(it->second);
    });
  } catch (const NotSplit& fault) {
    const auto origin = origins_.find(fault.at());
    if (origin == origins_.end()) throw ParseError(sentence(fault.what(), "this formula"), 0);
    const Origin& o = origin->second;
    throw ParseError(sentence(fault.what(), quoted(o.function)), o.offset, o.parameter);
  }
}

/// What decides between the formulas of a piece: its outputs change their signs where the piece has its kinks.
std::vector<int> TapeBuilder::add_deciding(NodeId piece) {
  std::vector<int> outputs;
  const auto add = [&](NodeId node) {
    outputs_.push_back(node);
    outputs.push_back(static_cast<int>(outputs_.size()) - 1);
  };
  const auto inside = kinked(graph_, piece);
  std::vector<bool> truths(piece + 1, false);
  for (NodeId id = piece + 1; id-- > 0;) {
    const Node n = graph_[id];
    if (truths[id])
      for (const NodeId operand : {n.a, n.b})
        if (operand != none && is_truth(graph_[operand].op)) truths[operand] = true;
    if (truths[id] && (n.op == Op::less || n.op == Op::less_equal || n.op == Op::equal))
      add(graph_.make(Op::subtract, n.a, n.b));
    if (!inside[id]) continue;
    if (n.op == Op::choose) truths[n.a] = true;
    if (n.op == Op::abs) add(n.a);
    if (n.op == Op::min || n.op == Op::max) add(graph_.make(Op::subtract, n.a, n.b));
  }
  return outputs;
}

TapeBuilder::Pieces TapeBuilder::add_pieces(std::string_view text) {
  NodeId root = none;
  const Branches branches = split_text(text, root);
  Pieces pieces;
  const auto nodes = once(branches.clauses);
  for (const NodeId node : nodes) pieces.outputs.push_back(output(node, {}));
  for (const auto& clause : branches.clauses) {
    pieces.clauses.emplace_back();
    for (const NodeId node : clause)
      pieces.clauses.back().push_back(static_cast<int>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin()));
  }
  pieces.whole = branches.clauses.size() == 1 && branches.clauses.front() == std::vector<NodeId>{root};
  for (const NodeId piece : branches.doubtful) {
    Pieces::Doubt doubt{output(piece, {}), add_deciding(piece), 0, {}};
    const auto inside = kinked(graph_, piece);
    for (NodeId id = 0; id <= piece; ++id)
      if (const auto it = origins_.find(id); inside[id] && it != origins_.end() && graph_[id].op == Op::choose) {
        doubt.offset = it->second.offset;
        doubt.parameter = it->second.parameter;
        break;
      }
    pieces.doubts.push_back(std::move(doubt));
  }
  return pieces;
}

int TapeBuilder::add_piece(std::string_view text, int piece) {
  NodeId root = none;
  const auto nodes = once(split_text(text, root).clauses);
  if (piece >= 0 && static_cast<std::size_t>(piece) < nodes.size())
    return output(nodes[static_cast<std::size_t>(piece)], {});
  throw ParseError("a piece of this formula is not there any more", 0);
}

void TapeBuilder::take_as(std::string_view variable, double value) {
  if (const auto it = slots_.find(variable); it != slots_.end()) taken_as_[it->second] = value;
}

}  // namespace ricochet::expression
