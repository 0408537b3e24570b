// The fifth-order method of Cash and Karp (ACM Trans. Math. Softw. 16, 1990): six stages, y += h Σ b_i k_i with
// k_i = f(t + c_i h, y + h Σ_j a_ij k_j).
#pragma once

namespace ricochet::numerics {

template <class Real>
struct CashKarp {
  static constexpr Real c[6] = {0, Real(1) / 5, Real(3) / 10, Real(3) / 5, 1, Real(7) / 8};
  static constexpr Real a[6][5] = {
      {},
      {Real(1) / 5},
      {Real(3) / 40, Real(9) / 40},
      {Real(3) / 10, -Real(9) / 10, Real(6) / 5},
      {-Real(11) / 54, Real(5) / 2, -Real(70) / 27, Real(35) / 27},
      {Real(1631) / 55296, Real(175) / 512, Real(575) / 13824, Real(44275) / 110592, Real(253) / 4096}};
  static constexpr Real b[6] = {Real(37) / 378, 0, Real(250) / 621, Real(125) / 594, 0, Real(512) / 1771};
};

}  // namespace ricochet::numerics
