// OpenMP C of hand-built kernels with vectors: masks, late stores, streaming, conversions; two texts in full.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "hand_built.hpp"
#include "ir/error.hpp"
#include "runtime/buffer.hpp"
#include "runtime/file.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace openmp_vector_test {
namespace {

/// One colour of each row of a 2D grid is halved, in place; each vector is stored after the next has been
/// loaded.
constexpr std::int64_t kAhead =
    64;  ///< elements that the half-sweep prefetches ahead, also behind the last row

Kernel masked(Scalar s, int w, std::int64_t rows, std::int64_t columns) {
  const Nat j = index_of("j", 0, rows - 1), i = index_of("i", 0, columns - 1),
            color = index_of("color", 0, 1), row = index_of("row", 0, rows * columns);
  std::vector<NatCond> conds;
  for (int l = 0; l < w; ++l) conds.push_back(equal(mod(j + color + l, Nat(2)), Nat(0)));
  const Term mask = local_term("on", boolean, w), previous = local_term("late", s, w);
  const auto update = [&](const Nat& x) {
    return select(mask, binary(Op::Mul, number(0.5, s), at("phi", row + x, s, w)), at("phi", row + x, s, w));
  };
  const Block body{{Let{index_term(row), index_term(columns * j)}},
                   {Let{mask, lanes(conds)}},
                   {Declare{previous, update(0)}},
                   {vectors(i, w, columns, w,
                            {{Let{local_term("next", s, w), update(i)}},
                             put("phi", row + i - w, previous),
                             {Assign{previous, local_term("next", s, w)}},
                             {Prefetch{"phi", {row + i + kAhead}}}})},
                   put("phi", row + columns - w, previous)};
  return kernel("half_sweep",
                {index_argument(color, 0, 1), array_argument("phi", s, rows * columns + kAhead, true)}, "phi",
                {{over(j, 0, rows, body, LoopKind::Par)}});
}

Kernel stencil() {
  const std::int64_t n = 18, inner = 16;
  const Nat k = index_of("k", 0, inner - 1), j = index_of("j", 0, inner - 1), i = index_of("i", 0, inner - 1),
            row = index_of("row", 0, n * n * n);
  Term sum = at("phi", row + i - n * n);
  for (const std::int64_t d : {-n, std::int64_t{-1}, std::int64_t{1}, n, n * n})
    sum = binary(Op::Add, sum, at("phi", row + i + d));
  const Term value = binary(Op::Mul, argument_term("a", f64),
                            binary(Op::Sub, sum, binary(Op::Mul, number(6), at("phi", row + i))));
  const Block body{{Let{index_term(row), index_term(n * n * (k + 1) + n * (j + 1) + 1)}},
                   {over(i, 0, inner, {put("out", 256 * k + 16 * j + i, value)})}};
  Kernel r = kernel("laplacian",
                    {scalar_argument("a", f64), array_argument("phi", f64, n * n * n),
                     out_argument("out", f64, inner * inner * inner)},
                    "out", {{over(k, 0, inner, {{over(j, 0, inner, body, LoopKind::Par)}}, LoopKind::Par)}});
  r.header = {"7-point Laplacian", "", "map-par twice"};
  return r;
}

template <class T>
std::vector<T> ramp(std::size_t n) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(i * i % 101) - 40;
  return v;
}

/// The text in tests/emit/golden; LIFTGEN_BLESS=1 writes it anew.
void check_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(LIFTGEN_SOURCE_DIR) / "tests/emit/golden" / name;
  if (std::getenv("LIFTGEN_BLESS") != nullptr) {
    make_directories(path.parent_path());
    write_file_atomically(path, text);
  }
  CHECK(read_file(path) == text);
}

template <class T>
void check_masked(Scalar s, int w) {
  const std::int64_t rows = 5, columns = 48;
  const Kernel k = masked(s, w, rows, columns);
  const std::vector<T> before = ramp<T>(static_cast<std::size_t>(rows * columns + kAhead));
  std::vector<T> phi;
  phi.reserve(before.size());
  for (int color : {0, 1}) {
    phi = before;
    run_everywhere(
        k, {&color, phi.data()}, [&] { std::copy(before.begin(), before.end(), phi.begin()); },
        [&] {
          for (std::size_t x = 0; x < static_cast<std::size_t>(rows * columns); ++x)
            CHECK(phi[x] ==
                  ((x / 48 + x % 48 + static_cast<std::size_t>(color)) % 2 == 0 ? before[x] / 2 : before[x]));
        });
  }
}

}  // namespace

