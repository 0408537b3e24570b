#include "ricochet/record/reader.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "ricochet/record/digests.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/source.hpp"

namespace ricochet::record {

struct Reader::Impl {
  Source source;
  bool vouched_for;

  std::size_t table(std::string_view name) const {
    for (std::size_t i = 0; i < source.tables().size(); ++i)
      if (source.tables()[i].name == name) return i;
    throw RecordError(source.place().dir,
                      fmt::format("the record in {} has no table '{}'", source.place().dir.string(), name));
  }

  std::size_t column(std::size_t table, std::string_view name) const {
    const std::vector<Column>& columns = source.tables()[table].columns;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].name == name) return i;
    throw RecordError(source.place().dir,
                      fmt::format("the record in {} has no column '{}'", source.place().dir.string(), name));
  }
};

namespace {

Source open(const fs::path& path) {
  try {
    return Source(path);
  } catch (const RecordError&) {
    return Source(path);  // a run that ended just now has turned its frames into trajectory.h5
  }
}

}  // namespace

Reader::Reader(const fs::path& path) : impl_(new Impl{open(path), false}) {
  impl_->vouched_for = compare_with_digests(impl_->source);
}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

const Schema& Reader::schema() const { return impl_->source.schema(); }
bool Reader::merged() const { return impl_->source.merged(); }

std::string Reader::doubt() const {
  if (impl_->vouched_for || !merged()) return {};
  return fmt::format("{} has no digests, as records of older versions: damage to its numbers would not be noticed",
                     impl_->source.file().path().string());
}

std::size_t Reader::rows(std::string_view table) const { return impl_->source.rows(impl_->table(table)); }

Series Reader::column(std::string_view name, const Rows& rows, std::string_view table) const {
  const std::size_t index = impl_->table(table);
  const std::size_t column = impl_->column(index, name);
  const std::size_t stride = std::max<std::size_t>(rows.stride, 1);
  const std::size_t end = std::min(rows.end, impl_->source.rows(index));
  Series series;
  series.width = impl_->source.tables()[index].columns[column].width;
  series.rows = rows.first < end ? (end - rows.first - 1) / stride + 1 : 0;
  series.values.resize(series.rows * series.width);
  impl_->source.read(index, column, rows.first, series.rows, stride, series.values.data());
  return series;
}

std::vector<Impact> Reader::impacts() const {
  const fs::path path = impl_->source.place().impacts();
  return present(path) ? read_impacts(path, schema().coordinates) : std::vector<Impact>{};
}

std::size_t Reader::impact_count() const {
  const fs::path path = impl_->source.place().impacts();
  return present(path) ? count_impacts(path, schema().coordinates).rows : 0;
}

void Reader::each_impact(std::size_t stride, const std::function<void(Impact&&)>& visit) const {
  const fs::path path = impl_->source.place().impacts();
  if (present(path)) record::each_impact(path, schema().coordinates, stride, visit);
}

std::optional<Summary> Reader::summary() const {
  const fs::path path = impl_->source.place().summary();
  if (!present(path)) return std::nullopt;
  return summary_from_json(read_text(path), path);
}

std::optional<Checkpoint> Reader::checkpoint() const {
  std::optional<StoredCheckpoint> stored = read_checkpoint(impl_->source.place().checkpoint());
  if (!stored) return std::nullopt;
  return std::move(stored->user);
}

}  // namespace ricochet::record
