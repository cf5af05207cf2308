#include "lower/analyses/written_out.hpp"

#include <unordered_map>

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

constexpr double kMost = 1 << 18;  // a compiler takes minutes for it

using Sizes = std::unordered_map<std::uint32_t, double>;

double written_out(const Term& t, Sizes& known) {
  if (const auto at = known.find(t->id); at != known.end()) return at->second;
  double n = 1;
  for (const Term& a : t->args) n += written_out(a, known);
  return known[t->id] = n;
}

}  // namespace

void check_written_out(const Block& b) {
  Sizes known;
  visit(b, [&](const Stmt& s) {
    visit_values(s, [&](const Term& t) {
      if (written_out(t, known) > kMost)
        throw UserError("a value takes more than " + std::to_string(static_cast<int>(kMost)) +
                        " operations, since choices (select, pads, guards) compute again what their parts "
                        "share; make a stage of it, by a map of its own: let stage = ... in ...");
    });
  });
}

}  // namespace lift
