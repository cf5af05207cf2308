// Values and conditions that are loaded once, of arrays that change afterwards: in loops they are asked anew,
// over a grid refused; updates that may not be in place.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "ir/text/parse.hpp"
#include "lower/launches.hpp"
#include "lower/passes/passes.hpp"
#include "lower/passes/pipeline.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/message.hpp"

namespace lift::loaded_once_test {
namespace {

const Nat first = Nat::fresh("first", 0, 3);
const Term h = local_term("h", f64);

Expr plus(const Expr& a, const Expr& b) { return a + b; }
Expr twice(const Expr& v) { return v * 2.0; }
Expr doubled(const Expr& r) { return r | map(twice); }
Expr inner(const Expr& r) { return r | drop(1, 1); }

template <class F>
Expr glb(F f, const Expr& x, std::int64_t dim = 0) {
  return map_with(Op::MapGlb, 1, function_of(x.type().element(), f), x, {dim, 1, 0, 0});
}
Expr in_place(const Expr& base, const Expr& block) {
  return make(Op::UpdateInPlace, {base, block}, update(base, {Nat(0)}, block).attr());
}
Term at(const char* array, const Nat& i) { return load_term(array, {i}, f64); }
Term sum(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }
Stmt put(const char* array, const Nat& i, const Term& value) { return {Store{array, {i}, value, false}}; }
Term under(const Term& a, double b) { return apply_term(Op::Lt, boolean, {a, constant_term(b, f64)}); }
Stmt loop(std::int64_t n, const std::function<Block(const Nat&)>& body, LoopKind kind = LoopKind::Seq) {
  For f;
  f.var = Nat::fresh("i", 0, n - 1), f.upper = n, f.kind = kind;
  f.body = body(f.var);
  return {std::move(f)};
}
Stmt items(const char* to, const std::function<Term(Nat)>& value) {
  return loop(
      8, [&](const Nat& i) { return Block{put(to, i, value(i))}; }, LoopKind::Glb);
}
/// Over arrays of eight numbers and `first`.
Kernel kernel(Block body) {
  const Type t = array({8}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  for (const char* name : {"a", "u", "v", "out"})
    k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  k.arguments.push_back({"first", i32, {}, false, true, {0, 3}});
  k.body = std::move(body);
  return k;
}
std::string refused(Kernel k) {
  return test::message<UserError>([&] {
    separate_launches(k);
    (void)split_launches(k);
  });
}
const char* const kLoaded = "of which an element has been loaded for all of them before";

/// What the loops of a program without decisions compute is what the program does.
void check_undecided(const Program& p) {
  const Kernel k = finish(lower_undecided(p), {});
  INFO(str(k));
  test::LoopRunner loops;
  Interpreter in;
  for (const KernelArgument& a : k.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), std::nan(""));
  for (const Expr& a : p.arguments) {
    loops.arrays[param_name(a)] = test::numbers(a.type(), 3);
    in.params[param_name(a)] = make_array(loops.arrays[param_name(a)], a.type());
  }
  const auto expected = flatten_components(in.eval(p.body), p.body.type());
  loops.run(k);
  REQUIRE(k.results.size() == expected.size());
  for (std::size_t n = 0; n < expected.size(); ++n) CHECK(loops.arrays.at(k.results[n]) == expected[n]);
  CHECK_NOTHROW((void)lower_traffic_twins(p));
}

}  // namespace

TEST_CASE("tighten-bounds: what memory says is asked in each iteration that may change it") {
  const auto after = [](const Kernel& k) {
    test::LoopRunner loops;
    for (const KernelArgument& a : k.arguments)
      if (a.type.is_array()) loops.arrays[a.name].assign(8, 1);
    loops.run(k);
    return loops.arrays;
  };
  const Term x = local_term("x", f64), one = constant_term(1, f64);
  const std::vector<Block> bodies{
      {loop(8,
            [&](const Nat&) {
              return Block{{If{{under(at("a", 3), 5)}, {put("a", 3, sum(at("a", 3), one))}}}};
            })},
      {{Declare{x, constant_term(0, f64)}}, loop(8, [&](const Nat& i) {
         return Block{{If{{under(x, 2)}, {{Assign{x, sum(x, one)}}, put("out", i, x)}}}};
       })}};
  for (const Block& b : bodies) {
    const Kernel k = kernel(b);
    Kernel tight = k;
    tight.body = tighten_bounds(k.body);
    INFO(str(tight));
    CHECK(after(tight) == after(k));
  }
  // A program: the sum stops at 1.
  const Program until = parse_program(R"(program until
param x : 6.1.f64
def stop_at_one(acc, r) = zip(acc, r) |> map_unroll(\(p, v). select(p < 1, p + v, p))
result y = x |> reduce_seq(stop_at_one, generate(1, \i. 0.0))
)");
  const Kernel k = lower(until);
  test::LoopRunner loops;
  for (const KernelArgument& a : k.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), 1);
  loops.run(k);
  CHECK_MESSAGE(loops.arrays.at(k.results[0]) == std::vector<double>{1}, str(k));
}

