// Expressions as a graph without repetitions: equal subexpressions are one node, constants are folded.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ricochet/expression/op.hpp"
#include "ricochet/expression/syntax.hpp"

namespace ricochet::expression {

using NodeId = std::uint32_t;
inline constexpr NodeId none = ~NodeId{0};

/// Operands come before the node that uses them: the order of the ids is an order of evaluation.
struct Node {
  Op op = Op::constant;
  std::int32_t k = 0;                   // exponent of integer_power; slot of a variable; index of a constant
  NodeId a = none, b = none, c = none;  // choose: if a then b else c
  bool operator==(const Node&) const = default;
};

class Graph {
 public:
  NodeId variable(int slot);
  NodeId constant(const Constant& value);
  /// The node of an operation: simplified where the result is the same number to the last bit, in double and
  /// in long double; an existing node where there is one.
  NodeId make(Op op, NodeId a, NodeId b = none, NodeId c = none);
  NodeId integer_power(NodeId a, int k);

  const Node& operator[](NodeId id) const { return nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }
  const Constant& value(const Node& node) const { return constants_[static_cast<std::size_t>(node.k)]; }

 private:
  struct Hash {
    std::size_t operator()(const Node& n) const;
    std::size_t operator()(const Constant& c) const;
  };
  struct SameBits {
    bool operator()(const Constant& x, const Constant& y) const;
  };

  NodeId intern(Node node);
  NodeId truth(bool value) { return intern({.op = value ? Op::yes : Op::no}); }
  const Constant* constant_at(NodeId id) const;
  bool is(NodeId id, double value) const;
  NodeId fold(Op op, int k, NodeId a, NodeId b);
  NodeId fold_comparison(Op op, NodeId a, NodeId b);
  NodeId simplify(Op op, NodeId a, NodeId b, NodeId c);
  NodeId simplify_sum(Op op, NodeId a, NodeId b);
  NodeId simplify_product(Op op, NodeId a, NodeId b);
  NodeId simplify_truth(Op op, NodeId a, NodeId b);

  std::vector<Node> nodes_;
  std::vector<Constant> constants_;
  std::unordered_map<Node, NodeId, Hash> known_;
  std::unordered_map<Constant, NodeId, Hash, SameBits> known_constants_;
};

}  // namespace ricochet::expression
