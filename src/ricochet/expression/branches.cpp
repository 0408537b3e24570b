#include "ricochet/expression/branches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "ricochet/expression/functions.hpp"

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

/// Which signs a value may have.
struct Signs {
  bool negative = true, zero = true, positive = true;
  bool nonnegative() const { return !negative; }
  bool nonpositive() const { return !positive; }
  Signs opposite() const { return {positive, zero, negative}; }
};
Signs sign_of(double x) { return {x<0, x == 0, x> 0}; }
Signs product(Signs a, Signs b) {
  return {(a.negative && b.positive) || (a.positive && b.negative), a.zero || b.zero,
          (a.positive && b.positive) || (a.negative && b.negative)};
}
Signs sum(Signs a, Signs b) {
  const bool opposed = (a.negative && b.positive) || (a.positive && b.negative);
  return {a.negative || b.negative, opposed || (a.zero && b.zero), a.positive || b.positive};
}

/// Σ c_a·a + c_0 over what is not a sum itself.
using Affine = std::map<NodeId, double>;  // `none` stands for 1

class Splitter {
 public:
  Splitter(Graph& graph, NodeId root, const std::function<std::optional<double>(int)>& known)
      : graph_(graph), root_(root), given_(known), kinked_(kinked(graph, root)), forms_(kinked_.size()) {}

