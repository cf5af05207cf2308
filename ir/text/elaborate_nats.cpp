// Lengths, positions and types. Their numbers are kept far from overflow, their polynomials small.
#include <cmath>

#include "ir/expr/attributes.hpp"
#include "ir/expr/known_number.hpp"
#include "ir/expr/view.hpp"
#include "ir/text/elaborate.hpp"

namespace lift::syntax {
namespace {

using K = Term::Kind;

constexpr double kLargest = 1e15;   ///< of a number in a length, and of elements of an array
constexpr std::size_t kTerms = 64;  ///< of a length
constexpr int kDegree = 8;

/// The sum of a polynomial's coefficients: bounds what adding and multiplying it can give.
double magnitude(const Nat& n) {
  double sum = 0;
  for (const NatTerm& t : terms(n)) sum += std::abs(static_cast<double>(t.coefficient));
  return sum;
}
int degree(const Nat& n) {
  int most = 0;
  for (const NatTerm& t : terms(n)) {
    int d = 0;
    for (const NatFactor& f : t.factors) d += f.power;
    most = std::max(most, d);
  }
  return most;
}
bool too_large(const Nat& n) {
  return magnitude(n) > kLargest || terms(n).size() > kTerms || degree(n) > kDegree;
}

/// Elements, with every size variable as one.
double elements(const Type& t) {
  if (t.is_array()) return std::max(1.0, magnitude(t.length())) * elements(t.element());
  double sum = 1;
  if (t.is_tuple())
    for (const Type& p : t.parts()) sum += elements(p);
  return sum;
}
bool any_too_large(const Type& t) {
  if (t.is_array()) return too_large(t.length()) || any_too_large(t.element());
  if (!t.is_tuple() && !t.is_function()) return false;
  for (const Type& p : t.parts())
    if (any_too_large(p)) return true;
  return t.is_function() && any_too_large(t.result());
}

}  // namespace

void Elaborator::check_lengths(const Type& t, std::size_t at) const {
  if (any_too_large(t) || elements(t) > kLargest)
    fail(at,
         "this array is too large: it has more than 10^15 elements, or a length that is no simple formula; "
         "use smaller sizes");
}

Nat Elaborator::nat(const Term& t) {
  const auto checked = [&](const Nat& n) {
    if (too_large(n))
      fail(
          t.at,
          "this length is too large or too long a formula; use numbers up to 10^15 and products of at most " +
              std::to_string(kDegree) + " sizes");
    return n;
  };
  const auto divided = [&](const Nat& a, const Nat& b, bool rest) {
    if (Facts().refutes(less(0, b)))
      fail(t.at, "division by " + b.str() + "; lengths are divided by positive numbers only");
    return checked(rest ? mod(a, b) : floordiv(a, b));
  };
  switch (t.kind) {
    case K::Number:
      if (!t.integer)
        fail(t.at, "a length or position is a whole number, got " + t.text + "; leave out the point");
      if (!(std::abs(t.number) <= kLargest))
        fail(t.at, "the number " + t.text + " is too large for a length; use at most 10^15");
      return static_cast<std::int64_t>(t.number);
    case K::Hole:
      if (const auto it = names_.sizes.find("?" + t.text); it != names_.sizes.end()) return it->second;
      return Nat::size("?" + t.text, 0);
    case K::Prefix:
      if (t.text == "-") return checked(-nat(*t.parts[0]));
      break;
    case K::Infix: {
      const Nat a = nat(*t.parts[0]), b = nat(*t.parts[1]);
      if (t.text == "+") return checked(a + b);
      if (t.text == "-") return checked(a - b);
      if (t.text == "/") return divided(a, b, false);
      if (t.text == "mod" || t.text == "%") return divided(a, b, true);
      if (t.text != "*") break;
      if (magnitude(a) * magnitude(b) > kLargest || terms(a).size() * terms(b).size() > kTerms ||
          degree(a) + degree(b) > kDegree)
        return checked(Nat(static_cast<std::int64_t>(2 * kLargest)));
      return checked(a * b);
    }
    case K::Call: {
      const Term& f = *t.parts[0];
      if (!is_plain(f) || (f.text != "min" && f.text != "max") || t.parts.size() != 3) break;
      const Nat a = nat(*t.parts[1]), b = nat(*t.parts[2]);
      return checked(f.text == "min" ? min(a, b) : max(a, b));
    }
    case K::Name: {
      for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
        if (it->first ==
            t.text) {  // a parameter of a definition that is given one; no other has the name here
          if (const auto n = as_nat(it->second)) return checked(*n);
          fail(t.at,
               "'" + t.text +
                   "' is a value; lengths and positions are made of numbers, sizes and index parameters; "
                   "neighbours are windows, xs |> slide(2, 1) |> map(\\w. w[1] - w[0])");
        }
      if (const auto it = names_.sizes.find(t.text); it != names_.sizes.end()) return it->second;
      if (const auto it = names_.params.find(t.text); it != names_.params.end() && is_index_param(it->second))
        return index_variable(it->second);
      if (const Declaration* d = definition(t); d && d->binders.empty()) {
        Nat n = 0;
        expanded(*d, {}, t.at, [&](const Term& body) {
          n = nat(body);
          return Expr();
        });
        return n;
      }
      if (names_.params.count(t.text))
        fail(t.at, "'" + t.text +
                       "' is a parameter; lengths and positions are made of numbers, sizes and index "
                       "parameters: declare it with size or index");
      if (pattern_) return Nat::size("?" + t.text, 0);
      unknown(t);
    }
    default:
      break;
  }
  if (t.kind == K::Tuple)
    fail(
        t.at,
        "several lengths or positions are written in parentheses, as in (1, 0); braces are tuples of values");
  fail(t.at, "a length or position is made of numbers, sizes, + - * / mod, min and max");
}

/// One for each dimension: (1, 2), or 1 for all.
std::vector<Nat> Elaborator::nats(const Term& t, int rank) {
  const auto n = static_cast<std::size_t>(rank);
  if (t.kind != K::List) return std::vector<Nat>(n, nat(t));
  if (t.parts.size() != n)
    fail(t.at, "a list of " + std::to_string(t.parts.size()) + " numbers for " + std::to_string(rank) +
                   " dimension(s); write one for each, or a single one for all");
  std::vector<Nat> all;
  for (const TermPtr& p : t.parts) all.push_back(nat(*p));
  return all;
}

Type Elaborator::type(const TypeTerm& t) {
  Type made;
  std::vector<Type> parts;
  for (const TypeTerm& p : t.parts) parts.push_back(type(p));
  switch (t.kind) {
    case Type::Kind::Any:
      return Type::any();
    case Type::Kind::Scalar:
      return Type(t.scalar);
    case Type::Kind::Tuple:
      made = Type::tuple(std::move(parts));
      break;
    case Type::Kind::Function: {
      const Type result = parts.back();
      parts.pop_back();
      made = Type::function(std::move(parts), result);
      break;
    }
    case Type::Kind::Array: {
      const Nat n = nat(*t.length);
      if (Facts().refutes(less_equal(0, n)))
        fail(t.at, "the length " + n.str() + " is negative; lengths are 0 or more");
      made = Type::array(n, parts[0]);
      break;
    }
  }
  check_lengths(made, t.at);
  return made;
}

}  // namespace lift::syntax
