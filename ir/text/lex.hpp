// Words, numbers and signs of the language.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/expr/type.hpp"
#include "ir/text/source.hpp"

namespace lift {

struct Token {
  enum class Kind : std::uint8_t { End, Name, Hole, Number, Text, Sign } kind = Kind::End;
  std::string text;  ///< a name without quotes, a sign, the contents of a text
  std::size_t begin = 0, end = 0;
  double number = 0;             ///< Number
  bool integer = false;          ///< written without point and exponent
  std::optional<Scalar> suffix;  ///< its type, where that is written: 2.0f, 3u8, 5i64
  bool quoted = false;           ///< a name between backquotes, which is never a word of the language
  bool is(const char* sign) const { return kind == Kind::Sign && text == sign; }
  bool is_word(const char* word) const { return kind == Kind::Name && !quoted && text == word; }
  std::string shown() const;  ///< for messages
};

/// The token that begins at or after `at`. With `integers`, a number is its leading digits only: of 64.66.f64
/// and x.0.1.
Token lex(const Source& source, std::size_t at, bool integers = false);

/// Whether a name can be written without quotes, apart from being a word of the language.
bool is_plain_name(const std::string& name);

}  // namespace lift
