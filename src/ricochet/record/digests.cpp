#include "ricochet/record/digests.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "ricochet/record/record_error.hpp"
#include "ricochet/record/seal.hpp"
#include "ricochet/record/source.hpp"
#include "ricochet/record/summary.hpp"
#include "ricochet/record/sums.hpp"

namespace ricochet::record {
namespace {

/// The sum over the rows of a table, block by block as they were recorded.
std::uint64_t sum_of_rows(const Source& source, std::size_t table) {
  const Table& shape = source.tables()[table];
  const std::size_t capacity = source.slots().block_rows(table);
  const auto buffer = std::make_unique_for_overwrite<double[]>(source.slots().column_end(table) / 8);
  std::uint64_t sum = 0;
  for (std::size_t first = 0; first < source.rows(table); first += capacity) {
    const std::size_t filled = std::min(capacity, source.rows(table) - first);
    sum = sum_of_block(sum, source.slots(), table, filled, [&](std::size_t column, std::size_t) {
      source.file().read_bits(table == 0 ? "" : shape.name, shape.columns[column], first, filled, buffer.get());
      return buffer.get();
    });
  }
  return sum;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

[[noreturn]] void refuse(const fs::path& path) {
  throw RecordError(path, fmt::format("{} is damaged, or was changed after the run", path.string()));
}

/// The files beside a summary that says what they were. One that is gone was removed by somebody who meant to.
void compare_beside(const Source& source) {
  const Place& place = source.place();
  const Summary summary = summary_from_json(read_text(place.summary()), place.summary());
  for (const auto& [name, expected] : summary.digests) {
    const fs::path path = place.dir / fs::path(name).filename();
    if (path == place.trajectory()) {
      if (expected != digest(source.file().seal()))
        throw RecordError(path,
                          fmt::format("{} is not the record that the summary beside it speaks of", path.string()));
    } else if (is_file(path) && expected != digest(checksum_of(path))) {
      refuse(path);
    }
  }
}

}  // namespace

std::string digest(std::uint64_t sum) { return fmt::format("{:016x}", sum); }

std::vector<std::pair<std::string, std::string>> digests_of(const Place& place, std::uint64_t impacts) {
  std::vector<std::pair<std::string, std::string>> digests{
      {"trajectory.h5", digest(check_seal(File(place.trajectory(), O_RDONLY)))}, {"impacts.csv", digest(impacts)}};
  if (is_file(place.fields())) digests.emplace_back("fields.xdmf", digest(checksum_of(place.fields())));
  return digests;
}

bool compare_with_digests(const Source& source) {
  if (!source.merged()) return false;
  const std::vector<std::string> expected = source.file().digests();
  if (!expected.empty() && expected.size() != source.tables().size()) refuse(source.file().path());
  for (std::size_t table = 0; table < expected.size(); ++table)
    if (digest(sum_of_rows(source, table)) != expected[table])
      throw RecordError(source.file().path(),
                        fmt::format("{} is damaged: the rows of its {} are not those that were recorded",
                                    source.file().path().string(), source.tables()[table].name));
  // A file of another name is no part of the run in whose folder it lies.
  if (source.file().path().filename() == source.place().trajectory().filename() && present(source.place().summary()))
    compare_beside(source);
  return !expected.empty();
}

}  // namespace ricochet::record
