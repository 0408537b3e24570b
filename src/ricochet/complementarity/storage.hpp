#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ricochet::complementarity {

/// Contacts that act together are few: up to this many, nothing here touches the heap.
inline constexpr int small_size = 8;
inline constexpr int any_size = -1;

/// A zeroed array of at most Max numbers, on the heap only if Max is any_size. Plain loops over it keep the solvers
/// cheap to compile; expressions belong to their callers.
template <class T, int Max>
class Array {
 public:
  explicit Array(int n = 0) { assign(n); }
  void assign(int n) {
    if constexpr (Max == any_size)
      data_.assign(static_cast<std::size_t>(n), T(0));
    else
      data_.fill(T(0));
  }
  T& operator[](int i) { return data_[static_cast<std::size_t>(i)]; }
  const T& operator[](int i) const { return data_[static_cast<std::size_t>(i)]; }

 private:
  std::conditional_t<Max == any_size, std::vector<T>, std::array<T, static_cast<std::size_t>(Max < 0 ? 0 : Max)>> data_;
};

/// A square matrix on an Array, rows one after the other.
template <class T, int Max>
class Square {
 public:
  explicit Square(int n = 0) { assign(n); }
  void assign(int n) {
    n_ = n;
    data_.assign(n * n);
  }
  T& operator()(int i, int j) { return data_[i * n_ + j]; }
  const T& operator()(int i, int j) const { return data_[i * n_ + j]; }

 private:
  int n_ = 0;
  Array<T, Max == any_size ? any_size : Max * Max> data_;
};

/// How a complementarity problem ended. Everything but `solved` leaves the unknown at its last iterate.
enum class Status {
  solved,
  infeasible,      ///< no velocity satisfies all constraints: a body squeezed between gaps that close on each other
  no_convergence,  ///< the bounded iteration did not reach the tolerance
  ray,             ///< Lemke's algorithm ended on a ray: no solution, or none that it can reach
  wedged,          ///< impulses grow without bound while they hold each other in balance: friction wedges the contacts
  not_finite,      ///< NaN or infinity in the data, or a negative diagonal of W
};

constexpr std::string_view sentence(Status status) {
  switch (status) {
    case Status::solved:
      return "solved";
    case Status::infeasible:
      return "no admissible velocity exists: the gaps that act together close on each other";
    case Status::no_convergence:
      return "the complementarity problem did not converge within its bound";
    case Status::ray:
      return "Lemke's algorithm ended on a ray: the complementarity problem has no solution it can reach";
    case Status::wedged:
      return "friction wedges the contacts: impulses that hold each other in balance grow without bound";
    case Status::not_finite:
      return "the complementarity problem has data that are not finite or not semidefinite";
  }
  return "unknown";
}

/// Calls f with a std::integral_constant<int, Max>: the maximal size of the storage for k unknowns.
template <class F>
decltype(auto) with_storage(int k, F&& f) {
  if (k <= small_size) return std::forward<F>(f)(std::integral_constant<int, small_size>{});
  return std::forward<F>(f)(std::integral_constant<int, any_size>{});
}

}  // namespace ricochet::complementarity
