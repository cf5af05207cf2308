// Which loops threads share, go through together, or take in turns, and the memory that each of them has, on
// loops written by hand at the edges of each condition.
#include <doctest/doctest.h>

#include "lower/loops/verify.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::shared_loops_test {
namespace {

using test::count;

constexpr std::int64_t kRows = 6, kColumns = 8;

For over(const Nat& n, const std::function<Block(const Nat&)>& body, LoopKind kind = LoopKind::Seq,
         const Nat& from = 0) {
  For f;
  f.var = Nat::fresh("k", from, n - 1), f.lower = from, f.upper = n, f.kind = kind;
  f.body = body(f.var);
  return f;
}
Term at(const std::string& array, const Nat& i) { return load_term(array, {i}, f64); }
Stmt put(const std::string& array, const Nat& i, const Term& value) {
  return {Store{array, {i}, value, false}};
}
Kernel kernel(Block body, std::int64_t least_shared = 0) {
  const Type t = array({Nat(kRows * kColumns)}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"}, k.least_shared = least_shared;
  k.arguments = {{"a", t, Layout({}, t), false, true, {}}, {"out", t, Layout({}, t), true, true, {}}};
  k.body = std::move(body);
  return k;
}
std::vector<double> out_of(const Kernel& k) {
  test::LoopRunner loops;
  for (std::int64_t i = 0; i < kRows * kColumns; ++i)
    loops.arrays["a"].push_back(static_cast<double>(i * i)), loops.arrays["out"].push_back(-1);
  loops.run(k);
  CHECK(loops.races.empty());
  return loops.arrays.at("out");
}
/// As a processor gets it: what is computed is the same.
Kernel for_threads(const Kernel& k) {
  verify(k, Form::Vectors, "the test");
  Kernel r = for_target(k, Target::openmp);
  INFO(str(r));
  verify(r, Form::Vectors, "for_target");
  CHECK(out_of(r) == out_of(k));
  return r;
}
const For& loop(const Block& b, std::size_t n = 0) { return std::get<For>(b.at(n).v); }
std::vector<LoopKind> kinds(const Block& b) {
  std::vector<LoopKind> all;
  visit(b, [&](const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v)) all.push_back(f->kind);
  });
  return all;
}
bool any_loop(const Block& b, bool For::*what) {
  return holds(b, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    return f && f->*what;
  });
}
/// A row's sums with the next element, through an array of this space and length.
Block by_way_of(const char* name, const Nat& row, AddressSpace space, std::int64_t length) {
  return {{Allocate{name, array({Nat(length)}, f64), space}},
          {over(kColumns, [&](const Nat& i) { return Block{put(name, i, at("a", kColumns * row + i))}; })},
          {over(kColumns, [&](const Nat& i) {
            return Block{put("out", kColumns * row + i, at(name, Nat(kColumns - 1) - i))};
          })}};
}

}  // namespace

TEST_CASE("collapse-loops: a loop that begins where the one around it is has iterations of its own") {
  const auto triangle = [](const std::function<std::pair<Nat, Nat>(const Nat& j)>& bounds) {
    const Kernel k = for_threads(kernel({{over(
        kRows,
        [&](const Nat& j) {
          const auto [from, to] = bounds(j);
          return Block{{over(
              to, [&](const Nat& i) { return Block{put("out", kColumns * j + i, at("a", i))}; },
              LoopKind::Par, from)}};
        },
        LoopKind::Par)}}));
    CHECK(loop(loop(k.body).body).kind == LoopKind::Seq);
    return loop(k.body).collapse;
  };
  CHECK(triangle([](const Nat&) { return std::pair(Nat(0), Nat(kColumns)); }) == 2);
  CHECK(triangle([](const Nat& j) { return std::pair(j, Nat(kColumns)); }) == 1);
  CHECK(triangle([](const Nat& j) { return std::pair(Nat(0), j + 1); }) == 1);
}

