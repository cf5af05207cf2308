// Kernels that take their sizes at run time, as users of the command get them: what has to hold of sizes is
// said, checked and asserted; what cannot be symbolic is refused with the reason.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "command.hpp"
#include "ir/text/parse.hpp"
#include "patterns/pattern.hpp"
#include "runtime/file.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using namespace cli_test;
using lift::test::Scratch;

namespace symbolic_command_test {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ProcessResult in(const fs::path& directory, const std::string& script) {
  ProcessOptions options;
  options.timeout_seconds = 300, options.directory = directory.string();
  options.variables = {"OMP_NUM_THREADS=2"};
  return run_process({"/bin/bash", "-c", script}, options);
}

ProcessResult emitted(const fs::path& directory, const std::string& program,
                      const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"emit", program, "--symbolic", "--out", "."};
  all.insert(all.end(), more.begin(), more.end());
  return liftgen(all, directory.string());
}

/// Files that the tests of text programs keep.
std::vector<fs::path> files_of(const std::string& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(LIFTGEN_SOURCE_DIR + ("/" + folder)))
    if (entry.path().extension() == ".lift") all.push_back(entry.path());
  return all;
}

}  // namespace

TEST_CASE(
    "symbolic: what sizes must be is in the header, checked by the caller, and asserted by the kernel") {
  const std::string sizes = "size n = 40\nsize m = 30\n",
                    rows =
                        "param u : n.m.f64\nresult y = u |> drop2((0, 0), (0, m - n)) |> map2(\\v. 2 * v)\n";
  struct Case {
    std::string text, said, right, wrong;
  };
  const Case cases[] = {
      {sizes + "param x : n.f64\nresult y = x |> take(m) |> map(\\v. 2 * v)\n", " *   where      n >= m\n",
       "3 3", "3 4"},
      {sizes + "param x : n.f64\nresult y : m.f64 = x |> drop(n - m, 0) |> map(\\v. 2 * v)\n",
       " *   where      n >= m\n", "4 3", "3 4"},
      {"size n = 40\nparam x : n.f64\nresult y = x |> drop(2, 2) |> map(\\v. 2 * v)\n",
       " *   where      n >= 4\n", "4", "3"},
      {"size n = 40\nparam x : (n - 5).f64\nresult y = x |> map(\\v. 2 * v)\n", " *   where      n >= 5\n",
       "5", "4"},
      {"size n = 40\nparam x : n.f64\nresult y = x |> split(4) |> map(\\r. r[0] + r[3])\n",
       " *   where      n % 4 == 0\n", "8", "6"},
      {"size n = 41\nparam x : n.f64\nresult y = x |> slide(3, 2) |> map(\\r. r[0] + r[2])\n",
       " *   where      n % 2 == 1\n", "7", "8"},
      {"size n = 40\nparam x : n.f64\nresult y = x |> map(\\v. v + x[n - 3])\n", " *   where      n >= 3\n",
       "3", "2"},
      {"size n = 40\nparam x : n.f64\nresult y = x |> pad(3, 3, mirror) |> map(\\v. 2 * v)\n",
       " *   where      n >= 3\n", "3", "2"},
      {"size n = 40\nparam x : n.f64\nresult y = x |> pad(3, 3, reflect) |> map(\\v. 2 * v)\n",
       " *   where      n >= 4\n", "4", "3"},
      {"size n = 30\nsize m = 40\n" + rows, " *   where      m >= n\n", "3 4", "4 3"},
      {"size n = 40\nsize m = 48 where m >= n\n" + rows, " *   m          long, at least n\n", "3 4", "4 3"},
      {"size n = 4\nparam x : 5.i32\nresult y = x |> map(\\v. v + nat(n * n))\n",
       " *   where      n*n <= 2147483647\n", "46340", "46341"},
  };
  const Scratch scratch;
  for (const Case& c : cases) {
    CAPTURE(c.text);
    write_file_atomically(scratch.path() / "p.lift", "program p\n" + c.text);
    const ProcessResult r = emitted(scratch.path(), "p.lift");
    REQUIRE_MESSAGE(r.status == 0, r.output);
    const std::string header = read_file(scratch.path() / "p.h");
    CAPTURE(header);
    CHECK(has(header, c.said));
    const std::string compile = "gcc -O1 -march=native -fopenmp -Wall -Werror p.c ";
    const ProcessResult built = in(scratch.path(), compile + "p_main.c -lm -o p");
    REQUIRE_MESSAGE(built.status == 0, built.output);
    const ProcessResult right = in(scratch.path(), "./p " + c.right),
                        wrong = in(scratch.path(), "./p " + c.wrong);
    CHECK_MESSAGE(right.status == 0, right.output);
    CHECK_MESSAGE(wrong.status == 2, wrong.output);
    std::string list = c.wrong;  // before the arrays
    std::replace(list.begin(), list.end(), ' ', ',');
    const bool whole = has(c.text, "i32");
    write_file_atomically(scratch.path() / "calls.c",
                          std::string("#include \"p.h\"\nstatic ") + (whole ? "int" : "double") +
                              " x[100], y[100];\nint main(void) { p(" + list + ", x, y); return 0; }\n");
    const ProcessResult called = in(scratch.path(), compile + "calls.c -lm -o calls && ./calls");
    CHECK_MESSAGE(has(called.output, "Assertion"), called.output);
  }
}

