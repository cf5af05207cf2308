// How much there is to decide about programs: for each file and each operator of the library, the decisions
// of its space on processors (two threads) and on a GPU, as one line of Markdown.
//   bench_decisions FILE.lift ...
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <functional>

#include "ir/error.hpp"
#include "patterns/pattern.hpp"
#include "rewrite/space/space.hpp"
#include "tuning/lift_problem.hpp"

namespace {

std::string decisions(const lift::Program& program, lift::Target target) {
  lift::SpaceOptions o;
  o.target = target, o.threads = 2;
  try {
    const lift::Space space(program, o);
    return std::to_string(space.parameters().size() + space.comparisons().size());
  } catch (const lift::UserError& e) {
    fmt::print(stderr, "{}\n", e.what());
    return "-";
  }
}

void row(const std::string& name, const std::function<lift::Program()>& program) {
  try {
    const lift::Program p = program();
    fmt::print("| {} | {} | {} |\n", name, decisions(p, lift::Target::openmp),
               decisions(p, lift::Target::cuda));
  } catch (const lift::UserError& e) {
    fmt::print(stderr, "{}\n", e.what());
    fmt::print("| {} | - | - |\n", name);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("| program | processors | GPU |\n|---|---|---|\n");
  for (int i = 1; i < argc; ++i)
    row(std::filesystem::path(argv[i]).stem().string(), [&] {
      const lift::PatternProblem made = lift::load_lift_file(argv[i]);
      lift::Problem problem = made.problem;
      problem.symbolic = false;
      return made.pattern.build(problem);
    });
  for (const auto& pattern : lift::all_patterns())
    row(pattern->name, [&] {
      lift::Problem problem;
      problem.boxes = 2;
      return pattern->build(problem);
    });
}
