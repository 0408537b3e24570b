#include "ricochet/record/files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <optional>

namespace ricochet::record {

RecordError::Fault fault_of(int error) {
  const bool disk = error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
  return disk ? RecordError::Fault::disk : RecordError::Fault::input;
}

void fail(std::string_view verb, const fs::path& path, int error) {
  throw RecordError(path, fmt::format("cannot {} {}: {}", verb, path.string(), std::strerror(error)), fault_of(error));
}

void hear_of_file_size_limits() {
  struct sigaction action;
  if (::sigaction(SIGXFSZ, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) ::signal(SIGXFSZ, SIG_IGN);
}

File::File(const fs::path& path, int flags) : path_(path) {
  do fd_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  while (fd_ < 0 && errno == EINTR);
  if (fd_ < 0) fail((flags & O_ACCMODE) == O_RDONLY ? "read" : "write", path, errno);
}

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

std::size_t File::size() const {
  struct stat status;
  if (::fstat(fd_, &status) != 0) fail("read", path_, errno);
  return static_cast<std::size_t>(status.st_size);
}

void File::write(std::span<iovec> parts) {
  while (!parts.empty()) {
    const auto count = static_cast<int>(std::min<std::size_t>(parts.size(), IOV_MAX));
    const ssize_t done = ::writev(fd_, parts.data(), count);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("write", path_, errno);
    auto left = static_cast<std::size_t>(done);
    while (!parts.empty() && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (!parts.empty()) {
      parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + left;
      parts.front().iov_len -= left;
    }
  }
}

void File::write_at(std::size_t offset, const void* data, std::size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::pwrite(fd_, from, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("write", path_, errno);
    from += done;
    offset += static_cast<std::size_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
}

std::size_t File::read_at(std::size_t offset, void* data, std::size_t bytes) const {
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t done = ::pread(fd_, static_cast<char*>(data) + got, bytes - got, static_cast<off_t>(offset + got));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("read", path_, errno);
    if (done == 0) break;
    got += static_cast<std::size_t>(done);
  }
  return got;
}

void File::truncate(std::size_t bytes) {
  if (::ftruncate(fd_, static_cast<off_t>(bytes)) != 0) fail("write", path_, errno);
}

void File::sync() {
  if (::fdatasync(fd_) != 0 && errno != EINVAL) fail("write", path_, errno);
}

void File::permit(mode_t permissions) {
  if (::fchmod(fd_, permissions) != 0) fail("write", path_, errno);
}

void File::close() {
  const int fd = std::exchange(fd_, -1);
  if (fd >= 0 && ::close(fd) != 0 && errno != EINTR) fail("write", path_, errno);
}

namespace {

/// `flags` say what becomes of a part that is there already.
void replace_by(const fs::path& part, const fs::path& path, std::span<iovec> parts, bool durable, int flags,
                std::optional<mode_t> permissions = {}) {
  File file(part, O_WRONLY | O_CREAT | flags);
  try {
    if (permissions) file.permit(*permissions);
    file.write(parts);
    if (durable) file.sync();
    file.close();
    rename_file(part, path);
  } catch (const RecordError&) {
    ::unlink(part.c_str());  // half a file helps nobody and takes the space a retry would need
    throw;
  }
}

}  // namespace

void replace_file(const fs::path& path, std::span<iovec> parts, bool durable) {
  replace_by(path.string() + ".tmp", path, parts, durable, O_TRUNC);
}

void replace_file(const fs::path& path, std::string_view text, bool durable) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  replace_file(path, {&part, 1}, durable);
}

void write_anywhere(const fs::path& path, std::string_view text) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  struct stat status {};
  const bool there = ::stat(path.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode)) fail("write", path, EISDIR);
  const auto straight = [&](int flags) {
    File file(path, O_WRONLY | flags);
    file.write({&part, 1});
    file.close();
  };
  // A terminal, a pipe, a file that is open as the standard output: nothing that could be replaced.
  const std::string name = path.string();
  const bool open = name.starts_with("/dev/std") || name.starts_with("/dev/fd/") || name.starts_with("/proc/");
  if (there && (open || !S_ISREG(status.st_mode))) return straight(O_APPEND);
  struct stat link {};
  if (!there && ::lstat(path.c_str(), &link) == 0) return straight(O_CREAT);  // a link to what is not there yet
  if (there && ::access(path.c_str(), W_OK) != 0) fail("write", path, errno);
  std::error_code error;
  const fs::path target = there ? fs::canonical(path, error) : path;
  if (error) fail("write", path, error.value());
  // In a folder of somebody else the file itself is all there is to write.
  if (there && ::access(target.parent_path().c_str(), W_OK) != 0) return straight(O_TRUNC);
  // A name of its own: a FILE.tmp beside it may be anybody's.
  const fs::path beside = fmt::format("{}.{}.tmp", target.string(), ::getpid());
  try {
    replace_by(beside, target, {&part, 1}, false, O_EXCL,
               there ? std::optional<mode_t>(status.st_mode & 07777) : std::nullopt);
  } catch (const RecordError& problem) {
    std::string sentence = problem.what();  // about the file that was asked for
    if (const auto at = sentence.find(beside.string()); at != std::string::npos)
      sentence.replace(at, beside.string().size(), path.string());
    throw RecordError(path, sentence, problem.fault());
  }
}

void rename_file(const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail("write", to, errno);
}

void make_directory(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail("create the directory", path, error.value());
}

void remove_file(const fs::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path, errno);
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) fail("remove", path, error.value());
}

bool present(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string read_text(const fs::path& path) {
  const File file(path, O_RDONLY);
  std::string text(file.size(), '\0');
  text.resize(file.read_at(0, text.data(), text.size()));
  return text;
}

DirectoryLock::DirectoryLock(const fs::path& dir) : handle_(dir, O_RDONLY | O_DIRECTORY) {
  // Where the file system has no locks, the run goes on without.
  if (::flock(handle_.fd(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw RecordError(dir, fmt::format("{} is being written by another run", dir.string()));
}

}  // namespace ricochet::record
