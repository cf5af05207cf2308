// Programs of scans as users write them: what their first guesses make of the cells that scans read, of scans
// beside each other, and of rows whose number few tiles divide.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "lower/loops/visit.hpp"
#include "lower/lower.hpp"
#include "tests/parallel_loops.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_scans_test {
namespace {

/// Distances along rows, then along columns, to what cells say of the image.
std::string distances(int rows, int columns, const std::string& cells, const std::string& result = "d") {
  return "param image : " + std::to_string(rows) + "." + std::to_string(columns) +
         ".f64\ndef there(r) = r |> scan(\\d x. min(x, d + 1), 100.0)\n"
         "def both(r) = there(r) |> scan_back(\\d x. min(x, d + 1), 100.0)\n"
         "result out =\nlet begun = image |> map2(\\x. " +
         cells +
         ") in\nlet rows = begun |> map(both) in\n"
         "let d = rows |> transpose |> map(both) |> transpose in\n" +
         result + "\n";
}
/// Means of boxes of an image and of its squares, by running sums along rows and columns.
std::string boxes(int rows, int columns) {
  return "param x : " + std::to_string(rows) + "." + std::to_string(columns) +
         ".f64\ndef integral(x) =\n"
         "  let rows = x |> map(scan(add, 0)) in rows |> transpose |> map(scan(add, 0)) |> transpose\n"
         "def boxes(x) = integral(x |> pad2(1, 1, clamp)) |> slide2(3, 1) |> map2(\\w. w[2, 2] - w[0, 2] - "
         "w[2, 0] + w[0, 0])\n"
         "result out =\nlet mean = boxes(x) in let squares = boxes(x |> map2(\\v. v * v)) in\n"
         "zip2(mean, squares) |> map2(\\(m, s). s - m * m)\n";
}

Derivation first_guess(const Program& p) {
  const Space s(p, options());
  return s.derive(s.seeds().front());
}
bool takes(const Program& p, const std::string& rule) {
  const Derivation d = first_guess(p);
  return std::any_of(d.begin(), d.end(), [&](const Step& step) { return step.rule == rule; });
}
Kernel lowered(const Program& p) {
  return lower(replay(p, first_guess(p)), {.vector_bytes = 16, .target = Target::openmp});
}
int work_arrays(const Kernel& k) {
  return static_cast<int>(
      std::count_if(k.arguments.begin(), k.arguments.end(), [](const KernelArgument& a) { return a.work; }));
}

}  // namespace

TEST_CASE("space: variants of programs of scans mean the same") {
  for (const std::string& text :
       {distances(9, 14, "select(x > 1, 0.0, 100.0)"), boxes(7, 11), boxes(14, 6)}) {
    CAPTURE(text);
    check_space(parse_program(text), options(), 6, 1);
  }
}

TEST_CASE("space: cells that a scan reads once are computed within it") {
  const std::string cheap = "select(x > 1, 0.0, 100.0)";
  CHECK(takes(parse_program(distances(120, 160, cheap)), "let-inline"));
  CHECK(work_arrays(lowered(parse_program(distances(120, 160, cheap)))) == 1);  // rows that columns read
  // Functions of the library are computed in vectors; what another stage reads is stored anyway.
  CHECK_FALSE(takes(parse_program(distances(120, 160, "exp(x)")), "let-inline"));
  CHECK_FALSE(takes(parse_program(distances(120, 160, cheap, "zip2(d, begun) |> map2(\\(d, b). d + b)")),
                    "let-inline"));
}

TEST_CASE("space: scans that do not wait for each other share loops") {
  const Program p = parse_program(boxes(398, 598));
  CHECK(takes(p, "let-exchange"));
  const Kernel k = lowered(p);
  CHECK_MESSAGE(test::parallel_loops(k) == 3, str(k));  // along rows, along columns, over boxes
  CHECK(work_arrays(k) == 2);                           // sums along columns lie in those along rows
  // One that needs the other comes after it.
  CHECK_FALSE(takes(parse_program(distances(120, 160, "2 * x")), "let-exchange"));
}

TEST_CASE("space: rows that no few tiles divide are scanned a few at once, the rest by themselves") {
  const Program p = parse_program("param x : 1214.800.f64\nresult y = x |> map(scan(add, 0))\n");
  const Derivation d = first_guess(p);
  CHECK(std::any_of(d.begin(), d.end(), [](const Step& s) { return str(s).starts_with("map-rest 1212"); }));
  CHECK(std::any_of(d.begin(), d.end(), [](const Step& s) { return str(s).starts_with("split-join 4"); }));
}

}  // namespace space_scans_test
