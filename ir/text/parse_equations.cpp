// Equations of a file of rules: fuse-pair: map(f) |> map(g) = map(f |> g)
#include <algorithm>

#include "ir/text/syntax_parser.hpp"

namespace lift::syntax {
namespace {

constexpr std::int64_t kMostChoices = 16;  ///< of a parameter

}  // namespace

Equations Parser::equations() {
  Equations all;
  all.source = source_;
  while (now_.kind != Token::Kind::End) {
    if (now_.is_word("def")) {
      const std::size_t at = now_.begin;
      advance();
      all.definitions.push_back(definition());
      all.definitions.back().at = at;
      continue;
    }
    all.equations.push_back(equation());
  }
  return all;
}

/// fuse-pair: words with hyphens between them, nothing else.
std::string Parser::equation_name() {
  if (now_.kind != Token::Kind::Name || now_.quoted)
    fail("expected the name of a rule, as in fuse-pair: map(f) |> map(g) = map(f |> g), found " +
         now_.shown() + (now_.is("=") || now_.is("|>") ? "; an operator may be missing before it" : ""));
  std::string name;
  for (;;) {
    if ((now_.kind != Token::Kind::Name || now_.quoted) && (name.empty() || now_.kind != Token::Kind::Number))
      fail("expected the next word of the rule's name after '" + name + "', found " + now_.shown());
    name += now_.text;
    advance();
    if (!now_.is("-") || now_.begin != before_) return name;
    name += "-";
    advance();
  }
}

/// k in {8, 16, 32}, or k in 2 .. 5
Equation::Parameter Parser::equation_parameter() {
  Equation::Parameter p;
  p.at = now_.begin;
  p.name = name("the parameter's name");
  if (!now_.is_word("in"))
    fail("expected 'in' and what " + p.name + " may be, {8, 16} or 2 .. 5, found " + now_.shown());
  advance(true);
  const std::size_t at = now_.begin;
  const auto value = [&] {
    const std::size_t here = now_.begin;
    const std::int64_t n = integer("a value of " + p.name);
    if (n < 1 || n > 999999999) source_->fail(here, "the values of a rule's parameter are 1 to 999999999");
    p.choices.push_back(n);
  };
  if (accept("{")) {
    do value();
    while (accept(","));
    expect("}", "after the last value");
  } else {
    value();
    expect("..", "and the greatest value; single values are written {8, 16}");
    value();
    const std::int64_t low = p.choices[0], high = p.choices[1];
    if (low > high) source_->fail(at, "the least value comes first: 2 .. 5");
    p.choices.clear();
    for (std::int64_t n = low; n <= high && n - low <= kMostChoices; ++n) p.choices.push_back(n);
  }
  if (static_cast<std::int64_t>(p.choices.size()) > kMostChoices)
    source_->fail(at, "each value makes a program of its own; give at most " + std::to_string(kMostChoices) +
                          ", as in {8, 32, 128}");
  return p;
}

Equation Parser::equation() {
  Equation e;
  e.at = now_.begin;
  e.name = equation_name();
  if (accept("(")) {
    do e.parameters.push_back(equation_parameter());
    while (accept(","));
    expect(")", "after the last parameter");
  }
  if (now_.is_word("approximately")) {
    e.approximately = true;
    advance();
  }
  expect(":", "after the name of the rule");
  e.left_at = now_.begin;
  e.left = term();
  expect("=", "between the sides of the rule " + e.name);
  e.right = term();
  e.end = before_;
  return e;
}

Equations parse_equations(const std::shared_ptr<const Source>& source) { return Parser(source).equations(); }

}  // namespace lift::syntax
