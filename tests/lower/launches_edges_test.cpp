// Kernels by hand that take several launches: conditions, the host's loops and names around them, and what
// one launch leaves for another. Each launch is run by itself: it knows the kernel's arguments and nothing
// else.
#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <set>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "lower/launches.hpp"
#include "lower/loops/verify.hpp"
#include "tests/lower/run_loops.hpp"
#include "tests/message.hpp"

namespace lift::launches_edges_test {
namespace {

const char* const kArrays[] = {"a", "u", "v", "out"};
const Nat first = Nat::fresh("first", 0, 3);
const Term v = local_term("v", f64), w = local_term("w", f64), h = local_term("h", f64);

Term number(double x) { return constant_term(x, f64); }
Term of(const char* array, const Nat& at) { return load_term(array, {at}, f64); }
Term sum(const Term& x, const Term& y) { return apply_term(Op::Add, f64, {x, y}); }
Stmt put(const char* array, const Nat& at, const Term& value) { return {Store{array, {at}, value}}; }
Stmt add(const Term& local, const Term& value) { return {Assign{local, sum(local, value)}}; }
Stmt over(LoopKind kind, const Nat& lower, const Nat& upper, const std::function<Block(Nat)>& body,
          int dim = 0) {
  For f;
  f.var = Nat::fresh("i", lower, upper - 1), f.lower = lower, f.upper = upper, f.kind = kind, f.dim = dim;
  f.body = body(f.var);
  return {std::move(f)};
}
/// to[i] = value(i), an item each.
Stmt items(const char* to, const std::function<Term(Nat)>& value) {
  return over(LoopKind::Glb, 0, 8, [&](const Nat& i) { return Block{put(to, i, value(i))}; });
}
Stmt turns(const Nat& lower, const Nat& upper, const std::function<Block(Nat)>& body) {
  return over(LoopKind::Seq, lower, upper, body);
}
/// u becomes what v is made of, which u is made of: launches that follow one another in each turn.
Block there_and_back(const std::function<Term(Nat)>& more) {
  return {items("v", [&](const Nat& i) { return sum(of("u", 7 - i), more(i)); }),
          items("u", [](const Nat& i) { return sum(of("v", i), number(0.5)); })};
}
Term one(const Nat&) { return number(1); }

/// Over arrays of eight numbers and `first`.
Kernel kernel(Block body) {
  const Type t = array({8}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"};
  for (const char* name : kArrays) k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  k.arguments.push_back({"first", i32, {}, false, true, {0, 3}});
  k.body = std::move(body);
  return k;
}
using Arrays = std::map<std::string, std::vector<double>>;
Arrays given(const Kernel& k) {
  Arrays r;
  for (const KernelArgument& a : k.arguments) {
    if (!a.type.is_array()) continue;
    auto& x = r[a.name];
    x.assign(static_cast<std::size_t>(*a.layout.size().constant()), std::nan(""));
    for (std::size_t i = 0; i < x.size() && !a.work; ++i)
      x[i] = static_cast<double>(i * i % 7 + 3 * r.size()) + 0.25;
  }
  return r;
}
Arrays run(const Kernel& k, const Arrays& arrays, const std::map<std::string, std::int64_t>& numbers) {
  test::LoopRunner loops;
  loops.arrays = arrays, loops.index = numbers;
  loops.run(k);
  CHECK_MESSAGE(loops.races.empty(), str(k));
  return loops.arrays;
}
/// The kernel that is launched; what its launches compute is what the kernel computes as one.
Kernel launched(const Kernel& k) {
  REQUIRE(test::message<InternalError>([&] { verify(k, Form::Positions, "the test"); }) == "");
  Kernel apart = k;
  separate_launches(apart);
  for (KernelArgument& a : apart.arguments)
    if (a.work) a.written = a.read = true;
  REQUIRE(test::message<InternalError>([&] { verify(apart, Form::Positions, "separate-launches"); }) == "");
  apart.body = split_launches(apart);
  INFO(str(k) << str(apart));
  const std::vector<Launch> all = launches_in(apart);
  for (const std::int64_t from : {0, 1, 3}) {
    Arrays arrays = given(apart);
    for (const LaunchCall& c : launch_calls(apart, {{"first", from}})) {
      const Launch& l = all.at(c.launch);
      std::map<std::string, std::int64_t> numbers{{"first", from}};
      for (std::size_t s = 0; s < l.steps.size(); ++s) numbers[l.steps[s]] = c.steps.at(s);
      Arrays after = run(one_launch(apart, l), arrays, numbers);
      for (auto& [name, x] : arrays) x = after.at(name);
    }
    const Arrays expected = run(k, given(k), {{"first", from}});
    for (const char* name : kArrays) CHECK(arrays.at(name) == expected.at(name));
  }
  return apart;
}
std::size_t host_loops(const Kernel& k) {
  std::size_t n = 0;
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    n += f && f->kind == LoopKind::Host ? 1U : 0U;
  });
  return n;
}
std::size_t works(const Kernel& k) {
  return static_cast<std::size_t>(
      std::count_if(k.arguments.begin(), k.arguments.end(), [](const KernelArgument& a) { return a.work; }));
}
std::string refused(Kernel k) {
  return test::message<UserError>([&] {
    separate_launches(k);
    (void)split_launches(k);
  });
}

}  // namespace

