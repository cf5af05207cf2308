#include "tuning/search/regression_trees.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace lift {
namespace {

constexpr int kTrees = 24;
constexpr double kLeaf = 2;  ///< rows that a leaf has at least

double log_of(std::int64_t n) { return std::log2(1 + static_cast<double>(n)); }

/// The mean of the values of some rows, and the sum of the squares of their distances from it.
struct Spread {
  double n = 0, sum = 0, squares = 0;
  void add(double v) { ++n, sum += v, squares += v * v; }
  void join(const Spread& s) { n += s.n, sum += s.sum, squares += s.squares; }
  void leave(const Spread& s) { n -= s.n, sum -= s.sum, squares -= s.squares; }
  double mean() const { return sum / n; }
  double around() const { return squares - sum * sum / n; }
};

using Indices = std::vector<std::size_t>;

/// The rows by column, each value as its place among the column's values.
struct Columns {
  struct Column {
    std::vector<double> values;         ///< ascending, each once
    std::vector<std::uint16_t> places;  ///< by row
  };
  std::vector<Column> all;

  explicit Columns(const std::vector<Row>& rows) : all(rows.front().size()) {
    for (std::size_t c = 0; c < all.size(); ++c) {
      std::vector<double>& values = all[c].values;
      for (const Row& row : rows) values.push_back(row[c]);
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      for (const Row& row : rows)
        all[c].places.push_back(static_cast<std::uint16_t>(
            std::lower_bound(values.begin(), values.end(), row[c]) - values.begin()));
    }
  }
};

struct Split {
  std::size_t column = 0, place = 0;  ///< rows up to this place of the column are on the low side
  double around = INFINITY;
};

/// The split of one column that leaves the least spread on its two sides together.
void consider(const Columns::Column& column, std::size_t index, const std::vector<double>& values,
              const Indices& some, const Spread& all, std::vector<Spread>& scratch, Split& best) {
  scratch.assign(column.values.size(), {});
  for (const std::size_t i : some) scratch[column.places[i]].add(values[i]);
  Spread low, high = all;
  for (std::size_t place = 0; place + 1 < scratch.size(); ++place) {
    low.join(scratch[place]), high.leave(scratch[place]);
    if (scratch[place].n == 0 || low.n < kLeaf || high.n < kLeaf) continue;
    const double around = low.around() + high.around();
    if (around < best.around) best = {index, place, around};
  }
}

/// So many of the first n numbers, by chance.
Indices some_of(std::size_t n, std::size_t many, Chance& chance) {
  Indices all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = i;
  for (std::size_t i = 0; i < many; ++i) std::swap(all[i], all[i + below(n - i, chance)]);
  all.resize(many);
  return all;
}

}  // namespace

RegressionTrees::RegressionTrees(const std::vector<Row>& rows, const std::vector<double>& values,
                                 Chance& chance) {
  const Columns columns(rows);
  const std::size_t n = columns.all.size(), looked_at = (n + 1) / 2;
  std::vector<Spread> scratch;
  for (int t = 0; t < kTrees; ++t) {
    Tree& tree = trees_.emplace_back();
    Indices drawn(rows.size());
    for (std::size_t& i : drawn) i = below(rows.size(), chance);
    std::vector<std::pair<std::size_t, Indices>> open{{0, drawn}};
    tree.emplace_back();
    while (!open.empty()) {
      auto [at, some] = std::move(open.back());
      open.pop_back();
      Spread all;
      for (const std::size_t i : some) all.add(values[i]);
      tree[at].value = all.mean();
      Split split;
      if (static_cast<double>(some.size()) >= 2 * kLeaf)
        for (const std::size_t c : some_of(n, looked_at, chance))
          consider(columns.all[c], c, values, some, all, scratch, split);
      if (!(split.around < all.around() - 1e-12)) continue;
      const Columns::Column& column = columns.all[split.column];
      Indices low, high;
      for (const std::size_t i : some) (column.places[i] <= split.place ? low : high).push_back(i);
      const std::size_t first = tree.size();
      tree.resize(first + 2);
      Node& node = tree[at];
      node.column = split.column, node.low = static_cast<int>(first), node.high = node.low + 1;
      node.threshold = (column.values[split.place] + column.values[split.place + 1]) / 2;
      open.emplace_back(first, std::move(low)), open.emplace_back(first + 1, std::move(high));
    }
  }
}

RegressionTrees::Expected RegressionTrees::expect(const Row& row) const {
  Spread all;
  for (const Tree& tree : trees_) {
    const Node* at = &tree.front();
    while (at->low >= 0)
      at = &tree[static_cast<std::size_t>(row[at->column] <= at->threshold ? at->low : at->high)];
    all.add(at->value);
  }
  return {all.mean(), std::sqrt(std::max(0.0, all.around() / all.n))};
}

Encoding::Encoding(const SearchSpace& space) {
  for (const Parameter& p : space.parameters()) {
    std::set<std::string> axes;
    std::set<int> alternatives;
    bool numbers = false;
    for (const Setting& s : p.values) {
      if (const auto* choice = std::get_if<Choice>(&s))
        alternatives.insert(choice->index), numbers |= !choice->numbers.empty();
      if (const auto* sizes = std::get_if<AxisSizes>(&s))
        for (const AxisSize& size : sizes->list) axes.insert(size.axis);
      if (const auto* loops = std::get_if<Loops>(&s)) axes.insert(loops->names.begin(), loops->names.end());
    }
    for (const int i : alternatives) columns_.push_back({p.key, "", i});
    for (const std::string& axis : axes) columns_.push_back({p.key, axis});
    const bool itself = alternatives.empty() && (axes.empty() || p.key->domain == Domain::loops);
    if (itself || numbers) columns_.push_back({p.key, ""});
  }
}

Row Encoding::operator()(const Configuration& c) const {
  Row row;
  for (const Column& column : columns_) {
    const Setting* s = c.find(*column.key);
    double x = 0;
    if (s == nullptr) {
    } else if (const auto* on = std::get_if<bool>(s)) {
      x = *on ? 1 : 0;
    } else if (const auto* n = std::get_if<std::int64_t>(s)) {
      x = log_of(*n);
    } else if (const auto* choice = std::get_if<Choice>(s)) {
      if (column.index >= 0)
        x = choice->index == column.index ? 1 : 0;
      else
        for (const std::int64_t number : choice->numbers) x += log_of(number);
    } else if (const auto* sizes = std::get_if<AxisSizes>(s)) {
      for (const AxisSize& size : sizes->list)
        if (size.axis == column.axis) x = log_of(size.size);
    } else if (const auto* loops = std::get_if<Loops>(s)) {
      if (column.axis.empty())
        x = static_cast<double>(loops->by) * 16 + static_cast<double>(loops->names.size());
      for (std::size_t i = 0; i < loops->names.size(); ++i)
        if (loops->names[i] == column.axis) x = static_cast<double>(i + 1);
    }
    row.push_back(x);
  }
  return row;
}

}  // namespace lift
