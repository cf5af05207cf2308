// Reductions of arrays and scans that are stored: accumulators, where elements are kept, and borders of
// arrays that are empty when the kernel runs.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "tests/lower/run_text.hpp"

namespace lift::reductions_test {
namespace {

using test::arrays_made;
using test::count;
using test::refusal_of;
using test::run_text;

const char* const kOthers =
    "reduce: an element of its array of accumulators depends on other elements; reduce over scalars or "
    "tuples, or zip the accumulators with the elements";

}  // namespace

TEST_CASE("arrays of accumulators: one, several, few rows or many, one after the other") {
  const std::string p = "param few : 4.6.f64\nparam rows : 40.6.f64\nresult = ";
  const std::string zeros = R"(generate(6, \i. 0.0))", sums = R"(\acc r. zip(acc, r) |> map(\p. p.0 + p.1))",
                    less = R"(\acc r. zip(acc, r) |> map(\p. p.0 - p.1))",
                    read = R"( |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] + w[2]))";
  const auto reduced = [](const std::string& xs, const std::string& f, const std::string& start) {
    return "(" + xs + " |> reduce(" + f + ", " + start + "))";
  };
  const std::string both = reduced("rows",
                                   R"(\acc r. {zip(acc.0, r) |> map(\p. p.0 + p.1),
                                      zip(acc.1, r) |> map(\p. max(p.0, p.1))})",
                                   "{" + zeros + ", " + zeros + "}");
  const std::vector<std::pair<std::string, int>> cases{
      {both, 2},
      {both + ".0" + read, 2},
      // Few rows are written out into the loop over the result, or into the array that is to hold it.
      {"to_private(" + reduced("few", sums, zeros) + ")" + read, 1},
      {"to_private(" + reduced("rows", sums, zeros) + ")" + read, 1},
      // A reduction goes on in the array of the one that it begins with, if that is a loop.
      {reduced("rows", sums, reduced("few", less, zeros)), 1},
      {reduced("rows", sums, reduced("rows", less, zeros)), 1},
      // What a step stores besides is no accumulator.
      {reduced("rows", R"(\acc r. let t = to_private(r)" + read + R"() in zip(acc, t) |> map(\p. p.0 + p.1))",
               zeros),
       2},
  };
  for (const auto& [body, arrays] : cases) {
    CAPTURE(body);
    CHECK(arrays_made(run_text(p + body)) == arrays);
  }
  // Elements that are made of others, which have been overwritten: those of the other array, neighbours, the
  // last one first, a block further on, at positions that are computed.
  const std::string pair = "{" + zeros + ", " + zeros + "}";
  for (const std::string& refused :
       {reduced("rows", R"(\acc r. {zip(acc.1, r) |> map(\p. p.0 + p.1), acc.0})", pair),
        reduced("rows", R"(\acc r. zip(acc |> pad(1, 0, clamp) |> drop(0, 1), r) |> map(\p. p.0 + p.1))",
                zeros),
        reduced("rows", R"(\acc r. acc |> reverse)", zeros),
        reduced("rows", R"(\acc r. concat(acc |> drop(1, 0), r |> take(1)))", zeros),
        reduced("rows", R"(\acc r. update(acc, 3, acc |> take(2)))", zeros),
        reduced("rows", R"(\acc r. zip(acc, r) |> map(\p. p.0 + (acc |> gather(i32(p.1), wrap))))", zeros),
        reduced("rows", R"(\acc r. zip(acc, r) |> map(\p. p.0 + (r |> gather(i32(acc[2]), wrap))))",
                zeros)}) {
    CAPTURE(refused);
    CHECK(refusal_of(p + refused) == kOthers);
  }
  // Of values that are made before the first of them is overwritten, or stored beforehand.
  for (const std::string& right :
       {reduced("rows", R"(\acc r. let t = acc[0] * 2 in zip(acc, r) |> map(\p. p.0 + p.1 * t))", zeros),
        reduced("rows",
                R"(\acc r. let t = to_private(acc |> pad(1, 0, clamp) |> drop(0, 1)) in
                   zip(t, r) |> map(\p. p.0 + p.1))",
                zeros),
        reduced("rows", R"(\acc r. update(acc, 3, r |> take(1)))", zeros)}) {
    CAPTURE(right);
    run_text(p + right);
  }
}

TEST_CASE("a sum over joined rows goes along rows, beside an array that is not joined it does not") {
  const std::string p = "param m, n : 5.10.f64\nparam ys : 50.f64\nresult = ";
  const auto loops = [](const Kernel& k) { return count<For>(k.body); };
  CHECK(loops(run_text(p + R"(zip(join(m), join(n)) |> map(\p. p.0 * p.1) |> reduce(add, 0))")) == 2);
  CHECK(loops(run_text(p + R"(zip(join(m), ys) |> map(\p. p.0 * p.1) |> reduce(add, 0))")) == 1);
}

TEST_CASE("scans whose elements are stored, into places that do not hold all of them") {
  const std::string p = "param xs : 12.f64\nparam rows : 6.40.f64\nresult = ";
  const std::string pairs = R"(xs |> scan_seq<stored>(\a x. {a.0 + x, a.0 - a.1}, {0.0, 1.0}))",
                    sums =
                        R"(rows |> scan_seq(\a r. zip(a, r) |> map(\p. p.0 + p.1), generate(40, \i. 0.0)))";
  for (const auto& [body, arrays] : {std::pair<std::string, int>{pairs, 0},
                                     {pairs + " |> drop(2, 1)", 2},
                                     {R"(xs |> scan_seq<stored>(\a x. a + x, 0.0) |> drop(2, 1))", 1},
                                     {R"(xs |> scan_back_seq<stored>(\a x. a + x, 0.0) |> drop(2, 1))", 1},
                                     {sums, 0},
                                     {sums + " |> drop(2, 1)", 1}}) {
    CAPTURE(body);
    CHECK(arrays_made(run_text(p + body)) == arrays);
  }
}

