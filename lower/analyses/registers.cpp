// Liveness of named values, backwards through the statements; loops twice, for what the next iteration needs.
#include "lower/analyses/registers.hpp"

#include <algorithm>
#include <map>

namespace lift {
namespace {

int words(Scalar s, int width) { return static_cast<int>((size_of(s) + 3) / 4) * width; }

class Liveness {
 public:
  explicit Liveness(const Kernel& k) {
    Values none;
    block(k.body, none);
  }
  int most = 0;

 private:
  using Values = std::map<std::string, int>;  ///< alive, with their registers

  static int sum(const Values& live) {
    int n = 0;
    for (const auto& [name, registers] : live) n += registers;
    return n;
  }
  /// Registers to compute t, its operands in the order that takes fewest (Sethi, Ullman: The generation of
  /// optimal code for arithmetic expressions, 1970). Named values are counted as alive, not here.
  int needed(const Term& t) {
    const auto known = needed_.find(t->id);
    if (known != needed_.end()) return known->second;
    const int own = words(t->type, t->width);
    int n = t->kind == TermKind::Local || t->kind == TermKind::Constant || t->kind == TermKind::Argument
                ? 0
                : own;
    std::vector<std::pair<int, int>> operands;  // to compute it, to keep it
    for (const Term& a : t->args) {
      const int to_compute = needed(a);
      operands.emplace_back(to_compute, to_compute == 0 ? 0 : words(a->type, a->width));
    }
    std::sort(operands.begin(), operands.end(),
              [](const auto& a, const auto& b) { return a.first - a.second > b.first - b.second; });
    int kept = 0;
    for (const auto& [to_compute, to_keep] : operands) n = std::max(n, kept + to_compute), kept += to_keep;
    return needed_[t->id] = std::max(n, kept);
  }
  void use(const Term& t, Values& live) {
    visit(t, [&](const Term& x) {
      if (x->kind == TermKind::Local) live[x->name] = words(x->type, x->width);
    });
    const int result = t->kind == TermKind::Local
                           ? 0
                           : std::min(needed(t), words(t->type, t->width));  // may be where an operand was
    most = std::max(most, sum(live) + needed(t) - result);
  }
  void define(const Term& local, const Term& value, Values& live) {
    live.erase(local->name);
    use(value, live);
  }
  /// From what is alive after b to what is alive before it.
  void block(const Block& b, Values& live) {
    for (auto s = b.rbegin(); s != b.rend(); ++s) {
      if (const auto* x = std::get_if<Let>(&s->v)) define(x->local, x->value, live);
      if (const auto* x = std::get_if<Declare>(&s->v)) define(x->local, x->value, live);
      if (const auto* x = std::get_if<Assign>(&s->v)) define(x->local, x->value, live);
      if (const auto* x = std::get_if<Store>(&s->v)) use(x->value, live);
      if (const auto* x = std::get_if<If>(&s->v)) {
        Values taken = live;
        block(x->body, taken);
        live.merge(taken);
        for (const Term& c : x->conditions) use(c, live);
      }
      if (const auto* x = std::get_if<For>(&s->v)) {
        Values around = live;
        block(x->body, around);
        around.merge(Values(live));
        block(x->body, around);
        live.merge(around);
      }
    }
  }
  std::map<std::uint32_t, int> needed_;
};

}  // namespace

int least_registers(const Kernel& k) { return Liveness(k).most; }

}  // namespace lift
