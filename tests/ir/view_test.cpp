// Views against the interpreter: random expressions, element by element. Every element is asked for twice, at
// a symbolic index that then takes the element's number (boundary tests stay undecided) and at that number
// (all are decided).
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/view.hpp"

using namespace lift;

namespace view_test {
namespace {

constexpr std::int64_t kLargest = 300;  ///< elements

std::int64_t volume(const Type& t) {
  std::int64_t v = 1;
  for (const Nat& n : shape_of(t)) v *= *n.constant();
  return v;
}

class Source {
 public:
  explicit Source(std::uint64_t seed) : random_(seed) {}
  std::int64_t between(std::int64_t a, std::int64_t b) {
    return std::uniform_int_distribution<std::int64_t>(a, b)(random_);
  }

  /// x followed by up to `steps` primitives that fit.
  Expr expression(Expr x, int steps) {
    for (int s = 0; s < steps && x.type().is_array(); ++s) {
      const Expr next = step(x);
      if (volume(next.type()) > kLargest || volume(next.type()) < 1) continue;
      x = next;
    }
    return x;
  }
  std::map<Op, int> used;  ///< how often each op was built

 private:
  Expr step(const Expr& x) {
    switch (between(0, 5)) {
      case 5:
        return gathered(x);
      case 0:
        return cut(x);
      case 1:
        return bound(x);
      case 2:
        return assembled(x);
      case 3:
        return computed(x);
      default:
        return between(0, 1) ? bound(x) : named(x);
    }
  }
  static std::int64_t length(const Expr& x, int d = 0) {
    return *shape_of(x.type())[static_cast<std::size_t>(d)].constant();
  }
  /// Dimensions that a primitive acts on: one, or two where there are as many.
  int rank(const Expr& x) { return rank_of(x.type()) >= 2 ? static_cast<int>(between(1, 2)) : 1; }
  std::vector<Nat> each(int rank, const std::function<std::int64_t(int)>& f) {
    std::vector<Nat> r;
    for (int d = 0; d < rank; ++d) r.emplace_back(f(d));
    return r;
  }

