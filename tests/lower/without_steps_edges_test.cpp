// Kept arrays whose elements are hard to trace back to what they are made of: which rows and elements are
// read without them, where their dimensions lie in another order, are joined of remainders or begin
// elsewhere.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "lower/lower.hpp"
#include "lower/passes/passes.hpp"
#include "lower/passes/pipeline.hpp"
#include "tests/lower/elements_read.hpp"
#include "tests/lower/small_stages.hpp"

namespace lift::without_steps_edges_test {
namespace {

using namespace test::elements_read;
using namespace test::small_stages;

Program program(const Expr& body) { return test::program(params_of(body), body); }
Expr rows_doubled(const Expr& t) { return t | map(doubled); }
Expr rows_smoothed(const Expr& t) { return t | map(smoothed); }

/// The rows of m that each result is made of, with all values of indices that no loop is there for.
std::vector<std::set<std::int64_t>> rows_of_results(const Kernel& k) {
  std::vector<std::set<std::int64_t>> all;
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    if (!f) return;
    for (std::int64_t i = *f->lower.constant(); i < *f->upper.constant(); ++i) {
      all.emplace_back();
      visit_terms(f->body, [&](const Term& t) {
        if (t->kind != TermKind::Load) return;
        const Nat row = substitute(t->nats[0], f->var, i);
        const auto ends = Facts().bounds(row);
        REQUIRE(ends.lower);
        REQUIRE(ends.upper);
        for (std::int64_t r = *ends.lower; r <= *ends.upper; ++r) all.back().insert(r);
      });
    }
  });
  return all;
}

/// What the twins of a program load, as text.
std::set<std::string> loads_of(const Expr& e) {
  std::set<std::string> all;
  visit_terms(lower_traffic_twins(program(e)).front().body, [&](const Term& t) {
    if (t->kind == TermKind::Load) all.insert(str(t));
  });
  return all;
}

}  // namespace

TEST_CASE("without steps edges: rows that are stored in another order, backwards or in part are those read") {
  const Expr low = param("low", array({2, 8}, f64)), tall = param("tall", array({4, 8}, f64));
  const auto joined = [](const Expr& t, int first, int last) {
    return let(rows_doubled(t),
               [=](Expr d) { return transpose(join(rows_smoothed(d)) | drop(first, last) | split(6)); });
  };
  struct Case {
    std::string what;
    Expr body;
  };
  const std::vector<Case> cases{
      // The index of the inner loop counts most.
      {"joined columns of rows", let(join(transpose(rows_doubled(m))), smoothed)},
      // What falls counts from the end of its range, which depends on the row.
      {"rows reversed but for their ends",
       let(join(m | map([](Expr r) { return reverse(doubled(r)); })) | drop(2, 3), smoothed)},
      // Where the columns of a row begin, or end, depends on the row: the loop over rows stays the outer one.
      {"columns of the rows that are left", joined(low, 6, 0)},
      {"columns of the rows that are left, of which some have none", joined(tall, 6, 0)},
      {"columns of the rows but for the last", joined(low, 0, 6)},
  };
  for (const Case& c : cases) {
    const Program p = program(c.body);
    const Kernel without = lower_without_steps(p), twin = lower_traffic_twins(p).front();
    INFO(c.what << "\n" << str(without) << str(twin));
    const ElementsRead all = read_by_program(p);
    CHECK(read_by_results(p, finish(without, {})) == all);
    for (const auto& [name, elements] : read_by_results(p, twin)) {  // one of each class
      CHECK(std::includes(all.at(name).begin(), all.at(name).end(), elements.begin(), elements.end()));
      CHECK(3 * elements.size() >= all.at(name).size());
    }
  }
}

TEST_CASE("without steps edges: of rows joined of remainders each result is made of its own row") {
  const Expr e = let(join(m | map([](Expr r) { return transpose(doubled(r) | split(2)); })), rows_smoothed);
  const Kernel k = lower_without_steps(program(e));
  INFO(str(k));
  // Two results a row: of its even columns, and of its odd ones.
  CHECK(rows_of_results(k) == std::vector<std::set<std::int64_t>>{{0}, {0}, {1}, {1}, {2}, {2}, {3}, {3}});
  // Odd columns before even ones: what is taken away counts from its largest value.
  const Kernel falling = lower_without_steps(
      program(let(join(m | map([](Expr r) { return transpose(reverse(doubled(r)) | split(2)); })),
                  [](Expr t) { return t | drop(0, 1) | map([](Expr w) { return w[0] + w[1]; }); })));
  INFO(str(falling));
  CHECK(rows_of_results(falling) == std::vector<std::set<std::int64_t>>{{0}, {0}, {1}, {1}, {2}, {2}, {3}});
}

