#include "rewrite/analysis/stages.hpp"

#include <algorithm>

#include "ir/expr/ops.hpp"
#include "rewrite/analysis/nest.hpp"

namespace lift {
namespace {

constexpr std::size_t kMostStages = 4;
constexpr std::int64_t kMostReads =
    1000;  ///< elements of the first stage's input, read for one of the result

bool is_stage(const Expr& e) {
  if (!e.is(Op::Let) || !e.child(0).type().is_array() || !e.type().is_array() ||
      element_of(e.type()).is_tuple())
    return false;
  const auto other = [](const Expr& x) {
    return is_update(x.op()) || is_scan(x.op()) || is_reduce(x.op()) || x.is(Op::Iterate);
  };
  return contains(e.child(0), [](const Expr& x) { return is_map(x.op()); }) && !contains(e, other);
}
/// Elements that a function reads of its argument.
std::int64_t reads_in(const Expr& e) {
  std::int64_t n = 0;
  visit(e, [&](const Expr& x) { n += x.is(Op::At); });
  return std::max<std::int64_t>(n, 1);
}

void find_stages(const Expr& e, Place& at, std::vector<Place>& found) {
  const bool stage = is_stage(e);
  if (stage) found.push_back(at);
  for (std::size_t i = stage ? 1 : 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    find_stages(e.child(i), at, found);
    at.pop_back();
  }
}

}  // namespace

std::vector<Place> stages_of(const Expr& body) {
  std::vector<Place> found;
  Place at;
  find_stages(body, at, found);
  std::int64_t reads = 1;
  for (const Place& p : found)
    reads = std::min<std::int64_t>(kMostReads + 1, reads * reads_in(part_at(body, p).child(0)));
  return found.size() > kMostStages || reads > kMostReads ? std::vector<Place>{} : found;
}

Rewriting with_stages_fused(Rewriting start) {
  for (std::vector<Place> stages; !(stages = stages_of(start.program.body)).empty();)
    start = run(use("let-inline"), start, stages.back());
  return start;
}

std::optional<std::int64_t> elements_of_stages(const Expr& body) {
  std::int64_t n = 0;
  for (const Place& p : stages_of(body))
    for (const Type& t : component_arrays(part_at(body, p).child(0).type())) {
      std::int64_t product = 1;
      for (const Nat& length : shape_of(t)) {
        if (!length.is_constant()) return std::nullopt;
        product *= *length.constant();
      }
      n += product;
    }
  return n;
}

}  // namespace lift
