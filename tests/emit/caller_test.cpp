// A kernel with its header and caller, used without liftgen: compilers of C and C++ take them without a
// warning, the program runs and finds its results right, and a wrong kernel is noticed.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "lower/lower.hpp"
#include "runtime/file.hpp"
#include "runtime/process.hpp"
#include "small_problem.hpp"
#include "tests/runtime/scratch.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace caller_test {
namespace {

struct StandAlone {
  Kernel kernel;
  Program program;
  std::map<std::string, std::int64_t> sizes = {};
};

void write(const Scratch& d, const StandAlone& s) {
  const auto file = [&](const std::string& end, const std::string& text) {
    write_file_atomically(d.path() / (s.kernel.name + end), text);
  };
  file(".c", test::openmp_of(s.kernel)), file(".h", emit_c_header(for_target(s.kernel, Target::openmp))),
      file("_main.c", emit_c_caller(for_target(s.kernel, Target::openmp),
                                    lower(s.program, {.target = Target::openmp}), s.sizes));
}
ProcessResult in(const Scratch& d, const std::vector<std::string>& command) {
  ProcessOptions options;
  options.directory = d.path().string(), options.timeout_seconds = 1000;
  return run_process(command, options);
}
/// Compiles kernel and caller; reports what the compiler says.
void build(const Scratch& d, const std::string& name, std::vector<std::string> compiler) {
  for (const std::string& word :
       {std::string("-Wall"), std::string("-Wextra"), std::string("-Werror"), name + ".c", name + "_main.c",
        std::string("-lm"), std::string("-o"), std::string("program")})
    compiler.push_back(word);
  const ProcessResult built = in(d, compiler);
  CAPTURE(compiler[0]);
  REQUIRE_MESSAGE(built.status == 0, built.output);
}
ProcessResult run(const Scratch& d, std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.begin(), (d.path() / "program").string());
  return in(d, arguments);
}
void check_right(const ProcessResult& r) {
  CHECK_MESSAGE(r.status == 0, r.output);
  CHECK_MESSAGE(r.output.find(" ms, correct") != std::string::npos, r.output);
}

StandAlone smoother(const Problem& p, const Configuration& c, bool caller_layout) {
  const Program program = smooth(3).build(p);
  const Space space(program,
                    {Target::openmp, 2, 32, caller_layout ? std::optional(kCallersLayout) : std::nullopt});
  return {lower(replay(program, space.derive(c))), program};
}
StandAlone split_smoother() {
  return smoother(small(9, 2, "gsrb"), {{"layout", "split 3 1"}, {"inner", "strided vec"}}, false);
}

/// Two results, one of them a number; a size; an argument with a range.
StandAlone mixed() {
  const Nat n = Nat::size("n", 2, 2, 0);
  const Expr x = param("x", array({n, n + 1}, f64)), y = param("y", array({n}, f32)), c = param("c", f64),
             which = index_param("which", 1, 3);
  const auto row = [&](Expr r) {
    return map_with(
        Op::MapVec, 1,
        fun(f64, [&](Expr a) { return max(a * c, a - 1.0) / cast(f64, which) + exp(-a) * pow(abs(a), 1.5); }),
        r, {4, 1, 0, 0});
  };
  const Expr scaled = map_with(Op::MapPar, 1, fun(x.type().element(), row), x);
  const Expr total =
      make(Op::ReduceSeq, {fun({f32, f32}, [](Expr a, Expr b) { return a + sqrt(b); }), literal(0, f32), y});
  const Program p{"mixed", {x, y, c, which}, tuple({scaled, total}), {}, {"scaled", "total"}};
  return {lower(p), p, {{"n", 30}}};
}

/// Rows that threads share, of each of which an array is kept; a size.
StandAlone scratch() {
  const Nat n = Nat::size("n", 3);
  const Expr x = param("x", array({Nat(37), n}, f64));
  const auto row = [](Expr r) {
    return let(r | map([](Expr a) { return a * 3.0; }),
               [](Expr b) { return b | slide(3, 1) | map([](Expr w) { return w[0] - w[1] + w[2]; }); });
  };
  const auto shared = [&](Op op) {
    return Program{"kept", {x}, map_with(op, 1, fun(x.type().element(), row), x), {}, {}};
  };
  return {lower(shared(Op::MapPar)), shared(Op::MapSeq), {{"n", 130}}};
}

