// The second of isl's: tiles in time of a chain of stages, by schedules that are known and checked, where
// isl's own scheduler finds none. Diamonds and parallelograms are as in docs/comparison.md.
#ifdef LIFTGEN_HAS_ISL
#include <map>
#include <stdexcept>

#include "compare/peer.hpp"
#include "compare/polyhedra.hpp"
#include "emit/emit.hpp"
#include "ir/ascii.hpp"
#include "ir/error.hpp"

namespace lift {
namespace {

using affine::Statement;
using affine::Texts;

/// The number of the stage that each statement's iteration belongs to, as a text over its variables. Copies
/// of edges belong to none.
class Stages {
 public:
  explicit Stages(const affine::Reader& r) : reader_(r), number(r.statements.size()) {
    std::vector<std::size_t> all;
    for (std::size_t n = 0; n < r.statements.size(); ++n)
      if (!r.statements[n].copy) all.push_back(n);
    count = all.empty() ? 0 : visit(all, 0, "0");
  }

 private:
  const affine::Reader& reader_;

 public:
  Texts number;  ///< "" for copies
  std::int64_t count = 0;

 private:
  using Numbers = std::vector<std::size_t>;

  const Statement& at(std::size_t n) const { return reader_.statements[n]; }
  /// How many stages there are; `first` is the number of the first.
  std::int64_t visit(const Numbers& some, std::size_t level, const std::string& first) {
    const Texts& date = at(some[0]).date;
    if (level >= date.size()) return number[some[0]] = first, 1;
    if (level % 2 == 1) return visit_loop(some, level, first);
    std::map<int, Numbers> places;
    for (const std::size_t n : some) places[std::stoi(at(n).date[level])].push_back(n);
    std::int64_t all = 0;
    for (const auto& [place, numbers] : places)
      all += visit(numbers, level + 1, first + " + " + std::to_string(all));
    return all;
  }
  /// A loop over time is one whose variable says nothing of where is written.
  std::int64_t visit_loop(const Numbers& some, std::size_t level, const std::string& first) {
    const std::string& variable = at(some[0]).date[level];
    for (const std::size_t n : some)
      for (const std::string& index : at(n).cell)
        if (mentions(index, variable)) return visit(some, level + 1, first);
    const affine::LoopRange& range = at(some[0]).ranges.at(level / 2);
    if (!range.first || !range.count) throw UserError("how many steps there are in time is no number");
    const Texts before = number;
    const std::int64_t each = visit(some, level + 1, "0");  // to count them
    visit(some, level + 1,
          first + " + " + std::to_string(each) + " * (" + variable + " - " + std::to_string(*range.first) +
              ")");
    return each * *range.count;
  }
  static bool mentions(const std::string& text, const std::string& variable) {
    for (auto at = text.find(variable); at != std::string::npos; at = text.find(variable, at + 1)) {
      const std::size_t end = at + variable.size();
      if (end == text.size() || !is_digit(text[end])) return true;
    }
    return false;
  }
};

/// A dimension of a schedule: a text for each statement, and whether its iterations are said to be
/// independent.
struct Dimension {
  Texts texts;
  bool parallel = false, vectors = false;
};

class TimeTiles {
 public:
  TimeTiles(const Polyhedra& p) : p_(p), stages_(p.reader) {
    if (stages_.count < 2) throw UserError("there is one stage only: nothing to tile in time");
    rank_ = 0;
    for (std::size_t n = 0; n < size(); ++n)
      if (is_stage(n)) rank_ = std::max(rank_, statement(n).cell.size());
    for (std::size_t n = 0; n < size(); ++n)
      if (is_stage(n) && statement(n).cell.size() != rank_)
        throw UserError("its stages write arrays of different dimensions");
    for (std::size_t d = 0; d < rank_; ++d)
      if (!is_constant(d)) (is_apart(d) ? apart_ : space_).push_back(d);
    if (space_.empty()) throw UserError("its stages meet in no dimension");
  }

