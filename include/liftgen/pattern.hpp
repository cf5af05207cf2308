// Operators of one's own beside those of the library: an expression with data, a reference in plain C++ and
// plain loops to compare with, as liftgen's own operators are written (lift::Pattern), and what explores
// them.
#pragma once

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "patterns/host_data.hpp"
#include "patterns/pattern.hpp"
#include "tuning/explore.hpp"
#include "tuning/report.hpp"