TEST_CASE("what a condition around several launches asks, each of them asks") {
  const Term few = compare_term(less(first, 2));
  const Block two{{Allocate{"t", array({8}, f64)}},
                  items("t", [](const Nat& i) { return sum(of("a", i), number(1)); }),
                  items("out", [](const Nat& i) { return of("t", 7 - i); })};
  const Kernel k = launched(kernel({{If{{few}, two}}}));
  CHECK(launches_in(k).size() == 2);
  CHECK(works(k) == 1);
  // ... also within the turns of a loop among them, whose bounds the host knows, whatever is asked.
  const Kernel turned = launched(kernel({{If{{few},
                                             {items("u", [](const Nat& i) { return of("a", 7 - i); }),
                                              turns(0, 3, [](const Nat&) { return there_and_back(one); })}}},
                                         items("out", [](const Nat& i) { return of("u", i); })}));
  CHECK(host_loops(turned) == 1);
  CHECK(launches_in(turned).size() == 4);
  // ... and of the only one, beside a name that it is asked with.
  const Term offset = index_term(first + 3);
  const Kernel named =
      launched(kernel({{If{{few}, {{Let{h, apply_term(Op::Cast, f64, {offset})}}, turns(0, 3, [](const Nat&) {
                                     return there_and_back([](const Nat&) { return h; });
                                   })}}}}));
  CHECK(host_loops(named) == 1);
  CHECK(launches_in(named).size() == 2);
}

TEST_CASE(
    "a loop of the host's may count from where a name says, and takes names and groups' arrays within") {
  const Nat q = Nat::fresh("q", 0, 9), p = Nat::fresh("p", 0, 9);
  const Kernel named =
      launched(kernel({{Let{index_term(p), index_term(floordiv(first, 2))}},
                       {Let{index_term(q), index_term(first + 1)}},
                       turns(q, 4, [&](const Nat&) {
                         return there_and_back([&](const Nat& i) { return of("a", mod(i + p, 8)); });
                       })}));
  CHECK(host_loops(named) == 1);
  const auto in_groups = [](const char* to, const char* from) {
    return over(LoopKind::Wrg, 0, 8, [&](const Nat& g) {
      return Block{
          over(LoopKind::Lcl, 0, 1, [&](const Nat& l) { return Block{put("s", g + l, of(from, 7 - g))}; }),
          {Barrier{}},
          over(LoopKind::Lcl, 0, 1, [&](const Nat& l) { return Block{put(to, g + l, of("s", g))}; })};
    });
  };
  const Stmt local{Allocate{"s", array({8}, f64), AddressSpace::Local}};
  const auto both = [&](const Nat&) { return Block{in_groups("v", "u"), in_groups("u", "v")}; };
  for (const Kernel& k :
       {launched(kernel({local, in_groups("v", "u"), in_groups("u", "v")})),
        launched(kernel({local, turns(0, 3, both)})), launched(kernel({turns(0, 3, [&](const Nat& t) {
          Block b = both(t);
          b.insert(b.begin(), local);
          return b;
        })}))}) {
    INFO(str(k));
    CHECK(works(k) == 0);
    for (const Launch& l : launches_in(k))
      CHECK(holds(l.body, [](const Stmt& s) { return std::holds_alternative<Allocate>(s.v); }));
  }
}

