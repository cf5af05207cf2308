// The command in a hostile world: full disks, compilers that fail, signals, numbers that are none. One line,
// the right exit status, nothing left behind.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/affinity.hpp"
#include "runtime/file.hpp"
#include "runtime/opencl.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;
namespace failing_test {

namespace fs = std::filesystem;

namespace {

const std::string kLiftgen = LIFTGEN_BINARY_DIR "/liftgen";
const std::vector<std::string> kTiny = {"--box", "8", "--boxes", "2", "--out", "."};

ProcessResult in(const Scratch& scratch, std::vector<std::string> arguments,
                 std::vector<std::string> variables = {}) {
  arguments.insert(arguments.begin(), kLiftgen);
  ProcessOptions options;
  options.timeout_seconds = 100, options.directory = scratch.path().string();
  variables.push_back("LIFTGEN_CACHE=" + (scratch.path() / "cache").string());
  variables.emplace_back("LIFTGEN_VERIFY=1");
  options.variables = std::move(variables);
  return run_process(arguments, options);
}

std::vector<std::string> tiny(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), kTiny.begin(), kTiny.end());
  return arguments;
}

void check_one_line(const ProcessResult& r, int status, const std::vector<std::string>& parts) {
  CAPTURE(r.output);
  CHECK(r.status == status);
  CHECK(r.output.starts_with("liftgen: "));
  CHECK(r.output.find('\n') == r.output.size() - 1);
  CHECK(r.output.find("internal error") == std::string::npos);
  for (const std::string& part : parts) CHECK_MESSAGE(r.output.find(part) != std::string::npos, part);
}

