#include "ricochet/expression/branches.hpp"

#include <algorithm>
#include <utility>

#include "ricochet/expression/facts.hpp"

namespace ricochet::expression {

bool is_kink(Op op) {
  switch (op) {
    case Op::abs:
    case Op::min:
    case Op::max:
    case Op::choose:
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::mod:
      return true;
    default:
      return false;
  }
}

namespace {

bool jumps(Op op) { return op == Op::sign || op == Op::floor || op == Op::ceil || op == Op::mod; }

class Splitter {
 public:
  Splitter(Graph& graph, NodeId root, const Facts::Given& known)
      : graph_(graph), root_(root), facts_(graph, known), kinked_(kinked(graph, root)), forms_(kinked_.size()) {}

  Branches operator()() {
    for (NodeId id = 0; id <= root_; ++id)
      if (kinked_[id] && !is_truth(graph_[id].op)) forms_[id] = form(id);
    Branches branches;
    try {
      branches.clauses = lattice(root_);
    } catch (const NotSplit& fault) {
      throw NotSplit(fault.what(), blamed(fault.at()));
    }
    conclude(branches.clauses);
    for (const auto& clause : branches.clauses)
      for (const NodeId piece : clause)
        if (const auto left = kinked(graph_, piece); left[piece] && std::ranges::count(branches.doubtful, piece) == 0) {
          for (NodeId id = 0; id <= piece; ++id)
            if (left[id] && jumps(graph_[id].op)) throw NotSplit("jumps", id);
          branches.doubtful.push_back(piece);
        }
    return branches;
  }

 private:
  /// Of a node with kinks: its lattice, or why there is none. Nobody may ask: conditions need no lattice.
  struct Form {
    Lattice lattice;
    std::string fault{};
    NodeId at = none;
  };

  Form form(NodeId id) {
    try {
      Form f{split(id)};
      absorb(f.lattice);
      require_few(count(f.lattice), id, most_pieces);
      return f;
    } catch (const NotSplit& fault) {
      return {{}, fault.what(), fault.at()};
    }
  }
  Lattice lattice(NodeId id) const {
    if (id >= kinked_.size() || !kinked_[id]) return {{id}};
    const Form& f = forms_[id];
    if (!f.fault.empty()) throw NotSplit(f.fault, f.at);
    return f.lattice;
  }
  /// Without kinks, or taken as it is.
  bool smooth(NodeId id) const {
    if (id >= kinked_.size() || !kinked_[id]) return true;
    const Form& f = forms_[id];
    return f.fault.empty() && f.lattice.size() == 1 && f.lattice.front() == std::vector<NodeId>{id};
  }

  Lattice split(NodeId id) {
    const Node n = graph_[id];  // a copy: the graph grows
    if (jumps(n.op)) throw NotSplit("jumps", id);
    if (!is_kink(n.op) && smooth(n.a) && (n.b == none || smooth(n.b))) return {{id}};
    switch (n.op) {
      case Op::min: {
        Lattice both = lattice(n.a);
        for (auto& clause : lattice(n.b)) both.push_back(std::move(clause));
        return both;
      }
      case Op::max:
        return larger(lattice(n.a), lattice(n.b), id);
      case Op::abs:
        return larger(lattice(n.a), negative(lattice(n.a), id), id);
      case Op::choose:
        return choose(id, n);
      case Op::negate:
        return negative(lattice(n.a), id);
      case Op::add:
        return together(lattice(n.a), lattice(n.b), id);
      case Op::subtract:
        return together(lattice(n.a), negative(lattice(n.b), id), id);
      case Op::multiply:
        return times(id, n);
      case Op::divide:
        if (smooth(n.b))
          return scaled(
              n.a, facts_.signs(n.b), [&](NodeId x) { return graph_.make(Op::divide, x, n.b); }, id);
        break;
      case Op::exp:
      case Op::atan:
      case Op::sinh:
      case Op::tanh:
      case Op::cbrt:
      case Op::cube:
        return each(lattice(n.a), [&](NodeId x) { return graph_.make(n.op, x); });
      case Op::integer_power:
        if (n.k > 0 && n.k % 2 == 1) return each(lattice(n.a), [&](NodeId x) { return graph_.integer_power(x, n.k); });
        if (const NodeId u = inside_abs(n.a); u != none && n.k % 2 == 0) return {{graph_.integer_power(u, n.k)}};
        break;
      case Op::square:
      case Op::cos:
      case Op::cosh:  // even functions see no sign
        if (const NodeId u = inside_abs(n.a); u != none) return {{graph_.make(n.op, u)}};
        break;
      case Op::hypot: {
        const NodeId u = inside_abs(n.a), w = inside_abs(n.b);
        if (u != none && w != none) return {{graph_.make(Op::hypot, u, w)}};
        break;
      }
      default:
        break;
    }
    throw NotSplit("inside", id);
  }

