// Kinks in the formula of a gap: it as a minimum of maxima of formulas without.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ricochet/expression/graph.hpp"

namespace ricochet::expression {

/// φ = min_c max_j φ_cj. The set φ ≥ 0 is the intersection of the clauses c, and each of these is the union of the sets
/// φ_cj ≥ 0, which have smooth boundaries.
using Lattice = std::vector<std::vector<NodeId>>;

/// More pieces than this are refused: a minimum of maxima may be exponentially longer than what it is made of.
inline constexpr std::size_t most_pieces = 256;

/// A formula that has no such form, and the operation that is to blame.
class NotSplit : public std::runtime_error {
 public:
  NotSplit(const std::string& why, NodeId at) : std::runtime_error(why), at_(at) {}
  NodeId at() const { return at_; }

 private:
  NodeId at_;
};

struct Branches {
  Lattice clauses;
  /// Pieces in which an `if` is left, whose two formulas need not meet: whether they do, and how, is to be looked at.
  std::vector<NodeId> doubtful;
};

/// abs, min, max, if, sign, floor, ceil, mod.
bool is_kink(Op op);
/// Whether a node has one of abs, min, max, if, sign, floor, ceil, mod of what varies.
std::vector<bool> kinked(const Graph& graph, NodeId root);

/// The pieces of `root`, which are added to the graph. `known` gives the value of a variable whose sign is that of a
/// constant (a parameter that is differentiated by); throws NotSplit.
Branches split(Graph& graph, NodeId root, const std::function<std::optional<double>(int slot)>& known = {});

}  // namespace ricochet::expression
