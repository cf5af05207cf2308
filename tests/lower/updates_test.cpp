// Updates: over their base, beside it, or refused; what stands under guards; which arguments are marked.
#include <doctest/doctest.h>

#include "ir/expr/build.hpp"
#include "tests/lower/run_text.hpp"

namespace lift::updates_test {
namespace {

using test::arrays_made;
using test::count;
using test::refusal_of;
using test::run_text;

const char* const kElsewhere =
    "update_in_place: the result does not lie where its base lies; the base must be an argument, the result "
    "the whole of it";

/// Of a program, whose text comes after the parameters that all here have.
std::string with_arrays(const std::string& result) {
  return R"(
param u, w : 12.f64
param b : 10.f64
param m, n : 4.12.f64
overwrite u, w, m, n
result = )" +
         result;
}
ArrayAccess access_of(const Kernel& k, const std::string& name) {
  for (const KernelArgument& a : k.arguments)
    if (a.name == name) return a.access;
  throw std::runtime_error("no argument " + name);
}

}  // namespace

TEST_CASE("updates in place whose result does not lie where the base lies are refused") {
  const std::vector<std::pair<std::string, std::string>> cases{
      // In an array of the iteration's own, which is no result.
      {R"(to_private(update_in_place(u, 1, b)) |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] + w[2]))",
       kElsewhere},
      // The base is an array of the kernel's own, of which the result is a part.
      {R"(let a = to_global(u |> map(\x. x + 1)) in drop(0, 3, update_in_place(a, 1, b)))", kElsewhere},
      // The base is computed from the block.
      {R"(let a = b |> map(\x. x * 2) in
          {update_in_place(to_global(a |> pad(1, 1, clamp) |> map(\x. x + 1)), 1, a), a |> map(\x. x - 1)})",
       kElsewhere},
      // Two arguments are to be the one result.
      {R"(update(m |> map(\r. update_in_place(r, 1, b)), 0, n |> map(\r. update_in_place(r, 1, b))))",
       kElsewhere},
      {R"(update_in_place(u, 0, update_in_place(w, 1, b)))", kElsewhere},
      // Steps in place of what is read in another order.
      {R"(u |> reverse |> iterate(3, \s. update_in_place(s, 1, s |> slide(3, 1) |> map(\w. w[1] + 1))))",
       kElsewhere},
      // Part of the argument.
      {R"(update_in_place(u, 1, b) |> drop(0, 3))",
       "update_in_place: the result 9.f64 is written into u, which is 12.f64; update the whole argument"},
      {R"(update(b |> pad(2, 2, clamp), 0, update_in_place(u, 1, b)))", kElsewhere},
      // What steps make lies in an array of theirs.
      {R"(let y = update_in_place(iterate(1, \x. x |> pad(1, 0, constant 0) |> drop(0, 1), u), 1, b) in
          {y, y |> map(\x. x + 1)})",
       kElsewhere},
      {R"(update_in_place(u, 1, read_only(u) |> slide(3, 1) |> map(\w. w[1] + 1)))",
       "read_only: u is overwritten in place; leave out read_only there"},
  };
  for (const auto& [result, why] : cases) {
    CAPTURE(result);
    CHECK(refusal_of(with_arrays(result)) == why);
  }
}

TEST_CASE("an update in place with decisions around it is named and goes on in its argument") {
  const Kernel k = run_text(with_arrays(R"(
    let a = stream(update_in_place(u, 1, b)) in update_in_place(a, 2, b |> map(\x. x + 1)))"));
  CHECK(k.results == std::vector<std::string>{"u"});
  CHECK(arrays_made(k) == 0);
  bool streams = false;
  visit(k.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    streams = streams || (x && x->stream);
  });
  CHECK(streams);
}

