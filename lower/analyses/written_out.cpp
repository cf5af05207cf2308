#include "lower/analyses/written_out.hpp"

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

constexpr double kMost = 1 << 18;  // a compiler takes minutes for it

}  // namespace

double WrittenOut::operations(const Term& t) {
  if (const auto at = known_.find(t->id); at != known_.end()) return at->second;
  double n = 1;
  for (const Term& a : t->args) n += operations(a);
  return known_[t->id] = n;
}

void check_written_out(const Block& b) {
  WrittenOut all;
  visit(b, [&](const Stmt& s) {
    visit_values(s, [&](const Term& t) {
      if (all.operations(t) > kMost)
        throw UserError("a value takes more than " + std::to_string(static_cast<int>(kMost)) +
                        " operations, since choices (select, pads, guards) compute again what their parts "
                        "share; make a stage of it, by a map of its own: let stage = ... in ...");
    });
  });
}

}  // namespace lift
