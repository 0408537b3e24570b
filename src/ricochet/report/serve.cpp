// `ricochet view`: a server for one reader. It listens on 127.0.0.1 only, knows the few files of a run by name, and
// answers one request at a time.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include "ricochet/record/files.hpp"
#include "ricochet/report/report.hpp"

extern char** environ;

namespace ricochet::report {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t stop_asked = 0;
void ask_to_stop(int) { stop_asked = 1; }

struct Served {
  std::string_view path, file, type;
};
constexpr std::array<Served, 5> served{{{"/", "report.html", "text/html; charset=utf-8"},
                                        {"/report.html", "report.html", "text/html; charset=utf-8"},
                                        {"/summary.json", "summary.json", "application/json"},
                                        {"/impacts.csv", "impacts.csv", "text/csv; charset=utf-8"},
                                        {"/trajectory.h5", "trajectory.h5", "application/x-hdf5"}}};

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void answer(int fd, std::string_view status, std::string_view type, std::size_t length) {
  send_all(fd, fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
                           "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n",
                           status, type, length));
}
void refuse(int fd, std::string_view status) {
  answer(fd, status, "text/plain", status.size());
  send_all(fd, status);
}

/// The head of a request, or nothing when it is too long or too slow.
std::optional<std::string> read_head(int fd) {
  std::string head;
  std::array<char, 2048> buffer{};
  while (head.find("\r\n\r\n") == head.npos) {
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0 || head.size() > 16384) return std::nullopt;
    head.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return head;
}

/// A page elsewhere that has made its own name point to this machine must not read the run: its name gives it away.
bool asks_for_loopback(const std::string& head) {
  std::string lower;
  for (const char c : head) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  const std::size_t at = lower.find("\r\nhost:");
  if (at == lower.npos) return false;
  std::size_t begin = at + 7;
  while (begin < lower.size() && lower[begin] == ' ') ++begin;
  const std::string host = lower.substr(begin, lower.find_first_of(":\r", begin) - begin);
  return host == "127.0.0.1" || host == "localhost";
}

void serve_one(int fd, const fs::path& dir) {
  timeval limit{5, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const auto head = read_head(fd);
  if (!head) return;
  const bool get = head->starts_with("GET "), only_head = head->starts_with("HEAD ");
  if (!get && !only_head) return refuse(fd, "405 Method Not Allowed");
  if (!asks_for_loopback(*head)) return refuse(fd, "403 Forbidden");
  const std::size_t begin = head->find(' ') + 1;
  const std::string path = head->substr(begin, head->find_first_of(" ?\r", begin) - begin);
  for (const Served& one : served) {
    if (one.path != path || !record::present(dir / one.file)) continue;
    const record::File file(dir / one.file, O_RDONLY | O_CLOEXEC);
    const std::size_t size = file.size();
    answer(fd, "200 OK", one.type, size);
    if (only_head) return;
    std::string piece(1 << 20, '\0');
    for (std::size_t offset = 0; offset < size && stop_asked == 0;) {
      const std::size_t got = file.read_at(offset, piece.data(), std::min(piece.size(), size - offset));
      if (got == 0 || !send_all(fd, {piece.data(), got})) return;
      offset += got;
    }
    return;
  }
  refuse(fd, "404 Not Found");
}

/// Starts the desktop's browser if there is one; silence if not.
void open_browser(const std::string& url) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = "xdg-open", argument = url;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  ::posix_spawnp(&child, program.c_str(), &quiet, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&quiet);
}

int listening_socket(int& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw ReportError(fmt::format("cannot open a socket: {}", std::strerror(errno)));
  const int yes = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd, plain, size) != 0 || ::listen(fd, 16) != 0 || ::getsockname(fd, plain, &size) != 0) {
    const int error = errno;
    ::close(fd);
    throw ReportError(fmt::format("cannot listen on port {} of 127.0.0.1: {}", port, std::strerror(error)));
  }
  port = ntohs(address.sin_port);
  return fd;
}

void serve(const fs::path& dir, const ViewOptions& options) {
  int port = options.port;
  if (port < 0 || port > 65535) throw ReportError(fmt::format("{} is no port (0 to 65535)", port));
  const Socket listener(listening_socket(port));
  // Without SA_RESTART, so that Ctrl-C ends a wait.
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  stop_asked = 0;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);

  const std::string url = fmt::format("http://127.0.0.1:{}/", port);
  fmt::print("{}\nCtrl-C ends it.\n", url);
  std::fflush(stdout);
  if (options.browser) open_browser(url);
  while (stop_asked == 0) {
    pollfd ready{listener.fd(), POLLIN, 0};
    if (::poll(&ready, 1, 500) <= 0) continue;
    const Socket client(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client.fd() < 0) continue;
    try {
      serve_one(client.fd(), dir);
    } catch (const std::exception&) {
      refuse(client.fd(), "500 Internal Server Error");  // a file that vanished just now
    }
  }
}

}  // namespace

int view_command(const fs::path& run_dir, const ViewOptions& options) {
  try {
    std::string doubt;
    write_report(run_dir, {}, &doubt);
    if (!doubt.empty()) fmt::print(stderr, "{}.\n", doubt);
    serve(run_dir, options);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ricochet: {}.\n", error.what());
    return 2;
  }
}

}  // namespace ricochet::report