  Branches operator()() {
    for (NodeId id = 0; id <= root_; ++id)
      if (kinked_[id] && !is_truth(graph_[id].op)) forms_[id] = form(id);
    Branches branches{lattice(root_), {}};
    conclude(branches.clauses);
    for (const auto& clause : branches.clauses)
      for (const NodeId piece : clause)
        if (const auto left = kinked(graph_, piece); left[piece]) {
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
              n.a, signs(n.b), [&](NodeId x) { return graph_.make(Op::divide, x, n.b); }, id);
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
        if (const NodeId u = inside_abs(n.a); u != none) return {{graph_.integer_power(u, n.k)}};
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
    throw NotSplit("inside", blamed(id));
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
    Affine difference = affine(n.b);
    subtract(difference, affine(n.c));
    if (difference.empty()) return lattice(n.b);
    if (difference.size() == 1 && difference.contains(none)) throw NotSplit("jumps", id);
    if (condition.op == Op::less || condition.op == Op::less_equal) {
      Affine compared = affine(condition.a);
      subtract(compared, affine(condition.b));
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
          n.b, signs(n.a), [&](NodeId x) { return graph_.make(Op::multiply, n.a, x); }, id);
    if (smooth(n.b))
      return scaled(
          n.a, signs(n.b), [&](NodeId x) { return graph_.make(Op::multiply, x, n.b); }, id);
    if (graph_[n.a].op == Op::abs && graph_[n.b].op == Op::abs) {
      const NodeId u = graph_[n.a].a, w = graph_[n.b].a;
      if (smooth(u) && smooth(w)) {
        const NodeId uw = graph_.make(Op::multiply, u, w);
        return {{uw, graph_.make(Op::negate, uw)}};
      }
    }
    throw NotSplit("inside", blamed(id));
  }
  /// A node times (or over) what has one sign.
  template <class Make>
  Lattice scaled(NodeId id, Signs by, Make&& make, NodeId at) {
    if (by.nonnegative()) return each(lattice(id), make);
    if (by.nonpositive()) return negative_of(each(lattice(id), make), at);
    throw NotSplit("sign", blamed(at));
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
    require_few(a.size() * b.size(), at);
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
      require_few(out.size() * clause.size(), at);
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
  static void require_few(std::size_t n, NodeId at) {
    if (n > most_pieces) throw NotSplit("many", at);
  }

  /// A clause that contains another one is never the smaller of the two.
  static void absorb(Lattice& a) {
    for (auto& clause : a) {
      std::vector<NodeId> once;
      for (const NodeId piece : clause)
        if (std::find(once.begin(), once.end(), piece) == once.end()) once.push_back(piece);
      clause = std::move(once);
    }
    const auto contains = [](const std::vector<NodeId>& whole, const std::vector<NodeId>& part) {
      return std::all_of(part.begin(), part.end(),
                         [&](NodeId x) { return std::find(whole.begin(), whole.end(), x) != whole.end(); });
    };
    Lattice kept;
    for (std::size_t i = 0; i < a.size(); ++i) {
      bool needed = true;
      for (std::size_t k = 0; k < a.size() && needed; ++k)
        needed = i == k || !contains(a[i], a[k]) || (contains(a[k], a[i]) && i < k);
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
        const auto value = known(piece);
        always = always || (value && *value >= 0) || signs(piece).nonnegative();
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
    Affine sum = affine(a);
    for (const auto& [atom, c] : affine(b)) sum[atom] += c;
    return std::all_of(sum.begin(), sum.end(), [](const auto& term) { return term.second == 0; });
  }

  // ---- what is known of a node -------------------------------------------------------------------------------------

  static constexpr int deepest = 200;

  std::optional<double> known(NodeId id, int depth = 0) const {
    const Node& n = graph_[id];
    if (n.op == Op::constant) return graph_.value(n).d;
    if (n.op == Op::variable) return given_ ? given_(n.k) : std::nullopt;
    if (!given_ || is_truth(n.op) || n.op == Op::choose || depth > deepest) return std::nullopt;
    const auto a = known(n.a, depth + 1), b = n.b == none ? a : known(n.b, depth + 1);
    if (!a || !b) return std::nullopt;
    return functions::apply(n.op, *a, *b, n.k);
  }
  Signs signs(NodeId id, int depth = 0) const {
    if (const auto value = known(id, depth)) return sign_of(*value);
    const Node& n = graph_[id];
    if (depth > deepest) return {};
    const auto of = [&](NodeId x) { return signs(x, depth + 1); };
    switch (n.op) {
      case Op::exp:
      case Op::cosh:
        return {false, false, true};
      case Op::square:
      case Op::abs:
      case Op::sqrt:
        return {false, of(n.a).zero, of(n.a).positive || of(n.a).negative};
      case Op::integer_power:
        if (n.k % 2 == 0) return {false, of(n.a).zero, true};
        return of(n.a);
      case Op::cube:
      case Op::cbrt:
      case Op::sinh:
      case Op::tanh:
      case Op::atan:
        return of(n.a);
      case Op::hypot:
        return {false, of(n.a).zero && of(n.b).zero, true};
      case Op::negate:
        return of(n.a).opposite();
      case Op::add:
        return sum(of(n.a), of(n.b));
      case Op::subtract:
        return sum(of(n.a), of(n.b).opposite());
      case Op::multiply:
        return product(of(n.a), of(n.b));
      case Op::divide: {
        Signs by = of(n.b);
        by.zero = false;  // there is no quotient then
        return product(of(n.a), by);
      }
      case Op::min: {
        const Signs a = of(n.a), b = of(n.b);
        return {a.negative || b.negative, a.zero || b.zero, a.positive && b.positive};
      }
      case Op::max: {
        const Signs a = of(n.a), b = of(n.b);
        return {a.negative && b.negative, a.zero || b.zero, a.positive || b.positive};
      }
      default:
        return {};
    }
  }
  Affine affine(NodeId id, int depth = 0) const {
    if (const auto value = known(id, depth)) return *value == 0 ? Affine{} : Affine{{none, *value}};
    const Node& n = graph_[id];
    const auto times = [&](NodeId of, double c) {
      Affine out = affine(of, depth + 1);
      for (auto& [atom, x] : out) x *= c;
      return out;
    };
    if (depth > deepest) return {{id, 1.0}};
    switch (n.op) {
      case Op::negate:
        return times(n.a, -1);
      case Op::add:
      case Op::subtract: {
        Affine out = affine(n.a, depth + 1);
        for (const auto& [atom, c] : times(n.b, n.op == Op::add ? 1 : -1)) accumulate(out, atom, c);
        return out;
      }
      case Op::multiply:
        if (const auto c = known(n.a, depth)) return times(n.b, *c);
        if (const auto c = known(n.b, depth)) return times(n.a, *c);
        break;
      case Op::divide:
        if (const auto c = known(n.b, depth); c && *c != 0) return times(n.a, 1 / *c);
        break;
      default:
        break;
    }
    return {{id, 1.0}};
  }
  /// What cancels but for rounding is gone.
  static void accumulate(Affine& out, NodeId atom, double c) {
    double& sum = out[atom];
    const double size = std::abs(sum) + std::abs(c);
    sum += c;
    if (std::abs(sum) <= rounding * size) out.erase(atom);
  }
  static void subtract(Affine& a, const Affine& b) {
    for (const auto& [atom, c] : b) accumulate(a, atom, -c);
  }
  /// k with a = k·b; 0 where there is none.
  static double ratio(const Affine& a, const Affine& b) {
    if (a.size() != b.size() || b.empty()) return 0;
    const double k = a.begin()->second / b.begin()->second;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
      if (x->first != y->first || std::abs(x->second - k * y->second) > rounding * std::abs(x->second)) return 0;
    return k;
  }
  static constexpr double rounding = 1e-13;

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
  const std::function<std::optional<double>(int)>& given_;
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

Branches split(Graph& graph, NodeId root, const std::function<std::optional<double>(int)>& known) {
  if (const auto kinks = kinked(graph, root); !kinks[root]) return {{{root}}, {}};
  return Splitter(graph, root, known)();
}

}  // namespace ricochet::expression