  /// `form`, width of the tiles in the first dimension, in the second one (0: not cut).
  std::vector<Dimension> dimensions(const std::string& form, int width, int second, int slope) const {
    std::vector<Dimension> all{each([](std::size_t) { return std::string("1"); })};
    for (const std::size_t d : apart_)
      all.push_back(each([&](std::size_t n) { return statement(n).cell[d]; }));
    const bool boxes = !apart_.empty();
    if (boxes) all[1].parallel = true;
    const auto tile = [&](const std::string& sign, std::size_t dimension, int extent) {
      return [this, sign, dimension, extent, slope](std::size_t n) {
        return "floor((" + std::to_string(slope) + " * (" + stages_.number[n] + ") " + sign + " (" +
               statement(n).cell[dimension] + "))/" + std::to_string(extent) + ")";
      };
    };
    const auto up = tile("+", space_[0], width), down = tile("-", space_[0], width);
    const bool cut = second > 0 && space_.size() > 1;
    const auto across = tile("+", space_[std::min<std::size_t>(1, space_.size() - 1)], std::max(1, second));
    if (form == "diamonds") {
      all.push_back(each([&](std::size_t n) { return up(n) + " + " + down(n); }));
      all.push_back(each(up));
      all.back().parallel = !boxes;
      if (cut) all.push_back(each(across));
    } else if (cut) {
      all.push_back(each([&](std::size_t n) { return up(n) + " + " + across(n); }));
      all.push_back(each(up));
      all.back().parallel = !boxes;
    } else {
      all.push_back(each(up));
    }
    all.push_back(each([&](std::size_t n) { return stages_.number[n]; }));
    for (const std::size_t d : space_)
      all.push_back(each([&](std::size_t n) { return statement(n).cell[d]; }));
    all.back().vectors = true;
    edges_first(all);
    return all;
  }

  /// Empty: the dimensions keep every dependence, and parallel iterations do not meet.
  std::string wrong_with(const std::vector<Dimension>& all) const {
    std::vector<Texts> dates(size());
    Texts from, to;
    for (const Dimension& d : all) {
      for (std::size_t n = 0; n < size(); ++n) dates[n].push_back(d.texts[n]);
      from.push_back("a" + std::to_string(from.size())), to.push_back("b" + std::to_string(to.size()));
    }
    const isl::union_map date = dated(p_, dates), image = p_.order.apply_domain(date).apply_range(date);
    const auto pairs = [&](const std::string& condition) {
      return isl::union_map(p_.order.ctx(), "{ " + affine::tuple("", from) + " -> " + affine::tuple("", to) +
                                                " : " + condition + " }");
    };
    std::string same = "true", later = "false";
    for (std::size_t d = 0; d < all.size(); ++d) {
      if (all[d].parallel || all[d].vectors)
        if (!image.intersect(pairs(same + " and " + from[d] + " != " + to[d])).is_empty())
          return "parallel iterations would meet";
      later += " or (" + same + " and " + from[d] + " < " + to[d] + ")";
      same += " and " + from[d] + " = " + to[d];
    }
    return image.is_subset(pairs(later)) ? "" : "a dependence would be turned round";
  }

  isl::schedule schedule(const std::vector<Dimension>& all) const {
    isl::schedule_node node = isl::schedule_node::from_domain(p_.domain).child(0);
    for (std::size_t d = all.size(); d-- > 0;) {
      node = node.insert_partial_schedule(one_dimension(p_, all[d].texts));
      node = node.as<isl::schedule_node_band>().member_set_ast_loop_atomic(0);
      if (all[d].parallel) node = node.insert_mark("parallel");
      if (all[d].vectors) node = node.insert_mark("ivdep");
    }
    return node.root().schedule();
  }

 private:
  std::size_t size() const { return p_.reader.statements.size(); }
  const Statement& statement(std::size_t n) const { return p_.reader.statements[n]; }
  bool is_stage(std::size_t n) const { return !statement(n).copy; }

