// The platform of this process: what times are kept by beside the program.
#pragma once

#include "ir/target.hpp"
#include "rewrite/engine/catalogue.hpp"
#include "runtime/grid_device.hpp"
#include "runtime/machine.hpp"
#include "tuning/database/record.hpp"

namespace lift {

/// A word for the rules that derivations are made of: it changes when a rule comes, goes, or says something
/// else.
const std::string& rules_version();
/// The same with rules of one's own; without any that of the library.
std::string rules_version(const OwnRules& own);
/// Whether rules of that version are the library's of now, with others or alone.
bool are_present_rules(const std::string& version);

/// `device`: where there is one; null for processors, and for a GPU that is not here, of which only the
/// backend is known then.
Platform platform_of(Target target, const Machine& machine, int threads, const GridDeviceInfo* device,
                     const OwnRules& rules = {});

/// The device that kernels for `target` would run on, `index` as in --device; nothing for processors, and
/// where there is none. `threads`: of a device that computes on the processors.
std::optional<GridDeviceInfo> device_for(Target target, int index, int threads);

}  // namespace lift
