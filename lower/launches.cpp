#include "lower/launches.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/reserved_words.hpp"
#include "lower/launches/distribute.hpp"
#include "lower/launches/hand_over.hpp"
#include "lower/launches/parts.hpp"
#include "lower/loops/distinct_names.hpp"
#include "lower/loops/visit.hpp"

namespace lift {

void separate_launches(Kernel& k) {
  if (std::none_of(k.body.begin(), k.body.end(), holds_grid)) return;
  k.body = distributed(k.body, Positions::Logical);
  hand_over(k, k.body);
  k.body = distinct_names(k.body);  // what is handed over is another value in each launch
}

namespace {

Kernel renamed(Kernel k) {
  if (is_library_name(k.name, Target::opencl)) k.name += "_kernel";  // of OpenCL C or CUDA C++
  return k;
}

/// Names of indices, of which there are none outside of launches, written out in a loop's bounds.
void write_out_bounds(For& loop, const Block& before) {
  for (auto s = before.rbegin(); s != before.rend(); ++s) {
    const auto* l = std::get_if<Let>(&s->v);
    if (!l || l->local->kind != TermKind::Index) continue;
    const Nat& name = l->local->nats[0];
    if (!mentions(loop.lower, name) && !mentions(loop.upper, name)) continue;
    if (l->value->kind != TermKind::Index)
      throw UserError("the number of launches in the loop over " + loop.var.str() + ", " + loop.upper.str() +
                      ", is computed from data");
    const Nat& value = l->value->nats[0];
    loop.lower = substitute(loop.lower, name, value), loop.upper = substitute(loop.upper, name, value);
  }
}

/// The launches of a block, and the host's loops around some of them; without names. What is computed before
/// a loop is computed within it.
Block separated(const Kernel& k, const Block& b, const std::vector<std::string>& steps) {
  const std::vector<int> launch = launches_of(b);
  Block r;
  for (const int which : distinct(launch)) {
    const Part p = part_of(b, launch, which);
    if (!p.missing.empty())
      throw InternalError("launches: " + *p.missing.begin() +
                          " is set in one launch and used in another in kernel " + k.name);
    Block own = statements(b, p);
    const auto at = std::find_if(own.begin(), own.end(), is_host_loop);
    if (at == own.end()) {
      r.push_back({Launch{"", {}, std::move(own), steps}});
      continue;
    }
    For loop = std::get<For>(at->v);
    own.erase(at);
    write_out_bounds(loop, own);
    loop.body.insert(loop.body.begin(), own.begin(), own.end());
    std::vector<std::string> inner = steps;
    inner.push_back(loop.var.str());
    loop.body = separated(k, loop.body, inner);
    r.push_back({std::move(loop)});
  }
  return r;
}

/// The variables of the host's loops have names that no argument has: a launch is given them as one.
Block with_step_names(const Block& b, const Kernel& k) {
  std::set<std::string> taken(k.sizes.begin(), k.sizes.end());
  taken.insert(k.name);
  for (const KernelArgument& a : k.arguments) taken.insert(a.name);
  for (const Attr& f : k.user_functions) taken.insert(user_name(f));
  return rebuild(b, [&](Stmt s) -> Block {
    if (!is_host_loop(s)) return {std::move(s)};
    For f = std::get<For>(std::move(s.v));
    std::string name = "turn";
    for (int n = 2; !taken.insert(name).second; ++n) name = "turn" + std::to_string(n);
    const Nat var = Nat::fresh(name, f.lower, f.upper - 1);
    f.body = substitute(f.body, f.var, var), f.var = var;
    return {{std::move(f)}};
  });
}

template <class F>
void visit_launches(Block& b, const F& f) {
  for (Stmt& s : b) {
    if (auto* l = std::get_if<Launch>(&s.v)) f(*l);
    if (auto* loop = std::get_if<For>(&s.v)) visit_launches(loop->body, f);
  }
}

/// As launches and loops of the host's, named in their order.
Block named_launches(const Kernel& k) {
  Block r = separated(k, with_step_names(distributed(k.body, Positions::Flat), k), {});
  int count = 0, number = 0;
  visit_launches(r, [&](const Launch&) { ++count; });
  visit_launches(r, [&](Launch& l) { l.name = k.name + (count > 1 ? "_" + std::to_string(++number) : ""); });
  return r;
}

}  // namespace

std::vector<Kernel> launches(const Kernel& k) {
  if (std::none_of(k.body.begin(), k.body.end(), holds_grid)) return {renamed(k)};
  std::vector<Kernel> r;
  Block all = named_launches(k);
  visit_launches(all, [&](Launch& l) {
    Kernel one = k;
    one.name = l.name, one.body = std::move(l.body);
    for (const std::string& step : l.steps) one.arguments.push_back(step_argument(step));
    r.push_back(renamed(std::move(one)));
  });
  return r;
}

Block split_launches(const Kernel& k) {
  if (std::none_of(k.body.begin(), k.body.end(), holds_grid))
    return {{Launch{renamed(k).name, {}, k.body, {}}}};
  // By what is done: a launch that does the same, and is given as many steps, has the same name.
  std::map<std::pair<std::size_t, std::string>, std::string> names;
  Block r = named_launches(k);
  visit_launches(r, [&](Launch& l) {
    Kernel one = k;
    one.name = l.name;
    l.name =
        names.emplace(std::pair(l.steps.size(), str(l.body)), renamed(std::move(one)).name).first->second;
  });
  return r;
}

Block map_launches(const Block& b, const std::function<void(Launch&)>& f) {
  Block r = b;
  visit_launches(r, f);
  return r;
}

std::vector<Launch> launches_in(const Kernel& k) {
  std::vector<Launch> r;
  Block all = k.body;
  visit_launches(all, [&](Launch& l) { r.push_back(std::move(l)); });
  if (r.empty()) throw InternalError("kernel " + k.name + " has not been lowered for a grid");
  return r;
}

KernelArgument step_argument(const std::string& name) {
  KernelArgument a;
  a.name = name, a.type = Type(i32), a.read = true;
  return a;
}

Kernel one_launch(const Kernel& k, Launch l) {
  Kernel one = k;
  one.name = std::move(l.name), one.body = std::move(l.body);
  for (const std::string& step : l.steps) one.arguments.push_back(step_argument(step));
  return one;
}

std::vector<LaunchCall> launch_calls(const Kernel& k, const std::map<std::string, std::int64_t>& numbers) {
  std::vector<LaunchCall> calls;
  std::map<const NatAtom*, std::int64_t> at;
  std::vector<std::int64_t> steps;
  const auto value = [&](const Nat& n) {
    return evaluate(n, [&](const NatAtom& v) {
      const auto it = at.find(&v);
      if (it != at.end()) return it->second;
      const auto number = numbers.find(v.name);
      if (number == numbers.end())
        throw InternalError("launches of kernel " + k.name + ": nothing is known of " + v.name);
      return number->second;
    });
  };
  std::size_t next = 0;  // launch of the text
  const std::function<void(const Block&)> go = [&](const Block& b) {
    for (const Stmt& s : b) {
      if (std::holds_alternative<Launch>(s.v)) calls.push_back({next++, steps});
      const auto* f = std::get_if<For>(&s.v);
      if (!f) continue;
      const std::size_t first = next;
      const NatAtom* variable = variables(f->var)[0];
      const std::int64_t upper = value(f->upper), step = value(f->step);
      for (std::int64_t v = value(f->lower); v < upper; v += step) {
        next = first, at[variable] = v, steps.push_back(v);
        go(f->body);
        steps.pop_back();
      }
      next = first;
      visit(f->body, [&](const Stmt& x) { next += std::holds_alternative<Launch>(x.v) ? 1 : 0; });
    }
  };
  go(k.body);
  return calls;
}

}  // namespace lift
