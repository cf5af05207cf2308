#include "rewrite/analysis/stage_graph.hpp"

#include <algorithm>
#include <numeric>

#include "ir/expr/build.hpp"
#include "ir/remembered.hpp"
#include "rewrite/analysis/stage_loads.hpp"
#include "rewrite/analysis/stage_loops.hpp"

namespace lift {
namespace {

/// A positive fraction; scales before all are known.
struct Scale {
  std::int64_t numerator = 1, denominator = 1;
  Scale reduced() const {
    const auto g = std::gcd(numerator, denominator);
    return {numerator / g, denominator / g};
  }
};
using Scales = std::vector<std::optional<Scale>>;  ///< an axis

/// A stage over arrays that are numbered by first use, so that equal stages on different arrays are one
/// expression.
struct Node {
  Expr value;
  std::shared_ptr<const StageElement> element;
  std::map<std::string, std::string> array;  ///< by numbered name
  std::size_t rank = 1;
  const WrittenElement& written() const { return element->written; }
  bool known() const { return element->unknown.empty(); }
};

Node node_of(const ChainStage& stage) {
  Node n;
  std::map<std::uint32_t, Expr> numbered;
  for (const Expr& x : params_of(stage.value)) {
    if (!x.type().is_array()) continue;
    const Expr other = param("#" + std::to_string(numbered.size()), x.type());
    numbered.emplace(x.id(), other), n.array.emplace(param_name(other), param_name(x));
  }
  n.value = substitute(stage.value, [&](const Expr& leaf) {
    const auto it = numbered.find(leaf.id());
    return it == numbered.end() ? leaf : it->second;
  });
  n.element = stage_element(n.value);
  n.rank = n.known() ? n.written().position.size() : static_cast<std::size_t>(rank_of(stage.value.type()));
  return n;
}

class Graph {
 public:
  Graph(const Chain& chain, Updates updates) : chain_(chain), updates_(updates) {
    for (const ChainStage& s : chain.stages) {
      nodes_.push_back(node_of(s));
      for (const auto& [number, name] : nodes_.back().array) last_use_[name] = nodes_.size() - 1;
    }
    for (const ChainStage& s : chain.stages)
      if (s.result)  // it is needed when all is done
        for (const std::string& array : s.arrays()) last_use_[array] = nodes_.size();
    for (std::size_t i = 0; i < nodes_.size(); ++i) place(i);
    for (std::size_t i = 0; i < nodes_.size(); ++i) find_scale(i);
    make_scales_whole();
    for (std::size_t j = 0; j < nodes_.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) meet(i, j);
  }
  StageGraph result;

 private:
  using Kind = Dependence::Kind;

  // ---- storage

  const std::string& storage_of(const std::string& name) const {
    const auto it = storage_.find(name);
    return it == storage_.end() ? name : it->second;
  }
  bool overwritable(const std::string& name) const {
    return version_.contains(name) || std::find(chain_.overwritable.begin(), chain_.overwritable.end(),
                                                name) != chain_.overwritable.end();
  }
  bool is_ring(const std::string& name) const {
    return version_.contains(name) && chain_.stages[version_.at(name)].value.is(Op::Ring);
  }
  void place(std::size_t i) {
    const Node& n = nodes_[i];
    const std::string& name = chain_.stages[i].name;
    StageWrites w;
    w.storage = name, w.unknown = n.element->unknown;
    if (n.known() && !n.written().updated.empty()) w.base = n.array.at(n.written().updated);
    const Expr& value = chain_.stages[i].value;
    const bool apart = value.is(Op::Ring) || value.is(Op::ToGlobal) || (w.base && is_ring(*w.base));
    if (!apart && n.element->in_place && w.base && overwritable(*w.base) && last_use_[*w.base] == i)
      w.storage = storage_of(*w.base);
    const bool in_place = w.storage != name;
    if (n.known())
      for (std::size_t d = 0; d < n.rank; ++d)
        w.begins.push_back(n.written().position[d] - n.written().index[d] + index_of(n, d).lower),
            w.computed.push_back(index_of(n, d).upper - index_of(n, d).lower + 1),
            w.each.push_back(positions_an_iteration(n.value, d).value_or(0));
    if (in_place) {
      w.first = w.begins, w.extents = w.computed;
      w.guard = n.written().guard;
    } else if (chain_.stages[i].value.type().is_array()) {
      w.extents = shape_of(chain_.stages[i].value.type());
      w.first.assign(w.extents.size(), 0);
    }
    storage_[name] = w.storage, version_[name] = i;
    for (const std::string& array : chain_.stages[i].arrays())
      storage_[array] = w.storage, version_[array] = i;
    result.stages.push_back(std::move(w));
  }
  static const NatAtom& index_of(const Node& n, std::size_t axis) {
    return *variables(n.written().index[axis]).at(0);
  }
  bool in_place(std::size_t i) const { return result.stages[i].storage != chain_.stages[i].name; }

  // ---- scales

