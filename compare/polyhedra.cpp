#ifdef LIFTGEN_HAS_ISL
#include "compare/polyhedra.hpp"

#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/options.h>
#include <isl/schedule_node.h>

#include <map>
#include <sstream>

namespace lift {
namespace {

using affine::Statement;
using affine::Texts;

constexpr unsigned long kOperations = 400'000'000;

std::string name_of(std::size_t statement) { return "S" + std::to_string(statement); }

isl::union_map relation(const affine::Reader& r, isl::ctx ctx, const std::string& from, const std::string& to,
                        const Texts& conditions) {
  return isl::union_map(ctx, r.relation(from + " -> " + to, conditions));
}

isl::multi_union_pw_aff as_function(const isl::union_map& m) {
  return isl::manage(isl_multi_union_pw_aff_from_union_map(m.copy()));
}

/// The order of the text, as a tree: places of the text are sequences, loops are bands.
class Order {
 public:
  Order(const affine::Reader& r, isl::ctx ctx, isl::union_set domain)
      : reader_(r), ctx_(ctx), domain_(std::move(domain)) {}

  isl::schedule tree() {
    std::vector<std::size_t> all;
    for (std::size_t n = 0; n < reader_.statements.size(); ++n) all.push_back(n);
    return within(isl::schedule_node::from_domain(domain_).child(0), all, 0).root().schedule();
  }

 private:
  using Numbers = std::vector<std::size_t>;

  /// Below `node`, which is given back. At an even level of the dates stand places, at an odd one loops.
  isl::schedule_node within(isl::schedule_node node, const Numbers& some, std::size_t level) {
    const auto date = [&](std::size_t n) -> const Texts& { return reader_.statements[n].date; };
    if (level >= date(some[0]).size()) return node;
    if (level % 2 == 1) {
      Texts variables;
      for (std::size_t n = 0; n < reader_.statements.size(); ++n)
        variables.push_back(level < date(n).size() ? date(n)[level] : "0");
      isl::union_map loop(ctx_, "{ }");
      for (const std::size_t n : some)
        loop = loop.unite(relation(reader_, ctx_, affine::tuple(name_of(n), reader_.statements[n].variables),
                                   "[" + variables[n] + "]", {}));
      node = node.insert_partial_schedule(as_function(loop.intersect_domain(domain_)));
      return within(node.child(0), some, level + 1).parent();
    }
    std::map<int, Numbers> places;
    for (const std::size_t n : some) places[std::stoi(date(n)[level])].push_back(n);
    if (places.size() == 1) return within(node, some, level + 1);
    isl::union_set_list filters(ctx_, static_cast<int>(places.size()));
    for (const auto& [place, numbers] : places) {
      isl::union_set filter(ctx_, "{ }");
      for (const std::size_t n : numbers) filter = filter.unite(of(n));
      filters = filters.add(filter);
    }
    node = node.insert_sequence(filters);
    int child = 0;
    for (const auto& [place, numbers] : places)
      node = within(node.child(child++).child(0), numbers, level + 1).parent().parent();
    return node;
  }
  isl::union_set of(std::size_t n) const {
    return isl::union_set(ctx_,
                          reader_.relation(affine::tuple(name_of(n), reader_.statements[n].variables), {}));
  }

