// Numbers, addresses and texts as bytes, for messages to a worker (worker.hpp), which is the same program.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "ir/error.hpp"

namespace lift {

template <class T>
std::string bytes_of_value(const T& x) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(&x), sizeof x};
}
/// Without its length: the last of a message.
inline std::string bytes_of_value(const std::string& x) { return x; }
/// With its length.
inline std::string bytes_of_text(const std::string& x) { return bytes_of_value(x.size()) + x; }

/// Reads what was put into bytes, in that order.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T x;
    std::memcpy(&x, next(sizeof x), sizeof x);
    return x;
  }
  std::string take_text() {
    const auto length = take<std::size_t>();
    return {next(length), length};
  }
  std::string rest() const { return std::string(bytes_); }

 private:
  const char* next(std::size_t bytes) {
    if (bytes_.size() < bytes) throw InternalError("worker: a message is too short");
    const char* at = bytes_.data();
    bytes_.remove_prefix(bytes);
    return at;
  }
  std::string_view bytes_;
};

}  // namespace lift
