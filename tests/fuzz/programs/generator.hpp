// Random well-typed programs. An expression is grown from the type that it is to have: each production of a
// type grows its parts from theirs, until the fuel is spent and variables, arguments and numbers are left.
// Values stay small (see `bounded`), so that neither i32 overflows nor f32 loses what a sum in another order
// would have kept.
#pragma once

#include <map>
#include <random>

#include "ir/expr/build.hpp"
#include "ir/expr/program.hpp"
#include "ir/expr/sizes.hpp"

namespace lift::fuzz {

/// A program over size variables, and numbers for them.
struct Made {
  Program program;
  Sizes sizes;
};

bool proves_at_least(const Nat& n, std::int64_t least);

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}
  /// The next program. TypeError, UserError: it came out ill-typed (a length that is not proved equal, say);
  /// ask again.
  Made make();
  /// Where the next one begins.
  std::string state() const;
  void go_on_from(const std::string& state);

 private:
  using Scope = std::vector<Expr>;  ///< variables of the binders around
  using Production = std::function<Expr()>;

  // generator.cpp
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return number(1, 100) <= percent; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(number(0, static_cast<int>(all.size()) - 1))];
  }
  Scalar scalar_type();
  Nat extent(int dimension);
  std::vector<Nat> shape(int rank);
  std::int64_t value_of(const Nat& n) const;
  Expr argument(const Type& t);
  Expr grown(const Type& t, const Scope& scope, int fuel);

  // scalars.cpp
  Expr scalar(Scalar s, const Scope& scope, int fuel);
  Expr scalar_leaf(Scalar s, const Scope& scope);
  Expr part_of(const Expr& variable, Scalar s);
  Expr floating(Scalar s, const Scope& scope, int fuel);
  Expr elementary_of(const Expr& a, const Expr& b);
  Expr integer(Scalar s, const Scope& scope, int fuel);
  Expr condition(const Scope& scope, int fuel);
  Expr reduced(Scalar s, const Scope& scope, int fuel);
  Expr called(Scalar s, const Scope& scope, int fuel);
  Expr bounded(const Expr& e);
  Expr literal_of(Scalar s);
  Expr position_in(const Nat& length, bool& within, const Scope& scope, int fuel);
  Expr gathered(Scalar s, const Scope& scope, int fuel);

  // sums.cpp
  Expr integrals();
  Expr records();

  // arrays.cpp
  Expr array_value(const Type& t, const Scope& scope, int fuel);
  Expr array_leaf(const Type& t, const Scope& scope);
  Expr mapped(const Type& t, const Scope& scope, int fuel);
  Expr windows(const Type& t, const Scope& scope, int fuel);
  Expr padded(const Type& t, const Scope& scope, int fuel);
  Expr regrouped(const Type& t, const Scope& scope, int fuel);
  Expr scanned(const Type& t, const Scope& scope, int fuel);
  Expr assembled(const Type& t, const Scope& scope, int fuel);
  Expr generated(const Type& t, const Scope& scope, int fuel);
  Expr iterated(const Type& t, const Scope& scope, int fuel);
  Expr updated(const Type& t, const Scope& scope, int fuel);
  Type element_type();

  // programs.cpp
  Expr named(const Type& t, const Scope& scope, int fuel);
  Expr anything();
  Expr sweep();
  Expr reduction();
  Expr columns();
  Expr folds();
  Expr stages();
  Expr iteration();

  // rows.cpp
  Expr rows_by_rows();
  Expr elimination();
  Expr bands();
  Expr bordered_stages();

  // legs.cpp
  Expr leg();

  std::mt19937_64 random_;
  std::vector<Nat> sizes_;
  Sizes values_;
  std::vector<Expr> arguments_;
  std::vector<std::string> overwritable_;
  int nodes_ = 0;  ///< grown so far
};

/// What functions of users compute that programs as text name; those of the generator's are known once it has
/// used one.
void know_user_functions();

}  // namespace lift::fuzz
