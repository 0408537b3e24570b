#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ricochet/audit/findings.hpp"

namespace ricochet::audit {
namespace {

std::string_view mark(Grade grade) {
  return grade == Grade::strong ? "holds" : grade == Grade::weak ? "weak only" : "FAILS";
}

/// JSON has no infinity.
nlohmann::ordered_json number(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

}  // namespace

std::string to_text(const Findings& f) {
  std::string out;
  const auto say = [&](const std::string& line) { (out += line) += '\n'; };
  say(fmt::format("{}: {}", f.source, verdict_of(f)));
  say(fmt::format("scene      {}", f.scene));
  say(fmt::format("motion     {} samples from t = {:.6g} to {:.6g}, steps of {:.6g}; {} impacts", f.samples, f.t_begin,
                  f.t_end, f.step, f.impacts));
  say(fmt::format("held to    {}", f.scheme));
  say(fmt::format("order      {}", f.order_words));
  say("");
  say(fmt::format("{:<10} {:<20} {:>11} {:>11} {:>9}  {}", "", "condition", "worst", "allowed", "of", "where"));
  for (const Check& c : f.checks) {
    const Offender& worst = c.offenders.front();
    const std::string where = worst.value > 0 ? fmt::format("t = {:.9g}, step {}{}{}", worst.t, worst.step,
                                                            worst.where.empty() ? "" : ", ", worst.where)
                                              : "";
    say(fmt::format("{:<10} {:<20} {:>11.3e} {:>11.3e} {:>9}  {}", mark(c.grade), c.key, worst.value, worst.allowed,
                    c.judged, where));
  }
  bool any = false;
  for (const Check& c : f.checks)
    if (c.grade != Grade::strong) {
      if (!any) say("");
      any = true;
      say(fmt::format("{}: {} of {} above what a strong extremal may have, {} above what a weak one may", c.key,
                      c.above_strong, c.judged, c.above_weak));
      say(fmt::format("  {}", c.title));
      say(fmt::format("  allowed: {}", c.allowance));
      for (const Offender& o : c.offenders)
        if (o.grade != Grade::strong)
          say(fmt::format("  t = {:.12g}, step {}{}{}: {:.6g}, allowed {:.3g} ({:.3g} times)", o.t, o.step,
                          o.where.empty() ? "" : ", ", o.where, o.value, o.allowed, o.excess));
    }
  say("");
  for (const auto& [name, value] : f.numbers) say(fmt::format("{:<38} {:.9g}", name, value));
  for (const std::string& note : f.notes) say(fmt::format("note: {}", note));
  return out;
}

std::string to_json(const Findings& f) {
  nlohmann::ordered_json j;
  j["verdict"] = word(f.verdict);
  j["as_far_as_judged"] = {{"impacts_judged", f.impacts}, {"impacts_seen", f.impacts + f.impacts_left}};
  j["source"] = f.source;
  j["scene"] = f.scene;
  j["samples"] = f.samples;
  j["impacts"] = f.impacts;
  j["contacts"] = f.contacts;
  j["t_begin"] = number(f.t_begin);
  j["t_end"] = number(f.t_end);
  j["step"] = number(f.step);
  j["held_to"] = f.scheme;
  j["order"] = f.order_words;
  j["order_fitted"] = f.order ? number(*f.order) : nlohmann::ordered_json();
  auto& checks = j["checks"] = nlohmann::ordered_json::array();
  for (const Check& c : f.checks) {
    nlohmann::ordered_json one;
    one["key"] = c.key;
    one["title"] = c.title;
    one["grade"] = word(c.grade);
    one["allowance"] = c.allowance;
    one["judged"] = c.judged;
    one["above_strong"] = c.above_strong;
    one["above_weak"] = c.above_weak;
    one["largest"] = number(c.largest);
    auto& list = one["worst"] = nlohmann::ordered_json::array();
    for (const Offender& o : c.offenders)
      list.push_back({{"t", number(o.t)},
                      {"step", o.step},
                      {"where", o.where},
                      {"value", number(o.value)},
                      {"allowed", number(o.allowed)},
                      {"grade", word(o.grade)}});
    checks.push_back(std::move(one));
  }
  auto& lines = j["impact_list"] = nlohmann::ordered_json::array();
  for (const ImpactLine& l : f.lines)
    lines.push_back({{"t", number(l.t)},
                     {"step", l.step},
                     {"gaps", l.gaps},
                     {"gap", number(l.gap)},
                     {"impulse", number(l.impulse)},
                     {"tilt", number(l.tilt)},
                     {"restitution", number(l.restitution)},
                     {"energy", number(l.energy)},
                     {"duration", number(l.duration)}});
  auto& numbers = j["numbers"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : f.numbers) numbers[name] = number(value);
  j["notes"] = f.notes;
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ricochet::audit