std::string script(const Scratch& scratch, const std::string& body) {
  const fs::path path = scratch.path() / "cc";
  write_file_atomically(path, "#!/bin/sh\n" + body + "\n");
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

/// Files in the workspaces of a cache, and processes whose command line names it.
std::size_t left_behind(const Scratch& scratch) {
  std::size_t count = 0;
  std::error_code error;
  const fs::path tmp = scratch.path() / "cache" / "kernels" / "tmp";
  if (fs::exists(tmp))
    for (const auto& entry : fs::recursive_directory_iterator(tmp)) count += entry.exists() ? 1 : 0;
  for (const auto& process : fs::directory_iterator("/proc", error)) {
    const fs::path directory = fs::read_symlink(process.path() / "cwd", error);
    if (!error && directory.string().starts_with(scratch.path().string())) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("failing: compilers that answer --version and then fail, lie or make nothing are status 3") {
  const Scratch scratch;
  const std::string version = "[ \"$1\" = --version ] && { echo gcc 99; exit 0; }\n";
  for (const auto& [body, part] :
       {std::pair{"echo 'x.c:1: error: no licence'; exit 1", "status 1: x.c:1: error: no licence"},
        {"exit 0", "no shared object"},
        {"while [ \"$1\" ]; do case $1 in -o*) echo garbage >${1#-o};; esac; shift; done",
         "no shared object"},
        {"kill -SEGV $$", "status 139"},
        {"head -c 3000000 /dev/urandom; exit 1", "status 1"}}) {
    const std::string cc = "CC=" + script(scratch, version + body);
    check_one_line(in(scratch, tiny({"smooth3d", "--explore", "--quiet"}), {cc}), 3,
                   {"the C compiler ", "does not work", part, "$CC"});
    check_one_line(in(scratch, tiny({"run", "smooth3d"}), {cc}), 3, {"does not work"});
  }
  check_one_line(in(scratch, tiny({"run", "smooth3d"}), {"GCC_EXEC_PREFIX=/nowhere/"}), 3, {"does not work"});
}

TEST_CASE("failing: standard output on a full disk is status 1") {
  const Scratch scratch;
  for (const char* what : {"list", "rules", "show smooth3d"}) {
    const ProcessResult r = run_process({"/bin/sh", "-c", kLiftgen + " " + what + " >/dev/full"});
    check_one_line(r, 1, {"standard output cannot be written: "});
  }
}

TEST_CASE("failing: a limit on the size of files is an error, not a signal") {
  const Scratch scratch;
  const ProcessResult r =
      run_process({"/bin/sh", "-c",
                   "cd " + scratch.path().string() + " && ulimit -f 1 && LIFTGEN_CACHE=. exec " + kLiftgen +
                       " emit smooth3d --out o"});
  check_one_line(r, 2, {"File too large"});
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path() / "o"))
    files += entry.is_regular_file() ? 1 : 0;
  CHECK(files == 0);
}

TEST_CASE("failing: numbers that are none, and more threads than there are") {
  const Scratch scratch;
  check_one_line(in(scratch, {"smooth3d", "--explore", "--box", "0x10"}), 2, {"--box", "0x10"});
  check_one_line(in(scratch, {"smooth3d", "--explore", "--seed", "-1"}), 2, {"--seed", "-1"});
  check_one_line(in(scratch, {"smooth3d", "--explore", "--threads", "1e3"}), 2, {"--threads", "1e3"});
  check_one_line(in(scratch, {"apply3d", "--explore", "--box", "4000", "--boxes", "1"}), 2,
                 {"apply3d: its arrays", " MB of memory are available", "--box"});
  write_file_atomically(scratch.path() / "i.lift",
                        "param x : 8.f64\nresult = x |> iterate(-1, map(\\v. v + 1.0))\n");
  const ProcessResult often = in(scratch, {"show", "i.lift"});
  CHECK(often.status == 2);
  CHECK_MESSAGE(often.output.find("-1 times; use 0 or more") != std::string::npos, often.output);
  const ProcessResult many = in(scratch, tiny({"run", "smooth3d", "--threads", "9999"}));
  CHECK_MESSAGE(many.status == 0, many.output);
  CHECK(many.output.find("--threads 9999: this machine grants " + std::to_string(allowed_cpus().size())) !=
        std::string::npos);
  const ProcessResult variable = in(scratch, tiny({"run", "smooth3d"}), {"OMP_NUM_THREADS=100000"});
  CHECK_MESSAGE(variable.status == 0, variable.output);
}

TEST_CASE("failing: what is too large to be one formula is done in loops, or refused with a number") {
  const Scratch scratch;
  const auto show = [&](const std::string& text, const std::string& stage) {
    write_file_atomically(scratch.path() / "p.lift", text);
    return in(scratch, {"show", "p.lift", "--stage", stage});
  };
  const std::string rows = "param x : 4.1000000.f64\n";
  for (const std::string stage : {"low", "loops", "code"}) {
    const ProcessResult plain = show(rows + "result = x |> map(reduce(add, 0.0))\n", stage);
    CHECK_MESSAGE(plain.status == 0, plain.output);
    const ProcessResult updated = show(rows +
                                           "param y : 4.f64\noverwrite y\nresult = update(y, 0, x |> "
                                           "map(reduce(add, 0.0)))\n",
                                       stage);
    CHECK_MESSAGE(updated.status == 0, updated.output);
  }
  std::string twice = "param x : 64.f64\nresult = x |> map(\\v. let a0 = {v, v} in ";
  for (int i = 0; i < 30; ++i) {
    const std::string a = "a" + std::to_string(i);
    twice += "let a" + std::to_string(i + 1) + " = {" + a + ", " + a + "} in ";
  }
  const ProcessResult tuples = show(twice + "v)\n", "high");
  CHECK(tuples.status == 2);
  CHECK_MESSAGE(tuples.output.find("a tuple with 2048 components") != std::string::npos, tuples.output);
  CHECK(tuples.output.find("make it of 1024 at most") != std::string::npos);
  const auto element = [&](const std::string& range, const std::string& size) {
    write_file_atomically(scratch.path() / "e.lift",
                          size + "index k in " + range + " = 7\nresult = x[k] + 0.0\n");
    return in(scratch, {"emit", "e.lift", "--symbolic", "--out", "."});
  };
  const std::string known = "size m = 1\nparam y : m.f64\nparam x : 64.f64\n",
                    short_one = "size n = 60\nparam x : n.f64\n",
                    large = "size n = 80 where n >= 64\nparam x : n.f64\n";
  const ProcessResult right = element("0 .. 63", large);
  CHECK_MESSAGE(right.status == 0, right.output);
  for (const ProcessResult& r : {element("0 .. 64", known), element("0 .. 63", short_one)}) {
    CHECK(r.status == 2);
    CHECK_MESSAGE(r.output.find("position k may be outside ") != std::string::npos, r.output);
    CHECK(r.output.find("narrow the range of the index parameter") != std::string::npos);
  }
}

TEST_CASE("failing: iterations beyond what the interpreter can follow are said, and may be interrupted") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "many.lift",
                        "param x : 4096.f64\nresult = x |> iterate(20000, map(\\v. v * 0.5))\n");
  const ProcessResult r = in(scratch, {"run", "many.lift", "--out", "."});
  CAPTURE(r.output);
  CHECK(r.status == 0);
  CHECK(r.output.find("not held against the interpreter: it evaluates more than 100 million expressions") !=
        std::string::npos);
  const std::string out = (scratch.path() / "printed").string();
  const ProcessResult interrupted = run_process(
      {"/bin/sh", "-c",
       "cd " + scratch.path().string() + " && LIFTGEN_CACHE=cache " + kLiftgen +
           " explore many.lift --out . >printed 2>&1 & pid=$!; n=0; while [ $n -lt 300 ] && ! grep -q "
           "'setting up' " +
           out + "; do sleep 0.1; n=$((n+1)); done; kill -TERM $pid; wait $pid; echo status $?"},
      {.timeout_seconds = 120});
  const std::string printed = read_file(out);
  CAPTURE(printed);
  CAPTURE(interrupted.output);
  CHECK(interrupted.output.find("status 1") != std::string::npos);
  CHECK(printed.find("liftgen: no variant was verified before the interruption") != std::string::npos);
  CHECK(left_behind(scratch) == 0);
}

