#include "embed/native_code.hpp"

#include "embed/compiler.hpp"
#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"

namespace lift {
namespace {

std::shared_ptr<NativeLibrary> compiled(const Kernel& kernel, const std::string& text) {
  const CompileResult r = shared_compiler().compile({.code = text, .flags = default_flags()});
  if (r.library) return r.library;
  if (r.stopped || r.timed_out)
    throw EnvironmentError(kernel.name + ": not compiled: " + r.error + "; try again");
  if (const std::string functions = user_functions(kernel); !functions.empty())
    throw UserError(kernel.name +
                    ": the C compiler refuses the kernel; look at the C text of the user function " +
                    functions + ":\n" + r.error);
  throw InternalError(kernel.name + ": the C compiler refuses the generated kernel:\n" + r.error);
}

}  // namespace

std::string user_functions(const Kernel& kernel) {
  std::string functions;
  for (const Attr& f : kernel.user_functions) functions += (functions.empty() ? "" : ", ") + user_name(f);
  return functions;
}

std::string callable_source(const Kernel& kernel, const std::string& source) {
  return source + emit_trampoline(kernel, kernel.name);
}

NativeCode native_code(const Kernel& kernel, const std::string& text) {
  NativeCode code;
  code.library = compiled(kernel, text);
  code.call = code.library->function<int(void**)>("liftgen_call");
  return code;
}

}  // namespace lift
