#include "ricochet/audit/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "ricochet/error.hpp"
#include "ricochet/expression/builder.hpp"
#include "ricochet/scene/document.hpp"

namespace ricochet::audit {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorKind::bad_scene, sentence); }

std::string_view trimmed(std::string_view x) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; };
  while (!x.empty() && blank(x.front())) x.remove_prefix(1);
  while (!x.empty() && blank(x.back())) x.remove_suffix(1);
  return x;
}

std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (std::size_t at = 0;;) {
    const std::size_t end = line.find(separator, at);
    fields.push_back(trimmed(line.substr(at, end == line.npos ? end : end - at)));
    if (end == line.npos) return fields;
    at = end + 1;
  }
}

/// Digits of a written number that carry information.
int significant_digits(std::string_view text) {
  int digits = 0;
  bool leading = true;
  for (const char c : text) {
    if (c == 'e' || c == 'E') break;
    if (c < '0' || c > '9') continue;
    if (c != '0') leading = false;
    digits += !leading;
  }
  return digits;
}

/// Numbers of a table, row after row; what is no number is NaN.
struct Numbers {
  std::vector<std::string> header;
  std::vector<double> values;
  std::vector<std::size_t> lines;  ///< of the file, of each row
  std::size_t short_rows = 0, first_short = 0, bad_fields = 0, first_bad = 0;
  int digits = 0;

  std::size_t rows() const { return lines.size(); }
  const double* row(std::size_t k) const { return values.data() + k * header.size(); }
};

Numbers read_numbers(std::string_view text, const std::string& name) {
  Numbers out;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the mark of UTF-8, as spreadsheets write it
  char separator = ',';
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (out.header.empty()) {
      for (const char c : {',', ';', '\t'})
        if (line.find(c) != line.npos) {
          separator = c;
          break;
        }
      for (const std::string_view field : split(line, separator)) out.header.emplace_back(field);
      if (out.header.size() < 2)
        refuse(fmt::format("{}:{}: one column only; a motion is a table t,q… with a line of names", name, number));
      continue;
    }
    const auto fields = split(line, separator);
    if (fields.size() != out.header.size()) {
      if (out.short_rows++ == 0) out.first_short = number;
      continue;
    }
    for (const std::string_view field : fields) {
      double value = 0;
      const char* begin = field.data() + (!field.empty() && field.front() == '+');
      const auto [stop, error] = std::from_chars(begin, field.data() + field.size(), value);
      if (error != std::errc() || stop != field.data() + field.size()) {
        if (out.bad_fields++ == 0) out.first_bad = number;
        value = std::numeric_limits<double>::quiet_NaN();
      } else {
        out.digits = std::max(out.digits, significant_digits(field));
      }
      out.values.push_back(value);
    }
    out.lines.push_back(number);
  }
  if (out.header.empty()) refuse(name + ": the file is empty; a motion is a table t,q… with a line of names");
  return out;
}

/// A column that single precision can hold, and that needs all of it.
bool single_precision(const std::vector<std::vector<double>>& columns) {
  for (const auto& column : columns) {
    bool holds = true, needs = false;
    for (const double x : column) {
      if (!std::isfinite(x)) continue;
      holds &= static_cast<double>(static_cast<float>(x)) == x;
      const double half = x * 4096;
      needs |= half != std::floor(half);
    }
    if (holds && needs && column.size() > 8) return true;
  }
  return false;
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !letter(text.front())) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// A column, or an expression of columns, for every row.
class Columns {
 public:
  Columns(const Numbers& numbers, const ColumnMap& map, const std::string& file)
      : numbers_(numbers), map_(map), file_(file) {
    for (std::size_t i = 0; i < numbers.header.size(); ++i)
      if (is_name(numbers.header[i]) && std::find(names_.begin(), names_.end(), numbers.header[i]) == names_.end()) {
        names_.push_back(numbers.header[i]);
        index_.push_back(i);
      }
  }

  /// What the map says of `key`, or the first of `guesses` that is a column.
  std::optional<std::vector<double>> find(const std::string& key, const std::vector<std::string>& guesses) const {
    for (const auto& [name, expression] : map_.columns)
      if (name == key) return mapped(expression);
    for (const std::string& guess : guesses)
      if (auto column = plain(guess)) return column;
    return std::nullopt;
  }

