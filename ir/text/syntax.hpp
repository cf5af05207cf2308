// The language as it is written, before names and types: what the parser reads and the elaborator makes
// expressions of. The grammar is in docs/lift-language.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/expr/type.hpp"
#include "ir/text/source.hpp"

namespace lift::syntax {

struct Term;
using TermPtr = std::shared_ptr<const Term>;

/// A type as written; lengths are terms.
struct TypeTerm {
  Type::Kind kind = Type::Kind::Any;
  Scalar scalar = Scalar::f64;
  TermPtr length;  ///< Array
  std::vector<TypeTerm>
      parts;  ///< Tuple: components; Array: the element; Function: parameters, then the result
  std::size_t at = 0;
};

/// A variable of a function, or its components: x, (x : f64), (a, (b, c)).
struct Binder {
  std::string name;
  std::vector<Binder> parts;
  bool apart = false;
  std::optional<TypeTerm> type;
  std::size_t at = 0;
};

struct Term {
  enum class Kind : std::uint8_t {
    Name,  ///< text
    Hole,  ///< text, without ?
    Number,
    Lambda,    ///< binders; parts: body
    Let,       ///< binders (one); parts: value, body
    Call,      ///< parts: what is called, then the arguments; `decisions` of map_vec<...>
    Infix,     ///< text; parts: left, right
    Prefix,    ///< text: - or !
    Pipe,      ///< parts: data, function
    Apply,     ///< f $ x; parts: f, x
    Compose,   ///< f o g
    Tuple,     ///< {a, b}
    Array,     ///< [a, b]
    List,      ///< (a, b), only as an argument: a number for each dimension
    Get,       ///< t.0; index
    At,        ///< xs[i, j]; parts: xs, positions
    Words,     ///< words of an argument: rows 8 1
    Boundary,  ///< text; parts: the value, if any; a plain number stands in `number` (and `integer` is true)
  };
  Kind kind = Kind::Name;
  std::size_t at = 0;  ///< where it is written; of an infix, its operator
  std::string text;
  double number = 0;
  bool integer = false;          ///< Number: without point
  std::optional<Scalar> suffix;  ///< Number: its type, where that is written
  bool enclosed = false;         ///< written in parentheses
  std::int64_t index = 0;
  std::vector<TermPtr> parts;
  std::vector<Binder> binders;
  std::vector<std::vector<std::string>> decisions;
  bool decided = false;  ///< Call: <...> was written
  int depth = 1;
};

/// Declarations of a file, in the order written.
struct Declaration {
  enum class Kind : std::uint8_t {
    Program,
    Size,
    Param,
    Index,
    Overwrite,
    Definition,
    User,
    Result
  } kind = Kind::Program;
  std::size_t at = 0;
  std::vector<std::pair<std::string, std::size_t>> names;  ///< what is declared, and where
  std::optional<TypeTerm> type;
  std::optional<std::int64_t> value;  ///< Size, Index: the default
  std::int64_t lower = 0, upper = 0;  ///< Index
  std::int64_t modulus = 1, residue = 0;
  TermPtr least;                   ///< Size: at least this; null: 1
  std::vector<Binder> binders;     ///< Definition, User
  TermPtr body;                    ///< Definition, Result
  std::string text;                ///< User: the C body
  std::vector<std::string> words;  ///< Param: the data, e.g. wave 1 0.3
  std::vector<double> numbers;
  std::size_t data_at = 0;
};
struct File {
  std::shared_ptr<const Source> source;
  std::vector<Declaration> declarations;
};

/// An equation between expressions, used from left to right: NAME(k in {2, 4}) approximately: LEFT = RIGHT
struct Equation {
  struct Parameter {
    std::string name;
    std::size_t at = 0;
    std::vector<std::int64_t> choices;
  };
  std::string name;
  std::size_t at = 0, end = 0;  ///< the name; the end of the right side
  std::vector<Parameter> parameters;
  bool approximately = false;
  TermPtr left, right;
  std::size_t left_at = 0;  ///< where its text begins
};
/// A file of equations, and definitions that they use.
struct Equations {
  std::shared_ptr<const Source> source;
  std::vector<Declaration> definitions;
  std::vector<Equation> equations;
};

/// Throws UserError at the place where the text does not follow the grammar.
File parse_file(const std::shared_ptr<const Source>& source);
Equations parse_equations(const std::shared_ptr<const Source>& source);
TermPtr parse_term(const std::shared_ptr<const Source>& source);

}  // namespace lift::syntax
