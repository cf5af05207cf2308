// What a reduction of arrays reads of its accumulators: they lie where the new ones go.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/expr/view.hpp"
#include "lower/loops/loop.hpp"

namespace lift {

class OldAccumulators {
 public:
  /// The same view, of which the elements that are asked for are noted.
  View noted(const View& v, const Type& t) const;
  /// UserError where an element that was asked for may be loaded in `b` after it has been overwritten there.
  void check(const Block& b) const;

 private:
  using Element = std::pair<std::string, std::vector<std::uint32_t>>;
  static Element element(const std::string& array, const std::vector<Nat>& position);

  std::shared_ptr<std::set<Element>> asked_ = std::make_shared<std::set<Element>>();
};

}  // namespace lift
