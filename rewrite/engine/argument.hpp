// Arguments of rules: numbers stay numbers from the decision that chose them to the loops that they become;
// they are text where a derivation is read or written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lift {

/// A natural number of at most nine digits, or a word.
class Argument {
 public:
  Argument(std::int64_t number) : value_(number) {}
  Argument(int number) : value_(std::int64_t{number}) {}
  Argument(std::size_t number) : value_(static_cast<std::int64_t>(number)) {}
  /// As a derivation spells it: digits are a number.
  Argument(const std::string& text);
  Argument(const char* text) : Argument(std::string(text)) {}

  bool is_number() const { return std::holds_alternative<std::int64_t>(value_); }
  /// InternalError for a word.
  std::int64_t number() const;
  std::string str() const;
  friend bool operator==(const Argument&, const Argument&) = default;

 private:
  std::variant<std::int64_t, std::string> value_;
};
using Arguments = std::vector<Argument>;

}  // namespace lift
