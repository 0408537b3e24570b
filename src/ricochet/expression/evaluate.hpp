// The interpreter of tapes; included by tape.hpp.
#pragma once

#include <algorithm>
#include <cassert>

#include "ricochet/expression/tape.hpp"

namespace ricochet::expression {

template <class T>
Workspace<T>::Workspace(const Tape& tape)
    : value_(tape.layout_.values, T(0)), adjoint_(tape.layout_.values, T(0)), truth_(tape.layout_.truths, Truth::no) {
  for (std::size_t i = 0; i < tape.constants_.size(); ++i) {
    if constexpr (std::is_same_v<functions::Real<T>, long double>)
      value_[i] = T(tape.constants_[i].l);
    else
      value_[i] = T(static_cast<functions::Real<T>>(tape.constants_[i].d));
  }
  std::size_t flags = tape.all_.flags, jumps = tape.all_.jumps;
  for (const Program& p : tape.programs_) {
    flags = std::max<std::size_t>(flags, p.flags);
    jumps = std::max<std::size_t>(jumps, p.jumps);
  }
  given_.resize(value_.size());
  done_.resize(flags);
  stack_.resize(2 * jumps);
  trace_.resize(jumps);
  slopes_.reserve(tape.slopes_);
}

/// Runs a program. To record is to keep what a sweep needs: the order of the blocks, zero adjoints, and the cosine
/// of every sine.
template <class T>
template <bool record>
void Workspace<T>::run(const Program& program) {
  using functions::hull, functions::value_of;
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::ceil, std::cos, std::cosh, std::exp;
  using std::floor, std::hypot, std::log, std::log10, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  T* const v = value_.data();
  T* const adjoint = adjoint_.data();
  Truth* const truth = truth_.data();
  const Instruction* const code = program.code.data();
  const Instruction* i = code + 1;
  const Instruction** top = stack_.data();
  [[maybe_unused]] const Instruction* segment = i;
  if (program.flags > 0) std::fill_n(done_.begin(), program.flags, std::uint8_t{0});
  segments_ = 0;

  // Runs of one operation need one decision: the planner puts equal operations side by side.
  const auto each = [&](auto value) {
    const Op op = i->op;
    do {
      v[i->to] = value();
      if constexpr (record) adjoint[i->to] = T(0);
      ++i;
    } while (i->op == op);
  };
  const auto decide = [&](auto value) {
    truth[i->to] = value();
    ++i;
  };
  const auto jump = [&](const Instruction* target) {
    if constexpr (record) {
      if (segment != i) trace_[segments_++] = {segment, i};
      segment = target;
    }
    i = target;
  };
  const auto a = [&]() -> const T& { return v[i->a]; };
  const auto b = [&]() -> const T& { return v[i->b]; };

  // clang-format off
  for (;;) switch (i->op) {
      case Op::add: case Op::shift: each([&] { return a() + b(); }); break;
      case Op::subtract: case Op::subtract_from: each([&] { return a() - b(); }); break;
      case Op::multiply: case Op::scale: each([&] { return a() * b(); }); break;
      case Op::divide: case Op::divide_by: case Op::divide_into: each([&] { return a() / b(); }); break;
      case Op::negate: each([&] { return -a(); }); break;
      case Op::square: each([&] { return functions::square(a()); }); break;
      case Op::cube: each([&] { return functions::square(a()) * a(); }); break;
      case Op::integer_power: each([&] { return functions::integer_power(a(), static_cast<int>(i->c)); }); break;
      case Op::power: each([&] { return functions::power(a(), b()); }); break;
      case Op::constant_power: each([&] { return functions::constant_power(a(), value_of(b())); }); break;
      case Op::sin:
        if constexpr (record) functions::sincos(a(), v[i->to], v[i->b]); else v[i->to] = sin(a());
        if constexpr (record) adjoint[i->to] = T(0);
        ++i;
        break;
      case Op::cos:
        if constexpr (record) functions::sincos(a(), v[i->b], v[i->to]); else v[i->to] = cos(a());
        if constexpr (record) adjoint[i->to] = T(0);
        ++i;
        break;
      case Op::sincos:
        functions::sincos(a(), v[i->to], v[i->b]);
        if constexpr (record) adjoint[i->to] = adjoint[i->b] = T(0);
        ++i;
        break;
      case Op::tan: each([&] { return tan(a()); }); break;
      case Op::asin: each([&] { return asin(a()); }); break;
      case Op::acos: each([&] { return acos(a()); }); break;
      case Op::atan: each([&] { return atan(a()); }); break;
      case Op::sinh: each([&] { return sinh(a()); }); break;
      case Op::cosh: each([&] { return cosh(a()); }); break;
      case Op::tanh: each([&] { return tanh(a()); }); break;
      case Op::exp: each([&] { return exp(a()); }); break;
      case Op::log: each([&] { return log(a()); }); break;
      case Op::log10: each([&] { return log10(a()); }); break;
      case Op::sqrt: each([&] { return sqrt(a()); }); break;
      case Op::cbrt: each([&] { return cbrt(a()); }); break;
      case Op::abs: each([&] { return abs(a()); }); break;
      case Op::sign: each([&] { return functions::sign(a()); }); break;
      case Op::floor: each([&] { return floor(a()); }); break;
      case Op::ceil: each([&] { return ceil(a()); }); break;
      case Op::atan2: each([&] { return atan2(a(), b()); }); break;
      case Op::hypot: each([&] { return hypot(a(), b()); }); break;
      case Op::min: each([&] { return functions::minimum(a(), b()); }); break;
      case Op::max: each([&] { return functions::maximum(a(), b()); }); break;
      case Op::mod: each([&] { return functions::mod(a(), b()); }); break;
      case Op::choose:
        each([&] {
          const Truth t = truth[i->a];
          return t == Truth::unknown ? hull(b(), v[i->c]) : t == Truth::yes ? b() : v[i->c];
        });
        break;
      case Op::less: decide([&] { return functions::is_less(a(), b()); }); break;
      case Op::less_equal: decide([&] { return functions::is_less_equal(a(), b()); }); break;
      case Op::equal: decide([&] { return functions::is_equal(a(), b()); }); break;
      case Op::both: decide([&] { return functions::both(truth[i->a], truth[i->b]); }); break;
      case Op::either: decide([&] { return functions::either(truth[i->a], truth[i->b]); }); break;
      case Op::negation: decide([&] { return functions::negation(truth[i->a]); }); break;
      case Op::branch: {
        const Slot yes = truth[i->a] != Truth::no ? i->b : none, no = truth[i->a] != Truth::yes ? i->c : none;
        if (yes != none || no != none) *top++ = i + 1;
        if (yes != none && no != none) *top++ = code + no;
        jump(yes != none ? code + yes : no != none ? code + no : i + 1);
        break;
      }
      case Op::ensure:
        if (done_[i->a]) {
          jump(i + 1);
        } else {
          done_[i->a] = 1;
          *top++ = i + 1;
          jump(code + i->b);
        }
        break;
      case Op::stop:
        jump(top == stack_.data() ? nullptr : *--top);
        if (i == nullptr) return;
        break;
      default: __builtin_unreachable();
    }
  // clang-format on
}

template <class T>
void Tape::evaluate(const T* x, T* out, Workspace<T>& work) const {
  assert(work.value_.size() == layout_.values);
  for (const Slot s : all_.inputs) work.value_[variable_slot(s)] = x[s];
  work.template run<false>(all_);
  for (std::size_t k = 0; k < roots_.size(); ++k) out[k] = work.value_[layout_.slot[roots_[k]]];
}

template <class T>
T Tape::evaluate(int output, const T* x, Workspace<T>& work) const {
  assert(work.value_.size() == layout_.values);
  const Program& p = program(output);
  for (const Slot s : p.inputs) work.value_[variable_slot(s)] = x[s];
  work.template run<false>(p);
  return work.value_[root(output)];
}

}  // namespace ricochet::expression
