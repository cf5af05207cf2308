#include "report/highlight.hpp"

#include <algorithm>
#include <set>

#include "ir/ascii.hpp"
#include "report/escape.hpp"

namespace lift::report {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

const std::set<std::string_view>& keywords() {
  static const auto& words = *new std::set<std::string_view>{
      // C, OpenCL, CUDA
      "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
      "extern", "float", "for", "if", "inline", "int", "int32_t", "int64_t", "long", "restrict", "return",
      "short", "signed", "size_t", "sizeof", "static", "struct", "switch", "typedef", "uint32_t", "uint64_t",
      "unsigned", "void", "volatile", "while", "__restrict__", "__global", "__local", "__kernel",
      "__global__", "__shared__", "__device__", "barrier",
      // expressions and loops
      "f32", "f64", "i32", "i64", "in", "index", "let", "overwrite", "param", "parallel", "program", "result",
      "select", "size", "vector"};
  return words;
}

/// Where the token ends that begins at `i`.
std::size_t end_of(std::string_view s, std::size_t i, TokenKind& kind) {
  const auto while_ = [&](std::size_t at, auto&& belongs) {
    while (at < s.size() && belongs(s[at])) ++at;
    return at;
  };
  const auto line_end = [&](std::size_t at) { return std::min(s.find('\n', at), s.size()); };
  const bool begins_line = s.substr(0, i).find_last_not_of(" \t") == std::string_view::npos ||
                           s[s.substr(0, i).find_last_not_of(" \t")] == '\n';
  if (is_space(s[i])) return kind = TokenKind::space, while_(i, is_space);
  if (s.substr(i, 2) == "//") return kind = TokenKind::comment, line_end(i);
  if (s.substr(i, 2) == "/*") {
    const std::size_t end = s.find("*/", i + 2);
    return kind = TokenKind::comment, end == std::string_view::npos ? s.size() : end + 2;
  }
  if (s[i] == '#' && begins_line) return kind = TokenKind::directive, line_end(i);
  if (s[i] == '"') {
    std::size_t at = i + 1;
    while (at < s.size() && s[at] != '"' && s[at] != '\n') at += s[at] == '\\' ? 2 : 1;
    return kind = TokenKind::text, std::min(at + 1, s.size());
  }
  if (is_digit(s[i])) {  // with its exponent and suffix; the 0 .. 1 of a range are two
    std::size_t at = while_(i, [](char c) { return is_digit(c) || is_letter(c); });
    if (at + 1 < s.size() && s[at] == '.' && is_digit(s[at + 1]))
      at = while_(at + 1, [](char c) { return is_digit(c) || is_letter(c); });
    if (at + 1 < s.size() && (s[at] == '-' || s[at] == '+') && (s[at - 1] == 'e' || s[at - 1] == 'E') &&
        is_digit(s[at + 1]))
      at = while_(at + 1, [](char c) { return is_digit(c) || is_letter(c); });
    return kind = TokenKind::number, at;
  }
  if (is_letter(s[i]))
    return kind = TokenKind::word, while_(i, [](char c) { return is_letter(c) || is_digit(c); });
  const auto outside_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  return kind = TokenKind::other, outside_ascii(s[i]) ? while_(i, outside_ascii) : i + 1;
}

}  // namespace

std::vector<Token> tokens_of(std::string_view code) {
  std::vector<Token> all;
  for (std::size_t i = 0; i < code.size();) {
    TokenKind kind{};
    const std::size_t end = end_of(code, i, kind);
    all.push_back({kind, code.substr(i, end - i)});
    i = end;
  }
  return all;
}

std::string highlighted(const Token& token) {
  const auto span = [&](const char* name) {
    return "<span class=\"" + std::string(name) + "\">" + escaped(token.text) + "</span>";
  };
  switch (token.kind) {
    case TokenKind::comment:
      return span("comment");
    case TokenKind::number:
      return span("number");
    case TokenKind::text:
      return span("text");
    case TokenKind::directive:
      return span("directive");
    case TokenKind::word:
      return keywords().contains(token.text) ? span("keyword") : escaped(token.text);
    case TokenKind::space:
    case TokenKind::other:
      break;
  }
  return escaped(token.text);
}

std::string highlighted(std::string_view code) {
  std::string out;
  for (const Token& token : tokens_of(code)) out += highlighted(token);
  return out;
}

}  // namespace lift::report
