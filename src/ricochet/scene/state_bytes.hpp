// Where a run stands, in a checkpoint: all of its state but the node, which every body writes in its own way.
#pragma once

#include "ricochet/scene/bytes.hpp"

namespace ricochet::scene {

template <class State>
void put_progress(ByteWriter& out, const State& s) {
  for (const double x : {s.t_start, s.t_grid, s.h}) out.put(x);
  if constexpr (requires { s.way; }) out.put(s.way);
  for (const long long x : {s.steps, s.steps_grid, s.impacts}) out.put(x);
  out.list(s.held);
  out.list(s.fallbacks);
}
/// Gaps that are held must lie in [first, end).
template <class State>
void get_progress(ByteReader& in, State& s, int first, int end) {
  for (double* x : {&s.t_start, &s.t_grid, &s.h}) in.get(*x);
  if constexpr (requires { s.way; }) in.get(s.way);
  for (long long* x : {&s.steps, &s.steps_grid, &s.impacts}) in.get(*x);
  in.list(s.held);
  for (const int i : s.held)
    if (i < first || i >= end) throw std::out_of_range("no such gap");
  if (in.size() != s.fallbacks.size()) throw std::out_of_range("other");
  for (long long& x : s.fallbacks) in.get(x);
}

}  // namespace ricochet::scene