TEST_CASE("collapse-loops: functions are worth more than sums and products") {
  const auto shared = [](Op op, std::int64_t least) {
    const Kernel k = kernel(
        {{over(
            kRows * kColumns,
            [&](const Nat& i) {
              const Term x = at("a", i);
              const bool one =
                  op == Op::Sqrt || op == Op::Exp || op == Op::Cbrt || op == Op::Erf || op == Op::Neg;
              return Block{put("out", i, apply_term(op, f64, one ? std::vector{x} : std::vector{x, x}))};
            },
            LoopKind::Par)}},
        least);
    return loop(collapse_loops(k.body, k)).kind == LoopKind::Par;
  };
  // 48 iterations that load, store and compute: 3 each, or 22.
  for (const Op op : {Op::Mul, Op::Max, Op::Neg}) {
    CHECK(shared(op, 3 * 48));
    CHECK_FALSE(shared(op, 3 * 48 + 1));
  }
  for (const Op op :
       {Op::Div, Op::Mod, Op::Sqrt, Op::Cbrt, Op::Exp, Op::Erf, Op::Pow, Op::Atan2, Op::Hypot}) {
    CAPTURE(static_cast<int>(op));
    CHECK(shared(op, 22 * 48));
    CHECK_FALSE(shared(op, 22 * 48 + 1));
  }
}

TEST_CASE("form-teams: what each thread would do for itself beside shared loops keeps them apart") {
  const auto team = [](const Block& beside) {
    For f = over(3, [&](const Nat&) {
      Block b = beside;
      b.push_back({over(
          kColumns, [](const Nat& i) { return Block{put("out", i, at("a", i))}; }, LoopKind::Par)});
      return b;
    });
    f.team = true;
    Block b{{Declare{local_term("x", f64), constant_term(0, f64)}}, {f}};
    const Kernel k = for_threads(kernel(b));
    CHECK(count<Barrier>(k.body) == (any_loop(k.body, &For::team) ? 1 : 0));
    return any_loop(k.body, &For::team);
  };
  const Term x = local_term("x", f64);
  CHECK(team({}));
  CHECK(team({{lift::Let{local_term("y", f64), at("a", 3)}}}));
  CHECK_FALSE(team({{Assign{x, apply_term(Op::Add, f64, {x, at("a", 3)})}}}));
  CHECK_FALSE(team({{Allocate{"own", array({Nat(4)}, f64)}}}));
  CHECK_FALSE(team({put("out", 40, at("a", 1))}));
  CHECK_FALSE(team({{over(2, [&](const Nat& i) { return Block{{Assign{x, at("a", i)}}}; })}}));
}

TEST_CASE("form-teams: threads that are in a team, or share a loop already, form no other") {
  const auto team = [](Block body) {
    For f = over(3, [&](const Nat&) { return body; });
    f.team = true;
    return Stmt{f};
  };
  const Stmt shared{over(
      kColumns, [](const Nat& i) { return Block{put("out", i, at("a", i))}; }, LoopKind::Par)};
  const Block nested = form_teams({team({team({shared})})});
  CHECK(loop(nested).team);
  CHECK_FALSE(loop(loop(nested).body).team);
  CHECK(count<Barrier>(nested) == 1);
  const Block within = form_teams({{over(
      kRows, [&](const Nat&) { return Block{team({shared})}; }, LoopKind::Par)}});
  CHECK_FALSE(any_loop(within, &For::team));
  CHECK(count<Barrier>(within) == 0);
}

namespace {

/// for t: for s: row s is the row before and one more, elements by loops of this kind.
Block in_turns(LoopKind kind, const Nat& step = 1, bool beside = false) {
  For tiles = over(2, [&](const Nat& t) {
    For steps = over(
        kRows,
        [&](const Nat& s) {
          return Block{{over(
              kColumns / 2,
              [&](const Nat& i) {
                const Nat here = kColumns * s + (kColumns / 2) * t + i;
                return Block{
                    put("out", here, apply_term(Op::Add, f64, {at("out", here - kColumns), at("a", here)}))};
              },
              kind)}};
        },
        LoopKind::Seq, 1);
    steps.waits = true;
    Block b{{steps}};
    if (beside) b.push_back({over(1, [&](const Nat&) { return Block{put("out", t, at("a", t))}; })});
    return b;
  });
  tiles.doacross = true, tiles.step = step;
  return {{tiles}};
}

}  // namespace