TEST_CASE("a masked half-sweep with late stores, in several widths and types") {
  check_masked<double>(f64, 4);
  check_masked<double>(f64, 2);
  check_masked<double>(f64, 16);
  check_masked<float>(f32, 8);
  check_masked<float>(f32, 4);
}

TEST_CASE("the inner loop of a masked half-sweep neither divides nor branches") {
  const std::string text = test::openmp_of(masked(f64, 4, 5, 48));
  const std::size_t begin = text.find("for (long i"), end = text.find('}', begin);
  REQUIRE(begin != std::string::npos);
  const std::string inner = text.substr(begin, end - begin);
  CHECK(inner.find('/') == std::string::npos);
  CHECK(inner.find('%') == std::string::npos);
  CHECK(inner.find('?') == std::string::npos);
  CHECK(inner.find("if") == std::string::npos);
  CHECK(inner.find("__builtin_prefetch(&phi[row + i + 64]);") != std::string::npos);
}

TEST_CASE("two kernels in full") {
  check_golden("laplacian.c", test::openmp_of(stencil()));
  check_golden("half_sweep.c", test::openmp_of(masked(f64, 4, 5, 48)));
}

TEST_CASE("the Laplacian of the golden text") {
  const Kernel k = stencil();
  std::vector<double> phi = ramp<double>(18 * 18 * 18), out(16 * 16 * 16);
  double a = 0.5;
  run_everywhere(
      k, {&a, phi.data(), out.data()}, [&] { std::fill(out.begin(), out.end(), 77); },
      [&] {
        for (std::size_t x = 0; x < out.size(); ++x) {
          const std::size_t c = (x / 256 + 1) * 324 + (x / 16 % 16 + 1) * 18 + x % 16 + 1;
          CHECK(out[x] == a * (phi[c - 324] + phi[c - 18] + phi[c - 1] + phi[c + 1] + phi[c + 18] +
                               phi[c + 324] - 6 * phi[c]));
        }
      });
}

TEST_CASE("streaming stores write what others would, and are ordered before a parallel loop ends") {
  const auto check = [](auto zero, Scalar s, int w, LoopKind kind) {
    using T = decltype(zero);
    const std::int64_t rows = 4, columns = 512;
    const Nat j = index_of("j", 0, rows - 1), i = index_of("i", 0, columns - 1);
    const Kernel k = kernel(
        "streamed", {array_argument("a", s, rows * columns), out_argument("out", s, rows * columns)}, "out",
        {{over(j, 0, rows,
               {{vectors(i, 0, columns, w,
                         {put("out", columns * j + i,
                              binary(Op::Mul, at("a", columns * j + i, s, w), number(3, s)), true)})}},
               kind)}});
    std::vector<T> a = ramp<T>(static_cast<std::size_t>(rows * columns));
    Buffer buffer((a.size() + 2) * sizeof(T));
    CAPTURE(w);
    for (const std::size_t first : {0, 1, 2}) {  // wherever a caller's array begins
      const std::span<T> out = buffer.as<T>().subspan(first, a.size());
      run_everywhere(
          k, {a.data(), out.data()}, [&] { std::fill(out.begin(), out.end(), T(77)); },
          [&] {
            for (std::size_t x = 0; x < a.size(); ++x) CHECK(out[x] == 3 * a[x]);
          });
    }
    const std::string text = test::openmp_of(k);
    CHECK(count(text, "store_fence();") == 1);
    CHECK(text.find("store_fence();") > text.rfind("stream_"));
    // Within the parallel loop's body, outside the loop of vectors; at the end of the function where nothing
    // is parallel.
    const std::string end = kind == LoopKind::Par ? "\n    }\n    store_fence();\n  }\n}\n"
                                                  : "\n    }\n  }\n  store_fence();\n}\n";
    CHECK_MESSAGE(text.substr(text.size() - end.size()) == end, text);
  };
  for (const LoopKind kind : {LoopKind::Par, LoopKind::Seq}) {
    check(0.0, f64, 4, kind);
    check(0.0, f64, 2, kind);
    check(0.0, f64, 8, kind);
    check(0.0F, f32, 8, kind);
    check(0.0F, f32, 4, kind);
    check(0.0F, f32, 2, kind);
    check(0, i32, 8, kind);
  }
}

