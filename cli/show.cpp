// liftgen show OP, liftgen emit OP: a variant as an expression, loops or code, without running it.
#include <cstdio>

#include "cli/check_files.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/variants.hpp"
#include "emit/emit.hpp"
#include "ir/text/parse.hpp"
#include "ir/text/printable.hpp"
#include "lower/translate/storage.hpp"
#include "tuning/report.hpp"
#include "tuning/untransformed.hpp"

namespace lift::cli {

int show(const Options& o) {
  if (o.stage == "high") {
    std::fputs(printable(print_program(o.pattern->build(o.problem))).c_str(), stdout);
    return 0;
  }
  const Chosen chosen = choose_variant(o);
  if (o.stage == "low") {
    std::fputs(printable(print_program(with_storage(chosen.low))).c_str(), stdout);
    print("\n// derivation:");
    for (const Step& step : chosen.derivation) print("//   " + str(step) + "\n//       " + prose(step));
  } else if (o.stage == "loops") {
    print_fitted(str(chosen.kernel));
  } else {
    const Kernel kernel = documented(chosen.kernel, chosen.program, chosen.derivation, command_of(o));
    print(emit_source(kernel));
  }
  return 0;
}

namespace {

/// The loops before any decision, for compilers that take their own.
int emit_loops(const Options& o, const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / (o.pattern->name + ".scop.c");
  write_generated(path, emit_scop(untransformed_loops(o.pattern->build(o.problem))));
  print("loops: " + path.string());
  if (!o.quiet) print("between #pragma scop and #pragma endscop, for `polycc --pet` and `ppcg`");
  return 0;
}

}  // namespace

int emit(const Options& o) {
  const auto directory = kernel_directory(o.out);
  if (o.scop) return emit_loops(o, directory);
  check_kernel_files(directory, o.pattern->name, o.target);
  const Chosen chosen = choose_variant(o);
  if (!o.quiet) say_what_is_not_overwritten(chosen.program, chosen.kernel);
  std::map<std::string, std::int64_t> sizes = o.sizes;
  if (o.file.empty())
    sizes = {{"n", o.problem.box}, {"n_coarse", o.problem.box / 2}, {"boxes", o.problem.boxes}};
  const auto path = write_kernel(directory, o.pattern->name,
                                 documented(chosen.kernel, chosen.program, chosen.derivation, command_of(o)),
                                 o.target, chosen.program, sizes);
  print("kernel: " + path.string());
  const std::string caller = o.pattern->name + "_main" + capabilities(o.target).host_extension;
  if (!o.quiet)
    print("with its header " + o.pattern->name + ".h and the caller " + caller + " beside it; the head of " +
          (is_grid(o.target) ? caller : path.filename().string()) + " says how to compile");
  return 0;
}

}  // namespace lift::cli
