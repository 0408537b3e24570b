// Where a study leaves its files. As with a run, what is not ours is never touched.
#pragma once

#include <string>

namespace ricochet::app {

class StudyFolder {
 public:
  /// Creates the folder. Throws RecordError if it holds anything but a study, or one that must not be overwritten.
  StudyFolder(std::string path, bool overwrite);

  const std::string& path() const { return path_; }
  /// Replaces a file as a whole. Throws RecordError.
  void write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace ricochet::app
