// V near one point to third order along one direction: what the tangent of a shadow flight asks of a potential.
#pragma once

#include "ricochet/tangent/derivative.hpp"
#include "ricochet/tangent/few.hpp"
#include "ricochet/tangent/stage.hpp"

namespace ricochet::tangent {

/// V, ∇V, H = ∇²V and ∇²(w·∇V), by x and θ, in one sweep of jets; then the first-order change of V, of ∇V and of Hw
/// when point, direction and θ move.
template <class Mechanics, class Family>
class PotentialAt {
 public:
  using Real = typename Mechanics::Real;
  using Vec = typename Mechanics::Vec;
  static constexpr int N = Mechanics::N;
  using Wide = Eigen::Matrix<Real, N, Eigen::Dynamic, N == 1 ? Eigen::RowMajor : Eigen::ColMajor>;

  void at(const Family& family, const Vec& x, const Vec& w) {
    const auto n = static_cast<std::size_t>(x.size()), m = static_cast<std::size_t>(family.parameters());
    const auto rows = x.size(), columns = static_cast<Eigen::Index>(n + m);
    z_.resize(n + m), slope_.resize(n + m);
    g.resize(columns), H.resize(rows, columns), third_.resize(rows, columns);
    for (std::size_t k = 0; k < n; ++k) {
      z_[k] = D(x[static_cast<Eigen::Index>(k)]);
      z_[k].d[0] = w[static_cast<Eigen::Index>(k)];
    }
    for (std::size_t j = 0; j < m; ++j) z_[n + j] = D(Real(family.parameter(static_cast<int>(j))));
    struct Entry {
      PotentialAt& to;
      Eigen::Index rows;
      void operator()(Eigen::Index i, Eigen::Index j, const D& y) {
        if (i >= rows) return;
        to.H(i, j) = y.v;
        to.third_(i, j) = y.d[0];
      }
    } entry{*this, rows};
    V = tangent::second_derivatives<N>(
            [&]<class T>(Point<T> y) { return family.potential(y.subspan(0, n), T(0), y.subspan(n)); }, Point<D>(z_),
            std::span<D>(slope_), entry)
            .v;
    for (Eigen::Index k = 0; k < columns; ++k) g[k] = slope_[static_cast<std::size_t>(k)].v;
    Hw.resize(rows);
    for (Eigen::Index k = 0; k < rows; ++k) Hw[k] = slope_[static_cast<std::size_t>(k)].d[0];
  }

  Real V{};
  Vec Hw;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> g;  ///< by x, then by θ
  Wide H;

  /// V for a point and θ that move.
  template <class J, class JV>
  J value(const JV& x, const std::vector<J>& theta) const {
    J y(V);
    for (std::size_t j = 0; j < x.size(); ++j) add(y, g[static_cast<Eigen::Index>(j)], x[j]);
    for (std::size_t j = 0; j < theta.size(); ++j) add(y, g[static_cast<Eigen::Index>(x.size() + j)], theta[j]);
    return y;
  }
  /// ∇V likewise.
  template <class J, class JV>
  void gradient(const JV& x, const std::vector<J>& theta, JV& out) const {
    for (std::size_t k = 0; k < x.size(); ++k) {
      out[k] = J(g[static_cast<Eigen::Index>(k)]);
      move(out[k], H, static_cast<Eigen::Index>(k), x, theta);
    }
  }
  /// Hw for a direction w that moves too, from where `at` was told.
  template <class J, class JV>
  void apply(const JV& x, const std::vector<J>& theta, const JV& w, JV& out) const {
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      out[k] = J(Hw[row]);
      move(out[k], third_, row, x, theta);
      for (std::size_t j = 0; j < x.size(); ++j) add(out[k], H(row, static_cast<Eigen::Index>(j)), w[j]);
    }
  }

 private:
  using D = numerics::Jet<Real, 1>;

  /// y += a δx.
  template <class J>
  static void add(J& y, Real a, const J& x) {
    for (std::size_t c = 0; c < y.d.size(); ++c) y.d[c] += a * x.d[c];
  }
  template <class J, class JV>
  static void move(J& y, const Wide& A, Eigen::Index row, const JV& x, const std::vector<J>& theta) {
    for (std::size_t j = 0; j < x.size(); ++j) add(y, A(row, static_cast<Eigen::Index>(j)), x[j]);
    for (std::size_t j = 0; j < theta.size(); ++j) add(y, A(row, static_cast<Eigen::Index>(x.size() + j)), theta[j]);
  }

  std::vector<D> z_, slope_;
  Wide third_;  ///< ∇²(w·∇V)
};

}  // namespace ricochet::tangent