  /// Windows, chunks, fewer elements, another order.
  Expr cut(const Expr& x) {
    const int r = rank(x), all = rank_of(x.type());
    switch (between(0, 7)) {
      case 7:
        return reverse_n(r, x);
      case 0: {
        const auto steps = each(r, [&](int) { return between(1, 2); });
        const auto size = [&](int d) {  // the last of several windows ends with the array
          const std::int64_t step = *steps[static_cast<std::size_t>(d)].constant();
          return length(x, d) - step * between(0, (length(x, d) - 1) / step);
        };
        return slide(each(r, size), steps, x);
      }
      case 1:
        return split(
            each(r, [&](int d) { return length(x, d) % 2 == 0   ? 2
                                        : length(x, d) % 3 == 0 ? 3
                                                                : 1; }), x);
      case 2:
        return drop(each(r, [&](int d) { return length(x, d) > 2 ? between(0, 1) : 0; }),
                    each(r, [&](int d) { return length(x, d) > 1 ? between(0, 1) : 0; }), x);
      case 3:
        return all >= 4 && r == 2 ? join_n(2, x) : all >= 2 ? join(x) : x;
      case 4:
        return all >= 3   ? transpose(between(0, 1) ? std::vector{2, 0, 1} : std::vector{1, 2, 0}, x)
               : all >= 2 ? transpose(x)
                          : x;
      case 5:
        return all >= 2 ? x[between(0, length(x) - 1)] : x;
      default:
        return x | take(between(1, length(x)));
    }
  }
  /// What lies outside.
  Expr bound(const Expr& x) {
    const int r = rank(x);
    const bool numbers = element_of(x.type(), r).is_scalar();
    const auto width = [&](int) { return between(0, 2); };
    const auto reflected = [&](int d) { return std::min(length(x, d), between(0, 2)); };
    const auto less_reflected = [&](int d) { return std::min(length(x, d) - 1, between(0, 2)); };
    switch (between(0, 7)) {
      case 0:
        return pad(each(r, width), each(r, width), clamp, x);
      case 1:
        return pad(each(r, width), each(r, width), wrap, x);
      case 2:
        return pad(each(r, reflected), each(r, reflected), mirror, x);
      case 3:
        return numbers ? pad(each(r, reflected), each(r, reflected), odd, x) : x;
      case 4:
        return numbers ? pad(each(r, width), each(r, width), constant, x, literal(2.5, f64)) : x;
      case 5:
        return numbers ? pad(each(r, reflected), each(r, reflected), odd, x, literal(2.5, f64)) : x;
      case 6:
        return pad(each(r, less_reflected), each(r, less_reflected), reflect, x);
      default:
        return numbers ? pad(each(r, width), each(r, width), constant, x, 7.5) : x;
    }
  }
  /// Another array of x's type: the first element comes last.
  static Expr rotated(const Expr& x) { return x | pad(0, 1, wrap) | drop(1, 0); }
  /// From several arrays.
  Expr assembled(const Expr& x) {
    const int r = rank(x);
    switch (between(0, 5)) {
      case 0:
        return concat(x, x | take(between(1, length(x))));
      case 1:
        return between(0, 1) ? interleave({x, rotated(x)}) : interleave({rotated(x), x, rotated(rotated(x))});
      case 2: {
        const auto low = each(r, [&](int d) { return between(0, length(x, d) - 1); });
        const auto high = each(r, [&](int d) {
          return between(0, length(x, d) - 1 - *low[static_cast<std::size_t>(d)].constant());
        });
        const auto offset = each(r, [&](int d) {
          return between(0, (*low[static_cast<std::size_t>(d)].constant()) +
                                *high[static_cast<std::size_t>(d)].constant());
        });
        return update(x, offset, drop(low, high, rotated(x)));
      }
      case 3:
        return get(static_cast<int>(between(0, 1)), unzip(zip({x, rotated(x)})));
      case 4:
        return concat(x, rotated(x) | map([](Expr e) { return e; }));
      default:
        return zip_n(r, {x, rotated(x)}) |
               map_n(r,
                     [](Expr a, Expr b) {
                       return tuple({b, a});
                     }) |
               map_n(r, [](Expr a, Expr b) {
                 return get(0, tuple({b, a}));
               });
    }
  }
  /// Arithmetic, over numbers; over arrays, another expression on each.
  Expr computed(const Expr& x) {
    const int all = rank_of(x.type());
    if (all >= 2 && between(0, 1)) {
      Expr row = fresh_param("row", x.type().element());
      const Expr f = expression(row, 1);
      return map(lambda({row}, f), x);
    }
    const Op op =
        std::vector{Op::Map, Op::MapSeq, Op::MapPar, Op::MapVec}[static_cast<std::size_t>(between(0, 3))];
    const auto scalars = [&](auto f) { return map_with(op, all, function_of(Type(f64), f), x); };
    switch (between(0, 5)) {
      case 0:
        return scalars([](Expr e) { return e * 2.0 - e * e; });
      case 1:
        return scalars([](Expr e) { return select(e < 1.0 && !(e <= -2.0), -e, max(e, 0.5) + min(e, 3.0)); });
      case 2: {  // by its index
        const int r = rank(x);
        const std::vector<Nat> shape = shape_of(x.type(), r);
        const std::int64_t m = between(2, 3), k = between(0, 5);
        const Expr index = r == 1 ? generate(shape, [=](Expr i) { return (i * 3 + k) % m; })
                                  : generate(shape, [=](Expr j, Expr i) { return (j - i) / m; });
        return zip_n(r, {index, x}) | map_n(r, [&](Expr i, Expr e) { return weighted(i, e); });
      }
      case 3:
        return all >= 2 ? map_n(
                              all - 1, [](Expr w) { return w | sum(); }, x)
                        : x;
      case 4:
        return all >= 2 ? map_n(
                              all - 1,
                              [](Expr w) {
                                return reduce(
                                    fun({Type(f64), Type(f64)}, [](Expr a, Expr e) { return a * 0.5 - e; }),
                                    literal(1, f64), w);
                              },
                              x)
                        : x;
      default:
        return zip_n(all, {x, rotated(x)}) | map_n(all, [](Expr a, Expr b) { return a * 2.0 - b * b; });
    }
  }
  /// At positions that are computed from the elements themselves.
  Expr gathered(const Expr& x) {
    const int all = rank_of(x.type());
    static const std::vector<Boundary> conditions{clamp,   wrap,     mirror,
                                                  reflect, constant, Boundary::undefined};
    const Boundary b = conditions[static_cast<std::size_t>(between(0, 5))];
    const int r = rank(x);
    const Scalar whole = between(0, 2) == 0 ? i64 : i32;
    const auto positions = [&](const Expr& e) {
      std::vector<Expr> at;
      for (int d = 0; d < r; ++d) {
        const Expr near =
            cast(whole, min(max(e, -1000.0), 1000.0)) * literal(d + 1, whole) - literal(d, whole);
        const Expr i = whole == i64 ? near * literal(5e9, i64) : near;
        at.push_back(b == Boundary::undefined ? i % literal(static_cast<double>(length(x, d)), whole) : i);
      }
      return at;
    };
    const bool again = contains(x, [](const Expr& e) { return e.is(Op::Gather); });  // formulas multiply
    if (again || (b == constant && all > r)) return x;
    return map_n(
        all,
        [&](Expr e) {
          const auto at = positions(e);
          return b == constant && between(0, 1) ? gather(at, x, b, e)
                                                : gather(at, x, b, b == constant ? 2.5 : 0);
        },
        x);
  }
  /// Every number of e times 1 + i.
  static Expr weighted(const Expr& i, const Expr& e) {
    const Expr w = cast(f64, i) + 1.0;
    return e.type().is_scalar() ? e * w
                                : map_n(
                                      rank_of(e.type()), [&](Expr v) { return v * w; }, e);
  }
  /// Names, repetition, decisions on where values lie.
  Expr named(const Expr& x) {
    const auto twice = [](Expr y) { return y | pad(1, 1, wrap) | drop(0, 2); };
    switch (between(0, 5)) {
      case 0:
        return let(x, [](Expr y) { return concat(y, y); });
      case 1:
        return iterate(between(0, 3), fun(x.type(), twice), x);
      case 2:
        return apply(fun({x.type(), x.type()},
                         [](Expr a, Expr b) {
                           return interleave({b, a});
                         }),
                     {x, rotated(x)});
      case 3:
        return make(Op::ToPrivate, {x});
      case 4:
        return make(Op::Stream, {x});
      default:
        return let(x | map([](Expr e) { return e; }), [&](Expr y) {
          return x | map([&](Expr e) {
                   return tuple({e, y[0]});
                 }) |
                 map([](Expr a, Expr b) {
                   return get(1, tuple({b, a}));
                 });
        });
    }
  }

