#include "lower/lower.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/sizes.hpp"
#include "ir/expr/verify.hpp"
#include "ir/verify_mode.hpp"
#include "lower/analyses/written_out.hpp"
#include "lower/launches.hpp"
#include "lower/loops/on_stack.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/free_reserved_names.hpp"
#include "lower/passes/grids.hpp"
#include "lower/passes/index_width.hpp"
#include "lower/passes/pair_accesses.hpp"
#include "lower/passes/pipeline.hpp"
#include "lower/passes/place_barriers.hpp"
#include "lower/passes/split_lanes.hpp"
#include "lower/translate/translate.hpp"
#include "rewrite/analysis/bands.hpp"
#include "rewrite/analysis/rings.hpp"

namespace lift {
namespace {

std::vector<SharedArray> written_arrays(const Kernel& k) {
  std::vector<SharedArray> all;
  for (const KernelArgument& a : k.arguments)
    if (a.written || a.work) all.push_back({a.name, a.work});
  return all;
}

/// A store under a mask reads what it leaves as it was.
void mark_reads(Kernel& k) {
  visit(k.body, [&](const Stmt& s) {
    visit_accesses(s, [&](const ElementAccess& x) {
      for (KernelArgument& a : k.arguments) a.read |= !x.store && a.name == x.array;
    });
  });
}

// What a pass is: over the body, over the body beside the kernel's arguments, over that of each launch.
std::function<void(Kernel&)> over(Block (*pass)(const Block&)) {
  return [pass](Kernel& k) { k.body = pass(k.body); };
}
std::function<void(Kernel&)> over(Block (*pass)(const Block&, const Kernel&)) {
  return [pass](Kernel& k) { k.body = pass(k.body, k); };
}
std::function<void(Kernel&)> each_launch(const std::function<Block(const Launch&, const Kernel&)>& pass) {
  return [pass](Kernel& k) { k.body = map_launches(k.body, [&](Launch& l) { l.body = pass(l, k); }); };
}
std::function<void(Kernel&)> each_launch(Block (*pass)(const Block&)) {
  return each_launch([pass](const Launch& l, const Kernel&) { return pass(l.body); });
}

void check_on_stack_of(Kernel& k) { check_on_stack(k); }

/// The order, and why.
std::vector<Pass> passes(const LowerOptions& options) {
  const bool edges = options.target && capabilities(*options.target).grid_dimensions == 0;
  std::vector<Pass> all{
      {"eliminate-dead-code", over(eliminate_dead_code)},  // what is not kept needs no loops
      {"join-loops", over(join_loops)},                    // while positions are those of the arrays
      {"contract-arrays",
       [options](Kernel& k) {
         if (options.contract) contract_arrays(k);
       }},  // of stages that share a loop now
      {"reuse-arrays",
       [options, edges](Kernel& k) {
         if (options.contract && edges) reuse_arrays(k);
       }},                                         // of those that are still arrays
      {"fold-dimensions", over(fold_dimensions)},  // while loops over the grid are as long as their maps
      {"limit-grids", over(limit_grids)},          // before barriers: items go on to others
      {"unroll-short-loops", over(unroll_short_loops)},  // before guards become bounds that are no constants
      {"forward-stores", over(forward_stores)},          // of rows that are written out
      {"eliminate-dead-code", over(eliminate_dead_code)},  // elements that are at hand
      {"keep-read-soon", over(keep_read_soon)},            // what is still loaded
      {"tighten-bounds", over(tighten_bounds)},            // every later pass gains from exact trip counts
      {"rows-abreast",
       [options](Kernel& k) {
         if (!options.target || !is_grid(*options.target)) k.body = rows_abreast(k.body);
       }},                                                   // while borders are loops, too
      {"remove-trivial-loops", over(remove_trivial_loops)},  // a tile as long as its axis is one iteration
      {"stride-loops", over(stride_loops)},  // needs the guard around the whole body: before loops are split
      {"unswitch-loops", over(unswitch_loops)},  // of rows, before elements at boundaries are apart
      {"split-boundaries",
       [edges](Kernel& k) { k.body = split_boundaries(k.body, edges); }},  // on positions, where the boundary
                                                                           // can still be seen
      {"split-residues", over(split_residues)},                            // once boundaries are apart
      {"place-barriers",
       [](Kernel& k) {
         k.body = place_barriers(k.body, written_arrays(k));
       }},                                   // where it can still be seen
                                             // which item accesses an element
      {"rotate-loops", over(rotate_loops)},  // of the interior; where barriers are, others may have stored
      {"prefetch-loops", over(prefetch_loops)},  // of what is still loaded
  };
  if (!options.linear) return all;
  const std::vector<Pass> flat{
      {"linearise", linearise, Form::Flat},
      {"vectorise",
       [options](Kernel& k) {
         k.body = vectorise(k.body, k, options);
         mark_reads(k);
       },
       Form::Vectors},                                       // unit stride shows in the flat index
      {"remove-trivial-loops", over(remove_trivial_loops)},  // remainders of one iteration
      {"eliminate-common-subexpressions", over(eliminate_common_subexpressions)},
      {"bound-trips", over(bound_trips)},                      // of what a group's items share
      {"hoist-loop-invariants", over(hoist_loop_invariants)},  // it hides what the others look for
  };
  all.insert(all.end(), flat.begin(), flat.end());
  return all;
}

/// Those that a target needs besides, by what it has.
std::vector<Pass> passes_for(Target target) {
  const Capabilities& has = capabilities(target);
  const Pass names{"free-reserved-names", [target](Kernel& k) { free_reserved_names(k, target); }};
  const Pass unrolling{"choose-unrolling",
                       [target](Kernel& k) { k.body = choose_unrolling(k.body, target); }};
  if (has.grid_dimensions == 0)
    return {
        names,
        {"collapse-loops", over(collapse_loops)},  // those that are worth it
        {"form-doacross", over(form_doacross)},    // which loops threads share has been said
        {"form-teams", over(form_teams)},
        {"place-scratch", place_scratch},        // which loops threads share has been said
        {"fence-streams", over(fence_streams)},  // within the iterations that threads share
        unrolling,
    };
  std::vector<Pass> all{
      names,  // while all is in one place
      {"choose-index-width", [target](Kernel& k) { k.wide_indices = needs_wide_indices(k, target); }},
      {"split-launches", [](Kernel& k) { k.body = split_launches(k); }},
  };
  const auto add = [&](const std::vector<Pass>& more) { all.insert(all.end(), more.begin(), more.end()); };
  if (!has.vector_arithmetic)
    add({
        {"split-lanes", each_launch(split_lanes)},
        {"pair-accesses",
         each_launch([](const Launch& l, const Kernel& k) { return pair_accesses(l.body, k); })},
        {"propagate-copies", each_launch(propagate_copies)},  // lanes of what is loaded as a vector
        {"eliminate-common-subexpressions",
         each_launch(eliminate_common_subexpressions)},  // lanes that are used more than once
    });
  if (has.asynchronous_copies && !has.copies_by_groups)
    add({{"widen-copies", each_launch(widen_copies)}});  // of what is copied element by element until here
  add({{"size-grids", [target](Kernel& k) { size_grids(k, target); }}});  // of the values it holds at once
  if (has.copies_by_groups) add({{"copy-rows", each_launch(copy_rows)}});
  add({
      {"hoist-local-arrays", each_launch(hoist_local_arrays)},  // out of what is guarded
      {"guard-idle-items", each_launch([](const Launch& l, const Kernel&) { return guard_idle_items(l); })},
      {"deal-iterations", each_launch([](const Launch& l, const Kernel&) { return deal_iterations(l); })},
      unrolling,                              // of the loops over what was dealt, too
      {"check-on-stack", check_on_stack_of},  // of a work-item
  });
  return all;
}

}  // namespace

Kernel for_target(Kernel k, Target target) {
  if (k.target == target) return k;
  if (k.target) throw InternalError("kernel " + k.name + " is for " + text(*k.target) + " already");
  run_passes(k, passes_for(target), Form::Vectors);
  k.target = target;
  return k;
}

Kernel finish(Kernel k, const LowerOptions& options) {
  k.least_shared = options.least_shared;
  run_passes(k, passes(options));
  check_written_out(k.body);
  return options.target ? for_target(std::move(k), *options.target) : k;
}

Kernel lower(const Program& program, const LowerOptions& options) {
  verify(program);
  const Program scheduled = scheduled_program(program);
  check_bands(scheduled);
  check_rings(scheduled);
  Kernel k = translate(program);
  if (!k.sizes.empty()) k.needs = preconditions(program);
  k.body = eliminate_dead_code(k.body);  // a value that nothing uses may lie in another tile
  if (verify_steps()) verify(k, Form::Positions, "translate");
  return finish(std::move(k), options);
}

namespace {

bool is_split(const Layout& l) { return l.request().kind == LayoutRequest::Kind::Split; }

}  // namespace

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
    if (d + 1 == shape.size() && (is_split(from) || is_split(to)))
      f.stride = 2;  // a colour after the other: neighbours in the half that holds it
    position.push_back(f.var);
    loops.push_back(std::move(f));
  }
  Block b{{Store{"to", position, load_term("from", position, element_of(array).scalar()), false}}};
  for (std::size_t d = shape.size(); d-- > 0;) {
    loops[d].body = std::move(b);
    b = {{std::move(loops[d])}};
  }
  k.body = std::move(b);
  return finish(std::move(k), {.target = Target::openmp});
}

}  // namespace lift
