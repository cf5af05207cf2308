#include "embed/default_variant.hpp"

#include <algorithm>

#include "embed/compiler.hpp"
#include "ir/error.hpp"
#include "patterns/host_data.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/analysis/nest.hpp"
#include "rewrite/rules/layout_step.hpp"
#include "rewrite/space/space.hpp"
#include "tuning/explore.hpp"

namespace lift {
namespace {

LowerOptions lower_options(Target target) {
  LowerOptions options;
  options.target = target;
  if (this_machine().vector_bytes > 0) options.vector_bytes = this_machine().vector_bytes;
  options.least_shared = kLeastShared;
  return options;
}

constexpr std::int64_t kWorthThreads =
    8192;  ///< elements: below, starting threads takes longer than the work

/// Of the results; of updates one after the other, of the blocks that they replace.
std::int64_t elements_of(const Program& program) {
  std::int64_t elements = 0;
  const std::vector<Place> sweeps = sweeps_of(program.body);
  for (std::size_t s = 0; s < sweeps.size(); ++s) {
    const Program sweep = single_sweep(program, s);
    const Nest nest = main_nest(sweep.body);
    if (nest.update && nest.above_update == 0 && results_of(program).size() == 1)
      elements += host::count(part_at(sweep.body, *nest.update).child(1).type());
    else
      for (const ProgramResult& r : results_of(sweep)) elements += host::count(r.type);
  }
  return elements;
}
bool is_small(const Program& program) {
  return sizes_of(program).empty() && elements_of(program) < kWorthThreads;
}

Derivation by_one_thread(Derivation d) {
  for (Step& s : d)
    if (s.rule == "map-par") s.rule = "map-seq";
  return d;
}

std::vector<Derivation> guesses(const Program& program, const LayoutRequest& layout, const TargetDevice& on) {
  std::vector<Derivation> r;
  const bool small = !is_grid(on.target) && is_small(program);
  try {
    const Space space = make_space(program, on.target, this_machine(), layout, on.device);
    for (const Configuration& c : space.seeds()) {
      try {
        r.push_back(small ? by_one_thread(space.derive(c)) : space.derive(c));
      } catch (const UserError&) {  // a guard refuses: the next one
      }
    }
  } catch (const UserError&) {  // a program without a main nest, say
  }
  return r;
}

}  // namespace

ChosenVariant variant_by(const Program& program, const Derivation& derivation, const TargetDevice& on) {
  return {derivation, lower(replay(program, derivation), lower_options(on.target))};
}

ChosenVariant default_variant(const Program& program, const LayoutRequest& layout, const TargetDevice& on) {
  std::optional<ChosenVariant> beside;  // of several results, an update among them need not be in place
  for (const Derivation& d : guesses(program, layout, on)) {
    try {
      ChosenVariant v = variant_by(program, d, on);
      const bool in_place =
          std::any_of(v.kernel.arguments.begin(),
                      v.kernel.arguments.begin() + static_cast<std::ptrdiff_t>(program.arguments.size()),
                      [](const KernelArgument& a) { return a.written; });
      if (program.overwritable.empty() || in_place) return v;
      if (!beside && results_of(program).size() > 1) beside = std::move(v);
    } catch (const UserError&) {  // the decisions cannot be met
    }
  }
  if (beside) return std::move(*beside);
  Derivation stored;
  if (layout != kCallersLayout) stored.push_back(layout_step(layout));
  if (!program.overwritable.empty()) {
    try {
      Derivation in_place{Step{"update-in-place", {}, {}}};
      in_place.insert(in_place.end(), stored.begin(), stored.end());
      return variant_by(program, in_place, on);
    } catch (const UserError&) {  // not provably: into a new array
    }
  }
  // As it is written; of several sweeps, all but the last into arrays of their own.
  Derivation plain;
  const std::vector<Place> sweeps = sweeps_of(program.body);
  for (std::size_t i = 0; i + 1 < sweeps.size(); ++i) plain.push_back({"to-global", {}, sweeps[i]});
  plain.insert(plain.end(), stored.begin(), stored.end());
  return variant_by(program, plain, on);
}

}  // namespace lift
