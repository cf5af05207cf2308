#include "rewrite/space/deriver.hpp"

#include <algorithm>

namespace lift {
namespace {

void collect(const Expr& e, Op op, Place& at, std::vector<Place>& found) {
  if (e.is(op)) found.push_back(at);
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    collect(e.child(i), op, at, found);
    at.pop_back();
  }
}

}  // namespace

Place below(const Place& around, const Place& place) {
  Place r = around;
  r.insert(r.end(), place.begin(), place.end());
  return r;
}

Place body_of(Place map) { return below(map, {0, 0}); }
Place argument_of(Place map) { return below(map, {1}); }
Place array_of(Place reduction) { return below(reduction, {2}); }
Place initial_of(Place reduction) { return below(reduction, {1}); }
Place content_of(Place wrapped) { return below(wrapped, {0}); }
Place let_value(Place let) { return below(let, {0}); }
Place let_body(Place let) { return below(let, {1, 0}); }
Place component_of(Place tuple, int n) { return below(tuple, {n}); }

void Deriver::step(const std::string& rule, const Arguments& arguments, const Place& place) {
  now_ = run(use(rule, arguments), std::move(now_), place);
}

bool Deriver::try_step(const std::string& rule, const Arguments& arguments, const Place& place) {
  const auto r = use(rule, arguments)(now_, place);
  if (r) now_ = *r;
  return static_cast<bool>(r);
}

void Deriver::nest_all() {
  for (;;) {
    const Nest n = nest();
    const auto it = std::find_if(n.levels.begin(), n.levels.end(),
                                 [](const NestLevel& l) { return l.extents.size() > 1; });
    if (it == n.levels.end()) return;
    step("map-nest", it->place);
  }
}

bool find_place(const Expr& e, const std::function<bool(const Expr&)>& p, Place& at) {
  if (p(e)) return true;
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    if (find_place(e.child(i), p, at)) return true;
    at.pop_back();
  }
  return false;
}

std::vector<Place> places_of(const Deriver& d, const Place& below, Op op) {
  std::vector<Place> found;
  Place at = below;
  collect(d.part(below), op, at, found);
  return found;
}

}  // namespace lift
