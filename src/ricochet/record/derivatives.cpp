#include "ricochet/record/derivatives.hpp"

#include "ricochet/record/digests.hpp"
#include "ricochet/record/files.hpp"
#include "ricochet/record/hdf5.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/seal.hpp"
#include "ricochet/record/sparse_driver.hpp"

namespace ricochet::record {
namespace {

using h5::check;
using h5::Handle;

Handle create(hid_t parent, const std::string& name, hid_t type, std::span<const hsize_t> dims) {
  const Handle creation = h5::property_list(H5P_DATASET_CREATE);
  check(H5Pset_obj_track_times(creation, false), "switch object times off");
  const Handle space = h5::dataspace(dims);
  return {H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose,
          "create a dataset"};
}
Handle write(hid_t parent, const std::string& name, const std::vector<double>& values,
             std::initializer_list<std::size_t> shape) {
  const std::vector<hsize_t> dims(shape.begin(), shape.end());
  Handle set = create(parent, name, H5T_IEEE_F64LE, dims);
  if (!values.empty())
    check(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "write a dataset");
  return set;
}
Handle write(hid_t parent, const std::string& name, const std::vector<long long>& values) {
  const hsize_t size = values.size();
  Handle set = create(parent, name, H5T_STD_I64LE, {&size, 1});
  if (!values.empty())
    check(H5Dwrite(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "write a dataset");
  return set;
}

void write_irregular(hid_t file, const Derivatives& d) {
  const Handle creation = h5::property_list(H5P_GROUP_CREATE);
  check(H5Pset_obj_track_times(creation, false), "switch object times off");
  const Handle group(H5Gcreate2(file, "irregular", H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose, "create a group");
  std::vector<double> t;
  std::vector<long long> impact;
  std::vector<std::string> kind, gap;
  for (const auto& x : d.irregular) {
    t.push_back(x.t);
    impact.push_back(x.impact);
    kind.push_back(x.kind);
    gap.push_back(x.gap);
  }
  write(group, "t", t, {t.size()});
  write(group, "impact", impact);
  h5::write_attribute(group, "kind", std::span<const std::string>(kind));
  h5::write_attribute(group, "gap", std::span<const std::string>(gap));
  h5::write_attribute(group, "count", d.irregular_count);
}

}  // namespace

std::string write_derivatives(const std::filesystem::path& directory, const Derivatives& d) {
  const fs::path path = directory / "derivatives.h5";
  const h5::Quiet quiet;
  // In memory: a file of HDF5's own on a disk that is full ends the program while it is closed.
  SparseFile sparse(SparseFile::page_size);
  try {
    const Handle access = sparse_access(sparse);
    check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "choose the file format");
    const Handle creation = h5::property_list(H5P_FILE_CREATE);
    check(H5Pset_obj_track_times(creation, false), "switch object times off");
    Handle file(H5Fcreate("sparse", H5F_ACC_TRUNC, creation, access), H5Fclose, "create the file");
    const std::size_t rows = d.t.size(), n = d.coordinates.size(), k = d.with_respect_to.size();
    write(file, "t", d.t, {rows});
    write(file, "step", d.step);
    write(file, "q", d.q, {rows, n, k});
    write(file, "p", d.p, {rows, n, k});
    h5::write_attribute(file, "coordinates", std::span<const std::string>(d.coordinates));
    h5::write_attribute(file, "with_respect_to", std::span<const std::string>(d.with_respect_to));
    write_irregular(file, d);
    file.close("close the file");
  } catch (const h5::Failure& failure) {
    throw RecordError(path, std::string("cannot write ").append(path.string()).append(": ").append(failure.what()));
  }
  std::string image(sparse.tail, '\0');
  sparse.read(0, image.data(), image.size());
  replace_file(path, image, false);
  return digest(checksum(image));
}

}  // namespace ricochet::record
