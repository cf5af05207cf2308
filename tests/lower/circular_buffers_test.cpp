// Circular buffers: planes that a sequential loop makes once and keeps while its windows have them, against
// the interpreter; what cannot be kept so is refused.
#include <doctest/doctest.h>

#include "tests/lower/run_text.hpp"

namespace lift::circular_buffers_test {
namespace {

using test::arrays_made;
using test::count;
using test::refusal_of;
using test::run_text;

/// In each work-group: `loop`, over boxes `a` and `b` of 13 planes, with `made` planes of `a` to keep.
std::string in_groups(const std::string& loop, const std::string& parameters = "") {
  return "param xs, ys : 2.13.16.f64\n" + parameters +
         R"(result = zip(xs, ys) |> map_wrg<0>(\p. let a = p.0 in let b = p.1 in )" + loop + ")";
}
const std::string kMade = R"(a |> map_seq(\r. r |> map_lcl<0>(\x. x * 2)))";
const std::string kDifference = R"(\w. zip(w[0], w[2]) |> map_lcl<0>(\p. p.0 - p.1))";

/// How often each element of xs is loaded.
double loads_of_xs(const Kernel& k) {
  test::LoopRunner loops;
  for (const KernelArgument& a : k.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), 1);
  loops.run(k);
  return static_cast<double>(loops.loads["xs"]) / (2 * 13 * 16);
}

const char* const kNoWindows =
    "circular_buffer: the loop must go over windows of it, of a size that is a number; read it by slide (n, "
    "1)";

}  // namespace

TEST_CASE("circular buffers: planes are made once, whatever the loop and its windows") {
  const std::vector<std::string> loops{
      "circular_buffer(3, " + kMade + ") |> slide(3, 1) |> map_seq(" + kDifference + ")",
      "circular_buffer(3, " + kMade + ") |> slide(3, 1) |> map_seq<rotate>(" + kDifference + ")",
      "circular_buffer(3, " + kMade + ") |> slide(3, 1) |> map_unroll<2>(" + kDifference + ")",
      "circular_buffer(5, " + kMade + ") |> slide(3, 2) |> map_seq(" + kDifference + ")",
      // One plane after the other, without windows.
      "circular_buffer(1, " + kMade + R"() |> map_seq(\r. r |> pad(1, 1, clamp) |> slide(3, 1) |>
          map_lcl<0>(\w. w[0] + w[2])))",
      // Beside windows of other arrays, that come first.
      "zip(b |> slide(3, 1), circular_buffer(3, " + kMade + R"() |> slide(3, 1)) |>
          map_seq(\w. zip(w.1[0], w.0[2]) |> map_lcl<0>(\p. p.0 - p.1)))",
      // Two of them, beside each other.
      "zip(circular_buffer(4, " + kMade + R"() |> slide(4, 1),
          circular_buffer(4, b |> map_seq(\r. r |> map_lcl<0>(\x. x - 1))) |> slide(4, 1)) |>
          map_seq(\w. zip(w.0[3], w.1[0]) |> map_lcl<0>(\p. p.0 - p.1)))",
      // Cells of several planes, in two dimensions.
      "circular_buffer(3, " + kMade + R"() |> slide2(3, 1) |> map_seq(\ws. ws |>
          map_lcl<0>(\w. w[0, 0] + w[2, 2])))",
      // Of tuples, an array each.
      R"(circular_buffer(3, a |> map_seq(\r. r |> map_lcl<0>(\x. {x * 2, x + 1}))) |> slide(3, 1) |>
          map_seq(\w. zip(w[0], w[2]) |> map_lcl<0>(\p. p.0.0 - p.1.1)))",
      // What it makes goes elsewhere, or only in part.
      "circular_buffer(3, " + kMade + ") |> slide(3, 1) |> map_seq(" + kDifference + ") |> reverse",
  };
  for (const std::string& loop : loops) {
    CAPTURE(loop);
    CHECK(loads_of_xs(run_text(in_groups(loop))) <= 1);
  }
}