TEST_CASE("form-doacross: a thread that waits for another does by itself what it does in between") {
  const auto formed = [](const Block& b) {
    Kernel k = kernel(b);
    verify(k, Form::Vectors, "the test");
    Kernel in_order = k;
    in_order.body = rebuild(k.body, [](Stmt s) -> Block {
      if (auto* f = std::get_if<For>(&s.v)) f->doacross = f->waits = false;
      return {std::move(s)};
    });
    const std::vector<double> before = out_of(in_order);
    k.body = form_doacross(k.body);
    verify(k, Form::Vectors, "form-doacross");
    CHECK(out_of(k) == before);
    CHECK(any_loop(k.body, &For::doacross) == any_loop(k.body, &For::waits));
    return k.body;
  };
  const Block plain = formed(in_turns(LoopKind::Seq));
  CHECK(any_loop(plain, &For::doacross));
  // Loops that could be shared are not: the threads are in their turns.
  Block shared = in_turns(LoopKind::Par);
  auto& steps = std::get<For>(std::get<For>(shared[0].v).body.at(0).v);
  std::get<For>(steps.body.at(0).v).collapse = 2;
  const Block alone = formed(shared);
  CHECK(any_loop(alone, &For::doacross));
  CHECK(kinds(alone) == std::vector<LoopKind>(3, LoopKind::Seq));
  CHECK(loop(loop(loop(alone).body).body).collapse == 1);
  // Not every iteration has one before it, or one has more to do than its steps.
  CHECK_FALSE(any_loop(formed(in_turns(LoopKind::Seq, 2)), &For::doacross));
  CHECK_FALSE(any_loop(formed(in_turns(LoopKind::Seq, 1, true)), &For::doacross));
}

TEST_CASE("place-scratch: only arrays of a thread's own move, and copies of a block use one array") {
  const auto spaces = [](const Kernel& k) {
    std::vector<AddressSpace> all;
    visit(k.body, [&](const Stmt& s) {
      if (const auto* a = std::get_if<Allocate>(&s.v)) all.push_back(a->space);
    });
    return all;
  };
  using Spaces = std::vector<AddressSpace>;
  const auto placed = [](const std::function<Block(const Nat& row)>& body, LoopKind kind) {
    return for_threads(kernel({{over(kRows, body, kind)}}));
  };
  for (const AddressSpace space : {AddressSpace::Private, AddressSpace::Local, AddressSpace::Global}) {
    const bool own = space == AddressSpace::Private;
    const Kernel shared =
        placed([&](const Nat& row) { return by_way_of("t", row, space, 100); }, LoopKind::Par);
    CHECK(spaces(shared) == Spaces{own ? AddressSpace::Scratch : space});
    CHECK(shared.scratch == Nat(own ? 832 + 64 : 0));
    // Outside of shared loops, where it is too large for a stack.
    const Kernel alone =
        placed([&](const Nat& row) { return by_way_of("t", row, space, 5000); }, LoopKind::Seq);
    CHECK(spaces(alone) == Spaces{own ? AddressSpace::Scratch : space});
    CHECK(alone.scratch == Nat(own ? 40000 + 64 : 0));
  }
  const auto one_of_two = [](const Nat& row) {
    return Block{{If{{compare_term(less(row, 3))}, by_way_of("t", row, AddressSpace::Private, 100)}},
                 {If{{compare_term(less(2, row))}, by_way_of("t", row, AddressSpace::Private, 100)}}};
  };
  const Kernel copies = placed(one_of_two, LoopKind::Par);
  CHECK(spaces(copies) == Spaces{AddressSpace::Scratch});
  CHECK(copies.scratch == Nat(832 + 64));
}

}  // namespace lift::shared_loops_test
