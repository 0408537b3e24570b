// impacts.csv: one line per impact, 17 digits, so that the numbers are the numbers of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/motion/impact.hpp"
#include "ricochet/record/files.hpp"
#include "ricochet/record/schema.hpp"

namespace ricochet::record {

/// What a reader gets back of the motion::ImpactView that was written.
using Impact = motion::KeptImpact;

/// The header line for these coordinates, with its newline.
std::string impacts_header(const std::vector<std::string>& coordinates);

/// Text as one CSV field (RFC 4180): quoted only where it must be.
std::string csv_field(std::string_view text);

/// Appends whole lines; a failed write is undone, and tried again with the next.
class ImpactsWriter {
 public:
  /// Continues an existing file after its first `bytes` bytes, whose checksum is `sum`, and `rows` lines; what follows
  /// is cut off.
  ImpactsWriter(const fs::path& path, std::size_t coordinates, std::size_t bytes, std::size_t rows, std::uint64_t sum,
                bool durable);
  ImpactsWriter(ImpactsWriter&&) noexcept;
  ~ImpactsWriter();

  void append(const motion::ImpactView& row);
  void flush();
  bool dirty() const;
  std::size_t rows() const { return rows_; }
  std::size_t bytes() const { return bytes_; }  ///< on disk
  std::uint64_t sum() const { return sum_; }    ///< over these bytes

 private:
  struct Text;
  File file_;
  std::size_t coordinates_, bytes_, rows_;
  std::uint64_t sum_;
  bool durable_;
  std::unique_ptr<Text> text_;
};

/// Throws RecordError unless the file can be continued after its first `bytes` bytes and their checksum is `sum`; it
/// stays as it is.
void check_impacts(const fs::path& path, const std::vector<std::string>& coordinates, std::size_t bytes,
                   std::uint64_t sum);

/// What a file of impacts holds: whole lines, and the bytes they take with the header.
struct ImpactsExtent {
  std::size_t rows = 0, bytes = 0;
};

/// Reads the file back, line after line, every `stride`-th from the first on; memory does not grow with it. A last line
/// without its end (a killed run) is left out, any other damage is a RecordError.
ImpactsExtent each_impact(const fs::path& path, const std::vector<std::string>& coordinates, std::size_t stride,
                          const std::function<void(Impact&&)>& visit);
/// All of them.
std::vector<Impact> read_impacts(const fs::path& path, const std::vector<std::string>& coordinates);
/// Their number alone; damage inside of a line is not looked for.
ImpactsExtent count_impacts(const fs::path& path, const std::vector<std::string>& coordinates);

}  // namespace ricochet::record
