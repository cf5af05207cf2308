// Numbers as text and back, the same in every locale: printf, strtod and streams follow the one that the host
// program has set, <charconv> and fmt do not. The test `locale` checks that nothing else is used.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lift {

/// The number at the beginning of a text, without blanks before it.
template <class T>
std::optional<T> leading_number(std::string_view text) {
  T n{};
  return std::from_chars(text.data(), text.data() + text.size(), n).ec == std::errc{} ? std::optional(n)
                                                                                      : std::nullopt;
}

/// The number that a text is, and nothing else.
template <class T>
std::optional<T> read_number(std::string_view text) {
  T n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(n) : std::nullopt;
}

/// With as few digits, 6 at least, as are read back as the same number; "inf" and "nan" too.
template <class T>
std::string exact_text(T v) {
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    text = fmt::format("{:.{}g}", v, digits);
    if (read_number<T>(text) == v) break;
  }
  return text;
}

/// The words of a text, which blanks separate.
std::vector<std::string> words_of(std::string_view text);

}  // namespace lift
