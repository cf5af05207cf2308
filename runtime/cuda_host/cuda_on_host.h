// CUDA C++ for a C++14 compiler of the host (gcc, clang): what comes before the text of a generated kernel. A module has
// one thread; blocks run one after the other, and a block's threads take turns at its barriers, so that what a thread
// sees of its index, and arrays in shared memory, are plain variables.
#include <math.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __constant__ static
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
// One section for all of them, so that it can be filled before each block; used: by others than the compiler sees.
#define __shared__ static __attribute__((section("liftgen_shared"), used))

// Of as much as there may be: a launch says how much it is.
#define LIFTGEN_HOST_DYNAMIC_ARRAY(name, bytes) \
  extern "C" { __attribute__((section("liftgen_shared"), visibility("hidden"), used, aligned(16))) unsigned char name[bytes]; }

extern "C" {
__attribute__((visibility("hidden"), weak)) extern unsigned char __start_liftgen_shared[];
__attribute__((visibility("hidden"), weak)) extern unsigned char __stop_liftgen_shared[];
LiftgenHostState liftgen_host_state = {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1},
                                       __start_liftgen_shared, __stop_liftgen_shared, nullptr, nullptr, nullptr, nullptr, nullptr};
}

#define threadIdx liftgen_host_state.thread
#define blockIdx liftgen_host_state.block
#define blockDim liftgen_host_state.block_size
#define gridDim liftgen_host_state.grid_size
#define warpSize 32
#define __syncthreads() liftgen_host_state.barrier(__LINE__)

// Where accesses are counted, the compiler's instrumentation for its thread sanitizer says which there are, after it has optimised
// the kernel; the functions that it calls are these.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LIFTGEN_HOST_COUNTS
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define LIFTGEN_HOST_COUNTS
#endif

#ifdef LIFTGEN_HOST_COUNTS
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")  // loops become no calls
#endif
#define LIFTGEN_HOST_HOOK __attribute__((no_sanitize("thread"), noinline, used, visibility("hidden")))
#define LIFTGEN_HOST_ACCESS(name, bytes, stores)                                                                      \
  LIFTGEN_HOST_HOOK void name(void* at) {                                                                             \
    if (liftgen_host_state.access) liftgen_host_state.access(at, bytes, stores, __builtin_return_address(0));         \
  }
#define LIFTGEN_HOST_ACCESSES(bytes)                                   \
  LIFTGEN_HOST_ACCESS(__tsan_read##bytes, bytes, false)                \
  LIFTGEN_HOST_ACCESS(__tsan_write##bytes, bytes, true)                \
  LIFTGEN_HOST_ACCESS(__tsan_unaligned_read##bytes, bytes, false)      \
  LIFTGEN_HOST_ACCESS(__tsan_unaligned_write##bytes, bytes, true)
#define LIFTGEN_HOST_ACCESS_OF_RANGE(name, stores)                                                                    \
  LIFTGEN_HOST_HOOK void name(void* at, long bytes) {                                                                 \
    if (liftgen_host_state.access) liftgen_host_state.access(at, bytes, stores, __builtin_return_address(0));         \
  }
extern "C" {
LIFTGEN_HOST_HOOK void __tsan_init() {}
LIFTGEN_HOST_HOOK void __tsan_func_entry(void*) {}
LIFTGEN_HOST_HOOK void __tsan_func_exit(void*) {}
LIFTGEN_HOST_ACCESSES(1)
LIFTGEN_HOST_ACCESSES(2)
LIFTGEN_HOST_ACCESSES(4)
LIFTGEN_HOST_ACCESSES(8)
LIFTGEN_HOST_ACCESSES(16)
LIFTGEN_HOST_ACCESS_OF_RANGE(__tsan_read_range, false)
LIFTGEN_HOST_ACCESS_OF_RANGE(__tsan_write_range, true)
/// What a copy to shared memory reads.
LIFTGEN_HOST_HOOK void liftgen_host_copies(const void* from, unsigned long bytes) {
  liftgen_host_state.access(from, bytes, false, __builtin_return_address(0));
}
/// A vector is loaded or stored by one instruction; of compilers, some see a copy of memory, and say nothing.
LIFTGEN_HOST_HOOK void liftgen_host_moves(void* to, const void* from, unsigned long bytes) {
  if (liftgen_host_state.access) {
    liftgen_host_state.access(from, bytes, false, __builtin_return_address(0));
    liftgen_host_state.access(to, bytes, true, __builtin_return_address(0));
  }
  __builtin_memcpy(to, from, bytes);
}
}
#define LIFTGEN_HOST_MOVES(vector)                                                                              \
  vector() = default;                                                                                           \
  vector(const vector& from) { liftgen_host_moves(this, &from, sizeof from); }                                  \
  vector& operator=(const vector& from) { return liftgen_host_moves(this, &from, sizeof from), *this; }
#else
#define LIFTGEN_HOST_MOVES(vector)
inline void liftgen_host_copies(const void*, unsigned long) {}
#endif

template <class T>
inline T __ldg(const T* address) {
#ifndef LIFTGEN_HOST_COUNTS  // a call that may change anything would keep the compiler from loading once for several uses
  liftgen_host_state.read_only(address);
#endif
  return *address;
}

// Copies to shared memory that are done when they are waited for, and no earlier. A source leaves its own out: those of a host
// would be done at once.
#define copy_async copy_async
template <class T>
inline void copy_async(T* to, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "what a device copies at once");
  const unsigned char* const begin = reinterpret_cast<unsigned char*>(to);
  const bool shared = begin >= liftgen_host_state.shared_begin && begin + sizeof(T) <= liftgen_host_state.shared_end;
  const bool aligned = reinterpret_cast<__SIZE_TYPE__>(to) % sizeof(T) == 0 && reinterpret_cast<__SIZE_TYPE__>(from) % sizeof(T) == 0;
  if (!shared || !aligned) __builtin_trap();
  liftgen_host_copies(from, sizeof(T));
  liftgen_host_state.copy_async(to, from, sizeof(T));
}
struct local_address {
  unsigned char* at;
};
inline local_address local_address_of(void* array) { return {static_cast<unsigned char*>(array)}; }
inline local_address operator+(local_address a, long bytes) { return {a.at + bytes}; }
template <class T>
inline void copy_async(local_address to, const T* from) { copy_async(reinterpret_cast<T*>(to.at), from); }
inline void wait_for_copies() { liftgen_host_state.wait_for_copies(); }

// Loads and stores with a hint for the caches.
template <class T>
inline T __ldcg(const T* address) { return *address; }
template <class T>
inline T __ldca(const T* address) { return *address; }
template <class T>
inline T __ldcs(const T* address) { return *address; }
template <class T>
inline void __stcs(T* address, T value) { *address = value; }
template <class T>
inline void __stcg(T* address, T value) { *address = value; }
template <class T>
inline void __stwt(T* address, T value) { *address = value; }

// Vectors, aligned as on the device: the compiler's checks see a misaligned access.
#define LIFTGEN_HOST_VECTORS(T, name, align2, align4)                              \
  struct __align__(align2) name##2 { T x, y; LIFTGEN_HOST_MOVES(name##2) };        \
  struct name##3 { T x, y, z; };                                                   \
  struct __align__(align4) name##4 { T x, y, z, w; LIFTGEN_HOST_MOVES(name##4) };  \
  inline name##2 make_##name##2(T x, T y) {                                        \
    name##2 v;                                                                     \
    v.x = x, v.y = y;                                                              \
    return v;                                                                      \
  }                                                                                \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }               \
  inline name##4 make_##name##4(T x, T y, T z, T w) {                              \
    name##4 v;                                                                     \
    v.x = x, v.y = y, v.z = z, v.w = w;                                            \
    return v;                                                                      \
  }
