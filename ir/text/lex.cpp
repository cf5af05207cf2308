#include "ir/text/lex.hpp"

#include <charconv>
#include <cmath>

#include "ir/ascii.hpp"

namespace lift {
namespace {

class Lexer {
 public:
  Lexer(const Source& source, std::size_t at, bool integers)
      : source_(source), text_(source.text()), at_(at), integers_(integers) {}

  Token next() {
    skip();
    t_.begin = at_;
    if (at_ < text_.size()) read(text_[at_]);
    t_.end = at_;
    return t_;
  }

 private:
  char peek(std::size_t further = 0) const {
    return at_ + further < text_.size() ? text_[at_ + further] : '\0';
  }

  /// White space and comments.
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
        ++at_;
      else if (c == '/' && peek(1) == '/')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (c == '/' && peek(1) == '*')
        source_.fail(at_, "a comment begins with // and ends with its line");
      else
        return;
    }
  }

  void read(char c) {
    if (is_letter(c)) return name();
    if (is_digit(c)) return number();
    if (c == '"') return quoted_text();
    if (c == '`') return quoted_name();
    if (c == '?' && is_letter(peek(1))) {
      ++at_;
      name();
      t_.kind = Token::Kind::Hole;
      return;
    }
    sign();
  }

  void name() {
    t_.kind = Token::Kind::Name;
    while (is_letter(peek()) || is_digit(peek())) t_.text += text_[at_++];
    while (peek() == '\'') t_.text += text_[at_++];
  }

  void number() {
    t_.kind = Token::Kind::Number, t_.integer = true;
    const std::size_t begin = at_;
    const auto digits = [&] {
      while (is_digit(peek())) ++at_;
    };
    digits();
    if (!integers_) {
      if (peek() == '.' && is_digit(peek(1))) ++at_, digits(), t_.integer = false;
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign))) at_ += sign, digits(), t_.integer = false;
    }
    t_.text = text_.substr(begin, at_ - begin);
    const auto read = std::from_chars(t_.text.data(), t_.text.data() + t_.text.size(), t_.number);
    if (read.ec != std::errc() || !std::isfinite(t_.number))
      source_.fail(begin,
                   "the number " + shortened(t_.text) + " is out of range; write one that a f64 can hold");
    if (!integers_) suffix();
    if (is_letter(peek()) && !integers_)
      source_.fail(at_, "letters follow the number " + shortened(t_.text) +
                            "; put a space or an operator between them");
  }

  /// f of f32, u8 and i64 of whole numbers.
  void suffix() {
    for (const auto& [text, type] : {std::pair{"f", Scalar::f32}, {"u8", Scalar::u8}, {"i64", Scalar::i64}}) {
      const std::size_t n = std::string_view(text).size();
      if (text_.compare(at_, n, text) != 0 || is_letter(peek(n)) || is_digit(peek(n))) continue;
      if (type != Scalar::f32 && !(t_.integer && has_literal(type, t_.number)))
        source_.fail(
            at_, "the number " + shortened(t_.text) + " is no " + text + "; whole numbers of " +
                     (type == Scalar::u8 ? "0 to 255 are" : "up to 2^53 are, and what is computed of them"));
      at_ += n, t_.suffix = type, t_.integer = t_.integer && type != Scalar::f32;
      return;
    }
  }

  void quoted_text() {
    t_.kind = Token::Kind::Text;
    for (++at_; peek() != '"'; ++at_) {
      if (at_ >= text_.size()) source_.fail(t_.begin, "this text has no end; close it with \"");
      if (peek() != '\\') {
        t_.text += text_[at_];
        continue;
      }
      ++at_;
      const char c = peek();
      if (c != 'n' && c != '"' && c != '\\')
        source_.fail(at_ - 1, "unknown escape in a text; there are \\n, \\\" and \\\\");
      t_.text += c == 'n' ? '\n' : c;
    }
    ++at_;
  }

  void quoted_name() {
    t_.kind = Token::Kind::Name, t_.quoted = true;
    for (++at_; peek() != '`'; ++at_) {
      if (at_ >= text_.size() || peek() == '\n')
        source_.fail(t_.begin, "this quoted name has no end; close it with `");
      t_.text += text_[at_];
    }
    if (t_.text.empty()) source_.fail(t_.begin, "an empty name; write it between backquotes");
    ++at_;
  }

  void sign() {
    t_.kind = Token::Kind::Sign;
    static const char* const signs[] = {"|>", "||", "&&", "==", "!=", "<=", ">=", "->", "..", "\\", "(",
                                        ")",  "[",  "]",  "{",  "}",  ",",  ".",  ":",  "=",  "<",  ">",
                                        "+",  "-",  "*",  "/",  "%",  "!",  "|",  "$",  "?"};
    for (const char* s : signs)
      if (text_.compare(at_, std::char_traits<char>::length(s), s) == 0) {
        t_.text = s;
        at_ += t_.text.size();
        return;
      }
    const auto byte = static_cast<unsigned char>(text_[at_]);
    source_.fail(
        at_,
        byte >= 0x20 && byte < 0x7F
            ? std::string("the sign '") + text_[at_] + "' has no meaning here; " + in_place_of(text_[at_])
            : "a character that is not part of the language; names are of letters, digits and _");
  }

  /// What is written for a sign of other languages.
  static const char* in_place_of(char sign) {
    switch (sign) {
      case '#':
        return "a comment begins with //";
      case ';':
        return "nothing is needed at the end of a declaration";
      case '&':
        return "both conditions hold where a && b";
      case '^':
        return "a power is pow(x, 3), or x * x * x";
      case '~':
        return "the negation of a condition is !a";
      case '\'':
        return "texts stand between \"";
      default:
        return "see docs/lift-language.md";
    }
  }

  static std::string shortened(const std::string& s) { return s.size() <= 40 ? s : s.substr(0, 37) + "..."; }

  const Source& source_;
  const std::string& text_;
  std::size_t at_;
  bool integers_;
  Token t_;
};

}  // namespace

std::string Token::shown() const {
  const std::string short_text = text.size() <= 40 ? text : text.substr(0, 37) + "...";
  switch (kind) {
    case Kind::End:
      return "the end of the text";
    case Kind::Text:
      return "a text";
    case Kind::Hole:
      return "'?" + short_text + "'";
    default:
      return "'" + short_text + "'";
  }
}

Token lex(const Source& source, std::size_t at, bool integers) { return Lexer(source, at, integers).next(); }

bool is_plain_name(const std::string& name) {
  const std::size_t letters = name.find_last_not_of('\'') + 1;
  if (letters == 0 || !is_letter(name[0])) return false;
  for (std::size_t i = 1; i < letters; ++i)
    if (!is_letter(name[i]) && !is_digit(name[i])) return false;
  return true;
}

}  // namespace lift
