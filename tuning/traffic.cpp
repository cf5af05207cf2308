#include "tuning/traffic.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "ir/error.hpp"
#include "lower/analyses/load_classes.hpp"
#include "lower/passes/passes.hpp"
#include "rewrite/analysis/footprint.hpp"

namespace lift {
namespace {

/// Values enumerated of one coordinate before its whole length is taken instead.
constexpr std::int64_t kEnumerated = 1 << 16;

struct Range {
  std::int64_t lower, upper;
  std::int64_t size() const { return upper - lower + 1; }
};

std::optional<Range> range_of(const NatAtom& variable) {
  const auto lower = variable.lower.constant(), upper = variable.upper.constant();
  if (!variable.bounded_above || !lower || !upper) return std::nullopt;
  return Range{*lower, *upper};
}

/// Calls f with the value of n for every point of its variables' ranges; false when there are too many, or a
/// range is unknown. `most`: evenly spaced values of a variable that has more than so many.
template <class F>
bool for_each_value(const Nat& n, const F& f, std::int64_t most = kEnumerated) {
  const std::vector<const NatAtom*> atoms = variables(n);
  std::vector<Range> ranges;
  std::vector<std::int64_t> counts;
  std::int64_t points = 1;
  for (const NatAtom* atom : atoms) {
    const auto range = range_of(*atom);
    if (!range || range->size() <= 0) return false;
    const std::int64_t taken = most < kEnumerated ? std::min(range->size(), most) : range->size();
    if (taken > kEnumerated / points) return false;
    points *= taken;
    ranges.push_back(*range), counts.push_back(taken);
  }
  for (std::int64_t point = 0; point < points; ++point) {
    std::map<const NatAtom*, std::int64_t> at;
    std::int64_t rest = point;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      const std::int64_t last = std::max<std::int64_t>(counts[i] - 1, 1);
      at[atoms[i]] = ranges[i].lower + rest % counts[i] * (ranges[i].size() - 1) / last;
      rest /= counts[i];
    }
    f(evaluate(n, [&](const NatAtom& atom) { return at.at(&atom); }));
  }
  return true;
}

/// Adds all values of `coordinate`.
bool enumerate(const Nat& coordinate, std::set<std::int64_t>& values) {
  return for_each_value(coordinate, [&](std::int64_t x) { values.insert(x); });
}

/// How often a loop from `lower` to `upper` iterates: the mean over the variables around it (a colour, say).
/// Of a loop for which that cannot be said, nothing.
std::optional<double> mean_trips(const Nat& lower, const Nat& upper) {
  constexpr std::int64_t kSampled = 16;
  double sum = 0, points = 0;
  const auto count = [&](std::int64_t x) {
    sum += static_cast<double>(std::max<std::int64_t>(x, 0)), points += 1;
  };
  const bool known = for_each_value(upper - lower, count) || for_each_value(upper - lower, count, kSampled);
  if (!known || points == 0) return std::nullopt;
  return sum / points;
}

/// Coordinates of one class reach the same elements in different iterations: they differ by a multiple of the
/// step with which the loops go through the array. What one of them reaches counts for all: halos are read by
/// neighbours anyway.
struct CoordinateClass {
  std::int64_t step = 0, rest = 0;
  friend auto operator<=>(const CoordinateClass&, const CoordinateClass&) = default;
};
CoordinateClass class_of(const Nat& n) {
  CoordinateClass c;
  std::int64_t constant = 0;
  for (const NatTerm& t : terms(n)) {
    if (t.factors.empty())
      constant = t.coefficient;
    else
      c.step = std::gcd(c.step, t.coefficient);
  }
  c.rest = c.step == 0 ? constant : ((constant % c.step) + c.step) % c.step;
  return c;
}

using Positions =
    std::set<std::vector<Nat>, decltype([](const std::vector<Nat>& a, const std::vector<Nat>& b) {
               return std::lexicographical_compare(
                   a.begin(), a.end(), b.begin(), b.end(),
                   [](const Nat& x, const Nat& y) { return x.id() < y.id(); });
             })>;

/// Elements of an array that lie at these positions, each coordinate taken by itself; at most the whole
/// array.
double elements(const Positions& positions, const std::vector<Nat>& shape) {
  const bool plain =
      std::any_of(positions.begin(), positions.end(), [](const auto& p) { return !has_choices(p); });
  double product = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const double length = static_cast<double>(shape[d].constant().value_or(1));
    std::map<CoordinateClass, std::size_t> most;
    bool known = true;
    for (const auto& p : positions) {
      if (plain && has_choices(p)) continue;
      std::set<std::int64_t> values;
      known = known && d < p.size() && enumerate(p[d], values);
      if (known) most[class_of(p[d])] = std::max(most[class_of(p[d])], values.size());
    }
    double sum = 0;
    for (const auto& [c, n] : most) sum += static_cast<double>(n);
    product *= known ? std::min(length, sum) : length;
  }
  return product;
}