TEST_CASE("the base of an update that is computed anew goes where the result goes") {
  const std::string rows = "param rows : 6.200.f64\nparam ys : 50.f64\nparam b : 4.f64\n";
  // Each element a long sum, of its row and of something else: a loop each, none for the comparison of
  // places.
  const Kernel k = run_text(rows + R"(
    result = update(rows |> map(\r. reduce(add, 0, r) - reduce(add, 0, ys)), 1, b))");
  CHECK(arrays_made(k) == 0);
  test::LoopRunner loops;
  for (const KernelArgument& a : k.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), 1);
  loops.run(k);
  CHECK(loops.loads["rows"] == 6 * 200);
  // Scans are computed once; loops around scans, too.
  const Kernel scans = run_text(R"(
    param rows : 6.20.f64
    param b : 4.20.f64
    result = update(rows |> map(\r. scan(add, 0, r)), 1, b))");
  CHECK(arrays_made(scans) == 0);
  // Where scans stand beside other things of one function.
  run_text(R"(
    param rows : 6.20.f64
    param b : 4.20.f64
    result = update(zip(rows, rows) |>
      map(\p. zip(scan(add, 0, p.0), scan(add, 1, p.1)) |> map(\q. q.0 * q.1)), 1, b))");
}

TEST_CASE("bases that are computed in any way are there around the block") {
  const std::string smoothed = R"(a |> pad(1, 1, clamp) |> slide(3, 1) |> map(\w. w[0] + w[2]))";
  for (const std::string& base :
       {R"((let a = u |> map(\x. x * 2) in )" + smoothed + ")",
        std::string(R"(update(u, 1, u |> drop(2, 2) |> map(\x. x - 1)))"),
        R"(iterate(6, \a. )" + smoothed + ", u)", std::string("scan(add, 0, u)"),
        std::string("to_private(reverse(u))"),
        std::string(R"(concat(u |> drop(0, 20), u |> drop(20, 0) |> map(\x. x + 1)))"),
        std::string(R"(interleave(u |> drop(0, 20), u |> drop(20, 0) |> map(\x. x + 1)))"),
        std::string(R"((rows |> reduce(\a r. zip(a, r) |> map(\p. p.0 + p.1), generate(40, \i. 0.0))))")}) {
    CAPTURE(base);
    run_text("param u : 40.f64\nparam rows : 35.40.f64\nresult = update(" + base +
             R"(, 3, u |> drop(5, 5) |> map(\x. x * 2)))");
  }
  for (const std::string& row :
       {R"(let a = r |> map(\x. x * 2) in )" + smoothed,
        std::string(R"(update(r, 3, r |> drop(5, 5) |> map(\x. x + 1)))"),
        std::string(
            R"(to_private(r |> map(\x. x * 2)) |> pad(1, 0, clamp) |> slide(2, 1) |> map(\w. w[0] - w[1]))")})
    for (const char* around : {R"(update(u |> map(\r. %), 2, u |> drop(4, 4)))",
                               R"(update2(u |> map(\r. %), 2, u |> drop2(4, 4)))"}) {
      std::string body = around;
      body.replace(body.find('%'), 1, row);
      CAPTURE(body);
      run_text("param u : 12.40.f64\nresult = " + body);
    }
  run_text(
      "param u, v : 40.f64\nresult = unzip(update(zip(u, v), 2, u |> drop(4, 4) |> map(\\x. {x + 1, x})))");
}

TEST_CASE("the other components read a named block where an update puts it, and other arrays") {
  const Kernel k = run_text(with_arrays(R"(
    let v = b |> map(\a. a * 2) in
    {update_in_place(u, 1, v), zip(v, drop(1, 1, w)) |> map(\p. p.0 + p.1)})"));
  CHECK(arrays_made(k) == 0);
  CHECK(k.results[0] == "u");
  CHECK(count<Store>(k.body) == 2);
}

TEST_CASE("what an element under guards is computed by stands under them") {
  const std::string p = "param u : 12.f64\nparam rows : 12.40.f64\noverwrite u\nresult = ";
  // A sum that is not used: the element stays what it is, nothing is stored.
  const Kernel stays = run_text(p + R"(update_in_place(u, 1,
      zip(u, rows) |> map(\p. let s = reduce(add, 0, p.1) in p.0) |> drop(1, 1)))");
  CHECK(count<Store>(stays.body) == 0);
  // A condition of the element's own beside the guards.
  const Kernel chosen = run_text(p + R"(update_in_place(u, 1,
      zip(u, rows) |> map(\p. select(p.0 < 0, reduce(add, 0, p.1), p.0)) |> drop(1, 1)))");
  CHECK(count<If>(chosen.body) == 1);
  for (const auto& [kernel, loads] : {std::pair(stays, 10 * 40), std::pair(chosen, 10 * 40)}) {
    test::LoopRunner loops;
    loops.arrays["u"].assign(12, 1), loops.arrays["rows"].assign(12 * 40, 1);
    loops.run(kernel);
    CHECK(loops.loads["rows"] == static_cast<std::size_t>(loads));
  }
}