 private:
  std::optional<std::vector<double>> plain(const std::string& name) const {
    const auto it = std::find(numbers_.header.begin(), numbers_.header.end(), name);
    if (it == numbers_.header.end()) return std::nullopt;
    const auto c = static_cast<std::size_t>(it - numbers_.header.begin());
    std::vector<double> out(numbers_.rows());
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = numbers_.row(k)[c];
    return out;
  }
  std::vector<double> mapped(const scene::Expression& e) const {
    std::vector<double> out(numbers_.rows());
    if (const double* constant = std::get_if<double>(&e.value)) {
      std::fill(out.begin(), out.end(), *constant);
      return out;
    }
    const std::string& text = std::get<std::string>(e.value);
    if (auto column = plain(text)) return *column;
    try {
      expression::TapeBuilder builder(names_);
      const int output = builder.add(text);
      const expression::Tape tape = builder.tape();
      expression::Workspace<double> work(tape);
      std::vector<double> x(names_.size());
      for (std::size_t k = 0; k < out.size(); ++k) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = numbers_.row(k)[index_[i]];
        out[k] = tape.evaluate<double>(output, x.data(), work);
      }
    } catch (const expression::ParseError& error) {
      scene::fail(e.at(error.offset()),
                  fmt::format("{} (the columns of {} are {})", error.what(), file_, fmt::join(numbers_.header, ", ")));
    }
    return out;
  }

  const Numbers& numbers_;
  const ColumnMap& map_;
  const std::string& file_;
  std::vector<std::string> names_;
  std::vector<std::size_t> index_;
};

}  // namespace

ColumnMap parse_map(std::string_view text, const std::string& name) {
  ColumnMap map;
  map.name = name;
  const scene::Value document = scene::parse_document(text, name);
  scene::TableReader reader(document, "", {"precision", "columns"});
  if (const auto precision = reader.expression("precision")) {
    const double* value = std::get_if<double>(&precision->value);
    if (value == nullptr || !(*value > 0 && *value < 0.1))
      scene::fail(precision->place, "precision is a number between 0 and 0.1, such as 1.2e-7 for single precision");
    map.precision = *value;
  }
  const scene::Value& columns = reader.need("columns");
  const auto* table = std::get_if<scene::Table>(&columns.data);
  if (table == nullptr) scene::fail(columns.place, "[columns] must be a table, not " + std::string(columns.kind()));
  for (const scene::Entry& entry : *table)
    map.columns.emplace_back(entry.key, scene::to_expression(entry.value, entry.key + " of [columns]"));
  reader.refuse_unknown();
  return map;
}

