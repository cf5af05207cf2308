// The space of operators whose cells make blocks (prolongation) or are made of them (restriction).
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "patterns/thesis_forms.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace space_block_test {
namespace {

std::vector<Nat> all(int rank, const Nat& n) { return std::vector<Nat>(static_cast<std::size_t>(rank), n); }

/// Each fine cell from the 2^D coarse cells nearest to it; weights 1/4 and 3/4 a dimension, by parity.
Expr linear(int rank, const Expr& coarse) {
  const auto weight = [](const Expr& p, const Expr& q) {
    return select(eq(p, q), literal(0.25, f64), literal(0.75, f64));
  };
  const auto fine_cell = [&](Expr parity, Expr window) {
    Expr sum;
    for (int c = 0; c < (1 << rank); ++c) {
      std::vector<Nat> position;
      Expr w;
      for (int d = 0; d < rank; ++d) {
        const int q = (c >> d) & 1;
        position.emplace_back(q);
        const Expr f = weight(get(d, parity), nat_value(q));
        w = w ? w * f : f;
      }
      const Expr term = w * at(position, window);
      sum = sum ? sum + term : term;
    }
    return sum;
  };
  const Expr parities = positions(all(rank, 2));
  const auto block = [&](Expr w) {
    return map_n(rank, fine_cell, zip_n(rank, {parities, slide(all(rank, 2), all(rank, 1), w)}));
  };
  return join_n(rank, map_n(rank, block, slide(all(rank, 3), all(rank, 1), coarse)));
}
/// fine += coarse, the coarse cell standing for 2^D fine ones.
Expr add_constant(int rank, const Expr& fine, const Expr& coarse) {
  const auto cell = [&](Expr block, Expr c) {
    return map_n(
        rank, [&](Expr x) { return x + c; }, block);
  };
  return join_n(rank, map_n(rank, cell, zip_n(rank, {split(all(rank, 2), fine), coarse})));
}
Expr average(int rank, const Expr& fine) {
  const auto mean = [rank](Expr w) {
    for (int d = 1; d < rank; ++d) w = join(w);
    return (w | sum()) * std::pow(0.5, rank);
  };
  return map_n(rank, mean, slide(all(rank, 2), all(rank, 2), fine));
}

Program prolongation(int rank, std::int64_t n) {
  const Expr coarse = param("coarse", array(all(rank, n + 2), f64));
  return {"prolong", {coarse}, linear(rank, coarse), {}};
}
/// Over boxes, with ghost zones: the interior of the fine boxes is replaced.
Program increment(int rank, std::int64_t n, std::int64_t boxes = 2) {
  const auto arrays = [&](std::int64_t side) { return Type::array(boxes, array(all(rank, side), f64)); };
  const Expr fine = param("fine", arrays(2 * n + 2)), coarse = param("coarse", arrays(n + 2));
  const auto inside = [&](Expr x) { return drop(all(rank, 1), all(rank, 1), x); };
  const auto box = [&](Expr f, Expr c) {
    return update(f, all(rank, 1), add_constant(rank, inside(f), inside(c)));
  };
  return {"increment", {fine, coarse}, map(box, zip({fine, coarse})), {"fine"}};
}
Program restriction(int rank, std::int64_t n) {
  const Expr fine = param("fine", array(all(rank, 2 * n), f64));
  return {"restrict", {fine}, average(rank, fine), {}};
}

}  // namespace

