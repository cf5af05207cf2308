#include "runtime/nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

#include "ir/error.hpp"
#include "runtime/cuda_api.hpp"
#include "runtime/cuda_places.hpp"
#include "runtime/toolchain.hpp"

namespace lift::cuda {
namespace {

using Source = struct SourceHandle*;  ///< nvrtcProgram
constexpr int kCompilationFailed = 6, kInvalidOption = 5, kNoBuiltins = 7;

// clang-format off
#define LIFT_NVRTC_FUNCTIONS(X)                                                                              \
  X(version, "nvrtcVersion", (int*, int*))                                                                   \
  X(architecture_count, "nvrtcGetNumSupportedArchs", (int*))                                                 \
  X(architectures, "nvrtcGetSupportedArchs", (int*))                                                         \
  X(create, "nvrtcCreateProgram", (Source*, const char*, const char*, int, const char* const*, const char* const*)) \
  X(destroy, "nvrtcDestroyProgram", (Source*))                                                               \
  X(compile, "nvrtcCompileProgram", (Source, int, const char* const*))                                       \
  X(log_size, "nvrtcGetProgramLogSize", (Source, std::size_t*))                                              \
  X(log, "nvrtcGetProgramLog", (Source, char*))                                                              \
  X(cubin_size, "nvrtcGetCUBINSize", (Source, std::size_t*))                                                 \
  X(cubin, "nvrtcGetCUBIN", (Source, char*))                                                                 \
  X(ptx_size, "nvrtcGetPTXSize", (Source, std::size_t*))                                                     \
  X(ptx, "nvrtcGetPTX", (Source, char*))
// clang-format on

struct Compiler {
#define LIFT_DECLARE(name, symbol, parameters) int(*name) parameters = nullptr;
  LIFT_NVRTC_FUNCTIONS(LIFT_DECLARE)
#undef LIFT_DECLARE
  CompilerInfo info;
  bool has_builtins = false;
};

/// Null when there is no such library, or it is too old.
std::shared_ptr<const Compiler> open(const std::string& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto compiler = std::make_shared<Compiler>();
#define LIFT_RESOLVE(name, symbol, parameters)                                    \
  compiler->name = reinterpret_cast<int(*) parameters>(::dlsym(library, symbol)); \
  if (compiler->name == nullptr) return nullptr;
  LIFT_NVRTC_FUNCTIONS(LIFT_RESOLVE)
#undef LIFT_RESOLVE
  int major = 0, minor = 0, count = 0;
  if (compiler->version(&major, &minor) != 0 || compiler->architecture_count(&count) != 0 || count <= 0)
    return nullptr;
  CompilerInfo& info = compiler->info;
  info.version = 1000 * major + 10 * minor, info.path = path;
  info.architectures.resize(static_cast<std::size_t>(count));
  if (compiler->architectures(info.architectures.data()) != 0) return nullptr;
  std::sort(info.architectures.begin(), info.architectures.end());
  compiler->has_builtins = open_builtins(reinterpret_cast<const void*>(compiler->version), major, minor);
  return compiler;
}

std::string missing() {
  const char* chosen = std::getenv("LIFTGEN_NVRTC_LIBRARY");
  const std::string what = chosen == nullptr || *chosen == '\0'
                               ? "libnvrtc.so is neither installed nor in a toolkit under /usr/local/cuda, "
                                 "$CUDA_HOME or $CUDA_PATH, nor among Python's packages"
                               : std::string(chosen) + " ($LIFTGEN_NVRTC_LIBRARY) cannot be opened";
  return "no CUDA compiler: " + what +
         "; install NVRTC of the CUDA toolkit (component cuda-nvrtc; Debian, non-free: apt-get install "
         "libnvrtc11.2; Python: pip install nvidia-cuda-nvrtc-cu12), or let $LIFTGEN_NVRTC_LIBRARY name it";
}

/// One that is whole; of those the first that a driver of this version surely takes the output of, else the
/// first of its major version, else the first.
std::shared_ptr<const Compiler> find_compiler(int driver) {
  std::shared_ptr<const Compiler> best;
  const auto rank = [&](const Compiler& c) {
    const bool older = driver == 0 || c.info.version <= driver;
    return (c.has_builtins ? 3 : 0) + (older ? 2 : c.info.version / 1000 == driver / 1000 ? 1 : 0);
  };
  constexpr int kBest = 5;
  for (const std::string& path : compiler_libraries()) {
    const auto compiler = open(path);
    if (compiler && (!best || rank(*compiler) > rank(*best))) best = compiler;
    if (best && rank(*best) == kBest) break;
  }
  if (!best) throw EnvironmentError(missing());
  return best;
}

/// Kept for each version of a driver: looked for once.
std::shared_ptr<const Compiler> compiler_for(int driver) {
  static std::mutex mutex;
  static auto& found = *new std::map<int, std::shared_ptr<const Compiler>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Compiler>& compiler = found[driver];
  if (!compiler) compiler = find_compiler(driver);
  return compiler;
}

/// The newest architecture that the compiler knows and that is not newer than the one asked for: itself, or
/// one whose PTX the driver can translate.
int nearest_architecture(const CompilerInfo& compiler, int asked) {
  int best = 0;
  for (const int known : compiler.architectures)
    if (known <= asked) best = known;
  if (best > 0) return best;
  std::string all;
  for (const int known : compiler.architectures)
    all += (all.empty() ? "sm_" : ", sm_") + std::to_string(known);
  throw EnvironmentError("NVRTC " + version_text(compiler.version) + " does not compile for sm_" +
                         std::to_string(asked) + ", only for " + all +
                         "; let $LIFTGEN_NVRTC_LIBRARY name the NVRTC of a toolkit that does");
}

template <class Size, class Get>
std::string text_of(Source source, const Size& size, const Get& get) {
  std::size_t bytes = 0;
  if (size(source, &bytes) != 0 || bytes == 0) return "";
  std::string text(bytes, '\0');
  return get(source, text.data()) == 0 ? text : "";
}

/// What a status without a word may mean.
std::string incomplete(int status) {
  return status == kNoBuiltins
             ? ": libnvrtc-builtins.so of the same version is not in its folder; install it whole"
             : "; is its installation complete?";
}

std::string without_end(std::string text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  return text;
}

}  // namespace

CompilerInfo compiler_info(int driver) { return compiler_for(driver)->info; }

CompiledSource compile(const std::string& source, int architecture, const std::string& options,
                       const BinaryCache& cache, int driver) {
  const std::shared_ptr<const Compiler> with = compiler_for(driver);
  const int known = nearest_architecture(with->info, architecture);
  CompiledSource result;
  result.ptx = known != architecture;
  const std::string target =
      (result.ptx ? "--gpu-architecture=compute_" : "--gpu-architecture=sm_") + std::to_string(known);
  result.key = hash_text("cuda " + version_text(with->info.version) + " " + with->info.path + '\n' + target +
                         ' ' + options + '\n' + source);
  if (auto found = cache.find(result.key)) {
    result.binary = std::move(*found), result.cached = true;
    return result;
  }

  std::vector<std::string> words = {target};
  std::istringstream in(options);
  for (std::string word; in >> word;) words.push_back(word);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  Source handle = nullptr;
  if (const int status = with->create(&handle, source.c_str(), "kernel.cu", 0, nullptr, nullptr); status != 0)
    throw EnvironmentError("NVRTC " + version_text(with->info.version) + " fails with status " +
                           std::to_string(status) + "; is its installation complete?");
  const std::unique_ptr<Source, int (*)(Source*)> owner(&handle, with->destroy);
  const int status = with->compile(handle, static_cast<int>(pointers.size()), pointers.data());
  const std::string log = without_end(text_of(handle, with->log_size, with->log));
  if (status != 0) {
    if (status != kCompilationFailed && status != kInvalidOption)
      throw EnvironmentError("NVRTC " + version_text(with->info.version) + " (" + with->info.path +
                             ") fails with status " + std::to_string(status) +
                             (log.empty() ? incomplete(status) : ": " + first_lines(log)));
    result.error = log.empty() ? "NVRTC refused it and said nothing" : first_lines(log);
    return result;
  }
  result.log = log;
  result.binary = result.ptx ? text_of(handle, with->ptx_size, with->ptx)
                             : text_of(handle, with->cubin_size, with->cubin);
  if (result.binary.empty())
    result.error = "NVRTC " + version_text(with->info.version) + " gave no code";
  else
    cache.keep(result.key, result.binary);
  return result;
}

int parse_architecture(const std::string& text) {
  const std::string digits = text.starts_with("sm_") ? text.substr(3) : text;
  if (digits.size() < 2 || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
    throw UserError(text + ": no CUDA architecture; write sm_80, say");
  return std::stoi(digits);
}

}  // namespace lift::cuda
