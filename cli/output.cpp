#include "cli/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "cli/check_files.hpp"
#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "ir/text/printable.hpp"
#include "ir/text/wrap.hpp"
#include "lower/lower.hpp"
#include "rewrite/analysis/decided.hpp"
#include "runtime/file.hpp"

namespace lift::cli {
namespace fs = std::filesystem;

namespace {

/// Of a terminal: a longer line would wrap.
std::size_t terminal_columns(int descriptor) {
  constexpr std::size_t kUsual = 80, kLeast = 20;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::max<std::size_t>(size.ws_col, kLeast);
}

/// The kernel, its header and its caller.
std::array<fs::path, 3> kernel_files(const fs::path& directory, const std::string& name, Target target) {
  return {directory / (name + capabilities(target).extension), directory / (name + ".h"),
          directory / (name + "_main" + capabilities(target).host_extension)};
}

}  // namespace

void print(const std::string& text) { std::printf("%s\n", printable(text).c_str()); }
void print_fitted(const std::string& text) { print(fitted(text, output_columns())); }

std::size_t output_columns() { return ::isatty(STDOUT_FILENO) != 0 ? terminal_columns(STDOUT_FILENO) : 0; }

void check_writable_file(const fs::path& path, const std::string& option) {
  const auto refuse = [&](const std::string& why) {
    throw UserError(option + " " + path.string() + ": cannot be written: " + why);
  };
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse("it is a directory");
    if (::access(path.c_str(), W_OK) != 0) refuse(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) return;
  }
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::stat(parent.c_str(), &status) != 0) refuse(parent.string() + ": " + std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) refuse(parent.string() + " is not a directory");
  if (::access(parent.c_str(), W_OK | X_OK) != 0) refuse(parent.string() + ": " + std::strerror(errno));
}

fs::path kernel_directory(const fs::path& out) {
  fs::path directory = out.empty() ? fs::path("build/kernels") : out;
  const std::string option = out.empty() ? "the kernel's source: " : "--out " + out.string() + ": ";
  const std::string remedy = out.empty() ? "; choose another place with --out DIR" : "";
  try {
    make_directories(directory);
  } catch (const UserError& error) {
    throw UserError(option + error.what() + remedy);
  }
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    throw UserError(option + "cannot be written: " + std::strerror(errno) + remedy);
  return directory;
}

void check_kernel_files(const fs::path& directory, const std::string& name, Target target) {
  for (const fs::path& path : kernel_files(directory, name, target)) check_generated(path);
}

fs::path write_kernel(const fs::path& directory, const std::string& name, const Kernel& kernel, Target target,
                      const Program& program, const std::map<std::string, std::int64_t>& sizes) {
  const auto [source, header, caller] = kernel_files(directory, name, target);
  make_directories(directory);  // the exploration took a while
  write_generated(source, emit_source(kernel));
  write_generated(header, emit_header(kernel));
  Program reference = undecided(program);
  // The kernel's own name may be one of C's where the kernel is not C, and what begins with __ is C's, too.
  reference.name = name.starts_with("_") ? "reference" + name : name + "_reference";
  write_generated(caller, emit_caller(kernel, lower(reference, {.target = Target::openmp}), sizes));
  return source;
}

namespace {

/// The results that an argument could hold, by their names; all where its type is none's.
std::string results_like(const Program& program, const Kernel& kernel, const std::string& argument) {
  std::string like, all;
  const std::vector<ProgramResult> results = results_of(program);
  for (std::size_t i = 0; i < results.size() && i < kernel.results.size(); ++i) {
    const std::string name = "'" + kernel.results[i] + "'";
    all += (all.empty() ? "" : ", ") + name;
    for (const Expr& a : program.arguments)
      if (param_name(a) == argument && a.type() == results[i].type) like += (like.empty() ? "" : ", ") + name;
  }
  return like.empty() ? all : like;
}

}  // namespace

void say_what_is_not_overwritten(const Program& program, const Kernel& kernel) {
  for (const std::string& name : program.overwritable)
    for (const KernelArgument& a : kernel.arguments)
      if (a.name == name && !a.written) {
        const std::string results = results_like(program, kernel, name);
        std::fprintf(
            stderr,
            "liftgen: '%s' may be overwritten, but this kernel stores no result in it, only in %s; a "
            "result update(%s, ...) of the same type goes to '%s' itself\n",
            name.c_str(), results.c_str(), name.c_str(), name.c_str());
      }
}

namespace {

std::string best_text(const Progress& p) {
  return fmt::format("{:.3f} ms, {}{}", p.best_ms,
                     p.best_speedup > 0 ? fmt::format("{:.2f}x the plain loops, ", p.best_speedup) : "",
                     p.best_name);
}

}  // namespace

ProgressPrinter::ProgressPrinter(bool quiet)
    : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0) {}

ProgressPrinter::~ProgressPrinter() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressPrinter::operator()(const Progress& p) {
  if (quiet_) return;
  terminal_ ? bar(p) : line(p);
}

void ProgressPrinter::bar(const Progress& p) {
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && p.phase == phase_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now, phase_ = p.phase, shown_ = true;
  constexpr int width = 24;
  const int full = static_cast<int>(width * std::clamp(p.fraction, 0.0, 1.0));
  const std::string best = p.best_ms > 0 ? ", best " + best_text(p) : "";
  std::string text = fmt::format("[{}{}] {}, {} timed{}", std::string(full, '#'),
                                 std::string(width - full, '.'), p.phase, p.timed, best);
  if (const std::size_t most = terminal_columns(STDERR_FILENO) - 1; text.size() > most)
    text = text.substr(0, most - 3) + "...";
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

void ProgressPrinter::line(const Progress& p) {
  const bool better = p.best_ms > 0 && p.best_ms != best_ms_;
  if (p.phase == phase_ && !better) return;
  phase_ = p.phase, best_ms_ = p.best_ms;
  const std::string text = better ? fmt::format("best of {}: {}", p.timed, best_text(p)) : p.phase;
  print(text);
  std::fflush(stdout);
}

}  // namespace lift::cli
