// The state of beams as columns: one array per component, nodes of all beams side by side.
#pragma once

#include <limits>
#include <vector>

#include "ricochet/bodies/beams/kernels.hpp"

namespace ricochet::bodies::beams {

using Index = std::ptrdiff_t;

/// Columns seen by the inner loops.
template <class Real>
struct View {
  Real* base = nullptr;
  Index stride = 0;
  RICOCHET_INLINE Real* operator[](int k) const { return base + k * stride; }
  explicit operator bool() const { return base != nullptr; }
};

/// K columns of equal length in one block. A column takes an odd number of cache lines: columns a power of two apart
/// would all fall into the same few places of the cache (1024 nodes took twice the time of 1000).
template <class Real, int K>
class Columns {
 public:
  void resize(Index n) {
    constexpr Index line = 64 / sizeof(Real);
    stride_ = ((n + line - 1) / line | 1) * line;
    data_.resize(static_cast<std::size_t>(K * stride_), Real(0));
  }
  bool empty() const { return data_.empty(); }
  Real* operator[](int k) { return data_.data() + k * stride_; }
  const Real* operator[](int k) const { return data_.data() + k * stride_; }
  View<Real> view() { return {data_.data(), stride_}; }
  View<const Real> view() const { return {data_.data(), stride_}; }
  Triple<Real> triple(int k, Index a) const { return {(*this)[k][a], (*this)[k + 1][a], (*this)[k + 2][a]}; }
  void set(int k, Index a, const Triple<Real>& v) {
    (*this)[k][a] = v.x;
    (*this)[k + 1][a] = v.y;
    (*this)[k + 2][a] = v.z;
  }
  void add(int k, Index a, const Triple<Real>& v) { set(k, a, triple(k, a) + v); }

 private:
  Index stride_ = 0;
  std::vector<Real> data_;
};

/// Columns of a node of the principle: position in space, orientation as a unit quaternion, linear momentum in space,
/// angular momentum about the centre in the frame of the section (that is ν rotated to space, and μ: the one form that
/// both time groups share); then force and moment −D_g U, in the same frames, kept because the end of one step is
/// the start of the next.
enum Column { position = 0, turn = 3, momentum = 7, spin_momentum = 10, force = 13, moment = 16, columns = 19 };

template <class Real>
struct State {
  Real t{};
  Columns<Real, columns> data;
  Real potential = std::numeric_limits<Real>::quiet_NaN();
  bool finite = true;

  Triple<Real> x(Index a) const { return data.triple(position, a); }
  Turn<Real> q(Index a) const { return {data[turn][a], data.triple(turn + 1, a)}; }
  Triple<Real> p(Index a) const { return data.triple(momentum, a); }
  Triple<Real> spin(Index a) const { return data.triple(spin_momentum, a); }
  Triple<Real> f(Index a) const { return data.triple(force, a); }
  Triple<Real> torque(Index a) const { return data.triple(moment, a); }

  State reversed() const {
    State y = *this;
    for (int k = momentum; k < force; ++k) {
      Real* column = y.data[k];
      for (Index a = 0; a < y.data[k + 1] - y.data[k]; ++a) column[a] = -column[a];
    }
    return y;
  }
};

}  // namespace ricochet::bodies::beams
