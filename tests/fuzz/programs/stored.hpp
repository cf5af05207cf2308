// An argument of a kernel in memory: filled with data, and compared.
#pragma once

#include <string>
#include <vector>

#include "lower/lower.hpp"
#include "tests/fuzz/programs/case.hpp"

namespace lift::fuzz {

inline constexpr unsigned char kPoison = 0xa5;   ///< in results
inline constexpr unsigned char kBetween = 0xff;  ///< beside elements, where a layout leaves room

struct Stored {
  const KernelArgument& argument;
  Interpreter& sizes;  ///< that know the values of sizes
  unsigned char* bytes;

  unsigned char* data() const { return bytes; }
  void fill(const Data& data) const;
  /// "" or the first element that is not as expected, up to `tolerance` times the largest.
  std::string fault(const std::vector<double>& expected, double tolerance) const;

 private:
  std::size_t place(std::size_t x) const;
};

/// A number as it lies in memory, and back.
void put(unsigned char* to, Scalar s, double v);
double taken(const unsigned char* from, Scalar s);

Scalar scalar_of(const KernelArgument& a);
std::size_t bytes_of(const KernelArgument& a, Interpreter& sizes);

}  // namespace lift::fuzz
