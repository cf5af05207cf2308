// Declarations of a file: program, size, param, index, overwrite, def, user, result.
#include <algorithm>

#include "ir/text/near.hpp"
#include "ir/text/syntax_parser.hpp"

namespace lift::syntax {
namespace {

constexpr const char* kDeclarations[] = {"program",   "size", "param", "index",
                                         "overwrite", "def",  "user",  "result"};
constexpr const char* kData[] = {"wave", "random", "raw", "npy"};

template <std::size_t n>
bool is_one_of(const char* const (&words)[n], const std::string& text) {
  return std::find(words, words + n, text) != words + n;
}
template <std::size_t n>
std::string nearest_of(const char* const (&words)[n], const std::string& text) {
  return nearest(text, {words, words + n});
}

}  // namespace

File Parser::file() {
  File f;
  f.source = source_;
  while (now_.kind != Token::Kind::End) f.declarations.push_back(declaration());
  return f;
}

Declaration Parser::declaration() {
  const Token first = now_;
  const bool known = first.kind == Token::Kind::Name && !first.quoted && is_one_of(kDeclarations, first.text);
  if (!known) {
    const std::string near = first.kind == Token::Kind::Name ? nearest_of(kDeclarations, first.text) : "";
    fail("expected a declaration (program, size, param, index, overwrite, def, user or result), found " +
         first.shown() +
         (near.empty() ? "; an operator may be missing before it" : "; did you mean '" + near + "'?"));
  }
  advance();
  Declaration d = first.text == "size"     ? size()
                  : first.text == "param"  ? param()
                  : first.text == "index"  ? index()
                  : first.text == "def"    ? definition()
                  : first.text == "user"   ? user()
                  : first.text == "result" ? result()
                                           : Declaration{};
  if (first.text == "program") names(d, "the program's name");
  if (first.text == "overwrite") d.kind = Declaration::Kind::Overwrite, names(d, "a parameter");
  d.at = first.begin;
  return d;
}

void Parser::names(Declaration& d, const std::string& what) {
  do {
    const std::size_t at = now_.begin;
    d.names.emplace_back(name(what), at);
  } while (accept(","));
}

/// size n, m = 4096 where n >= 3, n mod 4 = 0
Declaration Parser::size() {
  Declaration d;
  d.kind = Declaration::Kind::Size;
  names(d, "a size");
  if (accept("=")) d.value = integer("the size's value");
  if (!now_.is_word("where")) return d;
  do advance(), condition(d);
  while (now_.is(","));
  return d;
}

void Parser::condition(Declaration& d) {
  const std::size_t at = now_.begin;
  const std::string n = name("the size's name");
  if (std::none_of(d.names.begin(), d.names.end(), [&](const auto& x) { return x.first == n; }))
    source_->fail(at, "'" + n + "' is not declared in this line; a condition is on the size that it follows");
  if (accept(">=")) {
    as_integers();
    if (now_.kind != Token::Kind::Number && now_.kind != Token::Kind::Name && !now_.is("(") && !now_.is("-"))
      fail("expected the least value, a whole number or a formula of sizes, found " + now_.shown());
    d.least = infix_from(kSums);
    return;
  }
  if (!now_.is_word("mod")) fail("expected '>=' or 'mod', found " + now_.shown());
  advance();
  d.modulus = integer("the divisor");
  if (d.modulus < 1 || d.modulus > 1000000)
    source_->fail(at, "the divisor " + std::to_string(d.modulus) + " makes no sense; use 1 to 1000000");
  if (!accept("==")) expect("=", "and the remainder");
  d.residue = integer("the remainder");
  if (d.residue < 0 || d.residue >= d.modulus)
    source_->fail(at, "no number leaves the remainder " + std::to_string(d.residue) + "; use 0 to " +
                          std::to_string(d.modulus - 1));
}

/// param phi, rhs : n.n.f64 = wave(1, 0.3)
Declaration Parser::param() {
  Declaration d;
  d.kind = Declaration::Kind::Param;
  names(d, "a parameter");
  expect(":", "and the parameter's type");
  d.type = type();
  if (accept("=")) data(d);
  return d;
}

double Parser::signed_number(const std::string& what) {
  const bool negative = accept("-");
  if (now_.kind != Token::Kind::Number) fail("expected " + what + ", found " + now_.shown());
  const double v = now_.number;
  advance();
  return negative ? -v : v;
}

void Parser::data(Declaration& d) {
  d.data_at = now_.begin;
  if (now_.kind != Token::Kind::Name) {
    d.words = {"number"};
    d.numbers = {signed_number("the parameter's data: a number, wave, random, raw \"FILE\" or npy \"FILE\"")};
    return;
  }
  if (!is_one_of(kData, now_.text)) {
    const std::string near = nearest_of(kData, now_.text);
    fail("no such data: " + now_.shown() + (near.empty() ? "" : "; did you mean '" + near + "'?") +
         "; there are a number, wave, random, raw \"FILE\" and npy \"FILE\"");
  }
  d.words = {now_.text};
  advance();
  if (d.words[0] == "raw" || d.words[0] == "npy") {
    if (now_.kind != Token::Kind::Text) fail("expected the file's name in quotes, found " + now_.shown());
    d.text = now_.text;
    advance();
    return;
  }
  if (!accept("(")) return;
  do d.numbers.push_back(signed_number("a number"));
  while (accept(","));
  expect(")", "after the last number");
  const bool right =
      d.words[0] == "wave" ? d.numbers.size() == 2 : d.numbers.size() == 1 || d.numbers.size() == 3;
  if (!right)
    source_->fail(d.data_at, d.words[0] == "wave"
                                 ? "wave takes a mean and an amplitude: wave(1, 0.3)"
                                 : "random takes a seed, or a seed and a range: random(7), random(7, 0, 1)");
}

/// index color in 0 .. 1 = 0
Declaration Parser::index() {
  Declaration d;
  d.kind = Declaration::Kind::Index;
  names(d, "an index");
  if (!now_.is_word("in")) fail("expected 'in' and the index's range such as 0 .. 1, found " + now_.shown());
  advance(true);
  d.lower = integer("the least value");
  const std::size_t at = now_.begin;
  expect("..", "and the greatest value");
  d.upper = integer("the greatest value");
  if (d.lower > d.upper || d.lower < -2147483647 || d.upper > 2147483647)
    source_->fail(at, "an index of this range has no i32 values; write LEAST .. GREATEST");
  if (!accept("=")) return d;
  const std::size_t value_at = now_.begin;
  d.value = integer("the index's value");
  if (*d.value < d.lower || *d.value > d.upper)
    source_->fail(value_at, "the value " + std::to_string(*d.value) + " lies outside the index's range");
  return d;
}

/// def mean(w) = (w[0] + w[1]) / 2
Declaration Parser::definition() {
  Declaration d;
  d.kind = Declaration::Kind::Definition;
  d.names.emplace_back("", now_.begin);
  d.names[0].first = name("the definition's name");
  if (accept("(")) {
    do d.binders.push_back(binder());
    while (accept(","));
    expect(")", "after the last parameter");
  }
  expect("=", "and what is defined");
  d.body = term();
  return d;
}

/// user square(x : f64) : f64 = "return x * x;"
Declaration Parser::user() {
  Declaration d;
  d.kind = Declaration::Kind::User;
  d.names.emplace_back("", now_.begin);
  d.names[0].first = name("the function's name");
  expect("(", "and the parameters");
  if (!accept(")")) {
    do {
      Binder b;
      b.at = now_.begin;
      b.name = name("a parameter");
      expect(":", "and the parameter's type");
      b.type = type();
      if (b.type->kind != Type::Kind::Scalar)
        source_->fail(b.type->at,
                      "parameters of a C function are scalars; use f32, f64, i32, i64, u8 or bool");
      d.binders.push_back(std::move(b));
    } while (accept(","));
    expect(")", "after the last parameter");
  }
  expect(":", "and the result's type");
  d.type = type();
  if (d.type->kind != Type::Kind::Scalar)
    source_->fail(d.type->at, "the result of a C function is a scalar; use f32, f64, i32, i64, u8 or bool");
  expect("=", "and the C text between the function's braces");
  if (now_.kind != Token::Kind::Text)
    fail("expected a text such as \"return x * x;\", found " + now_.shown() +
         "; for a function in this language use def");
  d.text = now_.text;
  advance();
  return d;
}

/// result out : n.f64 = ...
Declaration Parser::result() {
  Declaration d;
  d.kind = Declaration::Kind::Result;
  if (now_.kind == Token::Kind::Name) names(d, "the result's name");
  if (accept(":")) d.type = type();
  expect("=", "and the expression that computes the result");
  d.body = term();
  return d;
}

File parse_file(const std::shared_ptr<const Source>& source) { return Parser(source).file(); }

}  // namespace lift::syntax
