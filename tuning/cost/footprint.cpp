#include "tuning/cost/footprint.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace lift {
namespace {

/// An access with the trips of the loops around it.
struct Placed {
  const ArrayUse* access;
  std::vector<double> trips;  ///< as many as strides
};

void collect(const CostNest& nest, std::vector<double>& trips, std::vector<Placed>& all) {
  for (const ArrayUse& a : nest.accesses) all.push_back({&a, trips});
  for (const auto& child : nest.children) {
    trips.push_back(child->trips);
    collect(*child, trips, all);
    trips.pop_back();
  }
}

/// A direction in which an array is gone through.
struct Direction {
  double stride, trips;
  bool inner;
};

/// Directions of ascending strides; those that continue one another are one.
std::vector<Direction> directions(const Placed& p, std::size_t outer) {
  std::vector<Direction> all;
  for (std::size_t l = 0; l < p.access->strides.size(); ++l)
    if (const double s = std::abs(p.access->strides[l]); s > 0) all.push_back({s, p.trips[l], l >= outer});
  std::sort(all.begin(), all.end(),
            [](const Direction& a, const Direction& b) { return a.stride < b.stride; });
  std::vector<Direction> r;
  for (const Direction& d : all) {
    if (!r.empty() && r.back().inner && d.inner && d.stride <= r.back().stride * r.back().trips + 1e-6)
      r.back().trips += d.stride * (d.trips - 1) / r.back().stride;
    else
      r.push_back(d);
  }
  return r;
}

/// Lines of accesses of one array that differ by constants only, over the loops from depth `outer` on.
double lines_of(const std::vector<const Placed*>& same, std::size_t outer) {
  const std::vector<Direction> along = directions(*same.front(), outer);
  const ArrayUse& first = *same.front()->access;
  // Offsets, taken apart by the strides: what lies along loops outside of these are lines of their own.
  struct Range {
    std::vector<double> least, most;
  };
  std::map<std::vector<double>, Range> apart;
  for (const Placed* p : same) {
    double left = p->access->offset - first.offset;
    std::vector<double> outside, inside(along.size() + 1, 0);
    for (std::size_t d = along.size(); d-- > 0;) {
      const double steps = std::round(left / along[d].stride);
      left -= steps * along[d].stride;
      (along[d].inner ? inside[d] : outside.emplace_back()) = steps;
    }
    inside.back() = left;
    const auto [at, added] = apart.try_emplace(outside, Range{inside, inside});
    for (std::size_t d = 0; !added && d < inside.size(); ++d) {
      at->second.least[d] = std::min(at->second.least[d], inside[d]);
      at->second.most[d] = std::max(at->second.most[d], inside[d]);
    }
  }
  double lines = 0;
  for (const auto& [outside, range] : apart) {
    double run = (first.width + range.most.back() - range.least.back()) * first.bytes, runs = 1;
    for (std::size_t d = 0; d < along.size(); ++d) {
      if (!along[d].inner) continue;
      const double n = along[d].trips + range.most[d] - range.least[d],
                   stride = along[d].stride * first.bytes;
      if (stride <= std::max(run, kLineBytes))  // neighbours share lines, or follow one another
        run += (n - 1) * stride;
      else
        runs *= n;
    }
    lines += runs * (run / kLineBytes + (run > kLineBytes ? 0.5 : 0.2));
  }
  return lines;
}

/// Over the loops from depth `outer` on; `written`: lines that are stored to, through the caches.
double lines(const std::vector<Placed>& all, std::size_t outer, bool written) {
  std::map<std::pair<std::string, std::vector<double>>, std::vector<const Placed*>> groups;
  for (const Placed& p : all) {
    if (p.access->streams || (written && !p.access->stores)) continue;
    groups[{p.access->array, p.access->strides}].push_back(&p);
  }
  std::map<std::string, double> by_array;  // accesses of other loops reach the same
  for (const auto& [key, same] : groups)
    by_array[key.first] = std::max(by_array[key.first], lines_of(same, outer));
  double sum = 0;
  for (const auto& [array, n] : by_array) sum += n;
  return sum;
}

double lines_within(const CostNest& nest, std::vector<double>& trips, std::size_t outer, bool written) {
  std::vector<Placed> all;
  collect(nest, trips, all);
  return lines(all, outer, written);
}

/// Of one execution of `nest`, which is at the end of `trips`.
double fetched(const CostNest& nest, std::vector<double>& trips, double bytes) {
  const std::size_t depth = trips.size();
  const bool fits = lines_within(nest, trips, depth, false) * kLineBytes <= bytes;
  if (fits || (nest.children.empty() && !nest.accesses.empty()))
    return lines_within(nest, trips, depth == 0 ? 0 : depth - 1, false) +
           lines_within(nest, trips, depth == 0 ? 0 : depth - 1, true);
  CostNest own;
  own.accesses = nest.accesses;
  double one = own.accesses.empty()
                   ? 0
                   : lines_within(own, trips, depth, false) + lines_within(own, trips, depth, true);
  for (const auto& child : nest.children) {
    trips.push_back(child->trips);
    one += fetched(*child, trips, bytes);
    trips.pop_back();
  }
  return (depth == 0 ? 1 : nest.trips) * one;
}

}  // namespace

double footprint(const CostNest& nest) {
  std::vector<double> trips;
  return lines_within(nest, trips, 0, false);
}

double lines_fetched(const CostNest& root, double bytes) {
  std::vector<double> trips;
  return fetched(root, trips, bytes);
}

double lines_streamed(const CostNest& root) {
  double sum = 0;
  const std::function<void(const CostNest&, double)> walk = [&](const CostNest& nest, double times) {
    for (const ArrayUse& a : nest.accesses)
      if (a.streams) sum += times * a.width * a.bytes / kLineBytes;
    for (const auto& child : nest.children) walk(*child, times * child->trips);
  };
  walk(root, 1);
  return sum;
}

}  // namespace lift
