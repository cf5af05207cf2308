// liftgen report FILE.json -o FILE.html: what an exploration found as a page, later or elsewhere.
#include "report/page.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "ir/error.hpp"
#include "runtime/file.hpp"

namespace lift::cli {

int report(const Options& o) {
  check_writable_file(o.report, "-o");
  std::string page;
  try {
    page = report::page(read_file(o.results));
  } catch (const UserError& error) {
    throw UserError(o.results.string() + ": " + error.what());
  }
  write_file_atomically(o.report, page);
  if (!o.quiet) print("report: " + o.report.string());
  return 0;
}

}  // namespace lift::cli
