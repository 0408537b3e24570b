#include "ricochet/record/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "ricochet/record/digests.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/seal.hpp"

namespace ricochet::record {
namespace {

using Json = nlohmann::ordered_json;

class Numbers {
 public:
  explicit Numbers(std::vector<std::string>& notes) : notes_(notes) {}

  Json operator()(const std::string& where, double value) {
    if (std::isfinite(value)) return value;
    const char* text = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    std::string note = fmt::format("{} is not finite ({})", where, text);
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(std::move(note));
    return text;
  }

  Json operator()(const std::string& where, const Summary::Energy& energy) {
    Json json{{"initial", (*this)(where + ".initial", energy.initial)},
              {"final", (*this)(where + ".final", energy.final)},
              {"min", (*this)(where + ".min", energy.min)},
              {"max", (*this)(where + ".max", energy.max)},
              {"max_relative_error", (*this)(where + ".max_relative_error", energy.max_relative_error)}};
    if (energy.relative_to_initial)
      json["relative_to_initial"] = (*this)(where + ".relative_to_initial", *energy.relative_to_initial);
    return json;
  }

  Json operator()(const std::string&, std::int64_t value) { return value; }
  Json operator()(const std::string&, const std::string& value) { return value; }
  Json operator()(const std::string&, std::monostate) { return nullptr; }

  Json operator()(const std::string& where, const Summary::Rows& rows) {
    Json list = Json::array();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Json object = Json::object();
      for (const auto& [name, cell] : rows[i]) {
        const std::string place = fmt::format("{}[{}].{}", where, i, name);
        object[name] = std::visit([&](const auto& value) { return (*this)(place, value); }, cell);
      }
      list.push_back(std::move(object));
    }
    return list;
  }

 private:
  std::vector<std::string>& notes_;
};

/// A few words of it for a sentence: escaped, so that a cut falls into no character.
std::string in_ascii(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace); }

/// An entry that must be there.
const Json& entry(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key)) throw std::invalid_argument(fmt::format("it has no '{}'", key));
  return json.at(key);
}

std::string text_of(const Json& json) {
  if (!json.is_string()) throw std::invalid_argument(fmt::format("'{:.40}' is not a text", in_ascii(json)));
  return json.get<std::string>();
}

double number(const Json& json) {
  if (!json.is_string() && !json.is_number())
    throw std::invalid_argument(fmt::format("'{:.40}' is not a number", in_ascii(json)));
  if (!json.is_string()) return json.get<double>();
  const std::string text = json.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  if (text == "inf") return infinity;
  if (text == "-inf") return -infinity;
  throw std::invalid_argument("'" + text + "' is not a number");
}

/// The library would cut 1.5 to 1, and make anything of 1e300.
std::int64_t integer(const Json& json) {
  if (!json.is_number_integer())
    throw std::invalid_argument(fmt::format("'{:.40}' is not a whole number", in_ascii(json)));
  return json.get<std::int64_t>();
}

Summary::Energy energy_of(const Json& json) {
  Summary::Energy energy{number(entry(json, "initial")), number(entry(json, "final")), number(entry(json, "min")),
                         number(entry(json, "max")), number(entry(json, "max_relative_error"))};
  if (json.contains("relative_to_initial")) energy.relative_to_initial = number(json.at("relative_to_initial"));
  return energy;
}

/// A number, a text or (cells of a list only) null.
template <class Variant>
Variant plain(const Json& json) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return text_of(json);
}

Summary::Value value_of(const Json& json) {
  if (!json.is_array()) return plain<Summary::Value>(json);
  Summary::Rows rows;
  for (const Json& object : json) {
    Summary::Row& row = rows.emplace_back();
    for (const auto& [name, cell] : object.items())
      row.emplace_back(name, cell.is_null() ? Summary::Cell() : plain<Summary::Cell>(cell));
  }
  return rows;
}

const char* const known[] = {"status",   "steps",   "impacts",   "t_end",   "energy", "discrete_energy",
                             "momentum", "min_gap", "fallbacks", "closure", "rule",   "seconds",
                             "version",  "notes",   "digests"};

// How a summary with digests ends: its own digest, over all the text before it.
constexpr const char* own_name = "summary.json";
constexpr std::string_view before_own = "\"summary.json\": \"", after_own = "\"\n  }\n}\n";

struct Changed {};

