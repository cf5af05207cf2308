#include "runtime/machine.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>

#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include "ir/error.hpp"
#include "ir/number_text.hpp"
#include "runtime/affinity.hpp"
#include "runtime/buffer.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/measure.hpp"
#include "runtime/native.hpp"
#include "runtime/worker.hpp"

namespace lift {
namespace {

// Streaming stores need aligned vectors: the loop is over blocks of 8 elements, and the arrays are aligned to
// 64 bytes.
constexpr const char* kTriadSource = R"(
#include <stddef.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

void triad_ordinary(size_t n, double *restrict a, const double *restrict b, const double *restrict c, double s) {
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

int triad_streaming(size_t n, double *restrict a, const double *restrict b, const double *restrict c, double s) {
#if defined(__AVX512F__)
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < n / 8; ++k)
    _mm512_stream_pd(a + 8 * k, _mm512_add_pd(_mm512_load_pd(b + 8 * k), _mm512_mul_pd(_mm512_set1_pd(s), _mm512_load_pd(c + 8 * k))));
#elif defined(__AVX__)
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < n / 4; ++k)
    _mm256_stream_pd(a + 4 * k, _mm256_add_pd(_mm256_load_pd(b + 4 * k), _mm256_mul_pd(_mm256_set1_pd(s), _mm256_load_pd(c + 4 * k))));
#elif defined(__SSE2__)
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < n / 2; ++k)
    _mm_stream_pd(a + 2 * k, _mm_add_pd(_mm_load_pd(b + 2 * k), _mm_mul_pd(_mm_set1_pd(s), _mm_load_pd(c + 2 * k))));
#else
  return 0;
#endif
#if defined(__SSE2__)
  _mm_sfence();
#endif
  return 1;
}
)";

void probe_simd(Machine& machine) {
  machine.simd = "none";
  machine.vector_bytes = 8;
#if defined(__x86_64__)
  machine.simd = "sse2";
  machine.vector_bytes = 16;
  if (__builtin_cpu_supports("avx")) machine.simd = "avx", machine.vector_bytes = 32;
  if (__builtin_cpu_supports("avx2")) machine.simd = "avx2";
  if (__builtin_cpu_supports("avx512f")) machine.simd = "avx512", machine.vector_bytes = 64;
#elif defined(__aarch64__)
  machine.simd = "neon";
  machine.vector_bytes = 16;
#if defined(HWCAP_SVE) && defined(PR_SVE_GET_VL)
  if (getauxval(AT_HWCAP) & HWCAP_SVE) {
    const int length = prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK;
    if (length > 16) machine.simd = "sve", machine.vector_bytes = length;
  }
#endif
#endif
}

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name") && !line.starts_with("Model")) continue;
    if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};
  return ::uname(&system) == 0 ? system.machine : "unknown processor";
}

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};

void probe_topology(Machine& machine) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return;
  const std::unique_ptr<hwloc_topology, TopologyDeleter> topology(raw);
  // Only what is read below: looking at devices takes most of the time otherwise.
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return;

  hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
  for (const int cpu : allowed_cpus()) hwloc_bitmap_set(allowed, static_cast<unsigned>(cpu));

  std::map<int, CacheLevel> levels;
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE}) {
    for (hwloc_obj_t cache = nullptr; (cache = hwloc_get_next_obj_by_type(raw, type, cache)) != nullptr;) {
      if (cache->attr->cache.size == 0 || !hwloc_bitmap_intersects(cache->cpuset, allowed)) continue;
      CacheLevel& level = levels[static_cast<int>(cache->attr->cache.depth)];
      level.level = static_cast<int>(cache->attr->cache.depth);
      level.bytes = std::max<std::size_t>(level.bytes, cache->attr->cache.size);
      level.count += 1;
      const auto uses = [&](const std::vector<int>& core) {
        return hwloc_bitmap_isset(cache->cpuset, static_cast<unsigned>(core.front())) != 0;
      };
      const auto sharing = std::count_if(core_places().begin(), core_places().end(), uses);
      level.shared_by = std::max(level.shared_by, static_cast<int>(sharing));
    }
  }
  for (const auto& [number, level] : levels) machine.caches.push_back(level);

  int memories = 0;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
    if (hwloc_bitmap_intersects(node->cpuset, allowed)) ++memories;
  machine.memories = std::max(memories, 1);
  hwloc_bitmap_free(allowed);
}

