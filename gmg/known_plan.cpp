#include "gmg/known_plan.hpp"

#include <fmt/format.h>

#include <chrono>

#include "embed/compiler.hpp"
#include "embed/user_database.hpp"
#include "gmg/level.hpp"
#include "gmg/plan_text.hpp"
#include "runtime/parallel.hpp"
#include "tuning/database/database.hpp"
#include "tuning/database/platform.hpp"
#include "tuning/database/program_key.hpp"

namespace lift::gmg {
namespace {

Platform here() { return platform_of(Target::openmp, this_machine(), configured_threads(), nullptr); }

std::string expression_of(const Grid& grid) {
  std::string text = "solver\n" + canonical_text(apply_program(grid));
  for (const double share : couplings(grid.equation(), grid.domain())) text += fmt::format("{:.2f} ", share);
  for (std::size_t d = 0; d < grid.domain().dimensions(); ++d)
    for (const bool high : {false, true})  // a pad does not tell Neumann from Robin conditions
      text += lift::gmg::text(grid.domain().condition(d, high).kind) + std::string(" ");
  return hash_text(text);
}

}  // namespace

std::optional<KnownPlan> known_plan(const Equation& equation, const std::string& database) {
  const std::filesystem::path file = database_file(database);
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return std::nullopt;
  try {
    const Platform platform = here();
    const auto found = Database(file, Database::Access::read)
                           .find_solver(expression_of(Grid(equation, equation.domain())), platform);
    if (!found) return std::nullopt;
    KnownPlan known{read_plan(found->plan), ""};
    if (found->platform.rules != platform.rules) known.plan.kernels.clear();
    known.origin = fmt::format("tuned on {} (UTC): {}, {} kernels", time_text(found->when), str(known.plan),
                               known.plan.kernels.size());
    return known;
  } catch (const DatabaseError& e) {
    warn_once(e.what());
  } catch (const UserError& e) {
    warn_once("what tuning had found for this solver is not used, as it is damaged: " +
              std::string(e.what()) + "; tune it again");
  }
  return std::nullopt;
}

void keep_plan(const Equation& equation, const Plan& plan, const std::string& database) {
  const std::filesystem::path file = database_file(database);
  if (file.empty()) return;
  const Grid grid(equation, equation.domain());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  try {
    Database(file, Database::Access::write)
        .keep(SolverRecord{.expression = expression_of(grid),
                           .platform = here(),
                           .name = cells_text(grid) + " cells",
                           .plan = plan_text(plan),
                           .when = std::chrono::duration_cast<std::chrono::seconds>(now).count()});
  } catch (const DatabaseError& e) {
    warn_once(e.what());
  }
}

}  // namespace lift::gmg