  /// `if` is a minimum or a maximum of its formulas where their difference is a multiple of what the condition
  /// compares: they meet there, and cross.
  Lattice choose(NodeId id, const Node& n) {
    Node condition = graph_[n.a];
    bool swapped = false;
    if (condition.op == Op::negation) {
      swapped = true;
      condition = graph_[condition.a];
    }
    Affine difference = facts_.affine(n.b);
    subtract(difference, facts_.affine(n.c));
    if (difference.empty()) return lattice(n.b);
    if (difference.size() == 1 && difference.contains(none)) throw NotSplit("jumps", id);
    if (condition.op == Op::less || condition.op == Op::less_equal) {
      Affine compared = facts_.affine(condition.a);
      subtract(compared, facts_.affine(condition.b));
      if (const double k = ratio(difference, compared); k != 0) {
        const bool least = (k > 0) != swapped;
        if (!least) return larger(lattice(n.b), lattice(n.c), id);
        Lattice both = lattice(n.b);
        for (auto& clause : lattice(n.c)) both.push_back(std::move(clause));
        return both;
      }
    }
    return {{id}};  // as it is: whether it is smooth is asked later
  }

  Lattice times(NodeId id, const Node& n) {
    if (smooth(n.a))
      return scaled(
          n.b, facts_.signs(n.a), [&](NodeId x) { return graph_.make(Op::multiply, n.a, x); }, id);
    if (smooth(n.b))
      return scaled(
          n.a, facts_.signs(n.b), [&](NodeId x) { return graph_.make(Op::multiply, x, n.b); }, id);
    if (graph_[n.a].op == Op::abs && graph_[n.b].op == Op::abs) {
      const NodeId u = graph_[n.a].a, w = graph_[n.b].a;
      if (smooth(u) && smooth(w)) {
        const NodeId uw = graph_.make(Op::multiply, u, w);
        return {{uw, graph_.make(Op::negate, uw)}};
      }
    }
    throw NotSplit("inside", id);
  }
  /// A node times (or over) what has one sign.
  template <class Make>
  Lattice scaled(NodeId id, Signs by, Make&& make, NodeId at) {
    if (by.nonnegative()) return each(lattice(id), make);
    if (by.nonpositive()) return negative_of(each(lattice(id), make), at);
    throw NotSplit("sign", at);
  }

  template <class Make>
  static Lattice each(Lattice lattice, Make&& make) {
    for (auto& clause : lattice)
      for (NodeId& piece : clause) piece = make(piece);
    return lattice;
  }
  /// max(min_i A_i, min_k B_k) = min_ik max(A_i, B_k).
  static Lattice larger(const Lattice& a, const Lattice& b, NodeId at) {
    Lattice out;
    require_few(count(a) * b.size() + a.size() * count(b), at);
    for (const auto& x : a)
      for (const auto& y : b) {
        out.push_back(x);
        out.back().insert(out.back().end(), y.begin(), y.end());
      }
    return out;
  }
  /// min_i max_j a_ij + min_k max_l b_kl = min_ik max_jl (a_ij + b_kl).
  Lattice together(const Lattice& a, const Lattice& b, NodeId at) {
    Lattice out;
    require_few(count(a) * count(b), at);
    for (const auto& x : a)
      for (const auto& y : b) {
        auto& clause = out.emplace_back();
        for (const NodeId u : x)
          for (const NodeId w : y) clause.push_back(graph_.make(Op::add, u, w));
      }
    return out;
  }
  Lattice negative(const Lattice& a, NodeId at) {
    return negative_of(each(a, [&](NodeId x) { return minus(x); }), at);
  }
  /// max_i min_j a_ij as a minimum of maxima: one clause for every way to choose a j for each i.
  static Lattice negative_of(const Lattice& a, NodeId at) {
    Lattice out{{}};
    for (const auto& clause : a) {
      require_few((count(out) + out.size()) * clause.size(), at);
      Lattice longer;
      for (const auto& chosen : out)
        for (const NodeId piece : clause) {
          longer.push_back(chosen);
          longer.back().push_back(piece);
        }
      out = std::move(longer);
    }
    return out;
  }
  NodeId minus(NodeId x) {
    const Node n = graph_[x];
    if (n.op == Op::subtract) return graph_.make(Op::subtract, n.b, n.a);
    return graph_.make(Op::negate, x);
  }
  static std::size_t count(const Lattice& a) {
    std::size_t n = 0;
    for (const auto& clause : a) n += clause.size();
    return n;
  }
  /// Before what is superfluous has gone there may be more.
  static void require_few(std::size_t n, NodeId at, std::size_t most = 4 * most_pieces) {
    if (n > most) throw NotSplit("many", at);
  }

