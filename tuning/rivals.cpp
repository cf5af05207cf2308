#include "tuning/rivals.hpp"

#include <algorithm>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "lower/passes/passes.hpp"
#include "runtime/process.hpp"
#include "tuning/untransformed.hpp"

namespace lift {
namespace {

/// The signature of plain(): the program's arguments, then the results unless they are in place.
Kernel plain_signature(const Pattern& pattern, const Program& program) {
  Kernel kernel;
  kernel.name = "plain";
  for (const ProgramResult& r : results_of(program)) kernel.results.push_back(r.name);
  if (pattern.plain_in_place) {
    if (program.overwritable.size() < kernel.results.size())
      throw InternalError(pattern.name + ": plain() overwrites too few arguments of " + program.name);
    kernel.results.assign(program.overwritable.begin(),
                          program.overwritable.begin() + static_cast<std::ptrdiff_t>(kernel.results.size()));
  }
  for (const Expr& argument : program.arguments) {
    KernelArgument a;
    a.name = param_name(argument), a.type = argument.type(), a.read = true;
    // An operator in several steps leaves intermediate values in what it may overwrite.
    a.written = std::find(kernel.results.begin(), kernel.results.end(), a.name) != kernel.results.end() ||
                (pattern.plain_in_place && std::find(program.overwritable.begin(), program.overwritable.end(),
                                                     a.name) != program.overwritable.end());
    if (a.type.is_array()) a.layout = Layout(LayoutRequest{}, a.type);
    kernel.arguments.push_back(a);
  }
  if (!pattern.plain_in_place)
    for (const ProgramResult& r : results_of(program))
      kernel.arguments.push_back({r.name, r.type, Layout(LayoutRequest{}, r.type), true, false, {}});
  return kernel;
}

std::vector<std::string> plus(std::vector<std::string> flags, const std::vector<std::string>& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

std::vector<std::string> without(std::vector<std::string> flags, const std::string& flag) {
  std::erase(flags, flag);
  return flags;
}

/// The newest of the clangs that Debian builds with Polly; empty when there is none.
std::string polly_compiler() {
  for (const char* name : {"clang-14", "clang-16", "clang-13", "clang-11"})
    if (!find_program(name).empty()) return name;
  return "";
}

constexpr const char* kPlainSimd = "#define SIMD _Pragma(\"omp simd\")\n";
constexpr const char* kPlain = "the system's compiler, -O3 -march=native -fopenmp";
constexpr const char* kPlainWithSimd = "the same with omp simd on the inner loop";

/// Of a program that nobody wrote loops for: as it is written, what is computed twice named, shared among
/// threads. Where that cannot be, for whatever reason, or is too long for compilers, the program has no plain
/// loops beside it: rivals end no exploration and no run.
std::vector<RivalJob> loops_as_written(const Program& program) {
  constexpr std::size_t kMostText = std::size_t{256} << 10;
  Job plain, simd;
  try {
    plain.kernel = untransformed_loops(program);
    Kernel named = plain.kernel;
    named.body = eliminate_common_subexpressions(named.body);
    plain.code = emit_plain_loops(shared_loops(named));
  } catch (const std::exception&) {
    return {};
  }
  if (plain.code.size() > kMostText) return {};
  plain.flags = default_flags();
  simd = plain, simd.code = kPlainSimd + plain.code;
  return {{"plain", kPlain, true, plain}, {"plain omp simd", kPlainWithSimd, true, simd}};
}

}  // namespace

std::vector<RivalJob> rival_jobs(const Pattern& pattern, const Problem& problem, const Program& program,
                                 bool others, int threads) {
  if (!pattern.plain_c) return loops_as_written(program);
  const std::string source = pattern.plain_c(problem);
  if (source.empty()) return {};
  const Kernel signature = plain_signature(pattern, program);
  std::vector<RivalJob> jobs;
  const auto add = [&](const std::string& name, const std::string& what, bool baseline,
                       const std::string& code, const std::vector<std::string>& flags,
                       const std::string& compiler) {
    jobs.push_back(
        {name,
         what,
         baseline,
         {.kernel = signature, .code = code, .function = "plain", .flags = flags, .compiler = compiler}});
  };
  const std::vector<std::string> flags = default_flags();
  add("plain", kPlain, true, source, flags, "");
  add("plain omp simd", kPlainWithSimd, true, kPlainSimd + source, flags, "");
  if (!others) return jobs;
  if (!find_program("gcc").empty())
    add("graphite", "gcc -O3 -march=native -fopenmp -fgraphite-identity -floop-nest-optimize", false, source,
        plus(flags, {"-fgraphite-identity", "-floop-nest-optimize"}), "gcc");
  if (const std::string clang = polly_compiler(); !clang.empty()) {
    const std::vector<std::string> polly = {"-mllvm", "-polly", "-Wno-unknown-pragmas"};
    add("polly", clang + " -O3 -march=native -fopenmp -mllvm -polly", false, source, plus(flags, polly),
        clang);
    add("polly parallel",
        clang + " -O3 -march=native -mllvm -polly -mllvm -polly-parallel, without the pragmas", false, source,
        plus(without(flags, "-fopenmp"),
             plus(polly, {"-mllvm", "-polly-parallel", "-mllvm",
                          "-polly-num-threads=" + std::to_string(threads), "-lgomp"})),
        clang);
  }
  return jobs;
}

}  // namespace lift
