// Stand-alone use of an emitted kernel: its header, and a caller with a main().
#include <fmt/format.h>

#include "emit/emit.hpp"
#include "ir/error.hpp"

namespace lift {
namespace {

const char* c_type(Scalar s) { return s == f32 ? "float" : s == f64 ? "double" : "int"; }

std::string prototype(const Kernel& k) {
  std::string s = "void " + k.name + "(";
  for (std::size_t i = 0; i < k.arguments.size(); ++i) {
    const KernelArgument& a = k.arguments[i];
    const bool array = a.type.is_array();
    s += (i ? ", " : "") + std::string(array && !a.written ? "const " : "") + c_type(array ? element_of(a.type).scalar() : a.type.scalar()) + (array ? " *restrict " : " ") + a.name;
  }
  return s + ")";
}

std::int64_t elements(const KernelArgument& a) {
  const auto n = a.layout.size().constant();
  if (!n) throw UserError("emit: the size of " + a.name + ", " + a.layout.size().str() + ", is not a number; fix the size");
  return *n;
}

}  // namespace

std::string emit_c_header(const Kernel& k) {
  std::string s = fmt::format("/* {0}: arrays are row-major unless said otherwise, and do not overlap. */\n#pragma once\n\n", k.name);
  for (const KernelArgument& a : k.arguments) {
    s += fmt::format("/*   {:<10} {}{}{} */\n", a.name, a.type.str(), a.type.is_array() && a.layout.request().kind != LayoutRequest::Kind::Caller ? ", layout " + str(a.layout.request()) : "",
                     a.written ? (a.read ? ", read and written" : ", written") : "");
  }
  return s + "#ifdef __cplusplus\n#define restrict __restrict__\nextern \"C\" {\n#endif\n" + prototype(k) + ";\n#ifdef __cplusplus\n}\n#undef restrict\n#endif\n";
}

std::string emit_c_caller(const Kernel& k) {
  std::string s = fmt::format(
      "/* Runs {0} on made-up data and times it.\n *   cc -O3 -march=native -fopenmp {0}.c {0}_main.c -lm -o {0} && ./{0} */\n"
      "#define _POSIX_C_SOURCE 200112L\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <omp.h>\n\n#include \"{0}.h\"\n\n"
      "static void *array(size_t bytes) {{\n  void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);\n  if (!p) {{ perror(\"{0}\"); exit(1); }}\n  return p;\n}}\n\n"
      "int main(void) {{\n",
      k.name);
  std::string call;
  for (const KernelArgument& a : k.arguments) {
    call += (call.empty() ? "" : ", ") + a.name;
    if (a.type.is_array()) {
      const char* t = c_type(element_of(a.type).scalar());
      s += fmt::format("  const long n_{0} = {1};\n  {2} *{0} = array((size_t)n_{0} * sizeof *{0});\n#pragma omp parallel for schedule(static)\n  for (long x = 0; x < n_{0}; ++x) {0}[x] = ({2})(1 + 0.3 * sin(0.01 * (double)x));\n",
                       a.name, elements(a), t);
    } else {
      const auto lower = a.range.empty() ? std::nullopt : a.range[0].constant();
      s += fmt::format("  const {} {} = {};\n", c_type(a.type.scalar()), a.name, lower ? std::to_string(*lower) : a.type.scalar() == i32 ? "0" : "0.125");
    }
  }
  const KernelArgument* result = nullptr;
  for (const KernelArgument& a : k.arguments)
    if (a.name == k.results.at(0)) result = &a;
  if (!result) throw InternalError("emit: " + k.name + " has no argument " + k.results[0]);
  s += fmt::format(
      "  {0}({1});\n  double best = 1e30;\n  for (int run = 0; run < 10; ++run) {{\n    const double start = omp_get_wtime();\n    {0}({1});\n    const double ms = (omp_get_wtime() - start) * 1e3;\n"
      "    if (ms < best) best = ms;\n  }}\n  double sum = 0;\n  for (long x = 0; x < n_{2}; ++x) sum += {2}[x];\n  printf(\"{0}: %.3f ms, sum of {2} %.9g\\n\", best, sum);\n  return 0;\n}}\n",
      k.name, call, k.results[0]);
  return s;
}

}  // namespace lift
