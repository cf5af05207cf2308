// Lines of Python scripts, as the errors of liftgen name them.
#pragma once

#include <source_location>

namespace lift::python {

/// The line that is being executed, of the innermost function that is none of this package's. Needs the GIL.
std::source_location here();

/// What is not to be named: files in this directory are the package's.
void set_package_directory(const char* directory);

}  // namespace lift::python
