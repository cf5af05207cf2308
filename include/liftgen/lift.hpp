// The public interface: expressions, kernels as C++ functions, patterns, exploration.
//
//   auto blur = xs | lift::pad(1, 1, lift::clamp) | lift::slide(3, 1)
//                  | lift::map([](lift::Expr w) { return (w[0] + w[1] + w[2]) / 3.0; });
//
// See examples/ for whole programs. Errors: lift::UserError, lift::EnvironmentError, lift::InternalError
// (ir/error.hpp).
#pragma once

#include "emit/emit.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/expr/known_number.hpp"
#include "ir/expr/program.hpp"
#include "liftgen/allocate.hpp"
#include "liftgen/compile.hpp"
#include "liftgen/operators.hpp"
#include "lower/lower.hpp"
#include "patterns/pattern.hpp"
#include "rewrite/own/check_rule.hpp"
#include "rewrite/own/read_rules.hpp"
#include "rewrite/rules/rules.hpp"
#include "rewrite/space/space.hpp"
#include "tuning/explore.hpp"
#include "tuning/report.hpp"
