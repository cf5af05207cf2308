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

struct OpRow {
  Op op;
  std::string_view text;  ///< as printed and parsed
  int arity;              ///< number of children; -1: one or more, -2: any number
  OpClass cls;
  TypeRule type;
  Meaning meaning;
};

const OpRow& row(Op op);
inline std::string_view text(Op op) { return row(op).text; }
inline bool is_scalar_op(Op op) { return row(op).cls == OpClass::Scalar; }
bool is_map(Op op);       ///< Map and its low-level forms
bool is_reduce(Op op);    ///< Reduce and its low-level forms
bool is_scan(Op op);      ///< Scan, ScanBack and their low-level forms
bool is_backward(Op op);  ///< a scan from the last element to the first
bool is_update(Op op);    ///< Update and UpdateInPlace
bool is_identity(Op op);  ///< means what its argument means (ToLocal, Async, Layout, ReadOnly, ...):
                          ///< decisions on where, not what

/// A typing rule was broken: names the primitive, what it was given and what to try; `make` adds the source
/// line.
struct TypeError : UserError {
  using UserError::UserError;
};
/// " [file:line]", the end of every type error.
std::string line_of(std::source_location where);
[[noreturn]] void type_error(Op op, const std::string& what, const std::string& remedy);

}  // namespace lift
