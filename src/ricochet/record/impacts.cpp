#include "ricochet/record/impacts.hpp"

#include <fcntl.h>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "ricochet/record/record_error.hpp"
#include "ricochet/record/seal.hpp"

namespace ricochet::record {

struct ImpactsWriter::Text {
  fmt::memory_buffer buffer;
};

namespace {

constexpr std::size_t fixed_fields = 8;
constexpr std::size_t flush_bytes = std::size_t{1} << 16;

template <class Out>
void number(Out& out, double value) {
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("{:.17g}"), value);
}

template <class Out>
void append_text(Out& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

bool needs_quotes(std::string_view text) {
  return text.find_first_of(",\"\r\n") != text.npos || (!text.empty() && (text.front() == ' ' || text.back() == ' '));
}

/// The lines of a CSV file (RFC 4180), a block of it in memory at a time.
class Lines {
 public:
  explicit Lines(const fs::path& path) : file_(path, O_RDONLY) {}

  /// Takes the text if the file goes on with it; `ended` says that it ended inside of it.
  bool take(std::string_view text, bool& ended) {
    while (block_.size() - at_ < text.size() && more()) continue;
    const std::string_view here = std::string_view(block_).substr(at_, text.size());
    ended = here.size() < text.size() && text.starts_with(here);
    if (here != text) return false;
    at_ += text.size();
    taken_ += text.size();
    return true;
  }
  /// The next line as it stands, with its newline; empty where the file ends before the line does.
  std::string_view next() {
    bool quoted = false;
    for (std::size_t i = at_;; ++i) {
      if (i == block_.size()) {
        i -= at_;  // more() drops what was taken
        if (!more()) return {};
        i += at_;
      }
      if (block_[i] == '"') quoted = !quoted;
      if (block_[i] != '\n' || quoted) continue;
      const std::string_view line = std::string_view(block_).substr(at_, i + 1 - at_);
      at_ += line.size();
      taken_ += line.size();
      return line;
    }
  }
  std::size_t taken() const { return taken_; }

 private:
  bool more() {
    block_.erase(0, std::exchange(at_, 0));
    const std::size_t had = block_.size();
    block_.resize(had + flush_bytes);
    const std::size_t got = file_.read_at(offset_, block_.data() + had, flush_bytes);
    block_.resize(had + got);
    offset_ += got;
    return got > 0;
  }

  File file_;
  std::string block_;
  std::size_t at_ = 0, offset_ = 0, taken_ = 0;
};

void split(std::string_view line, std::vector<std::string>& fields) {
  fields.assign(1, {});
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c != '"')
        fields.back() += c;
      else if (line[i + 1] == '"')
        fields.back() += line[i++];
      else
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
}

/// Behind the header; false where the file ends inside it.
bool pass_header(Lines& lines, const fs::path& path, const std::vector<std::string>& coordinates) {
  bool ended = false;
  if (lines.take(impacts_header(coordinates), ended)) return true;
  if (ended) return false;
  throw RecordError(path, fmt::format("{} does not begin with the columns of this run's impacts", path.string()));
}

void check_size(const File& file, std::size_t bytes) {
  if (file.size() < bytes)
    throw RecordError(file.path(), fmt::format("{} is shorter than its checkpoint says ({} bytes, not {})",
                                               file.path().string(), file.size(), bytes));
}

std::uint64_t sum_of(const File& file, std::size_t bytes) {
  std::uint64_t sum = checksum({});
  std::string block(flush_bytes, '\0');
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t got = file.read_at(at, block.data(), std::min(block.size(), bytes - at));
    if (got == 0) break;  // shorter than it was a moment ago
    sum = checksum(std::string_view(block).substr(0, got), sum);
    at += got;
  }
  return sum;
}

class LineParser {
 public:
  LineParser(const fs::path& path, std::size_t line, std::vector<std::string>& fields)
      : path_(path), line_(line), fields_(fields) {}

  std::string& text() { return fields_[next_++]; }

  template <class Number>
  Number get() {
    return parse<Number>(fields_[next_++]);
  }

  template <class Number>
  Number parse(std::string_view text) const {
    Number value{};
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size())
      throw RecordError(path_, fmt::format("{}:{}: '{}' is not a number", path_.string(), line_, text.substr(0, 40)));
    return value;
  }

  std::vector<double> get(std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = get<double>();
    return values;
  }

 private:
  const fs::path& path_;
  std::size_t line_;
  std::vector<std::string>& fields_;
  std::size_t next_ = 0;
};

Impact parse_impact(LineParser line, std::size_t coordinates) {
  Impact impact;
  impact.n = line.get<std::int64_t>();
  impact.t = line.get<double>();
  impact.step = line.get<std::int64_t>();
  impact.alpha = line.get<double>();
  impact.gaps = std::move(line.text());
  const std::string joined = std::move(line.text());
  for (std::size_t at = 0; at < joined.size();) {
    const std::size_t stop = std::min(joined.find(';', at), joined.size());
    impact.multipliers.push_back(line.parse<double>(std::string_view(joined).substr(at, stop - at)));
    at = stop + 1;
  }
  impact.energy_before = line.get<double>();
  impact.energy_after = line.get<double>();
  impact.q = line.get(coordinates);
  impact.p_minus = line.get(coordinates);
  impact.p_plus = line.get(coordinates);
  return impact;
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (!needs_quotes(text)) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field += '"';
}

