// The compilers that transform loops while they compile: gcc's Graphite and clang's Polly.
#include <algorithm>

#include "compare/peer.hpp"
#include "ir/error.hpp"
#include "runtime/native.hpp"
#include "runtime/process.hpp"

namespace lift {
namespace {

void add(std::vector<std::string>& flags, const std::vector<std::string>& more) {
  flags.insert(flags.end(), more.begin(), more.end());
}

class Graphite : public Peer {
 public:
  std::string name() const override { return "graphite"; }
  std::string what() const override {
    return "gcc -O3 -march=native -fopenmp -fgraphite-identity -floop-nest-optimize on the plain loops";
  }
  std::string missing() const override {
    return find_program("gcc").empty() ? "gcc is not on the PATH; install the package gcc" : "";
  }
  std::vector<PeerChoice> choices(const Course&) const override {
    return {{"", {"", "omp simd"}},
            {"tile", {"", "8", "16", "32", "64", "128", "256"}},
            {"", {"", "parallel by gcc"}}};
  }
  Job make(const Course& course, const PeerSettings& s) override {
    Job job = course.plain;
    job.compiler = "gcc";
    job.flags = default_flags();
    add(job.flags, {"-fgraphite-identity", "-floop-nest-optimize"});
    if (!s[0].empty()) job.code = "#define SIMD _Pragma(\"omp simd\")\n" + job.code;
    if (!s[1].empty()) add(job.flags, {"--param=loop-block-tile-size=" + s[1]});
    if (!s[2].empty()) {
      std::erase(job.flags, "-fopenmp");
      add(job.flags,
          {"-floop-parallelize-all", "-ftree-parallelize-loops=" + std::to_string(course.threads)});
    }
    return job;
  }
};

/// The newest of the clangs that Debian builds with Polly; empty when there is none.
std::string polly_compiler() {
  for (const char* name : {"clang-14", "clang-16", "clang-13", "clang-11"})
    if (!find_program(name).empty()) return name;
  return "";
}

class Polly : public Peer {
 public:
  std::string name() const override { return "polly"; }
  std::string what() const override {
    return compiler_ + " -O3 -march=native -fopenmp -mllvm -polly on the plain loops";
  }
  std::string missing() const override {
    return compiler_.empty() ? "no clang that knows -polly is on the PATH; install the package clang-14" : "";
  }
  std::vector<PeerChoice> choices(const Course&) const override {
    return {{"", {"", "parallel by polly"}},
            {"tile", {"", "no", "4", "8", "16", "64", "128"}},
            {"inner", {"", "64", "128", "256", "512"}}};
  }
  Job make(const Course& course, const PeerSettings& s) override {
    const auto option = [](const std::string& text) {
      return std::vector<std::string>{"-mllvm", "-polly" + text};
    };
    Job job = course.plain;
    job.compiler = compiler_;
    job.flags = default_flags();
    add(job.flags, option("")), add(job.flags, {"-Wno-unknown-pragmas"});
    if (!s[0].empty()) {
      std::erase(job.flags, "-fopenmp");
      add(job.flags, option("-parallel"));
      add(job.flags, option("-num-threads=" + std::to_string(course.threads)));
      add(job.flags, {"-lgomp"});
    }
    const std::string outer = s[1].empty() ? "32" : s[1];
    if (s[1] == "no")
      add(job.flags, option("-tiling=0"));
    else if (!s[1].empty() && s[2].empty())
      add(job.flags, option("-default-tile-size=" + s[1]));
    else if (!s[2].empty())  // of three dimensions; of fewer, the last ones are not looked at
      add(job.flags, option("-tile-sizes=" + outer + "," + outer + "," + s[2]));
    return job;
  }

 private:
  const std::string compiler_ = polly_compiler();
};

}  // namespace

std::unique_ptr<Peer> make_graphite() { return std::make_unique<Graphite>(); }
std::unique_ptr<Peer> make_polly() { return std::make_unique<Polly>(); }

}  // namespace lift
