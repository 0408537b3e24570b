// The findings as one page that needs nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/audit/findings.hpp"
#include "ricochet/report/html_text.hpp"

namespace ricochet::audit {
namespace {

using report::html_text;

constexpr const char* style = R"(<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:66rem;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}
table{border-collapse:collapse;width:100%;margin:.6rem 0 1.6rem}
td,th{padding:.25rem .6rem;border-bottom:1px solid #d8dde6;text-align:left;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.strong{color:#0a6b3d}.weak{color:#9a5b00}.neither{color:#b3261e}
.badge{font-size:1.4rem;font-weight:600}small{color:#5c6675}
svg{width:100%;height:auto;border:1px solid #d8dde6}
@media(prefers-color-scheme:dark){body{background:#14181f;color:#dfe4ec}td,th,svg{border-color:#333b48}small{color:#98a2b3}
.strong{color:#5fd39a}.weak{color:#f0b35a}.neither{color:#ff8a80}}
</style>)";

/// Change of the energy at every impact, over time.
std::string energies(const Findings& f) {
  if (f.lines.empty()) return {};
  double low = 0, high = 0;
  for (const ImpactLine& l : f.lines) {
    if (!std::isfinite(l.energy)) continue;
    low = std::min(low, l.energy);
    high = std::max(high, l.energy);
  }
  if (!(high > low)) return {};
  const double span = f.t_end - f.t_begin;
  std::string out =
      "<h2>Energy at the impacts</h2>\n<svg viewBox=\"0 0 1000 220\" role=\"img\" aria-label=\"change of the energy at "
      "every impact\">";
  const auto y = [&](double e) { return 200 - 180 * (e - low) / (high - low); };
  out += fmt::format(
      "<line x1=\"70\" x2=\"990\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" stroke=\"currentColor\" stroke-opacity=\".4\"/>", y(0));
  for (const double e : {low, high})
    out += fmt::format("<text x=\"4\" y=\"{:.1f}\" font-size=\"13\" fill=\"currentColor\">{:.2e}</text>", y(e) + 4, e);
  for (const ImpactLine& l : f.lines)
    if (std::isfinite(l.energy))
      out += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"#3b6fd4\"><title>t = {:.9g}: {:.3e}</title></circle>",
          70 + 920 * (l.t - f.t_begin) / span, y(l.energy), l.t, l.energy);
  return out + "</svg>\n";
}

}  // namespace

std::string to_html(const Findings& f) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">";
  out += fmt::format("<title>Audit of {}</title>\n", html_text(f.source));
  out += style;
  out += fmt::format("</head><body>\n<h1>Audit of {}</h1>\n<p class=\"badge {}\">{}</p>\n", html_text(f.source),
                     word(f.verdict), verdict_of(f));
  out += fmt::format(
      "<p>{}: {} samples from t = {:.6g} to {:.6g}, steps of {:.6g}, {} impacts.<br>Held to {}.<br>Order: {}.</p>\n",
      html_text(f.scene), f.samples, f.t_begin, f.t_end, f.step, f.impacts, html_text(f.scheme),
      html_text(f.order_words));
  out +=
      "<h2>Conditions</h2>\n<table><tr><th>condition<th>grade<th class=\"n\">worst<th class=\"n\">allowed<th "
      "class=\"n\">judged<th class=\"n\">above strong<th class=\"n\">above weak</tr>\n";
  for (const Check& c : f.checks) {
    const Offender& o = c.offenders.front();
    out += fmt::format(
        "<tr><td>{}<br><small>allowed: {}</small><td class=\"{}\">{}<td class=\"n\">{:.3e}<td class=\"n\">{:.3e}<td "
        "class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{}</tr>\n",
        html_text(c.title), html_text(c.allowance), word(c.grade), word(c.grade), o.value, o.allowed, c.judged,
        c.above_strong, c.above_weak);
  }
  out +=
      "</table>\n<h2>Worst offenders</h2>\n<table><tr><th>condition<th class=\"n\">t<th class=\"n\">step<th>where<th "
      "class=\"n\">value<th class=\"n\">allowed<th>grade</tr>\n";
  for (const Check& c : f.checks)
    for (const Offender& o : c.offenders)
      if (o.grade != Grade::strong)
        out += fmt::format(
            "<tr><td>{}<td class=\"n\">{:.12g}<td class=\"n\">{}<td>{}<td class=\"n\">{:.6g}<td class=\"n\">{:.3g}<td "
            "class=\"{}\">{}</tr>\n",
            c.key, o.t, o.step, html_text(o.where), o.value, o.allowed, word(o.grade), word(o.grade));
  out += "</table>\n";
  out += energies(f);
  constexpr std::size_t most = 200;
  if (!f.lines.empty()) {
    out += fmt::format(
        "<h2>Impacts</h2>\n<p>The first {} of {}. Restitution is that of the gap that acts most.</p>\n<table><tr><th "
        "class=\"n\">t<th class=\"n\">step<th>gaps<th class=\"n\">gap<th class=\"n\">impulse<th class=\"n\">outside of "
        "the cone<th class=\"n\">restitution<th class=\"n\">energy<th class=\"n\">duration</tr>\n",
        std::min(most, f.lines.size()), f.impacts);
    for (std::size_t i = 0; i < std::min(most, f.lines.size()); ++i) {
      const ImpactLine& l = f.lines[i];
      out += fmt::format(
          "<tr><td class=\"n\">{:.9g}<td class=\"n\">{}<td>{}<td class=\"n\">{:.3e}<td class=\"n\">{:.6g}<td "
          "class=\"n\">{:.1e}<td class=\"n\">{:.6f}<td class=\"n\">{:+.3e}<td class=\"n\">{:.3g}</tr>\n",
          l.t, l.step, html_text(l.gaps), l.gap, l.impulse, l.tilt, l.restitution, l.energy, l.duration);
    }
    out += "</table>\n";
  }
  out += "<h2>Numbers</h2>\n<table>";
  for (const auto& [name, value] : f.numbers)
    out += fmt::format("<tr><td>{}<td class=\"n\">{:.9g}</tr>\n", html_text(name), value);
  out += "</table>\n";
  if (!f.notes.empty()) {
    out += "<h2>Notes</h2>\n<ul>";
    for (const std::string& note : f.notes) out += fmt::format("<li>{}</li>\n", html_text(note));
    out += "</ul>\n";
  }
  return out + "</body></html>\n";
}

}  // namespace ricochet::audit
