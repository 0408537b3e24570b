// A borrowed callable: lets an algorithm be compiled once, whoever calls it.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace ricochet::numerics {

template <class Signature>
class FunctionRef;

/// Refers to a callable that outlives the call; costs one indirect call.
template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
  FunctionRef(F&& f)  // NOLINT: a callable is a reference to itself
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::add_pointer_t<F>>(object))(std::forward<Args>(args)...);
        }) {}
  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

}  // namespace ricochet::numerics
