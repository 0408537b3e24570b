// Decompositions of small dense matrices, behind functions: Eigen's take a compiler longer than the commands that ask.
#pragma once

#include <Eigen/Core>

namespace ricochet::app {

/// A = QR by Householder reflections: Q, and |R_ii|.
struct Orthogonal {
  Eigen::MatrixXd Q;
  Eigen::VectorXd stretch;
};
Orthogonal orthogonalise(const Eigen::MatrixXd& A);

/// The shortest x that minimises |Ax − b|, with singular values below `threshold` of the largest taken for zero.
Eigen::VectorXd shortest_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double threshold);

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);

}  // namespace ricochet::app
