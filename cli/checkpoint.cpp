#include "cli/checkpoint.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/solve_problem.hpp"
#include "ir/error.hpp"
#include "runtime/file.hpp"

namespace lift::cli {

Checkpoint::Checkpoint(const SolveOptions& o, gmg::Domain domain)
    : path_(o.checkpoint), every_(o.checkpoint_every), domain_(std::move(domain)) {
  if (is_asked()) check_writable_file(path_, "--checkpoint");
  if (every_ < 1)
    throw UserError(
        fmt::format("--checkpoint-every {}: a checkpoint is written after one cycle or more", every_));
}

void Checkpoint::add_to(gmg::Goal& goal) {
  if (!is_asked()) return;
  goal.every = every_;
  goal.each = [this](int cycles, std::span<const double> u) { write(cycles, u); };
}

void Checkpoint::write(int cycles, std::span<const double> u) {
  if (!is_asked() || cycles == last_) return;
  try {
    write_array(path_, domain_, u);
    last_ = cycles;
  } catch (const UserError& e) {
    if (failure_.empty()) failure_ = fmt::format("after cycle {}: {}", cycles, e.what());
  }
}

std::string Checkpoint::text() const {
  if (!is_asked()) return "";
  const std::string has =
      last_ < 0 ? "none of this solve was written, and what was in the file is kept"
                : fmt::format("the file has u after {} cycles; --start {} goes on from there", last_, path_);
  return failed() ? "checkpoint " + failure_ + "; the solve went on without it; " + has
                  : "checkpoint: " + has;
}

}  // namespace lift::cli
