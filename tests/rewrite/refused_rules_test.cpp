// What rules refuse, and why: programs that come close to a left side, at which what a rule makes would be
// wrong, or would have no type.
#include "tests/rewrite/rule_cases.hpp"

using namespace lift;
using namespace lift::test;

namespace refused_rules_test {
namespace {

/// Stages over a line.
const std::string line =
    "param x : 8.f64\ndef s(x) = x |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2])\nresult = ";
const std::string three = line + "let a = s(x) in let b = s(a) in s(b)";

}  // namespace

TEST_CASE("refused: blocks and tiles that do not fit") {
  check_refused({
      {"join-of-drop", "", "param x : 4.3.2.2.f64\nresult = x |> drop(1, 0) |> join2",
       "the drop cuts 1 dimensions, the join has rank 2"},
      {"join-of-drop", "", "param x : 4.3.f64\nresult = x |> drop2((0, 1), 0) |> join",
       "the drop cuts 2 dimensions, the join has rank 1"},
      {"let-tile 0", "",
       "param x : 8.f64\nresult = let r = x |> map(\\v. v + 1.0) in {r, r |> split(2) |> map(\\b. b[0] + "
       "b[1])}",
       "tiles of 0 elements do not divide the 8 elements"},
      {"let-tile 3", "",
       "param x : 8.f64\nresult = let r = x |> map(\\v. v + 1.0) in {r, r |> split(2) |> map(\\b. b[0] + "
       "b[1])}",
       "tiles of 6 elements do not divide the 8 elements"},
      {"let-tile 2", "",
       "param x, y : 8.f64\nresult = let r = x |> map(\\v. v + 1.0) in {r, y |> split(2) |> map(\\b. b[0] + "
       "b[1])}",
       "nothing maps over blocks of the named array"},
      {"tile-blocks 1", "",
       "param x : 4.6.f64\nresult = x |> map2(\\v. v + 1.0) |> split(2) |> map2(\\r. r[0])",
       "the maps and the split must be of one rank"},
      {"identity-map 0", "", "param x : 4.6.f64\nresult = x", "needs an array of rank 0 or more"},
      {"identity-map 3", "", "param x : 4.6.f64\nresult = x", "needs an array of rank 3 or more"},
      {"drop-of-join", "", "param x : 1.3.f64\nresult = x |> join |> drop(1, 2)",
       "there are fewer than two blocks"},
      {"drop-of-join", "", "param x : 2.3.f64\nresult = x |> join |> drop(1, 1)",
       "together 2 elements are dropped"},
  });
}

TEST_CASE("refused: stages that are not read element by element in one loop") {
  check_refused({
      // Work-items and vectors have loops of other forms around them.
      {"let-of-maps", "",
       "param x : 8.f64\nresult = let p = x |> map_glb<0>(\\v. v + 1.0) in p |> map_glb<0>(\\v. v * 2.0)",
       "not one map over the same dimensions"},
      {"let-of-maps", "",
       "param x : 8.f64\nresult = let p = x |> map_vec<4>(\\v. v + 1.0) in p |> map_vec<4>(\\v. v * 2.0)",
       "not one map over the same dimensions"},
      {"let-of-maps", "",
       "param x : 8.f64\nresult = let p = x |> map_par(\\v. v + 1.0) in p |> map(\\v. v * 2.0)",
       "not one map over the same dimensions"},
      {"let-of-maps", "",
       "param x : 8.f64\nresult = let p = x |> map_unroll<2>(\\v. v + 1.0) in p |> map_unroll<4>(\\v. v * "
       "2.0)",
       "not one map over the same dimensions"},
      // Of its rows, parts: what a row is made of says nothing about parts of it.
      {"let-of-maps", "",
       "param x : 5.4.f64\nresult = let p = x |> map(\\r. r |> map(\\v. v + 1.0)) in p |> drop2((1, 2), 0) "
       "|> map(\\r. r[0])",
       "not one map over the same dimensions"},
      // One element of what the second map makes.
      {"let-of-maps", "",
       "param x : 8.f64\nresult = let p = x |> map(\\v. v + 1.0) in (p |> map(\\v. v * 2.0))[2]",
       "not one map over the same dimensions"},
      {"let-of-maps", "",
       "param x : 8.f64\nresult = let p = x |> map(\\v. v + 1.0) in zip(p, p |> drop(1, 0) |> pad(0, 1, "
       "clamp)) |> map(\\(a, b). a + b)",
       "not one map over the same dimensions"},
      {"let-of-maps", "",
       "param x : 8.f64\nresult = let p = x |> map(\\v. v + 1.0) in p |> map(\\v. v * p[3])",
       "not one map over the same dimensions"},
  });
}

TEST_CASE("refused: loops that cannot run so") {
  check_refused({
      {"map-vec 4", "", "param x : 8.f64\nresult = x |> map(\\v. {v, [v, v]})",
       "only the innermost loop is vectorised"},
      {"map-vec 4", "", "param x : 8.2.2.f64\nresult = x |> map(\\b. b |> map_unroll2<2>(\\v. v + 1.0))",
       "only the innermost loop is vectorised"},
      {"map-vec 4", "", "param x : 8.4.f64\nresult = x |> map(\\b. b |> map_unroll<2>(\\v. v + 1.0))",
       "only the innermost loop is vectorised"},
      {"map-vec 4", "", "param x : 8.32.f64\nresult = x |> map(\\b. b |> map_unroll<32>(\\v. v + 1.0))",
       "only the innermost loop is vectorised"},
      {"map-unroll 65", "", "param x : 8.f64\nresult = x |> map(\\v. v + 1.0)", "unrolls by 2 to 64, got 65"},
      {"unroll 65", "", "param x : 8.f64\nresult = x |> map_seq(\\v. v + 1.0)", "unrolls by 2 to 64, got 65"},
      {"scan-unroll 65", "", "param x : 8.f64\nresult = x |> scan_seq(\\a v. a + v, 0.0)",
       "unrolls by 2 to 64, got 65"},
      {"scan-prefetch 65", "", "param x : 8.f64\nresult = x |> scan_seq(\\a v. a + v, 0.0)",
       "1 to 64 elements ahead, got 65"},
      {"rows-abreast 4 1048577", "scan_seq",
       "param x : 8.4.f64\nresult = x |> scan_seq(\\a r. zip(a, r) |> map(\\(p, q). p + q), generate(4, \\i. "
       "0.0))",
       "a step has 1 to 1048576 columns, got 1048577"},
      {"rows-abreast 4 16", "scan_seq",
       "param x : 8.4.f64\nresult = x |> scan_seq<unroll 2>(\\a r. zip(a, r) |> map(\\(p, q). p + q), "
       "generate(4, \\i. 0.0))",
       "the scan's loop is unrolled already"},
      {"dynamic 1048577", "", "param x : 8.f64\nresult = x |> map_par(\\v. v + 1.0)",
       "1 to 1048576 iterations, got 1048577"},
      {"prefetch 4", "", "param x : 8.4.f64\nresult = x |> map_seq2(\\v. v + 1.0)",
       "needs map_vec, or map_seq or map_unroll of rank 1"},
      {"rotate", "", "param x : 8.4.f64\nresult = x |> map_seq2(\\v. v + 1.0)",
       "needs map_seq or map_unroll of rank 1"},
      {"strided 65", "", "param x : 8.f64\nresult = x |> map_seq(\\v. v + 1.0)",
       "a stride is 2 to 64, got 65"},
      {"strided 2", "", "param x : 8.4.f64\nresult = x |> map_glb2<0>(\\v. v + 1.0)",
       "or map_vec, map_glb or map_lcl of rank 1"},
      {"strided 2", "", "param x : 8.f64\nresult = x |> map_seq<rotate>(\\v. v + 1.0)",
       "what is kept for the next iteration is not what the one after it needs"},
      {"strided 2", "map_lcl",
       "param x : 4.8.f64\nresult = x |> map_wrg<0>(\\r. r |> map_lcl<0>(\\v. v + 1.0))",
       "the function does not select by an index modulo 2"},
  });
}

TEST_CASE("refused: loops of a grid that do not go together") {
  const std::string tiles =
      "param x : 8.4.f64\nresult = (let a = x |> map_lcl<0>(\\r. r |> map(\\v. v + 1.0)) in a |> "
      "map_lcl<0>(\\r. r |> map(\\v. v * 2.0))) |> "
      "band<overlapped>(0, 4, (0, 0))";
  check_refused({
      {"items 4", "", "param x : 4.8.f64\nresult = x |> map_glb2<0>(\\v. v + 1.0)",
       "of rank 1, found map_glb"},
      {"map-glb 0", "", "param x : 4.8.f64\nresult = x |> map(\\r. r |> map_glb<0>(\\v. v + 1.0))",
       "two nested map_glb over dimension 0"},
      {"map-glb 0", "map", "param x : 4.8.f64\nresult = x |> map_par(\\r. r |> map(\\v. v + 1.0))",
       "a work-item cannot run inside map_par"},
      {"map-par", "map", "param x : 4.8.f64\nresult = x |> map_glb<0>(\\r. r |> map(\\v. v + 1.0))",
       "map_par inside a work-item"},
      // In a tile that a work-group computes.
      {"map-glb 1", "map", tiles, "map_glb does not mix with map_wrg and map_lcl"},
      {"map-wrg 1", "map", tiles, "map_wrg inside map_lcl"},
  });
}

TEST_CASE("refused: copies of tiles that would hold other elements") {
  const std::string windows = "param x : 10.f64\nresult = x |> slide(3, 1) |> ";
  check_refused({
      {"stage 0", "", "param x : 4.8.f64\nresult = x |> split(2) |> map2(\\r. r[0])",
       "the map and the split must be of one rank"},
      {"stage 0", "", windows + "pad(1, 1, undefined) |> split(2) |> map(\\t. t |> map(\\w. w[0]))",
       "padded otherwise than rule tile does"},
      {"stage 0", "", windows + "pad(0, 2, clamp) |> split(2) |> map(\\t. t |> map(\\w. w[0]))",
       "padded otherwise than rule tile does"},
      {"stage 0", "",
       windows + "pad2((0, 0), (2, 1), undefined) |> split(2) |> map(\\t. t |> map(\\w. w[0]))",
       "padded otherwise than rule tile does"},
      {"stage 0", "",
       "param x, y : 8.4.f64\nresult = zip2(x, y) |> split(2) |> map(\\t. t |> map(\\r. r[0].0))",
       "the zip is of another rank than the tiles"},
      {"stage 0", "",
       "param x : 10.6.f64\nresult = x |> slide2((3, 1), 1) |> split(2) |> map(\\t. t |> map(\\r. r[0, 0, "
       "0]))",
       "array 0 is no array of windows"},
      {"stage 1", "", windows + "split(2) |> map(\\t. t |> map(\\w. w[0]))", "there are 1 arrays"},
      {"stage-planes 3", "", windows + "split(2) |> map(\\t. t |> map(\\w. w[0]))",
       "takes the parameters m c..., got 1"},
      {"stage-planes 2", "", windows + "split(2) |> map(\\t. t |> map(\\w. w[0]))",
       "takes the parameters m c..., got 1"},
      {"stage-planes 2 0", "", windows + "split(2) |> map(\\t. t |> map(\\w. w[0]))",
       "2 planes do not hold a window"},
      // Neighbours that another work-group may have written already.
      {"stage 0", "map",
       "param x : 10.f64\noverwrite x\nresult = update_in_place(x, 1, x |> slide(3, 1) |> split(2) |> "
       "map(\\t. t |> map(\\w. w[0] + w[2])) |> join)",
       "array 0 is overwritten"},
      {"stage-planes 3 0", "map",
       "param x : 10.f64\noverwrite x\nresult = update_in_place(x, 1, x |> slide(3, 1) |> split(2) |> "
       "map(\\t. t |> map(\\w. w[0] + w[2])) |> join)",
       "array 0 is overwritten"},
      {"stage 0", "map",
       "param x : 3.10.f64\noverwrite x\nresult = update_in_place2(x, (0, 1), x |> map_seq(\\r. r |> "
       "slide(3, 1) |> split(2) |> map(\\t. t |> map(\\w. w[0] + w[2])) |> join))",
       "array 0 is overwritten"},
      {"stage 0", "map",
       "param x : 3.10.f64\noverwrite x\nresult = x |> map_seq(\\r. update_in_place(r, 1, r |> slide(3, 1) "
       "|> split(2) |> map(\\t. t |> map(\\w. w[0] + w[2])) |> join))",
       "array 0 is overwritten"},
  });
}

TEST_CASE("refused: iterations that are none, or whose steps are not known") {
  const std::string x = "param x : 8.4.f64\nresult = ";
  const std::string rows = "(x |> scan(\\a r. zip(a, r) |> map(\\(p, q). p + q), generate(4, \\i. 0.0)))";
  check_refused({
      {"iterate-chain", "",
       "param x : 8.f64\nindex t in 0 .. 9\nresult = x |> iterate(t, \\x. x |> map(\\v. v + 1.0))",
       "the number of steps is t, it must be known"},
      {"iterate-chain", "", "param x : 8.f64\nresult = x |> iterate(1025, \\x. x |> map(\\v. v + 1.0))",
       "1025 steps are too many to be written out; at most 1024"},
      {"iterate-of-blocks 0", "", "param x : 8.f64\nresult = x |> iterate(4, \\x. x |> map(\\v. v + 1.0))",
       "there are no 0 of 4 steps"},
      {"iterate-of-blocks 5", "", "param x : 8.f64\nresult = x |> iterate(4, \\x. x |> map(\\v. v + 1.0))",
       "there are no 5 of 4 steps"},
      {"scan-iterate", "", "param x : 8.f64\nresult = (x |> scan(\\a v. a + v, 0.0))[7]",
       "needs the last element of a scan, an array"},
      {"scan-iterate", "", x + rows + "[7, 1]", "needs the last element of a scan, an array"},
      {"scan-iterate", "", x + rows + " |> drop2((7, 1), 0) |> join",
       "needs the last element of a scan, an array"},
      {"scan-iterate", "", x + rows + "[6]", "needs the last element of a scan, an array"},
      {"scan-iterate", "", x + rows + " |> drop(6, 1) |> join", "needs the last element of a scan, an array"},
  });
}

TEST_CASE("refused: reductions and chunks that do not begin where they should") {
  check_refused({
      {"split-join 0", "", "param x : 8.f64\nresult = x |> map(\\v. v + 1.0)",
       "the chunk length 0 must be positive"},
      {"reduce-split 0", "", "param x : 8.f64\nresult = x |> sum", "the chunk length 0 must be positive"},
      {"reduce-lanes 0", "", "param x : 8.f64\nresult = x |> sum", "the number of lanes 0 must be positive"},
      {"reduce-blocks 0", "", "param x : 8.f64\nresult = x |> sum", "positive"},
      {"slide-tiling 0", "", "param x : 10.f64\nresult = x |> slide(3, 1)",
       "the tile step 0 must be positive"},
      // The inner reduction begins with another unit; what it is made by is no lambda.
      {"reduce-one", "",
       "param x : 1.8.f64\nresult = x |> map(\\r. r |> reduce(add, 1.0)) |> reduce(add, 0.0)",
       "not made by the same reduction"},
      {"reduce-one", "",
       "param x : 1.8.f64\nresult = x |> map(\\r. r |> reduce(max, 0.0)) |> reduce(add, 0.0)",
       "not made by the same reduction"},
      {"let-base", "", "param x : 8.f64\nresult = {update(x, 1, x |> take(2)), x}",
       "needs an update of an update"},
  });
}

TEST_CASE("refused: marks that say what is so already, or cannot be") {
  check_refused({
      {"to-private", "", "param x : 8.f64\nresult = to_private(x |> map(\\v. v + 1.0))",
       "is to_private already"},
      {"stream", "", "param x : 8.f64\nresult = stream(x |> map(\\v. v + 1.0))", "is stream already"},
      {"stream", "", "param x : 8.f64\nresult = x |> sum",
       "only the stores of an array can bypass the cache"},
      {"in-layout rows 8 0", "", "param x : 8.f64\nresult = x |> sum", "needs an array, found f64"},
      {"in-layout rows 8 0", "",
       "param x : 8.f64\noverwrite x\nresult = update_in_place(x, 0, x |> map(\\v. v + 1.0))",
       "an update in place lies where its base lies"},
      {"in-layout rows 8 0", "", "param x : 8.f64\nresult = x |> drop(1, 0)", "is no array that is computed"},
      {"in-layout rows 8 0", "", "param x : 8.f64\nresult = x |> map(\\v. v + 1.0)", "is in a layout already",
       "in-layout rows 8 0 at body"},
      {"in-layout split 2 1", "", "param x : 8.f64\nresult = x |> map(\\v. v + 1.0)",
       "a split over 2 axes needs a rank of as many"},
      {"in-layout rows 0 0", "", "param x : 8.f64\nresult = x |> map(\\v. v + 1.0)",
       "layout 'rows 0 0' is not known"},
      {"layout caller s", "", "param x : 8.f64\nparam s : f64\nresult = x |> map(\\v. v * s)",
       "there is no array argument named s"},
      {"layout rows 8", "", "param x : 8.f64\nresult = x |> map(\\v. v + 1.0)",
       "a layout is 'rows ALIGN LEAD' or"},
      {"layout rows 8 0", "", "param x : 8.f64\nresult = x |> map(\\v. v + 1.0)",
       "an array of these has a layout already", "layout caller x at body"},
      {"read-only", "", "param x : 8.f64\nresult = x |> map(\\v. v + 1.0)", "arguments have a layout already",
       "layout rows 8 0 at body"},
      {"may-alias", "", "param x : 8.f64\nresult = x |> map(\\v. v + 1.0)", "was decided already",
       "read-only at body"},
  });
}

TEST_CASE("refused: bands and rings where there are some already") {
  check_refused({
      {"in-step 0 0", "", three, "a step of no iterations; use a width of 1 or more"},
      {"in-tiles 0 0", "", three, "a tile of no planes; use a width of 1 or more"},
      {"rings", "", three, "none needs a ring", "rings at body"},
      {"rings", "", three, "the chain goes in step already", "in-step 0 1 at body"},
      {"rings-in-turns 8", "", three, "the chain goes in step already", "in-step 0 1 at body"},
      {"load-stages 2", "", three, "the chain goes in step or in tiles already", "in-step 0 1 at body"},
      {"join-loops 1", "", three, "the chain goes in step, or in tiles", "in-step 0 1 at body"},
      {"join-loops 0", "", three, "1 (rows) or 2 (elements, too), got 0"},
      {"two-arrays", "", three, "the chain goes in step already", "in-step 0 1 at body"},
      {"overwrite-dead", "", three, "the stages have a schedule", "in-step 0 1 at body"},
      {"wait-once", "", three, "the threads wait once a step already",
       "in-step 0 1 at body\nwait-once at body"},
      {"doacross", "", three, "the threads share what a step does already",
       "in-step 0 1 at body\nwait-once at body"},
      {"wait-once", "", three, "no chain goes in step"},
      // What is written may be no schedule at all.
      {"wait-once", "",
       "size n = 40 where n >= 8\nparam x : n.f64\ndef s(x) = x |> pad(1, 1, wrap) |> slide(3, 1) |> "
       "map(\\w. w[0] + w[2])\nresult = "
       "(let a = s(x) in let b = s(a) in s(b)) |> band<skewed>(0, 1, (0, 1, 2))",
       "however far behind along axis 0"},
  });
}

TEST_CASE("refused: two arrays for stages that are not alike") {
  const std::string rest = " in let b = s(a) in let c = s(b) in s(c)";
  const std::string updates =
      "param x : 8.f64\ndef u(x) = update(x, 1, x |> slide(3, 1) |> map(\\w. w[0] + w[2]))\nresult = ";
  check_refused({
      {"two-arrays", "", line + "let a = s(x) in s(a)", "there are fewer than three stages"},
      {"two-arrays", "", line + "let a = s(x) in let b = s(a) in let c = s(b) in {b, c}",
       "the chain has several results"},
      {"two-arrays", "",
       line + "let a = zip(x, s(x)) |> map(\\(p, q). {p, q}) in let b = a |> map(\\(p, q). {q, p}) in b |> "
              "map(\\(p, q). {q, p + q})",
       "each stage makes several arrays"},
      {"two-arrays", "",
       updates + "let a = u(x) in let b = update(a, 2, a |> drop(2, 2)|> map(\\v. v + 1.0)) in u(b)",
       "updates another block than"},
      {"two-arrays", "",
       updates + "let a = u(x) in let b = update(a, 1, a |> drop(2, 2)|> map(\\v. v + 1.0)) in u(b)",
       "updates another block than"},
      {"two-arrays", "", updates + "let a = u(x) in let b = u(x) in u(b)",
       "is no update of the array that the stage before it made"},
      {"two-arrays", "",
       updates + "let a = u(x) in let b = update(x |> map(\\v. v + 1.0), 1, a |> drop(1, 1)) in u(b)",
       "is no update of the array that the stage before it made"},
      {"two-arrays", "", line + "let a = s(x) in let b = s(a) in zip(a, b) |> map(\\(p, q). p + q)",
       "which is older than the stage before it"},
      {"two-arrays", "",
       "param x : 8.f64\noverwrite x\n"
       "def u(x) = update_in_place(x, 1, x |> drop(1, 1) |> map(\\v. v + 1.0))\n"
       "result = let a = u(x) in let b = u(a) in u(b)",
       "is no array like that of"},
      {"load-stages 1", "",
       "param x, y : 8.f64\noverwrite x\nresult = let a = update_in_place(x, 1, y |> drop(1, 1)|> map(\\v. v "
       "+ 1.0)) in a |> map(\\v. v * 2.0)",
       "overwrites an array, which others may have copied"},
  });
}

}  // namespace refused_rules_test
