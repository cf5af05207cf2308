// What a call's arguments are to a program: names, sizes, which result goes where; signatures made of
// programs.
#include <doctest/doctest.h>

#include "embed/plan.hpp"
#include "embed/program_signature.hpp"
#include "ir/text/parse.hpp"
#include "liftgen/lift.hpp"
#include "tests/message.hpp"

using namespace lift;
using lift::test::message;

namespace plans_test {
namespace {

using Cells = std::vector<double>;
using Map = Cells(const Cells&);

const Nat n = lift::nat("n"), m = lift::nat("m");

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Expr twice(const Expr& x) {
  return x | map([](Expr e) { return e * 2.0; });
}
/// The inside doubled.
Expr more(const Expr& u) { return update(u, {1}, twice(u | drop(1, 1))); }

ArgumentKind line(bool writable) { return {f64, 1, writable, writable ? "a line&" : "a line"}; }

}  // namespace

TEST_CASE("plans: messages about numbers of arguments name all that there are") {
  const Program p{"axpy",
                  {param("a", f64), param("x", array(f64, n))},
                  param("x", array(f64, n)) | map([](Expr e) { return e * param("a", f64); })};
  CHECK(has(message([&] { compile<Cells(double)>(p); }),
            "the signature has 1 argument, the expression 2 (a: f64, x: n.f64); pass one for each"));
  // Each result is returned, but more is passed than there are arguments.
  CHECK(has(message([&] { compile<Cells(double, const Cells&, Cells&)>(p); }),
            "axpy: the expression has 1 result and 2 arguments, the signature returns 1 and takes 3"));
}

TEST_CASE("plans: an expression without arguments may mention none") {
  const Program p{"p", {}, twice(param("x", array(f64, Nat(4))))};
  CHECK(has(message([&] { compile<Cells()>(p); }),
            "p: the expression mentions 'x' (4.f64), which is no argument of the program; write it as a "
            "function, lift::fun(type, [](Expr x) { ... })"));
}

TEST_CASE("plans: arguments of a function have the names that are given, in messages and in the text") {
  const auto kernel = compile<Cells(const Cells&, double)>(
      fun({array(f64, n), Type(f64)}, [](Expr x, Expr a) { return x | map([=](Expr e) { return e * a; }); }),
      {.name = "scale", .names = {"signal", "factor"}});
  CHECK(kernel({1, 2}, 3) == Cells{3, 6});
  CHECK(has(kernel.source({{"n", 2}}), "void scale(const double *restrict signal, double factor"));
}

TEST_CASE("plans: sizes may be given where arrays do not tell them, and agree with those that do") {
  const Expr flat = fun(array({n, m}, f64), [](Expr a) { return transpose(a); });
  const auto kernel = compile<Map>(flat, {.sizes = {{"n", 2}}});
  CHECK(kernel({1, 2, 3, 4, 5, 6}) == Cells{1, 4, 2, 5, 3, 6});
  CHECK(has(message([&] { kernel(Cells(5)); }), "has length 5"));
  const auto line = compile<Map>(fun(array(f64, n), twice), {.sizes = {{"n", 5}}});
  CHECK(line(Cells(5, 1)) == Cells(5, 2));
  CHECK(has(message([&] { line(Cells(6)); }), "argument 1 (x) has length 6, expected n = 5 (x 6)"));
  CHECK(has(message([] {
              compile<Map>(fun(array(f64, Nat(4)), twice), {.sizes = {{"n", 4}}});
            }),
            "there is no size 'n'; all its lengths are numbers"));
}

TEST_CASE("plans: sizes that a kernel is prepared for are all there, and lengths") {
  for (const bool symbolic : {false, true}) {
    const auto kernel = compile<Map>(fun(array(f64, n), twice), {.symbolic = symbolic});
    CHECK(
        has(message([&] { kernel.prepare({}); }), "the size 'n' has no value; give a number for each of n"));
    CHECK(has(message([&] {
                kernel.prepare({{"n", 4}, {"m", 4}});
              }),
              "there is no size 'm'; its sizes are n"));
    CHECK(has(message([&] { kernel.prepare({{"n", -4}}); }), "n = -4, but n is at least 1"));
  }
}

TEST_CASE("plans: a result of another length than its window leaves is not blamed on a missing pad") {
  const auto kernel = compile<void(const Cells&, Cells&)>(fun(array(f64, n), [](Expr x) {
    return x | pad(1, 1, clamp) | slide(3, 1) | map([](Expr w) { return w[0] + w[2]; });
  }));
  Cells to(5);
  const std::string text = message([&] { kernel(Cells(4), to); });
  CHECK(has(text, "argument 2 (the result) has length 5, expected n = 4"));
  CHECK_FALSE(has(text, "pad"));
  kernel({1, 2, 3, 4, 5}, to);
  CHECK(to == Cells{3, 4, 6, 8, 9});
}

TEST_CASE("plans: a kernel of numbers only takes a derivation for results as the caller has them") {
  const Expr a = param("a", f64);
  const Program p{"p", {a}, positions({Nat(4)}) | map([=](Expr at) { return cast(f64, get(0, at)) * a; })};
  CHECK(compile<Cells(double)>(p, {.derivation = parse_derivation("map-seq at body")})(2) ==
        Cells{0, 2, 4, 6});
  CHECK(has(message([&] {
              compile<Cells(double)>(p, {.derivation = parse_derivation("layout rows 8 0 at body")});
            }),
            "p: result 1 is stored in the layout 'rows 8 0', but returned as a std::vector"));
}

TEST_CASE("plans: the argument that a result updates is found among several, where it may be written") {
  const Expr x = param("x", array(f64, Nat(6))), u = param("u", array(f64, Nat(6)));
  const auto updated = [&](const Expr& body, std::size_t result, bool x_writable, bool u_writable) {
    return updated_argument({"p", {x, u}, body, {}}, result, {{line(x_writable), line(u_writable)}, {}});
  };
  const Expr named = let(twice(u), [&](Expr s) { return tuple({more(u), s}); });
  for (const Expr& body : {more(u), tuple({more(u), twice(x)}), named}) {
    CHECK(updated(body, 0, true, true) == 1);
    CHECK(updated(body, 0, false, true) == 1);
    CHECK_FALSE(updated(body, 0, true, false));
    CHECK_FALSE(updated(body, 0, false, false));
  }
  for (const Expr& body : {tuple({more(u), twice(x)}), named}) CHECK_FALSE(updated(body, 1, true, true));
  // Of a tuple within a tuple none is said to.
  const Expr nested = tuple({more(u), tuple({more(x), twice(x)})});
  const Expr below = let(twice(u), [&](Expr s) { return tuple({s, tuple({more(x), s})}); });
  for (std::size_t r = 0; r < 3; ++r) CHECK_FALSE(updated(nested, r, true, true));
  for (std::size_t r = 0; r < 3; ++r) CHECK_FALSE(updated(below, r, true, true));
}

TEST_CASE("plans: an update of an argument that may not be written is a new array") {
  const Expr x = param("x", array(f64, n)), u = param("u", array(f64, n));
  const Program p{
      "p", {x, u}, update(u, {1}, zip({x, u}) | drop(1, 1) | map([](Expr a, Expr b) { return a * b; }))};
  const Cells a{1, 2, 3, 4}, before{5, 6, 7, 8}, after{5, 12, 21, 8};
  Cells to(4), mine = before;
  compile<void(const Cells&, const Cells&, Cells&)>(p)(a, before, to);
  CHECK(to == after);
  compile<void(Cells&, Cells&)>(p)(to, mine);
  CHECK(mine == Cells{5, 72, 147, 8});
  CHECK(to == after);
}

TEST_CASE("plans: a program has a signature by itself: arguments as they are, results that update nothing") {
  const Program p = parse_program(
      "size n\nparam u : n.n.f64\nindex k in 0 .. 3\nparam x : n.f32\noverwrite u\n"
      "result a, b, c =\n{update2(u, 0, u |> map2(\\v. v * 2)), x |> map(\\v. v + 1), x |> sum()}\n");
  const Signature s = signature_of(p, "an array of", "");
  REQUIRE(s.arguments.size() == 3);
  CHECK(s.arguments[0].cpp == "an array of 2 dimensions");
  CHECK((s.arguments[0].element == f64 && s.arguments[0].rank == 2 && s.arguments[0].writable));
  CHECK(s.arguments[1].cpp == "a number");
  CHECK((s.arguments[1].element == i32 && s.arguments[1].is_scalar() && !s.arguments[1].writable));
  CHECK((s.arguments[2].element == f32 && s.arguments[2].rank == 1 && !s.arguments[2].writable));
  REQUIRE(s.returned.size() == 2);
  CHECK((s.returned[0].rank == 1 && s.returned[0].element == f32 && !s.returned[0].is_scalar()));
  CHECK((s.returned[1].is_scalar() && s.returned[1].element == f32));
  // Without the word all are returned; a number alone, too.
  Program copies = p;
  copies.overwritable.clear();
  CHECK(signature_of(copies, "an array of", "").returned.size() == 3);
  const Expr x = param("x", array(f64, n));
  CHECK(signature_of({"sum", {x}, x | sum(), {}}, "", "").returned[0].is_scalar());
  // An array of tuples is as many arrays.
  const Expr pairs = x | map([](Expr e) { return tuple({e, e * 2.0}); });
  const Signature of_pairs = signature_of({"pairs", {x}, pairs, {}}, "an array of", "");
  REQUIRE(of_pairs.returned.size() == 2);
  CHECK(of_pairs.returned[1].cpp == "an array of 1 dimensions");
}

TEST_CASE("plans: what is to be overwritten is an array among the arguments, and updated by a result") {
  const Expr u = param("u", array(f64, n)), a = param("a", f64);
  const auto said = [&](const Expr& body, const std::string& name) {
    return message([&] {
      Program p{"p", {a, u}, body, {}};
      p.overwritable = {name};
      signature_of(p, "an array of", " [here]");
    });
  };
  CHECK(said(more(u), "u").empty());
  CHECK(said(more(u), "a") == "p: 'a' is to be overwritten, but is no array among the arguments [here]");
  CHECK(said(more(u), "v") == "p: 'v' is to be overwritten, but is no array among the arguments [here]");
  CHECK(said(twice(u), "u") ==
        "p: 'u' is to be overwritten, but no result updates it; write the result as update(u, ...), or leave "
        "it out [here]");
}

TEST_CASE("plans: arguments that no signature has are refused with their types") {
  const Type pair = Type::tuple({f64, f64});
  const Expr xs = param("xs", array(pair, n)), x = param("x", pair);
  const Program p{"p", {xs, x}, xs | map([=](Expr e) { return get(0, e) + get(1, x); })};
  const Signature s = signature_of(p, "an array of", "");
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(has(message([&] {
                plan_of(
                    {"p", {i == 0 ? xs : x}, i == 0 ? xs | map([](Expr e) { return get(0, e); }) : get(0, x)},
                    {{s.arguments[i]}, s.returned}, {}, "");
              }),
              "arguments and results are numbers and arrays of numbers: unzip tuples"));
}

}  // namespace plans_test
