// Random loops over rows, as stages that follow one another or share iterations: what all passes make of them
// computes the same. Where programs of the language lead to few forms, these have reads of any row, in any
// order, guards of all kinds, and arrays of the kernel's own that are stored once, twice, in part.
#include <doctest/doctest.h>

#include <random>

#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "lower/passes/pipeline.hpp"
#include "tests/lower/run_loops.hpp"

using namespace lift;

namespace random_loops_test {
namespace {

constexpr std::int64_t kRows = 5, kColumns = 11;
const char* const kOwn[] = {"u", "v", "w"};

class Loops {
 public:
  explicit Loops(unsigned seed) : random_(seed) {}

  Kernel kernel() {
    const Type rows = array({kRows, kColumns}, f64);
    Kernel k;
    k.name = "k", k.results = {"out"};
    k.arguments = {{"a", rows, Layout({}, rows), false, true, {}},
                   {"out", rows, Layout({}, rows), true, true, {}},
                   {"first", i32, {}, false, true, {0, 3}}};
    for (const char* own : kOwn) k.arguments.push_back({own, rows, Layout({}, rows), true, true, {}, true});
    arrays_ = {"a"};
    for (const char* own : kOwn) k.body.push_back(rows_of(own, false)), arrays_.emplace_back(own);
    Block stages;
    for (int n = some(1, 4); n > 0; --n) stages.push_back(rows_of(kOwn[some(0, 2)], true));
    if (some(0, 3) == 0) {
      For time;
      time.var = Nat::fresh("t", 0, 1), time.upper = 2, time.body = std::move(stages);
      stages = {{time}};
    }
    k.body.insert(k.body.end(), stages.begin(), stages.end());
    k.body.push_back(rows_of("out", false));
    return k;
  }

