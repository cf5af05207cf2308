// Vectors taken apart into lanes, and neighbouring accesses put together: the same numbers, exactly, and the
// vectors that are to be seen.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/passes/pair_accesses.hpp"
#include "lower/passes/passes.hpp"
#include "lower/passes/split_lanes.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"
#include "tests/lower/run_program.hpp"

using namespace lift;
using namespace lift::test;

namespace scalars_test {
namespace {

Kernel in_scalars(const Kernel& k) {
  Kernel r = k;
  r.body = split_lanes(k.body);
  r.body = eliminate_common_subexpressions(propagate_copies(pair_accesses(r.body, r)));
  return r;
}

/// Arithmetic on vectors is gone: they are loaded, put together to be stored, and taken apart.
void check_scalar(const Kernel& k) {
  const auto check = [&](const Term& t, bool whole) {
    visit(t, [&](const Term& x) {
      const bool access =
          x->kind == TermKind::Load || x->kind == TermKind::Shuffle || x->kind == TermKind::Local;
      REQUIRE_MESSAGE((x->width == 1 || (access && (whole || x->kind == TermKind::Local))), str(k));
    });
  };
  visit(k.body, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) check(x->value, true);
    if (const auto* x = std::get_if<Let>(&s.v)) check(x->value, x->local->width > 1);
    if (const auto* x = std::get_if<Declare>(&s.v)) check(x->value, false);
    if (const auto* x = std::get_if<For>(&s.v)) REQUIRE(x->kind != LoopKind::Vec);
  });
}

int wide_accesses(const Kernel& k, int width) {
  int n = 0;
  visit(k.body, [&](const Stmt& s) {
    const auto* l = std::get_if<Let>(&s.v);
    const auto* st = std::get_if<Store>(&s.v);
    n += (l && l->local->width == width) || (st && st->value->width == width);
  });
  return n;
}

/// Runs both on the same data: every array ends the same.
void check_same(const Kernel& k, const Kernel& scalars) {
  LoopRunner a, b;
  std::uint64_t seed = 1;
  for (LoopRunner* r : {&a, &b})
    for (const KernelArgument& x : k.arguments) {
      if (x.type.is_array()) {
        r->arrays[x.name] = numbers(array({x.layout.size()}, element_of(x.type)), seed += r == &a);
        if (r == &b) r->arrays[x.name] = a.arrays[x.name];
      } else if (x.type.scalar() == i32) {
        r->index[x.name] = 1;
      } else {
        r->scalars[x.name] = 3;
      }
    }
  const auto start = a.arrays;
  b.arrays = start;
  a.run(k), b.run(scalars);
  for (const KernelArgument& x : k.arguments)
    if (x.type.is_array())
      CHECK_MESSAGE(a.arrays[x.name] == b.arrays[x.name], x.name << " of\n"
                                                                 << str(k) << "\nas\n"
                                                                 << str(scalars));
}

struct Tried {
  int kernels = 0, with_vectors = 0;
};
Tried try_seeds(const Pattern& pattern, const Problem& p, const std::vector<std::string>& layouts) {
  Tried r;
  const Program program = pattern.build(p);
  for (const Target target : {Target::cuda, Target::openmp})
    for (Configuration c : Space(program, {target, 2, 32}).seeds())
      for (const std::string& layout : layouts) {
        try {
          const Space space(program, {target, 2, 32});
          if (!layout.empty()) c.set("layout", layout);
          const Kernel k = lower(replay(program, space.derive(c)));
          const Kernel scalars = in_scalars(k);
          check_scalar(scalars);
          check_same(k, scalars);
          ++r.kernels, r.with_vectors += wide_accesses(scalars, 2) + wide_accesses(scalars, 4) > 0;
        } catch (const UserError&) {  // impossible as asked
        }
      }
  return r;
}

Kernel straight(Block body, Scalar s = f64) {
  Kernel k;
  k.name = "straight", k.results = {"y"};
  for (const char* name : {"x", "y"}) {
    const Type t = array({Nat(64)}, s);
    k.arguments.push_back({name, t, Layout({}, t), std::string(name) == "y", true, {}});
  }
  k.body = std::move(body);
  return k;
}
Stmt put(const Nat& at, const Term& value) { return {Store{"y", {at}, value, false}}; }
Term x_at(const Nat& i, Scalar s = f64) { return load_term("x", {i}, s); }
Term y_at(const Nat& i) { return load_term("y", {i}, f64); }
Term sum(const Term& a, const Term& b) { return apply_term(Op::Add, a->type, {a, b}); }