/// Whether a text ends with a digest; `whole` says whether it is its own. One changed bit leaves this end, or the name
/// of the list it stands in: either tells that there was one.
bool ends_with_digest(std::string_view text, bool& whole) {
  if (text.size() < before_own.size() + digest_size + after_own.size() || !text.ends_with(after_own)) return false;
  const std::size_t at = text.size() - after_own.size() - digest_size;
  whole = text.substr(at, digest_size) == digest(checksum(text.substr(0, at)));
  return text.substr(0, at).ends_with(before_own);
}

}  // namespace

std::string to_json(const Summary& summary) {
  std::vector<std::string> notes = summary.notes;
  Numbers number(notes);
  Json json;
  json["status"] = summary.status;
  json["steps"] = summary.steps;
  json["impacts"] = summary.impacts;
  json["t_end"] = number("t_end", summary.t_end);
  json["energy"] = number("energy", summary.energy);
  json["discrete_energy"] = number("discrete_energy", summary.discrete_energy);
  json["momentum"] = Json::object();
  for (const Summary::Momentum& map : summary.momentum)
    json["momentum"][map.symmetry] = {{"initial", number("momentum." + map.symmetry + ".initial", map.initial)},
                                      {"max_error", number("momentum." + map.symmetry + ".max_error", map.max_error)}};
  json["min_gap"] = summary.min_gap ? number("min_gap", *summary.min_gap) : Json(nullptr);
  json["fallbacks"] = Json::object();
  for (const auto& [name, count] : summary.fallbacks) json["fallbacks"][name] = count;
  json["closure"] = summary.closure;
  json["rule"] = summary.rule;
  json["seconds"] = number("seconds", summary.seconds);
  json["version"] = summary.version;
  for (const auto& [name, value] : summary.extra)
    json[name] = std::visit([&, &key = name](const auto& of_kind) { return number(key, of_kind); }, value);
  if (!notes.empty()) json["notes"] = notes;
  for (const auto& [file, sum] : summary.digests) json["digests"][file] = sum;
  if (!summary.digests.empty()) json["digests"][own_name] = digest(0);
  // Text that is no UTF-8 (a path, a name) is mended rather than refused at the end of a run.
  std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (!summary.digests.empty()) {
    const std::size_t at = text.size() - after_own.size() - digest_size;
    text.replace(at, digest_size, digest(checksum(std::string_view(text).substr(0, at))));
  }
  return text;
}

Summary summary_from_json(const std::string& text, const fs::path& path) {
  const auto refuse = [&](const std::string& why) {
    throw RecordError(path, fmt::format("{} is not a summary of ricochet, or is damaged: {}", path.string(), why));
  };
  try {
    const Json json = Json::parse(text);
    bool whole = false;
    if ((ends_with_digest(text, whole) || json.contains("digests")) && !whole) throw Changed{};
    Summary summary;
    summary.status = text_of(entry(json, "status"));
    summary.steps = integer(entry(json, "steps"));
    summary.impacts = integer(entry(json, "impacts"));
    summary.t_end = number(entry(json, "t_end"));
    summary.energy = energy_of(entry(json, "energy"));
    summary.discrete_energy = energy_of(entry(json, "discrete_energy"));
    for (const auto& [name, map] : entry(json, "momentum").items())
      summary.momentum.push_back({name, number(entry(map, "initial")), number(entry(map, "max_error"))});
    if (!entry(json, "min_gap").is_null()) summary.min_gap = number(entry(json, "min_gap"));
    for (const auto& [name, count] : entry(json, "fallbacks").items())
      summary.fallbacks.emplace_back(name, integer(count));
    summary.closure = text_of(entry(json, "closure"));
    summary.rule = text_of(entry(json, "rule"));
    summary.seconds = number(entry(json, "seconds"));
    summary.version = text_of(entry(json, "version"));
    for (const auto& [name, value] : json.items())
      if (std::find(std::begin(known), std::end(known), name) == std::end(known))
        summary.extra.emplace_back(name, value_of(value));
    if (json.contains("digests"))
      for (const auto& [file, sum] : json.at("digests").items())
        if (file != own_name) summary.digests.emplace_back(file, text_of(sum));
    if (json.contains("notes")) summary.notes = entry(json, "notes").get<std::vector<std::string>>();
    return summary;
  } catch (const Changed&) {
    throw RecordError(path, fmt::format("{} is damaged, or was changed after the run", path.string()));
  } catch (const Json::parse_error& error) {
    refuse(error.byte > text.size() ? fmt::format("it ends after {} bytes in the middle of the JSON", text.size())
                                    : fmt::format("byte {} of it is no JSON", error.byte));
  } catch (const Json::exception&) {
    refuse("its entries are not of the kinds that a summary has");
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
  return {};  // never reached
}

}  // namespace ricochet::record
