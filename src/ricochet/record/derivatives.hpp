// derivatives.h5: the tangent of a run beside its trajectory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ricochet::record {

/// Rows of ∂(q,p)(t)/∂(what a column is named after).
struct Derivatives {
  std::vector<std::string> coordinates, with_respect_to;
  std::vector<double> t;
  std::vector<long long> step;
  std::vector<double> q, p;  ///< one row after the other, each n × columns
  struct Irregular {
    std::string kind, gap;
    double t = 0;
    long long impact = 0;
  };
  std::vector<Irregular> irregular;
  long long irregular_count = 0;  ///< of them all; only the first are listed
};

/// Writes DIR/derivatives.h5; readers meet the old file or the new one. Its digest, for the summary. Throws
/// RecordError.
std::string write_derivatives(const std::filesystem::path& directory, const Derivatives& derivatives);

}  // namespace ricochet::record
