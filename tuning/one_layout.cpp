#include "tuning/one_layout.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "ir/error.hpp"
#include "rewrite/space/keys.hpp"
#include "tuning/explore.hpp"

namespace lift {

std::vector<LayoutRequest> layouts_for(const std::vector<Program>& programs, const Machine& machine,
                                       Target target, const GridDeviceInfo* device) {
  std::vector<LayoutRequest> r{kCallersLayout};
  for (const Program& p : programs) {
    const Space space = make_space(p, target, machine, std::nullopt, device);
    for (const Parameter& parameter : space.parameters()) {
      if (parameter.key->name != key::layout.name) continue;
      for (const Setting& s : parameter.values) {
        const LayoutRequest layout = parse_layout(parameter.key->text(s));
        if (std::find(r.begin(), r.end(), layout) == r.end()) r.push_back(layout);
      }
    }
  }
  return r;
}

namespace {

constexpr double kFirstRound = 0.4;    ///< of the budget
constexpr double kMayBeBest = 1.1;     ///< times the least cost
constexpr double kLeastSeconds = 0.1;  ///< a turn goes on until it has something
constexpr double kEqually = 0.4;       ///< of a round: shared by operators whatever they weigh

/// Explorations of the operators in layouts, within seconds that are shared by weight.
class LayoutRounds {
 public:
  LayoutRounds(std::size_t layouts, std::vector<double> applied,
               const std::function<double(const LayoutTurn&)>& ms_of)
      : applied_(std::move(applied)), ms_(layouts, std::vector<double>(applied_.size())), ms_of_(ms_of) {}

  double cost(std::size_t layout) const {
    return std::inner_product(applied_.begin(), applied_.end(), ms_[layout].begin(), 0.0);
  }
  std::vector<double> costs(std::size_t layout) const {
    std::vector<double> r = applied_;
    for (std::size_t op = 0; op < r.size(); ++op) r[op] *= ms_[layout][op];
    return r;
  }

  /// When the time is over a turn still finds something where `also_late`. UserError is handed to `none`, and
  /// the layout's other operators are left out.
  void explore(const std::vector<std::size_t>& layouts,
               const std::function<std::vector<double>(std::size_t)>& weights, double until_seconds,
               const std::function<bool(std::size_t)>& also_late,
               const std::function<void(std::size_t, const UserError&)>& none) {
    double to_come = static_cast<double>(layouts.size());
    for (const std::size_t layout : layouts) {
      const std::vector<double> all = weights(layout);
      const double whole = std::accumulate(all.begin(), all.end(), 0.0);
      double later = to_come - 1;  // turns to come, in units of a layout
      to_come -= 1;
      std::vector<double> shares;
      for (const double w : all)
        shares.push_back(kEqually / static_cast<double>(all.size()) + (1 - kEqually) * w / whole);
      for (std::size_t op = 0; op < shares.size(); ++op) {
        const double left =
            std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(op), shares.end(), later);
        const double left_seconds = until_seconds - elapsed();
        if (left_seconds <= 0 && !also_late(layout)) {
          none(layout, UserError("the budget was used up before it was explored; give a larger --budget"));
          break;
        }
        const double seconds = std::max(left_seconds * shares[op] / left, kLeastSeconds);
        try {
          ms_[layout][op] = ms_of_({layout, op, seconds});
        } catch (const UserError& e) {
          none(layout, e);
          break;
        }
      }
    }
  }
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::vector<double> applied_;
  std::vector<std::vector<double>> ms_;  ///< by layout and operator
  const std::function<double(const LayoutTurn&)>& ms_of_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

LayoutChoice choose_layout(const std::vector<LayoutRequest>& layouts, std::size_t operators,
                           const std::vector<double>& given, double budget_seconds,
                           const std::function<double(const LayoutTurn&)>& ms_of) {
  const std::vector<double> applied = given.empty() ? std::vector<double>(operators, 1) : given;
  LayoutChoice choice;
  std::vector<std::size_t> all;
  for (const LayoutRequest& layout : layouts) all.push_back(all.size()), choice.costs.push_back({layout});
  LayoutRounds rounds(layouts.size(), applied, ms_of);
  rounds.explore(
      all, [&](std::size_t) { return applied; }, (all.size() > 1 ? kFirstRound : 1) * budget_seconds,
      [](std::size_t layout) { return layout == 0; },
      [&](std::size_t layout, const UserError& e) {
        if (layout == 0) throw e;
        choice.costs[layout].why_not = e.what();
      });
  const auto settle = [&] {
    for (std::size_t l = 0; l < layouts.size(); ++l)
      if (choice.costs[l].why_not.empty()) choice.costs[l].ms = rounds.cost(l);
    choice.best = 0;
    for (std::size_t l = 1; l < layouts.size(); ++l)
      if (choice.costs[l].why_not.empty() && choice.costs[l].ms < choice.costs[choice.best].ms)
        choice.best = l;
  };
  settle();
  std::erase_if(all, [&](std::size_t l) {
    return !choice.costs[l].why_not.empty() || choice.costs[l].ms > kMayBeBest * choice.costs[choice.best].ms;
  });
  if (layouts.size() > 1)  // an operator that has no variant within its share this time had one before
    rounds.explore(
        all, [&](std::size_t l) { return rounds.costs(l); }, budget_seconds,
        [](std::size_t) { return false; }, [](std::size_t, const UserError&) {});
  settle();
  return choice;
}

}  // namespace lift
