// A derived program as a function of named arrays and numbers.
#pragma once

#include <map>

#include "embed/callable.hpp"
#include "runtime/buffer.hpp"

namespace lift::gmg {

/// Where the arguments of a program are found, by name. They have to stay where they are.
struct Arguments {
  std::map<std::string, double*> arrays;
  std::map<std::string, const double*> numbers;
  std::map<std::string, const std::int32_t*> indices = {};
};

/// A kernel of f64 on processors. Made at once: EnvironmentError without a C compiler.
class Kernel {
 public:
  explicit Kernel(const Program& program, CompileOptions options = {});

  /// A call with everything in its place. `result`: where a program without an overwritable argument writes
  /// to. Lives as long as the kernel.
  class Bound {
   public:
    void operator()() const;

   private:
    friend class Kernel;
    const Kernel* kernel_ = nullptr;
    std::vector<ArgumentValue> values_;
  };
  /// InternalError for an argument that is not there.
  Bound bind(const Arguments& arguments, double* result = nullptr) const;
  /// As it is computed: the C text.
  const std::string& source() const { return Callable::source(*variant_); }

 private:
  Program program_;
  Type result_;
  std::unique_ptr<Callable> callable_;
  const Callable::Variant* variant_ = nullptr;
};

}  // namespace lift::gmg