bool installed(const std::string& compiler) { return !find_program(compiler).empty(); }

}  // namespace

TEST_CASE(
    "stand-alone: C99, C11 and C++, with gcc and clang, with and without OpenMP: no warning, right results") {
  const StandAlone s = mixed();
  const Scratch d;
  write(d, s);
  const std::vector<std::vector<std::string>> all{{"gcc", "-std=c99", "-O1"},
                                                  {"gcc", "-std=c11", "-O2", "-march=native", "-fopenmp"},
                                                  {"g++", "-O1", "-fopenmp", "-x", "c++"},
                                                  {"g++", "-std=c++20", "-O0", "-x", "c++"},
                                                  {"clang-15", "-std=c99", "-O1"},
                                                  {"clang-14", "-O2", "-march=native"},
                                                  {"clang++-15", "-O1", "-x", "c++"}};
  int tried = 0;
  for (const std::vector<std::string>& compiler : all) {
    if (!installed(compiler[0])) continue;
    ++tried;
    build(d, s.kernel.name, compiler);
    check_right(run(d));
  }
  CHECK(tried >= 4);
}

TEST_CASE("stand-alone: sizes come from the command line, and are checked") {
  const Scratch d;
  write(d, mixed());
  build(d, "mixed", {"gcc", "-O1", "-fopenmp"});
  for (const char* n : {"2", "16", "34"}) check_right(run(d, {n}));
  for (const char* n : {"0", "1", "7"}) {
    const ProcessResult r = run(d, {n});
    CHECK(r.status == 2);
    CHECK_MESSAGE(r.output.find("n must be at least 2 and even") != std::string::npos, r.output);
  }
}

TEST_CASE("stand-alone: a size that only the expression as plain loops needs") {
  // Nothing reads the rows of m elements, and the kernel has none; plain loops compute them.
  const Nat n = Nat::size("n", 3), m = Nat::size("m", 2);
  const Expr x = param("x", array({n}, f64));
  const auto row = [&](Expr e) { return generate({m}, [&](Expr i) { return e * cast(f64, i); }); };
  const auto twice = [&](Expr) { return map([](Expr e) { return e * 2.0; }, x); };
  const Program p{"unread", {x}, let(map(row, x), twice)};
  const Kernel kernel = lower(replay(p, parse_derivation("let-inline at body")));
  REQUIRE(kernel.sizes == std::vector<std::string>{"n"});
  REQUIRE(lower(p).sizes == std::vector<std::string>{"n", "m"});
  const Scratch d;
  write(d, {kernel, p, {{"n", 30}, {"m", 4}}});
  build(d, "unread", {"gcc", "-O1", "-fopenmp"});
  for (const auto& arguments : std::vector<std::vector<std::string>>{{}, {"3"}, {"7", "2"}, {"5", "9"}})
    check_right(run(d, arguments));
  const ProcessResult r = run(d, {"7", "1"});
  CHECK(r.status == 2);
  CHECK_MESSAGE(r.output.find("m must be at least 2") != std::string::npos, r.output);
}

TEST_CASE("stand-alone: kernels in place, in vectors, in other layouts; under sanitizers") {
  const Scratch d;
  for (const StandAlone& s :
       {smoother(small(7, 2, "gsrb"), {{"inner", "vec"}, {"late", "1"}}, true),
        smoother(small(11, 1, "jacobi", "neumann", f32), {{"inner", "vec"}}, true), split_smoother()}) {
    write(d, s);
    build(d, s.kernel.name,
          {"gcc", "-O1", "-g", "-march=native", "-fopenmp", "-fsanitize=address,undefined",
           "-fno-sanitize-recover=all"});
    check_right(run(d));
  }
}

TEST_CASE("stand-alone: tiles that threads take in turns, any number of threads, again and again") {
  Problem problem = small(9, 1, "gsrb", "neumann");
  problem.sweeps = 3;
  const Scratch d;
  for (const char* smoother_name : {"gsrb", "jacobi"}) {
    problem.choices["smoother"] = smoother_name;
    const StandAlone s = smoother(problem, {{"time", "j8 k"}, {"inner", "vec"}, {"width", "4"}}, true);
    REQUIRE(test::openmp_of(s.kernel).find("await_turn(") != std::string::npos);
    write(d, s);
    for (const std::vector<std::string>& compiler :
         std::vector<std::vector<std::string>>{{"gcc", "-std=c99", "-O2", "-fopenmp"},
                                               {"gcc", "-std=c11", "-O1"},
                                               {"g++", "-O1", "-fopenmp", "-x", "c++"},
                                               {"clang-15", "-O1"}}) {
      if (!installed(compiler[0])) continue;
      build(d, s.kernel.name, compiler);
      for (const char* threads : {"1", "2", "3", "7"})
        check_right(in(d, {"env", std::string("OMP_NUM_THREADS=") + threads, "./program"}));
    }
  }
}