  void find_scale(std::size_t i) {
    const Node& n = nodes_[i];
    Scales& own = scales_[result.stages[i].storage];
    own.resize(n.rank);
    const auto for_slopes = [&](const auto& f) {
      if (!n.known()) return;
      if (const auto& base = result.stages[i].base; base && copies(i, *base)) {  // one to one
        Scales& s = scales_[storage_of(*base)];
        s.resize(std::max(s.size(), n.rank));
        for (std::size_t d = 0; d < n.rank; ++d) f(d, Slope{1, 1}, s[d]);
      }
      for (const auto& [by, loads] : n.element->loads)
        for (const LoadCase& l : loads)
          for (std::size_t d = 0; d < n.rank; ++d)
            if (const auto slope = slope_of(l, by, d)) {
              Scales& s = scales_[storage_of(n.array.at(l.array))];
              s.resize(std::max(s.size(), n.rank));
              f(d, *slope, s[d]);
            }
    };
    for_slopes([&](std::size_t d, const Slope& s, std::optional<Scale>& read) {
      if (read && !own[d]) own[d] = Scale{read->numerator * s.numerator, read->denominator * s.denominator};
    });
    for (auto& s : own) s = s.value_or(Scale{}).reduced();
    const Scales known = own;
    for_slopes([&](std::size_t d, const Slope& s, std::optional<Scale>& read) {
      if (!read)
        read = Scale{known[d]->numerator * s.denominator, known[d]->denominator * s.numerator}.reduced();
    });
  }
  /// Of a stage's own dimensions: the array that it writes may be read by stages of more.
  const Scale* scale_of(std::size_t i, std::size_t axis) const {
    const Scales& s = scales_.at(result.stages[i].storage);
    return axis < nodes_[i].rank && axis < s.size() && s[axis] ? &*s[axis] : nullptr;
  }
  void make_scales_whole() {
    std::size_t rank = 0;
    for (const Node& n : nodes_) rank = std::max(rank, n.rank);
    for (std::size_t d = 0; d < rank; ++d) {
      std::int64_t multiple = 1, divisor = 0;
      const auto for_stages = [&](const auto& f) {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
          if (const Scale* s = scale_of(i, d)) f(result.stages[i], *s);
      };
      for_stages([&](StageWrites&, const Scale& s) { multiple = std::lcm(multiple, s.denominator); });
      for_stages([&](StageWrites&, const Scale& s) {
        divisor = std::gcd(divisor, multiple / s.denominator * s.numerator);
      });
      for_stages([&](StageWrites& w, const Scale& s) {
        w.scale.push_back(multiple / s.denominator * s.numerator / divisor);
      });
    }
  }

  // ---- dependences

  using Distances = std::optional<std::vector<Distance>>;  ///< nothing: they never meet

  /// Over the loads of `name` by a stage that `writer` may write.
  Distances reads(std::size_t reader, const std::string& name, std::size_t writer) {
    const Node &r = nodes_[reader], &w = nodes_[writer];
    if (!r.known() || (in_place(writer) && !w.known()))
      return std::vector(r.rank, unbounded(r.known() ? w.element->unknown : r.element->unknown));
    std::string number;
    for (const auto& [n, actual] : r.array)
      if (actual == name) number = n;
    const Key key{r.value.id(), number, keeps(writer) ? w.value.id() : 0, result.stages[reader].scale,
                  result.stages[writer].scale};
    static auto& known = *new Remembered<Key, Distances>;
    Distances all = known(key, [&] { return loads(reader, number, writer); });
    if (copies(reader, name)) all = with_copy(std::move(all), r.rank);
    if (all)
      for (Distance& d : *all) d.at_min = name + d.at_min, d.at_max = name + d.at_max;
    return all;
  }
  /// Whether elements that a stage's guard excludes lie in its storage before it.
  bool keeps(std::size_t stage) const {
    return in_place(stage) &&
           (updates_ == Updates::where_possible || overwrites_base(chain_.stages[stage].value));
  }
  Distances loads(std::size_t reader, const std::string& number, std::size_t writer) const {
    const Node &r = nodes_[reader], &w = nodes_[writer];
    const std::vector<std::int64_t>&to = result.stages[reader].scale, &from = result.stages[writer].scale;
    Distances all;
    for (const auto& [by, cases] : r.element->loads)
      for (const LoadCase& l : cases) {
        if (l.array != number) continue;
        if (keeps(writer) && never_writes(w.written(), l.at.position, l.at.facts)) continue;
        std::vector<Distance> here(r.rank, unbounded(l.load + " is of another rank"));
        if (l.at.position.size() >= r.rank && from.size() >= r.rank)
          for (std::size_t d = 0; d < r.rank; ++d) here[d] = distance_of(l, by, d, from[d], to[d]);
        for (std::size_t d = 0; all && d < r.rank; ++d) here[d] = hull((*all)[d], here[d]);
        all = std::move(here);
      }
    return all;
  }
  static Distance unbounded(const std::string& why) { return {{}, {}, {}, {}, why}; }
  /// An update that is not in place copies what it does not replace, or keeps by its guard.
  bool copies(std::size_t stage, const std::string& name) const {
    return !keeps(stage) && result.stages[stage].base == name;
  }
  static Distances with_copy(Distances all, std::size_t rank) {
    const std::vector<Distance> own(rank, Distance{0, 0, ", copied", ", copied", {}});
    if (!all) return own;
    for (std::size_t d = 0; d < rank; ++d) (*all)[d] = hull((*all)[d], own[d]);
    return all;
  }

