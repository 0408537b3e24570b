// Many steps of a chain in one sweep over memory: the space-time slab cut into tiles that respect its light cones.
#pragma once

#include "ricochet/bodies/bars/chain.hpp"
#include "ricochet/bodies/bars/workers.hpp"

namespace ricochet::bodies {

/// n kick–drift–kick steps of length h, in place, with the bits of n single steps.
///
/// Level j is kick j, then drift j; kick 0 and kick n are half kicks, the others two half kicks at once. Kick j of node
/// a needs q_{a±1} after exactly j drifts, so the edge of a tile moves by two nodes per level: kicks end at b ∓ 2j,
/// drifts at b ∓ (2j+1). Tiles that lean left follow each other through the cache; every thread has a row of them, the
/// first and last of which lean inwards, and the wedges between rows come last.
template <class Real>
class Sweep {
 public:
  using Index = typename Chain<Real>::Index;

  static constexpr Index tile = 2048;  ///< nodes: q and p of a tile stay in the first-level cache or close to it
  static constexpr int depth = 32;     ///< steps per sweep over memory

  /// `contact(link, level)` is called for every link at every level 0 … n, in order for each link.
  template <class OnContact>
  static void run(const Chain<Real>& chain, Real* q, Real* p, Real h, int n, Workers& workers, OnContact&& contact) {
    const Sweep sweep{chain, q, p, h, n};
    const Index N = chain.nodes();
    const int rows = static_cast<int>(std::min<Index>(workers.count(), N / (8 * (2 * n + 2)) + 1));
    if (rows == 1) return sweep.row(0, N, false, false, contact);
    auto edge = [&](int i) { return N * i / rows; };
    workers.run([&](int i) {
      if (i < rows) sweep.row(edge(i), edge(i + 1), i > 0, i + 1 < rows, contact);
    });
    workers.run([&](int i) {
      if (0 < i && i < rows) sweep.block({edge(i), -1}, {edge(i), +1}, contact);
    });
  }

 private:
  /// An edge of a tile: where it is at level 0, and which way it moves (0: it is the end of the chain).
  struct Edge {
    Index at;
    int lean;
    Index kick(int j) const { return at + lean * 2 * j; }
    Index drift(int j) const { return at + lean * (2 * j + 1); }
  };

  template <class OnContact>
  void row(Index lo, Index hi, bool inner_left, bool inner_right, OnContact& contact) const {
    Edge left{lo, inner_left ? 1 : 0};
    while (left.at < hi) {
      const bool last = hi - left.at <= tile + tile / 2;
      const Edge right = last ? Edge{hi, inner_right ? -1 : 0} : Edge{left.at + tile, -1};
      block(left, right, contact);
      left = {right.at, -1};
    }
  }
  template <class OnContact>
  void block(Edge left, Edge right, OnContact& contact) const {
    const Index N = chain.nodes();
    for (int j = 0; j <= n; ++j) {
      const Index lo = std::max<Index>(0, left.kick(j)), hi = std::min(N, right.kick(j));
      chain.kick(q, p, lo, hi, h / 2, 0 < j && j < n, [&](int i) { contact(i, j); });
      if (j < n) chain.drift(q, p, std::max<Index>(0, left.drift(j)), std::min(N, right.drift(j)), h);
    }
  }

  const Chain<Real>& chain;
  Real *q, *p;
  Real h;
  int n;

  Sweep(const Chain<Real>& c, Real* q0, Real* p0, Real step, int steps) : chain(c), q(q0), p(p0), h(step), n(steps) {}
};

}  // namespace ricochet::bodies
