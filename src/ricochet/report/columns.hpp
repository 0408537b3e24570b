// The recorded quantities of a run as plain series with names, read in pieces.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ricochet/record/reader.hpp"

namespace ricochet::report {

/// One number of a frame.
struct Quantity {
  std::string column, name, group, unit;
  std::size_t entry = 0;
};

/// Every number of a frame but t and step, in the order of the file.
std::vector<Quantity> quantities(const record::Schema& schema);

/// Calls `visit(t, values)` for the rows asked for, in order; the values are those of `quantities`. Memory does not
/// grow with the number of rows.
void each_row(const record::Reader& reader, const std::vector<Quantity>& quantities, std::string_view table,
              std::size_t stride, const std::function<void(double, std::span<const double>)>& visit);

}  // namespace ricochet::report