TEST_CASE("space: prolongation is written row by row or block by block") {
  const Space s(prolongation(3, 64), options(Target::openmp, 64));
  CHECK(s.allowed_texts({}, "block") == Values{"rows", "rows unrolled", "whole"});
  CHECK(has(s, "inner", "vec"));
  CHECK(has(s, "width", "8"));
  CHECK(has(s, "tile", "j16"));
  CHECK(s.allowed_texts({{"block", "rows"}}, "parallel") == Values{"k", "k j"});
  CHECK(s.allowed_texts({{"block", "whole"}}, "order") == Values{"k j", "j k"});
  CHECK(s.allowed_texts({{"block", "rows"}}, "order") == Values{"k j"});
  CHECK(s.seeds()[0].at("block") == "rows");
  CHECK(s.seeds()[0].at("inner") == "vec");
  const Derivation d = s.derive(s.seeds()[0]);
  CHECK(count(d, "join-map-nest") == 2);
  CHECK(count(d, "map-par") == 1);
  CHECK(count(d, "map-unroll") == 1);
  CHECK(count(d, "map-vec") == 1);
  const Derivation unrolled = s.derive({{"block", "rows unrolled"}}), whole = s.derive({{"block", "whole"}});
  CHECK(count(unrolled, "map-unroll") == 3);
  CHECK(count(whole, "join-map-nest") == 0);
  CHECK(count(whole, "map-unroll") == 3);
}

TEST_CASE("space: prolongation keeps its meaning in every rank") {
  check_space(prolongation(1, 70), options(), 8, 3);
  check_space(prolongation(2, 9), options(), 12, 4);
  check_space(prolongation(3, 4), options(), 8, 4);
  check_space(prolongation(2, 17), options(Target::opencl), 6, 2);
}

TEST_CASE(
    "space: the thesis's prolongation, which drops from joined copies, is computed block by block too") {
  const auto program = [](int rank, std::int64_t n) {
    const Expr coarse = param("coarse", array(all(rank, n + 2), f64)),
               weights = param("weights", array(all(rank, 2), f64));
    return Program{"thesis", {coarse, weights}, thesis::prolongation(rank, coarse, weights), {}};
  };
  const Space s(program(3, 64), options(Target::openmp, 64)),
      ours(prolongation(3, 64), options(Target::openmp, 64));
  CHECK(s.parameters().size() == ours.parameters().size());
  CHECK(s.seeds() == ours.seeds());
  const Derivation d = s.derive(s.seeds()[0]);
  CHECK(count(d, "drop-of-join") == 1);
  CHECK(count(d, "join-map-nest") == 2);
  for (int rank = 1; rank <= 3; ++rank) check_space(program(rank, 4), options(), 4, 3);
}

TEST_CASE("space: an increment over boxes is in place") {
  const Space s(increment(3, 32), options());
  CHECK(s.allowed_texts({}, "in_place") == Values{"yes", "no"});
  CHECK(s.allowed_texts({}, "parallel").front() == "box k");
  CHECK(s.allowed_texts({{"in_place", "yes"}, {"inner", "vec"}}, "stream") == Values{"0", "1"});
  for (int rank = 1; rank <= 3; ++rank) check_space(increment(rank, 4), options(), 5, 3);
  check_space(increment(2, 5), options(Target::opencl), 5, 2);
}

TEST_CASE("space: restriction is one loop nest with vectors and streaming stores") {
  const Space s(restriction(3, 32), options());
  CHECK(s.allowed_texts({}, "block") == Values{"none"});
  CHECK(has(s, "inner", "vec"));
  CHECK(s.allowed_texts({{"inner", "vec"}}, "stream") == Values{"0", "1"});
  for (int rank = 1; rank <= 3; ++rank) check_space(restriction(rank, 5), options(), 5, 3);
}

TEST_CASE("space: loads that no vector has are not offered as vectors") {
  const Expr x = param("x", array({Nat(64), Nat(64)}, f64));
  const auto first = [](Expr w) { return w[0][0]; };
  CHECK_FALSE(has(Space({"turned",
                         {x},
                         map_n(
                             2, [](Expr e) { return e * 2.0; }, transpose(x)),
                         {}},
                        options()),
                  "inner", "vec"));
  CHECK_FALSE(has(Space({"fourth", {x}, map_n(2, first, slide(all(2, 4), all(2, 4), x)), {}}, options()),
                  "inner", "vec"));
  CHECK(has(Space({"second", {x}, map_n(2, first, slide(all(2, 2), all(2, 2), x)), {}}, options()), "inner",
            "vec"));
}

}  // namespace space_block_test
