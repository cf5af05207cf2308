// Vector loops over padded rows: the first and the last vector hold what lies at the boundaries.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "run_loops.hpp"
#include "vector_sample.hpp"

using namespace lift;
using namespace lift::test;

namespace edges_test {
namespace {

/// Along rows of a grid, from `low` elements before to `high` after, no two with the same weight.
Program stencil(int dim, std::int64_t n, int low, int high, Boundary b) {
  std::vector<Nat> lows(static_cast<std::size_t>(dim), 0), highs = lows, window(lows.size(), 1);
  lows.back() = low, highs.back() = high, window.back() = low + high + 1;
  if (dim > 1) lows[0] = 1, window[0] = 2;
  const Expr xs = grid("xs", dim, n, f64);
  const Expr padded = b == Boundary::constant ? pad(lows, highs, Boundary::constant, xs, literal(3, f64))
                                              : pad(lows, highs, b, xs);
  const Expr body = slide(window, std::vector<Nat>(lows.size(), 1), padded) | map_n(dim, [&](Expr w) {
                      std::vector<Nat> at_first(lows.size(), 0);
                      Expr sum = at(at_first, w);
                      for (int x = 1; x <= low + high; ++x) {
                        at_first.back() = x;
                        sum = sum + (x + 1.0) * at(at_first, w);
                      }
                      if (dim == 1) return sum;
                      at_first[0] = 1, at_first.back() = low;
                      return sum - at(at_first, w);
                    });
  return {"stencil", {xs}, body, {}};
}

/// Every second element of each row is halved and loses its neighbours, in place.
Program half_sweep(std::int64_t n, Boundary b) {
  const Expr xs = grid("xs", 2, n, f64);
  const Expr block = zip_n(2, {positions({n, n}), slide({Nat(3), Nat(3)}, {Nat(1), Nat(1)},
                                                        pad({Nat(1), Nat(1)}, {Nat(1), Nat(1)}, b, xs))}) |
                     map_n(2, [](Expr p) {
                       const Expr x = get(0, p), w = get(1, p), own = at({Nat(1), Nat(1)}, w);
                       const Expr next = own * 0.5 - at({Nat(1), Nat(0)}, w) - 2.0 * at({Nat(1), Nat(2)}, w) +
                                         at({Nat(0), Nat(1)}, w);
                       return select(eq((get(0, x) + get(1, x)) % 2, 0), next, own);
                     });
  return {"half_sweep", {xs}, update(xs, {0, 0}, block), {"xs"}};
}

Kernel lowered(const Program& p, const VectorDecisions& d, int bytes = 64) {
  return lower(with_vectors(in_place(p), d), {.vector_bytes = bytes, .target = Target::openmp});
}

std::vector<double> run(const Kernel& k, const Program& p) {
  const auto data = sample_data(p);
  LoopRunner runner;
  for (const KernelArgument& a : k.arguments) runner.arrays[a.name].assign(elements(a.type), -999);
  for (std::size_t i = 0; i < data.size(); ++i) runner.arrays[param_name(p.arguments[i])] = data[i];
  runner.run(k);  // an element beyond an array is an error
  CHECK(runner.races.empty());
  return runner.arrays.at(k.results.at(0));
}

/// Elements that are stored one by one, each statement counted once.
int scalar_stores(const Kernel& k) {
  int n = 0;
  visit(k.body, [&](const Stmt& s) {
    if (const auto* x = std::get_if<Store>(&s.v)) n += x->value->width == 1;
  });
  return n;
}

constexpr Boundary kBoundaries[] = {Boundary::clamp,   Boundary::wrap, Boundary::mirror,
                                    Boundary::reflect, Boundary::odd,  Boundary::constant};

TEST_CASE("edges: padded rows of any length are right, whatever the boundary and the width") {
  for (const Boundary b : kBoundaries)
    for (const int dim : {1, 2})
      for (const std::int64_t n : {8, 16, 19, 24})
        for (const auto& [low, high] : {std::pair{1, 1}, {1, 0}, {0, 1}, {2, 1}, {3, 4}})
          for (const int width : {2, 4, 8})
            for (const int bytes : {32, 64}) {
              const Program p = stencil(dim, n, low, high, b);
              const Kernel k = lowered(p, {.width = width}, bytes);
              INFO(std::string(text(b)) << ", " << dim << "D, " << n << ", " << low << " to " << high
                                        << ", width " << width << "\n"
                                        << lift::str(k));
              CHECK(run(k, p) == interpreted(p, sample_data(p)));
            }
}

TEST_CASE("edges: an update in place is right") {
  for (const Boundary b : kBoundaries)
    for (const std::int64_t n : {8, 16, 18}) {
      if (b == Boundary::constant || (b == Boundary::wrap && n % 2 != 0)) continue;
      for (const bool late : {false, true}) {
        const Program p = half_sweep(n, b);
        const Kernel k = lowered(p, {.width = 4, .late = late});
        INFO(std::string(text(b)) << ", " << n << (late ? ", late" : "") << "\n" << lift::str(k));
        CHECK(run(k, p) == interpreted(p, sample_data(p)));
      }
    }
}

TEST_CASE("edges: of rows of whole vectors no element is stored by itself") {
  for (const Boundary b :
       {Boundary::clamp, Boundary::mirror, Boundary::reflect, Boundary::odd, Boundary::constant})
    for (const int width : {4, 8}) {
      INFO(std::string(text(b)) << ", width " << width);
      CHECK(scalar_stores(lowered(stencil(2, 32, 1, 1, b), {.width = width})) == 0);
      CHECK(scalar_stores(lowered(stencil(2, 32, 1, 0, b), {.width = width})) == 0);
    }
  CHECK(scalar_stores(lowered(half_sweep(32, Boundary::odd), {.width = 4})) == 0);
  // A row of 35: 8 vectors of 4, and 3 elements.
  CHECK(scalar_stores(lowered(stencil(2, 35, 1, 1, Boundary::odd), {.width = 4})) == 1);
}

TEST_CASE("edges: a wrapped row takes its other end element by element") {
  // Lanes of the first vector would lie at both ends of the row.
  const Program p = stencil(1, 32, 1, 1, Boundary::wrap);
  const Kernel k = lowered(p, {.width = 4});
  CHECK(run(k, p) == interpreted(p, sample_data(p)));
}

TEST_CASE("edges: a function of the user's is called for whole vectors there, too") {
  const auto parsed = [](const std::string& cell) {
    return parse_program(
        "user f(a : f64, b : f64) : f64 = \"return a - 2 * b;\"\nparam xs : 19.f64\n"
        "result = xs |> pad(1, 1, clamp) |> slide(3, 1) |> map_vec<4>(\\w. " +
            cell + ")",
        "user.lift");
  };
  const Program p = parsed("f(w[0], w[2])");
  Kernel k = lower(p, {.target = Target::openmp});
  CHECK(scalar_stores(k) == 1);  // of 19 elements, 16 are vectors, and three are a loop
  int calls = 0;
  k.body = map_terms(k.body, [&](const Term& t) {
    return rewrite(t, [&](const Term& x) {
      if (x->kind != TermKind::Call) return x;
      ++calls;
      return apply_term(Op::Sub, f64,
                        {x->args[0], apply_term(Op::Mul, f64, {constant_term(2, f64), x->args[1]})});
    });
  });
  INFO(lift::str(k));
  CHECK(calls > 2);
  CHECK(run(k, p) == interpreted(parsed("w[0] - 2 * w[2]"), sample_data(p)));
}

}  // namespace
}  // namespace edges_test
