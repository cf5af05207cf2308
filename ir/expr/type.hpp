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

/// u16 and i16 are no types of programs: lanes in which vectors of i32 are computed whose values fit
/// (lower/passes/narrow_lanes.hpp).
enum class Scalar : std::uint8_t { f32, f64, i32, i64, u8, boolean, u16, i16 };
inline constexpr Scalar f32 = Scalar::f32, f64 = Scalar::f64, i32 = Scalar::i32, i64 = Scalar::i64,
                        u8 = Scalar::u8, boolean = Scalar::boolean, u16 = Scalar::u16, i16 = Scalar::i16;
/// Those of programs, in the order in which they are listed to users.
inline constexpr Scalar kScalarTypes[] = {f32, f64, i32, i64, u8, boolean};

const char* text(Scalar s);     ///< "f64"
std::size_t size_of(Scalar s);  ///< bytes
inline bool is_float(Scalar s) { return s == Scalar::f32 || s == Scalar::f64; }
inline bool is_integer(Scalar s) { return s == Scalar::i32 || s == Scalar::i64; }
/// What values of the type are computed as: u8 is what memory holds, and becomes an i32 (C's promotion).
inline Scalar promoted(Scalar s) { return s == Scalar::u8 ? Scalar::i32 : s; }
/// Whether a conversion is two: u8 becomes i32, and is made of i32.
inline bool goes_by_i32(Scalar from, Scalar to) {
  if (size_of(from) == 2 || size_of(to) == 2) return false;
  return from != to && (from == Scalar::u8 ? to != Scalar::i32 : to == Scalar::u8 && from != Scalar::i32);
}
/// Types whose literals are written with a suffix, 3u8, as a number alone has another type.
inline bool has_own_literals(Scalar s) { return s == Scalar::u8 || s == Scalar::i64; }
/// Whether a whole number, which is kept as a double, may be a literal of such a type.
bool has_literal(Scalar s, double x);
/// f(zero of the C++ type), whatever f returns.
template <class F>
decltype(auto) with_scalar(Scalar s, F&& f) {
  switch (s) {
    case Scalar::f32:
      return f(float{});
    case Scalar::f64:
      return f(double{});
    case Scalar::i32:
      return f(std::int32_t{});
    case Scalar::i64:
      return f(std::int64_t{});
    case Scalar::u8:
      return f(std::uint8_t{});
    case Scalar::u16:
    case Scalar::i16:
    case Scalar::boolean:
      break;
  }
  return f(bool{});
}

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
  friend void raise(const Type&, detail::Stay);
  const TypeNode* node_;
};

/// Stays at least so long; see ir/region.hpp.
void raise(const Type& t, detail::Stay stay);

/// Array type with the given lengths, outermost first: array({n, m}, f64) is n.m.f64.
Type array(const std::vector<Nat>& shape, const Type& element);
inline Type array(const Type& element, const Nat& length) { return Type::array(length, element); }
/// The lengths of the outer `rank` array dimensions (all of them when rank < 0).
std::vector<Nat> shape_of(const Type& t, int rank = -1);
/// The type below `rank` array dimensions (below all of them when rank < 0).
Type element_of(const Type& t, int rank = -1);
int rank_of(const Type& t);         ///< number of nested array dimensions
bool mentions_any(const Type& t);   ///< part of a pattern
bool is_of_numbers(const Type& t);  ///< a number, or several side by side

}  // namespace lift
