// Views: the symbolic meaning of an expression. An array is a function from an index (a Nat) to its element,
// so every structural primitive is a line of index arithmetic and nothing is ever copied; a scalar is a Term.
//
//   (slide(n, s) xs)[i][j] = xs[s*i + j]        (split(k) xs)[i][j] = xs[k*i + j]       (zip(x, y))[i] =
//   {x[i], y[i]} (join xs)[i] = xs[i div k][i mod k]         (pad(l, r) xs)[i]   = xs[h(i - l)]      (map f
//   xs)[i]  = f(xs[i])
//
// A map in argument position is thereby fused into its consumer (recomputed at each use); what is to be
// stored first says so (to_private, to_local, to_global), and the lowering, which derives from `Views`,
// stores it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <variant>

#include "ir/expr/program.hpp"
#include "ir/expr/term.hpp"

namespace lift {

struct View;

/// The elements of an array by their index. Copies share the function: what it captures are views of other
/// arrays, so that copying those, too, would double them with every stage that reads another twice.
class ElementAt {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, ElementAt>)
      ElementAt(F&& at)  // NOLINT(bugprone-forwarding-reference-overload): the clause above
      : at_(std::make_shared<const std::function<View(const Nat&)>>(std::forward<F>(at))) {}
  View operator()(const Nat& i) const;

 private:
  std::shared_ptr<const std::function<View(const Nat&)>> at_;
};

struct ArrayView {
  Nat length;
  ElementAt at;
  bool variables = false;  ///< the elements are variables of their own: only constant positions exist
};
struct View {
  std::variant<Term, std::vector<View>, ArrayView> v;

  const Term& term() const;                ///< throws InternalError when it is no scalar
  const std::vector<View>& parts() const;  ///< of a tuple
  const ArrayView& array() const;
  View operator[](const Nat& i) const { return array().at(i); }
};

inline View ElementAt::operator()(const Nat& i) const { return (*at_)(i); }

/// Values of the enclosing binders, innermost first.
struct Scope {
  std::vector<View> values;
  std::shared_ptr<const Scope> outer;
};
using ScopePtr = std::shared_ptr<const Scope>;

/// The Nat that stands for an index param in index arithmetic.
Nat index_variable(const Expr& index_param);

class Views {
 public:
  virtual ~Views() = default;

  View eval(const Expr& e, const ScopePtr& scope);
  /// f applied to arguments.
  View call(const Expr& fn, std::vector<View> arguments, const ScopePtr& scope);
  /// What is known where the evaluation stands; used to decide boundary tests.
  Facts facts;
  /// Boundary tests that could not be decided (each once), for splitting loops.
  std::vector<NatCond> undecided;
  /// UserError once functions have been called more often; 0: no limit. An element of a chain whose stages
  /// are not stored takes as many calls as there are paths through their windows.
  std::size_t most_calls = 0;

 protected:
  /// An array or scalar argument. The default loads from the array of that name.
  virtual View param(const Expr& p);
  /// to_global, to_local, to_private of a value: the default does not store.
  virtual View place(const Expr& e, const ScopePtr& scope) { return eval(e.child(0), scope); }
  /// A reduction that is not unrolled. The default unrolls constant lengths and refuses others.
  virtual View reduce(const Expr& e, const ScopePtr& scope);
  /// An iteration: the default applies its function as often as it says. Of arrays it refuses many steps: an
  /// element would be computed from all that the steps before it read, again and again.
  virtual View iterate(const Expr& e, const ScopePtr& scope);
  /// Step t of an iteration, of x.
  View step(const Expr& e, const Nat& t, const View& x, const ScopePtr& scope);
  virtual View layout(const Expr& e, const ScopePtr& scope) { return eval(e.child(0), scope); }
  /// A scan. The default refuses: an element depends on all those before it, it is no formula of its
  /// position.
  virtual View scan(const Expr& e, const ScopePtr& scope);
  View unrolled_reduce(const Expr& e, const ScopePtr& scope);
  bool decide(const NatCond& c, bool& value);  ///< false: undecided (and noted)
  std::size_t calls_ = 0;                      ///< that count for most_calls
  std::map<std::string, Term> definitions_;    ///< of names that scalars were given
  /// What a name, or an element of an array, may be: one of these; none where that is not known.
  virtual std::vector<Term> values_of(const Term& of) const;

 private:
  View pad(const Expr& e, std::size_t d, const View& xs, const Type& t, const Term& value);
  View update(const std::vector<Nat>& offsets, std::size_t d, const View& base, const View& block,
              const Type& base_type, const Type& block_type, Term inside);
  View gather(const Expr& e, const ScopePtr& scope);
  View scalar(const Expr& e, const ScopePtr& scope);
  View structure(const Expr& e, const ScopePtr& scope);
};

/// Loads of the named array at symbolic positions.
View array_view(const std::string& name, const Type& type);

}  // namespace lift
