#include "ir/expr/c_text.hpp"

#include <algorithm>

#include "ir/ascii.hpp"

namespace lift {
namespace {

/// Reads a text once, from the left.
class BodyReader {
 public:
  explicit BodyReader(std::string_view text) : text_(text) {}

  std::optional<std::string> complaint() {
    while (at_ < text_.size() && !why_) step();
    if (!why_ && !open_.empty()) why_ = std::string("a '") + open_.back() + "' is not closed";
    return why_;
  }

 private:
  bool next_is(std::string_view s) const { return text_.substr(at_, s.size()) == s; }
  void fail(std::string why) { why_ = std::move(why); }

  void step() {
    for (const std::string_view s : {"??", "<:", ":>", "<%", "%>", "%:"})
      if (next_is(s)) return fail("it holds '" + std::string(s) + "', another spelling of a character");
    if (next_is("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    if (next_is("/*")) return comment();
    const char c = text_[at_];
    if (c == '"' || c == '\'') return quoted(c);
    if (c == '#') return fail("it holds a '#'; lines for the preprocessor are not allowed");
    if (c == '(' || c == '[' || c == '{') open_ += c;
    if (c == ')' || c == ']' || c == '}') {
      const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open_.empty() || open_.back() != wanted)
        return fail(std::string("a '") + c + "' closes what it did not open");
      open_.pop_back();
    }
    ++at_;
  }
  void comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string::npos) return fail("a comment is not closed");
    at_ = end + 2;
  }
  void quoted(char quote) {
    if (at_ > 0 && in_word(text_[at_ - 1])) return fail("a quote follows a letter or digit");
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\n') return fail("a string is not closed in its line");
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) return fail("a string is not closed");
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;
  std::optional<std::string> why_;
};

/// A backslash with nothing but blanks behind it in its line.
bool has_continued_line(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('\\', at)) != std::string_view::npos; ++at) {
    const std::size_t next = text.find_first_not_of(" \t\v\f\r", at + 1);
    if (next == std::string_view::npos || text[next] == '\n') return true;
  }
  return false;
}

}  // namespace

bool is_c_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), in_word) && !is_digit(text[0]);
}

std::optional<std::string> why_no_function_body(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "it holds a zero byte";
  if (has_continued_line(text)) return "a line ends with a backslash";
  if (text.find("__attribute__") != std::string_view::npos) return "it holds an __attribute__";
  return BodyReader(text).complaint();
}

}  // namespace lift
