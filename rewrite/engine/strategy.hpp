// Strategies: which rule where. A strategy rewrites a program at a focus and records the steps it took.
#pragma once

#include "rewrite/engine/derivation.hpp"
#include "rewrite/engine/rule.hpp"

namespace lift {

/// A program on its way, and how it came there.
struct Rewriting {
  Program program;
  Derivation steps;
};

using Strategy = std::function<Result<Rewriting>(const Rewriting&, const Place& focus)>;

Strategy use(const std::string& rule,
             const Arguments& arguments = {});  ///< UserError for a rule that does not exist
Strategy seq(std::vector<Strategy> parts);      ///< one after the other, at the same focus
Strategy choice(std::vector<Strategy> parts);   ///< the first that applies
Strategy repeat(Strategy s);                    ///< s until it fails; at most 10000 times
Strategy at(const Place& below, Strategy s);    ///< at a place below the focus
Strategy top_down(Strategy s);                  ///< at the first place, outer before inner, where s applies

/// UserError with the failure's reason.
Rewriting run(const Strategy& s, const Rewriting& r, const Place& focus = {});

}  // namespace lift