  /// A clause that contains another one is never the smaller of the two.
  static void absorb(Lattice& a) {
    for (auto& clause : a) {
      std::vector<NodeId> once;
      for (const NodeId piece : clause)
        if (std::find(once.begin(), once.end(), piece) == once.end()) once.push_back(piece);
      clause = std::move(once);
    }
    Lattice sorted = a;
    for (auto& clause : sorted) std::sort(clause.begin(), clause.end());
    const auto contains = [&](std::size_t whole, std::size_t part) {
      return std::ranges::includes(sorted[whole], sorted[part]);
    };
    Lattice kept;
    for (std::size_t i = 0; i < a.size(); ++i) {
      bool needed = true;
      for (std::size_t k = 0; k < a.size() && needed; ++k)
        needed = i == k || !contains(i, k) || (contains(k, i) && i < k);
      if (needed) kept.push_back(a[i]);
    }
    a = std::move(kept);
  }
  /// The set alone counts from here on: clauses that always hold, and members that never do, go.
  void conclude(Lattice& a) {
    Lattice kept;
    for (auto& clause : a) {
      bool always = false;
      std::vector<NodeId> left;
      for (const NodeId piece : clause) {
        const auto value = facts_.known(piece);
        always = always || (value && *value >= 0) || facts_.signs(piece).nonnegative();
        for (const NodeId other : left) always = always || opposite(piece, other);
        if (!value || *value >= 0) left.push_back(piece);
      }
      if (always) continue;
      if (left.empty()) throw NotSplit("never", root_);
      kept.push_back(std::move(left));
    }
    if (kept.empty()) throw NotSplit("always", root_);
    absorb(kept);
    if (count(kept) > most_pieces) throw NotSplit("many", root_);
    a = std::move(kept);
  }
  bool opposite(NodeId a, NodeId b) {
    if (minus(a) == b || minus(b) == a) return true;
    Affine sum = facts_.affine(a);
    for (const auto& [atom, c] : facts_.affine(b)) sum[atom] += c;
    return std::all_of(sum.begin(), sum.end(), [](const auto& term) { return term.second == 0; });
  }

  /// u of |u|; a node without kinks as it is; none where neither.
  NodeId inside_abs(NodeId id) const {
    if (smooth(id)) return id;
    const Node& n = graph_[id];
    return n.op == Op::abs && smooth(n.a) ? n.a : none;
  }
  /// The first kink inside a node: what a user can be shown.
  NodeId blamed(NodeId id) const {
    const auto kinks = kinked(graph_, id);
    for (NodeId k = 0; k <= id; ++k)
      if (kinks[k] && is_kink(graph_[k].op)) return k;
    return id;
  }

  Graph& graph_;
  NodeId root_;
  Facts facts_;
  std::vector<bool> kinked_;
  std::vector<Form> forms_;
};

}  // namespace

std::vector<bool> kinked(const Graph& graph, NodeId root) {
  std::vector<bool> needed(root + 1, false), kinks(root + 1, false);
  needed[root] = true;
  for (NodeId id = root + 1; id-- > 0;)
    if (needed[id])
      for (const NodeId operand : {graph[id].a, graph[id].b, graph[id].c})
        if (operand != none) needed[operand] = true;
  for (NodeId id = 0; id <= root; ++id) {
    if (!needed[id]) continue;
    kinks[id] = is_kink(graph[id].op);
    for (const NodeId operand : {graph[id].a, graph[id].b, graph[id].c})
      if (operand != none && kinks[operand]) kinks[id] = true;
  }
  return kinks;
}

Branches split(Graph& graph, NodeId root, const Facts::Given& known) {
  if (const auto kinks = kinked(graph, root); !kinks[root]) return {{{root}}, {}};
  return Splitter(graph, root, known)();
}

}  // namespace ricochet::expression