/// A loop over whole cells of two elements.
Block cells(const std::function<Block(const Nat&)>& body) {
  For f;
  f.var = Nat::fresh("i", 0, 15), f.lower = 0, f.upper = 16, f.kind = LoopKind::Glb;
  f.body = body(2 * f.var);
  return {{std::move(f)}};
}
void check(const Kernel& k, int pairs) {
  const Kernel s = in_scalars(k);
  INFO(str(k) << "\nas\n" << str(s));
  CHECK(wide_accesses(s, 2) == pairs);
  check_same(k, s);
}

}  // namespace

TEST_CASE("scalars: kernels in lanes compute the same numbers") {
  Problem p;
  p.boxes = 2;
  for (const std::int64_t box : {8, 9}) {
    p.box = box;
    for (const char* smoother : {"gsrb", "jacobi"}) {
      p.choices = {{"smoother", smoother}};
      const Tried t = try_seeds(smooth(3), p, {"", "rows 4 1", "split 3 1"});
      CHECK(t.kernels > 25);
      CHECK(t.with_vectors > 5);
    }
  }
  p.box = 16, p.choices = {};
  for (const auto& [pattern, kind] : {std::pair{prolongation(2), "linear"}, {restriction(2), "average"}}) {
    p.choices = {{"kind", kind}};
    if (std::string(kind) == "average") p.choices = {};
    const Tried t = try_seeds(pattern, p, {""});
    CHECK(t.kernels > 10);
    CHECK(t.with_vectors > 3);
  }
}

TEST_CASE("scalars: neighbouring loads and stores of a cell are one access each, where they are aligned") {
  check(straight(cells([](const Nat& i) {
          return Block{put(i, x_at(i)), put(i + 1, sum(x_at(i + 1), x_at(i)))};
        })),
        2);
  check(straight(cells([](const Nat& i) {
          return Block{put(i + 1, x_at(i + 1)), put(i + 2, x_at(i + 2))};
        })),
        0);
  check(straight(cells([](const Nat& i) {
          return Block{put(i + 3, x_at(i + 1)), put(i + 2, x_at(i + 4))};
        })),
        1);
}

TEST_CASE(
    "scalars: no load is moved over a store that may change it, no store over an access of its element") {
  check(straight(cells([](const Nat& i) {
          return Block{put(i, sum(y_at(i), x_at(i))), put(i + 1, sum(y_at(i + 1), x_at(i + 1)))};
        })),
        3);
  check(straight(cells([](const Nat& i) { return Block{put(i, x_at(i)), put(i + 1, y_at(i))}; })), 0);
  check(straight(cells([](const Nat& i) {
          return Block{put(i, x_at(i + 2)), put(i, y_at(i + 1)), put(i + 1, x_at(i))};
        })),
        0);
  check(straight(cells([](const Nat& i) {
          return Block{put(i, x_at(i + 2)), put(30 - i, x_at(i + 1)), put(i + 1, y_at(i))};
        })),
        0);
  const auto mine = [](const Nat& i) {
    return Block{{Declare{local_term("a", f64), x_at(i)}},
                 put(i, local_term("a", f64)),
                 {Assign{local_term("a", f64), sum(local_term("a", f64), x_at(i + 1))}},
                 put(i + 1, local_term("a", f64))};
  };
  check(straight(cells(mine)), 2);
}

TEST_CASE("scalars: what only a condition lets through is not loaded ahead") {
  const auto chosen = [](const Nat& i) {
    const Term c = compare_term(less(2, i));
    return Block{put(i, apply_term(Op::Select, f64, {c, x_at(i), x_at(i + 4)})), put(i + 2, x_at(i + 1))};
  };
  check(straight(cells(chosen)), 0);
}

TEST_CASE("scalars: four of f32 make one access of 16 bytes") {
  const Kernel k = straight(cells([&](const Nat& i) {
                              Block b;
                              for (int l = 0; l < 4; ++l) b.push_back(put(2 * i + l, x_at(2 * i + l, f32)));
                              return b;
                            }),
                            f32);
  const Kernel s = in_scalars(k);
  CHECK(wide_accesses(s, 4) == 2);
  check_same(k, s);
}

}  // namespace scalars_test
