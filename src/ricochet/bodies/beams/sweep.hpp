// The passes over a whole beam: four inner nodes at a time where numbers are doubles, and the widest registers there
// are.
#pragma once

#include "ricochet/bodies/bars/kernels.hpp"
#include "ricochet/bodies/beams/passes.hpp"
#include "ricochet/numerics/function_ref.hpp"

namespace ricochet::bodies::beams {

template <class R>
struct BeamSums {
  R elastic = 0;  ///< Σ Φ(η) over the elements
  R gravity = 0;
  R least_cosine = 1;  ///< of half a relative rotation
};

/// Written once for T = R and T = Pack, inlined into a portable version and one for AVX2.
template <class T, class R>
RICOCHET_INLINE R depart_beam(const Segment<R>& b, View<const R> from, View<R> out, R s,
                              numerics::FunctionRef<void(Index, R&)> newton) {
  constexpr Index width = sizeof(T) / sizeof(R);
  R twice = 0;
  T twice_wide{};
  auto one = [&](Index a) {
    const R before = twice;
    if (depart<R, R>(b, from, out, a, b.weight(a), s, twice)) return;
    twice = before;
    newton(a, twice);
  };
  one(b.first);
  Index a = b.first + 1;
  if constexpr (width > 1)
    for (; a + width <= b.last; a += width) {
      const T before = twice_wide;
      if (depart<T, R>(b, from, out, a, b.spacing, s, twice_wide)) continue;
      twice_wide = before;
      for (Index k = 0; k < width; ++k) one(a + k);
    }
  for (; a <= b.last; ++a) one(a);
  return twice + sum(twice_wide);
}

template <class T, class R>
RICOCHET_INLINE BeamSums<R> arrive_beam(const Segment<R>& b, View<R> out, View<R> loads, R half) {
  constexpr Index width = sizeof(T) / sizeof(R);
  BeamSums<R> sums;
  T elastic{}, gravity{}, cosine = T{} + R(1);
  Index a = b.first;
  if constexpr (width > 1)
    for (; a + width <= b.last; a += width) load_element<T, R>(b, out, loads, a, elastic, cosine);
  for (; a < b.last; ++a) load_element<R, R>(b, out, loads, a, sums.elastic, sums.least_cosine);

  arrive<R, R>(b, out, loads, b.first, b.weight(b.first), half, sums.gravity);
  a = b.first + 1;
  if constexpr (width > 1)
    for (; a + width <= b.last; a += width) arrive<T, R>(b, out, loads, a, b.spacing, half, gravity);
  for (; a <= b.last; ++a) arrive<R, R>(b, out, loads, a, b.weight(a), half, sums.gravity);
  sums.elastic += sum(elastic);
  sums.gravity += sum(gravity);
  sums.least_cosine = smaller(sums.least_cosine, least(cosine));
  return sums;
}

template <class R>
struct Sweep {
  using Newton = numerics::FunctionRef<void(Index, R&)>;
  static R depart(const Segment<R>& b, View<const R> from, View<R> out, R s, bool, Newton newton) {
    return depart_beam<R, R>(b, from, out, s, newton);
  }
  static BeamSums<R> arrive(const Segment<R>& b, View<R> out, View<R> loads, R half, bool) {
    return arrive_beam<R, R>(b, out, loads, half);
  }
};

#if RICOCHET_BARS_AVX2
[[gnu::target("avx2")]] inline double depart_avx2(const Segment<double>& b, View<const double> from, View<double> out,
                                                  double s, numerics::FunctionRef<void(Index, double&)> newton) {
  return depart_beam<Pack, double>(b, from, out, s, newton);
}
[[gnu::target("avx2")]] inline BeamSums<double> arrive_avx2(const Segment<double>& b, View<double> out,
                                                            View<double> loads, double half) {
  return arrive_beam<Pack, double>(b, out, loads, half);
}
#endif

template <>
struct Sweep<double> {
  using Newton = numerics::FunctionRef<void(Index, double&)>;
  static double depart(const Segment<double>& b, View<const double> from, View<double> out, double s, bool packs,
                       Newton newton) {
    if (!packs) return depart_beam<double, double>(b, from, out, s, newton);
#if RICOCHET_BARS_AVX2
    if (kernels::has_avx2()) return depart_avx2(b, from, out, s, newton);
#endif
    return depart_beam<Pack, double>(b, from, out, s, newton);
  }
  static BeamSums<double> arrive(const Segment<double>& b, View<double> out, View<double> loads, double half,
                                 bool packs) {
    if (!packs) return arrive_beam<double, double>(b, out, loads, half);
#if RICOCHET_BARS_AVX2
    if (kernels::has_avx2()) return arrive_avx2(b, out, loads, half);
#endif
    return arrive_beam<Pack, double>(b, out, loads, half);
  }
};

}  // namespace ricochet::bodies::beams
