// Finished kernels, kept between processes: what a call has to know of a kernel, and its text, found again by
// the program, so that a second start neither derives nor lowers anything. What the compiler makes of the
// text is found beside it (runtime/native.hpp).
//
// Entries lie in the vault of compiled kernels: they appear by renaming, and one that is damaged is not used.
// Their key has all that a kernel is made by: the program, options, the machine, the database where it is
// asked, and the sources of liftgen. Private to this folder.
#pragma once

#include "embed/variant.hpp"

namespace lift {

/// Of a program whose lengths are numbers.
std::string finished_key(const Program& program, const CompileOptions& options);
/// Fills kernel (less its body), source, derivation and origin. False: there is none, or none of use.
bool find_finished(const std::string& key, Callable::Variant& v);
/// Where it cannot be written, it is not kept.
void keep_finished(const std::string& key, const Callable::Variant& v);

}  // namespace lift
