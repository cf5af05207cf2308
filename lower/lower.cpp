#include "lower/lower.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "ir/expr/verify.hpp"
#include "ir/verify_mode.hpp"
#include "lower/passes/pipeline.hpp"
#include "lower/passes/place_barriers.hpp"
#include "lower/translate/translate.hpp"

namespace lift {
namespace {

std::vector<std::string> work_arrays(const Kernel& k) {
  std::vector<std::string> all;
  for (const KernelArgument& a : k.arguments)
    if (a.work) all.push_back(a.name);
  return all;
}

/// The order, and why.
std::vector<Pass> passes(const Kernel& k, const LowerOptions& options) {
  return {
      {"drop-unread", drop_unread},          // what is not kept needs no loops
      {"fold-dimensions", fold_dimensions},  // while loops over the grid are as long as their maps
      {"unroll-short-loops",
       unroll_short_loops},                // before a short loop's guards become bounds that are no constants
      {"tighten-bounds", tighten_bounds},  // every later pass gains from exact trip counts
      {"remove-trivial-loops", remove_trivial_loops},  // a tile as long as its axis is one iteration
      {"stride-loops", stride_loops},  // needs the guard around the whole body, so before loops are split
      {"split-boundaries", split_boundaries},  // on logical positions, where the boundary can still be seen
      {"place-barriers",
       [&k](const Block& b) {
         return place_barriers(b, work_arrays(k));
       }},  // where it can still be seen which item accesses an element
      {"rotate-loops",
       [&k](const Block& b) {
         return rotate_loops(b, k);
       }},  // on the interior's loop and logical positions; where barriers are, others may have stored
      {"prefetch-loops", [&k](const Block& b) { return prefetch_loops(b, k); }},  // of what is still loaded
      {"linearise", [&k](const Block& b) { return linearise(b, k); }, Form::Flat},
      {"vectorise", [&](const Block& b) { return vectorise(b, k, options); },
       Form::Vectors},                                 // unit stride shows in the flat index
      {"remove-trivial-loops", remove_trivial_loops},  // remainders of one iteration
      {"name-values", name_values},
      {"name-indices", name_indices},  // last: it hides what the others look for
  };
}

}  // namespace

void run_passes(Kernel& k, const std::vector<Pass>& passes, Form form) {
  using Clock = std::chrono::steady_clock;
  const char* wanted = std::getenv("LIFTGEN_PRINT_AFTER");
  const bool times = std::getenv("LIFTGEN_TIME_PASSES") != nullptr;
  for (const Pass& p : passes) {
    const auto start = Clock::now();
    k.body = p.run(k.body);
    const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
    form = p.makes.value_or(form);
    if (wanted && (std::string(wanted) == "all" || p.name == wanted))
      std::cerr << "-- after " << p.name << "\n" << str(k);
    if (times) std::cerr << "-- " << p.name << " of " << k.name << ": " << taken.count() << " ms\n";
    if (verify_steps()) verify(k, form, p.name);
  }
}

Kernel lower(const Program& program, const LowerOptions& options) {
  verify(program);
  Kernel k = translate(program);
  if (verify_steps()) verify(k, Form::Positions, "translate");
  std::vector<Pass> all = passes(k, options);
  if (!options.linear)
    all.erase(std::find_if(all.begin(), all.end(), [](const Pass& p) { return p.name == "linearise"; }),
              all.end());
  run_passes(k, all);
  return k;
}

Kernel finish(Kernel k, const LowerOptions& options) {
  run_passes(k, passes(k, options));
  return k;
}

Kernel lower_conversion(const std::string& name, const Type& array, const Layout& from, const Layout& to) {
  Kernel k;
  k.name = name, k.results = {"to"};
  k.arguments = {{"from", array, from, false, true, {}}, {"to", array, to, true, false, {}}};
  const std::vector<Nat> shape = shape_of(array);
  std::vector<For> loops;
  std::vector<Nat> position;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    For f;
    f.var =
        Nat::fresh(std::string(1, "ijkbcd"[std::min<std::size_t>(5, shape.size() - 1 - d)]), 0, shape[d] - 1);
    f.lower = 0, f.upper = shape[d];
    f.kind = d < 2 && d + 1 < shape.size() ? LoopKind::Par : LoopKind::Seq;
    position.push_back(f.var);
    loops.push_back(std::move(f));
  }
  Block b{{Store{"to", position, load_term("from", position, element_of(array).scalar()), false}}};
  for (std::size_t d = shape.size(); d-- > 0;) {
    loops[d].body = std::move(b);
    b = {{std::move(loops[d])}};
  }
  k.body = std::move(b);
  return finish(std::move(k), {});
}

}  // namespace lift
