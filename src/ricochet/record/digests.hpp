// Digests: what tells every reader of a record that has ended that it is what the run left.
//
//   trajectory.h5   the sums over the rows of its tables (sums.hpp), in the attribute `digests`; the seal of the file
//                   (seal.hpp) covers them with everything else that is no row
//   summary.json    in its entry `digests` that seal, a sum over the bytes of every other file, and one of its own text
//
// They cost a run nothing: the sums are computed while a block of rows, or of lines, is in memory, as they always were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/record/directory.hpp"

namespace ricochet::record {

class Source;

inline constexpr const char* digests_attribute = "digests";
inline constexpr std::size_t digest_size = 16;

/// As it stands in the files: sixteen hexadecimal digits.
std::string digest(std::uint64_t sum);

/// Of what a run that has ended leaves beside its summary; `impacts` is the sum over impacts.csv.
std::vector<std::pair<std::string, std::string>> digests_of(const Place& place, std::uint64_t impacts);

/// Reads all of a record that has ended. Throws RecordError where it is not what the run left; false where there is
/// nothing to compare it with.
bool compare_with_digests(const Source& source);

}  // namespace ricochet::record
