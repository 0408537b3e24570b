// Expressions, and functions that a program gives in their place, as the functors a system is made of.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "ricochet/expression/tape.hpp"
#include "ricochet/numerics/scalar.hpp"
#include "ricochet/scene/given_scalars.hpp"
#include "ricochet/scene/tape_instances.hpp"

namespace ricochet::scene {

namespace detail {
inline std::size_t next_scalar() {
  static std::atomic<std::size_t> count{0};
  return count++;
}
/// A small number for every scalar type, the same during a run of the program.
template <class T>
std::size_t scalar_number() {
  static const std::size_t number = next_scalar();
  return number;
}
}  // namespace detail

/// Which outputs of a Function stand on its tape, and what was given in the place of the others.
struct Outputs {
  std::vector<int> on_tape;  ///< of each output, −1 where it was given
  std::vector<Given> given;  ///< of each output, empty where it stands on the tape
};

/// A tape in (q), (q,t) or (q,v,t), with a workspace per scalar type, made when first used and kept: nothing is
/// allocated per evaluation. The workspaces are the instance's own, so one instance must not be used by two threads at
/// once; a copy shares the tape but not the workspaces (every body holds its own copy).
class Function {
 public:
  Function() = default;
  Function(expression::Tape tape, bool timed)
      : tape_(std::make_shared<const expression::Tape>(std::move(tape))), timed_(timed) {}
  /// Of which some outputs are not on the tape.
  Function(expression::Tape tape, bool timed, Outputs outputs) : Function(std::move(tape), timed) {
    outputs_ = std::make_shared<const Outputs>(std::move(outputs));
  }
  Function(const Function& other) : tape_(other.tape_), outputs_(other.outputs_), timed_(other.timed_) {}
  Function(Function&&) noexcept = default;
  Function& operator=(Function other) noexcept {
    std::swap(tape_, other.tape_);
    std::swap(outputs_, other.outputs_);
    std::swap(timed_, other.timed_);
    std::swap(work_, other.work_);
    return *this;
  }
  ~Function() = default;

  int outputs() const { return outputs_ ? static_cast<int>(outputs_->given.size()) : tape_ ? tape_->outputs() : 0; }
  /// What was given in the place of an output; nullptr where it is an expression.
  const Given* given(int output) const {
    if (!outputs_ || outputs_->on_tape[static_cast<std::size_t>(output)] >= 0) return nullptr;
    return &outputs_->given[static_cast<std::size_t>(output)];
  }
  /// Where every output is an expression.
  const expression::Tape& tape() const { return *tape_; }
  /// Whether t is among the variables of the tape.
  bool timed() const { return timed_; }
  /// Whether an output is known to be a constant. Nothing is known of what was given.
  bool is_constant(int output) const { return given(output) == nullptr && tape_->is_constant(on_tape(output)); }
  /// Whether an output may depend on a variable of the tape (its number there). What was given may on all of them.
  bool may_depend_on(int output, int variable) const {
    return given(output) != nullptr || tape_->depends_on(on_tape(output), variable);
  }
  /// The variables of an output that is an expression.
  std::span<const expression::Slot> inputs(int output) const { return tape_->inputs(on_tape(output)); }

  /// One output at (q,t).
  template <class T>
  T operator()(int output, Point<T> q, const T& t) const {
    if (const Given* f = given(output)) return given::In<T>::value(**f, Point<T>(arguments(*f, q, {}, t)));
    auto& w = work<T>();
    return tape_->evaluate(on_tape(output), input(q, t, w), w.tape);
  }
  /// One output at (q,v,t).
  template <class T>
  T operator()(int output, Point<T> q, Point<T> v, const T& t) const {
    if (const Given* f = given(output)) return given::In<T>::value(**f, Point<T>(arguments(*f, q, v, t)));
    auto& w = work<T>();
    return tape_->evaluate(on_tape(output), input(q, v, t, w), w.tape);
  }
  /// All outputs at (q,t).
  template <class T>
  void all(Point<T> q, const T& t, T* out) const {
    if (outputs_) {
      for (int i = 0; i < outputs(); ++i) out[i] = (*this)(i, q, t);
      return;
    }
    auto& w = work<T>();
    tape_->evaluate(input(q, t, w), out, w.tape);
  }
  /// All outputs at (q,v,t), where every one is an expression.
  template <class T>
  void all(Point<T> q, Point<T> v, const T& t, T* out) const {
    auto& w = work<T>();
    tape_->evaluate(input(q, v, t, w), out, w.tape);
  }
  /// One output at (q,t) and its derivatives by q.
  template <class T>
  T gradient(int output, Point<T> q, const T& t, std::span<T> g) const {
    if (const Given* f = given(output)) return given::In<T>::gradient(**f, Point<T>(arguments(*f, q, {}, t)), g);
    auto& w = work<T>();
    if (!timed_) return tape_->gradient(on_tape(output), q.data(), g.data(), w.tape);
    const T value = tape_->gradient(on_tape(output), input(q, t, w), w.g.data(), w.tape);
    std::copy_n(w.g.begin(), g.size(), g.begin());
    return value;
  }

 private:
  struct AnyWork {
    virtual ~AnyWork() = default;
  };
  template <class T>
  struct Work final : AnyWork {
    explicit Work(const expression::Tape& t)
        : tape(t), x(static_cast<std::size_t>(t.variables())), g(static_cast<std::size_t>(t.variables())) {}
    expression::Workspace<T> tape;
    std::vector<T> x, g;
  };

  int on_tape(int output) const { return outputs_ ? outputs_->on_tape[static_cast<std::size_t>(output)] : output; }

  template <class T>
  static std::vector<T> arguments(const Given& f, Point<T> q, Point<T> v, const T& t) {
    std::vector<T> x(q.begin(), q.end());
    x.insert(x.end(), v.begin(), v.end());
    if (f.timed) x.push_back(t);
    return x;
  }

  template <class T>
  Work<T>& work() const {
    const std::size_t number = detail::scalar_number<T>();
    if (number >= work_.size()) work_.resize(number + 1);
    if (!work_[number]) work_[number] = std::make_unique<Work<T>>(*tape_);
    return static_cast<Work<T>&>(*work_[number]);
  }
  template <class T>
  const T* input(Point<T> q, const T& t, Work<T>& w) const {
    if (!timed_) return q.data();
    std::copy(q.begin(), q.end(), w.x.begin());
    w.x[q.size()] = t;
    return w.x.data();
  }
  template <class T>
  static const T* input(Point<T> q, Point<T> v, const T& t, Work<T>& w) {
    std::copy(q.begin(), q.end(), w.x.begin());
    std::copy(v.begin(), v.end(), w.x.begin() + static_cast<std::ptrdiff_t>(q.size()));
    w.x[2 * q.size()] = t;
    return w.x.data();
  }

  std::shared_ptr<const expression::Tape> tape_;
  std::shared_ptr<const Outputs> outputs_;  ///< nothing where all are on the tape
  bool timed_ = false;
  mutable std::vector<std::unique_ptr<AnyWork>> work_;
};

}  // namespace ricochet::scene
