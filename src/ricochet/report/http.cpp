#include "ricochet/report/http.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <string_view>

#include "ricochet/record/files.hpp"

namespace ricochet::report {
namespace {

namespace fs = std::filesystem;

struct Served {
  std::string_view path, file, type;
};
constexpr std::array<Served, 5> served{{{"/", "report.html", "text/html; charset=utf-8"},
                                        {"/report.html", "report.html", "text/html; charset=utf-8"},
                                        {"/summary.json", "summary.json", "application/json"},
                                        {"/impacts.csv", "impacts.csv", "text/csv; charset=utf-8"},
                                        {"/trajectory.h5", "trajectory.h5", "application/x-hdf5"}}};

/// False where the reader is gone, has taken nothing for some seconds, or nobody wants the server any more.
bool send_all(const Client& client, std::string_view bytes) {
  constexpr int patience = 5;  // seconds
  for (int waited = 0; !bytes.empty() && !client.stop();) {
    const ssize_t sent = ::send(client.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      waited = 0;
    } else if (sent == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) || ++waited >= patience) {
      return false;
    }
  }
  return bytes.empty();
}

void begin(const Client& client, std::string_view status, std::string_view type, std::size_t length) {
  send_all(client, fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
                               "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n",
                               status, type, length));
}
void refuse(const Client& client, std::string_view status) {
  begin(client, status, "text/plain", status.size());
  send_all(client, status);
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

void answer_or_throw(const Client& client, const std::string& head, const fs::path& dir) {
  const bool get = head.starts_with("GET "), only_head = head.starts_with("HEAD ");
  if (!get && !only_head) return refuse(client, "405 Method Not Allowed");
  if (!asks_for_loopback(head)) return refuse(client, "403 Forbidden");
  const std::size_t name = head.find(' ') + 1;
  const std::string path = head.substr(name, head.find_first_of(" ?\r", name) - name);
  for (const Served& one : served) {
    if (one.path != path || !record::present(dir / one.file)) continue;
    const record::File file(dir / one.file, O_RDONLY | O_CLOEXEC);
    const std::size_t size = file.size();
    begin(client, "200 OK", one.type, size);
    if (only_head) return;
    std::string piece(1 << 20, '\0');
    for (std::size_t offset = 0; offset < size;) {
      const std::size_t got = file.read_at(offset, piece.data(), std::min(piece.size(), size - offset));
      if (got == 0 || !send_all(client, {piece.data(), got})) return;
      offset += got;
    }
    return;
  }
  refuse(client, "404 Not Found");
}

}  // namespace

void answer(const Client& client, const std::string& head, const fs::path& dir) {
  timeval second{1, 0};  // so that the end of the server is noticed while somebody is slow
  ::setsockopt(client.fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
  try {
    answer_or_throw(client, head, dir);
  } catch (const std::exception&) {
    refuse(client, "500 Internal Server Error");  // a file that vanished just now
  }
}

}  // namespace ricochet::report
