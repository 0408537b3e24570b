// The two inner loops of a bar: kick p by the springs on both sides of a node, drift q by p/m.
#pragma once

#include <cstddef>

#if defined(__x86_64__) && defined(__GNUC__)
#define RICOCHET_BARS_AVX2 1
#else
#define RICOCHET_BARS_AVX2 0
#endif

namespace ricochet::bodies::kernels {

using Index = std::ptrdiff_t;

// Written once and inlined into a portable and a wide-register version. Both give the same bits: every node sees the
// same operations in the same order, and the build contracts none of them (cmake/Ricochet.cmake).

/// p_a += c((q_{a+1} − q_a) − (q_a − q_{a−1})), once or twice. Twice is the end of one step and the start of the next,
/// rounded exactly as the two half kicks are.
template <bool twice, class Real>
[[gnu::always_inline]] inline void kick_loop(const Real* __restrict q, Real* __restrict p, Index lo, Index hi, Real c) {
  for (Index a = lo; a < hi; ++a) {
    const Real g = c * ((q[a + 1] - q[a]) - (q[a] - q[a - 1]));
    p[a] = twice ? (p[a] + g) + g : p[a] + g;
  }
}
/// q_a += r p_a.
template <class Real>
[[gnu::always_inline]] inline void drift_loop(Real* __restrict q, const Real* __restrict p, Index lo, Index hi,
                                              Real r) {
  for (Index a = lo; a < hi; ++a) q[a] += r * p[a];
}

/// Σ x_a² and Σ (x_{a+1} − x_a)² in eight partial sums, whatever the registers.
template <class Real>
[[gnu::always_inline]] inline Real squares_loop(const Real* x, Index lo, Index hi) {
  Real lane[8] = {};
  Index a = lo;
  for (; a + 8 <= hi; a += 8)
    for (Index k = 0; k < 8; ++k) lane[k] += x[a + k] * x[a + k];
  for (Index k = 0; a < hi; ++a, ++k) lane[k] += x[a] * x[a];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}
template <class Real>
[[gnu::always_inline]] inline Real difference_squares_loop(const Real* x, Index lo, Index hi) {
  Real lane[8] = {};
  Index a = lo;
  for (; a + 8 <= hi; a += 8)
    for (Index k = 0; k < 8; ++k) {
      const Real d = x[a + k + 1] - x[a + k];
      lane[k] += d * d;
    }
  for (Index k = 0; a < hi; ++a, ++k) {
    const Real d = x[a + 1] - x[a];
    lane[k] += d * d;
  }
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

template <class Real>
Real squares(const Real* x, Index lo, Index hi) {
  return squares_loop(x, lo, hi);
}
template <class Real>
Real difference_squares(const Real* x, Index lo, Index hi) {
  return difference_squares_loop(x, lo, hi);
}
template <class Real>
void kick(const Real* q, Real* p, Index lo, Index hi, Real c, bool twice) {
  twice ? kick_loop<true>(q, p, lo, hi, c) : kick_loop<false>(q, p, lo, hi, c);
}
template <class Real>
void drift(Real* q, const Real* p, Index lo, Index hi, Real r) {
  drift_loop(q, p, lo, hi, r);
}

#if RICOCHET_BARS_AVX2
[[gnu::target("avx2")]] inline void kick_avx2(const double* q, double* p, Index lo, Index hi, double c, bool twice) {
  twice ? kick_loop<true>(q, p, lo, hi, c) : kick_loop<false>(q, p, lo, hi, c);
}
[[gnu::target("avx2")]] inline void drift_avx2(double* q, const double* p, Index lo, Index hi, double r) {
  drift_loop(q, p, lo, hi, r);
}
[[gnu::target("avx2")]] inline double squares_avx2(const double* x, Index lo, Index hi) {
  return squares_loop(x, lo, hi);
}
[[gnu::target("avx2")]] inline double difference_squares_avx2(const double* x, Index lo, Index hi) {
  return difference_squares_loop(x, lo, hi);
}
inline bool has_avx2() {
  static const bool yes = __builtin_cpu_supports("avx2") != 0;
  return yes;
}
template <>
inline void kick<double>(const double* q, double* p, Index lo, Index hi, double c, bool twice) {
  if (has_avx2()) return kick_avx2(q, p, lo, hi, c, twice);
  twice ? kick_loop<true>(q, p, lo, hi, c) : kick_loop<false>(q, p, lo, hi, c);
}
template <>
inline void drift<double>(double* q, const double* p, Index lo, Index hi, double r) {
  if (has_avx2()) return drift_avx2(q, p, lo, hi, r);
  drift_loop(q, p, lo, hi, r);
}
template <>
inline double squares<double>(const double* x, Index lo, Index hi) {
  return has_avx2() ? squares_avx2(x, lo, hi) : squares_loop(x, lo, hi);
}
template <>
inline double difference_squares<double>(const double* x, Index lo, Index hi) {
  return has_avx2() ? difference_squares_avx2(x, lo, hi) : difference_squares_loop(x, lo, hi);
}
#endif

}  // namespace ricochet::bodies::kernels
