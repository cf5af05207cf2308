// C source -> shared object -> callable symbol: the system's compiler behind a cache on disk.
//
// The key of a cached object is a hash of the code, the flags, the compiler (path and version) and the
// processor model, which -march=native depends on. Objects lie in the vault (runtime/vault.hpp). So does
// which compiler was used: where it is missing, what it has compiled is still found.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/cache.hpp"
#include "runtime/toolchain.hpp"

namespace lift {

struct NativeSource {
  std::string code;
  std::vector<std::string> flags = {};  ///< beside -shared -fPIC and -lm; see default_flags()
  std::string compiler = {};   ///< a program, perhaps with arguments; empty: the system's, see NativeCompiler
  std::string language = "c";  ///< "c" or "c++"
};

/// The flags for kernels: optimised for this machine, with OpenMP.
///   -ffp-contract=fast  a*b + c may become one fused multiply-add with one rounding. Said explicitly because
///   gcc and
///                       clang differ in their defaults (and -std=c11 turns it off in gcc). Results may
///                       differ from an unfused reference by the rounding of the product; sums and products
///                       of small integers do not.
///   -fno-math-errno, -fno-trapping-math  nothing reads errno or floating-point exception flags; values are
///   unaffected.
///                       The latter lets gcc compute both arms of a conditional in vectors.
/// Reassociation (-ffast-math) is not allowed: the order of a sum is the expression's.
std::vector<std::string> default_flags();

/// A shared object, opened when its first symbol is asked for: what runs in another process is opened there
/// only. Objects that use an OpenMP run time which cannot be left behind stay in memory.
class NativeLibrary {
 public:
  /// `folder` lives as long as the library does.
  explicit NativeLibrary(const std::filesystem::path& path, std::shared_ptr<const void> folder = {})
      : folder_(std::move(folder)), path_(path) {}
  ~NativeLibrary();
  NativeLibrary(const NativeLibrary&) = delete;
  NativeLibrary& operator=(const NativeLibrary&) = delete;

  /// The address of `name`. EnvironmentError when there is none, so that the compiler has made something else
  /// than it was asked for, and with the loader's message when the object cannot be opened. Valid while the
  /// library lives.
  void* symbol(const std::string& name) const;
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  const std::filesystem::path& path() const { return path_; }  ///< the source lies beside it, as .c or .cpp

 private:
  void open() const;

  std::shared_ptr<const void> folder_;
  std::filesystem::path path_;
  mutable std::mutex mutex_;
  mutable void* handle_ = nullptr;
};

struct CompileResult {
  std::shared_ptr<NativeLibrary> library;  ///< null on failure
  std::string error;   ///< the first lines of the diagnostics, or why it was ended; empty on success
  double seconds = 0;  ///< of the compiler; 0 when cached
  bool cached = false;
  bool timed_out = false;
  bool stopped = false;  ///< not compiled: interrupted, or the caller's callback said so
};

struct NativeCompilerOptions {
  /// In which the vault lies; see Vault.
  std::filesystem::path cache_directory = {};
  int max_processes = 0;  ///< compilers at a time; 0: one an allowed processor
  double timeout_seconds =
      20;  ///< of processor time for each compilation; of wall time several times as much
  std::size_t max_cache_bytes = kMaxCacheBytes;  ///< the least recently used objects go when there is more
};

/// Safe to use from several threads.
/// The system's compiler is $CC, else cc, gcc or clang on PATH ($CXX, c++, g++, clang++ for C++).
/// EnvironmentError when there is none and something is to be compiled; UserError when a cache directory that
/// was asked for cannot be written.
class NativeCompiler {
 public:
  explicit NativeCompiler(NativeCompilerOptions options = {});

  CompileResult compile(const NativeSource& source);

  /// Results in the order of the sources; equal sources are compiled once. Compilers run in parallel.
  /// `on_progress(done)` is called after each result and every 50 ms or so; on false, and on interrupted(),
  /// running compilers are ended and what is left is marked `stopped`.
  std::vector<CompileResult> compile_all(std::span<const NativeSource> sources,
                                         const std::function<bool(std::size_t done)>& on_progress = {});

  /// Compiles a small function as kernels are compiled, whatever the cache holds. EnvironmentError, in one
  /// line, when the system's C compiler fails at it, hangs, or makes something else.
  void require_working();

  /// The compiler and its version, e.g. "gcc 12.2.0".
  std::string describe(const std::string& language = "c");

  const std::filesystem::path& cache_directory() const { return vault_.directory(); }

 private:
  struct Job;

  Toolchain tool(const std::string& compiler, const std::string& language);
  Job prepare(const NativeSource& source);
  std::shared_ptr<NativeLibrary> lookup(const Job& job);
  std::shared_ptr<NativeLibrary> remember(const Job& job);
  static bool is_deleted(const Job& job);
  void start(Job& job);
  void deliver(const Job& job, CompileResult& result);
  CompileResult finish(Job& job);
  void prune(bool adds);

  NativeCompilerOptions options_;
  Vault vault_;
  std::mutex mutex_;  ///< guards the three below
  std::unordered_map<std::string, Toolchain> tools_;
  std::unordered_map<std::string, std::weak_ptr<NativeLibrary>> opened_;
  bool pruned_ = false, tidied_ = false;
};

}  // namespace lift
