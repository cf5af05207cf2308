// Kernels compiled together and run in a process of their own, their arrays beside pages that cannot be
// touched.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/process.hpp"
#include "tests/fuzz/programs/case.hpp"

namespace lift::fuzz {

enum class Verdict : std::uint8_t {
  right,
  refused,       ///< the decisions cannot be met, with a message for users
  unreadable,    ///< the text of the program is not read as it was printed
  defect,        ///< an internal error, or any exception that is none for users
  not_compiled,  ///< the compiler does not take the source
  crashed,
  hung,
  wrong,    ///< other results than the interpreter's, or something overwritten
  unknown,  ///< the compiler or the machine failed
};
const char* text(Verdict v);
inline bool is_find(Verdict v) {
  return v != Verdict::right && v != Verdict::refused && v != Verdict::unknown;
}

struct Outcome {
  Verdict verdict = Verdict::unknown;
  std::string detail = {};  ///< the first difference, the message
};

/// A kernel for processors, its name unlike all others of the batch.
struct Job {
  Kernel kernel;
  std::shared_ptr<const Data> data;
  Sizes sizes;           ///< of those that are arguments
  double tolerance = 0;  ///< a part of the largest element; 0: the same numbers
};

/// Compiled in the background, then run.
class Batch {
 public:
  /// `sanitize`: undefined behaviour ends the kernel.
  Batch(std::filesystem::path folder, std::string name, std::vector<Job> jobs, bool sanitize);
  ~Batch();
  std::vector<Outcome> outcomes();
  std::string source(std::size_t job) const;

 private:
  void compile();
  bool put_aside(const std::string& said);
  std::vector<Outcome> apart();

  std::filesystem::path folder_;
  std::string name_;
  std::vector<Job> jobs_;
  bool sanitize_;
  std::vector<std::string> sources_;  ///< empty: not compiled
  int files_ = 0;
  std::vector<Outcome> outcomes_;  ///< of those that were not emitted
  std::optional<Process> compiler_;
};

}  // namespace lift::fuzz
