#include "lower/passes/index_width.hpp"

#include "lower/analyses/index_range.hpp"

namespace lift {
namespace {

bool is_solo(const Kernel& k) {
  bool groups = false, items = false;
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    groups |= f && f->kind == LoopKind::Wrg;
    items |= f && (f->kind == LoopKind::Lcl || f->kind == LoopKind::Glb);
  });
  return groups && !items;
}

}  // namespace

bool needs_wide_indices(const Kernel& k, Target target) {
  return !indices_fit_int(k) || (capabilities(target).processors && is_solo(k));
}

}  // namespace lift
