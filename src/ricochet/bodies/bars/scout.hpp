// The neighbourhood of one contact, flown ahead of the rest of the chain.
#pragma once

#include "ricochet/bodies/bars/chain.hpp"

namespace ricochet::bodies {

/// Up to n steps of length h of the nodes that can act on link i within them: a triangle of space-time, exact where it
/// reaches the end of the chain. `look(j, q, p)` sees the two sides of the link after j steps, from 0 on, and says
/// whether to go on; returns the number of steps it was content with. q and p are scratch arrays as long as the chain.
template <class Real, class Look>
int scout(const Chain<Real>& chain, int i, const Real* q0, const Real* p0, Real* q, Real* p, Real h, int n,
          Look&& look) {
  using Index = typename Chain<Real>::Index;
  const auto& link = chain.link(i);
  const Index left = link.left >= 0 ? link.left : link.right - 1, right = link.right >= 0 ? link.right : link.left + 1;
  const Index N = chain.nodes(), reach = 2 * n + 2;
  const Index lo = std::max<Index>(0, left - reach), hi = std::min(N, right + reach + 1);
  std::copy(q0 + lo, q0 + hi, q + lo);
  std::copy(p0 + lo, p0 + hi, p + lo);
  auto from = [&](Index shrink) { return lo == 0 ? Index(0) : lo + shrink; };
  auto to = [&](Index shrink) { return hi == N ? N : hi - shrink; };
  for (int j = 0;; ++j) {
    if (!look(j, q, p)) return j;
    if (j == n) return n;
    chain.kick(q, p, from(2 * j + 1), to(2 * j + 1), h / 2, false, [](int) {});
    chain.drift(q, p, from(2 * j + 1), to(2 * j + 1), h);
    chain.kick(q, p, from(2 * j + 2), to(2 * j + 2), h / 2, false, [](int) {});
  }
}

}  // namespace ricochet::bodies
