// Which elements vectors touch, and when: iterations that load what they stored, and what guards keep from
// some lanes.
#include <doctest/doctest.h>

#include "lower/loops/verify.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_loops.hpp"
#include "tests/message.hpp"

namespace lift::vector_elements_test {
namespace {

Term x(const Nat& at) { return load_term("x", {at}, f64); }
Term y(const Nat& at) { return load_term("y", {at}, f64); }
Term own(const Nat& at) { return load_term("own", {at}, f64); }
Stmt put(const char* array, const Nat& at, const Term& value) { return {Store{array, {at}, value, false}}; }
Term odd(const Nat& i) { return compare_term(equal(mod(i, 2), 1)); }
Nat scale() { return Nat::size("scale", 1); }

using Body = std::function<Block(const Nat&)>;
For vec(const Nat& lower, const Nat& upper, const Body& body, bool late = false, int width = 4) {
  For f;
  f.kind = LoopKind::Vec, f.width = width, f.lower = lower, f.upper = upper, f.late_store = late;
  f.var = Nat::fresh("i", lower, upper - 1);
  f.body = body(f.var);
  return f;
}

Kernel kernel(Block body) {
  Kernel k;
  k.name = "k", k.results = {"y"};
  for (const char* name : {"x", "y", "z"}) {
    const Type t = array({Nat(96)}, f64);
    k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  }
  k.arguments.push_back({"scale", i32, {}, false, true, {1, 4}});
  k.body = std::move(body);
  return k;
}
std::map<std::string, std::vector<double>> run(const Kernel& k) {
  test::LoopRunner loops;
  loops.index["scale"] = 2;
  for (const char* name : {"x", "y", "z"})
    for (std::int64_t i = 0; i < 96; ++i)
      loops.arrays[name].push_back(static_cast<double>((7 * i * i + 5 * name[0]) % 101));
  loops.run(k);
  loops.arrays.erase("own");
  return loops.arrays;
}
/// A kernel whose loops over vectors have become such; it does what it did.
Kernel made(const Block& body) {
  Kernel k = kernel(body);
  verify(k, Form::Flat, "linearise");
  const auto before = run(k);
  k.body = vectorise(k.body, k, {});
  INFO(str(k));
  verify(k, Form::Vectors, "vectorise");
  CHECK(run(k) == before);
  return k;
}
bool is_late(const Kernel& k) {
  return holds(k.body, [](const Stmt& s) {
    const auto* d = std::get_if<Declare>(&s.v);
    return d && d->local->name.rfind("late", 0) == 0;
  });
}
bool refused(const Block& body, const std::string& why) {
  const std::string said = test::message([&] { made(body); });
  INFO(said);
  return said.find("only a guard keeps some of its iterations from " + why) != std::string::npos;
}

}  // namespace

TEST_CASE("vector elements: what an iteration has stored is not loaded before") {
  CHECK_FALSE(is_late(made({{vec(
      0, 16,
      [](const Nat& i) {
        return Block{put("y", i, x(i)), put("z", i, y(i))};
      },
      true)}})));
  // In a name, and at an element of which it is not known which one it is.
  CHECK_FALSE(is_late(made({{vec(
      0, 16,
      [](const Nat& i) {
        const Term name = local_term("t", f64);
        return Block{put("y", i, x(i)), {Let{name, y(i)}}, put("z", i, name)};
      },
      true)}})));
  CHECK_FALSE(is_late(made({{vec(
      0, 16,
      [](const Nat& i) {
        return Block{put("y", i + scale(), x(i)), put("z", i, y(i + 2))};
      },
      true)}})));
  // Other elements, and what is stored afterwards.
  CHECK(is_late(made({{vec(
      0, 16,
      [](const Nat& i) {
        return Block{put("y", i, x(i)), put("z", i, y(i + 40))};
      },
      true)}})));
  CHECK(is_late(made({{vec(
      0, 16,
      [](const Nat& i) {
        return Block{put("z", i, y(i)), put("y", i, x(i))};
      },
      true)}})));
}

TEST_CASE("vector elements: what a guard keeps from some lanes has to be an element all the same") {
  const auto stored = [](const Nat& lower, std::int64_t shift, std::int64_t residue) {
    return Block{
        {Allocate{"own", array({Nat(16)}, f64)}}, {vec(lower, 16, [&](const Nat& i) {
          return Block{{If{{compare_term(equal(mod(i, 2), residue))}, {put("own", i + shift, x(i))}}}};
        })}};
  };
  CHECK(refused(stored(0, -1, 1), "storing beside own"));
  CHECK(refused(stored(4, 1, 0), "storing beside own"));
  Block right = stored(4, -1, 1);
  right.insert(right.begin() + 1, {vec(0, 16, [](const Nat& i) { return Block{put("own", i, x(i + 1))}; })});
  right.push_back({vec(0, 16, [](const Nat& i) { return Block{put("y", i, own(i))}; })});
  made(right);

  const auto loaded = [](const Nat& upper, const Body& body) { return Block{{vec(0, upper, body)}}; };
  const Body next = [](const Nat& i) {
    return Block{{If{{compare_term(equal(mod(i, 2), 0))}, {put("y", i, x(i + 1))}}}};
  };
  const Body before = [](const Nat& i) { return Block{{If{{odd(i)}, {put("y", i, x(i - 1))}}}}; };
  const Body either = [](const Nat& i) {
    return Block{put("y", i, apply_term(Op::Select, f64, {odd(i), x(i - 1), constant_term(0, f64)}))};
  };
  const Body named = [](const Nat& i) {
    const Term name = local_term("t", f64);
    return Block{{Let{name, apply_term(Op::Select, f64, {odd(i), x(i - 1), x(i)})}}, put("y", i, name)};
  };
  const Body below = [](const Nat& i) {
    const Term name = local_term("t", f64);
    return Block{{If{{odd(i)}, {{Let{name, x(i - 1)}}, put("y", i, name)}}}};
  };
  const Body asked = [](const Nat& i) {
    const Term both = apply_term(Op::And, boolean,
                                 {odd(i), apply_term(Op::Lt, boolean, {x(i - 1), constant_term(9, f64)})});
    return Block{{If{{both}, {put("y", i, x(i))}}}};
  };
  const Body either_asked = [](const Nat& i) {
    const Term one = apply_term(
        Op::Or, boolean,
        {compare_term(equal(mod(i, 2), 0)), apply_term(Op::Lt, boolean, {x(i - 1), constant_term(9, f64)})});
    return Block{{If{{one}, {put("y", i, x(i))}}}};
  };
  CHECK(refused(loaded(96, either_asked), "reading beside x"));
  CHECK(refused(loaded(96, next), "reading beside x"));
  CHECK(refused(loaded(96, below), "reading beside x"));
  CHECK(refused(loaded(96, asked), "reading beside x"));
  CHECK(refused(loaded(96, before), "reading beside x"));
  CHECK(refused(loaded(96, either), "reading beside x"));
  CHECK(refused(loaded(96, named), "reading beside x"));
  // The last vector ends before: what is left is done one by one.
  made(loaded(95, next));
  for (const Body& body : {before, either, named, below, asked}) made({{vec(4, 96, body)}});
}

}  // namespace lift::vector_elements_test