/// What the statements of a kernel read, write and compute.
struct Walk {
  std::map<std::string, Positions> reads, writes;
  double flops = 0;
  std::map<std::string, double>
      stored;              ///< an array: the largest number of times that a store to it is executed
  double accumulated = 0;  ///< the same of assignments

  void block(const Block& b, double times, double share) {
    named(b, times * share);
    for (const Stmt& s : b) {
      if (const auto* f = std::get_if<For>(&s.v)) {
        const auto trips = mean_trips(f->lower, f->upper);
        if (!trips)
          throw UserError("the traffic of a loop from " + f->lower.str() + " to " + f->upper.str() +
                          " is not known; give its sizes numbers");
        block(f->body, times * *trips, share);
      } else if (const auto* i = std::get_if<If>(&s.v)) {
        double admits = share;
        for (const Term& c : i->conditions) {
          use(c, times * admits);
          if (c->kind == TermKind::Compare) admits *= admitted(c->conds[0]);
        }
        block(i->body, times, admits);
      } else if (const auto* x = std::get_if<Store>(&s.v)) {
        writes[x->array].insert(x->position);
        stored[x->array] = std::max(stored[x->array], times);
        use(x->value, times * share);
      } else if (const auto* d = std::get_if<Declare>(&s.v)) {
        use(d->value, times * share);
      } else if (const auto* a = std::get_if<Assign>(&s.v)) {
        accumulated = std::max(accumulated, times);
        use(a->value, times * share);
      }
    }
  }
  /// Values with a name share what they have in common.
  void named(const Block& b, double times) {
    TermNode all;
    all.kind = TermKind::Shuffle;
    for (const Stmt& s : b)
      if (const auto* l = std::get_if<Let>(&s.v)) all.args.push_back(l->value);
    if (!all.args.empty()) use(intern(std::move(all)), times);
  }
  void use(const Term& t, double times) {
    flops += times * flops_of(t);
    visit(t, [&](const Term& x) {
      if (x->kind == TermKind::Load) reads[x->name].insert(x->nats);
    });
  }
};

}  // namespace

Traffic traffic(const Program& program) {
  const Kernel kernel = lower_undecided(program);
  Walk whole, split, accesses;
  whole.block(kernel.body, 1, 1);
  accesses.block(lower_without_steps(program).body, 1,
                 1);  // what a step computes around the results is of their halo
  split.block(remove_trivial_loops(split_boundaries(kernel.body)), 1,
              1);  // what pads choose is decided there
  Traffic t;
  double stored = 0;
  for (const std::string& r : kernel.results) stored = std::max(stored, whole.stored[r]);
  t.cells = static_cast<std::int64_t>(stored > 1 ? stored : std::max(stored, whole.accumulated));
  t.flops = split.flops;
  for (const KernelArgument& a : kernel.arguments) {
    if (!a.type.is_array() || a.work) continue;
    const auto bytes = static_cast<double>(size_of(element_of(a.type).scalar()));
    const auto read = accesses.reads.find(a.name), written = accesses.writes.find(a.name);
    const bool is_argument = std::any_of(program.arguments.begin(), program.arguments.end(),
                                         [&](const Expr& p) { return param_name(p) == a.name; });
    const double reads =
        read != accesses.reads.end() && is_argument ? elements(read->second, shape_of(a.type)) : 0;
    const double writes = written != accesses.writes.end() ? elements(written->second, shape_of(a.type)) : 0;
    t.bytes += bytes *
               (std::max(reads, writes) + writes);  // a line that is not read is fetched before it is written
  }
  return t;
}

}  // namespace lift
