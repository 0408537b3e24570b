// Any bytes as a name, and as what a sentence quotes: nothing that a terminal obeys or nobody sees comes out again.
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzzing.hpp"
#include "ricochet/expression/characters.hpp"
#include "ricochet/scene/document.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ricochet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string line = scene::in_one_line(text);
  for (std::string_view rest = line; !rest.empty();) {
    const expression::Character c = expression::first_character(rest);
    fuzzing::require(c.bytes > 0 && c.bytes <= rest.size() && !expression::is_unseen(c.code));
    rest.remove_prefix(c.bytes);
  }
  fuzzing::require(scene::in_one_line(line) == line);
  if (expression::label_fault(text).empty()) {
    fuzzing::require(line == text && std::string_view("=+-@").find(text.front()) == std::string_view::npos);
    fuzzing::require(text.find_first_not_of(' ') != std::string_view::npos);
  }
  return 0;
}
