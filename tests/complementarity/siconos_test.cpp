// The complementarity solvers against libsiconos-numerics, where it is installed. The library is opened at run time, so
// that neither the build nor the other tests depend on it.
// Its headers want its own folder on the include path; a build that does not give it has this file empty:
//   find_path(SICONOS_INCLUDE SiconosConfig.h PATH_SUFFIXES siconos), target_include_directories(… SYSTEM …)
#if __has_include(<SiconosConfig.h>) && __has_include(<numerics/FrictionContactProblem.h>) && __has_include(<dlfcn.h>)

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <numerics/FrictionContactProblem.h>
#include <numerics/Friction_cst.h>
#include <numerics/LCP_Solvers.h>
#include <numerics/LinearComplementarityProblem.h>
#include <numerics/NonSmoothDrivers.h>
#include <numerics/NumericsMatrix.h>
#include <numerics/SolverOptions.h>
#include <numerics/fc3d_compute_error.h>
#include <numerics/lcp_cst.h>

#define restrict __restrict__  // a C header without a guard for C++
#include <numerics/fc2d_compute_error.h>
#undef restrict

#include <type_traits>

#include "complementarity/friction_problems.hpp"
#include "complementarity/problems.hpp"
#include "ricochet/complementarity/friction.hpp"
#include "ricochet/complementarity/lemke.hpp"

/// Read by the leak sanitizer, where there is one: what Siconos keeps is not ours.
extern "C" const char* __lsan_default_suppressions() { return "leak:libsiconos_numerics"; }

