// Derivatives: the reverse sweep over the code that ran; included by tape.hpp.
#pragma once

#include <cassert>

#include "ricochet/expression/tape.hpp"

namespace ricochet::expression {

/// Adds to the adjoint of every operand what the result owes it, last instruction first. Where a function has a kink
/// the choice is that of the forward scalars (abs'(0) = 1, min(x, x) is the second).
///
/// An operation that owes nothing is passed over: its slope may be infinite or NaN, and zero times that is not zero.
/// Which ones these are is known beforehand (`active`), unless some operation selects between its operands: then
/// the contributions are tracked.
template <class T>
template <bool selects>
void Workspace<T>::sweep(Slot root, Slot first_variable) {
  using functions::hull, functions::less, functions::value_of;
  using std::cosh, std::floor, std::log, std::sinh, std::sqrt;
  const T* const v = value_.data();
  T* const adjoint = adjoint_.data();
  std::uint8_t* const given = given_.data();
  const auto wanted = [&](Slot s) { return s >= first_variable; };  // constants come first
  const auto add = [&](Slot s, const T& w) {
    adjoint[s] += w;
    if constexpr (selects) given[s] = 1;
  };
  const auto subtract = [&](Slot s, const T& w) {
    adjoint[s] -= w;
    if constexpr (selects) given[s] = 1;
  };
  // To the first if the truth says so, else to the second; a part of it to both if nobody knows.
  const auto select = [&](Truth truth, Slot first, Slot second, const T& w) {
    const T part = truth == Truth::unknown ? hull(T(0), w) : w;
    if (truth != Truth::no && wanted(first)) add(first, part);
    if (truth != Truth::yes && wanted(second)) add(second, part);
  };
  const Instruction* i = nullptr;
  // As in `run`: one decision for a run of one operation. Before every segment stands a jump, hence another operation.
  const auto each = [&](auto give) {
    for (const Op op = i->op;; --i) {
      bool owes = i->active;
      if constexpr (selects) owes = given[i->to] || (op == Op::sincos && given[i->b]);
      if (owes) give(adjoint[i->to]);
      if ((i - 1)->op != op) break;
    }
  };
  const auto a = [&]() -> const T& { return v[i->a]; };
  const auto b = [&]() -> const T& { return v[i->b]; };
  const auto y = [&]() -> const T& { return v[i->to]; };
  const auto to_a = [&](auto slope) { each([&](const T& w) { add(i->a, w * slope()); }); };

  if constexpr (selects) {
    for (std::size_t k = 0; k < segments_; ++k)
      for (i = trace_[k].begin; i != trace_[k].end; ++i) {
        if (!is_truth(i->op)) given[i->to] = 0;
        if (i->op == Op::sincos) given[i->b] = 0;
      }
    given[root] = 1;
  }
  adjoint[root] = T(1);

  // clang-format off
  for (std::size_t k = segments_; k-- > 0;)
    for (i = trace_[k].end; i != trace_[k].begin;) switch ((--i)->op) {
        case Op::add: each([&](const T& w) { add(i->a, w); add(i->b, w); }); break;
        case Op::subtract: each([&](const T& w) { add(i->a, w); subtract(i->b, w); }); break;
        case Op::multiply: each([&](const T& w) { add(i->a, w * b()); add(i->b, w * a()); }); break;
        case Op::divide:
          each([&](const T& w) { const T u = w / b(); add(i->a, u); subtract(i->b, u * y()); });
          break;
        case Op::shift: each([&](const T& w) { add(i->a, w); }); break;
        case Op::scale: to_a([&] { return b(); }); break;
        case Op::subtract_from: each([&](const T& w) { subtract(i->b, w); }); break;
        case Op::divide_by: each([&](const T& w) { add(i->a, w / b()); }); break;
        case Op::divide_into: each([&](const T& w) { subtract(i->b, w * y() / b()); }); break;
        case Op::negate: each([&](const T& w) { subtract(i->a, w); }); break;
        case Op::square: to_a([&] { return T(2) * a(); }); break;
        case Op::cube: to_a([&] { return T(3) * functions::square(a()); }); break;
        case Op::integer_power:
          to_a([&] { const int p = static_cast<int>(i->c); return T(p) * functions::integer_power(a(), p - 1); });
          break;
        case Op::constant_power:
          to_a([&] { const auto p = value_of(b()); return T(p) * functions::constant_power(a(), p - 1); });
          break;
        case Op::power:
          each([&](const T& w) {
            if (wanted(i->a)) add(i->a, w * b() * functions::power(a(), T(b() - T(1))));
            // 0^y = 0 for all y > 0: its slope in y vanishes, although log(0) is infinite
            if (!(a() == T(0) && b() > T(0))) add(i->b, w * y() * log(a()));
          });
          break;
        case Op::sin: to_a([&] { return b(); }); break;
        case Op::cos: each([&](const T& w) { subtract(i->a, w * b()); }); break;
        case Op::sincos: each([&](const T& w) { add(i->a, w * b() - adjoint[i->b] * y()); }); break;
        case Op::tan: to_a([&] { return T(1) + functions::square(y()); }); break;
        case Op::asin: each([&](const T& w) { add(i->a, w / sqrt(T(1) - functions::square(a()))); }); break;
        case Op::acos: each([&](const T& w) { subtract(i->a, w / sqrt(T(1) - functions::square(a()))); }); break;
        case Op::atan: each([&](const T& w) { add(i->a, w / (T(1) + functions::square(a()))); }); break;
        case Op::sinh: to_a([&] { return cosh(a()); }); break;
        case Op::cosh: to_a([&] { return sinh(a()); }); break;
        case Op::tanh: to_a([&] { return T(1) - functions::square(y()); }); break;
        case Op::exp: to_a([&] { return y(); }); break;
        case Op::log: each([&](const T& w) { add(i->a, w / a()); }); break;
        case Op::log10:
          each([&](const T& w) { add(i->a, w / (a() * T(std::log(functions::Real<T>(10))))); });
          break;
        case Op::sqrt: each([&](const T& w) { add(i->a, w / (T(2) * y())); }); break;
        case Op::cbrt: each([&](const T& w) { add(i->a, w / (T(3) * functions::square(y()))); }); break;
        case Op::abs:
          to_a([&] {
            const Truth negative = less(a(), T(0));
            return negative == Truth::unknown ? hull(T(-1), T(1)) : T(negative == Truth::yes ? -1 : 1);
          });
          break;
        case Op::atan2:
          each([&](const T& w) {
            const T u = w / (functions::square(a()) + functions::square(b()));
            if (wanted(i->a)) add(i->a, u * b());
            if (wanted(i->b)) subtract(i->b, u * a());
          });
          break;
        case Op::hypot:
          each([&](const T& w) {
            const T u = w / y();
            if (wanted(i->a)) add(i->a, u * a());
            if (wanted(i->b)) add(i->b, u * b());
          });
          break;
        case Op::mod:
          each([&](const T& w) {
            if (wanted(i->a)) add(i->a, w);
            if (wanted(i->b)) subtract(i->b, w * floor(a() / b()));
          });
          break;
        case Op::min: each([&](const T& w) { select(less(a(), b()), i->a, i->b, w); }); break;
        case Op::max: each([&](const T& w) { select(less(b(), a()), i->a, i->b, w); }); break;
        case Op::choose: each([&](const T& w) { select(truth_[i->a], i->b, i->c, w); }); break;
        case Op::sign: case Op::floor: case Op::ceil: break;
        case Op::less: case Op::less_equal: case Op::equal: case Op::both: case Op::either: case Op::negation: break;
        default: __builtin_unreachable();
      }
  // clang-format on
}

template <class T>
void Tape::differentiate(int output, Workspace<T>& work) const {
  const Program& p = program(output);
  for (const Slot s : p.inputs) work.adjoint_[variable_slot(s)] = T(0);
  work.template run<true>(p);
  if (p.selects)
    work.template sweep<true>(root(output), layout_.constants);
  else
    work.template sweep<false>(root(output), layout_.constants);
}

/// Not in the constructor: most scalars never ask for a gradient, and then need no sweep compiled for them.
template <class T>
void Workspace<T>::find_slopes(const Tape& tape) {
  for (int output = 0; output < tape.outputs(); ++output)
    if (const Program& p = tape.program(output); p.affine) {
      tape.differentiate(output, *this);
      for (const Slot s : p.inputs) slopes_.push_back(adjoint_[tape.variable_slot(s)]);
    }
}

template <class T>
T Tape::gradient(int output, const T* x, T* grad, Workspace<T>& work) const {
  assert(work.value_.size() == layout_.values);
  const Program& p = program(output);
  if (work.slopes_.size() < slopes_) work.find_slopes(*this);
  for (const Slot s : p.inputs) work.value_[variable_slot(s)] = x[s];
  if (p.affine)
    work.template run<false>(p);
  else
    differentiate(output, work);
  const std::size_t count = p.inputs.size();
  std::size_t k = 0;
  for (Slot s = 0; s < layout_.variables; ++s) {
    const bool depends = k < count && p.inputs[k] == s;
    grad[s] = !depends ? T(0) : p.affine ? work.slopes_[p.slopes + k] : work.adjoint_[variable_slot(s)];
    k += depends;
  }
  return work.value_[root(output)];
}

}  // namespace ricochet::expression
