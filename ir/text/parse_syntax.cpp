// Text to syntax, by recursive descent with precedence climbing. Nesting is bounded, so that no text
// overflows the stack.
#include <algorithm>
#include <map>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/lex.hpp"
#include "ir/text/near.hpp"
#include "ir/text/syntax_parser.hpp"
#include "ir/text/words.hpp"

namespace lift::syntax {
namespace {

constexpr int kNesting = 600;  ///< of parentheses, functions and the like
constexpr int kDepth = 600;    ///< of the whole tree: also chains a + b + ... and pipes

struct Sign {
  int level;
  bool right = false;  ///< a $ b $ c is a $ (b $ c)
  bool chains = true;  ///< comparisons do not
  Term::Kind kind = Term::Kind::Infix;
};
/// What may stand between two terms, from loosest to tightest.
const Sign* infix(const Token& t) {
  using K = Term::Kind;
  static const auto& signs = *new std::map<std::string, Sign>{{"$", {1, true, true, K::Apply}},
                                                              {"|>", {2, false, true, K::Pipe}},
                                                              {"|", {2, false, true, K::Pipe}},
                                                              {"||", {3}},
                                                              {"&&", {4}},
                                                              {"==", {5, false, false}},
                                                              {"!=", {5, false, false}},
                                                              {"<", {5, false, false}},
                                                              {"<=", {5, false, false}},
                                                              {">", {5, false, false}},
                                                              {">=", {5, false, false}},
                                                              {"+", {Parser::kSums}},
                                                              {"-", {Parser::kSums}},
                                                              {"*", {7}},
                                                              {"/", {7}},
                                                              {"%", {7}}};
  static const Sign mod{7}, compose{8, true, true, K::Compose};
  if (t.is_word("mod")) return &mod;
  if (t.is_word("o")) return &compose;
  if (t.kind != Token::Kind::Sign) return nullptr;
  const auto it = signs.find(t.text);
  return it == signs.end() ? nullptr : &it->second;
}

/// map_vec, scan_seq, band and the like: the only names that <...> follows.
bool takes_decisions(const Token& t) {
  if (t.kind != Token::Kind::Name || t.quoted) return false;
  const auto p = primitive(t.text);
  return p && (p->op == Op::Band || !loop_options(p->op).empty());
}
/// Before which argument of pad and gather a boundary condition stands; none of others.
std::optional<std::size_t> before_boundary(const Token& t) {
  if (t.kind != Token::Kind::Name || t.quoted) return std::nullopt;
  const auto p = primitive(t.text);
  if (p && p->op == Op::Pad) return 2;
  return p && p->op == Op::Gather ? std::optional(static_cast<std::size_t>(p->rank)) : std::nullopt;
}
bool is_boundary(const Token& t) {
  if (t.kind != Token::Kind::Name || t.quoted) return false;
  for (int b = 0; b <= static_cast<int>(Boundary::undefined); ++b)
    if (t.text == text(static_cast<Boundary>(b))) return true;
  return false;
}

}  // namespace

Parser::Parser(std::shared_ptr<const Source> source) : source_(std::move(source)) { now_ = lex(*source_, 0); }

void Parser::advance(bool integers) {
  before_ = now_.end;
  now_ = lex(*source_, now_.end, integers);
}
/// The same token again, for places where a number is digits only.
void Parser::as_integers() { now_ = lex(*source_, now_.begin, true); }

bool Parser::accept(const char* sign) {
  if (!now_.is(sign)) return false;
  advance();
  return true;
}
void Parser::expect(const char* sign, const std::string& where) {
  if (!accept(sign)) fail("expected '" + std::string(sign) + "' " + where + ", found " + now_.shown());
}
std::string Parser::name(const std::string& what) {
  if (now_.kind != Token::Kind::Name) fail("expected " + what + ", found " + now_.shown());
  if (!now_.quoted && is_reserved(now_.text))
    fail("'" + now_.text + "' is a word of the language and cannot be " + what +
         "; choose another name, or quote it: `" + now_.text + "`");
  const std::string n = now_.text;
  advance();
  return n;
}
std::int64_t Parser::integer(const std::string& what) {
  const bool negative = accept("-");
  as_integers();
  if (now_.kind != Token::Kind::Number) fail("expected " + what + ", a whole number, found " + now_.shown());
  if (now_.number > 1e15)
    fail("the number " + now_.text + " is too large for " + what + "; use at most 10^15");
  const auto v = static_cast<std::int64_t>(now_.number);
  advance();
  return negative ? -v : v;
}

TermPtr Parser::made(Term t) const {
  for (const TermPtr& p : t.parts) t.depth = std::max(t.depth, p->depth + 1);
  if (t.depth > kDepth)
    source_->fail(t.at, "this expression is nested more than " + std::to_string(kDepth) +
                            " deep; name parts of it with let or def, or use reduce for long sums");
  return std::make_shared<const Term>(std::move(t));
}
TermPtr Parser::with_parts(Term::Kind kind, std::size_t at, std::vector<TermPtr> parts,
                           std::string text) const {
  Term t;
  t.kind = kind, t.at = at, t.parts = std::move(parts), t.text = std::move(text);
  return made(std::move(t));
}

Parser::Nested::Nested(Parser& p) : depth_(p.nesting_) {
  if (++depth_ > kNesting) {
    --depth_;
    p.fail("more than " + std::to_string(kNesting) + " levels of nesting; name parts of it with let or def");
  }
}

// ---- terms

TermPtr Parser::term() {
  const Nested nested(*this);
  if (now_.is("\\")) return lambda();
  if (now_.is_word("let")) return let();
  return infix_from(1);
}

TermPtr Parser::infix_from(int level) {
  const Nested nested(*this);
  TermPtr left = prefix();
  while (const Sign* sign = infix(now_)) {
    if (sign->level < level) break;
    const Token op = now_;
    advance();
    // A function or a let extends to the right as far as it can, also as the last operand.
    TermPtr right = now_.is("\\") || now_.is_word("let")
                        ? term()
                        : infix_from(sign->right ? sign->level : sign->level + 1);
    left = with_parts(sign->kind, op.begin, {left, right}, op.text);
    const Sign* next = infix(now_);
    if (!sign->chains && next && next->level == sign->level)
      fail("a comparison does not chain; write a < b && b < c");
  }
  return left;
}

TermPtr Parser::prefix() {
  if (!now_.is("-") && !now_.is("!")) return postfix();
  const Nested nested(*this);
  const Token op = now_;
  advance();
  const bool number = now_.kind == Token::Kind::Number || now_.is_word("inf") || now_.is_word("nan");
  TermPtr operand = prefix();
  if (op.is("-") && number && operand->kind == Term::Kind::Number) {  // -1.0 is a number, -(1.0) an operation
    Term t = *operand;
    t.number = -t.number, t.at = op.begin;
    return made(std::move(t));
  }
  return with_parts(Term::Kind::Prefix, op.begin, {operand}, op.text);
}

TermPtr Parser::postfix() {
  const Token first = now_;
  TermPtr t = primary();
  for (;;) {
    const std::size_t at = now_.begin;
    if (now_.is("(")) {
      t = call(t, first);
    } else if (now_.is("<") && takes_decisions(first) && t->kind == Term::Kind::Name) {
      t = decided(t);
    } else if (now_.is("[")) {
      advance();
      std::vector<TermPtr> parts = list("]", "after the positions");
      parts.insert(parts.begin(), t);
      t = with_parts(Term::Kind::At, at, std::move(parts));
    } else if (now_.is(".")) {
      advance(true);
      Term get;
      get.kind = Term::Kind::Get, get.at = at, get.parts = {t};
      get.index = integer("the component's number");
      if (get.index > 10000)
        source_->fail(at,
                      "no tuple has a component " + std::to_string(get.index) + "; components count from 0");
      t = made(std::move(get));
    } else {
      return t;
    }
  }
}

/// Terms up to the closing sign, which is consumed; at least one.
std::vector<TermPtr> Parser::list(const char* close, const std::string& where) {
  std::vector<TermPtr> parts;
  do parts.push_back(term());
  while (accept(","));
  expect(close, where);
  return parts;
}

TermPtr Parser::primary() {
  const std::size_t at = now_.begin;
  switch (now_.kind) {
    case Token::Kind::Number:
      return number();
    case Token::Kind::Hole: {
      const std::string n = now_.text;
      advance();
      return with_parts(Term::Kind::Hole, at, {}, n);
    }
    case Token::Kind::Name: {
      if (now_.is_word("inf") || now_.is_word("nan")) return number();
      if (now_.is_word("in") || now_.is_word("mod"))
        fail("expected an expression, found the word " + now_.shown());
      Term t;
      t.text = now_.text, t.at = at, t.index = now_.quoted;
      if (now_.is_word("if")) {
        advance();
        if (now_.kind == Token::Kind::Name || now_.kind == Token::Kind::Number)
          fail("there is no 'if'; write select(condition, a, b)");
      } else {
        advance();
      }
      return made(std::move(t));
    }
    default:
      break;
  }
  if (now_.is("(")) return enclosed();
  if (now_.is("{")) {
    advance();
    return with_parts(Term::Kind::Tuple, at, list("}", "after the last component"));
  }
  if (now_.is("\\")) fail("put the function in parentheses here: (\\x. ...)");
  if (now_.is("[")) {
    advance();
    return with_parts(Term::Kind::Array, at, list("]", "after the last element"));
  }
  fail("expected an expression, found " + now_.shown() +
       (now_.is("*") ? "; a power is pow(x, 3), or x * x * x" : ""));
}

TermPtr Parser::number() {
  Term t;
  t.kind = Term::Kind::Number, t.at = now_.begin;
  if (now_.kind == Token::Kind::Name) {
    t.number = now_.is_word("inf") ? __builtin_inf() : __builtin_nan("");
    advance();
    return made(std::move(t));
  }
  t.number = now_.number, t.integer = now_.integer, t.suffix = now_.suffix, t.text = now_.text;
  advance();
  return made(std::move(t));
}

/// (term), or (a, b): a number for each dimension.
TermPtr Parser::enclosed() {
  const std::size_t at = now_.begin;
  advance();
  std::vector<TermPtr> parts = list(")", "to close the parenthesis");
  if (parts.size() > 1) return with_parts(Term::Kind::List, at, std::move(parts));
  Term t = *parts[0];
  t.enclosed = true;
  return made(std::move(t));
}

TermPtr Parser::call(const TermPtr& f, const Token& first) {
  const std::size_t at = now_.begin;
  advance();
  Term t;
  if (f->kind == Term::Kind::Call && f->decided && f->parts.size() == 1)
    t = *f;
  else
    t.kind = Term::Kind::Call, t.at = f->kind == Term::Kind::Name ? f->at : at, t.parts = {f};
  const bool named = f->kind == Term::Kind::Name && !f->enclosed;
  const auto condition = named ? before_boundary(first) : std::nullopt;
  const bool layout = named && first.is_word("layout");
  const auto p = lift::primitive(first.text);
  const bool always = p && p->op == Op::Pad;  // gather may have its array there
  if (!accept(")")) {
    do {
      if (condition && t.parts.size() == *condition + 1 && (always || is_boundary(now_)))
        t.parts.push_back(boundary());
      else if (layout && t.parts.size() == 1)
        t.parts.push_back(words());
      else
        t.parts.push_back(term());
    } while (accept(","));
    if (!now_.is(")") && named && !first.quoted &&
        !is_reserved(first.text)) {  // whose arguments are of their own
      const std::string meant = nearest(first.text, names_like(first.text));
      if (const auto p = lift::primitive(meant); p && (p->op == Op::Pad || p->op == Op::Layout))
        fail("expected ')' after the last argument, found " + now_.shown() + "; did you mean '" + meant +
             "' by '" + first.text + "'?");
    }
    expect(")", "after the last argument");
  }
  return made(std::move(t));
}

/// clamp, constant 0.5, odd (g): the condition, and its value where it takes one.
TermPtr Parser::boundary() {
  Term t;
  t.kind = Term::Kind::Boundary, t.at = now_.begin;
  if (now_.kind != Token::Kind::Name)
    fail("expected a boundary condition such as clamp, found " + now_.shown());
  t.text = now_.text;
  advance();
  if (now_.is(",") || now_.is(")")) return made(std::move(t));
  const bool negative = now_.is("-");
  const Token sign = now_;
  if (negative) advance();
  if (now_.kind == Token::Kind::Number || now_.is_word("inf") || now_.is_word("nan")) {
    t.number = number()->number * (negative ? -1 : 1), t.integer = true;
    return made(std::move(t));
  }
  if (negative) source_->fail(sign.begin, "expected a number after '-'; put an expression in parentheses");
  t.parts = {postfix()};
  return made(std::move(t));
}

/// rows 8 1
TermPtr Parser::words() {
  Term t;
  t.kind = Term::Kind::Words, t.at = now_.begin;
  while (now_.kind == Token::Kind::Name || now_.kind == Token::Kind::Number) {
    t.text += (t.text.empty() ? "" : " ") + now_.text;
    advance();
  }
  return made(std::move(t));
}

/// map_vec<4, strided 2>
TermPtr Parser::decided(const TermPtr& name) {
  Term t;
  t.kind = Term::Kind::Call, t.at = name->at, t.parts = {name}, t.decided = true;
  advance();
  do {
    std::vector<std::string> item;
    while (now_.kind == Token::Kind::Name || now_.kind == Token::Kind::Number)
      item.push_back(now_.text), advance();
    if (item.empty()) fail("expected a decision such as 4 or strided 2, found " + now_.shown());
    t.decisions.push_back(std::move(item));
  } while (accept(","));
  expect(">", "after the decisions");
  return made(std::move(t));
}

TermPtr Parser::lambda() {
  Term t;
  t.kind = Term::Kind::Lambda, t.at = now_.begin;
  advance();
  while (!now_.is(".")) t.binders.push_back(binder());
  if (t.binders.empty()) fail("a function needs a parameter: \\x. ...");
  advance();
  t.parts = {term()};
  return made(std::move(t));
}

TermPtr Parser::let() {
  Term t;
  t.kind = Term::Kind::Let, t.at = now_.begin;
  advance();
  Binder b = binder();
  if (accept(":")) b.type = type();
  t.binders.push_back(std::move(b));
  expect("=", "after the name that let gives");
  t.parts.push_back(term());
  if (!now_.is_word("in")) fail("expected 'in' and the expression that uses the name, found " + now_.shown());
  advance();
  t.parts.push_back(term());
  return made(std::move(t));
}

Binder Parser::binder() {
  const Nested nested(*this);
  Binder b;
  b.at = now_.begin;
  if (!now_.is("(")) {
    b.name = name("a parameter");
    return b;
  }
  advance();
  std::vector<Binder> parts;
  do parts.push_back(binder());
  while (accept(","));
  if (parts.size() == 1 && accept(":")) {
    b = std::move(parts[0]);
    b.type = type();
  } else {
    b.parts = std::move(parts), b.apart = true;
  }
  expect(")", "after the parameter");
  return b;
}

// ---- types

TypeTerm Parser::type() {
  const Nested nested(*this);
  TypeTerm t;
  t.at = now_.begin;
  as_integers();
  for (const Scalar s : kScalarTypes)
    if (now_.is_word(lift::text(s))) {
      t.kind = Type::Kind::Scalar, t.scalar = s;
      advance();
      return t;
    }
  if (accept("?")) return t;
  if (now_.is("{")) {
    t.kind = Type::Kind::Tuple;
    do advance(), t.parts.push_back(type());
    while (now_.is(","));
    expect("}", "after the last component's type");
    return t;
  }
  if (now_.is("(") && is_function_type()) return function_type();
  t.kind = Type::Kind::Array;
  const Token first = now_;
  t.length = length();
  if (!now_.is(".") && t.length->kind == Term::Kind::Name)
    source_->fail(first.begin,
                  "there is no type " + first.shown() +
                      "; of numbers there are f32, f64, i32, i64, u8 and bool, of arrays n.f64 and n.m.f64");
  expect(".", "between an array's length and its elements' type");
  t.parts = {type()};
  return t;
}

/// A length within a type: a number, a name, or an expression in parentheses.
TermPtr Parser::length() {
  const std::size_t at = now_.begin;
  if (now_.is("(")) return enclosed();
  if (now_.kind == Token::Kind::Number) {
    Term t;
    t.kind = Term::Kind::Number, t.at = at, t.number = now_.number, t.integer = true;
    advance();
    return made(std::move(t));
  }
  if (now_.kind == Token::Kind::Hole) return primary();
  if (now_.kind != Token::Kind::Name) fail("expected a type such as f64 or n.m.f64, found " + now_.shown());
  return primary();
}

/// Whether the parenthesis that begins here encloses types: the one that closes it is followed by ->.
bool Parser::is_function_type() {
  const Token start = now_;
  int open = 0;
  do {
    open += now_.is("(") ? 1 : now_.is(")") ? -1 : 0;
    now_ = lex(*source_, now_.end, true);
  } while (open > 0 && now_.kind != Token::Kind::End);
  const bool arrow = now_.is("->");
  now_ = start;
  return arrow;
}

TypeTerm Parser::function_type() {
  TypeTerm t;
  t.kind = Type::Kind::Function, t.at = now_.begin;
  do advance(), t.parts.push_back(type());
  while (now_.is(","));
  expect(")", "after the last parameter's type");
  expect("->", "before the result's type");
  t.parts.push_back(type());
  return t;
}

void Parser::at_end() const {
  if (now_.kind != Token::Kind::End) fail("expected an operator or the end, found " + now_.shown());
}

TermPtr parse_term(const std::shared_ptr<const Source>& source) {
  Parser p(source);
  TermPtr t = p.term();
  p.at_end();
  return t;
}

}  // namespace lift::syntax
