// What compilers that transform loops are called with, by settings and by what is on the PATH.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "compare/peer.hpp"
#include "tests/runtime/scratch.hpp"

namespace lift::compare_compilers_test {
namespace {

using Flags = std::vector<std::string>;

Course course() {
  Course c;
  c.plain.code = "loops", c.threads = 3;
  return c;
}
/// Those that two settings differ in: what only the second one has, then what only the first one has.
std::pair<Flags, Flags> change(Peer& peer, const PeerSettings& from, const PeerSettings& to) {
  const Flags a = peer.make(course(), from).flags, b = peer.make(course(), to).flags;
  std::pair<Flags, Flags> r;
  for (const std::string& f : b)
    if (f != "-mllvm" && std::count(a.begin(), a.end(), f) == 0) r.first.push_back(f);
  for (const std::string& f : a)
    if (f != "-mllvm" && std::count(b.begin(), b.end(), f) == 0) r.second.push_back(f);
  return r;
}
/// Programs of these names, and nothing else, on the PATH.
class Programs {
 public:
  explicit Programs(const std::vector<std::string>& names) : path_("PATH", folder_.path().string()) {
    for (const std::string& name : names) {
      std::ofstream(folder_.path() / name) << "#!/bin/sh\n";
      std::filesystem::permissions(folder_.path() / name, std::filesystem::perms::owner_all);
    }
  }

 private:
  test::Scratch folder_;
  test::Variable path_;
};

}  // namespace

TEST_CASE("compilers: Graphite by its flags, on the plain loops") {
  using Change = std::pair<Flags, Flags>;
  const auto graphite = make_graphite();
  const Job job = graphite->make(course(), {"", "", ""});
  CHECK(job.compiler == "gcc");
  CHECK(job.code == "loops");
  CHECK(std::count(job.flags.begin(), job.flags.end(), "-floop-nest-optimize") == 1);
  CHECK(std::count(job.flags.begin(), job.flags.end(), "-fopenmp") == 1);
  CHECK(graphite->make(course(), {"omp simd", "", ""}).code == "#define SIMD _Pragma(\"omp simd\")\nloops");
  CHECK(change(*graphite, {"", "", ""}, {"omp simd", "", ""}) == Change{});
  CHECK(change(*graphite, {"", "", ""}, {"", "16", ""}) == Change{{"--param=loop-block-tile-size=16"}, {}});
  CHECK(change(*graphite, {"", "", ""}, {"", "", "parallel by gcc"}) ==
        Change{{"-floop-parallelize-all", "-ftree-parallelize-loops=3"}, {"-fopenmp"}});
}

TEST_CASE("compilers: Polly by its options, in tiles of one size or with another one inside") {
  using Change = std::pair<Flags, Flags>;
  const auto polly = make_polly();
  const PeerSettings as_it_is{"", "", ""};
  const auto changed = [&](const PeerSettings& s) { return change(*polly, as_it_is, s); };
  const Flags flags = polly->make(course(), as_it_is).flags;
  CHECK(std::count(flags.begin(), flags.end(), "-polly") == 1);
  CHECK(changed({"parallel by polly", "", ""}) ==
        Change{{"-polly-parallel", "-polly-num-threads=3", "-lgomp"}, {"-fopenmp"}});
  CHECK(changed({"", "no", ""}) == Change{{"-polly-tiling=0"}, {}});
  CHECK(changed({"", "no", "64"}) == Change{{"-polly-tiling=0"}, {}});
  CHECK(changed({"", "8", ""}) == Change{{"-polly-default-tile-size=8"}, {}});
  CHECK(changed({"", "8", "64"}) == Change{{"-polly-tile-sizes=8,8,64"}, {}});
  CHECK(changed({"", "", "64"}) == Change{{"-polly-tile-sizes=32,32,64"}, {}});
  // Each option is one of LLVM's.
  const Flags some = polly->make(course(), {"parallel by polly", "8", "64"}).flags;
  for (std::size_t i = 0; i < some.size(); ++i)
    if (some[i].starts_with("-polly")) CHECK((i > 0 && some[i - 1] == "-mllvm"));
}

TEST_CASE("compilers: the first of the clangs with Polly that is there, and who is missing") {
  const auto found = [](const std::vector<std::string>& names) {
    const Programs programs(names);
    const auto polly = make_polly();
    CHECK(polly->missing().empty());
    return polly->make(course(), {"", "", ""}).compiler;
  };
  CHECK(found({"clang-11", "clang-13", "clang-14", "clang-16"}) == "clang-14");
  CHECK(found({"clang-11", "clang-13", "clang-16"}) == "clang-16");
  CHECK(found({"clang-11", "clang-13"}) == "clang-13");
  CHECK(found({"clang-11", "gcc"}) == "clang-11");
  const Programs none({"clang", "clang-15"});
  CHECK(make_polly()->missing() == "no clang that knows -polly is on the PATH; install the package clang-14");
  CHECK(make_graphite()->missing() == "gcc is not on the PATH; install the package gcc");
  const Programs gcc({"gcc"});
  CHECK(make_graphite()->missing().empty());
}

}  // namespace lift::compare_compilers_test
