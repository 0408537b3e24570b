// How much of a test that repeats itself is run.
#pragma once

namespace ricochet::test {

/// All of it; a twentieth under the sanitizers, which make a repetition ten times as long and look for what one of them
/// shows as well as a hundred thousand. The assertions are the same for both: bounds on frequencies have to be wide
/// enough for the smaller number, or in proportion to it.
constexpr int effort(int repetitions) {
#ifdef __SANITIZE_ADDRESS__
  return repetitions / 20 > 0 ? repetitions / 20 : 1;
#else
  return repetitions;
#endif
}

}  // namespace ricochet::test
