// A kernel for processors, compiled and opened in this process. Private to this folder.
#pragma once

#include "lower/loops/loop.hpp"
#include "runtime/native.hpp"

namespace lift {

struct NativeCode {
  std::shared_ptr<NativeLibrary> library;
  int (*call)(void**) = nullptr;  ///< not 0: not enough memory to begin
};

/// The kernel's source with what calls it.
std::string callable_source(const Kernel& kernel, const std::string& source);
/// Of that; the kernel gives messages its name. UserError: a function of the user's own that is refused.
/// EnvironmentError: no compiler, interrupted.
NativeCode native_code(const Kernel& kernel, const std::string& text);

/// The C functions of the user's own that a kernel calls, "f, g"; they may be why it is refused.
std::string user_functions(const Kernel& kernel);

}  // namespace lift
