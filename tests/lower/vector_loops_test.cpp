// Loops over vectors by hand: what they become, or why they cannot, and that it is what one element after the
// other gives.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/loops/verify.hpp"
#include "lower/passes/lanes.hpp"
#include "lower/passes/passes.hpp"
#include "tests/lower/run_loops.hpp"
#include "tests/message.hpp"

namespace lift::vector_loops_test {
namespace {

constexpr std::int64_t kLength = 96;

Term num(double x) { return constant_term(x, f64); }
Term plus(const Term& a, const Term& b) { return apply_term(Op::Add, a->type, {a, b}); }
Term times(const Term& a, const Term& b) { return apply_term(Op::Mul, a->type, {a, b}); }
Term x(const Nat& at) { return load_term("x", {at}, f64); }
Term y(const Nat& at) { return load_term("y", {at}, f64); }
Term z(const Nat& at) { return load_term("z", {at}, f64); }
Term c(const Nat& at) { return load_term("c", {at}, u8); }
Term d(const Nat& at) { return load_term("d", {at}, u8); }
Term b(const Nat& at) { return load_term("b", {at}, boolean); }
Term whole(const Nat& at) { return load_term("k", {at}, i32); }
Term when(const NatCond& condition) { return compare_term(condition); }
Term choose(const Term& condition, const Term& a, const Term& other) {
  return apply_term(Op::Select, a->type, {condition, a, other});
}
Stmt put(const char* array, const Nat& at, const Term& value, bool stream = false) {
  return {Store{array, {at}, value, stream}};
}
Nat shift() { return Nat::size("shift", 0); }
Nat scale() { return Nat::size("scale", 1); }

using Body = std::function<Block(const Nat&)>;
For vec(const Nat& lower, const Nat& upper, int width, const Body& body) {
  For f;
  f.kind = LoopKind::Vec, f.width = width, f.lower = lower, f.upper = upper;
  f.var = Nat::fresh("i", lower, upper - 1);
  f.body = body(f.var);
  return f;
}
For edge(const Nat& lower, int width, const Body& body) {
  For f = vec(lower, lower + width, width, body);
  f.edge = true;
  return f;
}

Kernel kernel(Block body) {
  Kernel k;
  k.name = "k", k.results = {"y"};
  for (const auto& [name, type] :
       {std::pair{"x", f64}, {"y", f64}, {"z", f64}, {"c", u8}, {"d", u8}, {"b", boolean}, {"k", i32}}) {
    const Type t = array({Nat(kLength)}, type);
    k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  }
  k.arguments.push_back({"shift", i32, {}, false, true, {0, 40}});
  k.arguments.push_back({"scale", i32, {}, false, true, {1, 4}});
  k.body = std::move(body);
  return k;
}
test::LoopRunner run(const Kernel& k) {
  test::LoopRunner loops;
  loops.index["shift"] = 1, loops.index["scale"] = 2;
  for (const char* name : {"x", "y", "z"})
    for (std::int64_t i = 0; i < kLength; ++i)
      loops.arrays[name].push_back(static_cast<double>((7 * i * i + 5 * name[0]) % 101));
  for (std::int64_t i = 0; i < kLength; ++i) {
    loops.arrays["c"].push_back(static_cast<double>((i * 59 + 3) % 256));
    loops.arrays["d"].push_back(static_cast<double>((i * 83 + 7) % 256));
    loops.arrays["k"].push_back(static_cast<double>(i * 7 % 24));
    loops.arrays["b"].push_back(i % 3 == 0 ? 1 : 0);
  }
  loops.run(k);
  return loops;
}

/// A kernel whose loops over vectors have become such, and how it ran.
struct Made {
  Kernel kernel;
  test::LoopRunner ran;
};
Made made(const Block& body, const LowerOptions& options = {}) {
  Kernel k = kernel(body);
  verify(k, Form::Flat, "linearise");
  const auto before = run(k).arrays;
  k.body = vectorise(k.body, k, options);
  INFO(str(k));
  verify(k, Form::Vectors, "vectorise");
  Made r{k, run(k)};
  CHECK(r.ran.arrays == before);
  return r;
}
std::string refusal(const Body& body, int width = 4) {
  return test::message([&] { made({{vec(0, 16, width, body)}}); });
}
bool says(const std::string& text, const char* part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

/// Statements of this kind, each counted once.
template <class S>
int count(const Kernel& k, const std::function<bool(const S&)>& which) {
  int n = 0;
  visit(k.body, [&](const Stmt& s) {
    const auto* a = std::get_if<S>(&s.v);
    n += a && which(*a);
  });
  return n;
}
int streams(const Kernel& k) {
  return count<Store>(k, [](const Store& s) { return s.stream && s.value->width > 1; });
}
int wide_stores(const Kernel& k) {
  return count<Store>(k, [](const Store& s) { return s.value->width > 1; });
}
int scalar_stores(const Kernel& k) {
  return count<Store>(k, [](const Store& s) { return s.value->width == 1; });
}
int named(const Kernel& k, const std::string& name) {
  return count<Let>(k, [&](const Let& l) { return l.local->name.rfind(name, 0) == 0; }) +
         count<Declare>(k, [&](const Declare& l) { return l.local->name.rfind(name, 0) == 0; });
}

}  // namespace

TEST_CASE("vector loops: of two halves, the second is read before the first changes it, if it may") {
  const auto halves = [](const Nat& start, const Term& even) {
    return [=](const Nat& i) {
      return Block{put("y", 2 * i + start, substitute(even, Nat::size("lane", 0), i)),
                   put("y", 2 * i + start + 1, x(i))};
    };
  };
  const Nat lane = Nat::size("lane", 0);
  // How far away it is read is not known: here, one element.
  CHECK(named(made({{vec(0, 16, 4, halves(0, y(2 * lane + shift())))}}).kernel, "high") == 1);
  CHECK(named(made({{vec(0, 8, 4, halves(40, y(2 * lane)))}}).kernel, "high") == 0);  // far before
  CHECK(named(made({{vec(0, 8, 4, halves(0, y(2 * lane + 40)))}}).kernel, "high") == 0);
}

TEST_CASE("vector loops: halves wait for the others in any order, of several arrays, past other stores") {
  const Made several = made({{vec(0, 16, 4, [](const Nat& i) {
    return Block{put("z", 2 * i + 1, x(i)), put("y", 2 * i, z(2 * i)), put("c", i, c(i + 1)),
                 put("z", 2 * i, y(2 * i + 1)), put("y", 2 * i + 1, num(3))};
  })}});
  CHECK(scalar_stores(several.kernel) == 0);
  // What waits is made of another array: it needs no name. Of this one: it does.
  const auto between = [](const char* array) {
    return made({{vec(
                    0, 16, 4,
                    [&](const Nat& i) {
                      return Block{put("y", 2 * i, x(i)), put(array, i, num(1)), put("y", 2 * i + 1, num(2))};
                    })}})
        .kernel;
  };
  CHECK(named(between("z"), "half") == 0);
  CHECK(named(between("x"), "half") == 1);
}

TEST_CASE("vector loops: what is read between two stores to every second element is refused") {
  const auto between = [](const std::function<Term(const Nat&)>& read) {
    return refusal([&](const Nat& i) { return Block{put("y", 2 * i, x(i)), put("y", 2 * i + 1, read(i))}; });
  };
  const char* why = "y is read between two stores to it";
  CHECK(says(between([](const Nat& i) { return y(2 * i); }), why));  // what has been stored
  CHECK(says(between([](const Nat& i) { return y(2 * i - 2 + 4); }), why));
  CHECK(says(between([](const Nat& i) { return y(2 * i + shift()); }), why));
  CHECK(says(between([](const Nat& i) { return y(i + 40); }), why));
  CHECK(between([](const Nat& i) { return y(2 * i + 1); }).empty());
  CHECK(between([](const Nat& i) { return z(2 * i); }).empty());
}

TEST_CASE("vector loops: other reasons against vectors") {
  CHECK(says(refusal(
                 [](const Nat& i) {
                   return Block{put("y", 2 * i, x(i)), put("y", 2 * i + 1, num(1))};
                 },
                 3),
             "vectors of 3 elements cannot be interleaved"));
  CHECK(says(refusal([](const Nat& i) {  // only one of y
               return Block{put("y", 2 * i, x(i)), put("z", 2 * i, x(i)), put("z", 2 * i + 1, x(i))};
             }),
             "only every second element of y is stored"));
  const auto guarded = [](const Nat& i) {
    return Block{{If{{when(less_equal(1, i))}, {put("y", i - 1, x(i))}}}};
  };
  CHECK(says(refusal(guarded), "only a guard keeps some of its iterations from storing beside y"));
  CHECK(says(refusal([](const Nat& i) {
               For f;
               f.lower = 0, f.upper = 20, f.var = Nat::fresh("r", 0, 19);
               f.body = {put("y", i, plus(y(i), x(f.var)))};
               return Block{{f}};
             }),
             "its body is more than scalar arithmetic"));
  CHECK(says(refusal([](const Nat& i) { return Block{put("y", mod(i, 5), num(1), true)}; }),
             "the index of y, i mod 5, is not linear in i"));
  CHECK(says(refusal([](const Nat& i) { return Block{put("y", scale() * i, num(1), true)}; }),
             "y is accessed with stride scale"));
}

TEST_CASE("vector loops: masks choose what variables hold, and keep copies from being done later") {
  const Made chosen = made({{vec(0, 19, 4, [](const Nat& i) {
    const Term v = local_term("v", f64);
    return Block{
        {Declare{v, x(i)}}, {If{{when(equal(mod(i, 3), 0))}, {{Assign{v, plus(v, z(i))}}}}}, put("y", i, v)};
  })}});
  CHECK(wide_stores(chosen.kernel) == 1);
  const auto asynchronous = [](const NatCond& condition) {
    const Kernel k =
        made({{vec(0, 16, 4,
                   [&](const Nat& i) {
                     Store s{"y", {i}, x(i), false, true};
                     return Block{{If{{when(substitute(condition, Nat::size("lane", 0), i))}, {{s}}}}};
                   })}})
            .kernel;
    return count<Store>(k, [](const Store& s) { return s.async; });
  };
  const Nat lane = Nat::size("lane", 0);
  CHECK(asynchronous(equal(mod(lane, 2), 0)) == 0);
  CHECK(asynchronous(less_equal(shift(), 3)) == 1);  // the same in all lanes
}

TEST_CASE("vector loops: stores are late where there is nothing but values and stores") {
  const auto late = [](const Body& body) {
    For f = vec(0, 19, 4, body);
    f.late_store = true;
    return named(made({{f}}).kernel, "late");
  };
  const Term v = local_term("v", f64);
  CHECK(late([&](const Nat& i) {
          return Block{{Let{v, plus(x(i), y(i + 1))}}, put("y", i, v), put("z", i, times(v, v))};
        }) == 2);
  CHECK(late([&](const Nat& i) { return Block{{Declare{v, x(i)}}, put("y", i, v)}; }) == 0);
  CHECK(late([&](const Nat& i) { return Block{{If{{when(less(shift(), 3))}, {put("y", i, x(i))}}}}; }) == 0);
}

TEST_CASE(
    "vector loops: vectors are as wide as the machine's where their number divides what was asked for") {
  const auto lanes = [](int width, int bytes) {
    int most = 0;
    visit(made({{vec(0, 25, width, [](const Nat& i) { return Block{put("y", i, x(i + 1))}; })}},
               {.vector_bytes = bytes})
              .kernel.body,
          [&](const Stmt& s) {
            if (const auto* t = std::get_if<Store>(&s.v)) most = std::max(most, t->value->width);
          });
    return most;
  };
  CHECK(lanes(8, 32) == 4);
  CHECK(lanes(6, 32) == 6);
  CHECK(lanes(4, 8) == 4);  // a machine without vectors
  CHECK(lanes(1, 32) == 1);
}

TEST_CASE("vector loops: two halves bypass the cache where both do, from an aligned address on") {
  const auto pairs = [](bool low, bool high, const Nat& start, int bytes = 32) {
    return made({{vec(0, 32, 4,
                      [&](const Nat& i) {
                        return Block{put("z", 2 * i + start - 1, x(i)),
                                     put("y", 2 * i + start + 1, x(i), high), put("z", 2 * i + start, x(i)),
                                     put("y", 2 * i + start, x(i + 1), low)};
                      })}},
                {.vector_bytes = bytes});
  };
  for (const int start : {2, 6, 8}) {
    const Made both = pairs(true, true, start);
    CHECK(streams(both.kernel) == 2);
    CHECK(both.ran.vectors.at("y").shifted_stores == 0);
  }
  CHECK(streams(pairs(true, true, 3).kernel) == 0);  // never aligned
  CHECK(streams(pairs(true, false, 2).kernel) == 0);
  CHECK(streams(pairs(false, true, 2).kernel) == 0);
  CHECK(streams(pairs(true, true, 8, 40).kernel) == 0);  // five elements: every other address would be
}

// ---- vectors at edges

namespace {

/// The elements that edges of four lanes store, in vectors if they may.
Made at_edge(const Body& body, const std::optional<Target>& target = Target::openmp) {
  return made({{edge(0, 4, body)}}, {.target = target});
}
bool is_vector(const Body& body) {
  const Made one = at_edge(body);
  return wide_stores(one.kernel) > 0 && scalar_stores(one.kernel) == 0;
}

}  // namespace

TEST_CASE("vector loops: at an edge, what conditions say of each lane is known") {
  // Each holds for the indices 0 to 3, and no bound of the index says so.
  const auto holds = [](const Nat& i) { return when(less_equal(2, max(i, 3 - i))); };
  const auto fails = [](const Nat& i) { return when(less(max(i, 3 - i), 2)); };
  const auto some = [](const Nat& i) { return when(less(max(i, 3 - i), 3)); };  // 1, 2
  const auto unknown = [](const Nat& i) { return when(less(i, shift())); };
  const auto both = [](const Term& a, const Term& other) { return apply_term(Op::And, boolean, {a, other}); };
  const auto either = [](const Term& a, const Term& other) {
    return apply_term(Op::Or, boolean, {a, other});
  };
  const auto isnt = [](const Term& a) { return apply_term(Op::Not, boolean, {a}); };
  struct Case {
    std::string name;
    std::function<Term(const Nat&)> condition;
    bool chosen, guard;  ///< one value a lane; vectors of what it guards
  };
  const Case cases[] = {
      {"holds", [&](const Nat& i) { return holds(i); }, true, true},
      {"fails", [&](const Nat& i) { return fails(i); }, true, false},
      {"some", [&](const Nat& i) { return some(i); }, true, false},
      {"unknown", [&](const Nat& i) { return unknown(i); }, false, true},
      {"loaded", [&](const Nat& i) { return b(i); }, false, true},
      {"not (holds and some)", [&](const Nat& i) { return isnt(both(holds(i), some(i))); }, true, false},
      {"not (unknown and holds)", [&](const Nat& i) { return isnt(both(unknown(i), holds(i))); }, false,
       true},
      {"not (fails and unknown)", [&](const Nat& i) { return isnt(both(fails(i), unknown(i))); }, true, true},
      {"unknown and fails", [&](const Nat& i) { return both(unknown(i), fails(i)); }, true, false},
      {"holds and not some", [&](const Nat& i) { return both(holds(i), some(3 - i)); }, true, false},
      {"some or holds", [&](const Nat& i) { return either(some(i), holds(i)); }, true, true},
      {"unknown or holds", [&](const Nat& i) { return either(unknown(i), holds(i)); }, true, true},
      {"holds or loaded", [&](const Nat& i) { return either(holds(i), b(i)); }, true, true},
      {"fails or unknown", [&](const Nat& i) { return either(fails(i), unknown(i)); }, false, true},
      {"loaded equal",
       [&](const Nat& i) {
         return apply_term(Op::Eq, boolean, {c(i), d(i)});
       },
       false, true},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const Made select =
        at_edge([&](const Nat& i) { return Block{put("y", i, choose(one.condition(i), x(i), z(i + 1)))}; });
    CHECK(scalar_stores(select.kernel) == 0);
    bool asks = false;  // a condition that is left
    visit_terms(select.kernel.body, [&](const Term& t) {
      asks |= t->kind == TermKind::Load && t->type != f64;
      for (const NatCond& condition : t->conds) asks |= !condition.a.is_constant();
    });
    CHECK(asks == !one.chosen);
    CHECK(is_vector([&](const Nat& i) {
            return Block{{If{{one.condition(i)}, {put("y", i, x(i))}}}};
          }) == one.guard);
  }
}

TEST_CASE("vector loops: at an edge, elements that lie apart or may not exist are no vector") {
  const auto reads = [](const std::function<Nat(const Nat&)>& at) {
    return is_vector([&](const Nat& i) { return Block{put("y", i, plus(x(at(i)), x(i + 4)))}; });
  };
  CHECK(reads([](const Nat& i) { return max(i, 1); }));
  CHECK(reads([](const Nat& i) { return max(2 - i, i); }));
  CHECK_FALSE(reads([](const Nat& i) { return scale() * max(i, 1); }));  // how far, is not known
  CHECK_FALSE(reads([](const Nat& i) { return 9 * max(i, 1); }));
  // Where a number chosen by the lane is compared with others.
  const auto compares = [](const NatCond& first) {
    return is_vector([&](const Nat& i) {
      const Term number = choose(when(substitute(first, shift(), i)), constant_term(2, i32), whole(i));
      return Block{put("y", i, choose(when(less(position_of(number, 24), 3)), x(i), z(i)))};
    });
  };
  CHECK(compares(less(Nat::size("scale", 1), 2)));
  CHECK_FALSE(compares(less_equal(2, max(shift(), 3 - shift()))));
  // Of a mask, what is stored is there in all lanes; other statements say nothing.
  const Term v = local_term("v", f64);
  CHECK(is_vector([&](const Nat& i) {
    return Block{{If{{when(less(i, shift()))},
                     {{Let{v, z(i)}}, put("y", i + shift(), plus(v, y(max(i, 1) + shift())))}}}};
  }));
}

TEST_CASE("vector loops: at an edge, pairs are put together from what lies together") {
  const Made pairs = at_edge([](const Nat& i) {
    return Block{put("y", 2 * i, times(num(2), x(92 + min(2 * i, 3)))),
                 put("y", 2 * i + 1, times(num(2), x(92 + min(2 * i + 1, 3))))};
  });
  CHECK(scalar_stores(pairs.kernel) == 0);
  CHECK(wide_stores(pairs.kernel) == 2);
}

TEST_CASE("vector loops: at an edge, a vector bypasses the cache at an aligned address") {
  for (const int start : {0, 1, 4, 6}) {
    const Made one =
        at_edge([&](const Nat& i) { return Block{put("y", i + start, x(max(i, 1)), true)}; }, std::nullopt);
    CHECK(scalar_stores(one.kernel) == 0);
    CHECK(streams(one.kernel) == (start % 4 == 0 ? 1 : 0));
  }
}

TEST_CASE("vector loops: an edge of which nothing is done leaves nothing") {
  const Body nothing = [](const Nat& i) {
    return Block{{If{{when(less(max(i, 1 - i), 1))}, {put("c", i, c(i + 1))}}}};
  };
  const Body copy = [](const Nat& i) { return Block{put("c", i, d(i + 1))}; };
  const Made first = made({{edge(0, 2, nothing)}, {vec(2, 34, 16, copy)}}, {.target = Target::openmp});
  CHECK(first.kernel.body.size() == 1);
  const Body beyond = [](const Nat& i) {
    return Block{{If{{when(less(max(i - 32, 33 - i), 1))}, {put("c", i, c(i + 1))}}}};
  };
  const Made last = made({{vec(0, 32, 16, copy)}, {edge(32, 2, beyond)}}, {.target = Target::openmp});
  CHECK(last.kernel.body.size() == 1);
}

TEST_CASE("vector loops: a loop of bytes goes on with what the edge beside it does, if it is the same") {
  // A row of 80, of which the last elements, or the first, need elements of the other end.
  const auto right = [](const Body& body, const std::optional<Target>& target = Target::openmp) {
    return made({{vec(0, 64, 16, body)}, {edge(64, 16, body)}}, {.target = target});
  };
  const auto largest = [](const Term& a, const Term& other) {
    return apply_term(
        Op::Cast, u8,
        {apply_term(Op::Max, i32, {apply_term(Op::Cast, i32, {a}), apply_term(Op::Cast, i32, {other})})});
  };
  // Whether whole vectors are all but one element, the last of them one that does some again.
  const auto goes_on = [](const Made& m, std::int64_t lower, std::int64_t upper) {
    INFO(str(m.kernel));
    Nat first = 80, last = 0;
    visit(m.kernel.body, [&](const Stmt& s) {
      const auto* t = std::get_if<Store>(&s.v);
      if (t && t->value->width == 32 && t->position[0].is_constant()) last = t->position[0] + 32;
      if (const auto* f = std::get_if<For>(&s.v); f && f->width == 64) first = f->lower;
    });
    return first == Nat(lower) && last == Nat(upper) && scalar_stores(m.kernel) == 1;
  };
  const Body after = [&](const Nat& i) { return Block{put("c", i, largest(d(i), d(mod(i + 1, 80))))}; };
  const Body before = [&](const Nat& i) { return Block{put("c", i, largest(d(i), d(mod(i - 1, 80))))}; };
  CHECK(goes_on(right(after), 0, 79));
  CHECK(goes_on(made({{edge(0, 16, before)}, {vec(16, 80, 16, before)}}, {.target = Target::openmp}), 1, 80));
  CHECK_FALSE(goes_on(right(after, std::nullopt), 0, 79));
  // What it stores is read again: it must not be done twice.
  CHECK_FALSE(goes_on(
      right([&](const Nat& i) { return Block{put("c", i, largest(c(i), d(mod(i + 1, 80))))}; }), 0, 79));
  // The first elements of the edge are others than the loop's go on to.
  CHECK_FALSE(goes_on(
      right([&](const Nat& i) { return Block{put("c", i, largest(d(mod(i + 16, 80)), d(mod(i + 1, 80))))}; }),
      0, 79));
  // What the edge asks holds in all of the loop.
  for (const std::int64_t end : {68, 63}) {
    CAPTURE(end);
    right([&](const Nat& i) {
      const Nat within = min(i, 73);
      const Term value = choose(when(less_equal(within, end)), d(within), d(0));
      return Block{put("c", i, largest(choose(when(less_equal(i, 73)), value, d(1)), d(mod(i + 1, 80))))};
    });
  }
}

// ---- the order of lanes

TEST_CASE("vector loops: a scalar beside a vector is interleaved with it") {
  const Made pairs = made({{vec(0, 16, 4, [](const Nat& i) {
    return Block{put("y", 2 * i, times(x(i), x(i + 1))), put("y", 2 * i + 1, times(z(40), z(41)))};
  })}});
  CHECK(wide_stores(pairs.kernel) == 2);
}

TEST_CASE("vector loops: lanes are put in order last, whichever elements they are") {
  // Sums of two shuffles, each of two vectors of eight.
  const auto pick = [](const Nat& at, std::vector<int> lanes) {
    return shuffle_term({load_term("x", {at}, f64, 8), load_term("x", {at + 8}, f64, 8)}, lanes);
  };
  struct Case {
    std::vector<int> lanes;
    bool moved;  ///< the order of lanes waits
  };
  const Case cases[] = {
      {{0, 2, 4, 6, 8, 10, 12, 14}, true},   {{1, 3, 5, 7, 9, 11, 13, 15}, true},
      {{0, 2, 4, 6, 9, 11, 13, 15}, true},   {{2, 4, 6, 8, 8, 10, 12, 14}, false},
      {{0, 2, 4, 6, 7, 9, 11, 13}, false},   {{0, 2, 4, 6, 1, 3, 5, 7}, false},
      {{0, 2, 4, 6, 10, 12, 14, 15}, false}, {{0, 1, 2, 3, 12, 13, 14, 15}, false},
  };
  const auto of = [](const Term& value) {
    Kernel k = kernel({{Store{"y", {8}, value, false}}});
    verify(k, Form::Vectors, "order");
    return run(k).arrays.at("y");
  };
  for (const Case& one : cases) {
    const Term sum = plus(pick(0, one.lanes), pick(32, one.lanes)), ordered = order_lanes_last(sum);
    INFO(str(sum) << "\n" << str(ordered));
    CHECK(of(ordered) == of(sum));
    CHECK((ordered->kind == TermKind::Shuffle) == one.moved);
  }
}

}  // namespace lift::vector_loops_test
