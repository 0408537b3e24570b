// The passes over a whole beam: four inner nodes at a time where numbers are doubles, and the widest registers there
// are.
#pragma once

#include "ricochet/bodies/bars/kernels.hpp"
#include "ricochet/bodies/beams/obstacle.hpp"
#include "ricochet/numerics/function_ref.hpp"

namespace ricochet::bodies::beams {

template <class R>
struct BeamSums {
  R elastic = 0;  ///< Σ Φ(η) over the elements
  R gravity = 0;
  R least_cosine = 1;  ///< of half a relative rotation
};

/// Written once for T = R and T = Pack, inlined into a portable version and one for AVX2. `watch`, if any, sees the
/// parabola of every node; `alone(a, twice)` moves a node for which sweeps are not enough.
template <class T, class R>
RICOCHET_INLINE R depart_beam(const Segment<R>& b, View<const R> from, View<R> out, R s, const Watch<R>* watch,
                              numerics::FunctionRef<void(Index, R&)> alone) {
  R twice = 0;
  const Pace<R> inner(b, b.spacing, s), end(b, b.spacing / 2, s);
  auto one = [&](Index a) {
    const auto see = [&](const auto&... curve) __attribute__((always_inline)) {
      if (watch != nullptr) (*watch)(a, curve...);
    };
    if (depart<R, R>(a == b.first || a == b.last ? end : inner, from, out, a, twice, see)) return;
    alone(a, twice);
    if (watch != nullptr) watch->unseen(a);
  };
  one(b.first);
  Index a = b.first + 1;
  auto wide = [&]<class Wide>() __attribute__((always_inline)) {
    constexpr Index width = lanes<Wide, R>;
    Wide twice_wide{};
    for (; a + width <= b.last; a += width) {
      const auto see = [&](const auto&... curve) __attribute__((always_inline)) {
        if (watch != nullptr) (*watch)(a, curve...);
      };
      if (!depart<Wide, R>(inner, from, out, a, twice_wide, see))
        for (Index k = 0; k < width; ++k) one(a + k);
    }
    twice += sum(twice_wide);
  };
  if constexpr (sizeof(T) > sizeof(R)) {
    wide.template operator()<Twin>();
    wide.template operator()<Pack>();
  }
  for (; a <= b.last; ++a) one(a);
  return twice;
}

template <class T, class R>
RICOCHET_INLINE BeamSums<R> arrive_beam(const Segment<R>& b, View<R> out, View<R> loads, R half) {
  constexpr Index width = lanes<T, R>;
  BeamSums<R> sums;
  T elastic{}, gravity{}, cosine = T{} + R(1);
  const ElementConstants<R> element = b.element();
  const Triple<R> inner = b.spacing * b.gravity, end = (b.spacing / 2) * b.gravity;
  Index a = b.first;
  if constexpr (width > 1)
    for (; a + width <= b.last; a += width) load_element<T, R>(element, out, loads, a, elastic, cosine);
  for (; a < b.last; ++a) load_element<R, R>(element, out, loads, a, sums.elastic, sums.least_cosine);

  arrive<R, R>(end, out, loads, b.first, half, sums.gravity);
  a = b.first + 1;
  if constexpr (width > 1)
    for (; a + width <= b.last; a += width) arrive<T, R>(inner, out, loads, a, half, gravity);
  for (; a <= b.last; ++a) arrive<R, R>(a == b.last ? end : inner, out, loads, a, half, sums.gravity);
  sums.elastic += sum(elastic);
  sums.gravity += sum(gravity);
  sums.least_cosine = smaller(sums.least_cosine, least(cosine));
  return sums;
}

template <class R>
struct Sweep {
  using Alone = numerics::FunctionRef<void(Index, R&)>;
  static R depart(const Segment<R>& b, View<const R> from, View<R> out, R s, bool, const Watch<R>* watch, Alone alone) {
    return depart_beam<R, R>(b, from, out, s, watch, alone);
  }
  static BeamSums<R> arrive(const Segment<R>& b, View<R> out, View<R> loads, R half, bool) {
    return arrive_beam<R, R>(b, out, loads, half);
  }
};

#if RICOCHET_BARS_AVX2
[[gnu::target("avx2")]] inline double depart_avx2(const Segment<double>& b, View<const double> from, View<double> out,
                                                  double s, const Watch<double>* watch,
                                                  numerics::FunctionRef<void(Index, double&)> alone) {
  return depart_beam<Pack, double>(b, from, out, s, watch, alone);
}
[[gnu::target("avx2")]] inline BeamSums<double> arrive_avx2(const Segment<double>& b, View<double> out,
                                                            View<double> loads, double half) {
  return arrive_beam<Pack, double>(b, out, loads, half);
}
#endif

template <>
struct Sweep<double> {
  using Alone = numerics::FunctionRef<void(Index, double&)>;
  static double depart(const Segment<double>& b, View<const double> from, View<double> out, double s, bool packs,
                       const Watch<double>* watch, Alone alone) {
    if (!packs) return depart_beam<double, double>(b, from, out, s, watch, alone);
#if RICOCHET_BARS_AVX2
    if (kernels::has_avx2()) return depart_avx2(b, from, out, s, watch, alone);
#endif
    return depart_beam<Pack, double>(b, from, out, s, watch, alone);
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
