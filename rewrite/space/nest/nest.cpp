// Loops over cells: how a configuration is derived.
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/common/common.hpp"
#include "rewrite/space/decisions/decisions.hpp"
#include "rewrite/space/reduction/reduction.hpp"

namespace lift {
namespace {

/// The steps of a sweep: the shape of its nest, how its loops run, then its inner loop.
void derive_sweep(NestDeriver& d, const NestFacts& f, const Configuration& c) {
  if (c[key::buffer]) {
    take(decisions::buffer(), d, f, c);
  } else {
    take({&decisions::tile(), &decisions::local(), &decisions::block()}, d, f, c);
    d.nest_loops();
    take({&decisions::order(), &decisions::items(), &decisions::grid(), &decisions::parallel(),
          &decisions::deal(), &decisions::copy()},
         d, f, c);
    if (!d.inner_is_item) run_inner(d, f, c, d.loop(d.inner()));
  }
  take(decisions::dynamic(), d, f, c);
}

}  // namespace

Rewriting cells::derive(const Rewriting& start, const NestFacts& f, const Configuration& c) {
  NestDeriver d(start, f);
  if (goes_in_one_group(f, c)) return derive_in_one_group(d, f, c), d.result();
  if (goes_in_groups(f, c)) return groups::derive(start, f, c);
  derive_reductions(d, f, c);  // first: it has the places in the program as it was
  if (!f.on_grid()) derive_reductions_beside_loops(d, is_vector(c) ? c[key::width] : 1);
  take(decisions::in_place(), d, f, c);
  const std::vector<Place> sweeps = sweeps_of(d.part({}));
  for (std::size_t s = 0; s < sweeps.size(); ++s) {
    const NestFacts here = f.of_sweep(s);
    d.begin(sweeps[s], here);
    derive_sweep(d, here, c);
    const bool is_read_soon = (c[key::rings] || !c[key::phases].empty()) && s + 1 < sweeps.size();
    if (!is_read_soon) take(decisions::stream(), d, here, c);
    if (const Nest n = d.nest(); f.on_grid() && n.update) copy_base(d, *n.update);
  }
  run_other_loops(d, f, {!c[key::parallel].names.empty(), is_vector(c), is_solo(c), c[key::width]});
  // Layouts last: arguments have other names by them.
  take({&decisions::joined(), &decisions::readonly(), &decisions::time(), &decisions::team(),
        &decisions::layout()},
       d, f, c);
  run_scans(d);
  take(decisions::stages(), d, f, c);
  return d.result();
}

void run_inner(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place& place) {
  take({&decisions::inner(), &decisions::unroll(), &decisions::kcache(), &decisions::late(),
        &decisions::prefetch()},
       d, f, c, place);
}

}  // namespace lift