  const affine::Reader& reader_;
  isl::ctx ctx_;
  isl::union_set domain_;
};

}  // namespace

IslContext::IslContext() : ctx_(isl_ctx_alloc()) {
  isl_options_set_on_error(ctx_.get(), ISL_ON_ERROR_CONTINUE);
  isl_options_set_ast_build_atomic_upper_bound(ctx_.get(), 1);
  allow(kOperations);
}
IslContext::~IslContext() { isl_ctx_free(ctx_.get()); }

void IslContext::allow(unsigned long operations) {
  isl_ctx_reset_operations(ctx_.get());
  isl_ctx_set_max_operations(ctx_.get(), operations);
}

Polyhedra polyhedra_of(const IslContext& isl, const Kernel& loops) {
  const isl::ctx ctx = isl.get();
  affine::Reader r(loops);
  isl::union_set domain(ctx, "{ }");
  isl::union_map reads(ctx, "{ }"), writes(ctx, "{ }");
  for (std::size_t n = 0; n < r.statements.size(); ++n) {
    const Statement& s = r.statements[n];
    const std::string self = affine::tuple(name_of(n), s.variables);
    domain = domain.unite(isl::union_set(ctx, r.relation(self, s.domain)));
    writes = writes.unite(relation(r, ctx, self, affine::tuple(s.array, s.cell), s.domain));
    for (const affine::Load& l : s.loads) {
      Texts conditions = s.domain;
      conditions.insert(conditions.end(), l.conditions.begin(), l.conditions.end());
      reads = reads.unite(relation(r, ctx, self, affine::tuple(l.array, l.cell), conditions));
    }
  }
  const isl::schedule schedule = Order(r, ctx, domain).tree();
  const isl::union_map flow = isl::union_access_info(reads)
                                  .set_must_source(writes)
                                  .set_schedule(schedule)
                                  .compute_flow()
                                  .may_dependence();
  const isl::union_map storage = isl::union_access_info(writes)
                                     .set_must_source(writes)
                                     .set_may_source(reads)
                                     .set_schedule(schedule)
                                     .compute_flow()
                                     .may_dependence();
  return {std::move(r), domain, reads, writes, schedule, flow.coalesce(), flow.unite(storage).coalesce()};
}

isl::union_map dated(const Polyhedra& p, const std::vector<Texts>& texts) {
  const isl::ctx ctx = p.domain.ctx();
  isl::union_map all(ctx, "{ }");
  for (std::size_t n = 0; n < p.reader.statements.size(); ++n)
    all = all.unite(relation(p.reader, ctx, affine::tuple(name_of(n), p.reader.statements[n].variables),
                             affine::tuple("", texts.at(n)), {}));
  return all.intersect_domain(p.domain);
}

isl::multi_union_pw_aff one_dimension(const Polyhedra& p, const Texts& texts) {
  std::vector<Texts> each;
  for (const std::string& text : texts) each.push_back({text});
  return as_function(dated(p, each));
}

namespace {

/// Marks with the variable of the loop that they are about: a loop of one iteration is not printed, and what
/// is printed after the mark is then another one.
isl::schedule with_variables(const isl::schedule& schedule) {
  return schedule.root()
      .map_descendant_bottom_up([](isl::schedule_node n) {
        if (!n.isa<isl::schedule_node_mark>()) return n;
        const isl::id mark = isl::manage(isl_schedule_node_mark_get_id(n.get()));
        const int depth = isl_schedule_node_get_schedule_depth(n.get());
        n = isl::manage(isl_schedule_node_delete(n.release()));
        return n.insert_mark(mark.name() + "_c" + std::to_string(depth));
      })
      .schedule();
}

bool is_mark(const std::string& line) { return line.find("// ") != std::string::npos; }

/// Lines of C with marks, `// parallel_c2`, as lines with pragmas.
class Pragmas {
 public:
  explicit Pragmas(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
  }
  std::string text() {
    std::string out;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::size_t indent = lines_[i].find_first_not_of(' ');
      if (parallel_ && indent <= *parallel_ && i > begun_ && lines_[i].compare(indent, 1, "}") != 0)
        parallel_.reset();
      const std::string line = is_mark(lines_[i]) ? pragma(i, indent) : lines_[i];
      if (!line.empty()) out += "  " + line + "\n";
    }
    return out;
  }

 private:
  std::string pragma(std::size_t at, std::size_t indent) {
    std::size_t next = at + 1;
    while (next + 1 < lines_.size() && is_mark(lines_[next])) ++next;
    const std::string variable = lines_[at].substr(lines_[at].rfind('_') + 1);
    if (next >= lines_.size() || lines_[next].find("for (int " + variable + " = ") == std::string::npos)
      return "";
    const std::string before(indent, ' ');
    if (lines_[at].compare(indent, 9, "// ivdep_") == 0) return before + "#pragma GCC ivdep";
    if (parallel_) return "";
    parallel_ = indent, begun_ = next;
    return before + "#pragma omp parallel for schedule(dynamic)";
  }

  std::vector<std::string> lines_;
  std::optional<std::size_t> parallel_;  ///< indentation of the parallel loop that we are in
  std::size_t begun_ = 0;                ///< its line
};

}  // namespace

std::string loops_as_c(const isl::schedule& schedule) {
  const isl::ast_node loops = isl::ast_build(schedule.ctx()).node_from(with_variables(schedule));
  const std::string out = Pragmas(loops.to_C_str()).text();
  return "#define floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))\n"
         "#define min(x, y) ((x) < (y) ? (x) : (y))\n"
         "#define max(x, y) ((x) > (y) ? (x) : (y))\n" +
         out;
}

}  // namespace lift
#endif
