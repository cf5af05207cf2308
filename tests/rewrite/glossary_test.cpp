// docs/glossary.md explains every word that a leaderboard may have.
#include <doctest/doctest.h>

#include <filesystem>
#include <random>
#include <regex>
#include <set>

#include "ir/error.hpp"
#include "patterns/pattern.hpp"
#include "rewrite/space/space.hpp"
#include "runtime/file.hpp"
#include "tuning/lift_problem.hpp"

using namespace lift;

namespace glossary_test {
namespace {

/// What stands in bold, without what follows it.
std::set<std::string> explained() {
  const std::string page = read_file(LIFTGEN_SOURCE_DIR "/docs/glossary.md");
  std::set<std::string> all;
  const std::regex bold(R"(\*\*([^*]+)\*\*)");
  for (std::sregex_iterator m(page.begin(), page.end(), bold), end; m != end; ++m) all.insert((*m)[1]);
  return all;
}

/// The words of a structure without names of parts, axes and numbers.
std::set<std::string> words_of(std::string structure, const std::set<std::string>& explained) {
  std::set<std::string> unknown;
  // A list that itself has a comma.
  const std::string whole = "a box a work-group, a barrier a sweep";
  for (std::size_t at; (at = structure.find(whole)) != std::string::npos;) structure.erase(at, whole.size());
  static const std::regex between(R"([,;] )");
  for (std::sregex_token_iterator w(structure.begin(), structure.end(), between, -1), end; w != end; ++w) {
    std::string word = *w;
    if (const std::size_t colon = word.find(": "); colon != std::string::npos) word.erase(0, colon + 2);
    word.erase(0, word.find_first_not_of("0123456789 "));  // 4 steps together
    const bool known =
        word.empty() || std::any_of(explained.begin(), explained.end(), [&](const std::string& e) {
          return word == e || word.starts_with(e + " ");
        });
    if (!known) unknown.insert(word);
  }
  return unknown;
}

std::vector<Program> programs() {
  std::vector<Program> all;
  for (const char* name : {"smooth3d", "smooth2d", "residual3d", "restriction3d", "prolongation3d", "thomas",
                           "vertical_advection", "norm3d", "dot2d", "horizontal_diffusion"}) {
    Problem p;
    p.box = 32, p.boxes = 2;
    if (std::string(name) == "smooth3d") p.sweeps = 4, p.ghost = 4;
    all.push_back(find_pattern(name).build(p));
  }
  for (const auto& entry : std::filesystem::directory_iterator(LIFTGEN_SOURCE_DIR "/examples/gallery"))
    if (entry.path().extension() == ".lift") {
      const PatternProblem made = load_lift_file(entry.path(), Sizes{{"n", 65}});
      all.push_back(made.pattern.build(made.problem));
    }
  return all;
}

}  // namespace

TEST_CASE("glossary: it has all words of structures") {
  const std::set<std::string> known = explained();
  REQUIRE(known.size() > 40);
  std::set<std::string> met;
  for (const Program& program : programs())
    for (const Target target : {Target::openmp, Target::cuda}) {
      SpaceOptions o;
      o.target = target, o.threads = 2;
      const Space space(program, o);
      for (const Configuration& c : space.seeds()) {
        const std::string structure = space.structure(c);
        met.insert(structure);
        for (const std::string& word : words_of(structure, known)) {
          CAPTURE(program.name);
          CAPTURE(structure);
          CHECK_MESSAGE(false, "docs/glossary.md lacks '" << word << "'");
        }
      }
    }
  CHECK(met.size() > 60);
}

}  // namespace glossary_test
