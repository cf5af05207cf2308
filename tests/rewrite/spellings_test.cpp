// One stencil in several spellings: the space of variants and the default kernel are those of what is
// computed.
#include <doctest/doctest.h>

#include "emit/emit.hpp"
#include "ir/text/parse.hpp"
#include "lower/lower.hpp"
#include "rewrite/space/space.hpp"
#include "tuning/search.hpp"

using namespace lift;

namespace spellings_test {
namespace {

struct Spelling {
  const char* what;
  const char* body;
};
/// A smoothing in 2D of two arrays, with weights.
constexpr Spelling kSpellings[] = {
    {"one function",
     "zip2(a |> pad2(1, 1, clamp) |> slide2(3, 1), b) |> map2(\\(w, x). (w[0, 1] + w[1, 0] + w[1, 2] + w[2, "
     "1]) * 0.25 + x)"},
    {"maps one after the other",
     "zip2(a |> pad2(1, 1, clamp) |> slide2(3, 1), b) |> map2(\\(w, x). {(w[0, 1] + w[1, 0] + w[1, 2] + w[2, "
     "1]), x}) |> map2(\\(s, x). {s * 0.25, x}) |> map2(\\(s, x). s + x)"},
    {"join of split",
     "zip2(a |> split(4) |> join |> pad2(1, 1, clamp) |> slide2(3, 1), b) |> map2(\\(w, x). (w[0, 1] + w[1, "
     "0] + w[1, 2] + w[2, 1]) * 0.25 + x)"},
    {"reversed twice",
     "zip2(a |> reverse |> reverse |> pad2(1, 1, clamp) |> slide2(3, 1), b) |> map2(\\(w, x). (w[0, 1] + "
     "w[1, 0] + w[1, 2] + w[2, 1]) * 0.25 + x)"},
    {"transposed twice",
     "zip2(a |> transpose |> transpose |> pad2(1, 1, clamp) |> slide2(3, 1), b |> transpose |> transpose) |> "
     "map2(\\(w, x). (w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]) * 0.25 + x)"},
    {"padded in two steps",
     "zip2(a |> pad2((1, 0), (1, 0), clamp) |> pad2((0, 1), (0, 1), clamp) |> slide2(3, 1), b) |> map2(\\(w, "
     "x). (w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]) * 0.25 + x)"},
    {"zipped in the other order",
     "zip2(b, a |> pad2(1, 1, clamp) |> slide2(3, 1)) |> map2(\\(x, w). (w[0, 1] + w[1, 0] + w[1, 2] + w[2, "
     "1]) * 0.25 + x)"},
    {"zipped in pairs",
     "zip2(zip2(a |> pad2(1, 1, clamp) |> slide2(3, 1), b), b) |> map2(\\((w, x), y). (w[0, 1] + w[1, 0] + "
     "w[1, 2] + w[2, 1]) * 0.25 + x)"},
    {"mapped by an identity",
     "zip2(a |> map2(\\x. x) |> pad2(1, 1, clamp) |> slide2(3, 1), b) |> map2(\\(w, x). (w[0, 1] + w[1, 0] + "
     "w[1, 2] + w[2, 1]) * 0.25 + x) |> map2(\\x. x)"},
    {"arrays with names",
     "let p = a |> pad2(1, 1, clamp) in let w2 = p |> slide2(3, 1) in zip2(w2, b) |> map2(\\(w, x). (w[0, 1] "
     "+ w[1, 0] + w[1, 2] + w[2, 1]) * 0.25 + x)"},
    {"a map of maps",
     "zip2(a |> pad2(1, 1, clamp) |> slide2(3, 1), b) |> map(map(\\(w, x). (w[0, 1] + w[1, 0] + w[1, 2] + "
     "w[2, 1]) * 0.25 + x))"},
    {"joined, mapped and split",
     "zip2(a |> pad2(1, 1, clamp) |> slide2(3, 1), b) |> join |> map(\\(w, x). {w[0, 1] + w[1, 0] + w[1, 2] "
     "+ w[2, 1], x}) |> map(\\(s, x). s * 0.25 + x) |> split(64)"},
    {"windows of one",
     "zip2(a |> pad2(1, 1, clamp) |> slide2(3, 1), b |> slide2(1, 1) |> map2(\\v. v[0, 0])) |> map2(\\(w, "
     "x). (w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]) * 0.25 + x)"},
};

/// The default kernel, without its head, which shows the program as it is written.
struct Made {
  std::size_t configurations;
  std::string kernel, derivation;
};
Made made(const char* body) {
  const Program p = parse_program(
      std::string("program smooth\nparam a, b : 64.64.f64\nresult y : 64.64.f64 = ") + body + "\n");
  SpaceOptions options;
  options.threads = 2;
  const Space space(p, options);
  const Rewriting r = space.derived(space.seeds().front());
  return {count_configurations(space, 20000), emit_source(lower(r.program, {.target = Target::openmp})),
          str(r.steps)};
}

}  // namespace

TEST_CASE("spellings: one stencil has one space and one default kernel") {
  const Made first = made(kSpellings[0].body);
  CHECK(first.configurations > 100);
  for (const Spelling& s : kSpellings) {
    CAPTURE(s.what);
    const Made m = made(s.body);
    CAPTURE(m.derivation);
    CHECK(m.configurations == first.configurations);
    CHECK(m.kernel == first.kernel);
  }
}

TEST_CASE("spellings: numbers with names have the space, and the first derivation, of those without") {
  const Made first = made(kSpellings[0].body);
  const std::string before = "zip2(a |> pad2(1, 1, clamp) |> slide2(3, 1), b) |> map2(\\(w, x). ";
  for (const char* cell : {"let s = w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1] in s * 0.25 + x)",
                           "let s = w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1] in let t = s * 0.25 in t + x)",
                           "let p = {w[0, 1] + w[1, 0], w[1, 2] + w[2, 1]} in (p.0 + p.1) * 0.25 + x)",
                           "let s = w[0, 1] + w[1, 0] in (s + w[1, 2] + w[2, 1]) * 0.25 + x + 0 * s)"}) {
    CAPTURE(cell);
    const Made m = made((before + cell).c_str());
    CHECK(m.configurations == first.configurations);
    CHECK(m.derivation == first.derivation);
  }
}

}  // namespace spellings_test
