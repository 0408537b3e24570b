#include "ricochet/report/report.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>

#include "ricochet/error.hpp"
#include "ricochet/record/files.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/report/html_text.hpp"
#include "ricochet/scene/document.hpp"

namespace ricochet::report {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view place_of_payload = "\"ricochet-payload\"";
constexpr std::string_view place_of_title = "ricochet-title";

}  // namespace

fs::path find_template() {
  if (const char* given = std::getenv("RICOCHET_TEMPLATE"); given != nullptr && *given != '\0') {
    if (fs::is_regular_file(given)) return given;
    throw ReportError(fmt::format("RICOCHET_TEMPLATE names {}, which is no file", given));
  }
  std::error_code none;
  fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (int level = 0; level < 3 && folder.has_relative_path(); ++level) {
    folder = folder.parent_path();
    if (fs::path found = folder / "share" / "ricochet" / "template.html"; fs::is_regular_file(found, none))
      return found;
  }
  throw NoTemplate(
      "the page's template is missing: it is built together with ricochet where node 20.19 or newer and npm are "
      "present");
}

fs::path write_report(const fs::path& run_dir, const Limits& limits, std::string* doubt) {
  if (!fs::is_directory(run_dir))
    throw record::RecordError(run_dir, fmt::format("{} is not the directory of a run", run_dir.string()));
  const std::string page = record::read_text(find_template());
  const std::size_t data = page.find(place_of_payload), title = page.find(place_of_title);
  if (data == page.npos || title == page.npos || title > data)
    throw ReportError("the page's template is damaged: it has no place for the data");

  const record::Reader reader(run_dir);
  if (doubt != nullptr) *doubt = reader.doubt();
  const Json json = payload(reader, limits);
  const std::string name = html_text(json["title"].get<std::string>()), text = script_text(json);

  std::string_view rest = page;
  const auto part = [&](std::size_t begin, std::size_t end) {
    const std::string_view piece = rest.substr(begin, end - begin);
    return iovec{const_cast<char*>(piece.data()), piece.size()};
  };
  const auto whole = [](const std::string& s) { return iovec{const_cast<char*>(s.data()), s.size()}; };
  iovec parts[] = {part(0, title), whole(name), part(title + place_of_title.size(), data), whole(text),
                   part(data + place_of_payload.size(), page.size())};
  fs::path out = run_dir / "report.html";
  record::replace_file(out, parts, false);
  return out;
}

int report_command(const fs::path& run_dir) {
  try {
    std::string doubt;
    const fs::path page = write_report(run_dir, {}, &doubt);
    if (!doubt.empty()) fmt::print(stderr, "{}.\n", scene::in_one_line(doubt));
    fmt::print("{} ({:.1f} MB)\n", scene::in_one_line(page.string()), static_cast<double>(fs::file_size(page)) / 1e6);
    return 0;
  } catch (const record::RecordError& error) {
    fmt::print(stderr, "ricochet: {}.\n", scene::in_one_line(error.what()));
    return error.fault() == record::RecordError::Fault::disk ? 1 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ricochet: {}.\n", scene::in_one_line(error.what()));
    return 2;
  }
}

}  // namespace ricochet::report
