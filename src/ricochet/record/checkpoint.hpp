// A moment from which a run can go on: the state as opaque bytes, and how much of the records belongs to it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "ricochet/record/files.hpp"
#include "ricochet/record/slots.hpp"

namespace ricochet::record {

struct Checkpoint {
  std::int64_t step = 0;
  double t = 0;
  std::string state;                             ///< whatever the run needs to continue bit for bit
  std::map<std::string, std::int64_t> counters;  ///< fallbacks, evaluations, …

  bool operator==(const Checkpoint&) const = default;
};

/// Recorded rows that held something not finite: counted, never hidden.
struct NotFinite {
  std::int64_t rows = 0;
  double first_t = 0;
};

/// A checkpoint with what the writer has to know about its own files.
struct StoredCheckpoint {
  Checkpoint user;
  Extent extent;
  std::size_t impacts = 0, impact_bytes = 0;
  std::uint64_t impact_sum = 0;  ///< over these bytes of impacts.csv
  NotFinite not_finite;
};

// Small files, replaced as a whole and protected by a checksum. Reading gives nothing where there is no file, and a
// RecordError where it is damaged.
void write_checkpoint(const fs::path& path, const StoredCheckpoint& checkpoint, bool durable);
std::optional<StoredCheckpoint> read_checkpoint(const fs::path& path);

/// How many rows of a run under way are on disk.
void write_progress(const fs::path& path, const Extent& extent, bool durable);
std::optional<Extent> read_progress(const fs::path& path);

}  // namespace ricochet::record
