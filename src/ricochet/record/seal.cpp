#include "ricochet/record/seal.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "ricochet/record/record_error.hpp"
#include "ricochet/record/sparse_driver.hpp"

namespace ricochet::record {
namespace {

constexpr std::size_t page_size = SparseFile::page_size;
constexpr std::string_view magic = "ricochet", hdf5_signature = "\x89HDF\r\n\x1a\n";

struct Seal {
  std::array<char, 8> magic;
  std::uint64_t begin, end, checksum;
};
static_assert(sizeof(Seal) == page_size - SparseFile::head_size);

// Over the first page up to the checksum itself, then over the tail.
std::uint64_t sum_up(const File& file, std::string_view page, std::size_t begin, std::size_t end) {
  std::uint64_t sum = checksum(page.substr(0, page_size - 8));
  std::vector<char> buffer(std::min<std::size_t>(end - begin, 1 << 20));
  for (std::size_t at = begin; at < end; at += buffer.size()) {
    const std::size_t got = file.read_at(at, buffer.data(), std::min(buffer.size(), end - at));
    sum = checksum({buffer.data(), got}, sum);
  }
  return sum;
}

}  // namespace

std::uint64_t checksum(std::string_view bytes, std::uint64_t hash) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  return hash;
}

std::uint64_t checksum_of(const fs::path& path) {
  const File file(path, O_RDONLY);
  std::uint64_t sum = checksum({});
  std::vector<char> buffer(1 << 16);
  for (std::size_t at = 0, got = 0; (got = file.read_at(at, buffer.data(), buffer.size())) > 0; at += got)
    sum = checksum({buffer.data(), got}, sum);
  return sum;
}

void write_seal(File& file, std::size_t tail) {
  std::array<char, page_size> page{};
  file.read_at(0, page.data(), page_size);
  Seal seal{{}, tail, file.size(), 0};
  std::copy(magic.begin(), magic.end(), seal.magic.begin());
  std::memcpy(page.data() + SparseFile::head_size, &seal, sizeof seal);
  seal.checksum = sum_up(file, {page.data(), page_size}, seal.begin, seal.end);
  file.write_at(SparseFile::head_size, &seal, sizeof seal);
}

std::uint64_t check_seal(const File& file) {
  const std::string path = file.path().string();
  std::array<char, page_size> page{};
  const std::string_view head(page.data(), file.read_at(0, page.data(), page_size));
  if (!head.starts_with(hdf5_signature))
    throw RecordError(file.path(), fmt::format("{} is not an HDF5 file, or its beginning is damaged", path));
  Seal seal{};
  if (head.size() == page_size) std::memcpy(&seal, page.data() + SparseFile::head_size, sizeof seal);
  if (std::string_view(seal.magic.data(), seal.magic.size()) != magic)
    throw RecordError(file.path(), fmt::format("{} is an HDF5 file that ricochet did not write", path));
  const bool whole =
      seal.begin <= seal.end && seal.end == file.size() && seal.checksum == sum_up(file, head, seal.begin, seal.end);
  if (!whole) throw RecordError(file.path(), fmt::format("{} is damaged, or was changed after the run", path));
  return seal.checksum;
}

}  // namespace ricochet::record
