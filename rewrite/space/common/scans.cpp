// Scans without a decision become loops.
#include "ir/expr/ops.hpp"
#include "rewrite/space/common/common.hpp"

namespace lift {

void run_scans(Deriver& d, const ScanLoop& loop) {
  const auto undecided = [](const Expr& e) { return e.is(Op::Scan) || e.is(Op::ScanBack); };
  for (Place p; find_place(d.part({}), undecided, p); p.clear()) {
    d.step("scan-seq", p);
    if (loop.stored && rank_of(d.part(p).child(1).type()) == 0) d.step("scan-stored", p);
    if (loop.unroll > 1) d.step("scan-unroll", {loop.unroll}, p);
    if (loop.prefetch > 0) d.step("scan-prefetch", {loop.prefetch}, p);
  }
}

}  // namespace lift
