#include "lower/loops/verify.hpp"

#include "ir/error.hpp"
#include "lower/loops/loop_rules.hpp"

namespace lift {
namespace {

struct Rule {
  const char* name;
  Complaint (*of_statement)(const Stmt&, const Surroundings&);
  Complaint (*of_kernel)(const Kernel&, Form);
};

/// In this order: later rules count on earlier ones.
constexpr Rule rules[] = {
    {"indices-defined", indices_defined, nullptr},
    {"values-defined", values_defined, nullptr},
    {"arrays-known", arrays_known, nullptr},
    {"declared-once", declared_once, nullptr},
    {"variables-assigned", variables_assigned, nullptr},
    {"types-agree", types_agree, nullptr},
    {"widths-agree", widths_agree, nullptr},
    {"one-index-a-dimension", one_index_a_dimension, nullptr},
    {"loop-attributes", loop_attributes, nullptr},
    {"grid-dimensions", grid_dimensions, nullptr},
    {"vector-loops", vector_loops, nullptr},
    {"uniform-barriers", uniform_barriers, nullptr},
    {"independent-iterations", independent_iterations, nullptr},
    {"scratch-of-threads", scratch_of_threads, nullptr},
    {"within-arrays", nullptr, within_arrays},
};

struct Broken {
  const Rule* rule;
  std::string what;
};

std::optional<Broken> first_broken(const Block& b, Surroundings& in) {
  in.open();
  for (const Stmt& s : b) {
    for (const Rule& r : rules)
      if (r.of_statement)
        if (const Complaint c = r.of_statement(s, in)) return Broken{&r, *c + ", in " + str(Block{s})};
    if (const Block* body = body_of(s)) {
      in.around.push_back(&s);
      in.open();
      if (const auto* f = std::get_if<For>(&s.v)) in.define(f->var);
      auto below = first_broken(*body, in);
      in.close();
      in.around.pop_back();
      if (below) return below;
    }
    in.define(s);
  }
  in.close();
  return std::nullopt;
}

}  // namespace

void verify(const Kernel& k, Form form, const std::string& pass) {
  Surroundings in(k, form);
  std::optional<Broken> broken = first_broken(k.body, in);
  for (const Rule& r : rules)
    if (!broken && r.of_kernel)
      if (const Complaint c = r.of_kernel(k, form)) broken = Broken{&r, *c};
  if (broken)
    throw InternalError("loops after " + pass + " break the rule " + broken->rule->name + ": " +
                        broken->what + "\n" + str(k));
}

std::vector<std::string> loop_rules() {
  std::vector<std::string> names;
  for (const Rule& r : rules) names.emplace_back(r.name);
  return names;
}

}  // namespace lift
