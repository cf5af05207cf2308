// Where values with a name lie, at the edges of what is kept in variables and of what is computed where a
// result goes.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "tests/lower/run_text.hpp"

namespace lift::named_values_test {
namespace {

using test::arrays_made;
using test::count;
using test::run_text;

struct Case {
  const char* body;
  int arrays;  ///< that the kernel makes
};
/// Each body is run over the same parameters.
void check_all(const std::string& parameters, const std::vector<Case>& cases,
               const std::map<std::string, std::int64_t>& index = {}) {
  for (const Case& c : cases) {
    CAPTURE(std::string(c.body));
    CHECK(arrays_made(run_text(parameters + "result = " + c.body, index)) == c.arrays);
  }
}

}  // namespace

TEST_CASE("a small value is kept in variables only where every element is asked for at a number") {
  const std::string few = "param small, other : 7.f64\nparam xs : 50.f64\nparam rows : 40.7.f64\n";
  check_all(
      few,
      {
          // Also through views of it, where these are written out.
          {R"(let d = small |> map(\x. x * 2) in xs |> map(\x. x +
                    (zip(d, other) |> map(\p. p.0 * p.1) |> reduce(add, 0))))",
           0},
          {R"(let d = small |> map(\x. x * 2) in xs |> map(\x. x +
                    (d |> pad(1, 1, clamp) |> slide(3, 2) |> map(\w. w[0] + w[2]) |> reduce(add, 0))))",
           0},
          // Not where a loop goes over such a view.
          {R"(let d = small |> map(\x. x * 2) in xs |> map(\x. x +
                    (zip(d, other) |> map(\p. p.0 * p.1) |> reduce_seq(add, 0))))",
           1},
          // A long loop that asks for one element of it.
          {R"(let d = small |> map(\x. x * 2) in xs |> map(\x. x * d[0]) |> reduce(add, 0))", 0},
          {R"(let d = small |> map(\x. x * 2) in xs |> reduce(add, d[3]))", 0},
          // A loop over the value itself is written out, a loop over what is made of it is not.
          {R"(let d = small |> map(\x. x * 2) in xs |> map(\x. x + reduce_seq(add, 0, d)))", 0},
          {R"(let d = small |> map(\x. x * 2) in
                    xs |> reduce(\acc x. acc + (d |> reduce_seq(\b y. b + y * x, 0)), 0))",
           0},
          {R"(let d = small |> map(\x. x * 2) in
                    xs |> reduce(\acc x. acc + (d |> map(\y. y * x) |> reduce_seq(add, 0)), 0))",
           1},
          // As the array of accumulators, or the value that it starts with: loops go over both.
          {R"(let d = small |> map(\x. x * 2) in rows |>
                    reduce(\acc r. zip(acc, r) |> map(\p. p.0 + p.1 * d[2]), generate(7, \i. 0.0)))",
           1},
          {R"(let d = small |> map(\x. x * 2) in rows |>
                    reduce(\acc r. zip(acc, r) |> map(\p. p.0 + p.1), d))",
           2},
          {R"(let d = small |> map(\x. x * 2) in rows |>
                    reduce(\acc r. acc |> map(\p. p + r[3]), d |> pad(1, 1, clamp) |> drop(1, 1)))",
           2},
          {R"(let d = small |> map(\x. x * 2) in rows |> reduce(\acc r. acc |> map(\p. p + r[3]), d))", 2},
          {R"(let d = small |> map(\x. x * 2) in interleave(d |> map(\x. x + 1), d |> map(\x. x - 1)))", 1},
      });
  // At a position that is known when the kernel runs, and under a loop of so many iterations.
  for (const std::int64_t k : {0, 3, 6}) {
    const std::string known = few + "index k in 0 .. 6 = 3\n";
    check_all(known, {{R"(let d = small |> map(\x. x * 2) in xs |> map(\x. x + d[k]))", 1}}, {{"k", k}});
    check_all(
        known,
        {{R"(let d = small |> map(\x. x * 2) in xs |> take(k) |> map(\x. x * d[0]) |> reduce(add, 0))", 0},
         {R"(let d = small |> map(\x. x * 2) in xs |> take(k) |>
                   reduce(\acc x. acc + (zip(d, other) |> map(\p. p.0 * p.1 - x) |> reduce(add, 0)), 0))",
          0}},
        {{"k", k}});
  }
}

TEST_CASE("parts of a named tuple as results, each once, twice, or beside all of it") {
  const std::string large = "param xs : 1200.f64\n";
  const std::string both = R"(let t = unzip(xs |> map(\x. {x * 2, x + 1})) in )";
  for (const auto& [results, arrays] : {std::pair{"{t.1, t.0}", 0},
                                        {"{t.0, t.0}", 1},
                                        {"t.0", 1},
                                        {"{t.0, t}", 0},
                                        {"{t, t.0}", 0},
                                        {R"({t.0, t.1 |> map(\x. x - 1)})", 2},
                                        {R"({t.1 |> map(\x. x - 1), t.0})", 2}}) {
    CAPTURE(results);
    CHECK(arrays_made(run_text(large + "result = " + both + results)) == arrays);
    run_text("param xs : 12.f64\nresult = " + both + results);
  }
}

