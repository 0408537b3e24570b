// What counts as a member of a system, and what is a mistake in one.
#include "ricochet/mechanics/system.hpp"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

struct Ball {
  static constexpr int dimension = 1;
  Eigen::Matrix<double, 1, 1> mass() const { return Eigen::Matrix<double, 1, 1>(1.0); }
  template <class T>
  T potential(Point<T> q) const {
    return 9.81 * q[0];
  }
};
struct WithFloor : Ball {
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) const {
    return q[0];
  }
};
struct OnlyCounted : Ball {
  int gaps() const { return 1; }
};
struct GapThatChangesTheSystem : Ball {
  int gaps() const { return 1; }
  template <class T>
  T gap(int, Point<T> q) {
    return q[0];
  }
};
struct WithForce : Ball {
  template <class T>
  void force(Point<T>, Point<T> v, T, std::span<T> f) const {
    f[0] = -v[0];
  }
};
struct ForceWithoutTime : Ball {
  template <class T>
  void force(Point<T>, Point<T> v, std::span<T> f) const {
    f[0] = -v[0];
  }
};
struct ForceThatChangesTheSystem : Ball {
  template <class T>
  void force(Point<T>, Point<T> v, T, std::span<T> f) {
    f[0] = -v[0];
  }
};

TEST(System, MembersThatCannotBeCalledAreNotTakenForMissingOnes) {
  using namespace mechanics;
  EXPECT_EQ(max_dimension<Ball>(), 1);
  EXPECT_TRUE(System<Ball> && !ForgottenGap<Ball> && !ForgottenForce<Ball>);
  EXPECT_TRUE(HasGaps<WithFloor> && !ForgottenGap<WithFloor>);
  EXPECT_TRUE(ForgottenGap<OnlyCounted>);
  EXPECT_TRUE(ForgottenGap<GapThatChangesTheSystem>);
  EXPECT_TRUE(HasForce<WithForce> && !ForgottenForce<WithForce>);
  EXPECT_TRUE(ForgottenForce<ForceWithoutTime>);
  EXPECT_TRUE(ForgottenForce<ForceThatChangesTheSystem>);
}

}  // namespace
}  // namespace ricochet
