// Any bytes as the head of a request to `ricochet view`: one answer, and never a file that is not the run's.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "fuzzing.hpp"
#include "ricochet/report/http.hpp"

namespace {

/// A folder with the summary of a run, and beside it a file that is nobody's business.
std::filesystem::path folder() {
  std::string name = (std::filesystem::temp_directory_path() / "ricochet-http-XXXXXX").string();
  fuzzing::require(::mkdtemp(name.data()) != nullptr);
  std::filesystem::create_directory(name + "/run");
  std::ofstream(name + "/secret") << "secret";
  std::ofstream(name + "/run/secret") << "secret";
  std::ofstream(name + "/run/summary.json") << "{}";
  return name + "/run";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  static const std::filesystem::path dir = folder();
  int ends[2] = {-1, -1};
  fuzzing::require(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  ricochet::report::answer({ends[0], [] { return false; }}, {reinterpret_cast<const char*>(data), size}, dir);
  ::close(ends[0]);
  std::string said(4096, '\0');
  const ssize_t got = ::recv(ends[1], said.data(), said.size(), 0);
  ::close(ends[1]);
  said.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  fuzzing::require(said.starts_with("HTTP/1.1 ") && said.find("secret") == said.npos);
  return 0;
}
