// What C-like languages share: the spelling of index arithmetic, terms and statements. A backend derives and
// overrides what differs: types, vectors, parallel loops, the signature.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "emit/c_arithmetic.hpp"
#include "emit/emit.hpp"
#include "emit/source_text.hpp"

namespace lift {

class CLike {
 public:
  explicit CLike(const Kernel& k);
  virtual ~CLike() = default;

 protected:
  // ---- what backends decide
  virtual std::string vector_type(Scalar s, int width) = 0;  ///< boolean: the mask type
  virtual std::string vector_literal(Scalar s, int width, const std::vector<std::string>& lanes) = 0;
  virtual std::string load(const std::string& array, const std::string& index, Scalar s, int width) = 0;
  virtual std::string store(const Store& st, const std::string& index, const std::string& value) = 0;
  virtual std::string blend(Scalar s, int width, const std::string& mask, const std::string& a,
                            const std::string& b) = 0;
  virtual std::string convert(Scalar from, Scalar to, int width, const std::string& x) = 0;
  virtual std::string splat(Scalar s, int width, const std::string& x) = 0;
  virtual std::string shuffle(const Term& t) = 0;  ///< of vectors
  virtual std::string math(
      Op op, Scalar s, int width,
      const std::vector<std::string>& args) = 0;  ///< min, max, abs, sqrt, mod, div of integers
  /// The remainder of a vector of integers by a positive number, 0 or more, or the quotient, rounded down,
  /// where that is faster than `math`.
  virtual std::optional<std::string> remainder(const std::string& vector, std::int64_t by, int width);
  virtual std::optional<std::string> quotient(const std::string& vector, std::int64_t by, int width);
  /// A vector comparison of operands of type s, as a mask.
  virtual std::string mask(Scalar s, int width, const std::string& comparison) = 0;
  virtual void loop(const For& f) = 0;
  virtual void prefetch(const Prefetch& p) = 0;
  // The defaults have no work-items.
  virtual void barrier(const Barrier& b);
  virtual void fence();
  virtual void copy_row(const CopyRow& c);
  virtual void first(const First& f);
  /// The declaration of an array of the kernel's own, of so many elements.
  virtual std::string own_array(const Allocate& a, Scalar s, const std::string& size) = 0;
  virtual std::string user_call(const Term& t, const std::vector<std::string>& args) = 0;

  // ---- shared spelling
  virtual Text nat(const Nat& n);
  /// Where an element lies, as it stands between an array's brackets.
  virtual std::string element(const std::vector<Nat>& position) { return nat(position.at(0)).s; }
  Text condition(const NatCond& c);
  Text term(const Term& t);
  std::string conditions(const std::vector<Term>& cs);
  void block(const Block& b);
  virtual void statement(const Stmt& s);
  void line(const std::string& text);
  void plain_loop(const For& f, const std::string& pragma = "");
  std::string floating(double v, Scalar s);
  virtual std::string infinity(Scalar s);
  virtual std::string not_a_number(Scalar s);
  /// Sizes, arrays, scalars: the parameters of the kernel's function. `array` is put before the type of an
  /// array, `alone` before the name of one.
  std::string parameters(const std::string& array, const std::string& alone = "restrict ") const;
  /// How an array may be accessed; arrays of the kernel's own may be restricted.
  ArrayAccess access(const std::string& array) const;
  /// Functions with a C body, each after `qualifier`.
  std::string user_functions(const std::string& qualifier) const;
  /// The type of an array's elements.
  virtual std::string element_type(Scalar s) const { return c_element_type(s); }
  /// The name of an index variable; new ones are declared in the current scope.
  std::string declare(const Nat& variable);
  std::string declare_local(const Term& local);
  std::string name(const NatAtom& variable);
  std::string local(const Term& t) const;
  /// A name that nothing in scope has, and that nothing in the kernel gets from here on.
  std::string own_name(const std::string& hint) { return *reserved_.insert(unique(hint)).first; }
  void open_scope() { scopes_.emplace_back(); }
  void close_scope() { scopes_.pop_back(); }

  const Kernel& k_;
  std::string out_;
  int indent_ = 1;
  /// What the text refers to and has to be defined before it: functions, macros, constants.
  std::set<std::string> helpers_;
  std::set<std::string> mentioned_;  ///< parameters of the kernel that the text refers to
  std::string index_type_;           ///< of loop variables and named indices
  Scalar real_ = f64;                ///< element type that masks are made for

 private:
  struct Scope {
    std::map<const void*, std::string> indices;
    std::map<std::string, std::string> locals;
  };
  bool taken(const std::string& name) const;
  std::string unique(const std::string& hint) const;  ///< a name that nothing in scope has
  std::vector<Scope> scopes_;
  std::set<std::string> reserved_;
};

/// InternalError for a kernel that was not lowered for that target.
void check_target(const Kernel& k, Target target);

/// The comment at a source's head: the kernel's name and header, and how to compile it.
std::string header_comment(const Kernel& k, const std::string& how_to_compile);

}  // namespace lift
