// A closure chosen at run time, by name or by what the model allows.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "ricochet/closure/interpolated.hpp"
#include "ricochet/closure/shadow.hpp"
#include "ricochet/closure/variational.hpp"

namespace ricochet::closure {

/// Any of the closures behind one type, for scenes and bindings; in C++ the closure itself is the template argument.
class AnyClosure {
 public:
  using Choice = std::variant<Variational, Reflection, Shadow2, Shadow4, Interpolated>;

  AnyClosure() = default;
  AnyClosure(Choice choice) : choice_(choice) {}  // NOLINT: a closure is any closure

  const Choice& choice() const { return choice_; }
  /// The name scenes use: after "auto" that of the closure it became.
  std::string name() const {
    return std::visit([](const auto& c) { return std::string(c.name()); }, choice_);
  }
  /// Order of `interpolated`, 0 for the others.
  int order() const {
    const auto* interpolated = std::get_if<Interpolated>(&choice_);
    return interpolated != nullptr ? interpolated->order : 0;
  }
  bool balances() const {
    return std::visit([](const auto& c) { return c.balances(); }, choice_);
  }
  static AnyClosure plain() { return AnyClosure(Reflection{}); }
  bool is_plain() const {
    return std::visit([](const auto& c) { return std::is_base_of_v<PlainCurve, std::decay_t<decltype(c)>>; }, choice_);
  }
  /// Why a body cannot be flown; empty if it can.
  template <class Body>
  std::string refuse(const Body& body) const {
    return std::visit(
        [&](const auto& c) {
          if constexpr (requires { c.refuse(body); })
            return c.refuse(body);
          else
            return std::string();
        },
        choice_);
  }

  template <class Body>
  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Work& work) const {
    return std::visit([&](const auto& c) { return c.fly(body, from, step, out, work); }, choice_);
  }
  template <class Body>
  auto fly(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& out,
           typename Body::Trace& trace, typename Body::Work& work) const {
    return std::visit([&](const auto& c) { return c.fly(body, from, step, out, trace, work); }, choice_);
  }
  template <class Body>
  auto leave(const Body& body, const typename Body::Node& from, typename Body::Step step, typename Body::Node& scratch,
             typename Body::Work& work) const {
    return std::visit(
        [&](const auto& c) {
          if constexpr (requires { c.leave(body, from, step, scratch, work); })
            return c.leave(body, from, step, scratch, work);
          else
            return c.fly(body, from, step, scratch, work);
        },
        choice_);
  }
  template <class Body>
  std::optional<KickExcess<typename Body::Real>> excess_of_kick(const Body& body, const typename Body::Node& before,
                                                                const typename Body::Node& after, typename Body::Real h,
                                                                typename Body::Work& work) const {
    return std::visit(
        [&](const auto& c) -> std::optional<KickExcess<typename Body::Real>> {
          if constexpr (requires { c.excess_of_kick(body, before, after, h, work); })
            return c.excess_of_kick(body, before, after, h, work);
          else
            return std::nullopt;
        },
        choice_);
  }
  template <class Body>
  auto gap_along(const Body& body, int i, const typename Body::Node& from, typename Body::Step step,
                 const typename Body::Trace& trace, typename Body::Work& work) const {
    return std::visit([&](const auto& c) { return c.gap_along(body, i, from, step, trace, work); }, choice_);
  }
  template <class Body>
  void refine_trace(const Body& body, const typename Body::Node& from, typename Body::Step step,
                    const typename Body::Node& end, typename Body::Trace& trace, typename Body::Work& work) const {
    std::visit(
        [&](const auto& c) {
          if constexpr (requires { c.refine_trace(body, from, step, end, trace, work); })
            c.refine_trace(body, from, step, end, trace, work);
          else
            body.refine_trace(
                trace, end,
                [&](typename Body::Real s, typename Body::Node& x) {
                  c.fly(body, from, {s, step.h}, x, work);
                },
                work);
        },
        choice_);
  }

 private:
  Choice choice_;
};

/// What impacts do to the energy: their laws keep it, take some of it, or are to balance it all the same.
enum class Impacts { keep_energy, dissipate, balance };

/// The best closure a body allows. Where nothing dissipates, that is shadow4 for a constant mass and the trapezoid
/// rule, interpolated of order 6 for other rules and Lagrangians, and variational where there is explicit time or a
/// bilateral constraint: the first keeps no energy a shadow could keep, and a constrained flight is not the shadow's.
/// Where forces act, friction, or impacts dissipate, there is nothing to keep: reflection, which balances nothing.
template <class Body>
AnyClosure best_closure(const Body& body, Impacts impacts = Impacts::keep_energy) {
  const bool worked_on = body.mechanics().forced() || mechanics::has_friction(body.mechanics().system());
  if (impacts == Impacts::dissipate || (worked_on && impacts != Impacts::balance)) return AnyClosure::plain();
  if constexpr (requires { body.constraints(); })
    if (body.constraints() > 0) return AnyClosure(Variational{});
  if (Shadow4::refuse(body).empty()) return AnyClosure(Shadow4{});
  if (Interpolated::refuse(body).empty()) return AnyClosure(Interpolated{});
  return AnyClosure(Variational{});
}

/// By the name scenes use; "auto" is the best the body and its impacts allow. `order` is read by "interpolated" only.
template <class Body>
AnyClosure named_closure(std::string_view name, const Body& body, int order = 6,
                         Impacts impacts = Impacts::keep_energy) {
  AnyClosure closure;
  if (name == "auto")
    return best_closure(body, impacts);
  else if (name == Variational::name())
    closure = AnyClosure(Variational{});
  else if (name == Reflection::name())
    closure = AnyClosure(Reflection{});
  else if (name == Shadow2::name())
    closure = AnyClosure(Shadow2{});
  else if (name == Shadow4::name())
    closure = AnyClosure(Shadow4{});
  else if (name == Interpolated::name())
    closure = AnyClosure(Interpolated(order));
  else
    throw Error(ErrorKind::bad_scene,
                "unknown closure \"" + std::string(name) +
                    "\"; known are auto, variational, reflection, shadow2, shadow4, interpolated");
  if (const std::string why = closure.refuse(body); !why.empty()) throw Error(ErrorKind::invalid_model, why);
  return closure;
}

}  // namespace ricochet::closure
