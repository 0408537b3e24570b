// Any bytes as the small files of a run (impacts.csv, summary.json, checkpoint, progress): contents, or one sentence.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "fuzzing.hpp"
#include "ricochet/record/checkpoint.hpp"
#include "ricochet/record/digests.hpp"
#include "ricochet/record/impacts.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/seal.hpp"
#include "ricochet/record/summary.hpp"

namespace {

using namespace ricochet::record;

/// A file in memory that has a path.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("record", 0)) { fuzzing::require(fd_ >= 0); }
  fs::path path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  void hold(std::string_view text) const {
    fuzzing::require(::ftruncate(fd_, 0) == 0);
    fuzzing::require(::pwrite(fd_, text.data(), text.size(), 0) == static_cast<::ssize_t>(text.size()));
  }

 private:
  int fd_;
};

/// What a damaged disk cannot do, a fuzzer cannot either: guess a checksum. It is set right, so that the rest is read.
std::string sealed(std::string_view magic, std::string_view body) {
  std::string text(magic);
  text += body;
  const std::uint64_t sum = checksum(text);
  text.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return text;
}

void read_impacts_of(const MemoryFile& file, std::string_view text) {
  file.hold(impacts_header({"x", "y"}).append(text));
  const ImpactsExtent counted = count_impacts(file.path(), {"x", "y"});
  fuzzing::require(counted.bytes <= impacts_header({"x", "y"}).size() + text.size());
  const auto impacts = read_impacts(file.path(), {"x", "y"});
  fuzzing::require(impacts.size() == counted.rows);
  for (const Impact& impact : impacts) fuzzing::require(impact.q.size() == 2 && impact.p_plus.size() == 2);
}

/// What was understood is written and read again. Numbers that are not finite become null, and notes that say so; from
/// then on nothing changes.
void read_summary_of(std::string_view text) {
  const Summary summary = summary_from_json(std::string(text), "summary.json");
  const std::string written = to_json(summary);
  const std::string again = to_json(summary_from_json(written, "summary.json"));
  fuzzing::require(to_json(summary_from_json(again, "summary.json")) == again);
}

/// A text of somebody's with the digest that belongs to it: then it is read like one of ours. With another bit, it is
/// not.
void read_sealed_summary(std::string_view text) {
  std::string whole = std::string(text) + ",\n  \"digests\": {\n    \"summary.json\": \"";
  whole += digest(checksum(whole)) + "\"\n  }\n}\n";
  std::string changed = whole;
  changed[text.size() / 2] = static_cast<char>(changed[text.size() / 2] ^ 1);
  bool told = false;
  try {
    summary_from_json(changed, "summary.json");
  } catch (const RecordError&) {
    told = true;
  }
  fuzzing::require(told);
  read_summary_of(whole);
}

}  // namespace

/// The first byte says which file it is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 20000) return 0;
  static const MemoryFile file;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (*data) {
      case 'i':
        read_impacts_of(file, text);
        break;
      case 's':
        read_summary_of(text);
        break;
      case 'd':
        read_sealed_summary(text);
        break;
      case 'c':
        file.hold(sealed("ricochet checkpoint 3\n", text));
        fuzzing::require(read_checkpoint(file.path()).has_value());
        break;
      case 'p':
        file.hold(sealed("ricochet progress 2\n", text));
        fuzzing::require(read_progress(file.path()).has_value());
        break;
      default:
        file.hold(text);
        read_checkpoint(file.path());
    }
  } catch (const RecordError& error) {
    fuzzing::require(std::strlen(error.what()) > 0);
  }
  return 0;
}
