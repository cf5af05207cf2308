// The verifier of the loop language: kernels broken by hand, one rule at a time.
#include <doctest/doctest.h>

#include <functional>
#include <set>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/loops/verify.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/message.hpp"

namespace lift::verify_loops_test {
namespace {

const Nat i = Nat::fresh("i", 0, 7), j = Nat::fresh("j", 0, 7);
const Term x = local_term("x", f64), y = local_term("y", f64), one = constant_term(1, f64);

Term a_at(const Nat& at, int width = 1) { return load_term("a", {at}, f64, width); }
Stmt put(const Nat& at, const Term& value) { return {Store{"out", {at}, value}}; }
For over(const Nat& v, Block body, LoopKind kind = LoopKind::Seq, int dim = 0) {
  For f;
  f.var = v, f.upper = 8, f.kind = kind, f.dim = dim, f.body = std::move(body);
  return f;
}
/// out[i] = ... over eight elements of `a`.
Kernel kernel(Block body) {
  const Type t = array({8}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  k.arguments = {{"a", t, Layout({}, t), false, true, {}}, {"out", t, Layout({}, t), true, false, {}}};
  k.body = std::move(body);
  return k;
}
Kernel vectors(int width, const Nat& step) {
  For f = over(i, {put(i, a_at(i, 4))}, LoopKind::Vec);
  f.width = width, f.step = step;
  return kernel({{f}});
}

struct BrokenKernel {
  const char* rule;
  Kernel kernel;
  Form form = Form::Positions;
};

std::vector<BrokenKernel> broken_kernels() {
  For no_step = over(i, {put(i, one)});
  no_step.step = 0;
  const Term asks = apply_term(Op::Lt, boolean, {a_at(0), one});
  return {
      {"indices-defined", kernel({put(j, one)})},
      {"indices-defined", kernel({{over(i, {put(i, one)})}, put(i, one)})},
      {"values-defined", kernel({{over(i, {{Let{x, one}}})}, put(0, x)})},
      {"values-defined", kernel({{Let{x, one}}, put(0, local_term("x", f32))})},
      {"values-defined", kernel({put(0, argument_term("h", f64))})},
      {"arrays-known", kernel({{Store{"b", {0}, one}}})},
      {"arrays-known", kernel({{Store{"a", {0}, one}}})},
      {"arrays-known", kernel({put(0, load_term("out", {1}, f64))})},
      {"declared-once", kernel({{Let{x, one}}, {Let{x, one}}, put(0, x)})},
      {"declared-once", kernel({{Declare{x, one}}, {Let{x, one}}, put(0, x)})},
      {"variables-assigned", kernel({{Let{x, one}}, {Assign{x, one}}, put(0, x)})},
      {"variables-assigned", kernel({{Assign{x, one}}})},
      {"types-agree", kernel({put(0, load_term("a", {0}, f32))})},
      {"types-agree", kernel({put(0, constant_term(1, f32))})},
      {"types-agree", kernel({{If{{one}, {put(0, one)}}}})},
      {"widths-agree", kernel({put(0, a_at(0, 4))})},
      {"widths-agree", kernel({{Let{local_term("w", f64, 4), one}}}), Form::Vectors},
      {"one-index-a-dimension", kernel({{Store{"out", {0, 0}, one}}})},
      {"loop-attributes", kernel({{no_step}})},
      {"grid-dimensions", kernel({{over(i, {put(i, one)}, LoopKind::Glb, -1)}})},
      {"grid-dimensions", kernel({{over(i, {{over(j, {put(i, one)}, LoopKind::Wrg)}}, LoopKind::Wrg)}})},
      {"grid-dimensions", kernel({{over(i, {{over(j, {put(i, one)}, LoopKind::Wrg)}}, LoopKind::Lcl, 1)}})},
      {"grid-dimensions", kernel({{over(i, {{over(j, {put(i, one)}, LoopKind::Par)}}, LoopKind::Glb)}})},
      {"vector-loops", vectors(4, 1), Form::Vectors},
      {"uniform-barriers", kernel({{over(i, {{Barrier{}}}, LoopKind::Lcl)}})},
      {"uniform-barriers", kernel({{over(i, {{If{{asks}, {{Barrier{}}}}}}, LoopKind::Wrg)}})},
      {"uniform-barriers",
       kernel(
           {{over(i, {{Let{local_term("c", boolean), asks}}, {If{{local_term("c", boolean)}, {{Barrier{}}}}}},
                  LoopKind::Wrg)}})},
      {"independent-iterations", kernel({{over(i, {put(0, one)}, LoopKind::Par)}})},
      {"independent-iterations", kernel({{over(i, {put(0, one)}, LoopKind::Wrg)}})},
      {"independent-iterations", kernel({{over(i, {{over(j, {put(j, one)})}}, LoopKind::Par)}})},
      {"independent-iterations",
       kernel({{Declare{x, one}}, {over(i, {{Assign{x, a_at(i)}}}, LoopKind::Par)}, put(0, x)})},
      {"scratch-of-threads", kernel({{Allocate{"t", array({8}, f64), AddressSpace::Scratch}}})},
      {"scratch-of-threads",
       kernel({{over(i, {{Allocate{"t", array({8}, f64), AddressSpace::Scratch}}}, LoopKind::Par)}})},
      {"within-arrays", kernel({{over(i, {put(i, a_at(i + 1))})}})},
      {"within-arrays", kernel({{over(i, {put(i, a_at(i - 1))})}})},
      {"within-arrays", vectors(3, 3), Form::Vectors},  // the last vector of four begins at 6
      {"within-arrays", kernel({{over(i, {{If{{compare_term(less_equal(i, 7))}, {put(i + 1, one)}}}})}})},
  };
}

}  // namespace

TEST_CASE("each rule refuses a kernel that breaks it, by its name") {
  std::set<std::string> refused;
  for (const BrokenKernel& b : broken_kernels()) {
    INFO(b.rule << "\n" << str(b.kernel));
    CHECK_THROWS_WITH_AS(
        verify(b.kernel, b.form, "some-pass"),
        doctest::Contains((std::string("loops after some-pass break the rule ") + b.rule).c_str()),
        InternalError);
    refused.insert(b.rule);
  }
  for (const std::string& rule : loop_rules()) CHECK_MESSAGE(refused.count(rule) == 1, rule);
}

TEST_CASE("an attribute that a loop of its kind cannot have is refused, with what is wrong about it") {
  using Kinds = std::vector<LoopKind>;
  const Kinds of_processors{LoopKind::Seq, LoopKind::Unroll, LoopKind::Par, LoopKind::Vec};
  const Kinds of_grids{LoopKind::Glb, LoopKind::Wrg, LoopKind::Lcl};
  struct Broken {
    const char* why;
    Kinds kinds;
    std::function<void(For&)> change;
    Form form = Form::Positions;
  };
  const Broken all[] = {
      {"an attribute is negative", {LoopKind::Seq}, [](For& f) { f.width = 0; }},
      {"an attribute is negative", {LoopKind::Seq}, [](For& f) { f.stride = 0; }},
      {"an attribute is negative", {LoopKind::Seq}, [](For& f) { f.prefetch = -1; }},
      {"an attribute is negative", {LoopKind::Glb}, [](For& f) { f.items = -1; }},
      {"an attribute is negative", {LoopKind::Glb}, [](For& f) { f.dealt = -1; }},
      {"an attribute is negative", {LoopKind::Seq}, [](For& f) { f.unroll = whole_loop - 1; }},
      {"an attribute is negative", {LoopKind::Par}, [](For& f) { f.dynamic = -1; }},
      {"the loop's step is ", {LoopKind::Seq, LoopKind::Par}, [](For& f) { f.step = -1; }},
      {"the loop goes over ", {LoopKind::Seq}, [](For& f) { f.var = f.var + 1; }},
      {"iterations are dealt to items of no grid", of_processors, [](For& f) { f.items = 2; }},
      {"it asks for items of no grid", of_processors, [](For& f) { f.dealt = 2; }},
      {"it asks for items of no grid", of_processors, [](For& f) { f.surplus = true; }},
      {"a loop over the grid has a step", of_grids, [](For& f) { f.step = 2; }},
      {"stores are late in a loop without vectors",
       {LoopKind::Seq, LoopKind::Par, LoopKind::Glb},
       [](For& f) { f.late_store = true; }},
      {"handed out to threads that share no loop",
       {LoopKind::Seq, LoopKind::Glb},
       [](For& f) { f.dynamic = 1; }},
      {"that threads do not share is joined", {LoopKind::Seq, LoopKind::Vec}, [](For& f) { f.joined = 1; }},
      {"still visits only some of its indices", {LoopKind::Seq}, [](For& f) { f.stride = 2; }, Form::Flat},
      {"a loop has a step before it is vectorised", {LoopKind::Vec}, [](For& f) { f.step = 2; }},
  };
  const auto complaint = [](const Kernel& k, Form form) {
    return test::message<InternalError>([&] { verify(k, form, "some-pass"); });
  };
  for (const Broken& b : all)
    for (const LoopKind kind : b.kinds) {
      For f = over(i, {put(i, one)}, kind);
      CHECK(complaint(kernel({{f}}), b.form) == "");
      b.change(f);
      INFO(b.why << "\n" << str(kernel({{f}})) << complaint(kernel({{f}}), b.form));
      CHECK(complaint(kernel({{f}}), b.form).find(b.why) != std::string::npos);
    }
  // Nobody waits within a loop of which items or threads take iterations, or of vectors.
  for (const LoopKind kind : {LoopKind::Lcl, LoopKind::Glb, LoopKind::Par, LoopKind::Vec})
    CHECK(complaint(kernel({{over(i, {{Barrier{}}}, kind)}}), Form::Positions).find("uniform-barriers") !=
          std::string::npos);
  for (const LoopKind kind : {LoopKind::Wrg, LoopKind::Seq})
    CHECK(complaint(kernel({{over(i, {{Barrier{}}}, kind)}}), Form::Positions) == "");
  // Vectors are of one loop.
  CHECK(complaint(kernel({{over(i, {{over(j, {put(j, one)})}}, LoopKind::Vec)}}), Form::Vectors)
            .find("a loop over vectors holds another loop") != std::string::npos);
}

TEST_CASE("what is right passes") {
  const Term first = compare_term(less_equal(1, i)), last = compare_term(less(i, 7));
  For only_group = over(i,
                        {{Allocate{"t", array({8}, f64), AddressSpace::Local}},
                         {over(j, {{Store{"t", {j}, one}}}, LoopKind::Lcl)},
                         {Barrier{}},
                         {over(j, {put(j, load_term("t", {7 - j}, f64))}, LoopKind::Lcl)}},
                        LoopKind::Wrg);
  only_group.upper = 1;
  const Kernel good[] = {
      kernel({{over(i, {put(i, a_at(i))}, LoopKind::Par)}}),
      // Guards, and the arms of choices, keep accesses within arrays.
      kernel(
          {{over(i, {{If{{first, last}, {put(i, apply_term(Op::Add, f64, {a_at(i - 1), a_at(i + 1)}))}}}})}}),
      kernel({{over(i, {put(i, apply_term(Op::Select, f64, {first, a_at(i - 1), one}))})}}),
      // What a guard asks memory for may never hold.
      kernel({{over(i, {{If{{apply_term(Op::Lt, boolean, {a_at(i), one})}, {put(i + 1, one)}}}})}}),
      kernel({{Declare{x, one}}, {over(i, {{Assign{x, a_at(i)}}})}, put(0, x)}),
      kernel({{over(i, {{Let{x, one}}, put(i, x)})}, {over(j, {{Let{x, one}}, put(j, x)})}}),
      kernel({{only_group}}),
  };
  for (const Kernel& k : good) CHECK_NOTHROW(verify(k, Form::Positions, "some-pass"));
  CHECK_NOTHROW(verify(vectors(4, 4), Form::Vectors, "some-pass"));
}

namespace {

Kernel with_size(Kernel k, const std::string& n) {
  k.sizes.push_back(n);
  return k;
}
Kernel with_number(Kernel k, Scalar type, std::vector<Nat> range = {}) {
  k.arguments.push_back({"h", type, {}, false, true, std::move(range)});
  return k;
}
Block over_groups(Block body) { return {{over(i, std::move(body), LoopKind::Wrg)}}; }
Stmt array_of(const char* name, AddressSpace space, const Type& type = array({8}, f64)) {
  return {Allocate{name, type, space}};
}
Term shuffled(const std::vector<int>& lanes) {
  TermNode n;
  n.kind = TermKind::Shuffle, n.type = f64, n.width = 2, n.args = {a_at(0, 4)}, n.lanes = lanes;
  return intern(n);
}
Stmt copied(int to, int from) { return {CopyRow{"out", {to}, "a", {from}, 4}}; }
Term is_small(const Term& t) { return apply_term(Op::Lt, boolean, {t, one}); }
/// The first of the outer loop's iterations, with one of a loop within it.
Block nested(LoopKind outer, LoopKind inner) {
  For within = over(j, {put(i + j, one)}, inner, 1);
  within.upper = 1;
  return {{over(i, {{within}}, outer)}};
}

Block named_in_threads(const Nat& value) {
  const Nat named = Nat::fresh("named", 0, 7);
  return {{over(i, {{Let{index_term(named), index_term(value)}}, put(named, one)}, LoopKind::Par)}};
}

/// Two kernels that differ in what the rule is about.
struct Pair {
  const char *rule, *why;
  Kernel wrong, right;
  Form form = Form::Positions;
};

std::vector<Pair> pairs_of_values() {
  const Term of_h = argument_term("h", f64), x32 = local_term("x", f32), one32 = constant_term(1, f32);
  const Nat named = Nat::fresh("named", 0, 7);
  const Stmt name{Let{index_term(named), index_term(i)}};
  return {
      {"values-defined", "no scalar argument a of that type", kernel({put(0, argument_term("a", f64))}),
       kernel({put(0, a_at(0))})},
      {"values-defined", "no scalar argument h of that type", with_number(kernel({put(0, of_h)}), f32),
       with_number(kernel({put(0, of_h)}), f64)},
      {"declared-once", "the index named is named twice", kernel({{over(i, {name, name, put(named, one)})}}),
       kernel({{over(i, {name, put(named, one)})}, {over(i, {name, put(named, one)})}})},
      {"variables-assigned", "x is declared with another type",
       kernel({{Declare{x, one}}, {Assign{x32, one32}}}),
       kernel({{Declare{x32, one32}}, {Assign{x32, one32}}})},
      {"widths-agree", "vectors of several widths",
       kernel({put(0, apply_term(Op::Add, f64, {a_at(0, 8), a_at(0, 4)}))}),
       kernel({put(0, apply_term(Op::Add, f64, {a_at(0, 8), one}))}), Form::Vectors},
      {"widths-agree", "a lane that there is not", kernel({put(0, shuffled({0, 4}))}),
       kernel({put(0, shuffled({0, 3}))}), Form::Vectors},
      {"widths-agree", "a lane that there is not", kernel({put(0, shuffled({-1, 3}))}),
       kernel({put(0, shuffled({3, 0}))}), Form::Vectors},
  };
}

std::vector<Pair> pairs_of_loops() {
  const Nat n = Nat::size("n");
  For by_size = over(i, {put(i, one)}), by_two = by_size;
  by_size.step = n, by_two.step = 2;
  const Term c = local_term("c", boolean), d = local_term("d", boolean), first = compare_term(less(i, 3));
  const Stmt asked{If{{c}, {{Barrier{}}}}}, asked_again{If{{d}, {{Barrier{}}}}};
  const Term not_c = apply_term(Op::Not, boolean, {c});
  const auto all_store = [](AddressSpace space, LoopKind kind) {
    return kernel({array_of("t", space), {over(i, {{Store{"t", {0}, one}}}, kind)}});
  };
  return {
      {"loop-attributes", "the loop's step is n", with_size(kernel({{by_size}}), "n"), kernel({{by_two}})},
      {"grid-dimensions", "a loop over groups within one over the items",
       kernel(nested(LoopKind::Lcl, LoopKind::Glb)), kernel(nested(LoopKind::Wrg, LoopKind::Lcl))},
      {"grid-dimensions", "a loop over groups within one over the items",
       kernel(nested(LoopKind::Lcl, LoopKind::Wrg)), kernel(nested(LoopKind::Glb, LoopKind::Glb))},
      // A variable may be another one for each item; what the group's index says is the same for all.
      {"uniform-barriers", "which items may differ in", kernel(over_groups({{Declare{c, first}}, asked})),
       kernel(over_groups({{Let{c, first}}, asked}))},
      {"uniform-barriers", "which items may differ in",
       kernel(over_groups({{Let{c, is_small(a_at(0))}}, {Let{d, not_c}}, asked_again})),
       kernel(over_groups({{Let{c, first}}, {Let{d, not_c}}, asked_again}))},
      {"uniform-barriers", "a barrier for some of the work-items",
       kernel(over_groups({{First{{{LoopKind::Lcl, 0}}, {put(i, one), {Barrier{}}}}}})),
       kernel(over_groups({{First{{{LoopKind::Lcl, 0}}, {put(i, one)}}}, {Barrier{}}}))},
      // Items of a group share its local memory, groups do not; threads share what lies on the stack around
      // their loop, and items do not.
      {"independent-iterations", "all store t[0]", all_store(AddressSpace::Local, LoopKind::Lcl),
       all_store(AddressSpace::Local, LoopKind::Wrg)},
      // What a name stands for says whether an element is another one in each iteration.
      {"independent-iterations", "all store out[named]", kernel(named_in_threads(3)),
       kernel(named_in_threads(i))},
      {"independent-iterations", "all store t[0]", all_store(AddressSpace::Private, LoopKind::Par),
       all_store(AddressSpace::Private, LoopKind::Lcl)},
  };
}

std::vector<Pair> pairs_of_accesses() {
  const Nat h = Nat::fresh("h", 0, 9);
  const auto guarded = [](const Term& condition, const Nat& at) {
    return kernel({{over(i, {{If{{condition}, {put(at, one)}}}})}});
  };
  const auto either = [&](const Term& decides) {
    return guarded(apply_term(Op::Or, boolean, {decides, is_small(a_at(i + 1))}), i);
  };
  const auto sum = [](const Nat& at) { return put(0, apply_term(Op::Add, f64, {one, a_at(at)})); };
  const auto one_number = [](int at) {
    return kernel({array_of("t", AddressSpace::Private, f64), {Store{"t", {at}, one}}});
  };
  return {
      {"within-arrays", "a[... i + 1 ...] is 8, beyond 0 to 7", guarded(is_small(a_at(i + 1)), i),
       guarded(is_small(a_at(i)), i)},
      {"within-arrays", "out[... i + 1 ...] is 8", guarded(compare_term(negate(equal(i, 3))), i + 1),
       guarded(compare_term(negate(equal(i, 7))), i + 1)},
      // The second one is asked where the first does not hold.
      {"within-arrays", "a[... i + 1 ...] is 8", either(compare_term(less(i, 7))),
       either(compare_term(less_equal(7, i)))},
      {"within-arrays", "a[... i + 1 ...] is 8", kernel({{over(i, {sum(i + 1)})}}),
       kernel({{over(i, {sum(i)})}})},
      {"within-arrays", "a[... 5 ...] is 5, beyond 0 to 7, of 4 elements", kernel({copied(0, 5)}),
       kernel({copied(0, 4)})},
      {"within-arrays", "out[... 5 ...] is 5, beyond 0 to 7, of 4 elements", kernel({copied(5, 0)}),
       kernel({copied(4, 0)})},
      {"within-arrays", "t[... 1 ...] is 1, beyond 0 to 0", one_number(1), one_number(0)},
      // Of a number without a range nothing is known.
      {"within-arrays", "out[... h ...] is 9", with_number(kernel({put(h, one)}), i32, {0, 9}),
       with_number(kernel({put(h, one)}), i32)},
      {"within-arrays", "out[... h ...] is -1", with_number(kernel({put(h, one)}), i32, {-1, 7}),
       with_number(kernel({put(h, one)}), i32, {0, 7})},
  };
}

}  // namespace

TEST_CASE(
    "a rule refuses what breaks it, with what is wrong, and not what differs from that in what it asks") {
  for (const auto& pairs : {pairs_of_values(), pairs_of_loops(), pairs_of_accesses()})
    for (const Pair& p : pairs) {
      INFO(p.rule << "\n" << str(p.wrong) << str(p.right));
      const std::string said = test::message<InternalError>([&] { verify(p.wrong, p.form, "some-pass"); });
      INFO(said);
      CHECK(said.find(std::string("break the rule ") + p.rule) != std::string::npos);
      CHECK(said.find(p.why) != std::string::npos);
      CHECK(test::message<InternalError>([&] { verify(p.right, p.form, "some-pass"); }) == "");
    }
}

TEST_CASE("values of copies side by side have names of their own") {
  const Block b = distinct_names({{Let{x, one}},
                                  put(0, x),
                                  {Let{x, a_at(0)}},
                                  {over(i, {put(i, x), {Let{x, one}}, put(i, x)})},
                                  {Let{x, a_at(1)}},
                                  {Declare{y, x}},
                                  {Assign{y, x}},
                                  {If{{compare_term(less(0, i))}, {put(1, x)}}}});
  CHECK(str(b) == str(Block{{Let{x, one}},
                            put(0, x),
                            {Let{local_term("x_2", f64), a_at(0)}},
                            {over(i, {put(i, local_term("x_2", f64)), {Let{x, one}}, put(i, x)})},
                            {Let{local_term("x_3", f64), a_at(1)}},
                            {Declare{y, local_term("x_3", f64)}},
                            {Assign{y, local_term("x_3", f64)}},
                            {If{{compare_term(less(0, i))}, {put(1, local_term("x_3", f64))}}}}));
}

TEST_CASE(
    "a vector loop of one trip and a remainder of one iteration are side by side, each with its values") {
  const Expr xs = param("xs", array({17}, f64));
  const auto square = [](Expr e) { return let(e + 1.0, [](Expr s) { return s * s; }); };
  const Expr body = map_with(Op::MapVec, 1, function_of(f64, square), xs, {16});
  const Kernel k = test::run(test::program({xs}, body));
  CHECK(test::count<For>(k.body) == 0);
}

TEST_CASE("three iterations peeled by a wrap are side by side, each with its values") {
  const Expr xs = param("xs", array({3}, f64));
  const auto square = [](Expr w) { return let(w[0] + w[1] + w[2], [](Expr s) { return s * s; }); };
  const Expr windows = slide({Nat(3)}, {Nat(1)}, pad({Nat(1)}, {Nat(1)}, Boundary::wrap, xs));
  test::run(
      test::program({xs}, map_with(Op::MapSeq, 1, function_of(windows.type().element(), square), windows)));
}

}  // namespace lift::verify_loops_test
