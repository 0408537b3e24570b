// What a run's directory holds, made small enough for a page.
#pragma once

#include <cstddef>

#include "ricochet/record/reader.hpp"
#include "ricochet/report/encode.hpp"

namespace ricochet::report {

/// How much of a long run travels with the page.
struct Limits {
  std::size_t plot_points = 20'000;    ///< of a series
  std::size_t plot_bytes = 5'000'000;  ///< of all series together
  std::size_t motion_bytes = 6'000'000;
  std::size_t sample_rows = 20'000;  ///< rows for phase plots
  std::size_t sample_bytes = 2'500'000;
  std::size_t impacts = 20'000;
};

/// Throws RecordError where the record is damaged, Error(bad_scene) where a shape is.
Json payload(const record::Reader& reader, const Limits& limits = {});

}  // namespace ricochet::report
