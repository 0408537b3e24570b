// Four doubles side by side: the compiler's own vectors, so that one text serves every processor.
#pragma once

#include <cmath>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define RICOCHET_INLINE [[gnu::always_inline]] inline

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // packs are only passed to functions that are inlined
#endif

namespace ricochet::bodies::beams {

/// Where registers are narrower the compiler uses two: the bits are the same, because every lane sees the operations of
/// a single node in the same order and nothing is contracted (cmake/Ricochet.cmake).
using Pack = double __attribute__((vector_size(32)));
using PackInMemory = double __attribute__((vector_size(32), aligned(8)));
using PackMask = decltype(Pack{} < Pack{});

template <class T>
RICOCHET_INLINE T load(const double* from) {
  if constexpr (sizeof(T) == sizeof(Pack))
    return *reinterpret_cast<const PackInMemory*>(from);
  else
    return *from;
}
template <class T>
RICOCHET_INLINE T load(const long double* from) {
  return *from;
}
RICOCHET_INLINE void store(double* to, double x) { *to = x; }
RICOCHET_INLINE void store(long double* to, long double x) { *to = x; }
RICOCHET_INLINE void store(double* to, Pack x) { *reinterpret_cast<PackInMemory*>(to) = x; }

RICOCHET_INLINE double inverse_root(double x) { return 1 / std::sqrt(x); }
RICOCHET_INLINE long double inverse_root(long double x) { return 1 / std::sqrt(x); }
RICOCHET_INLINE Pack inverse_root(Pack x) {
#if defined(__SSE2__)
  const __m128d low = _mm_sqrt_pd(__m128d{x[0], x[1]}), high = _mm_sqrt_pd(__m128d{x[2], x[3]});
  return 1 / Pack{low[0], low[1], high[0], high[1]};
#else
  return 1 / Pack{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}

template <class T>
RICOCHET_INLINE T magnitude(T x) {
  return x < 0 ? -x : x;
}
template <class T>
RICOCHET_INLINE T smaller(T a, T b) {
  return a < b ? a : b;
}
RICOCHET_INLINE double sum(double x) { return x; }
RICOCHET_INLINE long double sum(long double x) { return x; }
RICOCHET_INLINE double sum(Pack x) { return (x[0] + x[2]) + (x[1] + x[3]); }
RICOCHET_INLINE double least(double x) { return x; }
RICOCHET_INLINE long double least(long double x) { return x; }
RICOCHET_INLINE double least(Pack x) { return smaller(smaller(x[0], x[1]), smaller(x[2], x[3])); }

/// Truth per lane.
template <class T>
struct Lanes {
  using Mask = bool;
};
template <>
struct Lanes<Pack> {
  using Mask = PackMask;
};
template <class T>
RICOCHET_INLINE auto all_lanes() -> typename Lanes<T>::Mask {
  return T{} == T{};
}
RICOCHET_INLINE bool any(bool mask) { return mask; }
RICOCHET_INLINE bool any(PackMask mask) { return ((mask[0] | mask[1]) | (mask[2] | mask[3])) != 0; }

}  // namespace ricochet::bodies::beams
