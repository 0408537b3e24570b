// summary.json: how a run went, in one small file that people and scripts read first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ricochet/record/files.hpp"

namespace ricochet::record {

struct Summary {
  struct Energy {
    double initial = 0, final = 0, min = 0, max = 0, max_relative_error = 0;
    std::optional<double> relative_to_initial{};  ///< the same error over |initial|; not in the file where that is 0
    bool operator==(const Energy&) const = default;
  };
  struct Momentum {
    std::string symmetry;
    double initial = 0, max_error = 0;
    bool operator==(const Momentum&) const = default;
  };
  using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;  ///< monostate is null in the file
  using Row = std::vector<std::pair<std::string, Cell>>;
  using Rows = std::vector<Row>;  ///< an array of objects, such as the contacts that were held
  using Value = std::variant<std::int64_t, double, std::string, Rows>;

  std::string status;  ///< "finished", "interrupted" or "failed"
  std::int64_t steps = 0, impacts = 0;
  double t_end = 0;
  Energy energy, discrete_energy;
  std::vector<Momentum> momentum;
  std::optional<double> min_gap;  ///< null in the file where there are no gaps
  std::vector<std::pair<std::string, std::int64_t>> fallbacks;
  std::string closure, rule;
  double seconds = 0;
  std::string version;
  std::vector<std::pair<std::string, Value>> extra;          ///< further keys, after the known ones
  std::vector<std::string> notes;                            ///< sentences; present in the file only if there are any
  std::vector<std::pair<std::string, std::string>> digests;  ///< of the files beside it (digests.hpp); mostly not empty

  bool operator==(const Summary&) const = default;
};

/// Keys in the documented order, doubles in the shortest form that reads back the same. A number that is not finite is
/// written as "nan", "inf" or "-inf", and a note says where. Where there are digests, one of the text itself ends it.
std::string to_json(const Summary& summary);

/// RecordError where the text is not such a summary, or not that of its digest; `path` is for the sentence.
Summary summary_from_json(const std::string& text, const fs::path& path);

}  // namespace ricochet::record