namespace ricochet::complementarity {
namespace {

class Siconos : public ::testing::Test {
 protected:
  void SetUp() override {
    static void* const library = [] {
      for (const char* name : {"libsiconos_numerics.so.7", "libsiconos_numerics.so"})
        if (void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
      return static_cast<void*>(nullptr);
    }();
    library_ = library;
    if (!library_) GTEST_SKIP() << "libsiconos-numerics has headers but cannot be opened: " << dlerror();
  }
  template <class Function>
  Function* load(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }
  void* library_ = nullptr;
};
#define SICONOS(name) const auto s_##name = load<std::remove_pointer_t<decltype(&name)>>(#name)

TEST_F(Siconos, LinearComplementarity) {
  SICONOS(solver_options_create);
  SICONOS(linearComplementarity_driver);
  SICONOS(NM_create_from_data);
  SICONOS(NM_free);
  SICONOS(solver_options_delete);
  ASSERT_TRUE(s_solver_options_create && s_linearComplementarity_driver && s_NM_create_from_data && s_NM_free &&
              s_solver_options_delete);
  SolverOptions* const options = s_solver_options_create(SICONOS_LCP_LEMKE);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  std::mt19937_64 engine(51);
  int both = 0, only_we = 0, only_they = 0, neither = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const int k = 1 + trial % 8;
    // regular, singular (fewer freedoms than gaps) and degenerate (coinciding gaps, integers) in turn
    auto cone = testing::random_cone<double>(engine, k, trial % 3 == 0 ? k + 2 : 1 + static_cast<int>(engine() % 8),
                                             trial % 4 == 1);
    if (trial % 5 == 0) {
      cone.G = cone.G.array().round();
      cone.u = cone.u.array().round();
      cone.W = cone.G * cone.G.transpose();
      cone.v = cone.G * cone.u;
    }
    Eigen::MatrixXd W = cone.W;
    Eigen::VectorXd q = cone.v, z = Eigen::VectorXd::Zero(k), theirs = z, w = z;
    const Status status = solve_lcp(W, q, z);
    NumericsMatrix* const M = s_NM_create_from_data(NM_DENSE, k, k, W.data());
    LinearComplementarityProblem problem{k, M, q.data()};
    const int info = s_linearComplementarity_driver(&problem, theirs.data(), w.data(), options);
    const double size = (1 + cone.W.norm()) * (1 + z.norm() + theirs.norm());
    const Eigen::VectorXd their_w = cone.W * theirs + cone.v;
    const bool they = info == 0 && their_w.cwiseMin(theirs).cwiseAbs().maxCoeff() <= 1e-8 * size;
    const bool we = status == Status::solved;
    (we ? they ? both : only_we : they ? only_they : neither)++;
    M->matrix0 = nullptr;  // ours
    s_NM_free(M);
    if (!we || !they) continue;
    // W is semidefinite: w = Wz + q is unique, z is not
    ASSERT_LE((cone.W * (z - theirs)).norm(), 1e-8 * size) << trial;
  }
  EXPECT_EQ(only_they + neither, 0);  // all of them have a solution: q is in the range of G
  EXPECT_GE(both, 9900);              // measured: 9970; the other 30 only we solve
  s_solver_options_delete(options);
}

template <int D, class Solve, class Error>
void compare_friction(bool singular, int trials, Solve solve, Error error) {
  std::mt19937_64 engine(52);
  FrictionSolver<double, D> solver;
  FrictionProblem<double, D> problem;
  std::vector<ContactVector<double, D>> r;
  int same = 0, other = 0, unsolved = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const int n = 1 + trial % 4;
    auto data = testing::random_friction(engine, n, D, singular, trial);
    problem.assign(n, data.W, data.b, data.mu);
    r.assign(static_cast<std::size_t>(n), ContactVector<double, D>::Zero());
    const bool we = solver.solve(problem, r).status == Status::solved;
    Eigen::VectorXd ours(D * n), theirs = Eigen::VectorXd::Zero(D * n);
    for (int i = 0; i < n; ++i) ours.segment<D>(D * i) = r[static_cast<std::size_t>(i)];
    const bool they = solve(data, theirs);
    if (we) {
      // its own measure of the error, on our impulses
      ASSERT_LE(error(data, ours), 1e-12) << trial;
    }
    if (we && they) {
      const double scale = data.b.norm() + data.W.norm() * ours.norm();
      ((data.W * (ours - theirs)).norm() <= 1e-5 * scale ? same : other)++;
    }
    unsolved += !we;
  }
  // Coulomb friction may have several solutions; ours is then one by their own measure. Measured: at most 60 of 5000.
  EXPECT_LE(other, trials / 50);
  EXPECT_GE(same, trials - trials / 25);
  EXPECT_EQ(unsolved, 0);
}

TEST_F(Siconos, PlanarFriction) {
  SICONOS(solver_options_create);
  SICONOS(fc2d_driver);
  SICONOS(fc2d_compute_error);
  SICONOS(NM_create_from_data);
  SICONOS(NM_free);
  SICONOS(solver_options_delete);
  ASSERT_TRUE(s_solver_options_create && s_fc2d_driver && s_fc2d_compute_error && s_NM_create_from_data && s_NM_free &&
              s_solver_options_delete);
  SolverOptions* const options = s_solver_options_create(SICONOS_FRICTION_2D_NSGS);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 20000;
  const auto with_problem = [&](testing::FrictionData& data, auto f) {
    NumericsMatrix* const M = s_NM_create_from_data(NM_DENSE, 2 * data.n, 2 * data.n, data.W.data());
    FrictionContactProblem problem{2, data.n, M, data.b.data(), data.mu.data()};
    const auto answer = f(problem);
    M->matrix0 = nullptr;  // ours
    s_NM_free(M);
    return answer;
  };
  const auto solve = [&](testing::FrictionData& data, Eigen::VectorXd& r) {
    return with_problem(data, [&](FrictionContactProblem& problem) {
      Eigen::VectorXd u = Eigen::VectorXd::Zero(r.size());
      return s_fc2d_driver(&problem, r.data(), u.data(), options) == 0;
    });
  };
  const auto error = [&](testing::FrictionData& data, Eigen::VectorXd& r) {
    return with_problem(data, [&](FrictionContactProblem& problem) {
      Eigen::VectorXd u = Eigen::VectorXd::Zero(r.size());
      double value = 0;
      s_fc2d_compute_error(&problem, r.data(), u.data(), 1e-8, data.b.norm() * (1 + r.norm()), &value);
      return value;
    });
  };
  compare_friction<2>(false, 5000, solve, error);
  compare_friction<2>(true, 5000, solve, error);
  s_solver_options_delete(options);
}

TEST_F(Siconos, SpatialFriction) {
  SICONOS(solver_options_create);
  SICONOS(fc3d_driver);
  SICONOS(fc3d_compute_error);
  SICONOS(NM_create_from_data);
  SICONOS(NM_free);
  SICONOS(solver_options_delete);
  ASSERT_TRUE(s_solver_options_create && s_fc3d_driver && s_fc3d_compute_error && s_NM_create_from_data && s_NM_free &&
              s_solver_options_delete);
  SolverOptions* const options = s_solver_options_create(SICONOS_FRICTION_3D_NSGS);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 20000;
  const auto with_problem = [&](testing::FrictionData& data, auto f) {
    NumericsMatrix* const M = s_NM_create_from_data(NM_DENSE, 3 * data.n, 3 * data.n, data.W.data());
    FrictionContactProblem problem{3, data.n, M, data.b.data(), data.mu.data()};
    const auto answer = f(problem);
    M->matrix0 = nullptr;  // ours
    s_NM_free(M);
    return answer;
  };
  const auto solve = [&](testing::FrictionData& data, Eigen::VectorXd& r) {
    return with_problem(data, [&](FrictionContactProblem& problem) {
      Eigen::VectorXd u = Eigen::VectorXd::Zero(r.size());
      return s_fc3d_driver(&problem, r.data(), u.data(), options) == 0;
    });
  };
  const auto error = [&](testing::FrictionData& data, Eigen::VectorXd& r) {
    return with_problem(data, [&](FrictionContactProblem& problem) {
      Eigen::VectorXd u = Eigen::VectorXd::Zero(r.size());
      double value = 0;
      s_fc3d_compute_error(&problem, r.data(), u.data(), 1e-8, options, data.b.norm() * (1 + r.norm()), &value);
      return value;
    });
  };
  compare_friction<3>(false, 3000, solve, error);
  compare_friction<3>(true, 3000, solve, error);
  s_solver_options_delete(options);
}

}  // namespace
}  // namespace ricochet::complementarity

#endif
