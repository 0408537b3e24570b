#include "ricochet/scene/unused_parameters.hpp"

#include <algorithm>
#include <cctype>

#include "ricochet/expression/nearest.hpp"

namespace ricochet::scene {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether a text has `name` as a word of its own.
bool names(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

bool uses(const Value& value, std::string_view name) {
  if (const auto* text = std::get_if<std::string>(&value.data)) return names(*text, name);
  if (const auto* array = std::get_if<Array>(&value.data))
    return std::any_of(array->begin(), array->end(), [&](const Value& v) { return uses(v, name); });
  if (const auto* table = std::get_if<Table>(&value.data))
    return std::any_of(table->begin(), table->end(), [&](const Entry& e) { return uses(e.value, name); });
  return false;
}

}  // namespace

void refuse_unused_parameters(const Value& root) {
  const auto* document = std::get_if<Table>(&root.data);
  const Value* given = document != nullptr ? find(*document, "parameters") : nullptr;
  const auto* parameters = given != nullptr ? std::get_if<Table>(&given->data) : nullptr;
  if (parameters == nullptr) return;
  for (const Entry& entry : *parameters) {
    if (!entry.added || uses(root, entry.key)) continue;
    std::vector<std::string> others;
    for (const Entry& other : *parameters)
      if (!other.added) others.push_back(other.key);
    fail(entry.place, "the scene has no parameter '" + entry.key + "', and nothing uses one" +
                          expression::suggestion(entry.key, others));
  }
}

}  // namespace ricochet::scene