TEST_CASE("circular buffers: with a plane more, those of the next iteration are copied ahead") {
  const auto kernel = [](int planes, const std::string& made) {
    return run_text(in_groups("circular_buffer(" + std::to_string(planes) + R"(, a |> map_seq(\r. async(r |>
        map_lcl<0>(\x. )" + made +
                              R"()))) |> slide(3, 1) |> map_seq()" + kDifference + ")"));
  };
  const auto copies = [](const Kernel& k) {
    int n = 0;
    visit(k.body, [&](const Stmt& s) {
      const auto* x = std::get_if<Store>(&s.v);
      n += x && x->async;
    });
    return n;
  };
  /// Planes that are made before the loop begins.
  const auto before = [](const Kernel& k) {
    std::int64_t n = 0;
    visit(k.body, [&](const Stmt& s) {
      const auto* f = std::get_if<For>(&s.v);
      if (f && f->var.str().starts_with("plane")) n = *f->upper.constant();
    });
    return n;
  };
  for (const auto& [planes, first] : {std::pair{3, 2}, {4, 3}, {5, 3}}) {
    CAPTURE(planes);
    const Kernel k = kernel(planes, "x");
    CHECK(before(k) == first);
    CHECK(copies(k) > 0);
    CHECK(loads_of_xs(k) == 1);
    // What is computed is no copy.
    CHECK(copies(kernel(planes, "x * 2")) == 0);
  }
}

TEST_CASE("circular buffers that no loop goes along are refused") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"circular_buffer(2, " + kMade + ") |> slide(3, 1) |> map_seq(" + kDifference + ")",
       "circular_buffer: 2 planes do not hold a window of 3; use as many"},
      {"circular_buffer(3, " + kMade + ") |> pad(1, 1, clamp) |> slide(3, 1) |> map_seq(" + kDifference + ")",
       kNoWindows},
      {"zip(b, circular_buffer(3, " + kMade + R"() |> reverse) |> map_seq(\w. zip(w.0, w.1) |>
          map_lcl<0>(\p. p.0 - p.1)))",
       kNoWindows},
      {"circular_buffer(3, a |> reverse) |> slide(3, 1) |> map_seq(" + kDifference + ")",
       "circular_buffer: needs a map that makes one plane after the other, found reverse"},
      {R"(circular_buffer(3, a |> map_seq2(\x. x * 2)) |> slide(3, 1) |> map_seq()" + kDifference + ")",
       "circular_buffer: needs a map that makes one plane after the other, found map_seq"},
      {"circular_buffer(3, " + kMade + R"() |> slide(3, 1) |> map_lcl<1>()" + kDifference + ")",
       "circular_buffer: its planes follow one another along a sequential loop; use map_seq around it, not "
       "map_lcl"},
      {"let c = circular_buffer(3, " + kMade + R"() in c |> slide(3, 1) |> map_seq()" + kDifference + ")",
       "circular_buffer: it must be read by the sequential loop around, as in map_seq f (slide (n, 1) "
       "(circular_buffer n xs))"},
      // Of sizes that are known when the kernel runs.
      {"circular_buffer(4, " + kMade + R"() |> slide(k, 1) |> take(4) |> map_seq(\w. w[0] |>
          map_lcl<0>(\x. x + 1)))",
       kNoWindows},
      {"circular_buffer(4, " + kMade + R"() |> slide(k, 1) |> map_seq(\w. w[0] |> map_lcl<0>(\x. x + 1)) |>
          take(4))",
       kNoWindows},
      {"circular_buffer(3, " + kMade + R"() |> slide(3, k) |> map_seq(\w. w[0] |> map_lcl<0>(\x. x + 1)) |>
          take(3))",
       kNoWindows},
  };
  for (const auto& [loop, why] : cases) {
    CAPTURE(loop);
    CHECK(refusal_of(in_groups(loop, "index k in 1 .. 3 = 2\n")) == why);
  }
}

}  // namespace lift::circular_buffers_test
