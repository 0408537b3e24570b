#include "ricochet/app/plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ricochet::app {
namespace {

constexpr double width = 460, height = 360, left = 74, right = 18, top = 40, bottom = 54, line = 20;
// Told apart by people who do not see red and green differently, too (Okabe and Ito).
constexpr std::array<const char*, 8> palette = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#000000", "#7f7f7f"};

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string number(double exponent) {
  const double value = std::pow(10, exponent);
  return value >= 0.01 && value < 1e4 ? fmt::format("{:g}", value) : fmt::format("1e{:g}", exponent);
}

bool drawable(const std::pair<double, double>& p) {
  return p.first > 0 && p.second > 0 && std::isfinite(p.first) && std::isfinite(p.second);
}

/// An axis in powers of ten.
struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void cover(double value) {
    low = std::min(low, std::log10(value));
    high = std::max(high, std::log10(value));
  }
  void close() {
    if (!(low <= high)) low = 0, high = 1;
    const double room = std::max(0.06 * (high - low), 0.1);
    low -= room;
    high += room;
  }
  double at(double value) const { return (std::log10(value) - low) / (high - low); }
  /// Powers of ten, not more than fit; on a short axis 1, 2 and 5 of each.
  std::vector<double> ticks() const {
    std::vector<double> found;
    const double step = std::max(1.0, std::ceil((high - low) / 8));
    for (double e = std::floor(low); e <= high; e += step)
      for (const double m : {1.0, 2.0, 5.0}) {
        if (m > 1 && high - low > 1.7) continue;
        const double value = e + std::log10(m);
        if (value >= low && value <= high) found.push_back(value);
      }
    return found;
  }
};

void draw(std::string& out, const Panel& panel, double x0) {
  Axis x, y;
  for (const Curve& curve : panel.curves)
    for (const auto& p : curve.points)
      if (drawable(p)) x.cover(p.first), y.cover(p.second);
  x.close();
  y.close();
  const double w = width - left - right, h = height - top - bottom;
  const auto X = [&](double value) { return x0 + left + w * x.at(value); };
  const auto Y = [&](double value) { return top + h * (1 - y.at(value)); };
  out += fmt::format("<text x=\"{:.1f}\" y=\"22\" class=\"title\">{}</text>\n", x0 + left, escape(panel.title));
  for (const double e : x.ticks()) {
    const double at = X(std::pow(10, e));
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/><text x=\"{0:.1f}\" y=\"{3:.1f}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        at, top, top + h, top + h + 16, number(e));
  }
  for (const double e : y.ticks()) {
    const double at = Y(std::pow(10, e));
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        x0 + left, at, x0 + left + w, x0 + left - 6, at + 4, number(e));
  }
  out += fmt::format("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                     x0 + left, top, w, h);
  out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x0 + left + w / 2,
                     height - 16, escape(panel.x));
  out += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     x0 + 16, top + h / 2, escape(panel.y));
  for (const Curve& curve : panel.curves) {
    const char* color = palette[static_cast<std::size_t>(curve.color) % palette.size()];
    std::string path, marks;
    for (const auto& p : curve.points) {
      if (!drawable(p)) continue;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", X(p.first), Y(p.second));
      marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>", X(p.first), Y(p.second), color);
    }
    if (path.empty()) continue;
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>{}\n", path, color,
                       curve.dashed ? " stroke-dasharray=\"5 4\"" : "", curve.dashed ? "" : marks);
  }
}

}  // namespace

std::string svg(const std::vector<Panel>& panels) {
  std::vector<const Curve*> legend;
  for (const Panel& panel : panels)
    for (const Curve& curve : panel.curves)
      if (std::none_of(legend.begin(), legend.end(), [&](const Curve* c) { return c->label == curve.label; }))
        legend.push_back(&curve);
  constexpr double entry = 150;
  const double total = width * static_cast<double>(std::max<std::size_t>(panels.size(), 1));
  const auto columns = std::max<std::size_t>(1, static_cast<std::size_t>((total - left) / entry));
  const std::size_t rows = (legend.size() + columns - 1) / columns;
  const double tall = height + line * static_cast<double>(rows) + 8;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\">\n"
      "<style>text{{font:12px sans-serif;fill:#222}}.title{{font-weight:bold;font-size:14px}}"
      ".grid{{stroke:#ddd}}.frame{{fill:none;stroke:#222}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      total, tall);
  for (std::size_t i = 0; i < panels.size(); ++i) draw(out, panels[i], width * static_cast<double>(i));
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    const double x = left + entry * static_cast<double>(column);
    const double y = height + line * static_cast<double>(row) + 4;
    out += fmt::format(
        "<path d=\"M{:.1f} {:.1f}h22\" stroke=\"{}\" stroke-width=\"2\"{}/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        x, y, palette[static_cast<std::size_t>(legend[i]->color) % palette.size()],
        legend[i]->dashed ? " stroke-dasharray=\"5 4\"" : "", x + 28, y + 4, escape(legend[i]->label));
  }
  return out + "</svg>\n";
}

}  // namespace ricochet::app
