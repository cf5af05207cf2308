// Rules of one's own, as text: equations in the language of .lift files, over variables.
//
//   // two maps become one
//   fuse-pair: map(f) |> map(g) = map(f |> g)
//   chunks(k in {16, 64}): map(f) = split(k) |> map(map(f)) |> join
//   regroup approximately: (a + b) + c = a + (b + c)
//
// Names that the language does not know are variables: of arrays, functions, values, and of numbers where a
// length is written. A side without its array, map(f), is a function; then the other side is one, too.
// docs/WRITING_RULES.md says more.
#pragma once

#include "rewrite/engine/rule.hpp"

namespace lift {

/// The rules of a text, in order. Numbers without a type of their own are those of the program that a rule is
/// applied to, f32 or f64. UserError, at its place: the text does not follow the grammar, a name is not
/// known, a variable of the right side is not bound, a rule of the library has the same name.
std::vector<Rule> parse_rules(const std::string& text, const std::string& file = "rules");

}  // namespace lift
