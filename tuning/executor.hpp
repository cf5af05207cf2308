// Compiled kernels on the arguments of one problem: what the backends have in common for the tuner.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "rewrite/space/space.hpp"
#include "runtime/grid_device.hpp"
#include "runtime/measure.hpp"
#include "tuning/converter.hpp"
#include "tuning/expected.hpp"
#include "tuning/kernel_host.hpp"

namespace lift {

/// What others' code launches on a device: `arguments` are names of the kernel's, in the launch's order.
struct OwnLaunch {
  std::string name;
  std::array<std::size_t, 3> groups = {1, 1, 1}, local = {1, 1, 1};
  std::vector<std::string> arguments;
};

/// A kernel to be compiled: a generated one, or any source text of the same arguments.
struct Job {
  Kernel kernel;                        ///< for its arguments, and its code when `code` is empty
  std::string code = {};                ///< text that defines `function`; emitted from the kernel when empty
  std::string function = {};            ///< the kernel's name when empty
  std::vector<std::string> flags = {};  ///< the backend's own when empty
  std::string compiler = {};            ///< the system's when empty
  /// Of text for a device; the kernel's own when empty.
  std::vector<OwnLaunch> launches = {};
};

struct Compiled {
  std::string source;                    ///< the text that was compiled, less the trampoline
  std::string error;                     ///< first lines of the diagnostics; empty when there is a program
  double seconds = 0;                    ///< of the compiler; 0 when cached
  bool stopped = false;                  ///< not compiled: interrupted
  bool timed_out = false;                ///< not compiled: it took too long
  std::shared_ptr<void> program;         ///< the backend's
  std::vector<OwnLaunch> launches = {};  ///< the job's
};

/// Written arrays are scratch copies that `restore` fills again; the arguments themselves stay as they are.
/// Arrays that a kernel wants in another layout are converted once and kept while there is memory.
class Executor {
 public:
  virtual ~Executor() = default;

  virtual std::string source(const Kernel& kernel) = 0;
  /// In the order of the jobs; `on_progress(done)` as in NativeCompiler::compile_all.
  virtual std::vector<Compiled> compile(std::span<const Job> jobs,
                                        const std::function<bool(std::size_t)>& on_progress) = 0;
  /// One run of a compiled kernel, bound to the arguments; may be kept and called any number of times.
  /// UserError, also from its calls: the device cannot run it, or another layout's arrays do not fit.
  /// OutOfDeviceMemory: the problem does not fit.
  virtual TimedRun bind(const Kernel& kernel, const Compiled& compiled) = 0;
  /// Puts the original contents back into the arrays that the kernel writes (poison into a new result and
  /// into work arrays, see difference.hpp).
  virtual void restore(const Kernel& kernel) = 0;
  /// The kernel's n-th result in the caller's layout, copied to `staging`, which has its type.
  virtual HostArray fetch(const Kernel& kernel, std::size_t n, const HostArray& staging) = 0;
  /// The kernel's n-th result and what is expected.
  virtual Difference compare(const Kernel& kernel, std::size_t n, const Expected& expected);
  /// Time to bring all arguments into the kernel's layouts and the results back; 0 when they are the
  /// caller's. To be asked after a `fetch`.
  virtual double convert_ms(const Kernel& kernel) const = 0;
  /// Times say how fast kernels are; an emulation's do not, and are taken once only.
  virtual bool is_timed() const { return true; }
  /// Before each timed run of this kernel the device's cache is flushed: a GPU's whose arrays fit into it, or
  /// nearly. On processors runs follow one another, those of the twin and the plain loops beside them, too.
  virtual bool is_flushed_for(const Kernel&) const { return false; }
  /// What a launch of a kernel takes that does nothing; 0: nothing that a time would show.
  virtual double launch_ms() { return 0; }
  /// Where kernels run in a process of their own: this is what results are compared with from now on, and no
  /// kernel writes it or the arguments.
  virtual void guard(const std::vector<Expected>&) {}
  /// There: how long a call may take; 0: as long as it likes. What does not end throws WorkerLost.
  virtual void set_limit(double) {}
};

/// C with OpenMP through the system's compiler. `compiler`, `arguments` outlive it, and it outlives the runs
/// that it has bound. `apart`: in a worker process, where that is possible; see runtime/worker.hpp.
std::unique_ptr<Executor> make_native_executor(NativeCompiler& compiler, const ProblemData& arguments,
                                               int threads, bool apart = true);
/// A device with a grid, and what its compiler reads. `compiler` serves the conversions of layouts.
std::unique_ptr<Executor> make_grid_executor(std::shared_ptr<GridDevice> device, NativeCompiler& compiler,
                                             const ProblemData& arguments, int threads);

/// Pristine arguments in any layout, and the way back. Used by the executors.
class LayoutStore {
 public:
  /// `host`: where conversions run and converted arrays lie.
  LayoutStore(NativeCompiler& compiler, const ProblemData& arguments, std::shared_ptr<KernelHost> host)
      : arguments_(&arguments), converter_(compiler), host_(std::move(host)) {}
  /// Data of an argument in its layout; kept alive by the pointer. Not for new results and work arrays.
  std::shared_ptr<const void> in_layout(const KernelArgument& argument);
  /// Converts an array stored as `argument` says, not in the caller's layout, to `into`, which is.
  void to_caller(const KernelArgument& argument, const void* stored, void* into);
  /// The host has lost what was converted.
  void forget() { converted_.clear(); }
  const std::vector<HostArray>& arguments() const { return arguments_->all(); }
  double convert_ms(const Kernel& kernel) const;
  const HostArray* find(const std::string& name) const { return arguments_->find(name); }
  int threads() const { return host_->threads(); }

 private:
  const ProblemData* arguments_;
  Converter converter_;
  std::shared_ptr<KernelHost> host_;
  std::map<std::string, std::shared_ptr<void>> converted_;  ///< by name and layout
};

/// What of a kernel is needed to call it.
Kernel signature_of(const Kernel& kernel);
/// A new process for the host, which sees these arrays as they are now and cannot write them.
void guard_arrays(KernelHost& host, const std::vector<HostArray>& arguments,
                  const std::vector<Expected>& expected);

/// The argument that the n-th result is in.
const KernelArgument& result_argument(const Kernel& kernel, std::size_t n);
std::string storage_key(const KernelArgument& argument);

}  // namespace lift
