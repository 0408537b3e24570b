// How a run went, in sentences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ricochet/record/summary.hpp"

namespace ricochet::report {

/// The first sentence says how the run ended; the others name what a reader should know: fallbacks, notes.
std::vector<std::string> words(const std::optional<record::Summary>& summary, std::size_t rows, double last_t);

}  // namespace ricochet::report
