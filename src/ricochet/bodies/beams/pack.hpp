// Four doubles side by side: the compiler's own vectors, so that one text serves every processor.
#pragma once

#include <cmath>
#include <cstddef>
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
using PackMask = long long __attribute__((vector_size(32)));
using PackHalf = long long __attribute__((vector_size(16)));
/// Where a pack lies among other doubles. A struct, because clang forgets the alignment of a vector type.
struct [[gnu::packed, gnu::aligned(8), gnu::may_alias]] PackInMemory {
  Pack pack;
};

/// Two packs in step: while one waits for a result the processor has the other, where a computation is one long chain.
struct Twin {
  Pack low, high;
};

/// How many numbers R a T is: one, where it is no pack.
template <class T, class R>
inline constexpr std::ptrdiff_t lanes = sizeof(T) / sizeof(R);  // NOLINT(bugprone-sizeof-expression)
struct TwinMask {
  PackMask low, high;
};
#define RICOCHET_TWIN(op)                                                                                       \
  RICOCHET_INLINE Twin operator op(const Twin& a, const Twin& b) { return {a.low op b.low, a.high op b.high}; } \
  RICOCHET_INLINE Twin operator op(double a, const Twin& b) { return {a op b.low, a op b.high}; }               \
  RICOCHET_INLINE Twin operator op(const Twin& a, double b) { return {a.low op b, a.high op b}; }
RICOCHET_TWIN(+)
RICOCHET_TWIN(-)
RICOCHET_TWIN(*)
#undef RICOCHET_TWIN
RICOCHET_INLINE Twin& operator+=(Twin& a, const Twin& b) { return a = a + b; }
RICOCHET_INLINE TwinMask operator<=(const Twin& a, double b) { return {a.low <= b, a.high <= b}; }
RICOCHET_INLINE TwinMask operator>(const Twin& a, double b) { return {a.low > b, a.high > b}; }

template <class T>
RICOCHET_INLINE T load(const double* from) {
  if constexpr (sizeof(T) == sizeof(Twin))
    return {load<Pack>(from), load<Pack>(from + 4)};
  else if constexpr (sizeof(T) == sizeof(Pack))
    return reinterpret_cast<const PackInMemory*>(from)->pack;
  else
    return *from;
}
template <class T>
RICOCHET_INLINE T load(const long double* from) {
  return *from;
}
RICOCHET_INLINE void store(double* to, double x) { *to = x; }
RICOCHET_INLINE void store(long double* to, long double x) { *to = x; }
RICOCHET_INLINE void store(double* to, const Pack& x) { reinterpret_cast<PackInMemory*>(to)->pack = x; }
RICOCHET_INLINE void store(double* to, const Twin& x) {
  store(to, x.low);
  store(to + 4, x.high);
}

RICOCHET_INLINE double inverse_root(double x) { return 1 / std::sqrt(x); }
RICOCHET_INLINE long double inverse_root(long double x) { return 1 / std::sqrt(x); }
RICOCHET_INLINE Pack inverse_root(const Pack& x) {
#if defined(__SSE2__)
  const __m128d low = _mm_sqrt_pd(__m128d{x[0], x[1]}), high = _mm_sqrt_pd(__m128d{x[2], x[3]});
  return 1 / Pack{low[0], low[1], high[0], high[1]};
#else
  return 1 / Pack{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}
RICOCHET_INLINE Twin inverse_root(const Twin& x) { return {inverse_root(x.low), inverse_root(x.high)}; }

RICOCHET_INLINE double magnitude(double x) { return std::abs(x); }
RICOCHET_INLINE long double magnitude(long double x) { return std::abs(x); }
RICOCHET_INLINE Pack magnitude(const Pack& x) {
  constexpr long long all_but_sign = 0x7fffffffffffffff;
  return reinterpret_cast<Pack>(reinterpret_cast<PackMask>(x) & all_but_sign);
}
RICOCHET_INLINE Twin magnitude(const Twin& x) { return {magnitude(x.low), magnitude(x.high)}; }
template <class T>
RICOCHET_INLINE T smaller(const T& a, const T& b) {
  return a < b ? a : b;
}
template <class T>
RICOCHET_INLINE T larger(const T& a, const T& b) {
  return a > b ? a : b;
}
RICOCHET_INLINE Twin smaller(const Twin& a, const Twin& b) { return {smaller(a.low, b.low), smaller(a.high, b.high)}; }
RICOCHET_INLINE Twin larger(const Twin& a, const Twin& b) { return {larger(a.low, b.low), larger(a.high, b.high)}; }
RICOCHET_INLINE double sum(double x) { return x; }
RICOCHET_INLINE long double sum(long double x) { return x; }
RICOCHET_INLINE double sum(const Pack& x) { return (x[0] + x[2]) + (x[1] + x[3]); }
RICOCHET_INLINE double sum(const Twin& x) { return sum(x.low + x.high); }
RICOCHET_INLINE double least(double x) { return x; }
RICOCHET_INLINE long double least(long double x) { return x; }
RICOCHET_INLINE double least(const Pack& x) { return smaller(smaller(x[0], x[1]), smaller(x[2], x[3])); }

/// Whether something is true in every lane.
RICOCHET_INLINE bool all(bool mask) { return mask; }
RICOCHET_INLINE bool all(const PackMask& mask) {
#if defined(__SSE2__)
  const __m128d x = reinterpret_cast<__m128d>(PackHalf{mask[0] & mask[2], mask[1] & mask[3]});
  return _mm_movemask_pd(x) == 3;
#else
  return ((mask[0] & mask[1]) & (mask[2] & mask[3])) != 0;
#endif
}
RICOCHET_INLINE bool all(const TwinMask& mask) { return all(mask.low & mask.high); }

}  // namespace ricochet::bodies::beams
