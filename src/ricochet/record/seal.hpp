// The seal of a record file: a checksum over everything HDF5 has to trust.
//
// HDF5 1.10 crashes on some damaged files and leaks on others, so a file is handed to it only when its metadata are as
// we wrote them. They lie in the first page and behind the rows; the last 32 bytes of the first page, which HDF5 does
// not know of, say where and give the checksum:  "ricochet"  begin  end  checksum  (integers of 8 bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ricochet/record/files.hpp"

namespace ricochet::record {

/// FNV-1a, continued from `hash`.
std::uint64_t checksum(std::string_view bytes, std::uint64_t hash = 14695981039346656037u);

/// The same over all bytes of a file.
std::uint64_t checksum_of(const fs::path& path);

/// Seals a file whose metadata are its first page and the bytes from `tail` to its end.
void write_seal(File& file, std::size_t tail);

/// The checksum of the seal. Throws RecordError where the file is not one of ours, or not as we left it.
std::uint64_t check_seal(const File& file);

}  // namespace ricochet::record
