// Kernels as C with OpenMP: compiled in parallel, called through the trampoline, in a worker process where
// that is possible.
#include <cstring>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "patterns/host_data.hpp"
#include "tuning/executor.hpp"

namespace lift {
namespace {

class NativeExecutor : public Executor {
 public:
  NativeExecutor(NativeCompiler& compiler, const ProblemData& arguments, int threads, bool apart)
      : compiler_(compiler),
        host_(std::make_shared<KernelHost>(threads, apart)),
        store_(compiler, arguments, host_) {
    guard({});
  }

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
      compiled[i].timed_out = results[i].timed_out;
      compiled[i].error = results[i].library || !results[i].error.empty() ? results[i].error : "not compiled";
    }
    return compiled;
  }

  TimedRun bind(const Kernel& kernel, const Compiled& compiled) override {
    auto bound = std::make_shared<Bound>();
    bound->kernel = signature_of(kernel);
    bound->library = std::static_pointer_cast<NativeLibrary>(compiled.program);
    collect(*bound);
    return TimedRun([this, bound](int times) {
      if (refresh() != bound->generation) {  // what it was bound to is gone with its worker
        collect(*bound);
        restore(bound->kernel);
      }
      return host_->call(bound->library->path(), bound->pointers, times);
    });
  }

  void restore(const Kernel& kernel) override {
    refresh();
    for (const KernelArgument& a : kernel.arguments) {
      if (!a.type.is_array() || !a.written) continue;
      const std::shared_ptr<void> to = scratch(a);
      const std::size_t bytes = bytes_of(a.layout, element_of(a.type).scalar());
      if (store_.find(a.name) != nullptr)
        host_->copy(to.get(), store_.in_layout(a).get(), bytes);
      else
        host_->poison(to.get(), bytes);
    }
  }

  HostArray fetch(const Kernel& kernel, std::size_t n, const HostArray& staging) override {
    const std::shared_ptr<void> stored = in_callers_layout(result_argument(kernel, n));
    const std::string bytes = host_->read(stored.get(), bytes_of(staging.type));
    std::memcpy(staging.data, bytes.data(), bytes.size());
    return staging;
  }

  Difference compare(const Kernel& kernel, std::size_t n, const Expected& expected) override {
    const std::shared_ptr<void> stored = in_callers_layout(result_argument(kernel, n));
    const Scalar type = element_of(expected.result.type).scalar();
    return host_->compare(type, stored.get(), expected.result.data, expected.bounds,
                          host::count(expected.result.type), expected.mean, tolerance(type));
  }

  double convert_ms(const Kernel& kernel) const override { return store_.convert_ms(kernel); }

  void guard(const std::vector<Expected>& expected) override {
    guard_arrays(*host_, store_.arguments(), expected);
  }
  void set_limit(double seconds) override { host_->set_limit(seconds); }

 private:
  struct Bound {
    Kernel kernel;
    std::shared_ptr<NativeLibrary> library;
    std::vector<std::shared_ptr<const void>> kept;
    std::vector<void*> pointers;
    unsigned generation = 0;
  };

  /// The worker's generation; what an earlier one had is forgotten.
  unsigned refresh() {
    const unsigned now = host_->generation();
    if (now == generation_) return now;
    scratch_.clear(), staging_.clear(), store_.forget();
    return generation_ = now;
  }
  void collect(Bound& bound) {
    bound.generation = refresh();
    bound.kept.clear(), bound.pointers.clear();
    for (const KernelArgument& a : bound.kernel.arguments) {
      bound.kept.push_back(a.type.is_array() && a.written ? scratch(a) : store_.in_layout(a));
      bound.pointers.push_back(const_cast<void*>(bound.kept.back().get()));
    }
  }
  std::shared_ptr<void> scratch(const KernelArgument& a) {
    std::shared_ptr<void>& memory = scratch_[storage_key(a)];
    if (!memory) memory = host_->allocate(bytes_of(a.layout, element_of(a.type).scalar()));
    return memory;
  }
  std::shared_ptr<void> in_callers_layout(const KernelArgument& result) {
    refresh();
    std::shared_ptr<void> stored = scratch(result);
    if (is_caller_layout(result.layout)) return stored;
    std::shared_ptr<void>& staging = staging_[result.name + " : " + result.type.str()];
    if (!staging) staging = host_->allocate(bytes_of(result.type));
    store_.to_caller(result, stored.get(), staging.get());
    return staging;
  }

  NativeCompiler& compiler_;
  std::shared_ptr<KernelHost> host_;
  LayoutStore store_;
  unsigned generation_ = 0;
  std::map<std::string, std::shared_ptr<void>> scratch_;  ///< written arrays, by name and layout
  std::map<std::string, std::shared_ptr<void>> staging_;  ///< results in the caller's layout
};

}  // namespace

std::unique_ptr<Executor> make_native_executor(NativeCompiler& compiler, const ProblemData& arguments,
                                               int threads, bool apart) {
  return std::make_unique<NativeExecutor>(compiler, arguments, threads, apart);
}

}  // namespace lift
