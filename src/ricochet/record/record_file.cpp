#include "ricochet/record/record_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include "ricochet/record/digests.hpp"
#include "ricochet/record/layout.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/seal.hpp"

namespace ricochet::record {
namespace {

using h5::check;
using h5::Handle;

/// Called through C: no exception may pass.
herr_t append(void* list, const char* name) noexcept try {
  static_cast<std::vector<std::string>*>(list)->emplace_back(name);
  return 0;
} catch (const std::bad_alloc&) {
  return -1;
}

std::vector<std::string> names_of(hid_t group, bool attributes) {
  std::vector<std::string> names;
  hsize_t at = 0;
  if (attributes) {
    const auto visit = [](hid_t, const char* name, const H5A_info_t*, void* list) { return append(list, name); };
    check(H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, &at, visit, &names), "list the attributes");
  } else {
    const auto visit = [](hid_t, const char* name, const H5L_info_t*, void* list) { return append(list, name); };
    check(H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, &at, visit, &names), "list the datasets");
  }
  return names;
}

Handle open_object(hid_t group, const std::string& name) {
  return {H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose, fmt::format("open '{}'", name)};
}

std::vector<hsize_t> shape_of(hid_t set) {
  const Handle space(H5Dget_space(set), H5Sclose, "read a shape");
  const int rank = check(H5Sget_simple_extent_ndims(space), "read a shape");
  std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space, dims.data(), nullptr), "read a shape");
  return dims;
}

Column column_of(hid_t set, const std::string& name) {
  const std::vector<hsize_t> dims = shape_of(set);
  if (dims.empty() || dims.size() > 2) throw h5::Failure(fmt::format("'{}' is no table column", name));
  const Handle type(H5Dget_type(set), H5Tclose, "read a type");
  Column column;
  column.name = name;
  column.scalar = dims.size() == 1;
  column.width = column.scalar ? 1 : dims[1];
  column.integer = H5Tget_class(type) == H5T_INTEGER;
  if (h5::has_attribute(set, "unit")) column.unit = h5::read_string(set, "unit");
  if (h5::has_attribute(set, "names")) column.labels = h5::read_strings(set, "names");
  return column;
}

std::string read_scene(hid_t set) {
  const Handle type(H5Dget_type(set), H5Tclose, "read a type");
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || !shape_of(set).empty())
    throw h5::Failure("the scene is not text");
  std::string text(H5Tget_size(type), '\0');
  check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "read the scene");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

template <class Body>
auto RecordFile::guarded(Body&& body) const {
  const h5::Quiet quiet;
  try {
    return body();
  } catch (const h5::Failure& failure) {
    throw RecordError(path_, fmt::format("{} is damaged: cannot {}", path_.string(), failure.what()));
  }
}

RecordFile::RecordFile(const fs::path& path) : path_(path), seal_(check_seal(File(path, O_RDONLY))) {
  guarded([&] {
    const Handle access = h5::property_list(H5P_FILE_ACCESS);
    // Our files never change once they have their name, so readers need no locks (some file systems have none).
    check(H5Pset_file_locking(access, false, true), "read without locks");
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "open it");
  });
}

bool RecordFile::is_record() const {
  return guarded(
      [&] { return h5::has_attribute(file_, "format") && h5::read_string(file_, "format") == record_format; });
}

