#include "runtime/native.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include "ir/error.hpp"
#include "ir/text/printable.hpp"
#include "runtime/affinity.hpp"
#include "runtime/cache.hpp"
#include "runtime/file.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/known_toolchain.hpp"
#include "runtime/process.hpp"
#include "runtime/toolchain.hpp"

namespace lift {
namespace fs = std::filesystem;
namespace {

bool is_loaded(const char* library) {
  void* handle = ::dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

/// Whether a library that was just opened may be closed again. GNU's OpenMP run time keeps nothing that
/// points into a kernel once a parallel region has ended, provided that its own worker threads keep their
/// code: it stays. LLVM's keeps the kernel's source locations.
bool may_close() {
  static std::once_flag once;
  if (is_loaded("libgomp.so.1"))
    std::call_once(once, [] { (void)::dlopen("libgomp.so.1", RTLD_NOW | RTLD_NODELETE); });
  return !is_loaded("libomp.so.5") && !is_loaded("libomp.so") && !is_loaded("libiomp5.so");
}

bool is_object(const fs::path& path) {
  char head[4] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  return std::string(head, sizeof head) ==
         "\x7f"
         "ELF";
}

constexpr std::size_t kShownOfLine = 200;
constexpr double kWallTimes = 8;  ///< the limit of processor time: beside other work it takes so much longer

constexpr int kMostTries = 5;
constexpr const char* kOtherCache = "; set LIFTGEN_CACHE to a directory that has room and is left alone";

/// What a compiler says that found no room for its files or its memory, in English as it is asked to; else
/// "".
std::string why_no_room(const std::string& output) {
  for (const char* words : {"No space left on device", "Disk quota exceeded", "Read-only file system",
                            "virtual memory exhausted", "out of memory allocating", "Cannot allocate memory"})
    if (output.find(words) != std::string::npos) return words;
  return "";
}

/// Why a compiler was ended, and what to try; "" where it was not.
std::string why_late(const Process& compiler, double limit) {
  if (compiler.used_up()) return fmt::format("needed more than {:g} s of processor time", limit);
  if (compiler.timed_out())
    return fmt::format(
        "did not end within {:g} s: it waits for something, or the machine is busy with other work; try "
        "again later",
        kWallTimes * limit);
  return "";
}

/// ": " and the first line of diagnostics that says what is wrong; "" when there is none.
std::string telling_line(const std::string& text) {
  std::istringstream in(text);
  std::string first;
  for (std::string line; std::getline(in, line);) {
    if (first.empty() || line.find("error") != std::string::npos) first = line;
    if (line.find("error") != std::string::npos) break;
  }
  return first.empty() ? "" : ": " + printable(first.substr(0, kShownOfLine));
}

}  // namespace

std::vector<std::string> default_flags() {
#if defined(__aarch64__)
  const char* machine = "-mcpu=native";
#else
  const char* machine = "-march=native";
#endif
  return {"-std=gnu11",        "-O3", machine, "-fopenmp", "-ffp-contract=fast", "-fno-math-errno",
          "-fno-trapping-math"};
}

void NativeLibrary::open() const {
  const std::lock_guard lock(mutex_);
  if (handle_ != nullptr) return;
  handle_ = ::dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return;
  const char* why = ::dlerror();
  throw EnvironmentError("cannot open the compiled kernel: " +
                         std::string(why != nullptr ? why : path_.c_str()));
}

NativeLibrary::~NativeLibrary() {
  if (handle_ != nullptr && may_close()) ::dlclose(handle_);
}

void* NativeLibrary::symbol(const std::string& name) const {
  open();
  void* address = ::dlsym(handle_, name.c_str());
  if (address == nullptr)
    throw EnvironmentError(
        "the compiled kernel " + path_.string() + " has no symbol " + name +
        ": the C compiler has made something else than it was asked for; repair it, or let $CC name "
        "another, and delete that file");
  return address;
}

struct NativeCompiler::Job {
  std::string key;
  std::string suffix;  ///< ".c" or ".cpp"
  std::string code;
  std::vector<std::string> command;    ///< less source and output
  std::string missing;                 ///< why it cannot be run
  fs::path workspace;                  ///< of the temporary files
  std::string stem;                    ///< of their names
  std::vector<std::size_t> consumers;  ///< positions in the results
  std::optional<Process> process;
  int tries = 0;  ///< in vain, as what it was to be compiled from was deleted
};

NativeCompiler::NativeCompiler(NativeCompilerOptions options)
    : options_(std::move(options)), vault_(options_.cache_directory) {
  if (options_.max_processes <= 0) options_.max_processes = static_cast<int>(allowed_cpus().size());
}

Toolchain NativeCompiler::tool(const std::string& compiler, const std::string& language) {
  std::vector<std::string> command;
  try {
    command = find_compiler(compiler, language);
  } catch (const EnvironmentError& missing) {
    auto before = remembered_toolchain(vault_, compiler, language);
    if (!before) throw;
    before->missing = missing.what();
    return *std::move(before);
  }
  std::string key;
  for (const auto& word : command) key += word + '\n';
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = tools_.find(key); known != tools_.end()) return known->second;
  }
  Toolchain found = ask_version(command);
  if (found.version.empty()) return found;  // interrupted before it could answer
  remember_toolchain(vault_, compiler, language, found);
  const std::lock_guard lock(mutex_);
  return tools_.emplace(key, std::move(found)).first->second;
}

