// Emitted C against the plain reference for every operator, dimension, boundary condition and choice, at odd sizes: the
// variants that are tried first.
#include <doctest/doctest.h>

#include <set>
#include <sstream>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "runtime/native.hpp"
#include "runtime/parallel.hpp"
#include "small_problem.hpp"
#include "tests/patterns/operator_cases.hpp"

using namespace lift;
using namespace lift::test;
using namespace lift::testing;

namespace {

/// The declarations of a C source: each begins at the beginning of a line, outside braces and conditional parts.
std::vector<std::string> declarations(const std::string& source) {
  std::vector<std::string> parts;
  std::string part, line;
  std::istringstream in(source);
  for (int open = 0; std::getline(in, line);) {
    const bool begins = open == 0 && !line.empty() && line[0] != ' ' && line[0] != '}';
    if (begins && !part.empty()) parts.push_back(std::move(part)), part.clear();
    if (!line.empty()) part += line + "\n";
    for (const char c : line) open += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (line.starts_with("#if")) ++open;
    if (line.starts_with("#endif")) --open;
  }
  parts.push_back(part);
  return parts;
}

struct Emitted {
  OperatorCase c;
  Configuration configuration;
  Kernel kernel;
};

/// Kernels of several cases in one source, each helper once.
std::string together(std::span<const Emitted> kernels) {
  std::string code;
  std::set<std::string> seen;
  for (const Emitted& e : kernels) {
    code += "#undef liftgen_call\n#define liftgen_call call_" + e.kernel.name + "\n";
    for (const std::string& d : declarations(emit_openmp(e.kernel) + emit_trampoline(e.kernel, e.kernel.name)))
      if (seen.insert(d).second) code += d;
  }
  return code;
}

/// One of the first variants, another one from case to case.
Emitted emitted(const OperatorCase& c, std::size_t number) {
  const Program program = c.pattern->build(c.problem);
  const Space space(program, {Target::openmp, 2, 32, 512 * 1024, false});
  const std::vector<Configuration> seeds = space.seeds();
  REQUIRE(!seeds.empty());
  std::string refused;
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    const Configuration& configuration = seeds[(number + s) % seeds.size()];
    try {
      Emitted e{c, configuration, lower(replay(space.program(), space.derive(configuration)))};
      e.kernel.name = "kernel_" + std::to_string(number);
      return e;
    } catch (const UserError& error) {  // a decision that turns out not to be possible here
      refused = error.what();
    }
  }
  FAIL("no variant of " << describe(c) << ": " << refused);
  return {};
}

void check(const std::vector<OperatorCase>& cases) {
  configure_openmp(2);
  std::vector<Emitted> all;
  for (const OperatorCase& c : cases) {
    CAPTURE(describe(c));
    all.push_back(emitted(c, all.size()));
  }
  constexpr std::size_t in_one_source = 40;
  std::vector<NativeSource> sources;
  for (std::size_t i = 0; i < all.size(); i += in_one_source)
    sources.push_back({together(std::span(all).subspan(i, std::min(in_one_source, all.size() - i))),
                       {"-std=gnu11", "-O0", "-march=native", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable"}, "", "c"});
  NativeCompiler compiler;
  const auto compiled = compiler.compile_all(sources);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Emitted& e = all[i];
    INFO(describe(e.c) << ": " << test::str(e.configuration) << "\n" << emit_openmp(e.kernel));
    const CompileResult& library = compiled[i / in_one_source];
    REQUIRE_MESSAGE(library.library, library.error);
    const SmallProblem data(*e.c.pattern, e.c.problem, static_cast<int>(i % 2));
    auto storage = data.storage(e.kernel);
    library.library->function<void(void**)>("call_" + e.kernel.name)(storage.pointers.data());
    CHECK(data.error(e.kernel, storage) < (e.c.problem.type == f32 ? 1e-5 : 1e-12));
  }
}

}  // namespace

TEST_CASE("emitted stencil operators give the reference's result") { check(operator_cases(stencil_families(), false)); }
TEST_CASE("emitted transfer operators give the reference's result") { check(operator_cases(transfer_families(), false)); }
TEST_CASE("emitted vector operators give the reference's result") { check(operator_cases(vector_families(), false)); }
