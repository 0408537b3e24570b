// The few things a record asks of the file system, each checked, each failure one sentence.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/record/record_error.hpp"

namespace ricochet::record {

namespace fs = std::filesystem;

/// A disk that is full or broken, or what was asked of it.
RecordError::Fault fault_of(int error);

/// Past the limit of `ulimit -f` the kernel kills a process unless it would rather hear about it from write().
void hear_of_file_size_limits();

/// Throws RecordError "cannot <verb> <path>: <what errno says>".
[[noreturn]] void fail(std::string_view verb, const fs::path& path, int error);

/// A file descriptor that closes itself.
class File {
 public:
  File() = default;
  File(const fs::path& path, int flags);
  File(File&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
  File& operator=(File&& other) noexcept;
  ~File();

  int fd() const { return fd_; }
  const fs::path& path() const { return path_; }
  std::size_t size() const;
  /// Writes everything or throws; the vector is used up.
  void write(std::span<iovec> parts);
  void write_at(std::size_t offset, const void* data, std::size_t bytes);
  /// Bytes read: fewer only where the file ends.
  std::size_t read_at(std::size_t offset, void* data, std::size_t bytes) const;
  void truncate(std::size_t bytes);
  void permit(mode_t permissions);
  void sync();
  /// Closes with the error checked: a network file system may report a failed write only here.
  void close();

 private:
  int fd_ = -1;
  fs::path path_;
};

/// Writes `path`.tmp, then renames: readers meet the old file or the new one, never half of one.
void replace_file(const fs::path& path, std::span<iovec> parts, bool durable);
void replace_file(const fs::path& path, std::string_view text, bool durable);

/// The same for a file that somebody else named: through symbolic links, with the permissions it has, and straight to
/// what is no regular file (/dev/stdout).
void write_anywhere(const fs::path& path, std::string_view text);

void rename_file(const fs::path& from, const fs::path& to);
void make_directory(const fs::path& path);
void remove_file(const fs::path& path);
void remove_tree(const fs::path& path);
bool present(const fs::path& path);
std::string read_text(const fs::path& path);

/// Held while a run writes a directory, so that two runs never share one. It vanishes with the process.
class DirectoryLock {
 public:
  explicit DirectoryLock(const fs::path& dir);

 private:
  File handle_;
};

}  // namespace ricochet::record
