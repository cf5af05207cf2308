// What an exploration works with: the program, its data, the compilers and the machine.
#pragma once

#include <chrono>

#include "tuning/candidate.hpp"

namespace lift {

/// Adds the wall time of a scope.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Session {
 public:
  /// Builds, allocates, fills, computes the reference. Errors as explore.
  Session(const Pattern& pattern, const Problem& problem, const ExploreOptions& options);

  const Pattern& pattern;
  const Problem problem;
  const Program program;
  const Program single;  ///< one of the problem's sweeps: its traffic is what times are held against
  int threads;
  NativeCompiler compiler;
  std::shared_ptr<GridDevice> device;  ///< null for OpenMP
  const GridDeviceInfo* device_info() const { return device ? &device->info() : nullptr; }
  std::string device_name;
  double probing_seconds = 0;  ///< what it took to know the machine, once a process
  Machine machine;
  ProblemData arguments;
  LowerOptions lowering;
  std::unique_ptr<Executor> native;                            ///< plain loops, traffic twins, conversions
  Executor& executor() { return other_ ? *other_ : *native; }  ///< of the kernels explored
  std::unique_ptr<Executor> executor_for(const ProblemData& others);
  std::vector<Expected> expected() const { return reference_.all(); }
  /// The traffic twin's time bounds a kernel on this device.
  bool twin_applies() const;

 private:
  void compute_expected(const ExploreOptions& given);

  std::unique_ptr<Executor> other_;
  ExpectedResults reference_;
};

}  // namespace lift
