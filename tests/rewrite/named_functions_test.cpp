// Functions that have names themselves, which nobody writes, but rules may make: rules that look into
// functions look into those that are written out, and refuse others, or leave them as they are.
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "tests/rewrite/rule_cases.hpp"

using namespace lift;
using namespace lift::test;

namespace named_functions_test {
namespace {

using Unary = std::function<Expr(Expr)>;

Expr argument() { return param("x", array({Nat(8)}, f64)); }
Expr rows() { return param("rows", array({Nat(6), Nat(4)}, f64)); }
Type pair() { return Type::tuple({f64, f64}); }

/// let v = value in function v, of a function that is a variable.
Expr let_by(const Expr& value, const Expr& function) { return make(Op::Let, {value, function}, {}); }
/// let f = function in body f; `let` would put f where it is used.
Program named(const Expr& function, const Unary& body) {
  return whole_program(make(Op::Let, {function, fun(function.type(), body)}, {}));
}

Expr elementwise(const Expr& xs) {
  return map([](Expr v) { return v * 2 + 1; }, xs);
}
/// A step around a period.
Expr wrapped(const Expr& xs) {
  return map([](Expr w) { return at({Nat(0)}, w) + at({Nat(2)}, w) * 2; },
             slide({Nat(3)}, {Nat(1)}, pad({Nat(1)}, {Nat(1)}, Boundary::wrap, xs)));
}
Expr of_array(const Unary& f) {
  return fun(argument().type(), [&](Expr xs) { return f(xs); });
}
/// A scan of two values along a row, the first of which follows from itself.
Expr scanned(const Expr& row, const Unary& halved) {
  const Expr step = fun({pair(), Type(f64)}, [&](Expr acc, Expr v) {
    return tuple({halved(get(0, acc)), get(1, acc) + v * get(0, acc)});
  });
  return scan(step, tuple({literal(1, f64), literal(0, f64)}), row);
}
Expr half(const Expr& v) { return v / 2; }

}  // namespace

TEST_CASE("named functions: rules refuse what they would have to look into") {
  const Expr line = of_array(elementwise),
             two = fun(Type(f64), [](Expr v) { return generate({Nat(2)}, [&](Expr) { return v; }); });
  const Expr both = fun(Type(f64), [](Expr v) { return tuple({v, v * 2}); });
  const auto of_rows = [](const Unary& f) { return fun(array({Nat(4)}, f64), [&](Expr r) { return f(r); }); };
  const Expr total = of_rows([](Expr r) {
    return reduce(fun({f64, f64}, [](Expr a, Expr v) { return a + v; }), literal(0, f64), r);
  });
  const Expr add = fun({f64, f64}, [](Expr a, Expr v) { return a + v; });
  const Expr tile = fun(array({Nat(2), Nat(3)}, f64),
                        [](Expr t) { return map([](Expr w) { return at({Nat(0)}, w); }, t); });
  const Expr step = fun({pair(), Type(f64)}, [](Expr acc, Expr v) {
    return tuple({get(0, acc) / 2, get(1, acc) + v});
  });
  const Expr pairs = of_array([&](Expr xs) { return map(both, xs); });
  const Expr of_two =
      fun(Type::tuple({argument().type(), argument().type()}), [](Expr t) { return elementwise(get(1, t)); });
  const auto refused = [](const char* rule, const char* why, const Expr& function, const Unary& body) {
    const Program p = named(function, body);
    check_refused({rule, "named", "", why}, p);
  };
  const Expr x = argument();
  refused("map-vec 4", "only the innermost loop is vectorised", two, [&](Expr f) { return map(f, x); });
  refused("stage 0", "needs a map over tiles", tile,
          [&](Expr f) { return map(f, split({Nat(2)}, slide({Nat(3)}, {Nat(1)}, x))); });
  refused("scan-fission", "needs a scan within a map", step, [&](Expr f) {
    return map([&](Expr r) { return scan(f, tuple({literal(1, f64), literal(0, f64)}), r); }, rows());
  });
  refused("reduce-one", "not made by the same reduction", total, [&](Expr f) {
    return reduce(add, literal(0, f64), map(f, param("one", array({Nat(1), Nat(4)}, f64))));
  });
  refused("let-tile 2", "needs a let of a map", line, [&](Expr f) { return let_by(elementwise(x), f); });
  refused("let-of-maps", "needs let p = map f xs", line, [&](Expr f) { return let_by(elementwise(x), f); });
  refused("let-of-maps", "not one map over the same dimensions", line,
          [&](Expr f) { return let(elementwise(x), [&](Expr p) { return let_by(elementwise(p), f); }); });
  refused("let-of-tuple", "needs let x = {a, b}", of_two, [&](Expr f) {
    return let_by(tuple({x, elementwise(x)}), f);
  });
  refused("let-of-unzip", "needs let x = unzip xs", of_two,
          [&](Expr f) { return let_by(unzip_n(1, map(both, x)), f); });
  refused("unzip-of-let", "needs unzip (let x = a in e)", pairs,
          [&](Expr f) { return unzip_n(1, let_by(elementwise(x), f)); });
  refused("let-of-let", "needs let x = (let y = a in b)", line,
          [&](Expr f) { return let_by(let(elementwise(x), elementwise), f); });
  refused("let-of-let", "needs let x = (let y = a in b)", line,
          [&](Expr f) { return let(let_by(elementwise(x), f), elementwise); });
  refused("chain-iterate", "needs let x0 = a", line, [&](Expr f) { return let_by(elementwise(x), f); });
  refused("chain-iterate", "no two stages after the first are made alike", line, [&](Expr f) {
    return let(elementwise(x), [&](Expr a) {
      return let(elementwise(a), [&](Expr b) { return let_by(elementwise(b), f); });
    });
  });
}

TEST_CASE("named functions: what rules make around them means the same") {
  const Expr line = of_array(elementwise), halves = fun(Type(f64), half);
  const auto made = [](const char* rule, const char* says, const Expr& function, const Unary& body,
                       const char* at = "named") {
    check_made({rule, at, "", says}, named(function, body));
  };
  const Expr x = argument();
  made("iterate-chain", "let", line, [&](Expr f) { return iterate(3, f, x); });
  made("wrap-once", "wrap", line, [&](Expr f) {
    return let(wrapped(x),
               [&](Expr a) { return let(wrapped(a), [&](Expr b) { return let_by(wrapped(b), f); }); });
  });
  const Expr firsts = fun(array({Nat(4)}, pair()),
                          [](Expr r) { return map([](Expr t) { return get(0, t) + get(1, t); }, r); });
  made("scan-fission", "generate(4", firsts,
       [&](Expr f) { return map([&](Expr r) { return let_by(scanned(r, half), f); }, rows()); });
  made("scan-fission", "", halves, [&](Expr f) {
    return map([&](Expr r) { return scanned(r, [&](Expr v) { return apply(f, {v}); }); }, rows());
  });
  const Expr both = fun(Type(f64), [](Expr v) { return tuple({v / 2, v * 2}); });
  made("scan-fission", "", both, [&](Expr f) {
    return map(
        [&](Expr r) {
          const Expr step = fun({pair(), Type(f64)}, [&](Expr acc, Expr) { return let_by(get(0, acc), f); });
          return scan(step, tuple({literal(1, f64), at({Nat(0)}, r)}), r);
        },
        rows());
  });
  // The last function is computed, too.
  const Expr of_number = make(Op::Let,
                              {literal(2, f64), fun(Type(f64),
                                                    [&](Expr c) {
                                                      return of_array([&](Expr xs) {
                                                        return map([&](Expr v) { return v * c; }, xs);
                                                      });
                                                    })},
                              {});
  const Program stages =
      whole_program(let(wrapped(x), [&](Expr a) { return let_by(wrapped(a), of_number); }));
  check_made({"load-stages 1", "", "", "let xs = x |> map(\\y. y)"}, stages);
  // Of the whole program, which begins with the function's name.
  // Of fewer elements than 33 copies are kept in variables.
  const Expr y = param("y", array({Nat(40)}, f64));
  const Expr block = elementwise(drop({Nat(1)}, {Nat(1)}, y));
  made(
      "overwrite-dead", "update_in_place(y, 1", fun(y.type(), elementwise),
      [&](Expr f) {
        return let(update(y, {Nat(1)}, block), [&](Expr a) { return let_by(elementwise(a), f); });
      },
      "");
  check_refused({"overwrite-dead", "", "", "nothing may be overwritten"},
                named(fun(y.type(), elementwise), [&](Expr f) { return iterate(3, f, y); }));
}

}  // namespace named_functions_test
