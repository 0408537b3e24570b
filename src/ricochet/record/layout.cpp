#include "ricochet/record/layout.hpp"

#include <vector>

#include "ricochet/record/digests.hpp"
#include "ricochet/record/hdf5.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/seal.hpp"
#include "ricochet/record/sparse_driver.hpp"

namespace ricochet::record {
namespace {

using h5::check;
using h5::Handle;

// No dates in the file, names in the order they were created, and everything small enough kept in the object header,
// which HDF5 protects with a checksum.
void order_links(hid_t creation) {
  check(H5Pset_obj_track_times(creation, false), "switch object times off");
  check(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "order links");
  check(H5Pset_link_phase_change(creation, 64, 32), "keep links in the header");
}

// The format of HDF5 1.10: all its headers and indices carry checksums, those of 1.8 do not.
Handle create_file(SparseFile& sparse) {
  const Handle access = sparse_access(sparse);
  check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "choose the file format");
  const Handle creation = h5::property_list(H5P_FILE_CREATE);
  order_links(creation);
  return {H5Fcreate("sparse", H5F_ACC_TRUNC, creation, access), H5Fclose, "lay out a file"};
}

Handle create_column(hid_t group, const Column& column, std::size_t rows, std::size_t block_rows) {
  const Handle creation = h5::property_list(H5P_DATASET_CREATE);
  check(H5Pset_obj_track_times(creation, false), "switch object times off");
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "fill never");
  const int rank = column.scalar ? 1 : 2;
  const hsize_t dims[2] = {rows, column.width}, limits[2] = {H5S_UNLIMITED, column.width};
  const hsize_t chunk[2] = {block_rows, column.width};
  const bool chunked = column.width > 0;  // a column of no entries has a shape, and nothing else
  if (chunked) check(H5Pset_chunk(creation, rank, chunk), "choose a layout");
  const Handle space(H5Screate_simple(rank, dims, chunked ? limits : nullptr), H5Sclose, "create a dataspace");
  const hid_t type = column.integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
  Handle set(H5Dcreate2(group, column.name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose,
             "create a dataset");
  if (!column.unit.empty()) h5::write_attribute(set, "unit", column.unit);
  if (!column.labels.empty()) h5::write_attribute(set, "names", std::span(column.labels));
  return set;
}

void write_scene(hid_t file, const std::string& text) {
  const Handle creation = h5::property_list(H5P_DATASET_CREATE);
  check(H5Pset_obj_track_times(creation, false), "switch object times off");
  const Handle type = h5::string_type(text.size());
  const Handle space = h5::dataspace({});
  const Handle set(H5Dcreate2(file, "scene", type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose,
                   "create a dataset");
  check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.empty() ? "\0" : text.data()), "write the scene");
}

void write_digests(hid_t file, const Extent& extent) {
  if (extent.sums.empty()) return;
  std::vector<std::string> digests;
  for (const RowSum& sum : extent.sums) digests.push_back(digest(sum.all));
  h5::write_attribute(file, digests_attribute, std::span<const std::string>(digests));
}

using Columns = std::vector<std::vector<Handle>>;

Columns create_tables(hid_t file, const Schema& schema, const Slots& slots, std::span<const std::size_t> rows) {
  Columns columns;
  for (std::size_t i = 0; i < slots.tables().size(); ++i) {
    const Table& table = slots.tables()[i];
    Handle group;
    if (i > 0) {
      const Handle creation = h5::property_list(H5P_GROUP_CREATE);
      order_links(creation);
      group =
          Handle(H5Gcreate2(file, table.name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose, "create a group");
      h5::write_attribute(group, "kind", std::string_view(i <= schema.frame_tables.size() ? "frames" : "rows"));
    }
    columns.emplace_back();
    for (const Column& column : table.columns)
      columns.back().push_back(create_column(i > 0 ? group : file, column, rows[i], slots.block_rows(i)));
  }
  return columns;
}

// Each column of each block becomes a chunk; the driver answers with the place where it is.
void index_blocks(const Columns& columns, const Slots& slots, SparseFile& sparse) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < slots.tables().size(); ++i) largest = std::max(largest, slots.column_end(i));
  const auto nothing = std::make_unique_for_overwrite<char[]>(largest);
  std::vector<std::size_t> next(slots.tables().size(), 0);
  for (const char entry : slots.order()) {
    const auto table = static_cast<unsigned char>(entry);
    const std::size_t block = next[table]++;
    for (std::size_t c = 0; c < columns[table].size(); ++c) {
      const std::size_t bytes = slots.column_start(table, c + 1) - slots.column_start(table, c);
      if (bytes == 0) continue;
      sparse.place = slots.offset(table, block) + slots.column_start(table, c);
      const hsize_t at[2] = {block * slots.block_rows(table), 0};
      check(H5Dwrite_chunk(columns[table][c], H5P_DEFAULT, 0, at, bytes, nothing.get()), "index a block");
    }
  }
  sparse.place = SparseFile::nowhere;
}

}  // namespace

void write_metadata(File& out, const Schema& schema, const Slots& slots, const Extent& extent) {
  const h5::Quiet quiet;
  SparseFile sparse(slots.end());
  try {
    Handle file = create_file(sparse);
    h5::write_attribute(file, "format", std::string_view(record_format));
    h5::write_attribute(file, "format_version", record_format_version);
    h5::write_attribute(file, "version", schema.version);
    h5::write_attribute(file, "scene_name", schema.scene_name);
    for (const auto& [name, text] : schema.attributes) h5::write_attribute(file, name, text);
    write_digests(file, extent);
    write_scene(file, schema.scene_text);
    Columns columns = create_tables(file, schema, slots, extent.rows);
    index_blocks(columns, slots, sparse);
    columns.clear();
    file.close("lay out a file");
  } catch (const h5::Failure& failure) {
    throw RecordError(out.path(), "cannot lay out " + out.path().string() + ": " + failure.what());
  }
  out.truncate(slots.end());  // nothing of an earlier ending stays
  out.truncate(sparse.tail);
  for (const auto& [number, page] : sparse.pages) {
    const std::size_t offset = number * SparseFile::page_size;
    out.write_at(offset, page.data(), std::min(SparseFile::page_size, sparse.tail - offset));
  }
  write_seal(out, slots.end());
}

}  // namespace ricochet::record
