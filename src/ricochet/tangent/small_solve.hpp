// Small symmetric positive definite systems in any scalar, jets included.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ricochet::tangent {

/// A = L D Lᵀ, row by row in one vector, factored in place; `solve` may then be called many times.
template <class T>
class Definite {
 public:
  void resize(std::size_t n) {
    n_ = n;
    a_.assign(n * n, T(0));
  }
  std::size_t size() const { return n_; }
  T& operator()(std::size_t i, std::size_t j) { return a_[i * n_ + j]; }

  void factor() {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t k = 0; k < j; ++k) a_[j * n_ + j] -= a_[j * n_ + k] * a_[j * n_ + k] * a_[k * n_ + k];
      for (std::size_t i = j + 1; i < n_; ++i) {
        for (std::size_t k = 0; k < j; ++k) a_[i * n_ + j] -= a_[i * n_ + k] * a_[j * n_ + k] * a_[k * n_ + k];
        a_[i * n_ + j] /= a_[j * n_ + j];
      }
    }
  }
  /// b becomes A⁻¹b.
  void solve(std::span<T> b) const {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < i; ++k) b[i] -= a_[i * n_ + k] * b[k];
    for (std::size_t i = 0; i < n_; ++i) b[i] /= a_[i * n_ + i];
    for (std::size_t i = n_; i-- > 0;)
      for (std::size_t k = i + 1; k < n_; ++k) b[i] -= a_[k * n_ + i] * b[k];
  }

 private:
  std::size_t n_ = 0;
  std::vector<T> a_;
};

template <class T>
T dot(std::span<const T> a, std::span<const T> b) {
  T sum(0);
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace ricochet::tangent
