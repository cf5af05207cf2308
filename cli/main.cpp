// The liftgen command: reads what is asked for, does it, and says in one line what went wrong.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "cli/commands.hpp"
#include "ir/limit_error.hpp"
#include "ir/text/printable.hpp"
#include "runtime/grid_device.hpp"
#include "runtime/interrupt.hpp"

namespace {

int dispatch(const lift::cli::Options& o) {
  using namespace lift::cli;
  if (o.command == "list") return list(o);
  if (o.command == "explore") return o.one_layout ? explore_together(o) : explore(o);
  if (o.command == "show") return show(o);
  if (o.command == "emit") return emit(o);
  if (o.command == "run") return run(o);
  if (o.command == "solve") return solve(o);
  if (o.command == "compare") return compare(o);
  if (o.command == "db") return database(o);
  if (o.command == "report") return report(o);
  if (o.command == "rules") return rules(o);
  if (o.command == "machine") return machine(o);
  if (o.command == "manual") return manual(o);
  if (o.command == "completion") return completion(o);
  return 0;  // help was printed
}

int complain(const char* what, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "liftgen: %s\n", lift::printable(what).c_str());
  return status;
}

/// What was printed has to arrive: a full disk is an error. A reader that has gone away (PIPE) is none to be
/// told about.
int flushed(int status) {
  errno = 0;
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!failed || errno == EPIPE || lift::interrupting_signal() == SIGPIPE) return status;
  const std::string why = errno != 0 ? std::strerror(errno) : "the disk may be full";
  return complain(("standard output cannot be written: " + why).c_str(), 1);
}

/// Whoever is interrupted while exploring says what was found; others say nothing, and end as the signal
/// would have ended them.
int guarded(const std::vector<std::string>& arguments) {
  // To the end of the process: a signal that comes when all is done changes nothing any more.
  static const auto* const scope = new lift::InterruptScope(true);
  (void)scope;
  lift::cli::Options options;
  int status = 0;
  try {
    options = lift::cli::parse(arguments);
    lift::cli::check_traced_rules();
    status = dispatch(options);
  } catch (...) {
    const int signal = lift::interrupting_signal();
    if (signal == 0) throw;
    const bool measuring =
        options.command == "explore" || options.command == "run" || options.command == "compare";
    return measuring ? complain("no variant was verified before the interruption", 1) : 128 + signal;
  }
  return flushed(status);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return guarded({argv + 1, argv + argc});
  } catch (const lift::LimitError& error) {
    return complain(error.what(), 3);
  } catch (const lift::UserError& error) {
    return complain(error.what(), 2);
  } catch (const lift::EnvironmentError& error) {
    return complain(error.what(), 3);
  } catch (const lift::KernelFault& error) {  // where nobody can do without what it computes
    return complain(error.what(), 3);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; use a smaller --box or fewer --boxes", 2);
  } catch (const std::system_error& error) {  // threads, files, descriptors
    return complain((std::string("the system refused what was needed: ") + error.what()).c_str(), 3);
  } catch (const std::exception& error) {
    return complain((std::string("internal error, please report it: ") + error.what()).c_str(), 1);
  }
}
