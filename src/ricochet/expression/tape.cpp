#include "ricochet/expression/tape.hpp"

#include <algorithm>
#include <unordered_map>

namespace ricochet::expression {

RICOCHET_EXPRESSION_INSTANCES(, double);

/// Copies from the graph what the outputs need, in the same order.
Tape::Tape(const Graph& graph, const std::vector<NodeId>& outputs, std::vector<std::string> names)
    : names_(std::move(names)) {
  std::vector<bool> needed(graph.size(), false);
  for (const NodeId id : outputs) needed[id] = true;
  for (std::size_t id = graph.size(); id-- > 0;)
    if (needed[id])
      for (const NodeId operand : {graph[NodeId(id)].a, graph[NodeId(id)].b, graph[NodeId(id)].c})
        if (operand != none) needed[operand] = true;

  std::vector<NodeId> renamed(graph.size(), none);
  const auto rename = [&](NodeId id) { return id == none ? none : renamed[id]; };
  for (std::size_t id = 0; id < graph.size(); ++id) {
    if (!needed[id]) continue;
    Node node = graph[NodeId(id)];
    if (node.op == Op::constant) {
      constants_.push_back(graph.value(node));
      node.k = static_cast<std::int32_t>(constants_.size()) - 1;
    }
    node.a = rename(node.a);
    node.b = rename(node.b);
    node.c = rename(node.c);
    renamed[id] = static_cast<NodeId>(nodes_.size());
    nodes_.push_back(node);
  }
  for (const NodeId id : outputs) roots_.push_back(renamed[id]);
  lay_out();

  Planner planner(nodes_, layout_);
  for (const NodeId& root : roots_) {
    Program program = planner.plan({&root, 1});
    program.slopes = slopes_;
    if (program.affine) slopes_ += static_cast<std::uint32_t>(program.inputs.size());
    programs_.push_back(std::move(program));
  }
  all_ = planner.plan(roots_);
}

void Tape::lay_out() {
  Layout& l = layout_;
  l.slot.resize(nodes_.size());
  l.partner.assign(nodes_.size(), none);
  l.other.assign(nodes_.size(), none);
  l.constants = static_cast<std::uint32_t>(constants_.size());
  l.variables = static_cast<std::uint32_t>(names_.size());
  l.values = l.constants + l.variables;
  std::unordered_map<NodeId, NodeId> sine_or_cosine;  // by argument
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const Node& n = nodes_[id];
    if (n.op == Op::constant)
      l.slot[id] = static_cast<Slot>(n.k);
    else if (n.op == Op::variable)
      l.slot[id] = variable_slot(static_cast<Slot>(n.k));
    else
      l.slot[id] = is_truth(n.op) ? l.truths++ : l.values++;
    if (n.op != Op::sin && n.op != Op::cos) continue;
    const auto [it, first] = sine_or_cosine.try_emplace(n.a, id);
    if (first) continue;
    l.partner[id] = it->second;
    l.partner[it->second] = id;
  }
  for (NodeId id = 0; id < nodes_.size(); ++id)
    if (nodes_[id].op == Op::sin || nodes_[id].op == Op::cos)
      l.other[id] = l.partner[id] != none ? l.slot[l.partner[id]] : l.values++;
}

bool Tape::depends_on(int output, int slot) const {
  const std::vector<Slot>& in = program(output).inputs;
  return slot >= 0 && std::binary_search(in.begin(), in.end(), static_cast<Slot>(slot));
}

}  // namespace ricochet::expression
