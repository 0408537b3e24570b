#include "ricochet/record/schema.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "ricochet/record/record_error.hpp"

namespace ricochet::record {
namespace {

constexpr std::string_view frame_names[frame_columns] = {"t",    "step",    "q", "p", "energy", "discrete_energy",
                                                         "gaps", "momentum"};

std::vector<Column> columns_of_a_frame(const Schema& schema) {
  const auto unit = [&](std::string_view name) {
    const auto found = schema.units.find(std::string(name));
    return found == schema.units.end() ? std::string() : found->second;
  };
  std::vector<Column> columns;
  for (const std::string_view name : frame_names)
    columns.push_back({std::string(name), unit(name), 1, {}, true, false});
  const auto make_vector = [&](std::size_t column, const std::vector<std::string>& labels) {
    columns[column].labels = labels;
    columns[column].width = labels.size();
    columns[column].scalar = false;
  };
  columns[col_step].integer = true;
  make_vector(col_q, schema.coordinates);
  make_vector(col_p, schema.coordinates);
  make_vector(col_gaps, schema.gaps);
  make_vector(col_momentum, schema.symmetries);
  for (const Scalar& scalar : schema.extra) columns.push_back({scalar.name, scalar.unit, 1, {}, true, false});
  return columns;
}

[[noreturn]] void refuse(const std::string& sentence) { throw RecordError({}, sentence); }

void check_name(std::string_view what, std::string_view name) {
  const bool bad =
      name.empty() || name == "." || name == ".." || name.find('/') != name.npos || name.find('\0') != name.npos;
  if (bad) refuse(fmt::format("the {} name '{}' cannot name a dataset of a record", what, name));
}

// Table names become parts of file names, so they are kept plain.
void check_table_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (name.empty() || !std::all_of(name.begin(), name.end(), plain))
    refuse(fmt::format("the table name '{}' of a record may hold only letters, digits, '_' and '-'", name));
}

void check_columns(const Table& table, std::set<std::string> taken) {
  for (const Column& column : table.columns) {
    check_name("column", column.name);
    if (!taken.insert(column.name).second)
      refuse(fmt::format("the name '{}' is used twice in the record's table '{}'", column.name, table.name));
    if (column.scalar && column.width != 1)
      refuse(fmt::format("the scalar column '{}' of a record must have width 1", column.name));
    if (!column.labels.empty() && column.labels.size() != column.width)
      refuse(fmt::format("column '{}' of a record has {} labels for {} entries", column.name, column.labels.size(),
                         column.width));
    for (const std::string& label : column.labels)
      if (label.find('\0') != label.npos) refuse(fmt::format("a label of column '{}' holds a zero byte", column.name));
  }
}

}  // namespace

std::size_t Table::row_words() const {
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0},
                         [](std::size_t sum, const Column& column) { return sum + column.width; });
}

std::vector<Table> tables(const Schema& schema) {
  std::vector<Table> all{{std::string(trajectory_table), columns_of_a_frame(schema)}};
  for (const std::string& name : schema.frame_tables) all.push_back({name, all.front().columns});
  all.insert(all.end(), schema.datasets.begin(), schema.datasets.end());
  return all;
}

bool read_frame_columns(const Table& trajectory, Schema& schema) {
  const auto& columns = trajectory.columns;
  if (columns.size() < frame_columns) return false;
  schema.coordinates = columns[col_q].labels;
  schema.gaps = columns[col_gaps].labels;
  schema.symmetries = columns[col_momentum].labels;
  for (std::size_t i = 0; i < frame_columns; ++i)
    if (!columns[i].unit.empty()) schema.units[columns[i].name] = columns[i].unit;
  for (std::size_t i = frame_columns; i < columns.size(); ++i)
    schema.extra.push_back({columns[i].name, columns[i].unit});
  return columns == columns_of_a_frame(schema);
}

void validate(const Schema& schema) {
  for (const auto& [name, unit] : schema.units)
    if (std::find(std::begin(frame_names), std::end(frame_names), name) == std::end(frame_names))
      refuse(fmt::format("there is no column '{}' of a frame that the unit '{}' could belong to", name, unit));
  for (const auto& [name, text] : schema.attributes) {
    check_name("attribute", name);
    if (name == "format" || name == "format_version" || name == "version" || name == "scene_name" || name == "digests")
      refuse(fmt::format("the attribute name '{}' is reserved by the record", name));
  }
  std::set<std::string> at_root{"scene"};  // the trajectory shares the root with the groups of the other tables
  const std::vector<Table> all = tables(schema);
  if (all.size() > 255) refuse("a record cannot have more than 255 tables");
  for (const Table& table : all) {
    check_table_name(table.name);
    if (!at_root.insert(table.name).second) refuse(fmt::format("the record has two tables named '{}'", table.name));
    if (table.columns.empty()) refuse(fmt::format("the record's table '{}' has no columns", table.name));
  }
  for (std::size_t i = 0; i < all.size(); ++i) check_columns(all[i], i == 0 ? at_root : std::set<std::string>{});
}

}  // namespace ricochet::record
