#include "rewrite/analysis/decided.hpp"

#include <unordered_map>

#include "ir/expr/ops.hpp"

namespace lift {
namespace {

class Undecided {
 public:
  Expr operator()(const Expr& e) {
    if (const auto at = known_.find(e.id()); at != known_.end()) return at->second;
    Expr x = map_children(e, [&](const Expr& child) { return (*this)(child); });
    x = without_decision(x);
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
    if (found.empty() && is_low_level(e.op())) found = text(e.op());
  });
  return found;
}

Program undecided(const Program& program) {
  Program p = program;
  p.body = Undecided()(program.body);
  return p;
}

}  // namespace lift
