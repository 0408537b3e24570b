// What the compiler has warned of with AVX-512: maxima of vectors, by way of Eigen's pmax.
#include <Eigen/Core>

double largest(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.cwiseMax(b).cwiseSqrt().sum() + a.cwiseAbs().maxCoeff() + b.lpNorm<Eigen::Infinity>();
}
