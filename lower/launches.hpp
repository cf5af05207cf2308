// Kernels on a grid that take more than one launch: work-groups cannot wait for one another, so what follows
// a loop over the grid runs in a launch of its own.
#pragma once

#include "lower/loops/loop.hpp"

namespace lift {

/// Makes the body of a kernel for a grid a sequence of statements that may be launched one after the other:
/// loops over the grid that hold several of them become as many loops; what one launch leaves for another
/// goes through work arrays. A kernel without loops over the grid stays as it is. UserError where work-items
/// keep values from one launch to another.
void separate_launches(Kernel& k);

/// A lowered kernel as the kernels that are launched in order, all over the same arguments: each loop over
/// the grid, and what lies between them, run by one work-item. Their names are the kernel's, followed by _1,
/// _2, ... when there are several, and by _kernel where OpenCL C or CUDA C++ has a function of that name;
/// computations of indices and scalars that several need are in each of them. An argument counts as read or
/// written when one of them does so.
std::vector<Kernel> launches(const Kernel& k);
/// The same as a list of Launch statements, whose grids are not known yet.
Block split_launches(const Kernel& k);
/// Those of a kernel for a target with a grid, in order.
std::vector<Launch> launches_in(const Kernel& k);

}  // namespace lift
