// What is printed and read in a program that has set a locale is what it is without.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "embed/default_variant.hpp"
#include "emit/emit.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/text/parse.hpp"
#include "liftgen/lift.hpp"
#include "patterns/pattern.hpp"
#include "runtime/machine.hpp"
#include "tests/host/decimal_comma.hpp"
#include "tuning/database/record.hpp"
#include "tuning/report.hpp"

using namespace lift;
using test::DecimalComma, test::InDecimalComma, test::Scratch, test::Variable;

namespace locale_test {
namespace {

/// The texts of all operators, by what they are.
std::map<std::string, std::string> texts_of_operators() {
  std::map<std::string, std::string> texts;
  for (const auto& pattern : all_patterns()) {
    Problem p;
    p.box = 8, p.boxes = 2;
    Program program;
    try {
      program = pattern->build(p);
    } catch (const UserError&) {
      continue;
    }
    texts[pattern->name + ", text"] = print_program(program);
    if (pattern->plain_c) texts[pattern->name + ", loops"] = pattern->plain_c(p);
    for (const Target target : {Target::openmp, Target::opencl, Target::cuda})
      texts[pattern->name + ", " + text(target)] =
          emit_source(default_variant(program, kCallersLayout, {target, nullptr}).kernel);
  }
  return texts;
}

const Nat n = lift::nat("n");

Expr scaled() {
  return fun(array(f64, n), [](Expr x) { return x | map([](Expr v) { return v * 1234.5 + 0.25; }); });
}

}  // namespace

TEST_CASE("locale: texts of operators are the same under a decimal comma") {
  const DecimalComma locale;
  const auto expected = texts_of_operators();
  const InDecimalComma within;
  const auto found = texts_of_operators();
  REQUIRE(expected.size() > 20);
  for (const auto& [name, text] : expected) {
    CAPTURE(name);
    CHECK(found.at(name) == text);
  }
}

TEST_CASE("locale: numbers of the language are printed and read with a point") {
  const DecimalComma locale;
  const InDecimalComma within;
  const std::string text =
      "param x : 5000.f64 = wave\nresult y : 5000.f64 = x |> map(\\v. v * 12345.678 + 0.25)\n";
  const LiftFile file(text, "scale.lift");
  CHECK(str(file.program({}).body).find("12345.678") != std::string::npos);
  CHECK(str(Value{1234567.25}) == "1234567.25");
  CHECK(parse_layout("split 3 8") == parse_layout(str(parse_layout("split 3 8"))));
}

TEST_CASE("locale: kernels compute the same, and what exploring finds is written and read again") {
  const DecimalComma locale;
  const Scratch scratch;
  const InDecimalComma within;
  const std::vector<double> x{1, 2, 4, 8, 16, 32, 64};
  const auto kernel = compile<std::vector<double>(const std::vector<double>&)>(scaled());
  const std::vector<double> y = kernel(x);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == x[i] * 1234.5 + 0.25);

  const std::string database = (scratch.path() / "found.db").string();
  const Tuned tuned =
      explore(scaled(), {.sizes = {{"n", 100000}}, .budget = std::chrono::seconds(2), .database = database});
  CHECK(tuned.kernel<std::vector<double>(const std::vector<double>&)>()(x) == y);
  const auto again = compile<std::vector<double>(const std::vector<double>&)>(
      scaled(), {.tuned = true, .database = database});
  CHECK(again.origin({{"n", 100000}}) != "");
}

TEST_CASE("locale: the command's results are the same under LC_ALL") {
  const DecimalComma locale;
  const Scratch scratch;
  const std::string json = (scratch.path() / "x.json").string();
  const auto made =
      run_process({"env", std::string("LC_ALL=") + DecimalComma::kName, LIFTGEN_BINARY_DIR "/liftgen",
                   "explore", "smooth2d", "--box", "16", "--boxes", "2", "--budget", "1.5", "--json", json,
                   "--db", "none", "--out", scratch.path().string()},
                  {.timeout_seconds = 200});
  CHECK_MESSAGE(made.status == 0, made.output);
  std::ifstream in(json);
  CHECK(nlohmann::json::parse(in)["best"]["verified"] == true);
}

}  // namespace locale_test
