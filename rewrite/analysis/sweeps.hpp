// Programs of several sweeps: let x1 = s1 in let x2 = s2 in ... sn, where each sweep updates an array, as the
// half-sweeps of a symmetric smoother and the steps of a polynomial do. When every update may overwrite its
// base, a sweep is a kernel's loop nest that works on the arrays as the sweeps before left them.
#pragma once

#include "rewrite/engine/rule.hpp"

namespace lift {

/// Where each sweep stands, in order; one place, the empty one, for a program that is no such sequence.
std::vector<Place> sweeps_of(const Expr& body);

/// Sweep `n` by itself: the variables of the sweeps before stand for the arrays that these overwrite. The
/// program itself when it has one sweep.
Program single_sweep(const Program& program, std::size_t n);

/// Whether the sweeps may overwrite their arrays one after the other: no array is used under its old name
/// after it has been overwritten. Empty: they may; else the reason.
std::string why_not_one_after_the_other(const Program& program);

}  // namespace lift
