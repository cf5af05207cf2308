#include "tuning/reference.hpp"

#include <cstring>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/analysis/decided.hpp"
#include "tuning/converter.hpp"
#include "tuning/error_bounds.hpp"
#include "tuning/kernel_host.hpp"

namespace lift {
namespace {

/// C text that no compiler gets through in the time that it is given.
constexpr std::size_t kMostText = std::size_t{2} << 20;

[[noreturn]] void refuse_text(const Program& program, std::size_t bytes) {
  throw UserError(program.name + ": as it is written its loops are " + std::to_string(bytes >> 10) +
                  " KB of C, too much for the compiler: what has no name is computed again for each element "
                  "that reads it; name it, let a = ... in ... a ..., and write steps that are repeated as "
                  "iterate(n, step)");
}

CompileResult compiled(NativeCompiler& compiler, const Program& program, const Kernel& kernel) {
  const std::string text = emit_openmp(kernel) + emit_trampoline(kernel, kernel.name);
  if (text.size() > kMostText) refuse_text(program, text.size());
  CompileResult made = compiler.compile({.code = text, .flags = default_flags()});
  constexpr std::size_t kMuchText = std::size_t{256} << 10;
  if (made.timed_out && text.size() > kMuchText) refuse_text(program, text.size());
  return made;
}

/// Memory for what the kernel writes; the other arguments where they lie.
std::vector<std::shared_ptr<void>> memory_for(const Kernel& kernel, const ProblemData& arguments,
                                              KernelHost& host) {
  std::vector<std::shared_ptr<void>> memory;
  for (const KernelArgument& a : kernel.arguments) {
    const HostArray* given = arguments.find(a.name);
    if (!a.type.is_array() || !a.written) {
      if (given == nullptr) throw InternalError("reference: no data for the argument '" + a.name + "'");
      memory.emplace_back(std::shared_ptr<void>(), given->data);
      continue;
    }
    const std::size_t bytes = bytes_of(a.layout, element_of(a.type).scalar());
    memory.push_back(host.allocate(bytes));
    if (given != nullptr) host.copy(memory.back().get(), given->data, bytes);
  }
  return memory;
}

std::size_t place_of(const Kernel& kernel, const std::string& name) {
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i)
    if (kernel.arguments[i].name == name) return i;
  return kernel.arguments.size();
}

}  // namespace

std::string functions_called(const Program& program) {
  std::string all;
  for (const auto& function : names_of(program.body).functions)
    all += (all.empty() ? "" : ", ") + function.first;
  return all.empty() ? "" : "; it calls the C functions " + all;
}

void compute_reference(const Program& program, const LowerOptions& lowering, NativeCompiler& compiler,
                       const ProblemData& arguments, ExpectedResults& into, const ReferenceOptions& options) {
  LowerOptions on_processors = lowering;
  on_processors.target = Target::openmp;
  const Kernel plain = lower(undecided(program), on_processors);
  const std::optional<Kernel> bounded = with_error_bounds(plain);
  if (!bounded && !options.values) return;
  const Kernel& kernel = bounded ? *bounded : plain;
  const CompileResult made = compiled(compiler, program, kernel);
  if (made.stopped) throw EnvironmentError("interrupted");
  if (made.timed_out)
    throw UserError(program.name + ": its loops, as they are written, were not compiled: " + made.error +
                    "; shorter chains or smaller unrolled lengths (reductions, tuples) are compiled faster");
  if (!made.library) compiler.require_working();
  if (!made.library)
    throw InternalError("the sequential kernel of " + program.name + " was not compiled: " + made.error);

  KernelHost host(options.threads, true);
  host.set_limit(options.limit_seconds);
  try {
    const std::vector<std::shared_ptr<void>> memory = memory_for(kernel, arguments, host);
    std::vector<void*> pointers;
    for (const auto& m : memory) pointers.push_back(m.get());
    host.call(made.library->path(), pointers);
    const std::vector<HostArray> results = into.results();
    for (std::size_t n = 0; n < results.size(); ++n) {
      const auto fetch = [&](const std::string& name, void* to, std::size_t bytes) {
        const std::string got = host.read(memory.at(place_of(kernel, name)).get(), bytes);
        std::memcpy(to, got.data(), bytes);
      };
      const std::size_t bytes = bytes_of(results[n].type);
      if (options.values) fetch(kernel.results.at(n), results[n].data, bytes);
      const std::string bounds = bound_name(kernel.results.at(n));
      if (place_of(kernel, bounds) < kernel.arguments.size())
        fetch(bounds, into.make_bounds(n),
              bytes / size_of(element_of(results[n].type).scalar()) * sizeof(float));
    }
  } catch (const WorkerLost& lost) {
    throw UserError(program.name + ", run as it is written: " + lost.what() + functions_called(program));
  }
}

}  // namespace lift
