#include "ricochet/expression/facts.hpp"

#include <cmath>

#include "ricochet/expression/functions.hpp"

namespace ricochet::expression {
namespace {

Signs sign_of(double x) { return {!(x >= 0), x == 0, !(x <= 0)}; }  // no number may have either sign
Signs product(Signs a, Signs b) {
  return {(a.negative && b.positive) || (a.positive && b.negative), a.zero || b.zero,
          (a.positive && b.positive) || (a.negative && b.negative)};
}
Signs sum(Signs a, Signs b) {
  const bool opposed = (a.negative && b.positive) || (a.positive && b.negative);
  return {a.negative || b.negative, opposed || (a.zero && b.zero), a.positive || b.positive};
}

constexpr double rounding = 1e-13;

void accumulate(Affine& out, NodeId atom, double c) {
  double& sum = out[atom];
  const double size = std::abs(sum) + std::abs(c);
  sum += c;
  if (std::abs(sum) <= rounding * size) out.erase(atom);
}

}  // namespace

void subtract(Affine& a, const Affine& b) {
  for (const auto& [atom, c] : b) accumulate(a, atom, -c);
}

double ratio(const Affine& a, const Affine& b) {
  if (a.size() != b.size() || b.empty()) return 0;
  const double k = a.begin()->second / b.begin()->second;
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
    if (x->first != y->first || !(std::abs(x->second - k * y->second) <= rounding * std::abs(x->second))) return 0;
  return k;
}

std::optional<double> Facts::known(NodeId id, int depth) const {
  begin(depth);
  const Node& n = graph_[id];
  if (n.op == Op::constant) return graph_.value(n).d;
  if (n.op == Op::variable) return given_ ? given_(n.k) : std::nullopt;
  if (!given_ || is_truth(n.op) || n.op == Op::choose || n.a == none || tired(depth)) return std::nullopt;
  const auto a = known(n.a, depth + 1);
  if (!a) return std::nullopt;
  const auto b = n.b == none ? a : known(n.b, depth + 1);
  if (!b) return std::nullopt;
  return functions::apply(n.op, *a, *b, n.k);
}

Signs Facts::signs(NodeId id, int depth) const {
  begin(depth);
  if (const auto value = known(id, depth + 1)) return sign_of(*value);
  const Node& n = graph_[id];
  if (tired(depth)) return {};
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

Affine Facts::affine(NodeId id, int depth) const {
  begin(depth);
  if (const auto value = known(id, depth + 1)) return *value == 0 ? Affine{} : Affine{{none, *value}};
  const Node& n = graph_[id];
  const auto times = [&](NodeId of, double c) {
    Affine out = affine(of, depth + 1);
    for (auto& [atom, x] : out) x *= c;
    return out;
  };
  if (tired(depth)) return {{id, 1.0}};
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
      if (const auto c = known(n.a, depth + 1)) return times(n.b, *c);
      if (const auto c = known(n.b, depth + 1)) return times(n.a, *c);
      break;
    case Op::divide:
      if (const auto c = known(n.b, depth + 1); c && *c != 0) return times(n.a, 1 / *c);
      break;
    default:
      break;
  }
  return {{id, 1.0}};
}

}  // namespace ricochet::expression
