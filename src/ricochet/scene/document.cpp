#include "ricochet/scene/document.hpp"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ricochet/error.hpp"
#include "ricochet/expression/characters.hpp"
#include "ricochet/expression/nearest.hpp"

namespace ricochet::scene {
namespace {

using Source = std::shared_ptr<const std::string>;

/// Turns toml++'s tree into ours; `lines` are the starts of the lines of the text.
class Converter {
 public:
  Converter(std::string_view text, Source source, bool with_positions)
      : text_(text), source_(std::move(source)), with_positions_(with_positions) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') starts_.push_back(i + 1);
  }

  Value convert(const toml::node& node) const {
    Value value;
    value.place = place(node.source().begin);
    if (const auto* t = node.as_table()) {
      Table table;
      for (const auto& [key, child] : *t)
        table.push_back({std::string(key.str()), place(key.source().begin), convert(child)});
      value.data = std::move(table);
    } else if (const auto* a = node.as_array()) {
      Array array;
      for (const auto& child : *a) array.push_back(convert(child));
      value.data = std::move(array);
    } else if (const auto* s = node.as_string()) {
      value.data = s->get();
      value.text = text_place(node.source().begin);
    } else if (const auto* i = node.as_integer()) {
      value.data = i->get();
    } else if (const auto* d = node.as_floating_point()) {
      value.data = d->get();
    } else if (const auto* b = node.as_boolean()) {
      value.data = b->get();
    }
    return value;
  }

  Place place(const toml::source_position& at) const {
    if (!with_positions_) return {source_, 0, 0};
    // A table that is only implied ([a.b] implies a) has no place of its own.
    return {source_, std::max<std::size_t>(at.line, 1), std::max<std::size_t>(at.column, 1)};
  }

 private:
  /// Whether the string that begins here has a backslash in it; literal strings ('…') have no escapes.
  static bool has_escapes(std::string_view text) {
    if (!text.starts_with('"')) return false;
    const bool three = text.starts_with("\"\"\"");
    const std::string_view inside = text.substr(three ? 3 : 1);
    return inside.substr(0, inside.find(three ? "\"\"\"" : "\"")).find('\\') != std::string_view::npos;
  }
  /// Where the contents of a string begin: behind one quotation mark, or three and a first line break. Nowhere (line 0)
  /// if it has escapes: its characters are then not those of the text.
  Place text_place(const toml::source_position& at) const {
    Place result = place(at);
    if (!with_positions_ || at.line == 0 || at.line > starts_.size()) return result;
    const std::string_view rest = text_.substr(offset(at.line, at.column));
    if (has_escapes(rest)) {
      result.line = 0;
      return result;
    }
    if (rest.starts_with("\"\"\"") || rest.starts_with("'''")) {
      const std::string_view inside = rest.substr(3);
      if (inside.starts_with('\n') || inside.starts_with("\r\n"))
        result.line += 1, result.column = 1;
      else
        result.column += 3;
    } else if (rest.starts_with('"') || rest.starts_with('\'')) {
      result.column += 1;
    }
    return result;
  }

  /// The byte at a place; columns count characters. Goes on where it was asked last: thousands of strings may share a
  /// line.
  std::size_t offset(std::size_t line, std::size_t column) const {
    if (line != last_.line || column < last_.column) last_ = {line, 1, starts_[line - 1]};
    for (auto& [_, at, i] = last_; at < column && i < text_.size(); ++i)
      if (i + 1 == text_.size() || (static_cast<unsigned char>(text_[i + 1]) & 0xC0u) != 0x80u) ++at;
    return last_.byte;
  }

