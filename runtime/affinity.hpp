// Which processors this process may use, and where the threads of a parallel loop are put.
//
// OpenMP run times pin the calling thread when OMP_PROC_BIND is set; whatever that thread starts afterwards
// (a compiler, an OpenCL driver's workers, our own threads) would inherit a mask of one core. The mask of the
// process is therefore recorded before main, and `OriginalAffinity` gives it back for the length of a scope.
#pragma once

#include <cstddef>
#include <vector>

namespace lift {

/// Logical processors the process was allowed to use when it started, ascending. Never empty.
const std::vector<int>& allowed_cpus();

/// The allowed processors by core: one entry a core, with its hardware threads; ordered by their first
/// processor. This is what OpenMP calls OMP_PLACES=cores.
const std::vector<std::vector<int>>& core_places();

/// Processor time that the control group (a container) grants, in processors; 0 when there is no limit.
double cpu_quota();

/// Bytes of memory that the control group still grants; the largest std::size_t when there is no limit.
std::size_t memory_quota();

/// Threads to use unless told otherwise: OMP_NUM_THREADS where the user has set it, at most one an allowed
/// processor; else the allowed cores, at most as many as the control group's quota pays for. At least 1.
int default_threads();

/// Whether threads are to be bound to cores: more than one thread, no processor quota (others share the cores
/// then), and the user has not set OMP_PROC_BIND=false.
bool should_pin(int threads);

/// The processors for thread `thread` of `threads`: the place that OMP_PROC_BIND=close, OMP_PLACES=cores
/// gives it.
const std::vector<int>& place_of_thread(int thread, int threads);

/// Binds the calling thread to these processors; does nothing when the system refuses.
void bind_this_thread(const std::vector<int>& cpus);

/// For its lifetime the calling thread may run wherever the process could when it started.
class OriginalAffinity {
 public:
  OriginalAffinity();
  ~OriginalAffinity();
  OriginalAffinity(const OriginalAffinity&) = delete;
  OriginalAffinity& operator=(const OriginalAffinity&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace lift
