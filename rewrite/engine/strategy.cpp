#include "rewrite/engine/strategy.hpp"

#include <unordered_set>

#include "ir/error.hpp"
#include "rewrite/engine/catalogue.hpp"

namespace lift {

Strategy use(const std::string& name, const Arguments& arguments) {
  const Rule& r = find_rule(name);
  return [&r, arguments](const Rewriting& before, const Place& focus) -> Result<Rewriting> {
    const auto after = apply(r, before.program, focus, arguments);
    if (!after) return Failure{r.name + " at " + str(focus) + ": " + after.reason()};
    Rewriting next{*after, before.steps};
    next.steps.push_back({r.name, arguments, focus});
    return next;
  };
}

Strategy seq(std::vector<Strategy> parts) {
  return [parts = std::move(parts)](const Rewriting& before, const Place& focus) {
    Result<Rewriting> r = before;
    for (const Strategy& s : parts) {
      r = s(*r, focus);
      if (!r) break;
    }
    return r;
  };
}

Strategy choice(std::vector<Strategy> parts) {
  return [parts = std::move(parts)](const Rewriting& before, const Place& focus) -> Result<Rewriting> {
    std::string reasons;
    for (const Strategy& s : parts) {
      const auto r = s(before, focus);
      if (r) return r;
      reasons += (reasons.empty() ? "" : "; or ") + r.reason();
    }
    return Failure{reasons};
  };
}

Strategy repeat(Strategy s) {
  return [s = std::move(s)](const Rewriting& before, const Place& focus) -> Result<Rewriting> {
    Rewriting now = before;
    for (int n = 0; n < 10000; ++n) {
      const auto r = s(now, focus);
      if (!r) return now;
      now = *r;
    }
    return Failure{"repeat at " + str(focus) + ": still applies after 10000 times"};
  };
}

Strategy at(const Place& below, Strategy s) {
  return [below, s = std::move(s)](const Rewriting& before, const Place& focus) {
    Place place = focus;
    place.insert(place.end(), below.begin(), below.end());
    return s(before, place);
  };
}

Strategy top_down(Strategy s) {
  return [s = std::move(s)](const Rewriting& before, const Place& focus) -> Result<Rewriting> {
    std::unordered_set<std::uint32_t> seen;  // a node met again by another path is not tried again
    std::string reason;
    const std::function<std::optional<Rewriting>(const Expr&, Place&)> go =
        [&](const Expr& e, Place& place) -> std::optional<Rewriting> {
      if (!seen.insert(e.id()).second) return std::nullopt;
      const auto here = s(before, place);
      if (here) return *here;
      if (reason.empty()) reason = here.reason();
      for (std::size_t i = 0; i < e.children().size(); ++i) {
        place.push_back(static_cast<int>(i));
        auto r = go(e.child(i), place);
        place.pop_back();
        if (r) return r;
      }
      return std::nullopt;
    };
    Place place = focus;
    if (auto r = go(part_at(before.program.body, focus), place)) return *r;
    return Failure{"nowhere below " + str(focus) + "; first tried: " + reason};
  };
}

Rewriting run(const Strategy& s, const Rewriting& r, const Place& focus) {
  auto after = s(r, focus);
  if (!after) throw UserError(after.reason());
  return *after;
}

}  // namespace lift
