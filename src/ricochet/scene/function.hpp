// Expressions as the functors a system is made of.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "ricochet/expression/tape.hpp"
#include "ricochet/numerics/scalar.hpp"
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

/// A tape in (q), (q,t) or (q,v,t), with a workspace per scalar type, made when first used and kept: nothing is
/// allocated per evaluation. The workspaces are the instance's own, so one instance must not be used by two threads at
/// once; a copy shares the tape but not the workspaces (every body holds its own copy).
class Function {
 public:
  Function() = default;
  Function(expression::Tape tape, bool timed)
      : tape_(std::make_shared<const expression::Tape>(std::move(tape))), timed_(timed) {}
  Function(const Function& other) : tape_(other.tape_), timed_(other.timed_) {}
  Function(Function&&) noexcept = default;
  Function& operator=(Function other) noexcept {
    std::swap(tape_, other.tape_);
    std::swap(timed_, other.timed_);
    std::swap(work_, other.work_);
    return *this;
  }
  ~Function() = default;

  int outputs() const { return tape_ ? tape_->outputs() : 0; }
  const expression::Tape& tape() const { return *tape_; }
  /// Whether t is among the variables.
  bool timed() const { return timed_; }

  /// One output at (q,t).
  template <class T>
  T operator()(int output, Point<T> q, const T& t) const {
    auto& w = work<T>();
    return tape_->evaluate(output, input(q, t, w), w.tape);
  }
  /// One output at (q,v,t).
  template <class T>
  T operator()(int output, Point<T> q, Point<T> v, const T& t) const {
    auto& w = work<T>();
    return tape_->evaluate(output, input(q, v, t, w), w.tape);
  }
  /// All outputs at (q,t).
  template <class T>
  void all(Point<T> q, const T& t, T* out) const {
    auto& w = work<T>();
    tape_->evaluate(input(q, t, w), out, w.tape);
  }
  /// All outputs at (q,v,t).
  template <class T>
  void all(Point<T> q, Point<T> v, const T& t, T* out) const {
    auto& w = work<T>();
    tape_->evaluate(input(q, v, t, w), out, w.tape);
  }
  /// One output at (q,t) and its derivatives by q.
  template <class T>
  T gradient(int output, Point<T> q, const T& t, std::span<T> g) const {
    auto& w = work<T>();
    if (!timed_) return tape_->gradient(output, q.data(), g.data(), w.tape);
    const T value = tape_->gradient(output, input(q, t, w), w.g.data(), w.tape);
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
  bool timed_ = false;
  mutable std::vector<std::unique_ptr<AnyWork>> work_;
};

}  // namespace ricochet::scene
