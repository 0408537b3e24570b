#include "ricochet/record/checkpoint.hpp"

#include <fmt/core.h>

#include <cstring>
#include <string_view>
#include <type_traits>

#include "ricochet/record/record_error.hpp"
#include "ricochet/record/seal.hpp"

namespace ricochet::record {
namespace {

constexpr std::string_view checkpoint_magic = "ricochet checkpoint 3\n";
constexpr std::string_view progress_magic = "ricochet progress 2\n";

class Packer {
 public:
  template <class Value>
  void put(Value value) {
    static_assert(std::is_arithmetic_v<Value> && sizeof(Value) == 8);
    char bytes[8];
    std::memcpy(bytes, &value, 8);
    text.append(bytes, 8);
  }
  void put(std::string_view value) {
    put(std::uint64_t{value.size()});
    text += value;
  }
  template <class Value>
  void put(const std::map<std::string, Value>& values) {
    put(std::uint64_t{values.size()});
    for (const auto& [name, value] : values) {
      put(std::string_view(name));
      put(value);
    }
  }
  void put(const Extent& extent) {
    put(std::uint64_t{extent.rows.size()});
    for (const std::size_t rows : extent.rows) put(rows);
    put(std::string_view(extent.order));
    put(std::uint64_t{extent.sums.size()});
    for (const RowSum& sum : extent.sums) put(sum.full), put(sum.all);
  }
  std::string text;
};

// Every read is bounded by the text; the checksum has been verified before, so running out means another format.
class Unpacker {
 public:
  explicit Unpacker(std::string_view text) : left_(text) {}

  template <class Value>
  void get(Value& value) {
    static_assert(std::is_arithmetic_v<Value> && sizeof(Value) == 8);
    std::memcpy(&value, take(8).data(), 8);
  }
  void get(std::string& value) {
    std::uint64_t size = 0;
    get(size);
    value = take(size);
  }
  template <class Value>
  void get(std::map<std::string, Value>& values) {
    std::uint64_t count = 0;
    get(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string name;
      get(name);
      get(values[name]);
    }
  }
  void get(Extent& extent) {
    std::uint64_t count = 0;
    get(count);
    for (std::uint64_t i = 0; i < count; ++i) get(extent.rows.emplace_back());
    get(extent.order);
    get(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      RowSum& sum = extent.sums.emplace_back();
      get(sum.full), get(sum.all);
    }
  }

 private:
  std::string_view take(std::size_t bytes) {
    if (bytes > left_.size()) throw std::out_of_range("checkpoint");
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }
  std::string_view left_;
};

void write(const fs::path& path, Packer& packer, bool durable) {
  packer.put(checksum(packer.text));
  replace_file(path, packer.text, durable);
}

template <class Content, class Get>
std::optional<Content> read(const fs::path& path, std::string_view magic, Get&& get) {
  if (!present(path)) return std::nullopt;
  const std::string text = read_text(path);
  const auto damaged = [&] {
    return RecordError(path, fmt::format("{} is damaged, or of another version", path.string()));
  };
  if (!text.starts_with(magic) || text.size() < magic.size() + 8) throw damaged();
  const std::string_view body = std::string_view(text).substr(0, text.size() - 8);
  std::uint64_t hash = 0;
  std::memcpy(&hash, text.data() + body.size(), 8);
  if (hash != checksum(body)) throw damaged();
  try {
    Content content;
    get(Unpacker(body.substr(magic.size())), content);
    return content;
  } catch (const std::out_of_range&) {
    throw damaged();
  }
}

}  // namespace

void write_checkpoint(const fs::path& path, const StoredCheckpoint& checkpoint, bool durable) {
  Packer packer;
  packer.text = checkpoint_magic;
  packer.put(checkpoint.user.step);
  packer.put(checkpoint.user.t);
  packer.put(std::string_view(checkpoint.user.state));
  packer.put(checkpoint.user.counters);
  packer.put(checkpoint.extent);
  packer.put(checkpoint.impacts);
  packer.put(checkpoint.impact_bytes);
  packer.put(checkpoint.impact_sum);
  packer.put(checkpoint.not_finite.rows);
  packer.put(checkpoint.not_finite.first_t);
  write(path, packer, durable);
}

std::optional<StoredCheckpoint> read_checkpoint(const fs::path& path) {
  return read<StoredCheckpoint>(path, checkpoint_magic, [](Unpacker unpacker, StoredCheckpoint& checkpoint) {
    unpacker.get(checkpoint.user.step);
    unpacker.get(checkpoint.user.t);
    unpacker.get(checkpoint.user.state);
    unpacker.get(checkpoint.user.counters);
    unpacker.get(checkpoint.extent);
    unpacker.get(checkpoint.impacts);
    unpacker.get(checkpoint.impact_bytes);
    unpacker.get(checkpoint.impact_sum);
    unpacker.get(checkpoint.not_finite.rows);
    unpacker.get(checkpoint.not_finite.first_t);
  });
}

void write_progress(const fs::path& path, const Extent& extent, bool durable) {
  Packer packer;
  packer.text = progress_magic;
  packer.put(extent);
  write(path, packer, durable);
}

std::optional<Extent> read_progress(const fs::path& path) {
  return read<Extent>(path, progress_magic, [](Unpacker unpacker, Extent& extent) { unpacker.get(extent); });
}

}  // namespace ricochet::record
