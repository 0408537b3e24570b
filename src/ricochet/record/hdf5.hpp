// HDF5 with owners and without noise. Internal: no other header of the project sees <hdf5.h>.
#pragma once

#include <hdf5.h>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ricochet::record::h5 {

/// A call that failed, with the innermost words HDF5 has for it. Callers turn it into a sentence with the path.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& what) : std::runtime_error(what) {}
};

/// Throws Failure naming what was attempted.
[[noreturn]] void fail(std::string_view what);

template <class Id>
Id check(Id result, std::string_view what) {
  if (result < 0) fail(what);
  return result;
}

/// HDF5 prints every error to stderr unless told not to; while one of these lives, it does not.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// An HDF5 identifier and how to close it.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close, std::string_view what) : id_(check(id, what)), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  void close(std::string_view what) { check(close_(std::exchange(id_, -1)), what); }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

Handle property_list(hid_t kind);
Handle dataspace(std::span<const hsize_t> dims);
Handle string_type(std::size_t bytes);

// Strings of fixed length, padded with zeros: their bytes lie in the object header, under its checksum, and depend on
// nothing but the text. An empty string takes one zero.
void write_attribute(hid_t object, const std::string& name, std::string_view text);
void write_attribute(hid_t object, const std::string& name, std::span<const std::string> texts);
void write_attribute(hid_t object, const std::string& name, long long number);

bool has_attribute(hid_t object, const std::string& name);
/// One entry for a scalar attribute.
std::vector<std::string> read_strings(hid_t object, const std::string& name);
std::string read_string(hid_t object, const std::string& name);
long long read_integer(hid_t object, const std::string& name);

}  // namespace ricochet::record::h5
