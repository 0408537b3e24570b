// Where a study or a comparison leaves its tables and plots. As with a run, what is not ours is never touched.
#pragma once

#include <string>
#include <vector>

namespace ricochet::app {

class ResultFolder {
 public:
  /// How the results of a command are told from other files: their names, and how their table begins.
  struct Kind {
    std::string name;                ///< "study"
    std::vector<std::string> files;  ///< the table first
    std::string head;                ///< of the table's first line
  };

  /// Creates the folder. Throws RecordError if it holds anything but such results, or some that must not be
  /// overwritten.
  ResultFolder(std::string path, const Kind& kind, bool overwrite);

  const std::string& path() const { return path_; }
  /// Replaces a file as a whole. Throws RecordError.
  void write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace ricochet::app