TEST_CASE("a turn of the host's has variables of its own, and hands none to the next") {
  const auto row = [](const Term& start, bool own) {
    return over(LoopKind::Glb, 0, 8, [&](const Nat& i) {
      Block b{add(v, of("u", 7 - i)), put("out", i, v)};
      if (own) b.insert(b.begin(), {Declare{v, start}});
      return b;
    });
  };
  const auto turned = [&](bool own) {
    return turns(0, 3, [&](const Nat&) {
      return Block{row(number(2), own), items("u", [](const Nat& i) { return of("out", i); })};
    });
  };
  CHECK(host_loops(launched(kernel({turned(true)}))) == 1);
  CHECK(refused(kernel({{Declare{v, number(2)}}, turned(false)})) ==
        "several loops over the grid in the loop over i, each iteration of which hands v to the next: that "
        "takes "
        "as many kernels; store the value (to_global)");
}

TEST_CASE("loops that cannot be launches are refused, with what to do instead") {
  const auto both = [](const Nat&) { return there_and_back(one); };
  for (const LoopKind kind : {LoopKind::Unroll, LoopKind::Par})
    CHECK(refused(kernel({over(kind, 0, 3, both)})) ==
          "several loops over the grid in the loop over i, which is " + std::string(text(kind)) +
              "; give it to the grid too");
  CHECK(refused(kernel({over(
            LoopKind::Glb, 0, 2, [&](const Nat&) { return Block{turns(0, 3, both)}; }, 1)})) ==
        "a loop of launches within the loop over i, which is over the grid; give only the loops within to "
        "the grid");
  const auto around = [](const Stmt& kept) {
    return kernel({over(
        LoopKind::Glb, 0, 2,
        [&](const Nat&) {
          return Block{kept, items("u", [](const Nat& i) { return of("a", i); }),
                       items("out", [](const Nat& i) { return sum(v, of("a", i)); })};
        },
        1)});
  };
  CHECK(refused(around({Declare{v, number(2)}})).find("work-items keep v while loops over the grid follow") ==
        0);
  CHECK(refused(around({Let{v, number(2)}})) == "");  // each computes it
  const Nat times = Nat::fresh("times", 0, 9);
  const auto many = [&](const Term& value) {
    return kernel({{Let{index_term(times), value}}, turns(0, times, both)});
  };
  CHECK(refused(many(load_term("a", {0}, i32))) ==
        "the number of launches in the loop over turn, times, is computed from data");
  CHECK(refused(many(index_term(first))) == "");
}

TEST_CASE("what is made of a variable goes to the launches as the variable was") {
  const auto uses = [](const char* to, const Term& value) {
    return items(to, [&](const Nat& i) { return sum(sum(of("a", i), h), value); });
  };
  const Block before{{Let{h, number(0.5)}}, {Declare{v, number(2)}}, add(v, of("a", 3))};
  const auto after = [&](const Block& b) {
    Block all = before;
    all.insert(all.end(), b.begin(), b.end());
    return kernel(std::move(all));
  };
  const Stmt twice{Let{w, sum(v, v)}};
  // A name for its double; the variable then changes, before and between launches that take the name.
  launched(after({twice, uses("out", w), uses("u", w)}));
  launched(after({twice, add(v, number(10)), uses("out", w), uses("u", v)}));
  launched(after({twice, uses("out", number(1)), add(v, number(10)), uses("u", sum(w, v))}));
  launched(after(
      {twice, uses("out", w), add(v, number(10)), uses("u", sum(w, v)), add(v, number(3)), uses("v", v)}));
  launched(after(
      {uses("out", v), add(v, number(10)), twice, uses("u", w), add(v, number(3)), uses("v", sum(v, w))}));
  // What is read before it is overwritten.
  launched(after({{Let{w, of("u", 0)}}, uses("u", w), uses("out", w), add(v, w), uses("v", v)}));
}

