// The textual form: expressions and whole programs as text. The notation is that of `str` and `pretty`, so
// that parsing what was printed gives the very same expression; docs/lift-language.md describes it.
//
// Errors are UserError: `file:line:column: what is wrong; what to try`, the line, and a caret below the
// place.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/expr/program.hpp"

namespace lift {

namespace syntax {
struct File;
struct Declaration;
}  // namespace syntax

/// What the names of an expression mean.
struct Names {
  std::map<std::string, Expr> params;
  std::map<std::string, Nat> sizes;
  std::map<std::string, Attr> functions;  ///< opaque C functions: the attributes of their calls, see UserFun
};
/// Those that occur in an expression.
Names names_of(const Expr& e);

/// A closed expression over `names`: the inverse of `str` and `pretty`. Holes are allowed.
Expr parse_expression(const std::string& text, const Names& names, const std::string& file = "expression");

/// A length of the arrays, to be chosen when a kernel is made.
struct LiftSize {
  std::string name;
  std::optional<std::int64_t> value;  ///< unless told otherwise
  Nat lower = 1;                      ///< may be made of the sizes declared before
  std::int64_t modulus = 1, residue = 0;
  Nat symbol() const { return Nat::size(name, lower, modulus, residue); }
};

/// What an argument is filled with.
///   number   `low` everywhere                                  wave   a sum of sines, within [low, high]
///   random   reproducible, uniform between `low` and `high`    raw    the bytes of a file, as the machine
///   stores them                                                npy    the array in a file of numpy's
struct LiftData {
  enum class Kind : std::uint8_t { number, wave, random, raw, npy } kind = Kind::wave;
  double low = -1, high = 1;
  std::uint64_t seed = 1;
  std::string path = {};         ///< raw, npy; relative to the .lift file
  std::string declared_at = {};  ///< "file:line", for messages
};

/// A parsed .lift file. Names and types are checked when a program is made of it.
class LiftFile {
 public:
  /// Throws UserError where the text does not follow the grammar, or declares something twice.
  LiftFile(const std::string& text, const std::string& file);

  const std::string& name() const { return name_; }  ///< of the program
  const std::string& file() const;
  const std::vector<LiftSize>& sizes() const { return sizes_; }
  const std::map<std::string, LiftData>& data() const { return data_; }  ///< by argument; those declared only

  /// The program with these sizes; the others stay symbolic. UserError: a name, type or shape is wrong, at
  /// its place; a size does not exist or is not admitted.
  Program program(const std::map<std::string, std::int64_t>& sizes = {}) const;
  /// The declared values, replaced by `given`. UserError when one has none.
  std::map<std::string, std::int64_t> values(const std::map<std::string, std::int64_t>& given = {}) const;

 private:
  LiftSize size_of(const syntax::Declaration& d, const std::string& name) const;
  void check_size(const LiftSize& s, std::int64_t value) const;
  std::shared_ptr<const syntax::File> file_;
  std::string name_;
  std::vector<LiftSize> sizes_;
  std::map<std::string, LiftData> data_;
};

/// The program of a file, all its sizes symbolic.
Program parse_program(const std::string& text, const std::string& file = "program");
/// A program as a file: parse_program(print_program(p)) is p.
std::string print_program(const Program& p);

}  // namespace lift
