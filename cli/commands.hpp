// The commands. Each prints to standard output and returns the exit status: 0 done, 1 something verified
// wrong or failed; usage (2) and what is missing (3) are thrown as UserError and EnvironmentError.
#pragma once

#include "cli/options.hpp"

namespace lift::cli {

int list(const Options& o);
int explore(const Options& o);
int explore_together(const Options& o);
int show(const Options& o);
int emit(const Options& o);
int run(const Options& o);
int solve(const Options& o);
int compare(const Options& o);
int database(const Options& o);
int report(const Options& o);
int rules(const Options& o);
/// Names in LIFTGEN_TRACE that no rule has are said on stderr: nothing would come of them.
void check_traced_rules();
int machine(const Options& o);
int manual(const Options& o);
int completion(const Options& o);

}  // namespace lift::cli