  std::string_view text_;
  Source source_;
  bool with_positions_;
  std::vector<std::size_t> starts_;
  struct {
    std::size_t line = 0, column = 0, byte = 0;
  } mutable last_;
};

std::string without_newlines(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  if (line.size() > 300) line = line.substr(0, 300) + "...";
  return line;
}

/// Bytes of the character that begins a text, 0 where none does.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
  // longer than need be, halves of a pair of UTF-16, beyond the last character
  const bool odd = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                   (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
  return odd ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// With a question mark for every byte that is none of a character.
std::string mended(std::string text) {
  for (std::size_t i = 0; i < text.size();)
    if (const std::size_t length = utf8_length(std::string_view(text).substr(i)); length > 0)
      i += length;
    else
      text[i++] = '?';
  return text;
}

constexpr std::size_t deepest = 256;
const std::string too_many_parts =
    fmt::format("a key may have {} parts at most, with those of the tables around it", deepest);

/// Where a dotted key, with those of the inline tables and arrays around it, has more parts than that, or nowhere: as
/// tables in tables they would exhaust the stack. (toml++ counts brackets, not dots.) Text in quotation marks and
/// comments is passed over.
std::size_t too_deep_at(std::string_view text) {
  std::vector<std::size_t> around;  // dots of the keys of the open brackets
  std::size_t outer = 0;            // their sum
  std::size_t key = 0, dots = 0;    // of the key before '=', of what is being read
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      key = dots = 0;
    } else if (c == '"' || c == '\'') {
      const bool three = text.substr(i).starts_with(std::string(3, c));
      const std::string end(three ? 3 : 1, c);
      for (i += end.size(); i < text.size() && !text.substr(i).starts_with(end); ++i) {
        if (c == '"' && text[i] == '\\')
          ++i;  // and the character behind it, which may be none
        else if (!three && text[i] == '\n')
          break;  // an error that toml++ will name
      }
      i += end.size() - 1;
      // Two more may belong to the text: """a""""" is a"".
      for (int more = 0; three && more < 2 && i + 1 < text.size() && text[i + 1] == c; ++more) ++i;
    } else if (c == '.') {
      if (outer + ++dots > deepest) return i;
    } else if (c == '=') {
      key = dots, dots = 0;
    } else if (c == '[' || c == '{') {
      around.push_back(key);
      outer += key;
      key = dots = 0;
    } else if (c == ']' || c == '}') {
      if (!around.empty()) {
        outer -= around.back();
        around.pop_back();
      }
      key = dots = 0;
    } else if (c == '\n' || c == ',') {
      key = dots = 0;
    }
  }
  return std::string_view::npos;
}

struct Part {
  std::string key;  // empty for an index
  std::size_t index = 0;
};

std::vector<Part> parse_path(std::string_view path, const Place& place) {
  std::vector<Part> parts;
  std::size_t i = 0;
  const auto bad = [&] {
    fail(place, "the key '" + without_newlines(path) + "' is not of the form table.key or table.key[index]");
  };
  while (true) {
    const std::size_t begin = i;
    while (i < path.size() && path[i] != '.' && path[i] != '[') ++i;
    if (i == begin || parts.size() > deepest) bad();
    parts.push_back({std::string(path.substr(begin, i - begin)), 0});
    while (i < path.size() && path[i] == '[') {
      const std::size_t end = path.find(']', i);
      if (end == std::string_view::npos || end == i + 1 || end - i > 8) bad();
      std::size_t index = 0;
      for (const char c : path.substr(i + 1, end - i - 1)) {
        if (c < '0' || c > '9') bad();
        index = 10 * index + static_cast<std::size_t>(c - '0');
      }
      parts.push_back({{}, index});
      i = end + 1;
    }
    if (i == path.size()) return parts;
    if (path[i] != '.') bad();
    ++i;
  }
}

}  // namespace

std::string Place::str() const {
  std::string text = source ? *source : std::string();
  if (line > 0) text += fmt::format(":{}:{}", line, column);
  return text;
}

void fail(const Place& place, const std::string& sentence) {
  throw Error(ErrorKind::bad_scene, in_one_line(place.str() + ": " + sentence));
}

std::string in_one_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const expression::Character c = expression::first_character(text.substr(at));
    if (c.bytes == 0)
      line += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[at]));
    else if (c.code == '\n')
      line += "\\n";
    else if (c.code == '\t')
      line += "\\t";
    else if (expression::is_unseen(c.code))
      line += fmt::format("\\u{:04X}", c.code);
    else
      line += text.substr(at, c.bytes);
    at += std::max<std::size_t>(c.bytes, 1);
  }
  return line;
}

std::string_view Value::kind() const {
  constexpr std::string_view names[] = {"a date or time", "a boolean", "an integer", "a number",
                                        "a string",       "an array",  "a table",    "a function"};
  return names[data.index()];
}

