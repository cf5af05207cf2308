// What is said of two accesses to an array that work-items share, against all of their iterations: that equal
// elements are met by the same item, that no element is met by both, that items of a grid meet no other's.
#include "lower/analyses/shared_accesses.hpp"

#include <doctest/doctest.h>

#include "ir/nat/nat.hpp"

namespace lift::shared_accesses_test {
namespace {

Stmt store(const std::vector<Nat>& at, const Term& value = constant_term(1, f64)) {
  return {Store{"s", at, value}};
}
Term element(const std::vector<Nat>& at, const std::string& array = "s") { return load_term(array, at, f64); }
Stmt copy(const std::vector<Nat>& at) { return {Store{"y", {Nat(0)}, element(at)}}; }
For loop(LoopKind kind, int dim, const Nat& var, const Nat& lower, const Nat& upper, Block body,
         int items = 0) {
  For f;
  f.kind = kind, f.dim = dim, f.var = var, f.lower = lower, f.upper = upper, f.items = items;
  f.body = std::move(body);
  return f;
}
Nat from(const char* name, const Nat& lower, const Nat& upper) { return Nat::fresh(name, lower, upper - 1); }
/// A loop over `n` indices from 0 on.
Stmt over(LoopKind kind, int dim, int n, const std::function<Block(Nat)>& body, int items = 0) {
  const Nat v = from("v", 0, n);
  return {loop(kind, dim, v, 0, n, body(v), items)};
}
Stmt lcl(int dim, int n, const std::function<Block(Nat)>& body, int items = 0) {
  return over(LoopKind::Lcl, dim, n, body, items);
}
Stmt glb(int dim, int n, const std::function<Block(Nat)>& body) { return over(LoopKind::Glb, dim, n, body); }
Stmt seq(int n, const std::function<Block(Nat)>& body) { return over(LoopKind::Seq, 0, n, body); }

/// An access in one iteration of all loops around it.
struct Instance {
  std::vector<std::int64_t> element;
  std::map<int, std::int64_t> items;  ///< by dimension; none: all of them
  std::int64_t iteration = 0;         ///< of the loop in question
  bool write = false;
};
/// All instances of the accesses of statements to an array, each access by its place in the text.
class Instances {
 public:
  explicit Instances(Sharers among, std::string array = "s") : among_(among), array_(std::move(array)) {}
  std::vector<std::vector<Instance>> all;
  /// The loop's own iteration is noted.
  void iterations_of(const For& f) {
    for (auto t = nat(f.lower); t < nat(f.upper); ++t)
      now_.iteration = values_[variables(f.var)[0]] = t, block(f.body, 0);
  }
  std::size_t block(const Block& b, std::size_t n) {
    for (const Stmt& s : b) n = statement(s, n);
    return n;
  }

