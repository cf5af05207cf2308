#include "rewrite/engine/argument.hpp"

#include <algorithm>

#include "ir/ascii.hpp"
#include "ir/error.hpp"

namespace lift {

Argument::Argument(const std::string& text) : value_(text) {
  if (!text.empty() && text.size() <= 9 && std::all_of(text.begin(), text.end(), is_digit))
    value_ = std::int64_t{std::stoll(text)};
}

std::int64_t Argument::number() const {
  if (const auto* n = std::get_if<std::int64_t>(&value_)) return *n;
  throw InternalError("a rule takes the word '" + std::get<std::string>(value_) + "' for a number");
}

std::string Argument::str() const {
  const auto* n = std::get_if<std::int64_t>(&value_);
  return n ? std::to_string(*n) : std::get<std::string>(value_);
}

}  // namespace lift
