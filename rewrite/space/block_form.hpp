// Programs whose result is taken from joined blocks, brought into the form in which each cell makes one
// block.
#pragma once

#include "rewrite/engine/strategy.hpp"

namespace lift {

/// map_D f . drop_D (l, r) . join_D, the end of the thesis's prolongation, becomes join_D . map_D (map_D f .
/// ...): the loops run over cells and, within, over the elements of a block, so that no index has to be
/// divided. A program of another form, or one whose drop is not of one whole block, is returned as it is,
/// without a step.
Rewriting in_block_form(const Rewriting& start);

}  // namespace lift
