// Code and expressions as HTML: keywords, numbers, comments, texts and lines of the preprocessor in spans.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lift::report {

enum class TokenKind { space, word, number, comment, text, directive, other };
struct Token {
  TokenKind kind;
  std::string_view text;
};
/// All of `code`, of whatever form, in its order. For C and its kin, the loop language, and expressions.
std::vector<Token> tokens_of(std::string_view code);

/// Of one token, escaped.
std::string highlighted(const Token& token);
std::string highlighted(std::string_view code);

}  // namespace lift::report
