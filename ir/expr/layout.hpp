// Layouts: where an element of an array lies in memory. A layout is an invertible map from the logical
// position (row-major, as the caller sees the array) to a flat index, in elements.
//
//   rows    row-major with the innermost row padded to a multiple of `align` elements, the whole array
//   shifted so
//           that element `lead` of a row starts on a boundary of `align` elements
//   split   colour-split (red-black) storage: cells of parity p = (sum of the last `axes` indices) mod 2 lie
//   in half p,
//           each row holding every second cell: index = half p + row + x div 2. One half-sweep is then
//           unit-stride and reads only half of each cell-centred array. Rows padded to a multiple of `align`.
//
// Requests name a layout without knowing the array: "rows 8 1", "split 3 8". The caller's own layout is
// "caller".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/expr/expr.hpp"

namespace lift {

struct LayoutRequest {
  enum class Kind : std::uint8_t { Caller, Rows, Split } kind = Kind::Caller;
  std::int64_t align = 1;  ///< Rows, Split: row pitch is a multiple of this many elements
  std::int64_t lead = 0;   ///< Rows: this element of each row is aligned
  std::int64_t axes = 3;   ///< Split: the parity is taken over this many innermost dimensions
  friend bool operator==(const LayoutRequest&, const LayoutRequest&) = default;
};
inline constexpr LayoutRequest kCallersLayout = {};
std::string str(const LayoutRequest& r);
/// Throws UserError for text that names no layout.
LayoutRequest parse_layout(const std::string& text);

/// A request applied to an array type.
class Layout {
 public:
  Layout() = default;
  Layout(const LayoutRequest& request, const Type& array);
  const LayoutRequest& request() const { return request_; }
  const std::vector<Nat>& shape() const { return shape_; }
  Nat size() const;                                   ///< elements to allocate
  Nat index(const std::vector<Nat>& position) const;  ///< flat index of a logical position
  const std::vector<Nat>& strides() const { return strides_; }
  const Nat& offset() const { return offset_; }
  const Nat& half() const { return half_; }  ///< Split: distance of the two halves
  /// The same layout with other terms for the strides, asked for from the innermost dimension (0) outwards,
  /// then for the half (-1).
  Layout renamed(const std::function<Nat(int dimension, const Nat& stride)>& name) const;

 private:
  LayoutRequest request_;
  std::vector<Nat> shape_, strides_;
  Nat offset_ = 0, half_ = 0;
};

/// x, marked as stored in a layout (identity in meaning): x is an array param.
Expr in_layout(const LayoutRequest& r, const Expr& x);
LayoutRequest layout_of(const Expr& layout_node);

}  // namespace lift
