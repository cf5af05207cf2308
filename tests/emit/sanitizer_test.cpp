// Emitted C under AddressSanitizer and UndefinedBehaviorSanitizer, on arrays that end where they must.
#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <set>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "small_problem.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace sanitizer_test {
namespace {

/// A main() that calls each kernel on arrays of exactly their size.
std::string driver(const std::vector<Kernel>& kernels) {
  std::string s = "#include <stdlib.h>\nint main(void) {\n";
  for (const Kernel& k : kernels) {
    std::string call, release;
    s += "  {\n";
    for (const KernelArgument& a : k.arguments) {
      call += call.empty() ? "" : ", ";
      if (!a.type.is_array()) {
        call += "1";
        continue;
      }
      const std::string type = element_of(a.type).scalar() == f32 ? "float" : "double",
                        n = std::to_string(*a.layout.size().constant());
      // posix_memalign allows any size, so that the sanitizer sees the exact end.
      s += "    " + type + " *" + a.name + "; if (posix_memalign((void **)&" + a.name + ", 64, " + n +
           " * sizeof(" + type + "))) return 9;\n    for (long x = 0; x < " + n + "; ++x) " + a.name +
           "[x] = 1;\n";
      call += a.name, release += " free(" + a.name + ");";
    }
    s += "    " + k.name + "(" + call + ");" + release + "\n  }\n";
  }
  return s + "  return 0;\n}\n";
}

struct Scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("liftgen-sanitizer-" + std::to_string(::getpid()));
  Scratch() { std::filesystem::create_directories(path); }
  ~Scratch() { std::filesystem::remove_all(path); }
};

/// Exit status and output of the kernels under the sanitizers.
ProcessResult sanitized(const Scratch& scratch, const std::string& code) {
  write_file_atomically(scratch.path / "k.c", code);
  const std::string exe = (scratch.path / "k").string();
  const ProcessResult built =
      run_process({"gcc", "-std=gnu11", "-O1", "-g", "-march=native", "-fsanitize=address,undefined",
                   "-fno-sanitize-recover=all", (scratch.path / "k.c").string(), "-lm", "-o", exe});
  REQUIRE_MESSAGE(built.status == 0, built.output);
  return run_process({exe});
}

/// One kernel of each structure.
std::vector<Kernel> kernels() {
  std::vector<Kernel> all;
  for (const Problem& p : {small(7, 2, "gsrb"), small(9, 1, "jacobi", "ghost", f32, 2),
                           small(6, 1, "gsrb", "periodic"), small(7, 1, "gsrb", "dirichlet")}) {
    const Space space(smooth3d().build(p), {Target::openmp, 2, 32});
    std::set<std::string> structures;
    for (const Configuration& c : configurations(space, 10, 5)) {
      if (!structures.insert(space.structure(c)).second) continue;
      try {
        Kernel k = lower(replay(space.program(), space.derive(c)));
        k.name = "kernel" + std::to_string(all.size());
        all.push_back(std::move(k));
      } catch (const UserError&) {
      }
    }
  }
  return all;
}

/// Helper functions are the same in each text: each kernel gets its own.
std::string apart(const std::string& text, const std::string& suffix) {
  std::string s = text;
  for (const char* name : {"f64x4", "f64x8", "f32x8", "f32x16", "mask4", "mask8", "mask16", "index_div",
                           "index_mod", "index_min", "index_max", "store_fence"}) {
    std::size_t at = 0;
    while ((at = s.find(name, at)) != std::string::npos)
      s.insert(at + std::string(name).size(), suffix), at += std::string(name).size() + suffix.size();
  }
  return s;
}

}  // namespace

TEST_CASE("no access outside an array, no undefined behaviour") {
  const Scratch scratch;
  const std::vector<Kernel> all = kernels();
  CHECK(all.size() > 30);
  std::string code;
  for (std::size_t i = 0; i < all.size(); ++i)
    code += apart(test::openmp_of(all[i]), "_" + std::to_string(i) + "_");
  const ProcessResult r = sanitized(scratch, code + driver(all));
  CHECK_MESSAGE(r.status == 0, r.output);
}

TEST_CASE("a kernel that reads one element too far is caught") {
  const Scratch scratch;
  const Problem p = small(7, 1, "gsrb");
  const Space space(smooth3d().build(p), {Target::openmp, 2, 32, kCallersLayout});
  Kernel k = lower(replay(space.program(), space.derive({{"inner", "seq"}})));
  std::string code = test::openmp_of(k);
  const std::string bound = "k < 7";
  REQUIRE(code.find(bound) != std::string::npos);
  code.replace(code.find(bound), bound.size(), "k < 9");
  const ProcessResult r = sanitized(scratch, code + driver({k}));
  CHECK(r.status != 0);
  CHECK(r.output.find("heap-buffer-overflow") != std::string::npos);
}

}  // namespace sanitizer_test
