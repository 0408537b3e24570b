// Differentiated runs of the zoo; those that several tests make are compiled once.
#pragma once

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/tangent/run.hpp"
#include "tangent/zoo.hpp"

namespace ricochet::test {

/// θ ↦ the system of one kind.
template <template <class> class System, class What>
struct Make {
  What what;
  template <class T>
  System<T> operator()(Point<T> theta) const {
    System<T> system{what, {}};
    for (std::size_t j = 0; j < system.theta.size(); ++j) system.theta[j] = theta[j];
    return system;
  }
};
template <template <class> class System, class What>
using DifferentiatedRunOf = tangent::DifferentiatedRun<bodies::Generalized<System<double>>, closure::AnyClosure,
                                                       tangent::Family<Make<System, What>>>;

}  // namespace ricochet::test

namespace ricochet::tangent {

extern template class DifferentiatedRun<bodies::Generalized<test::Arms<double>>, closure::AnyClosure,
                                        Family<test::Make<test::Arms, test::Arm>>>;  // lagrangian_test.cpp

}  // namespace ricochet::tangent
