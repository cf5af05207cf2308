// Where named values and intermediate results live, said on the expression before it is translated: each one
// that is to be stored is marked to_private or to_global, unless whoever wrote it, or a rule, has said so.
// What carries no mark is kept in variables. Translation follows what is said, but for named values that the
// result itself is made of: these lie where it goes.
#pragma once

#include "ir/expr/program.hpp"

namespace lift {

/// The program with all storage decided. Computes the same.
///
///   let v = a in b     a in variables, when it has few scalars and b asks for them one by one, at numbers;
///                      in an array of an iteration's own, when it has few scalars otherwise; else in memory
///   let v = layout l a in b   in an array of its own in that layout: an iteration's or in memory, as above
///   f (scan ...)       the scan in memory, so that no element is computed twice; one that a map goes over,
///   alone
///                      or zipped, in variables: the map uses each element as it is computed
///   iterate T f x      the result of each step likewise, in two arrays that take turns
Program with_storage(const Program& program);

}  // namespace lift
