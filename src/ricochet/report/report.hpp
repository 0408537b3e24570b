// report.html: a run in one file that opens in any browser, offline.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "ricochet/report/payload.hpp"

namespace ricochet::report {

/// The page could not be made for a reason that is not the record's.
class ReportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This build has no page at all.
class NoTemplate : public ReportError {
 public:
  using ReportError::ReportError;
};

/// The page without data, built from viewer/: $RICOCHET_TEMPLATE, or share/ricochet/template.html beside the program's
/// folder (in an installation as in a build). Throws NoTemplate, or ReportError where the given one is no file.
std::filesystem::path find_template();

/// Writes DIR/report.html from what the directory holds: a run that is finished, interrupted, killed or going on.
/// Throws RecordError, Error(bad_scene) or ReportError, each with one sentence.
std::filesystem::path write_report(const std::filesystem::path& run_dir, const Limits& limits = {},
                                   std::string* doubt = nullptr);

/// `ricochet report DIR`: rebuilds the page and says where it is. Returns the exit code: 0, or with a sentence on the
/// error output 2, and 1 where the disk has no room for it.
int report_command(const std::filesystem::path& run_dir);

struct ViewOptions {
  int port = 0;         ///< 0: any free one
  bool browser = true;  ///< open one if there is one
};

/// `ricochet view DIR`: serves the page and the files of the run on 127.0.0.1 until Ctrl-C.
int view_command(const std::filesystem::path& run_dir, const ViewOptions& options = {});

}  // namespace ricochet::report
