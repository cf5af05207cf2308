// The op table: everything the generic passes need to know of a primitive, one row each.
#pragma once

#include <array>
#include <source_location>
#include <string_view>

#include "ir/error.hpp"
#include "ir/expr/expr.hpp"

namespace lift {

class Value;        // ir/expr/interpret.hpp
class Interpreter;  // ir/expr/interpret.hpp

enum class OpClass : std::uint8_t { Leaf, Binding, Structure, Computation, LowLevel, Scalar };

/// Type of a node from its children and attributes; throws TypeError (through `type_error`).
using TypeRule = Type (*)(Op op, std::span<const Expr> children, const Attr& attr);
/// Value of a node; strict, see `ir/expr/interpret.hpp`.
using Meaning = Value (*)(Interpreter& in, const Expr& e);

/// How an op is written.
struct Notation {
  enum Form : std::uint8_t {
    Own,      ///< by signs or words that the printer and the parser know
    Partial,  ///< xs |> slide(3, 1); slide(3, 1, xs)
    Call,     ///< zip(xs, ys)
    Infix,    ///< a + b
    Prefix,   ///< -a
  } form = Own;
  /// How tightly the form binds.
  enum Precedence : std::uint8_t {
    Open,
    Pipe,
    Disjunction,
    Conjunction,
    Comparison,
    Sum,
    Product,
    Unary,
    Atom
  };
  Precedence precedence = Atom;
  std::string_view sign = {};  ///< of infix and prefix forms
};

/// What the attributes of an op are: where its rank comes from, and which arguments it is written with.
struct Payload {
  enum Kind : std::uint8_t {
    None,
    Rank,        ///< its rank alone
    Number,      ///< one natural
    PerAxis,     ///< a natural for each dimension that it acts on
    TwoPerAxis,  ///< two for each: a window's size and step, widths below and above
    Boundary,    ///< the same and a boundary condition
    Order,       ///< a permutation of the dimensions
    Shape,       ///< the lengths of the result
    Band,        ///< an axis, a width, and a natural for each stage of a chain; its shape in <...>
    Own,         ///< others, see `ir/expr/attributes.hpp`
  } kind = None;
  std::string_view names = {};  ///< of the arguments, in messages: "size, step"
};

/// What a function among the children gets as its arguments.
enum class Applies : std::uint8_t {
  Nothing,  ///< no child is a function that the op applies
  Element,  ///< map: an element of the array
  Fold,     ///< reduce, scan: accumulator and element
  Indices,  ///< generate: a position, as i32s
  Value,    ///< let: the value that gets a name
  State,    ///< iterate: what the iteration before returned
};

/// What the elements of an array's form are to those of its (first) argument.
enum class Elements : std::uint8_t {
  Made,  ///< computed, or found in several arguments
  Same,  ///< each is an element of the argument, and no two are one: a new arrangement
  Read,  ///< each is made of elements of the argument, which several may read: windows, boundaries
};

struct OpRow {
  Op op;
  std::string_view text;  ///< as printed and parsed
  int arity;              ///< number of children; -1: one or more, -2: any number
  OpClass cls;
  TypeRule type;
  Meaning meaning;
  Notation notation;
  Payload payload;
  Applies applies;
  Elements elements;
  std::string_view says;  ///< one line for people
  Op high = Op::Count;    ///< of a low-level op: the op without the decision; Count: its argument, or itself
};

const OpRow& row(Op op);
inline std::string_view text(Op op) { return row(op).text; }
/// Whether a digit after the name gives its rank: map2, slide3.
bool is_ranked(Op op);
inline bool is_scalar_op(Op op) { return row(op).cls == OpClass::Scalar; }
inline bool is_low_level(Op op) { return row(op).cls == OpClass::LowLevel; }
bool is_map(Op op);       ///< Map and its low-level forms
bool is_reduce(Op op);    ///< Reduce and its low-level forms
bool is_scan(Op op);      ///< Scan, ScanBack and their low-level forms
bool is_backward(Op op);  ///< a scan from the last element to the first
bool is_update(Op op);    ///< Update and UpdateInPlace
bool is_identity(Op op);  ///< means what its argument means (ToLocal, Async, Layout, ReadOnly, ...):
                          ///< decisions on where, not what
/// The same primitive with no decision taken: map for map_par. Identities have none.
Op high_level(Op op);
/// The node without the decision that its op is, on the same children; the argument of an identity.
Expr without_decision(const Expr& e);
/// Which child the op applies as a function; nothing for ops that apply none.
std::optional<std::size_t> function_child(Op op);
/// Types of the arguments that the op applies this child to, from the other children (that child may be
/// missing yet) and the attributes.
std::vector<Type> applied_to(Op op, std::span<const Expr> children, const Attr& a);
/// Whether the elements of the result are those of its first argument, each at most once.
inline bool rearranges(Op op) { return row(op).elements == Elements::Same; }
bool is_map_on_grid(Op op);  ///< MapGlb, MapWrg, MapLcl

/// A typing rule was broken: names the primitive, what it was given and what to try; `make` adds the source
/// line.
struct TypeError : UserError {
  using UserError::UserError;
};
/// " [file:line]", the end of every type error.
std::string line_of(std::source_location where);
[[noreturn]] void type_error(Op op, const std::string& what, const std::string& remedy);

}  // namespace lift