const Value* find(const Table& table, std::string_view key) {
  for (const Entry& entry : table)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Value parse_document(std::string_view text, const std::string& name) {
  const auto source = std::make_shared<const std::string>(name);
  const Converter converter(text, source, true);
  const auto fail_at = [&](std::size_t at, const std::string& sentence) {
    const auto line =
        static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    fail({source, line + 1, at - (line == 0 ? 0 : text.rfind('\n', at) + 1) + 1}, sentence);
  };
  // A NUL ends toml++'s reading without a word.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    fail_at(nul, "the text contains a NUL character");
  if (const std::size_t deep = too_deep_at(text); deep != std::string_view::npos) fail_at(deep, too_many_parts);
  try {
    return converter.convert(toml::parse(text, std::string_view(name)));
  } catch (const toml::parse_error& error) {
    fail(converter.place(error.source().begin), without_newlines(error.description()));
  }
}

void apply_override(Value& root, const std::string& assignment) {
  const auto source = std::make_shared<const std::string>("--set " + without_newlines(assignment));
  const Place place{source, 0, 0};
  if (assignment.find('\n') != std::string::npos) fail(place, "an override must be one line");  // so it is recorded
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) fail(place, "an override is written key.path=value");
  if (!is_utf8(assignment))  // it goes into the record and the page, as the scene does
    fail({std::make_shared<const std::string>("--set " + without_newlines(mended(assignment))), 0, 0},
         "the text is not UTF-8");
  const std::string text = assignment.substr(equals + 1);
  const auto parts = parse_path(std::string_view(assignment).substr(0, equals), place);

  Value value;
  try {
    const std::string document = "value = " + text;
    if (too_deep_at(document) != std::string_view::npos) fail(place, too_many_parts);
    const auto parsed = toml::parse(document);
    if (parsed.size() == 1) value = Converter(document, source, false).convert(*parsed.get("value"));
    if (parsed.size() != 1) value.data = text;
  } catch (const toml::parse_error&) {
    value.data = text;
  }
  value.place = value.text = place;

  // Of system.position[1] and mass[0][1] the whole array is what errors may speak of, of gap[0].law it is not.
  std::size_t of_entry = parts.size();
  while (of_entry > 0 && parts[of_entry - 1].key.empty()) --of_entry;

  Value* at = &root;
  std::string path;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Part& part = parts[k];
    if (part.key.empty()) {
      auto* array = std::get_if<Array>(&at->data);
      if (array == nullptr) fail(place, path + " is " + std::string(at->kind()) + ", not an array");
      if (part.index >= array->size())
        fail(place, fmt::format("{} has {} {}, counted from 0; there is no [{}]", path, array->size(),
                                array->size() == 1 ? "entry" : "entries", part.index));
      if (k >= of_entry) at->place = place;
      at = &(*array)[part.index];
      path += fmt::format("[{}]", part.index);
      continue;
    }
    auto* table = std::get_if<Table>(&at->data);
    if (table == nullptr) fail(place, path + " is " + std::string(at->kind()) + ", not a table");
    auto entry = std::find_if(table->begin(), table->end(), [&](const Entry& e) { return e.key == part.key; });
    if (entry == table->end() && k + 1 < parts.size() && parts[k + 1].key.empty()) {
      std::vector<std::string> known;  // an entry of an array that is not there: nothing to put it into
      for (const Entry& e : *table) known.push_back(e.key);
      fail(place, fmt::format("the scene has no {}{}{}{}", path, path.empty() ? "" : ".", part.key,
                              expression::suggestion(part.key, known)));
    }
    if (entry == table->end()) entry = table->insert(table->end(), {part.key, place, {place, place, Table{}}, true});
    at = &entry->value;
    path += (path.empty() ? "" : ".") + part.key;
  }
  *at = std::move(value);
}

std::string read_file(const std::string& path) {
  constexpr std::size_t largest = std::size_t{64} << 20;
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(ErrorKind::bad_scene, path + ": this is a directory, not a scene");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ErrorKind::bad_scene, path + ": cannot be read: " + std::strerror(errno));
  std::string text;
  for (char block[1 << 16]; in.read(block, sizeof block) || in.gcount() > 0;) {  // a pipe has no size to ask for
    text.append(block, static_cast<std::size_t>(in.gcount()));
    if (text.size() > largest) throw Error(ErrorKind::bad_scene, path + ": larger than 64 MB, hence no scene");
  }
  if (in.bad()) throw Error(ErrorKind::bad_scene, path + ": cannot be read");
  return text;
}

}  // namespace ricochet::scene
