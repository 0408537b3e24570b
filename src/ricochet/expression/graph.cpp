#include "ricochet/expression/graph.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "ricochet/expression/functions.hpp"

namespace ricochet::expression {
namespace {

std::size_t mix(std::size_t h, std::uint64_t x) {
  h ^= x + 0x9E3779B97F4A7C15ULL + (h << 6) + (h >> 2);
  return h * 0xFF51AFD7ED558CCDULL;
}

/// The bits of a long double without its padding bytes.
std::array<std::uint64_t, 2> bits(long double x) {
  constexpr std::size_t bytes = std::numeric_limits<long double>::digits == 64 ? 10 : sizeof x;
  static_assert(bytes <= 16);
  std::array<std::uint64_t, 2> result{};
  std::memcpy(result.data(), &x, bytes);
  return result;
}

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::isnormal(x) && std::isnormal(1 / x) && std::abs(std::frexp(x, &exponent)) == 0.5;
}

bool is_commutative(Op op) {
  return op == Op::add || op == Op::multiply || op == Op::equal || op == Op::both || op == Op::either;
}

}  // namespace

std::size_t Graph::Hash::operator()(const Node& n) const {
  std::size_t h = mix(static_cast<std::size_t>(n.op), static_cast<std::uint32_t>(n.k));
  return mix(mix(mix(h, n.a), n.b), n.c);
}
std::size_t Graph::Hash::operator()(const Constant& c) const {
  const auto [low, high] = bits(c.l);
  return mix(mix(mix(1, std::bit_cast<std::uint64_t>(c.d)), low), high);
}
bool Graph::SameBits::operator()(const Constant& x, const Constant& y) const {
  return std::bit_cast<std::uint64_t>(x.d) == std::bit_cast<std::uint64_t>(y.d) && bits(x.l) == bits(y.l);
}

NodeId Graph::intern(Node node) {
  // a+b and b+a are the same number: one node, evaluated in the order in which it was first written.
  Node key = node;
  if (is_commutative(key.op) && key.b < key.a) std::swap(key.a, key.b);
  const auto [it, fresh] = known_.try_emplace(key, static_cast<NodeId>(nodes_.size()));
  if (fresh) nodes_.push_back(node);
  return it->second;
}

NodeId Graph::variable(int slot) { return intern({.op = Op::variable, .k = slot}); }

NodeId Graph::constant(const Constant& value) {
  const auto [it, fresh] = known_constants_.try_emplace(value, static_cast<NodeId>(nodes_.size()));
  if (fresh) {
    nodes_.push_back({.op = Op::constant, .k = static_cast<std::int32_t>(constants_.size())});
    constants_.push_back(value);
  }
  return it->second;
}

const Constant* Graph::constant_at(NodeId id) const {
  return id != none && nodes_[id].op == Op::constant ? &value(nodes_[id]) : nullptr;
}
bool Graph::is(NodeId id, double value) const {
  const Constant* c = constant_at(id);
  return c && c->d == value && c->l == static_cast<long double>(value) && std::signbit(c->d) == std::signbit(value);
}

NodeId Graph::fold(Op op, int k, NodeId a, NodeId b) {
  const Constant *x = constant_at(a), *y = b == none ? x : constant_at(b);
  if (!x || !y) return none;
  return constant({functions::apply(op, x->d, y->d, k), functions::apply(op, x->l, y->l, k)});
}

/// Where the two precisions disagree (0.1 + 0.2 == 0.3) the comparison stays on the tape.
NodeId Graph::fold_comparison(Op op, NodeId a, NodeId b) {
  const Constant *x = constant_at(a), *y = constant_at(b);
  if (!x || !y) return none;
  const auto holds = [op](auto u, auto v) { return op == Op::less ? u < v : op == Op::less_equal ? u <= v : u == v; };
  const bool d = holds(x->d, y->d), l = holds(x->l, y->l);
  return d == l ? truth(d) : none;
}

