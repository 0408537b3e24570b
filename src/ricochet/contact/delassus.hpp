// Impulses and accelerations beside what is kept at rest: the one place where constraints are taken out of a problem.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ricochet/contact/tolerance.hpp"
#include "ricochet/error.hpp"
#include "ricochet/motion/island.hpp"
#include "ricochet/numerics/symmetric.hpp"

namespace ricochet::contact {

/// The covectors n_j of what is kept at a node: bilateral constraints, perhaps gaps that rest. With W = n M⁻¹ nᵀ of
/// any two sets, an impulse along n̂_i = n_i − Σ_j x_j n_j, x = W_CC⁻¹ W_Ci, leaves every rate that is kept as it is,
/// and the couplings of the n̂ are the Delassus matrix on the constraints, W_AA − W_AC W_CC⁻¹ W_CA. So a problem that is
/// posed with n̂ in place of n knows the constraints: two forms of one system, one of which has fewer coordinates, run
/// alike.
template <class Real>
class Delassus {
 public:
  void clear() {
    normals_.clear();
    accelerations_.clear();
    assembled_ = false;
  }
  bool empty() const { return normals_.empty(); }
  std::size_t size() const { return normals_.size(); }

  const motion::Covector& normal(std::size_t j) const { return normals_[j]; }

  /// Keeps the rate along `normal`; `acceleration` is the free one.
  void keep(const motion::Covector& normal, Real acceleration = 0) {
    normals_.add() = normal;
    accelerations_.push_back(acceleration);
    assembled_ = false;
  }
  /// Keeps the constraints of a body, and nothing else.
  void keep_constraints(const motion::Island<Real>& island, const motion::Node<Real>& node, Real h) {
    clear();
    for (int j = 0; j < island.constraints(); ++j)
      accelerations_.push_back(island.contact(island.gaps() + j, node, h, normals_.add()).acceleration);
  }

  /// Impulses along what is kept that change its rates by x, in place of x.
  void solve(const motion::Island<Real>& island, std::vector<Real>& x) {
    if (!assembled_) assemble(island);
    W_.solve(x);
  }
  /// `normal` becomes n̂, and its free acceleration that along the motion which keeps what is kept. Returns x.
  const std::vector<Real>& make_tangent(const motion::Island<Real>& island, motion::Covector& normal,
                                        Real* acceleration = nullptr) {
    x_.resize(size());
    if (empty()) return x_;
    if (!assembled_) assemble(island);
    for (std::size_t j = 0; j < size(); ++j) x_[j] = island.couple(normals_[j], normal);
    W_.solve(x_);
    for (std::size_t j = 0; j < size(); ++j) {
      island.add(normal, -x_[j], normals_[j]);
      if (acceleration != nullptr) *acceleration -= x_[j] * accelerations_[j];
    }
    return x_;
  }

 private:
  void assemble(const motion::Island<Real>& island) {
    const auto k = static_cast<int>(size());
    W_.resize(k);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j <= i; ++j)
        W_(i, j) = W_(j, i) =
            island.couple(normals_[static_cast<std::size_t>(i)], normals_[static_cast<std::size_t>(j)]);
    assembled_ = true;
  }

  motion::Covectors normals_;
  std::vector<Real> accelerations_, x_;
  numerics::Symmetric<Real> W_;
  bool assembled_ = false;
};

/// Ballard's hypothesis I (Ballard 2001, section 2.2): the gradients of what acts together are independent. W(i, j) are
/// their k×k couplings. Where they are not, the impulse is unique and its parts λ_i are not.
template <class Matrix>
bool independent(const Matrix& W, int k) {
  using Real = std::decay_t<decltype(W(0, 0))>;
  std::vector<Real> L(static_cast<std::size_t>(k * k));
  const auto at = [&](int i, int j) -> Real& { return L[static_cast<std::size_t>(i * k + j)]; };
  for (int i = 0; i < k; ++i) {
    Real rest = W(i, i);
    for (int j = 0; j < i; ++j) {
      Real sum = W(i, j);
      for (int l = 0; l < j; ++l) sum -= at(i, l) * at(j, l);
      at(i, j) = sum / at(j, j);
      rest -= at(i, j) * at(i, j);
    }
    if (!(rest > Real(tolerances::independent) * W(i, i))) return false;
    at(i, i) = std::sqrt(rest);
  }
  return true;
}

/// Refuses constraints that are violated, depend on each other (Ballard 2001, counter-example 3) or are moving at the
/// start.
template <class Real>
void require_constraints(const motion::Island<Real>& island, const motion::Node<Real>& node) {
  Delassus<Real> before;
  motion::Covector normal;
  for (int i = 0; i < island.constraints(); ++i) {
    const auto contact = island.contact(island.gaps() + i, node, Real(0), normal);
    const std::string name = "the constraint \"" + island.gap_name(island.gaps() + i) + "\"";
    for (const auto& [x, what] : {std::pair{contact.value, ""}, {contact.rate, "the rate of "}})
      if (!std::isfinite(x))
        throw Error(ErrorKind::inadmissible_start, what + name + " is not a finite number at the start",
                    island.state(node));
    if (!(std::abs(contact.value) <= Real(tolerances::start_digits) * contact.value_scale))
      throw Error(
          ErrorKind::inadmissible_start,
          name + " is violated at the start: its value is " + std::to_string(static_cast<double>(contact.value)),
          island.state(node));
    if (!(std::abs(contact.rate) <= Real(tolerances::start_digits) * contact.rate_scale))
      throw Error(ErrorKind::inadmissible_start,
                  name + " is not kept by the initial velocity: its rate is " +
                      std::to_string(static_cast<double>(contact.rate)),
                  island.state(node));
    const Real W = island.couple(normal, normal);
    if (!(W > 0)) throw Error(ErrorKind::invalid_model, name + " has no gradient at the start", island.state(node));
    motion::Covector independent = normal;  // its part that is independent of the ones before it
    before.make_tangent(island, independent);
    if (!(island.couple(independent, normal) > Real(tolerances::independent) * W))
      throw Error(ErrorKind::invalid_model,
                  name + " is redundant at the start: its gradient depends on those of the constraints before it",
                  island.state(node));
    before.keep(normal);
  }
}

}  // namespace ricochet::contact
