// Which updates with_updates_in_place puts in place: each by itself, where nothing reads afterwards what it
// overwrites. What is computed stays what it was: the result is lowered and run, against the interpreter.
#include <doctest/doctest.h>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "lower/passes/pipeline.hpp"
#include "lower/translate/translate.hpp"
#include "lower/updates_in_place.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::updates_in_place_test {
namespace {

const Expr x = param("x", array({8}, f64)), y = param("y", array({8}, f64)),
           m = param("m", array({4, 8}, f64)), k = param("k", array({4, 8}, f64));

Expr twice(const Expr& v) { return v * 2.0; }
Expr sum(const Expr& a, const Expr& b) { return a + b; }
Expr doubled(const Expr& r) { return r | map(twice); }
Expr inner(const Expr& r) { return r | drop(1, 1); }
/// The inner elements of r anew, each of its own old value.
Expr self(const Expr& r) { return update(r, {1}, doubled(inner(r))); }
/// ... each of its own old value and of what `other` has there.
Expr with(const Expr& r, const Expr& other) {
  return update(r, {1}, zip({inner(r), inner(other)}) | map(sum));
}
/// ... each of what `other` has beside it.
Expr beside(const Expr& r, const Expr& other) {
  return update(r, {1}, other | slide(3, 1) | map([](Expr w) { return w[0] + w[2]; }));
}
Expr both(const Expr& a, const Expr& b) { return zip({a, b}); }
template <class F>
Expr rows(const Expr& of, F f) {
  return of | map(f);
}

/// The results of a translated program.
std::vector<std::vector<double>> computed(const Program& p, const Kernel& translated) {
  const Kernel kernel = finish(translated, {});
  test::LoopRunner loops;
  for (const KernelArgument& a : kernel.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), std::nan(""));
  for (const Expr& a : p.arguments) loops.arrays[param_name(a)] = test::numbers(a.type(), param_name(a)[0]);
  loops.run(kernel);
  std::vector<std::vector<double>> r;
  for (const std::string& result : kernel.results) r.push_back(loops.arrays.at(result));
  return r;
}
std::vector<std::vector<double>> interpreted(const Program& p) {
  Interpreter in;
  for (const Expr& a : p.arguments)
    in.params[param_name(a)] = make_array(test::numbers(a.type(), param_name(a)[0]), a.type());
  return flatten_components(in.eval(p.body), p.body.type());
}

struct Case {
  const char* what;
  Expr body;
  std::vector<std::string> overwritable;
  int in_place;
  bool needs_name = false;  ///< the base, before it is translated
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Program p = test::program(params_of(c.body), c.body, c.overwritable);
    Program after = p;
    after.body = with_updates_in_place(p);
    INFO(c.what << "\n" << str(after.body));
    int updates = 0, in_place = 0, before = 0;
    visit(p.body, [&](const Expr& e) { before += e.is(Op::Update); });
    visit(after.body,
          [&](const Expr& e) { updates += e.is(Op::Update), in_place += e.is(Op::UpdateInPlace); });
    CHECK(in_place == c.in_place);
    CHECK(updates + in_place == before);
    if (!c.needs_name) CHECK(computed(p, translate(after)) == interpreted(p));
    CHECK(computed(p, lower_undecided(p)) == interpreted(p));
  }
}

}  // namespace

TEST_CASE("an argument is overwritten where that is allowed, and where nothing reads it afterwards") {
  check({
      {"allowed", self(x), {"x"}, 1},
      {"not allowed", self(x), {}, 0},
      {"another one is allowed", with(x, y), {"y"}, 0},
      {"made of neighbours", beside(x, x), {"x"}, 0},
      {"made of another one's neighbours", beside(x, y), {"x"}, 1},
      {"what is computed is nobody's", self(doubled(x)), {}, 1, true},
      {"the block of an update of an update is made of what the other one overwrites",
       update(update(x, {Nat(0)}, x | take(4) | map(twice)), {4}, x | take(4) | map(twice)),
       {"x"},
       0},
      {"by name", let(x, self), {"x"}, 1},
      {"by name, made of neighbours by another name", let(x, [](Expr t) { return beside(t, x); }), {"x"}, 0},
      {"by name, made of neighbours by a name within",
       let(x, [](Expr t) { return let(t, [=](Expr q) { return beside(q, t); }); }),
       {"x"},
       0},
      {"a value with a name", let(doubled(x), self), {}, 1},
      {"... that is read beside",
       let(doubled(x),
           [](Expr t) {
             return tuple({self(t), doubled(t)});
           }),
       {},
       0},
      {"... whose neighbours are read", let(doubled(x), [](Expr t) { return beside(t, t); }), {}, 0},
      {"in another order", update(reverse(x), {1}, doubled(inner(reverse(x)))), {"x"}, 0},
      {"in another order, made of another one", update(reverse(x), {1}, doubled(inner(y))), {"x"}, 0},
      {"a row", update(m[1], {1}, doubled(inner(m[1]))), {"m"}, 0},
  });
}

