// Expressions: one immutable, interned node type. `Expr` is a trivially copyable handle; equality is
// identity.
//
// Binders are locally nameless: a variable bound by a lambda is `bound(depth, index)`, where depth counts the
// lambdas between use and binder, so alpha-equivalent terms are one node. A free variable is a `param`.
// Everything derived (views, footprints, cost) lives in side tables keyed by id, never in the node.
// What an op means is said once, in the table of `ir/expr/ops.hpp`: text, arity, typing rule, meaning.
//
// Rank. Structural primitives carry a rank D and act on D array dimensions at once; rank 1 is the primitive
// of Lift and rank D is defined from it (`rewrite/rules/rules_rank.cpp` states the definitions, the tests
// prove them).
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "ir/expr/type.hpp"

namespace lift {

enum class Op : std::uint8_t {
  // leaves
  Param,
  Bound,
  Literal,
  NatValue,
  Hole,
  // binding
  Lambda,
  Apply,
  Let,
  // structure: where an element is found, no computation
  Tuple,
  Get,
  Zip,
  Unzip,
  At,
  Split,
  Join,
  Slide,
  Pad,
  Drop,
  Transpose,
  Reverse,
  Generate,
  Gather,
  Concat,
  Interleave,
  Update,
  // computation over arrays
  Map,
  Reduce,
  Scan,
  ScanBack,
  Iterate,
  // low-level: the same meanings with a decision taken
  MapSeq,
  MapUnroll,
  MapPar,
  MapVec,
  MapGlb,
  MapWrg,
  MapLcl,
  ReduceSeq,
  ReduceUnroll,
  ScanSeq,
  ScanBackSeq,
  UpdateInPlace,
  ToGlobal,
  ToLocal,
  ToPrivate,
  CircularBuffer,
  Async,
  Stream,
  Band,
  Ring,
  Layout,
  ReadOnly,
  MayAlias,
  // scalars
  Neg,
  Abs,
  Sqrt,
  Cbrt,
  Exp,
  Exp2,
  Log,
  Log2,
  Log10,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Erf,
  Floor,
  Ceil,
  Round,
  Not,
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Min,
  Max,
  Pow,
  Atan2,
  Hypot,
  Eq,
  Ne,
  Lt,
  Le,
  And,
  Or,
  Select,
  Cast,
  UserFun,
  Count
};

/// What a pad does outside the array of length n, at position x (x < 0 or x >= n):
///   clamp      the nearest element                       wrap       element x mod n (periodic)
///   mirror     even reflection about the face (-1 -> 0): homogeneous Neumann for cell-centred data
///   reflect    even reflection about the last element, which is not repeated (-1 -> 1): homogeneous Neumann
///   for
///              vertex-centred data
///   odd        odd reflection about the face (-1 -> -x0): homogeneous Dirichlet for cell-centred data; with
///   a value g,
///              (-1 -> 2 g - x0): the mean of both, the face's value, is g
///   constant   a given value                             undefined  nothing may be read there (see Drop)
/// The value of odd and constant is a pad's second child, a scalar; a constant may also be a number.
enum class Boundary : std::uint8_t { clamp, wrap, mirror, reflect, odd, constant, undefined };
const char* text(Boundary b);

/// The payload of a node; which fields an op uses is said beside its builder in `ir/expr/build.hpp`.
struct Attr {
  std::vector<Nat> nats;
  std::vector<std::int64_t> ints;
  std::vector<std::string> texts;
  std::vector<Type> types;
  double number = 0;
  friend bool operator==(const Attr&, const Attr&) = default;
};

struct Node;

/// A position in an array and the line that asks for it, so that `xs[i]` reports the caller's.
struct ElementIndex {
  Nat value;
  std::source_location where;
  template <class T>
  requires std::convertible_to<const T&, Nat> ElementIndex(
      const T& i, std::source_location w = std::source_location::current())
      : value(i), where(w) {}  // NOLINT
};

class Expr {
 public:
  Expr() = default;  ///< no expression; only to be assigned to
  explicit operator bool() const { return node_ != nullptr; }

  Op op() const;
  const Type& type() const;
  std::span<const Expr> children() const;
  const Expr& child(std::size_t i) const;
  const Attr& attr() const;
  std::uint32_t id() const;
  /// How many enclosing lambdas the term refers to; 0 when it is closed.
  int loose() const;
  bool is(Op o) const { return node_ && op() == o; }

  /// Element of an array or window (constant or symbolic position); see `at`.
  Expr operator[](const ElementIndex& i) const;
  /// Element at a position that is computed, an i32 that is proved to be within; see `gather`.
  Expr operator[](const Expr& i) const;

  friend bool operator==(const Expr& a, const Expr& b) { return a.node_ == b.node_; }

 private:
  explicit Expr(const Node* node) : node_(node) {}
  friend std::source_location origin(const Expr& e);
  friend Expr make(Op, std::vector<Expr>, Attr, std::source_location);
  friend void raise(const Expr&, detail::Stay);
  friend detail::Stay stay_of(const Expr&);
  const Node* node_ = nullptr;
};

/// Builds, types and interns a node. Throws TypeError naming the primitive, the types and `where`.
Expr make(Op op, std::vector<Expr> children, Attr attr = {},
          std::source_location where = std::source_location::current());
/// The same op and attributes with other children (re-inferred).
Expr with_children(const Expr& e, std::vector<Expr> children);

/// Stays at least so long; see ir/region.hpp.
void raise(const Expr& e, detail::Stay stay);
detail::Stay stay_of(const Expr& e);

/// Where a node was first built; for messages and traces.
std::source_location origin(const Expr& e);

// ---- free variables and binders

/// A free variable. Two params of one name and type are one variable.
Expr param(const std::string& name, const Type& type);
/// A free variable different from all others.
Expr fresh_param(const std::string& name, const Type& type);
const std::string& param_name(const Expr& p);
/// lambda(params) body: the params become bound.
Expr lambda(const std::vector<Expr>& params, const Expr& body,
            std::source_location where = std::source_location::current());
/// Body of a lambda with its variables replaced by `arguments` (of the lambda's parameter types).
Expr instantiate(const Expr& fn, std::span<const Expr> arguments);
/// Body of a lambda over new free variables, which are appended to `fresh`.
Expr open(const Expr& fn, std::vector<Expr>& fresh);
/// Replaces free variables (params, holes) by terms; correct under binders.
Expr substitute(const Expr& e, const std::function<Expr(const Expr& leaf)>& replacement);
/// Moves a term under `by` more (or, negative, fewer) binders.
Expr shift(const Expr& e, int by);
/// All params, in order of first occurrence.
std::vector<Expr> params_of(const Expr& e);
/// Applies f to each child and rebuilds when one changed.
Expr map_children(const Expr& e, const std::function<Expr(const Expr&)>& f);
/// Rewrites every Nat of the term's attributes (and types).
Expr map_nats(const Expr& e, const std::function<Nat(const Nat&)>& f);
/// Visits every distinct node once, children first.
void visit(const Expr& e, const std::function<void(const Expr&)>& f);
/// Whether some node of the term is such a one.
bool contains(const Expr& e, const std::function<bool(const Expr&)>& such);
std::size_t size_of(const Expr& e);  ///< number of distinct nodes

/// Readable text; `multi_line` breaks after each composition step. See `ir/text/print.cpp` for the notation.
std::string str(const Expr& e);
std::string pretty(const Expr& e);

}  // namespace lift
