#include "tuning/converter.hpp"

#include <algorithm>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "lower/lower.hpp"

namespace lift {

bool is_caller_layout(const Layout& layout) { return layout.request().kind == LayoutRequest::Kind::Caller; }

std::size_t bytes_of(const Layout& layout, Scalar element) {
  const auto n = layout.size().constant();
  if (!n) throw InternalError("layouts: the size " + layout.size().str() + " is not a constant");
  return static_cast<std::size_t>(*n) * size_of(element);
}

std::shared_ptr<NativeLibrary> compile_conversion(NativeCompiler& compiler, const Type& array,
                                                  const Layout& from, const Layout& to) {
  const Kernel kernel = lower_conversion("convert", array, from, to);
  const CompileResult compiled = compiler.compile(
      {.code = emit_openmp(kernel) + emit_trampoline(kernel, kernel.name), .flags = default_flags()});
  if (!compiled.library)
    throw EnvironmentError("the conversion of " + array.str() + " from layout '" + str(from.request()) +
                           "' to '" + str(to.request()) + "' was not compiled: " + compiled.error);
  return compiled.library;
}

std::string Converter::key(const Type& array, const Layout& from, const Layout& to) {
  return array.str() + " / " + str(from.request()) + " / " + str(to.request());
}

void Converter::convert(KernelHost& host, const Type& array, const Layout& from, const void* source,
                        const Layout& to, void* target) {
  Entry& entry = entries_[key(array, from, to)];
  if (!entry.library) entry.library = compile_conversion(*compiler_, array, from, to);
  void* const arguments[] = {const_cast<void*>(source), target};
  const double ms = host.call(entry.library->path(), arguments);
  entry.ms = entry.ms > 0 ? std::min(entry.ms, ms) : ms;
}

double Converter::ms(const Type& array, const Layout& from, const Layout& to) const {
  const auto it = entries_.find(key(array, from, to));
  return it == entries_.end() ? 0 : it->second.ms;
}

}  // namespace lift
