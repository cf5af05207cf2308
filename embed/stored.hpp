// An array that lies in memory in a layout of its own, without its C++ type.
#pragma once

#include <span>

#include "embed/arguments.hpp"
#include "runtime/buffer.hpp"

namespace lift {

class Stored {
 public:
  /// Zeros. UserError: a layout that no array of this rank has, not that much memory.
  Stored(Scalar element, std::span<const std::int64_t> shape, const LayoutRequest& request);

  /// Takes over the elements of an array of the same shape that lies as the caller has it, by a generated
  /// kernel. EnvironmentError: no C compiler.
  void assign(const ArgumentValue& from);
  void copy_to(const ArgumentValue& to) const;

  const LayoutRequest& request() const { return layout_.request(); }
  /// Where an element lies, in elements.
  std::int64_t index(std::span<const std::int64_t> position) const;
  ArgumentValue value() const;

 private:
  /// Both as rows without gaps, or in this layout.
  void convert(const Layout& from, const void* source, const Layout& to, void* target) const;
  void check_shape(const ArgumentValue& v) const;

  Type type_;
  Layout layout_;
  ArgumentValue value_;
  std::vector<std::int64_t> strides_;
  std::int64_t offset_ = 0, half_ = 0, split_from_ = 0;
  Buffer memory_;
};

}  // namespace lift
