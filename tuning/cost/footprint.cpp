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

/// Offsets of accesses that stay together, in steps along each direction, and in elements at the end.
struct Range {
  std::vector<double> least, most;
};
/// Accesses of one array that differ by constants only: taken apart by the strides, what lies along loops
/// outside of those from depth `outer` on are lines of their own.
std::vector<Range> apart(const std::vector<const Placed*>& same, const std::vector<Direction>& along) {
  std::map<std::vector<double>, Range> found;
  for (const Placed* p : same) {
    double left = p->access->offset - same.front()->access->offset;
    std::vector<double> outside, inside(along.size() + 1, 0);
    for (std::size_t d = along.size(); d-- > 0;) {
      const double steps = std::round(left / along[d].stride);
      left -= steps * along[d].stride;
      (along[d].inner ? inside[d] : outside.emplace_back()) = steps;
    }
    inside.back() = left;
    const auto [at, added] = found.try_emplace(outside, Range{inside, inside});
    for (std::size_t d = 0; !added && d < inside.size(); ++d) {
      at->second.least[d] = std::min(at->second.least[d], inside[d]);
      at->second.most[d] = std::max(at->second.most[d], inside[d]);
    }
  }
  std::vector<Range> ranges;
  for (auto& [outside, range] : found) ranges.push_back(std::move(range));
  return ranges;
}

/// Lines of accesses of one array that differ by constants only, over the loops from depth `outer` on.
double lines_of(const std::vector<const Placed*>& same, std::size_t outer) {
  const std::vector<Direction> along = directions(*same.front(), outer);
  const ArrayUse& first = *same.front()->access;
  double lines = 0;
  for (const Range& range : apart(same, along)) {
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

/// How often such accesses leave the neighbourhood in which they were, in the order of the loops: an
/// execution of those from depth `outer` on, which find in the cache what they have met.
double jumps_of(const std::vector<const Placed*>& same, std::size_t outer) {
  const Placed& p = *same.front();
  double run = p.access->width * p.access->bytes, jumps = 1, executions = 1;
  bool leaves = false;
  for (std::size_t l = p.access->strides.size(); l-- > 0;) {
    const double stride = std::abs(p.access->strides[l]) * p.access->bytes, trips = p.trips[l];
    if (l < outer) executions *= trips;
    if (trips <= 1 || (stride == 0 && l >= outer)) continue;
    if (!leaves && stride > 0 && stride <= run + kLineBytes) {
      run += (trips - 1) * stride;
    } else {
      leaves = true;
      jumps *= stride > 0 && stride < kLineBytes ? std::max(1.0, trips * stride / kLineBytes) : trips;
    }
  }
  const auto streams = static_cast<double>(apart(same, directions(p, outer)).size());
  return std::min(streams * jumps / executions, lines_of(same, outer));
}

enum class Counted : std::uint8_t {
  Lines,
  Written,  ///< that are stored to, through the caches
  Jumps
};

/// Over the loops from depth `outer` on.
double counted(const std::vector<Placed>& all, std::size_t outer, Counted what) {
  std::map<std::pair<std::string, std::vector<double>>, std::vector<const Placed*>> groups;
  for (const Placed& p : all) {
    if (p.access->streams || (what == Counted::Written && !p.access->stores)) continue;
    groups[{p.access->array, p.access->strides}].push_back(&p);
  }
  std::map<std::string, double> by_array;  // accesses of other loops reach the same
  for (const auto& [key, same] : groups)
    by_array[key.first] =
        std::max(by_array[key.first], what == Counted::Jumps ? jumps_of(same, outer) : lines_of(same, outer));
  double sum = 0;
  for (const auto& [array, n] : by_array) sum += n;
  return sum;
}

double within(const CostNest& nest, std::vector<double>& trips, std::size_t outer, Counted what) {
  std::vector<Placed> all;
  collect(nest, trips, all);
  return counted(all, outer, what);
}

/// Of what comes into a cache with room for so many bytes; `nest` is at the end of `trips`, and once
/// executed.
double fetched(const CostNest& nest, std::vector<double>& trips, double bytes, Counted what) {
  const std::size_t depth = trips.size();
  const bool fits = within(nest, trips, depth, Counted::Lines) * kLineBytes <= bytes;
  if (fits || (nest.children.empty() && !nest.accesses.empty()))
    return within(nest, trips, depth == 0 ? 0 : depth - 1, what);
  CostNest own;
  own.accesses = nest.accesses;
  double one = own.accesses.empty() ? 0 : within(own, trips, depth, what);
  for (const auto& child : nest.children) {
    trips.push_back(child->trips);
    one += fetched(*child, trips, bytes, what);
    trips.pop_back();
  }
  return (depth == 0 ? 1 : nest.trips) * one;
}

}  // namespace

double footprint(const CostNest& nest) {
  std::vector<double> trips;
  return within(nest, trips, 0, Counted::Lines);
}

double lines_fetched(const CostNest& root, double bytes) {
  std::vector<double> trips;
  return fetched(root, trips, bytes, Counted::Lines) + fetched(root, trips, bytes, Counted::Written);
}

double jumps(const CostNest& root, double bytes) {
  std::vector<double> trips;
  return fetched(root, trips, bytes, Counted::Jumps);
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
