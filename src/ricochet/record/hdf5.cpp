#include "ricochet/record/hdf5.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace ricochet::record::h5 {
namespace {

herr_t innermost(unsigned, const H5E_error2_t* error, void* text) noexcept try {
  *static_cast<std::string*>(text) = error->desc == nullptr ? "" : error->desc;
  return 1;                        // the walk starts at the innermost error; one is enough
} catch (const std::bad_alloc&) {  // called through C
  return -1;
}

std::string padded_read(const char* from, std::size_t size) {
  while (size > 0 && from[size - 1] == '\0') --size;
  return std::string(from, size);
}

}  // namespace

void fail(std::string_view what) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &reason);
  H5Eclear2(H5E_DEFAULT);
  throw Failure(reason.empty() ? std::string(what) : fmt::format("{} ({})", what, reason));
}

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

Handle property_list(hid_t kind) { return {H5Pcreate(kind), H5Pclose, "create a property list"}; }

Handle dataspace(std::span<const hsize_t> dims) {
  return {dims.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
          H5Sclose, "create a dataspace"};
}

Handle string_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "create a string type");
  check(H5Tset_size(type, std::max<std::size_t>(bytes, 1)), "size a string type");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "pad a string type");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "encode a string type");
  return type;
}

void write_attribute(hid_t object, const std::string& name, std::string_view text) {
  const Handle type = string_type(text.size());
  const Handle space = dataspace({});
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "create an attribute");
  const std::string padded(text.empty() ? std::string_view("\0", 1) : text);
  check(H5Awrite(attribute, type, padded.data()), "write an attribute");
}

void write_attribute(hid_t object, const std::string& name, std::span<const std::string> texts) {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::vector<char> padded(width * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::memcpy(padded.data() + i * width, texts[i].data(), texts[i].size());
  const Handle type = string_type(width);
  const hsize_t count = texts.size();
  const Handle space = dataspace({&count, 1});
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "create an attribute");
  if (count > 0) check(H5Awrite(attribute, type, padded.data()), "write an attribute");
}

void write_attribute(hid_t object, const std::string& name, long long number) {
  const Handle space = dataspace({});
  const Handle attribute(H5Acreate2(object, name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "create an attribute");
  check(H5Awrite(attribute, H5T_NATIVE_LLONG, &number), "write an attribute");
}

bool has_attribute(hid_t object, const std::string& name) {
  return check(H5Aexists(object, name.c_str()), "look for an attribute") > 0;
}

std::vector<std::string> read_strings(hid_t object, const std::string& name) {
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "open an attribute");
  const Handle type(H5Aget_type(attribute), H5Tclose, "read the type of an attribute");
  const Handle space(H5Aget_space(attribute), H5Sclose, "read the shape of an attribute");
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
    throw Failure(fmt::format("the attribute {} is not text", name));
  const std::size_t width = H5Tget_size(type);
  const auto count = static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space), "read an attribute"));
  std::vector<char> padded(width * count, '\0');
  if (count > 0) check(H5Aread(attribute, type, padded.data()), "read an attribute");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(padded_read(padded.data() + i * width, width));
  return texts;
}

std::string read_string(hid_t object, const std::string& name) {
  const std::vector<std::string> texts = read_strings(object, name);
  if (texts.size() != 1) throw Failure(fmt::format("the attribute {} is not one text", name));
  return texts.front();
}

long long read_integer(hid_t object, const std::string& name) {
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "open an attribute");
  const Handle space(H5Aget_space(attribute), H5Sclose, "read the shape of an attribute");
  const Handle type(H5Aget_type(attribute), H5Tclose, "read the type of an attribute");
  if (H5Sget_simple_extent_npoints(space) != 1 || H5Tget_class(type) != H5T_INTEGER)
    throw Failure(fmt::format("the attribute {} is not a number", name));
  long long number = 0;
  check(H5Aread(attribute, H5T_NATIVE_LLONG, &number), "read an attribute");
  return number;
}

}  // namespace ricochet::record::h5