std::string impacts_header(const std::vector<std::string>& coordinates) {
  std::string header = "n,t,step,alpha,gap,multiplier,energy_before,energy_after";
  for (const char* prefix : {"q_", "p_minus_", "p_plus_"})
    for (const std::string& name : coordinates) {
      header += ',';
      header += csv_field(prefix + name);
    }
  return header += '\n';
}

ImpactsWriter::ImpactsWriter(const fs::path& path, std::size_t coordinates, std::size_t bytes, std::size_t rows,
                             std::uint64_t sum, bool durable)
    : file_(path, O_WRONLY),
      coordinates_(coordinates),
      bytes_(bytes),
      rows_(rows),
      sum_(sum),
      durable_(durable),
      text_(std::make_unique<Text>()) {
  check_size(file_, bytes);
  file_.truncate(bytes);
  if (::lseek(file_.fd(), static_cast<off_t>(bytes), SEEK_SET) < 0) fail("write", path, errno);
}

ImpactsWriter::ImpactsWriter(ImpactsWriter&&) noexcept = default;
ImpactsWriter::~ImpactsWriter() = default;

void ImpactsWriter::append(const motion::ImpactView& row) {
  if (row.q.size() != coordinates_ || row.p_minus.size() != coordinates_ || row.p_plus.size() != coordinates_)
    throw std::invalid_argument("an impact must come with one q, p_minus and p_plus per coordinate");
  fmt::memory_buffer& out = text_->buffer;
  if (out.size() >= flush_bytes) flush();
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("{},{:.17g},{},{:.17g},"), row.n, row.t, row.step, row.alpha);
  const std::size_t field = out.size();
  for (std::size_t i = 0; i < row.gaps.size(); ++i) {
    if (i > 0) out.push_back('+');
    append_text(out, row.gaps[i]);
  }
  if (const std::string_view joined(out.data() + field, out.size() - field); needs_quotes(joined)) {
    const std::string quoted = csv_field(joined);
    out.resize(field);
    append_text(out, quoted);
  }
  out.push_back(',');
  for (std::size_t i = 0; i < row.multipliers.size(); ++i) {
    if (i > 0) out.push_back(';');
    number(out, row.multipliers[i]);
  }
  for (const double energy : {row.energy_before, row.energy_after}) {
    out.push_back(',');
    number(out, energy);
  }
  for (const auto values : {row.q, row.p_minus, row.p_plus})
    for (const double value : values) {
      out.push_back(',');
      number(out, value);
    }
  out.push_back('\n');
  ++rows_;
  if (out.size() >= flush_bytes) flush();
}

void ImpactsWriter::flush() {
  fmt::memory_buffer& out = text_->buffer;
  if (out.size() == 0) return;
  try {
    iovec part{out.data(), out.size()};
    file_.write({&part, 1});
    if (durable_) file_.sync();
  } catch (const RecordError&) {
    // no half line stays behind
    if (::ftruncate(file_.fd(), static_cast<off_t>(bytes_)) == 0)
      ::lseek(file_.fd(), static_cast<off_t>(bytes_), SEEK_SET);
    throw;
  }
  bytes_ += out.size();
  sum_ = checksum({out.data(), out.size()}, sum_);
  out.clear();
}

bool ImpactsWriter::dirty() const { return text_->buffer.size() > 0; }

ImpactsExtent each_impact(const fs::path& path, const std::vector<std::string>& coordinates, std::size_t stride,
                          const std::function<void(Impact&&)>& visit) {
  Lines lines(path);
  if (!pass_header(lines, path, coordinates)) return {};
  ImpactsExtent extent{0, lines.taken()};
  std::vector<std::string> fields;
  const std::size_t expected = fixed_fields + 3 * coordinates.size();
  for (std::string_view line; !(line = lines.next()).empty(); ++extent.rows, extent.bytes = lines.taken()) {
    if (extent.rows % stride != 0) continue;
    split(line, fields);
    const std::size_t number = extent.rows + 2;  // of the line, for people
    if (fields.size() != expected)
      throw RecordError(
          path, fmt::format("{}:{}: {} fields where {} belong", path.string(), number, fields.size(), expected));
    visit(parse_impact({path, number, fields}, coordinates.size()));
  }
  return extent;
}

void check_impacts(const fs::path& path, const std::vector<std::string>& coordinates, std::size_t bytes,
                   std::uint64_t sum) {
  if (!present(path))
    throw RecordError(
        path, fmt::format("{} is missing, and the run cannot go on without it; run the scene anew", path.string()));
  const File file(path, O_RDWR);
  check_size(file, bytes);
  Lines lines(path);
  char last = '\0';
  if (!pass_header(lines, path, coordinates) || file.read_at(bytes - 1, &last, 1) != 1 || last != '\n')
    throw RecordError(
        path, fmt::format("{} has no end of a line after {} bytes, as its checkpoint says", path.string(), bytes));
  if (sum_of(file, bytes) != sum)
    throw RecordError(path, fmt::format("{} is damaged: its lines are not those that were recorded; run the scene anew",
                                        path.string()));
}

std::vector<Impact> read_impacts(const fs::path& path, const std::vector<std::string>& coordinates) {
  std::vector<Impact> impacts;
  each_impact(path, coordinates, 1, [&](Impact&& impact) { impacts.push_back(std::move(impact)); });
  return impacts;
}

ImpactsExtent count_impacts(const fs::path& path, const std::vector<std::string>& coordinates) {
  Lines lines(path);
  if (!pass_header(lines, path, coordinates)) return {};
  std::size_t rows = 0;
  while (!lines.next().empty()) ++rows;
  return {rows, lines.taken()};
}

}  // namespace ricochet::record
