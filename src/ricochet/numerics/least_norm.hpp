// Small square systems, perhaps singular, not symmetric: least-norm solutions.
#pragma once

#include <cmath>
#include <vector>

#include "ricochet/numerics/symmetric.hpp"

namespace ricochet::numerics {

/// x = Gᵀ(GGᵀ)⁺b, refined once: the square of the condition number then costs digits of the correction only. Rows and
/// columns are scaled by the caller's `scale`, the same for both, so that forces of different units share fairly.
template <class Real>
class LeastNorm {
 public:
  void resize(int k) {
    k_ = k;
    entries_.assign(static_cast<std::size_t>(k * k), Real(0));
    scale_.assign(static_cast<std::size_t>(k), Real(1));
    factored_ = false;
  }
  int size() const { return k_; }
  Real& operator()(int i, int j) {
    factored_ = false;
    return entries_[static_cast<std::size_t>(i * k_ + j)];
  }
  Real operator()(int i, int j) const { return entry(i, j); }
  void set_scale(int i, Real scale) { scale_[static_cast<std::size_t>(i)] = scale > 0 ? 1 / scale : Real(1); }

  /// b becomes x.
  void solve(std::vector<Real>& b) {
    if (k_ == 0) return;
    if (k_ == 1) {
      b[0] /= entries_[0];
      return;
    }
    if (!factored_) factor();
    x_.assign(b.size(), Real(0));
    for (int pass = 0; pass < 2; ++pass) {
      y_ = b;
      for (int i = 0; i < k_; ++i) {
        for (int j = 0; j < k_; ++j) y_[at(i)] -= entry(i, j) * x_[at(j)];
        y_[at(i)] *= scale_[at(i)];
      }
      square_.solve(y_);
      for (int j = 0; j < k_; ++j) {
        Real sum = 0;
        for (int i = 0; i < k_; ++i) sum += scaled(i, j) * y_[at(i)];
        x_[at(j)] += scale_[at(j)] * sum;
      }
    }
    b = x_;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Real entry(int i, int j) const { return entries_[static_cast<std::size_t>(i * k_ + j)]; }
  Real scaled(int i, int j) const { return scale_[at(i)] * entry(i, j) * scale_[at(j)]; }
  void factor() {
    factored_ = true;
    square_.resize(k_);
    for (int i = 0; i < k_; ++i)
      for (int j = 0; j <= i; ++j) {
        Real sum = 0;
        for (int l = 0; l < k_; ++l) sum += scaled(i, l) * scaled(j, l);
        square_(i, j) = square_(j, i) = sum;
      }
  }

  int k_ = 0;
  bool factored_ = false;
  std::vector<Real> entries_, scale_, x_, y_;
  Symmetric<Real> square_;
};

}  // namespace ricochet::numerics