  template <class F>
  Dimension each(const F& text) const {
    Dimension d;
    for (std::size_t n = 0; n < size(); ++n) d.texts.push_back(is_stage(n) ? text(n) : "0");
    return d;
  }
  bool is_constant(std::size_t dimension) const {
    for (std::size_t n = 0; n < size(); ++n)
      if (is_stage(n) && statement(n).cell[dimension].find('c') != std::string::npos) return false;
    return true;
  }
  /// No dependence between stages goes along this dimension.
  bool is_apart(std::size_t dimension) const {
    const Dimension d = each([&](std::size_t n) { return statement(n).cell[dimension]; });
    isl::union_set stages(p_.order.ctx(), "{ }");
    for (std::size_t n = 0; n < size(); ++n)
      if (is_stage(n))
        stages = stages.unite(isl::union_set(
            p_.order.ctx(),
            p_.reader.relation(affine::tuple("S" + std::to_string(n), statement(n).variables), {})));
    std::vector<Texts> dates;
    for (const std::string& text : d.texts) dates.push_back({text});
    const isl::union_map date = dated(p_, dates);
    const isl::union_map between = p_.order.intersect_domain(stages).intersect_range(stages);
    return between.apply_domain(date).apply_range(date).is_subset(
        isl::union_map(p_.order.ctx(), "{ [a] -> [a] }"));
  }
  /// Copies of edges come before everything else, in the order of the text.
  void edges_first(std::vector<Dimension>& all) const {
    std::size_t longest = 0;
    for (std::size_t n = 0; n < size(); ++n)
      if (!is_stage(n)) longest = std::max(longest, statement(n).date.size());
    while (all.size() < longest + 1) all.push_back(each([](std::size_t) { return std::string("0"); }));
    for (std::size_t n = 0; n < size(); ++n)
      for (std::size_t d = 0; d < all.size() && !is_stage(n); ++d)
        all[d].texts[n] = d > 0 && d - 1 < statement(n).date.size() ? statement(n).date[d - 1] : "0";
  }

  const Polyhedra& p_;
  Stages stages_;
  std::size_t rank_ = 0;
  std::vector<std::size_t> apart_, space_;  ///< dimensions of the arrays
};

class IslInTime : public Peer {
 public:
  std::string name() const override { return "isl in time"; }
  std::string what() const override {
    return "tiles in time, loops by isl, then the system's compiler, -O3 -march=native -fopenmp";
  }
  std::vector<PeerChoice> choices(const Course&) const override {
    return {{"", {"diamonds", "parallelograms"}},
            {"width", {"16", "32", "8", "64", "4", "128"}},
            {"second", {"", "16", "32", "64", "8", "128"}}};
  }
  bool applies(const Course& course) const override {
    if (!course.why_no_loops.empty()) return false;
    try {
      const affine::Reader r(course.loops);
      return Stages(r).count > 1 && hands_on(r);
    } catch (const std::runtime_error&) {
      return false;
    }
  }

  Job make(const Course& course, const PeerSettings& s) override {
    try {
      const IslContext isl;
      const Polyhedra p = polyhedra_of(isl, course.loops);
      const TimeTiles tiles(p);
      std::string wrong;
      for (const int slope : {1, 2}) {  // as far as stages read
        const auto all = tiles.dimensions(s[0], std::stoi(s[1]), s[2].empty() ? 0 : std::stoi(s[2]), slope);
        wrong = tiles.wrong_with(all);
        if (!wrong.empty()) continue;
        Job job;
        job.kernel = course.loops;
        job.code = emit_rescheduled(course.loops, loops_as_c(tiles.schedule(all)));
        job.function = course.loops.name;
        return job;
      }
      throw UserError("no such tiles in time: " + wrong);
    } catch (const isl::exception& error) {
      throw UserError(std::string("isl: ") + error.what());
    } catch (const std::runtime_error& error) {
      throw UserError(error.what());
    }
  }

 private:
  /// A stage reads what another one, or another step of a loop over time, has written.
  static bool hands_on(const affine::Reader& r) {
    for (const Statement& reads : r.statements)
      for (const Statement& writes : r.statements)
        for (const affine::Load& l : reads.loads)
          if (&reads != &writes && !reads.copy && !writes.copy && l.array == writes.array) return true;
    return false;
  }
};

}  // namespace

std::unique_ptr<Peer> make_isl_in_time() { return std::make_unique<IslInTime>(); }

}  // namespace lift
#endif
