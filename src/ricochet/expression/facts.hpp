// What can be told of a node of a graph without evaluating it: its value, its sign, what it is a sum of.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "ricochet/expression/graph.hpp"

namespace ricochet::expression {

/// Which signs a value may have.
struct Signs {
  bool negative = true, zero = true, positive = true;
  bool nonnegative() const { return !negative; }
  bool nonpositive() const { return !positive; }
  Signs opposite() const { return {positive, zero, negative}; }
};

/// Σ c_a·a + c_0 over nodes that are no sums themselves; `none` stands for 1.
using Affine = std::map<NodeId, double>;
/// a −= b; what cancels but for rounding is gone.
void subtract(Affine& a, const Affine& b);
/// k with a = k·b; 0 where there is none.
double ratio(const Affine& a, const Affine& b);

class Facts {
 public:
  using Given = std::function<std::optional<double>(int slot)>;

  /// `given` knows the values of some variables. Refers to both.
  Facts(const Graph& graph, const Given& given) : graph_(graph), given_(given) {}

  std::optional<double> known(NodeId id, int depth = 0) const;
  Signs signs(NodeId id, int depth = 0) const;
  Affine affine(NodeId id, int depth = 0) const;

 private:
  static constexpr int deepest = 200, most_visits = 10000;

  /// A graph shares what a text repeats: as a tree it may be exponentially larger. What takes longer is not known.
  void begin(int depth) const {
    if (depth == 0) visits_ = 0;
  }
  bool tired(int depth) const { return depth > deepest || ++visits_ > most_visits; }

  const Graph& graph_;
  const Given& given_;
  mutable int visits_ = 0;
};

}  // namespace ricochet::expression
