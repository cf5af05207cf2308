// What a callable holds: its plan, and a kernel for every set of sizes met. Private to this folder.
#pragma once

#include <map>
#include <shared_mutex>

#include "embed/default_variant.hpp"
#include "embed/grid_code.hpp"
#include "embed/native_code.hpp"
#include "embed/pitched.hpp"
#include "tuning/made_of.hpp"

namespace lift {

inline constexpr std::uintptr_t kAlignment = 64;  ///< bytes, that streaming stores count on

struct Callable::Variant {
  Sizes sizes;
  Around around;         ///< of the arguments that are passed with their gaps
  LayoutRequest layout;  ///< of all arrays
  Derivation derivation;
  std::string origin;     ///< see Callable::origin
  Kernel kernel;          ///< less its body
  Held<Nodes> kept;       ///< what that is made of
  bool finished = false;  ///< found so: neither derived nor lowered
  std::string source;
  NativeCode native;                              ///< or
  GridCode grid;                                  ///< with CompileOptions::device
  std::vector<std::size_t> bytes;                 ///< of each kernel argument's element
  std::vector<std::size_t> memory;                ///< bytes of each array that the caller may not have
  std::vector<long> size_arguments;               ///< that a kernel for all sizes takes first
  std::vector<std::vector<std::int64_t>> shapes;  ///< of each returned result
};

struct Callable::Impl {
  Plan plan;
  Held<Nodes> kept;  ///< what that is made of
  Signature signature;
  CompileOptions options;
  mutable std::shared_mutex mutex;
  /// By sizes, gaps and the text of the layout.
  mutable std::map<std::tuple<Sizes, Around, std::string>, std::unique_ptr<Variant>> variants;
  mutable std::map<std::vector<std::int64_t>, const Variant*>
      by_shapes;  ///< of all arguments of a call, and strides of those with gaps: found without solving

  const Variant& variant(const Sizes& sizes, const Around& around, const LayoutRequest& layout) const;
  std::unique_ptr<Variant> make(const Sizes& sizes, const Around& around, const LayoutRequest& layout) const;
  /// That the derivation asked for stores all arrays in; the caller's without one.
  LayoutRequest layout_of_derivation() const;
  /// UserError where arrays are not all in one layout, and in that of the derivation.
  LayoutRequest layout_of_call(std::span<const ArgumentValue> arguments, const std::string& where) const;
  /// For the variant's sizes and gaps, which copies may make fewer; `program`, over these sizes, becomes the
  /// one over the arrays around the arguments.
  ChosenVariant choose_for(Variant& v, Program& program) const;
  /// UserError for views that cannot be passed as they lie, unless copies are asked for.
  Around around_of_call(std::span<const ArgumentValue> arguments, const std::string& where) const;
  Sizes sizes_of_call(std::span<const ArgumentValue> arguments, const std::string& where) const;
};

}  // namespace lift