TEST_CASE("without steps edges: where a row begins is not known, any of its elements may be the one") {
  // Even columns, then odd ones, all of them backwards: how far from the end of a row depends on its length.
  const Nat c = Nat::size("c");
  const Expr rows = param("rows", array({Nat(4), 2 * c}, f64));
  const Kernel k = lower_without_steps(program(let(
      reverse(join(rows | map([](Expr r) { return join(transpose(doubled(r) | split(2))); }))), smoothed)));
  INFO(str(k));
  const Nat& i = std::get<For>(k.body.at(0).v).var;
  int loads = 0;
  visit_terms(k.body, [&](const Term& t) {
    if (t->kind != TermKind::Load) return;
    ++loads;
    for (const Nat& n : t->nats) {
      CHECK(!mentions(n, i));
      CHECK(variables(n).size() == 1);
    }
    const Facts::Interval row = Facts().bounds(t->nats[0]);
    CHECK(row.lower == 0);
    CHECK(row.upper == 3);
  });
  CHECK(loads == 1);  // both neighbours are any of them
}

TEST_CASE("without steps edges: the sum of a row that a kept array is made of is added up once") {
  const Expr rows = param("rows", array({4, 40}, f64)), w = param("w", array({4, 12}, f64));
  const Expr e = zip({rows, w}) | map([](Expr r, Expr q) {
                   return let(total(r), [=](Expr s) {
                     return let(q | map([=](Expr v) { return s + v; }),
                                [=](Expr t) { return smoothed(t) | map([=](Expr u) { return u * s; }); });
                   });
                 });
  const Program p = program(e);
  Kernel k = lower_without_steps(p);
  INFO(str(k));
  linearise(k);
  auto loads = ran(k, 1).loads;
  CHECK(loads["rows"] == 4 * 40);
  CHECK(loads["w"] == 4 * 10 * 2);
  CHECK(read_by_results(p, k) == read_by_program(p));
}

TEST_CASE("without steps edges: of very many elements of kept arrays the first ones are looked at") {
  // Sums of n neighbours, written out.
  const auto sums_of = [](int n) {
    return map([n](Expr r) {
      Expr sum = r[0];
      for (int k = 1; k < n; ++k) sum = sum + r[k];
      return sum;
    });
  };
  constexpr int each = 20, results = 2, stages = 61;
  const Expr wide = param("wide", array({each * each * results}, f64));
  const std::function<Expr(Expr, int)> chain = [&](const Expr& t, int more) {
    return more == 0 ? t : let(doubled(t), [&, more](Expr u) { return chain(u, more - 1); });
  };
  const auto made = [&](int more) {
    return let(doubled(wide), [&, more](Expr t) {
      return let(t | split(each) | sums_of(each),
                 [&, more](Expr u) { return chain(u | split(each) | sums_of(each), more); });
    });
  };
  // 24000 elements are shared among the kept arrays; of the first one 400 a result are read.
  const auto elements_of_a_result = [&](int more) {
    std::set<std::string> all;
    const Kernel k = lower_without_steps(program(made(more)));
    visit_terms(k.body, [&](const Term& t) {
      if (t->kind != TermKind::Load) return;
      CHECK(t->name == "wide");
      all.insert(str(t));
    });
    return all.size();
  };
  CHECK(elements_of_a_result(2) == each * each);
  const std::size_t some = elements_of_a_result(stages);
  CHECK(some <= 24000 / stages + 2);
  CHECK(some >= 24000 / (stages + 4));
}

TEST_CASE("without steps edges: elements of rows of unknown length are stood for by the first that is kept") {
  const Nat n = Nat::size("without_steps_edges_n", 8);
  const Expr rows = param("rows", array({Nat(6), n}, f64));
  // Elements of a row from the end on, and which are left out depends on the row.
  CHECK(loads_of(let(join(rows | map([](Expr r) { return reverse(doubled(r)); })) | drop(2, 3), smoothed)) ==
        std::set<std::string>{"rows[0]"});
  // Neither where a row begins is a number: of the first one it is its third element.
  CHECK(loads_of(let(join(transpose(join(rows_doubled(m)) | drop(2, 2) | split(4))), smoothed)) ==
        std::set<std::string>{"m[2]"});
}

TEST_CASE("without steps edges: twins read at a boundary what only a name is made of") {
  const auto named = [](const Expr& w) { return let(w[0] * 2.0, [](Expr s) { return s * s + s; }); };
  const Program p = program(x | pad(1, 1, clamp) | slide(3, 1) | map(named));
  const ElementsRead all = read_by_program(p);
  REQUIRE(all.at("x").size() == 11);  // the last one is no left neighbour
  for (const Kernel& k : lower_traffic_twins(p)) CHECK(read_by_results(p, k) == all);
}

}  // namespace lift::without_steps_edges_test
