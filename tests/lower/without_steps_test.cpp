// Programs without what they keep in between, and their traffic twins: which elements of which arrays are
// read. An element is read where some result is no number as soon as the element is none.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "lower/lower.hpp"
#include "lower/passes/pipeline.hpp"
#include "tests/lower/elements_read.hpp"
#include "tests/lower/small_stages.hpp"

namespace lift::without_steps_test {
namespace {

using namespace test::elements_read;
using namespace test::small_stages;

const Expr half = param("half", array({12}, f32));

Expr of_index(const Expr& i) { return cast(f64, i) * 2.0; }
/// Two numbers of each, apart.
Expr two(const Expr& r) {
  return unzip(r | map([](Expr v) { return tuple({v * 2.0, v + 1.0}); }));
}

Program program(const Expr& body, std::vector<std::string> overwritable = {}) {
  return test::program(params_of(body), body, std::move(overwritable));
}

struct Case {
  const char* what;
  Expr body;
  /// ElementsRead that a twin reads of each array: a load of each class, at each element of the results.
  std::map<std::string, std::size_t> twin;
  std::vector<std::string> overwritable = {};
  ElementsRead more = {};  ///< without steps, which the program does not read
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Program p = program(c.body, c.overwritable);
    const Kernel without = lower_without_steps(p), twin = lower_traffic_twins(p).front();
    INFO(c.what << "\n" << str(without) << str(twin));
    for (const Kernel* k : {&without, &twin}) {
      CHECK(std::none_of(k->arguments.begin(), k->arguments.end(),
                         [](const KernelArgument& a) { return a.work; }));
      CHECK_FALSE(holds(k->body, [](const Stmt& s) { return std::holds_alternative<Allocate>(s.v); }));
    }
    ElementsRead all = read_by_program(p);
    for (const auto& [name, elements] : c.more) all[name].insert(elements.begin(), elements.end());
    CHECK(read_by_results(p, finish(without, {})) == all);
    std::map<std::string, std::size_t> counts;
    for (const auto& [name, elements] : read_by_results(p, twin)) {
      counts[name] = elements.size();
      CHECK(std::includes(all[name].begin(), all[name].end(), elements.begin(), elements.end()));
    }
    CHECK(counts == c.twin);
  }
}

}  // namespace

TEST_CASE("without steps the elements are read that the program reads, and nothing is kept") {
  const auto beside_y = [](const Expr& t) { return zip({smoothed(t), y | drop(1, 1)}) | map(plus); };
  const Expr indices = generate({Nat(12)}, of_index);
  const Expr scanned = x | scan(plus, literal(0, f64));
  check({
      {"a scan", scanned, {{"x", 12}}},
      {"of a scan", let(scanned, smoothed), {{"x", 10}}},
      {"a stage", let(doubled(x), smoothed), {{"x", 10}}},
      {"a row's own stage", m | map([](Expr r) { return let(doubled(r), smoothed); }), {{"m", 16}}},
      {"rows", let(m | map(doubled), [](Expr t) { return t | map(smoothed); }), {{"m", 16}}},
      {"columns", let(m | map(doubled), [](Expr t) { return transpose(t) | map(smoothed); }), {{"m", 24}}},
      {"beside a result",
       let(two(x),
           [](Expr p) {
             return tuple({get(0, p), smoothed(get(1, p))});
           }),
       {{"x", 12}}},
      {"in another order", let(reverse(doubled(x)), smoothed), {{"x", 10}}},
      {"beside what is not kept", let(doubled(x), beside_y), {{"x", 10}, {"y", 10}}},
      {"of another type",
       let(half | map([](Expr v) { return cast(f64, v) * 2.0; }), smoothed),
       {{"half", 10}}},
      {"of no array", let(indices, beside_y), {{"y", 10}}},
      {"of no array at all", let(indices, smoothed), {}},
      {"of no array, stored",
       let(update(indices, {Nat(0)}, generate({Nat(3)}, of_index)), beside_y),
       {{"y", 10}}},
      // Each of several in a row is made of the row's number; rows of another length of the same number.
      {"joined",
       let(join(x | map([](Expr v) { return generate({Nat(3)}, [=](Expr) { return v * 2.0; }); })), smoothed),
       {{"x", 12}}},
      {"split",
       let(x | map([](Expr) { return y[0] * 2.0; }) | split(4), [](Expr t) { return t | map(smoothed); }),
       {{"y", 1}}},
      // An array that only the border is made of is read as the border is.
      {"a border of another array",
       let(update(doubled(x), {Nat(0)}, y | take(1) | map(twice)), smoothed),
       {{"x", 10}, {"y", 1}},
       {},
       {{"x", {0}}}},
      {"results in rows of others",
       let(m | map(doubled), [](Expr t) { return join(t | map(smoothed)) | split(8); }),
       {{"m", 16}}},
      {"results at the ends of which some are left out",
       let(m | map(doubled), [](Expr t) { return join(t | map(smoothed)) | drop(1, 2); }),
       {{"m", 13}}},
      {"one number", x[3] * 2.0, {{"x", 1}}},
      {"in place", update(x, {Nat(0)}, doubled(x)), {{"x", 12}}, {"x"}},
  });
}

