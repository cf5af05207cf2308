// The plain loops of many problems, compiled together.
#pragma once

#include "emit/emit.hpp"
#include "runtime/native.hpp"
#include "tests/patterns/box_data.hpp"
#include "tests/patterns/operator_cases.hpp"

namespace lift::testing {

class PlainKernels {
 public:
  explicit PlainKernels(const std::vector<OperatorCase>& cases) {
    constexpr std::size_t together = 60;  // in one translation unit
    std::vector<NativeSource> units;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (i % together == 0)
        units.push_back(
            {"",
             {"-std=gnu11", "-O0", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"},
             "",
             "c"});
      const Program program = cases[i].pattern->build(cases[i].problem);
      const auto jobs = rival_jobs(*cases[i].pattern, cases[i].problem, program, false, 2);
      REQUIRE(!jobs.empty());
      kernels_.push_back(jobs[0].job.kernel);
      sources_.push_back(jobs[0].job.code);
      const std::string suffix = "_" + std::to_string(i);
      std::string& code = units.back().code;
      for (const char* name : {"plain", "inside", "factor", "addend", "real", "liftgen_call"})
        code += "#undef " + std::string(name) + "\n#define " + name + " " + name + suffix + "\n";
      for (const char* name : {"BOXES", "N", "NK", "NJ", "NI", "G", "S", "SK", "SJ", "SI", "SIMD"})
        code += "#undef " + std::string(name) + "\n";
      code += sources_.back() + emit_trampoline(kernels_.back(), "plain");
    }
    compiled_ = compiler_.compile_all(units);
    for (std::size_t u = 0; u < units.size(); ++u) {
      INFO(units[u].code);
      REQUIRE_MESSAGE(compiled_[u].library, compiled_[u].error);
    }
    together_ = together;
  }

  const std::string& source(std::size_t i) const { return sources_[i]; }

  /// The result of the i-th problem's loops on copies of the data.
  OwnedArray run(std::size_t i, const BoxData& data) const {
    std::vector<OwnedArray> copies;
    std::vector<void*> pointers;
    for (const KernelArgument& a : kernels_[i].arguments) {
      copies.emplace_back(a.name, a.type, 1);
      if (data.has(a.name)) host::copy(data.argument(a.name), copies.back().view());
      pointers.push_back(copies.back().view().data);
    }
    compiled_[i / together_].library->function<void(void**)>("liftgen_call_" +
                                                             std::to_string(i))(pointers.data());
    OwnedArray result = data.result();
    for (OwnedArray& c : copies)
      if (c.view().name == kernels_[i].results.front())
        host::copy({result.view().name, c.view().type, c.view().data}, result.view());
    return result;
  }

 private:
  NativeCompiler compiler_;
  std::vector<Kernel> kernels_;
  std::vector<std::string> sources_;
  std::vector<CompileResult> compiled_;
  std::size_t together_ = 1;
};

}  // namespace lift::testing
