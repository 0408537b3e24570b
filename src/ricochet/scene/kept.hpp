// What of a run is kept for its report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ricochet::scene {

/// The first thousand of a list; more are only counted: memory is constant in the length of a run.
template <class T>
struct Kept {
  static constexpr std::size_t most = 1000;

  std::vector<T> list;
  std::int64_t left_off = 0;

  void add(T x) {
    if (list.size() < most)
      list.push_back(std::move(x));
    else
      ++left_off;
  }
};

}  // namespace ricochet::scene
