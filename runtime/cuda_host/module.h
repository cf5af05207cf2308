// What a module compiled from CUDA source shares with the process that runs it. Read twice: by that process, and at the
// head of every module.
#ifndef LIFTGEN_CUDA_HOST_MODULE_H
#define LIFTGEN_CUDA_HOST_MODULE_H

struct LiftgenHostIndex {
  unsigned x, y, z;
};

/// What the running thread sees. The process sets it before the thread goes on.
struct LiftgenHostState {
  LiftgenHostIndex thread, block, block_size, grid_size;
  unsigned char *shared_begin, *shared_end;  ///< all __shared__ arrays of the module
  void (*barrier)(int line);                 ///< returns when all threads of the block have come
  void (*read_only)(const void* address);    ///< told of each load through the read-only cache
  void (*copy_async)(void* to, const void* from, unsigned long bytes);  ///< begins a copy to shared memory; of 16 bytes at most
  void (*wait_for_copies)();                 ///< returns when those that this thread has begun are done
  /// Told of each access to memory where a module is compiled so that they are counted (counting_flags()): which instruction of
  /// the module it is, by an address in it.
  void (*access)(const void* address, unsigned long bytes, bool stores, const void* instruction);
};

/// A kernel; a module's list of them ends with one without a name.
struct LiftgenHostKernel {
  const char* name;
  void (*call)(void** arguments);  ///< addresses of the arguments, as cuLaunchKernel takes them
  const char* types;               ///< a letter each: d f i l (double float int long), u unsigned char, ? others;
                                   ///< upper case: a pointer to such
};

#endif
