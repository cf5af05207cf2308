// Kernels of compiled modules over arrays of ours: in a child process, under several schedules, with every
// fault named.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/cuda_host/fibers.hpp"
#include "runtime/cuda_host/module.h"
#include "runtime/grid_device.hpp"

namespace lift::cuda_host {

struct Argument {
  std::ptrdiff_t array = -1;         ///< of Run::arrays; -1: a number
  std::vector<unsigned char> value;  ///< of a number
};

struct Launch {
  const LiftgenHostKernel* kernel = nullptr;
  LiftgenHostState* state = nullptr;    ///< of its module
  std::vector<std::string> parameters;  ///< names, for messages
  bool reads_only = false;              ///< it may load through the read-only cache
  LiftgenHostIndex grid{1, 1, 1}, block{1, 1, 1};
  std::vector<Argument> arguments;
  std::size_t shared_bytes = 0;  ///< declared in the module, and what the launch adds
};

struct Run {
  std::vector<Launch> launches;                  ///< in order
  std::vector<std::span<unsigned char>> arrays;  ///< those that arguments are
  std::size_t alignment = 32;                    ///< bytes, of every array; the less, the nearer a page's end
};

class Arena;
/// Of a launch's arguments, as a kernel takes them; arrays are those of an arena.
class Addresses {
 public:
  Addresses(const Launch& launch, const Arena& arena);
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;
  void** data() { return addresses_.data(); }

 private:
  std::vector<void*> values_, addresses_;
};
/// Threads of the largest block of all launches.
std::size_t largest_block(const Run& run);

/// The schedules that show what a device would only sometimes: threads forwards, backwards and shuffled, over
/// shared memory that holds other values each time.
std::vector<Schedule> checking_schedules();

/// Runs the launches under each schedule from the same contents; arrays lie at the end of their pages in the
/// first, at the beginning in the second, and so on; around them lies what shared memory holds. The arrays
/// then hold the results. KernelFault: the first thing that went wrong, or results that differ between
/// schedules; the arrays are as they were. EnvironmentError: no memory, no process. UserError: interrupted
/// (runtime/interrupt.hpp); the arrays are as they were.
void run(const Run& what, std::span<const Schedule> schedules, double timeout_seconds);

}  // namespace lift::cuda_host
