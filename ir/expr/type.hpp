// Types of expressions: scalars, tuples, arrays with symbolic lengths, functions. Interned: equality is
// identity.
//
// Written  f64   {f64, i32}   64.66.f64 (an array of 64 arrays of 66 doubles)   (f64, f64) -> f64
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/nat/nat.hpp"

namespace lift {

enum class Scalar : std::uint8_t { f32, f64, i32, boolean };
inline constexpr Scalar f32 = Scalar::f32, f64 = Scalar::f64, i32 = Scalar::i32, boolean = Scalar::boolean;

const char* text(Scalar s);     ///< "f64"
std::size_t size_of(Scalar s);  ///< bytes
inline bool is_float(Scalar s) { return s == Scalar::f32 || s == Scalar::f64; }

struct TypeNode;

class Type {
 public:
  enum class Kind : std::uint8_t { Any, Scalar, Tuple, Array, Function };

  Type() : Type(any()) {}
  Type(Scalar s);     // NOLINT: a scalar kind is a type
  static Type any();  ///< the type of a hole in a pattern; absent from finished expressions
  static Type tuple(std::vector<Type> parts);
  static Type array(const Nat& length, const Type& element);
  static Type function(std::vector<Type> parameters, const Type& result);

  Kind kind() const;
  bool is_any() const { return kind() == Kind::Any; }
  bool is_scalar() const { return kind() == Kind::Scalar; }
  bool is_array() const { return kind() == Kind::Array; }
  bool is_tuple() const { return kind() == Kind::Tuple; }
  bool is_function() const { return kind() == Kind::Function; }
  bool has_arrays() const;              ///< an array, or a tuple with one
  Scalar scalar() const;                ///< Scalar
  std::span<const Type> parts() const;  ///< Tuple: components; Function: parameters
  const Nat& length() const;            ///< Array
  Type element() const;                 ///< Array
  Type result() const;                  ///< Function

  std::uint32_t id() const;
  std::string str() const;
  friend bool operator==(const Type& a, const Type& b) { return a.node_ == b.node_; }

 private:
  explicit Type(const TypeNode* node) : node_(node) {}
  const TypeNode* node_;
};

/// Array type with the given lengths, outermost first: array({n, m}, f64) is n.m.f64.
Type array(const std::vector<Nat>& shape, const Type& element);
inline Type array(const Type& element, const Nat& length) { return Type::array(length, element); }
/// The lengths of the outer `rank` array dimensions (all of them when rank < 0).
std::vector<Nat> shape_of(const Type& t, int rank = -1);
/// The type below `rank` array dimensions (below all of them when rank < 0).
Type element_of(const Type& t, int rank = -1);
int rank_of(const Type& t);        ///< number of nested array dimensions
bool mentions_any(const Type& t);  ///< part of a pattern

}  // namespace lift
