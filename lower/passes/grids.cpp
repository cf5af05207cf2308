#include "lower/passes/grids.hpp"

#include <algorithm>

#include "ir/limit_error.hpp"
#include "lower/analyses/registers.hpp"
#include "lower/launches.hpp"

namespace lift {
namespace {

using Sizes = std::array<std::size_t, 3>;

/// Work-items (groups) of a loop: the largest value of its trip count, or those that its iterations are dealt
/// to.
std::size_t extent(const For& f) {
  const Nat trips = f.upper - f.lower;
  const auto bound = trips.constant() ? trips.constant() : Facts().bounds(trips).upper;
  if (!bound)
    throw UserError("grid: the loop over " + f.var.str() + " runs " + trips.str() +
                    " times, which has no known bound; fix the size");
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(*bound, 1));
  return f.items > 0 ? std::min(n, static_cast<std::size_t>(f.items)) : n;
}

std::string shown(const Sizes& s) {
  return std::to_string(s[0]) + " x " + std::to_string(s[1]) + " x " + std::to_string(s[2]);
}

/// Threads of a block where the kernel leaves them open: whole warps along dimension 0 that leave few of them
/// idle.
Sizes free_block(const Sizes& global) {
  constexpr std::size_t kThreads = 128;
  const auto padded = [&](std::size_t l) { return (global[0] + l - 1) / l * l; };
  Sizes block{kThreads, 1, 1};
  for (const std::size_t l : {std::size_t{64}, std::size_t{32}})
    if (padded(l) < padded(block[0])) block[0] = l;
  while (block[0] > 1 && block[0] / 2 >= global[0]) block[0] /= 2;
  for (std::size_t d = 1; d < 3; ++d)
    while (block[0] * block[1] * block[2] < kThreads && block[d] < global[d]) block[d] *= 2;
  return block;
}

constexpr std::size_t kThreadRegisters = 255, kBlockRegisters = 65536;  ///< of 32 bits, from sm_50 on

/// Bytes of arrays in local memory, each up to where the next may begin; 0 where some are of unknown size.
std::int64_t local_bytes(const Kernel& k) {
  constexpr std::int64_t kUnit = NDRange::kLocalAlignment;
  std::int64_t bytes = 0;
  bool known = true;
  visit(k.body, [&](const Stmt& s) {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (!a || a->space != AddressSpace::Local) return;
    const auto n = Layout({}, a->type).size().constant();
    known = known && n;
    const std::int64_t own = n.value_or(0) * static_cast<std::int64_t>(size_of(element_of(a->type).scalar()));
    bytes += (own + kUnit - 1) / kUnit * kUnit;
  });
  return known ? bytes : 0;
}

/// Where local memory leaves room for few groups on a multiprocessor: for how many registers have to last.
/// Left to itself, ptxas saves registers for more groups than there can be, and spills for them.
std::size_t resident_groups(const Kernel& k, std::size_t threads) {
  constexpr std::int64_t kLocalBytes = std::int64_t{163} * 1024,
                         kOfSystem = 1024;  // sm_80, the least of those with much of it
  constexpr std::int64_t kFew = 8;
  constexpr std::size_t kThreads = 768;  // 85 registers each
  const std::int64_t by_local = kLocalBytes / (local_bytes(k) + kOfSystem);
  if (by_local > kFew) return 0;
  return std::clamp<std::size_t>(kThreads / threads, 1,
                                 static_cast<std::size_t>(std::max<std::int64_t>(by_local, 1)));
}

/// What CUDA, where the size of a group is fixed, needs beyond OpenCL: a block size, whole blocks, and not
/// too many.
void fit_groups(const Kernel& k, NDRange& r) {
  if (r.local[0] == 0) r.local = free_block(r.global);
  for (std::size_t& l : r.local) l = std::max<std::size_t>(l, 1);
  const auto refuse = [&](const std::string& what) {
    throw LimitError("CUDA: kernel " + k.name + " " + what);
  };
  if (const std::size_t threads = r.local[0] * r.local[1] * r.local[2]; threads > 1024 || r.local[2] > 64)
    refuse("has blocks of " + shown(r.local) +
           " threads, more than the 1024 (64 along dimension 2) that there are; choose a smaller tile");
  const std::size_t threads = r.local[0] * r.local[1] * r.local[2],
                    available = std::min(kThreadRegisters, kBlockRegisters / threads);
  if (const auto needed = static_cast<std::size_t>(least_registers(k)); needed > available)
    refuse("holds values in " + std::to_string(needed) + " registers a thread at once, where blocks of " +
           std::to_string(threads) + " threads have " + std::to_string(available) +
           " each; choose a smaller tile, or fewer cells an item");
  r.resident = resident_groups(k, threads);
  for (std::size_t d = 0; d < 3; ++d) {
    r.global[d] = (r.global[d] + r.local[d] - 1) / r.local[d] * r.local[d];
    const std::size_t blocks = r.global[d] / r.local[d], most = d == 0 ? 0x7fffffff : 65535;
    if (blocks > most)
      refuse("needs " + std::to_string(blocks) + " blocks along dimension " + std::to_string(d) +
             ", where at most " + std::to_string(most) + " are possible; put a shorter loop there");
  }
}

}  // namespace

