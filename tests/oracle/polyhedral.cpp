#include "tests/oracle/polyhedral.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

#include "compare/affine.hpp"
#include "ir/expr/layout.hpp"

namespace lift::oracle {

using namespace affine;  // NOLINT: this file speaks its language

namespace {

/// One element: `stage2[4, 3]`, or with parameters `stage2[4, 3] : colour = 1`.
std::string example(const isl::union_set& s) {
  std::ostringstream out;
  out << isl::union_set(s.sample_point().to_set());
  const std::string text = out.str();
  const auto from = text.find("{ ") + 2;
  return text.substr(from, text.rfind(" }") - from);
}

isl::union_map at_one_of(const isl::union_map& m) {
  const isl::union_set one(m.wrap().sample_point().to_set());
  return one.unwrap();
}

/// What two iterations that may run at the same time both touch, and at least one writes.
std::string race_in(const Reader& r, const isl::union_map& reads, const isl::union_map& writes) {
  struct Shared {
    isl::union_map iterations;
    std::size_t outer;
    bool turns;
  };
  std::map<int, Shared> loops;  // by the loop; all those of a team together
  for (std::size_t n = 0; n < r.statements.size(); ++n)
    for (const ParallelLoop& p : r.statements[n].parallel) {
      const Statement& s = r.statements[n];
      Texts iteration(s.variables.begin(), s.variables.begin() + static_cast<std::ptrdiff_t>(p.shared));
      iteration.push_back(p.turns ? s.variables[p.depth - 1] : std::to_string(p.id));
      iteration.push_back(s.variables[p.depth]);
      Texts names{"S" + std::to_string(n)};
      for (std::size_t m = 0; m < s.loads.size(); ++m) names.push_back(names[0] + "L" + std::to_string(m));
      for (const std::string& name : names) {
        const isl::union_map is(writes.ctx(),
                                r.relation(tuple(name, s.variables) + " -> " + tuple("", iteration), {}));
        const auto [at, added] =
            loops.emplace(p.team ? -static_cast<int>(p.shared) : p.id, Shared{is, p.shared, p.turns});
        if (!added) at->second.iterations = at->second.iterations.unite(is);
      }
    }
  for (const auto& [id, shared] : loops) {
    const isl::union_map changed = writes.apply_domain(shared.iterations),
                         touched = changed.unite(reads.apply_domain(shared.iterations));
    Texts one, other, same;
    for (std::size_t d = 0; d < shared.outer + 2; ++d) {
      one.push_back("a" + std::to_string(d)), other.push_back("b" + std::to_string(d));
      if (d < shared.outer) same.push_back(one[d] + " = " + other[d]);
    }
    const auto pair = [&](const std::string& sign, const std::string& between, const std::string& next) {
      return "(" + one[shared.outer] + sign + other[shared.outer] + between + one[shared.outer + 1] + next +
             other[shared.outer + 1] + ")";
    };
    same.push_back(shared.turns
                       ? "(" + pair(" < ", " and ", " > ") + " or " + pair(" > ", " and ", " < ") + ")"
                       : pair(" != ", " or ", " != "));
    const isl::union_map others(writes.ctx(), r.relation(tuple("", one) + " -> " + tuple("", other), same));
    const isl::union_map meet = changed.apply_range(touched.reverse()).intersect(others);
    if (meet.is_empty()) continue;
    const isl::union_map both = at_one_of(meet);
    const isl::union_set element = changed.intersect_domain(both.domain())
                                       .range()
                                       .intersect(touched.intersect_domain(both.range()).range());
    return "iterations " + example(both.wrap()) + " of parallel loops both touch " + example(element);
  }
  return "";
}

/// Of each load, the last store to its cell before it. Of all stores, the one with the greatest date: isl's
/// own analysis (union_access_info) asks that dates be either text or loop, and takes a loop of which a
/// statement is in one iteration only for text.
isl::union_map last_before(const isl::union_map& reads, const isl::union_map& writes,
                           const isl::union_map& dates, std::size_t length) {
  Texts now, then;
  for (std::size_t d = 0; d < length; ++d)
    now.push_back("n" + std::to_string(d)), then.push_back("t" + std::to_string(d));
  std::string before = "false", same = "true";
  for (std::size_t d = 0; d < length; ++d) {
    before += " or (" + same + " and " + then[d] + " < " + now[d] + ")";
    same += " and " + then[d] + " = " + now[d];
  }
  const isl::union_map earlier(reads.ctx(),
                               "{ " + tuple("", now) + " -> " + tuple("", then) + " : " + before + " }");
  const isl::union_map stores = dates.intersect_domain(writes.domain());
  return reads.apply_range(writes.reverse())
      .apply_range(stores)
      .intersect(dates.intersect_domain(reads.domain()).apply_range(earlier))
      .lexmax()
      .apply_range(stores.reverse());
}

}  // namespace

std::size_t stages_in(const Kernel& loops) {
  const Reader r(loops);
  return static_cast<std::size_t>(
      std::count_if(r.statements.begin(), r.statements.end(), [](const Statement& s) { return !s.copy; }));
}

Flow flow_of(isl::ctx ctx, const Kernel& loops, const Kernel& placed, std::size_t rank, std::size_t stages) {
  const Reader r(loops), positions(placed);
  if (r.statements.size() != positions.statements.size())
    throw std::runtime_error("isl is not told of loops that are others where they are placed");
  const auto relation = [&](const std::string& from, const std::string& to, const Texts& conditions = {}) {
    return isl::union_map(ctx, r.relation(from + " -> " + to, conditions));
  };
  const auto empty = [&] { return isl::union_map(ctx, "{ }"); };
  isl::union_map reads = empty(), writes = empty(), dates = empty(), names = empty(), copies = empty(),
                 origins = empty();
  std::size_t length = 0;
  for (const Statement& s : r.statements) length = std::max(length, s.date.size());
  const auto dated = [&](Texts date, const char* last) {
    date.resize(length, "0");
    date.emplace_back(last);
    return tuple("", date);
  };
  std::map<std::string, std::size_t> dimensions;  // of each array's cells
  const std::size_t again = stages == 0 ? 0 : stages_in(loops) - stages;
  std::size_t stage = 0;
  for (std::size_t n = 0; n < r.statements.size(); ++n) {
    const Statement& s = r.statements[n];
    const std::string store = "S" + std::to_string(n), self = tuple(store, s.variables);
    stage += s.copy ? 0 : 1;
    const std::string name = "stage" + std::to_string(again > 0 && stage > stages ? stage - again : stage);
    const Texts& all = positions.statements[n].position;
    const Texts position(all.end() - static_cast<std::ptrdiff_t>(std::min(rank, all.size())), all.end());
    writes = writes.unite(relation(self, tuple(s.array, s.cell), s.domain));
    dates = dates.unite(relation(self, dated(s.date, "1")));
    if (!s.copy) names = names.unite(relation(self, tuple(name, position)));
    dimensions[s.array] = s.cell.size();
    for (std::size_t m = 0; m < s.loads.size(); ++m) {
      const Load& l = s.loads[m];
      const std::string loads = tuple(store + "L" + std::to_string(m), s.variables);
      Texts conditions = s.domain;
      conditions.insert(conditions.end(), l.conditions.begin(), l.conditions.end());
      reads = reads.unite(relation(loads, tuple(l.array, l.cell), conditions));
      dates = dates.unite(relation(loads, dated(s.date, "0")));
      dimensions[l.array] = l.cell.size();
      if (s.copy)
        copies = copies.unite(relation(self, loads));
      else
        names = names.unite(relation(loads, tuple(name + "_load" + std::to_string(m), position)));
    }
  }
  const std::string race = race_in(r, reads, writes);  // while all reads are within loops
  for (std::size_t n = 0; n < loops.results.size(); ++n)
    for (const KernelArgument& a : loops.arguments) {
      if (a.name != loops.results[n]) continue;
      Texts indices, within;
      for (const Nat& extent : shape_of(a.type)) {
        indices.push_back("i" + std::to_string(indices.size()));
        within.push_back("0 <= " + indices.back() + " < " + extent.str());
      }
      const std::string end = tuple("result" + std::to_string(n), indices);
      reads = reads.unite(relation(end, tuple(a.name, indices), within));
      dates = dates.unite(relation(end, dated({"1000000"}, "0")));
      names = names.unite(relation(end, end));
      dimensions[a.name] = indices.size();
    }
  for (const auto& [array, rank] : dimensions) {
    Texts indices;
    for (std::size_t d = 0; d < rank; ++d) indices.push_back("i" + std::to_string(d));
    const std::string origin = (r.own.count(array) ? "nothing_" : "given_") + array;
    origins = origins.unite(relation(tuple(array, indices), tuple(origin, indices)));
    names = names.unite(relation(tuple(origin, indices), tuple(origin, indices)));
  }

  const isl::union_map stored = last_before(reads, writes, dates, length + 1);
  const isl::union_map initial = reads.subtract_domain(stored.domain()).apply_range(origins),
                       all = stored.unite(initial);
  isl::union_map values = all;
  for (std::size_t n = 0; n < r.statements.size(); ++n) {  // copies of copies
    const isl::union_map copied = values.intersect_range(copies.domain());
    if (copied.is_empty()) break;
    values = values.subtract(copied).unite(copied.apply_range(copies).apply_range(all));
  }
  return {values.apply_domain(names).apply_range(names).coalesce(), writes.domain().apply(names).coalesce(),
          race};
}

std::string difference(const Flow& expected, const Flow& found) {
  const isl::union_map other = found.values.subtract(expected.values);
  if (!other.is_empty()) {
    const isl::union_map wrong = at_one_of(other);
    const isl::union_map right = expected.values.intersect_domain(wrong.domain());
    return example(wrong.domain()) + " gets " + example(wrong.range()) +
           (right.is_empty() ? ", and should not be" : " instead of " + example(right.range()));
  }
  const isl::union_set missing = expected.computed.subtract(found.computed);
  if (!missing.is_empty()) return example(missing) + " is never computed";
  const isl::union_map unread = expected.values.subtract(found.values);
  if (!unread.is_empty()) return example(unread.domain()) + " gets nothing";
  return found.race;
}

}  // namespace lift::oracle