TEST_CASE("zipped arrays with a name, alone, of arguments and of numbers") {
  for (const char* zipped : {"zip(xs, ys)", "zip(xs, iota(12))", "zip(iota(12), xs)"})
    CHECK(arrays_made(run_text("param xs, ys : 12.f64\nresult = let z = " + std::string(zipped) + " in z")) ==
          0);
}

TEST_CASE("a tuple of values that say where they are stored") {
  const Kernel k = run_text(R"(
param xs : 12.f64
result = let t = {to_private(xs |> map(\x. x * 2)), to_private(xs |> map(\x. x + 1))} in
  t.0 |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] + t.1[3] - w[2]))");
  CHECK(arrays_made(k) == 2);
}

TEST_CASE("a named value beside an iteration of tuples lies where its result goes") {
  const Kernel k = run_text(R"(
param xs : 400.f64
result = let a = xs |> map(\x. x * 2) in
  let s = iterate(3, \s. {s.1, s.0 |> map(\x. x + 1)}, {xs, xs}) in {a, s.0})");
  const auto stored_in_result = [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    return x && x->array == k.results[0];
  };
  int stores = 0;
  visit(k.body, [&](const Stmt& s) { stores += stored_in_result(s); });
  CHECK(stores == 1);  // no copy of an array of its own, which would be a second loop
  visit(k.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    if (x && x->array == k.results[0]) CHECK(x->value->op == Op::Mul);
  });
}

TEST_CASE("steps in place of a named value that is stored as a result") {
  const Kernel k = run_text(R"(
param xs : 400.f64
result = let a = to_global(xs |> map(\x. x * 2)) in
  let y = iterate(3, \s. update_in_place(s, 1, s |> map(\x. x + 1) |> drop(1, 1)), a) in
  {y, y |> map(\x. x - 1)})");
  CHECK(arrays_made(k) == 0);
}

TEST_CASE("a small value is stored where it says so, and not twice") {
  const Kernel k = run_text(R"(
param xs : 12.f64
result = let v = to_global(xs |> map(\x. x * 2)) in {v, v |> map(\x. x + 1)})");
  CHECK(arrays_made(k) == 0);
  CHECK(count<Store>(k.body) == 2);
}

TEST_CASE("scalars and tuples of them that say where they are stored are variables") {
  check_all("param xs : 40.f64\n",
            {
                {R"(xs |> map(\y. let s = to_private(y * y) in s + s * y))", 0},
                {R"(xs |> map(\y. let s = to_private(xs[0]) in s + s * y))", 0},
                {R"(xs |> map(\y. let s = to_private(xs |> reduce(\a x. {a.0 + x, max(a.1, x)},
                    {0.0, 1.0})) in s.0 + s.1 * y))",
                 0},
                {R"(xs |> map(\x. iterate(3, \y. y * 0.5 + x, x)))", 0},
            });
}

TEST_CASE("functions applied to arguments, as they may stand in programs that no builder has made") {
  const Expr xs = param("xs", array({40}, f64)), ys = param("ys", array({40}, f64)),
             rows = param("rows", array({6, 40}, f64));
  const auto applied = [](const Expr& f, const std::vector<Expr>& arguments) {
    std::vector<Expr> all{f};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return make(Op::Apply, all);
  };
  const auto twice = [](const Expr& x) { return x * 2.0; };
  const auto smoothed = [](const Expr& x) {
    return x | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return w[0] - w[1] + w[2]; });
  };
  // One argument is a value with a name: it is stored once.
  const Kernel one = test::run(test::program({xs}, applied(fun(xs.type(), smoothed), {xs | map(twice)})));
  CHECK(arrays_made(one) == 1);
  CHECK(arrays_made(test::run(test::program({xs}, let(xs | map(twice), smoothed)))) == 1);
  // Several are looked at where they are used.
  const Expr sums = fun({xs.type(), ys.type()}, [](Expr a, Expr b) {
    return zip({a, b}) | map([](Expr x, Expr y) { return x + y; });
  });
  CHECK(arrays_made(test::run(test::program({xs, ys}, applied(sums, {xs | map(twice), ys})))) == 0);
  CHECK(arrays_made(test::run(test::program(
            {xs, ys},
            applied(sums, {scan(fun({f64, f64}, [](Expr a, Expr b) { return a + b; }), literal(0, f64), xs),
                           ys})))) == 1);
  // Below a place of which borders are left out: nothing is computed there.
  const Expr named = rows |
                     map([&](Expr row) { return applied(fun(row.type(), smoothed), {row | map(twice)}); }) |
                     drop(2, 1);
  const Kernel guarded = test::run(test::program({rows}, named));
  test::LoopRunner loops;
  loops.arrays["rows"] = test::numbers(rows.type(), 1);
  loops.arrays[guarded.results[0]].resize(3 * 40);
  loops.run(guarded);
  CHECK(loops.loads["rows"] == 3 * 40);
}

}  // namespace lift::named_values_test
