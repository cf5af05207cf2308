// What results are held against.
#pragma once

#include <optional>

#include "ir/expr/program.hpp"
#include "tuning/problem_data.hpp"

namespace lift {

struct Expected {
  HostArray result;
  HostArray staging;              ///< of the same type, for results that have to be copied or converted
  double mean = 0;                ///< magnitude, see relative_error
  const float* bounds = nullptr;  ///< how far each element may be off, see error_bounds.hpp; null: unknown
  bool no_numbers = false;        ///< every element is NaN or infinite
};

/// Buffers and contents of all results of a program; see results_of.
class ExpectedResults {
 public:
  ExpectedResults() = default;
  ExpectedResults(const Program& program, int threads);
  /// To be called when the results have been filled.
  void measure_magnitudes();
  /// Memory for bounds of the n-th result.
  float* make_bounds(std::size_t n);
  std::vector<HostArray> results() const;
  std::vector<Expected> all() const;

 private:
  struct One {
    OwnedArray result, staging;
    std::optional<Buffer> bounds;
    double mean = 0;
    bool no_numbers = false;
  };
  std::vector<One> all_;
  int threads_ = 1;
};

}  // namespace lift
