// A scene as a tree in which every value knows where it stands: file:line:column of a text, the override it came from,
// or the part of what a program built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ricochet/scene/given.hpp"

namespace ricochet::scene {

/// Where something was written.
struct Place {
  std::shared_ptr<const std::string> source;  ///< name of the file, or the text of an override
  std::size_t line = 0, column = 0;           ///< from 1; 0 where there is none

  /// "star.toml:3:8", or "--set time.step=0".
  std::string str() const;
};

/// Throws Error(bad_scene, "file:line:column: sentence").
[[noreturn]] void fail(const Place& place, const std::string& sentence);
/// With characters that control a terminal or cannot be seen as TOML writes them: what is quoted may have any.
std::string in_one_line(std::string_view text);

struct Value;
using Array = std::vector<Value>;

struct Entry;
/// Keys in the order of the alphabet.
using Table = std::vector<Entry>;

struct Value {
  Place place;
  Place text;  ///< of a string: where its first character stands
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table, Given> data;

  bool is_number() const { return std::holds_alternative<std::int64_t>(data) || std::holds_alternative<double>(data); }
  /// "a string", "an array", …
  std::string_view kind() const;
};

struct Entry {
  std::string key;
  Place place;
  Value value;
  bool added = false;  ///< an override made it
};

const Value* find(const Table& table, std::string_view key);

/// Parses TOML; throws Error(bad_scene) with the place of the fault.
Value parse_document(std::string_view text, const std::string& name);

/// Puts `key.path[index]=value` into the tree. The value is TOML; what is no TOML is taken as a string, so that
/// integrator.rule=midpoint needs no quotes.
void apply_override(Value& root, const std::string& assignment);

/// A file's text; throws Error(bad_scene) where it cannot be read.
std::string read_file(const std::string& path);

}  // namespace ricochet::scene
