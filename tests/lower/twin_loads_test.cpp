// Which elements programs without steps and their traffic twins read: all that the program reads. An element
// is read where some result, or sum, is no number as soon as the element is none.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "lower/lower.hpp"
#include "lower/passes/pipeline.hpp"
#include "tests/lower/elements_read.hpp"
#include "tests/lower/small_stages.hpp"

namespace lift::twin_loads_test {
namespace {

using namespace test::elements_read;
using namespace test::small_stages;

const Expr w = param("w", array({4, 6}, f64));

/// Of sums, too.
ElementsRead read_by_kernel(const Program& p, const Kernel& k) {
  return read(p, [&](const Arrays& given) {
    test::LoopRunner loops = ran(k, 77, given);
    std::vector<double> all;
    for (const KernelArgument& a : k.arguments)
      if (a.written) all.insert(all.end(), loops.arrays[a.name].begin(), loops.arrays[a.name].end());
    return all;
  });
}
Program program(const Expr& body) { return test::program(params_of(body), body); }

struct Case {
  std::string what;
  Expr body;
};
/// Without steps all elements are read that the program reads, and by the twin too, but for those that others
/// of their class stand for, at an end.
void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Program p = program(c.body);
    const Kernel without = lower_without_steps(p), twin = lower_traffic_twins(p).front();
    INFO(c.what << "\n" << str(without) << str(twin));
    const ElementsRead all = read_by_program(p);
    CHECK(read_by_kernel(p, finish(without, {})) == all);
    for (const auto& [name, elements] : read_by_kernel(p, twin)) {
      CHECK(std::includes(all.at(name).begin(), all.at(name).end(), elements.begin(), elements.end()));
      CHECK(3 * elements.size() >= 2 * all.at(name).size());
    }
  }
}

}  // namespace

TEST_CASE("of a kept array that is stored joined or split those elements are read that the program reads") {
  const auto rows_doubled = [](const Expr& t) { return t | map(doubled); };
  const auto of_rows = [](const Expr& t) { return t | map(smoothed); };
  const Expr joined = join(rows_doubled(m));
  check({
      {"joined", let(joined, smoothed)},
      {"columns, joined", let(join(rows_doubled(transpose(m))), smoothed)},
      {"each row reversed", let(join(m | map([](Expr r) { return reverse(doubled(r)); })), smoothed)},
      {"reversed", let(reverse(joined), smoothed)},
      {"but for its ends", let(joined | drop(2, 3), smoothed)},
      {"rows but for their ends",
       let(join(m | map([](Expr r) { return doubled(r) | drop(1, 1); })), smoothed)},
      {"twice", let(join(m | map([&](Expr r) { return join(rows_doubled(r | split(2))); })), smoothed)},
      {"in rows of others", let(joined | split(8), of_rows)},
      {"split", let(doubled(x) | split(4), of_rows)},
      {"split, but for its ends", let(doubled(x) | drop(1, 3) | split(4), of_rows)},
      {"split with a border", let(doubled(x) | pad(2, 2, wrap) | split(4), of_rows)},
      {"split twice", let(doubled(x) | split(6) | map([](Expr r) { return r | split(3); }),
                          [&](Expr t) { return t | map(of_rows); })},
      {"in rows with an array of their own",
       let(m | map([](Expr r) { return let(doubled(r), [](Expr q) { return reverse(q); }); }), rows_doubled)},
  });
}

TEST_CASE("of an array that rows are added up in, twins read all rows, once") {
  const Expr many = param("many", array({300, 40}, f64));
  const std::size_t all = loads_of_twin(program(let(sums_of_columns(many), smoothed))).at("many");
  CHECK(all >= 300 * 38);
  CHECK(all <= 300 * 40 + 2 * 38);  // the first row is there for the results, too
  // A class of loads is added up once: sums of neighbouring rows read the same ones.
  CHECK(loads_of_twin(program(let(many | map(total), sums_of_two))).at("many") == 299 * 40 + 299);
}

TEST_CASE("twins read what named values and variables of a cell are made of") {
  const auto squares = [](const Expr& s) { return s * s + s; };
  const auto scaled = [](const Expr& by, const Expr& r) {
    return let(by, [=](Expr s) { return r | map([=](Expr v) { return s * v; }); });
  };
  const auto pairs = [](const std::function<Expr(Expr, Expr)>& f) { return zip({m, w}) | map(f); };
  const Expr kept = pairs([&](Expr r, Expr q) { return scaled(total(r), q); });
  check({
      {"a name", x | map([&](Expr v) { return let(v * 2.0, squares); })},
      {"of a kept array", let(x | map([&](Expr v) { return let(v * 2.0, squares); }), smoothed)},
      {"for a row", pairs([&](Expr r, Expr q) { return scaled(r[0] + r[3] * 2.0, q); })},
      {"an array for a row", m | map([](Expr r) {
                               return let(r | drop(0, 3) | map(twice),
                                          [](Expr s) { return s[0] * s[1] + s[2]; });
                             })},
      {"a sum for a row", kept},
      {"a sum for a row that is kept", let(kept, [](Expr t) { return t | map(smoothed); })},
  });
}

TEST_CASE("twins of booleans load what is compared, and positions") {
  const Expr b = param("b", array({12}, boolean)), at = param("at", array({12}, i32));
  using Loads = std::map<std::string, std::size_t>;
  CHECK(loads_of_twin(program(x | map([](Expr v) { return v < 0.5; }))) == Loads{{"x", 12}});
  CHECK(loads_of_twin(program(zip({x, y}) | map([](Expr u, Expr v) { return u < v; }))) ==
        Loads{{"x", 12}, {"y", 12}});
  CHECK(loads_of_twin(program(b | map([](Expr v) { return !v; }))) == Loads{{"b", 12}});
  CHECK(loads_of_twin(program(zip({x, b}) | map([](Expr u, Expr v) { return v && u < 0.5; }))) ==
        Loads{{"x", 12}, {"b", 12}});
  CHECK(loads_of_twin(program(at | map([&](Expr i) { return gather(i, x, clamp) < 0.5; }))).at("at") == 12);
}

TEST_CASE("what changes in inner loops is added last in twins: the rest is computed once") {
  const std::string twin = str(lower_traffic_twins(program(zip({m, y | take(4)}) | map([](Expr r, Expr v) {
                                                             return r | map([=](Expr u) { return u * v; });
                                                           })))
                                   .front());
  CHECK_MESSAGE(twin.find("add(y[j], m[") != std::string::npos, twin);
}

}  // namespace lift::twin_loads_test
