// Accumulators of a reduction of arrays that lie where the new ones go: elements that are told apart by their
// sides, by more than one index, or by loops that say nothing of the index.
#include <doctest/doctest.h>

#include "tests/lower/run_text.hpp"

namespace lift::old_accumulators_edges_test {
namespace {

using test::arrays_made;
using test::refusal_of;
using test::run_text;

const char* const kDepends =
    "reduce: an element of its array of accumulators depends on other elements; reduce over scalars or "
    "tuples, or zip the accumulators with the elements";
const std::string kSix = "generate(6, \\i. f64(i))",
                  kPairs = "generate(3, \\i. generate(2, \\j. f64(2 * i + j)))";

std::string reduced(const std::string& next, const std::string& first) {
  return "param rows : 40.6.f64\nresult = rows |> reduce(\\acc r. " + next + ", " + first + ")";
}
/// What is written is what was read: no other array is made.
void runs(const std::string& next, const std::string& first) {
  CAPTURE(next);
  CHECK(arrays_made(run_text(reduced(next, first))) == 1);
}
void is_refused(const std::string& next, const std::string& first) {
  CAPTURE(next);
  CHECK(refusal_of(reduced(next, first)) == kDepends);
}
/// The last three accumulators go through steps in place, which begin with what a row says of the others.
std::string steps(int times, const std::string& step) {
  return "iterate(" + std::to_string(times) + ", \\s. update_in_place(s, 3, " + step + R"(),
      to_global(concat(r |> drop(0, 3) |> map(\x. x * 2), acc |> drop(3, 0)))))";
}

}  // namespace

TEST_CASE("old accumulators: below those that have been overwritten the old ones are there") {
  // Of six, 5, 4 and 3 are written first; then elements from 2 + `more` down to `more` are read.
  const auto halves = [](int more) {
    return R"(reverse(concat(acc |> reverse |> drop(0, 3) |> map(\a. a + r[0]), acc |> reverse |> drop()" +
           std::to_string(3 - more) + ", " + std::to_string(more) + R"() |> map(\a. a - r[1]))))";
  };
  runs(halves(0), kSix);
  is_refused(halves(1), kSix);
}

TEST_CASE("old accumulators: one index as a quotient and a remainder, which no line tells apart") {
  runs(R"(acc |> join |> map(\a. a + r[0]) |> split(2))", kPairs);
  // The quotient is the same, the remainder another one: the neighbour has been overwritten.
  is_refused(R"(acc |> map(reverse) |> join |> map(\a. a + r[0]) |> split(2))", kPairs);
}

TEST_CASE("old accumulators: a loop that no index tells of overwrites them in its first iteration") {
  const std::string old = R"(zip(s |> drop(3, 0), acc |> drop(3, 0)) |> map(\p. p.0 - 2 * p.1 + r[0]))";
  is_refused(steps(2, old), kSix);
  is_refused(steps(5, old), kSix);
  runs(steps(1, old), kSix);  // of one step all is read before
  // Several steps may go on with the new ones.
  runs(steps(2, R"(s |> drop(3, 0) |> map(\x. max(x, r[1] - x) + 1))"), kSix);
}

TEST_CASE("old accumulators: a loop of one iteration within others overwrites each once") {
  runs(R"(acc |> split(2) |> map(\w. (generate(1, \j. w) |> map(\v. v |> map(\a. a + r[0])))[0]) |> join)",
       kSix);
}

}  // namespace lift::old_accumulators_edges_test
