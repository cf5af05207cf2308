// Emitted C against the plain reference for every operator, dimension, boundary condition and choice, at odd
// sizes: the variants that are tried first.
#include <doctest/doctest.h>

#include <regex>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "runtime/native.hpp"
#include "runtime/parallel.hpp"
#include "small_problem.hpp"
#include "tests/patterns/operator_cases.hpp"
#include "tests/spelled.hpp"
#include "together.hpp"

using namespace lift;
using namespace lift::test;
using namespace lift::testing;

namespace operators_test {
namespace {

struct Emitted {
  OperatorCase c;
  Configuration configuration;
  Kernel kernel;
};

/// Kernels of several cases in one source, each helper once; those that are only numbered have names of their
/// own in each kernel.
std::string together(std::span<const Emitted> kernels) {
  static const std::regex numbered("\\b(shuffle\\d+_)");
  Together all;
  for (const Emitted& e : kernels) {
    all.add_line("#undef liftgen_call\n#define liftgen_call call_" + e.kernel.name);
    all.add(std::regex_replace(test::openmp_of(e.kernel), numbered, "$1" + e.kernel.name + "_") +
            emit_trampoline(e.kernel, e.kernel.name));
  }
  return all.code();
}

Space space_of(const OperatorCase& c) { return {c.pattern->build(c.problem), {Target::openmp, 2, 32}}; }

Emitted emitted(const OperatorCase& c, const Space& space, const Configuration& configuration,
                std::size_t number) {
  Emitted e{c, configuration, lower(replay(space.program(), space.derive(configuration)))};
  e.kernel.name = "kernel_" + std::to_string(number);
  return e;
}

/// One of the first variants, another one from case to case.
Emitted emitted(const OperatorCase& c, const Space& space, std::size_t number) {
  const std::vector<Configuration> seeds = space.seeds();
  REQUIRE(!seeds.empty());
  std::string refused;
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    try {
      return emitted(c, space, seeds[(number + s) % seeds.size()], number);
    } catch (const UserError& error) {  // a decision that turns out not to be possible here
      refused = error.what();
    }
  }
  FAIL("no variant of " << describe(c) << ": " << refused);
  return {};
}

void check(const std::vector<Emitted>& all) {
  configure_openmp(2);
  constexpr std::size_t in_one_source = 40;
  std::vector<NativeSource> sources;
  for (std::size_t i = 0; i < all.size(); i += in_one_source)
    sources.push_back({together(std::span(all).subspan(i, std::min(in_one_source, all.size() - i))),
                       {"-std=gnu11", "-O0", "-march=native", "-fopenmp", "-Wall", "-Wextra", "-Werror"},
                       "",
                       "c"});
  NativeCompiler compiler;
  const auto compiled = compiler.compile_all(sources);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Emitted& e = all[i];
    INFO(describe(e.c) << ": " << test::str(e.configuration) << "\n" << test::openmp_of(e.kernel));
    const CompileResult& library = compiled[i / in_one_source];
    REQUIRE_MESSAGE(library.library, library.error);
    const SmallProblem data(*e.c.pattern, e.c.problem, static_cast<int>(i % 2));
    auto storage = data.storage(e.kernel);
    library.library->function<void(void**)>("call_" + e.kernel.name)(storage.pointers.data());
    CHECK(data.error(e.kernel, storage) < (e.c.problem.type == f32 ? 1e-5 : 1e-12));
  }
}

void check(const std::vector<OperatorCase>& cases) {
  std::vector<Emitted> all;
  for (const OperatorCase& c : cases) {
    CAPTURE(describe(c));
    all.push_back(emitted(c, space_of(c), all.size()));
  }
  check(all);
}

/// With all arrays split by colours, over as many dimensions as there are.
void check_split(const std::vector<OperatorCase>& cases) {
  std::vector<Emitted> all;
  for (std::size_t i = 0; i < cases.size(); i += 1 + cases.size() / 200) {  // some of many
    const OperatorCase& c = cases[i];
    CAPTURE(describe(c));
    const Program program = c.pattern->build(c.problem);
    const auto first = std::find_if(program.arguments.begin(), program.arguments.end(),
                                    [](const Expr& a) { return a.type().is_array(); });
    const LayoutRequest split{LayoutRequest::Kind::Split, c.problem.type == f32 ? 4 : 1, 0,
                              rank_of(first->type()) - 1};  // a box has as many dimensions
    const Space space(program, {Target::openmp, 2, 32, split});
    all.push_back(emitted(c, space, all.size()));
    for (const KernelArgument& a : all.back().kernel.arguments)
      CHECK_MESSAGE(!(rank_of(a.type) > split.axes && !a.work && a.layout.request() != split),
                    describe(c) << " leaves " << a.name << " as it was");
  }
  check(all);
}

}  // namespace

TEST_CASE("emitted stencil operators give the reference's result") {
  check(operator_cases(stencil_families(), false));
}
TEST_CASE("emitted transfer operators give the reference's result") {
  check(operator_cases(transfer_families(), false));
}
TEST_CASE("operators give the reference's result with all arrays split by colours") {
  check_split(operator_cases(stencil_families(), false));
  check_split(operator_cases(transfer_families(), false));
  check_split(operator_cases(vector_families(), false));
}
TEST_CASE("emitted vector operators give the reference's result") {
  check(operator_cases(vector_families(), false));
}

TEST_CASE(
    "blocks of a computed array that is kept in rows give the reference's result, stored past the cache or "
    "not") {
  const auto pattern = std::make_shared<const Pattern>(find_pattern("residual_restriction3d"));
  std::vector<Emitted> all;
  for (const Scalar type : {f64, f32})
    for (const char* inner : {"seq", "vec"})
      for (const char* stream : {"0", "1"}) {
        OperatorCase c{pattern, {}};
        c.problem.sides.clear(), c.problem.box = 18, c.problem.boxes = 2, c.problem.type = type;
        const Space space = space_of(c);
        const Configuration configuration{{"buffer", "rows"}, {"inner", inner}, {"stream", stream}};
        Configuration before = configuration;
        before.erase(*find_key("stream"));
        const std::vector<std::string> values = space.allowed_texts(before, "stream");
        if (std::find(values.begin(), values.end(), stream) != values.end())
          all.push_back(emitted(c, space, configuration, all.size()));
      }
  CHECK(all.size() == 6);
  check(all);
  for (const Emitted& e : all) {
    INFO(test::str(e.configuration) << "\n" << str(e.kernel));
    CHECK((str(e.kernel.body).find("(stream)") != std::string::npos) ==
          (e.configuration.at("stream") == "1"));
  }
}

}  // namespace operators_test
