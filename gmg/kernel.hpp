// A derived program as a function of named arrays and numbers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>

#include "embed/callable.hpp"
#include "runtime/buffer.hpp"

namespace lift::gmg {

/// Where the arguments of a program are found, by name. They have to stay where they are.
struct Arguments {
  std::map<std::string, void*> arrays;
  std::map<std::string, const void*> numbers;
  std::map<std::string, const std::int32_t*> indices = {};
};

/// A kernel on processors. Made at once: EnvironmentError without a C compiler.
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
  Bound bind(const Arguments& arguments, void* result = nullptr) const;
  /// As it is computed: the C text.
  const std::string& source() const { return Callable::source(*variant_); }
  const lift::Kernel& lowered() const { return Callable::kernel(*variant_); }  ///< less its body

 private:
  Program program_;
  std::vector<Type> beside_;  ///< results that update no argument
  std::unique_ptr<Callable> callable_;
  const Callable::Variant* variant_ = nullptr;
};

/// A kernel that is made when it is first asked for, or by make_all.
class LaterKernel {
 public:
  LaterKernel() = default;
  explicit LaterKernel(std::function<Program()> program) : program_(std::move(program)) {}
  const Kernel& get() {
    if (!kernel_) make({});
    return *kernel_;
  }
  /// Again, where there is one: calls that are bound go to the new one.
  void make(CompileOptions options) { kernel_.emplace(program_(), std::move(options)); }
  Program program() const { return program_(); }
  bool is_made() const { return kernel_.has_value(); }

 private:
  std::function<Program()> program_;
  std::optional<Kernel> kernel_;
};
/// What a kernel is for.
struct KernelRole {
  enum class Role : std::uint8_t {
    diagonal,    ///< lambda
    sweep,       ///< of one colour
    sweeps,      ///< so many in one pass
    polynomial,  ///< over `previous`
    apply,
    norm,
    down,        ///< the residual's restriction is the next level's f
    up,          ///< corrected by the next level's u
    restrict_f,  ///< that of f
    coefficient  ///< that of a coefficient
  } role;
  std::size_t level;
  LaterKernel* kernel;
  int sweeps = 0;
  std::string coefficient = {};
};
/// By what a kernel's derivation is found: its program, at its sizes.
std::string kernel_key(const Program& program);
/// Derivations as text, by kernel_key.
using Derivations = std::map<std::string, std::string>;
/// How kernels are made.
struct Making {
  CompileOptions options = {};
  Derivations known = {};  ///< derivations that go before, where they apply
  bool plain = false;      ///< as they are written, whatever is known
};
/// Makes those that are not made yet, several at once: most of the time goes to the C compiler.
void make_all(std::span<LaterKernel* const> kernels, const Making& making = {});

}  // namespace lift::gmg
