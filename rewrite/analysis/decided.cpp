#include "rewrite/analysis/decided.hpp"

#include <unordered_map>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

bool is_decision(const Expr& e) { return row(e.op()).cls == OpClass::LowLevel; }

Expr without(const Expr& e) {
  const std::vector<Expr> children(e.children().begin(), e.children().end());
  if (is_identity(e.op())) return children[0];
  if (is_map(e.op())) return map_with(Op::Map, op_rank(e), children[0], children[1]);
  if (is_reduce(e.op())) return make(Op::Reduce, children);
  if (is_scan(e.op())) return make(is_backward(e.op()) ? Op::ScanBack : Op::Scan, children);
  if (is_update(e.op())) return make(Op::Update, children, e.attr());
  throw InternalError("undecided: " + std::string(text(e.op())) + " is a decision of no known kind");
}

class Undecided {
 public:
  Expr operator()(const Expr& e) {
    if (const auto at = known_.find(e.id()); at != known_.end()) return at->second;
    Expr x = map_children(e, [&](const Expr& child) { return (*this)(child); });
    if (is_decision(x)) x = without(x);
    known_.emplace(e.id(), x);
    return x;
  }

 private:
  std::unordered_map<std::uint32_t, Expr> known_;
};

}  // namespace

std::string decision_in(const Program& program) {
  std::string found;
  visit(program.body, [&](const Expr& e) {
    if (found.empty() && is_decision(e)) found = text(e.op());
  });
  return found;
}

Program undecided(const Program& program) {
  Program p = program;
  p.body = Undecided()(program.body);
  return p;
}

}  // namespace lift
