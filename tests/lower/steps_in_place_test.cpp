// Steps of iterations that overwrite what they are given, where the state has small arrays or numbers, too,
// and where it is computed or an argument that the caller needs.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/space.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::steps_in_place_test {
namespace {

Program read(const std::string& result) {
  return parse_program(
      "program steps\nparam x : 40.f64\nparam s : 4.f64\n"
      "def u(x) = update(x, 1, x |> drop(1, 1) |> map(\\v. v + 1.0))\nresult = " +
          result,
      "steps.lift");
}
/// The kernels of all first guesses compute what the program says.
void check_first_guesses(const Program& p) {
  SpaceOptions options;
  options.threads = 2, options.vector_bytes = 16, options.only_layout = kCallersLayout;
  const Space space(p, options);
  REQUIRE(!space.seeds().empty());
  for (const Configuration& c : space.seeds()) {
    const Derivation d = space.derive(c);
    CAPTURE(str(d));
    const Program q = replay(p, d);
    try {
      test::run(q);
    } catch (const UserError& e) {
      CHECK_MESSAGE(std::string_view(e.what()).find("stages' loops must be plain") != std::string::npos,
                    e.what());
    }
  }
}

}  // namespace

TEST_CASE("steps in place: a state of numbers and arrays") {
  for (const std::string result : {
           "x |> iterate(30, \\q. u(q))",
           "x |> iterate(30, \\q. let a = u(q) in a |> map(\\v. v + a[3]))",
           "{0.5, x} |> iterate(30, \\(p, q). {p * 0.5, u(q)})",
           "{0.25, x} |> iterate(30, \\(p, q). {p * 0.5, q |> map(\\v. v + p)})",
           "{0.25, x} |> iterate(4, \\(p, q). {p * 0.5, q |> map(\\v. v + p)})",
           "{x, 0.25} |> iterate(30, \\(q, p). {u(q), p + q[3]})",
       }) {
    CAPTURE(result);
    check_first_guesses(read(result));
  }
}

TEST_CASE("steps in place: a state of small arrays and large ones, computed or not, with a name or none") {
  for (const std::string result : {
           "{s |> map(\\v. v * 2.0), x |> map(\\v. v * 2.0)} |> iterate(30, \\(p, q). {p |> map(\\v. v * "
           "0.5), u(q)})",
           "{s |> map(\\v. v * 2.0), x |> map(\\v. v * 2.0)} |> iterate(3, \\(p, q). {u(p), u(q)})",
           "let t = s |> map(\\v. v * 2.0) in let a = x |> map(\\v. v * 2.0) in {t, a} |> iterate(3, \\(p, "
           "q). {u(p), "
           "u(q)})",
           "let t = s |> map(\\v. v * 2.0) in let a = x |> map(\\v. v * 2.0) in {t, a} |> iterate(30, \\(p, "
           "q). {p |> "
           "map(\\v. v * 0.5), u(q)})",
           "let t = x |> map(\\v. v * 3.0) in let a = x |> map(\\v. v * 2.0) in {t, a} |> iterate(3, \\(p, "
           "q). {u(p), u(q)})",
           "let t = x |> map(\\v. v * 3.0) in let a = x |> map(\\v. v * 2.0) in {t, a} |> iterate(3, \\(p, "
           "q). {u(p), q |> map(\\v. v + p[0])})",
           "let t = x |> map(\\v. v * 3.0) in {s |> map(\\v. v + 1.0), t} |> iterate(3, \\(p, q). {u(p), "
           "u(q)})",
           "let t = x |> map(\\v. v * 3.0) in {s, t} |> iterate(3, \\(p, q). {u(p), u(q)})",
           "let t = x |> map(\\v. v * 3.0) in t |> iterate(3, \\q. u(q))",
           "let t = x |> map(\\v. v * 3.0) in {t |> iterate(3, \\q. u(q)), s}",
           "{s, x} |> iterate(3, \\(p, q). {u(p), u(q)})",
       }) {
    CAPTURE(result);
    check_first_guesses(read(result));
    if (const auto q = apply(find_rule("overwrite-dead"), read(result), {}, {})) {
      CAPTURE(str(q->body));
      CHECK_NOTHROW(test::run(*q));
    }
  }
}

}  // namespace lift::steps_in_place_test
