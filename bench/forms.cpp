// The derivations of the first configurations of a smoother, as files for `liftgen emit --derivation`: those
// of one sweep after the other, and those that go through several in one pass. For a machine of a fixed
// description, so that they are the same anywhere.
//   bench_forms DIRECTORY [--smoother S] [--box N] [--boxes B] [--sweeps T] [--most N]
// For each, DIRECTORY/NUMBER.derivation, and a line: NUMBER, whether in step, the layout or -, what it is.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"

using namespace lift;

int main(int argc, char** argv) {
  std::string directory, smoother = "gsrb";
  Problem problem;
  int most = 5;
  CLI::App app{"The first derivations of a smoother, as files"};
  app.add_option("directory", directory, "where to")->required();
  app.add_option("--smoother", smoother, "gsrb or jacobi");
  app.add_option("--box", problem.box, "interior cells a dimension");
  app.add_option("--boxes", problem.boxes, "boxes");
  app.add_option("--sweeps", problem.sweeps, "sweeps, and depth of the ghost zone");
  app.add_option("--most", most, "so many of one sweep after the other, and so many in step");
  CLI11_PARSE(app, argc, argv);
  problem.ghost = problem.sweeps, problem.choices["smoother"] = smoother;
  try {
    const Space space(smooth3d().build(problem), {Target::openmp, 1, 32, {}});
    std::filesystem::create_directories(directory);
    int found[2] = {}, number = 0;
    for (const Configuration& c : space.seeds()) {
      const bool in_step = c.contains("time") && c.at("time") != "none";
      if (found[in_step] == most) continue;
      try {
        std::ofstream(directory + "/" + std::to_string(number) + ".derivation") << str(space.derive(c));
      } catch (const UserError&) {
        continue;  // not possible here
      }
      ++found[in_step];
      const std::string layout = space.layout(c);
      std::cout << number++ << (in_step ? "\tin step\t" : "\tuntiled\t") << (layout.empty() ? "-" : layout)
                << '\t' << space.structure(c);
      if (in_step) std::cout << " (" << c.at("time") << ")";
      std::cout << '\n';
    }
  } catch (const std::exception& e) {
    return std::cerr << "bench_forms: " << e.what() << '\n', 3;
  }
}
