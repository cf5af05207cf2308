// Random instances of the rules' left sides, by group of rules; some of them violate the guard on purpose.
#pragma once

#include "tests/rewrite/fuzz.hpp"

namespace lift::test {

using Generators = std::map<std::string, std::function<Instance(Gen&)>>;
Generators map_generators();
Generators reduce_generators();
Generators scan_generators();
Generators iterate_generators();
Generators split_generators();
Generators drop_and_pad_generators();
Generators slide_generators();
Generators rank_generators();
Generators block_generators();
Generators lowering_generators();
Generators grid_generators();

Expr map_each(const Expr& f, const Expr& xs);  ///< map (map f) xs
Expr first_of(int rank, const Expr& e);        ///< map_D (get 0)
Type scalar_or_pair(Gen& g);
Boundary choosing(Gen& g);  ///< a boundary that only chooses an element
/// Of a pad, or of what is dropped, for arrays of a shape: no more than `b` admits.
std::vector<Nat> widths(Gen& g, const std::vector<Nat>& shape, int highest, Boundary b = Boundary::clamp);

}  // namespace lift::test
