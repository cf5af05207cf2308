// Typing rules, one per shape of primitive; the op table says which op uses which.
#pragma once

#include "ir/expr/ops.hpp"

namespace lift::typing {

#define LIFT_TYPE_RULE(name) Type name(Op op, std::span<const Expr> c, const Attr& a)
LIFT_TYPE_RULE(
    declared);  // the type is the first attribute type: params, bound variables, literals, holes, casts
LIFT_TYPE_RULE(integer);  // i32
LIFT_TYPE_RULE(lambda);
LIFT_TYPE_RULE(apply);
LIFT_TYPE_RULE(let);
LIFT_TYPE_RULE(tuple);
LIFT_TYPE_RULE(get);
LIFT_TYPE_RULE(zip);
LIFT_TYPE_RULE(unzip);
LIFT_TYPE_RULE(at);
LIFT_TYPE_RULE(split);
LIFT_TYPE_RULE(join);
LIFT_TYPE_RULE(slide);
LIFT_TYPE_RULE(pad);
LIFT_TYPE_RULE(drop);
LIFT_TYPE_RULE(transpose);
LIFT_TYPE_RULE(rearranged);  // the type of the only child, an array of the op's rank
LIFT_TYPE_RULE(generate);
LIFT_TYPE_RULE(gather);  // an array, an i32 for each of `rank` dimensions, of constant the value
LIFT_TYPE_RULE(concat);
LIFT_TYPE_RULE(interleave);
LIFT_TYPE_RULE(update);
LIFT_TYPE_RULE(map);
LIFT_TYPE_RULE(reduce);
LIFT_TYPE_RULE(scan);
LIFT_TYPE_RULE(iterate);
LIFT_TYPE_RULE(identity);    // the type of the only child
LIFT_TYPE_RULE(band);        // the same, of a chain with a shift for each stage
LIFT_TYPE_RULE(arithmetic);  // scalar operands of one type, which is the result's
LIFT_TYPE_RULE(real);        // the same, of f32 or f64
LIFT_TYPE_RULE(comparison);  // scalar operands of one type -> bool
LIFT_TYPE_RULE(logical);     // bool operands -> bool
LIFT_TYPE_RULE(select);
LIFT_TYPE_RULE(cast);
LIFT_TYPE_RULE(user_fun);
#undef LIFT_TYPE_RULE

/// What lengths have to be for a node's rule to hold, as far as they do not tell: it is refused only where
/// they cannot be that.
std::vector<NatCond> needs_of(const Expr& e);

}  // namespace lift::typing
