#include "gmg/tune.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "embed/explore_expression.hpp"
#include "ir/error.hpp"
#include "runtime/interrupt.hpp"

namespace lift::gmg {

std::vector<std::string> tune(std::vector<CycleKernel> kernels, double seconds, const std::string& database,
                              Derivations& found) {
  double all = 0, chosen = 0;
  for (const CycleKernel& k : kernels) all += k.bytes;
  std::erase_if(kernels, [&](const CycleKernel& k) { return k.bytes < all / 50; });
  for (const CycleKernel& k : kernels) chosen += k.bytes;
  std::vector<std::string> lines;
  for (const CycleKernel& k : kernels) {
    if (interrupted()) break;
    ExpressionOptions options;
    options.budget = std::chrono::duration<double>(seconds * k.bytes / chosen);
    options.database = database;
    const Program program = k.kernel->program();
    const std::string what = program.name + " on " + k.where;
    try {
      const Tuned best = explore(program, options);
      k.kernel->make({.derivation = best.derivation, .or_default = true});  // as a second start makes it
      found[kernel_key(program)] = str(best.derivation);
      lines.push_back(fmt::format("{}: {:.3f} ms, {}", what, best.ms,
                                  best.report.best_caller
                                      ? best.report.variants[*best.report.best_caller].name
                                      : std::string("as it was known")));
    } catch (const UserError& e) {  // nothing was verified within its share: it stays as it is
      lines.push_back(what + ": stays as it is; " + e.what());
    }
  }
  return lines;
}

}  // namespace lift::gmg
