// The kernels of the first configurations of every operator on every backend, as files: two versions of
// liftgen that should generate the same can be compared by `diff -r`.
//   bench_emitted DIRECTORY [--most N]
// Each file FOLDER/OPERATOR-BACKEND-N.txt has the derivation, then the emitted source or why there is none.
// The order of the configurations is that of the space's seeds, for a machine of a fixed description, so that
// files agree anywhere.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"

using namespace lift;

namespace {

struct Case {
  std::string name;
  const Pattern* pattern;
  Problem problem;
};

/// Every operator as it is by default, and with each other value of each of its choices.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& pattern : all_patterns()) {
    Problem p;
    p.box = 64, p.boxes = 4;
    all.push_back({pattern->name, pattern.get(), p});
    for (const auto& [choice, values] : pattern->choices)
      for (std::size_t v = 1; v < values.size(); ++v) {
        Problem q = p;
        q.choices[choice] = values[v];
        all.push_back({pattern->name + "-" + choice + "-" + values[v], pattern.get(), q});
      }
    p.boundary = "periodic", p.boxes = 1;
    all.push_back({pattern->name + "-periodic", pattern.get(), p});
  }
  return all;
}

SpaceOptions options_for(Target target, bool cpu) {
  SpaceOptions options;
  options.target = target, options.threads = 2, options.vector_bytes = 32, options.cpu = cpu;
  return options;
}

void write(const std::filesystem::path& file, const Program& program, const Space& space,
           const Configuration& c, Target target) {
  std::ofstream out(file);
  try {
    const Derivation d = space.derive(c);
    out << "# " << space.structure(c) << "\n" << str(d) << "\n----\n";
    out << emit_source(lower(replay(program, d), {.target = target}));
  } catch (const UserError& e) {
    out << "impossible: " << e.what() << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The kernels of the first configurations of every operator, as files"};
  std::filesystem::path directory;
  std::size_t most = 3;
  app.add_option("directory", directory, "made where it does not exist")->required();
  app.add_option("--most", most, "configurations of an operator and backend")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  std::filesystem::create_directories(directory);
  struct Backend {
    const char* name;
    Target target;
    bool cpu;
  };
  std::size_t files = 0;
  for (const Case& c : cases())
    for (const Backend& b :
         {Backend{"openmp", Target::openmp, false}, Backend{"pocl", Target::opencl, true},
          Backend{"opencl", Target::opencl, false}, Backend{"cuda", Target::cuda, false}}) {
      const auto file = [&](const std::string& n) {
        return directory / (c.name + "-" + b.name + "-" + n + ".txt");
      };
      try {
        const Program program = c.pattern->build(c.problem);
        const Space space(program, options_for(b.target, b.cpu));
        const auto seeds = space.seeds();
        // The first ones, and some from the whole list: those of other structures come later.
        for (std::size_t n = 0; n < seeds.size(); ++n)
          if (n < most || n % 7 == 3)
            write(file(std::to_string(n)), program, space, seeds[n], b.target), ++files;
      } catch (const UserError& e) {
        std::ofstream(file("refused")) << e.what() << "\n", ++files;
      }
    }
  std::cout << files << " files in " << directory.string() << "\n";
}