  std::mt19937_64 random_;
};

/// The value of a term over the array xs. Both sides of a choice are looked at, so that no load lies outside
/// the array even where its value is not wanted: vectors compute both.
struct Evaluation {
  const std::vector<double>& xs;
  std::vector<std::int64_t> shape;
  std::map<const NatAtom*, std::int64_t> at;

  std::int64_t nat(const Nat& n) const {
    return evaluate(n, [&](const NatAtom& a) {
      return a.computed ? static_cast<std::int64_t>(number(computed_term(a))) : at.at(&a);
    });
  }
  double number(const Term& t) const {
    std::vector<double> v;
    for (const Term& a : t->args) v.push_back(number(a));
    switch (t->kind) {
      case TermKind::Constant:
        return t->number;
      case TermKind::Index:
        return static_cast<double>(nat(t->nats[0]));
      case TermKind::Compare: {
        const auto a = nat(t->conds[0].a);
        return t->conds[0].kind == NatCond::Kind::NonNegative
                   ? a >= 0
                   : (a == 0) == (t->conds[0].kind == NatCond::Kind::Zero);
      }
      case TermKind::Load:
        return load(t);
      case TermKind::Apply:
        return applied(t, v);
      default:
        FAIL("term of kind " << static_cast<int>(t->kind));
        return 0;
    }
  }
  double load(const Term& t) const {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t i = nat(t->nats[d]);
      REQUIRE_MESSAGE((i >= 0 && i < shape[d]),
                      "a load at " << i << " of " << shape[d] << ": " << t->nats[d].str());
      flat = flat * shape[d] + i;
    }
    return xs[static_cast<std::size_t>(flat)];
  }
  static double applied(const Term& t, const std::vector<double>& v) {
    switch (t->op) {
      case Op::Add:
        return v[0] + v[1];
      case Op::Sub:
        return v[0] - v[1];
      case Op::Mul:
        return v[0] * v[1];
      case Op::Min:
        return std::min(v[0], v[1]);
      case Op::Max:
        return std::max(v[0], v[1]);
      case Op::Div:
        return is_integer(t->type) ? std::floor(v[0] / v[1]) : v[0] / v[1];
      case Op::Mod:
        return v[0] - v[1] * std::floor(v[0] / v[1]);
      case Op::Neg:
        return -v[0];
      case Op::Not:
        return v[0] == 0;
      case Op::And:
        return v[0] != 0 && v[1] != 0;
      case Op::Or:
        return v[0] != 0 || v[1] != 0;
      case Op::Eq:
        return v[0] == v[1];
      case Op::Lt:
        return v[0] < v[1];
      case Op::Le:
        return v[0] <= v[1];
      case Op::Cast:
        return is_integer(t->type) ? std::trunc(v[0]) : v[0];
      case Op::Select:
        return v[0] != 0 ? v[1] : v[2];
      default:
        FAIL("operation " << text(t->op));
        return 0;
    }
  }
};

struct Round {
  Expr e;
  std::vector<double> data, expected;
  std::vector<std::int64_t> shape;

