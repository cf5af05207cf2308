// A program around an emitted kernel, without liftgen: fills arguments, runs the kernel and the same
// expression as plain loops, compares, times. What depends on where the kernel runs is overridden.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lower/loops/loop.hpp"

namespace lift {

class Caller {
 public:
  /// Sizes that are arguments come from the command line, else from `sizes`, else they are 64. InternalError
  /// when the two kernels' results do not correspond.
  Caller(const Kernel& kernel, const Kernel& reference, const std::map<std::string, std::int64_t>& sizes);
  virtual ~Caller() = default;
  std::string text();

 protected:
  /// The comment at the head and what comes before the headers, a text for fmt: {0} is the kernel's name, {1}
  /// its usual sizes.
  virtual std::string head() const;
  /// Functions beside the usual ones.
  virtual std::string functions() const { return ""; }
  /// Statements of main(). Once, when the host's arrays are filled: what the kernel's runs need.
  virtual std::string prepare() const { return ""; }
  /// One run, to its end.
  virtual std::string run(int indent) const;
  /// The results' way into the host's arrays.
  virtual std::string fetch() const { return ""; }
  virtual std::string release() const { return ""; }

  /// The variable that holds an argument: its own name unless main() needs that for something else.
  std::string var(const std::string& name) const;
  /// Where the kernel finds an array: the caller's, or a copy in the kernel's own layout.
  std::string stored(const KernelArgument& a) const;
  /// The number of its elements, as stored.
  std::string stored_size(const KernelArgument& a) const;
  /// A call of `function` with what comes before its arguments, the sizes, and the arguments of k.
  std::string call(const std::string& function, std::vector<std::string> before, const Kernel& k,
                   const std::function<std::string(const KernelArgument&)>& argument) const;
  static void line(std::string& s, const std::string& text, int indent = 1);
  bool is_result(const KernelArgument& a) const;

  const Kernel& k_;
  std::set<std::string> reserved_;

 private:
  std::string nat(const Nat& n) const;
  std::int64_t typical(const std::string& size) const;
  /// The kernel's, then what only the reference needs: of values that the kernel does not store.
  std::vector<std::string> sizes() const;
  std::string read_sizes() const;
  std::string inputs();
  std::string size_of_rows(const KernelArgument& a) const;
  bool is_input(const KernelArgument& a) const;
  std::string reference_run();
  std::string for_elements(
      const KernelArgument& a,
      const std::function<std::string(const std::string& rows, const std::string& at)>& body) const;
  std::string kernel_run();
  std::string timing() const;

  /// The function for arrays of a's type that begins with `name`; the program will have it.
  std::string helper(const std::string& name, const KernelArgument& a);

  Kernel r_;
  std::map<std::string, std::int64_t> sizes_;
  std::set<std::string> helpers_;  ///< functions that the text refers to
};

std::string c_type(const KernelArgument& a);
const KernelArgument* find(const Kernel& k, const std::string& name);

}  // namespace lift
