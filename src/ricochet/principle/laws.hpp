// How a run treats impacts: which law, which restitution, what is allowed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/contact/active_set.hpp"
#include "ricochet/principle/fallback.hpp"
#include "ricochet/principle/law_error.hpp"

namespace ricochet::principle {

/// How a dissipative impulse is sized: by the law on the momentum itself, or by E_d⁺ = E_d⁻ − D (errata F14).
enum class Dissipation { momentum, balance };

/// What a run of a body is told of its impacts.
template <class Body>
struct ImpactLaws {
  using Real = typename Body::Real;
  using Law = mechanics::Law<Real>;

  Law law = Law::elastic();
  std::vector<Law> per_gap;  ///< one per gap, or empty; gaps acting together must share one
  /// e of one gap at a node; empty means 1.
  std::function<Real(int, const typename Body::Node&)> restitution;
  bool constant_restitution = true;  ///< accumulations are extrapolated only then (errata F14)
  Dissipation dissipation = Dissipation::momentum;
  bool allow_energy_gain = false;

  Real restitution_of(int gap, const typename Body::Node& node) const {
    return restitution ? restitution(gap, node) : Real(1);
  }
};

/// The same for the loop, which sees no body's own nodes.
template <class Real>
struct Laws {
  using Law = mechanics::Law<Real>;

  Law law = Law::elastic();
  std::vector<Law> per_gap;
  std::function<Real(int, const motion::Node<Real>&)> restitution;
  bool constant_restitution = true;
  Dissipation dissipation = Dissipation::momentum;
  bool allow_energy_gain = false;

  Laws() = default;
  template <class Body>
  explicit Laws(const ImpactLaws<Body>& of)
      : law(of.law),
        per_gap(of.per_gap),
        constant_restitution(of.constant_restitution),
        dissipation(of.dissipation),
        allow_energy_gain(of.allow_energy_gain) {
    if (of.restitution)
      restitution = [e = of.restitution](int gap, const motion::Node<Real>& node) {
        return e(gap, node.template as<typename Body::Node>());
      };
  }

  Real restitution_of(int gap, const motion::Node<Real>& node) const {
    return restitution ? restitution(gap, node) : Real(1);
  }
  /// The one law of an active set.
  const Law& law_of(const motion::Island<Real>& island, const contact::ActiveSet<Real>& active,
                    const motion::Node<Real>& node) const {
    if (per_gap.empty()) return law;
    const Law& first = per_gap[static_cast<std::size_t>(active.contact(0).gap)];
    for (int i = 1; i < active.size(); ++i) {
      const Law& other = per_gap[static_cast<std::size_t>(active.contact(i).gap)];
      if (other.name() != first.name())
        throw LawError("the gaps " + active.names(island) + " act together but name different laws, \"" +
                           std::string(first.name()) + "\" and \"" + std::string(other.name()) + "\"",
                       island.state(node));
    }
    return first;
  }
};

}  // namespace ricochet::principle