NDRange nd_range(const Kernel& kernel, Target target) {
  NDRange r;
  Sizes groups{1, 1, 1};
  std::array<bool, 3> global{}, grouped{};
  visit(kernel.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    if (!f || f->kind < LoopKind::Glb) return;
    if (f->dim < 0 || f->dim > 2)
      throw UserError("grid: there are three dimensions, " + std::to_string(f->dim) + " was asked for");
    const auto d = static_cast<std::size_t>(f->dim);
    r.dims = std::max(r.dims, f->dim + 1);
    const std::size_t n = extent(*f);
    (f->kind == LoopKind::Glb ? global : grouped)[d] = true;
    if (f->kind == LoopKind::Glb) r.global[d] = std::max(r.global[d], n);
    if (f->kind == LoopKind::Wrg) groups[d] = std::max(groups[d], n);
    if (f->kind == LoopKind::Lcl) r.local[d] = std::max(r.local[d], n);
  });
  for (std::size_t d = 0; d < 3; ++d)
    if (global[d] && grouped[d])
      throw UserError("grid: map_glb and map_wrg or map_lcl share dimension " + std::to_string(d) +
                      "; give each its own");
  if (grouped[0] || grouped[1] || grouped[2])
    for (std::size_t d = 0; d < static_cast<std::size_t>(r.dims); ++d) {
      r.local[d] = std::max<std::size_t>(r.local[d], 1);
      r.global[d] = std::max(r.global[d], groups[d] * r.local[d]);
    }
  const Capabilities& has = capabilities(target);
  if (has.fixed_group_size) fit_groups(kernel, r);
  const auto local = static_cast<std::size_t>(local_bytes(kernel));
  if (has.declared_local_bytes > 0 && local > has.declared_local_bytes) r.local_bytes = local;
  return r;
}

std::array<std::size_t, 3> dividing_group(const std::array<std::size_t, 3>& global, std::size_t most) {
  constexpr std::size_t kWarp = 32;
  Sizes group{1, 1, 1};
  std::size_t left = std::max<std::size_t>(most, 1);
  for (std::size_t d = 0; d < 3; ++d) {
    std::size_t best = 1;
    for (std::size_t n = 1; n <= std::min(left, global[d]); ++n) {
      const bool whole = n % kWarp == 0, best_is_whole = best % kWarp == 0;
      if (global[d] % n == 0 && (whole || !best_is_whole || d > 0)) best = n;
    }
    group[d] = best, left /= best;
  }
  return group;
}

void size_grids(Kernel& k, Target target) {
  k.body = map_launches(k.body, [&](Launch& l) { l.range = nd_range(one_launch(k, l), target); });
}

std::size_t extent(const NDRange& r, const GridAxis& a) {
  const auto d = static_cast<std::size_t>(a.dim);
  return a.kind == LoopKind::Glb   ? r.global[d]
         : a.kind == LoopKind::Wrg ? r.global[d] / std::max<std::size_t>(r.local[d], 1)
                                   : r.local[d];
}

std::vector<GridAxis> axes_of(const Launch& l) {
  std::array<bool, 3> global{};
  visit(l.body, [&](const Stmt& s) {
    if (const auto* f = std::get_if<For>(&s.v); f && f->kind == LoopKind::Glb)
      global.at(static_cast<std::size_t>(f->dim)) = true;
  });
  std::vector<GridAxis> r;
  for (int d = 0; d < l.range.dims; ++d)
    for (const LoopKind kind : {LoopKind::Glb, LoopKind::Wrg, LoopKind::Lcl})
      if ((kind == LoopKind::Glb) == global.at(static_cast<std::size_t>(d)) && extent(l.range, {kind, d}) > 1)
        r.push_back({kind, d});
  return r;
}

}  // namespace lift
