// A value whose layout only its owner knows.
#pragma once

#include <memory>
#include <utility>

namespace ricochet::motion {

/// Holds any copyable T behind one type. Copying into an Opaque that already holds a value assigns in place, so that
/// what is copied from step to step stops allocating; swapping exchanges pointers.
class Opaque {
 public:
  Opaque() = default;
  Opaque(const Opaque& other) : held_(other.held_ ? other.held_->copy() : nullptr) {}
  Opaque(Opaque&&) noexcept = default;
  Opaque& operator=(const Opaque& other) {
    if (this == &other) return *this;
    if (!other.held_)
      held_.reset();
    else if (held_)
      held_->assign(*other.held_);
    else
      held_ = other.held_->copy();
    return *this;
  }
  Opaque& operator=(Opaque&&) noexcept = default;
  ~Opaque() = default;

  bool empty() const { return !held_; }
  /// The value, which is made first where there is none. All values of one run have one type, that of its body.
  template <class T>
  T& of() {
    if (!held_) held_ = std::make_unique<Of<T>>();
    return static_cast<Of<T>&>(*held_).value;
  }
  template <class T>
  const T& as() const {
    return static_cast<const Of<T>&>(*held_).value;
  }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual std::unique_ptr<Held> copy() const = 0;
    virtual void assign(const Held& other) = 0;
  };
  template <class T>
  struct Of final : Held {
    Of() = default;
    explicit Of(const T& x) : value(x) {}
    std::unique_ptr<Held> copy() const override { return std::make_unique<Of>(value); }
    void assign(const Held& other) override { value = static_cast<const Of&>(other).value; }
    T value;
  };

  std::unique_ptr<Held> held_;
};

}  // namespace ricochet::motion
