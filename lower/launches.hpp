// Kernels on a grid that take more than one launch: work-groups cannot wait for one another, so what follows
// a loop over the grid runs in a launch of its own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lower/loops/loop.hpp"

namespace lift {

/// Makes the body of a kernel for a grid a sequence of statements that may be launched one after the other:
/// loops over the grid that hold several of them become as many loops; other loops around several, or in
/// whose next iteration an item needs what another has written, become the host's (LoopKind::Host); what one
/// launch leaves for another goes through work arrays. A kernel without loops over the grid stays as it is.
/// UserError where work-items keep values from one launch to another.
void separate_launches(Kernel& k);

/// A lowered kernel as the kernels that are launched in order, all over the same arguments: each loop over
/// the grid, and what lies between them, run by one work-item. Their names are the kernel's, followed by _1,
/// _2, ... when there are several, and by _kernel where OpenCL C or CUDA C++ has a function of that name;
/// computations of indices and scalars that several need are in each of them. An argument counts as read or
/// written when one of them does so. Those in loops of the host's take the loops' variables as arguments,
/// too.
std::vector<Kernel> launches(const Kernel& k);
/// The same as Launch statements, whose grids are not known yet, and loops of the host's around them.
Block split_launches(const Kernel& k);
/// With every launch as f leaves it.
Block map_launches(const Block& b, const std::function<void(Launch&)>& f);
/// Those of a kernel for a target with a grid, in the order of the text.
std::vector<Launch> launches_in(const Kernel& k);
/// A launch as a kernel of its own, with the steps that it is given as its last arguments.
Kernel one_launch(const Kernel& k, Launch l);
KernelArgument step_argument(const std::string& name);

/// Of launches_in(k) one, and the values of the steps that it is given (of 32 bits).
struct LaunchCall {
  std::size_t launch;
  std::vector<std::int64_t> steps;
};
/// What the host launches, in order; `numbers`: the kernel's arguments and sizes that its loops go by.
std::vector<LaunchCall> launch_calls(const Kernel& k,
                                     const std::map<std::string, std::int64_t>& numbers = {});

}  // namespace lift