Schema RecordFile::schema() const {
  if (!is_record())
    throw RecordError(path_, fmt::format("{} is an HDF5 file that ricochet did not write", path_.string()));
  return guarded([&] {
    if (const long long format = h5::read_integer(file_, "format_version"); format != record_format_version)
      throw RecordError(path_, fmt::format("{} has record format {}, and this ricochet reads format {}", path_.string(),
                                           format, record_format_version));
    Schema schema;
    schema.version = h5::read_string(file_, "version");
    schema.scene_name = h5::read_string(file_, "scene_name");
    for (const std::string& name : names_of(file_, true))
      if (name != "format" && name != "format_version" && name != "version" && name != "scene_name" &&
          name != digests_attribute)
        schema.attributes[name] = h5::read_string(file_, name);
    Table trajectory{std::string(trajectory_table), {}};
    for (const std::string& name : names_of(file_, false)) {
      const Handle object = open_object(file_, name);
      if (H5Iget_type(object) == H5I_DATASET && name == "scene") {
        schema.scene_text = read_scene(object);
      } else if (H5Iget_type(object) == H5I_DATASET) {
        trajectory.columns.push_back(column_of(object, name));
      } else if (h5::read_string(object, "kind") == "frames") {
        schema.frame_tables.push_back(name);
      } else {
        Table table{name, {}};
        for (const std::string& column : names_of(object, false))
          table.columns.push_back(column_of(open_object(object, column), column));
        schema.datasets.push_back(std::move(table));
      }
    }
    if (!read_frame_columns(trajectory, schema)) throw h5::Failure("find the columns of a trajectory");
    return schema;
  });
}

const RecordFile::Opened& RecordFile::open_column(const std::string& group, const Column& column) const {
  std::string place = group.empty() ? column.name : group + "/" + column.name;
  if (opened_.place == place) return opened_;
  Handle set(H5Dopen2(file_, place.c_str(), H5P_DEFAULT), H5Dclose, fmt::format("open '{}'", place));
  const std::vector<hsize_t> dims = shape_of(set);
  if (dims.size() != (column.scalar ? 1u : 2u) || (!column.scalar && dims[1] != column.width))
    throw h5::Failure(fmt::format("read '{}', which has an unexpected shape", place));
  opened_ = {std::move(place), std::move(set), dims[0]};
  return opened_;
}

std::size_t RecordFile::rows(const std::string& group, const Table& table) const {
  return guarded([&] {
    std::size_t common = 0;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::size_t rows = open_column(group, table.columns[i]).rows;
      if (i > 0 && rows != common)
        throw h5::Failure(fmt::format("read '{}', whose columns differ in length", table.name));
      common = rows;
    }
    return common;
  });
}

std::vector<std::string> RecordFile::digests() const {
  return guarded([&] {
    return h5::has_attribute(file_, digests_attribute) ? h5::read_strings(file_, digests_attribute)
                                                       : std::vector<std::string>{};
  });
}

void RecordFile::read(const std::string& group, const Column& column, std::size_t first, std::size_t count,
                      double* to) const {
  read_as(H5T_NATIVE_DOUBLE, group, column, first, count, to);
}

void RecordFile::read_bits(const std::string& group, const Column& column, std::size_t first, std::size_t count,
                           double* to) const {
  read_as(column.integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, group, column, first, count, to);
}

void RecordFile::read_as(hid_t type, const std::string& group, const Column& column, std::size_t first,
                         std::size_t count, double* to) const {
  if (count == 0 || column.width == 0) return;
  guarded([&] {
    const Opened& opened = open_column(group, column);
    if (first + count > opened.rows)
      throw h5::Failure(fmt::format("read row {} of '{}', which has {}", first + count - 1, column.name, opened.rows));
    const Handle space(H5Dget_space(opened.set), H5Sclose, "read a shape");
    const hsize_t start[2] = {first, 0}, counts[2] = {count, column.width};
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, counts, nullptr), "select rows");
    // Of the same rank as the file's: otherwise HDF5 goes through the elements one by one.
    const Handle memory = h5::dataspace({counts, column.scalar ? 1u : 2u});
    check(H5Dread(opened.set, type, memory, space, H5P_DEFAULT, to), fmt::format("read '{}'", column.name));
  });
}

bool looks_like_record(const fs::path& path) {
  try {
    return present(path) && RecordFile(path).is_record();
  } catch (const RecordError&) {
    return false;
  }
}

}  // namespace ricochet::record