TEST_CASE("over a grid what is loaded once is refused where work-items store to it") {
  const Expr u = param("u", array({5, 9}, f64)), w = param("w", array({5, 9}, f64));
  const auto rows = [&](bool both) {
    const auto row = [=](Expr r, Expr y) {
      return let(r[3] * 3.0, [=](Expr s) {
        const auto add = [=](Expr x) { return x + s; };
        const Expr a = in_place(r, glb(add, r));
        return both ? tuple({a, glb(add, y)}) : a;
      });
    };
    return test::program({u, w}, glb([=](Expr p) { return row(get(0, p), get(1, p)); }, zip({u, w}), 1),
                         {"u"});
  };
  for (const bool both : {true, false})
    CHECK(test::message([&] { (void)lower(rows(both)); }).find(kLoaded) != std::string::npos);
  const Term few = compare_term(less(first, 2));
  const Stmt to_u = items("u", [](const Nat&i) { return sum(at("u", i), h); }),
             to_v = items("v", [](const Nat&i) { return sum(at("v", i), h); });
  const Stmt there = items("v", [](const Nat&i) { return sum(at("u", 7 - i), h); }),
             back = items("u", [](const Nat&i) { return at("v", i); });
  const Stmt turns = loop(3, [&](const Nat&) { return Block{there, back}; });
  const Stmt once{Let{h, at("u", 1)}};
  CHECK(refused(kernel({{If{{few}, {once, to_u, to_v}}}})).find(kLoaded) != std::string::npos);
  CHECK(refused(kernel({loop(2,
                             [&](const Nat&) {
                               return Block{{If{{few}, {once, to_u, to_v}}}};
                             })}))
            .find(kLoaded) != std::string::npos);
  CHECK(refused(kernel({{If{{few}, {once, turns}}}})).find(kLoaded) != std::string::npos);
  CHECK(refused(kernel({{If{{under(at("u", 1), 2)},
                            {items("u", [](const Nat& i) { return sum(at("u", i), at("a", i)); }),
                             items("out", [](const Nat& i) { return at("a", i); })}}}}))
            .find(kLoaded) != std::string::npos);
  // What no item stores to may be loaded for all.
  CHECK(refused(kernel({{If{{few}, {{Let{h, at("a", 1)}}, to_u, to_v}}}})) == "");
}

TEST_CASE("untransformed loops put no update in place whose result lies elsewhere") {
  const Expr x = param("x", array({9}, f64)), u = param("u", array({5, 9}, f64));
  const auto with = [](const Expr& r, const Expr& other) {
    return update(r, {1}, zip({inner(r), inner(other)}) | map(plus));
  };
  const Expr of_element = u | scan([&](Expr a, Expr r) { return with(r, a); }, x),
             of_before = u | scan([&](Expr a, Expr r) { return with(a, r); }, x);
  check_undecided(test::program({x, u}, of_element, {"u"}));
  check_undecided(test::program({x, u}, of_before, {"u"}));
  // A component of a tuple that has a name.
  const Expr y = param("y", array({9}, f64));
  const auto anew = [](const Expr& r) { return update(r, {1}, doubled(inner(r))); };
  const Expr pairs = unzip(x | map([](Expr v) { return tuple({v * 2.0, v + 1.0}); }));
  check_undecided(test::program({x, y},
                                let(pairs,
                                    [&](Expr p) {
                                      return tuple({anew(get(0, p)), doubled(get(1, p)), anew(y)});
                                    }),
                                {"y"}));
}

}  // namespace lift::loaded_once_test
