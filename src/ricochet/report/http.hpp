// What `ricochet view` says to a request: the few files of a run, by name, to whoever asks for this machine itself.
#pragma once

#include <filesystem>
#include <string>

namespace ricochet::report {

/// A connection, whoever owns it, and whether the server is to end.
struct Client {
  int fd;
  bool (*stop)();
};

/// Answers the head of a request (up to its empty line) for the run in `dir`. A client that takes nothing for five
/// seconds is given up.
void answer(const Client& client, const std::string& head, const std::filesystem::path& dir);

}  // namespace ricochet::report
