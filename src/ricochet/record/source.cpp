#include "ricochet/record/source.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>

#include "ricochet/record/checkpoint.hpp"
#include "ricochet/record/record_error.hpp"

namespace ricochet::record {
namespace {

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

fs::path record_path(const fs::path& path) {
  if (!is_folder(path)) {
    if (!present(path)) throw RecordError(path, fmt::format("{} does not exist", path.string()));
    return path;
  }
  const Place place{path};
  if (present(place.trajectory())) return place.trajectory();
  if (present(place.schema())) return place.schema();
  throw RecordError(path, fmt::format("{} holds no run of ricochet", path.string()));
}

}  // namespace

Source::Source(const fs::path& path)
    : place_{is_folder(path) ? path : path.parent_path()},
      file_(record_path(path)),
      schema_(file_.schema()),
      slots_(schema_) {
  if (is_folder(path) && file_.path() == place_.schema()) {
    const std::optional<Extent> progress = read_progress(place_.progress());
    frames_.emplace(place_.frames(), O_RDONLY);
    if (!progress || !slots_.restore(*progress))
      throw RecordError(place_.progress(),
                        fmt::format("{} does not belong to the frames beside it", place_.progress().string()));
    extent_ = *progress;
    std::error_code error;
    const auto size = fs::file_size(place_.frames(), error);
    if (const std::size_t promised = slots_.bytes(extent_.rows); error || size < promised)
      throw RecordError(place_.frames(), fmt::format("{} ends before its last row: it has {} of {} bytes",
                                                     place_.frames().string(), error ? 0 : size, promised));
    return;
  }
  for (std::size_t i = 0; i < tables().size(); ++i)
    extent_.rows.push_back(file_.rows(i == 0 ? "" : tables()[i].name, tables()[i]));
}

void Source::read(std::size_t table, std::size_t column, std::size_t first, std::size_t count, std::size_t stride,
                  double* to) const {
  const std::size_t width = tables()[table].columns[column].width;
  if (count == 0 || width == 0) return;
  if (stride == 1) return read_dense(table, column, first, count, to);
  // Thinned here: HDF5 would visit the rows one by one. Wide strides are read row by row.
  const std::size_t block = std::max<std::size_t>(1, (std::size_t{1} << 17) / (stride * width));
  std::vector<double> dense(((block - 1) * stride + 1) * width);
  for (std::size_t done = 0; done < count; done += block) {
    const std::size_t part = std::min(block, count - done);
    read_dense(table, column, first + done * stride, (part - 1) * stride + 1, dense.data());
    for (std::size_t i = 0; i < part; ++i) to = std::copy_n(dense.data() + i * stride * width, width, to);
  }
}

void Source::read_dense(std::size_t table, std::size_t column, std::size_t first, std::size_t count, double* to) const {
  if (frames_) return read_frames(table, column, first, count, to);
  file_.read(table == 0 ? "" : tables()[table].name, tables()[table].columns[column], first, count, to);
}

void Source::read_frames(std::size_t table, std::size_t column, std::size_t first, std::size_t count,
                         double* to) const {
  const Column& shape = tables()[table].columns[column];
  const std::size_t block_rows = slots_.block_rows(table);
  while (count > 0) {
    const std::size_t within = first % block_rows;
    const std::size_t part = std::min(count, block_rows - within);
    const std::size_t offset =
        slots_.offset(table, first / block_rows) + slots_.column_start(table, column) + within * shape.width * 8;
    const std::size_t bytes = part * shape.width * 8;
    if (frames_->read_at(offset, to, bytes) != bytes)
      throw RecordError(frames_->path(), fmt::format("{} ends before its last row", frames_->path().string()));
    if (shape.integer)
      for (double* value = to; value != to + part * shape.width; ++value)
        *value = static_cast<double>(std::bit_cast<std::int64_t>(*value));
    to += part * shape.width;
    first += part;
    count -= part;
  }
}

}  // namespace ricochet::record