std::string NativeCompiler::describe(const std::string& language) { return tool("", language).name; }

NativeCompiler::Job NativeCompiler::prepare(const NativeSource& source) {
  static const auto& processor = *new std::string(processor_model());
  static std::atomic<unsigned> serial{0};
  const Toolchain with = tool(source.compiler, source.language);
  Job job;
  job.suffix = source.language == "c" ? ".c" : ".cpp";
  job.code = source.code;
  job.command = with.command;
  job.missing = with.missing;
  job.command.insert(job.command.end(), source.flags.begin(), source.flags.end());
  // Lengths keep ("ab", "c") and ("a", "bc") apart.
  std::string text = source.language + '\n' + with.version + '\n' + processor + '\n';
  for (const auto& word : job.command) text += std::to_string(word.size()) + ':' + word + '\n';
  job.key = hash_text(text + source.code);
  job.stem = job.key.substr(0, 12) + "-" + std::to_string(serial++);
  return job;
}

std::shared_ptr<NativeLibrary> NativeCompiler::remember(const Job& job) {
  auto library = std::make_shared<NativeLibrary>(vault_.path_of(job.key, ".so"));
  const std::lock_guard lock(mutex_);
  opened_[job.key] = library;
  return library;
}

std::shared_ptr<NativeLibrary> NativeCompiler::lookup(const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = opened_.find(job.key); known != opened_.end())
      if (auto library = known->second.lock()) return library;
  }
  if (!vault_.find(job.key, ".so")) return nullptr;
  try {
    return remember(job);
  } catch (const EnvironmentError&) {
    return nullptr;  // removed this moment: compile it again
  }
}

/// Whether the folder in which it was compiled is gone: somebody has cleaned up.
bool NativeCompiler::is_deleted(const Job& job) {
  std::error_code error;
  return !job.process->timed_out() && !fs::exists(job.workspace / (job.stem + job.suffix), error);
}

void NativeCompiler::start(Job& job) {
  if (!job.missing.empty()) throw EnvironmentError(job.missing);
  for (int tries = 1;; ++tries) try {
      job.workspace = vault_.workspace();
      write_private_file(job.workspace / (job.stem + job.suffix), job.code);
      break;
    } catch (const UserError& error) {
      if (tries == kMostTries) throw EnvironmentError(error.what() + std::string(kOtherCache));
    }
  const fs::path temporary = job.workspace;
  std::vector<std::string> command = {job.command[0]};
  // Relative names, so that diagnostics are short and the object does not depend on where the cache lies.
  for (const auto& word :
       {std::string("-shared"), std::string("-fPIC"), "-o" + job.stem + ".so", job.stem + job.suffix})
    command.push_back(word);
  command.insert(command.begin() + 1, job.command.begin() + 1, job.command.end());
  command.push_back("-lm");
  command.push_back("-Wl,-z,defs");  // what is missing is missed by the linker, not when it is opened
  ProcessOptions options;
  options.processor_seconds = options_.timeout_seconds;
  options.timeout_seconds = kWallTimes * options_.timeout_seconds;
  options.directory = temporary.string();
  options.variables = {"TMPDIR=" + temporary.string()};
  job.process.emplace(command, options);
}

/// Moves what was compiled into the vault, or where that is not possible leaves it where it was made, for
/// this process.
void NativeCompiler::deliver(const Job& job, CompileResult& result) {
  const auto write = [&] {
    vault_.keep_beside(job.key, job.suffix, job.code);
    vault_.keep(job.key, ".so", read_file(job.workspace / (job.stem + ".so")));
  };
  try {
    try {
      write();
    } catch (const UserError&) {  // another process may have removed a folder
      write();
    }
    result.library = remember(job);
  } catch (const UserError& failure) {
    const fs::path here = job.workspace / (job.key + ".so");
    std::error_code error;
    fs::rename(job.workspace / (job.stem + ".so"), here, error);
    if (error) throw EnvironmentError(failure.what() + std::string(kOtherCache));
    result.library = std::make_shared<NativeLibrary>(here, vault_.workspace_kept());
    const std::lock_guard lock(mutex_);
    opened_[job.key] = result.library;
  } catch (const EnvironmentError& failure) {
    result.error = failure.what();
    vault_.remove(job.key, ".so");
  }
}

CompileResult NativeCompiler::finish(Job& job) {
  CompileResult result;
  result.seconds = job.process->seconds();
  if (const std::string late = why_late(*job.process, options_.timeout_seconds); !late.empty()) {
    result.timed_out = true;
    result.error = "the compiler " + late;
  } else if (const std::string why = why_no_room(job.process->output());
             job.process->status() != 0 && !why.empty()) {
    throw EnvironmentError("no kernel can be compiled in " + job.workspace.string() + ": " + why +
                           kOtherCache);
  } else if (job.process->status() != 0) {
    result.error = first_lines(job.process->output());
    if (result.error.empty())
      result.error =
          "the compiler ended with status " + std::to_string(job.process->status()) + " and said nothing";
  } else {
    deliver(job, result);
  }
  job.process.reset();
  std::error_code ignored;
  for (const std::string& suffix : {job.suffix, std::string(".so")})
    fs::remove(job.workspace / (job.stem + suffix), ignored);
  return result;
}