LIFTGEN_HOST_VECTORS(float, float, 8, 16)
LIFTGEN_HOST_VECTORS(double, double, 16, 16)
LIFTGEN_HOST_VECTORS(int, int, 8, 16)
LIFTGEN_HOST_VECTORS(unsigned, uint, 8, 16)
LIFTGEN_HOST_VECTORS(long, long, 16, 16)
LIFTGEN_HOST_VECTORS(long long, longlong, 16, 16)
LIFTGEN_HOST_VECTORS(unsigned char, uchar, 2, 4)
#undef LIFTGEN_HOST_VECTORS

#define LIFTGEN_HOST_EXTREMES(T)                         \
  inline T min(T a, T b) { return b < a ? b : a; }       \
  inline T max(T a, T b) { return a < b ? b : a; }
LIFTGEN_HOST_EXTREMES(int)
LIFTGEN_HOST_EXTREMES(unsigned)
LIFTGEN_HOST_EXTREMES(long)
LIFTGEN_HOST_EXTREMES(unsigned long)
LIFTGEN_HOST_EXTREMES(long long)
LIFTGEN_HOST_EXTREMES(unsigned long long)
#undef LIFTGEN_HOST_EXTREMES
inline float __int_as_float(int bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
inline double __longlong_as_double(long long bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

// The list of kernels.
namespace liftgen_host {
template <class T>
struct Letter { static constexpr char value = '?'; };
template <>
struct Letter<double> { static constexpr char value = 'd'; };
template <>
struct Letter<float> { static constexpr char value = 'f'; };
template <>
struct Letter<int> { static constexpr char value = 'i'; };
template <>
struct Letter<long> { static constexpr char value = 'l'; };
template <>
struct Letter<unsigned char> { static constexpr char value = 'u'; };
template <class T>
struct Letter<const T> : Letter<T> {};
template <class T>
struct Letter<T*> { static constexpr char value = Letter<T>::value == '?' ? '?' : Letter<T>::value - 'a' + 'A'; };
template <class T>
struct Letter<T* const> : Letter<T*> {};
template <class T>
struct Letter<T* __restrict__> : Letter<T*> {};

template <int...>
struct Positions {};
template <int n, int... is>
struct FirstPositions : FirstPositions<n - 1, n - 1, is...> {};
template <int... is>
struct FirstPositions<0, is...> { typedef Positions<is...> type; };

template <class... A>
struct Signature {
  static const char* types() {
    static const char text[] = {Letter<A>::value..., '\0'};
    return text;
  }
  template <int... is>
  static void call(void (*kernel)(A...), void** arguments, Positions<is...>) {
    (void)arguments;
    kernel(*static_cast<A*>(arguments[is])...);
  }
};
template <class... A>
Signature<A...> signature_of(void (*)(A...)) { return {}; }
template <class... A>
void call(void (*kernel)(A...), void** arguments) {
  Signature<A...>::call(kernel, arguments, typename FirstPositions<sizeof...(A)>::type());
}
}  // namespace liftgen_host

#define LIFTGEN_HOST_KERNEL(kernel) \
  {#kernel, [](void** arguments) { liftgen_host::call(&kernel, arguments); }, liftgen_host::signature_of(&kernel).types()}
