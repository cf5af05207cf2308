// Keys of the same decision about different loops of a program: the first class of parts has the decision's
// own name, further ones the number of their class beside it.
#pragma once

#include <utility>

#include "rewrite/space/setting.hpp"

namespace lift {

/// "order 2", say; the key itself for class 1.
const Key& key_of_class(const Key& key, int number);
/// The decision's name and the class: "order" and 2; class 1 where the name has no number.
std::pair<std::string_view, int> class_of(std::string_view name);

}  // namespace lift
