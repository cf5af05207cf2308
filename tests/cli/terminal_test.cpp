// What explorations look like on a terminal of 80 columns, as tmux has it in the end.
#include <sstream>

#include "runtime/file.hpp"
#include "tests/cli/command.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;

namespace terminal_test {

using cli_test::kLiftgen;

/// The lines of a terminal of 80x24, and of what has scrolled out of it, when a command has ended in it, each
/// as it was written; `rows`: how many rows of the terminal they take. No lines without tmux.
std::vector<std::string> lines_on_terminal(const std::string& command, std::size_t& rows) {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "conf", "set -g history-limit 20000\n");
  write_file_atomically(scratch.path() / "command",
                        command + "; echo status $?; tmux wait-for -S done; exec sleep 1000\n");
  write_file_atomically(scratch.path() / "script", R"(command -v tmux >/dev/null || exit 77
export TMUX_TMPDIR="$PWD" LIFTGEN_DB=none; unset TMUX
tmux -f conf new-session -d -x 80 -y 24 "sh command" || exit 77
timeout 600 tmux wait-for done
tmux capture-pane -p -S - | sed '/^$/d' | wc -l > rows
tmux capture-pane -p -J -S - | sed 's/ *$//; /^$/d'
tmux kill-server)");
  const ProcessResult r =
      run_process({"/bin/sh", "script"}, {.timeout_seconds = 900, .directory = scratch.path().string()});
  if (r.status == 77) return {};
  CHECK(r.status == 0);
  rows = static_cast<std::size_t>(std::stoul(read_file(scratch.path() / "rows")));
  std::vector<std::string> lines;
  std::istringstream text(r.output);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

TEST_CASE("cli: on a terminal of 80 columns the bar leaves nothing behind, and no line wraps") {
  const Scratch scratch;
  std::size_t rows = 0;
  const std::vector<std::string> lines = lines_on_terminal(
      kLiftgen + " smooth3d --explore --box 8 --boxes 2 --budget 8 --out " + scratch.path().string(), rows);
  if (lines.empty()) {
    MESSAGE("a terminal of 80 columns: not run: no tmux");
    return;
  }
  std::string all;
  std::size_t tables = 0, below = 0;
  bool path = false;
  for (const std::string& line : lines) {
    all += line + "\n";
    CHECK_MESSAGE(!line.starts_with('['), line);  // a bar that has scrolled
    path = path || line.starts_with("kernel: ");
    if (!path) CHECK_MESSAGE(line.size() <= 80, line);
    tables += line.starts_with("  variant") || line.starts_with("  sweeps");
    below += line.starts_with("    in ") || line.starts_with("    width") || line.starts_with("      ");
  }
  CAPTURE(all);
  CHECK(all.find("status 0") != std::string::npos);
  CHECK(rows == lines.size());
  CHECK(tables == 2);
  CHECK(below > 0);
}

TEST_CASE(
    "cli: there is no bar where the results go into a pipe or a file, though messages go to a terminal") {
  const Scratch scratch;
  const ProcessResult r = run_process({"/bin/sh", "-c",
                                       "command -v script >/dev/null || exit 77; script -qec '" + kLiftgen +
                                           " smooth2d --explore --box 8 --boxes 2 --configs 2 --no-db --out "
                                           "o >results' /dev/null </dev/null"},
                                      {.timeout_seconds = 600, .directory = scratch.path().string()});
  if (r.status == 77) return;
  if (r.output.find("failed to create pseudo-terminal") != std::string::npos) {
    MESSAGE("there are no pseudo-terminals here, not run");
    return;
  }
  CAPTURE(r.output);
  CHECK(r.status == 0);
  CHECK(read_file(scratch.path() / "results").find("best:") != std::string::npos);
  CHECK(r.output.find("\x1b[") == std::string::npos);
  CHECK(r.output.find('[') == std::string::npos);
}

TEST_CASE("cli: the loops of a kernel keep to a terminal of 80 columns") {
  std::size_t rows = 0;
  const std::vector<std::string> lines =
      lines_on_terminal(kLiftgen + " show smooth3d --box 8 --boxes 2 --stage loops", rows);
  if (lines.empty()) {
    MESSAGE("a terminal of 80 columns: not run: no tmux");
    return;
  }
  CHECK(lines.size() > 20);
  for (const std::string& line : lines) CHECK_MESSAGE(line.size() <= 80, line);
  CHECK(rows == lines.size());
}

}  // namespace terminal_test
