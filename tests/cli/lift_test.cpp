// Programs in textual form through the command: explored, shown, emitted, run; and what is said about broken
// ones.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;

namespace lift_test {
namespace {

const std::string kExamples = std::string(LIFTGEN_SOURCE_DIR) + "/examples/";

ProcessResult liftgen(std::vector<std::string> arguments, const std::string& directory = "",
                      std::vector<std::string> variables = {}) {
  arguments.insert(arguments.begin(), std::string(LIFTGEN_BINARY_DIR) + "/liftgen");
  ProcessOptions options;
  options.timeout_seconds = 1000;
  options.directory = directory;
  options.variables = std::move(variables);
  return run_process(arguments, options);
}
void check_output(const ProcessResult& r, int status, const std::vector<std::string>& parts) {
  CAPTURE(r.output);
  CHECK(r.status == status);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(r.output.find(part) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("lift files: a stencil is explored and verified") {
  const Scratch scratch;
  const std::string json = (scratch.path() / "r.json").string();
  const ProcessResult r =
      liftgen({kExamples + "stencil_2d9.lift", "--explore", "--size", "n=130", "--configs", "4", "--budget",
               "3600", "--json", json, "--out", scratch.path().string()});
  check_output(r, 0,
               {"stencil_2d9 (", "smooth : 130.130.f64",
                "results are held against the kernel that takes no decision, itself held against the "
                "interpreter at small sizes",
                "best: ", "verified"});
  const auto parsed = nlohmann::json::parse(read_file(json));
  CHECK(parsed["best"]["verified"] == true);
  CHECK(parsed["counts"]["wrong"] == 0);
  CHECK(std::filesystem::exists(scratch.path() / "stencil_2d9.c"));
}

TEST_CASE("lift files: every example runs") {
  const Scratch scratch;
  const std::string out = scratch.path().string();
  check_output(liftgen({"run", kExamples + "blur_1d.lift", "--size", "n=1000", "--out", out}), 0,
               {"blurred : 1000.f32", "verified"});
  check_output(
      liftgen({"run", kExamples + "smooth3d.lift", "--size", "n=6", "--size", "boxes=2", "--out", out}), 0,
      {"verified"});
  check_output(liftgen({"run", kExamples + "stencil_2d9.lift", "--size", "n=33", "--out", out}), 0,
               {"verified"});
}

TEST_CASE("lift files: what is shown is a file again") {
  const Scratch scratch;
  const ProcessResult high = liftgen({"show", "smooth3d", "--box", "6", "--boxes", "2", "--stage", "high"});
  check_output(high, 0, {"program smooth3d", "overwrite phi"});
  write_file_atomically(scratch.path() / "shown.lift", high.output);
  CHECK(liftgen({"show", "shown.lift", "--stage", "high"}, scratch.path().string()).output == high.output);
  check_output(liftgen({"show", "shown.lift", "--stage", "low"}, scratch.path().string()), 0,
               {"// derivation:", "update_in_place"});
  write_file_atomically(scratch.path() / "low.lift",
                        liftgen({"show", "smooth3d", "--box", "6", "--boxes", "2", "--stage", "low"}).output);
  check_output(liftgen({"show", "low.lift", "--stage", "high"}, scratch.path().string()), 0,
               {"map_par", "update_in_place3(phi, 1,"});
  check_output(liftgen({"emit", "shown.lift", "--out", "."}, scratch.path().string()), 0, {"kernel: "});
  CHECK(std::filesystem::exists(scratch.path() / "smooth3d.c"));
  // the head of the code says how to emit it again
  const std::string file = kExamples + "stencil_2d9.lift";
  ProcessResult shown = liftgen({"show", file, "--size", "n=40"});
  for (std::size_t at; (at = shown.output.find("\n *     ")) != std::string::npos;)
    shown.output.replace(at, 8, " ");  // long lines of the head
  check_output(shown, 0, {"liftgen emit " + file + " --size n=40 --derivation FILE"});
}

TEST_CASE("lift files: C functions and raw data") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "f.lift", R"(size n = 6 where n >= 3
param x : n.f64 = raw "x.bin"
user mean(a : f64, b : f64, c : f64) : f64 = "return (a + b + c) / 3;"
result = x |> pad(1, 1, wrap) |> slide(3, 1) |> map(\w. mean(w[0], w[1], w[2]))
)");
  const std::string path = scratch.path().string();
  check_output(liftgen({"run", "f.lift", "--out", "."}, path), 2,
               {"f.lift:2: the data of x, ", "x.bin, cannot be read: ", "relative to the .lift file"});
  write_file_atomically(scratch.path() / "x.bin", std::string(6 * 8, '\0'));
  check_output(liftgen({"run", "f.lift", "--out", "."}, path), 0, {"out : 6.f64", "verified"});
  check_output(liftgen({"run", "f.lift", "--size", "n=7", "--out", "."}, path), 2,
               {"f.lift:2: ", "x.bin has 48 bytes, but x : 7.f64 has 56; change the size or the file"});
  write_file_atomically(scratch.path() / "f.lift",
                        "param x : 8.f64\nuser g(a : f64) : f64 = \"return a +;\"\nresult = x |> map(g)\n");
  check_output(liftgen({"run", "f.lift", "--out", "."}, path), 2,
               {"C text of user function 'g' does not compile"});
}

TEST_CASE("lift files: what is only looked at is neither compiled nor run, and no text leaves its place") {
  const Scratch scratch;
  const std::string path = scratch.path().string();
  const auto file = [&](const std::string& name, const std::string& text) {
    write_file_atomically(scratch.path() / name, text);
  };
  const std::string after = "\nresult = x |> map(g)\n";
  // A compiler that leaves a trace.
  const std::string trace = (scratch.path() / "compiled").string(), cc = (scratch.path() / "cc").string();
  file("cc", "#!/bin/sh\n[ \"$1\" = --version ] || touch " + trace + "\nexec gcc \"$@\"\n");
  std::filesystem::permissions(cc, std::filesystem::perms::owner_all);
  const std::vector<std::string> variables = {"CC=" + cc, "LIFTGEN_CACHE=" + path};
  file("good.lift", "param x : 8.f64\nuser g(a : f64) : f64 = \"return a * a; // }\"" + after);
  for (const char* stage : {"high", "low", "loops", "code"})
    CHECK(liftgen({"show", "good.lift", "--stage", stage}, path, variables).status == 0);
  CHECK(liftgen({"emit", "good.lift", "--out", "."}, path, variables).status == 0);
  CHECK_FALSE(std::filesystem::exists(trace));
  check_output(liftgen({"run", "good.lift", "--out", "."}, path, variables), 0,
               {"compiling and running the C functions of good.lift: g", "verified"});
  CHECK(std::filesystem::exists(trace));

  const std::pair<const char*, const char*> bodies[] = {
      {"return a; } __attribute__((constructor)) void evil(void) { system(0);", "__attribute__"},
      {"return a; } void evil(void) { ", "closes what it did not open"},
      {R"(return a; // \\)", "a line ends with a backslash"},
      {"return a; /* ", "a comment is not closed"},
      {"return a; (", "is not closed"},
      {"#include </etc/passwd>", "preprocessor"},
      {"%:include </etc/passwd>", "%:"},
      {R"(return a; \")", "a string is not closed"},
  };
  for (const auto& [body, part] : bodies) {
    file("bad.lift", "param x : 8.f64\nuser g(a : f64) : f64 = \"" + std::string(body) + "\"" + after);
    CAPTURE(body);
    check_output(liftgen({"show", "bad.lift"}, path), 2,
                 {"bad.lift:2:", "the C text of 'g' is not the body of one function", part});
  }
  for (const char* declaration :
       {"size `n]; system(0); int q[3` = 8", "param `x y` : 8.f64", "index `i*/` in 0 .. 1 = 0"}) {
    file("bad.lift", std::string(declaration) + "\nparam x : 8.f64\nresult = x |> map(\\v. v + 1.0)\n");
    check_output(liftgen({"emit", "bad.lift", "--symbolic", "--out", "."}, path), 2,
                 {"cannot be a name in C"});
  }
}

TEST_CASE("command: names with escape characters do not reach the terminal") {
  const Scratch scratch;
  const std::string name = "evil\x1b]0;title\x07\x1b[31m\xc2\x9b.lift";
  for (const auto& arguments :
       {std::vector<std::string>{"show", name}, {"run", "smooth3d", "--json", "no/" + name}}) {
    const ProcessResult missing = liftgen(arguments, scratch.path().string());
    CHECK(missing.status == 2);
    CHECK(missing.output.find('\x1b') == std::string::npos);
    CHECK(missing.output.find("\xc2\x9b") == std::string::npos);
    CHECK(missing.output.find("evil\\x1b]0;title\\x07") != std::string::npos);
  }
  write_file_atomically(scratch.path() / name, "param x : 8.f64\nresult = x |> map(\\v. v + 1.0)\n");
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"show", name, "--stage", "code"},
                                                    {"emit", name, "--out", "o\x1bo"},
                                                    {"run", name, "--out", "o"}}) {
    const ProcessResult shown = liftgen(arguments, scratch.path().string());
    CHECK_MESSAGE(shown.status == 0, shown.output);
    CHECK(shown.output.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("lift files: broken in five ways, each message names the line, the cause and a remedy") {
  const Scratch scratch;
  const std::string good = read_file(kExamples + "stencil_2d9.lift");
  const auto broken = [&](const std::string& from, const std::string& to,
                          const std::vector<std::string>& parts) {
    std::string text = good;
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    write_file_atomically(scratch.path() / "s.lift", text);
    check_output(liftgen({"s.lift", "--explore", "--size", "n=64"}, scratch.path().string()), 2, parts);
  };
  broken("slide2(3, 1)", "slide3(3, 1)",
         {"liftgen: s.lift:15:33: slide: needs an array of rank 3, got 66.66.f64; apply it inside map, or "
          "use the form of lower rank",
          "\n                                  ^\n"});
  broken("row(w[2])", "row(w[3])",
         {"s.lift:12:", "at: position 3 is outside 3.3.f64; positions count from 0"});
  broken("pad2(1, 1, clamp) |> ", "",
         {"s.lift:14:17: the result has type 62.62.f64, declared is 64.64.f64",
          "put a boundary condition such as pad2(1, 1, clamp) before it"});
  broken("2 * w[1]", "2.0f * w[1]",
         {"s.lift:11:26: mul: an operand has type f64, expected f32; cast one operand to the other's type"});
  broken("map2(pixel)", "map2(pixle)", {"s.lift:15:54: unknown name 'pixle'; did you mean 'pixel'?"});
}

TEST_CASE("lift files: elementary functions, whose arguments are rounded otherwise in every kernel") {
  const Scratch scratch;
  const auto file = [&](const std::string& type) {
    const std::string path = (scratch.path() / (type + ".lift")).string();
    write_file_atomically(
        path, "param x, y : 3001." + type +
                  "\nresult = zip(x, y) |> map(\\(a, b). {exp(sin((a * b + 1) * 50) * 40), "
                  "cos((a * b + 1) * 3000), pow(a * b + 2, a * 20 + b), floor((a * b + a) * 1e3)})\n");
    return path;
  };
  for (const char* type : {"f32", "f64"})
    for (const char* backend : {"openmp", "opencl"})
      check_output(liftgen({"run", file(type), "--backend", backend, "--out", scratch.path().string()}), 0,
                   {"verified"});
}

TEST_CASE("lift files: where nothing is overwritten though it may be, that is said") {
  const Scratch scratch;
  const auto said = [&](const std::string& command, const std::string& result) {
    const std::string path = (scratch.path() / "o.lift").string();
    write_file_atomically(path, "param u : 64.f64\noverwrite u\nresult = " + result + "\n");
    std::vector<std::string> arguments = {command, path, "--out", scratch.path().string()};
    if (command == "explore") arguments.insert(arguments.end(), {"--configs", "1", "--no-db"});
    const ProcessResult r = liftgen(arguments);
    CHECK(r.status == 0);
    return r.output.find("'u' may be overwritten, but this kernel stores no result in it, only in 'out'") !=
           std::string::npos;
  };
  for (const char* command : {"emit", "run", "explore"}) {
    CAPTURE(command);
    CHECK(said(command, "u |> map(\\x. f32(x))"));
    CHECK_FALSE(said(command, "update(u, 0, u |> map(\\x. x * 0.5))"));
  }
}

TEST_CASE("lift files: of several results those are named that could be in what may be overwritten") {
  const Scratch scratch;
  const std::string path = (scratch.path() / "o.lift").string();
  write_file_atomically(path,
                        "param u : 64.f64\nparam v : 32.f64\noverwrite v\n"
                        "result a, b = {u |> map(\\x. x + 1), v |> map(\\x. x + 1)}\n");
  const ProcessResult r = liftgen({"emit", path, "--out", scratch.path().string()});
  CHECK(r.status == 0);
  CHECK_MESSAGE(
      r.output.find("'v' may be overwritten, but this kernel stores no result in it, only in 'b';") !=
          std::string::npos,
      r.output);
}

TEST_CASE("lift files: names that C reserves for itself are no names of what is written beside a kernel") {
  const Scratch scratch;
  for (const std::string name : {"_", "_f", "f__x"}) {
    CAPTURE(name);
    const std::string path = (scratch.path() / "p.lift").string();
    write_file_atomically(path, "program " + name + "\nparam u : 64.f64\nresult v = u |> map(\\x. x + 1)\n");
    const ProcessResult r = liftgen({"emit", path, "--out", scratch.path().string()});
    CHECK_MESSAGE(r.status == 0, r.output);
    const ProcessResult built = run_process(
        {"gcc", "-std=gnu11", "-fopenmp", (scratch.path() / (name + ".c")).string(),
         (scratch.path() / (name + "_main.c")).string(), "-lm", "-o", (scratch.path() / "p").string()});
    CHECK_MESSAGE(built.status == 0, built.output);
  }
}

TEST_CASE("lift files: a message has an end") {
  const Scratch scratch;
  const std::string path = (scratch.path() / "l.lift").string();
  std::string parts = "u";
  for (int i = 0; i < 1000; ++i) parts += ",\n  u";
  write_file_atomically(path, "param u : 64.f64\nresult = {" + parts + "} |> slide(3, 1)\n");
  const ProcessResult r = liftgen({"show", path});
  CHECK(r.status == 2);
  CHECK(r.output.find("slide: needs an array of rank 1, got {64.f64, 64.f64") != std::string::npos);
  CHECK(r.output.size() < 2000);
}

TEST_CASE("lift files: sums and arrays of arrays run") {
  const Scratch scratch;
  const std::string path = (scratch.path() / "s.lift").string();
  write_file_atomically(
      path,
      "size n = 8\nparam u : n.f64\n"
      "result v, w : {n.f64, 2.2.f64} = {u |> pad(2, 2, reflect) |> slide(5, 1) |> map(sum), "
      "[[1.0, 2], [3, u[0]]]}\n");
  const ProcessResult r = liftgen({"run", path, "--out", scratch.path().string(), "--no-db"});
  CHECK_MESSAGE(r.status == 0, r.output);
  CHECK(r.output.find("verified") != std::string::npos);
}

TEST_CASE("lift files: updates of updates, as of a border side by side, run and are explored") {
  const Scratch scratch;
  const std::string path = (scratch.path() / "b.lift").string(), out = scratch.path().string();
  write_file_atomically(path, R"(size n = 40 where n >= 2
param u : n.n.f64
param north, south, west : n.f64
overwrite u
result b = update2(update2(update2(u, (0, 0), north |> split(n)), (n - 1, 0), south |> split(n)), (0, 0), west |> split(1))
)");
  check_output(liftgen({"run", path, "--no-db", "--out", out}), 0, {"verified, error 0.0e+00"});
  check_output(liftgen({"explore", path, "--no-db", "--configs", "3", "--out", out}), 0,
               {"verified, error 0.0e+00", "  plain "});
}

TEST_CASE("lift files: the signature does not depend on the size") {
  const Scratch scratch;
  const std::string path = (scratch.path() / "s.lift").string();
  const auto signature = [&](const std::string& size) {
    CHECK(
        liftgen({"emit", path, "--no-db", "--size", "n=" + size, "--out", scratch.path().string()}).status ==
        0);
    const std::string header = read_file(scratch.path() / "s.h");
    const auto at = header.find("void s(");
    return at == std::string::npos ? header : header.substr(at, header.find(';', at) - at);
  };
  for (const auto& [result, expected] :
       {std::pair("update2(u, (1, 1), zip2(u |> drop2(1, 1), f |> drop2(1, 1)) |> map2(\\(a, b). a + b))",
                  "void s(double *u, const double *f)"),
        std::pair("u |> map2(\\x. 2 * x)", "void s(const double *u, const double *f, double *out)")}) {
    write_file_atomically(
        path, "size n = 9 where n >= 3\nparam u, f : n.n.f64\noverwrite u\nresult = " + std::string(result));
    for (const char* size : {"3", "4", "8", "17", "1000"}) CHECK(signature(size) == expected);
  }
}

TEST_CASE("lift files: options") {
  const std::string file = kExamples + "stencil_2d9.lift";
  check_output(liftgen({"run", file, "--size", "m=3"}), 2, {"--size m=3: ", "has no size 'm'; there are: n"});
  check_output(liftgen({"run", file, "--size", "n"}), 2,
               {"--size n: write a name and a whole number: --size n=1024"});
  check_output(liftgen({"run", file, "--box", "3"}), 2, {"--box: is about the library's operators"});
  check_output(liftgen({"run", "none.lift"}), 2, {"none.lift"});
  check_output(liftgen({file}), 2, {"what to do with", "--explore"});
}

TEST_CASE("lift files: what runs is named, and options of operators say where a file has that") {
  const Scratch scratch;
  const std::string file = (scratch.path() / "s.lift").string(), out = scratch.path().string();
  write_file_atomically(
      file,
      "size n = 40\nparam x : n.i32\nresult y = x |> pad(1, 1, constant 3) |> slide(3, 1) |> "
      "map(\\w. zip(w, [1, 2, 1]) |> map(\\(a, b). a * b) |> reduce(add, 0))\n");
  const ProcessResult r = liftgen({"run", file, "--no-db", "--out", out});
  check_output(r, 0, {"default variant", "verified"});
  CHECK(r.output.find("given derivation") == std::string::npos);
  check_output(liftgen({"run", file, "--backend", "cuda", "--emulate", "--no-db", "--out", out}), 0,
               {"default variant", "verified"});
  check_output(liftgen({"run", file, "--type", "f32"}), 2,
               {"--type: is about the library's operators; a file says types and sizes itself"});
}

TEST_CASE("lift files: 400 equal stages are loops over time") {
  const Scratch scratch;
  std::string text =
      "program chain\nsize n = 4096\nsize m = 512\nparam x0 : n.m.f64 = wave\n"
      "def mean(x) = update2(x, 1, x |> slide2(3, 1) |> map2(\\w. 0.25 * (w[0, 1] + w[1, 0] + w[1, 2] + w[2, "
      "1])))\n"
      "result r : n.m.f64 =\n";
  for (int i = 0; i < 400; ++i)
    text += "  let x" + std::to_string(i + 1) + " = mean(x" + std::to_string(i) + ") in\n";
  write_file_atomically(scratch.path() / "chain.lift", text + "  x400\n");
  const ProcessResult r = liftgen({"show", "chain.lift", "--stage", "code"}, scratch.path().string());
  CHECK(r.status == 0);
  // Of that two thirds are the program itself, above the kernel.
  CHECK_MESSAGE(r.output.size() < 100000, r.output.size());
}

}  // namespace lift_test
