// A program that tunes itself: its second start takes what the first one found, without searching.
#include <doctest/doctest.h>

#include <set>

#include "liftgen/lift.hpp"
#include "runtime/file.hpp"
#include "tests/database/sample.hpp"

using namespace lift;
using lift::test::Scratch;
using lift::test::Variable;

namespace second_start_test {
namespace {

using Blur = std::vector<float>(const std::vector<float>&);

Expr blur() {
  return fun(array(f32, lift::nat("n")), [](Expr xs) {
    return xs | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return (w[0] + w[1] + w[2]) / 3.0f; });
  });
}

ExpressionOptions few(const std::filesystem::path& file, std::int64_t n = 20000) {
  ExpressionOptions options;
  options.sizes = {{"n", n}}, options.database = file, options.unless_known = true;
  options.more.configurations = 3, options.more.rivals = false;
  options.budget = std::chrono::seconds(600);
  return options;
}

void tamper(const std::filesystem::path& file, const std::string& derivation, double roofline = 3) {
  Record r = Database(file, Database::Access::read).all().at(0);
  r.derivation = derivation, r.roofline = roofline, r.ms = 1e-9;
  Database(file, Database::Access::write).keep(r);
}

}  // namespace

TEST_CASE("embedding: a database called none is none, as for the command") {
  const std::filesystem::path before = std::filesystem::current_path();
  const Scratch folder;
  std::filesystem::current_path(folder.path());
  const Tuned tuned = explore(blur(), few("none"));
  std::filesystem::current_path(before);
  CHECK(tuned.origin.empty());
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("helper: a program that tunes itself" * doctest::skip()) {
  const char* file = ::getenv("LIFTGEN_TEST_DB");
  if (file == nullptr) return;
  const Tuned tuned = explore(blur(), few(file));
  const auto kernel = tuned.kernel<Blur>();
  const std::vector<float> y = kernel({0, 3, 6, 3, 0});
  const auto again = compile<Blur>(blur(), {.tuned = true, .database = file});
  std::printf("configurations %d compiled %d result %g known %d same %d\n",
              tuned.report.counts.configurations, tuned.report.counts.compiled, static_cast<double>(y.at(2)),
              tuned.origin.empty() ? 0 : 1, again.derivation({{"n", 20000}}) == tuned.derivation ? 1 : 0);
}

TEST_CASE("second start: the first start searches, the second one tries no configuration") {
  const Scratch scratch;
  const std::vector<std::string> variables = {"LIFTGEN_TEST_DB=" + (scratch.path() / "found.db").string()};
  const auto start = [&] {
    Process program = test::helper("helper: a program that tunes itself", variables);
    const std::string output = test::finished(program);
    const auto at = output.find("configurations ");
    return at == std::string::npos ? output : output.substr(at, output.find('\n', at) - at);
  };
  CHECK(start() == "configurations 3 compiled 3 result 4 known 0 same 1");
  CHECK(start() == "configurations 0 compiled 0 result 4 known 1 same 1");
}

TEST_CASE("second start: a kernel that is compiled as tuned has the derivation found, and says where from") {
  const Scratch scratch;
  const auto file = scratch.path() / "found.db";
  const Sizes sizes = {{"n", 20000}};
  const auto before = compile<Blur>(blur(), {.tuned = true, .database = file});
  CHECK(before.origin(sizes).empty());
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(before.derivation(sizes) == compile<Blur>(blur()).derivation(sizes));

  const Tuned tuned = explore(blur(), few(file));
  CHECK(tuned.report.counts.configurations == 3);
  // Another derivation than the default's, whatever was found: what is taken must come from the database.
  tamper(file, "map-seq at body\n");
  const auto kernel = compile<Blur>(blur(), {.tuned = true, .database = file});
  CHECK(kernel.derivation(sizes) == parse_derivation("map-seq at body\n"));
  CHECK(kernel.origin(sizes).find("found for this problem on this machine") != std::string::npos);
  CHECK(kernel.origin({{"n", 30000}}).find("found at n = 20000 on this device") != std::string::npos);
  CHECK(kernel.origin({{"n", 5}}).empty());
  CHECK(kernel({0, 3, 6, 3, 0}) == std::vector<float>{1, 3, 4, 3, 1});
  // With names of its own it is the same program; with another body it is not.
  CHECK(compile<Blur>(blur(), {.name = "soften", .names = {"signal"}, .tuned = true, .database = file})
            .derivation(sizes) == kernel.derivation(sizes));
  const auto twice =
      fun(array(f32, lift::nat("n")), [](Expr xs) { return xs | map([](Expr x) { return 2.0f * x; }); });
  CHECK(compile<Blur>(twice, {.tuned = true, .database = file}).origin(sizes).empty());
}

TEST_CASE("second start: other sizes, or a derivation that does not apply any more, are searched for") {
  const Scratch scratch;
  const auto file = scratch.path() / "found.db";
  explore(blur(), few(file));
  CHECK(explore(blur(), few(file)).report.counts.configurations == 0);
  CHECK(explore(blur(), few(file, 30000)).report.counts.configurations == 3);
  ExpressionOptions always = few(file);
  always.unless_known = false;
  CHECK(explore(blur(), always).report.counts.configurations == 3);
  tamper(file, "a-rule-that-is-gone at body\n");
  const auto kernel = compile<Blur>(blur(), {.tuned = true, .database = file});
  CHECK(kernel({0, 3, 6, 3, 0}) == std::vector<float>{1, 3, 4, 3, 1});
  CHECK(explore(blur(), few(file)).report.counts.configurations == 3);
}

TEST_CASE("second start: an exploration begins with the default, then with what is known") {
  const Scratch scratch;
  const auto file = scratch.path() / "found.db";
  const Tuned first = explore(blur(), few(file));
  const Space space = make_space(with_sizes(first.program, {{"n", 20000}}), Target::openmp,
                                 first.report.machine, kCallersLayout);
  const Configuration standard = space.seeds().at(0), known = space.seeds().back();
  REQUIRE(space.seeds().size() > 3);
  Record r = Database(file, Database::Access::read).all().at(0);
  r.parameters.clear(), r.roofline = 3, r.ms = 1e-9;
  for (const auto& entry : known) r.parameters += entry.name() + "=" + entry.text() + "\n";
  Database(file, Database::Access::write).keep(r);

  ExpressionOptions two = few(file);
  two.unless_known = false, two.more.configurations = 2;
  std::set<Configuration> tried;
  for (const Variant& v : explore(blur(), two).report.variants) tried.insert(v.params);
  CHECK(tried == std::set<Configuration>{standard, known});
}

TEST_CASE("second start: a record that claims more than there is gives way to what is found") {
  const Scratch scratch;
  const auto file = scratch.path() / "found.db";
  explore(blur(), few(file));
  const std::string gone = "a-rule-that-is-gone at body\n";
  ExpressionOptions always = few(file);
  always.unless_known = false;
  for (const bool with_parameters : {true, false}) {
    Record r = Database(file, Database::Access::read).all().at(0);
    r.derivation = gone, r.roofline = 3, r.ms = 1e-9;
    if (!with_parameters) r.parameters.clear();
    REQUIRE(Database(file, Database::Access::write).keep(r));
    explore(blur(), always);
    CHECK(Database(file, Database::Access::read).all().at(0).derivation != gone);
  }
}

TEST_CASE("second start: a database that cannot be used is no error") {
  const Scratch scratch;
  const auto file = scratch.path() / "found.db";
  write_file_atomically(file, std::string(4096, 'x'));
  const Tuned tuned = explore(blur(), few(file));
  CHECK(tuned.report.counts.configurations == 3);
  const auto kernel = compile<Blur>(blur(), {.tuned = true, .database = file});
  CHECK(kernel({0, 3, 6, 3, 0}) == std::vector<float>{1, 3, 4, 3, 1});
  CHECK(read_file(file) == std::string(4096, 'x'));
}

TEST_CASE("second start: nobody asked for a database, and the environment says none: nothing is made") {
  const Scratch scratch;
  const Variable data("XDG_DATA_HOME", scratch.path().string());
  explore(blur(), few({}));
  CHECK(std::filesystem::is_empty(scratch.path()));
  const Variable by_default("LIFTGEN_DB", "");
  explore(blur(), few({}));
  CHECK(Database(scratch.path() / "liftgen" / "found.db", Database::Access::read).all().size() == 1);
}

}  // namespace second_start_test