namespace {

/// Loops over the grid among variables, names, stores, conditions and loops of the host's, which use what
/// there is of each other.
class RandomBlocks {
 public:
  explicit RandomBlocks(unsigned seed) : random_(seed) {}
  Kernel made() { return kernel(block(0, some(3, 9))); }

 private:
  int some(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  const char* array() { return kArrays[some(0, 3)]; }
  Term one_of(const std::vector<Term>& all) {
    return all[static_cast<std::size_t>(some(0, static_cast<int>(all.size()) - 1))];
  }
  Term fresh(const char* name) { return local_term(name + std::to_string(++count_), f64); }
  /// For element i of an array: of that array it may use this element alone.
  Term value(const Nat& i, const std::string& to) {
    Term r = number(some(1, 4));
    for (int n = some(0, 3); n > 0; --n) {
      const char* from = array();
      Term next = of(from, from == to ? i : some(0, 1) == 0 ? 7 - i : Nat(some(0, 7)));
      if (some(0, 1) == 0 && !locals_.empty()) next = one_of(locals_);
      r = apply_term(Op::Sub, f64, {r, next});
    }
    return r;
  }
  Stmt all_items() {
    const char* to = array();
    return over(LoopKind::Glb, 0, 8, [&](const Nat& i) {
      const Term own = fresh("own");
      return Block{{Let{own, value(i, to)}}, put(to, i, sum(own, value(i, to)))};
    });
  }
  Stmt under_condition() {
    Block b;
    for (int n = some(1, 3); n > 0; --n) b.push_back(all_items());
    return {If{{compare_term(less(first, some(1, 3)))}, std::move(b)}};
  }
  Block block(int depth, int n) {
    const std::vector<Term> around = locals_;
    std::vector<Term> variables;
    Block b{all_items()};
    for (; n > 0; --n) {
      const int what = some(0, depth < 2 ? 8 : 7);
      if (what == 0) {
        variables.push_back(fresh("var"));
        b.push_back({Declare{variables.back(), value(some(0, 7), "")}});
        locals_.push_back(variables.back());
      } else if (what == 1) {
        const Term name = fresh("name");
        b.push_back({Let{name, value(some(0, 7), "")}});
        locals_.push_back(name);
      } else if (what < 4 && !variables.empty()) {
        b.push_back({Assign{one_of(variables), value(some(0, 7), "")}});
      } else if (what == 4) {
        b.push_back(put(array(), some(0, 7), value(some(0, 7), "")));
      } else if (what < 7) {
        b.push_back(all_items());
      } else if (what == 7) {
        b.push_back(under_condition());
      } else {
        b.push_back(turns(0, some(1, 3), [&](const Nat&) { return block(depth + 1, some(1, 5)); }));
      }
    }
    locals_ = around;
    return b;
  }

  std::mt19937 random_;
  std::vector<Term> locals_;  ///< values that there are
  int count_ = 0;
};

}  // namespace

TEST_CASE("random launches: what they compute one after the other is what the kernel computes as one") {
  int made = 0, refused = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const Kernel k = RandomBlocks(seed).made();
    try {
      made += launches_in(launched(k)).empty() ? 0 : 1;
    } catch (const UserError&) {
      ++refused;  // a turn that keeps a variable, or a value that is loaded before its array is stored to
    }
  }
  CHECK(made > 3 * refused);
}

}  // namespace lift::launches_edges_test
