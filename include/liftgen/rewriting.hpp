// Derivations by hand: rules applied at places, strategies, and what stages of a chain demand of each other.
#pragma once

#include "ir/expr/attributes.hpp"
#include "rewrite/analysis/bands.hpp"
#include "rewrite/engine/strategy.hpp"
#include "rewrite/rules/rules.hpp"