TEST_CASE("rows of an array are overwritten where no other row's iteration reads them") {
  const auto of_pair = [](const std::function<Expr(Expr, Expr)>& f) {
    return [f](const Expr& t) { return f(get(0, t), get(1, t)); };
  };
  const auto first = [](const Expr& r, const Expr&) { return self(r); };
  const auto second = [](const Expr&, const Expr& s) { return self(s); };
  check({
      {"allowed", rows(m, self), {"m"}, 1},
      {"not allowed", rows(m, self), {}, 0},
      {"computed elements", rows(doubled(join(m)) | split(8), self), {"m"}, 0},
      {"the first of two", rows(both(m, k), of_pair(with)), {"m"}, 1},
      {"the first of two, and the second is allowed", rows(both(m, k), of_pair(with)), {"k"}, 0},
      {"the second of two", rows(both(m, k), of_pair(second)), {"k"}, 1},
      {"beside its neighbours in the other", rows(both(m, k), of_pair(beside)), {"m"}, 1},
      {"its neighbours", rows(m, [](Expr r) { return beside(r, r); }), {"m"}, 0},
      {"its neighbours by a name",
       rows(m, [](Expr r) { return let(r, [=](Expr q) { return beside(q, r); }); }),
       {"m"},
       0},
      {"the other one is made of it in another order", rows(both(m, reverse(m)), of_pair(with)), {"m"}, 0},
      {"an element of an array of pairs",
       rows(rows(m,
                 [](Expr r) {
                   return tuple({r, r});
                 }),
            of_pair(first)),
       {"m"},
       0},
      {"all of them, in each iteration", rows(k, [](Expr r) { return with(r, m[0]); }), {"k"}, 1},
      {"an argument, in each iteration", rows(k, [](Expr r) { return with(x, r); }), {"x"}, 0},
      {"a named value, in each iteration",
       let(doubled(x), [](Expr t) { return rows(k, [=](Expr r) { return with(t, r); }); }),
       {},
       0},
      {"a value of each iteration's own", rows(k, [](Expr r) { return let(doubled(r), self); }), {}, 1},
  });
}

TEST_CASE("what is computed beside an update or after it does not find the array overwritten") {
  const Expr halves = unzip(x | map([](Expr v) { return tuple({v * 2.0, v + 1.0}); }));
  const auto pairs = [](const std::function<Expr(Expr, Expr, Expr)>& f) {
    return unzip(both(m, k) | map([f](Expr t) { return f(t, get(0, t), get(1, t)); }));
  };
  check({
      {"nothing of it",
       pairs([](Expr, Expr r, Expr s) {
         return tuple({self(r), doubled(s)});
       }),
       {"m"},
       1},
      {"both",
       pairs([](Expr, Expr r, Expr s) {
         return tuple({self(r), self(s)});
       }),
       {"m", "k"},
       2},
      {"the same row",
       pairs([](Expr, Expr r, Expr) {
         return tuple({self(r), doubled(r)});
       }),
       {"m"},
       0},
      {"the same row, before",
       pairs([](Expr, Expr r, Expr) {
         return tuple({doubled(r), self(r)});
       }),
       {"m"},
       0},
      {"the pair that it is in",
       pairs([](Expr t, Expr r, Expr) {
         return tuple({self(r), let(t, [](Expr q) { return doubled(get(0, q)); })});
       }),
       {"m"},
       0},
      {"the other one of the pair",
       pairs([](Expr, Expr r, Expr s) {
         return tuple({self(r), let(s, [](Expr q) { return doubled(q); })});
       }),
       {"m"},
       1},
      {"what a name stands for, of which the number has been read",
       rows(m,
            [](Expr r) {
              return let(r[3] * 2.0,
                         [=](Expr v) { return update(r, {Nat(0)}, r | map([=](Expr e) { return e + v; })); });
            }),
       {"m"},
       1},
      {"one of several values with a name",
       let(halves,
           [](Expr p) {
             return tuple({self(get(0, p)), doubled(get(1, p))});
           }),
       {},
       1,
       true},
      {"one of several values with a name, which is read beside",
       let(halves,
           [](Expr p) {
             return tuple({self(get(0, p)), doubled(get(0, p))});
           }),
       {},
       0},
      {"one of a pair in a pair",
       both(m, both(k, k)) | map([](Expr t) { return with(get(0, get(1, t)), get(0, t)); }),
       {"k"},
       0},
      {"what is made of it before, and read in another order",
       rows(m,
            [](Expr r) {
              return let(doubled(r), [=](Expr q) { return update(r, {Nat(0)}, doubled(reverse(q))); });
            }),
       {"m"},
       1},
      {"what is made of it before, of which neighbours are read",
       rows(m, [](Expr r) { return let(doubled(r), [=](Expr q) { return beside(r, q); }); }),
       {"m"},
       1},
      {"what is made of an argument before, and read in another order",
       let(doubled(x), [](Expr q) { return update(x, {Nat(0)}, doubled(reverse(q))); }),
       {"x"},
       1},
  });
}

TEST_CASE("accumulators and elements of reductions and scans") {
  const auto row = m.type().element();
  const auto folded = [&](const std::function<Expr(Expr, Expr)>& f) { return fun({row, row}, f); };
  const auto of_accumulator = folded([](Expr a, Expr r) { return with(a, r); });
  const auto of_element = folded([](Expr a, Expr r) { return with(r, a); });
  const auto zeros = generate({Nat(8)}, [](Expr) { return literal(0, f64); });
  check({
      {"the accumulator", reduce(of_accumulator, zeros, m), {}, 1},
      {"the accumulator that an argument is the first of", reduce(of_accumulator, x, m), {}, 1},
      {"elements", reduce(of_element, zeros, m), {"m"}, 1},
      {"elements that may not change", reduce(of_element, zeros, m), {}, 0},
      {"elements of a scan that may not change", scan(of_element, x, m), {"x"}, 0},
  });
}

}  // namespace lift::updates_in_place_test
