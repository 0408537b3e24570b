// Reading a table strictly: every key is asked for, what nobody asked for is an error that suggests the nearest key.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene/document.hpp"

namespace ricochet::scene {

/// A number or the text of one; where a reader allows it, also a function that a program gave.
struct Expression {
  std::variant<double, std::string, Given> value;
  Place place, text;
  int piece = -1;  ///< of a formula with kinks this smooth piece alone is meant (scene/pieces.hpp)

  const Given* given() const { return std::get_if<Given>(&value); }
  /// The number or the text, where it is no function.
  std::variant<double, std::string> written() const;

  /// Where the character at `offset` of the text stands.
  Place at(std::size_t offset) const;
};

class TableReader {
 public:
  /// `name` is how the table is called in errors: "[time]". A table that must have some key says which ones it knows,
  /// so that a misspelt one is told of itself, not as the one that is missing.
  TableReader(const Value& value, std::string name, const std::vector<std::string>& keys = {});

  const std::string& name() const { return name_; }
  const Place& place() const { return place_; }

  const Value* find(std::string_view key);
  /// Where the key is, or the table without it.
  Place place_of(std::string_view key);
  const Value& need(std::string_view key);
  [[noreturn]] void missing(std::string_view key) const;

  std::optional<std::string> string(std::string_view key);
  std::string needed_string(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key);
  std::optional<Expression> expression(std::string_view key);
  Expression needed_expression(std::string_view key);
  /// An expression, or a function that a program gave: a table with the key 'given' where a text names one.
  std::optional<Expression> function(std::string_view key);
  Expression needed_function(std::string_view key);
  /// [[key]] as a list of tables, empty where there is none.
  const Array& tables(std::string_view key);
  std::optional<std::vector<Expression>> expressions(std::string_view key);
  /// One of a few words; `otherwise` where the key is absent.
  std::string choice(std::string_view key, const std::vector<std::string>& words, const std::string& otherwise);

  /// To be called when everything was asked for.
  void refuse_unknown() const;

 private:
  [[noreturn]] void unknown(const Entry& entry, const std::vector<std::string>& keys) const;
  std::string title(std::string_view key) const {
    return name_.empty() ? std::string(key) : std::string(key) + " of " + name_;
  }

  const Table* table_;
  std::string name_;
  Place place_;
  std::vector<std::string> asked_;
};

/// The function that a value is, or names; nothing where it is something else.
std::optional<Given> to_given(const Value& value, const std::string& what);
/// A number or a string as an expression.
Expression to_expression(const Value& value, const std::string& what);
std::vector<Expression> to_expressions(const Value& value, const std::string& what);

}  // namespace ricochet::scene
