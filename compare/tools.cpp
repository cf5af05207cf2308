// Compilers from source to source that users have on their PATH: Pluto (polycc) and PPCG. Each is given the
// loops between #pragma scop and #pragma endscop, and its C is compiled as any other.
#include <regex>

#include "compare/peer.hpp"
#include "ir/error.hpp"
#include "runtime/file.hpp"
#include "runtime/native.hpp"
#include "runtime/process.hpp"
#include "runtime/toolchain.hpp"

namespace lift {
namespace {

constexpr double kMostSeconds = 60;  ///< for one run of a tool: longer, and nobody would wait for it

class SourceTool : public Peer {
 public:
  explicit SourceTool(std::string program) : program_(std::move(program)) {}

  Job make(const Course& course, const PeerSettings& settings) override {
    if (!course.why_no_loops.empty()) throw UserError(course.why_no_loops);
    const std::filesystem::path folder = vault_.workspace() / program_;
    make_directories(folder);
    const std::string in = course.loops.name + ".c", out = course.loops.name + ".out.c";
    write_private_file(folder / in, course.scop);
    std::filesystem::remove(folder / out);
    std::vector<std::string> call = arguments(course, settings, folder);
    call.insert(call.begin(), program_);
    call.insert(call.end(), {in, "-o", out});
    ProcessOptions options;
    options.directory = folder.string(), options.timeout_seconds = kMostSeconds;
    const ProcessResult r = run_process(call, options);
    if (r.timed_out)
      throw UserError(program_ + " did not finish within " + std::to_string(static_cast<int>(kMostSeconds)) +
                      " s");
    if (r.status != 0 || !std::filesystem::exists(folder / out))
      throw EnvironmentError(program_ + " ended with status " + std::to_string(r.status) + ": " +
                             first_lines(r.output));
    Job job;
    job.kernel = course.loops;
    job.code = understood(read_file(folder / out));
    job.function = course.loops.name;
    job.flags = default_flags();
    job.flags.emplace_back("-Wno-unknown-pragmas");
    return job;
  }

 protected:
  virtual std::vector<std::string> arguments(const Course& course, const PeerSettings& settings,
                                             const std::filesystem::path& folder) = 0;
  std::string missing_as(const std::string& home) const {
    if (!find_program(program_).empty()) return "";
    return program_ + " is not on the PATH; it comes from " + home;
  }

 private:
  /// Pragmas of other compilers, as gcc and clang have them.
  static std::string understood(const std::string& text) {
    const std::string s = std::regex_replace(text, std::regex("#pragma ivdep"), "#pragma GCC ivdep");
    return std::regex_replace(s, std::regex("[ \t]*#pragma vector always[ \t]*\n"), "");
  }

  const std::string program_;
  Vault vault_;
};

class Pluto : public SourceTool {
 public:
  Pluto() : SourceTool("polycc") {}
  std::string name() const override { return "pluto"; }
  std::string what() const override {
    return "polycc --pet --tile --parallel, then the system's compiler, -O3 -march=native -fopenmp";
  }
  std::string missing() const override { return missing_as("github.com/bondhugula/pluto"); }
  /// Its own tiles of 32 cut the unit stride, so the innermost gets a row's worth to begin with.
  std::vector<PeerChoice> choices(const Course&) const override {
    return {{"tile", {"16", "32", "8", "64", "4", "128"}},
            {"inner", {"512", "256", "128", "64", "32"}},
            {"", {"", "--maxfuse", "--nofuse"}}};
  }

 protected:
  std::vector<std::string> arguments(const Course& course, const PeerSettings& s,
                                     const std::filesystem::path& folder) override {
    std::string sizes;
    for (std::size_t d = 1; d < dimensions(course); ++d) sizes += s[0] + "\n";
    write_private_file(folder / "tile.sizes", sizes + s[1] + "\n");
    std::vector<std::string> all{"--pet", "--tile", "--parallel"};
    if (!s[2].empty()) all.push_back(s[2]);
    return all;
  }

 private:
  /// Of the deepest array that is written: loops of a tile.
  static std::size_t dimensions(const Course& course) {
    std::size_t most = 1;
    for (const KernelArgument& a : course.loops.arguments)
      if (a.written && a.type.is_array()) {
        std::size_t extended = 0;  // a dimension of one element has no loop
        for (const Nat& extent : shape_of(a.type)) extended += extent == Nat(1) ? 0 : 1;
        most = std::max(most, extended);
      }
    return most;
  }
};

class Ppcg : public SourceTool {
 public:
  Ppcg() : SourceTool("ppcg") {}
  std::string name() const override { return "ppcg"; }
  std::string what() const override {
    return "ppcg --target=c --openmp, then the system's compiler, -O3 -march=native -fopenmp";
  }
  std::string missing() const override { return missing_as("github.com/Meinersbur/ppcg"); }
  /// Its own schedule splits nests of several statements.
  std::vector<PeerChoice> choices(const Course&) const override {
    return {{"tile", {"", "32", "16", "64", "8", "128", "256"}}, {"", {"--no-reschedule", "--reschedule"}}};
  }

 protected:
  std::vector<std::string> arguments(const Course&, const PeerSettings& s,
                                     const std::filesystem::path&) override {
    std::vector<std::string> all{"--target=c", "--openmp"};
    if (!s[0].empty()) all.insert(all.end(), {"--tile", "--tile-size=" + s[0]});
    all.push_back(s[1]);
    return all;
  }
};

}  // namespace

std::unique_ptr<Peer> make_pluto() { return std::make_unique<Pluto>(); }
std::unique_ptr<Peer> make_ppcg() { return std::make_unique<Ppcg>(); }

}  // namespace lift