TEST_CASE("rows under guards that stay where they are become no statement") {
  const Kernel k = run_text(R"(
    param u : 6.12.f64
    overwrite u
    result = update_in_place(u, 1, u |> map(\r. let v = r |> drop(0, 0) in v) |> drop(1, 0)))");
  CHECK(k.body.empty());
}

TEST_CASE("borders of arrays of four dimensions are copied over the three of a grid") {
  const Expr u = param("u", array({Nat(3), Nat(4), Nat(5), Nat(40)}, f64));
  const Expr block = map_with(
      Op::MapGlb, 3,
      function_of(array({Nat(38)}, f64), [](Expr row) { return row | map([](Expr x) { return x + 1.0; }); }),
      drop(std::vector<Nat>(4, 1), std::vector<Nat>(4, 1), u), {0});
  const Kernel k = test::run(test::program({u}, update(u, std::vector<Nat>(4, 1), block)));
  int outer = 0;
  for (const Stmt& s : k.body) outer += std::get<For>(s.v).kind == LoopKind::Seq;
  INFO(str(k));
  CHECK(outer > 0);  // of four loops, three are over the grid
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    if (f && f->kind == LoopKind::Glb) CHECK(f->dim < 3);
  });
}

TEST_CASE("arguments that may share memory, or are only read") {
  const std::string p = "param xs, ys : 40.f64\nresult = ";
  const Kernel plain = run_text(p + R"(zip(xs, ys) |> map(\p. p.0 + p.1))");
  CHECK(access_of(plain, "xs") != ArrayAccess::Plain);
  // Of what may share memory with one, nothing is known of the others either.
  for (const char* shared : {R"(zip(may_alias(xs), ys) |> map(\p. p.0 + p.1))",
                             R"(may_alias(zip(xs, ys) |> map(\p. p.0 + p.1)))"}) {
    const Kernel k = run_text(p + shared);
    for (const KernelArgument& a : k.arguments) CHECK(a.access == ArrayAccess::Plain);
  }
  const Kernel only_read = run_text(p + R"(zip(read_only(xs), ys) |> map(\p. p.0 + p.1))");
  CHECK(access_of(only_read, "xs") == ArrayAccess::ReadOnly);
  CHECK(access_of(only_read, "ys") != ArrayAccess::ReadOnly);
}

TEST_CASE("a layout is that of an argument, of the result, or of an array of the kernel's own") {
  const auto request = [](const Kernel& k, const std::string& name) {
    for (const KernelArgument& a : k.arguments)
      if (a.name == name) return a.layout.request();
    return LayoutRequest{};
  };
  const LayoutRequest caller{};
  const std::string p = "param xs : 5.12.f64\nresult = ";
  const Kernel argument = run_text(p + "layout(rows 8 1, xs)");  // the result is a copy, as the caller has it
  CHECK(!(request(argument, "xs") == caller));
  CHECK(request(argument, argument.results[0]) == caller);
  const Kernel result = run_text(p + R"(layout(rows 8 1, xs |> map2(\x. x * 2)))");
  CHECK(request(result, "xs") == caller);
  CHECK(!(request(result, result.results[0]) == caller));
  const Kernel own = run_text(p + R"(layout(rows 8 1, to_private(xs |> map2(\x. x * 2))) |>
      pad2(1, 1, clamp) |> slide2(3, 1) |> map2(\w. w[0, 1] + w[2, 1]))");
  std::optional<Nat> elements;
  visit(own.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) elements = Layout(a->layout, a->type).size();
  });
  INFO(str(own));
  REQUIRE(elements);
  CHECK(*elements->constant() > 5 * 12);  // rows of multiples of eight
}

}  // namespace lift::updates_test
