#include "tuning/traffic.hpp"

#include <algorithm>
#include <set>

#include "ir/error.hpp"

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

/// Adds all values of `coordinate`; false when there are too many, or a range is unknown.
bool enumerate(const Nat& coordinate, std::set<std::int64_t>& values) {
  const std::vector<const NatAtom*> atoms = variables(coordinate);
  std::vector<Range> ranges;
  std::int64_t points = 1;
  for (const NatAtom* atom : atoms) {
    const auto range = range_of(*atom);
    if (!range || range->size() <= 0 || range->size() > kEnumerated / points) return false;
    points *= range->size();
    ranges.push_back(*range);
  }
  for (std::int64_t point = 0; point < points; ++point) {
    std::map<const NatAtom*, std::int64_t> at;
    std::int64_t rest = point;
    for (std::size_t i = 0; i < atoms.size(); ++i) at[atoms[i]] = ranges[i].lower + rest % ranges[i].size(), rest /= ranges[i].size();
    values.insert(evaluate(coordinate, [&](const NatAtom& atom) { return at.at(&atom); }));
  }
  return true;
}

/// Elements of an array that lie at these positions, each coordinate taken by itself; at most `whole`.
double elements(const std::vector<std::vector<Nat>>& positions, const std::vector<Nat>& shape) {
  double product = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const double length = static_cast<double>(shape[d].constant().value_or(1));
    std::set<std::int64_t> values;
    const bool known = std::all_of(positions.begin(), positions.end(),
                                   [&](const auto& p) { return d < p.size() && enumerate(p[d], values); });
    product *= known ? std::min(length, static_cast<double>(values.size())) : length;
  }
  return product;
}

}  // namespace

Traffic traffic(const Program& program) {
  const Footprint f = footprint(program);
  Traffic t;
  t.cells = 1;
  for (const Nat& variable : f.index) {
    const auto range = range_of(*variables(variable).at(0));
    if (!range) throw UserError("the traffic of " + program.name + " is known for constant lengths only");
    t.cells *= range->size();
  }
  const auto cells = static_cast<double>(t.cells);
  t.flops = f.flops * cells * f.written_fraction;
  const auto argument = [&](const std::string& name) {
    const auto at = std::find_if(program.arguments.begin(), program.arguments.end(),
                                 [&](const Expr& a) { return param_name(a) == name; });
    return at == program.arguments.end() ? Type(program.body.type()) : Type(at->type());
  };
  const auto element_bytes = [&](const std::string& name) {
    return static_cast<double>(size_of(element_of(argument(name)).scalar()));
  };
  for (const auto& [name, read] : f.reads)
    // A stencil's halo is read by neighbours anyway: one element a cell.
    t.bytes += element_bytes(name) * (read.stencil ? cells : elements(read.positions, shape_of(argument(name))));
  for (const auto& [name, position] : f.writes)
    t.bytes += element_bytes(name) * cells * (f.reads.contains(name) ? 1 : 2);
  return t;
}

}  // namespace lift
