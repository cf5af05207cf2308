// A program that C++ calls: checked against a signature, specialised for the sizes of the arguments,
// compiled, run.
//
// Sizes are solved from the arguments' lengths at each call. For every set of sizes met, a kernel is
// generated and compiled once and kept; the C compiler's results are also kept on disk, between processes. A
// call with sizes met before costs a look-up. Where many sizes are to be expected, one kernel for all of them
// (CompileOptions::symbolic) spares the compilations.
//
// Results. One that updates an argument passed as writable is written into it; the others are returned, or
// written to the additional arguments at the end. Where the signature returns as many values as there are
// results, all are returned, and the arguments stay as they are. A kernel never reads what it may have
// overwritten: an update that cannot be proved safe in place is computed beside and copied.
//
// Views. One whose rows or planes are longer than what is to be seen of them is passed as it lies: for its
// strides a kernel of its own is generated. Other strides (columns of a matrix, every second element) are
// refused, or copied on request.
//
// Devices. A kernel for a device takes arrays of the host, which are copied there and back for each call, and
// arrays that are on the device (device_memory.hpp), of which nothing is copied: of those an update that
// cannot be proved safe in place is copied on the device. Calls of both are refused for the same reasons.
//
// Safe to call from several threads at once, on different outputs. Each call uses a team of OpenMP threads of
// its own.
#pragma once

#include <memory>
#include <optional>
#include <source_location>

#include "embed/arguments.hpp"
#include "embed/queue.hpp"
#include "ir/expr/sizes.hpp"
#include "lower/loops/loop.hpp"
#include "rewrite/engine/derivation.hpp"

namespace lift {

struct CompileOptions {
  std::string name = {};  ///< of the kernel, in messages and in its source; of a program its own name
  std::vector<std::string> names = {};  ///< of a function's arguments, likewise; x, or x1, x2, ... when empty
  /// What it is for, as in --backend: openmp, or opencl and cuda, whose kernels run on `device`.
  Target backend = Target::openmp;
  std::optional<Device> device = {};  ///< empty: the first GPU, else the first device; of its own backend
  Sizes sizes = {};                   ///< of size variables that the arguments do not determine
  bool symbolic = false;              ///< one kernel, which takes the sizes, for all of them: may be slower
  std::optional<Derivation> derivation =
      {};  ///< how it is computed, see `explore`; sizes to which it does not apply are an error, unless
  bool or_default = false;  ///< ... the default variant is to be taken for these
  bool tuned = false;  ///< without a derivation: begins with what exploring has found for these sizes, or
                       ///< near them, where it has; nothing is searched
  std::string database = {};   ///< a file in which `tuned` looks; empty: the user's, see default_database;
                               ///< "none": in none
  bool keep_finished = false;  ///< kernels for processors, of programs without sizes to solve, are kept
                               ///< between processes and found again by their program: neither rules nor
                               ///< passes run (embed/finished.hpp)
  bool copy_views = false;  ///< views that kernels cannot walk are copied for each call, rather than refused
};

/// What a C++ signature demands: its parameters, and the results that it returns (none: void).
struct Signature {
  std::vector<ArgumentKind> arguments, returned;
};

class Callable {
 public:
  /// The body may be a function: then the arguments are its parameters, named by the options.
  /// UserError with `where` when program and signature do not agree. A program without symbolic sizes is
  /// compiled at once.
  Callable(const Program& program, Signature signature, CompileOptions options, std::source_location where);
  ~Callable();
  Callable(Callable&&) noexcept;
  Callable& operator=(Callable&&) noexcept;

  /// A kernel for known sizes; lives as long as the callable.
  struct Variant;

  /// The variant for these arguments, made if need be. UserError: sizes that do not agree, with the shapes; a
  /// view that no memory holds, or one to be written of which several positions are the same element;
  /// EnvironmentError: no compiler.
  const Variant& variant(std::span<const ArgumentValue> arguments, std::source_location where) const;
  /// The variant for given sizes: compiled now rather than at the first call.
  const Variant& variant(const Sizes& sizes, std::source_location where) const;
  /// Shape of a result, counted among those that are returned.
  static std::vector<std::int64_t> returned_shape(const Variant& v, std::size_t returned);
  /// Calls it. `returned` points to memory of the returned results, or to a DeviceMemory. UserError: an
  /// output overlaps another argument, a value outside an index parameter's range, no data.
  void run(const Variant& v, std::span<const ArgumentValue> arguments, std::span<void* const> returned,
           std::source_location where) const;
  /// Has it done in a queue of the kernel's device, and returns; all arrays and results are on that device.
  /// UserError: as run; a queue of another device, a kernel for processors, an array of the host.
  void ask(const Variant& v, std::span<const ArgumentValue> arguments, std::span<void* const> returned,
           Queue& queue, std::source_location where) const;

  static const std::string& source(const Variant& v);  ///< the C text
  static const Derivation& derivation(const Variant& v);
  /// Its arguments, and what results are in; not its body.
  static const Kernel& kernel(const Variant& v);
  static const Sizes& sizes(const Variant& v);
  /// With CompileOptions::tuned, what was taken from the database, in a line; "" when it is the default.
  static const std::string& origin(const Variant& v);
  std::string name() const;
  const std::optional<Device>& device() const;  ///< that its kernels run on; none: the processors

  struct Impl;

 private:
  const Variant& variant(const Sizes& sizes, const std::vector<std::vector<std::int64_t>>& around,
                         const LayoutRequest& layout, std::source_location where) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace lift