TEST_CASE("scans over no elements, or perhaps none, store nothing") {
  const Kernel none = run_text(R"(
param xs : 12.f64
result = concat(xs |> take(0) |> scan_seq<stored>(\a x. a + x, 0.0), xs))");
  CHECK(count<Store>(none.body) == 1);
  run_text("param xs : 12.f64\nresult = concat(xs |> take(0) |> scan_seq(\\a x. a + x, 0.0), xs)");
  for (std::int64_t k = 0; k <= 6; ++k) {
    CAPTURE(k);
    // The last element of each row that the sums of rows so far have.
    run_text(R"(
param rows : 6.40.f64
param ys : 6.f64
index k in 0 .. 6 = 3
result = update(ys, 0, rows |> take(k) |>
  scan_seq(\a r. zip(a, r) |> map(\p. p.0 + p.1), generate(40, \i. 1.0)) |> map(\r. r[39])))",
             {{"k", k}});
  }
}

TEST_CASE("arrays of no elements are computed, stored, updated and scanned like others") {
  const std::string p = "param xs : 12.f64\nparam rows : 4.12.f64\noverwrite xs\nresult = ";
  const std::string none = R"(xs |> take(0) |> map(\x. x + 1))";
  const std::string sums = R"(\a r. zip(a, r) |> map(\p. p.0 + p.1), generate(12, \i. 1.0))";
  for (const std::string& body :
       {none, "{" + none + R"(, xs |> map(\x. x * 2)})", "concat(" + none + ", xs)",
        "concat(xs, " + none + ")",
        "let a = " + none + R"( in concat(a |> map(\x. x * 2), xs |> map(\y. y + reduce(add, 0, a))))",
        "concat(to_private(" + none + R"() |> map(\x. x * 2), xs))",
        "concat(to_global(" + none + R"() |> map(\x. x * 2), xs))", "update(xs, 3, " + none + ")",
        "update_in_place(xs, 3, " + none + ")",
        std::string(R"(concat(iterate(5, \s. s |> map(\x. x + 1), xs |> take(0)), xs))"),
        std::string(
            R"(rows |> map(\r. concat(let v = r |> take(0) |> map(\x. x + 1) in v |> map(\y. y * 2), r)))"),
        "rows |> take(0) |> reduce(" + sums + ")", "rows |> take(0) |> reduce_seq(" + sums + ")",
        "concat(rows |> take(0) |> scan_seq(" + sums + "), rows)",
        std::string(R"(concat(xs |> take(0) |> scan_seq<stored>(\a x. a + x, 1.0) |> map(\x. x * 2), xs))"),
        std::string(R"(concat(xs |> take(0) |> map_vec<4>(\x. x + 1), xs))"),
        std::string(R"(concat(xs |> take(0) |> map_par(\x. x + 1), xs))"),
        "concat(reverse(" + none + "), xs)", "concat(interleave(" + none + ", " + none + "), xs)"}) {
    CAPTURE(body);
    run_text(p + body);
  }
}

TEST_CASE("rows of a scan that go along their columns together: what is missing is said") {
  const auto scan = [](const std::string& options) {
    return "param rows : 6.40.f64\nresult = rows |> scan_seq<stored, " + options +
           R"(>(\a r. zip(a, r) |> map(\p. p.0 + p.1), generate(40, \i. 0.0)))";
  };
  const std::string why =
      "scan_seq<rows 2>: say how many columns of each row a step has, and do not unroll the loop";
  CHECK(refusal_of(scan("rows 2")) == why);
  CHECK(refusal_of(scan("rows 2, columns 8, unroll 2")) == why);
  run_text(scan("rows 2, columns 8"));
}

TEST_CASE("what items of a group compute is stored where all of them see it") {
  const auto in_group = [](const std::string& value, const std::string& rest) {
    return run_text(R"(
param xs : 4.16.f64
result = xs |> map_wrg<0>(\r. let a = )" +
                    value + R"( in )" + rest + ")");
  };
  const std::string smoothed = R"(a |> pad(1, 1, clamp) |> slide(3, 1) |> map_lcl<0>(\w. w[0] + w[2]))";
  // Few elements, but of several items: no item's own.
  const Kernel k = in_group(R"(r |> map_lcl<0>(\x. x * 2))", smoothed);
  CHECK(count<Allocate>(k.body) == 0);
  CHECK(arrays_made(k) == 1);
  CHECK(count<Barrier>(k.body) == 1);
}

TEST_CASE("items of a group wait after what they have overwritten") {
  const Kernel k = run_text(R"(
param u : 4.16.f64
overwrite u
result = u |> map_wrg<0>(\r.
  let a = update_in_place(r, 1, r |> drop(1, 1) |> map_lcl<0>(\x. x * 2)) in
  update_in_place(a, 0, a |> map_lcl<0>(\x. x + 1))))");
  std::string order;
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    order += f && f->kind == LoopKind::Lcl ? "loop " : std::holds_alternative<Barrier>(s.v) ? "wait " : "";
  });
  CHECK(order == "loop wait loop ");
}

}  // namespace lift::reductions_test
