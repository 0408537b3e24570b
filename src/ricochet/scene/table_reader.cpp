#include "ricochet/scene/table_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ricochet/expression/nearest.hpp"

namespace ricochet::scene {

Place Expression::at(std::size_t offset) const {
  const auto* written = std::get_if<std::string>(&value);
  if (written == nullptr || text.line == 0) return place;
  Place result = text;
  for (std::size_t i = 0; i < std::min(offset, written->size()); ++i) {
    const char c = (*written)[i];
    if (c == '\n')
      ++result.line, result.column = 1;
    else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u)
      ++result.column;
  }
  return result;
}

std::variant<double, std::string> Expression::written() const {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* function = given()) fail(place, function->name + " is a function, where an expression is needed");
  return std::get<std::string>(value);
}

std::optional<Given> to_given(const Value& value, const std::string& what) {
  if (const auto* given = std::get_if<Given>(&value.data)) return *given;
  const auto* table = std::get_if<Table>(&value.data);
  if (table == nullptr || find(*table, "given") == nullptr) return std::nullopt;
  TableReader reader(value, what);
  Given given;
  given.name = reader.needed_string("given");
  given.timed = reader.boolean("timed").value_or(false);
  reader.refuse_unknown();
  return given;
}

Expression to_expression(const Value& value, const std::string& what) {
  Expression result{0.0, value.place, value.text};
  if (const auto* i = std::get_if<std::int64_t>(&value.data))
    result.value = static_cast<double>(*i);
  else if (const auto* d = std::get_if<double>(&value.data))
    result.value = *d;
  else if (const auto* s = std::get_if<std::string>(&value.data))
    result.value = *s;
  else
    fail(value.place, what + " must be a number or an expression, not " + std::string(value.kind()));
  if (const auto* d = std::get_if<double>(&result.value); d != nullptr && !std::isfinite(*d))
    fail(value.place, what + " is not a finite number");
  return result;
}

std::vector<Expression> to_expressions(const Value& value, const std::string& what) {
  const auto* array = std::get_if<Array>(&value.data);
  if (array == nullptr) fail(value.place, what + " must be an array, not " + std::string(value.kind()));
  std::vector<Expression> list;
  for (std::size_t i = 0; i < array->size(); ++i)
    list.push_back(to_expression((*array)[i], what + "[" + std::to_string(i) + "]"));
  return list;
}

TableReader::TableReader(const Value& value, std::string name, const std::vector<std::string>& keys)
    : name_(std::move(name)), place_(value.place) {
  table_ = std::get_if<Table>(&value.data);
  if (table_ == nullptr) fail(value.place, name_ + " must be a table, not " + std::string(value.kind()));
  if (keys.empty()) return;
  for (const Entry& entry : *table_)
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) unknown(entry, keys);
}

void TableReader::unknown(const Entry& entry, const std::vector<std::string>& keys) const {
  fail(entry.place, "unknown key '" + entry.key.substr(0, 64) + "'" + (name_.empty() ? "" : " in " + name_) +
                        expression::suggestion_or_list(entry.key, keys));
}

const Value* TableReader::find(std::string_view key) {
  asked_.emplace_back(key);
  return scene::find(*table_, key);
}

Place TableReader::place_of(std::string_view key) {
  const Value* value = find(key);
  return value != nullptr ? value->place : place_;
}

void TableReader::missing(std::string_view key) const {
  fail(place_, name_.empty() ? "the table [" + std::string(key) + "] is missing"
                             : "the key '" + std::string(key) + "' is missing in " + name_);
}

const Value& TableReader::need(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) missing(key);
  return *value;
}

std::optional<std::string> TableReader::string(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->data);
  if (text == nullptr) fail(value->place, title(key) + " must be a string, not " + std::string(value->kind()));
  return *text;
}

std::string TableReader::needed_string(std::string_view key) {
  need(key);
  return *string(key);
}

std::optional<bool> TableReader::boolean(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* b = std::get_if<bool>(&value->data);
  if (b == nullptr) fail(value->place, title(key) + " must be true or false, not " + std::string(value->kind()));
  return *b;
}

std::optional<std::int64_t> TableReader::integer(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* i = std::get_if<std::int64_t>(&value->data)) return *i;
  if (const auto* text = std::get_if<std::string>(&value->data)) {  // so --set leaves what TOML cannot hold
    std::int64_t number = 0;
    const char* const end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data() + (text->starts_with('+') ? 1 : 0), end, number);
    if (error == std::errc::result_out_of_range && rest == end)
      fail(value->place, title(key) + " is out of range: an integer has 64 bits");
  }
  fail(value->place, title(key) + " must be an integer, not " + std::string(value->kind()));
}

std::optional<Expression> TableReader::expression(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_expression(*value, title(key));
}

std::optional<Expression> TableReader::function(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (auto given = to_given(*value, title(key))) return Expression{*std::move(given), value->place, value->text};
  return to_expression(*value, title(key));
}

Expression TableReader::needed_function(std::string_view key) {
  need(key);
  return *function(key);
}

Expression TableReader::needed_expression(std::string_view key) {
  need(key);
  return *expression(key);
}

const Array& TableReader::tables(std::string_view key) {
  static const Array none;
  const Value* value = find(key);
  if (value == nullptr) return none;
  const auto* array = std::get_if<Array>(&value->data);
  if (array == nullptr)
    fail(value->place, "write [[" + std::string(key) + "]] with double brackets: there may be several");
  return *array;
}

std::optional<std::vector<Expression>> TableReader::expressions(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_expressions(*value, title(key));
}

std::string TableReader::choice(std::string_view key, const std::vector<std::string>& words,
                                const std::string& otherwise) {
  const auto text = string(key);
  if (!text) return otherwise;
  if (std::find(words.begin(), words.end(), *text) == words.end()) {
    std::string list;
    for (const auto& word : words) list += (list.empty() ? "" : ", ") + word;
    fail(find(key)->place, title(key) + " cannot be '" + text->substr(0, 64) + "'" +
                               expression::suggestion(*text, words) + " (one of: " + list + ")");
  }
  return *text;
}

void TableReader::refuse_unknown() const {
  std::vector<std::string> keys;  // each once, in the order in which they were asked for
  for (const std::string& key : asked_)
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  for (const Entry& entry : *table_)
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) unknown(entry, keys);
}

}  // namespace ricochet::scene
