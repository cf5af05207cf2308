// Syntax to expressions: names are resolved, parameters of functions get the types that their use gives them,
// numbers those of what they are combined with, and every node is typed at once, so that an error is reported
// where it is written.
#pragma once

#include <functional>
#include <unordered_map>

#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "ir/text/syntax.hpp"

namespace lift::syntax {

class Elaborator {
 public:
  Elaborator(const Source& source, Names names) : source_(source), names_(std::move(names)) {}

  Expr value(const Term& t) { return value(t, std::nullopt); }
  /// What is declared to have a type of f32 alone: numbers with a point that nothing else tells a type are
  /// f32 where they have to be.
  Expr value_declared(const Term& t, const Type& declared);
  /// One side of a rule: what nothing declares is a hole, of an array, a function or, among lengths, a
  /// number. A side without its array (map(f) |> join) is applied to `xs`. Numbers beside what has no type
  /// yet are of the type `numbers`.
  Expr side(const Term& t, const Expr& xs, Scalar numbers);
  /// Whether a term lacks its array: map(f) |> join, \x. x.
  bool lacks_array(const Term& t) const;
  /// Whether it is a name that nothing declares.
  bool is_unknown(const Term& t) const;
  Nat nat(const Term& t);
  Type type(const TypeTerm& t);
  void define(const Declaration& d);
  Names& names() { return names_; }
  [[noreturn]] void fail(std::size_t at, const std::string& message) const;

 private:
  /// What a function, a let or a definition's parameter names.
  struct Scope {
    std::string first;
    Expr second;
    const Term* number = nullptr;  ///< of a parameter that is given a number without a type of its own
  };
  using Scopes = std::vector<Scope>;
  using Wanted = std::optional<Scalar>;
  using Args = std::vector<TermPtr>;

  // elaborate.cpp: terms
  Expr value(const Term& t, Wanted wanted);
  Expr number(const Term& t, Wanted wanted);
  Expr name(const Term& t, Wanted wanted = std::nullopt);
  Expr infix(const Term& t, Wanted wanted);
  Expr let(const Term& t);
  Expr call(const Term& t, Wanted wanted);
  Expr function(const Term& t, const std::vector<Type>& parameters);
  Expr lambda(const Term& t, const std::vector<Type>& parameters);
  Expr lambda_of(const std::vector<Type>& types, const std::function<Expr(const std::vector<Expr>&)>& body);
  /// A primitive without its array, a function or a composition of such, applied.
  Expr applied(const Term& f, const Expr& x);
  bool is_sum(const Term& t) const;
  Expr sum(const Term& t, const Expr& x);
  Expr applied_function(const Expr& f, std::vector<Expr> arguments, std::size_t at);
  void bind(const Binder& b, const Expr& e);
  std::vector<Expr> operands(const Args& terms, Wanted wanted = std::nullopt);
  bool is_flexible(const Term& t) const;
  bool has_point(const Term& t) const;
  /// Of a definition that is no function: whether it is flexible, and has a point.
  struct Constant {
    bool flexible = false, point = false;
  };
  Constant constant(const Term& t) const;

  // definitions
  bool is_bound(const Term& t) const;
  const Scope* bound(const Term& t) const;
  /// What a definition is given, and which of it are numbers without a type of their own.
  struct Given {
    std::vector<Expr> values = {};
    std::vector<const Term*> numbers = {};
  };
  Given given(const Args& terms);
  const Term* number_of(const Term& t) const;
  const Declaration* definition(const Term& t) const;
  Expr expanded(const Declaration& d, const Given& arguments, std::size_t at,
                const std::function<Expr(const Term&)>& use);

  // elaborate_primitives.cpp
  Expr primitive(const Term& t, Op op, int rank, const Args& args, Wanted wanted);
  Expr scalar_call(const Term& t, Op op, const Args& args, Wanted wanted);
  std::vector<Expr> arrays(const Args& terms);
  Expr selected(const Term& t, const Expr& condition, const Expr& a, const Expr& b);
  Expr partial(const Term& t, Op op, int rank, const Args& args, const Expr& x);
  Expr reduction(const Term& t, Op op, const Args& args, const Expr& x);
  Expr map(const Term& t, Op op, int rank, const Args& args, const Expr& x);
  Expr pad(const Term& t, int rank, const Args& args, const Expr& x);
  Expr transpose(const Term& t, const Args& args, const Expr& x);
  Expr generate(const Term& t, const Args& args);
  Expr array_of(const Term& t, Wanted wanted);
  Expr update(const Term& t, Op op, int rank, const Args& args);
  Expr word(const Term& t, const Args& args);
  Expr gather(const Term& t, int rank, const Args& args, const Expr& x);
  Expr element(const Term& t);
  std::vector<Expr> computed(const Args& positions);
  struct Condition {
    Boundary boundary;
    double number = 0;
    std::vector<Expr> value;
  };
  Expr gathered(const Term& t, const std::vector<Expr>& at, const Condition& b, const Expr& x);
  /// `element`: the type of what it is about.
  Condition condition(const Term& t, const Type& element, bool of_pad);
  std::optional<std::size_t> own_arguments(Op op, int rank, const Args& args) const;
  void need_arguments(const Term& t, const Args& args, std::size_t n, const std::string& form) const;
  std::vector<Nat> nats(const Term& t, int rank);
  Attr with_options(const Term& t, Op op, Attr a) const;
  Attr attributes_of(Payload::Kind kind, int rank, const Args& args);
  Attr band(const Term& t, const Args& args);

  // nodes
  Expr node(Op op, std::vector<Expr> children, Attr attr, std::size_t at);
  Expr converted(Scalar s, const Expr& x, std::size_t at);  ///< s(x)
  void check_size(const Expr& e, std::size_t at);
  void check_lengths(const Type& t, std::size_t at) const;
  std::string missing_pad(std::span<const Expr> arrays) const;
  [[noreturn]] void unknown(const Term& t) const;

  struct Extent {
    double size;
    int depth;
  };
  Extent extent(const Expr& e);

  const Source& source_;
  Names names_;
  std::vector<std::pair<std::string, const Declaration*>> definitions_;
  std::unordered_map<const Declaration*, Constant> constants_;
  std::size_t visible_ = static_cast<std::size_t>(-1);  ///< definitions that the one being expanded sees
  Scopes scopes_;
  int open_ = 0;  ///< binders
  int steps_ = 0;
  bool pattern_ = false;            ///< it is a side of a rule
  Scalar alone_ = f64;              ///< the type of a number with a point that nothing else tells one
  std::vector<std::string> trail_;  ///< definitions being expanded
  std::unordered_map<std::uint32_t, Extent> extents_;
};

/// A callee that is a name, not in parentheses.
bool is_plain(const Term& t);
/// A word of the language, not quoted.
bool is_word(const Term& t);

}  // namespace lift::syntax
