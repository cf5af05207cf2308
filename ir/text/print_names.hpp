// Names of bound variables, which an expression does not have: chosen while printing.
//
//   zip(phi, rhs) |> map(\(phi, rhs). ...)          components of a tuple are called as the arrays that they
//   come from phi |> slide3(3, 1) |> map3(\w. ...)            a window is w; other arrays xs, ys, zs; numbers
//   x, y, z zip(u, v) |> map(\(u, v'). u * v' + v[0])       a prime where the body also means another
//   variable of that name
//
// A name hides another one only where the hidden one is not meant, so the text says which variable is which.
#pragma once

#include <optional>
#include <set>

#include "ir/expr/expr.hpp"

namespace lift {

class BoundNames {
 public:
  explicit BoundNames(const Expr& whole);

  /// Enters a lambda, applied to (elements of) `source` if given; `wanted` are names of its first parameters,
  /// `given` the types that the use gives them. The text of its parameters: with their types where these are
  /// others.
  std::string enter(const Expr& lambda, const std::optional<Expr>& source,
                    const std::vector<std::string>& wanted, const std::vector<Type>& given);
  void leave() { scopes_.pop_back(); }
  /// Of a bound variable, or of a component of one that is taken apart; nothing for other terms.
  std::optional<std::string> of(const Expr& e) const;
  /// Whether no variable in sight has this name.
  bool is_free(const std::string& name) const;

 private:
  /// Of a variable. `parts`: names of its components (or of those of its elements); `apart`: they stand in
  /// its place.
  struct Name {
    std::string text;
    std::vector<Name> parts;
    bool apart = false;
  };
  using Path = std::vector<std::int64_t>;  ///< components, outermost first
  using Scope = std::vector<Name>;

  const Name* find(const Expr& e) const;
  Name hint(const Expr& array) const;
  Name named(const Type& t, const Name& hint, const std::string& base, Path& path,
             const std::set<Path>& uses);
  std::string unused(const std::string& wanted) const;
  std::string fresh(const Type& t, const std::string& base) const;
  static std::string spelled(const Name& n, bool parameter);
  static void all_names(const Name& n, std::set<std::string>& to);

  std::set<std::string> params_;  ///< of the whole expression
  std::set<std::string>
      meant_;  ///< that the body being entered refers to, and names given to its parameters so far
  std::vector<Scope> scopes_;
};

}  // namespace lift
