// A random forest (Breiman 2001): regression trees, each grown on rows drawn with replacement, that choose
// their splits among some of the columns.
#pragma once

#include <vector>

#include "tuning/search/technique.hpp"

namespace lift {

using Row = std::vector<double>;

class RegressionTrees {
 public:
  struct Expected {
    double mean = 0, deviation = 0;  ///< over the trees
  };
  /// Rows of one length, and a value each; at least one.
  RegressionTrees(const std::vector<Row>& rows, const std::vector<double>& values, Chance& chance);
  Expected expect(const Row& row) const;

 private:
  struct Node {
    std::size_t column = 0;
    double threshold = 0;  ///< rows up to it go to `low`
    double value = 0;      ///< of a leaf: the mean
    int low = -1, high = -1;
  };
  using Tree = std::vector<Node>;
  std::vector<Tree> trees_;
};

/// A configuration as numbers: flags as 0 and 1, ordinals and sizes by their logarithms, choices by a column
/// each, loops by their places. All rows of a space have the same columns.
class Encoding {
 public:
  explicit Encoding(const SearchSpace& space);
  Row operator()(const Configuration& c) const;

 private:
  struct Column {
    const Key* key;
    std::string axis;  ///< of sizes and loops
    int index = -1;    ///< of a choice's alternative; -1: its numbers
  };
  std::vector<Column> columns_;
};

}  // namespace lift
