#include "rewrite/rules/rules.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "ir/error.hpp"
#include "rewrite/rules/holes.hpp"

namespace lift {
namespace {

[[gnu::constructor(101)]] void make_holes() {
  using namespace holes::made;
  f = hole("f"), g = hole("g"), h = hole("h"), xs = hole("xs"), ys = hole("ys"), zs = hole("zs"),
  z = hole("z");
  a = hole("a"), b = hole("b"), c = hole("c");
}

}  // namespace

const std::vector<Rule>& all_rules() {
  static const auto& rules = *new std::vector<Rule>(for_ever([] {
    std::vector<Rule> all;
    for (auto group : {map_rules, reduce_rules, scan_rules, fission_rules, iterate_rules, stage_rules,
                       time_rules, band_rules, wrap_rules, overwrite_rules, load_rules, structure_rules,
                       slide_rules, rank_rules, block_rules, lowering_rules, grid_rules, program_rules})
      for (Rule& r : group()) all.push_back(std::move(r));
    return all;
  }));
  return rules;
}

namespace {

/// What refers to a rule that another has taken the place of stays valid.
struct Kept {
  std::mutex mutex;
  std::deque<Rule> all;
  std::map<std::string, const Rule*> latest;
  std::deque<Held<Expr>> sides;
};
Kept& kept() {
  static auto& k = *new Kept;
  return k;
}
const Rule* find_kept(const std::string& name) {
  const std::lock_guard lock(kept().mutex);
  const auto at = kept().latest.find(name);
  return at == kept().latest.end() ? nullptr : at->second;
}

bool same_sides(const Rule& a, const Rule& b) {
  return !a.sides.empty() && a.exact == b.exact && a.maths == b.maths && !a.guard && !b.guard &&
         std::equal(a.sides.begin(), a.sides.end(), b.sides.begin(), b.sides.end(),
                    [](const Sides& x, const Sides& y) { return x.lhs == y.lhs && x.rhs == y.rhs; });
}

}  // namespace

void keep_rules(const std::vector<Rule>& rules) {
  for (const Rule& r : rules)
    for (const Rule& of_library : all_rules())
      if (r.name == of_library.name)
        throw UserError("rule " + r.name +
                        ": the library has one of this name, see liftgen rules; choose another");
  const std::lock_guard lock(kept().mutex);
  for (const Rule& r : rules) {
    const Rule*& latest = kept().latest[r.name];
    if (latest != nullptr && same_sides(*latest, r)) continue;
    latest = &kept().all.emplace_back(r);
    for (const Sides& s : r.sides) kept().sides.emplace_back(s.lhs), kept().sides.emplace_back(s.rhs);
  }
}
std::vector<Rule> kept_rules() {
  const std::lock_guard lock(kept().mutex);
  std::vector<Rule> rules;
  for (const auto& entry : kept().latest) rules.push_back(*entry.second);
  return rules;
}

namespace {

/// Letters of a in b, in order: a cheap likeness of names.
std::size_t common(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (const char c : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t up = row[j + 1];
      row[j + 1] = c == b[j] ? diagonal + 1 : std::max(row[j], up);
      diagonal = up;
    }
  }
  return row.back();
}

}  // namespace

const Rule& find_rule(const std::string& name) {
  static const auto& index = *new std::map<std::string, const Rule*>([] {
    std::map<std::string, const Rule*> m;
    for (const Rule& r : all_rules()) m.emplace(r.name, &r);
    return m;
  }());
  if (const auto it = index.find(name); it != index.end()) return *it->second;
  if (const Rule* own = find_kept(name)) return *own;
  const Rule* best = nullptr;
  std::size_t most = 0;
  const std::vector<Rule> own = kept_rules();
  std::vector<const Rule*> rules;
  for (const Rule& r : all_rules()) rules.push_back(&r);
  for (const Rule& r : own) rules.push_back(&r);
  for (const Rule* r : rules)
    if (const std::size_t n = 2 * common(name, r->name) * 100 / (name.size() + r->name.size() + 1);
        !best || n > most)
      best = r, most = n;
  throw UserError("rule '" + name + "' does not exist; did you mean " + best->name +
                  "? See: liftgen rules. A rule of your own is given with its file: --rules FILE");
}

std::vector<std::string> lint(const std::vector<Rule>& rules) {
  std::vector<std::string> complaints;
  std::set<std::string> names;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> seen;
  for (const Rule& r : rules) {
    const auto complain = [&](const std::string& what) { complaints.push_back(r.name + ": " + what); };
    if (!names.insert(r.name).second) complain("a second rule of this name");
    if (r.maths.empty()) complain("says no maths");
    const int kinds = (r.sides.empty() ? 0 : 1) + (r.construct ? 1 : 0) + (r.on_program ? 1 : 0);
    if (kinds != 1)
      complain(kinds == 0 ? "can never fire: neither sides nor a function" : "is defined in two ways");
    if (r.guard && r.when.empty()) complain("its guard is not said in words");
    for (const Sides& s : r.sides) {
      const Holes left = holes_of(s.lhs), right = holes_of(s.rhs);
      const auto has = [](const std::vector<std::string>& all, const std::string& n) {
        return std::find(all.begin(), all.end(), n) != all.end();
      };
      for (const std::string& n : right.exprs)
        if (!has(left.exprs, n)) complain("hole " + n + " is unbound");
      for (const std::string& n : right.nats)
        if (!has(left.nats, n) && std::none_of(r.parameters.begin(), r.parameters.end(),
                                               [&](const RuleParameter& p) { return p.name == n; }))
          complain("natural " + n + " is unbound");
      for (const RuleParameter& p : r.parameters)
        if (!has(left.nats, p.name) && !has(right.nats, p.name))
          complain("parameter " + p.name + " is not used");
      if (s.lhs == s.rhs) complain("changes nothing");
      if (s.lhs.is(Op::Hole)) complain("its left side matches everything");
      const auto [it, added] = seen.emplace(std::make_pair(s.lhs.id(), s.rhs.id()), r.name);
      if (!added) complain("unreachable: the same sides as " + it->second);
    }
  }
  return complaints;
}

}  // namespace lift
