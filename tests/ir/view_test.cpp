// Views against the interpreter: random expressions of structural primitives, element by element.
#include <doctest/doctest.h>

#include <random>

#include "ir/build.hpp"
#include "ir/interpret.hpp"
#include "ir/view.hpp"

using namespace lift;

namespace {

class Source {
 public:
  explicit Source(std::uint64_t seed) : random_(seed) {}
  std::int64_t between(std::int64_t a, std::int64_t b) { return std::uniform_int_distribution<std::int64_t>(a, b)(random_); }

  /// xs followed by up to `steps` primitives that fit.
  Expr expression(Expr x, int steps) {
    for (int s = 0; s < steps; ++s) {
      if (!x.type().is_array()) return x;
      const std::int64_t n = *x.type().length().constant();
      const bool scalars = x.type().element().is_scalar();
      const int rank = rank_of(x.type());
      if (volume(x.type()) > 400) return x;
      switch (between(0, 11)) {
        case 0: x = n >= 2 ? x | slide(2, 1) : x; break;
        case 1: x = n >= 3 && (n - 3) % 2 == 0 ? x | slide(3, 2) : x; break;
        case 2: x = x | pad(between(0, 2), between(0, 2), between(0, 1) ? clamp : wrap); break;
        case 3: x = n >= 2 ? x | pad(1, 2, mirror) : x; break;
        case 4: x = scalars && n >= 2 ? x | pad(2, 1, odd) : x; break;
        case 5: x = n >= 3 ? x | drop(1, 1) : x; break;
        case 6: x = n % 2 == 0 ? split({Nat(2)}, x) : n % 3 == 0 ? split({Nat(3)}, x) : x; break;
        case 7: x = rank >= 2 ? join(x) : x; break;
        case 8: x = rank >= 2 ? transpose(x) : x; break;
        case 9: x = between(0, 1) ? concat(x, x) : interleave({x, x}); break;
        case 10: x = n >= 2 ? update(x, {Nat(1)}, x | drop(0, 1)) : x; break;
        default:
          if (scalars) x = zip({x, x}) | map([](Expr a, Expr b) { return a * 2.0 - b * b; });
          else if (rank >= 2) x = x | map([this](Expr row) { return expression(row, 1); });
      }
    }
    return x;
  }
  static std::int64_t volume(const Type& t) {
    std::int64_t v = 1;
    for (const Nat& n : shape_of(t)) v *= *n.constant();
    return v;
  }

 private:
  std::mt19937_64 random_;
};

/// The value of a term over the array xs.
double number(const Term& t, const std::vector<double>& xs, std::span<const std::int64_t> shape, const std::map<const NatAtom*, std::int64_t>& at) {
  const auto nat = [&](const Nat& n) { return evaluate(n, [&](const NatAtom& a) { return at.at(&a); }); };
  const auto arg = [&](std::size_t i) { return number(t->args[i], xs, shape, at); };
  switch (t->kind) {
    case TermKind::Constant: return t->number;
    case TermKind::Index: return static_cast<double>(nat(t->nats[0]));
    case TermKind::Compare: {
      const auto v = nat(t->conds[0].a);
      return t->conds[0].kind == NatCond::Kind::NonNegative ? v >= 0 : (v == 0) == (t->conds[0].kind == NatCond::Kind::Zero);
    }
    case TermKind::Load: {
      std::int64_t flat = 0;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        const std::int64_t i = nat(t->nats[d]);
        REQUIRE(i >= 0);
        REQUIRE(i < shape[d]);
        flat = flat * shape[d] + i;
      }
      return xs[static_cast<std::size_t>(flat)];
    }
    default: break;
  }
  switch (t->op) {
    case Op::Add: return arg(0) + arg(1);
    case Op::Sub: return arg(0) - arg(1);
    case Op::Mul: return arg(0) * arg(1);
    case Op::Neg: return -arg(0);
    case Op::And: return arg(0) != 0 && arg(1) != 0;
    case Op::Or: return arg(0) != 0 || arg(1) != 0;
    case Op::Select: return arg(0) != 0 ? arg(1) : arg(2);
    default: FAIL("operation " << text(t->op)); return 0;
  }
}

/// All scalars of a view at symbolic indices, which then run over their ranges.
void flatten(View v, std::vector<Nat>& index, const std::function<void(const Term&, const std::vector<Nat>&)>& f) {
  if (std::holds_alternative<Term>(v.v)) return f(v.term(), index);
  index.push_back(Nat::fresh("i", 0, v.array().length - 1));
  flatten(v[index.back()], index, f);
}

}  // namespace

TEST_CASE("800 random expressions: views and interpreter agree at every element") {
  Source source(7);
  int interesting = 0;
  for (int round = 0; round < 800; ++round) {
    const bool plane = source.between(0, 1) == 1;
    std::vector<std::int64_t> shape{source.between(2, 7)};
    if (plane) shape.push_back(source.between(2, 4));
    std::vector<Nat> lengths(shape.begin(), shape.end());
    const Type t = array(lengths, f64);
    const Expr xs = param("xs", t), e = source.expression(xs, static_cast<int>(source.between(1, 6)));
    if (e == xs) continue;
    ++interesting;
    std::vector<double> data(static_cast<std::size_t>(Source::volume(t)));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<double>((i * 7) % 11) - 3;
    const std::vector<double> expected = flatten(interpret(e, {{"xs", make_array(data, t)}}));
    Views views;
    std::vector<Nat> index;
    std::size_t checked = 0;
    INFO("round " << round << ": " << str(e));
    flatten(views.eval(e, nullptr), index, [&](const Term& term, const std::vector<Nat>& is) {
      std::map<const NatAtom*, std::int64_t> at;
      std::vector<std::int64_t> bounds;
      for (const Nat& n : shape_of(e.type())) bounds.push_back(*n.constant());
      for (std::size_t x = 0; x < expected.size(); ++x) {
        std::size_t rest = x;
        for (std::size_t d = is.size(); d-- > 0;) {
          at[variables(is[d])[0]] = static_cast<std::int64_t>(rest % static_cast<std::size_t>(bounds[d]));
          rest /= static_cast<std::size_t>(bounds[d]);
        }
        CHECK(number(term, data, shape, at) == expected[x]);
        ++checked;
      }
    });
    CHECK(checked == expected.size());
  }
  CHECK(interesting > 500);
}
