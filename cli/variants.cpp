#include "cli/variants.hpp"

#include "cli/known.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "patterns/box_problem.hpp"
#include "rewrite/analysis/decided.hpp"
#include "runtime/file.hpp"
#include "runtime/native.hpp"

namespace lift::cli {

LowerOptions lowering_of(const Machine& machine, Target target) {
  LowerOptions options;
  options.target = target, options.least_shared = kLeastShared;
  if (machine.vector_bytes > 0) options.vector_bytes = machine.vector_bytes;
  return options;
}

std::optional<Derivation> given_derivation(const Options& o) {
  if (o.derivation.empty()) return std::nullopt;
  const std::string text = read_file(o.derivation);
  try {
    return parse_derivation(text);
  } catch (const UserError& error) {
    throw UserError("--derivation " + o.derivation.string() + ": " + error.what());
  }
}

std::string command_of(const Options& o) {
  const Problem& p = o.problem;
  std::string s = "liftgen emit " + (o.file.empty() ? o.pattern->name : o.file);
  const auto add = [&](const std::string& option, const std::string& value) {
    s += " --" + option + " " + value;
  };
  if (o.file.empty()) {
    add("box", box_text(p)), add("boxes", std::to_string(p.boxes));
    if (p.boundary == "ghost")
      add("ghost", std::to_string(p.ghost));
    else
      add("bc", p.boundary);
    if (p.sweeps > 1) add("sweeps", std::to_string(p.sweeps));
    add("type", text(p.type));
    for (const auto& [name, value] : p.choices) add(name, value);
  }
  for (const auto& [name, value] : o.sizes) add("size", name + "=" + std::to_string(value));
  if (p.symbolic) s += " --symbolic";
  if (o.target != Options().target) add("backend", text(o.target));
  if (!o.rules.empty()) add("rules", o.rules.string());
  return s + " --derivation FILE";
}

namespace {

/// The first seed of a space in the caller's layout that leads to a kernel of `program`; `why`: what the last
/// one lacked.
std::optional<Chosen> first_seed(const Space& space, const Program& program, const LowerOptions& lowering,
                                 std::string& why) {
  for (const Configuration& c : space.seeds()) {
    if (!space.layout(c).empty()) continue;
    try {
      Chosen chosen{program, space.derive(c), {}, {}};
      chosen.low = replay(program, chosen.derivation);
      chosen.kernel = lower(chosen.low, lowering);
      return chosen;
    } catch (const UserError& error) {
      why = error.what();
    }
  }
  return std::nullopt;
}

/// Whether a program with decisions has a loop over the grid's work-items.
bool decides_grid(const Program& program) {
  return contains(program.body, [](const Expr& e) { return e.op() >= Op::MapGlb && e.op() <= Op::MapLcl; });
}

}  // namespace

Chosen choose_variant(const Options& o) {
  const Program program = o.pattern->build(o.problem);
  NativeCompiler compiler;
  const Machine machine = probe(compiler, o.threads, false);
  const LowerOptions lowering = lowering_of(machine, o.target);
  if (const auto derivation = given_derivation(o)) {
    Chosen chosen{program, *derivation, replay(program, *derivation), {}};
    chosen.kernel = lower(chosen.low, lowering);
    return chosen;
  }
  if (const std::string decision = decision_in(program); !decision.empty()) {
    const bool on_grid = decides_grid(program);
    if (on_grid != is_grid(o.target))
      throw UserError(o.pattern->name + ": its decisions (" + decision + ") are for " +
                      (on_grid ? "a grid of work-items; use --backend opencl or cuda"
                               : "processors; use --backend openmp"));
    return {program, {}, program, lower(program, lowering), "as written"};
  }
  if (auto known = known_variant(o, program, machine, lowering)) return *known;
  std::string why = "its space of variants is empty";
  Problem sized = o.problem;
  sized.symbolic = false;
  if (auto chosen = first_seed(make_space(o.pattern->build(sized), o.target, machine, kCallersLayout),
                               program, lowering, why))
    return *chosen;
  if (o.problem.symbolic)
    if (auto chosen =
            first_seed(make_space(program, o.target, machine, kCallersLayout), program, lowering, why))
      return *chosen;
  throw UserError(o.pattern->name + ": no variant can be lowered as asked: " + why);
}

}  // namespace lift::cli
