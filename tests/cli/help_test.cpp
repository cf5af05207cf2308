// What the command says of itself: help, the manual page, completions; and its bar on a terminal.
#include <sstream>

#include "runtime/file.hpp"
#include "tests/cli/command.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::Scratch;

namespace cli_test {

TEST_CASE("cli: help fits 80 columns, of every command and of operators") {
  const auto check_width = [](const std::vector<std::string>& arguments) {
    const ProcessResult r = liftgen(arguments);
    CAPTURE(r.output);
    CHECK(r.status == 0);
    std::istringstream lines(r.output);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
    return r.output;
  };
  const std::string alone = check_width({"--help"});
  CHECK(alone.find("liftgen manual | man -l -") != std::string::npos);
  for (const char* command : {"list", "explore", "show", "emit", "run", "solve", "compare", "db", "report",
                              "rules", "machine", "manual", "completion"})
    CHECK(check_width({command, "--help"}).find("usage: liftgen " + std::string(command)) !=
          std::string::npos);
  const std::string smooth = check_width({"smooth3d", "--help"});
  CHECK(smooth.find("--smoother") != std::string::npos);
  CHECK(smooth.find("usage: liftgen explore smooth3d [OPTION...]") != std::string::npos);
  CHECK(smooth == liftgen({"explore", "smooth3d", "--help"}).output);
  CHECK(liftgen({"--version"}).output.starts_with("liftgen "));
}

TEST_CASE("cli: on a terminal no line of the bar is longer than the terminal is wide") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "terminal.py",
                        R"(import fcntl, os, pty, struct, subprocess, sys, termios
try: ours, theirs = pty.openpty()
except OSError: sys.exit("no terminals")
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
p = subprocess.Popen(sys.argv[2:], stdin=theirs, stdout=theirs, stderr=theirs, env=dict(os.environ, LIFTGEN_DB="none"))
os.close(theirs)
text = b""
while True:
    try: part = os.read(ours, 65536)
    except OSError: break
    if not part: break
    text += part
bars = [b for b in text.replace(b"\x1b[K", b"").replace(b"\n", b"\r").split(b"\r") if b.startswith(b"[")]
print("status", p.wait(), "bars", len(bars), "longest", max(map(len, bars)))
)");
  for (const int columns : {50, 80}) {
    const ProcessResult r = run_process(
        {"/bin/sh", "-c",
         "cd " + scratch.path().string() + " && python3 terminal.py " + std::to_string(columns) + " " +
             kLiftgen + " explore smooth3d --sweeps 1 --box 8 --boxes 2 --budget 2 --configs 6 --out ."});
    CAPTURE(r.output);
    if (r.output.starts_with("no terminals")) {
      MESSAGE("there are no pseudo-terminals here");
      return;
    }
    CHECK(r.output.starts_with("status 0 bars "));
    const auto at = r.output.find("longest ");
    REQUIRE(at != std::string::npos);
    const int longest = std::stoi(r.output.substr(at + 8));
    CHECK(longest < columns);
    CHECK(longest > 30);
  }
}

TEST_CASE("cli: the manual page and the completions know every command, operator and option") {
  const std::string page = liftgen({"manual"}).output, bash = liftgen({"completion", "bash"}).output,
                    zsh = liftgen({"completion", "zsh"}).output;
  for (const char* word : {"explore", "smooth3d", "thomas", "--budget", "--smoother", "--no-db"}) {
    CAPTURE(word);
    std::string in_roff;
    for (const char c : std::string(word)) in_roff += c == '-' ? "\\-" : std::string(1, c);
    CHECK(page.find(in_roff) != std::string::npos);
    CHECK(bash.find(word) != std::string::npos);
    CHECK(zsh.find(word) != std::string::npos);
  }
  CHECK(page.starts_with(".TH LIFTGEN 1"));
  std::istringstream lines(page);  // a line that begins so is for roff
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('.'))
      CHECK_MESSAGE((line.starts_with(".TH") || line.starts_with(".SH") || line.starts_with(".SS") ||
                     line.starts_with(".TP") || line.starts_with(".B ") || line == ".br"),
                    line);
  check_refused({"completion", "fish"}, 2, {"completion fish: no such shell here; use bash or zsh"});
}

TEST_CASE("cli: bash completes commands, operators, options and their values") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "complete", liftgen({"completion", "bash"}).output);
  write_file_atomically(scratch.path() / "mine.lift", "");
  const auto completed = [&](const std::string& words) {
    const ProcessResult r =
        liftgen_shell("cd " + scratch.path().string() + " && . ./complete && COMP_WORDS=(" + words +
                      ") && COMP_CWORD=$((${#COMP_WORDS[@]}-1)) && _liftgen; echo \"${COMPREPLY[@]}\"");
    return r.output;
  };
  CHECK(completed("liftgen expl") == "explore\n");
  CHECK(completed("liftgen smooth").find("smooth3d") != std::string::npos);
  CHECK(completed("liftgen mi") == "mine.lift\n");
  CHECK(completed("liftgen run smooth3d --smoo") == "--smoother\n");
  CHECK(completed("liftgen smooth3d --expl") == "--explore\n");
  CHECK(completed("liftgen emit smooth3d --backend cu") == "cuda\n");
  CHECK(completed("liftgen run resid").find("residual3d") != std::string::npos);
  CHECK(completed("liftgen db ex").find("export") != std::string::npos);
}

TEST_CASE("cli: alone it prints a short help") {
  const ProcessResult result = liftgen({});
  CHECK(result.status == 0);
  CHECK(result.output.find("liftgen smooth3d --explore") != std::string::npos);
  CHECK(liftgen({"--help"}).output == result.output);
  CHECK(liftgen({"explore", "--help"}).output.find("--budget") != std::string::npos);
  CHECK(liftgen({"run", "smooth3d", "--help"}).output.find("--smoother") != std::string::npos);
}

}  // namespace cli_test