 private:
  int some(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool seldom() { return some(0, 4) == 0; }
  const Nat& first() {
    static const auto& n = *new Nat(Nat::fresh("first", 0, 3));
    return n;
  }
  /// Of any row, but where threads share the rows of what they store: of their own. `apart`: iterations are
  /// in no order.
  Term load(const Nat& j, const Nat& i, const std::string& stored, bool shared, bool apart) {
    const std::string& from =
        arrays_[static_cast<std::size_t>(some(0, static_cast<int>(arrays_.size()) - 1))];
    Nat row = j, column = i;
    if (apart && from == stored) return load_term(from, {row, column}, f64);
    if (!(shared && from == stored)) switch (some(0, 5)) {
        case 0:
          row = Nat(kRows - 1) - j;
          break;
        case 1:
          row = max(j, Nat(1)) - 1;
          break;
        case 2:
          row = some(0, 1) ? Nat(some(0, kRows - 1)) : first();
          break;
        default:
          break;
      }
    switch (some(0, 8)) {
      case 0:
        column = Nat(kColumns - 1) - i;
        break;
      case 1:
        column = max(i, Nat(1)) - 1;
        break;
      case 2:
        column = min(i, Nat(kColumns - 2)) + 1;
        break;
      case 3:
        column = mod(i + some(1, 3), kColumns);
        break;
      case 4:
        column = some(0, 1) ? Nat(some(0, kColumns - 1)) : first() + 2;
        break;
      default:
        break;
    }
    return load_term(from, {row, column}, f64);
  }
  Term guard(const Nat& j, const Nat& i, const std::string& stored, bool shared, bool apart) {
    switch (some(0, 7)) {
      case 0:
        return compare_term(less_equal(some(0, 3), i));
      case 1:
        return compare_term(less(i, some(0, 1) ? Nat(some(5, 11)) : first() + 7));
      case 2:
        return compare_term(equal(mod(i + j + some(0, 1), 2), 0));
      case 3:
        return compare_term(equal(i, some(0, 10)));
      case 4:
        return compare_term(less(first(), j));
      case 5:
        return compare_term(less_equal(2, floordiv(i + some(0, 4), 3)));
      case 6: {  // of what the loop may change
        const Nat column = apart ? i : Nat(some(0, kColumns - 1));
        return apply_term(Op::Lt, boolean,
                          {load(j, column, stored, shared, apart), constant_term(some(-9, 20), f64)});
      }
      default:
        return apply_term(Op::And, boolean, {compare_term(less(0, i)), compare_term(less(i, kColumns - 1))});
    }
  }
  Term value(const Nat& j, const Nat& i, const std::string& stored, bool shared, bool apart) {
    Term sum = load(j, i, stored, shared, apart);
    for (int n = some(0, 3); n > 0; --n) {
      Term next = load(j, i, stored, shared, apart);
      if (seldom())
        next = apply_term(Op::Select, f64,
                          {guard(j, i, stored, shared, apart), next, seldom() ? constant_term(3, f64) : sum});
      sum = apply_term(some(0, 2) ? Op::Add : Op::Sub, f64, {sum, next});
    }
    return sum;
  }
  Block elements(const Nat& j, const Nat& i, const std::string& to, bool shared, bool apart, bool part) {
    Block b;
    for (int n = seldom() ? 2 : 1; n > 0; --n) {
      const Nat at = part && !apart && seldom() ? Nat(kColumns - 1) - i : i;
      Stmt s{Store{to, {j, at}, value(j, i, to, shared, apart), seldom()}};
      if (part && some(0, 2) == 0) s = {If{{guard(j, i, to, shared, apart)}, {s}}};
      if (part && seldom()) s = {If{{guard(j, i, to, shared, apart)}, {s}}};
      b.push_back(std::move(s));
    }
    return b;
  }
  /// All of an array is made, or part of it made anew.
  Stmt rows_of(const std::string& to, bool part) {
    For rows;
    rows.var = Nat::fresh("j", 0, kRows - 1), rows.upper = kRows;
    rows.kind = seldom() ? LoopKind::Seq : LoopKind::Par;
    rows.joined = rows.kind == LoopKind::Par ? some(0, 2) : 0;
    for (int n = part && seldom() ? 2 : 1; n > 0; --n) {
      For f;
      const std::int64_t from = part && seldom() ? some(0, 3) : 0;
      f.var = Nat::fresh("i", from, kColumns - 1), f.lower = from, f.upper = kColumns;
      if (part && seldom()) f.upper = first() + 6;
      f.kind = seldom() ? LoopKind::Unroll : LoopKind::Seq;
      if (some(0, 3) == 0) f.kind = LoopKind::Vec, f.width = 4;
      f.rotate = f.kind != LoopKind::Vec && seldom();
      f.prefetch = seldom() ? 2 : 0;
      if (part && seldom()) f.stride = f.kind == LoopKind::Vec ? 1 : 2;
      const bool apart = f.kind == LoopKind::Vec || f.stride > 1;
      f.body = elements(rows.var, f.var, to, rows.kind == LoopKind::Par, apart, part);
      rows.body.push_back({f});
    }
    return {rows};
  }

  std::mt19937 random_;
  std::vector<std::string> arrays_;
};

std::vector<double> out_of(const Kernel& k, std::int64_t first) {
  test::LoopRunner loops;
  loops.index["first"] = first;
  for (const KernelArgument& a : k.arguments) {
    if (!a.type.is_array()) continue;
    std::vector<double>& x = loops.arrays[a.name];
    x.assign(static_cast<std::size_t>(*a.layout.size().constant()), std::nan(""));
    if (a.name == "a")
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * i % 17) + 1;
  }
  loops.run(k);
  CHECK_MESSAGE(loops.races.empty(), (loops.races.empty() ? "" : loops.races.front() + "\n" + str(k)));
  return loops.arrays.at("out");
}

}  // namespace

TEST_CASE("random loops: what the passes make of them computes the same") {
  int made = 0, refused = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const Kernel given = Loops(seed).kernel();
    Kernel flat = given;
    linearise(flat);
    for (const LowerOptions& options :
         {LowerOptions{.vector_bytes = 32}, LowerOptions{.vector_bytes = 32, .target = Target::openmp},
          LowerOptions{.vector_bytes = 32, .contract = false}}) {
      CAPTURE(seed);
      try {
        const Kernel after = finish(given, options);
        ++made;
        INFO(str(flat) << str(after));
        for (const std::int64_t first : {0, 3}) CHECK(out_of(after, first) == out_of(flat, first));
      } catch (const UserError&) {
        ++refused;  // vectors of what is not contiguous
      }
    }
  }
  CHECK(made > 3 * refused);
}

}  // namespace random_loops_test
