// Rules of one's own as decisions: each makes other programs of one, and every one of these has the decisions
// of its own kind, which come later.
#pragma once

#include "rewrite/space/kind.hpp"

namespace lift {

using MakeKind = std::function<std::unique_ptr<Kind>(const Program& program, const SpaceOptions& options)>;

/// Of a program and of what `options.rules` make of it, by `make` each. A rule that matches nowhere is no
/// decision. The first rule is decided first, and the next sees what it has made. UserError: the rules make
/// too many programs.
std::unique_ptr<Kind> kind_by_rules(const Program& program, const SpaceOptions& options,
                                    const MakeKind& make);

}  // namespace lift
