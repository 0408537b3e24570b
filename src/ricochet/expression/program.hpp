// A straight list of instructions for some outputs of a graph. Branches of `if` are blocks of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ricochet/expression/graph.hpp"

namespace ricochet::expression {

using Slot = std::uint32_t;

/// Most instructions read the values a, b and write the value `to`.
///   sin, cos       also know a slot b for the other of the two, which the derivative needs
///   integer_power  c is the exponent
///   sincos         writes the sine to `to`, the cosine to b
///   choose         value of b or c, as the truth a says
///   less … negation write the truth `to`
///   branch         runs the block at b or at c, as the truth a says; `none` is an empty block
///   ensure         runs the block at b unless it already ran (flag a)
///   stop           end of a block
struct Instruction {
  Op op = Op::stop;
  bool active = false;  // whether its slope matters to the output; what conditions and steps need has none
  Slot to = none, a = none, b = none, c = none;
};

struct Program {
  std::vector<Instruction> code;  // starts at 1, after a jump that never runs
  std::vector<Slot> inputs;       // the variables it reads, ascending
  std::uint32_t jumps = 0;        // branches, ensures and stops; each runs at most once
  bool selects = false;           // whether it has an `if`, a min or a max
  bool affine = false;            // sums and multiples of variables only: the derivatives are constants
  std::uint32_t slopes = 0;       // where they are in a workspace
  std::uint32_t flags = 0;        // of `ensure`
};

/// Where the nodes of a graph live: constants first, then variables, then what is computed. Truths have their own
/// slots.
struct Layout {
  std::vector<Slot> slot;       // of each node
  std::vector<NodeId> partner;  // the cosine of a sine and the reverse, if it is in the graph
  std::vector<Slot> other;      // slot for the value of the partner, in the graph or not
  std::uint32_t constants = 0, variables = 0, values = 0, truths = 0;
};

/// Writes programs for a graph; keeps its scratch space between them.
class Planner {
 public:
  Planner(const std::vector<Node>& nodes, const Layout& layout);
  Program plan(std::span<const NodeId> roots);

 private:
  // A region is a stretch of code that runs as a whole: the program, one branch of an `if`, or the computation of a
  // node that several branches share while none of them is certain to run.
  struct Region {
    std::uint32_t parent, jump, depth;
    std::uint32_t sibling;        // the other branch
    std::vector<NodeId> content;  // to be computed here, in any order
    std::vector<NodeId> needed;   // shared nodes whose own region must have run
    std::uint32_t start = none;   // of the block in the code
  };
  static constexpr std::uint32_t no_region = ~std::uint32_t{0};

  struct Place {
    std::uint32_t home = no_region;                                  // where the node is computed
    std::uint32_t flag = no_region;                                  // of a shared node
    std::uint32_t then_region = no_region, else_region = no_region;  // of a choose
    bool active = false;
    std::vector<std::uint32_t> uses;
  };

  std::vector<NodeId> reachable(std::span<const NodeId> roots);
  std::uint32_t add_region(std::uint32_t parent);
  std::uint32_t common(std::uint32_t a, std::uint32_t b) const;
  bool is_certain(std::uint32_t region, const std::vector<std::uint32_t>& uses) const;
  void place(NodeId id);
  void use(NodeId id, std::uint32_t region, bool active);
  void group(Instruction* first, Instruction* last);
  void emit_region(std::uint32_t region, Program& program);
  void emit(NodeId id, Program& program);
  Instruction instruction(NodeId id) const;
  bool is_constant(NodeId id) const { return nodes_[id].op == Op::constant; }

  const std::vector<Node>& nodes_;
  const Layout& layout_;
  std::vector<std::uint32_t> stamp_;
  std::vector<Place> place_;
  std::vector<Region> regions_;
  std::vector<std::uint32_t> value_level_, truth_level_;  // by slot, in `group`; zero outside
  std::uint32_t now_ = 0, flags_ = 0;
};

}  // namespace ricochet::expression
