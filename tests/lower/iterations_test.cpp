// Whether iterations may be done in any order, and statements change places, against all that they access.
#include "lower/analyses/iterations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "lower/loops/visit.hpp"

namespace lift::iterations_test {
namespace {

Nat up_to(const char* name, int n) { return Nat::fresh(name, 0, n - 1); }
For loop(const Nat& var, int n, Block body) {
  For f;
  f.var = var, f.lower = 0, f.upper = n, f.body = std::move(body);
  return f;
}
Term load(const std::string& array, const std::vector<Nat>& at) { return load_term(array, at, f64); }
Stmt store(const std::string& array, const std::vector<Nat>& at, const Term& value = constant_term(1, f64)) {
  return {Store{array, at, value}};
}

/// An element that an iteration accesses.
struct Met {
  std::string array;
  std::vector<std::int64_t> at;
  bool store;
};
/// All that one iteration does with arrays that are not its own.
class Run {
 public:
  explicit Run(std::map<const NatAtom*, std::int64_t> values) : values_(std::move(values)) {}
  std::vector<Met> met;
  void block(const Block& b) {
    for (const Stmt& s : b) {
      if (const auto* a = std::get_if<Allocate>(&s.v)) own_.push_back(a->name);
      visit_accesses(s, [&](const ElementAccess& a) {
        if (std::count(own_.begin(), own_.end(), a.array) > 0) return;
        met.push_back({a.array, {}, a.store});
        for (const Nat& p : a.position) met.back().at.push_back(nat(p));
      });
      const auto* f = std::get_if<For>(&s.v);
      for (auto i = f ? nat(f->lower) : 0; f && i < nat(f->upper); ++i)
        values_[variables(f->var)[0]] = i, block(f->body);
    }
  }

 private:
  std::int64_t nat(const Nat& n) const {
    return evaluate(n, [&](const NatAtom& a) { return values_.at(&a); });
  }
  std::map<const NatAtom*, std::int64_t> values_;
  std::vector<std::string> own_;
};
bool conflict(const std::vector<Met>& first, const std::vector<Met>& second) {
  return std::any_of(first.begin(), first.end(), [&](const Met& a) {
    return std::any_of(second.begin(), second.end(), [&](const Met& b) {
      return (a.store || b.store) && a.array == b.array && a.at == b.at;
    });
  });
}
std::vector<std::vector<Met>> iterations_of(const For& f) {
  std::vector<std::vector<Met>> all;
  for (std::int64_t i = 0; i < *f.upper.constant(); ++i) {
    Run run({{variables(f.var)[0], i}});
    run.block(f.body);
    all.push_back(run.met);
  }
  return all;
}
bool iterations_conflict(const For& f) {
  const auto all = iterations_of(f);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j)
      if (i != j && conflict(all[i], all[j])) return true;
  return false;
}

}  // namespace

