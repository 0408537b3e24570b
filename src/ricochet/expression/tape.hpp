// A compiled set of expressions, evaluated and differentiated in any scalar.
//
//   TapeBuilder build({"x", "y", "theta"}, parameters);
//   const int gap = build.add("y - L/2*(sin(theta) + cos(theta))");
//   const Tape tape = build.tape();
//   Workspace<double> work(tape);                       // one per thread and scalar; nothing allocates after this
//   const double phi = tape.gradient(gap, q, dphi, work);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ricochet/expression/functions.hpp"
#include "ricochet/expression/program.hpp"

namespace ricochet::expression {

template <class T>
class Workspace;

/// Immutable; all that changes during an evaluation is in the workspace.
class Tape {
 public:
  Tape() = default;

  int variables() const { return static_cast<int>(names_.size()); }
  int outputs() const { return static_cast<int>(roots_.size()); }
  const std::string& variable_name(int slot) const { return names_[static_cast<std::size_t>(slot)]; }

  /// Slots of the variables that occur in an output, ascending. An expression that cancels them, x - x, still
  /// depends on them.
  std::span<const Slot> inputs(int output) const { return program(output).inputs; }
  bool depends_on(int output, int slot) const;
  bool is_constant(int output) const { return inputs(output).empty(); }
  /// Whether an output is written as a linear function plus a constant: its derivatives are constants.
  bool is_affine(int output) const { return program(output).affine; }
  /// The expression as it was understood: parameters substituted, constants folded. Cut where it is very long.
  std::string print(int output) const;
  /// Number of instructions of an output; of all of them together for -1.
  std::size_t length(int output = -1) const { return (output < 0 ? all_ : program(output)).code.size() - 1; }

  /// All outputs; what they share is computed once.
  template <class T>
  void evaluate(const T* x, T* out, Workspace<T>& work) const;
  /// One output, and no more than it needs.
  template <class T>
  T evaluate(int output, const T* x, Workspace<T>& work) const;
  /// One output and its partial derivatives by all variables, in one reverse sweep.
  template <class T>
  T gradient(int output, const T* x, T* grad, Workspace<T>& work) const;

 private:
  friend class TapeBuilder;
  template <class T>
  friend class Workspace;

  Tape(const Graph& graph, const std::vector<NodeId>& outputs, std::vector<std::string> names);
  void lay_out();

  const Program& program(int output) const { return programs_[static_cast<std::size_t>(output)]; }
  /// Adjoints of the variables, whose values are in the workspace.
  template <class T>
  void differentiate(int output, Workspace<T>& work) const;
  Slot root(int output) const { return layout_.slot[roots_[static_cast<std::size_t>(output)]]; }
  Slot variable_slot(Slot variable) const { return layout_.constants + variable; }

  std::vector<std::string> names_;
  std::vector<Node> nodes_;  // what the outputs need and no more; kept for printing
  std::vector<Constant> constants_;
  std::vector<NodeId> roots_;
  Layout layout_;
  std::vector<Program> programs_;
  Program all_;
  std::uint32_t slopes_ = 0;  // number of constant derivatives
};

/// What an evaluation writes to. Belongs to the tape it was made for.
template <class T>
class Workspace {
 public:
  explicit Workspace(const Tape& tape);

 private:
  friend class Tape;
  struct Segment {
    const Instruction *begin, *end;
  };

  template <bool record>
  void run(const Program& program);
  template <bool selects>
  void sweep(Slot root, Slot first_variable);
  void find_slopes(const Tape& tape);

  std::vector<T> value_, adjoint_;
  std::vector<T> slopes_;  // of affine outputs, once and for all; empty before the first gradient
  std::vector<Truth> truth_;
  std::vector<std::uint8_t> given_;        // whether anything was added to an adjoint
  std::vector<std::uint8_t> done_;         // flags of `ensure`
  std::vector<const Instruction*> stack_;  // return addresses
  std::vector<Segment> trace_;             // the code that ran, in the order in which it ran
  std::size_t segments_ = 0;
};

}  // namespace ricochet::expression

#include "ricochet/expression/evaluate.hpp"  // IWYU pragma: export
#include "ricochet/expression/sweep.hpp"     // IWYU pragma: export

// Doubles are compiled once, in tape.cpp. A scalar that is evaluated only needs a third of what one costs
// that is swept for gradients too.
#define RICOCHET_EXPRESSION_VALUES(linkage, T)                             \
  linkage template Workspace<T>::Workspace(const Tape&);                   \
  linkage template void Workspace<T>::run<false>(const Program&);          \
  linkage template void Tape::evaluate(const T*, T*, Workspace<T>&) const; \
  linkage template T Tape::evaluate(int, const T*, Workspace<T>&) const
#define RICOCHET_EXPRESSION_INSTANCES(linkage, T)                      \
  RICOCHET_EXPRESSION_VALUES(linkage, T);                              \
  linkage template void Workspace<T>::find_slopes(const Tape&);        \
  linkage template void Workspace<T>::run<true>(const Program&);       \
  linkage template void Workspace<T>::sweep<false>(Slot, Slot);        \
  linkage template void Workspace<T>::sweep<true>(Slot, Slot);         \
  linkage template void Tape::differentiate(int, Workspace<T>&) const; \
  linkage template T Tape::gradient(int, const T*, T*, Workspace<T>&) const

namespace ricochet::expression {
RICOCHET_EXPRESSION_INSTANCES(extern, double);
#ifdef RICOCHET_COMPILED_LONG_DOUBLE  // set by linking ricochet::long_double
RICOCHET_EXPRESSION_INSTANCES(extern, long double);
#endif
}  // namespace ricochet::expression
