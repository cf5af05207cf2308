// Which elements programs without steps and their traffic twins read: all that the program reads. An element
// is read where some result, or sum, is no number as soon as the element is none.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <set>

#include "ir/expr/build.hpp"
#include "lower/lower.hpp"
#include "lower/passes/pipeline.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::twin_loads_test {
namespace {

const Expr x = param("x", array({12}, f64)), y = param("y", array({12}, f64)),
           m = param("m", array({4, 6}, f64)), w = param("w", array({4, 6}, f64));

Expr plus(const Expr& a, const Expr& b) { return a + b; }
Expr twice(const Expr& v) { return v * 2.0; }
Expr doubled(const Expr& r) { return r | map(twice); }
Expr total(const Expr& r) { return reduce(fun({f64, f64}, plus), literal(0, f64), r); }
Expr smoothed(const Expr& r) {
  return r | slide(3, 1) | map([](Expr w) { return w[0] + w[2]; });
}

using Elements = std::map<std::string, std::set<std::size_t>>;
using Arrays = std::map<std::string, std::vector<double>>;

/// By what computes numbers of arrays.
Elements read(const Program& p, const std::function<std::vector<double>(const Arrays&)>& computed) {
  Arrays given;
  for (const Expr& a : p.arguments) given[param_name(a)].assign(test::numbers(a.type(), 1).size(), 1);
  Elements r;
  for (const auto& [name, values] : given)
    for (std::size_t e = 0; e < values.size(); ++e) {
      Arrays changed = given;
      changed[name][e] = std::nan("");
      const std::vector<double> all = computed(changed);
      if (std::any_of(all.begin(), all.end(), [](double v) { return std::isnan(v); })) r[name].insert(e);
    }
  return r;
}
Elements read_by_program(const Program& p) {
  return read(p, [&](const Arrays& given) {
    Interpreter in;
    for (const Expr& a : p.arguments)
      in.params[param_name(a)] = make_array(given.at(param_name(a)), a.type());
    std::vector<double> all;
    for (const auto& one : flatten_components(in.eval(p.body), p.body.type()))
      all.insert(all.end(), one.begin(), one.end());
    return all;
  });
}
Elements read_by_kernel(const Program& p, const Kernel& k) {
  return read(p, [&](const Arrays& given) {
    test::LoopRunner loops;
    for (const KernelArgument& a : k.arguments)
      loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), 77);
    for (const auto& [name, values] : given) loops.arrays[name] = values;
    loops.run(k);
    std::vector<double> all;
    for (const KernelArgument& a : k.arguments)
      if (a.written) all.insert(all.end(), loops.arrays[a.name].begin(), loops.arrays[a.name].end());
    return all;
  });
}
Program program(const Expr& body) { return test::program(params_of(body), body); }
/// Of the first twin.
std::map<std::string, std::size_t> loads(const Program& p) {
  const Kernel k = lower_traffic_twins(p).front();
  test::LoopRunner loops;
  for (const KernelArgument& a : k.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), 1);
  loops.run(k);
  return loops.loads;
}

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
    const Elements all = read_by_program(p);
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
  const Expr columns = reduce(fun({array({40}, f64), array({40}, f64)},
                                  [](Expr a, Expr r) {
                                    return zip({a, r}) | map(plus);
                                  }),
                              generate({Nat(40)}, [](Expr) { return literal(0, f64); }), many);
  const std::size_t all = loads(program(let(columns, smoothed))).at("many");
  CHECK(all >= 300 * 38);
  CHECK(all <= 300 * 40 + 2 * 38);  // the first row is there for the results, too
  // A class of loads is added up once: sums of neighbouring rows read the same ones.
  const auto next = [](const Expr& s) { return s | slide(2, 1) | map([](Expr w) { return w[0] + w[1]; }); };
  CHECK(loads(program(let(many | map(total), next))).at("many") == 299 * 40 + 299);
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
  CHECK(loads(program(x | map([](Expr v) { return v < 0.5; }))) == Loads{{"x", 12}});
  CHECK(loads(program(zip({x, y}) | map([](Expr u, Expr v) { return u < v; }))) ==
        Loads{{"x", 12}, {"y", 12}});
  CHECK(loads(program(b | map([](Expr v) { return !v; }))) == Loads{{"b", 12}});
  CHECK(loads(program(zip({x, b}) | map([](Expr u, Expr v) { return v && u < 0.5; }))) ==
        Loads{{"x", 12}, {"b", 12}});
  CHECK(loads(program(at | map([&](Expr i) { return gather(i, x, clamp) < 0.5; }))).at("at") == 12);
}

TEST_CASE("what changes in inner loops is added last in twins: the rest is computed once") {
  const std::string twin = str(lower_traffic_twins(program(zip({m, y | take(4)}) | map([](Expr r, Expr v) {
                                                             return r | map([=](Expr u) { return u * v; });
                                                           })))
                                   .front());
  CHECK_MESSAGE(twin.find("add(y[j], m[") != std::string::npos, twin);
}

}  // namespace lift::twin_loads_test
