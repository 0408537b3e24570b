#include "ricochet/report/columns.hpp"

#include <algorithm>

namespace ricochet::report {
namespace {

/// The k-th entry of "m, m, rad", or the whole of it where it is one word.
std::string unit_of(const record::Schema& schema, const std::string& column, std::size_t k) {
  const auto found = schema.units.find(column);
  if (found == schema.units.end()) return {};
  const std::string& list = found->second;
  if (list.find(',') == list.npos) return list;
  std::size_t begin = 0;
  for (; k > 0 && begin != list.npos; --k) {
    begin = list.find(',', begin);
    if (begin != list.npos) ++begin;
  }
  if (begin == list.npos) return {};
  std::string word = list.substr(begin, list.find(',', begin) - begin);
  word.erase(0, word.find_first_not_of(' '));
  return word;
}

}  // namespace

std::vector<Quantity> quantities(const record::Schema& schema) {
  std::vector<Quantity> all;
  const auto vector = [&](const char* column, const std::vector<std::string>& names, const std::string& prefix) {
    for (std::size_t k = 0; k < names.size(); ++k)
      all.push_back({column, prefix + names[k], column, unit_of(schema, column, k), k});
  };
  vector("q", schema.coordinates, "");
  vector("p", schema.coordinates, "p_");
  all.push_back({"energy", "energy", "energy", unit_of(schema, "energy", 0), 0});
  all.push_back({"discrete_energy", "discrete energy", "energy", unit_of(schema, "discrete_energy", 0), 0});
  vector("gaps", schema.gaps, "gap ");
  vector("momentum", schema.symmetries, "J ");
  for (const record::Scalar& scalar : schema.extra) all.push_back({scalar.name, scalar.name, "extra", scalar.unit, 0});
  return all;
}

void each_row(const record::Reader& reader, const std::vector<Quantity>& quantities, std::string_view table,
              std::size_t stride, const std::function<void(double, std::span<const double>)>& visit) {
  constexpr std::size_t piece = 16384;
  const std::size_t rows = reader.rows(table);
  std::vector<double> values(quantities.size());
  for (std::size_t first = 0; first < rows; first += piece * stride) {
    const record::Rows part{first, std::min(rows, first + piece * stride), stride};
    const record::Series t = reader.column("t", part, table);
    std::vector<record::Series> columns;
    std::vector<std::size_t> which(quantities.size());
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      if (i == 0 || quantities[i].column != quantities[i - 1].column)
        columns.push_back(reader.column(quantities[i].column, part, table));
      which[i] = columns.size() - 1;
    }
    for (std::size_t row = 0; row < t.rows; ++row) {
      for (std::size_t i = 0; i < quantities.size(); ++i) values[i] = columns[which[i]](row, quantities[i].entry);
      visit(t(row), values);
    }
  }
}

}  // namespace ricochet::report
