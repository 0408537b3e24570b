#include "ricochet/report/words.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ricochet::report {
namespace {

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::ptrdiff_t i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > (number < 0 ? 1 : 0); i -= 3)
    text.insert(static_cast<std::size_t>(i), "\u2009");
  return text;
}
std::string counted(std::int64_t number, const std::string& word) {
  return grouped(number) + " " + word + (number == 1 ? "" : "s");
}

/// energy_error_of_a_step → "energy error of a step"
std::string plain(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace

std::vector<std::string> words(const std::optional<record::Summary>& summary, std::size_t rows, double last_t) {
  std::vector<std::string> all;
  if (!summary) {
    all.push_back(
        fmt::format("The run is still going on, or was ended from outside; it has come to t = {:.6g} ({} on disk).",
                    last_t, counted(static_cast<std::int64_t>(rows), "frame")));
    return all;
  }
  const std::string did = fmt::format("{} and {}, up to t = {:.6g}", counted(summary->steps, "step"),
                                      counted(summary->impacts, "impact"), summary->t_end);
  if (summary->status == "finished")
    all.push_back(fmt::format("Finished: {}.", did));
  else if (summary->status == "interrupted")
    all.push_back(fmt::format("Interrupted after {}; ricochet resume continues it.", did));
  else
    all.push_back(fmt::format("Failed after {}.", did));

  std::string list;
  for (const auto& [name, count] : summary->fallbacks)
    if (count > 0) list += fmt::format("{}{} ({}×)", list.empty() ? "" : ", ", plain(name), grouped(count));
  all.push_back(list.empty() ? "No fallback was needed." : "Fallbacks: " + list + ".");
  for (std::string note : summary->notes) {
    if (note.empty()) continue;
    if (note.back() != '.') note += '.';
    if (note[0] >= 'a' && note[0] <= 'z') note[0] = static_cast<char>(note[0] - 'a' + 'A');
    all.push_back(std::move(note));
  }
  return all;
}

}  // namespace ricochet::report