TEST_CASE("symbolic: a program that is one at its sizes only is refused, with the reason") {
  const Scratch scratch;
  const auto refused = [&](const std::string& text, const std::vector<std::string>& parts) {
    write_file_atomically(scratch.path() / "p.lift", text);
    const ProcessResult r = emitted(scratch.path(), "p.lift");
    CAPTURE(r.output);
    CHECK(r.status == 2);
    CHECK(has(r.output, "--symbolic: p is one program at these sizes only: p.lift:"));
    for (const std::string& part : parts) CHECK(has(r.output, part));
    CHECK(!fs::exists(scratch.path() / "p.c"));
    CHECK(liftgen({"emit", "p.lift", "--out", "fixed"}, scratch.path().string()).status == 0);
  };
  refused(
      "size n = 64\nsize m = 64\nparam x : n.n.f64\nparam y : m.m.f64\n"
      "result z = zip2(x, y) |> map2(\\(a, b). a + b)\n",
      {"zip: lengths differ: n, n and m, m"});
  refused(
      "size n = 64\nparam x : n.f64\n"
      "result y = zip(x, x |> slide(2, 2) |> map(\\w. w[0]) |> map(\\v. [v, v]) |> join) |> map(\\(a, b). a "
      "+ b)\n",
      {"lengths differ"});
}

TEST_CASE("symbolic: what sizes leave when divided is used") {
  const Scratch scratch;
  for (const std::string text :
       {"size n = 64 where n >= 4, n mod 2 = 0\nparam x : n.f64\n"
        "result y : n.f64 = zip(x, x |> slide(2, 2) |> map(\\w. w[0]) |> map(\\v. [v, v]) |> join)"
        " |> map(\\(a, b). a + b)\n",
        "size n = 9 where n >= 2\nparam x : n.f64\n"
        "result y : (n / 2).f64 = x |> drop(n mod 2, 0) |> slide(2, 2) |> map(\\w. w[0] + w[1])\n"}) {
    CAPTURE(text);
    write_file_atomically(scratch.path() / "p.lift", text);
    const ProcessResult r = emitted(scratch.path(), "p.lift");
    REQUIRE_MESSAGE(r.status == 0, r.output);
    CHECK(has(read_file(scratch.path() / "p.h"), "p(long n, "));
    const ProcessResult run = in(scratch.path(),
                                 "gcc -O1 -march=native -fopenmp p.c p_main.c -lm -o p && "
                                 "./p 4 && ./p 10 && ./p");
    CHECK_MESSAGE(run.status == 0, run.output);
  }
}

TEST_CASE("symbolic: the programs of the gallery are emitted, and right at several sizes") {
  const Scratch scratch;
  for (const fs::path& file : files_of("examples/gallery")) {
    CAPTURE(file);
    const fs::path out = scratch.path() / file.stem();
    fs::create_directories(out);
    const ProcessResult r = emitted(out, file.string());
    const std::string name = file.stem().string();
    if (name == "v_cycle") {  // (n + 1) / 2 = 2 ((n + 3) / 4) - 1 where n mod 4 = 1 is not proved
      CHECK(r.status == 2);
      CHECK(has(r.output, "v_cycle is one program at these sizes only"));
      continue;
    }
    REQUIRE_MESSAGE(r.status == 0, r.output);
    CHECK(has(read_file(out / (name + ".h")), name + "(long n"));
    const ProcessResult run =
        in(out, "gcc -O1 -march=native -fopenmp -Wall -Werror " + name + ".c " + name +
                    "_main.c -lm -o p && { ./p 36 || [ $? = 2 ]; } && ./p 37 && ./p 69");
    CHECK_MESSAGE(run.status == 0, run.output);
  }
}

TEST_CASE("symbolic: operators and kept programs are emitted, or refused with the reason") {
  const Scratch scratch;
  const auto check = [&](const std::string& program, const std::vector<std::string>& more) {
    CAPTURE(program);
    const ProcessResult r = emitted(scratch.path(), program, more);
    const bool refused = r.status == 2 && (has(r.output, "--symbolic: ") ||
                                           has(r.output, "its decisions (map_glb) are for a grid"));
    CHECK_MESSAGE((r.status == 0 || refused), r.output);
  };
  for (const auto& pattern : all_patterns()) check(pattern->name, {});
  for (const fs::path& path : files_of("tests/fuzz/programs/kept")) {
    std::vector<std::string> sizes;
    const LiftFile file(read_file(path), path.string());
    for (const LiftSize& s : file.sizes()) {
      std::int64_t n = std::max<std::int64_t>(12, s.lower.constant().value_or(1));
      while (n % s.modulus != s.residue) ++n;
      sizes.insert(sizes.end(), {"--size", s.name + "=" + std::to_string(n)});
    }
    check(path.string(), sizes);
  }
}

}  // namespace symbolic_command_test
