// What bars lend to the schemes of principle/grid, which know no kind of body.
#pragma once

#include "ricochet/bodies/bars.hpp"

namespace ricochet::bodies {

/// Bars on a line as an elastic chain: `principle::grid::MasslessTips<ElasticBars<>>`, `VirtualTip<ElasticBars<>>`.
template <class R = double>
struct ElasticBars {
  using Real = R;
  using Spec = BarsSpec<R>;
  using Options = BarsOptions;
  using Chain = bodies::Chain<R>;
  using Sums = ChainSums<R>;
  using Flight = ChainFlight<R>;
  using Sweep = bodies::Sweep<R>;
  using Workers = bodies::Workers;
  using Readings = bodies::Readings<R>;

  static constexpr const char* what = "the bars";  ///< what errors speak of
  static constexpr Tips tips_at_neighbours = Tips::redistributed, quarter_tips = Tips::quarter;

  static Chain chain(Spec spec, Tips tips) { return {std::make_shared<const BarLine<R>>(std::move(spec)), tips}; }
  static void require_stable(R h, R limit) { bodies::require_stable(h, limit); }
  static bool pays_to_glide(const Chain& chain) { return bodies::pays_to_glide(chain); }
  /// scout() of one link.
  template <class Look>
  static int look_ahead(const Chain& chain, int link, const R* q0, const R* p0, R* q, R* p, R h, int n, Look&& look) {
    return scout(chain, link, q0, p0, q, p, h, n, look);
  }
};

}  // namespace ricochet::bodies
