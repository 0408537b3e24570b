// One flight of a chain over any length, with the energy of its interval.
#pragma once

#include "ricochet/bodies/bars/chain.hpp"
#include "ricochet/bodies/bars/workers.hpp"

namespace ricochet::bodies {

/// The chain cut into chunks that never depend on the number of threads: sums over it repeat to the last bit.
template <class Real>
class ChainSums {
 public:
  using Index = typename Chain<Real>::Index;
  struct Chunk {
    Index lo, hi;
    int segment;
  };

  explicit ChainSums(const Chain<Real>& chain) {
    for (int b = 0; b < chain.segments(); ++b)
      for (Index lo = chain.segment(b).first; lo <= chain.segment(b).last; lo += 2048)
        chunks_.push_back({lo, std::min(lo + 2048, chain.segment(b).last + 1), b});
  }
  int chunks() const { return static_cast<int>(chunks_.size()); }
  const Chunk& chunk(int c) const { return chunks_[static_cast<std::size_t>(c)]; }

  /// Σ p²/2m over the nodes of a chunk.
  static Real kinetic(const Chain<Real>& chain, const Chunk& c, const Real* p) {
    const auto& s = chain.segment(c.segment);
    Real sum = 0;
    auto end_node = [&](Index a) {
      if (c.lo <= a && a < c.hi && !s.fixed(a)) sum += p[a] * p[a] / (2 * s.mass_of(a));
    };
    end_node(s.first);
    if (s.last > s.first) end_node(s.last);
    const Index lo = std::max(c.lo, s.first + 1), hi = std::min(c.hi, s.last);
    return lo < hi ? sum + kernels::squares(p, lo, hi) / (2 * s.mass) : sum;
  }
  /// Energy of the elements that begin in a chunk, and of the contact behind its last node.
  static Real potential(const Chain<Real>& chain, const Chunk& c, const Real* q) {
    const auto& s = chain.segment(c.segment);
    Real sum = 0;
    if (c.lo == s.first && s.first < s.last) sum += s.stored(s.first, q[s.first + 1] - q[s.first]);
    if (c.lo < s.last && s.last <= c.hi && s.last - 1 > s.first) sum += s.stored(s.last - 1, q[s.last] - q[s.last - 1]);
    if (c.lo == s.first && s.link_left >= 0 && chain.link(s.link_left).left < 0)
      sum += chain.link_energy(s.link_left, q);
    if (c.hi == s.last + 1 && s.link_right >= 0) sum += chain.link_energy(s.link_right, q);
    const Index lo = std::max(c.lo, s.first + 1), hi = std::min(c.hi, s.last - 1);
    if (lo >= hi) return sum;
    if (!s.energy) return sum + s.k * kernels::difference_squares(q, lo, hi) / 2;
    constexpr Index batch = Chain<Real>::batch;
    Real e[batch], W[batch];
    for (Index from = lo; from < hi; from += batch) {
      const Index n = std::min(batch, hi - from);
      for (Index j = 0; j < n; ++j) e[j] = 1 + (q[from + j + 1] - q[from + j]) / s.length;
      s.energy->energy(e, W, static_cast<std::size_t>(n));
      for (Index j = 0; j < n; ++j) sum += s.length * W[j];
    }
    return sum;
  }

  Real kinetic(const Chain<Real>& chain, const Real* p) const {
    Real sum = 0;
    for (const Chunk& c : chunks_) sum += kinetic(chain, c, p);
    return sum;
  }
  Real potential(const Chain<Real>& chain, const Real* q) const {
    Real sum = 0;
    for (const Chunk& c : chunks_) sum += potential(chain, c, q);
    return sum;
  }

 private:
  std::vector<Chunk> chunks_;
};

/// p_½ = p + ½h f(q), q' = q + h p_½/m, p' = p_½ + ½h f(q'): the trapezoidal L_d of Demoures 2016 (4.3) in one-step
/// form. E_d = Σ p_½²/2m + ½(V + V') (errata, bars).
template <class Real>
struct ChainFlight {
  using Index = typename Chain<Real>::Index;
  struct Energies {
    Real kinetic, potential;  ///< Σ p_½²/2m; V at the end
  };
  struct Partial {
    Real kinetic, potential;
  };
  std::vector<Partial> partial;

  Energies fly(const Chain<Real>& chain, const ChainSums<Real>& sums, const Real* q, const Real* p, Real* q1, Real* p1,
               Real h, Workers& workers) {
    const int chunks = sums.chunks();
    partial.resize(static_cast<std::size_t>(chunks));
    const int rows = std::min(workers.count(), chunks / 8 + 1);
    auto edge = [&](int i) { return static_cast<int>(static_cast<long long>(chunks) * i / rows); };
    auto arrive = [&](int c) { this->arrive(chain, sums.chunk(c), c, q1, p1, h); };
    auto depart = [&](int c) { this->depart(chain, sums.chunk(c), c, q, p, q1, p1, h); };
    if (rows == 1) {
      for (int c = 0; c < chunks; ++c) {
        depart(c);
        if (c > 0) arrive(c - 1);  // its right neighbour has just moved
      }
      arrive(chunks - 1);
    } else {
      workers.run([&](int i) {
        if (i >= rows) return;
        for (int c = edge(i); c < edge(i + 1); ++c) {
          depart(c);
          if (c - 1 > edge(i) || (c - 1 == edge(i) && i == 0)) arrive(c - 1);
        }
      });
      for (int i = 0; i < rows; ++i) {  // chunks next to another thread's
        if (i > 0) arrive(edge(i));
        if (edge(i + 1) - 1 > edge(i) || i == 0) arrive(edge(i + 1) - 1);
      }
    }
    Energies total{0, 0};
    for (const Partial& x : partial) total.kinetic += x.kinetic, total.potential += x.potential;
    return total;
  }

 private:
  using Chunk = typename ChainSums<Real>::Chunk;
  void depart(const Chain<Real>& chain, const Chunk& c, int i, const Real* q, const Real* p, Real* q1, Real* p1,
              Real h) {
    std::copy(p + c.lo, p + c.hi, p1 + c.lo);
    std::copy(q + c.lo, q + c.hi, q1 + c.lo);
    chain.kick(q, p1, c.lo, c.hi, h / 2, false, [](int) {});
    chain.drift(q1, p1, c.lo, c.hi, h);
    partial[static_cast<std::size_t>(i)].kinetic = ChainSums<Real>::kinetic(chain, c, p1);
  }
  void arrive(const Chain<Real>& chain, const Chunk& c, int i, const Real* q1, Real* p1, Real h) {
    chain.kick(q1, p1, c.lo, c.hi, h / 2, false, [](int) {});
    partial[static_cast<std::size_t>(i)].potential = ChainSums<Real>::potential(chain, c, q1);
  }
};

}  // namespace ricochet::bodies
