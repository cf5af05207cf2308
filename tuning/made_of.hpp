// The nodes that programs and kernels are made of, for what outlives the region in which they were made: see
// ir/region.hpp, and docs/decisions/0029-regions-of-hosts.md.
#pragma once

#include "ir/expr/program.hpp"
#include "lower/loops/loop.hpp"

namespace lift {

/// As Held<Nodes> they stay, with all that they are made of.
struct Nodes {
  std::vector<Expr> expressions = {};
  std::vector<Type> types = {};
  std::vector<Nat> nats = {};
  std::vector<Term> terms = {};
};
void raise(const Nodes& nodes, detail::Stay stay);

void append(Nodes& nodes, Nodes more);

Nodes nodes_of(const Program& program);
Nodes nodes_of(const Kernel& kernel);

}  // namespace lift
