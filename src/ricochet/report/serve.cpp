// `ricochet view`: a server for one reader. It listens on 127.0.0.1 only. Connections that say nothing keep nobody
// waiting: a request is answered when it is whole, by one of a few threads.
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
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ricochet/report/http.hpp"
#include "ricochet/report/report.hpp"
#include "ricochet/scene/document.hpp"

extern char** environ;

namespace ricochet::report {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t stop_asked = 0;
void ask_to_stop(int) { stop_asked = 1; }

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// A few threads that answer whole requests, in the order in which they came.
class Answerers {
 public:
  explicit Answerers(const fs::path& dir) {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, dir] { work(dir); });
  }
  ~Answerers() {
    {
      const std::scoped_lock lock(guard_);
      ended_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Answerers(const Answerers&) = delete;
  Answerers& operator=(const Answerers&) = delete;

  void take(Socket client, std::string head) {
    {
      const std::scoped_lock lock(guard_);
      requests_.emplace_back(std::move(client), std::move(head));
    }
    wake_.notify_one();
  }

 private:
  static constexpr std::size_t count = 8;

  void work(const fs::path& dir) {
    for (;;) {
      std::unique_lock lock(guard_);
      wake_.wait(lock, [this] { return ended_ || !requests_.empty(); });
      if (ended_) return;
      const auto [client, head] = std::move(requests_.front());
      requests_.pop_front();
      lock.unlock();
      answer({client.fd(), [] { return stop_asked != 0; }}, head, dir);
    }
  }

  std::mutex guard_;
  std::condition_variable wake_;
  std::deque<std::pair<Socket, std::string>> requests_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

/// Connections that have not said all of a request yet. They cost a descriptor each, and nobody waits for them.
class Waiting {
 public:
  explicit Waiting(int listener) : listener_(listener) {}

  /// Up to half a second: takes in what arrives, hands whole requests on, and drops who is too slow or says too much.
  void look(Answerers& answerers) {
    std::vector<pollfd> ready{{listener_, POLLIN, 0}};
    for (const Talk& talk : talks_) ready.push_back({talk.client.fd(), POLLIN, 0});
    if (::poll(ready.data(), ready.size(), 500) < 0) return;  // a signal
    const auto now = Clock::now();
    std::size_t k = 0;
    std::erase_if(talks_, [&](Talk& talk) {
      const bool alive = ready[++k].revents == 0 ? now < talk.until : hear(talk);
      if (alive && talk.head.find("\r\n\r\n") == talk.head.npos) return false;
      if (alive) answerers.take(std::move(talk.client), std::move(talk.head));
      return true;
    });
    if (ready[0].revents == 0) return;
    Socket client(::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
    if (client.fd() < 0) return;
    if (talks_.size() >= most) talks_.pop_front();  // whoever has been silent for longest
    talks_.push_back({std::move(client), {}, now + std::chrono::seconds(5)});
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Talk {
    Socket client;
    std::string head;
    Clock::time_point until;
  };
  static constexpr std::size_t most = 64, longest_head = 16384;

  static bool hear(Talk& talk) {
    std::array<char, 2048> buffer{};
    const ssize_t got = ::recv(talk.client.fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    talk.head.append(buffer.data(), static_cast<std::size_t>(got));
    return talk.head.size() <= longest_head;
  }

  int listener_;
  std::deque<Talk> talks_;
};

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
  if (std::fflush(stdout) != 0) return;  // nobody would know where to look: the program says so
  if (options.browser) open_browser(url);
  Answerers answerers(dir);
  for (Waiting waiting(listener.fd()); stop_asked == 0;) waiting.look(answerers);
}

}  // namespace

int view_command(const fs::path& run_dir, const ViewOptions& options) {
  try {
    std::string doubt;
    write_report(run_dir, {}, &doubt);
    if (!doubt.empty()) fmt::print(stderr, "{}.\n", scene::in_one_line(doubt));
    serve(run_dir, options);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ricochet: {}.\n", scene::in_one_line(error.what()));
    return 2;
  }
}

}  // namespace ricochet::report
