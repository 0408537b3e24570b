// Text inside a page.
#pragma once

#include <string>
#include <string_view>

namespace ricochet::report {

/// The text as HTML shows it, also inside an attribute.
inline std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace ricochet::report