TEST_CASE("failing: boxes of two cells, and rows that no tile divides, are explored") {
  const Scratch scratch;
  for (const char* op : {"smooth1d", "smooth2d"})
    for (const char* box : {"2", "3"}) {
      const ProcessResult r = in(scratch, {op, "--explore", "--box", box, "--boxes", "3", "--budget", "1",
                                           "--configs", "4", "--out", ".", "--quiet"});
      CAPTURE(r.output);
      CHECK(r.status == 0);
      CHECK(r.output.find("verified") != std::string::npos);
    }
  write_file_atomically(scratch.path() / "rows.lift",
                        "size n = 300\nparam A : n.n.f64\n"
                        "result = A |> map(\\row. row |> reduce(add, 0.0))\n");
  const ProcessResult rows = in(scratch, {"run", "rows.lift", "--out", "."});
  CHECK_MESSAGE(rows.status == 0, rows.output);
  CHECK(rows.output.find("verified") != std::string::npos);
}

TEST_CASE("failing: vectors of seven lanes are refused where they are written") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "v.lift",
                        "param x : 64.f64\nresult = x |> map_vec<7>(\\v. v * 0.5)\n");
  const ProcessResult r = in(scratch, {"run", "v.lift", "--out", "."});
  CAPTURE(r.output);
  CHECK(r.status == 2);
  CHECK(r.output.find("v.lift:2:") != std::string::npos);
  CHECK(r.output.find("width 7: a vector has 2, 4, 8, 16, 32 or 64 lanes") != std::string::npos);
}

TEST_CASE("failing: stages without names that make too much text are named, not an internal error") {
  const Scratch scratch;
  write_file_atomically(
      scratch.path() / "nested.lift",
      "size n = 32\nparam u : (n + 2).(n + 2).f64 = wave\n"
      "def cell(w) = w[1, 1] + 0.1 * (w[0, 1] + w[2, 1] + w[1, 0] + w[1, 2] - 4.0 * w[1, 1])\n"
      "def step(u) = update2(u, 1, u |> slide2(3, 1) |> map2(cell))\n"
      "result after : (n + 2).(n + 2).f64 = step(step(step(step(step(u)))))\n");
  // At once: no compiler is given such a text, which would go on until its time is up.
  const std::string given = (scratch.path() / "given").string();
  const std::string cc =
      script(scratch, "for a; do if [ -f \"$a\" ] && [ $(wc -c < \"$a\") -gt 1000000 ]; then echo >> '" +
                          given + "'; fi; done\nexec gcc \"$@\"");
  const ProcessResult r = in(scratch, {"run", "nested.lift"}, {"CC=" + cc});
  CAPTURE(r.output);
  CHECK_FALSE(fs::exists(given));
  CHECK(r.status == 2);
  CHECK(r.output.find("KB of C, too much for the compiler") != std::string::npos);
  CHECK(r.output.find("name it, let a = ") != std::string::npos);
}

