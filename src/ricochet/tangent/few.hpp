// Vectors of scalars other than numbers (jets), without an allocation per use.
#pragma once

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

}  // namespace ricochet::tangent
