// What was found before, and when it is not taken: other threads, layouts, derivations, no database. What an
// exploration of an expression is asked for, and its device.
#include <doctest/doctest.h>

#include "embed/compiler.hpp"
#include "embed/known_variant.hpp"
#include "embed/user_database.hpp"
#include "liftgen/lift.hpp"
#include "runtime/file.hpp"
#include "runtime/opencl.hpp"
#include "tests/message.hpp"
#include "tests/runtime/scratch.hpp"
#include "tuning/database/database.hpp"
#include "tuning/database/platform.hpp"
#include "tuning/database/program_key.hpp"

using namespace lift;
using lift::test::message;

namespace found_before_test {
namespace {

using Cells = std::vector<double>;
const Sizes kSizes = {{"n", 1000}};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Program twice() {
  const Expr x = param("x", array(f64, lift::nat("n"))), a = param("a", f64);
  return {"twice", {x, a}, x | map([=](Expr e) { return e * a; }), {}};
}
ExpressionOptions one(const std::filesystem::path& file) {
  ExpressionOptions options;
  options.sizes = kSizes, options.database = file.string(), options.unless_known = true;
  options.budget = std::chrono::seconds(600), options.more.configurations = 1;
  options.more.rivals = options.more.plain = options.more.check_small = false;
  return options;
}

}  // namespace

TEST_CASE("found before: what was found is taken for the problem, threads and layout that it was found for") {
  const test::Scratch scratch;
  const std::filesystem::path file = scratch.path() / "found.db";
  const Derivation known = parse_derivation("map-seq at body");
  Record record;
  record.program = program_key(twice(), kSizes);
  record.platform = platform_of(Target::openmp, this_machine(), this_machine().threads, nullptr);
  record.type = "f64", record.name = "twice", record.text = "result y = x", record.ms = 1;
  record.derivation = str(known);
  REQUIRE(fault_of(record).empty());
  Database(file, Database::Access::write).keep(record);

  ExpressionOptions options = one(file);
  options.more.search = "no such search";  // what is searched for ends there
  for (const int threads : {0, this_machine().threads}) {
    options.more.threads = threads;
    const Tuned taken = explore(twice(), options);
    CHECK(has(taken.origin, "found for this problem"));
    CHECK(taken.derivation == known);
    CHECK(taken.report.target == Target::openmp);
    CHECK(taken.report.device == this_machine().device);
    CHECK_FALSE(taken.device);
    CHECK(has(taken.source, "void twice("));
  }
  options.more.threads = this_machine().threads + 1;
  CHECK(has(message([&] { explore(twice(), options); }), "no such search"));
  options.more.threads = 0, options.layout = parse_layout("rows 8 1");
  CHECK(has(message([&] { explore(twice(), options); }), "no such search"));
  options.layout = kCallersLayout, options.unless_known = false;
  CHECK(has(message([&] { explore(twice(), options); }), "no such search"));

  // A kernel takes it where nothing else is said.
  using Kernel = Cells(const Cells&, double);
  const CompileOptions tuned{.tuned = true, .database = file.string()};
  const auto found = compile<Kernel>(twice(), tuned);
  CHECK(has(found.origin(kSizes), "found for this problem"));
  CHECK(found.derivation(kSizes) == known);
  CompileOptions by = tuned;
  by.derivation = parse_derivation("map-par at body");
  const auto said = compile<Kernel>(twice(), by);
  CHECK(said.origin(kSizes).empty());
  CHECK(said.derivation(kSizes) == *by.derivation);
  const Cells x(1000, 2);
  CHECK(found(x, 3) == Cells(1000, 6));
  CHECK(said(x, 3) == Cells(1000, 6));
  // It says nothing of arrays in another layout.
  using Of = stored_array<double, 1>;
  const auto in_rows = compile<void(const Of&, double, Of&)>(twice(), tuned);
  const Of a(parse_layout("rows 8 1"), array_view(x.data(), {1000}));
  Of b(parse_layout("rows 8 1"), {1000});
  in_rows(a, 5, b);
  CHECK((b(0) == 10 && b(999) == 10));
}

TEST_CASE("found before: where there is no database nothing is known, and its state is no word") {
  const test::Scratch scratch;
  CHECK(database_file("none").empty());
  CHECK(database_file("some.db") == "some.db");
  CHECK(database_state("none").empty());
  const std::string file = (scratch.path() / "found.db").string();
  CHECK(database_state(file).empty());
  write_file_atomically(file, "");
  CHECK(database_state(file).empty());  // as good as none
  write_file_atomically(file, "x");
  CHECK(has(database_state(file), file + " 1 "));
  const Program p = with_sizes(twice(), kSizes);
  CHECK_FALSE(known_variant(p, program_key(twice(), kSizes), "none"));
  CHECK_FALSE(known_variant(p, program_key(twice(), kSizes), scratch.path() / "there is none"));
  CHECK(memory_in("none") == nullptr);
  CHECK(memory_in(file) != nullptr);
}

TEST_CASE("found before: without a folder for the database there is none") {
  {
    const test::Variable home("HOME", ""), data("XDG_DATA_HOME", ""), asked("LIFTGEN_DB", "");
    CHECK(database_file("").empty());
    CHECK(database_file("mine.db") == "mine.db");
  }
  const test::Variable data("XDG_DATA_HOME", "/some/where"), asked("LIFTGEN_DB", "");
  CHECK(database_file("") == "/some/where/liftgen/found.db");
}

TEST_CASE("found before: the device of an exploration is the one that is asked for, in either place") {
  const Device emulated = Device::emulated_cuda();
  const auto device = [](const ExpressionOptions& options) { return device_of(options, " [here]"); };
  CHECK_FALSE(device({}));
  ExpressionOptions options;
  options.device = emulated;
  CHECK(device(options) == emulated);
  options.backend = Target::cuda;
  CHECK(device(options) == emulated);
  options.backend = Target::openmp, options.more.target = Target::cuda;
  CHECK(device(options) == emulated);
  options.more.target = Target::opencl;
  CHECK(message([&] { device(options); }) ==
        "lift::explore: the backend is opencl, but the device emulated CUDA device is of cuda; leave the "
        "backend out: it is the device's [here]");
  options = {.backend = Target::cuda}, options.more.emulate = true;
  CHECK(device(options) == emulated);
  options = {}, options.more.target = Target::cuda, options.more.emulate = true;
  CHECK(device(options) == emulated);
  // Only CUDA is emulated.
  options.more.target = Target::opencl;
  if (opencl::why_unavailable().empty())
    CHECK_FALSE(device(options)->is_emulated());
  else
    CHECK_THROWS_AS(device(options), EnvironmentError);
}

TEST_CASE("found before: explorations that cannot be are refused at once") {
  ExpressionOptions options = one("none");
  options.overwrites = {"a"};
  CHECK(has(message([&] { explore(twice(), options); }),
            "twice: 'a' is to be overwritten, but is no array among the arguments"));
  CHECK(has(message([] { explore_together({}, one("none")); }),
            "no operators to explore together; pass at least one"));
  options = one("none"), options.sizes = {};
  CHECK(has(message([&] { explore_together({twice()}, options); }), "the size 'n' has no value"));
}

TEST_CASE("found before: a variant with wrong results is no kernel, be it the only one") {
  const UserFun wrong("wrong", {{"v", f64}}, f64,
                      "extern int omp_in_parallel(void); return omp_in_parallel() ? v + 1 : v;",
                      [](std::span<const double> v) { return v[0]; });
  const Expr x = param("x", array(f64, Nat(100000)));
  ExpressionOptions options = one("none");
  options.sizes = {}, options.unless_known = false, options.layout = std::nullopt;
  options.more.threads = 2, options.more.only = parse_derivation("map-par at body");
  CHECK(has(message([&] {
              explore(Program{"p", {x}, x | map(wrong), {}}, options);
            }),
            "p: no variant was verified within the budget; give it more time"));
}

TEST_CASE("found before: what is best is what a call can have: all arrays in one layout") {
  const Expr x = param("x", array({Nat(8), Nat(8)}, f64)), y = param("y", array({Nat(8), Nat(8)}, f64));
  const auto explored = [&](const char* derivation) {
    ExpressionOptions options = one("none");
    options.sizes = {}, options.unless_known = false, options.layout = std::nullopt;
    options.more.only = parse_derivation(derivation);
    return explore(Program{"p", {x, y}, zip_n(2, {x, y}) | map2([](Expr a, Expr b) { return a + b; }), {}},
                   options);
  };
  const Tuned best = explored("map-nest at body\nmap-seq at body");
  CHECK(best.layout == kCallersLayout);
  CHECK(str(best.derivation) == "map-nest at body\nmap-seq at body\n");
  const std::string none = "p: no variant was verified within the budget; give it more time";
  CHECK(has(message([&] { explored("layout split 2 1 x at body"); }), none));
}

}  // namespace found_before_test
