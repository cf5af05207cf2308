// The liftgen command: reads what is asked for, does it, and says in one line what went wrong.
#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.hpp"
#include "ir/limit_error.hpp"

namespace {

int dispatch(const lift::cli::Options& o) {
  using namespace lift::cli;
  if (o.command == "list") return list(o);
  if (o.command == "explore") return explore(o);
  if (o.command == "show") return show(o);
  if (o.command == "emit") return emit(o);
  if (o.command == "run") return run(o);
  if (o.command == "rules") return rules(o);
  if (o.command == "machine") return machine(o);
  return 0;  // help was printed
}

int complain(const char* what, int status) {
  std::fflush(stdout);
  std::fprintf(stderr, "liftgen: %s\n", what);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return dispatch(lift::cli::parse({argv + 1, argv + argc}));
  } catch (const lift::LimitError& error) {
    return complain(error.what(), 3);
  } catch (const lift::UserError& error) {
    return complain(error.what(), 2);
  } catch (const lift::EnvironmentError& error) {
    return complain(error.what(), 3);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; use a smaller --box or fewer --boxes", 2);
  } catch (const std::exception& error) {
    return complain((std::string("internal error, please report it: ") + error.what()).c_str(), 1);
  }
}