TEST_CASE("iterations: independent where no two meet at an element that one of them stores") {
  struct Case {
    std::string name;
    std::function<Block(Nat)> body;
    bool independent;
    bool told = true;  ///< where they are: whether that is seen
  };
  const auto inner = [&](int n, const std::function<Stmt(Nat)>& of) {
    const Nat j = up_to("j", n);
    return Stmt{loop(j, n, {of(j)})};
  };
  const std::vector<Case> cases{
      {"an element each", [](const Nat& i) { return Block{store("y", {i}, load("x", {i}))}; }, true},
      {"neighbours of another array", [](const Nat& i) { return Block{store("y", {i}, load("x", {i + 1}))}; },
       true},
      {"in place", [](const Nat& i) { return Block{store("y", {i}, load("y", {i}))}; }, true},
      {"the next element", [](const Nat& i) { return Block{store("y", {i}, load("y", {i + 1}))}; }, false},
      {"pairs", [](const Nat& i) { return Block{store("y", {2 * i}, load("y", {2 * i + 1}))}; }, true},
      {"the next pair", [](const Nat& i) { return Block{store("y", {2 * i}, load("y", {2 * i + 2}))}; },
       false},
      {"the pair before", [](const Nat& i) { return Block{store("y", {2 * i + 2}, load("y", {2 * i}))}; },
       false},
      {"the pair before, its second one",
       [](const Nat& i) { return Block{store("y", {2 * i + 2}, load("y", {2 * i + 1}))}; }, true},
      {"towards one another", [](const Nat& i) { return Block{store("y", {i}, load("y", {7 - i}))}; }, false},
      {"backwards", [](const Nat& i) { return Block{store("y", {7 - i}, load("y", {7 - i}))}; }, true, false},
      {"one element", [](const Nat&) { return Block{store("y", {3})}; }, false},
      {"squares", [](const Nat& i) { return Block{store("y", {i * i})}; }, true, false},
      {"rows",
       [](const Nat& i) {
         return Block{store("y", {i, 3}, load("y", {i, 4}))};
       },
       true},
      {"a row for all",
       [](const Nat& i) {
         return Block{store("y", {3, i}, load("y", {3, i}))};
       },
       true},
      {"columns of the next row",
       [](const Nat& i) {
         return Block{store("y", {i, 3}, load("y", {i + 1, 3}))};
       },
       false},
      {"another column of the next row",
       [](const Nat& i) {
         return Block{store("y", {i, 3}, load("y", {i + 1, 4}))};
       },
       true, false},
      {"a whole row each",
       [&](const Nat& i) { return Block{inner(5, [&](const Nat& j) {
                             return store("y", {i, j});
                           })}; }, true},
      {"four elements each",
       [&](const Nat& i) { return Block{inner(4, [&](const Nat& j) { return store("y", {4 * i + j}); })}; },
       true},
      {"an array of an iteration's own",
       [](const Nat&) {
         return Block{{Allocate{"y", array({4}, f64)}}, store("y", {3})};
       },
       true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Nat i = up_to("i", 8);
    const For f = loop(i, 8, c.body(i));
    CHECK(iterations_conflict(f) == !c.independent);
    CHECK(are_independent(f) == (c.independent && c.told));
  }
}

TEST_CASE("iterations: dependent where values go from one to the next, or threads wait") {
  const Nat i = up_to("i", 8);
  const Term sum = local_term("sum", f64);
  const Stmt own = store("y", {i});
  CHECK(are_independent(loop(i, 8, {own})));
  CHECK_FALSE(are_independent(loop(i, 8, {{Assign{sum, load("x", {i})}}, own})));
  CHECK_FALSE(are_independent(loop(i, 8, {{Barrier{}}, own})));
  const Term asked = compare_term(less(i, Nat::size("iterations_n")));
  CHECK_FALSE(are_independent(loop(i, 8, {{If{{asked}, {{Assign{sum, load("x", {i})}}}}}, own})));
}

TEST_CASE("iterations: two loops may be one where only the same iterations meet") {
  struct Case {
    std::string name;
    std::function<Nat(Nat)> store, load;
    bool apart;
    bool told = true;
  };
  const auto by = [](int c, int d) { return [=](const Nat& i) { return c * i + d; }; };
  const std::vector<Case> cases{
      {"the same element", by(1, 0), by(1, 0), true},     {"the next one", by(1, 0), by(1, 1), false},
      {"the one before", by(1, 1), by(1, 0), false},      {"within three", by(3, 0), by(3, 2), true},
      {"within three, before", by(3, 2), by(3, 0), true}, {"three on", by(3, 0), by(3, 3), false},
      {"other steps", by(2, 0), by(3, 0), false},         {"never", by(2, 0), by(2, 31), true, false},
      {"one for all", by(0, 2), by(0, 2), false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Nat i = up_to("i", 8);
    const For first = loop(i, 8, {store("y", {c.store(i)})});
    const For second = loop(i, 8, {store("z", {i}, load("y", {c.load(i)}))});
    const auto a = iterations_of(first), b = iterations_of(second);
    bool apart = true;
    for (std::size_t x = 0; x < a.size(); ++x)
      for (std::size_t y = 0; y < b.size(); ++y) apart &= x == y || !conflict(a[x], b[y]);
    CHECK(apart == c.apart);
    CHECK(are_apart(touched_by(first.body), touched_by(second.body), i) == (c.apart && c.told));
    CHECK(are_apart(touched_by(second.body), touched_by(first.body), i) == (c.apart && c.told));
  }
}

TEST_CASE("iterations: an array met as rows and as a row is not known to be met in the same iteration") {
  const Nat i = up_to("i", 8);
  const std::vector<Touched> rows{{"y", {i, 0}, true}}, elements{{"y", {i}, false}};
  CHECK(are_apart(rows, rows, i));
  CHECK_FALSE(are_apart(rows, elements, i));
  CHECK_FALSE(are_apart(elements, rows, i));
}

TEST_CASE("iterations: a statement comes before others where nothing changes by that") {
  const Term a = local_term("a", f64), b = local_term("b", f64);
  const auto value = [](const Term& t) { return store("z", {Nat(1)}, t); };
  const Stmt x_to_y = store("y", {Nat(0)}, load("x", {Nat(0)}));
  struct Case {
    std::string name;
    Block later, statements;
    bool may;
  };
  const std::vector<Case> cases{
      {"other arrays", {x_to_y}, {store("z", {Nat(0)})}, true},
      {"both load", {x_to_y}, {store("z", {Nat(0)}, load("x", {Nat(0)}))}, true},
      {"what they store", {x_to_y}, {store("x", {Nat(0)})}, false},
      {"what they load", {store("x", {Nat(0)})}, {x_to_y}, false},
      {"what both store", {x_to_y}, {store("y", {Nat(1)})}, false},
      {"an array of their own", {x_to_y}, {{Allocate{"x", array({4}, f64)}}, store("x", {Nat(0)})}, true},
      {"a value of theirs", {value(a)}, {{Let{a, constant_term(1, f64)}}}, false},
      {"a value of others", {value(b)}, {{Let{a, constant_term(1, f64)}}}, true},
      {"a variable of theirs", {value(a)}, {{Declare{a, constant_term(1, f64)}}}, false},
      {"threads wait", {x_to_y}, {{Barrier{}}}, false},
      {"threads wait within a condition",
       {x_to_y},
       {{If{{compare_term(less(1, Nat::size("iterations_n")))}, {{Barrier{}}}}}},
       false},
      {"another launch", {x_to_y}, {{Launch{"other", {}, {}, {}}}}, false},
      {"another launch, and a wait", {x_to_y}, {{Launch{"other", {}, {}, {}}}, {Barrier{}}}, false},
      {"nothing", {x_to_y}, {}, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(may_precede(c.later, c.statements) == c.may);
  }
}

}  // namespace lift::iterations_test
