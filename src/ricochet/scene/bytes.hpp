// Plain numbers to bytes and back, for checkpoints read by the same program on the same machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace ricochet::scene {

class ByteWriter {
 public:
  template <class T>
  void put(T x) {
    static_assert(std::is_arithmetic_v<T>);
    char raw[sizeof(T)];
    std::memcpy(raw, &x, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  template <class List>
  void list(const List& xs) {
    put<std::uint64_t>(static_cast<std::uint64_t>(xs.size()));
    for (const auto& x : xs) put(x);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void get(T& x) {
    static_assert(std::is_arithmetic_v<T>);
    if (bytes_.size() < sizeof(T)) throw std::out_of_range("too short");
    std::memcpy(&x, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
  }
  template <class T>
  T get() {
    T x;
    get(x);
    return x;
  }
  /// Number of entries that follow; each takes at least a byte.
  std::size_t size() {
    const auto n = get<std::uint64_t>();
    if (n > bytes_.size()) throw std::out_of_range("too short");
    return static_cast<std::size_t>(n);
  }
  template <class List>
  void list(List& xs) {
    xs.resize(static_cast<decltype(xs.size())>(size()));
    for (auto& x : xs) get(x);
  }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace ricochet::scene
