// What goes wrong between a run and its directory: one sentence that names the path.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace ricochet::record {

class RecordError : public std::runtime_error {
 public:
  /// Whose fault it is: of what was asked for, or of a disk that is full or broken.
  enum class Fault { input, disk };

  RecordError(std::filesystem::path path, const std::string& sentence, Fault fault = Fault::input)
      : std::runtime_error(sentence), path_(std::move(path)), fault_(fault) {}

  const std::filesystem::path& path() const { return path_; }
  Fault fault() const { return fault_; }

 private:
  std::filesystem::path path_;
  Fault fault_;
};

}  // namespace ricochet::record