NodeId Graph::simplify_sum(Op op, NodeId a, NodeId b) {
  if (op == Op::add) {
    if (is(a, -0.0)) return b;
    if (is(b, -0.0)) return a;
    if (nodes_[b].op == Op::negate) return make(Op::subtract, a, nodes_[b].a);
    if (nodes_[a].op == Op::negate) return make(Op::subtract, b, nodes_[a].a);
    return none;
  }
  if (nodes_[b].op == Op::negate) return make(Op::add, a, nodes_[b].a);
  if (const Constant* c = constant_at(b)) return make(Op::add, a, constant({-c->d, -c->l}));
  return none;
}

NodeId Graph::simplify_product(Op op, NodeId a, NodeId b) {
  if (is(b, 1)) return a;
  if (is(b, -1)) return make(Op::negate, a);
  if (op == Op::multiply) {
    if (is(a, 1)) return b;
    if (is(a, -1)) return make(Op::negate, b);
    return a == b ? make(Op::square, a) : none;
  }
  // Division by a power of two is multiplication by its inverse, to the last bit.
  if (const Constant* c = constant_at(b); c && is_power_of_two(c->d) && c->l == static_cast<long double>(c->d))
    return make(Op::multiply, a, constant({1 / c->d, 1 / c->l}));
  return none;
}

NodeId Graph::simplify_truth(Op op, NodeId a, NodeId b) {
  const auto known = [&](NodeId id, Op value) { return id != none && nodes_[id].op == value; };
  switch (op) {
    case Op::negation:
      if (known(a, Op::yes)) return truth(false);
      if (known(a, Op::no)) return truth(true);
      return known(a, Op::negation) ? nodes_[a].a : none;
    case Op::both:
      if (known(a, Op::no) || known(b, Op::yes)) return a;
      return known(b, Op::no) || known(a, Op::yes) || a == b ? b : none;
    case Op::either:
      if (known(a, Op::yes) || known(b, Op::no)) return a;
      return known(b, Op::yes) || known(a, Op::no) || a == b ? b : none;
    default:
      return fold_comparison(op, a, b);
  }
}

NodeId Graph::simplify(Op op, NodeId a, NodeId b, NodeId c) {
  if (is_truth(op)) return simplify_truth(op, a, b);
  if (op == Op::choose) {
    if (nodes_[a].op == Op::yes || b == c) return b;
    return nodes_[a].op == Op::no ? c : none;
  }
  if (const Constant* y = op == Op::power ? constant_at(b) : nullptr;
      y && std::abs(y->d) < 1 << 30 && y->d == std::trunc(y->d) && y->l == static_cast<long double>(y->d))
    return integer_power(a, static_cast<int>(y->d));
  if (const NodeId folded = fold(op, 0, a, b); folded != none) return folded;
  switch (op) {
    case Op::add:
    case Op::subtract:
      return simplify_sum(op, a, b);
    case Op::multiply:
    case Op::divide:
      return simplify_product(op, a, b);
    case Op::negate:
      return nodes_[a].op == Op::negate ? nodes_[a].a : none;
    default:
      return none;
  }
}

NodeId Graph::make(Op op, NodeId a, NodeId b, NodeId c) {
  const NodeId simpler = simplify(op, a, b, c);
  return simpler != none ? simpler : intern({.op = op, .a = a, .b = b, .c = c});
}

NodeId Graph::integer_power(NodeId a, int k) {
  if (k == 0) return constant({1, 1});
  if (k == 1) return a;
  if (k == 2) return make(Op::square, a);
  if (k == 3) return make(Op::cube, a);
  if (k == -1) return make(Op::divide, constant({1, 1}), a);
  const NodeId folded = fold(Op::integer_power, k, a, none);
  return folded != none ? folded : intern({.op = Op::integer_power, .k = k, .a = a});
}

}  // namespace ricochet::expression