/// Elements of an array of the triad: four times the last-level caches, all three within a quarter of the
/// memory. LIFTGEN_TRIAD_MB says otherwise, for tests to which the speed of memory is nothing.
std::size_t triad_elements(const Machine& machine) {
  constexpr std::size_t assumed_cache = std::size_t{32} << 20;
  const std::size_t cache = machine.last_level_bytes() > 0 ? machine.last_level_bytes() : assumed_cache;
  std::size_t bytes = std::min(std::max(4 * cache, std::size_t{64} << 20), available_memory() / 4 / 3);
  if (const char* asked = std::getenv("LIFTGEN_TRIAD_MB"))
    if (const auto mb = read_number<std::size_t>(asked); mb && *mb > 0) bytes = std::min(bytes, *mb << 20);
  return bytes / sizeof(double) / 8 * 8;
}

/// The two speeds, GB/s, as text: measured in a process of its own, so that no OpenMP run time is opened
/// here.
std::string measure_triad(const NativeLibrary& library, std::size_t n, int threads) {
  using Ordinary = void(std::size_t, double*, const double*, const double*, double);
  using Streaming = int(std::size_t, double*, const double*, const double*, double);
  auto* ordinary = library.function<Ordinary>("triad_ordinary");
  auto* streaming = library.function<Streaming>("triad_streaming");
  Buffer a(n * sizeof(double), {.threads = threads});
  const Buffer b(n * sizeof(double), {.threads = threads});
  const Buffer c(n * sizeof(double), {.threads = threads});
  const auto gbs = [&](const std::function<void()>& run, double words) {
    // The best of the runs: what the memory can do, whatever else the machine is doing.
    const Timing timing = measure(run, {.warmup = 1, .min_runs = 3, .max_runs = 8, .max_seconds = 0.15});
    return words * sizeof(double) * static_cast<double>(n) / (timing.min_ms * 1e6);
  };
  auto* out = a.as<double>().data();
  const auto* in_b = b.as<double>().data();
  const auto* in_c = c.as<double>().data();
  const double plain = gbs([&] { ordinary(n, out, in_b, in_c, 3.0); }, 4);
  double past_caches = 0;
  if (!interrupted() && streaming(8, out, in_b, in_c, 3.0) != 0)
    past_caches = gbs([&] { (void)streaming(n, out, in_b, in_c, 3.0); }, 3);
  return fmt::format("{} {}", plain, past_caches);
}

void probe_triad(Machine& machine, NativeCompiler& compiler) {
  const CompileResult compiled = compiler.compile({.code = kTriadSource, .flags = default_flags()});
  if (!compiled.library) {
    machine.triad_error = "the triad could not be compiled: " + compiled.error;
    return;
  }
  constexpr double limit_seconds = 60;
  const std::vector<std::string> speeds = words_of(
      run_apart([&] { return measure_triad(*compiled.library, triad_elements(machine), machine.threads); },
                limit_seconds));
  machine.triad_ordinary_gbs = read_number<double>(speeds.at(0)).value();
  machine.triad_streaming_gbs = read_number<double>(speeds.at(1)).value();
  // Faster in time, not in GB/s: streaming moves a quarter less.
  const bool streaming_wins = machine.triad_streaming_gbs / 3 > machine.triad_ordinary_gbs / 4;
  machine.triad_gbs = streaming_wins ? machine.triad_streaming_gbs : machine.triad_ordinary_gbs;
}

}  // namespace

std::size_t Machine::last_level_bytes() const {
  return caches.empty() ? 0 : caches.back().bytes * static_cast<std::size_t>(caches.back().count);
}

Machine probe(NativeCompiler& compiler, int threads, bool measure_triad) {
  Machine machine;
  machine.threads = threads > 0 ? threads : default_threads();
  machine.cores = static_cast<int>(core_places().size());
  machine.device = processor_name();
  machine.memory_bytes =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  probe_simd(machine);
  probe_topology(machine);
  try {
    machine.compiler = compiler.describe();
    if (measure_triad) probe_triad(machine, compiler);
  } catch (const EnvironmentError& error) {
    machine.triad_error = error.what();
  } catch (const UserError& error) {
    machine.triad_error = error.what();
  }
  return machine;
}

}  // namespace lift
