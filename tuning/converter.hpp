// Arrays from one layout to another, by generated kernels on the host.
#pragma once

#include <map>

#include "lower/loops/loop.hpp"
#include "runtime/native.hpp"
#include "tuning/kernel_host.hpp"

namespace lift {

bool is_caller_layout(const Layout& layout);
/// Bytes to allocate for an array of that layout; InternalError when a length is symbolic.
std::size_t bytes_of(const Layout& layout, Scalar element);

/// The kernel that copies `array` from one layout to another, as a library with `void liftgen_call(void **)`
/// of both addresses. EnvironmentError when it does not compile.
std::shared_ptr<NativeLibrary> compile_conversion(NativeCompiler& compiler, const Type& array,
                                                  const Layout& from, const Layout& to);

class Converter {
 public:
  explicit Converter(NativeCompiler& compiler) : compiler_(&compiler) {}

  /// Copies the array `source`, stored in layout `from`, to `target` in layout `to`.
  /// Addresses are the host's. EnvironmentError when the kernel does not compile.
  void convert(KernelHost& host, const Type& array, const Layout& from, const void* source, const Layout& to,
               void* target);
  /// The shortest time that such a conversion has taken so far; 0 when there has been none.
  double ms(const Type& array, const Layout& from, const Layout& to) const;

 private:
  struct Entry {
    std::shared_ptr<NativeLibrary> library;
    double ms = 0;
  };
  static std::string key(const Type& array, const Layout& from, const Layout& to);
  NativeCompiler* compiler_;
  std::map<std::string, Entry> entries_;
};

}  // namespace lift