  Evaluation evaluation() const { return {data, shape, {}}; }
  std::vector<std::int64_t> position(std::size_t flat) const {
    std::vector<std::int64_t> p, bounds;
    for (const Nat& n : shape_of(e.type())) bounds.push_back(*n.constant());
    for (std::size_t d = bounds.size(); d-- > 0; flat /= static_cast<std::size_t>(bounds[d]))
      p.insert(p.begin(), static_cast<std::int64_t>(flat) % bounds[d]);
    return p;
  }
  /// Differences between views and interpreter; says the first.
  int at_symbols() const {
    Views views;
    View v = views.eval(e, nullptr);
    std::vector<Nat> index;
    for (const Nat& n : shape_of(e.type()))
      index.push_back(Nat::fresh("i", 0, n - 1)), v = View(v)[index.back()];
    Evaluation x = evaluation();
    int wrong = 0;
    for (std::size_t flat = 0; flat < expected.size(); ++flat) {
      const auto p = position(flat);
      for (std::size_t d = 0; d < p.size(); ++d) x.at[variables(index[d])[0]] = p[d];
      wrong += x.number(v.term()) != expected[flat];
    }
    return wrong;
  }
  int at_numbers() const {
    Views views;
    const View whole = views.eval(e, nullptr);
    int wrong = 0;
    for (std::size_t flat = 0; flat < expected.size(); ++flat) {
      View v = whole;
      for (const auto i : position(flat)) v = View(v)[i];
      wrong += evaluation().number(v.term()) != expected[flat];
    }
    return wrong + static_cast<int>(views.undecided.size());
  }
};

/// A random expression over an array of one or two dimensions; nothing when no primitive fitted.
std::optional<Round> random_round(Source& source) {
  Round r;
  r.shape = {source.between(1, 7)};
  if (source.between(0, 1)) r.shape.push_back(source.between(1, 4));
  const Type t = array(std::vector<Nat>(r.shape.begin(), r.shape.end()), f64);
  const Expr xs = param("xs", t);
  r.e = source.expression(xs, static_cast<int>(source.between(1, 6)));
  if (r.e == xs) return std::nullopt;
  visit(r.e, [&](const Expr& x) { ++source.used[x.op()]; });
  for (std::int64_t i = 0; i < volume(t); ++i) r.data.push_back(static_cast<double>((i * 7) % 11) - 3);
  r.expected = flatten(interpret(r.e, {{"xs", make_array(r.data, t)}}));
  return r;
}

}  // namespace