Trajectory parse_csv(std::string_view text, const std::string& name, const scene::Model& model,
                     const Dynamics& dynamics, const ColumnMap& map) {
  const Numbers numbers = read_numbers(text, name);
  const auto& coordinates = model.scene.system.coordinates;
  for (const auto& [key, expression] : map.columns) {
    const auto known = [&](const std::string& coordinate) {
      return key == coordinate || key == "v_" + coordinate || key == "p_" + coordinate;
    };
    if (key != "t" && std::none_of(coordinates.begin(), coordinates.end(), known))
      scene::fail(expression.place, fmt::format("'{}' is no column of a motion of this scene: t, {}, and v_ or p_ "
                                                "before them",
                                                key.substr(0, 64), fmt::join(coordinates, ", ")));
  }
  const Columns columns(numbers, map, name);
  const auto need = [&](const std::string& key, const std::vector<std::string>& guesses) {
    auto column = columns.find(key, guesses);
    if (!column)
      refuse(
          fmt::format("{}: there is no column for '{}' (columns: {}); a map says which one it is: [columns] {} = "
                      "\"…\"",
                      name, key, fmt::join(numbers.header, ", "), key));
    return std::move(*column);
  };
  const std::vector<double> t = need("t", {"t", "time"});
  std::vector<std::vector<double>> q, v;
  bool momenta = true, velocities = true;
  for (const std::string& c : coordinates) q.push_back(need(c, {c, "q_" + c}));
  for (const std::string& c : coordinates) {
    if (auto column = columns.find("p_" + c, {"p_" + c}); column && momenta)
      v.push_back(std::move(*column));
    else
      momenta = false;
  }
  Trajectory out;
  if (!momenta) {
    const bool some = !v.empty();
    v.clear();
    for (const std::string& c : coordinates) {
      if (auto column = columns.find("v_" + c, {"v_" + c, "v" + c}); column && velocities)
        v.push_back(std::move(*column));
      else
        velocities = false;
    }
    if (!velocities && (some || !v.empty()))
      out.notes.push_back("velocities of some coordinates only: they are not used");
  }
  const bool rates = momenta || velocities;
  if (!rates) v.clear();

  // Rows in the order of time, each time once, finite.
  out.source = name;
  for (std::size_t i = 0; i < numbers.header.size(); ++i)
    if (const auto first = std::find(numbers.header.begin(), numbers.header.end(), numbers.header[i]);
        static_cast<std::size_t>(first - numbers.header.begin()) < i)
      out.notes.push_back(fmt::format("there are several columns '{}': the first of them is used", numbers.header[i]));
  if (numbers.short_rows > 0)
    out.notes.push_back(
        fmt::format("{} lines have another number of fields than the header (the first: line {}): left out",
                    numbers.short_rows, numbers.first_short));
  std::vector<std::size_t> rows;
  std::size_t bad = 0, first_bad = 0, repeated = 0;
  for (std::size_t k = 0; k < numbers.rows(); ++k) {
    bool finite = std::isfinite(t[k]);
    for (const auto& column : q) finite &= std::isfinite(column[k]);
    for (const auto& column : v) finite &= std::isfinite(column[k]);
    if (finite)
      rows.push_back(k);
    else if (bad++ == 0)
      first_bad = numbers.lines[k];
  }
  if (bad > 0)
    out.notes.push_back(
        fmt::format("{} samples are not finite numbers (the first: line {}): left out", bad, first_bad));
  const auto earlier = [&](std::size_t a, std::size_t b) { return t[a] < t[b]; };
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) {
    out.notes.push_back("the times are not in order: sorted");
    std::stable_sort(rows.begin(), rows.end(), earlier);
  }
  std::vector<std::size_t> kept;
  for (const std::size_t k : rows) {
    if (!kept.empty() && t[kept.back()] == t[k]) {
      kept.back() = k;
      ++repeated;
    } else {
      kept.push_back(k);
    }
  }
  if (repeated > 0)
    out.notes.push_back(fmt::format("{} times are repeated: the last sample of each is used", repeated));
  if (kept.size() < 3)
    refuse(fmt::format("{}: {} samples are too few to judge a motion; three are the least", name, kept.size()));

  const auto n = static_cast<Eigen::Index>(coordinates.size()), N = static_cast<Eigen::Index>(kept.size());
  out.q.resize(n, N);
  if (rates) out.p.resize(n, N);
  for (Eigen::Index k = 0; k < N; ++k) {
    const std::size_t row = kept[static_cast<std::size_t>(k)];
    out.t.push_back(t[row]);
    out.step.push_back(static_cast<std::int64_t>(k));
    Vec x(n), y(n);
    for (Eigen::Index c = 0; c < n; ++c) {
      x[c] = q[static_cast<std::size_t>(c)][row];
      if (rates) y[c] = v[static_cast<std::size_t>(c)][row];
    }
    out.q.col(k) = x;
    if (!rates) continue;
    if (momenta) {
      out.p.col(k) = y;
    } else {
      Vec p(n);
      dynamics.momentum(x, y, t[row], p);
      out.p.col(k) = p;
    }
  }
  if (!rates) out.notes.push_back("there are positions only: velocities are those of the free motion between samples");

  std::vector<double> gaps;
  for (std::size_t k = 0; k + 1 < out.t.size(); ++k) gaps.push_back(out.t[k + 1] - out.t[k]);
  std::vector<double> sorted = gaps;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const double typical = sorted[sorted.size() / 2];
  std::size_t holes = 0, first_hole = 0;
  for (std::size_t k = 0; k < gaps.size(); ++k)
    if (gaps[k] > 1.9 * typical && holes++ == 0) first_hole = k;
  if (holes > 0)
    out.notes.push_back(fmt::format("samples are missing in {} places (the first: between t = {:.9g} and {:.9g})",
                                    holes, out.t[first_hole], out.t[first_hole + 1]));
  if (map.precision) {
    out.precision = *map.precision;
    out.precision_given = true;
  } else if (single_precision(q) || single_precision(v)) {
    out.precision = 0x1p-24;
    out.notes.push_back("the numbers are of single precision: judged by it");
  } else if (numbers.digits < 16) {
    out.precision = std::max(out.precision, 0.5 * std::pow(10.0, 1 - numbers.digits));
  }
  return out;
}

}  // namespace ricochet::audit