TEST_CASE("failing: decisions where they cannot be are refused where they are written") {
  const Scratch scratch;
  const std::string in_map = "x |> split(8) |> map(\\r. r |> ";
  const struct {
    std::string backend, result, what;
  } cases[] = {
      {"openmp", "x |> split(8) |> map_vec<4>(map_par(\\v. v + 1.0)) |> join", "not innermost: "},
      {"openmp", "x |> split(8) |> map_vec<4>(map(\\v. v + 1.0)) |> join", "not innermost: "},
      {"openmp", in_map + "to_local |> map(\\v. v + 1.0)) |> join", "no work-group around "},
      {"opencl", "x |> split(8) |> map_wrg<0>(map_wrg<0>(\\v. v + 1.0)) |> join",
       "inside map_wrg of the same"},
      {"opencl", "x |> split(8) |> map_glb<0>(map_glb<0>(\\v. v + 1.0)) |> join",
       "inside map_glb of the same"},
      {"opencl", "x |> map_lcl<0>(\\v. v + 1.0)", "no map_wrg or band<overlapped>"},
      {"opencl", "x |> split(8) |> map_par(map_glb<0>(\\v. v + 1.0)) |> join", "beside map_glb there is"},
      {"openmp", "update_in_place(x, 0, x |> map(\\v. v + 1.0))", "the caller needs x afterwards"},
  };
  for (const auto& c : cases) {
    write_file_atomically(scratch.path() / "d.lift", "param x : 64.f64\nresult = " + c.result + "\n");
    for (const char* command : {"run", "emit"}) {
      const ProcessResult r = in(scratch, {command, "d.lift", "--backend", c.backend, "--out", "."});
      CAPTURE(r.output);
      CHECK(r.status == 2);
      CHECK(r.output.starts_with("liftgen: d.lift:2:"));
      for (const std::string part : {c.what.c_str(), "cannot be here: ", "move it, or write map or update"}) {
        CAPTURE(part);
        CHECK(r.output.find(part) != std::string::npos);
      }
    }
  }
}

TEST_CASE("failing: C texts and reductions mean the same on OpenCL") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "texts.lift",
                        "param x : 64.f32\n"
                        "user g(a : f32) : f32 = \"return expf(-fabsf(a)) + sqrtf(fabsf(a));\"\n"
                        "result = x |> map(g)\n");
  write_file_atomically(scratch.path() / "largest.lift",
                        "param x : 500.f64\nresult = x |> reduce(max, -inf)\n");
  for (const char* file : {"texts.lift", "largest.lift"}) {
    const ProcessResult r = in(scratch, {"run", file, "--backend", "opencl", "--out", "."});
    CAPTURE(r.output);
    CHECK(r.status == 0);
    CHECK(r.output.find("verified") != std::string::npos);
  }
  CHECK(read_file(scratch.path() / "texts.cl").find("#define expf exp\n") != std::string::npos);
}

TEST_CASE("failing: files that are no text, names as long as a file, links to nowhere") {
  const Scratch scratch;
  fs::create_symlink("/dev/zero", scratch.path() / "zero.lift");
  check_one_line(in(scratch, {"show", "zero.lift"}), 2, {"zero.lift: it is a device, no file"});
  write_file_atomically(scratch.path() / "long.lift",
                        "param x : 8.f64\nresult = " + std::string(1000000, 'y') + "\n");
  const ProcessResult unknown = in(scratch, {"show", "long.lift"});
  CHECK(unknown.status == 2);
  CHECK(unknown.output.size() < 1000);
  CHECK(unknown.output.find("unknown name 'yyy") != std::string::npos);
  fs::create_symlink("there.txt", scratch.path() / "link");
  write_file_atomically(scratch.path() / "link", "kept");
  CHECK(fs::is_symlink(scratch.path() / "link"));
  CHECK(read_file(scratch.path() / "there.txt") == "kept");
  fs::create_symlink("nowhere/there.txt", scratch.path() / "lost");
  CHECK_THROWS_AS(write_file_atomically(scratch.path() / "lost", ""), UserError);
  CHECK(fs::is_symlink(scratch.path() / "lost"));
}