TEST_CASE("1200 random expressions: views and interpreter agree at every element") {
  Source source(7);
  int interesting = 0;
  for (int n = 0; n < 1200; ++n) {
    const auto r = random_round(source);
    if (!r) continue;
    ++interesting;
    INFO("round " << n << ": " << str(r->e));
    CHECK(r->at_symbols() == 0);
    CHECK(r->at_numbers() == 0);
  }
  CHECK(interesting > 800);
  for (const Op op : {Op::Zip,     Op::Unzip, Op::At,        Op::Split,    Op::Join,   Op::Slide,
                      Op::Pad,     Op::Drop,  Op::Transpose, Op::Generate, Op::Concat, Op::Interleave,
                      Op::Update,  Op::Map,   Op::MapSeq,    Op::MapPar,   Op::MapVec, Op::Reduce,
                      Op::Iterate, Op::Let,   Op::ToPrivate, Op::Stream,   Op::Select}) {
    INFO(text(op));
    CHECK(source.used[op] >= 20);
  }
}

TEST_CASE("copies of a view share its function") {
  struct Counted {
    int* copies;
    explicit Counted(int& n) : copies(&n) {}
    Counted(const Counted& o) : copies(o.copies) { ++*copies; }
    Counted& operator=(const Counted&) = delete;
  };
  int copies = 0;
  const View v{ArrayView{4, [c = Counted(copies)](const Nat&) { return static_cast<void>(c), View{}; }}};
  const int made = copies;
  const std::vector<View> many(20, v);
  CHECK(copies == made);
}

TEST_CASE("a wrong value is noticed") {
  Source source(7);
  std::optional<Round> r;
  while (!(r = random_round(source))) {
  }
  r->expected[0] += 1;
  CHECK(r->at_symbols() == 1);
  CHECK(r->at_numbers() == 1);
}

TEST_CASE("index params are variables of index arithmetic") {
  const Expr color = index_param("color", 0, 1), xs = param("xs", array({4}, f64));
  const Expr e =
      zip({iota(4), xs}) | map([&](Expr i, Expr x) { return select(eq((i + color) % 2, 0), x, -x); });
  const std::vector<double> data{1, 2, 3, 4};
  for (const std::int64_t c : {0, 1}) {
    const auto expected = flatten(interpret(e, {{"xs", make_array(data, xs.type())}, {"color", Value{c}}}));
    Views views;
    const Nat i = Nat::fresh("i", 0, 3);
    const View v = views.eval(e, nullptr)[i];
    for (std::int64_t p = 0; p < 4; ++p) {
      Evaluation x{data, {4}, {{variables(index_variable(color))[0], c}, {variables(i)[0], p}}};
      CHECK(x.number(v.term()) == expected[static_cast<std::size_t>(p)]);
    }
  }
}

TEST_CASE("steps that gather are not written out: none of what an element is made of is shared") {
  const Expr xs = param("xs", array({9}, f64)), at = param("at", array({9}, i32));
  const auto steps = [&](int times, bool anywhere) {
    const auto next = [&](Expr x) {
      return zip({x, at}) | map([&](Expr v, Expr i) { return anywhere ? v + gather(i, x, wrap) : v + x[0]; });
    };
    Views().eval(iterate(times, fun(xs.type(), next), xs), nullptr);
  };
  CHECK_NOTHROW(steps(4, false));
  CHECK_NOTHROW(steps(1, true));
  CHECK_THROWS_AS(steps(2, true), UserError);
}

TEST_CASE("what views do not mean") {
  const Expr xs = param("xs", array({Nat::size("n")}, f64)),
             pairs = param("ps", array({4}, Type::tuple({f64, f64})));
  Views views;
  CHECK_THROWS_WITH_AS(views.eval(xs | sum(), nullptr),
                       "reduce: the length n is not known here; fix the size", UserError);
  CHECK_THROWS_WITH_AS(
      views.eval(iterate(Nat::size("t"), fun(xs.type(), [](Expr x) { return x; }), xs), nullptr),
      "iterate: how many steps there are, t, is known only when the kernel runs, so that what they make is "
      "no "
      "formula; store the steps' results, let stage = ... in ..., or to_global",
      UserError);
  CHECK_THROWS_WITH_AS(views.eval(pairs, nullptr)[0],
                       "argument ps: arrays of {f64, f64} are not supported as kernel arguments; pass one "
                       "array a component and zip them",
                       UserError);
}

}  // namespace view_test
