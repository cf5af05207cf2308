#ifdef LIFTGEN_HAS_ISL
#include "compare/polyhedra.hpp"

#include <isl/ctx.h>
#include <isl/options.h>

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

isl::multi_union_pw_aff one_dimension(const Polyhedra& p, const Texts& texts) {
  const isl::ctx ctx = p.domain.ctx();
  isl::union_map all(ctx, "{ }");
  for (std::size_t n = 0; n < p.reader.statements.size(); ++n)
    all = all.unite(relation(p.reader, ctx, affine::tuple(name_of(n), p.reader.statements[n].variables),
                             "[" + texts.at(n) + "]", {}));
  return as_function(all.intersect_domain(p.domain));
}

std::string loops_as_c(const isl::schedule& schedule) {
  const std::string text = isl::ast_build(schedule.ctx()).node_from(schedule).to_C_str();
  const std::map<std::string, std::string> pragmas{
      {"// parallel", "#pragma omp parallel for schedule(dynamic)"}, {"// ivdep", "#pragma GCC ivdep"}};
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto start = lines[i].find_first_not_of(' ');
    const auto pragma = start == std::string::npos ? pragmas.end() : pragmas.find(lines[i].substr(start));
    if (pragma == pragmas.end()) {
      out += "  " + lines[i] + "\n";
      continue;
    }
    std::size_t next = i + 1;  // the loop, unless it has one iteration only
    while (next < lines.size() && lines[next].find("// ") != std::string::npos) ++next;
    if (next < lines.size() && lines[next].find_first_not_of(' ') == lines[next].find("for ("))
      out += "  " + lines[i].substr(0, start) + pragma->second + "\n";
  }
  return "#define floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))\n"
         "#define min(x, y) ((x) < (y) ? (x) : (y))\n"
         "#define max(x, y) ((x) > (y) ? (x) : (y))\n" +
         out;
}

}  // namespace lift
#endif
