// Programs of parts whose loops differ.
#pragma once

#include <functional>

#include "rewrite/space/kind.hpp"

namespace lift {

/// The kind that a part is of by itself.
using KindOfPart = std::function<std::unique_ptr<Kind>(const Program& part, const SpaceOptions& options)>;

/// `places`: of the parts, in the order in which they are computed.
std::unique_ptr<Kind> stages_kind(Rewriting start, const std::vector<Place>& places, const KindOfPart& kind_of,
                                  const SpaceOptions& options);

}  // namespace lift