  void add(Kind kind, std::size_t i, std::size_t j, const std::string& storage, Distances distance) {
    if (distance) result.dependences.push_back({kind, i, j, storage, std::move(*distance)});
  }
  static Distances merged(Distances a, Distances b) {
    if (!a || !b) return a ? a : b;
    for (std::size_t d = 0; d < a->size(); ++d) (*a)[d] = hull((*a)[d], (*b)[d]);
    return a;
  }
  void meet(std::size_t i, std::size_t j) {
    const std::string &si = result.stages[i].storage, &sj = result.stages[j].storage;
    Distances flow, anti;
    for (const auto& [number, name] : nodes_[j].array)
      if (storage_of(name) == si && version_.contains(name) && version_.at(name) >= i)
        flow = merged(std::move(flow), reads(j, name, i));
    for (const auto& [number, name] : nodes_[i].array)
      if (storage_of(name) == sj) anti = merged(std::move(anti), reads(i, name, j));
    add(Kind::Flow, i, j, si, std::move(flow));
    add(Kind::Anti, i, j, sj, std::move(anti));
    if (si == sj && !apart(i, j)) add(Kind::Output, i, j, si, std::vector<Distance>(nodes_[j].rank));
  }
  /// Whether no element is written by both.
  bool apart(std::size_t i, std::size_t j) {
    if (!keeps(i) || !keeps(j)) return false;
    static auto& known = *new Remembered<std::pair<std::uint32_t, std::uint32_t>, bool>;
    return known({nodes_[i].value.id(), nodes_[j].value.id()}, [&] {
      Facts facts;
      for (const NatCond& c : nodes_[i].written().guard) facts = facts.with(c);
      return never_writes(nodes_[j].written(), nodes_[i].written().position, facts);
    });
  }

  using Key = std::tuple<std::uint32_t, std::string, std::uint32_t, std::vector<std::int64_t>,
                         std::vector<std::int64_t>>;
  const Chain& chain_;
  Updates updates_;
  std::vector<Node> nodes_;
  std::map<std::string, std::size_t> last_use_;  ///< of an array: the last stage that mentions it
  std::map<std::string, std::string> storage_;   ///< of stages
  std::map<std::string, std::size_t> version_;   ///< of a stage's name: which it is
  std::map<std::string, Scales> scales_;         ///< of storages
};

std::string end(const std::optional<std::int64_t>& x, const char* infinite) {
  return x ? std::to_string(*x) : infinite;
}

}  // namespace

const char* text(Dependence::Kind k) {
  return k == Dependence::Kind::Flow ? "flow" : k == Dependence::Kind::Anti ? "anti" : "output";
}

Nat begin_of(const StageWrites& w, std::size_t axis) { return w.scale.at(axis) * w.begins.at(axis); }

std::int64_t reach(const Dependence& d, std::size_t axis) {
  const Distance& x = d.distance.at(axis);
  return std::max({*x.max, -*x.min, std::int64_t{0}});
}

std::int64_t depth_of(const StageWrites& w, std::size_t axis) {
  return axis < w.each.size() && w.each[axis] > 1 ? w.scale.at(axis) * (w.each[axis] - 1) : 0;
}

StageGraph stage_graph(const Chain& chain, Updates updates) { return Graph(chain, updates).result; }

std::string str(const StageGraph& g, const Chain& chain) {
  std::string s;
  for (std::size_t i = 0; i < g.stages.size(); ++i) {
    const StageWrites& w = g.stages[i];
    s += chain.stages[i].name + ": writes " + w.storage;
    for (std::size_t d = 0; d < w.extents.size(); ++d)
      s += "[" + w.first[d].str() + ", " + (w.first[d] + w.extents[d]).str() + ")";
    for (const NatCond& c : w.guard) s += (c == w.guard.front() ? " where " : " and ") + str(c);
    for (const std::int64_t a : w.scale)
      if (a != 1) s += ", scale " + std::to_string(a);
    for (const std::int64_t a : w.each)
      if (a > 1) s += ", " + std::to_string(a) + " positions an iteration";
    s += w.unknown.empty() ? "\n" : "; " + w.unknown + "\n";
  }
  for (const Dependence& d : g.dependences) {
    s += std::string(text(d.kind)) + " " + chain.stages[d.from].name + " -> " + chain.stages[d.to].name +
         " in " + d.storage + ":";
    for (const Distance& x : d.distance)
      s += " [" + end(x.min, "-inf") + ", " + end(x.max, "inf") + "]" +
           (x.why.empty() ? "" : " (" + x.why + ")");
    s += "\n";
  }
  return s;
}

}  // namespace lift
