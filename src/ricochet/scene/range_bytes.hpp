// What a run has seen of a quantity, in a checkpoint.
#pragma once

#include "ricochet/observe/monitor.hpp"
#include "ricochet/scene/bytes.hpp"

namespace ricochet::scene {

inline void put(ByteWriter& out, const observe::Range<double>& r) {
  for (const double x : {r.initial, r.last, r.min, r.max}) out.put(x);
  out.put(r.empty);
}
inline void get(ByteReader& in, observe::Range<double>& r) {
  for (double* x : {&r.initial, &r.last, &r.min, &r.max}) in.get(*x);
  in.get(r.empty);
}

}  // namespace ricochet::scene
