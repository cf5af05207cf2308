// Files that commands write, checked before any work is done, and the progress of long work.
#pragma once

#include <filesystem>
#include <string>

#include "tuning/explore.hpp"

namespace lift::cli {

/// A line (or several) on standard output, which no terminal takes for commands.
void print(const std::string& text);
/// Prose, broken at blanks where it is wider than the terminal.
void print_fitted(const std::string& text);
/// What a table on standard output may take of a terminal; 0: as much as it likes, there is none.
std::size_t output_columns();

/// UserError when a file of that name could not be written later; `option` is named in the message.
void check_writable_file(const std::filesystem::path& path, const std::string& option);
/// The directory for kernels: `out`, or build/kernels when empty; made if need be. UserError when it cannot
/// be written.
std::filesystem::path kernel_directory(const std::filesystem::path& out);

/// Before work begins whose kernel write_kernel will write: UserError where files of others lie in its place.
void check_kernel_files(const std::filesystem::path& directory, const std::string& name, Target target);

/// Writes a kernel of `program` as NAME.c, NAME.cl or NAME.cu with NAME.h and a caller NAME_main.c (.cu),
/// which compares it with the program's plain loops (at `sizes`, unless told others). The path of the
/// kernel's file.
std::filesystem::path write_kernel(const std::filesystem::path& directory, const std::string& name,
                                   const Kernel& kernel, Target target, const Program& program,
                                   const std::map<std::string, std::int64_t>& sizes = {});

/// On standard error: arguments that the kernel leaves alone though it need not. Who reads its signature, or
/// expects to find results there, should know.
void say_what_is_not_overwritten(const Program& program, const Kernel& kernel);

/// A bar on a terminal (on standard error), plain lines of standard output when piped, nothing when quiet.
class ProgressPrinter {
 public:
  explicit ProgressPrinter(bool quiet);
  ~ProgressPrinter();
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;
  void operator()(const Progress& p);

 private:
  void bar(const Progress& p);
  void line(const Progress& p);
  bool quiet_, terminal_, shown_ = false;
  std::string phase_;
  double best_ms_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace lift::cli
