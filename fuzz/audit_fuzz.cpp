// Any bytes as a map and a table of somebody's motion: findings, or one sentence.
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzzing.hpp"
#include "ricochet/audit/csv.hpp"
#include "ricochet/audit/judge.hpp"
#include "ricochet/error.hpp"

/// The map ends at the first line "---"; without one there is no map.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ricochet;
  if (size > 20000) return 0;
  static const auto model = scene::compile(scene::parse_scene(fuzzing::ball, "ball.toml"));
  static const auto dynamics = audit::dynamics_of(*model);
  std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    audit::ColumnMap map;
    if (const std::size_t end = text.find("\n---\n"); end != text.npos) {
      map = audit::parse_map(text.substr(0, end + 1), "map.toml");
      text.remove_prefix(end + 5);
    }
    const audit::Trajectory motion = audit::parse_csv(text, "motion.csv", *model, *dynamics, map);
    for (std::size_t k = 1; k < motion.size(); ++k) fuzzing::require(motion.t[k] > motion.t[k - 1]);
    fuzzing::require(motion.q.allFinite());
    if (motion.size() > 50) return 0;
    const audit::Findings findings = audit::judge(*model, motion);
    fuzzing::require(!audit::to_text(findings).empty() && !audit::to_html(findings).empty());
    fuzzing::require(audit::to_json(findings).find("\"verdict\"") != std::string::npos);
  } catch (const Error& error) {
    fuzzing::require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
