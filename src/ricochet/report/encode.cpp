#include "ricochet/report/encode.hpp"

#include <bit>
#include <cstdint>

namespace ricochet::report {
namespace {

static_assert(std::endian::native == std::endian::little, "the arrays of the page are little-endian");

template <class T>
std::string packed(const std::vector<T>& values) {
  return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

}  // namespace

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

Json doubles(std::span<const double> values) {
  return {{"f64", base64({reinterpret_cast<const char*>(values.data()), values.size_bytes()})}};
}

Json floats(std::span<const double> values, double offset) {
  std::vector<float> small(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) small[i] = static_cast<float>(values[i] - offset);
  Json json{{"f32", packed(small)}};
  if (offset != 0) json["offset"] = offset;
  return json;
}

Json integers(std::span<const int> values) {
  const std::vector<std::int32_t> words(values.begin(), values.end());
  return {{"i32", packed(words)}};
}

std::string script_text(const Json& json) {
  // Text that is not UTF-8 (a damaged scene) becomes replacement characters instead of an exception.
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";  // no </script> and no <!-- inside
    else
      safe += c;
  }
  return safe;
}

}  // namespace ricochet::report
