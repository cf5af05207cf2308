// Kernels as C with OpenMP: compiled in parallel, called through the trampoline.
#include <cstring>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "runtime/parallel.hpp"
#include "tuning/executor.hpp"

namespace lift {
namespace {

class NativeExecutor : public Executor {
 public:
  NativeExecutor(NativeCompiler& compiler, const ProblemData& arguments, int threads)
      : compiler_(compiler), store_(compiler, arguments, threads) {}

  std::string source(const Kernel& kernel) override { return emit_openmp(kernel); }

  std::vector<Compiled> compile(std::span<const Job> jobs,
                                const std::function<bool(std::size_t)>& on_progress) override {
    std::vector<Compiled> compiled(jobs.size());
    std::vector<NativeSource> sources;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const Job& job = jobs[i];
      compiled[i].source = job.code.empty() ? source(job.kernel) : job.code;
      sources.push_back(
          {.code = compiled[i].source +
                   emit_trampoline(job.kernel, job.function.empty() ? job.kernel.name : job.function),
           .flags = job.flags.empty() ? default_flags() : job.flags,
           .compiler = job.compiler});
    }
    const std::vector<CompileResult> results = compiler_.compile_all(sources, on_progress);
    for (std::size_t i = 0; i < results.size(); ++i) {
      compiled[i].seconds = results[i].seconds;
      compiled[i].stopped = results[i].stopped;
      compiled[i].program = results[i].library;
      compiled[i].error = results[i].library || !results[i].error.empty() ? results[i].error : "not compiled";
    }
    return compiled;
  }

  TimedRun bind(const Kernel& kernel, const Compiled& compiled) override {
    const auto library = std::static_pointer_cast<NativeLibrary>(compiled.program);
    std::vector<std::shared_ptr<const void>> kept;
    std::vector<void*> pointers;
    for (const KernelArgument& a : kernel.arguments) {
      kept.push_back(a.type.is_array() && a.written ? scratch(a) : store_.in_layout(a));
      pointers.push_back(const_cast<void*>(kept.back().get()));
    }
    const auto call = library->function<void(void**)>("liftgen_call");
    return TimedRun([library, kept, pointers, call]() mutable { call(pointers.data()); });
  }

  void restore(const Kernel& kernel) override {
    for (const KernelArgument& a : kernel.arguments) {
      if (!a.type.is_array() || !a.written) continue;
      const std::shared_ptr<Buffer> to = scratch_buffer(a);
      const bool known = store_.find(a.name) != nullptr;
      const std::shared_ptr<const void> from = known ? store_.in_layout(a) : nullptr;
      parallel_for_chunks(to->bytes(), store_.threads(), [&](std::size_t begin, std::size_t end) {
        char* target = static_cast<char*>(to->data()) + begin;
        if (known)
          std::memcpy(target, static_cast<const char*>(from.get()) + begin, end - begin);
        else
          std::memset(target, 0xff, end - begin);  // NaN as f32 and f64
      });
    }
  }

  HostArray fetch(const Kernel& kernel, std::size_t n, const HostArray& staging) override {
    const KernelArgument& result = result_argument(kernel, n);
    void* stored = scratch_buffer(result)->data();
    if (is_caller_layout(result.layout)) return {result.name, result.type, stored};
    store_.to_caller(result, stored, staging);
    return staging;
  }

  double convert_ms(const Kernel& kernel) const override { return store_.convert_ms(kernel); }

 private:
  std::shared_ptr<Buffer> scratch_buffer(const KernelArgument& a) {
    std::shared_ptr<Buffer>& buffer = scratch_[storage_key(a)];
    if (!buffer)
      buffer = std::make_shared<Buffer>(bytes_of(a.layout, element_of(a.type).scalar()),
                                        BufferOptions{store_.threads(), -1});
    return buffer;
  }
  std::shared_ptr<const void> scratch(const KernelArgument& a) {
    const std::shared_ptr<Buffer> buffer = scratch_buffer(a);
    return {buffer, buffer->data()};
  }

  NativeCompiler& compiler_;
  LayoutStore store_;
  std::map<std::string, std::shared_ptr<Buffer>> scratch_;  ///< written arrays, by name and layout
};

}  // namespace

std::unique_ptr<Executor> make_native_executor(NativeCompiler& compiler, const ProblemData& arguments,
                                               int threads) {
  return std::make_unique<NativeExecutor>(compiler, arguments, threads);
}

}  // namespace lift