TEST_CASE("failing: C texts of users may end in a comment, and call what math.h declares") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "u.lift",
                        "param x : 64.f64\nuser g(a : f64) : f64 = \"return exp(a); // done\"\n"
                        "result = x |> map(g)\n");
  const ProcessResult emitted = in(scratch, {"emit", "u.lift", "--out", "."});
  CHECK_MESSAGE(emitted.status == 0, emitted.output);
  for (const char* language : {"c", "c++"}) {
    const ProcessResult r = run_process({"gcc", "-x", language, "-Wall", "-Wno-unknown-pragmas", "-Werror",
                                         "-c", (scratch.path() / "u.c").string(), "-o", "/dev/null"});
    CHECK_MESSAGE(r.status == 0, r.output);
  }
}

TEST_CASE("failing: kernels for any size are for sizes that pads can mirror") {
  const Scratch scratch;
  for (const std::string boundary : {"mirror", "odd", "reflect"})
    for (const bool known : {false, true}) {
      const std::string least = boundary == "reflect" ? "5" : "4";
      write_file_atomically(scratch.path() / "m.lift",
                            std::string("size n = 64") + (known ? " where n >= " + least : "") +
                                "\nparam x : n.f64\nresult = x |> pad(4, 4, " + boundary +
                                ") |> slide(9, 1) |> map(\\w. w[0] + w[8])\n");
      const ProcessResult r = in(scratch, {"emit", "m.lift", "--symbolic", "--out", "."});
      CAPTURE(r.output);
      CHECK(r.status == 0);
      const std::string header = read_file(scratch.path() / "m.h");
      CHECK(header.find(known ? "at least " + least : " *   where      n >= " + least + "\n") !=
            std::string::npos);
    }
}

TEST_CASE("failing: integer division by zero and of the least number, in the interpreter and in kernels") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "d.lift", R"(size n = 100
param x, y : n.i32 = random(3, -2, 2)
result = zip(x, y) |> map(\(a, b). (a / b) + (a % b) * 7
  + select((-2147483647 - 1) / (b - b - 1) < 0, 100, 0) + ((-2147483647 - 1) % (b - b - 1)))
)");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--backend", "cuda", "--emulate"}}) {
    std::vector<std::string> arguments = {"run", "d.lift", "--out", "."};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult r = in(scratch, arguments);
    CHECK_MESSAGE(r.status == 0, r.output);
    CHECK_MESSAGE(r.output.find("verified") != std::string::npos, r.output);
  }
}

TEST_CASE("failing: signals end an exploration with its best, without files or processes left") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    const Scratch scratch;
    const std::string out = (scratch.path() / "printed").string();
    const ProcessResult r =
        run_process({"/bin/sh", "-c",
                     "cd " + scratch.path().string() + " && LIFTGEN_CACHE=cache " + kLiftgen +
                         " smooth3d --explore --box 16 --boxes 2 --budget 60 --out . >printed 2>&1 & "
                         "pid=$!; n=0; while [ $n -lt 600 ] && ! grep -q '^best of' " +
                         out + " 2>/dev/null; do sleep 0.1; n=$((n+1)); done; kill -" +
                         std::to_string(signal) + " $pid; wait $pid; echo status $?"},
                    {.timeout_seconds = 100});
    const std::string printed = read_file(out);
    CAPTURE(signal);
    CAPTURE(printed);
    CHECK(r.output.find("status 0") != std::string::npos);
    CHECK(printed.find("interrupted: what was found so far") != std::string::npos);
    CHECK(printed.find("verified, error") != std::string::npos);
    CHECK(fs::exists(scratch.path() / "smooth3d.c"));
    CHECK(left_behind(scratch) == 0);
  }
}

