// Vectors of scalars other than numbers (jets), without an allocation per use.
#pragma once

#include <Eigen/LU>
#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace ricochet::tangent {

/// N of them, or as many as `resize` says where N is not known at compile time: to be kept from use to use.
template <class T, int N>
using Few = std::conditional_t<(N > 0), std::array<T, static_cast<std::size_t>(N > 0 ? N : 1)>, std::vector<T>>;

template <class T, std::size_t N>
void resize(std::array<T, N>&, std::size_t) {}
template <class T>
void resize(std::vector<T>& x, std::size_t n) {
  x.resize(n);
}

/// B ← A⁻¹B, column by column where the dimension is known: Eigen's blocked triangular solver, made for many
/// coordinates, took a quarter of a run with its tangent on the table.
template <class Mat, class Block>
void solve_columns(const Eigen::PartialPivLU<Mat>& lu, Block& B) {
  if constexpr (Mat::RowsAtCompileTime > 0) {
    using Vec = Eigen::Matrix<typename Mat::Scalar, Mat::RowsAtCompileTime, 1>;
    for (Eigen::Index c = 0; c < B.cols(); ++c) {
      const Vec b = B.col(c);
      B.col(c) = Vec(lu.solve(b));
    }
  } else {
    B = lu.solve(B).eval();
  }
}

}  // namespace ricochet::tangent