TEST_CASE("guards of results that lack other elements stay around what is read for them") {
  const auto cut = [](const Expr& low, const Expr& high) { return tuple({low, high}); };
  const auto apart = [](const Expr& r) {
    return tuple({doubled(r), r | map([](Expr v) { return v + 1.0; })});
  };
  check({
      {"elements",
       let(doubled(x),
           [&](Expr t) {
             return let(two(smoothed(t)),
                        [&](Expr p) { return cut(get(0, p) | drop(3, 0), get(1, p) | drop(0, 4)); });
           }),
       {{"x", 10}}},
      {"rows",
       let(m | map(doubled),
           [&](Expr t) {
             return let(unzip(t | map([&](Expr r) { return apart(smoothed(r)); })),
                        [&](Expr p) { return cut(get(0, p) | drop(1, 0), get(1, p) | drop(0, 2)); });
           }),
       {{"m", 16}}},
      {"columns",
       let(m | map(doubled),
           [&](Expr t) {
             return let(unzip_n(2, t | map2([](Expr v) {
                                     return tuple({v * 2.0, v + 1.0});
                                   })),
                        [&](Expr p) {
                          return cut(get(0, p) | drop({0, 1}, {0, 0}), get(1, p) | drop({0, 0}, {0, 2}));
                        });
           }),
       {{"m", 24}}},
  });
}

TEST_CASE("twins of booleans read what they are made of") {
  const auto choice = [](const Expr& w) {
    return select(w[0], literal(1, f64), select(w[2], literal(2, f64), literal(3, f64)));
  };
  const Expr less = zip({x, y}) | map([](Expr v, Expr w) { return v < w; });
  const Program kept = program(let(less, [&](Expr t) { return t | slide(3, 1) | map(choice); }));
  const ElementsRead read = read_by_results(kept, lower_traffic_twins(kept).front());
  CHECK(read.at("x").size() == 10);
  CHECK(read.at("y").size() == 10);
  const Expr at = param("at", array({12}, i32));
  auto loads = loads_of_twin(program(at | map([](Expr i) { return gather(i, x, clamp) < 0.5; })));
  CHECK(loads["x"] >= 12);
}

TEST_CASE("twins read positions that are kept, and positions of positions") {
  const Expr at = param("at", array({20}, i32)), by = param("by", array({9}, i32));
  const auto both = [](const Expr& values) {
    return [=](const Expr& w) { return gather(w[0], values, clamp) + gather(w[2], values, clamp); };
  };
  const Expr next = at | map([](Expr i) { return i + 1; });
  auto loads = loads_of_twin(program(let(next, [&](Expr t) { return t | slide(3, 1) | map(both(x)); })));
  CHECK(loads["at"] >= 18);
  CHECK(loads["x"] >= 12);
  loads = loads_of_twin(program(let(doubled(x), [&](Expr q) {
    return let(next, [&](Expr t) { return t | slide(3, 1) | map(both(q)); });
  })));
  CHECK(loads["at"] >= 18);
  CHECK(loads["x"] >= 12);
  loads = loads_of_twin(program(at | map([&](Expr i) { return gather(gather(i, by, clamp), x, clamp); })));
  CHECK(loads["at"] == 20);
  CHECK(loads["by"] >= 9);
  CHECK(loads["x"] >= 12);
}

TEST_CASE("twins add up each row of a sum that is lost once, and what several results have in common once") {
  const Expr rows = param("rows", array({6, 40}, f64)), square = param("square", array({40, 40}, f64));
  // Sums of rows i and i + 1, for five i, and their first elements for the results.
  const auto pairs = [](const Expr& w) { return tuple({w[0] + w[1], w[0] * w[1]}); };
  CHECK(loads_of_twin(program(let(rows | map(total), [&](Expr s) {
          return unzip(s | slide(2, 1) | map(pairs));
        }))).at("rows") == 5 * 40 + 5);
  // A loop goes along the diagonal, not over the square.
  const Expr diagonal = iota(9) | map([&](Expr k) {
                          return total(generate({Nat(40)}, [&](Expr j) {
                            return gather({j, j}, square, clamp) * cast(f64, k);
                          }));
                        });
  CHECK(loads_of_twin(program(let(diagonal, sums_of_two))).at("square") == 40 + 8);
  // An array that is added up in place is computed from itself.
  const Expr many = param("many", array({300, 40}, f64));
  CHECK(loads_of_twin(program(let(sums_of_columns(many), smoothed))).at("many") >= 38);
}

TEST_CASE("of a loop that is lost, and whose range is no number, the first element stands for all") {
  const Nat n = Nat::size("n");
  const Expr rows = param("rows", array({Nat(6), n}, f64));
  const auto loads = [](const Expr& e) {
    const Kernel k = lower_traffic_twins(program(e)).front();
    CHECK(
        std::none_of(k.arguments.begin(), k.arguments.end(), [](const KernelArgument& a) { return a.work; }));
    std::string all;
    visit_terms(k.body, [&](const Term& t) {
      if (t->kind == TermKind::Load) all += str(t) + " ";
    });
    return all;
  };
  const auto repeated = join(x | map([&](Expr v) { return generate({n}, [=](Expr) { return v * 2.0; }); }));
  CHECK(str(lower_without_steps(program(let(repeated, smoothed))).body) ==
        "for i in [0, 12*n - 2)\n  out[i] = add(x[min(11, i / n)], x[min(11, (i + 2) / n)])\n");
  CHECK(loads(let(rows | map(total), sums_of_two)) == "rows[i*pitch] ");
  CHECK(loads(x | map([&](Expr v) { return v + at({n - 1}, x); })).find("x[0]") != std::string::npos);
}

}  // namespace lift::without_steps_test