TEST_CASE("failing: user functions that crash, exit or never end cost a line, not the tool") {
  const Scratch scratch;
  const auto file = [&](const std::string& name, const std::string& body) {
    write_file_atomically(
        scratch.path() / (name + ".lift"),
        "param x : 4096.f64\nuser g(a : f64) : f64 = \"" + body + "\"\nresult = x |> map(g)\n");
    return name + ".lift";
  };
  const auto check = [&](const std::string& name, const std::string& body, const std::string& part) {
    const ProcessResult r = in(scratch, {"run", file(name, body), "--out", "."});
    CAPTURE(r.output);
    CHECK(r.status == 2);
    CHECK(r.output.find(part) != std::string::npos);
    CHECK(r.output.find("g") != std::string::npos);
    CHECK(left_behind(scratch) == 0);
  };
  check("crash", "volatile int *p = 0; *p = 1; return a;", "the kernel crashed: Segmentation fault");
  check("leave", "extern void exit(int); exit(0); return a;", "the kernel ended the process, with status 0");
  write_file_atomically(
      scratch.path() / "spin.lift",
      "param x : 4096.f64\nuser g(a : f64) : f64 = \"for (volatile int i = 0; i < 1; i = 0) {} "
      "return a;\"\nresult = x |> map(g)\n");
  const ProcessResult spin = in(scratch, {"explore", "spin.lift", "--budget", "1", "--out", ".", "--quiet"});
  CHECK_MESSAGE(spin.output.find("did not end within 5 s") != std::string::npos, spin.output);
  CHECK(spin.status == 2);
  CHECK(left_behind(scratch) == 0);
}

TEST_CASE("failing: kernels on an OpenCL device that crash or never end cost a line, not the tool") {
  if (const std::string why = opencl::why_unavailable(); !why.empty()) {
    MESSAGE("skipped: " << why);
    return;
  }
  const Scratch scratch;
  // Where it is OpenCL's compiler that reads it: the reference and the interpreter call the same function.
  const auto only_there = [&](const std::string& name, const std::string& statement) {
    write_file_atomically(
        scratch.path() / (name + ".lift"),
        "param x : 4096.f64\nuser g(a : f64) : f64 = \"if (__FILE__[sizeof(__FILE__) - 2] == "
        "'l') " +
            statement + " return a;\"\nresult = x |> map(g)\n");
    return name + ".lift";
  };
  const std::string crash = only_there("crash", "{ volatile int *p = 0; *p = 1; }");
  const ProcessResult run = in(scratch, {"run", crash, "--backend", "opencl", "--out", ".", "--quiet"});
  CAPTURE(run.output);
  CHECK(run.status == 2);
  CHECK(run.output.find(
            "liftgen: crash: the kernel crashed: Segmentation fault; it calls the C functions g\n") !=
        std::string::npos);
  CHECK(left_behind(scratch) == 0);
  const ProcessResult explored = in(scratch, {"explore", crash, "--backend", "opencl", "--out", ".",
                                              "--quiet", "--configs", "2", "--budget", "60"});
  CAPTURE(explored.output);
  CHECK(explored.status == 1);
  CHECK(explored.output.find("crashed: ") != std::string::npos);
  CHECK(explored.output.find("2 configurations, 2 compiled") != std::string::npos);
  CHECK(left_behind(scratch) == 0);
  const std::string spin = only_there("spin", "for (volatile int i = 0; i < 1; i = 0) {}");
  const ProcessResult endless =
      in(scratch, {"run", spin, "--backend", "opencl", "--threads", "1", "--out", ".", "--quiet"});
  CAPTURE(endless.output);
  CHECK(endless.status == 2);
  CHECK(endless.output.find("liftgen: spin: the kernel did not end within ") != std::string::npos);
  CHECK(left_behind(scratch) == 0);
}

TEST_CASE("failing: right sums are accepted whatever they cancel, and NaN everywhere is said") {
  const Scratch scratch;
  const auto run = [&](const std::string& text) {
    write_file_atomically(scratch.path() / "p.lift", text);
    return in(scratch, {"explore", "p.lift", "--budget", "60", "--configs", "4", "--out", "."});
  };
  const ProcessResult dot =
      run("param x, y : 4194304.f32\nresult = zip(x, y) |> map(\\(a, b). a * b) |> reduce(add, 0.0f)\n");
  CHECK_MESSAGE(dot.status == 0, dot.output);
  CHECK_MESSAGE(dot.output.find("0 wrong") != std::string::npos, dot.output);
  const ProcessResult cancelling =
      run("param x : 1000000.f64 = random(5, -1, 1)\nresult = x |> reduce(add, 0.0)\n");
  CHECK_MESSAGE(cancelling.status == 0, cancelling.output);
  CHECK_MESSAGE(cancelling.output.find("0 wrong") != std::string::npos, cancelling.output);
  const ProcessResult nan = run("param x : 1000.f64\nresult = x |> map(\\v. sqrt(0.0 - v))\n");
  CHECK_MESSAGE(nan.output.find("every element of out is NaN or infinite") != std::string::npos, nan.output);
}

}  // namespace failing_test
