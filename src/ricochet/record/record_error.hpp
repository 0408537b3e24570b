// What goes wrong between a run and its directory: one sentence that names the path.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace ricochet::record {

class RecordError : public std::runtime_error {
 public:
  RecordError(std::filesystem::path path, const std::string& sentence)
      : std::runtime_error(sentence), path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ricochet::record
