// Numbers as the page reads them: little-endian arrays in base64.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet::report {

using Json = nlohmann::ordered_json;

std::string base64(std::string_view bytes);

/// {"f64": …}: 8 bytes a number.
Json doubles(std::span<const double> values);
/// {"f32": …, "offset": …}: 4 bytes a number, as the difference from an offset, so that small changes of a large number
/// survive.
Json floats(std::span<const double> values, double offset = 0);
Json integers(std::span<const int> values);

/// JSON that may stand inside a <script> element.
std::string script_text(const Json& json);

}  // namespace ricochet::report
