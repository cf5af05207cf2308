#include "cli/variants.hpp"

#include "ir/error.hpp"
#include "runtime/file.hpp"

namespace lift::cli {

LowerOptions lowering_of(const Machine& machine) {
  LowerOptions options;
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

Chosen choose_variant(const Options& o) {
  Chosen chosen;
  chosen.program = o.pattern->build(o.problem);
  NativeCompiler compiler;
  const Machine machine = probe(compiler, o.threads, false);
  const LowerOptions lowering = lowering_of(machine);
  if (const auto derivation = given_derivation(o)) {
    chosen.derivation = *derivation;
    chosen.low = replay(chosen.program, chosen.derivation);
    chosen.kernel = lower(chosen.low, lowering);
    return chosen;
  }
  const Space space = make_space(chosen.program, o.target, machine, true);
  std::string why = "its space of variants is empty";
  for (const Configuration& c : space.seeds()) {
    if (!space.layout(c).empty()) continue;
    try {
      chosen.derivation = space.derive(c);
      chosen.low = replay(chosen.program, chosen.derivation);
      chosen.kernel = lower(chosen.low, lowering);
      return chosen;
    } catch (const UserError& error) {
      why = error.what();
    }
  }
  throw UserError(o.pattern->name + ": no variant can be lowered as asked: " + why);
}

}  // namespace lift::cli