TEST_CASE(
    "stand-alone: memory of each thread's own, any number of threads; where there is none, that is said") {
  const StandAlone s = scratch();
  const Scratch d;
  write(d, s);
  for (const std::vector<std::string>& compiler : std::vector<std::vector<std::string>>{
           {"gcc", "-std=c99", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"},
           {"gcc", "-O2", "-g", "-march=native", "-fopenmp", "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all"},
           {"g++", "-O1", "-fopenmp", "-x", "c++"},
           {"clang-15", "-O1"}}) {
    if (!installed(compiler[0])) continue;
    build(d, s.kernel.name, compiler);
    for (const char* threads : {"1", "2", "7"})
      for (const char* n : {"3", "65", "1000"})
        check_right(in(d, {"env", std::string("OMP_NUM_THREADS=") + threads, "./program", n}));
  }
  write_file_atomically(d.path() / "parts.c", R"(#include "kept.c"
#include <omp.h>
int main(void) {
  enum { bytes = 192, threads = 5 };
  char *const all = new_scratch(bytes), *own[threads] = {0};
  omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
  own[omp_get_thread_num()] = own_scratch(all, bytes);
  int wrong = 0;
  for (int t = 0; t < threads; ++t)
    wrong |= (uintptr_t)own[t] % 64 != 0 || own[t] < all || own[t] + bytes > all + bytes * threads + 63 ||
             (t > 0 && own[t] < own[t - 1] + bytes);
  free_scratch(all);
  return wrong;
}
)");
  const ProcessResult parts = in(d, {"gcc", "-O1", "-fopenmp", "-Werror", "parts.c", "-o", "parts"});
  REQUIRE_MESSAGE(parts.status == 0, parts.output);
  CHECK(in(d, {"env", "OMP_NUM_THREADS=5", "./parts"}).status == 0);
  std::string code = test::openmp_of(s.kernel);
  const std::string memory = "(char *)malloc((size_t)bytes * (size_t)threads + 63)";
  REQUIRE(code.find(memory) != std::string::npos);
  write_file_atomically(d.path() / "kept.c", code.replace(code.find(memory), memory.size(),
                                                          "bytes * threads < 0 ? (char *)&threads : NULL"));
  build(d, s.kernel.name, {"gcc", "-O1", "-Wno-return-local-addr", "-Wno-free-nonheap-object"});
  const ProcessResult r = run(d);
  CHECK(r.status == 1);
  CHECK_MESSAGE(r.output.find("not enough memory for kept") != std::string::npos, r.output);
  const std::string header = emit_c_header(for_target(s.kernel, Target::openmp));
  CHECK(header.find("int kept(long n, const double *x, double *out);") != std::string::npos);
  CHECK(header.find("Returns 0, or 1") != std::string::npos);
}

TEST_CASE("stand-alone: a wrong kernel is noticed") {
  const Scratch d;
  const StandAlone s = smoother(small(7, 2, "gsrb"), {{"inner", "seq"}}, true);
  write(d, s);
  std::string code = test::openmp_of(s.kernel);
  const std::size_t at = code.find("i < 7");
  REQUIRE(at != std::string::npos);
  write_file_atomically(d.path() / "smooth3d.c", code.replace(at, 5, "i < 6"));
  build(d, "smooth3d", {"gcc", "-O1"});
  const ProcessResult r = run(d);
  CHECK(r.status == 1);
  CHECK(r.output.find("WRONG") != std::string::npos);
}

TEST_CASE("stand-alone: arguments may have the names that the caller would use, but no words of C or C++") {
  const Scratch d;
  const auto program = [](const std::string& a, const std::string& b, const std::string& c) {
    const Expr x = param(a, array({Nat(9)}, f64)), y = param(b, array({Nat(9)}, f64)), z = param(c, f64);
    return Program{"sum", {x, y, z}, zip({x, y}) | map([&](Expr p, Expr q) { return p * q + z; })};
  };
  for (const auto& [a, b, c] :
       std::vector<std::tuple<std::string, std::string, std::string>>{{"best", "start", "ms"},
                                                                      {"run", "wrong", "error"},
                                                                      {"n_x", "x", "printf"},
                                                                      {"free", "argv", "seconds"},
                                                                      {"out_expected", "i", "l"}}) {
    const Program p = program(a, b, c);
    write(d, {lower(p), p});
    build(d, "sum", {"gcc", "-std=c99", "-O1"});
    check_right(run(d));
  }
  for (const char* word : {"double", "class", "while"})
    CHECK_THROWS_WITH_AS(test::openmp_of(lower(program("x", "y", word))), doctest::Contains("word of C"),
                         UserError);
}

TEST_CASE("stand-alone: the header says what arguments are") {
  const std::string header = emit_c_header(mixed().kernel);
  CAPTURE(header);
  for (const char* part :
       {"n          long, at least 2 and even", "x          double [n][n + 1], read",
        "which      int, from 1 to 3", "scaled     double [n][n + 1], written: result 1 of 2",
        "total      float [1], written: result 2 of 2",
        "void mixed(long n, const double *x, const float *y, double c, int which, double "
        "*scaled, float *total);",
        "extern \"C\""})
    CHECK(header.find(part) != std::string::npos);
}

TEST_CASE("stand-alone: truth values take a byte, in the header, the kernel and its caller") {
  const Expr flags = param("flags", array({Nat(6), Nat(9)}, boolean)),
             x = param("x", array({Nat(4), Nat(7)}, f64));
  const Expr cells = zip_n(2, {flags | slide2(3, 1), x}) |
                     map2([](Expr w, Expr v) { return select(w[0][1], v < 1.0, w[2][1]); });
  const Program p{"flagged", {flags, x}, update(flags, {1, 1}, cells), {}, {"changed"}};
  const StandAlone s{lower(p), p, {}};
  CHECK(emit_c_header(s.kernel).find("changed    unsigned char [6][9], written: the result") !=
        std::string::npos);
  CHECK(emit_c_header(s.kernel).find("const unsigned char *flags, const double *x, unsigned char *changed") !=
        std::string::npos);
  const Scratch d;
  write(d, s);
  build(d, s.kernel.name, {"gcc", "-std=c11", "-O1", "-fopenmp", "-fsanitize=address"});
  check_right(run(d));
}

TEST_CASE("stand-alone: the header's index functions are the layout") {
  const Scratch d;
  const Nat n = Nat::size("n");
  for (const char* layout : {"split 3 4", "split 4 1", "rows 8 1", "rows 4 0"})
    for (const bool symbolic : {false, true}) {
      CAPTURE(layout);
      const Type fixed = array({Nat(2), Nat(3), Nat(5), Nat(17)}, f64),
                 t = symbolic ? array({Nat(2), n, n + 2, n + 14}, f64) : fixed;
      Kernel k;
      k.name = "kernel", k.results = {"b"};
      if (symbolic) k.sizes = {"n"};
      k.arguments.push_back({"b", t, Layout(parse_layout(layout), t), true, true, {}});
      const std::string header = emit_c_header(k);
      CAPTURE(header);
      CHECK(header.find(std::string("layout '") + layout + "'") != std::string::npos);
      write_file_atomically(d.path() / "kernel.h", header);
      const Layout l(parse_layout(layout), fixed);
      if (!symbolic) CHECK(header.find("(...) of " + l.size().str() + ".") != std::string::npos);
      std::string main = "#include \"kernel.h\"\nstatic const long right[] = {";
      for_positions(fixed, [&](std::size_t, const std::vector<Nat>& p) { main += l.index(p).str() + ","; });
      main += std::string(
                  "};\nint main(void) {\n  const long *r = right;\n  for (long b = 0; b < 2; ++b) for (long "
                  "k = 0; k < 3; ++k) for (long j = 0; j < 5; ++j) for (long i = 0; i < 17; ++i)\n") +
              "    if (kernel_index_b(" + (symbolic ? "3, " : "") +
              "b, k, j, i) != *r++) return 1;\n  return 0;\n}\n";
      write_file_atomically(d.path() / "check.c", main);
      const ProcessResult built =
          in(d, {"gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "check.c", "-o", "program"});
      REQUIRE_MESSAGE(built.status == 0, built.output);
      CHECK(run(d).status == 0);
    }
}

}  // namespace caller_test
