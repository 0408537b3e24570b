#include "ricochet/scene/given_scalars.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/error.hpp"

namespace ricochet::scene {

const NumericFunction& Given::operator*() const {
  if (function == nullptr)
    throw Error(ErrorKind::bad_scene, name + " was given as a function by a program, and this text only names it");
  return *function;
}

namespace given {
namespace {

using Ball = numerics::Ball<double>;

/// Over a box of half-widths r around x: |∂²f| in the 2-norm, and by how much it differs from the Hessian at x. The
/// author's bound where there is one. Otherwise measured at x and two opposite corners, and doubled: no proof, but a
/// function that bends more than that within a step is not resolved by the step.
struct Bend {
  double size = 0, change = 0;
  Matrix H;
};

Bend bend(const NumericFunction& f, const Vector& x, const Vector& r) {
  Bend b;
  if (const auto bound = f.curvature()) {
    b.size = b.change = *bound;
    b.H = Matrix::Zero(x.size(), x.size());
    return b;
  }
  b.H = hessian(f, x);
  b.size = b.H.norm();
  if (r.isZero(0)) return b;
  f.note_sampled();
  for (const double side : {1.0, -1.0}) {
    const Matrix H = hessian(f, x + side * r);
    b.size = std::max(b.size, H.norm());
    b.change = std::max(b.change, (H - b.H).norm());
  }
  b.size *= 2;
  b.change *= 2;
  return b;
}

Ball enclose(const NumericFunction& f, const Vector& x, const Vector& r, const Vector& g, const Bend& b) {
  const double mid = f.value(x.data());
  const double terms = std::abs(mid) + g.cwiseAbs().dot(x.cwiseAbs());
  return {mid, g.cwiseAbs().dot(r) + b.size * r.squaredNorm() / 2 + 4 * std::numeric_limits<double>::epsilon() * terms};
}

}  // namespace

void refuse_scalar() {
  throw Error(ErrorKind::invalid_model,
              "this needs higher derivatives than a numeric function has; write it as an expression");
}

double In<double>::gradient(const NumericFunction& f, Point<double> x, std::span<double> g) {
  std::vector<double> all(x.size());
  f.gradient(x.data(), all.data());
  std::copy_n(all.begin(), g.size(), g.begin());
  return f.value(x.data());
}

numerics::Taylor<double, 2> In<numerics::Taylor<double, 2>>::value(const NumericFunction& f, Point<T> x) {
  const auto m = static_cast<Eigen::Index>(x.size());
  Vector c[3] = {Vector(m), Vector(m), Vector(m)};
  for (std::size_t k = 0; k < x.size(); ++k)
    for (int j = 0; j < 3; ++j) c[j][static_cast<Eigen::Index>(k)] = x[k][j];
  const Vector g = given::gradient(f, c[0]);
  T y(f.value(c[0].data()));
  y[1] = g.dot(c[1]);
  y[2] = g.dot(c[2]) + c[1].dot(hessian(f, c[0]) * c[1]) / 2;
  return y;
}

Ball In<Ball>::value(const NumericFunction& f, Point<Ball> x) {
  const Vector at = values(x);
  Vector r(at.size());
  for (std::size_t k = 0; k < x.size(); ++k) r[static_cast<Eigen::Index>(k)] = x[k].rad;
  return enclose(f, at, r, given::gradient(f, at), bend(f, at, r));
}

numerics::Taylor<Ball, 2> In<numerics::Taylor<Ball, 2>>::value(const NumericFunction& f, Point<T> x) {
  const auto m = static_cast<Eigen::Index>(x.size());
  Vector at(m), r(m), speed(m), spread(m);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    at[i] = x[k][0].mid, r[i] = x[k][0].rad;
    speed[i] = x[k][1].mid, spread[i] = x[k][1].rad;
  }
  const Vector g = given::gradient(f, at);
  const Bend b = bend(f, at, r);
  const double slack = b.size * r.norm(), fastest = (speed.cwiseAbs() + spread).norm();
  // ẋᵀHẋ: H(at) over the speeds, which are `spread` wide, and what H changes by over the box.
  const double along = speed.dot(b.H * speed);
  const double wide =
      2 * (b.H * speed).cwiseAbs().dot(spread) + b.H.norm() * spread.squaredNorm() + b.change * fastest * fastest;
  T y;
  y[0] = enclose(f, at, r, g, b);
  y[2] = Ball(along / 2, wide / 2);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Ball slope(g[static_cast<Eigen::Index>(k)], slack);
    y[1] += slope * x[k][1];
    y[2] += slope * x[k][2];
  }
  return y;
}

}  // namespace given
}  // namespace ricochet::scene