CompileResult NativeCompiler::compile(const NativeSource& source) {
  return compile_all({&source, 1}).front();
}

std::vector<CompileResult> NativeCompiler::compile_all(std::span<const NativeSource> sources,
                                                       const std::function<bool(std::size_t)>& on_progress) {
  std::vector<CompileResult> results(sources.size());
  std::vector<Job> jobs;
  std::unordered_map<std::string, std::size_t> job_of;
  std::size_t done = 0;
  bool go = true;
  const auto progress = [&] { go = go && !interrupted() && (!on_progress || on_progress(done)); };
  std::vector<bool> settled(sources.size(), false);
  const auto settle = [&](std::size_t position, CompileResult result) {
    results[position] = std::move(result);
    settled[position] = true;
    ++done;
  };

  for (std::size_t i = 0; i < sources.size() && !interrupted(); ++i) {
    Job job = prepare(sources[i]);
    if (const auto same = job_of.find(job.key); same != job_of.end()) {
      jobs[same->second].consumers.push_back(i);
    } else if (auto library = lookup(job)) {
      CompileResult found;
      found.library = std::move(library);
      found.cached = true;
      settle(i, std::move(found));
    } else {
      job.consumers.push_back(i);
      job_of.emplace(job.key, jobs.size());
      jobs.push_back(std::move(job));
    }
  }
  prune(!jobs.empty());

  std::vector<Job*> running;
  std::size_t next = 0;
  auto last_progress = std::chrono::steady_clock::now();
  progress();
  while (go && (next < jobs.size() || !running.empty())) {
    while (next < jobs.size() && running.size() < static_cast<std::size_t>(options_.max_processes)) {
      start(jobs[next]);
      running.push_back(&jobs[next++]);
    }
    std::vector<const Process*> waiting;
    for (const Job* job : running) waiting.push_back(&*job->process);
    wait_for_any(waiting, 20);

    const std::size_t before = done;
    std::erase_if(running, [&](Job* job) {
      if (!job->process->poll()) return false;
      if (is_deleted(*job)) {
        if (++job->tries == kMostTries)
          throw EnvironmentError("the cache of compiled kernels, " + vault_.directory().string() +
                                 ", is deleted again and again" + kOtherCache);
        start(*job);
        return false;
      }
      const CompileResult result = finish(*job);
      for (std::size_t position : job->consumers) settle(position, result);
      return true;
    });
    const auto now = std::chrono::steady_clock::now();
    if (done > before || interrupted() || now - last_progress > std::chrono::milliseconds(50)) {
      last_progress = now;
      progress();
    }
  }
  for (Job* job : running) {
    job->process->stop();
    (void)finish(*job);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (settled[i]) continue;
    results[i].stopped = true;
    results[i].error = "not compiled: stopped";
  }
  return results;
}

void NativeCompiler::require_working() {
  constexpr const char* code =
      "int liftgen_works(int n) {\n  int sum = 0;\n#pragma omp parallel for reduction(+ : sum)\n"
      "  for (int i = 0; i < n; ++i) sum += i;\n  return sum;\n}\n";
  Job job = prepare({.code = code, .flags = default_flags()});
  start(job);
  while (!job.process->poll()) {
    if (interrupted()) return job.process->stop();
    wait_for_any({&*job.process}, 20);
  }
  const fs::path object = job.workspace / (job.stem + ".so");
  std::string why;
  if (const std::string late = why_late(*job.process, options_.timeout_seconds); !late.empty())
    why = "it " + late;
  else if (why = why_no_room(job.process->output()); !why.empty())
    why = "in " + job.workspace.string() + ": " + why + kOtherCache;
  else if (job.process->status() != 0)
    why = "compiling a small function it ended with status " + std::to_string(job.process->status()) +
          telling_line(job.process->output());
  else if (!is_object(object))
    why = "it ended well, but what it made is no shared object";
  std::error_code ignored;
  for (const fs::path& path : {object, job.workspace / (job.stem + job.suffix)}) fs::remove(path, ignored);
  if (!why.empty())
    throw EnvironmentError("the C compiler " + job.command[0] + " does not work: " + why +
                           "; repair it, or let $CC name another");
}

/// Once each. Where all is known, too: what dead processes have left is removed by whoever comes next. But
/// reading the index of a large cache takes longer than finding a solver's kernels in it.
void NativeCompiler::prune(bool adds) {
  {
    const std::lock_guard lock(mutex_);
    if (pruned_ || (tidied_ && !adds)) return;
    tidied_ = true, pruned_ = adds;
  }
  adds ? vault_.prune(options_.max_cache_bytes) : vault_.tidy(options_.max_cache_bytes);
}

}  // namespace lift