TEST_CASE("an array called stream_ does not bring fences") {
  const Nat j = index_of("j", 0, 3);
  const Kernel k = kernel("copy", {array_argument("stream_in", f64, 4), out_argument("out", f64, 4)}, "out",
                          {{over(j, 0, 4, {put("out", j, at("stream_in", j))}, LoopKind::Par)}});
  CHECK(test::openmp_of(k).find("fence") == std::string::npos);
}

TEST_CASE("vectors of computed conditions, of lanes' indices, of other types") {
  constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();
  const std::int64_t n = 32;
  const Nat i = index_of("i", 0, n - 1);
  const auto check = [&](int w, const std::function<Term(Term, Term)>& make,
                         const std::function<double(double, double, int)>& f) {
    const Kernel k =
        kernel("pointwise",
               {scalar_argument("s", f64), array_argument("a", f64, n), array_argument("b", f64, n),
                array_argument("f", f32, n), array_argument("c", i32, n), out_argument("out", f64, n)},
               "out", {{vectors(i, 0, n, w, {put("out", i, make(at("a", i, f64, w), at("b", i, f64, w)))})}});
    std::vector<double> a = ramp<double>(32), b(32), out(32);
    std::vector<float> single(32);
    std::vector<int> whole(32);
    double s = 2;
    for (std::size_t x = 0; x < 32; ++x)
      b[x] = static_cast<double>(7 * x % 13) - 6, single[x] = 0.5F * static_cast<float>(x),
      whole[x] = static_cast<int>(x) - 9;
    a[3] = nan_, b[5] = nan_, a[7] = -0.0, b[7] = 0.0, a[8] = 0.0, b[8] = -0.0;
    CAPTURE(w);
    run_everywhere(
        k, {&s, a.data(), b.data(), single.data(), whole.data(), out.data()},
        [&] { std::fill(out.begin(), out.end(), 77); },
        [&] {
          for (std::size_t x = 0; x < 32; ++x) {
            const double want = f(a[x], b[x], static_cast<int>(x));
            INFO("element " << x << ": " << out[x] << " for " << want);
            CHECK(((std::isnan(out[x]) && std::isnan(want)) ||
                   (out[x] == want && std::signbit(out[x]) == std::signbit(want))));
          }
        });
  };
  const auto apply = [](Op op, Scalar s, std::vector<Term> args) {
    return apply_term(op, s, std::move(args));
  };
  const Term zero = number(0), s = argument_term("s", f64);
  for (const int w : {2, 4, 8}) {
    check(
        w, [&](Term a, Term b) { return select(compare(Op::Lt, a, b), a, b); },
        [](double a, double b, int) { return a < b ? a : b; });
    check(
        w,
        [&](Term a, Term b) {
          return select(compare(Op::Le, a, zero), number(1), binary(Op::Sub, b, number(1)));
        },
        [](double a, double b, int) { return a <= 0 ? 1 : b - 1; });
    check(
        w, [&](Term a, Term b) { return select(compare(Op::Lt, zero, a), s, b); },
        [](double a, double b, int) { return 0 < a ? 2 : b; });
    check(
        w,
        [&](Term a, Term b) {
          return select(apply(Op::Or, boolean,
                              {apply(Op::And, boolean, {compare(Op::Lt, a, b), compare(Op::Lt, b, zero)}),
                               apply(Op::Not, boolean, {compare(Op::Ne, a, b)})}),
                        a, s);
        },
        [](double a, double b, int) { return (a < b && b < 0) || !(a != b) ? a : 2; });
    check(
        w,
        [&](Term a, Term b) {
          return select(apply(Op::And, boolean, {compare(Op::Lt, a, b), compare(Op::Lt, s, number(3))}), a,
                        b);
        },
        [](double a, double b, int) { return a < b ? a : b; });
    check(
        w, [&](Term a, Term b) { return select(compare(Op::Lt, s, number(3)), a, binary(Op::Add, b, s)); },
        [](double a, double, int) { return a; });
    check(
        w, [&](Term a, Term) { return select(compare(Op::Lt, number(3), s), a, s); },
        [](double, double, int) { return 2.0; });
    check(
        w, [&](Term a, Term b) { return binary(Op::Min, a, b); },
        [](double a, double b, int) { return b < a ? b : a; });
    check(
        w, [&](Term a, Term b) { return binary(Op::Max, a, b); },
        [](double a, double b, int) { return a < b ? b : a; });
    check(
        w, [&](Term a, Term b) { return binary(Op::Mod, a, b); },
        [](double a, double b, int) { return std::fmod(a, b); });
    check(
        w, [&](Term a, Term) { return apply(Op::Sqrt, f64, {apply(Op::Abs, f64, {a})}); },
        [](double a, double, int) { return std::sqrt(std::abs(a)); });
    check(
        w, [&](Term a, Term) { return apply(Op::Abs, f64, {a}); },
        [](double a, double, int) { return std::abs(a); });
    check(
        w, [&](Term a, Term) { return binary(Op::Add, a, lane_index(2 * i + 1, 2, w, f64)); },
        [](double a, double, int x) { return a + 2 * x + 1; });
    check(
        w, [&](Term, Term) { return apply(Op::Cast, f64, {at("f", i, f32, w)}); },
        [](double, double, int x) { return 0.5 * x; });
    const int wide = 2 * w;  // than the machine's vectors, where GCC 12 fails to take what it widens for bits
    const auto widened = [&] { return apply(Op::Cast, f64, {at("f", i, f32, wide)}); };
    check(
        wide, [&](Term, Term) { return binary(Op::Max, widened(), number(3)); },
        [](double, double, int x) { return std::max(0.5 * x, 3.0); });
    check(
        wide, [&](Term, Term) { return select(compare(Op::Lt, widened(), number(3)), widened(), number(1)); },
        [](double, double, int x) { return 0.5 * x < 3 ? 0.5 * x : 1; });
    check(
        w,
        [&](Term, Term) {
          return apply(Op::Cast, f64, {binary(Op::Add, at("c", i, i32, w), lane_index(i, 1, w, i32))});
        },
        [](double, double, int x) { return 2 * x - 9; });
    check(
        w,
        [&](Term, Term) {
          return apply(Op::Cast, f64, {binary(Op::Mul, at("c", i, i32, w), index_term(i + 1))});
        },
        [w](double, double, int x) { return (x - 9) * (x / w * w + 1); });
    check(
        w,
        [&](Term, Term) {
          return apply(Op::Cast, f64,
                       {binary(Op::Add, binary(Op::Mod, at("c", i, i32, w), number(4, i32)),
                               binary(Op::Mul, number(10, i32),
                                      binary(Op::Div, at("c", i, i32, w), number(4, i32))))});
        },
        [](double, double, int x) { return (x - 9 + 12) % 4 + 10 * ((x - 9 + 12) / 4 - 3); });
    check(
        w,
        [&](Term, Term) {
          return apply(Op::Cast, f64,
                       {binary(Op::Add, binary(Op::Mod, at("c", i, i32, w), number(7, i32)),
                               binary(Op::Mul, number(10, i32),
                                      binary(Op::Div, at("c", i, i32, w), number(7, i32))))});
        },
        [](double, double, int x) { return (x - 9 + 14) % 7 + 10 * ((x - 9 + 14) / 7 - 2); });
    check(
        w, [&](Term a, Term b) { return select(compare(Op::Lt, at("c", i, i32, w), number(3, i32)), a, b); },
        [](double a, double b, int x) { return x - 9 < 3 ? a : b; });
    check(
        w, [&](Term a, Term b) { return select(compare(Op::Lt, at("f", i, f32, w), number(3, f32)), a, b); },
        [](double a, double b, int x) { return 0.5 * x < 3 ? a : b; });
    check(
        w, [&](Term, Term) { return apply(Op::Cast, f64, {apply(Op::Abs, i32, {at("c", i, i32, w)})}); },
        [](double, double, int x) { return std::abs(x - 9); });
    check(
        w, [&](Term, Term) { return number(1.5); },
        [w](double, double, int x) { return x % w == 0 ? 1.5 : 77; });  // a scalar store touches one element
  }
}

TEST_CASE("remainders and quotients of one another in vectors: the text has each once") {
  const Nat i = index_of("i", 0, 32);
  const auto length = [&](int levels) {
    Term x = at("c", i, i32, 8);
    for (int n = 0; n < levels; ++n)
      x = binary(n % 2 == 0 ? Op::Mod : Op::Div, binary(Op::Sub, x, number(5, i32)), number(7, i32));
    return test::openmp_of(kernel("nested",
                                  {array_argument("c", i32, 32), array_argument("out", i32, 32, true)}, "out",
                                  {{vectors(i, 0, 32, 8, {put("out", i, x)})}}))
        .size();
  };
  CHECK(length(18) - length(12) < 2 * (length(12) - length(6)));  // lines are wrapped
}

}  // namespace openmp_vector_test