 private:
  std::int64_t nat(const Nat& n) const {
    return evaluate(n, [&](const NatAtom& a) { return values_.at(&a); });
  }
  std::size_t statement(const Stmt& s, std::size_t n) {
    visit_accesses(s, [&](const ElementAccess& a) {
      if (a.array != array_) return;
      if (all.size() <= n) all.resize(n + 1);
      Instance i = now_;
      for (const Nat& p : a.position) i.element.push_back(nat(p));
      i.write = a.store;
      all[n++].push_back(i);
    });
    const auto* f = std::get_if<For>(&s.v);
    if (!f) return n;
    const Instance outer = now_;
    const bool told = among_ == Sharers::Group ? f->kind == LoopKind::Lcl
                                               : f->kind == LoopKind::Glb || f->kind == LoopKind::Wrg;
    const auto first = nat(f->lower);
    std::size_t end = n;
    for (auto i = first; i < nat(f->upper); ++i) {
      values_[variables(f->var)[0]] = i;
      if (told) now_.items[f->dim] = f->items > 0 ? (i - first) % f->items : i - first;
      end = block(f->body, n);
    }
    now_ = outer;
    return end;
  }
  Sharers among_;
  std::string array_;
  Instance now_;
  std::map<const NatAtom*, std::int64_t> values_;
};

bool are_of_one_item(const Instance& a, const Instance& b, const std::vector<int>& dims) {
  return std::all_of(dims.begin(), dims.end(), [&](int d) {
    return a.items.contains(d) && b.items.contains(d) && a.items.at(d) == b.items.at(d);
  });
}

/// What is said of the first two accesses to s, and what is so.
struct Said {
  bool same, is_same, disjoint, is_disjoint;
};
Said said_of(const Block& b, const std::vector<int>& dims) {
  const std::map<std::string, bool> shared{{"s", false}};
  Accesses accesses(shared);
  Instances instances(Sharers::Group);
  std::size_t n = 0;
  for (const Stmt& s : b) accesses.of(s), n = instances.block({s}, n);
  REQUIRE(accesses.all.size() == 2);
  REQUIRE(instances.all.size() == 2);
  Said r{same_item(accesses.all[0], accesses.all[1], dims), true, disjoint(accesses.all[0], accesses.all[1]),
         true};
  CHECK(same_item(accesses.all[1], accesses.all[0], dims) == r.same);
  CHECK(disjoint(accesses.all[1], accesses.all[0]) == r.disjoint);
  for (const Instance& x : instances.all[0])
    for (const Instance& y : instances.all[1])
      if (x.element == y.element) r.is_disjoint = false, r.is_same &= are_of_one_item(x, y, dims);
  return r;
}

/// Statements with two accesses, and whether equal elements are the same item's.
struct Pair {
  std::string name;
  Block block;
  std::vector<int> dims;
  bool same;
  bool told = true;  ///< where they are: whether that is seen, too
};

}  // namespace

TEST_CASE("shared accesses: the same item meets equal elements") {
  const auto writes = [](int n, const std::function<Nat(Nat)>& at, int items = 0) {
    return lcl(
        0, n, [&](const Nat& i) { return Block{store({at(i)})}; }, items);
  };
  const auto reads = [](int n, const std::function<Nat(Nat)>& at, int items = 0) {
    return lcl(
        0, n, [&](const Nat& i) { return Block{copy({at(i)})}; }, items);
  };
  const auto writes_after = [](int lower, int n, const std::function<Nat(Nat)>& at) {
    const Nat i = from("i", lower, lower + n);
    return Stmt{loop(LoopKind::Lcl, 0, i, lower, lower + n, {store({at(i)})})};
  };
  const auto same = [](const Nat& i) { return i; };
  const auto by = [](int c, int d) { return [=](const Nat& i) { return c * i + d; }; };
  /// Each iteration meets `n` elements, `c` apart, from a multiple of `each` on.
  const auto several = [](int each, int c, int n) {
    return lcl(0, 6, [=](const Nat& i) {
      return Block{seq(n, [=](const Nat& k) { return Block{copy({each * i + c * k})}; })};
    });
  };
  const std::vector<Pair> pairs{
      {"the iteration's own", {writes(8, same), reads(8, same)}, {0}, true},
      {"the next one's", {writes(8, same), reads(8, by(1, 1))}, {0}, false},
      {"every other one", {writes(8, by(2, 0)), reads(8, by(2, 0))}, {0}, true},
      {"every other one, and all", {writes(8, by(2, 0)), reads(8, same)}, {0}, false},
      {"backwards", {writes(8, by(-1, 7)), reads(8, by(-1, 7))}, {0}, true, false},
      {"one for all", {writes(8, by(0, 3)), reads(8, by(0, 3))}, {0}, false},
      {"from another index on", {writes_after(1, 8, same), reads(8, same)}, {0}, false},
      {"from another index on, moved back",
       {writes_after(1, 8, by(1, -1)), reads(8, same)},
       {0},
       true,
       false},
      // Which item takes an iteration.
      {"as many items", {writes(16, same, 8), reads(16, same, 8)}, {0}, true},
      {"as many items, other trips", {writes(16, same, 8), reads(24, same, 8)}, {0}, true},
      {"other items", {writes(16, same, 8), reads(16, same, 4)}, {0}, false},
      {"an item each, and enough items", {writes(8, same), reads(16, same, 8)}, {0}, true},
      {"an item each, and one too few", {writes(9, same), reads(16, same, 8)}, {0}, false},
      {"enough items, and an item each", {writes(16, same, 8), reads(8, same)}, {0}, true},
      {"one too few, and an item each", {writes(16, same, 8), reads(9, same)}, {0}, false},
      {"other items, enough of both", {writes(8, same, 8), reads(8, same, 9)}, {0}, true, false},
      // Several elements an iteration.
      {"four each", {writes(6, by(4, 0)), several(4, 1, 4)}, {0}, true},
      {"five of four each", {writes(6, by(4, 0)), several(4, 1, 5)}, {0}, false},
      {"four each, apart", {writes(6, by(4, 0)), several(4, 2, 2)}, {0}, true},
      {"four each, too far apart", {writes(6, by(4, 0)), several(4, 2, 3)}, {0}, false},
      {"four each, backwards", {writes(6, by(4, 0)), several(4, -1, 4)}, {0}, true, false},
      {"five of four each, backwards", {writes(6, by(4, 0)), several(4, -1, 5)}, {0}, false},
      // Who takes part.
      {"all items write", {store({Nat(0)}), reads(8, same)}, {0}, false},
      {"all items read", {writes(8, same), copy({Nat(0)})}, {0}, false},
      {"items of no dimension", {writes(8, same), reads(8, by(1, 1))}, {}, true},
      {"of one iteration", {writes(1, same), reads(1, by(3, 0))}, {0}, true},
      {"of two iterations", {writes(1, same), reads(2, by(-1, 1))}, {0}, false},
  };
  for (const Pair& p : pairs) {
    INFO(p.name);
    const Said s = said_of(p.block, p.dims);
    const bool is_so = s.is_same || p.dims.empty();
    CHECK(is_so == p.same);
    CHECK(s.same == (p.same && p.told));
    CHECK((s.is_disjoint || !s.disjoint));
  }
}

TEST_CASE("shared accesses: the same item of a group of two dimensions") {
  using At = std::function<std::vector<Nat>(Nat, Nat)>;
  /// j goes along dimension 0, i along dimension 1.
  const auto items = [](int rows, int columns, const At& at, bool write) {
    return lcl(1, rows, [&](const Nat& i) {
      return Block{
          lcl(0, columns, [&](const Nat& j) { return Block{write ? store(at(i, j)) : copy(at(i, j))}; })};
    });
  };
  const auto both = [&](int rows, int columns, const At& write, const At& read) {
    return Block{items(rows, columns, write, true), items(rows, columns, read, false)};
  };
  const auto own = [](const Nat& i, const Nat& j) { return std::vector<Nat>{i, j}; };
  const auto turned = [](const Nat& i, const Nat& j) { return std::vector<Nat>{j, i}; };
  const auto row = [](int n) {
    return [n](const Nat& i, const Nat& j) { return std::vector<Nat>{n * i + j}; };
  };
  const auto rows = [](const Nat& i, const Nat&) { return std::vector<Nat>{i}; };
  const std::vector<Pair> pairs{
      {"own rows and columns", both(4, 4, own, own), {0, 1}, true},
      {"rows for columns", both(4, 4, own, turned), {0, 1}, false},
      {"rows side by side", both(4, 4, row(4), row(4)), {0, 1}, true},
      {"rows that overlap", both(4, 5, row(4), row(4)), {0, 1}, false},
      {"rows that overlap, in the other order", both(4, 5, row(4), row(4)), {1, 0}, false},
      {"rows apart", both(4, 3, row(4), row(4)), {1, 0}, true},
      {"a row's items", both(4, 4, rows, rows), {0, 1}, false},
      {"rows of one item", both(4, 1, rows, rows), {0, 1}, true},
      {"rows alone", both(4, 4, rows, rows), {1}, true},
  };
  for (const Pair& p : pairs) {
    INFO(p.name);
    const Said s = said_of(p.block, p.dims);
    CHECK(s.is_same == p.same);
    CHECK(s.same == p.same);
  }
}

TEST_CASE("shared accesses: no element is met by both") {
  struct Case {
    std::string name;
    int n;  ///< iterations of each
    std::function<Nat(Nat)> write, read;
    bool disjoint;
    bool told = true;
  };
  const auto by = [](int c, int d) { return [=](const Nat& i) { return c * i + d; }; };
  const auto modulo = [](int d, int m) { return [=](const Nat& i) { return mod(5 * i + d, m); }; };
  const auto squared = [](int d) { return [=](const Nat& i) { return i * i + d; }; };
  const std::vector<Case> cases{
      {"all", 8, by(1, 0), by(1, 0), false},
      {"behind the last one", 8, by(1, 0), by(1, 8), true},
      {"at the last one", 8, by(1, 0), by(1, 7), false},
      {"even and odd", 8, by(2, 0), by(2, 1), true},
      {"even and any", 8, by(2, 0), by(3, 1), false},
      {"remainders", 8, modulo(0, 6), modulo(1, 6), false},
      {"remainders by other numbers", 8, modulo(0, 6), modulo(1, 7), false},
      {"remainders of neighbours", 8, [](const Nat& i) { return mod(i, 3); }, modulo(1, 3), false},
      {"squares", 3, squared(0), squared(1), false},
      {"squares, far away", 3, squared(0), squared(5), true},
      {"squares, and the last one of them", 3, squared(0), squared(4), false},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const auto items = [&](bool write) {
      return lcl(0, c.n,
                 [&](const Nat& i) { return Block{write ? store({c.write(i)}) : copy({c.read(i)})}; });
    };
    const Said s = said_of({items(true), items(false)}, {0});
    CHECK(s.is_disjoint == c.disjoint);
    CHECK(s.disjoint == (c.disjoint && c.told));
  }
}

TEST_CASE("shared accesses: rows of a buffer that turns around") {
  const Nat t = Nat::fresh("t", 0, 40);
  const auto row = [&](int ahead, int rows) {
    Access a;
    a.array = "s", a.position = {mod(t + ahead, rows)};
    return a;
  };
  for (const int rows : {2, 3, 5})
    for (const int others : {2, 3, 5})
      for (int ahead = 0; ahead < 6; ++ahead) {
        INFO("row t mod " << rows << " and row (t + " << ahead << ") mod " << others);
        bool is_disjoint = true;
        for (int i = 0; i <= 40; ++i) is_disjoint &= i % rows != (i + ahead) % others;
        CHECK(disjoint(row(0, rows), row(ahead, others)) == is_disjoint);
        CHECK(disjoint(row(ahead, others), row(0, rows)) == is_disjoint);
      }
}

namespace {

/// Whether an item meets in one iteration what another one writes in another.
bool is_crossed(const For& f) {
  Instances instances(Sharers::Grid);
  instances.iterations_of(f);
  for (const auto& x : instances.all)
    for (const auto& y : instances.all)
      for (const Instance& a : x)
        for (const Instance& b : y)
          if (a.write && a.iteration != b.iteration && a.element == b.element && a.items != b.items)
            return true;
  return false;
}

}  // namespace

TEST_CASE("shared accesses: items of a grid meet what others write in other iterations, or their own") {
  struct Case {
    std::string name;
    std::function<Block(Nat)> body;
    bool crosses;
    bool told = true;  ///< where they do not: whether that is seen
  };
  const auto next = [](const Nat& i) { return Block{store({i}, element({i + 1}))}; };
  const auto own = [](const Nat& i) { return Block{store({i}, element({i}))}; };
  const std::vector<Case> cases{
      {"an item's own", [&](const Nat&) { return Block{glb(0, 5, own)}; }, false},
      {"the next one's", [&](const Nat&) { return Block{glb(0, 5, next)}; }, true},
      {"a single item", [&](const Nat&) { return Block{glb(0, 1, next)}; }, false},
      {"no items", [&](const Nat&) { return next(0); }, false},
      {"another array's",
       [&](const Nat&) {
         return Block{glb(0, 5, [](const Nat& i) { return Block{store({i}, element({i + 1}, "x"))}; })};
       },
       false},
      {"of another array, which the items write, too",
       [&](const Nat&) {
         return Block{glb(0, 5, [](const Nat& i) {
           return Block{store({i}), {Store{"y", {i + 1}, constant_term(1, f64)}}};
         })};
       },
       false},
      {"of an array that each iteration has",
       [&](const Nat&) {
         return Block{{Allocate{"s", array({9}, f64), AddressSpace::Private}}, glb(0, 5, next)};
       },
       false},
      {"a row each iteration",
       [&](const Nat& t) {
         return Block{glb(0, 5, [&](const Nat& i) { return Block{store({t, i}, element({t + 8, i + 1}))}; })};
       },
       false},
      {"the row before",
       [&](const Nat& t) {
         return Block{glb(0, 5, [&](const Nat& i) { return Block{store({t + 1, i}, element({t, i + 1}))}; })};
       },
       true},
      {"the row before, an item's own",
       [&](const Nat& t) {
         return Block{glb(0, 5, [&](const Nat& i) { return Block{store({t + 1, i}, element({t, i}))}; })};
       },
       false},
      {"of one column",
       [&](const Nat&) {
         return Block{glb(1, 1, [&](const Nat& j) {
           return Block{glb(0, 5, [&](const Nat& i) { return Block{store({i}, element({i + j}))}; })};
         })};
       },
       false},
      {"of two columns",
       [&](const Nat&) {
         return Block{glb(1, 2, [&](const Nat& j) {
           return Block{glb(0, 5, [&](const Nat& i) { return Block{store({i}, element({i + j}))}; })};
         })};
       },
       true},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const Nat t = from("t", 0, 4);
    const For f = loop(LoopKind::Seq, 0, t, 0, 4, c.body(t));
    const bool own_array = holds(f.body, [](const Stmt& s) { return std::holds_alternative<Allocate>(s.v); });
    CHECK((is_crossed(f) && !own_array) == c.crosses);
    CHECK(crosses_items(f) == (c.crosses || !c.told));
  }
}

}  // namespace lift::shared_accesses_test
