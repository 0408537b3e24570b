#include "ricochet/app/plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ricochet::app {
namespace {

constexpr double width = 640, height = 420, left = 80, right = 200, top = 40, bottom = 56;

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

/// Whole decades around the data.
struct Axis {
  double low = 1e300, high = -1e300;
  void add(double x) {
    low = std::min(low, std::floor(std::log10(x)));
    high = std::max(high, std::ceil(std::log10(x)));
  }
  void finish() {
    if (low > high) low = -1, high = 0;
    if (low == high) high += 1;
  }
  double share(double x) const { return (std::log10(x) - low) / (high - low); }
};

}  // namespace

std::string log_plot(const std::string& title, const std::string& x_label, const std::string& y_label,
                     const std::vector<Curve>& curves) {
  const auto drawn = [](const std::pair<double, double>& p) {
    return p.first > 0 && p.second > 0 && std::isfinite(p.first) && std::isfinite(p.second);
  };
  Axis x, y;
  for (const Curve& curve : curves)
    for (const auto& p : curve.points)
      if (drawn(p)) x.add(p.first), y.add(p.second);
  x.finish();
  y.finish();
  const auto px = [&](double v) { return left + x.share(v) * (width - left - right); };
  const auto py = [&](double v) { return height - bottom - y.share(v) * (height - top - bottom); };

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"24\" font-size=\"15\">{3}</text>\n",
      width, height, left, escape(title));
  for (double d = x.low; d <= x.high; ++d) {
    const double at = px(std::pow(10, d));
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#ddd\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">1e{4:.0f}</text>\n",
        at, top, height - bottom, height - bottom + 18, d);
  }
  const double every = std::max(1.0, std::ceil((y.high - y.low) / 8));
  for (double d = y.low; d <= y.high; d += every) {
    const double at = py(std::pow(10, d));
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">1e{5:.0f}</text>\n",
        left, width - right, at, left - 8, at + 4, d);
  }
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (left + width - right) / 2,
                     height - 14, escape(x_label));
  svg += fmt::format("<text transform=\"translate(20 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     (top + height - bottom) / 2, escape(y_label));
  constexpr std::array<const char*, 6> colors{"#3f51b5", "#e65100", "#2e7d32", "#ad1457", "#00838f", "#5d4037"};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const char* color = colors[i % colors.size()];
    std::string line;
    for (const auto& p : curves[i].points) {
      if (!drawn(p)) continue;
      line += fmt::format("{:.1f},{:.1f} ", px(p.first), py(p.second));
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", px(p.first), py(p.second),
                         color);
    }
    svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", line, color);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", width - right + 12,
                       top + 16 + 18 * static_cast<double>(i), color, escape(curves[i].name));
  }
  return svg + "</svg>\n";
}

}  // namespace ricochet::app
