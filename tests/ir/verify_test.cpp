// Each rule of the verifier is broken once, and kept once where keeping it is close to breaking it.
#include <doctest/doctest.h>

#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/layout.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/verify.hpp"
#include "patterns/operators.hpp"

using namespace lift;

namespace verify_test {
namespace {

const Expr xs = param("xs", array({8}, f64)), m = param("m", array({4, 8}, f64));
const Expr twice = fun(Type(f64), [](Expr x) { return x * 2.0; });

Program program(const Expr& body, std::vector<std::string> overwritable = {}) {
  return {"p", {xs, m}, body, std::move(overwritable)};
}

/// Names of the rules that tests have broken.
std::set<std::string> broken_rules;

/// "" or what the verifier says, without its preamble.
std::string broken(const Program& p) {
  try {
    verify(p);
  } catch (const InternalError& e) {
    const std::string s = e.what(), preamble = "verify: p breaks the rule ";
    REQUIRE(s.rfind(preamble, 0) == 0);
    const std::string said = s.substr(preamble.size());
    broken_rules.insert(said.substr(0, said.find(':')));
    return said;
  }
  return "";
}
std::string broken(const Expr& body) { return broken(program(body)); }
void breaks(const Expr& body, const std::string& beginning) {
  const std::string got = broken(body);
  INFO(got);
  CHECK(got.rfind(beginning, 0) == 0);
}

Expr scaled(Op op, const Expr& x, std::vector<std::int64_t> more = {}) {
  return map_with(op, 1, twice, x, std::move(more));
}
/// outer(\row. inner(row)) over the rows of m.
Expr nested(Op outer, std::int64_t d, Op inner, std::int64_t e) {
  return map_with(outer, 1, fun(Type(array({8}, f64)), [&](Expr r) { return scaled(inner, r, {e}); }), m,
                  {d});
}

}  // namespace

TEST_CASE("what is verified keeps all rules") {
  CHECK(broken(scaled(Op::MapSeq, xs)) == "");
  CHECK(broken(nested(Op::MapPar, 1, Op::MapVec, 4)) == "");
  CHECK(broken(nested(Op::MapPar, 1, Op::MapPar, 1)) == "");
  CHECK(broken(nested(Op::MapWrg, 0, Op::MapLcl, 0)) == "");
  CHECK(broken(nested(Op::MapGlb, 1, Op::MapGlb, 0)) == "");
  for (const char* smoother : {"gsrb", "jacobi"})
    for (const char* boundary : {"ghost", "periodic", "dirichlet", "neumann"}) {
      Problem p;
      p.box = 4, p.boxes = 2, p.boundary = boundary, p.choices["smoother"] = smoother;
      CHECK_NOTHROW(verify(smooth3d().build(p)));
    }
}

TEST_CASE("closed: every variable is an argument or bound") {
  breaks(scaled(Op::MapSeq, param("ys", array({8}, f64))), "closed: not an argument: ys of type 8.f64");
  breaks(scaled(Op::MapSeq, param("xs", array({9}, f64))), "closed: not an argument: xs of type 9.f64");
  breaks(lambda({xs}, xs | map(twice)).child(0), "binders: a variable is bound by nothing in #0.0 |> map(");
}

TEST_CASE("no-holes: nothing is left to be filled in") {
  Attr a;
  a.texts = {"f"};
  a.types = {Type::any()};
  const Expr hole = make(Op::Hole, {}, a);
  breaks(hole, "no-holes: hole ?f");
  breaks(map_with(Op::Map, 1, hole, xs), "no-holes: hole ?f");
  a.types = {Type(f64)};
  breaks(map_with(Op::Map, 1, fun(Type(f64), [&](Expr x) { return x + make(Op::Hole, {}, a); }), xs),
         "no-holes: hole ?f");
}

TEST_CASE("binders: a variable is used as its binder declares it") {
  const Expr body = lambda({xs}, xs | map(twice)).child(0);  // refers to a parameter of type 8.f64
  Attr declared;
  declared.types = {array({7}, f64)};
  const Expr wrong = make(Op::Lambda, {body}, declared);
  breaks(make(Op::Apply, {wrong, m[0] | drop(1, 0)}),
         "binders: parameter 0 of type 7.f64 is used as 8.f64 in ");
  Attr none;
  breaks(make(Op::Lambda, {body}, none), "binders: parameter 0 does not exist in ");
}

TEST_CASE("arguments have names of their own, and what may be overwritten is an array") {
  CHECK(broken(Program{"p", {xs, xs}, xs, {}}) == "arguments: two arguments are named xs");
  CHECK(broken(Program{"p", {xs, xs[0]}, xs, {}}) == "arguments: not a param: xs[0]");
  CHECK(broken(program(xs, {"ys"})) == "arguments: overwritable ys is not an array among them");
}

TEST_CASE("options of loops lie in their ranges") {
  breaks(scaled(Op::MapGlb, xs, {4}), "loop-options: dimension 4 of");
  breaks(scaled(Op::MapLcl, xs, {3}), "loop-options: dimension 3 of");
  breaks(map_with(Op::MapWrg, 2, twice, m, {3}), "loop-options: dimension 4 of");
  breaks(scaled(Op::MapVec, xs, {0}), "loop-options: width 0 of");
  breaks(scaled(Op::MapSeq, xs, {1, 0}), "loop-options: stride 0 of");
  breaks(scaled(Op::MapVec, xs, {7}), "vector_width: no number of lanes: ");
  breaks(scaled(Op::MapVec, xs, {128}), "vector_width: no number of lanes: ");
  breaks(scaled(Op::MapVec, xs, {4, 1, 2}), "loop-options: late store 2 of");
  breaks(scaled(Op::MapVec, xs, {4, 1, 0, -1}), "loop-options: prefetch distance -1 of");
  breaks(scaled(Op::MapVec, xs, {4, 1, 0, 0, 0, 1}), "loop-options: numbers of no option of");
}

TEST_CASE("map_vec is innermost and scalar") {
  breaks(map_with(Op::MapVec, 1, fun(Type(array({8}, f64)), [](Expr r) { return r; }), m, {4}),
         "map_vec: not innermost: m |> map_vec");
  CHECK(broken(map_with(Op::MapVec, 1,
                        fun(Type(array({8}, f64)), [](Expr r) { return scaled(Op::Map, r)[0]; }), m, {4})) ==
        "");
  const auto first_of = [](Op op) {
    return map_with(Op::MapVec, 1, fun(Type(array({8}, f64)), [op](Expr r) { return scaled(op, r)[0]; }), m,
                    {4});
  };
  breaks(first_of(Op::MapSeq), "map_vec: inside map_vec there is ");
  breaks(first_of(Op::MapPar), "map_par: inside map_vec there is ");
  CHECK(broken(scaled(Op::MapVec, scaled(Op::MapSeq, xs), {4})) == "");  // before, not inside
  // A map without a decision is no loop: its elements are computed where they are used, here in a weighted
  // sum.
  const Expr weighted =
      map_with(Op::MapVec, 1,
               fun(Type(array({3}, f64)),
                   [](Expr w) {
                     return zip({w, xs | drop(0, 5)}) | map([](Expr a, Expr b) { return a * b; }) | sum();
                   }),
               xs | slide(3, 1), {2});
  CHECK(broken(weighted) == "");
  // Around unrolled loops over all of a small block it is innermost still.
  const auto pairs = [](std::int64_t unrolled) {
    return map_with(Op::MapVec, 1,
                    fun(Type(array({2}, f64)), [=](Expr r) { return scaled(Op::MapUnroll, r, {unrolled}); }),
                    xs | split(2), {2});
  };
  CHECK(broken(pairs(2)) == "");
  breaks(pairs(4), "map_vec: not innermost: ");
}

TEST_CASE("work-items: global, or groups with local dimensions") {
  breaks(nested(Op::MapGlb, 0, Op::MapGlb, 0), "map_glb: inside map_glb of the same dimension");
  breaks(nested(Op::MapWrg, 0, Op::MapGlb, 1), "map_glb: inside a work-group");
  breaks(nested(Op::MapGlb, 0, Op::MapWrg, 1), "map_wrg: inside a work-item");
  breaks(nested(Op::MapWrg, 1, Op::MapWrg, 1), "map_wrg: inside map_wrg of the same dimension");
  CHECK(broken(nested(Op::MapWrg, 0, Op::MapLcl, 1)) == "");  // one group along 1
  breaks(nested(Op::MapGlb, 0, Op::MapLcl, 1), "map_lcl: no map_wrg or band<overlapped> around");
  breaks(scaled(Op::MapLcl, xs, {0}), "map_lcl: no map_wrg or band<overlapped> around");
  const Expr twice_local = map_with(
      Op::MapWrg, 1,
      fun(Type(array({8}, f64)),
          [](Expr r) {
            return map_with(Op::MapLcl, 1,
                            fun(Type(array({4}, f64)), [](Expr c) { return scaled(Op::MapLcl, c, {0}); }),
                            split({Nat(4)}, r), {0});
          }),
      m, {0});
  breaks(twice_local, "map_lcl: inside map_lcl of the same dimension");
  // A map of rank 2 from dimension 0 covers dimensions 0 and 1.
  breaks(
      map_with(Op::MapGlb, 2, fun(Type(array({4}, f64)), [](Expr r) { return scaled(Op::MapGlb, r, {1}); }),
               split({Nat(1), Nat(4)}, m) | map2([](Expr t) { return t[0]; }), {0}),
      "map_glb: inside map_glb of the same dimension");
}

TEST_CASE("one-machine: threads and work-items do not mix") {
  breaks(nested(Op::MapPar, 1, Op::MapGlb, 0), "one-machine: beside map_glb there is m |> map_par(");
  breaks(concat(scaled(Op::MapPar, xs), scaled(Op::MapGlb, xs, {0})),
         "one-machine: beside map_glb there is xs |> map_par(");
}

TEST_CASE("to_local needs a work-group") {
  breaks(make(Op::ToLocal, {xs}), "to_local: no work-group around");
  const Expr staged = map_with(
      Op::MapWrg, 1,
      fun(Type(array({8}, f64)), [](Expr r) { return scaled(Op::MapLcl, make(Op::ToLocal, {r}), {0}); }), m,
      {0});
  CHECK(broken(staged) == "");
  breaks(map_with(Op::MapGlb, 1, fun(Type(array({8}, f64)), [](Expr r) { return make(Op::ToLocal, {r}); }), m,
                  {0}),
         "to_local: no work-group around");
}

TEST_CASE("update_in_place: what has been overwritten is not read afterwards") {
  const auto in_place = [](const Expr& base, const Expr& block) {
    return make(Op::UpdateInPlace, {base, block}, update(base, {Nat(1)}, block).attr());
  };
  const auto sum = [](const Expr& a, const Expr& b) {
    return zip({a, b}) | map([](Expr t) { return get(0, t) + get(1, t); });
  };
  const Expr block = xs | drop(1, 1) | map(twice);
  const auto global = [](const Expr& x) { return make(Op::ToGlobal, {x}, {}); };
  const auto own = [&](const std::function<Expr(Expr, Expr)>& rest) {
    return let(global(xs | map(twice)),
               [&](Expr a) { return let(in_place(a, block), [&](Expr b) { return rest(a, b); }); });
  };
  const std::string lost = "update_in_place: an array has been overwritten before it is read in ";
  CHECK(broken(own([&](Expr, Expr b) { return b | map(twice); })) == "");
  CHECK(broken(own([&](Expr, Expr b) { return in_place(b, b | drop(1, 1) | map(twice)); })) == "");
  breaks(own([&](Expr a, Expr b) { return sum(a, b); }), lost);
  breaks(own([&](Expr a, Expr) { return in_place(a, block); }), lost);
  breaks(own([&](Expr a, Expr b) { return tuple({b, a | map(twice)}); }), lost);
  breaks(own([&](Expr a, Expr b) {
           return let(zip({xs, a}),
                      [&](Expr both) { return sum(b, both | map([](Expr t) { return get(1, t); })); });
         }),
         lost);
  // two arrays that are made alike are two arrays
  CHECK(broken(let(global(xs | map(twice)), [&](Expr a) {
          return let(global(xs | map(twice)),
                     [&](Expr b) { return let(in_place(a, block), [&](Expr c) { return sum(b, c); }); });
        })) == "");
  // so with arguments, and with components
  const auto updated = [&](const std::function<Expr(Expr)>& rest) {
    return program(let(in_place(xs, block), rest), {"xs"});
  };
  CHECK(broken(updated([&](Expr b) { return b | map(twice); })) == "");
  CHECK(broken(updated([&](Expr b) {
          return sum(b, xs);
        })).starts_with("update_in_place: xs has been overwritten before"));
  const Expr rows = zip({m, m | map([](Expr r) { return r | map(twice); })});
  const auto in_rows = [&](int read) {
    return rows | map([&, read](Expr t) {
             return let(in_place(get(0, t), get(1, t) | drop(1, 1)),
                        [&](Expr r) { return sum(r, get(read, t)); });
           });
  };
  CHECK(broken(program(in_rows(1), {"m"})) == "");
  CHECK(broken(program(in_rows(0), {"m"})).starts_with(lost));
}

TEST_CASE("update_in_place: into an overwritable argument only") {
  const auto in_place = [](const Expr& base) {
    return make(Op::UpdateInPlace, {base, base | drop(1, 1) | map(twice)},
                update(base, {Nat(1)}, base | drop(1, 1)).attr());
  };
  CHECK(broken(program(in_place(xs), {"xs"})) == "");
  CHECK(broken(program(in_place(in_layout(parse_layout("rows 4 1"), xs)), {"xs"})) == "");
  CHECK(broken(program(in_place(xs), {"m"}))
            .rfind("update_in_place: the caller needs xs afterwards, the base of ", 0) == 0);
  CHECK(broken(program(in_place(xs | map(twice)), {"xs"}))
            .rfind("update_in_place: the base is computed, it is no argument: ", 0) == 0);
  const auto rows = [&](const Expr& arrays, int component) {
    return arrays | map([&, component](Expr t) { return in_place(get(component, t)); });
  };
  const Expr both = zip({m, m | map([](Expr r) { return r | pad(0, 0, clamp); })});
  CHECK(broken(program(rows(both, 0), {"m"})) == "");  // an element of an argument
  CHECK(broken(program(rows(both, 1), {"m"})).rfind("update_in_place: the base is computed", 0) == 0);
  const Expr chunks = split({Nat(2)}, both) | map([&](Expr c) { return rows(c, 0); });
  CHECK(broken(program(join(chunks), {"m"})) == "");  // still an element of it
  CHECK(broken(program(let(xs, in_place), {"xs"})) == "");
  CHECK(broken(program(let(in_place(xs), in_place), {"xs"})) == "");  // one sweep after the other
}

TEST_CASE("a message names the pass") {
  CHECK_THROWS_WITH_AS(verify(program(scaled(Op::MapLcl, xs, {0})), "tile"),
                       "verify after tile: p breaks the rule map_lcl: no map_wrg or "
                       "band<overlapped> around xs |> map_lcl<0>(\\x. x * 2.0)",
                       InternalError);
}

TEST_CASE("local memory belongs to a work-group, which may come later") {
  const auto in_rows = [](Op outer, Op store) {
    const auto stored = [&](Expr r) {
      const Attr slots = store == Op::CircularBuffer ? attributes::nats({Nat(4)}) : Attr();
      return make(store, {r | map(twice)}, slots);
    };
    return map_with(outer, 1, fun(Type(array({8}, f64)), stored), m);
  };
  for (const Op store : {Op::ToLocal, Op::CircularBuffer}) {
    CHECK(broken(in_rows(Op::MapWrg, store)) == "");
    for (const Op outer : {Op::Map, Op::MapSeq, Op::MapGlb})
      breaks(in_rows(outer, store), std::string(text(store)) + ": no work-group around");
    CHECK_NOTHROW(verify(program(in_rows(Op::Map, store)), "a step"));
    CHECK_THROWS(verify(program(in_rows(Op::MapSeq, store)), "a step"));
  }
}

// `make` types every node, so that no test can build one that breaks `types`.
TEST_CASE("each rule of the verifier is broken by some test above") {
  if (broken_rules.empty()) return;  // this test runs by itself
  for (const VerifierRule& r : verifier_rules()) {
    INFO(r.name);
    CHECK(!r.holds.empty());
    if (r.name != "types") CHECK(broken_rules.count(std::string(r.name)) == 1);
  }
}

}  // namespace verify_test
